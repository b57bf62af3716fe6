// What each class of counted work answers with. Private to this room.
#pragma once

#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/counted.hpp"

namespace gpusel::physics {

/// One question to a class of work.
struct CountedAsk {
  const job::Job& work;
  const job::Counted& counted;
  const Machine& machine;
  const CountedPlan& plan;
  const Coefficients& general;
  const CountedCoefficients& c;
  Trace* trace;  // may be null

  bool training() const { return job::is_training(work.task); }
  double batch() const { return static_cast<double>(plan.batch); }
};

CountedFigures figures_of(const job::SampleJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::DiffusionJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::SpeechJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::RecommenderJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::OfflineRender& job, const CountedAsk& ask);
CountedFigures figures_of(const job::SessionJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::SimulationJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::TranscodeJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::AnalyticsJob& job, const CountedAsk& ask);
CountedFigures figures_of(const job::PreprocessJob& job, const CountedAsk& ask);

}  // namespace gpusel::physics
