// The video blocks of GPUs: encoders and decoders, counted in frames of 1920x1080. Private to this room.
#pragma once

#include <optional>

#include "job/kinds/counted.hpp"
#include "physics/coefficients.hpp"
#include "physics/machine.hpp"

namespace gpusel::physics {

struct MediaCoefficients {
  Coefficient encode_fps;        // of one encoder, by codec, live or file, and architecture
  Coefficient encode_clock_mhz;  // at which that was measured, by architecture
  Coefficient decode_fps;        // of one decoder, by codec and architecture
  Coefficient decode_clock_mhz;
  Coefficient clock_share;                  // of the boost clock that the video blocks run at, by architecture
  Coefficient surfaces;                     // frames that an encoder or decoder keeps in memory
  Coefficient session_gib;                  // of a process around them
  Coefficient live_use;                     // share of the blocks' time that live video may take
  Coefficient software_encode;              // frames per second and unit of a processor's speed, by codec, live or file
  Coefficient software_decode;              // the same for decoding, by codec
  Coefficient interval_low, interval_high;  // measured over predicted, by gpu or cpu
};

template <class Visitor>
void visit_coefficients(MediaCoefficients& c, Visitor&& v) {
  v("media.encode_fps", c.encode_fps);
  v("media.encode_clock_mhz", c.encode_clock_mhz);
  v("media.decode_fps", c.decode_fps);
  v("media.decode_clock_mhz", c.decode_clock_mhz);
  v("media.clock_share", c.clock_share);
  v("media.surfaces", c.surfaces);
  v("media.session_gib", c.session_gib);
  v("media.live_use", c.live_use);
  v("media.software_encode", c.software_encode);
  v("media.software_decode", c.software_decode);
  v("media.interval_low", c.interval_low);
  v("media.interval_high", c.interval_high);
}

/// Frames of 1920x1080.
double full_hd_frames(const job::Resolution& size);

/// What a device's encoders or decoders do together in a second, in frames of 1920x1080.
struct MediaRate {
  double fps = 0;
  std::string_view lacks = {};    // no such block
  std::string_view unknown = {};  // not published
};
MediaRate encoder_rate(const Device& device, job::Codec codec, bool live, const MediaCoefficients& c);
MediaRate decoder_rate(const Device& device, job::Codec codec, const MediaCoefficients& c);

/// Memory of the frames that one encoder or decoder of that size keeps.
Bytes surface_memory(const job::Resolution& size, const MediaCoefficients& c);

}  // namespace gpusel::physics
