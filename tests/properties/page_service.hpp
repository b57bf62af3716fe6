// The symbols and formulas of sections 6 and 7 of docs/method.md, for a service with its plan on a machine.
#pragma once

#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "support/page.hpp"

namespace gpusel::test::page {

using estimate::Coefficient;
using estimate::Coefficients;
using estimate::InferencePlan;
using estimate::Machine;
using workload::Engine;
using workload::Offload;

/// A service with its plan, and the symbols that the page gives them.
class Service {
 public:
  Service(const workload::Workload& of, const InferencePlan& with, const Machine& on)
      : work(of), plan(with), machine(on), m(*of.model), P(of.parameters), job(of.inference) {}

  double L() const { return P.layers; }
  double h() const { return *m.hidden_size; }
  double n() const { return m.heads.value_or(0); }
  double nkv() const { return m.kv_heads.value_or(n()); }
  double d() const { return m.head_dim.value_or(0); }
  double V() const { return m.vocab_size.value_or(0); }
  double k() const { return m.experts_per_token.value_or(1); }
  double t() const { return plan.tp; }
  double p() const { return plan.pp; }
  double e() const { return plan.ep; }
  double in() const { return static_cast<double>(job.input_tokens); }
  double out() const { return static_cast<double>(job.output_tokens); }
  bool encodes() const { return !m.is_generator(); }
  bool crosses_stacks() const { return m.is_encoder_decoder(); }
  bool in_turn() const { return job.engine == Engine::llama_cpp || job.engine == Engine::hf; }
  std::string_view engine() const { return to_text(job.engine); }
  /// Of the engine and its generation.
  double of(const Coefficient& coefficient) const { return coefficient.of(engine(), job.generation); }
  double bits() const { return plan.weights->bits; }

  // Section 6.
  double stored() const {
    if (m.native_weights_gib && m.native_dtype.starts_with(plan.weights->name)) return *m.native_weights_gib * kGiB;
    if (plan.weights->experts_only && P.experts > 0) return P.experts * bits() / 8 + 2 * (P.loaded() - P.experts);
    if (!plan.weights->keeps_ends) return P.loaded() * bits() / 8;
    return (P.body + P.experts + P.layer_embeddings) * bits() / 8 + 2 * (P.embedding + P.head + P.vision);
  }
  double weights() const {
    double share = fullest(L(), p());
    if (job.engine == Engine::llama_cpp && plan.pp > 1) share = fullest(L() + 1, p()) * (1 - P.embedding / P.loaded());
    share /= t();
    if (plan.ep > plan.tp) {
      const double routed = P.experts / P.loaded();
      share *= 1 - routed + routed * t() / e();
    }
    if (job.offload != Offload::none) share *= 0.1;
    double drafting = 0;
    if (job.draft) drafting = 2 * job.draft->parameters.loaded() / draft_ranks();
    return stored() * share + drafting;
  }
  double draft_ranks() const { return std::fmod(job.draft->model->heads.value_or(1), t()) == 0 ? t() : 1; }

  /// Of one request on one GPU, so many tokens read and so many written.
  static double cache(const catalog::Model& m, double layers_of_both, double read, double written, double t, double p,
                      workload::KvPrecision kv) {
    if (!m.is_generator()) return 0;
    const bool two = m.is_encoder_decoder();
    const double layers = two ? m.decoder_layers.value_or(layers_of_both) : layers_of_both;
    const auto block = [](double tokens) { return 16 * std::ceil(tokens / 16); };
    const double Cs = two ? written : read + written;
    const double heads = m.kv_heads.value_or(m.heads.value_or(0));
    const auto v = [&](double of, double width) { return 2 * std::max(1.0, of / t) * width; };
    const double d = m.head_dim.value_or(0);
    const double full = m.is_mla() ? *m.mla_kv_lora_rank + m.mla_rope_dim.value_or(0)
                                   : v(m.kv_full_heads.value_or(heads), m.kv_full_head_dim.value_or(d));
    const double values = m.kv_full_layers.value_or(layers) * full * block(Cs) +
                          m.kv_window_layers.value_or(0) * v(m.kv_window_heads.value_or(heads), d) *
                              block(std::min(Cs, m.window_tokens.value_or(Cs))) +
                          m.kv_extra_elements.value_or(0) * block(Cs) +
                          m.cross_layers.value_or(two ? layers : 0) * v(heads, d) * m.cross_tokens.value_or(read);
    const double width = kv == workload::KvPrecision::fp8 || kv == workload::KvPrecision::int8 ? 1 : 2;
    return (values * width + m.linear_state_bytes.value_or(0) / t) * fullest(layers, p);
  }
  double cache(double read, double written) const {
    return cache(m, m.layers.value_or(0), read, written, t(), p(), plan.kv);
  }
  double cache_with_draft(double read, double written) const {
    double both = cache(read, written);
    if (job.draft) {
      const auto& small = *job.draft->model;
      both += cache(small, small.layers.value_or(0), read, written, draft_ranks(), 1, plan.kv);
    }
    return both;
  }

