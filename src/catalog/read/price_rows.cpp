#include "catalog/read/price_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/io/csv.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kSku = "sku";

/// The amount under the SKU that it is of, as a sheet has it.
void file_under(const Node& sku, Node& amount) {
  Node price = std::move(amount);
  amount = Node{};
  amount.kind = Node::Kind::map;
  amount.key = std::exchange(price.key, sku.text);
  amount.line = price.line;
  amount.column = price.column;
  price.key_line = sku.line;
  price.key_column = sku.column;
  amount.children.push_back(std::move(price));
}

}  // namespace

Result<Document> price_rows(std::string_view text, const std::string& name) {
  auto csv = parse_csv(text, name);
  if (!csv) return std::unexpected(csv.error());
  Document document{name, {}};
  document.root.kind = Node::Kind::map;
  Node& prices = document.root.children.emplace_back();
  prices.kind = Node::Kind::list;
  prices.key = "prices";
  for (Node& row : csv->rows) {
    const auto found = std::ranges::find(row.children, kSku, &Node::key);
    if (found == row.children.end())
      return std::unexpected(Error{ErrorKind::bad_catalogue, say("a price without a SKU"), position(name, row), {}});
    const Node sku = std::move(*found);
    row.children.erase(found);
    for (Node& cell : row.children)
      if (cell.key.starts_with("per_")) file_under(sku, cell);
    prices.children.push_back(std::move(row));
  }
  return document;
}

}  // namespace gpusel::catalog
