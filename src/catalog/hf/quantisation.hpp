// What the weights of a checkpoint are stored as.
#pragma once

#include <string>
#include <vector>

#include "catalog/hf/keys.hpp"

namespace gpusel::catalog::hf {

/// A name among the weight formats: of quantization_config where there is one, else of torch_dtype. What
/// is not known is said in `notes` and taken as 16 bit.
std::string stored_precision(const Keys& keys, const Keys& root, std::vector<std::string>& notes);

}  // namespace gpusel::catalog::hf
