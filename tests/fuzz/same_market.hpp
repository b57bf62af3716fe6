// Whether a market that was written as YAML is the same when it was read and written again.
#pragma once

#include <string>
#include <vector>

#include "catalog/import/import.hpp"

namespace gpusel::fuzz {

/// What of `once` is missing or otherwise in `again`; empty where nothing is. What is for rent must be the same byte
/// for byte; of sources and regions the catalogue that it was read into may know more.
std::string lost_between(const std::vector<catalog::YamlFile>& once, const std::vector<catalog::YamlFile>& again);

}  // namespace gpusel::fuzz
