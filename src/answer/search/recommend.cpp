#include "answer/search/recommend.hpp"

#include <algorithm>
#include <cmath>

#include "answer/explain/decision.hpp"
#include "answer/facts/facts_of.hpp"
#include "answer/facts/limits.hpp"
#include "answer/lists/offer_filter.hpp"
#include "answer/lists/slices.hpp"
#include "answer/search/alternatives.hpp"
#include "answer/search/evidence.hpp"
#include "answer/search/search.hpp"
#include "base/text/joined.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "job/limits/limits.hpp"
#include "job/processor.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using job::Request;
using rules::Effect;
using rules::Rule;

std::string memory_reason(const Recommendation& candidate) {
  const double needed = in_gib(candidate.plan().memory_needed());
  const double usable = in_gib(candidate.machine().memory());
  if (candidate.memory().total().raw() <= 0) return {};
  if (candidate.machine().on_cpu()) return say("{:.1f} of {:.0f} GiB", needed, usable);
  return say("{:.0f} of {:.0f} GiB per GPU, {:.0f} GiB free", needed, usable, usable - needed);
}

/// One digit behind the point below ten, none above.
std::string times_text(double ratio) { return ratio < 9.95 ? format("{:.1f}", ratio) : format("{:.0f}", ratio); }

/// The order goes by prices estimated for today: that is said where the printed ones give another ratio.
std::string cost_reason(double ratio, double printed_ratio) {
  constexpr double kVisible = 0.005, kTimes = 3;
  if (ratio <= 1) return say("lowest cost");
  if (ratio - 1 < kVisible) return say("about the lowest cost");
  const std::string more = ratio < kTimes ? say("{:.0f} % more than the lowest cost", 100 * (ratio - 1))
                                          : say("{}× the lowest cost", times_text(ratio));
  return std::abs(printed_ratio - ratio) < kVisible ? more : say("{}, prices estimated for today", more);
}

void add_reasons(std::vector<Recommendation>& candidates, const Job& work, std::size_t detailed) {
  if (candidates.empty()) return;
  const auto cheapest =
      std::ranges::min_element(candidates, {}, [&](const Recommendation& c) { return order_cost(c, work); });
  double fastest = 0;
  for (const Recommendation& c : candidates) {
    fastest = std::max(fastest, speed_measure(c, work));
  }
  for (Recommendation& c : candidates) {
    if (detailed > 0 && static_cast<std::size_t>(c.rank) > detailed &&
        (c.row == 0 || static_cast<std::size_t>(c.row) > detailed))
      continue;
    const double ratio = order_cost(c, work) / order_cost(*cheapest, work);
    c.reasons.push_back(cost_reason(ratio, printed_cost(c, work) / printed_cost(*cheapest, work)));
    const double share = speed_measure(c, work) / fastest;
    const bool at_rate = work.inference.request_rate.has_value();
    const bool enough = work.counted && work.counted->demand;  // more than is asked for is no merit
    if (enough)
      c.reasons.push_back(
          say("{} needed, {} possible", human_number(*work.counted->demand), human_number(c.plan().rate)));
    else if (share >= 0.9995)
      c.reasons.push_back(at_rate ? say("lowest latency") : say("fastest"));
    else
      c.reasons.push_back(at_rate ? say("latency {}× the lowest", times_text(1 / share))
                                  : say("{:.0f} % of the highest speed", 100 * share));
    if (std::string memory = memory_reason(c); !memory.empty()) c.reasons.push_back(std::move(memory));
    c.reasons.push_back(say("{} bound", say_name(c.plan().bound_by)));
    if (const auto& fewest = c.planned->fewest)
      c.reasons.push_back(say("{} nodes would be enough, at {:.2f}× the node hours", fewest->nodes, fewest->node_time));
  }
}

class Adviser {
 public:
  Adviser(const Question& question, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
          const money::Quoter& quoter, std::vector<Rule> limits, std::span<const Rule> rules, job::Assumptions assumed,
          std::optional<AskedLoad> load)
      : question_(question),
        limits_(std::move(limits)),
        rules_(limits_),
        shipped_(rules),
        load_(std::move(load)),
        promises_(coefficients, load_ ? &*load_ : nullptr, question.request.request_rate.value_or(1)),
        context_{question, catalog, coefficients, quoter, {}, &promises_},
        assumed_(std::move(assumed)) {
    rules_.insert(rules_.end(), rules.begin(), rules.end());
    context_.rules = rules_;
  }

