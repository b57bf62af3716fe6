// Characters that act on whoever shows a text instead of being shown: names in a catalogue can hold any of them.
#pragma once

#include <string>
#include <string_view>

namespace gpusel {

/// Controls, marks of direction, what has no width, tags: whatever is not seen, or changes what is seen around it.
bool is_unseen(char32_t c);

/// A text of many lines for a terminal: what is not seen in visible form, but line feeds and tabs and, where the text
/// is coloured, its colours.
std::string visible(std::string_view text, bool coloured);

/// JSON of the same value in which strings hold nothing unseen, but its escape: "\u009b".
std::string with_escapes(std::string json);

}  // namespace gpusel
