// What an option takes, asked of the option itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"

namespace gpusel::job {

/// The values that `set` names when it refuses one, in its order; empty where it has no list of them. The place
/// that it sets must not be used afterwards: an option that takes any text has taken one that means nothing.
std::vector<std::string> allowed_values(const std::function<Status(std::string_view)>& set);

}  // namespace gpusel::job
