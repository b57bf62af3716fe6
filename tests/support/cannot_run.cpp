#include "support/cannot_run.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace gpusel::test {

void cannot_run(std::string_view why) {
  // tests/CMakeLists.txt looks for these words, which a failure must not have.
  if (std::getenv("GPUSEL_MUST_RUN") == nullptr)
    WARN("cannot run here: " << why);
  else
    FAIL("every test must run here, but " << why);
}

}  // namespace gpusel::test
