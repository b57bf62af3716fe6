// What a step of an engine takes, by what is in it: sequences that decode, the tokens they have cached, and prompts.
// Tabulated once per layout out of the physics, so that asking costs a few nanoseconds. Everything is in seconds.
#pragma once

#include <cstdint>

#include "serve/engine/curve.hpp"

namespace gpusel::serve {

/// What one pass through the model works on.
struct Pass {
  double sequences = 0;         // that decode
  double cached = 0;            // tokens in the caches of these, together
  double prompt_tokens = 0;     // computed in this pass
  double prompts = 0;           // they belong to
  double prompt_attention = 0;  // what attention over them takes: StepTimes::prompt behind them less that before them
  double fullest = 1;           // of what is read of prompts, the share in the fullest batch of a pipeline
};

/// A row is a token that goes through the layers. Host: what the CPU does for a step.
struct StepTimes {
  Curve weights;             // reading them, by rows: all of a dense model, of experts those that are visited
  Curve decode_products;     // matrix products, by rows, were all of them of sequences that decode
  Curve prompt_products;     // were all of them of prompts
  Curve cache;               // attention of one decoding sequence, by the tokens that it has cached
  Curve prompt;              // attention over a prompt, from its start up to so many tokens
  Curve draft;               // a draft model's steps, by sequences
  Curve draft_cache;         // its attention, of one sequence
  double head = 0;           // products of the last layer, per prompt
  double between = 0;        // what streams through memory between products, per prompt token
  double link_row = 0;       // between GPUs, per row
  double fixed = 0;          // small kernels, latencies of links, scheduling
  double sequence = 0;       // host, per decoding sequence: its part that no GPU work hides
  double prompt_launch = 0;  // host, launching the kernels of a pass beyond `graph_rows`; hidden behind a longer pass
  double graph_rows = 0;     // rows up to which kernels are recorded as graphs
  double host = 0;           // launching a decode step without graphs
  double host_exposed = 0;   // of the shorter of host and GPU, the share that does not overlap
  double graph_context = 0;  // tokens up to which a decode step has graphs, where `host` is not 0
  double rows_per_sequence = 1;    // tokens that a pass checks, with a draft model
  double tokens_per_sequence = 1;  // of these, those that stand
  double stages = 1;               // of a pipeline, which works on as many batches at once

  /// From its beginning to its end: a token for each sequence. Of a pipeline's batches each waits for the fullest in
  /// every stage.
  double of(const Pass& pass) const;

  /// Steps of nothing but decoding.
  struct Run {
    std::uint64_t steps = 0;
    double seconds = 0;
    double first = 0;  // the first step, and the last
    double last = 0;
  };
  /// As many such steps, one or more, as are begun within `seconds`; at most `most`. All sequences grow with each.
  Run run(double sequences, double cached, std::uint64_t most, double seconds) const;

  /// With other rates: `memory` times what memory, links and host take, `compute` times what arithmetic takes.
  StepTimes scaled(double memory, double compute) const;
};

}  // namespace gpusel::serve
