// The best way to run a workload on a given machine: parallelism, micro-batch, checkpointing,
// concurrency. Knows machines, not prices.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "physics/kinds/counted.hpp"
#include "physics/serving/inference.hpp"
#include "physics/training/training.hpp"

namespace gpusel::physics {

/// Why a machine will not do: figures, put into words only when somebody reads them.
struct Problem {
  enum class Kind : std::uint8_t {
    none,
    memory,
    cache,
    no_rate,
    too_much_traffic,
    latency,
    lacking,      // `what` is not there, and the work cannot do without
    unpublished,  // `what` is not published
    too_late      // one batch takes `need` ms, `have` are allowed
  } kind = Kind::none;
  double need = 0;  // GiB per GPU; requests per second; ms to the first token
  double have = 0;  // GiB per GPU; ms between tokens
  double tokens = 0;
  std::string_view subject;  // GPU, or processor
  std::string_view what = {};

  bool any() const { return kind != Kind::none; }
  std::string text() const;
};

/// The best plan of another layout, or the closest to fitting where no other fits.
struct RunnerUp {
  bool any = false;
  bool fits = false;
  physics::TrainingPlan plan;
  Bytes total;
  double tokens_per_s = 0;
};

/// A plan with its figures. `fits` false: the closest there is, and why it fails.
struct TrainingChoice {
  bool fits = false;
  physics::TrainingPlan plan;
  physics::MemoryBreakdown memory;
  std::optional<physics::TrainingSpeed> speed;
  Problem problem;
  RunnerUp runner_up;
};

/// The best deployment that was not chosen.
struct OtherDeployment {
  bool any = false;
  bool fits = false;
  bool meets_targets = false;
  physics::InferencePlan plan;
  Bytes total;
  double requests_per_s = 0;
  Seconds e2e;
};

struct InferenceChoice {
  bool fits = false;
  physics::InferencePlan plan;
  physics::InferenceMemory memory;
  std::optional<physics::InferenceSpeed> speed;
  bool meets_targets = true;
  Problem problem;
  OtherDeployment runner_up;
};

/// Work that is counted in items of its own.
struct CountedChoice {
  bool fits = false;
  physics::CountedPlan plan;
  physics::CountedFigures figures;
  bool meets_targets = true;
  Problem problem;
};

/// "zero3 tp2 dp4, recompute full": what tells one layout from another.
std::string layout_text(const physics::TrainingPlan& plan);
/// "fp8 tp2, 4 replicas".
std::string layout_text(const physics::InferencePlan& plan);
/// "fp16 batch 32".
std::string layout_text(const physics::CountedPlan& plan);

/// ", recompute full in 40 % of layers"; nothing where all is kept.
std::string recompute_text(const physics::TrainingPlan& plan);

using Choice = std::variant<TrainingChoice, InferenceChoice, CountedChoice>;

const physics::MemoryBreakdown& memory_of(const Choice& choice);
const Problem& problem_of(const Choice& choice);
/// The most that a plan may take of a device's memory: beyond it, it does not fit.
Bytes most_memory(const physics::Machine& machine, const physics::Coefficients& c);
bool fits(const Choice& choice);
/// It fits, its speed is known, and it meets the latency targets.
bool usable(const Choice& choice);
/// Tokens per second of all GPUs: trained on, generated, or read by an encoder; 0 when not known, or not counted in.
double tokens_per_s(const Choice& choice);
/// What work is done at: tokens per second, or the throughput in the work's own unit.
double rate_of(const Choice& choice);
/// Sequences trained on, or requests served.
double sequences_per_s(const Choice& choice);
std::string_view bound_by(const Choice& choice);

/// The planner for the workload's task.
Result<Choice> plan_for(const job::Job& work, const physics::Machine& machine,
                        const physics::Coefficients& coefficients);

/// The same plan with its figures under other coefficients.
Choice refigure(const Choice& choice, const job::Job& work, const physics::Machine& machine,
                const physics::Coefficients& coefficients);
InferenceChoice inference_figures(const job::Job& work, const physics::Machine& machine,
                                  const physics::InferencePlan& plan, const physics::Coefficients& coefficients);

/// The largest batch that fits, is in time and still brings something, where none was asked for.
CountedChoice plan_counted(const job::Job& work, const physics::Machine& machine,
                           const physics::Coefficients& coefficients);

/// Never an illegal plan: tp divides the heads and stays inside a node, pp divides the layers,
/// degrees multiply to the GPUs. What the workload pins is kept; pins that cannot hold are an error.
Result<TrainingChoice> plan_training(const job::Job& work, const physics::Machine& machine,
                                     const physics::Coefficients& coefficients);

Result<InferenceChoice> plan_inference(const job::Job& work, const physics::Machine& machine,
                                       const physics::Coefficients& coefficients);

/// Formats of fewer bits that an engine serves: no two of the same arithmetic and size.
std::vector<std::string_view> served_formats(job::Engine engine);

/// The formats the planner may serve the weights in, most bits first: those allowed, else the one asked for, else the
/// model's own. Errors: a name that no format has.
Result<std::vector<const physics::WeightFormat*>> allowed_formats(const job::Job& work, const physics::Device& device);

/// The least memory the job's states take over all GPUs together: below it no plan can fit.
Bytes least_total_memory(const job::Job& work, const physics::Device& device);

/// The least time training takes on these GPUs: all matrix products at the dense peak. Zero for inference.
Seconds least_time(const job::Job& work, const physics::Machine& machine);

/// Whether a framework divides layers or experts over GPUs. Those that only shard what data parallelism
/// repeats are known by name; of others nothing is.
bool splits_models(std::string_view framework);

/// The framework a plan is for: the workload's own, or where nobody named one and the plan divides layers or experts,
/// one that does.
std::string_view framework_for(const job::Job& work, const physics::TrainingPlan& plan);

/// The training arithmetic a GPU does best: bf16, else fp16, else fp32.
job::Precision best_precision(const physics::Device& device);

}  // namespace gpusel::physics
