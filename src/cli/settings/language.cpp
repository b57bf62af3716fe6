#include "cli/settings/language.hpp"

#include <algorithm>

#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

std::string_view known(std::string_view language) {
  const auto all = languages();
  const auto found = std::ranges::find(all, language);
  return found == all.end() ? std::string_view{} : *found;
}

/// The last --lang on the line: the parser, which would find it, speaks already.
std::string_view in_words(const std::vector<std::string>& words) {
  constexpr std::string_view kFlag = "--lang";
  std::string_view found;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view word = words[i];
    if (word == kFlag && i + 1 < words.size()) found = words[i + 1];
    if (word.starts_with(kFlag) && word.substr(kFlag.size()).starts_with("=")) found = word.substr(kFlag.size() + 1);
  }
  return known(found);
}

}  // namespace

std::string_view language_of_locale(std::string_view locale) {
  const std::string name = lower(locale.substr(0, locale.find('@')));
  const std::size_t dot = name.find('.');
  const std::string charset = dot == std::string::npos ? "utf-8" : name.substr(dot + 1);
  if (charset != "utf-8" && charset != "utf8") return {};
  const std::string place = name.substr(0, dot);
  // Taiwan, Hong Kong and Macau write traditional characters, which are another translation.
  for (const std::string_view traditional : {"zh_tw", "zh_hk", "zh_mo", "zh_hant"})
    if (place.starts_with(traditional)) return {};
  return known(place.substr(0, place.find('_')));
}

LanguageChoice choose_language(const std::vector<std::string>& words, std::string_view wanted) {
  if (const auto said = in_words(words); !said.empty()) return {said, true};
  if (const auto set = known(wanted); !set.empty()) return {set, true};
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (locale.empty()) locale = environment(name);
  // gettext: a list of languages beside a locale, and none where the locale is C.
  const bool plain = locale.empty() || locale == "C" || locale == "POSIX" || locale.starts_with("C.");
  if (!plain)
    for (const std::string_view one : split(environment("LANGUAGE"), ':'))
      if (const auto language = language_of_locale(one); !language.empty()) return {language, false};
  const auto language = language_of_locale(locale);
  return {language.empty() ? languages().front() : language, false};
}

}  // namespace gpusel::cli
