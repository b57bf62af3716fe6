#include "answer/fleet/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "answer/fleet/fleet_parts.hpp"
#include "answer/lists/offer_filter.hpp"
#include "answer/load/load.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "job/processor.hpp"

namespace gpusel::answer {

namespace {

using catalog::Term;
using job::Job;

/// Terms under which an instance is paid while it runs, and no longer.
constexpr Term kElastic[] = {Term::on_demand, Term::spot, Term::flex_start};

struct Terms {
  std::vector<std::string> elastic;
  std::vector<std::string> committed;
};

Terms split_terms(const std::vector<std::string>& asked) {
  const bool any = std::ranges::find(asked, "any") != asked.end();
  Terms out;
  for (std::size_t i = 0; i < enum_names<Term>.size(); ++i) {
    const std::string name(enum_names<Term>[i]);
    if (!any && std::ranges::find(asked, name) == asked.end()) continue;
    const bool elastic = std::ranges::find(kElastic, static_cast<Term>(i)) != std::end(kElastic);
    (elastic ? out.elastic : out.committed).push_back(name);
  }
  return out;
}

/// The question as recommend() would ask it for one instance: what limits the whole fleet is not asked of its parts.
Question part_question(const FleetQuestion& question, job::Constraints limits, std::vector<std::string> terms) {
  Question out;
  out.request = question.request;
  out.constraints = std::move(limits);
  out.constraints.max_nodes.reset();
  out.constraints.max_price.reset();
  out.constraints.terms = std::move(terms);
  out.currency = question.currency;
  out.today = question.today;
  return out;
}

/// Read once for all parts.
Status read_filter(const FleetQuestion& question, FleetContext& context) {
  if (question.filter.empty()) return {};
  auto filter = OfferFilter::read(question.filter, context.catalog, context.coefficients, question.today);
  if (!filter) return std::unexpected(filter.error());
  context.elastic.passes = context.committed.passes = std::move(*filter);
  return {};
}

Result<std::vector<rules::Rule>> rules_of(const Question& question, const catalog::Catalog& catalog,
                                          std::span<const rules::Rule> rules) {
  auto out = job::limit_rules(question.constraints, catalog);
  if (!out) return out;
  out->insert(out->end(), rules.begin(), rules.end());
  return out;
}

Status find_quotas(const FleetQuestion& question, FleetContext& context) {
  for (const Quota& quota : question.quotas) {
    const auto instance = context.catalog.instance(quota.sku);
    if (!instance) {
      Error error = instance.error();
      error.where = "--quota";
      return std::unexpected(std::move(error));
    }
    context.quotas.emplace_back(*instance, quota.instances);
  }
  return {};
}

/// The job at the traffic's mean lengths.
Result<Job> mean_work(const FleetQuestion& question, const FoundModel& model, const catalog::Catalog& catalog,
                      const job::Traffic& traffic, double rate) {
  job::Request request = question.request;
  request.task = job::Task::inference;
  request.request_rate = rate;
  request.input_tokens = std::max<std::int64_t>(traffic.mean_output > 0 ? 0 : 1, std::llround(traffic.mean_input));
  if (model.model->is_generator())
    request.output_tokens = std::max<std::int64_t>(1, std::llround(traffic.mean_output));
  else
    request.output_tokens.reset();
  job::Assumptions by_processor;
  if (job::wants_no_gpu(question.constraints)) job::assume_processor(request, model.model, by_processor);
  auto work = resolve_choosing(std::move(request), model, catalog);
  if (work) std::ranges::copy(by_processor, std::back_inserter(work->assumed));
  if (work && work->counted)
    return usage_error(
        say("a fleet is planned for requests in tokens, and {} has none", model.model->id), "model",
        model.model->kind == catalog::ModelKind::encoder ? say("--engine vllm serves it by tokens") : "");
  return work;
}

Result<double> stated_rate(const FleetQuestion& question, const job::Traffic& traffic) {
  if (question.request.request_rate) return *question.request.request_rate;
  if (traffic.requests_per_s) return *traffic.requests_per_s;
  if (traffic.requests <= 0) return job::kAssumedRate;
  return usage_error(traffic.at_once ? say("all requests of the log come at once")
                                     : say("the requests have no times, so their rate is unknown"),
                     "--rate", say("--rate 20, per second"));
}

void note_traffic(const FleetQuestion& question, Fleet& fleet) {
  const job::Request& request = question.request;
  if (question.traffic.empty() && fleet.work.model->is_generator())
    if (auto note = assumed_lengths(request)) fleet.notes.push_back(std::move(*note));
  if (!request.request_rate && !fleet.traffic.requests_per_s)
    fleet.notes.push_back(say("no load is given: {:g} request per second is assumed", job::kAssumedRate));
  const job::Traffic& traffic = fleet.traffic;
  if (traffic.unanswered > 0)
    fleet.notes.push_back(say("{} of {} requests have no answer and are excluded", human_number(traffic.unanswered),
                              human_number(traffic.requests)));
  if (traffic.busiest && *traffic.busiest > 1.05)
    fleet.notes.push_back(
        say("the busiest five minutes have {:.1f}× the file's mean rate; the fleet is planned for the {}",
            *traffic.busiest, fleet.peak > 1 ? say("busiest hour") : say("mean")));
}

void note_dates(const FleetContext& context, Fleet& fleet) {
  fleet.newest_price = context.catalog.newest_price();
  for (const FleetType& type : fleet.types)
    for (const auto* offer : {&type.elastic, &type.committed}) {
      if (!*offer) continue;
      const Date date = Date::from_packed((*offer)->offer->as_of);
      if (date.known() && (!fleet.oldest_price_used.known() || date < fleet.oldest_price_used))
        fleet.oldest_price_used = date;
      fleet.newest_price_used = std::max(fleet.newest_price_used, date);
    }
}

void note_assumed(const FleetQuestion& question, const job::Constraints& limits, Fleet& fleet) {
  std::erase_if(fleet.assumed, [](const auto& one) { return one.key == "output_tokens" || one.key == "input_tokens"; });
  std::ranges::move(job::assumed_limits(limits), std::back_inserter(fleet.assumed));
  if (!question.request.max_load) fleet.assumed.push_back({"max_load", fleet.work.inference.max_load});
  if (question.daily.empty()) fleet.assumed.push_back({"daily", std::string("flat")});
  if (!question.request.request_rate) fleet.assumed.push_back({"rate", fleet.rate});
}

/// Only types in some answer are of interest from here on, those of the fleet for the peak first.
void keep_used(Fleet& fleet) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> number(fleet.types.size(), kNone);
  std::vector<std::size_t> order;
  const auto use = [&](FleetMember& member) {
    if (number[member.type] == kNone) {
      number[member.type] = order.size();
      order.push_back(member.type);
    }
    member.type = number[member.type];
  };
  for (FleetMember& member : fleet.mix.members) use(member);
  if (fleet.single) use(*fleet.single);
  if (fleet.schedule)
    for (auto& hour : fleet.schedule->hours)
      for (FleetMember& member : hour) use(member);
  std::vector<FleetType> kept;
  std::vector<double> starts;
  for (const std::size_t type : order) {
    kept.push_back(std::move(fleet.types[type]));
    if (fleet.schedule) starts.push_back(fleet.schedule->starts[type]);
  }
  fleet.types = std::move(kept);
  if (fleet.schedule) fleet.schedule->starts = std::move(starts);
}

/// What rules say of what stands in the answer.
void add_remarks(const FleetContext& context, Fleet& fleet) {
  const auto of = [&](std::optional<FleetOffer>& offer, const FleetType& type, const Question& question,
                      const std::vector<rules::Rule>& rules) {
    if (!offer) return;
    const SearchContext search{question, context.catalog, context.coefficients, context.quoter, rules};
    offer->remarks = judged({offer->offer, offer->cost}, type.planned, search, fleet.work).remarks;
  };
  for (FleetType& type : fleet.types) {
    of(type.elastic, type, context.elastic, context.elastic_rules);
    of(type.committed, type, context.committed, context.committed_rules);
  }
}

/// Targets below which some request is beyond every machine, as flags.
std::string relaxed_targets(const Fleet& fleet) {
  const auto& job = fleet.work.inference;
  double first = 0;
  double between = 0;
  for (const Unserved& one : fleet.unserved) {
    if (!one.nearest) return {};
    first = std::max(first, std::ceil(in_ms(one.ttft)));
    between = std::max(between, std::ceil(in_ms(one.itl)));
  }
  std::string flags;
  if (job.ttft_ms && first > *job.ttft_ms) flags += format("--ttft {:g}", first);
  if (job.tpot_ms && between > *job.tpot_ms) flags += format("{}--tpot {:g}", flags.empty() ? "" : " ", between);
  return flags;
}

/// The cheapest mix of these machines, as its replay leaves it; not replayed where it costs `ceiling` or more before.
Status find_mix(const FleetContext& context, FleetCandidates candidates, double ceiling, Fleet& fleet) {
  const auto& buckets = fleet.traffic.buckets;
  fleet.shapes = candidates.shapes.size();
  fleet.rejected = std::move(candidates.rejected);
  fleet.types = std::move(candidates.types);
  for (std::size_t b = 0; b < buckets.size(); ++b)
    if (std::ranges::none_of(fleet.types, [&](const FleetType& type) { return type.carried[b].requests_per_s > 0; }))
      fleet.unserved.push_back(explain_unserved(context, fleet.work, b, buckets[b], candidates.shapes));
  fleet.relaxed = relaxed_targets(fleet);
  drop_dominated(context, fleet);
  if (!fleet.unserved.empty()) return {};
  if (Status chosen = choose_mix(context, fleet); !chosen || !fleet.mix.feasible) return chosen;
  if (fleet.mix.hourly < ceiling) replay_fleet(context, fleet);
  return {};
}

Status solve(const FleetContext& context, const std::optional<std::pair<std::string, job::Day>>& day, Fleet& fleet) {
  const auto& buckets = fleet.traffic.buckets;
  Fleet other = fleet;
  auto candidates = find_types(context, fleet.work, buckets, Late::none);
  const bool differs = candidates.cannot_carry_longest;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (Status found = find_mix(context, std::move(candidates), kNever, fleet); !found) return found;
  if (differs) {
    const bool known = fleet.mix.feasible && fleet.replay && fleet.replay->kept;
    const double ceiling = known ? fleet.mix.hourly * (1 - 1e-9) : kNever;
    const Status found = find_mix(context, find_types(context, fleet.work, buckets, Late::longest), ceiling, other);
    if (found && other.mix.feasible && other.replay && other.replay->kept && other.mix.hourly < ceiling) {
      fleet = std::move(other);
      fleet.notes.push_back(say("the longest prompts may miss the targets, as many of them as the percentile allows"));
    }
  }
  if (!fleet.unserved.empty() || !fleet.mix.feasible) return {};
  const auto& limit = context.question.constraints.max_price;
  if (limit && fleet.mix.hourly > *limit * (1 + 1e-9)) {
    fleet.notes.push_back(say("the cheapest fleet costs {} {}/h, more than --max-price {}",
                              human_price(fleet.mix.hourly), fleet.currency.code(), human_price(*limit)));
    fleet.mix.feasible = false;
    return {};
  }
  if (day)
    if (Status chosen = choose_schedule(context, day->first, day->second, fleet); !chosen) return chosen;
  return {};
}

}  // namespace

