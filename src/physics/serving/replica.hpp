// One replica of a served model: the time of a pass over prompts and of a decode step.
#pragma once

#include "physics/serving/inference.hpp"

namespace gpusel::physics {

class Replica {
 public:
  Replica(const job::Job& work, const Machine& machine, const Layout& layout, const Coefficients& c, ComputeRate rate);

  /// Processing `prompts` prompts of `tokens` each behind `cached` ones, packed into passes of the engine's size.
  Seconds prefill(double tokens, double prompts, double cached = 0) const;
  /// What a prefill is made of: the longest of computing, reading and the host, and what comes beside it.
  struct PromptParts {
    Seconds products, attention, between, reading, host, fixed, link, total;
  };
  PromptParts prompt(double tokens, double prompts, double cached, Trace* trace = nullptr) const;
  /// When the first token of a prompt is there on average, if `prompts` of them arrive together.
  Seconds burst(double tokens, double prompts, double cached) const;
  /// Prompts that share a pass when `batch` requests are in flight, at least one.
  double prompts_per_pass(double tokens, double batch) const;

  struct Parts {
    Seconds memory, compute, launch, host, sequences, link, total;
    Seconds caches;  // of memory
    Seconds device;  // all but what the host takes
  };
  /// One token for each of `batch` sequences, or so many that a pass over them checks.
  Parts decode(double batch, Cached context, double checked = 1) const;
  /// The same, written down.
  Parts decode(double batch, Cached context, Trace* trace) const {
    return trace != nullptr ? decoded(batch, context, 1, trace) : decode(batch, context);
  }
  /// A prompt's cache on its way to the replica that answers.
  Seconds handover(double tokens) const;

  /// What a prompt, and one token behind such a context, keep a GPU busy at least, in whatever company. Of a layout on
  /// several GPUs each has its part of this, and more.
  Seconds least_prompt(double tokens) const;
  Seconds least_token(Cached context) const;

  /// Tokens per second of a pipeline with several batches in flight, against one at a time.
  double pipelining() const { return layers_in_turn_ ? 1.0 : static_cast<double>(layout_.pp); }
  /// The coefficient's value for this engine and its generation.
  double of(const Coefficient& coefficient) const;

 private:
  /// The coefficients of its engine, each looked up once: a plan is timed for many batches.
  struct Habits {
    double batched_tokens, prefill_bytes, prefill_attention, prefill_layer_us, expert_efficiency, pipelines_prompts;
    double step_us, launches_us, sequence_us, host_exposed, graph_tokens, cache_copies, cache_efficiency;
  };
  /// Between the GPUs of a group.
  struct Way {
    BytesPerSecond rate;
    Seconds latency;
  };
  Habits habits() const;
  Way way(int members) const;
  Parts decoded(double batch, Cached context, double checked, Trace* trace = nullptr) const;
  double passes(double tokens) const;
  PromptParts pass_compute(double tokens, double prompts, double cached) const;
  double attended(double context) const;
  double read_once(double batch) const;
  double busiest_rank(double visited) const;
  Seconds host(double context) const;
  double cache_traffic(Cached context) const;
  Seconds reading(double weight_bytes) const;
  Seconds traffic(double tokens) const;

  const catalog::Model& m_;
  const catalog::Parameters& p_;
  const Machine& machine_;
  const Layout& layout_;
  const Coefficients& c_;
  std::string_view engine_;
  std::string_view generation_;
  double head_ = 0;
  FlopPerSecond matmul_rate_;
  BytesPerSecond bandwidth_;
  FlopPerSecond attention_rate_;             // of single tokens over their caches
  std::optional<BytesPerSecond> host_link_;  // that offloaded weights come over
  double decoder_ = 1;                       // share of the layers that run for each generated token
  bool layers_in_turn_ = false;
  bool widened_ = false;   // weights to 16 bit before use
  double body_width_ = 0;  // bytes per parameter
  double expert_width_ = 0;
  double head_width_ = 0;
  Habits has_{};
  Way tensor_way_, expert_way_;

  struct Decoded {
    double batch = 0;
    Cached context;
    double checked = 0;
    Parts parts;
  };
  mutable std::optional<Decoded> last_decoded_;  // the last step is asked for twice
};

}  // namespace gpusel::physics
