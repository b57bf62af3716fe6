// How a job is stopped by failures and by spot instances that are taken away, and how long it takes all the same.
#pragma once

#include <optional>

#include "catalog/catalog.hpp"
#include "money/over_time/reliability.hpp"
#include "physics/planner/plan.hpp"

namespace gpusel::answer {

/// What the user says of interruptions; the rest comes from the catalogue or is assumed.
struct StopWishes {
  std::optional<double> interruptions;     // share of spot instances taken away within a month
  std::optional<double> checkpoint_hours;  // of work between checkpoints; absent: the best
  std::optional<double> checkpoint_gb;
  std::optional<double> restart_hours;
  std::optional<double> regain_hours;  // until spot capacity is back
  std::optional<double> mtbf_hours;    // of one node
};

/// How a job is stopped, and what that costs it.
struct StopModel {
  double node_mtbf_hours = 0;                     // of one of the job's nodes
  catalog::Number node_mtbf_low, node_mtbf_high;  // where it was not said
  money::Interruptions failures;                  // all nodes
  catalog::Number checkpoint_gb;                  // nothing for work in pieces, or unknown
  catalog::Number write_gbs;                      // all nodes; nothing where the size is not known
  bool piecewise = false;                         // work that loses nothing when it is stopped
};

/// A job on its nodes, as far as failures ask about it.
struct StoppedJob {
  const job::Job* work = nullptr;  // null: not known
  double gpus_per_node = 0;
  int nodes = 1;
  double network_gbs = 0;  // between nodes; 0: none of their own
  catalog::Number checkpoint_gb = {};
};
StoppedJob stopped_job(const job::Job& work, double gpus_per_node, const physics::Machine& machine,
                       const physics::Plan& plan);

StopModel stop_model(const StoppedJob& job, const StopWishes& wishes, const physics::Coefficients& c);
/// With the checkpoints asked for, or the best there are; `stops` may hold more than the failures of the model.
money::Run run_of(const StopModel& model, const money::Interruptions& stops, const StopWishes& wishes, double hours);

/// Hours that a job is expected to run at such a rate, with the failures of its hardware; nothing for a service that
/// runs on, or without a rate. `rate` is in tokens per second or the job's own unit.
catalog::Number expected_hours(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                               double rate, const physics::Coefficients& c);
/// The rate that the plan has at least with the job's confidence.
double sure_rate(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                 const physics::Coefficients& c);

/// What is published of taking away spot instances of this family; null: nothing.
const catalog::SpotMarket* spot_market_of(const catalog::Instance& instance, const catalog::Catalog& catalog);
/// Three points of what nobody knows better; what is reckoned with is the middle one.
struct ThreePoints {
  double low = 0;
  double mid = 0;
  double high = 0;

  bool is_one() const { return low == high; }
};
/// Share taken away within a month: as asked for, else the band that is published, open above or not; where none is,
/// as open as can be.
ThreePoints taken_share(const StopWishes& wishes, const catalog::SpotMarket* market, const physics::Coefficients& c);
/// Whether anybody publishes how often.
inline bool is_published(const catalog::SpotMarket* market) {
  return market != nullptr && (market->interrupted_low || market->interrupted_high);
}
/// Hours from the loss of spot nodes until there is capacity for all of them again. `gpu` may be null.
ThreePoints regain_hours(const StopWishes& wishes, const catalog::Gpu* gpu, int nodes, const physics::Coefficients& c);

}  // namespace gpusel::answer
