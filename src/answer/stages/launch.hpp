// How the chosen plan is started: the engine's or the framework's own command line, filled in from data/launches, and
// the numbers for whatever starts and stops its replicas.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer/poc/poc.hpp"
#include "catalog/weights/repository.hpp"
#include "money/over_time/autoscale.hpp"

namespace gpusel::answer {

struct Launch {
  std::vector<std::string> remarks;                      // what must be there for the lines to run
  std::vector<std::string> lines;                        // of shell, the same on every instance
  std::vector<std::pair<std::string, std::string>> env;  // variables that they read: name, meaning
  std::string tool;                                      // with its version
  std::string url;
  std::string setup;  // installs the tool; empty: it must be there
  std::string port;   // it serves on; empty: it serves nothing
  std::string health;
  std::string image;   // container with the tool; empty: none is published
  std::string cuda;    // that the driver of its host must support; empty: not known
  std::string called;  // name of the model that a server answers to
  std::string served;  // repository whose weights it loads; empty: those that the lines make, or the reader's own
  int nodes = 1;       // instances that one copy of it spans
  int copies = 1;      // of it, one beside the other

  bool serves() const { return !port.empty(); }
};

/// Nothing where no tool of those says the plan. `by`: the launcher that is asked for, as in data/launches.
std::optional<Launch> launch_of(const Advice& advice, const Recommendation& chosen, std::span<const ProofTool> tools,
                                const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                std::string_view by = {});

/// Why there is none, and what would do.
std::string why_no_launch(const Advice& advice, const Recommendation& chosen, std::span<const ProofTool> tools,
                          const physics::Coefficients& coefficients, std::string_view by = {});

/// The repository whose weights the job is about.
catalog::Repository weights_of(const job::Job& work);
/// Which one that is, in words, where the question names the model alone; empty otherwise.
std::string weights_note(const job::Job& work);

/// What command lines are filled in with for the plan, by name.
ProofValues plan_values(const Advice& advice, const Recommendation& chosen, const physics::Coefficients& coefficients);

/// A word as a shell takes it: quoted where it is not plain.
std::string shell_word(std::string_view word);

/// By which numbers an autoscaler follows the plan's replicas, from one and those that may be out to all of them.
/// Nothing for work that is no service, or where the time of a start is not known.
struct ScalingFacts {
  const job::Job& work;
  const PlannedMachine& planned;
  int instances = 1;
  bool scale_to_zero = false;
  std::optional<Seconds> cold_start;
};
std::optional<money::Autoscale> scaling_of(const ScalingFacts& facts, physics::Trace* trace = nullptr,
                                           std::string_view prefix = "autoscale");

}  // namespace gpusel::answer
