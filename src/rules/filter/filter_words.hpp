// The words and signs that a filter is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"

namespace gpusel::rules {

struct FilterWord {
  enum class Kind : std::uint8_t { word, quoted, sign, end } kind = Kind::end;
  std::string text;    // a sign in its first spelling: "&&" for and, "==" for =
  std::size_t at = 0;  // character, from 1

  bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  /// An unquoted word, whatever its letters' case.
  bool says(std::string_view word) const;
};

/// Ends with a word of kind `end`.
Result<std::vector<FilterWord>> filter_words(std::string_view text);

}  // namespace gpusel::rules
