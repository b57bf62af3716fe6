#include "answer/search/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "answer/estimate/inference_advice.hpp"
#include "answer/explain/admission_relax.hpp"
#include "answer/facts/facts_of.hpp"
#include "answer/search/known_machines.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using rules::Rule;

/// A change has to cost so much less to be worth a line.
constexpr double kClearlyCheaper = 0.97;
constexpr std::size_t kMostAlternatives = 4;
// Keys of JSON, whose words are said elsewhere.
constexpr std::string_view kOneUser = to_say("one user");
constexpr std::string_view kFullMachine = to_say("full machine");
/// Fewer nodes that keep the targets less often than this are none.
constexpr double kLeastChance = 0.5;
/// Targets that are kept more often than this need no further node.
constexpr double kSureChance = 0.95;

std::string machine_words(const Recommendation& r) {
  const std::string name = format("{} {}", r.instance->provider, printable(r.instance->sku));
  return r.machine().nodes > 1 ? format("{} × {}", r.machine().nodes, name) : name;
}

bool is_same_machine(const Recommendation& a, const Recommendation& b) {
  return a.instance == b.instance && a.machine().nodes == b.machine().nodes;
}

/// As people type it: the shortest of its spellings that is a word.
std::string spelled(std::string_view key, std::string_view aliases) {
  std::string_view best = key;
  for (const std::string_view alias : split(aliases, ' '))
    if (alias.size() > 1 && alias.size() < best.size()) best = alias;
  std::string flag = "--" + std::string(best);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

/// The flag with its value; a switch needs none.
std::string flag_text(std::string_view key, std::string_view value) {
  std::string flag;
  bool is_switch = false;
  if (const job::Limit* limit = job::find_limit(key)) {
    flag = spelled(key, limit->option.aliases);
    is_switch = limit->option.is_switch;
  } else {
    const auto* option = job::find_option(job::request_options(), key);
    flag = spelled(key, option != nullptr ? option->aliases : std::string_view());
    is_switch = option != nullptr && option->is_switch;
  }
  if (value.empty()) return say("without {}", flag);
  return is_switch && value == "true" ? flag : format("{} {}", flag, value);
}

/// "33 % less", "12 % more", "0.2 times as much": what is paid for the same work.
std::string saving_words(double ratio) {
  const double percent = 100 * std::abs(1 - ratio);
  if (percent < 0.5) return say("the same cost");
  return ratio < 1 ? say("{:.0f} % less", percent) : say("{:.0f} % more", percent);
}

/// What a term asks in return.
std::string term_risk(const Recommendation& r, const Advice& advice) {
  const money::Commitment& commitment = r.cost.commitment;
  const money::Quote& first = advice.recommendations.front().cost;
  if (r.offer->term == catalog::Term::spot) {
    if (!is_guess(*r.offer, advice.today)) return say("interruptible");
    const auto age = days_between(Date::from_packed(r.offer->as_of), advice.today);
    return age ? say("interruptible; price {} days old", *age) : say("interruptible; price without a date");
  }
  if (!commitment.is_promise()) return {};
  if (first.commitment.is_promise()) return say("{} months paid", human_number(commitment.hours / kHoursPerMonth));
  const double hours = r.cost.hourly * kHoursPerMonth / first.hourly;
  // A machine that costs more by the hour and less by its work saves however little it runs, but is paid throughout.
  return hours < kHoursPerMonth ? say("from {:.0f} h/month", hours)
                                : say("paid for {}", human_duration(seconds(commitment.hours * 3600)));
}

/// What a change costs beside money; `best` is what is rented then, `also` what has to be typed with it.
Alternative told(std::string key, std::string value, Recommendation best, const Job& work, const Advice& advice,
                 std::string risk, const std::string& also = {}) {
  Alternative out;
  out.key = std::move(key);
  out.value = std::move(value);
  out.flag = flag_text(out.key, out.value) + also;
  out.risk = std::move(risk);
  // What a term asks in return is said whatever was changed: another cloud may sell on another term.
  const bool same_term = !advice.recommendations.empty() && advice.recommendations.front().offer != nullptr &&
                         best.offer->term == advice.recommendations.front().offer->term;
  if (!same_term && !advice.recommendations.empty())
    if (const std::string term = term_risk(best, advice); !term.empty() && !out.risk.contains(term))
      out.risk += (out.risk.empty() ? "" : "; ") + term;
  const std::string price = say("{} {}/h", human_price(best.cost.hourly), advice.currency.code());
  std::string machine = machine_words(best);
  if (!advice.recommendations.empty()) {
    const Recommendation& first = advice.recommendations.front();
    out.ratio = printed_cost(best, work) / printed_cost(first, advice.work);
    if (is_same_machine(best, first) && best.region == first.region) machine = say("same machine");
  }
  out.message = format("{}: {}, {}", out.flag, machine, price);
  if (out.ratio) out.message += ", " + saving_words(*out.ratio);
  if (!out.risk.empty()) out.message += "; " + out.risk;
  out.best = std::move(best);
  return out;
}

/// What a ranked candidate costs, raised by what rules take off its score.
double judged_cost(const Recommendation& ranked, const Job& work) {
  double before_rules = 0;
  for (const ScorePart& part : ranked.parts)
    if (part.name == "cost" || part.name == "speed" || part.name == "headroom") before_rules += part.points;
  return order_cost(ranked, work) * before_rules / ranked.score;
}

/// What costs more is no alternative.
double useful_below(const Advice& advice) {
  if (advice.recommendations.empty()) return std::numeric_limits<double>::infinity();
  return judged_cost(advice.recommendations.front(), advice.work) * kClearlyCheaper;
}

/// Whether it is clearly cheaper than rank 1: by the price expected today, and by the printed one too, or it would not
/// look it.
bool is_cheaper(const Recommendation& r, const Job& work, const Advice& advice) {
  const Recommendation& first = advice.recommendations.front();
  if (r.cost.place_order().first && !first.cost.place_order().first) return false;  // a part of its cost is unknown
  const double printed = printed_cost(first, advice.work);
  return judged_cost(r, work) <= useful_below(advice) && printed_cost(r, work) <= printed * kClearlyCheaper;
}

/// The cheapest of a ranking that is clearly cheaper than rank 1; whatever is first where nothing is ranked, or where
/// more than cost puts it there. What may turn out to take more machines in simulation saves nothing for sure.
Recommendation* worthwhile(std::vector<Recommendation>& ranked, const Job& work, const Advice& advice,
                           const job::Objective& objective) {
  if (ranked.empty()) return nullptr;
  if (advice.recommendations.empty()) return &ranked.front();
  if (!is_by_cost(objective)) return is_cheaper(ranked.front(), work, advice) ? &ranked.front() : nullptr;
  const bool simulated = is_simulated(advice.recommendations.front());
  Recommendation* best = nullptr;
  double least = useful_below(advice);
  for (Recommendation& r : ranked) {
    if (!is_cheaper(r, work, advice) || (simulated && !is_simulated(r))) continue;
    const double cost = judged_cost(r, work);
    if (cost > least || (best != nullptr && cost == least)) continue;
    best = &r;
    least = cost;
  }
  return best;
}

/// What a machine that is rented for more costs at a lower rate.
Recommendation at_rate(const Step& of, double requests_per_s) {
  Recommendation out = of.best;
  catalog::Number& per_million = out.cost.per_million_tokens;
  if (per_million && requests_per_s > 0) per_million = *per_million * of.requests_per_s / requests_per_s;
  return out;
}

}  // namespace

