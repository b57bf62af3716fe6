// One question ("this model, this job, on these GPUs: does it fit, how fast, how sure?") from the
// request to an answer that only needs printing.
#pragma once

#include <memory>

#include "answer/facts/fit.hpp"
#include "catalog/catalog.hpp"
#include "catalog/hf/hf_config.hpp"
#include "physics/intervals.hpp"

namespace gpusel::answer {

/// A rule that is against the GPU for this job, wherever it is.
struct Exclusion {
  std::string rule;  // id
  std::string message;
  std::string source;
};

struct EstimateAnswer {
  std::string id;
  /// Set when the model came from a file or the request; owns what work.model points to.
  std::shared_ptr<const catalog::ConfigModel> own_model;
  job::Job work;
  physics::Machine machine;
  physics::Plan plan;
  catalog::Number in_time;   // the chance of keeping up with the load and meeting its targets, where it is usable
  job::Assumptions assumed;  // with what the plan chose
  std::vector<std::string> notes;
  std::vector<Exclusion> excluded;
  std::string near_miss;            // of the notes the one that says what would fit; empty: none does
  std::vector<std::string> advice;  // with the trace: what dominates, and what one change would bring
  physics::Intervals intervals;
  Fit fit;
  physics::Trace trace;
};

/// The formulas behind the figures of a choice.
physics::Trace explain(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                       const physics::Coefficients& coefficients);

/// A model by catalogue name, path, or inline object. Errors name the key `model`.
struct FoundModel {
  std::shared_ptr<const catalog::ConfigModel> own;
  const catalog::Model* model = nullptr;
  const catalog::Model* draft = nullptr;  // of speculative decoding
};
Result<FoundModel> find_model(const job::Request& request, const catalog::Catalog& catalog);

/// Fills in what other words of the request tell: the task where none is said, and the GPUs of an instance that is
/// named in place of one. `has_load`: users who ask one after the other are told apart from requests at once. Errors:
/// an unknown model.
Status settle(job::Request& request, const catalog::Catalog& catalog, bool has_load = false);
/// The request with its defaults, be it about language or about anything else.
Result<job::Job> resolve_work(const job::Request& request, const FoundModel& model, const catalog::Catalog& catalog);
/// As machines are chosen for it: in the formats that the model's own publisher ships, where none is asked for.
Result<job::Job> resolve_choosing(job::Request request, const FoundModel& model, const catalog::Catalog& catalog);
/// What reading a configuration took for granted, and what it left aside.
void note_reading(const catalog::ConfigModel& model, std::vector<std::string>& notes);

/// The request's defaults filled in for that model, sizes given in the request respected.
Result<EstimateAnswer> answer_estimate(const job::Request& request, const catalog::Catalog& catalog,
                                       const physics::Coefficients& coefficients, bool with_trace,
                                       std::span<const rules::Rule> rules = {});

/// The plan in bf16 alone of a fine-tuning job whose recipe was left open and which fp32 master copies leave no room
/// for; nothing where that is not the case, or does not help.
std::optional<physics::Plan> without_masters(const job::Job& work, const physics::Machine& machine,
                                             const physics::Plan& plan, const physics::Coefficients& c);

/// What a plan chose where the request left it open, in the contract's keys.
job::Assumptions chosen(const job::Job& work, const physics::Plan& plan);

}  // namespace gpusel::answer
