// Locks made inside other commands: the question asked again, with facts as they are or set back.
#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli {

/// Where a lock is, unless it is said.
inline constexpr std::string_view kUsualLock = "gpusel.lock";

/// The lock of `words` as of now, under `replay`. Says what is wrong; the error is the exit status. `also`: a lock
/// whose instances' facts are wanted beside its own. `quiet`: nothing is said, as the question was asked before.
std::expected<show::Json, int> lock_again(const std::vector<std::string>& words, Replay replay, const show::Json* also,
                                          bool quiet, Context& context);

}  // namespace gpusel::cli
