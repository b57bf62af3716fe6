// In which 80 of 100 measurements of a planned job should lie.
#pragma once

#include <cmath>

#include "physics/kinds/physics.hpp"
#include "physics/own.hpp"

namespace gpusel::physics {

struct Intervals {
  Interval memory_total_gib;   // per GPU, as it is seen from outside
  Interval memory_needed_gib;  // that must be there: docs/method.md
  Interval rate;               // in the job's own unit
  Interval sequences_per_s;    // trained on, or requests served
  Interval itl_ms;             // of language models that are served
  Interval tpot_ms;            // the same
  Interval ttft_ms;            // the same
  std::optional<Basis> basis;
};

/// A rate as people are told it, with its interval.
struct SpokenRate {
  std::string_view key;  // of JSON and explanations
  std::string_view unit;
  double value = 0;
  Interval interval;
};
/// That of the job's own unit; of encoders that language engines serve, sequences.
SpokenRate spoken_rate(const job::Job& work, const Plan& plan, const Intervals& intervals);

/// Widths measured over published residuals, by task, narrowed by the user's own measurements.
Intervals intervals_for(const job::Job& work, const Machine& machine, const Plan& plan,
                        const Coefficients& coefficients, Trace* trace = nullptr);

/// How far estimates of served language models are off, of a figure's logarithm: from source to source, and within one.
struct SourceSpread {
  double between = 0;
  double within = 0;
  double both() const { return std::hypot(between, within); }
  double within_share() const { return both() > 0 ? within / both() : 1; }
};
SourceSpread source_spread(const job::Job& work, Range80 range, const Coefficients& c);

/// The cases of interval.measured that count the measurements of such serving.
struct MeasuredCases {
  std::string on_part;    // of the engine on the architecture
  std::string in_format;  // with weights in the format, of experts apart
};
MeasuredCases measured_cases(const job::Job& work, const Machine& machine, const Layout& layout);

/// What a job has in common with those whose measurements narrow its intervals.
OwnClass own_class(const job::Job& work, const Machine& machine, const Layout& layout);

/// Exponent that the user's own measurements of such work give the ratios of an interval; 1 where there are none.
double own_exponent(const job::Job& work, const Machine& machine, const Layout& layout, Range80 range,
                    const Coefficients& c);

}  // namespace gpusel::physics
