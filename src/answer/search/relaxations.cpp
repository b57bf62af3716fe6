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

using rules::Rule;

namespace {

/// Of "12h": 12.
std::optional<double> number_in_front(std::string_view value) {
  return plain_number(value.substr(0, std::min(value.find_first_not_of("0123456789.e+"), value.size())));
}

}  // namespace

void OtherWays::find_nearest_latency(Advice& advice) const {
  const auto& job = advice.work.inference;
  const auto targets = physics::latency_targets();
  if (!physics::has_targets(job)) return;
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
  const auto slow = physics::slowness(
      physics::physics_of(*work).ratios(*work, nearest->machine(), nearest->plan(), context_.coefficients),
      normal_quantile(work->confidence));
  const auto kept_ms = [&](const physics::LatencyTarget& target) {
    return slow.of(target) * in_ms(target.reached(speed, job.slo_percentile));
  };
  // The target that it misses by most.
  const auto excess = [&](const physics::LatencyTarget& target) {
    return (job.*target.asked) ? kept_ms(target) / *(job.*target.asked) : 0;
  };
  const auto& worst = *std::ranges::max_element(targets, {}, excess);
  alternative.key = worst.key;
  alternative.value = job::at_most(kept_ms(worst));
  std::string asked;
  for (const physics::LatencyTarget& target : targets) {
    if (excess(target) <= 1) continue;
    alternative.flag += format("{}--{} {}", asked.empty() ? "" : " ", target.key, job::at_most(kept_ms(target)));
    asked += format("{}--{} {:g}", asked.empty() ? "" : " ", target.key, *(job.*target.asked));
  }
  alternative.message = say("{}: {} {} at {} {}/h", alternative.flag, nearest->instance->provider,
                            nearest->instance->sku, human_price(nearest->cost.hourly), advice.currency.code());
  std::string note = say("no instance meets {}; the nearest needs {}", asked, alternative.flag);
  // Missed by far as milliseconds, and met as seconds.
  constexpr double kFew = 20, kFar = 3, kMsPerSecond = 1000;
  const double limit = *(job.*worst.asked);
  if (limit < kFew && excess(worst) > kFar && limit * kMsPerSecond >= kept_ms(worst))
    note += say("; numbers are milliseconds: for {:g} s write --{} {:g}ms", limit, worst.key, limit * kMsPerSecond);
  if (!asked.empty()) advice.notes.push_back(std::move(note));
  alternative.best = std::move(*nearest);
  advice.alternatives.push_back(std::move(alternative));
}

/// Of what does with a limit lifted: the one that asks least of a number that was given, else rank 1.
Alternative OtherWays::lifted(const Relaxation& limit, const Question& other, std::vector<Recommendation> found,
                              const Advice& advice) const {
  const auto need = [&](Recommendation& candidate) {
    add_intervals(candidate, context_, advice.work);
    const rules::Facts facts =
        facts_to_pass(candidate, advice.work, context_.question, context_.catalog, context_.coefficients);
    return limit.need({context_.question, candidate, facts});
  };
  rank(found, advice.work, other.objective);
  std::size_t best = 0;
  Change change = need(found.front());
  for (std::size_t i = 1; limit.asked != nullptr && i < found.size(); ++i) {
    Change one = need(found[i]);
    const auto less = number_in_front(one.value), most = number_in_front(change.value);
    if (!less || !most || *less >= *most) continue;
    best = i;
    change = std::move(one);
  }
  Alternative out;
  out.key = limit.rule;
  out.best = std::move(found[best]);
  out.flag = change_text(change);
  // Why it is more than the printed cost.
  if (limit.rule == "budget" && advice.work.ends())
    out.risk = say("{:.0f} % sure to be enough", 100 * advice.work.confidence);
  out.message = say("{}: {} {} at {} {}/h", out.flag, out.best.instance->provider, out.best.instance->sku,
                    human_price(out.best.cost.hourly), advice.currency.code());
  return out;
}

void OtherWays::find_relaxations(Advice& advice) const {
  const auto rejects = [&](std::string_view rule) {
    return std::ranges::find(advice.rejected, rule, &Rejection::rule) != advice.rejected.end();
  };
  std::vector<std::string> tried;
  for (const Rule& limit : limits_) {
    const job::Limit& row = *job::find_limit(limit.id);
    const bool nobody_asked = row.also.tacit && !row.is_given(context_.question.constraints);
    if (!rejects(limit.id) || nobody_asked || std::ranges::find(tried, limit.id) != tried.end()) continue;
    tried.push_back(limit.id);
    std::vector<Rule> rest;
    std::ranges::copy_if(context_.rules, std::back_inserter(rest),
                         [&](const Rule& rule) { return rule.id != limit.id || rule.source != limit.source; });
    Question other = context_.question;
    row.form.copy(other.constraints, {});
    const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter,
                                rest,  context_.promises};
    std::vector<Recommendation> found = CandidateSearch(context, advice.work).run({});
    if (!found.empty())
      advice.alternatives.push_back(lifted(*find_relaxation(limit.id), other, std::move(found), advice));
  }
  for (const Relaxation& limit : plan_relaxations()) lift(limit, advice);
  if (advice.alternatives.empty()) blame_together(advice);
}

/// A count or a target that plans have to meet, and that was given.
void OtherWays::lift(const Relaxation& limit, Advice& advice) const {
  const bool of_latency = limit.asked != nullptr && limit.asked(context_.question);
  const job::Limit* row = job::find_limit(limit.rule);
  if (!of_latency && (row == nullptr || !row->is_given(context_.question.constraints))) return;
  if (physics::has_targets(advice.work.inference) && of_latency) return;  // find_nearest_latency() has these
  Question other = context_.question;
  limit.copy(other, unbounded());
  // Without a limit batches grow; the least that anybody waits is for one item.
  if (of_latency && advice.work.counted && !other.request.batch) other.request.batch = 1;
  const auto work = resolve_work(other.request, model_, context_.catalog);
  if (!work) return;
  const SearchContext context{other,           context_.catalog, context_.coefficients,
                              context_.quoter, context_.rules,   context_.promises};
  std::vector<Recommendation> found = CandidateSearch(context, *work).run({});
  if (!found.empty()) advice.alternatives.push_back(lifted(limit, other, std::move(found), advice));
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

}  // namespace gpusel::answer
