#include "physics/figures.hpp"

namespace gpusel::physics {

void Figures::set_training(const std::optional<TrainingSpeed>& speed) {
  training = speed.value_or(TrainingSpeed{});
  rate = training->tokens_per_s;
  sequences_per_s = training->samples_per_s;
  bound_by = training->bound_by;
}

void Figures::set_serving(const InferenceMemory& held, const std::optional<InferenceSpeed>& speed) {
  memory = held.per_gpu;
  serving = Serving{held, speed.value_or(InferenceSpeed{})};
  const InferenceSpeed& s = serving->speed;
  rate = s.output_tokens_per_s > 0 ? s.output_tokens_per_s : s.total_tokens_per_s;
  sequences_per_s = s.requests_per_s;
  bound_by = s.bound_by;
}

}  // namespace gpusel::physics
