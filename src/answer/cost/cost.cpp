#include "answer/cost/cost.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "answer/cost/cost_parts.hpp"
#include "answer/facts/candidates.hpp"
#include "answer/facts/limits.hpp"
#include "answer/search/search.hpp"
#include "answer/stages/launch.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "job/processor.hpp"
#include "physics/kinds/networks/processor.hpp"

namespace gpusel::answer {

namespace {

constexpr int kMostCostNodes = 100'000;
constexpr std::size_t kMostSubjects = 8;

/// Prices of one instance under the limits on place, term and age.
class TermCosts {
 public:
  TermCosts(const CostQuestion& question, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
            const CostAnswer& answer, const LimitSet& limits)
      : question_(question),
        catalog_(catalog),
        coefficients_(coefficients),
        answer_(answer),
        limits_(limits),
        rules_(limits.rules()),
        quoter_(catalog, coefficients, answer.converter, question.question.today) {
    std::ranges::copy(question.rules, std::back_inserter(rules_));
    known_.set(rules::Fact::accepts_unavailable, question.question.constraints.include_unavailable.value_or(false));
    market_.emplace(catalog_, quoter_, rules_, known_, question.question.today);
  }

  /// In the order of the terms, each at its cheapest place.
  void price(CostItem& item) const {
    if (ruled_out(item)) return;
    std::vector<Priced> priced = allowed(item);
    // A saved answer stands where it was: another place is taken for terms that are not sold there.
    const std::string& place = item.subject.saved_price ? item.subject.saved_price->region : item.subject.place;
    std::string_view home;  // of what other terms are compared with: a price that holds everywhere is compared there
    const auto order = [&](const Priced& p) {
      const std::string_view region = catalog_.region_of(*p.offer).id;
      const bool elsewhere = !place.empty() && region != place;
      const bool away = p.offer->kind == catalog::PriceKind::own && !home.empty() && region != home;
      return std::tuple(p.offer->term, elsewhere, p.quote.place_order(), away, catalog_.place_among_equals(*p.offer));
    };
    const auto first = std::ranges::min_element(priced, {}, order);
    if (first != priced.end() && first->offer->kind != catalog::PriceKind::own)
      home = catalog_.region_of(*first->offer).id;
    std::ranges::sort(priced, {}, order);
    for (Priced& one : priced) {
      if (!item.terms.empty() && item.terms.back().offer->term == one.offer->term)
        item.terms.back().elsewhere.push_back({one.offer, one.quote.rate});
      else
        item.terms.push_back({std::move(one.quote), one.offer, &catalog_.region_of(*one.offer), {}});
    }
    time_starts(item);
    judge(item);
    keep_to_budget(item);
  }

 private:
  /// Each term as a row of a ranking would be.
  void judge(CostItem& item) const {
    if (!item.subject.planned || !answer_.work) return;
    Promises promises(coefficients_);
    const SearchContext context{question_.question, catalog_, coefficients_, quoter_, rules_, &promises};
    for (TermCost& term : item.terms) {
      Recommendation row = answer::judged({term.offer, term}, item.subject.planned, context, *answer_.work);
      if (item.subject.rank > 0) row.in_time = item.subject.in_time;  // under the load of its question
      term.judged = std::make_shared<const Recommendation>(std::move(row));
    }
  }

  /// By a limit on instances, which it is told by.
  bool ruled_out(CostItem& item) const {
    const catalog::Instance& instance = *item.subject.instance;
    const rules::Rule* against = limits_.against({instance, item.subject.provider, catalog_, coefficients_});
    if (against == nullptr) return false;
    item.notes.push_back(
        say("the limit '{}' leaves {} {} out", against->id, instance.provider, printable(instance.sku)));
    return true;
  }

  Market::UseOf use_of(const CostItem& item) const {
    const CostSubject& subject = item.subject;
    if (subject.planned && answer_.work) {
      PlanUse use(question_.question, *answer_.work, *subject.planned, catalog_, coefficients_);
      use.set_stops(question_.stops);
      return use;
    }
    return [use = money::Use{static_cast<double>(subject.nodes), subject.job ? &*subject.job : nullptr, &item.duty,
                             &answer_.extras}](const catalog::Offer&) { return use; };
  }

  std::vector<Priced> allowed(CostItem& item) const {
    std::map<catalog::Term, int> old;
    auto priced = market_->allowed(*item.subject.instance, use_of(item), known_,
                                   [&](const catalog::Offer& offer, const rules::Rule& rule) {
                                     if (is_of_age(rule)) ++old[offer.term];
                                   });
    const auto counted = [](const auto& one) { return format("{} {}", one.second, to_text(one.first)); };
    if (!old.empty())
      item.notes.push_back(say("prices left out as older than {} days or undated: {}",
                               human_number(*question_.question.constraints.max_price_age_days),
                               join_texts(old, ", ", counted)));
    return priced;
  }

