// The report: one page that a manager can read and an engineer can check.
#pragma once

#include <string>

#include "gpusel/advise/recommend.hpp"
#include "gpusel/advise/use_curves.hpp"
#include "report/document/document.hpp"

namespace gpusel::report {

struct ReportView {
  const advise::Advice& advice;
  const catalog::Catalog& catalog;
  workload::ObjectiveKind objective = workload::ObjectiveKind::cost;
  std::string command;  // that asks the same again
  Date today;
  estimate::Trace trace;                   // of the best: memory and speed
  const advise::UseCurves* use = nullptr;  // null: nothing fits
};

Document report_page(const ReportView& view);

}  // namespace gpusel::report
