// What no layout of a served model exceeds: known for a fraction of what it takes to plan one.
#pragma once

#include "physics/serving/inference.hpp"

namespace gpusel::physics {

/// Tokens generated per second and GPU that no plan with these weights goes beyond, whatever its layout and batch;
/// 0 where the device's rate is not published, infinity where nothing bounds it but a plan.
double most_tokens_per_s(const job::Job& work, const Machine& machine, const WeightFormat& weights,
                         const Coefficients& coefficients);

}  // namespace gpusel::physics
