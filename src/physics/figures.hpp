// What a layout comes to on a machine, whatever the kind of work.
#pragma once

#include <string_view>
#include <vector>

#include "physics/serving/inference.hpp"
#include "physics/training/training.hpp"

namespace gpusel::physics {

/// A figure that only one kind of work has, by the key it has in JSON; its unit is in the key.
struct NamedFigure {
  std::string_view key;
  double value = 0;
};

/// What serving a language model knows beyond the figures of all work.
struct Serving {
  CacheRoom room;
  InferenceSpeed speed;  // as it is here where none is known
};

struct Figures {
  MemoryBreakdown memory;      // of the fullest GPU; of the host, on a machine without one
  double rate = 0;             // of the whole machine, in the job's own unit; 0: not known
  double gpu_rate = 0;         // the same of the GPUs alone, where something before them holds it up; 0: nothing does
  double unread_rate = 0;      // the same, did storage not hold it up; 0: it does not
  double sequences_per_s = 0;  // trained on, or requests served; 0: not counted in such
  Seconds latency;             // of one batch or item; zero where there is none
  std::string_view bound_by;   // memory-bandwidth, compute, launch, link, loader, storage, encoder, sessions …
  Interval rate_ratio{1, 1};   // in which 80 of 100 measurements lie, over the prediction
  Interval memory_ratio{1, 1};
  std::string_view lacks;    // what the work cannot do without and the machine has not
  std::string_view unknown;  // a figure of the machine that is not published and the rate follows from
  std::vector<NamedFigure> more;
  std::optional<TrainingSpeed> training;  // of language models
  std::optional<Serving> serving;         // of language models

  /// Of language models; 0 for other work.
  double tokens_per_s() const { return training || serving ? rate : 0; }
  /// What a usual batch, item or request takes; zero where there is none.
  Seconds usual_time() const { return serving ? serving->speed.e2e() : latency; }

  void set_training(const std::optional<TrainingSpeed>& speed);
  void set_serving(const InferenceMemory& held, const std::optional<InferenceSpeed>& speed);
};

}  // namespace gpusel::physics
