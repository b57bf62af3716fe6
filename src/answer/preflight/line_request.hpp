// From what a line says to a question. Private to this folder.
#pragma once

#include "answer/preflight/preflight.hpp"

namespace gpusel::answer {

struct LineRequest {
  job::Request request;
  std::string scheme;             // of quantisation, as the engine calls it; empty: none is named
  bool context_of_model = false;  // it takes the model's own
  bool all_gpus = false;          // of a node
  bool spreads_experts = false;   // over all tensor and data-parallel ranks
  job::Count visible;             // GPUs that it may see
  job::Count at_once;             // requests that it takes on
  std::vector<std::string> notes;
};

/// Errors: a value that is none, a model without a name.
Result<LineRequest> request_of(const ReadLine& line, const job::Request& own, const catalog::Catalog& catalog,
                               const physics::EngineAbilities* engines);

}  // namespace gpusel::answer
