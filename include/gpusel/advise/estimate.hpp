// One question ("this model, this job, on these GPUs: does it fit, how fast, how sure?") from the
// request to an answer that only needs printing.
#pragma once

#include <memory>

#include "gpusel/advise/fit.hpp"
#include "gpusel/catalog/catalog.hpp"
#include "gpusel/catalog/hf_config.hpp"
#include "gpusel/estimate/own.hpp"
#include "gpusel/plan/plan.hpp"

namespace gpusel::advise {

/// 80 of 100 measurements should lie inside.
struct Intervals {
  estimate::Interval memory_total_gib;  // per GPU
  estimate::Interval tokens_per_s;      // training, or output tokens of inference
  estimate::Interval sequences_per_s;
  estimate::Interval throughput;  // of work that is counted in items of its own
  estimate::Interval itl_ms;      // inference
  estimate::Interval ttft_ms;     // inference
};

struct EstimateAnswer {
  std::string id;
  /// Set when the model came from a file or the request; owns what work.model points to.
  std::shared_ptr<const catalog::ConfigModel> own_model;
  workload::Workload work;
  estimate::Machine machine;
  plan::Choice choice;
  workload::Assumptions assumed;  // with what the plan chose
  std::vector<std::string> notes;
  std::vector<std::string> advice;  // with the trace: what dominates, and what one change would bring
  Intervals intervals;
  Fit fit;
  estimate::Trace trace;
};

/// The job as its plan runs it: with the framework the plan is for.
workload::Workload as_planned(workload::Workload work, const plan::Choice& choice);
/// That a step is not the batch asked for or assumed; nothing where it is.
std::string batch_note(const workload::Workload& work, const estimate::TrainingPlan& plan);
/// That a plan is not for the framework that was assumed.
std::string framework_note(std::string_view usual, std::string_view needed);

/// The formulas behind the figures of a choice.
estimate::Trace explain(const workload::Workload& asked, const estimate::Machine& machine, const plan::Choice& choice,
                        const estimate::Coefficients& coefficients);

/// Widths measured over published residuals, by task.
Intervals intervals_for(const workload::Workload& work, const estimate::Machine& machine, const plan::Choice& choice,
                        const estimate::Coefficients& coefficients, estimate::Trace* trace = nullptr);

/// What a job has in common with those whose measurements narrow its intervals.
estimate::OwnClass own_class(const workload::Workload& work, const estimate::Machine& machine,
                             const plan::Choice& choice);

/// A model by catalogue name, path, or inline object. Errors name the key `model`.
struct FoundModel {
  std::shared_ptr<const catalog::ConfigModel> own;
  const catalog::Model* model = nullptr;
  const catalog::Model* draft = nullptr;  // of speculative decoding
};
Result<FoundModel> find_model(const workload::Request& request, const catalog::Catalog& catalog);
/// The request with its defaults, be it about language or about anything else.
Result<workload::Workload> resolve_work(const workload::Request& request, const FoundModel& model,
                                        const catalog::Catalog& catalog);
/// What reading a configuration took for granted, and what it left aside.
void note_reading(const catalog::ConfigModel& model, std::vector<std::string>& notes);

/// The request's defaults filled in for that model, sizes given in the request respected.
Result<EstimateAnswer> answer_estimate(const workload::Request& request, const catalog::Catalog& catalog,
                                       const estimate::Coefficients& coefficients, bool with_trace,
                                       std::span<const rules::Rule> rules = {});

/// The plan in bf16 alone of a fine-tuning job whose recipe was left open and which fp32 master copies leave no room
/// for; nothing where that is not the case, or does not help.
std::optional<plan::TrainingChoice> without_masters(const workload::Workload& work, const estimate::Machine& machine,
                                                    const plan::Choice& choice, const estimate::Coefficients& c);

/// What a plan chose where the request left it open, in the contract's keys.
workload::Assumptions chosen(const workload::Workload& work, const plan::Choice& choice);

}  // namespace gpusel::advise
