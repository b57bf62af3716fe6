#include "catalog/update/token_lists.hpp"

#include <initializer_list>
#include <utility>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

constexpr double kMillion = 1e6;

/// "deepinfra-deepseek-ai-deepseek-r1": as the ids of data/token-prices.yaml are made.
std::string token_price_id(std::string_view provider, std::string_view name) {
  std::string id;
  for (const char c : lower(std::string(provider) + "-" + std::string(name))) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      id += c;
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (id.ends_with('-')) id.pop_back();
  constexpr std::size_t kLongestId = 80;
  return id.substr(0, kLongestId);
}

/// Per million of what costs so much each; a price of nothing is a trial, and none.
Number per_million(const Node& map, std::string_view key) {
  const auto each = plain_number(map.text_at(key));
  constexpr double kMostPerToken = 0.1;
  if (!each || *each <= 0 || *each > kMostPerToken) return std::nullopt;
  return *each * kMillion;
}

class TokenRows {
 public:
  explicit TokenRows(const Catalog& known) : known_(known) {}

  void add(ListedTokenPrice price, std::string_view name, std::initializer_list<std::string_view> names) {
    ++list_.rows;
    if (!price.input_per_million || price.provider.empty()) return;
    for (const std::string_view one : names) {
      if (one.empty()) continue;
      const auto model = known_.model(one);
      if (!model) continue;
      price.model = (*model)->id;
      price.id = token_price_id(price.provider, name);
      const std::string_view tail = one.substr(one.rfind('/') + 1);
      if (fold_name(tail) != fold_name(price.model))
        price.note = "as " + printable(tail);  // of the data, in its language
      list_.prices.push_back(std::move(price));
      return;
    }
  }
  void skip() { ++list_.rows; }
  TokenList take() { return std::move(list_); }

 private:
  const Catalog& known_;
  TokenList list_;
};

/// {"data": [{"id", "hugging_face_id", "pricing": {"prompt", "completion", "input_cache_read"}}]}, dollars per token.
Status read_openrouter(const Node& root, TokenRows& rows) {
  const Node* data = root.find("data");
  if (data == nullptr || !data->is_list()) return usage_error(say("it has no list '{}'", "data"));
  for (const Node& one : data->children) {
    const Node* pricing = one.find("pricing");
    const std::string_view id = one.text_at("id");
    // Behind a colon stands another product: free of charge and rationed, or faster.
    if (pricing == nullptr || id.empty() || id.find(':') != std::string_view::npos) {
      rows.skip();
      continue;
    }
    ListedTokenPrice price;
    price.provider = "openrouter";
    price.input_per_million = per_million(*pricing, "prompt");
    price.output_per_million = per_million(*pricing, "completion");
    price.cached_input_per_million = per_million(*pricing, "input_cache_read");
    rows.add(std::move(price), id, {one.text_at("hugging_face_id"), id.substr(id.find('/') + 1)});
  }
  return {};
}

/// {"deepinfra/org/Model": {"litellm_provider", "mode", "input_cost_per_token", …}}, dollars per token.
Status read_litellm(const Node& root, const SellerNames& sellers, TokenRows& rows) {
  if (!root.is_map()) return usage_error(say("it is not a map of models"));
  std::size_t priced = 0;
  for (const Node& one : root.children) {
    const std::string_view seller = one.text_at("litellm_provider");
    const auto named = sellers.find(seller);
    if (named == sellers.end()) {  // of sellers whose names the catalogue does not know
      rows.skip();
      continue;
    }
    ++priced;
    std::string_view name = one.key;
    if (const auto slash = name.find('/'); name.starts_with(seller) && slash == seller.size())
      name.remove_prefix(slash + 1);
    ListedTokenPrice price;
    price.provider = named->second;
    price.input_per_million = per_million(one, "input_cost_per_token");
    price.output_per_million = per_million(one, "output_cost_per_token");
    price.cached_input_per_million = per_million(one, "cache_read_input_token_cost");
    price.batch_input_per_million = per_million(one, "input_cost_per_token_batches");
    price.batch_output_per_million = per_million(one, "output_cost_per_token_batches");
    rows.add(std::move(price), name, {name, name.substr(name.rfind('/') + 1)});
  }
  return priced > 0 ? Status{} : usage_error(say("it has no model with a 'litellm_provider' that is known"));
}

}  // namespace

Result<TokenList> read_token_list(TokenFormat format, const std::vector<std::string>& files, const SellerNames& sellers,
                                  const Catalog& known) {
  TokenRows rows(known);
  for (const std::string& file : files) {
    const auto text = read_text_file(file);
    if (!text) return std::unexpected(text.error());
    const auto document = parse_json(*text, "page");
    if (!document) return std::unexpected(document.error());
    const Status read = format == TokenFormat::openrouter ? read_openrouter(document->root, rows)
                                                          : read_litellm(document->root, sellers, rows);
    if (!read) return std::unexpected(read.error());
  }
  return rows.take();
}

}  // namespace gpusel::catalog
