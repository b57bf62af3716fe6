#include "job/request/option.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/limits/allowed.hpp"

namespace gpusel::job {

namespace {

/// Where the values go that a setter names, while somebody asks for them.
thread_local std::vector<std::string>* asked_for = nullptr;

void name_allowed(std::span<const std::string_view> allowed) {
  if (asked_for != nullptr) asked_for->assign(allowed.begin(), allowed.end());
}

}  // namespace

std::vector<std::string> allowed_values(const std::function<Status(std::string_view)>& set) {
  constexpr std::string_view kNothing = "\x01";  // no option has such a value
  std::vector<std::string> values;
  asked_for = &values;
  (void)set(kNothing);
  asked_for = nullptr;
  return values;
}

bool same_spelling(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x == '-' ? '_' : x) == (y == '-' ? '_' : y); });
}

bool is_alias(std::string_view aliases, std::string_view name) {
  while (!aliases.empty()) {
    const auto end = aliases.find(' ');
    const std::string_view alias = aliases.substr(0, end);
    if (alias.size() > 1 && same_spelling(alias, name)) return true;
    aliases.remove_prefix(end == std::string_view::npos ? aliases.size() : end + 1);
  }
  return false;
}

Assigned<std::optional<double>> assign(std::string_view text, std::optional<double>& place, Limits limits) {
  const auto value = parse_quantity(text, limits.range, limits.kilo, limits.unit);
  if (!value) return std::unexpected(value.error());
  place = *value;
  return {};
}

Assigned<std::optional<std::int64_t>> assign(std::string_view text, std::optional<std::int64_t>& place, Limits limits) {
  const auto value = parse_quantity(text, limits.range, limits.kilo, limits.unit);
  if (!value) return std::unexpected(value.error());
  if (*value != std::floor(*value)) return usage_error(say("'{}' is not a whole number", shorten(text, 32)));
  place = static_cast<std::int64_t>(*value);
  return {};
}

Assigned<std::optional<bool>> assign(std::string_view text, std::optional<bool>& place) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") {
    place = true;
  } else if (text == "false" || text == "no" || text == "off" || text == "0") {
    place = false;
  } else {
    static constexpr std::string_view kTruth[] = {"true", "false"};
    name_allowed(kTruth);
    return usage_error(say("'{}' must be true or false", shorten(text, 32)));
  }
  return {};
}

Assigned<std::string> assign(std::string_view text, std::string& place) {
  if (text.empty()) return usage_error(say("an empty text says nothing"));
  place = text;
  return {};
}

Status not_one_of(std::string_view text, std::span<const std::string_view> allowed) {
  name_allowed(allowed);
  std::string list = join_texts(allowed, say_name(", "));
  const Hint near = did_you_mean(text, allowed);
  return usage_error(
      say("'{}' is not known here", shorten(text, 32)), {},
      Hint(near.empty() ? say("allowed: {}", list) : say("{} allowed: {}", std::string(near), list), near.names));
}

}  // namespace gpusel::job
