#include "gpusel/advise/cost.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "advise/candidates.hpp"
#include "advise/cost_parts.hpp"
#include "advise/limits.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/own_prices.hpp"

namespace gpusel::advise {

namespace {

constexpr int kMostCostNodes = 100'000;
constexpr std::size_t kMostSubjects = 8;

/// Prices of one instance under the limits on place, term and age.
class TermCosts {
 public:
  TermCosts(const CostQuestion& question, const catalog::Catalog& catalog, const estimate::Coefficients& coefficients,
        const CostAnswer& answer, const LimitSet& limits)
      : question_(question), catalog_(catalog), coefficients_(coefficients), answer_(answer), limits_(limits) {}

  /// In the order of the terms, each at its cheapest place.
  void price(CostItem& item) const {
    const CostSubject& subject = item.subject;
    if (ruled_out(item)) return;
    std::vector<Priced> priced;
    std::map<catalog::Term, int> old;
    for (const catalog::Offer& offer : catalog_.offers_of(*subject.instance))
      if (const auto cost = allowed(offer, subject, old)) priced.push_back({&offer, *cost});
    tell_old(item, old);
    // A price of one's own holds in every place: it stands where most else is priced and can be compared.
    std::map<std::uint16_t, int> at_place;
    for (const Priced& one : priced)
      if (catalog_.origin_of(*one.offer).source != catalog::kOwnPrice) --at_place[one.offer->region];
    std::ranges::sort(priced, {}, [&](const Priced& p) {
      const bool own = catalog_.origin_of(*p.offer).source == catalog::kOwnPrice;
      return std::tuple(p.offer->term, p.cost.hourly, own ? at_place[p.offer->region] : 0,
                        catalog_.region_of(*p.offer).id);
    });
    std::vector<TermCost>& terms = item.terms;
    for (const Priced& one : priced) {
      if (!terms.empty() && terms.back().offer->term == one.offer->term)
        terms.back().elsewhere.push_back(one.offer);
      else
        terms.push_back(cheapest(one));
    }
    if (!terms.empty()) time_starts(item, *terms.front().region);
    for (TermCost& term : terms) {
      const auto on_demand = std::ranges::find_if(priced, [&](const Priced& p) {
        return p.offer->term == catalog::Term::on_demand && p.offer->region == term.offer->region;
      });
      fill(term, item, on_demand == priced.end() ? catalog::Number() : on_demand->cost.hourly);
    }
    keep_to_budget(item);
  }

 private:
  struct Priced {
    const catalog::Offer* offer = nullptr;
    cost::JobCost cost;
  };

  /// By a limit on instances, which it is told by.
  bool ruled_out(CostItem& item) const {
    const catalog::Instance& instance = *item.subject.instance;
    const rules::Rule* against = limits_.against({instance, item.subject.provider, catalog_, coefficients_});
    if (against == nullptr) return false;
    item.notes.push_back(
        say("the limit '{}' leaves {} {} out", against->id, instance.provider, printable(instance.sku)));
    return true;
  }

  void tell_old(CostItem& item, const std::map<catalog::Term, int>& old) const {
    std::string list;
    for (const auto& [term, count] : old) list += format("{}{} {}", list.empty() ? "" : ", ", count, to_text(term));
    if (!list.empty())
      item.notes.push_back(say("prices left out as older than {} days or undated: {}",
                               human_number(*question_.question.constraints.max_price_age_days), list));
  }

  /// A budget is of a whole job: of terms that end with it.
  void keep_to_budget(CostItem& item) const {
    const auto budget = question_.question.constraints.budget;
    if (!budget || item.terms.empty()) return;
    if (!item.subject.job || !item.subject.job->hours) {
      item.notes.push_back(say("--budget is of a whole job, and nothing here ends: it limits nothing"));
      return;
    }
    std::string left_out;
    std::erase_if(item.terms, [&](const TermCost& term) {
      if (!term.total.job || *term.total.job <= *budget) return false;
      left_out +=
          format("{}{} {}", left_out.empty() ? "" : ", ", to_text(term.offer->term), human_price(*term.total.job));
      return true;
    });
    if (!left_out.empty())
      item.notes.push_back(say("beyond the budget of {} {} for the job: {}", human_price(*budget),
                               answer_.converter.currency().code(), left_out));
  }

  /// Its price for an hour of all nodes; nothing where a limit forbids it or its currency has no rate. `old`: counts
  /// those that only their age speaks against.
  std::optional<cost::JobCost> allowed(const catalog::Offer& offer, const CostSubject& subject,
                                       std::map<catalog::Term, int>& old) const {
    const Money price{offer.per_hour(), catalog_.currency_of(offer)};
    auto cost = cost::job_cost(price, answer_.converter, {subject.nodes, seconds(3600)});
    if (!cost) return std::nullopt;
    const auto verdict = limits_.allows({offer, *cost, catalog_, question_.question.today});
    if (verdict == OfferVerdict::refused) return std::nullopt;
    const bool too_old = verdict == OfferVerdict::too_old;
    const auto* state = catalog_.state_of(*subject.instance, offer);
    if (state != nullptr && !for_sale(state->state)) return std::nullopt;
    if (too_old) ++old[offer.term];
    return too_old ? std::nullopt : cost;
  }

