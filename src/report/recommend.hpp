// A recommendation as text or Markdown for people, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "gpusel/advise/recommend.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"

namespace gpusel::report {

struct RecommendView {
  std::size_t limit = 10;  // rows; 0: all
  bool wide = false;
  bool explain = false;  // scores and warnings in full
  bool show_rejected = false;
};

/// In a document, a reason for each rule that instances fell to.
std::string recommend_text(const advise::Advice& advice, const catalog::Catalog& catalog, const RecommendView& view,
                           const Terminal& terminal);

/// What an answer says of one of its ranks, warnings first.
Json remarks_json(const advise::Recommendation& r);
/// `limit` 0: every recommendation.
Json recommend_json(const advise::Advice& advice, const catalog::Catalog& catalog, std::size_t limit);
/// The figures that a spreadsheet wants, in full; one row per recommendation.
std::string recommend_csv(const advise::Advice& advice, const catalog::Catalog& catalog, std::size_t limit);

}  // namespace gpusel::report
