// Bytes as explanations print those of a layer or a request.
#pragma once

#include "gpusel/base/units.hpp"

namespace gpusel::estimate {

inline double in_mib(Bytes amount) { return in_gib(amount) * 1024; }

}  // namespace gpusel::estimate
