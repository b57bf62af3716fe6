// How a plan fits into memory: one verdict for every answer, from the rules that speak of it (data/rules/fit.yaml).
#pragma once

#include <span>
#include <string>

#include "physics/planner/plan.hpp"
#include "rules/rule.hpp"

namespace gpusel::answer {

struct Fit {
  rules::FitVerdict verdict = rules::FitVerdict::fits;
  std::string rule = {};              // that says so; empty: none speaks against it
  physics::Interval needed_gib = {};  // where 80 of 100 runs lie, per device; 0 where it is not known
};

/// What 80 of 100 runs must have. An engine that takes its cache in advance must have what is not cache, and room for
/// one request.
physics::Interval memory_needed(const physics::Plan& plan, const physics::Interval& total_gib);

/// The gravest verdict of the rules that fire on these facts.
Fit judge_fit(std::span<const rules::Rule> rules, const rules::Facts& facts);

}  // namespace gpusel::answer
