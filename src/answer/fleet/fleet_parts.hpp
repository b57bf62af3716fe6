// The steps of a fleet's answer. Private to this room.
#pragma once

#include "answer/fleet/fleet.hpp"
#include "answer/fleet/fleet_solver.hpp"
#include "answer/search/search.hpp"

namespace gpusel::answer {

/// What every step needs; all referenced things outlive it.
struct FleetContext {
  const FleetQuestion& question;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  const money::Quoter& quoter;
  Question elastic;                          // what is paid as it runs
  std::vector<rules::Rule> elastic_rules;    // limits first
  Question committed;                        // what is paid for at all hours
  std::vector<rules::Rule> committed_rules;  // none: no such term may be chosen
  bool has_elastic = true;
  bool has_committed = false;
  std::vector<std::pair<const catalog::Instance*, double>> quotas;

  /// Instances of a SKU that may be had; nothing where there is no limit.
  std::optional<double> limit_of(const catalog::Instance& instance) const;
  bool has_limits() const { return question.max_instances || !quotas.empty(); }
};

/// The job with that bucket's lengths.
job::Job of_bucket(const job::Job& work, const job::Bucket& bucket);

/// Whether its requests are longer than the model reads, on whatever machine.
bool beyond_context(const catalog::Model& model, const job::Bucket& bucket);

/// Traffic, as the question names it. Errors: no such profile or file; no lengths at all.
Result<job::Traffic> stated_traffic(const FleetQuestion& question, const catalog::Catalog& catalog,
                                    const catalog::Model& model);
/// The day, and its name; nothing where the question has none. Errors: no such profile or file; a trace without one.
Result<std::optional<std::pair<std::string, job::Day>>> stated_day(const FleetQuestion& question,
                                                                   const catalog::Catalog& catalog,
                                                                   const job::Traffic& traffic);

/// Every machine with every layout that serves some of the traffic and can be had, and what was ruled out.
struct FleetCandidates {
  std::vector<FleetType> types;
  std::vector<Shape> shapes;
  std::map<std::string, int> rejected;
  bool cannot_carry_longest = false;  // in time, on some machine
};
/// Requests that may be late: targets are those of all together, so of the longest as many as percentiles allow.
enum class Late : std::uint8_t { none, longest };
FleetCandidates find_types(const FleetContext& context, const job::Job& work, std::span<const job::Bucket> buckets,
                           Late late);

/// Requests per second of each bucket that one of a type keeps up with, with the confidence that is asked for and
/// whatever the latency.
std::vector<double> kept_up(const FleetContext& context, const job::Job& work, const FleetType& type,
                            std::span<const job::Bucket> buckets);

/// Requests of one bucket beyond every type's reach.
Unserved explain_unserved(const FleetContext& context, const job::Job& work, std::size_t bucket,
                          const job::Bucket& lengths, std::span<const Shape> shapes);

/// The programme for these types, without periods; `steady`: every price is that of what runs at all hours.
FleetProblem fleet_problem(const FleetContext& context, const Fleet& fleet, bool steady);
/// Removes the types that cannot be in a cheapest fleet.
void drop_dominated(const FleetContext& context, Fleet& fleet);
/// The cheapest fleet for the peak, and the cheapest of one type.
Status choose_mix(const FleetContext& context, Fleet& fleet);
std::vector<FleetMember> members_of(const Fleet& fleet, const FleetSolution& solution, std::size_t period, double scale,
                                    bool steady);

/// Instances that a member's share of `rate` requests per second loads as planned: to max_load of what they could
/// serve, whatever the latency.
double instances_busy(const Fleet& fleet, const FleetMember& member, double rate);
/// Instances that a member's share of `rate` takes, of which each serves so many requests of each bucket per second.
double instances_for(const Fleet& fleet, const FleetMember& member, double rate, std::span<const double> each);

/// Tries the mix with the requests themselves, and adds machines where too few are in time; what one type alone takes
/// is tried likewise.
void replay_fleet(const FleetContext& context, Fleet& fleet);

/// The cheapest of these members, with as many machines as an hour with so many times the mean rate takes; nothing
/// where no number of them is enough, or they would cost more than that.
std::optional<FleetMix> replayed_hour(const FleetContext& context, const Fleet& fleet, std::vector<FleetMember> members,
                                      double multiplier, double most_hourly);

/// The fleet of each hour, and the numbers for autoscalers.
Status choose_schedule(const FleetContext& context, const std::string& name, const job::Day& day, Fleet& fleet);
void add_scaling(const FleetContext& context, Fleet& fleet);

/// A line for every figure of the answer.
void trace_fleet(const FleetContext& context, Fleet& fleet);

/// "8 × aws p5.48xlarge".
std::string member_text(const Fleet& fleet, const FleetMember& member);

}  // namespace gpusel::answer
