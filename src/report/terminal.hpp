// What a report needs to know of where it is shown. Reports never ask the terminal themselves.
#pragma once

#include <cstddef>

namespace gpusel::report {

struct Terminal {
  std::size_t width = 0;  // columns; 0: no limit
  bool color = false;
};

}  // namespace gpusel::report
