#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const SampleJob&) {
  static constexpr std::string_view kKeys[] = {"resolution", "seq_len", "input_tokens", "images", "steps"};
  return kKeys;
}

Status fill(SampleJob& job, Filling& f) {
  job.resolution = f.request.resolution.value_or(default_resolution(*f.model).value_or(Resolution{}));
  if (f.training())
    f.training_amount(50'000, 3);
  else
    f.counted.things = f.request.images;
  f.counted.unit = kImages;
  return {};
}

}  // namespace gpusel::workload
