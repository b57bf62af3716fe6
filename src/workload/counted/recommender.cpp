#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const RecommenderJob&) {
  static constexpr std::string_view kKeys[] = {"table_gib"};
  return kKeys;
}

Status fill(RecommenderJob& job, Filling& f) {
  job.table_gib = f.request.table_gib;
  f.counted.unit = kSamples;
  return {};
}

}  // namespace gpusel::workload
