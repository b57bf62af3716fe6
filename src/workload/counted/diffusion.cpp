#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const DiffusionJob&) {
  static constexpr std::string_view kKeys[] = {"resolution", "steps", "images", "frames", "flash_attention", "offload"};
  return kKeys;
}

Status fill(DiffusionJob& job, Filling& f) {
  job.resolution = f.request.resolution.value_or(default_resolution(*f.model).value_or(Resolution{}));
  f.counted.things = f.request.images;
  f.counted.unit = kPictures;
  return {};
}

}  // namespace gpusel::workload