OtherWays::Found OtherWays::ask(const Question& other, const std::vector<Rule>& rules, double ceiling) const {
  Found found;
  auto work = resolve_work(other.request, model_, context_.catalog);
  if (!work) return found;
  found.work = std::move(*work);
  const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter,
                              rules, context_.promises};
  found.ranked = CandidateSearch(context, found.work, CandidateSearch::Rejected::left_out).run({.ceiling = ceiling});
  rank(found.ranked, found.work, other.objective);
  return found;
}

OtherWays::Found OtherWays::ask(const Question& other, double ceiling) const {
  auto rules = job::limit_rules(other.constraints, context_.catalog);
  if (!rules) return {};
  rules->insert(rules->end(), shipped_.begin(), shipped_.end());
  return ask(other, *rules, ceiling);
}

std::string OtherWays::why_not(const catalog::Instance& instance, Question other) const {
  other.only = &instance;
  other.every_reason = true;
  other.best_only = nullptr;
  const auto work = resolve_work(other.request, model_, context_.catalog);
  auto rules = job::limit_rules(other.constraints, context_.catalog);
  if (!work || !rules) return {};
  rules->insert(rules->end(), shipped_.begin(), shipped_.end());
  const SearchContext context{other,           context_.catalog, context_.coefficients,
                              context_.quoter, *rules,           context_.promises};
  CandidateSearch search(context, *work);
  if (!search.run({}).empty()) return {};
  const std::vector<Rejection> rejected = search.take_rejections();
  return rejected.empty() ? std::string()
                          : say("not on {} {}: {} [{}]", instance.provider, printable(instance.sku),
                                rejected.front().message, rejected.front().rule);
}

