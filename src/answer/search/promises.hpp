// What a service keeps under load, by simulation: how many machines its targets take, and the latencies then. Private
// to this room; fleets ask too.
#pragma once

#include <map>
#include <string>

#include "answer/facts/candidates.hpp"
#include "answer/load/load.hpp"
#include "serve/simulate.hpp"

namespace gpusel::answer {

/// Equal machines that a service is laid out on, and what their requests got.
struct Kept {
  int machines = 0;
  physics::InferenceSpeed::Simulated figures;
};

/// Simulations of one question, each done once: places, sellers and terms change prices, not how long one waits.
class Promises {
 public:
  /// Whether a job is one whose waiting times are simulated: requests that come at a rate, with targets for them.
  static bool speak_of(const job::Job& work);

  /// `asked`: requests that are not all of one length at random times, at the rate that stands in the job; must outlive
  /// this.
  explicit Promises(const physics::Coefficients& coefficients, const AskedLoad* asked = nullptr, double rate = 1)
      : c_(coefficients), asked_(asked), asked_rate_(rate) {}

  /// How many machines come into question; where to begin.
  struct Machines {
    int least = 0, most = 0;
    int useful = 0;  // more are dearer than what is known already
    int guess = 0;
  };
  struct Found {
    std::optional<Kept> kept = std::nullopt;
    bool beyond = false;  // more than are useful might do; otherwise none do, or it cannot be simulated
  };
  /// The fewest machines like `group` on which the targets are kept with the confidence that is asked for; `plan` is
  /// that of one of them.
  Found fewest(const job::Job& work, const physics::Machine& group, const physics::Plan& plan, Machines asked);
  /// The chance, over what is not known of step times, that a layout keeps the targets.
  catalog::Number chance(const job::Job& work, const PlannedMachine& planned);
  /// A layout with the waiting times of simulated requests, and whether they are in time; as it is where it does not
  /// hold the load, or is not simulated.
  PlannedMachine expected(const job::Job& work, PlannedMachine planned);

  /// What is not simulated, at the rate of users who wait as long as closed forms say; as it is where no users ask.
  PlannedMachine paced(const job::Job& work, PlannedMachine planned) const;

  std::size_t runs() const { return runs_; }

 private:
  /// A layout on a machine, asked so often of this job.
  struct Scene {
    serve::Setup setup;
    serve::Demand demand;
    serve::Goal goal;
    serve::Doubt doubt;
    int replicas_each = 1;
    double in_flight = 0;  // requests at once, about
    // By machines:
    std::map<int, bool> kept = {};
    std::map<int, bool> kept_when_idle = {};
    std::map<int, serve::Outcome> expected = {};
    std::map<int, double> chances = {};
  };
  Scene* scene(const job::Job& work, const physics::Machine& group, const physics::Plan& plan);
  Scene* scene(const job::Job& work, const PlannedMachine& planned);
  const serve::Outcome& expected(Scene& scene, int machines);
  static physics::InferenceSpeed::Simulated figures_of(const Scene& scene, int machines, const serve::Outcome& outcome);
  static void set_machines(Scene& scene, int machines);
  /// Requests of a run, at least: in all, of each replica, of each user, and times those that are in flight.
  struct Length {
    std::size_t all, each, turns;
    double in_flight;
  };
  static constexpr Length kLong{2000, 100, 12, 8}, kChance{1000, 60, 8, 5}, kShort{600, 40, 4, 3};
  static std::size_t requests(const Scene& scene, Length length);
  /// What is simulated for all of it.
  struct Part {
    serve::Setup setup;
    serve::Demand demand;
    std::size_t requests;
  };
  static Part part(const Scene& scene, Length length);
  serve::Outcome run(Scene& scene, double slow, Length length, std::uint64_t seed = 1);
  /// What share is in time, with the confidence that is asked for; may end, with 0, once it is sure to be below
  /// `least`.
  serve::Reached reached(Scene& scene, double least, Length length, std::uint64_t seed = 1);
  bool keeps(Scene& scene, int machines);
  bool keeps_when_idle(Scene& scene, int machines);

  serve::Demand demand_of(const job::Job& work) const;

  const physics::Coefficients& c_;
  const AskedLoad* asked_;
  double asked_rate_;
  std::map<std::string, std::unique_ptr<Scene>> scenes_;
  serve::DrawnRequests drawn_;
  std::size_t runs_ = 0;
};

}  // namespace gpusel::answer
