// The one door for words meant for people, so that they can be translated in one place: say() takes
// the sentence and fills it in. The format is checked against its arguments when it is compiled.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/values/enum.hpp"

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

// Names in sentences: of enumerators, of units, of what is not a sentence itself. Machines and flags get the id; people
// get the id in their language. A name is looked up apart from sentences: "note" is a remark, and the head of a column.

/// Marks a name where it stands, so that it is found for translation. Names of the enums that po/messages.py lists need
/// no mark.
constexpr std::string_view to_name(std::string_view name) { return name; }

/// The name in the language of the person; one that has no translation stays as it is.
std::string say_name(std::string_view name);

/// The name of an enumerator in a sentence.
template <NamedEnum E>
std::string said(E value) {
  return say_name(to_text(value));
}

// Why the system refused, in the person's language.

/// What errno or an error_code of the system's own category says: "No such file or directory".
std::string system_reason(int error);

}  // namespace gpusel
