// Debian ships fmt as a shared library only, and a static program starts three times faster: this
// file includes fmt's definitions, and nothing else in the project calls into fmt.
#include "gpusel/base/message.hpp"

#include <fmt/format-inl.h>

#include <algorithm>

// The two helpers of locale-aware formats that fmt's header declares and its library defines.
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref) -> fmt::detail::thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref) -> char;

namespace gpusel::detail {

std::string say_with(fmt::string_view text, fmt::format_args args) { return format_with(text, args); }

std::string format_with(fmt::string_view text, fmt::format_args args) { return fmt::vformat(text, args); }

}  // namespace gpusel::detail

namespace gpusel {

namespace {

constexpr std::string_view kLanguages[] = {"en"};
std::string_view language = kLanguages[0];

}  // namespace

std::span<const std::string_view> languages() { return kLanguages; }

bool speak(std::string_view wanted) {
  const auto* found = std::find(std::begin(kLanguages), std::end(kLanguages), wanted);
  if (found == std::end(kLanguages)) return false;
  language = *found;
  return true;
}

std::string_view spoken() { return language; }

std::string say_text(std::string_view text) { return std::string(text); }

}  // namespace gpusel
