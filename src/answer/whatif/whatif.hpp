// What moves the answer: one or two inputs varied and the winner at every value, which inputs move the cost of the best
// answer most, and what nothing beats in both money and time. Each point is a whole recommendation.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"
#include "money/duty.hpp"

namespace gpusel {

namespace answer {

/// A key and its value, as a flag says them.
struct Setting {
  std::string key;
  std::string value;
};

struct WhatIfQuestion {
  std::vector<Setting> settings =
      {};  // of the job, its limits, its use and what is paid beside, in the order in which they were said
  job::Objective objective = {};
  Currency currency = Currency::usd();
  Date today = {};                     // for the age of prices
  std::string filter = {};             // over columns of instances and offers
  std::vector<std::string> vary = {};  // "context=4k..128k": none, one or two
  bool tornado = false;
  double swing = 0.2;  // of each input of a tornado, up and down
  bool pareto = false;
  bool explained = false;
};

/// What the cost of answers is compared in: money for a job that ends, for each hour or month of a service that holds a
/// load, for a million tokens or a unit of other work.
enum class Measure : std::uint8_t { total, hourly, monthly, per_million_tokens, per_unit };

/// The best answer to one question.
struct Outcome {
  Recommendation best;                // `offer` is not set: prices change from point to point
  catalog::Offer offer;               // the one it is priced by
  Measure measure = Measure::hourly;  // what such a job is compared in
  double duty_factor = 1;             // hours paid over hours of work, or over all hours of a month
  double cost = 0;                    // in the measure of the whole answer
  std::shared_ptr<const Advice> of;   // without recommendations; rejections only where nothing fits
  std::optional<Error> problem;       // why it could not be asked

  bool fits() const { return best.instance != nullptr; }
  double cost_in(Measure wanted) const;
};
/// The same instance on the same term; any number of them, with any plan. Nothing is the same as nothing.
bool same_winner(const Outcome& a, const Outcome& b);
/// Why nothing fits: what keeps `before`, the last that did, from it, or else the rule that rejects most, with one of
/// its instances.
std::string reason_of(const Outcome& none, const Outcome* before);

/// One value of a varied input.
struct AxisValue {
  std::string text;              // as its option reads it
  std::optional<double> number;  // in the axis's unit; nothing for words
};

struct Axis {
  std::string key;
  std::string about;        // of prices: which
  std::string unit;         // of the numbers: "%", "h", "GB" or none
  bool relative = false;    // per cent of change
  bool continuous = false;  // a range: there are values between those asked
  bool whole = false;
  bool log = false;        // in equal ratios, not in equal steps
  bool doublings = false;  // each twice the one before
  bool numbers = false;    // all are, and each is larger than the one before
  std::vector<AxisValue> values;

  /// From 0 to 1 along the range, by ratio or by difference.
  double place(double number) const;
};

struct Sample {
  std::vector<AxisValue> at;  // one per axis
  Outcome best;
  bool between = false;  // was not asked for: lies where the winner changes
};

/// A stretch of one input with one winner.
struct Segment {
  std::size_t first = 0, last = 0;  // samples
  double share = 0;                 // of the range, or of the values where they are a list
};

struct Winner {
  std::size_t sample = 0;  // the first at which it is best
  double share = 0;
};

/// What one input does to the cost of the best answer.
struct TornadoBar {
  struct End {
    std::string value;
    Outcome best;
    std::optional<double> cost;  // nothing where nothing fits, or the input goes no further
    bool other_winner = false;
  };
  std::string key;
  std::string base;
  End low, high;
  bool assumed = false;  // nobody said it

  double width(double base_cost) const;
};

/// What stands against cost in the Pareto frontier.
enum class Against : std::uint8_t { time, latency, throughput };

struct Candidate {
  Outcome outcome;
  double x = 0;  // hours, ms, or the work's own rate
  double cost = 0;
  bool frontier = false;
};

struct WhatIf {
  Outcome now;  // of the question as it was asked
  /// Of that; where it cannot be asked, or is compared in something else, of the first point that can.
  std::shared_ptr<const Advice> base;
  Currency currency;
  Measure measure = Measure::hourly;
  std::string measure_unit;  // of counted work: "million images"
  std::vector<Axis> axes;
  std::vector<Sample> samples;       // along the input; of two, row by row, a row per value of the second
  std::vector<Segment> segments;     // of one input
  double unseen = 0;                 // the widest step between answers, of a range: a narrower winner may be missed
  std::vector<Winner> winners;       // of most of the range first
  double swing = 0;                  // 0: no tornado was asked for
  std::vector<TornadoBar> bars;      // the widest first
  std::vector<std::string> unmoved;  // inputs without an effect
  bool wants_pareto = false;
  Against against = Against::time;
  std::string rate_unit;  // of throughput
  Measure pareto_measure = Measure::total;
  std::vector<Candidate> candidates;  // cheapest first
  std::size_t asked = 0;              // recommendations made
  physics::Trace trace;

  const Outcome& winner(const Segment& segment) const { return samples[segment.first].best; }
  /// Whether anything fits at any point.
  bool any_fits() const {
    return std::any_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.best.fits(); });
  }
};

inline constexpr std::size_t kMostAnswers = 2'000;

/// Prices of `catalog` are changed and put back: offers that others point to move.
/// Errors: a key that is none, naming the nearest; values that it cannot take; ranges that are empty; too many answers;
/// the question itself.
Result<WhatIf> whatif(const WhatIfQuestion& question, catalog::Catalog& catalog, std::span<const rules::Rule> rules,
                      const physics::Coefficients& coefficients);

}  // namespace answer

template <>
inline constexpr auto enum_names<answer::Measure> =
    std::to_array<std::string_view>({"total", "hourly", "monthly", "per_million_tokens", "per_unit"});
template <>
inline constexpr auto enum_names<answer::Against> =
    std::to_array<std::string_view>({"hours", "latency_ms", "throughput"});

}  // namespace gpusel
