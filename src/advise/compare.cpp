#include "gpusel/advise/compare.hpp"

#include <algorithm>

#include "advise/compare_figures.hpp"
#include "advise/limits.hpp"
#include "advise/money_trace.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::advise {

namespace {

constexpr std::size_t kFewest = 2;
constexpr std::size_t kMost = 8;
constexpr double kMostOfOne = 100'000;

/// A name as it was typed, taken apart: "8x h100", "h100:8", or without a number.
struct Asked {
  std::string_view name;
  std::optional<double> count;
};

Asked take_apart(std::string_view text) {
  if (const auto counted = workload::count_in_front(text)) return {counted->second, counted->first};
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
  Prices(const Question& question, const catalog::Catalog& catalog, const estimate::Coefficients& coefficients,
         const cost::Converter& converter, const LimitSet& limits)
      : question_(question), catalog_(catalog), coefficients_(coefficients), converter_(converter), limits_(limits) {}

  /// Of the instance that was named: limits on the provider are not asked, it was chosen.
  void of_instance(Compared& item) const { keep_cheapest(item, *item.instance, 1); }

  /// Of one GPU of any instance that can be had and has `together` of them whole.
  void of_gpu(Compared& item, double together) const {
    for (const catalog::Instance& instance : catalog_.instances()) {
      const bool whole = catalog_.gpu_of(instance) == item.gpu && instance.gpu_count.value_or(0) >= together;
      if (!whole || !for_sale(instance.status) || instance.status == catalog::Availability::invitation) continue;
      const auto provider = catalog_.provider(instance.provider);
      if (limits_.against({instance, provider ? *provider : nullptr, catalog_, coefficients_}) == nullptr)
        keep_cheapest(item, instance, *instance.gpu_count);
    }
  }

 private:
  /// Keeps the cheaper of what the item has and this instance's offers, per `units` of it.
  void keep_cheapest(Compared& item, const catalog::Instance& instance, double units) const {
    for (const catalog::Offer& offer : catalog_.offers_of(instance)) {
      const auto cost = cost::job_cost({offer.per_hour(), catalog_.currency_of(offer)}, converter_, {1, seconds(3600)});
      if (!cost || (item.offer != nullptr && cost->hourly / units >= item.hourly)) continue;
      if (limits_.allows({offer, *cost, catalog_, question_.today}) != OfferVerdict::allowed) continue;
      if (const auto* state = catalog_.state_of(instance, offer); state != nullptr && !for_sale(state->state)) continue;
      item.offer = &offer;
      item.offered_by = &instance;
      item.hourly = cost->hourly / units;
      item.exchange = cost->exchange.value_or(cost::Exchange{});
    }
  }

  const Question& question_;
  const catalog::Catalog& catalog_;
  const estimate::Coefficients& coefficients_;
  const cost::Converter& converter_;
  const LimitSet& limits_;
};

class SideBySide {
 public:
  SideBySide(const Question& question, const catalog::Catalog& catalog, const estimate::Coefficients& coefficients,
           const cost::Converter& converter, const LimitSet& limits)
      : question_(question),
        catalog_(catalog),
        coefficients_(coefficients),
        converter_(converter),
        prices_(question, catalog, coefficients, converter, limits) {}

  Result<Compared> item(const std::string& name, const std::optional<workload::Workload>& work) const {
    auto found = find(name);
    if (!found) return found;
    Compared& item = *found;
    if (item.instance != nullptr) {
      item.gpu = catalog_.gpu_of(*item.instance);
      if (const auto total = catalog_.gpu_memory_total_gb(*item.instance))
        item.gpu_memory_total_gb = *total * item.count;
      prices_.of_instance(item);
    } else {
      prices_.of_gpu(item, static_cast<double>(in_one_node(item)));
    }
    if (work) add_job(item, *work);
    return found;
  }

 private:
  /// The name as a whole first: some are spelt like a number of something, as bazaar's 2x-l40s.
  Result<Compared> find(const std::string& name) const {
    Compared item;
    item.name = name;
    if (catalog_.has_gpu(name) || catalog_.has_instance(name)) return named(std::move(item), name);
    const Asked asked = take_apart(trim(name));
    if (!asked.count) return unknown(name);
    if (*asked.count < 1 || *asked.count > kMostOfOne)
      return usage_error(
          say("'{}' says how many with a number that is not from 1 to {}", shorten(name, 60), kMostOfOne));
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
    const std::string near = did_you_mean(name, known);
    return usage_error(say("'{}' is neither a GPU nor an instance", shorten(name, 60)), {},
                       near.empty() ? say("see gpusel gpus and gpusel instances") : near);
  }

  /// GPUs that must stand in one node to be what the item is.
  std::int64_t in_one_node(const Compared& item) const {
    return std::min(static_cast<std::int64_t>(item.count), question_.request.gpus_per_node.value_or(8));
  }

