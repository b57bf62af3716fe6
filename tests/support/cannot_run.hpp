// A test that this machine, or how the program was built, does not let run.
#pragma once

#include <string_view>

namespace gpusel::test {

/// Records why; the test then returns, and ctest shows its file as skipped. Where GPUSEL_MUST_RUN is set it fails.
void cannot_run(std::string_view why);

}  // namespace gpusel::test
