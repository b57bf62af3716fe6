// A part of a whole as people write it.
#pragma once

#include <string_view>

#include "base/values/error.hpp"

namespace gpusel {

/// "0.32" or "32%"; errors: neither, or not from 0 to 1.
Result<double> parse_share(std::string_view text);

}  // namespace gpusel