  Result<estimate::Machine> machine_for(const Compared& item) const {
    if (item.instance != nullptr)
      return machine_of(*item.instance, static_cast<int>(item.count), catalog_, coefficients_);
    workload::Assumptions each_its_own;  // links differ from item to item
    workload::Request request = question_.request;
    request.gpus = static_cast<std::int64_t>(item.count);
    return requested_machine(request, *item.gpu, coefficients_, each_its_own);
  }

  void add_job(Compared& item, const workload::Workload& work) const {
    item.generates = work.model != nullptr && work.model->is_generator();
    if (item.gpu == nullptr && !(item.has_no_gpu() && work.counted && work.counted->on_cpu)) {
      item.problem = item.has_no_gpu() ? say("it has no GPU") : say("its GPU is not disclosed");
      return;
    }
    const auto machine = machine_for(item);
    auto choice = machine ? plan::plan_for(work, *machine, coefficients_) : std::unexpected(machine.error());
    if (!choice) {
      item.problem = choice.error().message;
      return;
    }
    item.problem = plan::problem_of(*choice).text();
    // All items do the same job: one that would fit with another recipe says so and no more.
    if (without_masters(work, *machine, *choice, coefficients_)) item.problem += say("; fits with --recipe pure");
    item.intervals = intervals_for(work, *machine, *choice, coefficients_);
    item.planned = std::make_shared<const PlannedMachine>(PlannedMachine{*machine, std::move(*choice)});
    const double rate = plan::rate_of(item.planned->choice);
    const auto duration = duration_of(work, rate);
    if (duration) item.job_hours = in_hours(*duration);
    if (item.offer == nullptr || rate <= 0) return;
    const Seconds least = duration ? cost::subscription_period(item.offer->term) : Seconds{};
    item.cost = cost::job_cost({item.hourly * item.count, converter_.currency()}, converter_,
                               usage_of(work, rate, duration.value_or(seconds(kHoursPerMonth * 3600)), least));
  }

  /// One machine's; a licence or traffic beside it is not the machine's.
  static cost::Usage usage_of(const workload::Workload& work, double rate, Seconds duration, Seconds least) {
    cost::Usage usage{1, duration, work.counted ? 0 : rate};
    usage.period = least;
    if (!work.counted) return usage;
    usage.units_per_hour = work.counted->unit.priced_per_hour(rate);
    usage.unit = work.counted->unit.priced;
    return usage;
  }

  const Question& question_;
  const catalog::Catalog& catalog_;
  const estimate::Coefficients& coefficients_;
  const cost::Converter& converter_;
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

void explain_price(Compared& item, const workload::Workload& work, std::string_view currency,
                   const catalog::Catalog& catalog) {
  const std::string_view source = catalog.origin_of(*item.offer).source;
  const Date date = Date::from_packed(item.offer->as_of);
  item.trace.push_back({"cost.hourly", say("cheapest price of one, in the answer's currency × how many"),
                        format("{:.6g} × {:g}", item.hourly, item.count),
                        estimate::shown("{:.6g}", item.cost->hourly, format("{}/h", currency)),
                        format("{}, {}", source.empty() ? say("no source") : printable(source),
                               date.known() ? date.text() : say("undated"))});
  explain_money(*item.cost, work, plan::rate_of(item.planned->choice), currency, item.trace);
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
                             : say("'{}' and '{}' are the same", shorten(a.name, 60), shorten(b.name, 60)));
    }
  return {};
}

}  // namespace

Result<CompareAnswer> compare(std::span<const std::string> names, const Question& question,
                              const catalog::Catalog& catalog, const estimate::Coefficients& coefficients,
                              bool explained) {
  if (names.size() < kFewest || names.size() > kMost)
    return usage_error(
        names.size() == 1 ? say("one name cannot be compared") : say("{} names to compare", names.size()), {},
        say("give {} to {} GPUs or instances", kFewest, kMost));
  auto converter = cost::Converter::into(question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  workload::Constraints constraints = question.constraints;
  workload::assume_usual(constraints, *workload::find_limit("term"));
  const auto limits = LimitSet::of(constraints, catalog);
  if (!limits) return std::unexpected(limits.error());
  CompareAnswer out;
  out.currency = question.currency;
  out.terms = constraints.terms;
  if (question.request.task || question.request.names_model()) {
    auto model = find_model(question.request, catalog);
    if (!model) return std::unexpected(model.error());
    auto work = resolve_work(question.request, *model, catalog);
    if (!work) return std::unexpected(work.error());
    out.own_model = model->own;
    out.work = std::move(*work);
  }
  const SideBySide comparer(question, catalog, coefficients, *converter, *limits);
  for (const std::string& name : names) {
    auto item = comparer.item(name, out.work);
    if (!item) return std::unexpected(item.error());
    if (explained && item->planned != nullptr)
      item->trace = explain(*out.work, item->planned->machine, item->planned->choice, coefficients);
    if (explained && item->cost) explain_price(*item, *out.work, out.currency.code(), catalog);
    out.items.push_back(std::move(*item));
  }
  if (Status different = all_different(out.items); !different) return std::unexpected(different.error());
  add_blender(out, catalog);
  fill_values(out.items);
  return out;
}

}  // namespace gpusel::advise
