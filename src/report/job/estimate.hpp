// An estimate as a document, and the words for jobs and plans that others share.
#pragma once

#include <string>

#include "gpusel/advise/estimate.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

Document estimate_page(const advise::EstimateAnswer& answer);

/// One row, its figures in full.
Table estimate_table(const advise::EstimateAnswer& answer);

/// "llama-7b, full fine-tuning, AdamW, 307M tokens": the job in one line.
std::string job_line(const workload::Workload& work);
/// "assumed: seq_len 2048, epochs 3, …".
std::string assumed_line(const workload::Assumptions& assumed);
/// Each figure with its formula, substituted values and source.
Derivation derivation_of(const estimate::Trace& trace);
/// What a plan's working memory, "activations" among its parts, holds: of a render its scene, of a simulation its
/// cells.
std::string working_memory_name(const workload::Workload& work);
/// Whether there was a choice of batch, arithmetic or layout: video blocks and processors leave none.
bool has_plan(const workload::Workload& work);
std::string plan_line(const estimate::TrainingPlan& plan);
std::string plan_line(const estimate::InferencePlan& plan);
std::string plan_line(const estimate::CountedPlan& plan);

}  // namespace gpusel::report
