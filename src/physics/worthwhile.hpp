// Which arithmetic is worth choosing on a device.
#pragma once

#include "physics/machine.hpp"

namespace gpusel::physics {

/// Whether it is in hardware and no slower than fp32, which is wider: 16 bit runs at a 64th of that on most of Pascal.
inline bool is_worth_choosing(const Device& device, job::Precision precision) {
  return device.native(precision) && !(device.peak(precision) < device.peak(job::Precision::fp32));
}

}  // namespace gpusel::physics
