// Whether a model's files hold what its configuration says.
#pragma once

#include <string>

#include "base/values/error.hpp"
#include "catalog/hf/hf_config.hpp"

namespace gpusel::catalog {

/// Compares layers, widths and sizes of what is stored with the shape of `model`, to 10 %. Error: weights are missing,
/// or are another model's. Of a class whose layers are not known a difference is a note, and the larger figure holds:
/// false, where that is the shape's.
Result<bool> check_stored(ConfigModel& model, const StoredWeights& stored, const std::string& path);

}  // namespace gpusel::catalog
