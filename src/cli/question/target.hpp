// The tool that an answer is for: only what it can order and say is ranked. Whether it can, its export says.
#pragma once

#include "answer/search/recommend.hpp"
#include "cli/question/loaded_facts.hpp"
#include "show/export/export.hpp"

namespace gpusel::cli {

/// The question as the tool's own export asks it: for its engine or framework and of its seller, unless others are
/// said.
void plan_for(const show::ExportTarget& target, answer::Question& question, const catalog::Catalog& catalog);

/// Limits the answer to `question.target`, if one is named. `ground` must outlive the question. Error: no such tool.
Status limit_to_target(answer::Question& question, const LoadedFacts& ground);

/// Where nothing qualifies for the target of `open`, the question before it was limited so: what would be rented for
/// another target, and which.
void add_other_targets(answer::Advice& advice, const answer::Question& open, const LoadedFacts& ground);

/// Whether the reader asked for a region, or for a place where data stays.
bool asks_for_place(const job::Constraints& limits);

/// By which numbers replicas of the plan follow requests; nothing for work that is none. `to_zero`: to none
/// while nobody asks.
std::optional<money::Autoscale> scaling_for(const job::Job& work, const answer::Recommendation& chosen,
                                            const LoadedFacts& ground, bool to_zero = false);

}  // namespace gpusel::cli
