// What would make a plan fit that does not, found by planning again.
#pragma once

#include <string>

#include "gpusel/plan/plan.hpp"

namespace gpusel::advise {

/// One line for an inference plan that misses: how much is short, and the smallest changes after which
/// it fits. Empty when it fits, or when none of them helps.
std::string what_would_fit(const workload::Workload& work, const estimate::Machine& machine, const plan::Choice& choice,
                           const estimate::Coefficients& coefficients);

}  // namespace gpusel::advise
