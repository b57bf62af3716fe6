// What each command is for, in the few sentences that help and manual print below its summary.
#pragma once

#include <string_view>

namespace gpusel::cli {

/// Empty where the summary says it all.
std::string_view description_of(std::string_view command);

}  // namespace gpusel::cli
