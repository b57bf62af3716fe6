#include "answer/search/recommend.hpp"

#include <algorithm>

#include "answer/estimate/inference_advice.hpp"
#include "answer/explain/admission_relax.hpp"
#include "answer/explain/decision.hpp"
#include "answer/facts/facts_of.hpp"
#include "answer/search/search.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using job::Request;
using rules::Effect;
using rules::Rule;

/// Another format has to cost so much less to be worth a line.
constexpr double kClearlyCheaper = 0.97;

std::string memory_reason(const Recommendation& candidate) {
  const double needed = in_gib(candidate.memory().total());
  const double usable = in_gib(candidate.machine().memory());
  if (candidate.memory().total().raw() <= 0) return {};
  if (candidate.machine().on_cpu()) return say("{:.1f} of {:.0f} GiB", needed, usable);
  return say("{:.0f} of {:.0f} GiB per GPU, {:.0f} GiB free", needed, usable, usable - needed);
}

void add_reasons(std::vector<Recommendation>& candidates, const Job& work, std::size_t detailed) {
  if (candidates.empty()) return;
  double cheapest = cost_measure(candidates.front().cost, work);
  double fastest = 0;
  for (const Recommendation& c : candidates) {
    cheapest = std::min(cheapest, cost_measure(c.cost, work));
    fastest = std::max(fastest, speed_measure(c, work));
  }
  for (Recommendation& c : candidates) {
    if (detailed > 0 && static_cast<std::size_t>(c.rank) > detailed) break;
    const double ratio = cost_measure(c.cost, work) / cheapest;
    c.reasons.push_back(ratio <= 1 ? say("lowest cost") : say("{:.2f} times the lowest cost", ratio));
    const double share = speed_measure(c, work) / fastest;
    const bool at_rate = work.inference.request_rate.has_value();
    const bool enough = work.counted && work.counted->demand;  // more than is asked for is no merit
    if (enough)
      c.reasons.push_back(
          say("{} asked for, {} possible", human_number(*work.counted->demand), human_number(c.plan().rate)));
    else if (share >= 0.9995)
      c.reasons.push_back(at_rate ? say("soonest answers") : say("fastest"));
    else
      c.reasons.push_back(at_rate ? say("answers take {:.2f} times the shortest", 1 / share)
                                  : say("{:.0f} % of the fastest", 100 * share));
    if (std::string memory = memory_reason(c); !memory.empty()) c.reasons.push_back(std::move(memory));
    c.reasons.push_back(say("bound by {}", say_name(c.plan().bound_by)));
    if (const auto& fewest = c.planned->fewest)
      c.reasons.push_back(say("{} nodes would do, in {:.2f} times the node hours", fewest->nodes, fewest->node_time));
  }
}

/// One step towards a smaller need, per task and method: what people try next.
struct Variation {
  std::string_view key;
  std::string_view value;
};

std::vector<Variation> changes_for(const Job& work) {
  if (work.task == job::Task::finetune) {
    switch (work.training.method) {
      case job::Method::full: return {{"method", "lora"}, {"method", "qlora"}};
      case job::Method::lora: return {{"method", "qlora"}};
      default: return {};
    }
  }
  std::vector<Variation> formats;
  if (work.counted) return formats;
  const auto& job = work.inference;
  if (work.task == job::Task::inference && job.weights_precision.empty() && job.allow_precisions.empty())
    for (const std::string_view name : physics::served_formats(job.engine))
      formats.push_back({"allow_precisions", name});
  return formats;
}

class Adviser {
 public:
  Adviser(const Question& question, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
          const money::Quoter& quoter, std::vector<Rule> limits, std::span<const Rule> rules)
      : question_(question),
        limits_(std::move(limits)),
        rules_(limits_),
        context_{question, catalog, coefficients, quoter, {}} {
    rules_.insert(rules_.end(), rules.begin(), rules.end());
    context_.rules = rules_;
  }

