#include "answer/whatif/whatif_ask.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "answer/search/known_machines.hpp"
#include "answer/search/search.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "money/terms.hpp"

namespace gpusel::answer {

namespace {

using job::Job;

Measure measure_of(const Job& work, bool has_duty) {
  if (work.by_the_hour()) return has_duty ? Measure::monthly : Measure::hourly;
  if (work.ends()) return Measure::total;
  return work.counted ? Measure::per_unit : Measure::per_million_tokens;
}

/// GPUs per instance that the catalogue has, whole ones.
std::vector<std::int64_t> sizes_in(const catalog::Catalog& catalog) {
  std::vector<std::int64_t> sizes;
  for (const catalog::Instance& instance : catalog.instances()) {
    const double count = instance.gpu_count.value_or(0);
    if (count < 1 || count != std::floor(count)) continue;
    if (std::find(sizes.begin(), sizes.end(), count) == sizes.end()) sizes.push_back(static_cast<std::int64_t>(count));
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// One question for each way to make up so many GPUs of equal instances.
std::vector<Question> split_gpus(const Question& question, std::int64_t gpus, const catalog::Catalog& catalog) {
  std::vector<Question> out;
  const auto& limits = question.constraints;
  for (const std::int64_t size : sizes_in(catalog)) {
    const std::int64_t nodes = gpus / size;
    if (gpus % size != 0 || (limits.nodes && *limits.nodes != nodes) || nodes > limits.max_nodes.value_or(nodes))
      continue;
    if (static_cast<double>(size) < limits.gpus_per_instance.low.value_or(0)) continue;
    if (limits.gpus_per_instance.high && static_cast<double>(size) > *limits.gpus_per_instance.high) continue;
    Question one = question;
    one.constraints.gpus_per_instance = {static_cast<double>(size), static_cast<double>(size)};
    one.constraints.nodes = nodes;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

double Outcome::cost_in(Measure wanted) const {
  switch (wanted) {
    case Measure::total: return best.cost.total;
    case Measure::hourly: return best.cost.hourly;
    case Measure::monthly: return *best.cost.sums().month;
    case Measure::per_million_tokens: return best.cost.per_million_tokens.value_or(best.cost.total);
    case Measure::per_unit: return best.cost.per_unit.value_or(best.cost.total);
  }
  return 0;
}

bool same_winner(const Outcome& a, const Outcome& b) {
  return a.best.instance == b.best.instance && (!a.fits() || a.offer.term == b.offer.term);
}

std::string reason_of(const Outcome& none, const Outcome* before) {
  if (none.problem) return none.problem->message;
  std::map<std::string_view, int> by_rule;
  std::string_view most;
  for (const Rejection& one : none.of->rejected) {
    const bool of_it = before != nullptr && before->fits() && one.instance == before->best.instance;
    if (of_it) return format("{} {}: {}", one.instance->provider, one.instance->sku, one.message);
    const job::Limit* limit = job::find_limit(one.rule);
    const bool tacit = limit != nullptr && limit->also.tacit;
    const bool never = tacit || one.rule == "no-gpu" || one.rule == "no-published-price";
    if (!never && (by_rule[one.rule] += one.count) > by_rule[most]) most = one.rule;
  }
  const auto example = std::find_if(none.of->rejected.begin(), none.of->rejected.end(),
                                    [&](const Rejection& one) { return one.rule == most; });
  if (example == none.of->rejected.end()) return say("no instance meets this");
  return say("{} instances fail {}, as {} {}: {}", by_rule[most], most, example->instance->provider,
             example->instance->sku, example->message);
}

Alteration change_to(const Varied& varied, const AxisValue& value) {
  Alteration change{&varied.input, value.text, 1};
  if (varied.input.is_price()) change.factor = 1 + *value.number / 100;
  return change;
}

Asker::Asker(const WhatIfQuestion& question, catalog::Catalog& catalog, std::span<const rules::Rule> rules,
             const physics::Coefficients& coefficients)
    : question_(question),
      catalog_(catalog),
      rules_(rules),
      coefficients_(coefficients),
      offers_(catalog.offers().begin(), catalog.offers().end()),
      known_(std::make_shared<KnownMachines>()) {
  for (const Setting& setting : question.settings)
    if (auto input = find_input(setting.key, catalog)) said_.push_back({std::move(*input), setting.value});
}

Asker::~Asker() { price({}); }

std::optional<std::string> Asker::said(const Input& input) const {
  const auto last =
      std::find_if(said_.rbegin(), said_.rend(), [&](const Said& one) { return one.input.key == input.key; });
  return last == said_.rend() ? std::nullopt : std::optional(last->value);
}

std::vector<Asker::Named> Asker::settings() const {
  std::vector<Named> all;
  for (const Said& one : said_) all.push_back({&one.input, one.value});
  return all;
}

Status Asker::set(Scenario& scenario, const Input& input, std::string_view text) {
  if (input.job != nullptr) {
    scenario.question.request.given.push_back(input.job->key);
    return input.job->set(scenario.question.request, text);
  }
  if (input.limit != nullptr) return input.limit->set(scenario.question.constraints, text);
  if (input.duty != nullptr) {
    money::Duty& duty = scenario.question.duty;
    duty.given.push_back(input.duty->key);
    return input.duty->set(duty, text);
  }
  if (input.extra != nullptr) return input.extra->set(scenario.question.extras, text);
  if (input.load != nullptr) return input.load->set(scenario.question.load, text);
  return job::assign(text, scenario.gpus, job::kCount);
}

Result<Asker::Scenario> Asker::scenario(std::span<const Alteration> changes) const {
  Scenario out;
  out.question.objective = question_.objective;
  out.question.currency = question_.currency;
  out.question.today = question_.today;
  out.question.filter = question_.filter;
  out.question.alternatives = false;
  out.question.detailed = 1;
  for (const Said& one : said_) {
    const bool changed = std::any_of(changes.begin(), changes.end(),
                                     [&](const Alteration& change) { return change.input->key == one.input.key; });
    if (changed) continue;
    if (Status done = set(out, one.input, one.value); !done) return std::unexpected(done.error());
  }
  for (const Alteration& change : changes) {
    if (change.input->is_price()) continue;
    if (Status done = set(out, *change.input, change.text); !done) {
      done.error().where = change.input->key;
      return std::unexpected(done.error());
    }
  }
  return out;
}

void Asker::price(std::span<const Alteration> changes) {
  const bool any =
      std::any_of(changes.begin(), changes.end(), [](const Alteration& change) { return change.factor != 1; });
  if (!any && !repriced_) return;
  std::vector<catalog::Offer> offers = offers_;
  for (const Alteration& change : changes)
    for (const std::uint32_t index : change.input->offers) offers[index].amount *= change.factor;
  catalog_.replace_offers(std::move(offers));
  repriced_ = any;
}

/// What is known of machines, as far as it hangs on an input that is another now.
void Asker::forget(std::span<const Alteration> changes) {
  std::string but_rates, but_prices;
  known_->least_now = known_->most_now = 1;
  for (const Alteration& change : changes) {
    (change.factor < 1 ? known_->least_now : known_->most_now) *= change.factor;
    if (change.input->is_price()) continue;
    const std::string said = format("{}={}\n", change.input->key, change.text);
    but_prices += said;
    but_rates += change.input->key == "request_rate" ? change.input->key : said;
  }
  if (std::exchange(but_prices_, but_prices) != but_prices) known_->plans.clear();
  if (std::exchange(but_rates_, but_rates) == but_rates) return;
  known_->layouts.clear();
  known_->node_costs.clear();
}

Result<Advice> Asker::of_all(const std::vector<Question>& questions) {
  std::optional<Advice> merged;
  for (const Question& one : questions) {
    ++asked_;
    auto advice = recommend(one, catalog_, rules_, coefficients_);
    if (!advice) return advice;
    if (!merged) {
      merged = std::move(*advice);
      continue;
    }
    auto& all = merged->recommendations;
    std::move(advice->recommendations.begin(), advice->recommendations.end(), std::back_inserter(all));
    std::move(advice->rejected.begin(), advice->rejected.end(), std::back_inserter(merged->rejected));
    merged->newest_price_used = std::max(merged->newest_price_used, advice->newest_price_used);
    if (!merged->oldest_price_used.known() ||
        (advice->oldest_price_used.known() && advice->oldest_price_used < merged->oldest_price_used))
      merged->oldest_price_used = advice->oldest_price_used;
  }
  return std::move(*merged);
}

Result<Advice> Asker::recommended(const Scenario& scenario) {
  std::vector<Question> questions{scenario.question};
  if (scenario.gpus) questions = split_gpus(scenario.question, *scenario.gpus, catalog_);
  if (questions.size() > 1)
    for (Question& one : questions) one.best_only = nullptr;  // each of them has machines of its own
  if (questions.empty()) return usage_error(say("no instances make up {} GPUs", *scenario.gpus), "gpus");
  auto advice = of_all(questions);
  if (!advice) return advice;
  if (questions.size() == 1) return advice;
  for (Recommendation& one : advice->recommendations)
    std::erase_if(one.parts, [](const ScorePart& part) {
      return part.name == "cost" || part.name == "speed" || part.name == "headroom";
    });
  rank(advice->recommendations, advice->work, scenario.question.objective);
  return advice;
}

Outcome Asker::outcome_of(const Recommendation& candidate, const std::shared_ptr<const Advice>& advice,
                          const Scenario& scenario) const {
  Outcome out;
  out.best = candidate;
  out.offer = *candidate.offer;
  out.best.offer = nullptr;
  out.of = advice;
  const money::Duty& duty = scenario.question.duty;
  out.measure = measure_of(advice->work, duty.is_given());
  const money::Quote& cost = candidate.cost;
  if (duty.is_given())
    out.duty_factor =
        cost.paid.job.value_or(cost.paid.month) / (out.measure == Measure::monthly ? kHoursPerMonth : cost.worked);
  return out;
}

Result<Asker::Answer> Asker::ask(std::span<const Alteration> changes, bool every_candidate) {
  auto asked = scenario(changes);
  if (!asked) return std::unexpected(asked.error());
  if (changes.empty()) duty_ = asked->question.duty;
  price(changes);
  forget(changes);
  if (!every_candidate) asked->question.best_only = known_;
  auto found = recommended(*asked);
  if (found && found->recommendations.empty()) {  // the last winner may be any of its family
    asked->question.best_only = nullptr;
    asked->question.every_rejection = true;
    found = recommended(*asked);
  }
  if (!found) return std::unexpected(found.error());
  const std::vector<Recommendation> candidates = std::move(found->recommendations);
  found->recommendations.clear();  // what they point to moves with the prices
  if (!candidates.empty()) found->rejected.clear();
  const auto advice = std::make_shared<const Advice>(std::move(*found));
  Answer answer;
  if (candidates.empty()) {
    answer.best.of = advice;
    answer.best.measure = measure_of(advice->work, asked->question.duty.is_given());
    return answer;
  }
  answer.best = outcome_of(candidates.front(), advice, *asked);
  if (every_candidate)
    for (const Recommendation& one : candidates) answer.all.push_back(outcome_of(one, advice, *asked));
  return answer;
}

Outcome Asker::outcome(std::span<const Alteration> changes) {
  auto answer = ask(changes);
  if (answer) return std::move(answer->best);
  Outcome none;
  none.problem = answer.error();
  return none;
}

}  // namespace gpusel::answer
