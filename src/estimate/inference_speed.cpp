#include <algorithm>
#include <cmath>

#include "estimate/inference_load.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"

namespace gpusel::estimate {

namespace {

using workload::Workload;

std::string_view name_of_bound(const Replica::Parts& parts) {
  if (parts.sequences > std::max(parts.memory, parts.compute)) return "host";
  const Seconds launch = std::max(parts.launch, parts.host);
  if (launch + parts.link > std::max(parts.memory, parts.compute)) return parts.link > launch ? "link" : "launch";
  return parts.memory > parts.compute ? "memory-bandwidth" : "compute";
}

/// Share of what could be served.
double load_of(double rate, double most_requests) { return std::min(0.99, rate / most_requests); }

/// With the waiting time of an M/G/1 queue with exponential tail: mean × −ln(1 − percentile).
Seconds queued(Seconds ttft, double load, double percentile) {
  return ttft + ttft * (load / (2 * (1 - load)) * -std::log(1 - percentile));
}

InferenceSpeed::Percentiles percentiles(const Steady& steady, double load, double steps) {
  InferenceSpeed::Percentiles p;
  p.ttft_p95 = queued(steady.ttft, load, 0.95);
  p.ttft_p99 = queued(steady.ttft, load, 0.99);
  p.itl_p95 = steady.itl * (1 + 0.5 * load);
  p.itl_p99 = steady.itl * (1 + load);
  p.e2e_p95 = p.ttft_p95 + p.itl_p95 * steps;
  p.e2e_p99 = p.ttft_p99 + p.itl_p99 * steps;
  return p;
}

/// Each figure of a service as it was computed.
struct SpeedTrace {
  const Workload& work;
  const Server& server;
  const Load& load;
  const InferenceSpeed& speed;
  Trace& trace;

  void write() const {
    prompt();
    if (work.model->is_generator()) {
      step();
      latencies();
    }
    throughput();
  }

 private:
  static Figure ms(Seconds s) { return shown("{:.2f}", in_ms(s), "ms"); }
  static std::string in(Seconds s) { return format("{:.5g} ms", in_ms(s)); }
  void add(std::string quantity, std::string formula, std::string substituted, Figure value) const {
    trace.push_back(
        {std::move(quantity), std::move(formula), std::move(substituted), std::move(value), "docs/method.md"});
  }
  double output() const { return static_cast<double>(work.inference.output_tokens); }
  double steps() const { return std::max(0.0, output() - 1); }
  double cached() const { return static_cast<double>(work.inference.input_tokens) * work.inference.prefix_cache_hit; }
  double input() const { return static_cast<double>(work.inference.input_tokens) - cached(); }
  Replica::PromptParts one_prompt() const { return server.target.prompt(input(), 1, cached()); }

  void prompt() const {
    const auto p = one_prompt();
    add("inference.prefill",
        say("max(products + attention + between products, reading weights, host) + fixed + links, of {:g} tokens",
            input()),
        format("max({} + {} + {}, {}, {}) + {} + {}", in(p.products), in(p.attention), in(p.between), in(p.reading),
               in(p.host), in(p.fixed), in(p.link)),
        ms(p.total));
  }

  void step() const {
    const double rows = load.batch / server.target.pipelining();
    const auto p = server.target.decode(rows, halfway(work.inference));
    add("inference.decode_step", say("max(device, host) + what shows of the host × min(device, host) + per sequence"),
        format("max({0}, {1}) + {2:g} × min({0}, {1}) + {3}", in(p.device), in(p.host), p.host_exposed,
               in(p.sequences)),
        ms(p.total));
    add("inference.decode_step.device",
        say("max(weights, products) + max(caches, scores) + fixed + links, of {:g} sequences at {:g} tokens", rows,
            halfway(work.inference).total()),
        format("max({}, {}) + max({}, {}) + {} + {}", in(p.weights), in(p.products), in(p.caches), in(p.scores),
               in(p.launch), in(p.link)),
        ms(p.device));
    if (server.draft) speculation(rows);
  }

  void speculation(double rows) const {
    const workload::Draft& draft = *work.inference.draft;
    const auto drafted = static_cast<double>(draft.tokens);
    const Seconds pass = server.target.decode(rows, halfway(work.inference), drafted + 1).total;
    const Seconds one = server.draft->decode(rows, halfway(work.inference)).total;
    trace.push_back({"inference.speculation",
                     say("(pass over drafted tokens + drafted tokens × step of {}) ÷ tokens per pass", draft.model->id),
                     format("({} + {:g} × {}) ÷ {:.5g}", in(pass), drafted, in(one), tokens_per_pass(draft)),
                     ms(token_time(work.inference, server, load.batch)), "arXiv 2211.17192"});
    const double a = draft.acceptance_rate;
    if (a < 1)
      trace.push_back({"inference.speculation.tokens_per_pass",
                       say("(1 − a^(n + 1)) ÷ (1 − a), a of drafted tokens stand"),
                       format("(1 − {0:g}^({1:g} + 1)) ÷ (1 − {0:g})", a, drafted),
                       shown("{:.3f}", tokens_per_pass(draft)), "arXiv 2211.17192"});
  }

  void latencies() const {
    const Seconds prefill = one_prompt().total;
    add("inference.ttft", say("prefill + prompts of others before it and waiting for room"),
        format("{} + {}", in(prefill), in(speed.ttft - prefill)), ms(speed.ttft));
    if (speed.itl <= Seconds{}) return;
    const Seconds step = token_time(work.inference, server, load.batch);
    add("inference.itl", say("time of one token + prompts of others between two of them"),
        format("{} + {}", in(step), in(speed.itl - step)), ms(speed.itl));
  }

