// From a resolved workload to ranked candidates: shapes, plans, offers, verdicts, scores. Private to
// this room; recommend() adds the words and the alternatives.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "answer/facts/candidates.hpp"
#include "answer/facts/fit.hpp"
#include "answer/search/kinds.hpp"
#include "answer/search/market.hpp"
#include "answer/search/promises.hpp"
#include "answer/search/rejections.hpp"
#include "physics/planner/serving.hpp"

namespace gpusel::answer {

/// What one search needs; all referenced things outlive it.
struct SearchContext {
  const Question& question;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  const money::Quoter& quoter;
  std::span<const rules::Rule> rules;  // limits first, then the shipped and the user's
  Promises* promises = nullptr;        // null: waiting times are those of closed forms
};

/// Nodes that one replica of a model is laid over at most.
inline constexpr int kMostJoined = 16;
/// Whether it is requests that come at a rate.
bool is_traffic(const job::Job& work);

/// Why nobody would read along, whatever it costs: the first token takes more than a minute and a millisecond per
/// prompt token, or the tokens behind it more than a second each. The minute is what load balancers and proxies wait
/// for a byte (AWS ALB's idle timeout, nginx's proxy_read_timeout); a token a second is a fifth of the pace of silent
/// reading (238 words a minute; Brysbaert, J. Mem. Lang. 109 (2019) 104047). None: it serves.
std::optional<Reason> too_slow_to_serve(const job::Job& work, const physics::Plan& plan);
/// Seconds that anybody waits for the first token, at most.
double longest_wait(const job::Inference& job);

class CandidateSearch {
 public:
  /// Whether it is kept which instances fell, and by which rule.
  enum class Rejected : std::uint8_t { kept, left_out };
  CandidateSearch(const SearchContext& context, const job::Job& work, Rejected rejected = Rejected::kept);

  /// What those cost that nobody needs to know; of services with latency targets, how many rows are simulated.
  struct Depth {
    std::size_t rows = 1;
    double ceiling = std::numeric_limits<double>::infinity();
  };
  /// Every instance that meets everything, unranked, each with its best offer.
  std::vector<Recommendation> run(const Depth& depth);

  /// The machines that pass for what they are, shape by shape; those that differ by their network alone as one. For
  /// callers that plan on their own.
  std::vector<Shape> machines();
  /// The best offer of every instance of a shape, as far as the rules allow this plan on it.
  std::vector<Recommendation> offers(const Shape& shape, PlannedMachine planned);

  /// The plan on as many such nodes as the question pins; nothing where they don't do the job.
  std::optional<PlannedMachine> plan_pinned(const physics::Machine& node);

  /// Every instance that fell, and the rule it fell by: whole, however the rejections are gathered.
  std::span<const RejectedInstance> fallen() const { return rejections_.fallen(); }
  std::vector<Rejection> take_rejections() { return rejections_.take(); }
  std::size_t shapes() const { return shapes_.size(); }

