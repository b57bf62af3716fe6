#include "catalog/read/own_table.hpp"

#include <algorithm>
#include <map>

#include "base/io/csv.hpp"
#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/price_date.hpp"

namespace gpusel::catalog {

namespace {

/// A column of such a table, by whatever it is called there.
struct PriceColumn {
  std::string_view key;
  std::string_view names;  // separated by ' '
};
constexpr PriceColumn kPriceColumns[] = {
    {"instance", "instance sku instance_type type name"},
    {"price", "price price_per_hour hourly hourly_price usd_per_hour amount cost"},
    {"provider", "provider cloud"},
    {"term", "term usage_class"},
    {"currency", "currency"},
    {"date", "date as_of"},
};

std::string_view price_column(std::string_view name) {
  std::string folded = fold_name(name);
  std::ranges::replace(folded, '-', '_');
  for (const PriceColumn& column : kPriceColumns)
    for (const std::string_view one : split(column.names, ' '))
      if (one == folded) return column.key;
  return {};
}

class OwnTable {
 public:
  OwnTable(const std::string& path, Date today) : path_(path), today_(today) { own_.as_of = today; }

  std::expected<OwnPrices, Errors> read() {
    const auto text = read_text_file(path_);
    if (!text) return bad(text.error());
    const std::string_view first = std::string_view(*text).substr(0, text->find('\n'));
    if (first.contains(';') && !first.contains(','))
      return bad(Error{ErrorKind::usage, say("columns are separated by ';'"), path_ + ":1:1",
                       say("use commas between columns, and a point in decimals")});
    const auto table = parse_csv(*text, path_);
    if (!table) return bad(table.error());
    for (const Node& column : table->header)
      if (fold_name(column.text) == "region")
        return bad(Error{ErrorKind::usage, say("your own prices apply in every region"), position(path_, column),
                         say("remove the column; prices by region: gpusel catalog import --from generic-csv")});
      else if (price_column(column.text).empty())
        return bad(Error{ErrorKind::usage, say("no column '{}' in this table of prices", shorten(column.text, 40)),
                         position(path_, column),
                         say("instance and price are needed; also read: provider, term, currency, date")});
    Errors errors;
    for (const Node& row : table->rows) {
      const Status read = add(row);
      if (!read) errors.push_back(bad(read.error()).error().front());
    }
    return errors.empty() ? std::expected<OwnPrices, Errors>(std::move(own_)) : std::unexpected(std::move(errors));
  }

 private:
  static std::unexpected<Errors> bad(Error error) {
    error.kind = ErrorKind::bad_catalogue;
    return std::unexpected(Errors{std::move(error)});
  }

  Status add(const Node& row) {
    std::map<std::string_view, const Node*> cells;
    for (const Node& cell : row.children) cells[price_column(cell.key)] = &cell;
    const auto text = [&](std::string_view key) { return cells.contains(key) ? std::string(cells[key]->text) : ""; };
    if (!cells.contains("instance") || !cells.contains("price"))
      return usage_error(say("'{}' is missing", cells.contains("instance") ? "price" : "instance"),
                         position(path_, row));
    std::string subject = text("instance");
    if (const std::string provider = text("provider"); !provider.empty()) subject = provider + "/" + subject;
    if (const std::string term = text("term"); !term.empty()) subject += ":" + term;
    auto price = parse_price(subject + "=" + text("price") + text("currency"));
    if (!price) {
      price.error().where = position(path_, *cells["price"]);
      return std::unexpected(price.error());
    }
    if (cells.contains("date")) {
      const auto date = day(text("date"), *cells["date"]);
      if (!date) return std::unexpected(date.error());
      price->as_of = *date;
    }
    return keep(std::move(*price), *cells["price"]);
  }

  Result<Date> day(const std::string& text, const Node& cell) const {
    const auto date = Date::parse(text);
    if (!date)
      return usage_error(say("'{}' is not a date", shorten(text, 20)), position(path_, cell),
                         say("write it like {}", "2026-11-20"));
    if (is_to_come(*date, today_))
      return usage_error(say("{} is in the future", date->text()), position(path_, cell),
                         say("a price that does not hold yet is left out"));
    return *date;
  }

  /// The term is on-demand where none is said.
  static std::string meant(std::string_view subject) {
    const std::size_t colon = std::min(subject.rfind(':'), subject.size());
    const std::string term = lower(trim(subject.substr(std::min(colon + 1, subject.size()))));
    const std::string name = lower(trim(subject.substr(0, colon)));
    return term.empty() || term == "on-demand" ? name : name + ":" + term;
  }

  /// The youngest of a subject; of one date there can be but one.
  Status keep(OwnPrice price, const Node& cell) {
    const auto [seen, is_new] = seen_.try_emplace(meant(price.subject), Seen{own_.prices.size(), cell.line});
    if (is_new) {
      own_.prices.push_back(std::move(price));
      return {};
    }
    OwnPrice& other = own_.prices[seen->second.index];
    const auto younger =
        days_between(other.as_of.known() ? other.as_of : today_, price.as_of.known() ? price.as_of : today_);
    const bool same =
        other.per_hour.amount == price.per_hour.amount && other.per_hour.currency == price.per_hour.currency;
    if (!same && (!younger || *younger == 0))
      return usage_error(say("another price of {} is on line {}", shorten(price.subject, 60), seen->second.line),
                         position(path_, cell), say("keep one of them, or give each its date"));
    if (younger && *younger > 0) {
      other = std::move(price);
      seen->second.line = cell.line;
    }
    return {};
  }

  struct Seen {
    std::size_t index;  // in the prices
    std::uint32_t line;
  };

  const std::string& path_;
  Date today_;
  OwnPrices own_;
  std::map<std::string, Seen> seen_;
};

}  // namespace

std::expected<OwnPrices, Errors> read_own_table(const std::string& path, Date today) {
  return OwnTable(path, today).read();
}

}  // namespace gpusel::catalog
