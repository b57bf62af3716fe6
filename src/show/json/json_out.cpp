#include "show/json/json_out.hpp"

#include <cmath>
#include <stdexcept>

namespace gpusel::show {

namespace {

/// A figure that has no fraction, where all such can be told apart.
std::optional<std::int64_t> whole_number(double value) {
  if (!std::isfinite(value)) throw std::logic_error("a figure of the answer is not finite");
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (std::abs(value) >= kExactIntegers) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? std::optional(whole) : std::nullopt;
}

}  // namespace

Json number(double value) {
  if (const auto whole = whole_number(value)) return *whole;
  return value;
}

void JsonOut::figure(std::string_view key, double value) {
  if (const auto number = whole_number(value))
    whole(key, *number);
  else
    fraction(key, value);
}

void JsonOut::figure_or_null(std::string_view key, const std::optional<double>& value) {
  if (value)
    figure(key, *value);
  else
    null(key);
}

void JsonOut::text_or_null(std::string_view key, std::string_view value) {
  if (value.empty())
    null(key);
  else
    text(key, value);
}

void JsonOut::tree(std::string_view key, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return object(key, [&] {
        for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) tree(name, member);
      });
    case Json::value_t::array: return list(key, value, [this](const Json& item) { tree(kItem, item); });
    case Json::value_t::string: return text(key, value.get_ref<const std::string&>());
    case Json::value_t::number_float: return fraction(key, value.get_ref<const double&>());
    case Json::value_t::number_integer: return whole(key, value.get_ref<const std::int64_t&>());
    case Json::value_t::number_unsigned: return natural(key, value.get_ref<const std::uint64_t&>());
    case Json::value_t::boolean: return truth(key, value.get_ref<const bool&>());
    default: return null(key);
  }
}

Json& JsonTree::add(std::string_view key, Json value) {
  if (open_.empty()) return root_ = std::move(value);
  if (key.data() == nullptr) return open_.back()->emplace_back(std::move(value));
  return open_.back()->get_ref<Json::object_t&>().emplace_back(std::string(key), std::move(value)).second;
}

}  // namespace gpusel::show
