// A list in a sentence, cut where it gets long.
#pragma once

#include <string>
#include <vector>

namespace gpusel {

/// "a, b, c, d, e, f and 3 more".
std::string first_few(const std::vector<std::string>& names);

}  // namespace gpusel