/// Of formats of fewer bits the cheapest.
void OtherWays::change_precision(std::vector<Alternative>& out, const Advice& advice) const {
  const auto& job = advice.work.inference;
  const bool open =
      job.allow_precisions.empty() || std::ranges::find(job.allow_precisions, "official") != job.allow_precisions.end();
  if (advice.work.task != job::Task::inference || advice.work.counted || !job.weights_precision.empty() || !open)
    return;
  std::optional<Alternative> cheapest;
  for (const std::string_view format : physics::served_formats(job.engine)) {
    Question other = context_.question;
    if (!job::find_option(job::request_options(), "allow_precisions")->set(other.request, format)) continue;
    Found found = ask(other, useful_below(advice));
    Recommendation* best = worthwhile(found.ranked, found.work, advice, context_.question.objective);
    if (best == nullptr) continue;
    const std::string risk = say("check quality");
    // What the planner may choose among is one format: people ask for it by the plainer name.
    Alternative one = told("weights_precision", std::string(format), std::move(*best), found.work, advice, risk);
    if (!cheapest || one.ratio.value_or(one.best.cost.hourly) < cheapest->ratio.value_or(cheapest->best.cost.hourly))
      cheapest = std::move(one);
  }
  if (cheapest) out.push_back(std::move(*cheapest));
}

/// The smallest change that helps is the one to try.
void OtherWays::change_method(std::vector<Alternative>& out, const Advice& advice) const {
  if (advice.work.task != job::Task::finetune || advice.work.counted) return;
  const job::Method now = advice.work.training.method;
  for (const job::Method method : {job::Method::lora, job::Method::qlora}) {
    if (now != job::Method::full && !(now == job::Method::lora && method == job::Method::qlora)) continue;
    Question other = context_.question;
    other.request.method = method;
    Found found = ask(other, useful_below(advice));
    Recommendation* best = worthwhile(found.ranked, found.work, advice, context_.question.objective);
    if (best == nullptr) continue;
    const std::string risk =
        method == job::Method::lora ? say("trains adapters, not all weights") : say("trains adapters on 4-bit weights");
    return out.push_back(told("method", std::string(to_text(method)), std::move(*best), found.work, advice, risk));
  }
}

/// Images that are decoded on GPUs, or were decoded before.
void OtherWays::change_loader(std::vector<Alternative>& out, const Advice& advice) const {
  if (!advice.work.counted || advice.work.counted->loader != job::Loader::cpu) return;
  for (const job::Loader loader : {job::Loader::dali, job::Loader::preprocessed}) {
    Question other = context_.question;
    other.request.loader = loader;
    Found found = ask(other, useful_below(advice));
    Recommendation* best = worthwhile(found.ranked, found.work, advice, context_.question.objective);
    if (best == nullptr) continue;
    const std::string risk = loader == job::Loader::dali ? say("decodes on GPUs") : say("decode once, offline");
    return out.push_back(told("loader", std::string(to_text(loader)), std::move(*best), found.work, advice, risk));
  }
}

