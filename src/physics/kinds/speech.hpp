// Speech: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct SpeechCoefficients {
  Coefficient call_ms;          // of a batch, before the GPU has work
  Coefficient host_ms_per_s;    // of the host, per second of audio
  Coefficient layer_us;         // to launch a layer of what runs in parallel
  Coefficient step_layer_us;    // to launch a layer of one sequential step
  Coefficient value_bytes;      // moved per value that a layer puts out
  Coefficient hidden_bytes;     // moved per hidden value, position and layer of a transformer
  Coefficient kept_share;       // of the values that convolutions put out, kept for the backward pass
  Coefficient workspace_gib;    // that an engine takes beside weights
  Coefficient workspace_share;  // of the weights, for their copies and the allocator
  Coefficient rate_low;
  Coefficient rate_high;
  Coefficient memory_low;
  Coefficient memory_high;
};

template <class Visitor>
void visit_coefficients(SpeechCoefficients& s, Visitor&& v) {
  v("speech.call_ms", s.call_ms);
  v("speech.host_ms_per_s", s.host_ms_per_s);
  v("speech.layer_us", s.layer_us);
  v("speech.step_layer_us", s.step_layer_us);
  v("speech.value_bytes", s.value_bytes);
  v("speech.hidden_bytes", s.hidden_bytes);
  v("speech.kept_share", s.kept_share);
  v("speech.workspace_gib", s.workspace_gib);
  v("speech.workspace_share", s.workspace_share);
  v("interval.speech_rate_low", s.rate_low);
  v("interval.speech_rate_high", s.rate_high);
  v("interval.speech_memory_low", s.memory_low);
  v("interval.speech_memory_high", s.memory_high);
}

}  // namespace gpusel::physics
