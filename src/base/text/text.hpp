// Text helpers: names folded for comparison, the nearest known name, and text from files made
// safe for a terminal.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/error.hpp"

namespace gpusel {

std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::string upper(std::string_view text);
/// Cuts to `limit` bytes at a character boundary, with "…" where something is missing.
std::string shorten(std::string_view text, std::size_t limit);
std::vector<std::string_view> split(std::string_view text, char separator);
/// The words between blanks.
std::vector<std::string> words_in(std::string_view text);
/// Without the blanks at its end.
std::string without_trailing_blanks(std::string line);

/// Texts, or what `text_of` makes of each of `values`, with `between` between them.
template <class Values, class TextOf = std::identity>
std::string join_texts(const Values& values, std::string_view between, TextOf text_of = {}) {
  std::string all;
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) all += between;
    all += std::invoke(text_of, value);
  }
  return all;
}

/// One spelling for all the ways a name is typed: lower case, with '_', ' ', '/' and ':' as '-'.
std::string fold_name(std::string_view name);

/// At most three of `known` that `word` may have been meant to be: within a third of its length
/// in edits, or containing it. Nearest first, ties alphabetical.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string_view> known);

/// "did you mean 'a', 'b' or 'c'?", or empty when there is nothing near.
Hint did_you_mean(std::string_view word, std::span<const std::string_view> known);
/// The same of names that were found already.
Hint one_of_these(std::vector<std::string> names);

/// Bytes from the start that are well-formed UTF-8.
std::size_t valid_utf8_prefix(std::string_view text);

/// Control characters and broken UTF-8 become visible escapes: text out of files is never trusted
/// by a terminal.
std::string printable(std::string_view text);

/// Columns a terminal needs: wide CJK characters count two, combining marks none.
std::size_t display_width(std::string_view utf8);
/// The longest start of `utf8` that needs at most `width` columns, ending in "…" if it was cut.
std::string fit_width(std::string_view utf8, std::size_t width);

}  // namespace gpusel
