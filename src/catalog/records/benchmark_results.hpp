// Result files of serving benchmarks as records of measurements: the request of an estimate, and what was measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

/// Request keys given along with a results file; they override what the file says.
using SaidCells = std::vector<Node>;

/// Records out of a result of vLLM's or SGLang's serving benchmark (JSON, one or more lines), of GuideLLM (one record
/// per benchmark of the file) or of llama-bench (JSON, JSON Lines or CSV; one per test of prompts or of generation).
/// Nothing where the text is none of these. Errors, with file:line:column: not valid JSON, a result without lengths or
/// without a measured time, no GPU or no model where neither the result nor `said` names one.
std::optional<Result<std::vector<Node>>> read_benchmark_results(std::string_view text, const std::string& file,
                                                                const SaidCells& said, const Catalog& catalog);

}  // namespace gpusel::catalog
