// What optimisers keep. Private to this room.
#pragma once

#include "gpusel/workload/workload.hpp"

namespace gpusel::estimate {

/// Bytes of the optimiser's states per trained parameter, with values kept at `width` bytes.
double optimizer_bytes(const workload::Workload& work, double width);

}  // namespace gpusel::estimate
