// Members of records in words: a figure, a text, a list; empty for the unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/field.hpp"
#include "catalog/records/market.hpp"
#include "show/document/table.hpp"

namespace gpusel::show {

inline std::string in_words(const catalog::Number& member) { return member ? human_number(*member) : std::string(); }
inline std::string in_words(std::string_view member) { return printable(member); }
inline std::string in_words(const std::optional<bool>& member) {
  return !member ? "" : *member ? say("yes") : say("no");
}
inline std::string in_words(const catalog::TextList& member) { return join_texts(member, ", ", printable); }
inline std::string in_words(Date member) { return member.text(); }
template <NamedEnum E>
std::string in_words(E member) {
  return said(member);
}
template <NamedEnum E>
std::string in_words(const std::optional<E>& member) {
  return member ? said(*member) : std::string();
}

/// In the reader's language; for programs its id.
inline Cell term_cell(catalog::Term term) { return {said(term), std::string(to_text(term))}; }

}  // namespace gpusel::show
