#include "answer/stages/data_path.hpp"

#include <algorithm>
#include <limits>

#include "answer/stages/data_need.hpp"
#include "base/text/text.hpp"
#include "base/values/enum.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/economy.hpp"

namespace gpusel::answer {

namespace {

using catalog::Storage;
using catalog::StorageKind;

/// Below this share of waiting nobody would act.
constexpr double kWorthWarning = 0.05;
/// Bytes that a request brings where things are smaller than that and lie together in large files.
constexpr double kRequestBytes = 8.0 * 1024 * 1024;
/// What is bought writes a checkpoint within this share of the time between two, or else within this time.
constexpr double kCheckpointShare = 0.1;
constexpr Seconds kCheckpointTime = seconds(300);
constexpr std::string_view kGroup = to_say("Data path");

auto set_storage(std::string_view text, DataWishes& wishes) { return job::assign(text, wishes.storage); }

constexpr job::Limits kGigabytes{{.low = 1e-6, .high = 1e12}, 1000, "gb"};

#define GPUSEL_SET(...) [](DataWishes& w, std::string_view t) { return job::assign(t, __VA_ARGS__); }

constexpr job::Option<DataWishes> kOptions[] = {
    {"dataset_gb", "", "GB", to_say("size of the data set, GB (default: from the job)"), kGroup,
     GPUSEL_SET(w.dataset_gb, kGigabytes)},
    {"sample_kb", "", "KB", to_say("size of one sample as stored, kB (default: usual for the kind of data)"), kGroup,
     GPUSEL_SET(w.sample_kb, job::Limits{{.low = 1e-3, .high = 1e12}, 1000, "kb"})},
    {"checkpoint_minutes", "", "MIN", to_say("time between checkpoints"), kGroup,
     GPUSEL_SET(w.checkpoint_minutes, job::Limits{{.low = 0.1, .high = 1e5}, 1000, "min"})},
    {"storage", "", "KIND", to_say("storage of data and weights: local, block, file, parallel-file or object"), kGroup,
     [](DataWishes& w, std::string_view t) { return set_storage(t, w); }},
};

#undef GPUSEL_SET

/// The samples of a data set that are files of their own: one request each.
double requests_of(const DataNeed& need) {
  const double bytes = *need.dataset_gb * 1e9;
  const bool whole_files = need.unit == "images" && *need.unit_bytes > 0;
  return bytes / (whole_files ? *need.unit_bytes : kRequestBytes);
}

class Path {
 public:
  Path(const Recommendation& recommendation, const DataWishes& wishes, const catalog::Catalog& catalog,
       const physics::Coefficients& coefficients, const money::Converter& converter, DataPath& out,
       physics::Trace* trace)
      : one_(recommendation),
        wishes_(wishes),
        catalog_(catalog),
        coefficients_(coefficients),
        converter_(converter),
        out_(out),
        trace_(trace),
        place_{*recommendation.instance, recommendation.region->id} {}

  void add_storages() {
    if (out_.need.stored_gb() <= 0) return;
    for (std::size_t i = 0; i < enum_names<StorageKind>.size(); ++i) {
      const auto kind = static_cast<StorageKind>(i);
      const auto known = money::storages_at(place_, kind, catalog_);
      if (kind == StorageKind::local) {
        add_local(known.empty() ? nullptr : known.front());
        continue;
      }
      for (const Storage* storage : known) add(*storage);
    }
  }

  void add_warnings() {
    warn_of_small_disks();
    warn_of_starving();
    warn_of_checkpoints();
  }

 private:
  int nodes() const { return one_.machine().nodes; }
  double local_gb() const { return one_.instance->local_ssd_gb.value_or(0); }

  void add_local(const Storage* storage) {
    const auto rate = money::local_gbs(place_, catalog_, coefficients_);
    if (!rate) return;
    StorageFit fit;
    fit.kind = StorageKind::local;
    fit.storage = storage;
    fit.rate = money::ReadRate{*rate * nodes(), "volume"};
    fit.most_gbs = fit.rate->gbs;
    fit.too_small = out_.need.stored_gb() > local_gb();
    fit.per_month = Money{0, converter_.currency()};  // paid with the instance
    fit.converted = 0;
    finish(std::move(fit));
  }

  void add(const Storage& storage) {
    StorageFit fit;
    fit.kind = *storage.kind;
    fit.storage = &storage;
    money::StorageUse use = money::storage_use(*one_.instance, out_.need.stored_gb(), nodes());
    use.least_gb = coefficients_.economy->storage_least_gb.of(storage.id);
    fit.bought_gbs = use.bought_gbs = money::throughput_to_buy(storage, use, wanted_gbs());
    fit.rate = money::read_rate(storage, use);
    if (!use.node_gbs) use.node_gbs = std::numeric_limits<double>::infinity();
    if (const auto most = fit.rate ? fit.rate : money::read_rate(storage, use)) fit.most_gbs = most->gbs;
    fit.sold_gb = use.sold_gb();
    fit.too_small = !money::holds(storage, use.gb);
    fit.per_month = money::price_per_month(storage, use);
    if (fit.per_month) convert(fit);
    if (fit.converted && trace_ != nullptr) explain_price(fit, use);
    if (out_.need.dataset_gb && storage.per_million_requests)
      fit.requests = converter_.convert(requests_of(out_.need) / 1e6 * *storage.per_million_requests, storage.currency);
    finish(std::move(fit));
  }

