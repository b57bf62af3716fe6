#include "advise/whatif_ask.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "advise/search.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/cost/terms.hpp"
#include "gpusel/workload/limits.hpp"

namespace gpusel::advise {

namespace {

using workload::Workload;

bool ends(const Workload& work) {
  if (work.counted) return work.counted->things.has_value();
  return workload::is_training(work.task) || work.inference.tokens.has_value();
}

/// Whether cost is by the hour: prototyping, or a load to hold.
bool by_the_hour(const Workload& work) {
  if (work.profile == workload::Profile::dev || work.inference.request_rate) return true;
  return work.counted && work.counted->demand;
}

Measure measure_of(const Workload& work, bool has_duty) {
  if (by_the_hour(work)) return has_duty ? Measure::monthly : Measure::hourly;
  if (ends(work)) return Measure::total;
  return work.counted ? Measure::per_unit : Measure::per_million_tokens;
}

/// What is paid for over what the plain figure takes for granted: every hour of the month, all of it used.
double duty_factor(const cost::Duty& duty, const catalog::Offer& offer, const catalog::Catalog& catalog,
                   Measure measure) {
  const auto provider = catalog.provider(catalog.instances()[offer.instance].provider);
  const cost::Billing billing = cost::billing_of(provider ? *provider : nullptr);
  const double paid = cost::paid_hours(cost::commitment_of(offer.term), duty, billing, {}).month;
  return paid / (measure == Measure::monthly ? kHoursPerMonth : duty.used_per_month());
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

std::vector<std::string> terms_of(const workload::Constraints& limits) {
  const bool any = std::find(limits.terms.begin(), limits.terms.end(), "any") != limits.terms.end();
  if (!any) return limits.terms;
  return {enum_names<catalog::Term>.begin(), enum_names<catalog::Term>.end()};
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

/// One question for each term: on its own hours, each may be the cheapest.
std::vector<Question> split_terms(const std::vector<Question>& questions) {
  std::vector<Question> out;
  for (const Question& question : questions) {
    const auto terms = terms_of(question.constraints);
    if (terms.size() < 2) out.push_back(question);
    for (std::size_t i = 0; i < terms.size() && terms.size() > 1; ++i) {
      out.push_back(question);
      out.back().constraints.terms = {terms[i]};
    }
  }
  return out;
}

void scale(cost::JobCost& cost, double factor) {
  cost.hourly *= factor;
  if (cost.per_million_tokens) *cost.per_million_tokens *= factor;
  if (cost.per_unit) *cost.per_unit *= factor;
}

}  // namespace

double Outcome::cost_in(Measure wanted) const {
  switch (wanted) {
    case Measure::total: return best.cost.total;
    case Measure::hourly: return best.cost.hourly;
    case Measure::monthly: return best.cost.hourly * kHoursPerMonth * duty_factor;
    case Measure::per_million_tokens: return best.cost.per_million_tokens.value_or(best.cost.total) * duty_factor;
    case Measure::per_unit: return best.cost.per_unit.value_or(best.cost.total) * duty_factor;
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
    const workload::Limit* limit = workload::find_limit(one.rule);
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
             const estimate::Coefficients& coefficients)
    : question_(question),
      catalog_(catalog),
      rules_(rules),
      coefficients_(coefficients),
      offers_(catalog.offers().begin(), catalog.offers().end()) {
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
    scenario.has_duty = true;
    scenario.duty.given.push_back(input.duty->key);
    return input.duty->set(scenario.duty, text);
  }
  return workload::assign(text, scenario.gpus, workload::kCount);
}

Result<Asker::Scenario> Asker::scenario(std::span<const Alteration> changes) const {
  Scenario out;
  out.question.objective = question_.objective;
  out.question.currency = question_.currency;
  out.question.today = question_.today;
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
  if (questions.empty()) return usage_error(say("no instances make up {} GPUs", *scenario.gpus), "gpus");
  if (scenario.has_duty) questions = split_terms(questions);
  auto advice = of_all(questions);
  if (!advice || (questions.size() == 1 && !scenario.has_duty)) return advice;
  const Measure measure = measure_of(advice->work, scenario.has_duty);
  if (scenario.has_duty && measure == Measure::total)
    return usage_error(say("a duty cycle is of a service that runs on, and this job ends"),
                       std::string(scenario.duty.given.front()));
  // Ranked by what each costs on its own hours; the figures are put back after that.
  std::vector<Recommendation>& all = advice->recommendations;
  const auto factor = [&](const Recommendation& r) {
    return scenario.has_duty ? duty_factor(scenario.duty, *r.offer, catalog_, measure) : 1;
  };
  for (Recommendation& one : all) {
    std::erase_if(one.parts, [](const ScorePart& part) {
      return part.name == "cost" || part.name == "speed" || part.name == "headroom";
    });
    scale(one.cost, factor(one));
  }
  rank(all, advice->work, scenario.question.objective);
  for (Recommendation& one : all) scale(one.cost, 1 / factor(one));
  return advice;
}

Outcome Asker::outcome_of(const Recommendation& candidate, const std::shared_ptr<const Advice>& advice,
                          const Scenario& scenario) const {
  Outcome out;
  out.best = candidate;
  out.offer = *candidate.offer;
  out.best.offer = nullptr;
  out.of = advice;
  out.measure = measure_of(advice->work, scenario.has_duty);
  if (scenario.has_duty) out.duty_factor = duty_factor(scenario.duty, out.offer, catalog_, out.measure);
  return out;
}

Result<Asker::Answer> Asker::ask(std::span<const Alteration> changes, bool every_candidate) {
  auto asked = scenario(changes);
  if (!asked) return std::unexpected(asked.error());
  if (changes.empty()) duty_ = asked->duty;
  price(changes);
  auto found = recommended(*asked);
  if (found && found->recommendations.empty()) {  // the last winner may be any of its family
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
    answer.best.measure = measure_of(advice->work, asked->has_duty);
    return answer;
  }
  answer.best = outcome_of(candidates.front(), advice, *asked);
  Recommendation& best = answer.best.best;
  best.intervals = intervals_for(advice->work, best.machine(), best.choice(), coefficients_);
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

}  // namespace gpusel::advise
