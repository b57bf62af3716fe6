// A table of one's own: the columns of docs/catalog.md, in any order, most of them optional.
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kRequiredByGenericCsv[] = {"sku", "region", "currency"};
constexpr std::string_view kPriceColumns[] = {"price_per_hour", "price_per_month", "price_per_year"};

/// A column that holds a number of the row.
struct NumberColumn {
  std::string_view name;
  Number Row::* member;
};
constexpr NumberColumn kNumbers[] = {
    {"gpu_count", &Row::gpu_count},   {"gpu_memory_gb", &Row::gpu_memory_gb}, {"vcpu", &Row::vcpu},
    {"memory_gib", &Row::memory_gib}, {"local_ssd_gb", &Row::local_ssd_gb},   {"network_gbps", &Row::network_gbps},
};

/// A column that holds a text of the row.
struct TextColumn {
  std::string_view name;
  std::string_view Row::* member;
};
constexpr TextColumn kTexts[] = {
    {"provider", &Row::provider}, {"sku", &Row::sku}, {"family", &Row::family}, {"region", &Row::region},
    {"country", &Row::country},   {"gpu", &Row::gpu}, {"note", &Row::note},
};

class GenericRows {
 public:
  GenericRows(CsvTable& table, MarketBuilder& market) : table_(table), market_(market) {
    for (const auto& [name, member] : kNumbers) numbers_.push_back(table.column(name));
    for (const auto& [name, member] : kTexts) texts_.push_back(table.column(name));
    for (const std::string_view name : kPriceColumns) prices_.push_back(table.column(name));
  }

  void row() {
    Row row;
    row.line = table_.line();
    for (std::size_t i = 0; i < texts_.size(); ++i) row.*kTexts[i].member = table_.field(texts_[i]);
    std::string reason;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      row.*kNumbers[i].member = number_of(table_.field(numbers_[i]), kNumbers[i].name, reason);
    const std::string provider = own_provider(row, reason);
    row.provider = provider;
    const std::string_view arch = text("cpu_arch");
    row.arm = arch == "arm64";
    if (!arch.empty() && !row.arm && arch != "x86_64") wrong(reason, "cpu_arch", arch);
    const std::string_view term = text("term");
    const auto named = from_text<Term>(term);
    if (!term.empty() && !named) wrong(reason, "term", term);
    const auto currency = Currency::parse(text("currency"));
    if (!currency) wrong(reason, "currency", text("currency"));
    const std::string_view date = text("as_of");
    const auto as_of = Date::parse(date);
    if (!date.empty() && !as_of) wrong(reason, "as_of", date);
    add_prices(row, named.value_or(Term::on_demand), reason);
    if (!reason.empty()) return market_.ledger().skipped(row.line, reason);
    row.currency = *currency;
    row.as_of = as_of.value_or(Date{});
    market_.take(row);
  }

 private:
  /// As in YAML, a share of a GPU may be written 1/6.
  static Number number_of(std::string_view text, std::string_view column, std::string& reason) {
    const bool share = column == "gpu_count" && text.find('/') != std::string_view::npos;
    if (const auto count = share ? parse_fraction(text, {.low = 0, .high = 1}) : usage_error({})) return *count;
    return optional_number(text, column, reason);
  }

  std::string_view text(std::string_view column) const { return table_.field(table_.column(column)); }

  static void wrong(std::string& reason, std::string_view column, std::string_view value) {
    if (reason.empty()) reason = say("'{}' cannot be '{}'", column, printable(shorten(value, 40)));
  }

  std::string own_provider(const Row& row, std::string& reason) {
    if (row.provider.empty() && market_.provider().empty() && reason.empty())
      reason = say("no provider; name it in a column 'provider' or with --cloud");
    return row.provider.empty() ? std::string() : market_.provider_named(row.provider);
  }

  void add_prices(Row& row, Term term, std::string& reason) {
    static constexpr Period kPeriods[] = {Period::hour, Period::month, Period::year};
    for (std::size_t i = 0; i < prices_.size(); ++i)
      if (const Number price = optional_number(table_.field(prices_[i]), kPriceColumns[i], reason))
        row.prices.push_back({term, kPeriods[i], *price});
    if (row.prices.size() > 1 && reason.empty()) reason = say("more than one price");
  }

  CsvTable& table_;
  MarketBuilder& market_;
  std::vector<int> numbers_;
  std::vector<int> texts_;
  std::vector<int> prices_;
};

}  // namespace

Status read_generic_csv(SourceFile& file, MarketBuilder& market) {
  CsvTable table(file);
  if (const Status opened = table.open(kRequiredByGenericCsv); !opened) return opened;
  if (std::none_of(std::begin(kPriceColumns), std::end(kPriceColumns),
                   [&](std::string_view name) { return table.column(name) >= 0; }))
    return usage_error(say("it has no column 'price_per_hour', 'price_per_month' or 'price_per_year'"));
  GenericRows rows(table, market);
  return each_row(table, file, market, [&] { rows.row(); });
}

}  // namespace gpusel::catalog::import
