#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "support/cannot_run.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace gpusel::test {

namespace {

// tests/CMakeLists.txt gives ctest the same number.
constexpr int kSkipped = 77;

std::vector<std::string> reasons;

/// Ends a run in which something could not run, and nothing failed, with a status of its own.
struct SkipListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;

  void testRunEnded(const Catch::TestRunStats& stats) override {
    if (reasons.empty() || stats.totals.assertions.failed > 0 || stats.aborting) return;
    for (const std::string& why : reasons) std::cout << "cannot run here: " << why << '\n';
    std::cout.flush();
    std::_Exit(kSkipped);
  }
};
CATCH_REGISTER_LISTENER(SkipListener)

}  // namespace

void cannot_run(std::string_view why) {
  if (std::getenv("GPUSEL_MUST_RUN") == nullptr)
    reasons.emplace_back(why);
  else
    FAIL("every test must run here, but " << why);
}

}  // namespace gpusel::test