  Result<Advice> run(const FoundModel& model, bool no_load) {
    Advice advice;
    auto work = resolve_work(question_.request, model, context_.catalog);
    if (!work) return std::unexpected(work.error());
    if (Status ends = check_end(question_, *work); !ends) return std::unexpected(ends.error());
    advice.own_model = model.own;
    advice.work = std::move(*work);
    if (load_) {
      const LoadQuestion& asked = question_.load;
      advice.work.inference.askers = {asked.traffic, asked.users ? asked.users : asked.sessions,
                                      asked.think_s.value_or(0)};
    }
    advice.assumed = assumed_;
    advice.given = question_.request.typed;
    for (const std::string_view key : {"task", "model"}) advice.given.erase(std::string(key));
    std::ranges::copy(advice.work.assumed, std::back_inserter(advice.assumed));
    advice.notes = advice.work.notes;
    if (load_) std::ranges::copy(load_->notes, std::back_inserter(advice.notes));
    advice.load = load_;
    advice.duty = question_.duty;
    advice.extras = question_.extras;
    advice.today = question_.today;
    advice.target = question_.target;
    if (model.own) note_reading(*model.own, advice.notes);
    advice.currency = context_.quoter.converter().currency();
    if (Status legal = check_formats(advice.work); !legal) return std::unexpected(legal.error());
    note_assumed_limits(advice);
    advice.named_clouds = named_clouds(question_.constraints, context_.catalog);
    using Rejected = CandidateSearch::Rejected;
    CandidateSearch search(context_, advice.work, question_.best_only ? Rejected::left_out : Rejected::kept);
    advice.recommendations = search.run({.rows = rows_asked()});
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
    note_unpriced_terms(advice);
    note_unsold_gpus(advice);
    note_dates(advice);
    advice.decision = decision_path(advice, search.fallen(), context_);
    if (!question_.alternatives) return advice;
    add_switch_points(advice);
    for (Recommendation& candidate : advice.recommendations)
      if (!is_detailed(candidate) && candidate.rank <= kRanksOfEvidence)
        add_intervals(candidate, context_, advice.work);
    advice.evidence = evidence_of(advice, context_);
    const OtherWays ways(context_, limits_, shipped_, model);
    if (advice.recommendations.empty()) {
      note_illegal_plan(advice);
      std::ranges::move(
          slice_notes(question_.constraints, advice.currency, question_.today, context_.catalog, context_.coefficients),
          std::back_inserter(advice.notes));
      std::ranges::move(
          excluding_pairs(question_.constraints, limits_, context_.catalog, context_.coefficients, question_.today),
          std::back_inserter(advice.notes));
      ways.find_relaxations(advice);
      ways.find_nearest_latency(advice);
    }
    ways.find_alternatives(advice);
    ways.find_switch_loads(advice);
    if (no_load) ways.find_staircase(advice);
    return advice;
  }

 private:
  bool is_detailed(const Recommendation& candidate) const {
    const auto among = [&](int place) { return place > 0 && static_cast<std::size_t>(place) <= question_.detailed; };
    return question_.detailed == 0 || among(candidate.rank) || among(candidate.row);
  }

  /// Rows whose figures people act on. Never more than these are simulated, so that a rank is the same machine however
  /// many are listed.
  std::size_t rows_asked() const {
    constexpr std::size_t kUsual = 10;
    return question_.detailed == 0 ? kUsual : std::min(question_.detailed, kUsual);
  }