/// One that divides layers over GPUs, where nobody named one that does not.
void OtherWays::change_framework(std::vector<Alternative>& out, const Advice& advice) const {
  constexpr std::string_view kDivides = "megatron";
  const job::Training& training = advice.work.training;
  const bool assumed = context_.question.request.framework.empty();
  if (!job::is_training(advice.work.task) || advice.work.counted || !assumed || training.framework == kDivides ||
      training.method == job::Method::qlora)
    return;
  Question other = context_.question;
  other.request.framework = kDivides;
  Found found = ask(other, useful_below(advice));
  Recommendation* best = worthwhile(found.ranked, found.work, advice, context_.question.objective);
  if (best == nullptr) return;
  out.push_back(
      told("framework", std::string(kDivides), std::move(*best), found.work, advice, say("another training stack")));
}

/// Commitments that are used, and for work that can be interrupted spot.
void OtherWays::change_term(std::vector<Alternative>& out, const Advice& advice) const {
  Question other = context_.question;
  std::vector<std::string>& terms = other.constraints.terms;
  const std::vector<std::string> asked = std::exchange(terms, {});
  for (const std::string_view term : enum_names<catalog::Term>) {
    const bool interrupts = term == to_text(catalog::Term::spot) && !advice.work.ends();
    if (!interrupts && std::ranges::find(asked, term) == asked.end()) terms.emplace_back(term);
  }
  if (terms.empty()) return;
  Found found = ask(other, useful_below(advice));
  Recommendation* best = worthwhile(found.ranked, found.work, advice, context_.question.objective);
  if (best == nullptr) return;
  const std::string risk = term_risk(*best, advice);
  std::string term(to_text(best->offer->term));
  out.push_back(told("term", std::move(term), std::move(*best), found.work, advice, risk));
}

/// What a limit of place or seller keeps out.
void OtherWays::change_limit(std::vector<Alternative>& out, const Advice& advice, std::string_view key,
                             const std::string& risk) const {
  const job::Limit& limit = *job::find_limit(key);
  if (!limit.form.is_set(context_.question.constraints)) return;
  Question other = context_.question;
  limit.form.copy(other.constraints, {});
  Found found = ask(other, useful_below(advice));
  Recommendation* best = worthwhile(found.ranked, found.work, advice, context_.question.objective);
  if (best == nullptr) return;
  const rules::Facts facts =
      facts_to_pass(*best, found.work, context_.question, context_.catalog, context_.coefficients);
  const Change change = find_relaxation(key)->need({context_.question, *best, facts});
  out.push_back(told(std::string(key), change.value, std::move(*best), found.work, advice, risk));
}

/// One node more where the targets are not sure, one less where they are kept often enough all the same.
void OtherWays::change_nodes(std::vector<Alternative>& out, const Advice& advice) const {
  if (advice.recommendations.empty() || context_.question.constraints.nodes) return;
  const Recommendation& first = advice.recommendations.front();
  if (!first.in_time) return;
  const auto with = [&](int nodes, double confidence) {
    Question other = context_.question;
    other.only = first.instance;
    other.request.confidence = confidence;
    if (!job::find_limit("nodes")->option.set(other.constraints, format("{}", nodes))) return;
    Found found = ask(other);
    if (found.ranked.empty()) return;
    Recommendation& best = found.ranked.front();
    add_intervals(best, context_, found.work);
    if (best.machine().nodes != nodes || !best.in_time || *best.in_time < kLeastChance) return;
    const double chance = *best.in_time;
    if (nodes < first.machine().nodes && !is_cheaper(best, found.work, advice)) return;
    if (nodes > first.machine().nodes && chance <= *first.in_time) return;
    // What is typed has to give this machine.
    other.only = nullptr;
    other.best_only = std::make_shared<KnownMachines>();
    const Found open = ask(other);
    std::string also;
    if (open.ranked.empty() || open.ranked.front().instance != first.instance)
      also = format(" --instance {}/{}", first.instance->provider, first.instance->sku);
    if (chance < advice.work.confidence) also += format(" --confidence {:g}", confidence);
    out.push_back(told("nodes", format("{}", nodes), std::move(best), found.work, advice,
                       say("{} chance of meeting all targets", chance_words(chance)), also));
  };
  const int nodes = first.machine().nodes;
  if (*first.in_time < kSureChance) with(nodes + 1, advice.work.confidence);
  if (nodes > 1) with(nodes - 1, kLeastChance);
}

