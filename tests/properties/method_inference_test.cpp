// Sections 6 and 7 of docs/method.md, worked out as the page writes them, against what is computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "support/page.hpp"

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Engine;
using workload::Mode;
using workload::Offload;
namespace any = test::any;

namespace {

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
  double F() const { return compute_rate(*plan.weights, machine.device)->peak.raw(); }
  bool widened() const { return !compute_rate(*plan.weights, machine.device)->native && bits() < 16; }
  const catalog::Gpu& gpu() const { return *machine.device.gpu; }
  double eta() const {
    double share = c.gemm_efficiency.of(gpu().architecture) * (is_consumer(gpu()) ? of(c.half_rate_gain) : 1);
    if (gpu().tdp_w && gpu().fp16_dense_tflops.value_or(0) > 0)
      share = std::min(share, *gpu().tdp_w * c.tflops_per_watt.of(gpu().compute_capability) / *gpu().fp16_dense_tflops);
    share *= of(c.prefill_efficiency);
    if (compute_rate(*plan.weights, machine.device)->low_precision) share *= c.low_precision_efficiency.value;
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
    const std::string_view kind = link_case(machine.link);
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

/// What is in flight on one replica, and how it goes.
class Flow {
 public:
  explicit Flow(const Service& service, const Service* small = nullptr) : s(service), draft(small), job(s.job) {}

  double cached() const { return s.in() * job.prefix_cache_hit; }
  double fresh() const { return s.in() - cached(); }
  double step(double B) const {
    const double rows = B / s.pipelining();
    if (draft == nullptr) return s.step(rows, s.in(), s.out() / 2, 1);
    const auto n = static_cast<double>(job.draft->tokens);
    const double a = job.draft->acceptance_rate;
    const double brings = a < 1 ? (1 - std::pow(a, n + 1)) / (1 - a) : n + 1;
    return (s.step(rows, s.in(), s.out() / 2, n + 1) + n * draft->step(rows, s.in(), s.out() / 2, 1)) / brings;
  }
  double per_pass(double B) const {
    return std::clamp(std::floor(s.of(s.c.batched_tokens) / std::max(1.0, fresh())), 1.0, std::max(1.0, B));
  }
  double share(double B) const {
    const double m = per_pass(B);
    const double all = s.prefill(fresh(), m, cached()) + (draft != nullptr ? draft->prefill(fresh(), m, cached()) : 0);
    return all / m;
  }
  double burst(double x) const {
    const double first = std::clamp(s.of(s.c.batched_tokens) / std::max(1.0, fresh()), 1.0, x);
    return (s.prefill(fresh(), first, cached()) + s.prefill(fresh(), x, cached())) / 2;
  }
  bool targets() const { return job.ttft_ms || job.tpot_ms; }
  double together() const {
    if (job.request_rate || job.disaggregated_prefill) return 0;
    return at_once() ? 1 : s.of(s.c.arrivals_together);
  }
  double stepping() const {
    if (job.disaggregated_prefill) return 0;
    if (job.request_rate) return 1;
    return at_once() ? 0 : s.of(s.c.prompt_interference);
  }
  bool at_once() const { return job.mode == Mode::throughput && job.concurrency && !targets(); }
  double request() const { return job.mode == Mode::online || job.request_rate ? s.of(s.c.request_ms) * 1e-3 : 0; }
  double steps() const { return std::max(0.0, s.out() - 1); }
  double first(double B) const {
    const double read = fresh() > 0 ? burst(1 + together() * (B - 1)) : step(B);
    return request() + read + (B > 1 && steps() > 0 ? stepping() * step(B) / 2 : 0);
  }
  double efficiency(double B) const {
    const bool stream = (job.mode == Mode::online || targets()) && !job.request_rate;
    const double lost = stream && !s.encodes() ? 0 : 1 - s.of(s.c.serving_efficiency);
    return 1 - lost * (1 - 1 / B);
  }

  struct Figures {
    double requests_per_s = 0, ttft = 0, itl = 0, e2e = 0;
  };
  Figures at(double B) const {
    Figures out;
    if (s.encodes()) {
      const double all = s.prefill(fresh(), B, 0);
      out.requests_per_s = efficiency(B) * B / all;
      out.ttft = out.e2e = all / efficiency(B);
      return out;
    }
    out.ttft = first(B);
    const double bare = out.ttft + steps() * step(B);
    out.itl = steps() > 0 ? step(B) : 0;
    const bool closed = !job.request_rate && !job.disaggregated_prefill;
    if (!closed && steps() > 0) out.itl += share(B) * (B - 1) / s.out();
    out.e2e = out.ttft + out.itl * steps();
    if (B == 1) {
      out.requests_per_s = 1 / bare;
      return out;
    }
    const double each = steps() * step(B) / B + share(B) / s.pipelining() + request() / B;
    out.requests_per_s = efficiency(B) / each;
    if (!closed) return out;
    out.e2e = std::max(bare, B * each / efficiency(B));
    out.requests_per_s = B / out.e2e;
    if (at_once()) return out;
    const double pass = share(B) * std::min(B, s.of(s.c.batched_tokens) / std::max(1.0, fresh()));
    if (steps() > 0)
      out.itl += std::min(stepping() * ((out.e2e - out.ttft) / steps() - step(B)), pass);
    else
      out.ttft = out.e2e;
    return out;
  }

  const Service& s;
  const Service* draft;
  const workload::Inference& job;
};

struct Drawn {
  workload::Workload work;
  InferencePlan plan;
  Machine machine;
};

Drawn any_case() {
  test::Asked asked = any::serving();
  if (any::coin("older")) {
    const std::vector<std::string> versions{"0.2.0", "0.5.0", "0.7.0", "4.40.0", "0.12.0", "b3000"};
    asked["engine_version"] = any::one_of("version", versions);
  }
  if (any::coin("offloads")) asked["offload"] = "weights";
  if (any::coin("a share")) asked["mem_utilization"] = format("{}", any::number("share", 0.3, 1));
  if (any::coin("cached prompts")) asked["prefix_cache_hit"] = format("{}", any::number("hit", 0.01, 1));
  const std::string how = any::one_of("mode", {"as usual", "throughput", "online", "single-stream", "ttft"});
  if (how == "ttft")
    asked["ttft"] = "1000";
  else if (how != "as usual")
    asked["mode"] = how;
  if (how == "single-stream") asked.erase("concurrency");
  auto work = test::job_of(asked);
  any::leave_gaps(work);
  auto plan = any::serving_plan(work);
  if (work.model->is_moe() && any::coin("experts over replicas")) plan.ep = plan.tp * plan.dp;
  Machine machine = any::machine(plan.tp * plan.pp * plan.dp);
  any::leave_gaps(machine);
  return {std::move(work), plan, machine};
}

/// A small model that drafts for another.
void add_draft(workload::Workload& work) {
  const std::string small = any::one_of("draft", {"llama-3.2-1b", "qwen2.5-0.5b", "gemma-2b"});
  workload::Draft draft;
  draft.model = &test::model(small);
  draft.parameters = *catalog::parameters_of(*draft.model);
  draft.tokens = any::whole("drafted", 1, 8);
  draft.acceptance_rate = any::number("acceptance", 0.05, 1);
  work.inference.draft = draft;
}

}  // namespace

TEST_CASE("serving memory is what docs/method.md says", "[property]") {
  agrees("section 6", [] {
    auto [work, plan, machine] = any_case();
    if (work.model->is_generator() && any::coin("drafts")) add_draft(work);
    const InferenceMemory is = inference_memory(work, machine, plan, test::coefficients());
    const Service page(work, plan, machine);
    must_be_near(stored_weights(work, *plan.weights).raw(), page.stored(), "stored weights");
    must_be_near(is.per_gpu.weights.raw(), page.weights(), "weights");
    must_be_near(is.per_gpu.workspace.raw(), page.workspace(), "workspace");
    must_be_near(is.per_gpu.framework.raw(), page.framework(), "framework");
    must_be_near(is.pool.raw(), page.pool(), "pool");
    must_be_near(is.sequences, page.most(), "sequences at once");
    const double in = page.in(), out = page.out();
    must_be_near(kv_bytes(*work.model, {in, out}, plan).raw(), page.cache(in, out), "cache of a request");
    const double taken = page.weights() + page.workspace() + page.framework();
    if (page.encodes()) {
      const double fits = std::floor((page.pool() - taken) / page.activations(1));
      const double rows =
          std::max(1.0, std::min({page.job.concurrency ? page.asked() : page.most(), page.most(), fits}));
      must_be_near(is.per_gpu.activations.raw(), page.activations(rows), "activations");
      must_be_near(is.max_concurrency, std::max(0.0, fits) * plan.dp, "requests that fit");
      must_be_near(is.concurrency, page.job.concurrency ? static_cast<double>(*page.job.concurrency) : rows * plan.dp,
                   "requests in flight");
      return;
    }
    const double each = page.cache_with_draft(in, out);
    double rows = std::max(1.0, std::min(page.job.concurrency ? page.asked() : page.most(), page.most()));
    const auto room = [&] { return page.pool() - taken - page.activations(rows); };
    test::given(page.cache(in, out) > 0);
    // An engine told to decode fewer sequences together needs smaller buffers: halve until one fits.
    while (!page.job.concurrency && rows > 1 && std::floor(room() / each) < 1) rows = std::floor(rows / 2);
    must_be_near(is.per_gpu.activations.raw(), page.activations(rows), "activations");
    const double fits = std::max(0.0, std::min(1e7, std::floor(room() / each)));
    must_be_near(is.max_concurrency, fits * plan.dp, "requests that fit");
    const double grown = page.cache(in, out * page.of(page.c.reserved_output));
    const double at_once = std::max(std::floor(room() / each), std::min(1e7, std::floor(room() / grown)));
    must_be_near(is.steady_concurrency, at_once * plan.dp, "requests at once");
    const double in_flight = std::max(1.0, std::min(rows, at_once));
    must_be_near(is.concurrency,
                 page.job.concurrency ? static_cast<double>(*page.job.concurrency) : in_flight * plan.dp,
                 "requests in flight");
    const double held = page.job.concurrency ? std::min(page.asked(), page.most()) : in_flight;
    must_be_near(is.per_gpu.kv_cache.raw(), each * std::max(1.0, std::min(held, std::max(1.0, fits))), "cache");
    const double per_token = page.cache(0, 65536) / 65536;
    must_be_near(is.kv_tokens, per_token > 0 ? std::max(0.0, room() / per_token) : 0, "tokens");
  });
}

TEST_CASE("the longest context is the last that has room", "[property]") {
  agrees("longest context", [] {
    const auto [work, plan, machine] = any_case();
    test::given(work.model->is_generator() && !work.inference.draft);
    const InferenceMemory is = inference_memory(work, machine, plan, test::coefficients());
    test::given(is.longest_context < 1e9);  // of a cache that grows
    const Service page(work, plan, machine);
    const double read = page.crosses_stacks() ? page.in() : 0;
    const auto& held = is.per_gpu;
    const double room = is.pool.raw() - (held.weights + held.workspace + held.framework + held.activations).raw();
    // Caches are allotted in blocks of 16 tokens.
    must(is.longest_context < 16 || page.cache(read, is.longest_context - 16) <= room, "it does not fit");
    must(page.cache(read, is.longest_context + 17) >= room, "longer ones fit");
  });
}

TEST_CASE("serving speed is what docs/method.md says", "[property]") {
  agrees("section 7", [] {
    auto [work, plan, machine] = any_case();
    const bool drafts = work.model->is_generator() && any::coin("drafts");
    if (drafts) add_draft(work);
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
    const auto is = inference_speed(work, machine, plan, memory, test::coefficients());
    test::given(is.has_value());
    const Service page(work, plan, machine);
    workload::Workload small = work;
    InferencePlan small_plan = plan;
    if (drafts) {
      small.model = work.inference.draft->model;
      small.parameters = work.inference.draft->parameters;
      small_plan.weights = *weight_format("fp16");
      small_plan.tp = static_cast<int>(page.draft_ranks());
      small_plan.pp = small_plan.ep = 1;
    }
    const Service drafting(small, small_plan, machine);
    const Flow flow(page, drafts ? &drafting : nullptr);
    const double replicas = std::clamp(memory.concurrency, 1.0, static_cast<double>(plan.dp));
    const double room = std::max(1.0, std::min(memory.steady_concurrency / replicas, memory.sequences));
    const double B = std::max(1.0, std::min(memory.concurrency / replicas, room));
    const auto at = flow.at(B);
    const double waiting = work.inference.concurrency ? std::max(0.0, memory.concurrency / replicas - B) : 0;
    must_be_near(is->in_flight, B * replicas, "requests in flight");
    must_be_near(is->requests_per_s, at.requests_per_s * replicas, "requests per second");
    must_be_near(is->itl.raw(), at.itl, "time between tokens");
    must_be_near(is->ttft.raw(), at.ttft + waiting / at.requests_per_s, "time to the first token");
    must_be_near(is->e2e.raw(), at.e2e + waiting / at.requests_per_s, "time of a request");
    must(is->weights_native == !page.widened(), "widened");
    const auto parts = page.parts(B / page.pipelining(), page.in(), page.out() / 2, 1);
    const double prompts = page.prefill(flow.fresh(), 1, flow.cached()) * B;
    const bool reads = page.encodes() || prompts > parts.total() * std::max(1.0, page.out());
    must(is->bound_by == (reads ? "compute" : waiting > 0.5 ? "kv-cache" : parts.bound_by()), "bound by another");
    if (work.model->is_generator() && !drafts)
      must_be_near(decode_step(work, machine, plan, B, page.in(), test::coefficients()).raw(),
                   page.step(B, page.in(), 0, 1), "a step");
  });
}

TEST_CASE("a service under a request rate is what docs/method.md says", "[property]") {
  agrees("request rate", [] {
    auto [work, plan, machine] = any_case();
    test::given(work.inference.mode != Mode::single_stream);
    work.inference.concurrency.reset();
    const double rate = any::number("rate", 0.001, 100);
    work.inference.request_rate = rate;
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
    const auto is = inference_speed(work, machine, plan, memory, test::coefficients());
    const Service page(work, plan, machine);
    const Flow flow(page);
    test::given(compute_rate(*plan.weights, machine.device).has_value());
    const double room = std::max(1.0, std::min(memory.steady_concurrency / plan.dp, memory.sequences));
    const double most = flow.at(room).requests_per_s * plan.dp;
    must(is.has_value() == (rate <= most), format("{} per second of {}", rate, most));
    if (!is) return;
    must_be_near(is->requests_per_s, rate, "requests per second");
    const double B = is->in_flight / plan.dp;
    const auto at = flow.at(B);
    // Arrivals and departures balance, to the hundredth at which the search for it ends.
    const double balanced = std::clamp(rate / plan.dp * at.e2e, 1.0, room);
    must(std::abs(balanced - B) <= 0.0101 * B || at.e2e > 0.98 * B * plan.dp / rate,
         format("{} of {} in flight", B, balanced));
    const double u = std::min(0.99, rate / most);
    const auto percentile = [&](double q) { return at.ttft * (1 + u / (2 * (1 - u)) * -std::log(1 - q)); };
    must_be_near(is->ttft.raw(), percentile(0.5), "median of the time to the first token");
    must_be_near(is->itl.raw(), at.itl, "time between tokens");
    must_be_near(is->e2e.raw(), percentile(0.5) + at.itl * flow.steps(), "time of a request");
    const auto& p = *is->percentiles;
    must_be_near(p.ttft_p95.raw(), percentile(0.95), "TTFT p95");
    must_be_near(p.ttft_p99.raw(), percentile(0.99), "TTFT p99");
    must_be_near(p.itl_p95.raw(), at.itl * (1 + u / 2), "ITL p95");
    must_be_near(p.itl_p99.raw(), at.itl * (1 + u), "ITL p99");
    must_be_near(p.e2e_p95.raw(), percentile(0.95) + at.itl * (1 + u / 2) * flow.steps(), "E2E p95");
    must_be_near(p.e2e_p99.raw(), percentile(0.99) + at.itl * (1 + u) * flow.steps(), "E2E p99");
  });
}

TEST_CASE("prompts and answers apart are what docs/method.md says", "[property]") {
  agrees("prompts apart", [] {
    auto [work, plan, machine] = any_case();
    test::given(work.model->is_generator() && plan.dp > 1 && work.inference.mode != Mode::single_stream);
    work.inference.concurrency.reset();
    work.inference.disaggregated_prefill = true;
    const bool at_rate = any::coin("at a rate");
    if (at_rate) work.inference.request_rate = any::number("rate", 0.001, 20);
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
    const auto is = inference_speed(work, machine, plan, memory, test::coefficients());
    test::given(compute_rate(*plan.weights, machine.device).has_value());
    const Service page(work, plan, machine);
    const Flow flow(page);
    const double room = std::max(1.0, std::min(memory.steady_concurrency / plan.dp, memory.sequences));
    const auto reads = [&](double readers) { return readers / std::max(flow.share(room), 1e-9); };
    const auto answers = [&](double readers, double B) {
      return (plan.dp - readers) * B / (flow.step(B) * std::max(1.0, page.out()));
    };
    const auto held = [&](double readers) {
      return at_rate ? room : std::max(1.0, std::min(room, memory.concurrency / (plan.dp - readers)));
    };
    double best = 0;
    for (int readers = 1; readers < plan.dp; ++readers)
      best = std::max(best, std::min(reads(readers), answers(readers, held(readers))));
    if (at_rate) must(is.has_value() == (best >= *work.inference.request_rate), "more than is served");
    if (!is) return;
    const double readers = is->prefill_replicas;
    must(readers >= 1 && readers < plan.dp, "nobody reads or nobody answers");
    const double B = is->in_flight / (plan.dp - readers);
    const double wanted = at_rate ? *work.inference.request_rate : best;
    must_be_near(is->requests_per_s, wanted, "requests per second");
    // No more in flight than keeps up, to the half request at which the search for it ends.
    must(answers(readers, B) >= wanted * (1 - 1e-9) || B == 1, "they do not keep up");
    must(B <= 1.5 || answers(readers, B - 0.5) <= wanted * (1 + 1e-9) || B == held(readers),
         "more are in flight than need be");
    const bool far = plan.tp * plan.pp >= machine.gpus_per_node;
    const Link with = link(machine, std::min(machine.gpus_per_node, 2), far);
    const double handover = page.cache(page.in(), 0) / with.rate + with.latency;
    const double first = flow.at(B).ttft + handover + flow.step(B);
    const double itl = page.out() > 1 ? flow.step(B) : 0;
    must_be_near(is->itl.raw(), itl, "time between tokens");
    const double u = at_rate ? std::min(0.99, wanted / std::min(reads(readers), answers(readers, room))) : 0;
    const double waits = 1 + u / (2 * (1 - u)) * std::log(2);
    must_be_near(is->ttft.raw(), first * waits, "time to the first token");
    must_be_near(is->e2e.raw(), first * waits + itl * flow.steps(), "time of a request");
  });
}
