// One replica of a serving engine: its queue, its scheduler, its cache. Moves from step to step, and over steps that do
// nothing but decode in one go.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <utility>
#include <vector>

#include "serve/engine/pool.hpp"
#include "serve/engine/served.hpp"
#include "serve/engine/spread.hpp"
#include "serve/engine/step_times.hpp"

namespace gpusel::serve {

/// How an engine schedules.
struct Scheduling {
  /// mixed: prompts join the steps of what decodes, as far as the tokens of a step go (vLLM's V1, TensorRT-LLM).
  /// prompts_first: a step is prompts or decoding, and prompts come first (SGLang, vLLM's V0, TGI).
  enum class Order : std::uint8_t { mixed, prompts_first } order = Order::mixed;
  std::uint32_t max_sequences = 256;
  std::uint32_t batched_tokens = 2048;  // of one step
  std::uint32_t block_tokens = 16;
  std::uint64_t kv_tokens = 0;  // that the cache has room for
  std::uint32_t longest = 0;    // tokens of a prompt and its answer that are taken at all; 0: any
  bool chunked_prefill = true;  // a prompt may take several steps
  bool prefix_caching = true;
  /// A step is put together while the one before it runs: what a step has found is known one step later.
  bool async = false;
  double reserved_answer = 0;  // share of the answers still to come that admission keeps room for
  double cached_share = 0;     // of every prompt, found in the cache whatever it is
  double front_end = 0;        // s from a request's arrival until the engine knows of it
  double slow_gap = kNever;    // s; longer gaps between tokens are counted of each request
  bool keeps_spreads = true;   // of gaps, batch and queue: who asks what is in time needs none
};

/// What a replica did, by time and by token.
struct Usage {
  double busy = 0;             // s
  std::vector<float> minutes;  // of these, s in each minute
  Spread gaps;                 // s between tokens, by tokens
  Spread batch;                // sequences at work, by time
  Spread queue;                // requests that wait, by time
  double cache_peak = 0;       // share
  std::uint64_t steps = 0;
  std::uint64_t prompt_tokens = 0;  // computed
  std::uint64_t found_tokens = 0;   // not computed
  std::uint64_t generated = 0;      // tokens
};

class Engine {
 public:
  /// What the engine does for each request. prompt: reads it and hands it on. answer: its prompt comes read.
  enum class Duty : std::uint8_t { whole, prompt, answer };

  /// Everything outlives it; `served` is as long as the requests.
  Engine(const StepTimes& times, const Scheduling& scheduling, const Requests& requests, std::vector<Served>& served,
         std::uint16_t number, Duty duty = Duty::whole);

  /// A request that the engine knows of from `at` on, where advance(at) has been.
  void submit(std::uint32_t request, double at);
  /// Every step that begins before `until`.
  void advance(double until) {
    while (has_work() && clock_ < until) step(until);
  }
  /// The next step, and those of nothing but decoding behind it that begin before `until`.
  void step(double until);
  /// No request ends before.
  double next_end();
  /// Requests that have ended since the last call, and when, are handed to `f(request, time)`.
  template <class Function>
  void ended(Function f) {
    for (const Ended& end : ended_) f(end.request, end.time);
    ended_.clear();
  }
  bool has_ended() const { return !ended_.empty(); }
  /// From now on no more is done: all that it has is handed back, and has to start again.
  std::vector<std::uint32_t> stop();

