// Which coefficients a user's measurements may change, and which case of them a job depends on. Private to this room.
#pragma once

#include <map>

#include "answer/estimate/estimate.hpp"

namespace gpusel::answer {

/// A coefficient that figures of some kinds may change.
struct FreeCoefficient {
  std::string_view id;
  bool speed = false;   // also of the time between tokens
  bool prompt = false;  // time to the first token
  bool memory = false;

  bool bears_on(physics::Range80 range) const {
    switch (range) {
      case physics::Range80::speed:
      case physics::Range80::itl: return speed;
      case physics::Range80::ttft: return prompt;
      case physics::Range80::memory: return memory;
    }
    return false;
  }
};
std::span<const FreeCoefficient> free_coefficients();

/// One value that a fit may change. `new_case`: what had the plain value gets a case of its own.
struct FreeValue {
  std::string id;
  std::string name;
  double shipped = 0;
  bool new_case = false;

  friend auto operator<=>(const FreeValue&, const FreeValue&) = default;
};

/// Coefficients with one of them changed by so much, kept for the next job that asks for the same.
class Variations {
 public:
  Variations(const physics::Coefficients& base, double step) : base_(base), step_(step) {}

  double step() const { return step_; }  // of the logarithm
  /// The cases a coefficient has; the plain value last, without a name.
  const std::vector<FreeValue>& cases(std::string_view id);
  const physics::Coefficients& with(const FreeValue& value);
  /// With all cases changed.
  const physics::Coefficients& with_all(std::string_view id);

 private:
  const physics::Coefficients& base_;
  double step_;
  std::map<std::string, std::vector<FreeValue>, std::less<>> cases_;
  std::map<FreeValue, physics::Coefficients> one_;
  std::map<std::string, physics::Coefficients, std::less<>> all_;
};

/// Names by which cases may know a job: from the most special to the most general.
std::vector<std::string> case_names(const EstimateAnswer& answer);

}  // namespace gpusel::answer
