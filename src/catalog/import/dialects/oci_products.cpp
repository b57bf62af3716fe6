// Oracle's list of products: what one GPU costs per hour, in every region. Which sizes have it is told by data/import.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

class OciProducts {
 public:
  explicit OciProducts(MarketBuilder& market) : market_(market) {}

  void product(const Node& item, std::uint32_t line) { market_.ledger().count(line, outcome_of(item, line)); }

 private:
  std::uint32_t outcome_of(const Node& item, std::uint32_t line) {
    const std::string_view name = member_text(item, "displayName");
    if (member_text(item, "metricName") != "GPU Per Hour") return market_.ledger().text(say("no price of a GPU"));
    const auto& products = market_.dialects().products;
    const auto listed = std::ranges::find(products, member_text(item, "partNumber"), &ListedProduct::part);
    // A licence, a machine in somebody's own rooms, or a product of which it is not known what it is.
    if (listed == products.end())
      return market_.ledger().text(say("'{}': which size it is of is not known", printable(name)));
    if (name.find(listed->word) == std::string_view::npos)
      return market_.ledger().text(
          say("'{}' under the number of a {}: another product", printable(name), listed->word));
    std::uint32_t outcome = market_.ledger().text(say("no price"));
    const Node* places = item.find("currencyCodeLocalizations");
    for (const Node& place : places == nullptr ? std::span<const Node>() : std::span(places->children))
      if (const auto priced = price(*listed, place, line); priced && outcome != 0) outcome = *priced;
    return outcome;
  }

  /// Of each of the sizes; nothing where it is no price of list.
  std::optional<std::uint32_t> price(const ListedProduct& product, const Node& place, std::uint32_t line) {
    const auto currency = Currency::parse(member_text(place, "currencyCode"));
    const Node* prices = place.find("prices");
    if (!currency || prices == nullptr) return std::nullopt;
    std::optional<std::uint32_t> outcome;
    for (const Node& one : prices->children) {
      std::string reason;
      const Number amount = optional_number(member_text(one, "value"), "value", reason);
      if (member_text(one, "model") != "PAY_AS_YOU_GO" || !amount) continue;
      for (const std::string& size : product.sizes) {
        const std::uint32_t done = add(size, *amount, *currency, line);
        if (!outcome || *outcome != 0) outcome = done;
      }
    }
    return outcome;
  }

  std::uint32_t add(const std::string& size, double per_gpu, Currency currency, std::uint32_t line) {
    const Instance* own = market_.own_size(size);
    if (own == nullptr || own->gpu_count.value_or(0) <= 0)
      return market_.ledger().text(say("the catalog has no '{}'", size));
    Row row;
    row.line = line;
    row.sku = size;
    row.region = "all";
    row.currency = currency;
    row.prices.push_back({Term::on_demand, Period::hour, per_gpu * *own->gpu_count});
    return market_.add(row);
  }

  MarketBuilder& market_;
};

}  // namespace

Status read_oci_products(SourceFile& file, MarketBuilder& market) {
  OciProducts products(market);
  return each_item(file, market, "items", [&](const Node& item, std::uint32_t line) { products.product(item, line); });
}

}  // namespace gpusel::catalog::import
