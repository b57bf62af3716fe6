// A test that this machine, or how the program was built, does not let run.
#pragma once

#include <string_view>

namespace gpusel::test {

/// Says why, and the test then returns: ctest shows it as skipped. Where GPUSEL_MUST_RUN is set it fails.
void cannot_run(std::string_view why);

}  // namespace gpusel::test
