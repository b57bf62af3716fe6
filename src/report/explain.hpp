// An explanation as a tree of text or JSON, or as one table.
#pragma once

#include <string>

#include "gpusel/advise/explain.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

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
/// As table, wide, csv or markdown.
std::string explanation_text(const ExplainView& view, std::string_view format, const Terminal& terminal);
/// The tree alone, indented.
std::string tree_text(const advise::Branch& branch, const Terminal& terminal);

}  // namespace gpusel::report
