// What video weighs on the network where nobody says.
#pragma once

#include "gpusel/workload/counted.hpp"

namespace gpusel::workload {

/// Usual rate of a delivered video, Mbit/s.
double usual_mbps(Codec codec, const Resolution& size, double fps);

}  // namespace gpusel::workload
