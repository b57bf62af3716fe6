#include "base/values/money.hpp"

#include <algorithm>
#include <string>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

/// How a currency is written beside its code, in front of the number or behind it.
struct CurrencyName {
  std::string_view name;  // in lower case
  std::string_view code;
};
constexpr CurrencyName kCurrencyNames[] = {
    {"$", "USD"},      {"us$", "USD"},  {"dollar", "USD"}, {"dollars", "USD"}, {"美元", "USD"}, {"美金", "USD"},
    {"€", "EUR"},      {"euro", "EUR"}, {"euros", "EUR"},  {"欧元", "EUR"},    {"£", "GBP"},    {"英镑", "GBP"},
    {"￥", "CNY"},     {"¥", "CNY"},    {"rmb", "CNY"},    {"yuan", "CNY"},    {"元", "CNY"},   {"块", "CNY"},
    {"人民币", "CNY"}, {"日元", "JPY"}, {"円", "JPY"},     {"yen", "JPY"},     {"₹", "INR"}};

struct Period {
  std::string_view name;
  double hours;
};
constexpr double kHoursPerDay = 24;
constexpr Period kPeriods[] = {{"h", 1},
                               {"hr", 1},
                               {"hour", 1},
                               {"小时", 1},
                               {"时", 1},
                               {"d", kHoursPerDay},
                               {"day", kHoursPerDay},
                               {"天", kHoursPerDay},
                               {"日", kHoursPerDay},
                               {"week", 7 * kHoursPerDay},
                               {"周", 7 * kHoursPerDay},
                               {"mo", kHoursPerMonth},
                               {"month", kHoursPerMonth},
                               {"月", kHoursPerMonth},
                               {"y", kHoursPerYear},
                               {"yr", kHoursPerYear},
                               {"year", kHoursPerYear},
                               {"年", kHoursPerYear}};

constexpr double kMostTyped = 1e15;

std::optional<Currency> currency_called(std::string_view name) {
  const std::string folded = lower(name);
  for (const CurrencyName& known : kCurrencyNames)
    if (known.name == folded) return Currency::parse(known.code);
  return Currency::parse(upper(name));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "1,500,000" without its separators; nothing changes where they are not in front of three digits.
std::string without_separators(std::string_view text) {
  const auto first = text.find(',');
  if (first == std::string_view::npos || first == 0 || first > 3) return std::string(text);
  std::string out(text.substr(0, first));
  std::string_view rest = text.substr(first);
  while (rest.size() >= 4 && rest[0] == ',' && is_digit(rest[1]) && is_digit(rest[2]) && is_digit(rest[3])) {
    out += rest.substr(1, 3);
    rest.remove_prefix(4);
  }
  return out + std::string(rest);
}

}  // namespace

Result<TypedMoney> parse_money(std::string_view given) {
  std::string_view text = trim(given);
  TypedMoney money;
  // "低于5000元/月", "每月3000元以内"
  for (const std::string_view front : {"低于", "不超过", "小于", "少于", "≤", "<=", "<"})
    if (text.starts_with(front)) text = trim(text.substr(front.size()));
  for (const std::string_view end : {"以内", "以下", "之内"})
    if (text.ends_with(end)) text = trim(text.substr(0, text.size() - end.size()));
  for (const Period& period : kPeriods)
    if (constexpr std::string_view kEvery = "每";
        text.starts_with(kEvery) && text.substr(kEvery.size()).starts_with(period.name)) {
      money.every_hours = period.hours;
      text = trim(text.substr(kEvery.size() + period.name.size()));
    }
  if (const auto slash = text.rfind('/'); slash != std::string_view::npos) {
    const std::string name = lower(trim(text.substr(slash + 1)));
    const auto* period = std::ranges::find(kPeriods, std::string_view(name), &Period::name);
    if (period == std::end(kPeriods))
      return usage_error(say("'{}' is not a price period", shorten(name, 20)), {}, say("write /h, /month or /year"));
    money.every_hours = period->hours;
    text = trim(text.substr(0, slash));
  }
  const auto begin = text.find_first_of("0123456789.-");
  const auto end = text.find_last_of("0123456789.");
  const auto wrong = [&] {
    return usage_error(say("'{}' is not an amount of money", shorten(given, 32)), {},
                       say("write it like 5, $5, 30CNY or 1500/month"));
  };
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return wrong();
  const std::string_view front = trim(text.substr(0, begin));
  std::string_view back = trim(text.substr(end + 1));
  std::string digits = without_separators(text.substr(begin, end + 1 - begin));
  // "1.5M", "20k": the letter belongs to the number, what follows it to the currency.
  if (!back.empty() && std::string_view("kKmM").contains(back[0]) && (back.size() == 1 || back[1] == ' ')) {
    digits += back[0];
    back = trim(back.substr(1));
  }
  double times = 1;
  for (const auto& [name, factor] : {std::pair<std::string_view, double>{"千", 1e3}, {"万", 1e4}})
    if (back.starts_with(name)) {
      times = factor;
      back = trim(back.substr(name.size()));
    }
  const auto amount = parse_count(digits, {.low = 0, .high = kMostTyped});
  if (!amount) return plain_number(digits) ? std::unexpected(amount.error()) : wrong();
  money.amount = *amount * times;
  for (const std::string_view name : {front, back}) {
    if (name.empty()) continue;
    const auto currency = currency_called(name);
    if (!currency || (money.currency && *money.currency != *currency))
      return usage_error(say("'{}' is not a currency", shorten(name, 20)), {}, say("write USD, CNY, EUR …"));
    money.currency = currency;
  }
  return money;
}

}  // namespace gpusel
