// What each class of counted work answers with. Private to this room.
#pragma once

#include "estimate/counted/coefficients.hpp"
#include "gpusel/estimate/counted.hpp"

namespace gpusel::estimate {

/// One question to a class of work.
struct CountedAsk {
  const workload::Workload& work;
  const workload::Counted& counted;
  const Machine& machine;
  const CountedPlan& plan;
  const Coefficients& general;
  const CountedCoefficients& c;
  Trace* trace;  // may be null

  bool training() const { return workload::is_training(work.task); }
  double batch() const { return static_cast<double>(plan.batch); }
};

CountedFigures figures_of(const workload::SampleJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::DiffusionJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::SpeechJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::RecommenderJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::OfflineRender& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::SessionJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::SimulationJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::TranscodeJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::AnalyticsJob& job, const CountedAsk& ask);
CountedFigures figures_of(const workload::PreprocessJob& job, const CountedAsk& ask);

}  // namespace gpusel::estimate
