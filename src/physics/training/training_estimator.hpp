// Many plans of one training job on one machine: what they share is worked out once.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "physics/fit.hpp"
#include "physics/training/training.hpp"

namespace gpusel::physics {

struct TrainingJob;
struct TrainingRates;
struct Division;

/// What it is made of outlives it.
class TrainingEstimator {
 public:
  TrainingEstimator(const job::Job& work, const Machine& machine, const Coefficients& coefficients);
  ~TrainingEstimator();
  TrainingEstimator(const TrainingEstimator&) = delete;
  TrainingEstimator& operator=(const TrainingEstimator&) = delete;

  /// As training_memory() and training_speed() have it.
  MemoryBreakdown memory(const Layout& layout);
  std::optional<TrainingSpeed> speed(const Layout& layout);
  /// As memory_need() has it of a plan with that memory.
  MemoryNeed need(const Layout& layout, const MemoryBreakdown& memory) const;

 private:
  const MemoryBreakdown& uniform(const Layout& layout);

  const Machine& machine_;
  std::unique_ptr<const TrainingJob> job_;
  std::unique_ptr<const TrainingRates> rates_;            // of the plans' arithmetic
  std::unique_ptr<Division> division_;                    // of the plans seen
  std::vector<std::pair<Layout, MemoryBreakdown>> seen_;  // of one division over GPUs, all layers alike
};

}  // namespace gpusel::physics
