#include "answer/lists/compare.hpp"

#include <algorithm>

#include "answer/explain/money_trace.hpp"
#include "answer/facts/candidates.hpp"
#include "answer/facts/limits.hpp"
#include "answer/lists/compare_figures.hpp"
#include "answer/search/search.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/processor.hpp"
#include "physics/kinds/networks/processor.hpp"

namespace gpusel::answer {

namespace {

constexpr std::size_t kFewest = 2;
constexpr std::size_t kMost = 64;
constexpr double kMostOfOne = 100'000;

/// A name as it was typed, taken apart: "8x h100", "h100:8", "2x8xh100", or without a number.
struct Asked {
  std::string_view name;
  std::optional<double> count;
  std::optional<double> each = std::nullopt;  // on a node, where nodes are counted
};

Asked take_apart(std::string_view text) {
  if (const auto counted = job::count_in_front(text)) {
    const Asked rest = take_apart(counted->second);
    if (!rest.count || rest.each) return {counted->second, counted->first};
    return {rest.name, counted->first * *rest.count, rest.count};
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  const std::string_view digits = trim(text.substr(colon + 1));
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return {text, {}};
  const auto count = plain_number(digits);
  return count ? Asked{trim(text.substr(0, colon)), count} : Asked{text, {}};
}

/// Which prices count: what the limits on place, term and age leave.
class Prices {
 public:
  Prices(const Question& question, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
         const money::Quoter& quoter, std::span<const rules::Rule> rules)
      : question_(question),
        catalog_(catalog),
        coefficients_(coefficients),
        rules_(rules),
        known_(known(question)),
        market_(catalog, quoter, rules, known_, question.today) {}

  /// The cheapest for the job, or by the hour. Of the instance that was named, limits on the provider are not asked: it
  /// was chosen.
  void price(Compared& item, const std::optional<job::Job>& work, const money::Work* job, double in_one_node) const {
    if (item.instance != nullptr && job != nullptr)
      return keep_cheapest(item, *item.instance, PlanUse(question_, *work, *item.planned, catalog_, coefficients_));
    if (item.instance != nullptr) return keep_cheapest(item, *item.instance, use(item.count, nullptr));
    for (const catalog::Instance& instance : catalog_.instances()) {
      const bool whole = catalog_.gpu_of(instance) == item.gpu && instance.gpu_count.value_or(0) >= in_one_node;
      if (!whole || instance.status == catalog::Availability::invitation) continue;
      rules::Facts facts = known_;
      const auto provider = catalog_.provider(instance.provider);
      instance_facts(facts, {instance, provider ? *provider : nullptr, catalog_, coefficients_});
      const bool ruled_out = std::ranges::any_of(rules_, [&](const rules::Rule& rule) {
        return rule.effect == rules::Effect::reject && rule.stage == rules::Stage::instance &&
               rules::fires(rule, facts);
      });
      if (!ruled_out) keep_cheapest(item, instance, use(item.count / *instance.gpu_count, job));
    }
  }

 private:
  static rules::Facts known(const Question& question) {
    rules::Facts facts;
    facts.set(rules::Fact::accepts_unavailable, question.constraints.include_unavailable.value_or(false));
    return facts;
  }

  Market::UseOf use(double nodes, const money::Work* job) const {
    return [use = money::Use{nodes, job, &question_.duty, &question_.extras}](const catalog::Offer&) { return use; };
  }

  /// Keeps the cheaper of what the item has and this instance's offers.
  void keep_cheapest(Compared& item, const catalog::Instance& instance, const Market::UseOf& use_of) const {
    for (Priced& priced : market_.allowed(instance, use_of, known_)) {
      if (priced.quote.outlasts || (item.offer != nullptr && priced.quote.place_order() >= item.cost->place_order()))
        continue;
      item.offer = priced.offer;
      item.offered_by = &instance;
      item.hourly = priced.quote.rate / item.count;
      item.exchange = priced.quote.exchange.value_or(money::Exchange{});
      item.cost = std::move(priced.quote);
    }
  }

  const Question& question_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  std::span<const rules::Rule> rules_;
  rules::Facts known_;
  Market market_;
};

class SideBySide {
 public:
  SideBySide(const Question& question, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
             const money::Quoter& quoter, std::span<const rules::Rule> rules, const FoundModel* model)
      : question_(question),
        catalog_(catalog),
        coefficients_(coefficients),
        rules_(rules),
        promises_(coefficients),
        context_{question, catalog, coefficients, quoter, rules, &promises_},
        model_(model),
        prices_(question, catalog, coefficients, quoter, rules) {}

  Result<Compared> item(const std::string& name, const std::optional<job::Job>& of_all) const {
    auto found = find(name);
    if (!found) return found;
    Compared& item = *found;
    const bool computes = item.has_no_gpu() && catalog_.cpu_of(*item.instance) != nullptr;
    if (of_all && computes && !physics::runs_on_cpus(*of_all)) item.own_work = work_on_cpus();
    const std::optional<job::Job>& work = item.own_work ? item.own_work : of_all;
    if (item.instance != nullptr) {
      item.gpu = catalog_.gpu_of(*item.instance);
      if (const auto total = catalog_.gpu_memory_total_gb(*item.instance))
        item.gpu_memory_total_gb = *total * item.count;
    }
    std::optional<money::Work> job;
    if (work) job = add_job(item, *work);
    if (work && !item.usable()) item.would_do = count_that_does(item, *work);
    prices_.price(item, work, job ? &*job : nullptr, static_cast<double>(in_one_node(item)));
    if (!job) item.cost.reset();
    item.price_is_guess = item.offer != nullptr && is_guess(*item.offer, question_.today);
    if (item.cost && item.job_hours) item.job_hours = item.cost->hours;  // with failures, where its nodes are known
    if (job) judge(item, *work);
    return found;
  }

 private:
  /// As a row of a ranking would be, an instance with its price; of a GPU there are only the targets.
  void judge(Compared& item, const job::Job& work) const {
    if (item.instance == nullptr || !item.cost)
      return void(item.in_time = chance_in_time(question_, work, *item.planned, &promises_, coefficients_));
    Recommendation row = judged({item.offer, *item.cost}, item.planned, context_, work);
    item.in_time = row.in_time;
    item.in_budget = row.in_budget;
    item.remarks = std::move(row.remarks);
  }

  /// The job as it runs without a GPU; nothing where it does not.
  std::optional<job::Job> work_on_cpus() const {
    job::Request request = question_.request;
    job::Assumptions assumed;
    job::assume_processor(request, model_->model, assumed);
    auto work = resolve_choosing(request, *model_, catalog_);
    return work && physics::runs_on_cpus(*work) ? std::optional(std::move(*work)) : std::nullopt;
  }

  /// The name as a whole first: some are spelt like a number of something, as bazaar's 2x-l40s.
  Result<Compared> find(const std::string& name) const {
    Compared item;
    item.name = name;
    if (catalog_.has_gpu(name) || catalog_.has_instance(name)) return named(std::move(item), name);
    Asked asked = take_apart(trim(name));
    if (!asked.count) return unknown(name);
    // "2x 8x-l40s": two of an instance that is spelled like a number.
    if (const auto counted = job::count_in_front(trim(name)); counted && catalog_.has_instance(counted->second))
      asked = {counted->second, counted->first};
    if (*asked.count < 1 || *asked.count > kMostOfOne || asked.each.value_or(1) < 1)
      return usage_error(say("the count in '{}' must be from 1 to {}", shorten(name, 60), kMostOfOne));
    if (asked.each && !catalog_.has_gpu(asked.name)) return unknown(name);
    // Nodes of one size for all: how many GPUs one has is asked once.
    const std::int64_t node = question_.request.gpus_per_node.value_or(kUsualPerNode);
    if (asked.each && *asked.count > *asked.each && *asked.each != static_cast<double>(node))
      return usage_error(say("'{}' has {:g} GPUs per node, compare assumes {}", shorten(name, 60), *asked.each, node),
                         {}, say("--gpus-per-node {:g} sets it for every item", *asked.each));
    item.count = *asked.count;
    item.counted = true;
    return named(std::move(item), asked.name);
  }

  /// A GPU first: some providers call an instance just H100, which "provider/H100" still reaches.
  Result<Compared> named(Compared item, std::string_view name) const {
    if (catalog_.has_gpu(name)) {
      const auto gpu = catalog_.gpu(name);
      if (!gpu) return std::unexpected(gpu.error());
      item.gpu = *gpu;
      // --gpus is how many of each GPU the job has.
      if (!item.counted && question_.request.gpus) item.count = static_cast<double>(*question_.request.gpus);
      item.counted = item.counted || question_.request.gpus.has_value();
      return item;
    }
    if (!catalog_.has_instance(name)) return unknown(name);
    const auto instance = catalog_.instance(name);
    if (!instance) return std::unexpected(instance.error());
    item.instance = *instance;
    return item;
  }

  std::unexpected<Error> unknown(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const catalog::Gpu& gpu : catalog_.gpus()) known.push_back(gpu.id);
    for (const catalog::Instance& instance : catalog_.instances()) known.push_back(instance.sku);
    if (catalog_.provider(name))
      return usage_error(say("'{}' is a provider", shorten(name, 60)), {},
                         say("to compare providers for a job: gpusel recommend MODEL --cloud aws,gcp"));
    const Hint near = did_you_mean(name, known);
    return usage_error(say("'{}' is neither a GPU nor an instance", shorten(name, 60)), {},
                       near.or_else(say("see gpusel gpus and gpusel instances")));
  }

  /// GPUs that must stand in one node to be what the item is.
  std::int64_t in_one_node(const Compared& item) const {
    return std::min(static_cast<std::int64_t>(item.count), question_.request.gpus_per_node.value_or(kUsualPerNode));
  }

  Result<physics::Machine> machine_with(const Compared& item, const job::Job& work) const {
    if (item.instance != nullptr)
      return machine_for(work, *item.instance, static_cast<int>(item.count), catalog_, coefficients_,
                         question_.extras.storage_kind);
    job::Assumptions each_its_own;  // links differ from item to item
    job::Request request = question_.request;
    request.gpus = static_cast<std::int64_t>(item.count);
    return requested_machine(request, *item.gpu, catalog_, coefficients_, each_its_own);
  }

  bool does(Compared item, double count, const job::Job& work) const {
    item.count = count;
    const auto machine = machine_with(item, work);
    if (!machine) return false;
    auto plan = plan_on_all(work, *machine, catalog_, coefficients_);
    if (!plan) return false;
    const PlannedMachine planned = promises_.expected(work, std::move(*plan));
    return planned.plan.is_usable() &&
           chance_in_time(question_, work, planned, &promises_, coefficients_).value_or(1) >= work.confidence;
  }

  /// The fewest that do the job with the asked confidence; 0 where more of them is no help.
  double count_that_does(const Compared& item, const job::Job& work) const {
    using enum physics::Problem::Kind;
    static constexpr physics::Problem::Kind kOfCount[] = {memory, cache, too_much_traffic, latency};
    constexpr double kMostTried = 256;
    if (item.planned == nullptr) return 0;
    if (std::ranges::find(kOfCount, item.planned->plan.problem.kind) == std::end(kOfCount)) return 0;
    double few = item.count, enough = item.count * 2;
    for (; !does(item, enough, work); enough *= 2) {
      few = enough;
      if (enough * 2 > kMostTried) return 0;
    }
    while (enough - few > 1) {
      const double middle = std::floor((few + enough) / 2);
      (does(item, middle, work) ? enough : few) = middle;
    }
    return enough;
  }

  /// What the plan makes of it; nothing where there is none.
  std::optional<money::Work> add_job(Compared& item, const job::Job& work) const {
    item.generates = work.model != nullptr && work.model->is_generator();
    if (item.gpu == nullptr && !(item.has_no_gpu() && physics::runs_on_cpus(work))) {
      item.problem = item.has_no_gpu() ? say("it has no GPU") : say("its GPU is not disclosed");
      return {};
    }
    const auto machine = machine_with(item, work);
    auto plan = machine ? plan_on_all(work, *machine, catalog_, coefficients_) : std::unexpected(machine.error());
    if (!plan) {
      item.problem = plan.error().message;
      return {};
    }
    item.planned = std::make_shared<const PlannedMachine>(promises_.expected(work, std::move(*plan)));
    const physics::Plan& planned = item.planned->plan;
    item.problem = planned.problem.text();
    // All items do the same job: one that would fit with another recipe says so and no more.
    if (without_masters(work, *machine, planned, coefficients_)) item.problem += say("; fits with --recipe pure");
    item.intervals = intervals_for(work, *machine, planned, coefficients_);
    const double rate = planned.rate;
    if (const auto duration = duration_of(work, rate)) item.job_hours = in_hours(*duration);
    rules::Facts facts;
    job_facts(facts, work, false);
    facts.set(rules::Fact::is_cpu, item.has_no_gpu());
    plan_facts(facts, work, *machine, planned, question_.duty, coefficients_);
    item.fit = judge_fit(rules_, facts);
    return rate > 0 ? std::optional(job_of(work, planned)) : std::nullopt;
  }

  const Question& question_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  std::span<const rules::Rule> rules_;
  mutable Promises promises_;
  SearchContext context_;
  const FoundModel* model_;  // of the job, where there is one
  Prices prices_;
};

const catalog::RenderScore* blender_of(const catalog::Catalog& catalog, const Compared& item,
                                       std::string_view version) {
  if (item.gpu == nullptr) return nullptr;
  constexpr auto kBlender = catalog::RenderBenchmark::blender;
  const catalog::RenderScore* preferred = catalog.render_score(*item.gpu, kBlender);
  if (version.empty() || preferred == nullptr || preferred->version == version) return preferred;
  for (const catalog::RenderScore& score : catalog.render_scores_of(*item.gpu))
    if (score.benchmark == kBlender && score.version == version) return &score;
  return nullptr;
}

/// Scores of the version that most items have, the newer of two.
void add_blender(CompareAnswer& comparison, const catalog::Catalog& catalog) {
  std::ptrdiff_t most = 0;
  for (const Compared& item : comparison.items) {
    const auto* score = blender_of(catalog, item, {});
    if (score == nullptr) continue;
    const auto having = std::count_if(comparison.items.begin(), comparison.items.end(), [&](const Compared& other) {
      return blender_of(catalog, other, score->version) != nullptr;
    });
    if (having < most || (having == most && score->version <= comparison.blender_version)) continue;
    most = having;
    comparison.blender_version = score->version;
  }
  if (most == 0) return;
  for (Compared& item : comparison.items) item.blender = blender_of(catalog, item, comparison.blender_version);
}

void explain_price(Compared& item, const job::Job& work, std::string_view currency, const catalog::Catalog& catalog) {
  const std::string_view source = catalog.origin_of(*item.offer).source;
  const Date date = Date::from_packed(item.offer->as_of);
  item.trace.push_back({"cost.hourly", say("cheapest price of one, in the answer's currency × how many"),
                        format("{:.6g} × {:g}", item.hourly, item.count),
                        physics::shown("{:.6g}", item.cost->hourly, format("{}/h", currency)),
                        format("{}, {}", source.empty() ? say("no source") : printable(source),
                               date.known() ? date.text() : say("undated"))});
  explain_money(*item.cost, work, item.planned->plan.rate, currency, item.trace);
}

/// The same thing under two names would be compared with itself.
Status all_different(std::span<const Compared> items) {
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Compared& a = items[j];
      const Compared& b = items[i];
      if (a.instance != b.instance || a.gpu != b.gpu || a.count != b.count) continue;
      return usage_error(lower(a.name) == lower(b.name)
                             ? say("'{}' is named twice", shorten(b.name, 60))
                             : say("'{}' and '{}' are the same", shorten(a.name, 60), shorten(b.name, 60)),
                         {}, say("name it once"));
    }
  return {};
}

}  // namespace

