// Before money is spent on a recommendation: what to run on the chosen instance, what it costs, and the figures to
// expect there. The tools' command lines stand in data/proofs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// How a tool tests one kind of work.
struct ProofTool {
  struct Step {
    std::string what;
    std::vector<std::string> run;
    std::string read;
    bool each = false;                                     // once for each number of GPUs
    std::map<std::string, std::vector<std::string>> when;  // as of the tool
  };
  std::string id;
  std::string tool;
  std::string version;
  std::string source;                                    // key
  std::map<std::string, std::vector<std::string>> when;  // a value of each of these; "-": none is known
  std::vector<std::string> spells;                       // what has a value must have a word
  std::string memory;                                    // kind of memory that it reads, where it reads any
  std::map<std::string, std::map<std::string, std::string>> words;
  std::vector<Step> steps;
  // Of a tool that does the work rather than testing it.
  std::string setup;                         // command that installs it
  std::string port;                          // it serves on
  std::string health;                        // path there that answers when it is ready
  std::map<std::string, std::string> image;  // container, by vendor of the GPU
  std::map<std::string, std::string> cuda;   // that the host's driver must support for it, likewise
  std::map<std::string, std::string> env;    // variables that its lines read, and what they are
};
/// From the documents that have such a section, later ones over earlier.
std::expected<std::vector<ProofTool>, Errors> read_proofs(std::span<const Document> documents,
                                                          std::string_view section = "proofs");

/// Values by the names that command lines have for them; what is absent is not said.
using ProofValues = std::map<std::string, std::string, std::less<>>;
/// The first tool for such values, or nullptr.
const ProofTool* proof_tool(std::span<const ProofTool> tools, const ProofValues& values);
/// What keeps a tool from such values, by the names of its conditions and of what it cannot spell; empty: nothing.
std::vector<std::string> unmet(const ProofTool& tool, const ProofValues& values);
/// Whether a step of a tool is taken for such values.
bool applies(const ProofTool::Step& step, const ProofValues& values);
/// A line with its {names} filled in, without the [[parts]] that nothing is known for; empty if nothing is left.
std::string filled(const ProofTool& tool, std::string_view line, const ProofValues& values);

/// Its name with the version that these values need.
std::string tool_name(const ProofTool& tool, const ProofValues& values);

struct PocStep {
  std::string what;
  std::vector<std::string> commands;
  std::string read;  // what of its output is which figure
  std::string tool;  // with its version
  std::string url;
};

/// A figure that the test shows. `key`: the name it has in a row for gpusel calibrate; empty: it is none there.
struct PocFigure {
  std::string key;
  std::string name;
  std::string unit;
  int gpus = 1;                               // that it is measured on
  catalog::Number expected;                   // unknown: measure it
  std::optional<physics::Interval> interval;  // 80 %; absent where nothing published says how far it scatters
  std::string outside;                        // what to do if it is not in there
  bool assumed = false;                       // rather than estimated
};

/// The same work on so many cards.
struct PocScale {
  int gpus = 1;
  bool fits = false;
  catalog::Number per_gpu;                    // rate of one card
  catalog::Number efficiency;                 // over that of the fewest cards that hold it
  std::optional<physics::Interval> interval;  // of the rate of one card
};

/// What is rented for it.
struct PocRent {
  const catalog::Offer* offer = nullptr;  // on demand where that is sold there
  const catalog::Region* region = nullptr;
  int nodes = 1;
  double hourly = 0;  // all nodes, in the answer's currency
  Money published;    // one node and hour
  std::optional<money::Exchange> exchange;
  double setup_hours = 0;
  double run_hours = 0;
  double billed_hours = 0;  // as the provider counts them
  double cost = 0;
};

/// What the answer is worth checking for: below that rate, another recommendation is cheaper.
struct PocTurn {
  int rank = 0;
  std::string name;
  double rate = 0;
};

struct Poc {
  const Recommendation* chosen = nullptr;
  PocRent rent;
  physics::Machine machine;  // that the figures are for
  physics::Plan plan;
  job::Job work;
  std::vector<PocStep> steps;
  std::string memory_kind = "process";  // that the steps read
  std::vector<PocFigure> figures;
  std::vector<PocScale> scales;
  std::optional<PocTurn> turn;
  double job_cost_low = 0;  // of the job, or of a unit, at the upper and at the lower end of the interval
  double job_cost_high = 0;
  std::string job_cost_unit;
  std::vector<std::string> notes;
  physics::Trace trace;
};

/// Errors: there is no such rank.
Result<Poc> proof_of_concept(const Advice& advice, int rank, std::span<const ProofTool> tools,
                             const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
