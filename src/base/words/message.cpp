// Debian ships fmt as a shared library only, and a static program starts three times faster: this
// file includes fmt's definitions, and nothing else in the project calls into fmt.
#include "base/words/message.hpp"

#include <fmt/format-inl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/words/spacing.hpp"
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
  const std::string form = open_spaces({said.data(), said.size()});
  return settle_spaces(format_with({form.data(), form.size()}, args));
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

std::string say_name(std::string_view name) {
  constexpr std::string_view kContext = "name\x04";  // as gettext keeps the same text in two meanings apart
  const std::string key = std::string(kContext) + std::string(name);
  std::string text = say_text(key);
  return text == key ? std::string(name) : text;
}

std::string system_reason(int error) {
  // What happens to files of people; the rest as the system says it.
  static constexpr std::pair<int, std::string_view> kReasons[] = {
      {ENOENT, to_say("No such file or directory")},
      {EACCES, to_say("Permission denied")},
      {EPERM, to_say("Operation not permitted")},
      {EISDIR, to_say("Is a directory")},
      {ENOTDIR, to_say("Not a directory")},
      {EEXIST, to_say("File exists")},
      {ENOTEMPTY, to_say("Directory not empty")},
      {EROFS, to_say("Read-only file system")},
      {ENOSPC, to_say("No space left on device")},
      {EDQUOT, to_say("Disk quota exceeded")},
      {EFBIG, to_say("File too large")},
      {ENAMETOOLONG, to_say("File name too long")},
      {ELOOP, to_say("Too many levels of symbolic links")},
      {EMFILE, to_say("Too many open files")},
      {EINVAL, to_say("Invalid argument")},
      {EIO, to_say("Input/output error")},
      {EBADF, to_say("it is closed")},
  };
  const auto* const known = std::ranges::find(kReasons, error, &std::pair<int, std::string_view>::first);
  return known == std::end(kReasons) ? std::string(std::strerror(error)) : say_text(known->second);
}

}  // namespace gpusel
