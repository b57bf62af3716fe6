#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/serving/inference_load.hpp"

namespace gpusel::physics {

namespace {

using job::Job;

std::string_view name_of_bound(const Replica::Parts& parts) {
  if (parts.sequences > std::max(parts.memory, parts.compute)) return "host";
  const Seconds launch = std::max(parts.launch, parts.host);
  if (launch + parts.link > std::max(parts.memory, parts.compute)) return parts.link > launch ? "link" : "launch";
  return parts.memory > parts.compute ? "memory-bandwidth" : "compute";
}

constexpr Recorded kToFirstToken{"inference.ttft", "{:.2f}", "ms"};

/// Share of what could be served.
double load_of(double rate, double most_requests) { return std::min(0.99, rate / most_requests); }

/// With the waiting time of an M/G/1 queue with exponential tail: mean × −ln(1 − percentile).
Seconds queued(Seconds ttft, double load, double percentile, Trace* trace = nullptr) {
  return record(trace, kToFirstToken, [&](auto told) {
    const auto first = told("first token", ttft);
    const auto used = told("load", load);
    return first + first * (used / (2 * (1 - used)) * told("−ln(1 − percentile)", -std::log(1 - percentile)));
  });
}

/// How far requests beyond the typical one feel the load between their tokens: half of it for 95 of 100.
double felt(double percent) {
  constexpr double kLeast = 1.387;  // −ln of the share from which it is felt at all
  constexpr double kScale = 3.218;  // ln 100 − ln 20 is half of it
  return std::max(0.0, (-std::log1p(-percent / 100) - kLeast) / kScale);
}

}  // namespace

Seconds Percentiles::within(double percent) const {
  struct Point {
    double percent;
    Seconds Percentiles::* figure;
  };
  static constexpr Point kPoints[] = {{50, &Percentiles::p50},
                                      {90, &Percentiles::p90},
                                      {95, &Percentiles::p95},
                                      {99, &Percentiles::p99},
                                      {99.9, &Percentiles::p999}};
  const auto rarity = [](double of) { return -std::log1p(-of / 100); };
  for (std::size_t i = 1; i < std::size(kPoints); ++i) {
    const auto& [to, above] = kPoints[i];
    if (percent > to) continue;
    const auto& [from, below] = kPoints[i - 1];
    const double share = std::max(0.0, (rarity(percent) - rarity(from)) / (rarity(to) - rarity(from)));
    return this->*below + (this->*above - this->*below) * share;
  }
  return p999;
}

Seconds InferenceSpeed::ttft_within(double percent) const {
  if (simulated) return simulated->ttft.within(percent);
  return load ? queued(load->first_token, load->used, percent / 100) : ttft;
}
Seconds InferenceSpeed::itl_within(double percent) const {
  if (simulated) return simulated->itl.within(percent);
  return load ? itl * (1 + felt(percent) * load->used) : itl;
}
Seconds InferenceSpeed::tpot_within(double percent) const {
  return simulated ? simulated->tpot.within(percent) : itl_within(percent);
}
Seconds InferenceSpeed::e2e_within(double percent) const {
  if (simulated) return simulated->e2e.within(percent);
  return load ? ttft_within(percent) + itl_within(percent) * steps : e2e;
}

Seconds decode_step(const Job& work, const Machine& machine, const Layout& layout, double batch, double context,
                    const Coefficients& coefficients) {
  const auto rate = compute_rate(*layout.weights, machine.device);
  if (!rate) return {};
  return Replica(work, machine, layout, coefficients, *rate).decode(batch, {context, 0}).total;
}

std::optional<InferenceSpeed> inference_speed(const Job& work, const Machine& machine, const Layout& layout,
                                              const InferenceMemory& memory, const Coefficients& c, Trace* trace) {
  const Deployment deployment(work, machine, layout, c);
  if (!deployment.server()) return std::nullopt;
  const Server& server = *deployment.server();
  const auto& job = work.inference;
  const Replica& replica = server.target;
  const auto output = static_cast<double>(job.output_tokens);
  Trace* const generating = work.model->is_generator() ? trace : nullptr;
  const double cached = static_cast<double>(job.input_tokens) * job.prefix_cache_hit;
  const Seconds prefill = replica.prompt(static_cast<double>(job.input_tokens) - cached, 1, cached, trace).total;
  const auto load = steady_load(work, server, layout, memory, c, trace);
  if (!load) return std::nullopt;
  const Steady& steady = load->steady;
  const double batch = load->batch;
  const double replicas = load->replicas;
  const double per_replica = load->requests_per_s / replicas;

  InferenceSpeed speed;
  speed.prefill_replicas = load->prefill_replicas;
  speed.in_flight = batch * replicas;
  speed.requests_per_s = load->requests_per_s;
  speed.output_tokens_per_s =
      record(generating, {"inference.output_tokens_per_s", "{:.1f}", "tokens/s"},
             [&](auto told) { return told("requests per second", speed.requests_per_s) * told("output", output); });
  speed.total_tokens_per_s = speed.requests_per_s * (output + static_cast<double>(job.input_tokens));
  speed.itl = steady.itl;
  speed.tpot = steady.tpot;
  speed.ttft = steady.ttft;
  speed.e2e = steady.e2e;
  // Requests beyond the cache's room wait for one in flight to end.
  const bool queues = job.concurrency && !job.request_rate;
  const double waiting = queues ? std::max(0.0, memory.concurrency / replicas - batch) : 0;
  if (job.request_rate) {
    const double share = load_of(*job.request_rate, load->most);
    speed.load = {steady.ttft, share};
    speed.steps = output - 1;
    speed.ttft = queued(steady.ttft, share, 0.5, trace);
    speed.e2e = speed.ttft + speed.itl * speed.steps;
  } else {
    speed.ttft = record(trace, kToFirstToken, [&](auto told) {
      return told("first token", steady.ttft) +
             quantity<Seconds>(told.some("waiting requests", waiting) /
                               told("requests per second of one replica", per_replica));
    });
    speed.e2e += seconds(waiting / per_replica);
  }
  speed.weights_native = deployment.weights_native();
  const auto parts = replica.decode(batch / replica.pipelining(), halfway(job), generating);
  const bool prompt_heavy = !work.model->is_generator() || prefill * batch > parts.total * std::max(1.0, output);
  speed.bound_by = prompt_heavy ? to_name("compute") : waiting > 0.5 ? to_name("kv-cache") : name_of_bound(parts);
  return speed;
}

}  // namespace gpusel::physics