Result<CompareAnswer> compare(std::span<const std::string> names, const Question& question,
                              const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
                              const physics::Coefficients& coefficients, bool explained) {
  if (names.size() < kFewest || names.size() > kMost)
    return usage_error(
        names.size() == 1 ? say("one name cannot be compared") : say("{} names to compare", names.size()), {},
        say("name {} to {} GPUs or instances", kFewest, kMost));
  auto converter = money::Converter::into(question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  job::Constraints constraints = of_named(question.constraints);
  job::assume_usual(constraints, *job::find_limit("term"));
  // What an item does about them is told, not hidden.
  constraints.budget.reset();
  constraints.deadline_hours.reset();
  const auto limits = LimitSet::of(constraints, catalog);
  if (!limits) return std::unexpected(limits.error());
  CompareAnswer out;
  out.currency = question.currency;
  out.today = question.today;
  out.asked = question.constraints;
  out.terms = constraints.terms;
  std::optional<FoundModel> model;
  if (question.request.task || question.request.names_model()) {
    auto found = find_model(question.request, catalog);
    if (!found) return std::unexpected(found.error());
    model = std::move(*found);
    auto work = resolve_choosing(question.request, *model, catalog);
    if (!work) return std::unexpected(work.error());
    if (Status ends = check_end(question, *work); !ends) return std::unexpected(ends.error());
    if (question.constraints.budget && !work->ends())
      return usage_error(say("--budget is for a whole job, and this one does not end: it has no effect"));
    out.own_model = model->own;
    out.work = std::move(*work);
  } else if (question.constraints.deadline_hours || question.constraints.budget) {
    return usage_error(say("has no effect: no job is compared"),
                       question.constraints.deadline_hours ? "--deadline" : "--budget",
                       say("--model and --task name a job"));
  }
  const money::Quoter quoter(catalog, coefficients, *converter, question.today);
  std::vector<rules::Rule> all = limits->rules();
  all.insert(all.end(), rules.begin(), rules.end());
  const SideBySide comparer(question, catalog, coefficients, quoter, all, model ? &*model : nullptr);
  for (const std::string& name : names) {
    auto item = comparer.item(name, out.work);
    if (!item) return std::unexpected(item.error());
    const job::Job* work = item->own_work ? &*item->own_work : out.work ? &*out.work : nullptr;
    if (explained && item->planned != nullptr)
      item->trace = explain(*work, item->planned->machine, item->planned->plan, coefficients);
    if (explained && item->cost) explain_price(*item, *work, out.currency.code(), catalog);
    out.items.push_back(std::move(*item));
  }
  if (Status different = all_different(out.items); !different) return std::unexpected(different.error());
  add_blender(out, catalog);
  fill_values(out.items);
  return out;
}

}  // namespace gpusel::answer
