// Characters: what a terminal makes of them, and which act on whoever shows a text instead of being shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;
  bool valid = true;
};

/// Decodes the character at the start of `text`; a broken byte counts as one invalid character.
CodePoint decode(std::string_view text);

/// Columns of a terminal: two for wide characters and emoji, none for combining marks and what is not seen, else one.
std::size_t columns_of(char32_t character);

/// A word without spaces in the pieces between which a line may end: around each wide character, but not before
/// the mark that closes, and not behind one that opens.
std::vector<std::string_view> line_pieces(std::string_view word);

/// Controls, marks of direction, what has no width, tags: whatever is not seen, or changes what is seen around it.
/// Names in a catalogue can hold any of them.
bool is_unseen(char32_t c);

/// A text of many lines for a terminal: what is not seen in visible form, but line feeds and tabs and, where the text
/// is coloured, its colours.
std::string visible(std::string_view text, bool coloured);

/// JSON of the same value in which strings hold nothing unseen, but its escape: "\u009b".
std::string with_escapes(std::string json);

}  // namespace gpusel