  Result<Advice> run(const FoundModel& model) {
    Advice advice;
    auto work = resolve_work(question_.request, model, context_.catalog);
    if (!work) return std::unexpected(work.error());
    advice.own_model = model.own;
    advice.work = std::move(*work);
    advice.assumed = advice.work.assumed;
    advice.notes = advice.work.notes;
    advice.duty = question_.duty;
    advice.extras = question_.extras;
    if (model.own) note_reading(*model.own, advice.notes);
    advice.currency = context_.quoter.converter().currency();
    if (Status legal = check_formats(advice.work); !legal) return std::unexpected(legal.error());
    note_assumed_limits(advice);
    CandidateSearch search(context_, advice.work);
    advice.recommendations = search.run();
    advice.rejected = search.take_rejections();
    advice.shapes = search.shapes();
    rank(advice.recommendations, advice.work, question_.objective);
    add_reasons(advice.recommendations, advice.work, question_.detailed);
    for (Recommendation& candidate : advice.recommendations)
      if (is_detailed(candidate)) {
        add_remarks(candidate, context_, advice.work);
        add_intervals(candidate, context_, advice.work);
      }
    note_spares(advice);
    note_nodes(advice);
    note_dates(advice);
    advice.decision = decision_path(advice, search.fallen(), context_);
    if (!question_.alternatives) return advice;
    if (advice.recommendations.empty()) {
      note_illegal_plan(advice);
      find_relaxations(advice);
    }
    if (advice.recommendations.empty()) find_nearest_latency(model, advice);
    find_alternatives(model, advice);
    find_sellers(search, advice);
    return advice;
  }

 private:
  bool is_detailed(const Recommendation& candidate) const {
    return question_.detailed == 0 || static_cast<std::size_t>(candidate.rank) <= question_.detailed;
  }

  static Status check_formats(const Job& work) {
    for (const std::string& name : work.inference.allow_precisions)
      if (const auto format = physics::weight_format(name); !format && name != "any" && name != "native") {
        Error unknown = format.error();
        unknown.where = "allow_precisions";
        return std::unexpected(std::move(unknown));
      }
    if (work.inference.weights_precision.empty()) return {};
    const auto format = physics::weight_format(work.inference.weights_precision);
    return format ? Status{} : std::unexpected(format.error());
  }

  void note_assumed_limits(Advice& advice) const {
    std::ranges::move(job::assumed_limits(question_.constraints), std::back_inserter(advice.assumed));
    std::ranges::move(job::taken_places(question_.constraints, context_.catalog), std::back_inserter(advice.assumed));
    if (!advice.work.min_fit) advice.assumed.push_back({"min_fit", context_.coefficients.min_fit.value});
    if (advice.work.inference.request_rate && !question_.request.max_load)
      advice.assumed.push_back({"max_load", advice.work.inference.max_load});
    const bool whole_month = !advice.work.ends() && !question_.duty.is_given();
    if (const auto& counted = advice.work.counted) {
      if (whole_month) advice.assumed.push_back({"hours", kHoursPerMonth});
      if (counted->demand && !counted->unit.at_once() && !question_.request.max_load)
        advice.assumed.push_back({"max_load", counted->max_load});
      return;
    }
    if (!question_.request.request_rate && whole_month) advice.assumed.push_back({"hours", kHoursPerMonth});
  }

  /// What was pinned may hold on no machine at all.
  static void note_illegal_plan(Advice& advice) {
    const auto illegal = std::find_if(advice.rejected.begin(), advice.rejected.end(),
                                      [](const Rejection& rejection) { return rejection.rule == "no-legal-plan"; });
    if (illegal != advice.rejected.end()) advice.notes.push_back(illegal->message);
  }

  /// Who has fewer machines, or wants it sooner, has to know that the number was chosen.
  static void note_nodes(Advice& advice) {
    const auto spread = [](const Recommendation& r) { return r.planned->fewest.has_value(); };
    if (std::ranges::any_of(advice.recommendations, spread))
      advice.notes.push_back(
          say("where more nodes than needed cost less in all they are taken; --max-nodes and --nodes set the number"));
  }

  static void note_spares(Advice& advice) {
    const auto spare = advice.work.inference.redundancy;
    if (spare <= 0 || advice.recommendations.empty()) return;
    advice.notes.push_back(
        spare == 1 ? say("speed and latency are those of the working instances: they hold while 1 is out")
                   : say("speed and latency are those of the working instances: they hold while {} are out", spare));
  }

