#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const PreprocessJob&) {
  static constexpr std::string_view kKeys[] = {"preprocess", "data_gb"};
  return kKeys;
}

Status fill(PreprocessJob& job, Filling& f) {
  job.kind = f.or_assume(f.request.preprocess, "preprocess", Preprocessing::etl);
  f.counted.things = f.request.data_gb;
  f.counted.on_cpu = true;
  f.counted.unit = kGigabytes;
  return {};
}

}  // namespace gpusel::workload
