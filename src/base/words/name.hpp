// Names in sentences: of enumerators, of units, of what is not a sentence itself. Machines and flags get the id; people
// get the id in their language. A name is looked up apart from sentences: "note" is a remark, and the head of a column.
#pragma once

#include <string>
#include <string_view>

#include "base/values/enum.hpp"

namespace gpusel {

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

}  // namespace gpusel
