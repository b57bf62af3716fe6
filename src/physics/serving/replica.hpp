// One replica of a served model: the time of a pass over prompts and of a decode step.
#pragma once

#include "physics/serving/inference.hpp"
#include "physics/serving/pass.hpp"

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
  double batched_tokens() const { return has_.batched_tokens; }

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
  // The parts of a pass that may read prompts and decode at once: what the simulator of serving tabulates. Rows are all
  // tokens of the pass.
  Seconds reading_weights(double rows) const;
  /// Matrix products for so many of the rows: of prompts, of sequences that decode, of the last layer for prompts.
  Seconds prompt_products(double tokens, double rows) const;
  Seconds decode_products(double sequences, double rows) const;
  Seconds head_products(double prompts, double rows) const;
  /// Attention of a prompt's tokens to those behind which they come and to each other.
  Seconds prompt_attention(double tokens, double behind, double rows) const;
  /// What streams through memory between the products of a prompt.
  Seconds between_products(double tokens) const;
  /// Of one sequence that decodes: reading its cache, and attending to it on the ordinary cores; the longer one counts.
  Seconds reading_cache(Cached context) const;
  Seconds scores(Cached context) const;
  /// Between GPUs.
  Seconds traffic(double rows) const;
  /// Launching a decode step where there are no graphs.
  Seconds host(double context) const;
  /// Of every step: small kernels, gaps between them and the scheduler. Of every sequence that decodes: sampling, and
  /// sending the token. Of a pass without graphs: launching its kernels, while the GPU is busy with them.
  Seconds fixed() const { return microseconds(has_.launches_us) * decoder_; }
  Seconds per_sequence() const { return microseconds(has_.sequence_us); }
  double prompt_graph_tokens() const { return has_.prompt_graph_tokens; }
  Seconds prompt_launch() const {
    return microseconds(has_.prefill_layer_us * p_.layers + has_.prompt_expert_layer_us * p_.moe_layers);
  }

  /// What prompts add to the step of `sequences` that decode, where they are read in it: `tokens` of each, behind
  /// `behind` that are cached. `steps`: of those that decode, for each time that so many prompts are read.
  Seconds added_by(double prompts, double tokens, double behind, double sequences, Cached context, double steps) const;

  /// A prompt's cache on its way to the replica that answers.
  Seconds handover(double tokens) const;

  /// Tokens per second of a pipeline with several batches in flight, against one at a time.
  double pipelining() const { return layers_in_turn_ ? 1.0 : static_cast<double>(layout_.pp); }
  /// The coefficient's value for this engine: of its generation, else on this architecture.
  double of(const Coefficient& coefficient) const;

 private:
  /// The coefficients of its engine, each looked up once: a plan is timed for many batches.
  struct Habits {
    double batched_tokens, prefill_bytes, prefill_attention, prefill_layer_us, expert_efficiency, pipelines_prompts;
    double prompt_expert_layer_us, chain_share, chain_hop;
    double prompt_graph_tokens, prompt_rows_half, decode_rows_half;
    double step_us, launches_us, sequence_us, host_exposed, graph_tokens, cache_copies, cache_efficiency;
  };
  /// Between the GPUs of a group.
  struct Way {
    BytesPerSecond rate;
    Seconds latency;
  };
  Habits habits(double batched_tokens) const;
  Way way(int members) const;
  void slow_down(double times);
  Parts decoded(double batch, Cached context, double checked, Trace* trace = nullptr) const;
  double passes(double tokens) const;
  PassParts parts_of(double prompt_tokens, double prompts, double behind, double sequences, Cached context) const;
  PromptParts pass_compute(double tokens, double prompts, double cached) const;
  FlopPerSecond prompt_rate(double rows) const;
  FlopPerSecond decode_rate(double rows) const;
  double attended(double context) const;
  double attended_until(double tokens) const;
  double read_once(double batch) const;
  double busiest_rank(double visited) const;
  double cache_traffic(Cached context) const;
  Seconds reading(double weight_bytes) const;

  const catalog::Model& m_;
  const catalog::Parameters& p_;
  const Machine& machine_;
  const Layout& layout_;
  const Coefficients& c_;
  std::string_view engine_;
  std::string_view generation_;
  std::string then_there_;  // generation and architecture
  double head_ = 0;
  FlopPerSecond matmul_rate_;
  BytesPerSecond bandwidth_;
  BytesPerSecond streaming_;                 // of what lies between the products of a prompt
  FlopPerSecond unpack_rate_;                // of weights that each token unpacks; 0: none
  FlopPerSecond attention_rate_;             // of single tokens over their caches
  std::optional<BytesPerSecond> host_link_;  // that offloaded weights come over
  double in_host_ = 0;                       // share of the weights
  double decoder_ = 1;                       // share of the layers that run for each generated token
  bool layers_in_turn_ = false;
  bool widened_ = false;   // weights to 16 bit before use
  double body_width_ = 0;  // bytes per parameter
  double scale_ = 1;       // of every step's time, by own measurements
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