  /// A budget is of work: of a whole job, or of a month of a service.
  void keep_to_budget(CostItem& item) const {
    const auto budget = question_.question.constraints.budget;
    if (!budget || item.terms.empty()) return;
    if (!item.subject.job) {
      item.notes.push_back(say("--budget is for a whole job, and this one does not end: it has no effect"));
      return;
    }
    std::string left_out;
    std::erase_if(item.terms, [&](const TermCost& term) {
      if (!(term.total > *budget)) return false;
      left_out += format("{}{} {}", left_out.empty() ? "" : ", ", to_text(term.offer->term), human_price(term.total));
      return true;
    });
    if (!left_out.empty())
      item.notes.push_back(say("beyond the budget of {} {} for the job: {}", human_price(*budget),
                               answer_.converter.currency().code(), left_out));
  }

  /// How long what is switched off between takes to come back, where the first term stands.
  void time_starts(CostItem& item) const {
    const CostSubject& subject = item.subject;
    if (item.terms.empty() || !subject.planned || !answer_.work) return;
    item.cold_start = unsaid_start(question_.question, *answer_.work, *subject.planned,
                                   {*subject.instance, item.terms.front().region->id}, catalog_, coefficients_,
                                   question_.explained ? &item.trace : nullptr);
    if (item.cold_start) item.duty.cold_start_s = item.cold_start->total().raw();
  }

  const CostQuestion& question_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  const CostAnswer& answer_;
  const LimitSet& limits_;
  std::vector<rules::Rule> rules_;  // limits first
  rules::Facts known_;
  money::Quoter quoter_;
  std::optional<Market> market_;
};

void plan_job(CostSubject& subject, const job::Job& work, const Question& question, const catalog::Catalog& catalog,
              const physics::Coefficients& coefficients) {
  const bool runs =
      catalog.gpu_of(*subject.instance) != nullptr || (subject.instance->gpu.empty() && physics::runs_on_cpus(work));
  if (!runs) {
    subject.problem = subject.instance->gpu.empty() ? say("it has no GPU") : say("its GPU is not disclosed");
    return;
  }
  const auto machine =
      machine_for(work, *subject.instance, subject.nodes, catalog, coefficients, question.extras.storage_kind);
  auto planned = machine ? plan_on_all(work, *machine, catalog, coefficients) : std::unexpected(machine.error());
  if (!planned) {
    subject.problem = planned.error().message;
    return;
  }
  const physics::Plan& plan = planned->plan;
  subject.problem = plan.problem.text();
  if (!plan.is_usable()) return;
  if (plan.rate <= 0) {
    subject.problem = say("its speed is unknown");
    return;
  }
  subject.job = job_of(work, plan);
  subject.planned = std::make_shared<const PlannedMachine>(std::move(*planned));
}

/// "2x p4d.24xlarge" and "p4d.24xlarge"; some names are spelt like a number of something.
Status find_by_name(CostSubject& subject, const CostQuestion& question, const catalog::Catalog& catalog) {
  std::string_view sku = trim(subject.name);
  subject.nodes = static_cast<int>(question.question.constraints.nodes.value_or(1));
  if (const auto counted = job::count_in_front(sku); counted && !catalog.has_instance(sku)) {
    if (counted->first < 1 || counted->first > kMostCostNodes)
      return usage_error(say("the count in '{}' must be from 1 to {}", shorten(subject.name, 60), kMostCostNodes));
    subject.nodes = static_cast<int>(counted->first);
    sku = counted->second;
  }
  const auto instance = catalog.instance(sku);
  if (!instance) return std::unexpected(instance.error());
  subject.instance = *instance;
  subject.provider = provider_of(**instance, catalog);
  return {};
}

/// The job in the question, where there is one; `on_cpus`: as it runs without a GPU.
Status find_work(CostAnswer& answer, job::Request request, bool on_cpus, const catalog::Catalog& catalog) {
  if (!request.task && !request.names_model()) return {};
  auto model = find_model(request, catalog);
  if (!model) return std::unexpected(model.error());
  job::Assumptions by_processor;
  if (on_cpus) job::assume_processor(request, model->model, by_processor);
  auto work = resolve_choosing(request, *model, catalog);
  if (!work) return std::unexpected(work.error());
  std::ranges::move(by_processor, std::back_inserter(work->assumed));
  answer.own_model = model->own;
  answer.work = std::move(*work);
  return {};
}

/// As `simulate` takes it: "aws/p4d.24xlarge --replicas 2".
std::string simulated_name(const CostSubject& subject) {
  const std::string name = shell_word(format("{}/{}", subject.instance->provider, printable(subject.instance->sku)));
  return subject.nodes > 1 ? format("{} --replicas {}", name, subject.nodes) : name;
}

Result<LimitSet> limits_of(const CostQuestion& question, const catalog::Catalog& catalog) {
  // A saved answer stands where it was, whatever account that needs.
  const bool saved =
      std::ranges::any_of(question.subjects, [](const auto& one) { return one.saved_price.has_value(); });
  job::Constraints constraints = saved ? question.question.constraints : of_named(question.question.constraints);
  if (constraints.terms.empty()) constraints.terms.emplace_back("any");
  constraints.budget.reset();  // of a whole job, not of an hour
  return LimitSet::of(constraints, catalog);
}

/// On demand, where spot is asked for without it.
std::vector<TermCost> terms_beside(const CostItem& item, CostQuestion question, const CostAnswer& answer,
                                   const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  const auto sells = [&](catalog::Term term) {
    return std::ranges::any_of(item.terms, [&](const TermCost& one) { return one.offer->term == term; });
  };
  if (!sells(catalog::Term::spot) || sells(catalog::Term::on_demand)) return {};
  question.question.constraints.terms = {std::string(to_text(catalog::Term::on_demand))};
  const auto limits = limits_of(question, catalog);
  if (!limits) return {};
  CostItem other = item;
  other.terms.clear();
  TermCosts(question, catalog, coefficients, answer, *limits).price(other);
  return std::move(other.terms);
}

}  // namespace

std::vector<std::string_view> line_keys(const CostItem& item) {
  std::vector<std::string_view> keys;
  for (const TermCost& term : item.terms)
    for (const CostLine& line : term.lines)
      if (std::ranges::find(keys, line.key) == keys.end()) keys.push_back(line.key);
  return keys;
}

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
  subject.job = job_of(advice.work, recommendation.plan());
  subject.planned = recommendation.planned;
  subject.rank = recommendation.rank;
  subject.in_time = recommendation.in_time;
  return subject;
}

