// In what language a run speaks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusel::cli {

struct LanguageChoice {
  std::string_view language;  // one of languages()
  bool asked = false;         // by --lang or GPUSEL_LANG, not by the locale alone
};

/// --lang, else `wanted` (a setting), else the locale as POSIX and gettext read it: LANGUAGE, LC_ALL, LC_MESSAGES,
/// LANG.
LanguageChoice choose_language(const std::vector<std::string>& words, std::string_view wanted);

/// The language of a locale's name, as in "zh_CN.UTF-8"; empty where say() does not speak it or its texts could not be
/// shown.
std::string_view language_of_locale(std::string_view locale);

}  // namespace gpusel::cli
