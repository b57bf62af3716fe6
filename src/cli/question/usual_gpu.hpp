// GPUs by a name that several go by, by their memory alone, or in a number that no instance has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "job/limits/constraints.hpp"
#include "job/request/request.hpp"

namespace gpusel::cli {

/// "24gb": those with that much memory.
std::vector<const catalog::Gpu*> gpus_of_size(std::string_view text, const catalog::Catalog& catalog);

/// Of the GPUs that go by a name the one that most instances have: "a100" is the one with 80 GB. Null where the name
/// has one meaning.
const catalog::Gpu* usual_gpu(std::string_view name, const catalog::Catalog& catalog);
/// Puts it in the place of the name, and says so; empty where the name has one meaning.
std::string take_usual_gpu(std::string& name, const catalog::Catalog& catalog);

/// "mi300x:16": where no instance has that many, nodes of the largest size that divides them, and says so; empty where
/// nothing is changed. `limits` may be null.
std::string take_whole_nodes(job::Request& request, job::Constraints* limits, const catalog::Catalog& catalog);

/// Of the GPUs of the vendor that a name has in it, or of all, the one nearest in memory that most instances have. Null
/// where no GPU's memory is known.
const catalog::Gpu* gpu_like(std::string_view name, double memory_gib, const catalog::Catalog& catalog);

}  // namespace gpusel::cli
