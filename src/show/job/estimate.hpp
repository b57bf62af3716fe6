// An estimate as a document, and the words for jobs and plans that others share.
#pragma once

#include <span>
#include <string>

#include "answer/estimate/estimate.hpp"
#include "answer/estimate/largest.hpp"
#include "answer/estimate/what_works.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// First whether it fits, then what would work, then how fast. `all`: with every part, assumption and note, and the
/// formulas where they were asked for.
Document estimate_page(const answer::EstimateAnswer& answer, std::span<const answer::Way> ways, bool all);

/// The largest size that fits, and what the estimate says there.
Document largest_page(const answer::Largest& largest, bool all);

/// The plan, its parts, what was assumed, and every note: what estimate_page() has at its end where all is asked for.
Document estimate_details(const answer::EstimateAnswer& answer);

/// One row, its figures in full.
Table estimate_table(const answer::EstimateAnswer& answer);

/// "llama-7b, full fine-tuning, AdamW, 307M tokens": the job in one line.
std::string job_line(const job::Job& work);
/// Of counted work what is known but its name and amount, each with " · " before it.
std::string counted_details(const job::Job& work);
/// "1 request in flight", "35 requests in flight".
std::string requests_in_flight(double requests);
/// The option of that key as a reader says it: "sequence length"; a price is as it is typed.
std::string input_name(std::string_view key);
/// "assumed: seq_len 2048, epochs 3, …".
std::string assumed_line(const job::Assumptions& assumed);
Facts assumed_facts(const job::Assumptions& assumed);
/// Each figure with its formula, substituted values and source.
Derivation derivation_of(const physics::Trace& trace);
/// What a plan's working memory, "activations" among its parts, holds: of a render its scene, of a simulation its
/// cells.
std::string working_memory_name(const job::Job& work);
/// What the memory that a plan needs is for, part by part: they add up to it. `in_full`: what the answer's first screen
/// calls "other", in its parts.
std::string needed_parts(const job::Job& work, const physics::Plan& plan, bool in_full);
/// Whether there was a choice of batch, arithmetic or layout: video blocks and processors leave none.
bool has_plan(const job::Job& work);

}  // namespace gpusel::show