  void note_dates(Advice& advice) const {
    advice.newest_price = context_.catalog.newest_price();
    for (const Recommendation& candidate : advice.recommendations) {
      const Date date = Date::from_packed(candidate.offer->as_of);
      if (date.known() && (!advice.oldest_price_used.known() || date < advice.oldest_price_used))
        advice.oldest_price_used = date;
      advice.newest_price_used = std::max(advice.newest_price_used, date);
    }
  }

  /// The same question with one thing changed. Of methods the first whose best answer is much cheaper, or the only one:
  /// the smallest change that helps is the one to try. Of formats each that changes the winner.
  void find_alternatives(const FoundModel& model, Advice& advice) const {
    for (const Variation& change : changes_for(advice.work)) {
      auto found = alternative(change, model, advice);
      if (!found) continue;
      advice.alternatives.push_back(std::move(*found));
      if (job::is_training(advice.work.task)) return;
    }
  }

  /// Who is kept out by default for whom he is, where that costs money: the best of them, and how to admit them.
  void find_sellers(const CandidateSearch& search, Advice& advice) const {
    const job::Limit& market = *job::find_limit("market");
    if (advice.recommendations.empty() || market.is_given(question_.constraints)) return;
    std::vector<const catalog::Instance*> kept_out;
    for (const RejectedInstance& fallen : search.fallen())
      if (fallen.rule == market.option.key) kept_out.push_back(fallen.instance);
    if (kept_out.empty()) return;
    std::vector<Rule> rest;
    std::ranges::copy_if(rules_, std::back_inserter(rest),
                         [&](const Rule& rule) { return rule.id != market.option.key; });
    Question other = question_;
    market.form.copy(other.constraints, {});
    const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter, rest};
    std::vector<Recommendation> found = CandidateSearch(context, advice.work).run();
    rank(found, advice.work, question_.objective);
    std::ranges::sort(kept_out);
    const auto best = std::ranges::find_if(
        found, [&](const Recommendation& r) { return std::ranges::binary_search(kept_out, r.instance); });
    if (best == found.end()) return;
    const double ratio =
        cost_measure(best->cost, advice.work) / cost_measure(advice.recommendations.front().cost, advice.work);
    if (ratio >= 1) return;
    Alternative out;
    out.key = market.option.key;
    out.value = "true";
    out.message = say(
        "--market true: {} instances of marketplaces, community hosts or clouds that may not serve you are kept out; "
        "the best of them, {} {} at {} {}/h, costs {:.2f} times as much as rank 1",
        kept_out.size(), best->instance->provider, best->instance->sku, human_price(best->cost.hourly),
        advice.currency.code(), ratio);
    out.best = std::move(*best);
    advice.alternatives.push_back(std::move(out));
  }

  std::optional<Alternative> alternative(const Variation& change, const FoundModel& model, const Advice& advice) const {
    const bool none = advice.recommendations.empty();
    Question other = question_;  // NOLINT(misc-const-correctness): the option below writes into it
    const auto* option = job::find_option(job::request_options(), change.key);
    if (option == nullptr || !option->set(other.request, change.value)) return std::nullopt;
    // A smaller need never takes more nodes than the one that was enough.
    const bool one_node = !none && advice.recommendations.front().machine().nodes == 1;
    if (one_node && !other.request.request_rate) other.constraints.max_nodes = 1;
    auto work = resolve_work(other.request, model, context_.catalog);
    if (!work) return std::nullopt;
    const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter, rules_};
    std::vector<Recommendation> found = CandidateSearch(context, *work, CandidateSearch::Rejected::left_out).run();
    if (found.empty()) return std::nullopt;
    rank(found, *work, question_.objective);
    const auto best = std::find_if(found.begin(), found.end(), [&](const Recommendation& other_way) {
      return none || worth_saying(other_way, *work, advice);
    });
    if (best == found.end()) return std::nullopt;
    Alternative out;
    // What the planner may choose among is one format: people ask for it by the plainer name.
    out.key = change.key == "allow_precisions" ? "weights_precision" : change.key;
    out.value = change.value;
    out.best = std::move(*best);
    out.message = message_for({out.key, out.value}, out.best, *work, advice);
    return out;
  }

  /// Fewer GPUs for no more money, or half the money; of formats any other winner.
  static bool worth_saying(const Recommendation& other, const Job& work, const Advice& advice) {
    const Recommendation& best = advice.recommendations.front();
    const double ratio = cost_measure(other.cost, work) / cost_measure(best.cost, advice.work);
    if (!job::is_training(work.task)) {
      const bool same = other.instance == best.instance && other.machine().nodes == best.machine().nodes;
      return !same && ratio <= kClearlyCheaper;
    }
    return ratio <= 0.5 || (ratio <= 1 && other.machine().gpus() < best.machine().gpus());
  }

  /// When nothing meets the latency targets: what comes nearest to them.
  void find_nearest_latency(const FoundModel& model, Advice& advice) const {
    const auto& job = advice.work.inference;
    const auto targets = physics::latency_targets();
    const auto first =
        std::ranges::find_if(targets, [&](const auto& target) { return (job.*target.asked).has_value(); });
    if (first == targets.end()) return;
    Question other = question_;
    for (const physics::LatencyTarget& target : targets) (other.request.*target.given).reset();
    other.request.strict_slo.reset();
    other.request.slo_percentile.reset();
    auto work = resolve_work(other.request, model, context_.catalog);
    if (!work) return;
    if (!job.request_rate && !job.concurrency) work->inference.concurrency = 1;
    const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter, rules_};
    std::vector<Recommendation> found = CandidateSearch(context, *work).run();
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
    alternative.value = format("{:.0f}", in_ms(first->reached(speed, job.slo_percentile)));
    alternative.message = say(
        "nearest to the latency targets: {} {} at {} {}/h, with {:.0f} ms to the first token and {:.1f} ms between "
        "tokens",
        nearest->instance->provider, nearest->instance->sku, human_price(nearest->cost.hourly), advice.currency.code(),
        in_ms(speed.ttft_within(job.slo_percentile)), in_ms(speed.itl_within(job.slo_percentile)));
    alternative.best = std::move(*nearest);
    advice.alternatives.push_back(std::move(alternative));
  }

  /// When nothing meets all limits: the answer without each one of them in turn.
  void find_relaxations(Advice& advice) const {
    std::vector<std::string> tried;
    const auto rejects = [&](const Rule& limit) {
      return std::any_of(advice.rejected.begin(), advice.rejected.end(),
                         [&](const Rejection& rejection) { return rejection.rule == limit.id; });
    };
    for (const Rule& limit : limits_) {
      const job::Limit& row = *job::find_limit(limit.id);
      const bool nobody_asked = row.also.tacit && !row.is_given(question_.constraints);
      if (!rejects(limit) || nobody_asked) continue;
      if (std::find(tried.begin(), tried.end(), limit.id) != tried.end()) continue;
      tried.push_back(limit.id);
      std::vector<Rule> rest;
      std::copy_if(rules_.begin(), rules_.end(), std::back_inserter(rest),
                   [&](const Rule& rule) { return rule.id != limit.id || rule.source != limit.source; });
      Question other = question_;
      row.form.copy(other.constraints, {});
      const SearchContext context{other, context_.catalog, context_.coefficients, context_.quoter, rest};
      std::vector<Recommendation> found = CandidateSearch(context, advice.work).run();
      if (found.empty()) continue;
      rank(found, advice.work, question_.objective);
      Alternative alternative;
      alternative.key = limit.id;
      // The nearest price is what answers somebody who named one.
      const auto nearest = std::min_element(found.begin(), found.end(),
                                            [](const auto& a, const auto& b) { return a.cost.hourly < b.cost.hourly; });
      alternative.best = std::move(row.also.nearest_price ? *nearest : found.front());
      alternative.message =
          say("{}: {} {} at {} {}/h", needed(limit, alternative.best, advice.work), alternative.best.instance->provider,
              alternative.best.instance->sku, human_price(alternative.best.cost.hourly), advice.currency.code());
      advice.alternatives.push_back(std::move(alternative));
    }
    if (advice.alternatives.empty() && tried.size() > 1) {
      std::string list;
      for (const std::string& id : tried) list += (list.empty() ? "--" : ", --") + id;
      advice.notes.push_back(say("no single limit is to blame: {} rule everything out together", list));
    }
  }

  /// The limit as it would have to be given for this answer, or without it.
  std::string needed(const Rule& limit, const Recommendation& best, const Job& work) const {
    const Relaxation* relaxation = find_relaxation(limit.id);
    if (relaxation == nullptr) return say("without --{}", limit.id);
    const rules::Facts facts = facts_of(best, work, question_, context_.catalog, context_.coefficients);
    return change_text(relaxation->need({question_, best, facts}));
  }

  std::string message_for(const Variation& change, const Recommendation& best, const Job& work,
                          const Advice& advice) const {
    std::string flag(change.key);
    std::replace(flag.begin(), flag.end(), '_', '-');
    std::string line = say("--{} {} fits {} × {}: {} {} at {} {}/h", flag, change.value, best.machine().gpus(),
                           best.gpu->name, best.instance->provider, best.instance->sku, human_price(best.cost.hourly),
                           context_.quoter.converter().currency().code());
    if (job::is_training(work.task)) return line;
    line += say("; {}", arithmetic_text(*best.plan().layout.weights, best.machine().device));
    if (!advice.recommendations.empty())
      line += say(", {:.2f} × the cost",
                  cost_measure(best.cost, work) / cost_measure(advice.recommendations.front().cost, advice.work));
    return line;
  }

  const Question& question_;
  std::vector<Rule> limits_;  // of the command line
  std::vector<Rule> rules_;   // limits first, then the shipped and the user's
  SearchContext context_;
};

}  // namespace

