#include "cli/question/amounts.hpp"

#include <algorithm>
#include <utility>

#include "base/text/text.hpp"
#include "base/values/money.hpp"
#include "base/values/number.hpp"

namespace gpusel::cli {

namespace {

/// What stands around a number, lower-case, and what the number is then.
struct Form {
  std::string_view before, after;
  std::string_view key;
  std::string_view value = "#";  // with the number in the place of '#'
};
constexpr Form kForms[] = {
    {"", "qps", "request_rate"},
    {"", "rps", "request_rate"},
    {"", "req/s", "request_rate"},
    {"", "requests/s", "request_rate"},
    {"每秒", "个请求", "request_rate"},
    {"每秒", "次请求", "request_rate"},
    {"每秒", "请求", "request_rate"},
    {"", "users", "users"},
    {"", "个用户", "users"},
    {"", "用户", "users"},
    {"", "人", "users"},
    {"", "concurrent", "concurrency"},
    {"", "路并发", "concurrency"},
    {"", "并发", "concurrency"},
    {"", "ms", "ttft", "#ms"},
    {"", "毫秒", "ttft"},
    {"", "context", "context"},
    {"", "ctx", "context"},
    {"", "上下文", "context"},
    {"上下文", "", "context"},
    {"", "epochs", "epochs"},
    {"", "epoch", "epochs"},
    {"", "轮", "epochs"},
    {"", "tokens", "tokens"},
    {"", "token", "tokens"},
    {"", "samples", "dataset_size"},
    {"", "条样本", "dataset_size"},
    {"", "images", "images"},
    {"", "documents", "images"},
    {"", "docs", "images"},
    {"", "passages", "images"},
    {"", "frames", "frames"},
    {"", "nodes", "nodes"},
    {"", "days", "deadline", "#days"},
    {"", "day", "deadline", "#day"},
    {"", "hours", "hours", "#hours"},
    {"", "hour", "hours", "#hours"},
    {"", "weeks", "deadline", "#weeks"},
    {"", "week", "deadline", "#week"},
    {"", "months", "deadline", "#months"},
    {"", "month", "deadline", "#month"},
    {"", "years", "deadline", "#years"},
    {"", "year", "deadline", "#year"},
    {"", "gb", "min_vram", "#gb"},
    {"", "gib", "min_vram", "#gib"},
    {"显存", "gb", "min_vram", "#gb"},
    {"显存", "g", "min_vram", "#GB"},
};

/// What people call a term that binds, and the word of its name.
constexpr std::pair<std::string_view, std::string_view> kBinding[] = {{"reserved", "reserved"},
                                                                      {"reservation", "reserved"},
                                                                      {"commitment", "reserved"},
                                                                      {"savings plan", "savings"},
                                                                      {"savings", "savings"}};
constexpr std::pair<std::string_view, std::string_view> kLengths[] = {
    {"y", "y"}, {"yr", "y"}, {"year", "y"}, {"years", "y"}, {"m", "m"}, {"month", "m"}, {"months", "m"}};

/// "1y" of "1 year" and "for 1-year"; empty where it is no length.
std::string length_of(std::string_view text) {
  if (constexpr std::string_view kFor = "for "; text.starts_with(kFor)) text.remove_prefix(kFor.size());
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = trim(text.substr(end));
  if (unit.starts_with('-')) unit.remove_prefix(1);
  for (const auto& [said, letter] : kLengths)
    if (end > 0 && unit == said) return std::string(text.substr(0, end)) + std::string(letter);
  return {};
}

/// "reserved-3y" of "3 year reserved" and "reserved for 3 years", lower-case.
std::optional<Amount> term_of(std::string_view low) {
  for (const auto& [said, kind] : kBinding) {
    const bool in_front = low.starts_with(said);
    if (!in_front && !low.ends_with(said)) continue;
    const std::string_view rest = in_front ? low.substr(said.size()) : low.substr(0, low.size() - said.size());
    if (const std::string length = length_of(trim(rest)); !length.empty())
      return Amount{"term", std::string(kind) + "-" + length};
  }
  return std::nullopt;
}

std::optional<Amount> money_of(std::string_view text) {
  const auto money = parse_money(text);
  if (!money || !money->currency) return std::nullopt;
  return Amount{money->every_hours > 0 ? "max_price" : "budget", std::string(text), money->currency};
}

/// Words for counts: "两张4090".
constexpr std::pair<std::string_view, std::string_view> kDigits[] = {
    {"一", "1"}, {"单", "1"}, {"两", "2"}, {"二", "2"}, {"三", "3"}, {"四", "4"}, {"六", "6"}, {"八", "8"}};
constexpr std::string_view kCounters[] = {"张", "卡", "块", "台"};
constexpr std::string_view kTimes[] = {"x", "X", "*", "×"};

bool is_count(std::string_view text) {
  constexpr double kMost = 512;  // above it a number is a name, as 4090
  const auto number = plain_number(text);
  return number && *number >= 1 && *number <= kMost && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool is_scaled_number(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.,");
  const std::string_view scale = end == std::string_view::npos ? std::string_view() : trim(text.substr(end));
  return !text.empty() && end != 0 &&
         (scale.empty() || (scale.size() == 1 && std::string_view("kmbtKMBT").contains(scale)));
}

std::optional<Amount> amount_of(std::string_view text) {
  text = trim(text);
  const std::string low = lower(text);
  for (const Form& form : kForms) {
    const std::string_view whole = low;
    if (!whole.starts_with(form.before) || !whole.ends_with(form.after) ||
        whole.size() <= form.before.size() + form.after.size())
      continue;
    const std::string_view number =
        trim(text.substr(form.before.size(), text.size() - form.before.size() - form.after.size()));
    if (!is_scaled_number(number)) continue;
    std::string value(form.value);
    return Amount{form.key, value.replace(value.find('#'), 1, number)};
  }
  if (auto term = term_of(low)) return term;
  return money_of(text);
}

std::string with_count(std::string_view text) {
  text = trim(text);
  for (const std::string_view counter : kCounters) {
    const auto at = text.find(counter);
    if (at == std::string_view::npos || at == 0) continue;
    std::string count(trim(text.substr(0, at)));
    for (const auto& [word, digit] : kDigits)
      if (count == word) count = digit;
    if (is_count(count)) return count + "x" + std::string(trim(text.substr(at + counter.size())));
  }
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return std::string(text);
  if (is_count(text.substr(0, space))) {
    std::string_view rest = trim(text.substr(space));
    for (const std::string_view times : kTimes)
      if (rest.starts_with(std::string(times) + " ")) rest = trim(rest.substr(times.size()));
    return std::string(text.substr(0, space)) + "x" + std::string(rest);
  }
  const auto last = text.rfind(' ');
  std::string_view count = text.substr(last + 1);
  std::string_view name = trim(text.substr(0, last));
  for (const std::string_view times : kTimes) {
    if (count.starts_with(times) && is_count(count.substr(times.size())))
      return std::string(count.substr(times.size())) + "x" + std::string(name);
    if (is_count(count) && name.ends_with(" " + std::string(times)))
      return std::string(count) + "x" + std::string(trim(name.substr(0, name.size() - times.size())));
  }
  constexpr double kMostAlone = 8;  // above it a number behind a name is a size: "a100 80"
  if (is_count(count) && *plain_number(count) <= kMostAlone) return std::string(count) + "x" + std::string(name);
  return std::string(text);
}

}  // namespace gpusel::cli
