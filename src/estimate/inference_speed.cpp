#include <algorithm>
#include <cmath>

#include "estimate/replica.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

namespace {

using workload::Workload;

std::string_view name_of_bound(const Replica::Parts& parts) {
  if (parts.sequences > std::max(parts.memory, parts.compute)) return "host";
  const Seconds launch = std::max(parts.launch, parts.host);
  if (launch + parts.link > std::max(parts.memory, parts.compute)) return parts.link > launch ? "link" : "launch";
  return parts.memory > parts.compute ? "memory-bandwidth" : "compute";
}

/// The cache of a request in the middle of its answer.
Cached halfway(const workload::Inference& job) {
  return {static_cast<double>(job.input_tokens), static_cast<double>(job.output_tokens) / 2};
}

/// Steady state of one replica with `batch` requests in flight.
struct Steady {
  double requests_per_s = 0;
  Seconds ttft;
  Seconds itl;
};

/// How the others' prompts are felt: queued at once and read before anything is generated, or spread
/// over the time, when they come between a request's tokens and only now and then in front of it.
struct Mixing {
  double together;  // of the other requests, arrive with this one
  double between;   // of their prompt time, shows between tokens
};

Mixing mixing(const workload::Inference& job, const Replica& replica, const Coefficients& c) {
  if (job.request_rate) return {0, 1};
  const bool targets = job.ttft_ms || job.tpot_ms;
  if (job.mode == workload::Mode::throughput && job.concurrency && !targets) return {1, 0};
  return {replica.of(c.arrivals_together), replica.of(c.prompt_interference)};
}

Steady encoder_state(const Replica& replica, double input, double batch, double efficiency) {
  const Seconds all = replica.prefill(input, batch);
  return {efficiency * batch / std::max(all.raw(), 1e-9), all, {}};
}

Steady steady_state(const Workload& work, const Replica& replica, double batch, const Coefficients& c) {
  const auto& job = work.inference;
  const double cached = static_cast<double>(job.input_tokens) * job.prefix_cache_hit;
  const double input = static_cast<double>(job.input_tokens) - cached;
  // What a lone request does not lose, and a full batch loses entirely.
  const double efficiency = 1 - (1 - replica.of(c.serving_efficiency)) * (1 - 1 / batch);
  if (!work.model->is_generator()) return encoder_state(replica, input, batch, efficiency);
  const double output = static_cast<double>(job.output_tokens);
  const double steps = std::max(0.0, output - 1);  // the prompt's own pass gives the first token
  const double together = replica.prompts_per_pass(input, batch);
  const Seconds share = replica.prefill(input, together, cached) / together;
  const Seconds step = replica.decode(batch / replica.pipelining(), halfway(job)).total;
  const Mixing mix = mixing(job, replica, c);
  const bool server = job.mode == workload::Mode::online || job.request_rate;
  const Seconds request = server ? microseconds(1000 * replica.of(c.request_ms)) : Seconds{};
  Steady steady;
  steady.ttft = request + (input > 0 ? replica.burst(input, 1 + mix.together * (batch - 1), cached) : step);
  if (batch > 1) steady.ttft += step * (0.5 * mix.between);
  steady.itl = step + share * (mix.between * (batch - 1) / std::max(1.0, output));
  if (batch == 1) {
    steady.requests_per_s = 1 / std::max((steady.ttft + step * steps).raw(), 1e-9);
    return steady;
  }
  // Each request's prompt is processed while the others wait for their next token.
  const Seconds per_request = step * (steps / batch) + share / replica.pipelining() + request / batch;
  steady.requests_per_s = efficiency / std::max(per_request.raw(), 1e-9);
  return steady;
}

/// What a replica can serve with its cache full.
double capacity(const Workload& work, const Replica& replica, double most, const Coefficients& c) {
  return steady_state(work, replica, most, c).requests_per_s;
}

/// Requests in flight at which arrivals and departures balance (Little's law); nothing beyond saturation.
std::optional<double> balance(const Workload& work, const Replica& replica, double rate, double most,
                              const Coefficients& c) {
  if (capacity(work, replica, most, c) < rate) return std::nullopt;
  double batch = 1;
  for (int i = 0; i < 40; ++i) {
    const Steady at = steady_state(work, replica, batch, c);
    const double next = std::clamp(
        rate * (at.ttft.raw() + at.itl.raw() * static_cast<double>(work.inference.output_tokens)), 1.0, most);
    if (std::abs(next - batch) < 0.01 * batch) break;
    batch = 0.5 * (batch + next);
  }
  return batch;
}

InferenceSpeed::Percentiles percentiles(const Steady& steady, double rate, double most_requests, double output) {
  // Waiting time of an M/G/1 queue with exponential tail: mean × −ln(1 − percentile).
  const double load = std::min(0.99, rate / most_requests);
  const Seconds wait = steady.ttft * (load / (2 * (1 - load)));
  InferenceSpeed::Percentiles p;
  p.ttft_p95 = steady.ttft + wait * -std::log(0.05);
  p.ttft_p99 = steady.ttft + wait * -std::log(0.01);
  p.itl_p95 = steady.itl * (1 + 0.5 * load);
  p.itl_p99 = steady.itl * (1 + load);
  p.e2e_p95 = p.ttft_p95 + p.itl_p95 * output;
  p.e2e_p99 = p.ttft_p99 + p.itl_p99 * output;
  return p;
}

}  // namespace

