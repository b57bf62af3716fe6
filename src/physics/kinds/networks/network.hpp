// What one sample costs a network: arithmetic and what its layers put out, at the asked resolution or length. Private
// to this room.
#pragma once

#include <string_view>

#include "catalog/records/model.hpp"
#include "job/kinds/counted.hpp"
#include "physics/kinds/samples.hpp"

namespace gpusel::physics {

struct NetworkCost {
  double flops = 0;        // of one forward pass, per sample
  double activations = 0;  // values that layers put out, per sample, but for attention's scores
  double scores = 0;       // those of attention where it is not fused
  double launches = 0;     // layers with weights
};

/// The kind of network by the name coefficients know it by.
std::string_view kind_of(const catalog::Model& model);

/// Flops are zero where the model's arithmetic is not known.
NetworkCost cost_of(const catalog::Model& model, const job::SampleJob& job, const SampleCoefficients& c);

}  // namespace gpusel::physics
