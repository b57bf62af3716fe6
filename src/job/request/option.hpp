// One option of a question: its key in JSON, its flag on the command line, and how text becomes its
// value. Flags, batch requests and help are made from the same list, so they cannot differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/values/enum.hpp"
#include "base/values/error.hpp"
#include "base/values/number.hpp"

namespace gpusel::job {

/// What a value may be, for whoever fills it in by program.
struct ValueShape {
  enum class Kind : std::uint8_t { text, number, whole_number, truth, one_of };

  Kind kind = Kind::text;
  std::span<const std::string_view> names;  // of one_of
};

/// By the type of the place that a value goes to.
template <class Place>
inline constexpr ValueShape shape_of{};
template <>
inline constexpr ValueShape shape_of<std::optional<double>>{ValueShape::Kind::number, {}};
template <>
inline constexpr ValueShape shape_of<std::optional<std::int64_t>>{ValueShape::Kind::whole_number, {}};
template <>
inline constexpr ValueShape shape_of<std::optional<bool>>{ValueShape::Kind::truth, {}};
template <NamedEnum E>
inline constexpr ValueShape shape_of<std::optional<E>>{ValueShape::Kind::one_of, enum_names<E>};

/// A Status that tells whose value it is of: a setter that returns it shows the shape of its value.
template <class Place>
struct Assigned : Status {
  using Status::Status;
  Assigned(Status status) : Status(std::move(status)) {}  // NOLINT(google-explicit-constructor)
};
/// By what a setter returns.
template <class Returned>
inline constexpr ValueShape shape_of_setter{};
template <class Place>
inline constexpr ValueShape shape_of_setter<Assigned<Place>> = shape_of<Place>;

/// How an option's text becomes its value: any lambda that captures nothing.
template <class Target>
struct Setter {
  template <class Function>
    requires std::is_empty_v<Function>
  constexpr Setter(Function)  // NOLINT(google-explicit-constructor): tables hold plain lambdas
      : call([](Target& target, std::string_view text) -> Status { return Function{}(target, text); }),
        shape(shape_of_setter<std::invoke_result_t<Function, Target&, std::string_view>>) {}
  Status operator()(Target& target, std::string_view text) const { return call(target, text); }

  Status (*call)(Target&, std::string_view text);
  ValueShape shape;
};

template <class Target>
struct Option {
  std::string_view key;      // JSON key; the flag is "--" and the key with '-' for '_'
  std::string_view aliases;  // other spellings of the flag, separated by spaces
  std::string_view value;    // what help shows for the value
  std::string_view help;
  std::string_view group;
  Setter<Target> set;
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
  /// What a bare number is in, as parse_quantity() knows it: another unit of the same dimension is converted.
  std::string_view unit = {};
};
Assigned<std::optional<double>> assign(std::string_view text, std::optional<double>& place, Limits limits);
Assigned<std::optional<std::int64_t>> assign(std::string_view text, std::optional<std::int64_t>& place, Limits limits);
Assigned<std::optional<bool>> assign(std::string_view text, std::optional<bool>& place);
Assigned<std::string> assign(std::string_view text, std::string& place);
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
Assigned<std::optional<E>> assign(std::string_view text, std::optional<E>& place) {
  place = spelled<E>(text);
  return place ? Status{} : not_one_of(text, enum_names<E>);
}

inline constexpr Limits kLength{{.low = 1, .high = 1e8}, 1024};
inline constexpr Limits kCount{{.low = 1, .high = 1e6}, 1000};  // three of them multiply within 64 bits
inline constexpr Limits kAmount{{.low = 1, .high = 1e18}, 1000};
inline constexpr Limits kShare{{.low = 0, .high = 1}, 1000, "share"};

}  // namespace gpusel::job
