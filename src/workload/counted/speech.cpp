#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const SpeechJob&) {
  static constexpr std::string_view kKeys[] = {"audio_hours", "output_tokens"};
  return kKeys;
}

Status fill(SpeechJob& job, Filling& f) {
  job.window_s = f.model->window_s.value_or(30);
  if (f.request.audio_hours) f.counted.things = *f.request.audio_hours * 3600;
  f.counted.unit = kRealTime;
  return {};
}

}  // namespace gpusel::workload
