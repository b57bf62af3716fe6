// Memory of a plan that treats all layers alike, and of one that mixes two treatments; speed of either.
#pragma once

#include <optional>

#include "physics/training/training_activations.hpp"

namespace gpusel::physics {

/// What of a pipeline stage hangs on how the GPUs are divided alone, not on micro-batches or checkpointing.
struct StagePart {
  Stage stage;
  MemoryBreakdown states;  // and what the framework takes
  Bytes whole_gradients;   // of what is sharded
  Bytes buffers;
  Bytes temporaries;  // of the optimiser's step
  bool first = true;
};
/// Of the two stages that can be the fullest.
struct Division {
  StagePart first;
  std::optional<StagePart> last;
};
Division divide(const TrainingJob& job, const Machine& machine, const Layout& layout);

/// `division` is that of a plan that divides the GPUs like this one.
MemoryBreakdown uniform_memory(const TrainingJob& job, const Division& division, const Layout& layout);
MemoryBreakdown uniform_memory(const TrainingJob& job, const Machine& machine, const Layout& layout,
                               Trace* trace = nullptr);

/// Of a plan that treats a share of the layers as the one and the rest as the other has it.
MemoryBreakdown partial_memory(const MemoryBreakdown& recomputing, const MemoryBreakdown& keeping, double recomputed,
                               Trace* trace = nullptr);

/// What the allocator holds beyond the need, it gives back where the device has no room for it.
void give_back(MemoryBreakdown& memory, Bytes usable, Trace* trace = nullptr);

std::optional<TrainingSpeed> training_speed(const TrainingJob& job, const TrainingRates& rates, const Machine& machine,
                                            const Layout& layout, Trace* trace = nullptr);

}  // namespace gpusel::physics
