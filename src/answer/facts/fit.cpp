#include "answer/facts/fit.hpp"

#include "base/words/message.hpp"

namespace gpusel::answer {

Verdict Fit::short_verdict() const {
  switch (verdict) {
    case rules::FitVerdict::fits:
    case rules::FitVerdict::tight: return Verdict::yes;
    case rules::FitVerdict::may_not_fit: return Verdict::risky;
    case rules::FitVerdict::does_not_fit: return Verdict::no;
  }
  return Verdict::no;
}

std::string chance_words(double chance) {
  constexpr double kNearly = 0.995;
  if (chance >= kNearly) return ">99 %";
  if (chance < 1 - kNearly) return "<1 %";
  return format("{:.0f} %", chance * 100);
}

std::string_view planner_reason(physics::Problem::Kind kind) {
  using Kind = physics::Problem::Kind;
  switch (kind) {
    case Kind::latency:
    case Kind::too_much_traffic:
    case Kind::too_late: return "too-slow";
    case Kind::no_rate:
    case Kind::unpublished: return "figures-not-published";
    case Kind::lacking: return "lacks-hardware";
    case Kind::refused: return "engine-refuses";
    default: return {};
  }
}

Fit judge_fit(std::span<const rules::Rule> rules, const rules::Facts& facts) {
  Fit fit;
  const auto known = [&](rules::Fact fact) { return facts.known(fact) ? facts.number(fact) : 0; };
  fit.needed_gib = {known(rules::Fact::memory_low_gib), known(rules::Fact::memory_high_gib)};
  for (const rules::Rule& rule : rules)
    if (rule.fit > fit.verdict && rules::fires(rule, facts)) {
      fit.verdict = rule.fit;
      fit.rule = rule.id;
    }
  return fit;
}

}  // namespace gpusel::answer
