// Instances as machines, and what is known of each as facts for the rules.
#pragma once

#include <utility>
#include <vector>

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// Instances that are the same machine to an estimate: GPU, count, links, network.
struct Shape {
  physics::Machine machine;  // one node
  std::size_t twin = 0;      // the first shape that differs by its network at most
  std::vector<std::uint32_t> instances;
};

/// GPUs of one instance as software sees them; 0 when the count is not known.
double devices_of(const catalog::Instance& instance, const catalog::Gpu& gpu);

/// GPUs of a node where the request says nothing of nodes.
inline constexpr std::int64_t kUsualPerNode = 8;

/// The machine that a request describes, with what it leaves open filled in and noted.
/// Errors: figures not published; GPUs that do not make up whole nodes.
Result<physics::Machine> requested_machine(const job::Request& request, const catalog::Gpu& gpu,
                                           const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                           job::Assumptions& assumed);

/// Whether whoever names it can rent it.
bool for_sale(catalog::Availability state);

/// Best documented network of an instance, Gbit/s.
catalog::Number network_of(const catalog::Instance& instance);

/// An instance as facts are read off it.
struct InstanceView {
  InstanceView(const catalog::Instance& of, const catalog::Provider* provider_of, const catalog::Catalog& all,
               const physics::Coefficients& c);
  /// Part of a GPU that each of its devices is; nothing when the count is not known.
  std::optional<double> share() const;

  const catalog::Instance& instance;
  const catalog::Provider* provider;
  const catalog::Gpu* gpu;  // none where the vendor hides it
  double devices;           // 0 when the count is not known
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
};

/// A priced offer as facts are read off it.
struct OfferView {
  const catalog::Offer& offer;
  const money::Quote& cost;
  const catalog::Catalog& catalog;
  Date today;
};

/// A price whose own record says that it held until a day that is over.
bool has_ended(const catalog::Offer& offer, const catalog::Catalog& catalog, Date today);
/// Terms on which an instance has a price, in words; where all of a term's have ended, with the day: "spot", "on-demand
/// (expired on 2026-11-15)".
std::vector<std::string> priced_terms(const catalog::Instance& instance, const catalog::Catalog& catalog, Date today);
/// A spot price that nobody can count on: without a day, or of more than two weeks ago.
bool is_guess(const catalog::Offer& offer, Date today);
/// What is to be said of it.
std::string guess_text();

/// Each sets what is known and forgets what is not, of what is wanted.
void job_facts(rules::Facts& facts, const job::Job& work, bool accepts_unavailable);
void instance_facts(rules::Facts& facts, const InstanceView& view, const rules::FactSet& wanted = rules::every_fact());
/// What is known of the GPU itself, of a machine that stands in no catalogue; returns which facts that are.
rules::FactSet gpu_facts(rules::Facts& facts, const physics::Machine& machine, const catalog::Catalog& catalog,
                         const physics::Coefficients& c);
void plan_facts(rules::Facts& facts, const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                const money::Duty& duty, const physics::Coefficients& c);
/// What is left of the memory, from what is needed and what is usable.
void free_memory_facts(rules::Facts& facts);
void offer_facts(rules::Facts& facts, const OfferView& view, const rules::FactSet& wanted = rules::every_fact());

/// What the planned work makes of the instances.
money::Work job_of(const job::Job& work, const physics::Plan& plan);

/// Seconds the job takes at this rate, in tokens per second or the work's own unit; nothing for a service that runs on.
std::optional<Seconds> duration_of(const job::Job& work, double rate);

/// One of the equal groups that a service is laid out on, and the layout on it.
std::pair<physics::Machine, physics::Layout> one_group(const PlannedMachine& planned);

}  // namespace gpusel::answer
