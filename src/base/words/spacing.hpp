// Spaces next to what is filled into a sentence: Chinese writes one where a character meets a Latin letter or a digit,
// and none between two characters, and a translation cannot know what comes.
#pragma once

#include <string>
#include <string_view>

namespace gpusel {

/// A text with arguments in braces, whose spaces next to them are open until it is filled in. As it is in English.
std::string open_spaces(std::string_view form);
/// What is filled in, with its open spaces written or left out.
std::string settle_spaces(std::string text);

}  // namespace gpusel
