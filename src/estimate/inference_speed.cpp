#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/estimate/inference.hpp"

namespace gpusel::estimate {

namespace {

using workload::Workload;

/// What does not change between the steps of one replica.
class Replica {
 public:
  Replica(const Workload& work, const Machine& machine, const InferencePlan& plan, const Coefficients& c,
          ComputeRate rate)
      : work_(work),
        m_(*work.model),
        p_(work.parameters),
        machine_(machine),
        plan_(plan),
        c_(c),
        rate_(rate),
        engine_(to_text(work.inference.engine)),
        head_(m_.is_generator() ? std::max(p_.head, p_.embedding) : 0),
        layers_in_turn_(lays_out_in_turn(work.inference.engine)) {
    const double gemm = c.gemm_efficiency.of(machine.device.gpu->architecture) * c.prefill_efficiency.of(engine_) *
                        (rate.low_precision ? c.low_precision_efficiency.value : 1.0);
    const bool widened = !rate.native && plan.weights->bits < 16;
    const double together = layers_in_turn_ ? 1 : plan.tp;
    matmul_rate_ = rate.peak * (gemm * (widened ? c.dequantise_efficiency.value : 1.0) * together);
    bandwidth_ = machine.device.bandwidth * (c.decode_bandwidth_efficiency.of(engine_) * together);
    if (work.inference.offload != workload::Offload::none)
      host_link_ = pcie_bandwidth(*machine.device.gpu) * (c.link_efficiency.of("pcie") * together);
    // An encoder-decoder reads the prompt with one stack and answers with the other.
    if (m_.decoder_layers && p_.layers > 0) decoder_ = std::min(1.0, *m_.decoder_layers / p_.layers);
    const WeightFormat& format = *plan.weights;
    expert_width_ = format.bits / 8;
    body_width_ = format.experts_only && p_.experts > 0 ? 2 : format.bits / 8;
    head_width_ = format.keeps_ends ? 2 : format.bits / 8;
  }

  /// Processing `prompts` prompts of `tokens` each, packed into passes of the engine's size.
  Seconds prefill(double tokens, double prompts = 1) const {
    if (tokens <= 0) return {};
    const double reader = decoder_ < 1 ? 1 - decoder_ : 1;
    const double all = tokens * prompts;
    const double pass = std::min(all, c_.batched_tokens.of(engine_));
    const double passes = std::ceil(all / c_.batched_tokens.of(engine_));
    const double heads = m_.heads.value_or(0) * m_.head_dim.value_or(0);
    const double causal = m_.is_generator() && !m_.is_encoder_decoder() ? 0.5 : 1;
    const Flop attention = flop(4 * heads * attended(tokens) * causal * tokens * reader * prompts);
    const Flop products = flop(2 * p_.active(0) * reader * all + 2 * head_ * prompts);
    const double busy = pass / (pass + c_.gemm_tokens_half.value);
    const Seconds compute = (products + attention) / (matmul_rate_ * busy);
    return std::max(compute, reading(read_once(pass) * reader) * passes) + fixed_per_step() * (reader * passes) +
           traffic(all) * reader;
  }

  /// Prompts that share a pass when `batch` requests are in flight.
  double prompts_per_pass(double tokens, double batch) const {
    return std::clamp(std::floor(c_.batched_tokens.of(engine_) / std::max(1.0, tokens)), 1.0, std::max(1.0, batch));
  }

  /// One token for each of `batch` sequences.
  Seconds decode(double batch, Cached context) const { return parts(batch, context).total; }

  struct Parts {
    Seconds memory, compute, launch, link, total;
  };
  Parts parts(double batch, Cached context) const {
    Parts parts;
    const double cache = kv_bytes(m_, context, plan_).raw() * plan_.tp * plan_.pp * batch;
    parts.memory = reading(read_once(batch) * decoder_) + bytes(cache) / bandwidth_;
    const double heads = m_.heads.value_or(0) * m_.head_dim.value_or(0);
    const double products = 2 * (p_.active(0) * decoder_ + head_);
    const Flop work = flop((products + 4 * heads * attended(context.total()) * decoder_) * batch);
    parts.compute = work / (matmul_rate_ * (batch / (batch + c_.decode_rows_half.value)));
    parts.launch = fixed_per_step() * decoder_;
    parts.link = traffic(batch) * decoder_;
    parts.total = std::max(parts.memory, parts.compute) + parts.launch + parts.link;
    return parts;
  }