  /// Throughput is bought for what the GPUs read and for checkpoints, never for nothing.
  double wanted_gbs() const { return std::max(out_.need.needed_gbs.value_or(0), out_.need.checkpoint_gbs.value_or(0)); }

  void convert(StorageFit& fit) const {
    const money::Exchange* exchange = converter_.exchange(fit.per_month->currency);
    if (exchange == nullptr) return;
    fit.converted = converter_.convert(*fit.per_month);
    if (fit.per_month->currency != converter_.currency()) fit.exchange = *exchange;
  }

  void explain_price(const StorageFit& fit, const money::StorageUse& use) const {
    const std::string quantity = lead(fit) + ".per_month";
    record(trace_, {quantity, "{:.2f}", converter_.currency().code(), fit.storage->source}, [&](auto told) {
      const auto own = money::month_of(told, *fit.storage, use);
      return fit.exchange ? own * told("exchange rate", fit.exchange->rate) : own;
    });
  }

  void finish(StorageFit fit) {
    if (fit.rate) rate(fit);
    out_.storages.push_back(std::move(fit));
  }

  void rate(StorageFit& fit) const {
    const DataNeed& need = out_.need;
    const double gbs = fit.rate->gbs;
    const std::string quantity = lead(fit);
    const auto figure = [&](std::string_view name, std::string_view unit, const auto& made) {
      return record(trace_, {quantity + std::string(name), "{:.3g}", unit, kDataPage}, made);
    };
    if (trace_ != nullptr)
      note(*trace_,
           {quantity + ".read_gbs", "{:.3g}", "GB/s", fit.storage != nullptr ? fit.storage->source : kEconomyData}, gbs,
           say("minimum of volumes (included + by size + bought), instances and network"),
           say("limited by the {}; nodes: {}", say_name(fit.rate->bound_by), nodes()));
    if (gbs <= 0) return;
    if (need.dataset_gb)
      fit.pass_minutes = figure(".pass_minutes", "min", [&](auto told) {
        return told("data set", *need.dataset_gb, "GB") / told("rate", gbs, "GB/s") / 60;
      });
    if (need.needed_gbs)
      fit.waiting = figure(".waiting", {}, [&](auto told) {
        return physics::greatest(0.0, 1 - told("rate", gbs) / told("needed rate", *need.needed_gbs));
      });
    if (need.checkpoint_gb)
      fit.checkpoint_s = figure(".checkpoint_s", "s", [&](auto told) {
        return told("checkpoint", *need.checkpoint_gb, "GB") / told("rate", gbs, "GB/s");
      });
  }

  static std::string lead(const StorageFit& fit) {
    return format("storage.{}", fit.storage != nullptr ? fit.storage->id : "local");
  }

  void warn_of_small_disks() {
    const DataNeed& need = out_.need;
    if (local_gb() <= 0) return;
    const bool asked = wishes_.dataset_gb || wishes_.storage == StorageKind::local;
    if (need.weights_gb && *need.weights_gb > local_gb())
      warn("local-disk-too-small", say("the weights are {} GB; the instance's own disks have {} GB",
                                       human_number(*need.weights_gb), human_number(local_gb())));
    else if (asked && need.stored_gb() > local_gb())
      warn("local-disk-too-small",
           say("data set, weights and a checkpoint are {} GB; the instance's own disks have {} GB",
               human_number(need.stored_gb()), human_number(local_gb())));
  }

  /// Of the storage that was named, or of the fastest that holds the data where all that is known is too slow.
  void warn_of_starving() {
    if (!out_.need.needed_gbs) return;
    const StorageFit* best = nullptr;
    for (const StorageFit& fit : out_.storages) {
      if ((wishes_.storage && fit.kind != *wishes_.storage) || fit.too_small) continue;
      if (!fit.most_gbs) return;  // one whose rate is not known may be fast enough
      if (best == nullptr || *fit.most_gbs > *best->most_gbs) best = &fit;
    }
    if (best == nullptr) return;
    const double waiting = 1 - *best->most_gbs / *out_.need.needed_gbs;
    if (waiting <= kWorthWarning) return;
    const std::string who = one_.machine().on_cpu() ? say("processors") : say("GPUs");
    warn("storage-starves",
         say("{} delivers {:.3g} of the {:.3g} GB/s that the {} read: they wait {:.0f} % of the time",
             printable(best->name()), *best->most_gbs, *out_.need.needed_gbs, who, 100 * waiting));
  }

