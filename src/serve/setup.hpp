// A planned deployment as the simulator sees it: step times, scheduling and replicas, out of the physics.
#pragma once

#include <optional>

#include "physics/serving/inference.hpp"
#include "serve/service.hpp"

namespace gpusel::serve {

struct Setup {
  StepTimes times;
  Scheduling scheduling;
  Fleet fleet;
};

/// Nothing where the peak of the device is not published, or the model does not generate token by token behind its
/// prompt (encoders, and decoders that read the prompt apart).
std::optional<Setup> setup_of(const job::Job& work, const physics::Machine& machine, const physics::Layout& layout,
                              const physics::CacheRoom& room, const physics::Coefficients& coefficients);

}  // namespace gpusel::serve