  /// Tokens per second of a pipeline with several batches in flight, against one at a time.
  double pipelining() const { return layers_in_turn_ ? 1.0 : static_cast<double>(plan_.pp); }

 private:
  /// Sum over layers of the tokens each attends to at `context`.
  double attended(double context) const {
    if (m_.is_encoder_decoder()) return p_.layers * context;
    const double full = m_.kv_full_layers.value_or(p_.layers - m_.kv_window_layers.value_or(0));
    return full * context + m_.kv_window_layers.value_or(0) * std::min(context, m_.window_tokens.value_or(context));
  }

  /// Weight bytes touched by `batch` tokens: of E experts, E (1 − (1 − k/E)^batch) are visited.
  double read_once(double batch) const {
    const double visited = p_.experts > 0 ? 1 - std::pow(1 - p_.routed_share, batch) : 0;
    return p_.body * body_width_ + p_.experts * visited * expert_width_ + head_ * head_width_;
  }

  Seconds fixed_per_step() const {
    return microseconds(c_.decode_layer_us.of(engine_) * p_.layers + c_.decode_step_us.of(engine_));
  }

  /// Weights read from the GPU's memory, or over PCIe where they are offloaded, whichever takes longer.
  Seconds reading(double weight_bytes) const {
    const Seconds local = bytes(weight_bytes) / bandwidth_;
    return host_link_ ? std::max(local, bytes(weight_bytes * (1 - kInFlight)) / *host_link_) : local;
  }

  /// Between GPUs, for `tokens` rows: two all-reduces per layer with tensor parallelism, and a
  /// dispatch and a combination per layer of experts with expert parallelism.
  Seconds traffic(double tokens) const {
    Seconds total;
    const Bytes rows = bytes(2 * *m_.hidden_size * tokens);
    if (plan_.tp > 1 && !layers_in_turn_)
      total += collective(rows * (2.0 * (plan_.tp - 1) / plan_.tp), plan_.tp) * (2 * p_.layers);
    if (plan_.ep > plan_.tp) {
      const double sent = m_.experts_per_token.value_or(1) * (plan_.ep - 1) / plan_.ep / plan_.tp;
      total += collective(rows * sent, plan_.ep) * (2 * p_.moe_layers);
    }
    return total;
  }

  Seconds collective(Bytes amount, int members) const {
    const bool crosses = members > machine_.gpus_per_node;
    return amount / group_bandwidth(machine_, std::min(members, machine_.gpus_per_node), crosses, c_) +
           group_latency(machine_, crosses, c_);
  }

