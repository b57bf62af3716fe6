// What would make a plan fit that does not, found by planning again.
#pragma once

#include <string>

#include "physics/planner/plan.hpp"

namespace gpusel::answer {

/// One line for an inference plan that misses: how much is short, and the smallest changes after which
/// it fits. Empty when it fits, or when none of them helps.
std::string what_would_fit(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                           const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
