// From what a line says to a question. Private to this folder.
#pragma once

#include "answer/preflight/preflight.hpp"

namespace gpusel::answer {

struct LineRequest {
  job::Request request;
  std::string scheme;             // of quantisation, as the engine calls it; empty: none is named
  std::string typed_scheme;       // as the line has it; empty: it has none
  std::string computes_in;        // 16-bit type beside a scheme or a quantised name; empty: none is said
  bool context_of_model = false;  // it takes the model's own
  bool all_gpus = false;          // of a node
  job::Count visible;             // GPUs that it may see
  job::Count at_once;             // requests that it takes on
  job::Count longest_input;       // tokens of a prompt
  job::Count positions;           // that the model is said to have, instead of its own
  std::optional<double> stretch;  // of the positions, by YaRN and its like
  job::Count unstretched;         // positions that are stretched, where they are not the model's
  bool longer_context = false;    // than the model's is taken
  bool has_experts = false;       // spread as wholes over ranks
  bool spreads_experts = false;   // over the tensor ranks of all replicas, as wholes or not
  bool dp_attention = false;      // replicas of attention inside the tensor ranks
  bool fits_memory = false;       // it makes itself small enough
  std::string undrafted;          // speculation that lacks its draft model, as the line has it
  std::vector<std::string> notes;

  /// The longest context of the model in tokens, as the line overrides or stretches it.
  catalog::Number longest(const catalog::Model& model) const;
};

/// Errors: a value that is none, a model without a name.
Result<LineRequest> request_of(const ReadLine& line, const job::Request& own, const catalog::Catalog& catalog,
                               const physics::EngineAbilities* engines);

}  // namespace gpusel::answer
