// A recommendation as text, CSV or Markdown for people, and as JSON for programs.
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
  std::string format = "table";  // table, csv or markdown
};

std::string recommend_text(const advise::Advice& advice, const catalog::Catalog& catalog, const RecommendView& view,
                           const Terminal& terminal);

/// `limit` 0: every recommendation.
Json recommend_json(const advise::Advice& advice, const catalog::Catalog& catalog, std::size_t limit);

}  // namespace gpusel::report
