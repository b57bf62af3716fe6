// What is in flight on the replicas of a service, and how it goes: the steady state behind its figures.
#pragma once

#include "physics/serving/replica.hpp"

namespace gpusel::physics {

/// Steady state of one replica with `batch` requests in flight.
struct Steady {
  double requests_per_s = 0;
  double most = 0;  // requests per second with all room taken
  Seconds ttft;
  Seconds itl;
  Seconds tpot;  // mean of a request: what follows its first token ÷ the tokens after it
  Seconds e2e;
};

/// A replica, and the small model that drafts for it.
struct Server {
  Replica target;
  std::optional<Replica> draft;
};

/// A server and what it looks at. All arguments outlive it; it stays where it was made.
class Deployment {
 public:
  Deployment(const job::Job& work, const Machine& machine, const Layout& layout, const Coefficients& c);
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  /// Nothing where the peak of the device is not published.
  const std::optional<Server>& server() const { return server_; }
  bool weights_native() const { return native_; }

 private:
  std::optional<job::Job> drafting_;
  std::optional<Layout> drafting_layout_;
  std::optional<Server> server_;
  bool native_ = true;
};

/// What is in flight on one replica, and how it goes.
struct Load {
  Steady steady;
  double replicas = 0;  // that generate
  double batch = 0;     // of each
  double admitted = 0;  // of each: those that decode and those whose prompts wait to be read
  double requests_per_s = 0;
  double most = 0;  // requests per second with all room taken
  double prefill_replicas = 0;
  LoadedSteps steps;  // at a request rate
};

/// The cache of a request in the middle of its answer.
Cached halfway(const job::Inference& job);
/// Tokens that a pass brings: those drafted that stand, and the one after them. Leviathan et al., arXiv 2211.17192.
double tokens_per_pass(const job::Draft& draft, Trace* trace = nullptr);
/// Between two tokens of a sequence while `batch` are decoded together.
Seconds token_time(const job::Inference& job, const Server& server, double batch, Trace* trace = nullptr);

/// Nothing where requests arrive faster than they can be served.
std::optional<Load> steady_load(const job::Job& work, const Server& server, const Layout& layout,
                                const InferenceMemory& memory, const Coefficients& c, Trace* trace = nullptr);

}  // namespace gpusel::physics
