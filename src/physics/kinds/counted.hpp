// Memory and rate of work that is counted in items of its own, on one machine with one plan. Each class of work has its
// physics in a file of its own; docs/method.md has the formulas.
#pragma once

#include <string_view>
#include <vector>

#include "job/job.hpp"
#include "physics/machine.hpp"
#include "physics/memory.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

/// How the work is done where there is a choice.
struct CountedPlan {
  std::int64_t batch = 1;  // items per GPU and pass
  job::Precision precision = job::Precision::fp16;
  job::Checkpointing checkpointing = job::Checkpointing::none;
  job::Offload offload = job::Offload::none;
};

/// A figure that only this class of work has, by the key it has in JSON; its unit is in the key.
struct NamedFigure {
  std::string_view key;
  double value = 0;
};

struct CountedFigures {
  MemoryBreakdown memory;     // of the fullest GPU; of the host, on a machine without one
  double rate = 0;            // throughput of the whole machine in the work's unit; 0: none
  Seconds latency;            // of one batch or item; zero where there is none
  std::string_view bound_by;  // memory-bandwidth, compute, launch, link, encoder, rt, sessions …
  Interval rate_ratio{1, 1};  // in which 80 of 100 measurements lie, over the prediction
  Interval memory_ratio{1, 1};
  std::string_view lacks;    // what the work cannot do without and the machine has not
  std::string_view unknown;  // a figure of the machine that is not published and the rate follows from
  std::vector<NamedFigure> more;
};

/// `work.counted` must be set.
CountedFigures counted_figures(const job::Job& work, const Machine& machine, const CountedPlan& plan,
                               const Coefficients& coefficients, Trace* trace = nullptr);

/// Whether the work is done in batches, whose size is the planner's to choose.
bool has_batches(const job::Counted& counted);

/// The arithmetic such work is usually done in on that machine.
job::Precision usual_precision(const job::Job& work, const Machine& machine);

}  // namespace gpusel::physics