void add_remarks(Recommendation& candidate, const SearchContext& context, const Job& work) {
  if (candidate.plan().training) {
    const physics::Layout& layout = candidate.plan().layout;
    if (const auto needed = physics::framework_for(work, layout); needed != work.training.framework)
      candidate.remarks.push_back({"framework", Effect::note, framework_note(work.training.framework, needed), {}});
    if (std::string other = physics::batch_note(work, layout); !other.empty())
      candidate.remarks.push_back({"batch", Effect::note, std::move(other), {}});
  }
  rules::Facts facts = facts_of(candidate, work, context.question, context.catalog, context.coefficients);
  candidate.fit = judge_fit(context.rules, facts);
  facts.set(rules::Fact::fit, to_text(candidate.fit.verdict));
  for (const Rule& rule : context.rules) {
    const bool speaks = rule.effect == Effect::warn || rule.effect == Effect::note || rule.effect == Effect::adjust;
    if (speaks && rules::fires(rule, facts))
      candidate.remarks.push_back({rule.id, rule.effect, rules::verdict(rule, facts).message, rule.source});
  }
  std::stable_sort(candidate.remarks.begin(), candidate.remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.severity < b.severity; });
}

Result<Advice> recommend(const Question& question, const catalog::Catalog& catalog, std::span<const Rule> rules,
                         const physics::Coefficients& coefficients) {
  if (!question.request.task)
    return usage_error(say("say what is to be done"), "task",
                       say("--task pretrain, finetune, inference, render, simulate, transcode or preprocess"));
  auto model = find_model(question.request, catalog);
  if (!model) return std::unexpected(model.error());
  Question asked = question;
  const bool pretraining =
      question.request.task == job::Task::pretrain && !job::is_counted(question.request, model->model);
  job::assume_usual(asked.constraints, pretraining ? job::Usual::pretraining : job::Usual::job);
  auto limits = job::limit_rules(asked.constraints, catalog);
  if (!limits) return std::unexpected(limits.error());
  if (Status possible = money::check(question.duty); !possible) return std::unexpected(possible.error());
  if (const std::string clash = job::contradiction(question.constraints, catalog); !clash.empty())
    return std::unexpected(Error{ErrorKind::unsatisfied, clash, {}, {}});
  auto converter = money::Converter::into(question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  const auto& weights = question.objective.weights;
  if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](const auto& w) { return w.second <= 0; }))
    return usage_error(say("all weights are zero"), "--weight", say("give one of cost, speed and headroom some"));
  const money::Quoter quoter(catalog, coefficients, *converter);
  return Adviser(asked, catalog, coefficients, quoter, std::move(*limits), rules).run(*model);
}

}  // namespace gpusel::answer
