// One option of a question: its key in JSON, its flag on the command line, and how text becomes its
// value. Flags, batch requests and help are made from the same list, so they cannot differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusel/base/enum.hpp"
#include "gpusel/base/error.hpp"
#include "gpusel/base/number.hpp"

namespace gpusel::workload {

template <class Target>
struct Option {
  std::string_view key;      // JSON key; the flag is "--" and the key with '-' for '_'
  std::string_view aliases;  // other spellings of the flag, separated by spaces
  std::string_view value;    // what help shows for the value
  std::string_view help;
  std::string_view group;
  Status (*set)(Target&, std::string_view text);
  bool is_switch = false;   // may be given without a value, which then is "true"
  bool repeats = false;     // may be given several times
  bool key_is_flag = true;  // false: the flag has the aliases' names only
};

/// Whether two spellings differ in '-' and '_' only.
bool same_spelling(std::string_view a, std::string_view b);
/// Whether `name` is one of the long spellings in a list separated by spaces.
bool is_alias(std::string_view aliases, std::string_view name);

/// The option that `name` spells: its key or one of its aliases, with '-' and '_' alike.
template <class Target>
const Option<Target>* find_option(std::span<const Option<Target>> options, std::string_view name) {
  for (const Option<Target>& option : options)
    if (same_spelling(option.key, name)) return &option;
  for (const Option<Target>& option : options)
    if (is_alias(option.aliases, name)) return &option;
  return nullptr;
}

// How a value is read from text, by the type of its place.
struct Limits {
  Range range = {.low = 0};
  double kilo = 1000;  // 1024 for lengths in tokens, where 4k means 4096
};
Status assign(std::string_view text, std::optional<double>& place, Limits limits);
Status assign(std::string_view text, std::optional<std::int64_t>& place, Limits limits);
Status assign(std::string_view text, std::optional<bool>& place);
Status assign(std::string_view text, std::string& place);
Status not_one_of(std::string_view text, std::span<const std::string_view> allowed);

/// The enumerator that `text` names or spells otherwise, with '-' and '_' alike.
template <NamedEnum E>
std::optional<E> spelled(std::string_view text) {
  for (std::size_t i = 0; i < enum_names<E>.size(); ++i)
    if (same_spelling(enum_names<E>[i], text)) return static_cast<E>(i);
  for (const Spelling<E>& other : enum_spellings<E>)
    if (same_spelling(other.text, text)) return other.value;
  return std::nullopt;
}

template <NamedEnum E>
Status assign(std::string_view text, std::optional<E>& place) {
  place = spelled<E>(text);
  return place ? Status{} : not_one_of(text, enum_names<E>);
}

inline constexpr Limits kLength{{.low = 1, .high = 1e8}, 1024};
inline constexpr Limits kCount{{.low = 1, .high = 1e6}, 1000};  // three of them multiply within 64 bits
inline constexpr Limits kAmount{{.low = 1, .high = 1e18}, 1000};
inline constexpr Limits kShare{{.low = 0, .high = 1}, 1000};

}  // namespace gpusel::workload
