// How long a fresh instance takes until it answers.
#include <algorithm>

#include "answer/stages/data_path.hpp"
#include "base/words/message.hpp"
#include "physics/checkpoint.hpp"
#include "physics/economy.hpp"

namespace gpusel::answer {

namespace {

using catalog::StorageKind;
using job::Job;

std::string_view engine_of(const Job& work) {
  if (work.counted) return to_text(work.counted->engine);
  return job::is_training(work.task) ? std::string_view(work.training.framework) : to_text(work.inference.engine);
}

/// Where weights are kept if nobody says: what the provider is known to sell, buckets first.
StorageKind usual_kind(const Place& place, const catalog::Catalog& catalog) {
  for (const StorageKind kind :
       {StorageKind::object, StorageKind::file, StorageKind::parallel_file, StorageKind::block})
    if (!money::storages_at(place, kind, catalog).empty()) return kind;
  return StorageKind::object;
}

/// The fastest of that kind without buying throughput; the usual rate where none is known.
void choose_storage(ColdStart& start, std::optional<StorageKind> from, const Place& place,
                    const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  StorageKind kind = from.value_or(StorageKind::local);  // which nobody gets who does not ask for it
  if (kind == StorageKind::local) {
    const auto gbs = from ? money::local_gbs(place, catalog, coefficients) : std::nullopt;
    if (gbs) {
      const auto known = money::storages_at(place, StorageKind::local, catalog);
      start.kind = StorageKind::local;
      start.storage = known.empty() ? nullptr : known.front();
      start.usual = known.empty();
      start.storage_gbs = *gbs;
      return;
    }
    kind = usual_kind(place, catalog);
  }
  start.kind = kind;
  const auto known = money::storages_at(place, *start.kind, catalog);
  for (const catalog::Storage* storage : known) {
    money::StorageUse use = money::storage_use(place.instance, in_gb(start.weights), 1);
    use.least_gb = coefficients.economy->storage_least_gb.of(storage->id);
    const auto rate = money::read_rate(*storage, use);
    if (!rate || (start.storage != nullptr && rate->gbs <= start.storage_gbs)) continue;
    start.storage = storage;
    start.storage_gbs = rate->gbs;
  }
  if (start.storage != nullptr) return;
  start.usual = true;
  if (!known.empty()) start.storage = known.front();
  start.storage_gbs = coefficients.economy->storage_usual_gbs.of(to_text(*start.kind));
  if (place.instance.network_gbps) start.storage_gbs = std::min(start.storage_gbs, *place.instance.network_gbps / 8);
}

std::string storage_text(const ColdStart& start) {
  if (start.storage == nullptr) return say("not known for this provider: usual rate");
  return start.usual ? say("{}: its rate there is not known, usual rate", start.storage->name)
                     : std::string(start.storage->name);
}

}  // namespace

std::optional<ColdStart> cold_start(const Job& work, const physics::Machine& machine, const physics::Plan& plan,
                                    const Place& place, const catalog::Catalog& catalog,
                                    const physics::Coefficients& coefficients, physics::Trace* trace,
                                    std::optional<StorageKind> from) {
  const physics::Loaded what = physics::physics_of(work).loaded(work, machine, plan);
  if (what.weights.raw() <= 0) return std::nullopt;
  const physics::EconomyCoefficients& c = *coefficients.economy;
  ColdStart start;
  start.weights = what.weights;
  choose_storage(start, from, place, catalog, coefficients);
  if (trace != nullptr)
    note(*trace, {"cold_start.storage_gbs", "{:.3g}", "GB/s", start.usual ? kEconomyData : start.storage->source},
         start.storage_gbs, say("what one instance reads from {} storage", to_text(*start.kind)), storage_text(start));
  const physics::Recorded loader{"cold_start.loader_gbs", "{:.3g}", "GB/s", kEconomyData};
  start.loader_gbs = record(trace, loader, [&](auto told) {
    return told("loader of one process", c.start_loader_gbs.of(to_text(*start.kind)), "GB/s") *
           physics::power(told("processes", what.processes), told("growth", c.start_loader_growth.value));
  });
  start.load = record(trace, {"cold_start.load_s", "{:.3g}", "s", kDataPage}, [&](auto told) {
    return told("weights", start.weights) /
           physics::least(told("storage", gb_per_s(start.storage_gbs)), told("loader", gb_per_s(start.loader_gbs)));
  });
  start.engine = record(trace, {"cold_start.engine_s", "{:.3g}", "s", kEconomyData}, [&](auto told) {
    return told([&] { return say("start of {}, weights loaded", engine_of(work)); },
                seconds(c.start_engine_s.of(engine_of(work))));
  });
  record(trace, {"cold_start.total_s", "{:.3g}", "s", kDataPage}, [&](auto told) { return start.sum(told); });
  return start;
}

}  // namespace gpusel::answer
