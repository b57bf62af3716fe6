// What would admit an answer where nothing meets a question.
#include <algorithm>
#include <cmath>

#include "answer/explain/admission_relax.hpp"
#include "answer/facts/facts_of.hpp"
#include "answer/search/alternatives.hpp"
#include "base/values/normal.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

using job::Job;
using rules::Rule;

void OtherWays::find_nearest_latency(Advice& advice) const {
  const auto& job = advice.work.inference;
  const auto targets = physics::latency_targets();
  const auto first = std::ranges::find_if(targets, [&](const auto& target) { return (job.*target.asked).has_value(); });
  if (first == targets.end()) return;
  Question other = context_.question;
  for (const physics::LatencyTarget& target : targets) (other.request.*target.given).reset();
  auto work = resolve_work(other.request, model_, context_.catalog);
  if (!work) return;
  if (!job.request_rate && !job.concurrency) work->inference.concurrency = 1;
  const SearchContext context{other,           context_.catalog, context_.coefficients,
                              context_.quoter, context_.rules,   context_.promises};
  std::vector<Recommendation> found = CandidateSearch(context, *work).run({});
  if (found.empty()) return;
  const auto missed_by = [&](const Recommendation& candidate) {
    return std::pair(physics::missed_by(job, candidate.plan().serving->speed), candidate.cost.hourly);
  };
  auto nearest = std::min_element(found.begin(), found.end(), [&](const Recommendation& a, const Recommendation& b) {
    return missed_by(a) < missed_by(b);
  });
  const auto& speed = nearest->plan().serving->speed;
  Alternative alternative;
  alternative.key = first->key;
  const auto slow = physics::slowness(
      physics::physics_of(*work).ratios(*work, nearest->machine(), nearest->plan(), context_.coefficients),
      normal_quantile(work->confidence));
  const auto kept_ms = [&](const physics::LatencyTarget& target) {
    return slow.of(target) * in_ms(target.reached(speed, job.slo_percentile));
  };
  alternative.value = format("{:.0f}", std::ceil(kept_ms(*first)));
  alternative.message =
      say("nearest to the latency targets, by formulas: {} {} at {} {}/h, {:.0f} ms to the first token and {:.1f} ms "
          "between tokens",
          nearest->instance->provider, nearest->instance->sku, human_price(nearest->cost.hourly),
          advice.currency.code(), slow.first_token * in_ms(speed.ttft_within(job.slo_percentile)),
          slow.steps * in_ms(speed.itl_within(job.slo_percentile)));
  alternative.best = std::move(*nearest);
  advice.alternatives.push_back(std::move(alternative));
}

void OtherWays::find_relaxations(Advice& advice) const {
  std::vector<std::string> tried;
  const auto rejects = [&](const Rule& limit) {
    return std::any_of(advice.rejected.begin(), advice.rejected.end(),
                       [&](const Rejection& rejection) { return rejection.rule == limit.id; });
  };
  for (const Rule& limit : limits_) {
    const job::Limit& row = *job::find_limit(limit.id);
    const bool nobody_asked = row.also.tacit && !row.is_given(context_.question.constraints);
    if (!rejects(limit) || nobody_asked) continue;
    if (std::find(tried.begin(), tried.end(), limit.id) != tried.end()) continue;
    tried.push_back(limit.id);
    std::vector<Rule> rest;
    std::copy_if(context_.rules.begin(), context_.rules.end(), std::back_inserter(rest),
                 [&](const Rule& rule) { return rule.id != limit.id || rule.source != limit.source; });
    Question other = context_.question;
    row.form.copy(other.constraints, {});
    const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter,
                                rest,  context_.promises};
    std::vector<Recommendation> found = CandidateSearch(context, advice.work).run({});
    if (found.empty()) continue;
    rank(found, advice.work, context_.question.objective);
    Alternative alternative;
    alternative.key = limit.id;
    // The nearest price is what answers somebody who named one.
    const auto nearest = std::min_element(found.begin(), found.end(),
                                          [](const auto& a, const auto& b) { return a.cost.hourly < b.cost.hourly; });
    alternative.best = std::move(row.also.nearest_price ? *nearest : found.front());
    alternative.flag = needed(limit, alternative.best, advice.work);
    alternative.message =
        say("{}: {} {} at {} {}/h", alternative.flag, alternative.best.instance->provider,
            alternative.best.instance->sku, human_price(alternative.best.cost.hourly), advice.currency.code());
    advice.alternatives.push_back(std::move(alternative));
  }
  if (advice.alternatives.empty()) blame_together(advice);
}

/// Limits that somebody gave, of which none alone is in the way and all together are.
void OtherWays::blame_together(Advice& advice) const {
  Question other = context_.question;
  std::vector<Rule> rest(limits_.begin(), limits_.end());
  std::string list;
  for (const job::Limit& limit : job::limits()) {
    if (limit.form.judge == nullptr || !limit.is_given(context_.question.constraints)) continue;
    const std::string id = limit.id();
    const bool rejects = std::ranges::find(advice.rejected, id, &Rejection::rule) != advice.rejected.end();
    if (rejects || limit.also.trades) list += (list.empty() ? "" : ", ") + limit.flag();
    std::erase_if(rest, [&](const Rule& rule) { return rule.id == id; });
    limit.form.copy(other.constraints, {});
  }
  if (!list.contains(',')) return;
  rest.insert(rest.end(), shipped_.begin(), shipped_.end());
  const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter, rest, context_.promises};
  if (CandidateSearch(context, advice.work).run({}).empty()) return;
  advice.notes.push_back(say("only these limits together exclude everything: {}", list));
}

/// The limit as it would have to be given for this answer, or without it.
std::string OtherWays::needed(const Rule& limit, const Recommendation& best, const Job& work) const {
  const Relaxation* relaxation = find_relaxation(limit.id);
  if (relaxation == nullptr) return say("without --{}", limit.id);
  Recommendation known = best;
  add_intervals(known, context_, work);
  const rules::Facts facts = facts_to_pass(known, work, context_.question, context_.catalog, context_.coefficients);
  return change_text(relaxation->need({context_.question, best, facts}));
}

}  // namespace gpusel::answer