Result<CostAnswer> costs(const CostQuestion& question, const catalog::Catalog& catalog,
                         const physics::Coefficients& coefficients) {
  if (question.subjects.size() > kMostSubjects)
    return usage_error(say("{} instances to price", question.subjects.size()), {},
                       say("use at most {}", kMostSubjects));
  if (Status possible = money::check(question.question.duty); !possible) return std::unexpected(possible.error());
  auto converter = money::Converter::into(question.question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  CostAnswer answer{
      {}, {}, std::move(*converter), question.question.duty, question.question.extras, {}, question.question.today};
  answer.asked = question.question.constraints;
  const auto limits = limits_of(question, catalog);
  if (!limits) return std::unexpected(limits.error());
  std::vector<CostSubject> subjects = question.subjects;
  for (CostSubject& subject : subjects)
    if (subject.instance == nullptr)
      if (Status found = find_by_name(subject, question, catalog); !found) return std::unexpected(found.error());
  const bool on_cpus = !subjects.empty() &&
                       std::ranges::all_of(subjects, [](const CostSubject& one) { return one.instance->gpu.empty(); });
  if (Status found = find_work(answer, question.question.request, on_cpus, catalog); !found)
    return std::unexpected(found.error());
  const TermCosts terms(question, catalog, coefficients, answer, *limits);
  for (const CostSubject& asked : subjects) {
    CostItem item{asked, question.question.duty, {}, {}, {}, {}, {}, {}};
    if (item.duty.scale_to_zero && !item.duty.cold_start_s) item.duty.cold_start_s = asked.saved_start_s;
    if (const LoadQuestion& load = question.question.load; load.given() && answer.work && !asked.job)
      return usage_error(say("does not apply to machines that are named"), std::string(load.first_flag()),
                         say("gpusel simulate {} tries this load on it; gpusel cost without a name finds a machine",
                             simulated_name(asked)));
    if (answer.work && !asked.job) plan_job(item.subject, *answer.work, question.question, catalog, coefficients);
    terms.price(item);
    item.beside = terms_beside(item, question, answer, catalog, coefficients);
    add_scaling(item, answer, catalog, coefficients, question.explained);
    std::vector<catalog::Term> sold;
    for (const TermCost& term : item.terms) sold.push_back(term.offer->term);
    if (sold.empty()) sold.push_back(catalog::Term::on_demand);
    item.promises = promises_of(*item.subject.instance, sold, catalog);
    for (const job::Assumed& taken : job::taken_places(question.question.constraints, catalog))
      item.notes.push_back(say("region {}", std::get<std::string>(taken.value)));
    if (question.question.constraints.terms.empty() || item.terms.empty())
      if (std::string unpriced = unpriced_terms_note(item); !unpriced.empty())
        item.notes.push_back(std::move(unpriced));
    std::ranges::move(cost_notes(item, answer, catalog), std::back_inserter(item.notes));
    if (question.explained) {
      std::ranges::move(explain_cost(item, answer, catalog), std::back_inserter(item.trace));
      if (answer.work && item.subject.planned) {
        const PlannedMachine& planned = *item.subject.planned;
        std::ranges::move(explain(*answer.work, planned.machine, planned.plan, coefficients),
                          std::back_inserter(item.trace));
      }
    }
    answer.items.push_back(std::move(item));
  }
  return answer;
}

}  // namespace gpusel::answer