  double activations(double rows) const {
    const double longest = std::min(in(), of(c.whole_prompt_tokens));
    const double pass = std::max(of(c.batched_tokens), longest);
    const double tokens = encodes() ? rows * in() : std::max(rows, std::min(pass, rows * in()));
    const double ffn = m.is_moe() ? m.moe_ffn_size.value_or(0) * k() : m.ffn_size.value_or(0);
    const double widest = std::max((n() + 2 * nkv()) * d(), 2 * ffn);
    const double experts = m.is_moe() ? 2 * k() * h() / e() : 0;
    const double forward = 2 * tokens * (of(c.activation_copies) * (2 * h() + widest / t()) + experts);
    if (encodes()) return forward;
    return std::max({forward, rows * V() * of(c.sampler_bytes), rows * in() * V() * of(c.prompt_logits_bytes)});
  }
  double framework() const {
    const bool talks = plan.tp * plan.pp > 1 && !in_turn();
    return (c.process_gib.of(engine()) + (talks ? c.collectives_gib.of("inference") : 0)) * kGiB;
  }
  double workspace() const { return c.engine_workspace_gib.of(engine()) * kGiB; }
  double pool() const {
    return machine.device.usable.raw() * job.mem_utilization.value_or(c.engine_memory_share.of(engine()));
  }
  /// The most that an engine decodes together.
  double most() const {
    const bool large = job.generation.empty() && machine.device.usable.raw() / kGiB >= 70;
    const double usual = c.max_sequences.of(engine(), large ? "large" : job.generation);
    return job.concurrency ? std::max(usual, std::min(1024.0, asked())) : usual;
  }
  double asked() const { return std::ceil(static_cast<double>(*job.concurrency) / plan.dp); }

  // Section 7: rates.
  double together() const { return in_turn() ? 1 : t(); }
  double F() const { return estimate::compute_rate(*plan.weights, machine.device)->peak.raw(); }
  bool widened() const { return !estimate::compute_rate(*plan.weights, machine.device)->native && bits() < 16; }
  const catalog::Gpu& gpu() const { return *machine.device.gpu; }
  double eta() const {
    double share = c.gemm_efficiency.of(gpu().architecture) * (is_consumer(gpu()) ? of(c.half_rate_gain) : 1);
    if (gpu().tdp_w && gpu().fp16_dense_tflops.value_or(0) > 0)
      share = std::min(share, *gpu().tdp_w * c.tflops_per_watt.of(gpu().compute_capability) / *gpu().fp16_dense_tflops);
    share *= of(c.prefill_efficiency);
    if (estimate::compute_rate(*plan.weights, machine.device)->low_precision) share *= c.low_precision_efficiency.value;
    return widened() ? share * of(c.dequantise_efficiency) : share;
  }
  double BWa() const {
    const std::string then = std::string(plan.weights->name) + " " + std::string(job.generation);
    const double memory =
        machine.device.bandwidth.raw() * c.decode_bandwidth_efficiency.of(engine(), then, plan.weights->name);
    const double units = gpu().tensor_cores.value_or(0) / (gpu().capability && *gpu().capability < 8 ? 8 : 4);
    const double cores = gpu().cuda_cores.value_or(0);
    const double ghz = gpu().clock_mhz ? *gpu().clock_mhz / 1000
                       : cores > 0     ? gpu().fp32_tflops.value_or(0) * 1000 / (2 * cores)
                                       : 0;
    const double asked_for = units * machine.device.share * ghz * of(c.multiprocessor_bytes) * 1e9;
    return asked_for > 0 ? std::min(memory, asked_for) : memory;
  }
  double delta() const { return m.decoder_layers ? std::min(1.0, *m.decoder_layers / L()) : 1; }
  double epsilon() const { return delta() < 1 ? 1 - delta() : 1; }
  double head() const { return encodes() ? 0 : std::max(P.head, P.embedding); }

