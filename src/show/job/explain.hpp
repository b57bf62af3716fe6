// An explanation as a document and as JSON.
#pragma once

#include <string>

#include "answer/explain/about_rule.hpp"
#include "answer/explain/explain.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What was asked about, beside the tree that answers.
struct ExplainView {
  std::string_view kind;  // rank, rejection, figure or rule
  std::string name;       // of the instance, the figure or the rule
  const answer::Advice& advice;
  const catalog::Catalog& catalog;
  const answer::Branch& tree;
  const answer::Admission* admission = nullptr;  // of a rejection
  const job::Constraints* limits = nullptr;      // as they were given
};

Json tree_json(const answer::Branch& branch);
Json explanation_json(const ExplainView& view);
/// The tree alone.
Derivation derivation_of(const answer::Branch& branch);
/// The decision and the least change first; `all`: with every figure behind it. A figure or a rule is its own tree.
Document explanation_page(const ExplainView& view, bool all);

/// A rule, a limit or a reason of the planner by itself.
Json about_rule_json(const answer::AboutRule& rule);
Document about_rule_page(const answer::AboutRule& rule);

}  // namespace gpusel::show
