// How characters stand on a terminal, whatever its locale: how many columns each takes, and where a line may end.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gpusel {

/// Two for wide characters and emoji, none for combining marks and what is not seen, else one.
std::size_t columns_of(char32_t character);

/// A word without spaces in the pieces between which a line may end: around each wide character, but not before
/// the mark that closes.
std::vector<std::string_view> line_pieces(std::string_view word);

}  // namespace gpusel
