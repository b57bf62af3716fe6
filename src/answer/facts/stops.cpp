#include "answer/facts/stops.hpp"

#include <algorithm>
#include <cmath>

#include "answer/facts/candidates.hpp"
#include "physics/chance.hpp"
#include "physics/kinds/physics.hpp"

namespace gpusel::answer {

namespace {

/// GPUs of the nodes whose failures are known.
constexpr double kGpusOfKnownNode = 8;

/// MTBF of a node with so many GPUs, where `of_eight` is that of one with eight: the GPUs' share grows with them.
double scaled_mtbf(double of_eight, double gpus, double gpu_share) {
  return of_eight / (gpu_share * gpus / kGpusOfKnownNode + 1 - gpu_share);
}

void find_mtbf(StopModel& stops, const StoppedJob& job, const StopWishes& wishes,
               const physics::EconomyCoefficients& e) {
  if (wishes.mtbf_hours) {
    stops.node_mtbf_hours = *wishes.mtbf_hours;
    return;
  }
  const double share = e.gpu_failure_share.value;
  stops.node_mtbf_hours = scaled_mtbf(e.node_mtbf_hours.value, job.gpus_per_node, share);
  stops.node_mtbf_low = scaled_mtbf(e.node_mtbf_hours_low.value, job.gpus_per_node, share);
  stops.node_mtbf_high = scaled_mtbf(e.node_mtbf_hours_high.value, job.gpus_per_node, share);
}

/// Size and writing time of a checkpoint; nothing of both where the size is not known.
void find_checkpoint(StopModel& stops, const StoppedJob& job, const StopWishes& wishes,
                     const physics::EconomyCoefficients& e) {
  stops.piecewise = job.work != nullptr && !job::is_training(job.work->task);
  if (stops.piecewise) return;
  stops.checkpoint_gb = wishes.checkpoint_gb ? catalog::Number(*wishes.checkpoint_gb) : job.checkpoint_gb;
  if (!stops.checkpoint_gb) return;
  double per_node = e.checkpoint_node_write_gbs.value;
  if (job.network_gbs > 0) per_node = std::min(per_node, job.network_gbs);
  stops.write_gbs = per_node * job.nodes;
  stops.failures.checkpoint = seconds(*stops.checkpoint_gb / *stops.write_gbs);
}

}  // namespace

StoppedJob stopped_job(const job::Job& work, double gpus_per_node, const physics::Machine& machine,
                       const physics::Plan& plan) {
  StoppedJob job{&work, gpus_per_node, machine.nodes, machine.network.raw() / kGB};
  const auto stored = physics::physics_of(work).stored(work, plan);
  if (stored && stored->checkpoint) job.checkpoint_gb = in_gb(*stored->checkpoint);
  return job;
}

StopModel stop_model(const StoppedJob& job, const StopWishes& wishes, const physics::Coefficients& c) {
  const physics::EconomyCoefficients& e = *c.economy;
  StopModel stops;
  find_mtbf(stops, job, wishes, e);
  stops.failures.per_hour = job.nodes / stops.node_mtbf_hours;
  stops.failures.restart = seconds(wishes.restart_hours ? 3600 * *wishes.restart_hours : 60 * e.restart_minutes.value);
  find_checkpoint(stops, job, wishes, e);
  return stops;
}

money::Run run_of(const StopModel& model, const money::Interruptions& stops, const StopWishes& wishes, double hours) {
  const Seconds work = seconds(3600 * hours);
  if (model.piecewise) return money::piecewise_run(stops, work);
  if (!model.checkpoint_gb) return money::expected_run(stops, work, {});
  if (wishes.checkpoint_hours) return money::expected_run(stops, work, seconds(3600 * *wishes.checkpoint_hours));
  return money::best_run(stops, work);
}

catalog::Number expected_hours(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                               double rate, const physics::Coefficients& c) {
  const auto duration = duration_of(work, rate);
  if (!duration) return std::nullopt;
  const auto job = stopped_job(work, machine.gpus_per_node * machine.device.share, machine, plan);
  const StopModel model = stop_model(job, {}, c);
  return in_hours(run_of(model, model.failures, {}, in_hours(*duration)).wall);
}

double sure_rate(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                 const physics::Coefficients& c) {
  const physics::Interval range = intervals_for(work, machine, plan, c).rate;
  if (range.low <= 0) return plan.rate;
  return physics::Likely::between(range).at(-normal_quantile(work.confidence));
}

const catalog::SpotMarket* spot_market_of(const catalog::Instance& instance, const catalog::Catalog& catalog) {
  const catalog::SpotMarket* general = nullptr;
  for (const catalog::SpotMarket& market : catalog.spot_markets()) {
    if (market.provider != instance.provider) continue;
    if (market.families.empty()) general = &market;
    if (std::ranges::find(market.families, instance.family) != market.families.end()) return &market;
  }
  return general;
}

ThreePoints taken_share(const StopWishes& wishes, const catalog::SpotMarket* market, const physics::Coefficients& c) {
  if (wishes.interruptions) return {*wishes.interruptions, *wishes.interruptions, *wishes.interruptions};
  const double low = market != nullptr ? market->interrupted_low.value_or(0) : 0;
  if (market != nullptr && market->interrupted_high)
    return {low, (low + *market->interrupted_high) / 2, *market->interrupted_high};
  const physics::EconomyCoefficients& e = *c.economy;
  return {low, std::max(low, e.spot_open_mid.value), std::max(low, e.spot_open_high.value)};
}

ThreePoints regain_hours(const StopWishes& wishes, const catalog::Gpu* gpu, int nodes, const physics::Coefficients& c) {
  if (wishes.regain_hours) return {*wishes.regain_hours, *wishes.regain_hours, *wishes.regain_hours};
  const physics::EconomyCoefficients& e = *c.economy;
  const bool is_scarce = gpu != nullptr && (gpu->interconnect == catalog::GpuLink::nvswitch_capable ||
                                            gpu->interconnect == catalog::GpuLink::infinity_fabric);
  const std::string_view kind = is_scarce ? "scarce" : "";
  const double mid = e.spot_regain_hours.of(kind) * std::pow(nodes, e.spot_regain_growth.value);
  return {mid * e.spot_regain_low.of(kind), mid, mid * e.spot_regain_high.of(kind)};
}

}  // namespace gpusel::answer