  void throughput() const {
    const Figure rate = shown("{:.5g}", speed.requests_per_s, "requests/s");
    const Steady& s = load.steady;
    if (work.inference.request_rate)
      add("inference.requests_per_s", say("what arrives, as it can be served"), {}, rate);
    else if (load.prefill_replicas > 0)
      apart(rate);
    else if (!work.model->is_generator())
      add("inference.requests_per_s", say("replicas × requests at once × efficiency ÷ prefill of all"),
          format("{:g} × {:.6g} × {:.5g} ÷ {}", load.replicas, load.batch, s.efficiency, in(s.per_request)), rate);
    else if (load.batch == 1)
      add("inference.requests_per_s", say("replicas ÷ (first token + (output − 1) × step)"),
          format("{:g} ÷ ({} + {:g} × {})", load.replicas, in(s.first), steps(), in(one_token())), rate);
    else
      together(rate);
    if (work.model->is_generator())
      add("inference.output_tokens_per_s", say("requests per second × output"),
          format("{} × {:g}", rate.text, output()), shown("{:.1f}", speed.output_tokens_per_s, "tokens/s"));
  }

  Seconds one_token() const { return token_time(work.inference, server, load.batch); }

  void together(const Figure& rate) const {
    const Steady& s = load.steady;
    add("inference.requests_per_s",
        say("replicas × requests at once ÷ max(first token + (output − 1) × step, requests at once × time of the "
            "replica for one ÷ efficiency)"),
        format("{:g} × {:.6g} ÷ max({} + {:g} × {}, {:.6g} × {} ÷ {:.5g})", load.replicas, load.batch, in(s.first),
               steps(), in(one_token()), load.batch, in(s.per_request), s.efficiency),
        rate);
    add("inference.requests_per_s.replica_time",
        say("step × (output − 1) ÷ requests at once + prefill in a shared pass + handling ÷ requests at once"),
        format("{} × {:g} ÷ {:.6g} + {} + {} ÷ {:.6g}", in(one_token()), steps(), load.batch, in(s.prompt),
               in(s.handling), load.batch),
        ms(s.per_request));
  }

  void apart(const Figure& rate) const {
    add("inference.requests_per_s",
        say("min(prompts that {:g} replicas read per second, replicas × requests at once ÷ (output × step))",
            load.prefill_replicas),
        format("min({:.6g}, {:g} × {:.6g} ÷ ({:g} × {}))", load.prompts_per_s, load.replicas, load.batch,
               std::max(1.0, output()), in(one_token())),
        rate);
  }
};

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
  const auto& job = work.inference;
  Server server{Replica(work, machine, plan, c, *rate), std::nullopt};
  std::optional<Workload> drafting;
  std::optional<InferencePlan> drafting_plan;
  if (job.draft) {
    drafting = work;
    drafting->model = job.draft->model;
    drafting->parameters = job.draft->parameters;
    drafting_plan = draft_plan(*job.draft->model, plan);
    const auto half = compute_rate(*drafting_plan->weights, machine.device);
    if (!half) return std::nullopt;
    server.draft.emplace(*drafting, machine, *drafting_plan, c, *half);
  }
  const Replica& replica = server.target;
  const auto output = static_cast<double>(job.output_tokens);
  const auto load = steady_load(work, server, plan, memory, c);
  if (!load) return std::nullopt;
  const Steady& steady = load->steady;
  const double batch = load->batch;
  const double replicas = load->replicas;
  const double per_replica = load->requests_per_s / replicas;

  InferenceSpeed speed;
  speed.prefill_replicas = load->prefill_replicas;
  speed.in_flight = batch * replicas;
  speed.requests_per_s = load->requests_per_s;
  speed.output_tokens_per_s = speed.requests_per_s * output;
  speed.total_tokens_per_s = speed.requests_per_s * (output + static_cast<double>(job.input_tokens));
  speed.itl = steady.itl;
  speed.ttft = steady.ttft;
  speed.e2e = steady.e2e;
  // Requests beyond the cache's room wait for one in flight to end.
  const bool queues = job.concurrency && !job.request_rate;
  const double waiting = queues ? std::max(0.0, memory.concurrency / replicas - batch) : 0;
  if (job.request_rate) {
    const double share = load_of(*job.request_rate, load->most);
    const double steps = output - 1;
    speed.ttft = queued(steady.ttft, share, 0.5);
    speed.e2e = speed.ttft + speed.itl * steps;
    speed.percentiles = percentiles(steady, share, steps);
  } else {
    speed.ttft += seconds(waiting / per_replica);
    speed.e2e += seconds(waiting / per_replica);
  }
  speed.weights_native = rate->native || plan.weights->bits >= 16;
  const auto parts = replica.decode(batch / replica.pipelining(), halfway(job));
  const double cached = static_cast<double>(job.input_tokens) * job.prefix_cache_hit;
  const Seconds prefill = replica.prefill(static_cast<double>(job.input_tokens) - cached, 1, cached);
  const bool prompt_heavy = !work.model->is_generator() || prefill * batch > parts.total * std::max(1.0, output);
  speed.bound_by = prompt_heavy ? to_name("compute") : waiting > 0.5 ? to_name("kv-cache") : name_of_bound(parts);
  if (trace != nullptr) SpeedTrace{work, server, *load, speed, *trace}.write();
  return speed;
}

}  // namespace gpusel::estimate
