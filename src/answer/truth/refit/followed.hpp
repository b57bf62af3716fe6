// Which measured figure follows which coefficient, and how far: what every fit to published measurements starts from.
// Private to this room.
#pragma once

#include <set>

#include "answer/truth/free_coefficients.hpp"
#include "answer/truth/refit/rests_on.hpp"
#include "answer/truth/verify.hpp"

namespace gpusel::answer {

/// A measurement with the answer to it.
struct FollowedJob {
  const catalog::MeasurementRow* row = nullptr;
  std::string_view file;
  EstimateAnswer answer;
  std::size_t source = 0;  // its place among the sources
};

/// How far ln(predicted) goes with ln(value).
struct Slope {
  std::size_t value = 0;
  double slope = 0;
};

struct FollowedFigure {
  std::size_t job = 0;
  Comparison shipped;         // the estimate with the shipped coefficients, the plan given
  double weight = 1;          // all figures of one kind and one source weigh as one
  bool by_ratio = false;      // compared with the others of its source alone
  std::vector<Slope> slopes;  // in the order of the values

  double residual() const;  // ln(measured ÷ predicted)
};

class Followed {
 public:
  /// Of the rows that were compared. Coefficients that rest on them may change.
  Followed(const Verification& verification, std::span<const RestsOn> rests, const catalog::Catalog& catalog,
           const physics::Coefficients& coefficients);

  const std::vector<std::string>& sources() const { return sources_; }
  const std::vector<FollowedJob>& jobs() const { return jobs_; }
  const std::vector<FollowedFigure>& figures() const { return figures_; }
  /// Those that a figure follows.
  const std::vector<FreeValue>& values() const { return values_; }
  /// Those that none follows; in the same order.
  const std::vector<FreeValue>& unheard() const { return unheard_; }
  /// Of each value, the sources with a figure that follows it.
  std::vector<std::set<std::size_t>> speakers() const;

  /// ln(measured ÷ predicted) of these figures with other coefficients and the same plans.
  std::vector<double> residuals(std::span<const std::size_t> figures, const physics::Coefficients& c);

 private:
  void take(const catalog::MeasurementRow& row, std::string_view file, const catalog::Catalog& catalog);
  void settle();
  void weigh();
  void follow(const RestsOn& rests);
  void follow(const FreeValue& value, std::span<const std::size_t> jobs, bool by_ratio);
  std::vector<double> predicted(std::size_t job, const physics::Coefficients& c);
  std::vector<std::size_t> jobs_that_follow(const physics::Coefficients& c);

  const physics::Coefficients& c_;
  Variations up_;
  std::vector<std::string> sources_;
  std::vector<FollowedJob> jobs_;
  std::vector<FollowedFigure> figures_;  // in the order of their jobs
  std::vector<std::size_t> first_;       // figure of each job; one more at the end
  std::vector<FreeValue> values_;
  std::vector<FreeValue> unheard_;
};

}  // namespace gpusel::answer
