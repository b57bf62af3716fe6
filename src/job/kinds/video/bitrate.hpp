// What video and photographs weigh where nobody says.
#pragma once

#include "job/kinds/counted.hpp"

namespace gpusel::job {

/// Usual rate of a delivered video, Mbit/s.
double usual_mbps(Codec codec, const Resolution& size, double fps);

/// A photograph as JPEG, by its own pixels.
double jpeg_bytes(const Resolution& size);

}  // namespace gpusel::job
