// Members of records in words: a figure, a text, a list; empty for the unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/field.hpp"

namespace gpusel::report {

inline std::string in_words(const catalog::Number& member) { return member ? human_number(*member) : std::string(); }
inline std::string in_words(std::string_view member) { return printable(member); }
inline std::string in_words(const std::optional<bool>& member) {
  return !member ? "" : *member ? say("yes") : say("no");
}
inline std::string in_words(const catalog::TextList& member) {
  std::string words;
  for (const std::string_view text : member) words += (words.empty() ? "" : ", ") + printable(text);
  return words;
}
inline std::string in_words(Date member) { return member.text(); }
template <NamedEnum E>
std::string in_words(E member) {
  return said(member);
}
template <NamedEnum E>
std::string in_words(const std::optional<E>& member) {
  return member ? said(*member) : std::string();
}

}  // namespace gpusel::report
