// What a report needs to know of where it is shown. Reports never ask the terminal themselves.
#pragma once

#include <cstddef>

namespace gpusel::report {

/// How wide a text may be, in columns; 0: no limit. Markdown breaks its own lines, and marks up what a terminal
/// shows by place: headings, lists, tables.
class Width {
 public:
  constexpr Width(std::size_t columns = 0) : columns_(columns) {}
  static constexpr Width markdown() {
    Width width;
    width.markdown_ = true;
    return width;
  }
  constexpr operator std::size_t() const { return columns_; }
  constexpr bool is_markdown() const { return markdown_; }

 private:
  std::size_t columns_;
  bool markdown_ = false;
};

struct Terminal {
  Width width;
  bool color = false;
};

}  // namespace gpusel::report
