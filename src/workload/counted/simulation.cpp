#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const SimulationJob&) {
  static constexpr std::string_view kKeys[] = {"solver", "cells", "time_steps", "precision"};
  return kKeys;
}

Status fill(SimulationJob& job, Filling& f) {
  job.solver = f.or_assume(f.request.solver, "solver", Solver::lbm);
  f.counted.precision = f.request.precision;
  f.counted.unit = kCellUpdates;
  return {};
}

}  // namespace gpusel::workload