  TermCost cheapest(const Priced& priced) const {
    TermCost term;
    term.offer = priced.offer;
    term.region = &catalog_.region_of(*priced.offer);
    term.published = priced.cost.offer;
    term.rate = priced.cost.hourly;
    term.exchange = priced.cost.exchange;
    return term;
  }

  /// What is switched off between must load its model again: how long that takes, where nobody said it.
  void time_starts(CostItem& item, const catalog::Region& region) const {
    const CostSubject& subject = item.subject;
    if (!item.duty.scale_to_zero || item.duty.cold_start_s || !subject.planned || !answer_.work) return;
    item.cold_start =
        cold_start(*answer_.work, subject.planned->machine, subject.planned->choice, {*subject.instance, region.id},
                   catalog_, coefficients_, question_.explained ? &item.trace : nullptr);
    if (item.cold_start) item.duty.cold_start_s = item.cold_start->total().raw();
  }

  /// `on_demand`: the price in the same place.
  void fill(TermCost& term, const CostItem& item, catalog::Number on_demand) const {
    const CostSubject& subject = item.subject;
    const cost::Duty& duty = item.duty;
    const cost::Billing billing = cost::billing_of(subject.provider);
    const catalog::Number job = subject.job ? subject.job->hours : catalog::Number();
    term.commitment = cost::commitment_of(term.offer->term);
    term.paid = cost::paid_hours(term.commitment, duty, billing, job);
    if (term.commitment.whole_month && on_demand) {
      const cost::Paid as_used = cost::paid_hours({}, duty, billing, job);
      cost::bound_by_on_demand(term.paid, as_used, *on_demand / term.rate);
      term.on_demand = *on_demand;
      term.on_demand_hours = as_used;
    }
    if (term.commitment.longest_hours > 0 && job && cost::longest_stretch(duty, job) > term.commitment.longest_hours)
      term.paid.job = catalog::Number();
    term.own = cost::amounts_of(term.published.amount * subject.nodes, term.paid);
    term.instances = cost::amounts_of(term.rate, term.paid);
    term.lines =
        cost_lines({catalog_, coefficients_, answer_.converter, duty, question_.extras, subject}, *term.region);
    term.total = term.instances;
    for (const CostLine& line : term.lines) {
      if (line.known)
        term.total += line.amounts;
      else
        term.lacking.push_back(line.key);
    }
    // What is paid by the month has no share of an hour or of a commitment.
    if (!term.lines.empty()) term.total.hour = term.total.commitment = catalog::Number();
    per_work(term, subject);
  }

  void per_work(TermCost& term, const CostSubject& subject) const {
    const bool ends = subject.job && subject.job->hours;
    const catalog::Number& total = ends ? term.total.job : term.total.month;
    if (!total) return;
    term.per_used_hour = *total / (ends ? *subject.job->hours : question_.duty.used_per_month());
    if (!subject.job) return;
    if (const auto rate = subject.job->tokens_per_s; rate.value_or(0) > 0)
      term.per_million_tokens = *term.per_used_hour / (*rate * 3600) * 1e6;
    if (const auto rate = subject.job->units_per_hour; rate.value_or(0) > 0)
      term.per_unit = *term.per_used_hour / *rate;
  }