Seconds decode_step(const Workload& work, const Machine& machine, const InferencePlan& plan, double batch,
                    double context, const Coefficients& coefficients) {
  const auto rate = compute_rate(*plan.weights, machine.device);
  if (!rate) return {};
  return Replica(work, machine, plan, coefficients, *rate).decode(batch, {context, 0}).total;
}

std::optional<InferenceSpeed> inference_speed(const Workload& work, const Machine& machine, const InferencePlan& plan,
                                              const InferenceMemory& memory, const Coefficients& c, Trace* trace) {
  const auto rate = compute_rate(*plan.weights, machine.device);
  if (!rate) return std::nullopt;
  const Replica replica(work, machine, plan, c, *rate);
  const auto& job = work.inference;
  const auto output = static_cast<double>(job.output_tokens);
  // Fewer requests than replicas leave some idle.
  const double replicas =
      job.request_rate ? plan.dp : std::clamp(memory.concurrency, 1.0, static_cast<double>(plan.dp));
  const double room = std::max(1.0, std::min(memory.steady_concurrency / replicas, memory.sequences));
  double batch = std::max(1.0, std::min(memory.concurrency / replicas, room));
  if (job.request_rate) {
    const auto level = balance(work, replica, *job.request_rate / replicas, room, c);
    if (!level) return std::nullopt;
    batch = *level;
  }
  const Steady steady = steady_state(work, replica, batch, c);
  const double per_replica = job.request_rate ? *job.request_rate / replicas : steady.requests_per_s;

  InferenceSpeed speed;
  speed.in_flight = batch * replicas;
  speed.requests_per_s = per_replica * replicas;
  speed.output_tokens_per_s = speed.requests_per_s * output;
  speed.total_tokens_per_s = speed.requests_per_s * (output + static_cast<double>(job.input_tokens));
  speed.itl = steady.itl;
  speed.ttft = steady.ttft;
  // Requests beyond the cache's room wait for one in flight to end.
  const double waiting = job.concurrency && !job.request_rate ? memory.concurrency / replicas - batch : 0;
  if (waiting > 0.5) speed.ttft += seconds(waiting / per_replica);
  speed.e2e = speed.ttft + speed.itl * std::max(0.0, output - 1);
  if (job.request_rate) {
    const double most = capacity(work, replica, room, c) * replicas;
    speed.percentiles = percentiles(steady, *job.request_rate, most, output);
  }
  speed.weights_native = rate->native || plan.weights->bits >= 16;
  const auto parts = replica.decode(batch / replica.pipelining(), halfway(job));
  const double cached = static_cast<double>(job.input_tokens) * job.prefix_cache_hit;
  const Seconds prefill = replica.prefill(static_cast<double>(job.input_tokens) - cached, 1, cached);
  const bool prompt_heavy = !work.model->is_generator() || prefill * batch > parts.total * std::max(1.0, output);
  speed.bound_by = prompt_heavy ? "compute" : waiting > 0.5 ? "kv-cache" : name_of_bound(parts);
  if (trace != nullptr) {
    const auto ms = [](Seconds s) { return format("{:.2f} ms", in_ms(s)); };
    trace->push_back({"inference.prefill", say("2 × active parameters × tokens + attention, ÷ (peak × utilisation)"),
                      say("{} tokens, peak {:.0f} TFLOPS × tp {}", job.input_tokens, rate->peak.raw() / 1e12, plan.tp),
                      ms(prefill), "docs/method.md"});
    trace->push_back({"inference.decode_step",
                      say("max(max(weights and cache ÷ bandwidth, FLOP ÷ peak) + fixed cost + links, host)"),
                      say("batch {:g} at {:g} tokens: memory {}, compute {}, fixed {}, links {}, host {}",
                          batch / replica.pipelining(), halfway(job).total(), ms(parts.memory), ms(parts.compute),
                          ms(parts.launch), ms(parts.link), ms(parts.host)),
                      ms(parts.total), "docs/method.md"});
    trace->push_back({"inference.output_tokens_per_s",
                      say("batch × output ÷ (output × step + batch × prefill) × efficiency"),
                      say("{:g} in flight on {} replicas", batch, plan.dp),
                      format("{:.1f} tokens/s", speed.output_tokens_per_s), "docs/method.md"});
  }
  return speed;
}

}  // namespace gpusel::estimate
