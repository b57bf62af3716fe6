// Memory that runs out where a test wants it to: this program's operator new counts.
#pragma once

#include <cstdint>

namespace gpusel::test {

/// So many more allocations are made, and the next one fails; `lasting`: all after it fail, too. Below 0: none does.
void run_out_after(std::int64_t allocations, bool lasting);
/// Since the last call of that.
std::int64_t allocations_made();

}  // namespace gpusel::test
