// The one door for words meant for people, so that they can be translated in one place: say() takes
// the sentence and fills it in. The format is checked against its arguments when it is compiled.
#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>

namespace gpusel {

namespace detail {
std::string say_with(fmt::string_view text, fmt::format_args args);
std::string format_with(fmt::string_view text, fmt::format_args args);
}  // namespace detail

/// The sentence `text` in the language of the person, with its {} filled in.
template <class... Args>
std::string say(fmt::format_string<Args...> text, Args&&... args) {
  return detail::say_with(text, fmt::make_format_args(args...));
}

/// A sentence without anything to fill in, out of a table, where to_say() has marked it.
std::string say_text(std::string_view text);

/// Marks a sentence of a table, so that it is found for translation.
constexpr std::string_view to_say(std::string_view text) { return text; }

/// The languages that say() speaks, as ISO 639-1: "en" first.
std::span<const std::string_view> languages();
/// say() speaks this one from here on. False: it is none of them.
bool speak(std::string_view language);
std::string_view spoken();

/// Fills in a text that no person reads as a sentence (keys, ids, numbers); never translated.
template <class... Args>
std::string format(fmt::format_string<Args...> text, Args&&... args) {
  return detail::format_with(text, fmt::make_format_args(args...));
}

}  // namespace gpusel