 private:
  void sort_rules();
  void group_shapes();
  /// What instances of a kind have in common.
  struct Standing {
    const rules::Rule* fell_by = nullptr;      // for what they are
    std::optional<Result<std::size_t>> shape;  // once one of them has an offer
  };
  Result<std::size_t> shape_of(const catalog::Instance& instance);
  std::array<double, 5> host_key(const catalog::Instance& instance) const;
  // How many nodes (nodes.cpp, traffic_nodes.cpp). Each finds a plan, or says why there is none.
  using Planned = PlannedMachine;
  void plan_shapes(double ceiling, std::vector<Recommendation>& out);
  std::optional<Planned> plan_shape(const Shape& shape, Reason& reason);
  void plan_cheapest(KnownMachines& known, double ceiling, std::vector<Recommendation>& out);
  std::vector<std::pair<double, std::size_t>> by_least_cost(KnownMachines& known) const;
  void learn_node_costs(KnownMachines& known) const;
  bool cost_decides() const;
  double least_nodes_at_rate(const Shape& shape) const;
  double least_node_cost(const Shape& shape) const;
  class BySimulation;
  void plan_simulated(const Depth& depth, std::vector<Recommendation>& out);
  /// The fewest such machines that keep the targets by simulation, not fewer than `least`; exactly up to what is
  /// useful.
  std::optional<Planned> keeps_targets(const Planned& planned, int least, int useful) const;
  /// The same layout with another number of working groups; nothing where those do not hold the traffic.
  std::optional<Planned> on_groups(const Planned& planned, int working) const;
  int spare() const { return static_cast<int>(work_.inference.redundancy); }  // groups that may be down
  Reason not_kept(bool in_simulation) const;
  int most_nodes() const;
  std::optional<Planned> on_fewest(const Shape& shape, bool in_time, Reason& reason);
  bool keeps_batch(const Shape& shape);
  std::optional<Planned> join(const Shape& shape, Reason& reason);
  Planned enlarged(const Shape& shape, Planned planned);
  std::optional<Planned> divide(const Shape& shape, Reason& reason);
  double groups_in_time(const Planned& group) const;
  std::optional<Planned> whole_things(const Shape& shape, int nodes, Reason& reason);
  std::optional<Planned> hold_demand(const Shape& shape, Reason& reason);
  std::optional<Planned> serve_rate(const Shape& shape, Reason& reason);
  std::vector<physics::ServingOption> layouts_with_room(const Shape& shape, const physics::Machine& group,
                                                        Reason& reason) const;
  double fewest_groups(const physics::Machine& group, const physics::ServingOption& option, double load) const;
  /// A layout with as many groups as closed forms have it keep the targets, or as are allowed, and as hold the traffic
  /// at all.
  struct Held {
    Planned planned;
    int least = 1;
    bool enough = true;  // by closed forms
  };
  /// Every layout that does; none: `reason` says why. `open`: the same search without targets.
  std::vector<Held> hold_rate(const Shape& shape, const CandidateSearch& open, Reason& reason);
  std::optional<Held> held_by(const physics::Machine& group, const physics::ServingOption& option, int most,
                              const CandidateSearch& open) const;
  template <class Try>
  void each_group(const Shape& shape, Try serve) const;
  std::optional<Planned> serve_by(const Shape& shape, const physics::Machine& group, bool& fits, Reason& reason) const;
  job::Job share_of_traffic(double groups) const;
  physics::Plan share_of(const physics::Machine& group, const physics::Layout& layout, double groups) const;
  std::optional<int> groups_for(const physics::Machine& group, const physics::Layout& layout, int least,
                                int most) const;
  Reason why_unserved(const physics::Machine& group) const;
  Reason why_late(const physics::Machine& group, const physics::ServingOption& option, double least, int most) const;
  Planned spread(const Shape& shape, int most_nodes, Planned needed);
  Reason too_few_nodes(const Shape& shape, int most_nodes, bool in_time) const;
  void reject_shape(const Shape& shape, const Reason& reason);
  Reason reason_of(const physics::Machine& machine, const physics::Plan& plan) const;
  /// The rule that is against a plan for what it needs; null: none.
  const rules::Rule* against(const physics::Machine& machine, const physics::Plan& plan) const;
  /// Whether the job can be done so, and no rule is against how it fits.
  bool will_do(const physics::Machine& machine, const physics::Plan& plan) const;
  const rules::Rule* misfits_fall() const;
  /// Nodes below which neither the memory nor, where `in_time`, the deadline can be met, whatever the plan.
  double least_nodes(const Shape& shape, bool in_time) const;
  Bytes least_memory(const physics::Device& device) const;
  /// Nothing when it does not fit or is too slow: `reason` says why, if it is asked.
  std::optional<Planned> plan_on(const Shape& shape, int nodes, Reason& reason);
  /// A plan that fits and is fast enough, or why there is none.
  struct Attempt {
    std::optional<physics::Plan> plan;
    Reason reason;
  };
  Attempt attempt(const physics::Machine& machine) const;
  bool keeps_targets_surely(const physics::Machine& machine, const physics::Plan& plan) const;
  double elapsed(Seconds work) const;
  /// Time to the end, that the confidence asked for stays within, over the deadline; 1 where there is none.
  double late_by(const Planned& planned) const;

  // What they cost (offers.cpp).
  void offer_shape(const Shape& shape, Planned planned, std::vector<Recommendation>& out);
  void offer_plan(const Shape& shape, const std::shared_ptr<const Planned>& planned, std::vector<Recommendation>& out);
  void add(Recommendation candidate, std::vector<Recommendation>& out);
  bool hides_licence(const Priced& priced) const;
  bool is_none(const Priced& priced) const;
  catalog::Number needed_hours(const money::Quote& quote) const;
  bool is_too_short(const money::Quote& quote) const;
  static bool is_too_many(const money::Quote& quote);
  Reason why_none(const Priced& priced) const;
  std::string not_ordered(const Priced& priced, const catalog::Instance& instance,
                          const std::shared_ptr<const Planned>& planned, rules::Facts& facts) const;
  std::optional<Priced> best_offer(const catalog::Instance& instance, const std::shared_ptr<const Planned>& planned,
                                   PlanUse& use, rules::Facts& facts);
  Recommendation candidate(const Priced& priced, const catalog::Instance& instance,
                           const std::shared_ptr<const Planned>& planned, rules::Facts& facts) const;
  InstanceView view_of(const catalog::Instance& instance) const;
  /// The message is asked for only for the first of a family to fall by that rule.
  void reject(const catalog::Instance& instance, const Reason& reason);
  void reject(const rules::Rule& rule, const InstanceView& view, rules::Facts& facts);

