// How a plan fits into memory: one verdict for every answer, from the rules that speak of it (data/rules/fit.yaml).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "physics/planner/plan.hpp"
#include "rules/rule.hpp"

namespace gpusel::answer {

/// The same in one word.
enum class Verdict : std::uint8_t { yes, risky, no };

struct Fit {
  rules::FitVerdict verdict = rules::FitVerdict::fits;
  std::string rule = {};              // that says so; empty: none speaks against it
  physics::Interval needed_gib = {};  // where 80 of 100 runs lie, per device; 0 where it is not known

  Verdict short_verdict() const;
};

/// "62 %", ">99 %".
std::string chance_words(double chance);

/// The reason, as rejections name it, that no rule has to find: the planner itself has said so. Empty: it is for rules.
std::string_view planner_reason(physics::Problem::Kind kind);

/// The gravest verdict of the rules that fire on these facts.
Fit judge_fit(std::span<const rules::Rule> rules, const rules::Facts& facts);

}  // namespace gpusel::answer

template <>
inline constexpr auto gpusel::enum_names<gpusel::answer::Verdict> =
    std::to_array<std::string_view>({"yes", "risky", "no"});
