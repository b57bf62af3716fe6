// Debian ships fmt as a shared library only, and a static program starts three times faster: this
// file includes fmt's definitions, and nothing else in the project calls into fmt.
#include "base/words/message.hpp"

#include <fmt/format-inl.h>

#include <algorithm>

#include "base/words/translation.hpp"

// The two helpers of locale-aware formats that fmt's header declares and its library defines.
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref) -> fmt::detail::thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref) -> char;

extern "C" {
extern const unsigned char gpusel_zh_begin[];
extern const unsigned char gpusel_zh_end[];
}

namespace gpusel {

namespace {

constexpr std::string_view kEnglish = "en";
constexpr std::string_view kLanguages[] = {kEnglish, "zh"};
// Set once, before the first word is said.
std::string_view spoken_language = kEnglish;
Translation translation;

std::string_view in_spoken(std::string_view text) {
  return spoken_language == kEnglish ? text : translation.find(text);
}

}  // namespace

}  // namespace gpusel

namespace gpusel::detail {

std::string say_with(fmt::string_view text, fmt::format_args args) {
  const std::string_view said = in_spoken({text.data(), text.size()});
  return format_with({said.data(), said.size()}, args);
}

std::string format_with(fmt::string_view text, fmt::format_args args) { return fmt::vformat(text, args); }

}  // namespace gpusel::detail

namespace gpusel {

std::span<const std::string_view> languages() { return kLanguages; }

bool speak(std::string_view language) {
  const auto* found = std::find(std::begin(kLanguages), std::end(kLanguages), language);
  if (found == std::end(kLanguages)) return false;
  spoken_language = *found;
  translation = *found == kEnglish ? Translation() : Translation({gpusel_zh_begin, gpusel_zh_end});
  return true;
}

std::string_view spoken() { return spoken_language; }

std::string say_text(std::string_view text) { return std::string(in_spoken(text)); }

}  // namespace gpusel
