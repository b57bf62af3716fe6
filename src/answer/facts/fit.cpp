#include "answer/facts/fit.hpp"

#include <algorithm>

namespace gpusel::answer {

physics::Interval memory_needed(const physics::Choice& choice, const physics::Interval& total_gib) {
  const auto* serving = std::get_if<physics::InferenceChoice>(&choice);
  if (serving == nullptr || total_gib.high <= 0) return total_gib;
  const physics::MemoryBreakdown& memory = serving->memory.per_gpu;
  const double cache = in_gib(memory.kv_cache);
  const double total = in_gib(memory.total());
  const double one = cache / std::max(1.0, serving->memory.concurrency);
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
