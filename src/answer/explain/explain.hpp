// An answer taken apart: each figure with its formula, its values, its unit and its source, as a tree whose nodes have
// stable names; each rank as points; each rejection as the constraint and the change that would do without it.
#pragma once

#include <string_view>
#include <vector>

#include "answer/explain/admission.hpp"

namespace gpusel::answer {

struct Branch {
  physics::TraceLine line;
  std::vector<Branch> children;
};

/// What an explanation is about; all of it outlives it.
struct Explained {
  const Question& question;
  const Advice& advice;
  const catalog::Catalog& catalog;
  std::span<const rules::Rule> rules;
  const physics::Coefficients& coefficients;
};

/// One recommendation: its points and the lead over the next, memory, speed, cost, interval, the rules that spoke.
/// `index` is below the number of recommendations; rules speak of detailed ranks only.
Branch explain_rank(const Explained& of, std::size_t index);
/// Why an instance is not among the recommendations, and what would admit it.
Branch explain_rejection(const Explained& of, const Admission& admission);

/// Whether any rule, limit or reason for a rejection goes by that name.
bool is_rule(const Explained& of, std::string_view id);
/// What a rule says, when it fires, and on which instances of the answer it did.
Branch explain_rule(const Explained& of, std::string_view id);

/// The branch of that name, or the only one whose name ends in ".name"; null: none.
const Branch* find_branch(const Branch& root, std::string_view quantity);
/// Every name in a tree.
std::vector<std::string_view> quantities(const Branch& root);
/// The lines of a tree, each before what is below it.
physics::Trace lines_of(const Branch& root);

/// A trace as branches by the dots of their names, under `root`.
void hang(Branch& root, physics::Trace trace);

}  // namespace gpusel::answer