  static Status check_formats(const Job& work) {
    for (const std::string& name : work.inference.allow_precisions)
      if (const auto format = physics::weight_format(name);
          !format && name != "any" && name != "native" && name != "official") {
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
    // Who names a marketplace does not leave it out.
    const auto is_market = [&](const std::string& name) {
      const auto provider = context_.catalog.provider(name);
      return provider && (*provider)->kind == catalog::ProviderKind::marketplace;
    };
    if (std::ranges::any_of(question_.constraints.named_clouds(), is_market))
      std::erase_if(advice.assumed, [](const job::Assumed& one) { return one.key == "market"; });
    if (!advice.work.min_fit) advice.assumed.push_back({"min_fit", context_.coefficients.min_fit.value});
    const job::Constraints& limits = question_.constraints;
    const bool promises = limits.deadline_hours || limits.budget || advice.work.inference.request_rate ||
                          physics::has_targets(advice.work.inference) ||
                          (advice.work.counted && advice.work.counted->demand);
    if (promises && !question_.request.confidence) advice.assumed.push_back({"confidence", advice.work.confidence});
    if (job::is_training(advice.work.task) && !limits.nodes && !limits.max_nodes)
      advice.assumed.push_back({"max_nodes", static_cast<double>(usual_most_nodes(advice.work))});
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
    if (advice.recommendations.empty()) return;
    const Recommendation& first = advice.recommendations.front();
    if (const auto& fewest = first.planned->fewest)
      advice.notes.push_back(
          say("{} nodes because that costs less overall; --nodes {} is enough", first.machine().nodes, fewest->nodes));
  }

  void note_unsold_gpus(Advice& advice) const {
    for (const job::GpuSpec& spec : context_.question.constraints.gpus) {
      if (spec.names.empty() || spec.none) continue;
      const auto has_it = [&](const catalog::Instance& instance) {
        const catalog::Gpu* gpu = context_.catalog.gpu_of(instance);
        return gpu != nullptr && spec.names_gpu(*gpu);
      };
      if (std::ranges::none_of(context_.catalog.instances(), has_it))
        advice.notes.push_back(say("no instance on record has {}", first_few(spec.names)));
    }
  }

  /// A term that is asked for and sold, at a price that nobody wrote down: who sells it might be cheaper.
  void note_unpriced_terms(Advice& advice) const {
    const job::Constraints& asked = question_.constraints;
    std::vector<std::string> clouds;  // by their ids
    for (const std::string& name : asked.named_clouds()) {
      const auto provider = context_.catalog.provider(name);
      clouds.push_back(provider ? std::string((*provider)->id) : name);
    }
    for (const std::string& term : asked.terms) {
      std::vector<std::string_view> sellers;
      for (const catalog::Provider& provider : context_.catalog.providers())
        if (provider.sells_unpriced(term) && (clouds.empty() || std::ranges::find(clouds, provider.id) != clouds.end()))
          sellers.push_back(provider.id);
      if (!sellers.empty()) advice.notes.push_back(unpriced_note(term, sellers));
    }
  }

  static void note_spares(Advice& advice) {
    const auto spare = advice.work.inference.redundancy;
    if (spare <= 0 || advice.recommendations.empty()) return;
    advice.notes.push_back(
        spare == 1 ? say("speed and latency are those of the working instances: kept while 1 is down")
                   : say("speed and latency are those of the working instances: kept while {} are down", spare));
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

  const Question& question_;
  std::vector<Rule> limits_;  // of the command line
  std::vector<Rule> rules_;   // limits first, then the shipped and the user's
  std::span<const Rule> shipped_;
  std::optional<AskedLoad> load_;
  Promises promises_;
  SearchContext context_;
  job::Assumptions assumed_;  // before machines are looked at
};

}  // namespace

namespace {

/// Who counts sessions has them for users; who asks a language model in sessions has prompts that grow.
void place_users(Question& asked, bool counted) {
  auto& given = asked.request.given;
  if (counted && asked.load.users && !asked.request.sessions) {
    asked.request.sessions = static_cast<double>(*asked.load.users);
    asked.load.users.reset();
    given.emplace_back("sessions");
  }
  if (counted || asked.request.task != job::Task::inference || !asked.request.sessions) return;
  asked.load.sessions = std::llround(*asked.request.sessions);
  asked.request.sessions.reset();
  std::erase(given, "sessions");
}

/// What users wait for without minding: the server targets of MLPerf Inference v4.0 for Llama 2 70B.
constexpr double kUsualTtftMs = 2000;
constexpr double kUsualTpotMs = 200;

/// Users ask the less the longer they wait: so often, where they wait as long as they may.
double least_rate(const AskedLoad& load, const job::Request& request) {
  const double token = request.tpot_ms.value_or(request.itl_ms.value_or(kUsualTpotMs));
  const double answer = request.ttft_ms.value_or(kUsualTtftMs) + token * load.mean_output();
  const serve::Users& users = load.demand.users;
  return users.count / (users.think + std::min(request.e2e_ms.value_or(answer), answer) / 1000);
}

/// The load where it is more than a rate; then the request has what it comes down to, for closed forms.
Result<std::optional<AskedLoad>> read_load(Question& asked, const FoundModel& model, const catalog::Catalog& catalog,
                                           job::Assumptions& assumed) {
  /// Requests that a service is sized by; of a longer log the busiest.
  constexpr std::size_t kReplayedLog = 12000;
  Request& request = asked.request;
  place_users(asked, job::is_counted(request, model.model));
  if (!asked.load.given()) return std::nullopt;
  const std::string flag(asked.load.first_flag());
  if (request.task != job::Task::inference || job::is_counted(request, model.model))
    return usage_error(say("does not apply to {}", to_text(*request.task)), flag);
  if (!model.model->is_generator() || model.model->is_encoder_decoder())
    return usage_error(say("{} does not generate token by token", model.model->id), flag);
  auto load = asked_load(asked.load, request, 1, catalog);
  if (!load) return std::unexpected(load.error());
  request.input_tokens = std::max<std::int64_t>(1, std::llround(load->mean_input()));
  request.output_tokens = std::max<std::int64_t>(1, std::llround(load->mean_output()));
  const bool targets = request.ttft_ms || request.tpot_ms || request.itl_ms || request.e2e_ms;
  if (!targets && !asked.load.waits() && (asked.load.shared_prefix || !asked.load.arrivals.empty()))
    load->notes.push_back(say("{} counts only with a latency target; add --ttft or --tpot",
                              asked.load.arrivals.empty() ? "--shared-prefix" : "--arrivals"));
  if (asked.load.waits()) {
    // Each unless it is given: another target, however loose, makes no service cheaper.
    if (!request.ttft_ms) assumed.push_back({"ttft_ms", *(request.ttft_ms = kUsualTtftMs)});
    if (!request.tpot_ms) assumed.push_back({"tpot_ms", *(request.tpot_ms = kUsualTpotMs)});
    request.request_rate = least_rate(*load, request);
  } else if (load->demand.replays()) {
    request.request_rate = load->demand.rate;
    const std::size_t all = load->demand.log->all.size();
    load->demand = serve::busiest(std::move(load->demand), kReplayedLog);
    if (const std::size_t kept = load->demand.log->all.size(); kept < all)
      load->notes.push_back(
          say("sized by the busiest {} of the log's {} requests, {:.3g} per second", kept, all, load->demand.rate));
  }
  constexpr std::size_t kMeasured = 20'000;
  if (!load->demand.replays())
    measure(serve::draw(load->demand, kMeasured, request.request_rate.value_or(job::kAssumedRate), 1), load->traffic);
  return std::move(*load);
}

}  // namespace

Status check_end(const Question& question, const Job& work) {
  const job::Constraints& limits = question.constraints;
  if (work.ends()) return {};
  const bool frames = work.counted && question.request.frames && work.task == job::Task::render;
  if (frames && (limits.deadline_hours || limits.budget))
    return usage_error(say("the time per frame is unknown, so the deadline or budget cannot be checked"),
                       limits.deadline_hours ? "--deadline" : "--budget",
                       say("add --seconds-per-frame, and --on for the GPU it was measured on"));
  if (!limits.deadline_hours) return {};
  return usage_error(say("a service has no end, so a deadline does not apply to it"), "--deadline",
                     work.counted ? say("remove --deadline: it is for jobs that end; or say how much work there is")
                                  : say("remove --deadline: it is for jobs that end; or add --tokens 10B"));
}

void add_remarks(Recommendation& candidate, const SearchContext& context, const Job& work) {
  if (candidate.plan().training) {
    const physics::Layout& layout = candidate.plan().layout;
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

std::vector<std::string> named_clouds(const job::Constraints& limits, const catalog::Catalog& catalog) {
  std::vector<std::string> named;
  if (catalog.provider(catalog::kOwnProvider)) named.emplace_back(catalog::kOwnProvider);
  for (const std::string& name : limits.own_clouds) named.emplace_back((*catalog.provider(name))->id);
  for (const std::string_view cloud : kLargeClouds)
    if (std::ranges::find(named, cloud) == named.end()) named.emplace_back(cloud);
  return named;
}

namespace {

/// Whether one was assumed.
bool assume_deadline(Question& asked, const FoundModel& model, const catalog::Catalog& catalog) {
  static constexpr std::string_view kOfStarts[] = {"cold_start", "scale_to_zero"};
  const bool in_part = std::ranges::any_of(
      asked.duty.given, [](std::string_view key) { return std::ranges::find(kOfStarts, key) == std::end(kOfStarts); });
  if (in_part || asked.constraints.deadline_hours) return false;
  const auto work = resolve_work(asked.request, model, catalog);
  if (work && work->ends()) job::assume_deadline(asked.constraints, job::is_training(work->task));
  return asked.constraints.deadline_hours.has_value();
}

void drop_deadline(job::Constraints& limits) {
  limits.deadline_hours.reset();
  std::erase(limits.assumed, job::find_limit("deadline")->option.key);
}

}  // namespace

Result<Advice> recommend(const Question& question, const catalog::Catalog& catalog, std::span<const Rule> rules,
                         const physics::Coefficients& coefficients) {
  if (!question.request.task)
    return missing_error(say("the task is missing"), "task",
                         say("--task pretrain, finetune, inference, render, simulate, transcode or preprocess"));
  auto model = find_model(question.request, catalog);
  if (!model) return std::unexpected(model.error());
  Question asked = question;
  job::Assumptions assumed;
  auto load = read_load(asked, *model, catalog, assumed);
  if (!load) return std::unexpected(load.error());
  const std::size_t of_load = assumed.size();
  job::assume_load(asked.request, model->model, assumed);
  const bool no_load = assumed.size() > of_load;
  if (job::wants_no_gpu(asked.constraints)) job::assume_processor(asked.request, model->model, assumed);
  job::assume_precision(asked.request, model->model, assumed);
  const bool pretraining =
      question.request.task == job::Task::pretrain && !job::is_counted(question.request, model->model);
  if (asked.duty.months && asked.constraints.terms.empty()) {
    asked.constraints.terms.emplace_back(to_text(catalog::Term::on_demand));
    for (const catalog::Term term : money::terms_used_up(*asked.duty.months))
      asked.constraints.terms.emplace_back(to_text(term));
  }
  if (!asked.filter.empty()) {
    auto filter = OfferFilter::read(asked.filter, catalog, coefficients, asked.today);
    if (!filter) return std::unexpected(filter.error());
    asked.passes = std::move(*filter);
  }
  job::assume_usual(asked.constraints, pretraining ? job::Usual::pretraining : job::Usual::job);
  const bool in_time = assume_deadline(asked, *model, catalog);
  if (Status possible = money::check(question.duty); !possible) return std::unexpected(possible.error());
  if (const std::string clash = job::contradiction(question.constraints, catalog); !clash.empty())
    return std::unexpected(Error{ErrorKind::unsatisfied, clash, {}, say("change or remove one of them")});
  auto converter = money::Converter::into(question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  const auto& weights = question.objective.weights;
  if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](const auto& w) { return w.second <= 0; }))
    return usage_error(say("all weights are zero"), "--weight", say("give one of cost, speed and headroom a weight"));
  const money::Quoter quoter(catalog, coefficients, *converter, question.today);
  const auto run = [&]() -> Result<Advice> {
    auto limits = job::limit_rules(asked.constraints, catalog);
    if (!limits) return std::unexpected(limits.error());
    return Adviser(asked, catalog, coefficients, quoter, std::move(*limits), rules, assumed, *load)
        .run(*model, no_load);
  };
  auto advice = run();
  if (!in_time || !advice || !advice->recommendations.empty()) return advice;
  const double days = *asked.constraints.deadline_hours / 24;
  drop_deadline(asked.constraints);  // better late than never
  auto late = run();
  if (late && !late->recommendations.empty())
    late->notes.push_back(
        say("nothing finishes within the {:g} days that are usually assumed: ranked without a deadline", days));
  return late;
}

}  // namespace gpusel::answer
