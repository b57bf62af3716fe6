#include "answer/lists/slices.hpp"

#include <cmath>

#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/mig.hpp"

namespace gpusel::answer {

namespace {

/// An instance to rent, and what its GPUs are cut into.
struct Cut {
  Listed listed;
  catalog::MigProfile profile;
  double slices = 0;  // of the whole instance

  double each() const { return listed.hourly / slices; }
};

std::optional<Cut> cheapest_cut(std::span<const Listed> listed, int parts, const catalog::Catalog& catalog) {
  std::optional<Cut> best;
  for (const Listed& one : listed) {
    const catalog::Gpu* gpu = catalog.gpu_of(*one.instance);
    const double gpus = one.instance->gpu_count.value_or(0);
    if (one.offer == nullptr || gpu == nullptr || gpus < 1) continue;
    auto profile = catalog::mig_slice(*gpu, parts, catalog);
    if (!profile) continue;
    const double slices = gpus * profile->most;
    if (!best || one.hourly / slices < best->each()) best = Cut{one, std::move(*profile), slices};
  }
  return best;
}

}  // namespace

std::vector<std::string> slice_notes(const job::Constraints& limits, Currency currency, Date today,
                                     const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  std::vector<std::string> notes;
  for (const job::GpuSpec& spec : limits.gpus) {
    if (!spec.count.high || *spec.count.high >= 1) continue;
    const int parts = static_cast<int>(std::lround(1 / *spec.count.high));
    ListQuestion question;
    question.constraints = limits;
    question.currency = currency;
    question.today = today;
    question.constraints.gpus = {spec};
    question.constraints.gpus.front().count = {};
    const auto list = list_instances(question, false, catalog, coefficients);
    const auto cut = list ? cheapest_cut(list->listed, parts, catalog) : std::nullopt;
    if (!cut) {
      notes.push_back(say("no provider sells 1/{} of this GPU, and no MIG profile cuts it so", parts));
      continue;
    }
    const catalog::Instance& instance = *cut->listed.instance;
    notes.push_back(
        say("no provider sells 1/{} of this GPU. Cut one: {} {} at {} {}/h makes {:g} MIG slices {} at {} {}/h each, "
            "with {:.3g} % of the memory and {:.3g} % of the SMs. Fit and speed: gpusel estimate --gpu {}:1/{}",
            parts, instance.provider, instance.sku, human_price(cut->listed.hourly), currency.code(), cut->slices,
            cut->profile.name, human_price(cut->each()), currency.code(), 100 * cut->profile.memory,
            100 * cut->profile.compute, catalog.gpu_of(instance)->id, parts));
  }
  return notes;
}

}  // namespace gpusel::answer
