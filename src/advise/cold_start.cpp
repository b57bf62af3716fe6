// How long a fresh instance takes until it answers.
#include <algorithm>
#include <cmath>

#include "gpusel/advise/data_path.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/estimate/checkpoint.hpp"
#include "gpusel/estimate/economy.hpp"

namespace gpusel::advise {

namespace {

using catalog::StorageKind;
using workload::Workload;

/// What one node reads, and how many processes of it read it.
struct Loaded {
  Bytes weights;
  double processes = 1;
};

/// Replicas of one node read the same files, which stay in its memory; a replica over several nodes is shared out.
Loaded loaded(const Workload& work, const estimate::Machine& machine, const plan::InferenceChoice& choice) {
  const int ranks = choice.plan.tp * choice.plan.pp;
  const int here = std::min(ranks, machine.gpus_per_node);
  return {estimate::stored_weights(work, *choice.plan.weights) * (static_cast<double>(here) / ranks),
          static_cast<double>(here)};
}

/// A run that goes on from its checkpoint; what adapters leave frozen is read from the model's own files.
Loaded loaded(const Workload& work, const estimate::Machine& machine, const plan::TrainingChoice& choice) {
  const Bytes frozen = workload::trains_adapter(work.training.method) ? bytes(2 * work.parameters.total()) : Bytes{};
  return {(frozen + estimate::checkpoint_size(work, choice.plan.precision).value_or(Bytes{})) / machine.nodes,
          static_cast<double>(machine.gpus_per_node)};
}

/// Every GPU holds the whole of a network; the tables of a recommender are divided over them.
Loaded loaded(const Workload& work, const estimate::Machine& machine, const plan::CountedChoice& choice) {
  if (work.model == nullptr) return {};
  const bool divided = std::holds_alternative<workload::RecommenderJob>(work.counted->job);
  return {choice.figures.memory.weights * (divided ? machine.gpus_per_node : 1), 1};
}

std::string_view engine_of(const Workload& work) {
  if (work.counted) return to_text(work.counted->engine);
  return workload::is_training(work.task) ? std::string_view(work.training.framework) : to_text(work.inference.engine);
}

/// Where weights are kept if nobody says: what the provider is known to sell, buckets first.
StorageKind usual_kind(const Place& place, const catalog::Catalog& catalog) {
  for (const StorageKind kind :
       {StorageKind::object, StorageKind::file, StorageKind::parallel_file, StorageKind::block})
    if (!cost::storages_at(place, kind, catalog).empty()) return kind;
  return StorageKind::object;
}

/// The fastest of that kind without buying throughput; the usual rate where none is known.
void choose_storage(ColdStart& start, std::optional<StorageKind> from, const Place& place,
                    const catalog::Catalog& catalog, const estimate::Coefficients& coefficients) {
  StorageKind kind = from.value_or(StorageKind::local);  // which nobody gets who does not ask for it
  if (kind == StorageKind::local) {
    const auto gbs = from ? cost::local_gbs(place, catalog, coefficients) : std::nullopt;
    if (gbs) {
      const auto known = cost::storages_at(place, StorageKind::local, catalog);
      start.kind = StorageKind::local;
      start.storage = known.empty() ? nullptr : known.front();
      start.usual = known.empty();
      start.storage_gbs = *gbs;
      return;
    }
    kind = usual_kind(place, catalog);
  }
  start.kind = kind;
  const auto known = cost::storages_at(place, *start.kind, catalog);
  for (const catalog::Storage* storage : known) {
    cost::StorageUse use = cost::storage_use(place.instance, in_gb(start.weights), 1);
    use.least_gb = coefficients.economy->storage_least_gb.of(storage->id);
    const auto rate = cost::read_rate(*storage, use);
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
  if (start.storage == nullptr) return say("none of the provider's is known: usual rate");
  return start.usual ? say("{}: its rate there is not known, usual rate", start.storage->name)
                     : std::string(start.storage->name);
}

void explain_start(const ColdStart& start, std::string_view engine, double processes, estimate::Trace& trace) {
  const auto kind = to_text(*start.kind);
  trace.push_back({"cold_start.storage_gbs", say("what one instance reads from {} storage", kind), storage_text(start),
                   format("{:.3g} GB/s", start.storage_gbs),
                   start.usual ? "data/calibration/economy.yaml" : std::string(start.storage->source)});
  trace.push_back({"cold_start.loader_gbs", say("loader of one process × processes ^ growth"),
                   say("{:g} processes on a node", processes), format("{:.3g} GB/s", start.loader_gbs),
                   "data/calibration/economy.yaml, start.loader_gbs, start.loader_growth"});
  trace.push_back({"cold_start.load_s", say("weights ÷ lesser of storage and loader"),
                   format("{:.4g} GB ÷ {:.3g} GB/s", in_gb(start.weights), start.gbs()),
                   format("{:.3g} s", start.load.raw()), "docs/data-path.md"});
  trace.push_back({"cold_start.engine_s", say("start of the engine, weights loaded"), std::string(engine),
                   format("{:.3g} s", start.engine.raw()), "data/calibration/economy.yaml, start.engine_s"});
  trace.push_back({"cold_start.total_s",
                   say("loading + start of the engine; getting the instance and its container "
                       "comes before"),
                   format("{:.3g} + {:.3g}", start.load.raw(), start.engine.raw()),
                   format("{:.3g} s", start.total().raw()), "docs/data-path.md"});
}

}  // namespace

std::optional<ColdStart> cold_start(const Workload& work, const estimate::Machine& machine, const plan::Choice& choice,
                                    const Place& place, const catalog::Catalog& catalog,
                                    const estimate::Coefficients& coefficients, estimate::Trace* trace,
                                    std::optional<StorageKind> from) {
  const Loaded what = std::visit([&](const auto& planned) { return loaded(work, machine, planned); }, choice);
  if (what.weights.raw() <= 0) return std::nullopt;
  const estimate::EconomyCoefficients& c = *coefficients.economy;
  ColdStart start;
  start.weights = what.weights;
  choose_storage(start, from, place, catalog, coefficients);
  start.loader_gbs =
      c.start_loader_gbs.of(to_text(*start.kind)) * std::pow(what.processes, c.start_loader_growth.value);
  start.load = start.weights / gb_per_s(start.gbs());
  start.engine = seconds(c.start_engine_s.of(engine_of(work)));
  if (trace != nullptr) explain_start(start, engine_of(work), what.processes, *trace);
  return start;
}

}  // namespace gpusel::advise
