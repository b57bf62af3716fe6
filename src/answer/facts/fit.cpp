#include "answer/facts/fit.hpp"

#include <algorithm>

namespace gpusel::answer {

physics::Interval memory_needed(const physics::Plan& plan, const physics::Interval& total_gib) {
  if (!plan.serving || total_gib.high <= 0) return total_gib;
  const double cache = in_gib(plan.memory.kv_cache);
  const double total = in_gib(plan.memory.total());
  const double one = cache / std::max(1.0, plan.serving->room.concurrency);
  const auto without_cache = [&](double end) { return (total - cache) * end / total + one; };
  return {without_cache(total_gib.low), without_cache(total_gib.high)};
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
