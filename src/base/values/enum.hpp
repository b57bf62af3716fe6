// Enumerations with names: each enum lists its names once, next to its definition, and is read
// and written through them everywhere (flags, YAML, JSON, rules).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gpusel {

/// Specialised as an array of names in the order of the enumerators.
template <class E>
inline constexpr std::array<std::string_view, 0> enum_names{};

template <class E>
concept NamedEnum = (enum_names<E>.size() > 0);

template <NamedEnum E>
constexpr std::string_view to_text(E value) {
  constexpr auto& names = enum_names<E>;
  return names[static_cast<std::size_t>(value)];
}

template <NamedEnum E>
constexpr std::optional<E> from_text(std::string_view text) {
  constexpr auto& names = enum_names<E>;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<E>(i);
  return std::nullopt;
}

/// Another way of writing an enumerator.
template <class E>
struct Spelling {
  std::string_view text;
  E value;
};

/// Specialised where people write more than the names themselves.
template <class E>
inline constexpr std::array<Spelling<E>, 0> enum_spellings{};

}  // namespace gpusel
