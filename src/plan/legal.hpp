// What makes a layout of GPUs legal for a model, whoever chose it.
#pragma once

#include "gpusel/estimate/machine.hpp"
#include "gpusel/workload/workload.hpp"

namespace gpusel::plan {

bool divides(std::int64_t part, double whole);

/// Tensor ranks share attention heads and K/V heads evenly. Latent attention has no K/V heads of its own.
bool tp_divides_heads(const catalog::Model& model, std::int64_t tp);

/// Pinned degrees against the model and the GPUs: an error names the constraint and the nearest legal value.
/// A pinned tp may also be a multiple of the K/V heads, of which each rank then holds a copy.
Status check_pins(const workload::Workload& work, const estimate::Machine& machine);

}  // namespace gpusel::plan
