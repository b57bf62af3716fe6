#include <algorithm>

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
constexpr Recorded kBetweenTokens{"inference.itl", "{:.2f}", "ms"};

/// What the median request meets.
void tell_random(Trace& trace, const InferenceSpeed& speed) {
  const LoadedSteps& steps = speed.load->steps();
  const std::string how = say("median of steps that read the prompts which came at random");
  const std::string of = say("{:.4g} requests/s of a replica, steps of {:.2f} ms, {:.2f} ms more with a prompt",
                             steps.arrivals_per_s, in_ms(steps.bare), in_ms(steps.first_part * steps.parts));
  note(trace, kToFirstToken, in_ms(speed.ttft()), how, of);
  if (speed.itl() > Seconds{}) note(trace, kBetweenTokens, in_ms(speed.itl()), how, of);
}

}  // namespace

Seconds InferenceSpeed::ttft_within(double percent) const {
  return simulated ? simulated->ttft.within(percent) : load ? load->ttft().within(percent) : first_token;
}
Seconds InferenceSpeed::itl_within(double percent) const {
  return simulated ? simulated->itl.within(percent) : load ? load->itl().within(percent) : gap;
}
Seconds InferenceSpeed::tpot_within(double percent) const {
  return simulated ? simulated->tpot.within(percent) : load ? load->tpot().within(percent) : tpot;
}
Seconds InferenceSpeed::e2e_within(double percent) const {
  return simulated ? simulated->e2e.within(percent) : load ? load->e2e().within(percent) : stay;
}

std::optional<InferenceSpeed> inference_speed(const Job& work, const Machine& machine, const Layout& layout,
                                              const InferenceMemory& memory, const Coefficients& c, Trace* trace) {
  if (work.inference.left_to_host.on_cpu()) return std::nullopt;
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
  speed.in_flight = job.request_rate ? *job.request_rate * steady.e2e.raw() : load->admitted * replicas;
  speed.requests_per_s = load->requests_per_s;
  speed.output_tokens_per_s =
      record(generating, {"inference.output_tokens_per_s", "{:.1f}", "tokens/s"},
             [&](auto told) { return told("requests per second", speed.requests_per_s) * told("output", output); });
  speed.total_tokens_per_s = speed.requests_per_s * (output + static_cast<double>(job.input_tokens));
  speed.gap = steady.itl;
  speed.tpot = steady.tpot;
  speed.first_token = steady.ttft;
  speed.stay = steady.e2e;
  // Requests beyond the cache's room wait for one in flight to end.
  const bool queues = job.concurrency && !job.request_rate;
  const double waiting = queues ? std::max(0.0, memory.concurrency / replicas - load->admitted) : 0;
  if (job.request_rate) {
    speed.most_requests_per_s = load->most;
    speed.load = std::make_shared<const LoadedTimes>(load->steps);
    if (trace != nullptr) tell_random(*trace, speed);
  } else {
    speed.first_token = record(trace, kToFirstToken, [&](auto told) {
      return told("first token", steady.ttft) +
             quantity<Seconds>(told.some("waiting requests", waiting) /
                               told("requests per second of one replica", per_replica));
    });
    speed.stay += seconds(waiting / per_replica);
  }
  speed.weights_native = deployment.weights_native();
  const auto parts = replica.decode(batch / replica.pipelining(), halfway(job), generating);
  const bool prompt_heavy = !work.model->is_generator() || prefill * batch > parts.total * std::max(1.0, output);
  speed.bound_by = prompt_heavy ? to_name("compute") : waiting > 0.5 ? to_name("kv-cache") : name_of_bound(parts);
  return speed;
}

}  // namespace gpusel::physics
