// The GPUs of the machine that this runs on, as its drivers name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::answer {

struct GpuHere {
  std::string name;  // as the driver has it
  double memory_gib = 0;
  double used_gib = 0;
  const catalog::Gpu* gpu = nullptr;  // null: the catalogue does not know it
  std::string slice = {};             // the MIG profile, where it is one: "1g.5gb"
  std::int64_t parts = 0;             // into which that profile cuts the GPU
  double lacking_gib = 0;             // of what the catalog's has; below 0: it has more
};

struct GpusHere {
  std::string source;  // nvidia-smi, rocm-smi, /proc or /sys; empty: there are none
  std::vector<GpuHere> gpus;
  std::vector<std::string> notes;  // what did not answer, or not to be understood

  /// As many equal ones as have the most free memory together, the least busy first; of slices one, since no job spans
  /// two.
  std::vector<GpuHere> group() const;
};

/// Asks nvidia-smi, rocm-smi and then the system's files below `root`, two seconds each at most. What is not there is
/// passed over; what answers with garbage is named in the notes.
GpusHere gpus_here(const catalog::Catalog& catalog, const std::string& root = "/");

}  // namespace gpusel::answer