Result<Fleet> plan_fleet(const FleetQuestion& question, const catalog::Catalog& catalog,
                         std::span<const rules::Rule> rules, const physics::Coefficients& coefficients) {
  auto model = find_model(question.request, catalog);
  if (!model) return std::unexpected(model.error());
  if (model->model == nullptr) return missing_error(say("the served model is missing"), "model");
  if (const std::string clash = job::contradiction(question.constraints, catalog); !clash.empty())
    return std::unexpected(Error{ErrorKind::unsatisfied, clash, {}, say("change or remove one of them")});
  const auto converter = money::Converter::into(question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  const money::Quoter quoter(catalog, coefficients, *converter, question.today);
  job::Constraints limits = question.constraints;
  job::assume_usual(limits, job::Usual::job);
  const Terms terms = split_terms(limits.terms);
  FleetContext context{question,
                       catalog,
                       coefficients,
                       quoter,
                       part_question(question, limits, terms.elastic),
                       {},
                       part_question(question, limits, terms.committed),
                       {},
                       !terms.elastic.empty(),
                       !terms.committed.empty(),
                       {}};
  if (Status filter = read_filter(question, context); !filter) return std::unexpected(filter.error());
  for (const auto& [part, into] :
       {std::pair(&context.elastic, &context.elastic_rules), std::pair(&context.committed, &context.committed_rules)}) {
    auto part_rules = rules_of(*part, catalog, rules);
    if (!part_rules) return std::unexpected(part_rules.error());
    *into = std::move(*part_rules);
  }
  if (Status found = find_quotas(question, context); !found) return std::unexpected(found.error());

  Fleet fleet;
  fleet.own_model = model->own;
  fleet.currency = converter->currency();
  auto traffic = stated_traffic(question, catalog, *model->model);
  if (!traffic) return std::unexpected(traffic.error());
  fleet.traffic = std::move(*traffic);
  const auto rate = stated_rate(question, fleet.traffic);
  if (!rate) return std::unexpected(rate.error());
  fleet.rate = *rate;
  fleet.time_limit_s = question.time_limit_s;
  const auto day = stated_day(question, catalog, fleet.traffic);
  if (!day) return std::unexpected(day.error());
  if (*day) fleet.peak = std::ranges::max((*day)->second);
  auto work = mean_work(question, *model, catalog, fleet.traffic, fleet.rate);
  if (!work) return std::unexpected(work.error());
  fleet.work = std::move(*work);
  fleet.assumed = fleet.work.assumed;
  for (const job::Assumed& taken : job::taken_places(question.constraints, catalog))
    fleet.notes.push_back(say("region {}", std::get<std::string>(taken.value)));
  if (fleet.own_model) note_reading(*fleet.own_model, fleet.notes);
  note_traffic(question, fleet);
  if (Status done = solve(context, *day, fleet); !done) return std::unexpected(done.error());
  note_assumed(question, limits, fleet);
  keep_used(fleet);
  add_remarks(context, fleet);
  note_dates(context, fleet);
  if (fleet.mix.feasible) add_scaling(context, fleet);
  if (question.explain) trace_fleet(context, fleet);
  return fleet;
}

}  // namespace gpusel::answer
