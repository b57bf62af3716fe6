// The best way to run a job on a given machine: parallelism, micro-batch, checkpointing, concurrency. Knows machines,
// not prices.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "physics/figures.hpp"
#include "physics/fit.hpp"

namespace gpusel::physics {

/// Why a machine will not do: figures, put into words only when somebody reads them. Each kind of problem has the
/// quantities of its comment; the others are 0.
struct Problem {
  enum class Kind : std::uint8_t {
    none,
    memory,            // needed_gib, available_gib
    cache,             // no room for `requests` of request_tokens: needed_gib without, available_gib to the engine
    no_rate,           // of the arithmetic
    on_processor,      // a part of the model, whose speed nobody estimates
    too_much_traffic,  // asked_per_s, most_per_s
    latency,           // ttft_ms, itl_ms, both of `percentile` where that is not 0
    lacking,           // `what` is not there, and the work cannot do without
    refused,           // by the engine, before it loads anything: `refused`
    unpublished,       // `what` is not published
    too_late           // batch_ms, allowed_ms
  } kind = Kind::none;
  std::string_view subject;  // GPU, or processor
  std::string_view what = {};
  double needed_gib = 0;     // per GPU
  double available_gib = 0;  // per GPU
  double request_tokens = 0;
  double requests = 1;  // at once, of a replica
  double asked_per_s = 0;
  double most_per_s = 0;
  double batch_ms = 0;
  double allowed_ms = 0;
  double ttft_ms = 0;
  double itl_ms = 0;
  double percentile = 0;
  std::shared_ptr<const std::string> refused = nullptr;  // what the engine says, and what would start

  bool any() const { return kind != Kind::none; }
  /// What memory is short of; not positive where that is not the problem.
  double missing_gib() const { return needed_gib - available_gib; }
  std::string text() const;
};

/// The best plan of another layout, or the closest to fitting where no other fits.
struct RunnerUp {
  Layout layout;
  bool fits = false;
  bool meets_targets = true;
  Bytes needed = {};
  double rate = 0;
  double sequences_per_s = 0;
  Seconds latency = {};
};

/// A layout with its figures, whatever the kind of work. `fits` false: the likeliest there is, and why it fails.
struct Plan : Figures {
  Layout layout;
  MemoryNeed need;
  bool fits = false;  // as likely as not, with all that the work cannot do without
  bool meets_targets = true;
  Problem problem;
  std::optional<RunnerUp> runner_up;

  /// It fits, its speed is known, and it meets the latency targets.
  bool is_usable() const { return fits && rate > 0 && meets_targets; }
  /// On the fullest GPU; its peak where no more is known.
  Bytes memory_needed() const { return need.is_known() ? need.needed : memory.total(); }
};

/// The planner for the kind of work. Never an illegal plan: tp divides the heads and stays inside a node, pp divides
/// the layers, degrees multiply to the GPUs. What the job pins is kept; pins that cannot hold are an error. The best of
/// those that fit with least_chance(); where none does, the one that is likeliest to.
Result<Plan> plan_for(const job::Job& work, const Machine& machine, const Coefficients& coefficients);

/// The same layout with its figures under other coefficients, or on another machine.
Plan refigure(const Plan& plan, const job::Job& work, const Machine& machine, const Coefficients& coefficients);

/// "zero3 tp2 dp4, recompute full", "fp8 tp2, 4 replicas", "fp16 batch 32": what tells one layout from another.
std::string layout_text(const job::Job& work, const Layout& layout);
/// The same with the batch.
std::string plan_text(const job::Job& work, const Layout& layout);

/// The least memory the job's states take over all GPUs together: below it no plan can fit.
Bytes least_total_memory(const job::Job& work, const Device& device);

/// The least time the job takes on these GPUs: all matrix products at the dense peak. Zero where nothing bounds it.
Seconds least_time(const job::Job& work, const Machine& machine);

// Of one kind of work each.

/// The largest batch that fits, is in time and still brings something, where none was asked for.
Plan plan_counted(const job::Job& work, const Machine& machine, const Coefficients& coefficients);
Result<Plan> plan_training(const job::Job& work, const Machine& machine, const Coefficients& coefficients);
Result<Plan> plan_inference(const job::Job& work, const Machine& machine, const Coefficients& coefficients);
/// Of that layout and no other.
Plan inference_figures(const job::Job& work, const Machine& machine, const Layout& layout,
                       const Coefficients& coefficients);

/// Formats of fewer bits that an engine serves: no two of the same arithmetic and size.
std::vector<std::string_view> served_formats(job::Engine engine);

/// The formats the planner may serve the weights in, most bits first: those allowed, else the one asked for, else the
/// model's own. Errors: a name that no format has.
Result<std::vector<const WeightFormat*>> allowed_formats(const job::Job& work, const Device& device);

/// Whether the job's framework divides layers or experts over GPUs unasked, and not only shards what data parallelism
/// repeats.
bool splits_models(const job::Training& job);

/// That a step is not the batch asked for or assumed; nothing where it is.
std::string batch_note(const job::Job& work, const Layout& layout);

/// The training arithmetic a GPU does best, of those that a framework trains in: bf16, else fp16, else fp32.
job::Precision best_precision(const Device& device, const catalog::TextList& trained_in = {});
/// As asked, else the best.
job::Precision training_precision(const job::Training& job, const Device& device);

/// What the framework that was asked for says of the GPU; empty where it runs there, or may.
std::string framework_refuses(const job::Job& work, const catalog::Gpu& gpu);

}  // namespace gpusel::physics
