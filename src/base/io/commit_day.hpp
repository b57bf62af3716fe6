// When a file was last committed.
#pragma once

#include <optional>
#include <string>

#include "base/values/date.hpp"

namespace gpusel {

/// Day of the last commit of that file in the Git repository it lies in. Nothing where it lies in none, is changed
/// since, was never committed, or where there is no git. Runs the system's git, and only where a `.git` stands above
/// the file.
std::optional<Date> last_commit_day(const std::string& path);

}  // namespace gpusel