  bool has_work() const { return running_ > 0 || !waiting_.empty(); }
  /// Requests submitted and not ended, at that time or its own clock's.
  std::uint32_t outstanding(double at) const { return out_ + (at < clock_ ? just_ended_ : 0); }
  std::uint64_t outstanding_tokens() const { return tokens_out_; }  // of prompts and answers of these
  std::uint64_t finds(std::uint32_t request) const { return pool_.find(requests_, requests_.all[request]).blocks; }
  double clock() const { return clock_; }
  /// What was counted since the last call.
  Usage take_usage() { return std::exchange(usage_, {}); }
  /// Ends are told to ended(): a loop that is closed, or a second stage, waits for them.
  void tell_ends() { tells_ = true; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Active {
    std::uint32_t request = 0;
    std::uint32_t done = 0;                        // tokens generated before it was last admitted
    std::uint32_t computed = 0;                    // of what it has to read
    std::uint32_t to_read = 0;                     // prompt, and what a preemption has lost
    std::int64_t offset = 0;                       // tokens cached less ticks_, while it decodes
    std::uint64_t ends = 0;                        // when ticks_ is there
    double last_token = -1;                        // when, if that was not in the step before
    double slow_before = 0;                        // slow_ when it began to decode
    std::uint32_t before = kNone, behind = kNone;  // in the order of admission
    bool decodes = false;
    Held held;
  };
  struct Waiting {
    std::uint32_t request;
    std::uint32_t done;  // tokens that it has generated
    double last_token;   // when it gave the last of these
  };
  struct End {
    std::uint64_t ticks;
    std::uint32_t active;
    bool operator>(const End& other) const {
      return ticks != other.ticks ? ticks > other.ticks : active > other.active;
    }
  };
  struct Ended {
    std::uint32_t request;
    double time;
  };
  /// Sequences whose last token came at the same time.
  struct Group {
    double count;
    double last;
  };

  void admit(Pass& pass, std::int64_t& budget);
  bool add_chunk(std::uint32_t active, Pass& pass, std::int64_t& budget);
  bool make_room();
  void decode_run(double until);
  void mixed_step(const Pass& pass);
  void decoded(std::uint64_t steps, std::uint64_t ticks);
  void count_slow(double first, double last, double gaps);
  void count_gaps(double first, double second, double last, std::uint64_t steps, std::uint64_t ticks);
  void finish_ends();
  void prompt_read(std::uint32_t active, double time);
  void late_token(const Active& active, double time);
  void end(std::uint32_t active, double time);
  void preempt(std::uint32_t active);
  void release(std::uint32_t active);
  void settle_late(double time);
  void settle_when_idle();
  void first_token(std::uint32_t request, double time);
  void last_token(std::uint32_t request, double time);
  void account(double duration);
  std::uint64_t blocks_to_grow(std::uint64_t ticks) const;
  std::uint64_t ticks_in(std::uint64_t steps) const;
  std::uint64_t steps_until_end();
  std::uint32_t new_active(const Waiting& from);
  void remove(std::uint32_t active);
  std::uint32_t remaining(const Active& active) const;

  const StepTimes& times_;
  const Scheduling& scheduling_;
  const Requests& requests_;
  std::vector<Served>& served_;
  const std::uint16_t number_;
  const Duty duty_;
  bool tells_ = false;

  double clock_ = 0;
  std::uint64_t steps_ = 0;  // of decoding
  std::uint64_t ticks_ = 0;  // tokens that a sequence decoding all the time would have given
  std::deque<Waiting> waiting_;
  std::vector<Active> active_;
  std::vector<std::uint32_t> spare_;
  std::uint32_t first_ = kNone, last_ = kNone;  // in the order of admission
  std::uint32_t running_ = 0;
  std::uint32_t reading_ = kNone;      // whose prompt is computed in part
  double sequences_ = 0;               // that decode
  std::uint64_t cached_ = 0;           // tokens of these
  std::uint64_t taken_ahead_ = 0;      // blocks, for what the next step of these adds
  std::uint64_t to_come_ = 0;          // answer tokens still to come of all that run
  std::vector<std::uint32_t> phases_;  // sequences that decode, by where in a block they are when ticks_ is 0
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<Group> groups_;
  double slow_ = 0;                  // gaps that were longer than slow_gap, of a sequence that was always there
  std::vector<std::uint32_t> read_;  // prompts that the step under way completes
  std::vector<std::uint32_t> late_first_, late_last_;  // whose tokens are computed and not yet known of
  std::vector<Ended> ended_;
  std::uint32_t out_ = 0;
  std::uint32_t just_ended_ = 0;  // at clock_
  std::uint64_t tokens_out_ = 0;
  Pool pool_;
  Usage usage_;
};

}  // namespace gpusel::serve
