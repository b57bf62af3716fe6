#include "gpusel/advise/compare.hpp"

#include <algorithm>

#include "advise/candidates.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::advise {

namespace {

constexpr std::size_t kFewest = 2;
constexpr std::size_t kMost = 8;

class Comparer {
 public:
  Comparer(const Question& question, const catalog::Catalog& catalog, const estimate::Coefficients& coefficients,
           const cost::Converter& converter)
      : question_(question), catalog_(catalog), coefficients_(coefficients), converter_(converter) {}

  Result<Compared> item(const std::string& name, const std::optional<workload::Workload>& work) const {
    Compared item;
    item.name = name;
    // A GPU first: some providers call an instance just H100, which "provider/H100" still reaches.
    if (const auto gpu = catalog_.gpu(name)) {
      item.gpu = *gpu;
      price_gpu(item);
    } else if (const auto instance = catalog_.instance(name)) {
      item.instance = *instance;
      item.gpu = catalog_.gpu_of(**instance);
      price_instance(item, **instance);
    } else {
      return unknown(name);
    }
    if (work) add_job(item, *work);
    return item;
  }

 private:
  std::unexpected<Error> unknown(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const catalog::Gpu& gpu : catalog_.gpus()) known.push_back(gpu.id);
    for (const catalog::Instance& instance : catalog_.instances()) known.push_back(instance.sku);
    const std::string near = did_you_mean(name, known);
    return usage_error(say("'{}' is neither a GPU nor an instance", shorten(name, 60)), {},
                       near.empty() ? say("see gpusel gpus and gpusel instances") : near);
  }

  bool counts(const catalog::Offer& offer) const {
    const auto& terms = question_.constraints.terms;
    if (terms.empty()) return offer.term == catalog::Term::on_demand;
    return std::any_of(terms.begin(), terms.end(),
                       [&](const std::string& term) { return term == "any" || term == to_text(offer.term); });
  }

  /// Keeps the cheaper of what the item has and this instance's offers, per `units` of it.
  void price(Compared& item, const catalog::Instance& instance, double units) const {
    for (const catalog::Offer& offer : catalog_.offers_of(instance)) {
      const auto exchange = converter_.exchange(catalog_.currency_of(offer));
      if (!counts(offer) || !exchange) continue;
      const double hourly = offer.per_hour() * exchange->rate / units;
      if (item.offer != nullptr && hourly >= item.hourly) continue;
      item.offer = &offer;
      item.offered_by = &instance;
      item.hourly = hourly;
    }
  }

  void price_instance(Compared& item, const catalog::Instance& instance) const { price(item, instance, 1); }

  /// GPUs that must stand in one node to be what the job is planned for.
  double together() const {
    const auto& request = question_.request;
    return static_cast<double>(std::min(request.gpus.value_or(1), request.gpus_per_node.value_or(8)));
  }

  void price_gpu(Compared& item) const {
    for (const catalog::Instance& instance : catalog_.instances()) {
      const bool whole = catalog_.gpu_of(instance) == item.gpu && instance.gpu_count.value_or(0) >= together();
      if (whole && instance.status != catalog::Availability::retired) price(item, instance, *instance.gpu_count);
    }
  }

  Result<estimate::Machine> machine_for(const Compared& item) const {
    if (item.instance != nullptr) return machine_of(*item.instance, 1, catalog_, coefficients_);
    workload::Assumptions each_its_own;  // links differ from item to item
    return requested_machine(question_.request, *item.gpu, coefficients_, each_its_own);
  }

  void add_job(Compared& item, const workload::Workload& work) const {
    if (item.gpu == nullptr) {
      item.problem = say("no GPU that can be estimated");
      return;
    }
    const auto machine = machine_for(item);
    auto choice = machine ? plan::plan_for(work, *machine, coefficients_) : std::unexpected(machine.error());
    if (!choice) {
      item.problem = choice.error().message;
      return;
    }
    item.problem = plan::problem_of(*choice).text();
    item.planned = std::make_shared<const PlannedMachine>(PlannedMachine{*machine, std::move(*choice)});
    const double rate = plan::tokens_per_s(item.planned->choice);
    if (item.offer == nullptr || rate <= 0) return;
    const double units = item.instance != nullptr ? 1 : machine->gpus();
    const auto duration = duration_of(work, rate);
    const Seconds least = duration ? cost::subscription_period(item.offer->term) : Seconds{};
    item.cost = cost::job_cost({item.hourly * units, converter_.currency()}, converter_,
                               {1, duration.value_or(seconds(kHoursPerMonth * 3600)), rate, least});
  }

  const Question& question_;
  const catalog::Catalog& catalog_;
  const estimate::Coefficients& coefficients_;
  const cost::Converter& converter_;
};

}  // namespace

Result<Comparison> compare(std::span<const std::string> names, const Question& question,
                           const catalog::Catalog& catalog, const estimate::Coefficients& coefficients) {
  if (names.size() < kFewest || names.size() > kMost)
    return usage_error(say("{} names to compare", names.size()), {},
                       say("give {} to {} GPUs or instances", kFewest, kMost));
  auto converter = cost::Converter::into(question.currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  Comparison out;
  out.currency = question.currency;
  const bool job = question.request.task || !question.request.model.empty();
  if (job) {
    auto model = find_model(question.request, catalog);
    if (!model) return std::unexpected(model.error());
    auto work = workload::resolve(question.request, *model->model);
    if (!work) return std::unexpected(work.error());
    out.own_model = model->own;
    out.work = std::move(*work);
  }
  const Comparer comparer(question, catalog, coefficients, *converter);
  for (const std::string& name : names) {
    auto item = comparer.item(name, out.work);
    if (!item) return std::unexpected(item.error());
    out.items.push_back(std::move(*item));
  }
  return out;
}

}  // namespace gpusel::advise