void OtherWays::find_alternatives(Advice& advice) const {
  std::vector<Alternative> all;
  change_precision(all, advice);
  change_method(all, advice);
  change_framework(all, advice);
  change_loader(all, advice);
  if (!advice.recommendations.empty()) {
    change_term(all, advice);
    change_limit(all, advice, "market", say("no SLA"));
    for (const std::string_view place : {"region", "residency", "cloud", "infra"}) change_limit(all, advice, place, {});
    change_nodes(all, advice);
  }
  std::ranges::stable_sort(all, {}, [](const Alternative& one) { return one.ratio.value_or(1); });
  std::vector<Alternative> kept;
  for (Alternative& one : all) {
    const bool known =
        std::ranges::any_of(kept, [&](const Alternative& other) { return is_same_machine(other.best, one.best); });
    if (!known && kept.size() < kMostAlternatives) kept.push_back(std::move(one));
  }
  std::ranges::move(kept, std::back_inserter(advice.alternatives));
}

void OtherWays::find_switch_loads(Advice& advice) const {
  auto& all = advice.recommendations;
  if (all.size() < 2 || advice.work.counted || !advice.work.inference.request_rate) return;
  if (Promises::speak_of(advice.work)) return;  // each load would have to be simulated
  const double load = *advice.work.inference.request_rate;
  const auto first_rows = std::span(all).first(std::min(all.size(), kRowsWithSwitch));
  const auto known = std::make_shared<KnownMachines>();
  // The nearest first, so that what is found stays.
  for (const double times : {1.5, 2.0, 3.0, 5.0, 10.0})
    for (const double rate : {load * times, load / times}) {
      Question other = context_.question;
      other.request.request_rate = rate;
      other.best_only = known;
      known->plans.clear();
      const Found found = ask(other);
      if (found.ranked.empty()) continue;
      const catalog::Instance* best = found.ranked.front().instance;
      for (Recommendation& r : first_rows)
        if (!r.switch_load && (r.instance == best) != (r.rank == 1)) r.switch_load = rate;
    }
}

void OtherWays::find_staircase(Advice& advice) const {
  const auto at_rates = std::make_shared<KnownMachines>();
  const auto step = [&](std::string load, std::optional<double> rate, std::optional<job::Mode> mode) {
    Question other = context_.question;
    other.request.request_rate = rate;
    other.request.mode = mode;
    other.best_only = rate ? at_rates : std::make_shared<KnownMachines>();
    other.best_only->plans.clear();
    Found found = ask(other);
    if (found.ranked.empty()) return;
    Recommendation& best = found.ranked.front();
    const physics::Plan& plan = best.plan();
    const double served = rate                 ? *rate
                          : found.work.counted ? plan.rate / found.work.counted->per_request
                                               : plan.sequences_per_s;
    std::string passed_over;
    if (const auto* before = rate && !advice.staircase.empty() ? advice.staircase.back().best.instance : nullptr;
        before != nullptr && before != best.instance)
      passed_over = why_not(*before, other);
    advice.staircase.push_back({std::move(load), served, std::move(best), std::move(passed_over)});
  };
  step(std::string(kOneUser), {}, job::Mode::single_stream);
  for (const double rate : {1.0, 10.0, 100.0}) step(format("{} req/s", human_number(rate)), rate, {});
  // Who pays by the hour has one user on whatever serves a request per second for less.
  if (advice.staircase.size() > 1 && advice.staircase[0].load == kOneUser &&
      advice.staircase[1].best.cost.hourly < advice.staircase[0].best.cost.hourly)
    advice.staircase[0].best = at_rate(advice.staircase[1], advice.staircase[0].requests_per_s);
  step(std::string(kFullMachine), {}, job::Mode::throughput);
}

}  // namespace gpusel::answer
