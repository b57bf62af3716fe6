// Memory and speed of training one model with one plan on one machine. First-order physics:
// component-wise memory, roofline time per class of operation, ring collectives.
// Formulas: docs/method.md.
#pragma once

#include <array>
#include <utility>

#include "physics/layout.hpp"
#include "physics/machine.hpp"
#include "physics/memory.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

/// Where the time of an optimiser step goes.
struct StepBudget {
  Seconds compute;
  Seconds memory;         // traffic of kernels that do no products, and of the optimiser
  Seconds communication;  // that nothing hides
  Seconds launch;         // beyond the GPU's own work
  Seconds host;           // offloaded weights over PCIe, and the step of an offloaded optimiser
  Seconds bubble;         // stages of a pipeline waiting for each other

  using Named = std::pair<Seconds, std::string_view>;
  /// What a step can be bound by, by the names of the answer.
  std::array<Named, 5> bounds() const {
    return {{{compute, "compute"},
             {memory, "memory-bandwidth"},
             {communication, "communication"},
             {launch, "launch"},
             {host, "host"}}};
  }
};

struct TrainingSpeed {
  Seconds step;
  double tokens_per_s = 0;
  double tokens_per_s_per_gpu = 0;
  double samples_per_s = 0;
  double model_tflops_per_gpu = 0;  // useful work: recomputation not counted
  double mfu = 0;
  std::string_view bound_by;  // compute, memory-bandwidth, communication, launch or host
  StepBudget budget;
};

/// Peak of the fullest GPU, first and last pipeline stage considered.
MemoryBreakdown training_memory(const job::Job& work, const Machine& machine, const Layout& layout,
                                const Coefficients& coefficients, Trace* trace = nullptr);

/// How uncertain what a plan needs is: states are counted, activations and buffers depend on much that nobody asks.
double training_deviation(const MemoryBreakdown& memory, const Coefficients& coefficients, Trace* trace = nullptr);

/// What of the weights and states the job keeps in host memory, all nodes together.
Bytes offloaded_states(const job::Job& work, job::Precision precision);

/// Weights, gradients and optimiser states of the whole job, before anything is divided over GPUs.
Bytes training_states(const job::Job& work, job::Precision precision);

/// Nothing where the device's peak for the precision is not published.
std::optional<TrainingSpeed> training_speed(const job::Job& work, const Machine& machine, const Layout& layout,
                                            const Coefficients& coefficients, Trace* trace = nullptr);

/// Bytes of the optimizer's states per trained parameter, with values kept at `width` bytes.
double optimizer_bytes(const job::Job& work, double width);

/// Parameters that receive gradients: all, the adapters', or the virtual tokens'.
double trainable_parameters(const job::Job& work);

/// Parts that a pipeline stage's layers are cut into (interleaved schedule); 1 without a pipeline.
double pipeline_chunks(const job::Job& work, const Layout& layout, const Coefficients& coefficients);

/// Some layers are checkpointed in full and the others not at all.
bool is_partial(const Layout& layout);

/// Whether the framework can checkpoint some of the layers in full and leave the others alone.
bool recomputes_by_layer(const job::Job& work);

/// Whether the framework knows that kind; some know on and off only.
bool can_checkpoint(const job::Job& work, job::Checkpointing kind);

/// FlashAttention-2 needs compute capability 8.0 (its README); AMD's port, CDNA2.
bool has_flash_attention(const catalog::Gpu& gpu);

}  // namespace gpusel::physics
