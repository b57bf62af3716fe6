// Memory and rate of work that is counted in items of its own, on one machine with one plan. Each class of work has its
// physics in a file of its own; docs/method.md has the formulas.
#pragma once

#include "physics/figures.hpp"
#include "physics/fit.hpp"

namespace gpusel::physics {

/// `work.counted` must be set.
Figures counted_figures(const job::Job& work, const Machine& machine, const Layout& layout,
                        const Coefficients& coefficients, Trace* trace = nullptr);

/// What must be there for it; nothing is where the machine lacks what the work cannot do without.
MemoryNeed counted_need(const Figures& figures, const Machine& machine);

/// Whether the work is done in batches, whose size is the planner's to choose.
bool has_batches(const job::Counted& counted);

/// The arithmetic such work is usually done in on that machine.
job::Precision usual_precision(const job::Job& work, const Machine& machine);

}  // namespace gpusel::physics