  const SearchContext& context_;
  const job::Job& work_;
  rules::Facts job_;
  std::span<const catalog::Provider> providers_;
  rules::RuleSet by_instance_,
      by_plan_;  // rejecting rules, by when their last fact is known; those on offers: the market's
  rules::RuleSet adjusting_;
  Market market_;
  std::vector<rules::Rule> fitting_;  // that say how a plan fits
  static constexpr std::uint32_t kNoKind = ~std::uint32_t{0};
  std::vector<std::uint32_t> kind_of_;  // by the instance's place; empty where the shapes came from elsewhere
  std::vector<Shape> shapes_;
  std::vector<std::unique_ptr<Attempt>> alone_;  // on one node, where the network is of no matter; by Shape::twin
  mutable std::unordered_map<const catalog::Gpu*, Bytes> least_memory_;  // of the job
  /// What makes two instances the same machine to an estimate; -1 for unknown.
  struct ShapeKey {
    std::array<double, 4> node{};     // count, memory, link and its rate
    std::array<double, 3> network{};  // fabric, its rate, NIC
    std::array<double, 5> host{};  // vCPUs, memory, processor, its threads and storage, where the work depends on them
    std::size_t shape = 0;
  };
  std::vector<std::vector<ShapeKey>> shapes_of_gpu_;
  Rejections rejections_;
  bool keep_rejections_;
};

/// `groups` machines side by side as one, of which so many work; figures are those of the working ones.
void multiply(PlannedMachine& planned, int groups, int working);
/// The same plan where another rate of requests comes to it.
void serve_rate(physics::Plan& plan, double requests_per_s);
/// The plan for all nodes of a machine as a search makes it: what falls into parts is done by equal groups of nodes.
/// What they don't do has the best plan there is, and its problem.
Result<PlannedMachine> plan_on_all(const job::Job& work, const physics::Machine& machine,
                                   const catalog::Catalog& catalog, const physics::Coefficients& coefficients);
/// With the figures of a simulation in place of those of closed forms.
PlannedMachine simulated_plan(PlannedMachine planned, const physics::InferenceSpeed::Simulated& figures);

/// On how many nodes a job is tried where nobody says.
int usual_most_nodes(const job::Job& work);

/// What 80 of 100 measurements leave open, and what that makes of the price.
void add_intervals(Recommendation& candidate, const SearchContext& context, const job::Job& work);

/// A deadline is for work that ends, and a budget for frames whose time is known.
Status check_end(const Question& question, const job::Job& work);

/// Remarks of every rule that fires on a candidate and does not reject.
void add_remarks(Recommendation& candidate, const SearchContext& context, const job::Job& work);

/// The chance of every stated target together, by simulation where that speaks of the job.
catalog::Number chance_in_time(const Question& question, const job::Job& work, const PlannedMachine& planned,
                               Promises* promises, const physics::Coefficients& c);

/// An offer with a plan on its machine, with all that rules and intervals say of it: what is named is judged as what is
/// ranked.
Recommendation judged(const Priced& priced, const std::shared_ptr<const PlannedMachine>& planned,
                      const SearchContext& context, const job::Job& work);

/// Ids of the providers whose best machine every answer names: the reader's own and the largest.
std::vector<std::string> named_clouds(const job::Constraints& limits, const catalog::Catalog& catalog);

/// Whether nothing but cost puts candidates in order.
inline bool is_by_cost(const job::Objective& objective) {
  return objective.kind == job::ObjectiveKind::cost && objective.weights.empty();
}

/// Scores, sorts and numbers candidates, and marks the Pareto frontier of cost and time.
void rank(std::vector<Recommendation>& candidates, const job::Job& work, const job::Objective& objective);

/// What "cost" compares: money per unit of work, or per hour when only availability counts.
double cost_measure(const money::Quote& cost, const job::Job& work);
/// What "fast" means for the work: tokens per second, or at a given rate of requests how soon one is answered.
double speed_measure(const Recommendation& candidate, const job::Job& work);

}  // namespace gpusel::answer
