// The report: one page that a manager can read and an engineer can check.
#pragma once

#include <string>

#include "answer/cost/use_curves.hpp"
#include "answer/search/recommend.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

struct ReportView {
  const answer::Advice& advice;
  const catalog::Catalog& catalog;
  job::ObjectiveKind objective = job::ObjectiveKind::cost;
  std::string command;  // that asks the same again
  Date today;
  physics::Trace trace;                    // of the best: memory and speed
  const answer::UseCurves* use = nullptr;  // null: nothing fits
};

Document report_page(const ReportView& view);

}  // namespace gpusel::show
