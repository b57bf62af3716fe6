// What benchmarks, training and monitoring write of a run, as records of measurements: the request of an estimate, and
// what was measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

/// Request keys given along with a file; they override what it says.
using SaidCells = std::vector<Node>;

/// What a log of nvidia-smi or DCGM says of the GPUs that were busy; 0: not logged.
struct GpuLog {
  std::string file;
  std::string gpu;  // id of the catalogue; empty: not named
  int gpus = 0;
  double utilization = 0;  // %, in the median
  double memory_gib = 0;   // of the fullest
  double power_w = 0;      // of one, in the median
};
/// Nothing where the text is no such log. Errors, with file:line: no sample in it.
std::optional<Result<GpuLog>> read_gpu_log(std::string_view text, const std::string& file, const Catalog& catalog);
/// "gpu.csv: 8 GPUs, 97 % busy, …".
std::string gpu_log_text(const GpuLog& log);

struct RunRecords {
  std::vector<Node> records;
  std::vector<std::string> remarks;  // what of the run was taken
};

/// Records out of a file of one of run_formats(); nothing where the text is none of these. `beside`: logs of the GPUs
/// that it ran on. Errors, with file:line: not valid, no measured time, or something that neither the file nor `said`
/// names.
std::optional<Result<RunRecords>> read_runs(std::string_view text, const std::string& file, const SaidCells& said,
                                            std::span<const GpuLog> beside, const Catalog& catalog);

}  // namespace gpusel::catalog