  double W(double x) const {
    const double replicas = std::max(1.0, e() / t());
    const double v = P.experts > 0 ? 1 - std::pow(1 - P.routed_share, x * replicas) : 0;
    double y = 1;
    if (plan.ep > 1 && v > 0)
      y = std::min(1 / v, 1 + std::sqrt(2 * (1 - v) * std::log(e()) / (v * m.experts.value_or(e()) / e())));
    const double width = bits() / 8;
    const bool only = plan.weights->experts_only && P.experts > 0;
    return P.body * (only ? 2 : width) + P.experts * width * v * y / replicas +
           head() * (plan.weights->keeps_ends ? 2 : width);
  }
  double read(double w) const {
    const double local = w / (BWa() * together());
    if (job.offload == Offload::none) return local;
    return std::max(local, 0.9 * w / (together() * pcie(gpu()) * c.link_efficiency.of("pcie")));
  }
  double collective(double amount, int members) const {
    const bool far = members > machine.gpus_per_node;
    const Link with = link(machine, std::min(members, machine.gpus_per_node), far);
    const std::string_view kind = estimate::link_case(machine.link);
    const double latency =
        far ? with.latency : c.collective_us.of(kind) * 1e-6 * std::pow(members / 2.0, c.collective_growth.of(kind));
    return amount / with.rate + latency;
  }
  double links(double x) const {
    double time = 0;
    if (plan.tp > 1 && !in_turn()) time += collective(2 * ring(t()) * 2 * h() * x, plan.tp) * 2 * L();
    if (plan.ep > plan.tp) time += collective(2 * k() * h() * ring(e()) * x / t(), plan.ep) * 2 * P.moe_layers;
    return time;
  }
  /// Σ(x): over layers, the tokens each attends to.
  double sum(double x) const {
    if (crosses_stacks()) return L() * x;
    const double window_layers = m.kv_window_layers.value_or(0);
    return m.kv_full_layers.value_or(L() - window_layers) * x +
           window_layers * std::min(x, m.window_tokens.value_or(x));
  }

  double prefill(double tokens, double prompts, double cached) const {
    if (tokens <= 0) return 0;
    const double all = tokens * prompts, batched = of(c.batched_tokens);
    const double r = std::ceil(all / batched), q = std::min(all, batched);
    const double rate = F() * together() * eta();
    const double busy = reached(q, c.gemm_tokens_half.value);
    double products = (2 * P.body * all + 2 * head() * prompts) / (rate * busy);
    const double routed = q * P.routed_share;
    if (P.experts * P.routed_share > 0)
      products += 2 * P.experts * P.routed_share * all /
                  (rate * c.expert_efficiency.of(engine()) * reached(routed, c.expert_rows_half.value));
    const bool causal = !encodes() && !crosses_stacks();
    const double reach = causal ? (sum(cached) + sum(cached + tokens)) / 2 : sum(tokens);
    const double attention = 4 * n() * d() * reach * all / (rate * busy * of(c.prefill_attention_efficiency));
    const double between = of(c.prefill_bytes) * h() * L() * all / together() / machine.device.bandwidth.raw();
    double stages = epsilon();
    if (in_turn() && plan.pp > 1) stages *= 1 - of(c.pipelines_prompts) * (1 - (r + p() - 1) / (r * p()));
    const double host = r * L() * of(c.prefill_layer_us) * 1e-6 * epsilon();
    return std::max({stages * (products + attention + between), stages * r * read(W(all / r)), host}) +
           r * of(c.decode_step_us) * 1e-6 + epsilon() * links(all);
  }
  struct Step {
    double weights = 0, products = 0, caches = 0, scores = 0, fixed = 0, links = 0, host = 0, sequences = 0;
    double exposed = 0;

