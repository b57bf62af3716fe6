// Debian ships fmt as a shared library only, and a static program starts three times faster: this
// file includes fmt's definitions, and nothing else in the project calls into fmt.
#include "gpusel/base/message.hpp"

#include <fmt/format-inl.h>

// The two helpers of locale-aware formats that fmt's header declares and its library defines.
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref) -> fmt::detail::thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref) -> char;

namespace gpusel::detail {

std::string say_with(fmt::string_view text, fmt::format_args args) { return format_with(text, args); }

std::string format_with(fmt::string_view text, fmt::format_args args) { return fmt::vformat(text, args); }

}  // namespace gpusel::detail

namespace gpusel {

std::string say_text(std::string_view text) { return std::string(text); }

}  // namespace gpusel
