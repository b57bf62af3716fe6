// What the GPUs of a training job send each other, and how much of it nothing hides.
#pragma once

#include "physics/training/training_job.hpp"

namespace gpusel::physics {

/// One micro-batch on one GPU, as far as traffic hides behind it.
struct MicroBatch {
  double tokens = 0;
  Seconds busy;       // all of its computing
  Seconds attention;  // the part that a ring of context ranks runs beside, as long as the host makes it take
};

class TrainingTraffic {
 public:
  TrainingTraffic(const TrainingJob& job, const TrainingRates& rates, const Machine& machine, const Layout& layout)
      : job_(job), groups_(rates.groups), work_(job.work), machine_(machine), layout_(layout), c_(job.c) {}

  /// What shows of tensor, expert, context and pipeline parallelism and of gathered weights.
  struct Shown {
    Seconds tensor, experts, context, stages, weights;

    template <class Tell>
    auto sum(const Tell& told) const {
      return told("tp", tensor) + told.some("ep", experts) + told.some("cp", context) + told.some("pp", stages) +
             told.some("gathered weights", weights);
    }
    Seconds total() const { return sum(Untold{}); }
  };
  Shown per_micro_batch(const MicroBatch& micro) const;
  /// What shows of the gradients of one optimiser step, whose micro-batches take `busy` each.
  Seconds per_step(Seconds busy) const;

 private:
  Seconds tensor(double tokens) const;
  Seconds experts(double tokens) const;
  Seconds context(const MicroBatch& micro) const;
  Seconds stages(const MicroBatch& micro) const;
  Seconds gathered_weights(Seconds busy) const;
  bool gathers_each_micro_batch() const;
  Seconds exposed(Seconds traffic, Seconds beside) const;
  BytesPerSecond rate(int members_per_node, bool crosses) const;

  const TrainingJob& job_;
  const GroupRates& groups_;
  const job::Job& work_;
  const Machine& machine_;
  const Layout& layout_;
  const Coefficients& c_;
};

/// GPUs that the routed experts of a layer are spread over: ep·tp, or ep where experts stay whole
/// because the data-parallel ranks alone do not make up the group.
double expert_ranks(const Layout& layout);

/// Parameters of one GPU before data-parallel sharding.
double local_parameters(const job::Job& work, const Layout& layout);

}  // namespace gpusel::physics