  const Workload& work_;
  const catalog::Model& m_;
  const catalog::Parameters& p_;
  const Machine& machine_;
  const InferencePlan& plan_;
  const Coefficients& c_;
  ComputeRate rate_;
  std::string_view engine_;
  double head_ = 0;
  FlopPerSecond matmul_rate_;
  BytesPerSecond bandwidth_;
  std::optional<BytesPerSecond> host_link_;  // that offloaded weights come over
  double decoder_ = 1;                       // share of the layers that run for each generated token
  bool layers_in_turn_ = false;
  double body_width_ = 2;  // bytes per parameter
  double expert_width_ = 2;
  double head_width_ = 2;
};

std::string_view name_of_bound(const Replica::Parts& parts) {
  if (parts.launch + parts.link > std::max(parts.memory, parts.compute))
    return parts.link > parts.launch ? "link" : "launch";
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

Steady steady_state(const Workload& work, const Replica& replica, double batch, const Coefficients& c) {
  const auto& job = work.inference;
  const double input = static_cast<double>(job.input_tokens) * (1 - job.prefix_cache_hit);
  const double efficiency = batch > 1 ? c.serving_efficiency.of(to_text(job.engine)) : 1.0;
  Steady steady;
  if (!work.model->is_generator()) {
    const Seconds all = replica.prefill(input, batch);
    steady.requests_per_s = efficiency * batch / std::max(all.raw(), 1e-9);
    steady.ttft = all;
    return steady;
  }
  const double output = std::max(1.0, static_cast<double>(job.output_tokens));
  const double together = replica.prompts_per_pass(input, batch);
  const Seconds prefill = replica.prefill(input, together) / together;
  const Seconds step = replica.decode(batch / replica.pipelining(), halfway(job));
  // Each request's prompt is processed while the others wait for their next token.
  const Seconds per_request = step * (output / batch) + prefill / replica.pipelining();
  steady.requests_per_s = efficiency / std::max(per_request.raw(), 1e-9);
  const double waits = output > 1 ? (batch / steady.requests_per_s - prefill.raw()) / output : 0;
  steady.itl = seconds(std::max(step.raw(), waits));
  steady.ttft = replica.prefill(input) + step + prefill * (0.5 * std::min(1.0, (batch - 1) / output));
  return steady;
}

/// Requests per second that one front end can feed.
double host_ceiling(const Workload& work, const Coefficients& c) {
  const auto output = static_cast<double>(work.inference.output_tokens);
  return output > 0 ? c.host_tokens_per_s.of(to_text(work.inference.engine)) / output : 1e12;
}

/// What a replica can serve with its cache full.
double capacity(const Workload& work, const Replica& replica, double most, const Coefficients& c) {
  return std::min(steady_state(work, replica, most, c).requests_per_s, host_ceiling(work, c));
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
  return Replica(work, machine, plan, coefficients, *rate).decode(batch, {context, 0});
}

std::optional<InferenceSpeed> inference_speed(const Workload& work, const Machine& machine, const InferencePlan& plan,
                                              const InferenceMemory& memory, const Coefficients& c, Trace* trace) {
  const auto rate = compute_rate(*plan.weights, machine.device);
  if (!rate) return std::nullopt;
  const Replica replica(work, machine, plan, c, *rate);
  const auto& job = work.inference;
  const std::string_view engine = to_text(job.engine);
  const auto output = static_cast<double>(job.output_tokens);
  // Fewer requests than replicas leave some idle.
  const double replicas =
      job.request_rate ? plan.dp : std::clamp(memory.concurrency, 1.0, static_cast<double>(plan.dp));
  const double room = std::max(1.0, std::min(memory.max_concurrency / replicas, c.max_sequences.of(engine)));
  double batch = std::max(1.0, std::min(memory.concurrency / replicas, room));
  if (job.request_rate) {
    const auto level = balance(work, replica, *job.request_rate / replicas, room, c);
    if (!level) return std::nullopt;
    batch = *level;
  }
  const Steady steady = steady_state(work, replica, batch, c);
  double per_replica = std::min(steady.requests_per_s, host_ceiling(work, c));
  const bool host_bound = !job.request_rate && per_replica < steady.requests_per_s;
  if (job.request_rate) per_replica = *job.request_rate / replicas;

  InferenceSpeed speed;
  speed.in_flight = batch * replicas;
  speed.requests_per_s = per_replica * replicas;
  speed.output_tokens_per_s = speed.requests_per_s * output;
  speed.total_tokens_per_s = speed.requests_per_s * (output + static_cast<double>(job.input_tokens));
  speed.itl = host_bound && output > 1 ? seconds(batch / (per_replica * std::max(1.0, output))) : steady.itl;
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
  const auto parts = replica.parts(batch / replica.pipelining(), halfway(job));
  const Seconds prefill = replica.prefill(static_cast<double>(job.input_tokens) * (1 - job.prefix_cache_hit));
  const bool prompt_heavy = !work.model->is_generator() || prefill * batch > parts.total * std::max(1.0, output);
  speed.bound_by = host_bound ? "host" : prompt_heavy ? "compute" : waiting > 0.5 ? "kv-cache" : name_of_bound(parts);
  if (trace != nullptr) {
    const auto ms = [](Seconds s) { return format("{:.2f} ms", in_ms(s)); };
    trace->push_back({"inference.prefill", say("2 × active parameters × tokens + attention, ÷ (peak × utilisation)"),
                      say("{} tokens, peak {:.0f} TFLOPS × tp {}", job.input_tokens, rate->peak.raw() / 1e12, plan.tp),
                      ms(prefill), "docs/method.md"});
    trace->push_back(
        {"inference.decode_step", say("max(weights and cache ÷ bandwidth, FLOP ÷ peak) + fixed cost + links"),
         say("batch {:g} at {:g} tokens: memory {}, compute {}, fixed {}, links {}", batch / replica.pipelining(),
             halfway(job).total(), ms(parts.memory), ms(parts.compute), ms(parts.launch), ms(parts.link)),
         ms(parts.total), "docs/method.md"});
    trace->push_back({"inference.output_tokens_per_s",
                      say("batch × output ÷ (output × step + batch × prefill) × efficiency"),
                      say("{:g} in flight on {} replicas", batch, plan.dp),
                      format("{:.1f} tokens/s", speed.output_tokens_per_s), "docs/method.md"});
  }
  return speed;
}

}  // namespace gpusel::estimate
