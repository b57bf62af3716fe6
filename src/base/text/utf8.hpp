// One character of a text at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpusel {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;
  bool valid = true;
};

/// Decodes the character at the start of `text`; a broken byte counts as one invalid character.
CodePoint decode(std::string_view text);

}  // namespace gpusel
