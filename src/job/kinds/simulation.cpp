#include <algorithm>

#include "job/kinds/filling.hpp"

namespace gpusel::job {

namespace {

/// A case of ordinary size.
double usual_cells(Solver solver) {
  switch (solver) {
    case Solver::sph:
    case Solver::dem: return 2e6;
    case Solver::md:
    case Solver::fea: return 1e6;
    default: return 2e7;
  }
}

}  // namespace

std::span<const std::string_view> keys_of(const SimulationJob&) {
  static constexpr std::string_view kKeys[] = {"solver", "cells", "time_steps", "precision"};
  return kKeys;
}

Status fill(SimulationJob& job, Filling& f) {
  const Request& r = f.request;
  if (r.precision && *r.precision != Precision::fp32 && *r.precision != Precision::fp64)
    return usage_error(say("simulations are computed in fp32 or fp64, not in {}", to_text(*r.precision)), "precision",
                       say("--precision fp32 or fp64"));
  job.solver = f.or_assume(r.solver, "solver", Solver::lbm);
  const auto& solvers = f.catalog.solvers();
  const auto info = std::ranges::find(solvers, to_text(job.solver), &catalog::SolverInfo::id);
  job.name = to_text(job.solver);
  if (info != solvers.end()) {
    job.cell = info->unit;
    job.name = info->name;
  }
  const bool doubles = info != solvers.end() && info->precision == "fp64";
  f.counted.precision = f.or_assume(r.precision, "precision", doubles ? Precision::fp64 : Precision::fp32);
  job.cells = f.or_assume(r.cells, "cells", usual_cells(job.solver));
  f.counted.unit = kCellUpdates;
  if (r.time_steps) f.counted.things = job.cells * *r.time_steps / 1e6;
  f.counted.on_cpu = true;
  return {};
}

}  // namespace gpusel::job