  /// As above, of writing one checkpoint after the other.
  void warn_of_checkpoints() {
    if (!out_.checkpoint_interval) return;
    const StorageFit* best = nullptr;
    for (const StorageFit& fit : out_.storages) {
      if ((wishes_.storage && fit.kind != *wishes_.storage) || fit.too_small) continue;
      if (!fit.checkpoint_s) return;
      if (best == nullptr || *fit.checkpoint_s < *best->checkpoint_s) best = &fit;
    }
    if (best == nullptr || *best->checkpoint_s <= out_.checkpoint_interval->raw()) return;
    warn("checkpoint-too-slow",
         say("{} writes a checkpoint of {} GB in {}, but the next one is due after {}", printable(best->name()),
             human_number(*out_.need.checkpoint_gb), human_duration(seconds(*best->checkpoint_s)),
             human_duration(*out_.checkpoint_interval)));
  }

  void warn(std::string_view rule, std::string message) { out_.warnings.push_back({rule, std::move(message)}); }

  const Recommendation& one_;
  const DataWishes& wishes_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
  const money::Converter& converter_;
  DataPath& out_;
  physics::Trace* trace_;
  Place place_;
};

void want_checkpoints(DataPath& out, physics::Trace* trace) {
  const auto& between = out.checkpoint_interval;
  const Seconds within = between ? *between * kCheckpointShare : kCheckpointTime;
  out.need.checkpoint_gbs = record(trace, {"data.checkpoint_gbs", "{:.3g}", "GB/s", kDataPage}, [&](auto told) {
    const std::string_view what =
        between ? to_say("a tenth of the time between two") : to_say("5 minutes, since no checkpoint interval is set");
    return told("checkpoint", *out.need.checkpoint_gb, "GB") / told(what, within.raw(), "s");
  });
}

}  // namespace

std::span<const job::Option<DataWishes>> data_options() { return kOptions; }

DataPath data_path(const Recommendation& recommendation, const Advice& advice, const job::Request& request,
                   const DataWishes& wishes, const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                   const money::Converter& converter, bool explained) {
  DataPath out;
  physics::Trace* trace = explained ? &out.trace : nullptr;
  const physics::Plan& plan = recommendation.plan();
  out.need = data_need(advice.work, request, plan, advice.assumed, wishes, coefficients, trace);
  if (out.need.checkpoint_gb) {
    if (wishes.checkpoint_minutes) out.checkpoint_interval = seconds(*wishes.checkpoint_minutes * 60);
    want_checkpoints(out, trace);
  }
  Path path(recommendation, wishes, catalog, coefficients, converter, out, trace);
  path.add_storages();
  path.add_warnings();
  if (advice.work.task == job::Task::inference)
    out.cold =
        cold_start(advice.work, recommendation.machine(), plan, {*recommendation.instance, recommendation.region->id},
                   catalog, coefficients, trace, wishes.storage);
  if (explained && recommendation.cost.egress_hourly())
    note(out.trace, {"data.egress_hourly", "{:.6g}", advice.currency.code(), "data/egress.yaml"},
         *recommendation.cost.egress_hourly(), say("traffic of a month ÷ 730"),
         recommendation.cost.line("egress")->figures);
  return out;
}

Status check_wishes(const DataWishes& wishes, const job::Job& work, const physics::Coefficients& coefficients) {
  const auto none = [&](std::string_view key, std::string_view of) {
    return usage_error(say("does not apply to {}", to_text(work.task)), std::string(key), say_text(of));
  };
  if (wishes.checkpoint_minutes && !job::is_training(work.task))
    return none("--checkpoint-minutes", to_say("it is for training"));
  if (wishes.sample_kb && physics::physics_of(work).stored_unit(work, *coefficients.economy, nullptr).bytes <= 0)
    return none("--sample-kb", to_say("it is for work that reads a data set"));
  return {};
}

void warn_of_data(Advice& advice, const Question& question, const DataWishes& wishes, const catalog::Catalog& catalog,
                  const physics::Coefficients& coefficients) {
  const auto converter = money::Converter::into(question.currency, catalog);
  if (!converter) return;
  for (Recommendation& one : advice.recommendations) {
    if (question.detailed > 0 && static_cast<std::size_t>(one.rank) > question.detailed) break;
    const DataPath path = data_path(one, advice, question.request, wishes, catalog, coefficients, *converter, false);
    for (const DataWarning& warning : path.warnings)
      one.remarks.insert(one.remarks.begin(), Remark{std::string(warning.rule), rules::Effect::warn, warning.message,
                                                     std::string(kDataPage)});
  }
}

}  // namespace gpusel::answer
