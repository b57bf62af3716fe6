// Whether a plan goes into memory: what must be there, how sure that is, and the chance that follows.
#pragma once

#include "job/job.hpp"
#include "physics/chance.hpp"
#include "physics/coefficients.hpp"
#include "physics/memory.hpp"
#include "physics/trace.hpp"

namespace gpusel::job {
struct Job;
}

namespace gpusel::physics {

struct Machine;
struct Plan;

/// Memory that the fullest device must have for a plan to run. What runs really take scatters around it log-normally.
struct MemoryNeed {
  Bytes needed;          // half of all runs take more; 0: not known
  double deviation = 0;  // of its natural logarithm; 0: taken for certain
  Bytes available;       // what a process can have

  bool is_known() const { return needed.raw() > 0; }
  /// How far what is available lies above what is needed, in standard deviations; infinite where nothing is uncertain.
  double room() const;
  /// Chance that what is needed is available; NaN where it is not known.
  double chance() const;
  /// As likely as not, which is where the chance is one half. What is not known is not said to be too much.
  bool fits() const { return needed <= available; }
  /// Whether the chance is at least that; true where it is not known.
  bool likely(double least_chance) const;
  /// Of two plans for one machine, whether this is the surer to fit. Of two that do not fit it is the one that needs
  /// less: what nobody knows the size of is not the better for it.
  bool surer_than(const MemoryNeed& other) const;
  /// In which 80 of 100 runs lie, GiB.
  Interval interval_gib() const;
};

/// What a plan must have, with the user's own measurements counted in.
MemoryNeed memory_need(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c);

/// What is needed, and the chance that follows, written down.
void explain_need(const Plan& plan, Trace& trace);

/// Chance from 0 to 1 that a plan goes into the memory of its machine; of an engine that takes its cache in advance,
/// that weights, workspace and the cache of the asked load go into its pool. NaN where its memory is not known.
double chance_to_fit(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c);

/// The chance that planners look for: the one asked for, else the usual one; what does not fit is never looked for.
double least_chance(const job::Job& work, const Coefficients& c);

}  // namespace gpusel::physics