    double device() const { return std::max(weights, products) + std::max(caches, scores) + fixed + links; }
    double total() const { return std::max(device(), host) + exposed * std::min(device(), host) + sequences; }
    std::string_view bound_by() const {
      const double memory = weights + caches, compute = products + scores, launching = std::max(fixed, host);
      if (sequences > std::max(memory, compute)) return "host";
      if (launching + links > std::max(memory, compute)) return links > launching ? "link" : "launch";
      return memory > compute ? "memory-bandwidth" : "compute";
    }
  };
  double step(double B, double read_tokens, double written, double checked) const {
    return parts(B, read_tokens, written, checked).total();
  }
  Step parts(double B, double read_tokens, double written, double checked) const {
    const double C = read_tokens + written, rows = B * checked;
    const double rate = F() * together() * eta();
    const bool unpacks = widened() && job.engine == Engine::llama_cpp;
    const double half = c.decode_rows_half.value;
    const double idle = unpacks ? half : std::min(half, 8 * rows);
    const double products = (2 * delta() * (P.body + P.experts * P.routed_share) + 2 * head()) * (rows + idle) / rate;
    const double copies = of(c.cache_copies) * (m.is_mla() ? 1 : m.heads.value_or(1) / std::max(1.0, nkv()));
    const double kappa = 1 / of(c.cache_efficiency) + copies;
    const double caches = B * t() * p() * cache(read_tokens, written) * kappa / (BWa() * together());
    const double cores = gpu().fp32_tflops.value_or(0) * 1e12 * machine.device.share * of(c.decode_attention_share);
    const double scores = cores > 0 ? 4 * n() * d() * sum(C) * delta() * rows / (cores * together()) : 0;
    const double fixed = of(c.decode_layer_us) * L() + of(c.expert_layer_us) * P.moe_layers + of(c.decode_step_us);
    Step out{read(delta() * W(rows)), products, caches, scores, delta() * fixed * 1e-6, delta() * links(rows)};
    if (C > of(c.graph_tokens))
      out.host = delta() * 1e-6 *
                 (c.host_layer_us.of(engine(), plan.weights->name, job.generation) * L() +
                  of(c.host_expert_us) * m.experts.value_or(0) * P.moe_layers);
    out.exposed = of(c.host_exposed);
    out.sequences = of(c.sequence_us) * 1e-6 * B;
    return out;
  }
  double pipelining() const { return in_turn() ? 1 : p(); }

  const workload::Workload& work;
  const InferencePlan& plan;
  const Machine& machine;
  const catalog::Model& m;
  const catalog::Parameters& P;
  const workload::Inference& job;
  const Coefficients& c = test::coefficients();
};

struct ServiceCase {
  workload::Workload work;
  InferencePlan plan;
  Machine machine;
};

inline ServiceCase any_service() {
  Asked asked = any::serving();
  if (any::coin("older")) {
    const std::vector<std::string> versions{"0.2.0", "0.5.0", "0.7.0", "4.40.0", "0.12.0", "b3000"};
    asked["engine_version"] = any::one_of("version", versions);
  }
  if (any::coin("offloads")) asked["offload"] = "weights";
  if (any::coin("a share")) asked["mem_utilization"] = format("{}", any::number("share", 0.3, 1));
  if (any::coin("cached prompts")) asked["prefix_cache_hit"] = format("{}", any::number("hit", 0.01, 1));
  if (any::coin("nothing to read or to write")) asked[any::one_of("which", {"input_tokens", "output_tokens"})] = "0";
  const std::string how = any::one_of("mode", {"as usual", "throughput", "online", "single-stream", "ttft"});
  if (how == "ttft")
    asked["ttft"] = "1000";
  else if (how != "as usual")
    asked["mode"] = how;
  if (how == "single-stream") asked.erase("concurrency");
  auto work = job_of(asked);
  any::leave_gaps(work);
  auto plan = any::serving_plan(work);
  if (work.model->is_moe() && any::coin("experts over replicas")) plan.ep = plan.tp * plan.dp;
  Machine machine = any::machine(plan.tp * plan.pp * plan.dp);
  any::leave_gaps(machine);
  return {std::move(work), plan, machine};
}

/// A small model that drafts for another.
inline void add_draft(workload::Workload& work) {
  const std::string small = any::one_of("draft", {"llama-3.2-1b", "qwen2.5-0.5b", "gemma-2b"});
  workload::Draft draft;
  draft.model = &model(small);
  draft.parameters = *catalog::parameters_of(*draft.model);
  draft.tokens = any::whole("drafted", 1, 8);
  draft.acceptance_rate = any::number("acceptance", 0.05, 1);
  work.inference.draft = draft;
}

}  // namespace gpusel::test::page