  const CostQuestion& question_;
  const catalog::Catalog& catalog_;
  const estimate::Coefficients& coefficients_;
  const CostAnswer& answer_;
  const LimitSet& limits_;
};

CostJob job_of(const workload::Workload& work, const plan::Choice& choice) {
  CostJob job;
  const double rate = plan::rate_of(choice);
  if (const auto duration = duration_of(work, rate)) job.hours = in_hours(*duration);
  if (!work.counted) {
    job.tokens_per_s = rate;
    if (work.task == workload::Task::inference) job.tokens = "written";
    return job;
  }
  const double served = std::min(rate, work.counted->demand.value_or(rate));
  job.units_per_hour = work.counted->unit.priced_per_hour(served);
  job.unit = work.counted->unit.priced;
  job.needs_workstation = work.counted->needs_workstation;
  job.egress_mbps = work.counted->egress_mbps * served;
  return job;
}

void plan_job(CostSubject& subject, const workload::Workload& work, const catalog::Catalog& catalog,
              const estimate::Coefficients& coefficients) {
  const bool runs = catalog.gpu_of(*subject.instance) != nullptr ||
                    (subject.instance->gpu.empty() && work.counted && work.counted->on_cpu);
  if (!runs) {
    subject.problem = subject.instance->gpu.empty() ? say("it has no GPU") : say("its GPU is not disclosed");
    return;
  }
  const auto machine = machine_of(*subject.instance, subject.nodes, catalog, coefficients);
  auto choice = machine ? plan::plan_for(work, *machine, coefficients) : std::unexpected(machine.error());
  if (!choice) {
    subject.problem = choice.error().message;
    return;
  }
  subject.problem = plan::problem_of(*choice).text();
  if (!plan::usable(*choice)) return;
  if (plan::rate_of(*choice) <= 0) {
    subject.problem = say("how fast it would be is not known");
    return;
  }
  subject.job = job_of(work, *choice);
  subject.planned = std::make_shared<const PlannedMachine>(PlannedMachine{*machine, std::move(*choice)});
}

/// "2x p4d.24xlarge" and "p4d.24xlarge"; some names are spelt like a number of something.
Status find_by_name(CostSubject& subject, const CostQuestion& question, const catalog::Catalog& catalog) {
  std::string_view sku = trim(subject.name);
  subject.nodes = static_cast<int>(question.question.constraints.nodes.value_or(1));
  if (const auto counted = workload::count_in_front(sku); counted && !catalog.has_instance(sku)) {
    if (counted->first < 1 || counted->first > kMostCostNodes)
      return usage_error(
          say("'{}' says how many with a number that is not from 1 to {}", shorten(subject.name, 60), kMostCostNodes));
    subject.nodes = static_cast<int>(counted->first);
    sku = counted->second;
  }
  const auto instance = catalog.instance(sku);
  if (!instance) return std::unexpected(instance.error());
  subject.instance = *instance;
  subject.provider = provider_of(**instance, catalog);
  return {};
}

/// The job in the question, where there is one.
Status find_work(CostAnswer& answer, const workload::Request& request, const catalog::Catalog& catalog) {
  if (!request.task && !request.names_model()) return {};
  auto model = find_model(request, catalog);
  if (!model) return std::unexpected(model.error());
  auto work = resolve_work(request, *model, catalog);
  if (!work) return std::unexpected(work.error());
  answer.own_model = model->own;
  answer.work = std::move(*work);
  return {};
}

Result<LimitSet> limits_of(const CostQuestion& question, const catalog::Catalog& catalog) {
  workload::Constraints constraints = question.question.constraints;
  if (constraints.terms.empty()) constraints.terms.emplace_back("any");
  constraints.budget.reset();  // of a whole job, not of an hour
  return LimitSet::of(constraints, catalog);
}

}  // namespace

const catalog::Provider* provider_of(const catalog::Instance& instance, const catalog::Catalog& catalog) {
  const auto provider = catalog.provider(instance.provider);
  return provider ? *provider : nullptr;
}

CostSubject subject_of(const Recommendation& recommendation, const Advice& advice, const catalog::Catalog& catalog) {
  CostSubject subject;
  subject.instance = recommendation.instance;
  subject.name = recommendation.instance->sku;
  subject.nodes = recommendation.machine().nodes;
  subject.provider = provider_of(*subject.instance, catalog);
  subject.job = job_of(advice.work, recommendation.choice());
  subject.planned = recommendation.planned;
  subject.rank = recommendation.rank;
  return subject;
}

Result<CostAnswer> costs(const CostQuestion& question, const catalog::Catalog& catalog,
                         const estimate::Coefficients& coefficients) {
  if (question.subjects.size() > kMostSubjects)
    return usage_error(say("{} instances to price", question.subjects.size()), {},
                       say("give at most {}", kMostSubjects));
  if (Status possible = cost::check(question.duty); !possible) return std::unexpected(possible.error());
  auto converter = cost::Converter::into(question.question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  CostAnswer answer{{}, {}, std::move(*converter), question.duty, question.extras, {}};
  const auto limits = limits_of(question, catalog);
  if (!limits) return std::unexpected(limits.error());
  if (Status found = find_work(answer, question.question.request, catalog); !found)
    return std::unexpected(found.error());
  const TermCosts terms(question, catalog, coefficients, answer, *limits);
  for (const CostSubject& asked : question.subjects) {
    CostItem item{asked, question.duty, {}, {}, {}, {}, {}, {}};
    if (asked.instance == nullptr)
      if (Status found = find_by_name(item.subject, question, catalog); !found) return std::unexpected(found.error());
    if (answer.work && !asked.job) plan_job(item.subject, *answer.work, catalog, coefficients);
    terms.price(item);
    add_scaling(item, answer, catalog, coefficients, question.explained);
    item.promises = promises_of(*item.subject.instance, catalog);
    std::ranges::move(cost_notes(item, answer, catalog), std::back_inserter(item.notes));
    if (question.explained) {
      std::ranges::move(explain_cost(item, answer, catalog), std::back_inserter(item.trace));
      if (answer.work && item.subject.planned) {
        const PlannedMachine& planned = *item.subject.planned;
        std::ranges::move(explain(*answer.work, planned.machine, planned.choice, coefficients),
                          std::back_inserter(item.trace));
      }
    }
    answer.items.push_back(std::move(item));
  }
  return answer;
}

}  // namespace gpusel::advise
