// An explanation as a document and as JSON.
#pragma once

#include <string>

#include "gpusel/advise/explain.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// What was asked about, beside the tree that answers.
struct ExplainView {
  std::string_view kind;  // rank, rejection, figure or rule
  std::string name;       // of the instance, the figure or the rule
  const advise::Advice& advice;
  const catalog::Catalog& catalog;
  const advise::Branch& tree;
  const advise::Admission* admission = nullptr;  // of a rejection
};

Json tree_json(const advise::Branch& branch);
Json explanation_json(const ExplainView& view);
/// The tree alone.
Derivation derivation_of(const advise::Branch& branch);
Document explanation_page(const ExplainView& view);

}  // namespace gpusel::report
