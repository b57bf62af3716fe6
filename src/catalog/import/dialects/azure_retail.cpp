// Azure's retail prices: pages of Items, one per meter. They name the size, not what is in it.
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

/// Products that are no plain Linux machine, by a word in one of their names.
struct OtherProduct {
  std::string_view key;
  std::string_view word;
  std::string_view what;
};
constexpr OtherProduct kOthers[] = {
    {"productName", "Windows", to_say("with a Windows license")},
    {"productName", "Cloud Services", to_say("a cloud service, no virtual machine")},
    {"productName", "Dedicated Host", to_say("a dedicated host, no virtual machine")},
    {"skuName", "Low Priority", to_say("low priority, which is not spot")},
    {"meterName", "Low Priority", to_say("low priority, which is not spot")},
};

/// "1 Year", "3 Years"; other terms have no place here.
std::optional<int> years_in(std::string_view text) {
  if (text == "1 Year") return 1;
  if (text == "3 Years") return 3;
  return std::nullopt;
}

class AzureItems {
 public:
  explicit AzureItems(MarketBuilder& market) : market_(market) {}

  void item(const Node& item, std::uint32_t line) {
    if (!item.is_map()) return market_.ledger().skipped(line, say("no price item"));
    Row row;
    row.line = line;
    row.sku = member_text(item, "armSkuName");
    row.region = member_text(item, "armRegionName");
    const std::string_view service = member_text(item, "serviceName");
    std::string reason;
    if (!service.empty() && service != "Virtual Machines") reason = say("no virtual machine: {}", printable(service));
    for (const auto& [key, word, what] : kOthers)
      if (reason.empty() && member_text(item, key).find(word) != std::string_view::npos) reason = say_text(what);
    const Number price = optional_number(member_text(item, "retailPrice"), "retailPrice", reason);
    const auto currency = Currency::parse(member_text(item, "currencyCode"));
    if (!currency && reason.empty())
      reason = say("'{}' is not a currency code", printable(member_text(item, "currencyCode")));
    if (!price && reason.empty()) reason = say("no price");
    if (reason.empty()) reason = put_price(item, *price, row);
    if (!reason.empty()) return market_.ledger().skipped(line, reason);
    row.currency = *currency;
    if (reason = put_savings_plans(item, row); !reason.empty()) return market_.ledger().skipped(line, reason);
    market_.take(row);
  }

 private:
  static std::string put_price(const Node& item, double price, Row& row) {
    const std::string_view type = member_text(item, "type");
    if (type == "Reservation") {
      // The price of a reservation is that of its whole term.
      const auto years = years_in(member_text(item, "reservationTerm"));
      if (!years) return say("a reservation for '{}'", printable(member_text(item, "reservationTerm")));
      row.prices.push_back({*years == 1 ? Term::reserved_1y : Term::reserved_3y, Period::year, price / *years});
      return {};
    }
    if (type != "Consumption") return say("a price of the type '{}'", printable(type));
    const std::string_view unit = member_text(item, "unitOfMeasure");
    if (unit != "1 Hour") return say("a price per '{}'", printable(unit));
    const bool spot =
        member_text(item, "skuName").ends_with("Spot") || member_text(item, "meterName").ends_with("Spot");
    row.prices.push_back({spot ? Term::spot : Term::on_demand, Period::hour, price});
    return {};
  }

  /// Savings plans ride on the item of the on-demand price.
  static std::string put_savings_plans(const Node& item, Row& row) {
    const Node* plans = item.find("savingsPlan");
    if (plans == nullptr || row.prices.front().term != Term::on_demand) return {};
    for (const Node& plan : plans->children) {
      const auto years = years_in(member_text(plan, "term"));
      const auto price = plain_number(member_text(plan, "retailPrice"));
      if (!years) continue;  // of a term that has no place here
      if (!price)
        return say("'{}' is not a number: '{}'", "savingsPlan",
                   printable(shorten(member_text(plan, "retailPrice"), 40)));
      row.prices.push_back({*years == 1 ? Term::savings_1y : Term::savings_3y, Period::hour, *price});
    }
    return {};
  }

  MarketBuilder& market_;
};

}  // namespace

Status read_azure_retail(SourceFile& file, MarketBuilder& market) {
  AzureItems items(market);
  return each_item(file, market, "Items", [&](const Node& item, std::uint32_t line) { items.item(item, line); });
}

}  // namespace gpusel::catalog::import
