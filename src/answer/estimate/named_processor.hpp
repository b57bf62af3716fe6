// A machine without a GPU, named where a GPU is asked for: "none", an instance, or a processor.
#pragma once

#include "answer/estimate/estimate.hpp"

namespace gpusel::answer {

/// "amd-genoa", "Graviton4", "Sapphire Rapids"; null: no processor is called so.
const catalog::Cpu* find_processor(std::string_view name, const catalog::Catalog& catalog);

/// Whether the request's GPU is none: the word, an instance without one, or a processor.
bool names_processor(const job::Request& request, const catalog::Catalog& catalog);

/// That machine, with what is left open filled in: of a processor its whole socket. Errors: nothing of such work is
/// estimated on processors, or a figure of this one is not published.
Result<physics::Machine> named_processor(const job::Request& request, const job::Job& work,
                                         const catalog::Catalog& catalog, const physics::Coefficients& c,
                                         job::Assumptions& assumed);

}  // namespace gpusel::answer
