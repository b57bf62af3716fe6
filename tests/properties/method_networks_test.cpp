// Networks that are not counted in tokens, as docs/method.md writes them: those that read samples, speech,
// recommendation, images and videos, on GPUs and on processors.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "estimate/counted/coefficients.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/estimate/formats.hpp"
#include "support/page.hpp"

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using catalog::ModelKind;
using test::must;
using test::must_be_near;
using workload::Checkpointing;
using workload::Engine;
using workload::Offload;
using workload::Precision;
namespace any = test::any;

namespace {

/// What all these networks have in common.
class Network {
 public:
  Network(const workload::Workload& of, const CountedPlan& with, const Machine& on)
      : work(of), plan(with), machine(on), m(*of.model) {}

  bool trains() const { return workload::is_training(work.task); }
  bool on_cpu() const { return machine.on_cpu(); }
  double b() const { return static_cast<double>(plan.batch); }
  double n() const { return on_cpu() ? machine.nodes : machine.gpus(); }
  double P() const { return m.params_b.value_or(0) * 1e9; }
  double L() const { return m.layers.value_or(0); }
  double h() const { return m.hidden_size.value_or(0); }
  const catalog::Gpu& gpu() const { return *machine.device.gpu; }
  std::string_view engine() const { return trains() ? "training" : to_text(work.counted->engine); }
  double wide(Precision precision) const {
    switch (precision) {
      case Precision::fp64: return 8;
      case Precision::fp32:
      case Precision::tf32: return 4;
      case Precision::fp8:
      case Precision::int8: return 1;
      case Precision::nvfp4: return 0.5;
      default: return 2;
    }
  }
  double value() const { return wide(plan.precision); }
  bool again() const { return plan.checkpointing == Checkpointing::full; }
  double peak(Precision precision) const {
    const auto rate = machine.device.peak(precision);
    return rate ? rate->raw() : 0;
  }
  double BW() const { return machine.device.bandwidth.raw(); }
  double stream() const { return BW() * c.bandwidth_efficiency.value; }
  double states() const {
    switch (work.training.optimizer) {
      case workload::Optimizer::adamw: return 8;
      case workload::Optimizer::sgd: return 4;
      case workload::Optimizer::adafactor: return 0.02;
      default: return 2.06;  // adamw8bit
    }
  }
  double context_memory() const { return c.context_gib.value * kGiB; }
  double collectives() const { return n() > 1 ? c.collectives_gib.of("training") * kGiB : 0; }
  /// As for speech: dense peak · gemm · eager · format, at most 0.9 of the peak.
  double product_rate(bool fused) const {
    const Precision done = machine.device.done_in(plan.precision);
    const double format =
        done == Precision::int8 ? c.low_precision_efficiency.value : c.format_efficiency.of(to_text(done));
    const double eager = fused ? 1 : c.eager_efficiency.of(gpu().architecture);
    return peak(plan.precision) * std::min(0.9, c.gemm_efficiency.of(gpu().architecture) * format * eager);
  }
  /// An all-reduce of so many bytes beside so much other work.
  double reduced(double each, double beside) const {
    if (n() <= 1) return 0;
    const Link with = link(machine, machine.gpus_per_node, machine.nodes > 1);
    const double all = 2 * ring(n()) * each / with.rate + with.latency;
    return std::max(all - c.gradient_overlap.value * beside, c.least_exposed.value * all);
  }
  /// Products and bytes at what a processor does of them.
  double on_processor(double flops, double moved) const {
    const Host& host = machine.host;
    const double cores = host.vcpus / std::max(1.0, host.threads_per_core);
    const auto& cpu = *host.cpu;
    const catalog::Number own = plan.precision == Precision::bf16   ? cpu.bf16_flops_per_cycle
                                : plan.precision == Precision::fp16 ? cpu.fp16_flops_per_cycle
                                : plan.precision == Precision::int8 ? cpu.int8_ops_per_cycle
                                                                    : cpu.fp32_flops_per_cycle;
    const double per_cycle = std::max(own.value_or(0), cpu.fp32_flops_per_cycle.value_or(0));
    const double rate = cores * host.ghz * 1e9 * per_cycle;
    const double memory = *cpu.memory_channels * *cpu.memory_mts * 1e6 * 8 * cores / *cpu.cores_per_socket;
    return flops / (rate * more.cpu.matrix_efficiency.of(to_text(work.counted->engine))) +
           moved / (memory * more.cpu.bandwidth_efficiency.value);
  }

  const workload::Workload& work;
  const CountedPlan& plan;
  const Machine& machine;
  const catalog::Model& m;
  const Coefficients& c = test::coefficients();
  const CountedCoefficients& more = *test::coefficients().counted;
};

struct Drawn {
  workload::Workload work;
  CountedPlan plan;
  Machine machine;
};

std::string any_model(std::initializer_list<ModelKind> kinds) {
  std::vector<std::string> found;
  for (const catalog::Model& model : test::shipped().models())
    if (model.kind && std::ranges::find(kinds, *model.kind) != kinds.end()) found.emplace_back(model.id);
  return any::one_of("model", found);
}

Drawn finish(const test::Asked& asked) {
  auto work = test::job_of(asked);
  test::given(work.counted.has_value());
  any::leave_gaps(work);
  Machine machine = any::counting_machine();
  any::leave_gaps(machine);
  CountedPlan plan;
  plan.batch = any::size("batch", 1, 512);
  const std::vector<std::string> formats{"fp16", "bf16", "fp32", "tf32", "fp8", "int8"};
  plan.precision = *from_text<Precision>(any::one_of("arithmetic", formats));
  if (any::coin("recomputes")) plan.checkpointing = Checkpointing::full;
  return {std::move(work), plan, machine};
}

CountedFigures figures(const Drawn& of) { return counted_figures(of.work, of.machine, of.plan, test::coefficients()); }

void must_have(const MemoryBreakdown& is, const MemoryBreakdown& page) {
  must_be_near(is.weights.raw(), page.weights.raw(), "weights");
  must_be_near(is.gradients.raw(), page.gradients.raw(), "gradients");
  must_be_near(is.optimizer.raw(), page.optimizer.raw(), "optimiser");
  must_be_near(is.activations.raw(), page.activations.raw(), "activations");
  must_be_near(is.kv_cache.raw(), page.kv_cache.raw(), "cache");
  must_be_near(is.workspace.raw(), page.workspace.raw(), "workspace");
  must_be_near(is.framework.raw(), page.framework.raw(), "framework");
}

/// Networks that read samples.
class Samples : public Network {
 public:
  Samples(const Drawn& of, const workload::SampleJob& with) : Network(of.work, of.plan, of.machine), job(with) {
    const auto& s = more.samples;
    const double r = growth();
    const double stated =
        1e6 * m.activations_m.value_or(m.gflops_per_sample.value_or(0) * s.usual_activations.of(kind()));
    F = m.gflops_per_sample.value_or(0) * 1e9 * r;
    A = stated * r;
    if (!m.layers || !m.hidden_size || !m.ffn_size || m.kind == ModelKind::cnn || m.kind == ModelKind::sequence) return;
    const double f = *m.ffn_size;
    const double W = L() * h() * (4 * h() + (m.gated_ffn.value_or(true) ? 3 : 2) * f);
    const auto flops = [&](double T) { return 2 * W * T + 4 * L() * h() * T * T; };
    const auto scored = [&](double T) { return L() * m.heads.value_or(0) * T * T; };
    double T = static_cast<double>(job.seq_len);
    if (m.kind != ModelKind::encoder) {
      double low = 0, high = 1e9;  // T at the default input from F
      for (int i = 0; i < 200; ++i)
        (flops((low + high) / 2) < m.gflops_per_sample.value_or(0) * 1e9 ? low : high) = (low + high) / 2;
      T = high * r;
      A = r * std::max(0.2 * stated, stated - scored(high));
    } else {
      A = L() * T * (6 * h() + f);
    }
    F = flops(T);
    scores = scored(T);
  }

  std::string_view kind() const { return to_text(*m.kind); }
  double growth() const {
    const std::string_view first = m.default_input.substr(0, m.default_input.find_first_of(" ,"));
    if (job.seq_len > 0) {
      const double usual = plain_number(first).value_or(0);
      return usual > 0 ? static_cast<double>(job.seq_len) / usual : 1;
    }
    std::optional<workload::Resolution> usual;
    if (!workload::assign(first, usual) || job.resolution.pixels() <= 0) return 1;
    return job.resolution.pixels() / usual->pixels();
  }
  bool keeps_scores() const { return !work.training.flash_attention.value_or(true); }

  MemoryBreakdown memory() const {
    const auto& s = more.samples;
    MemoryBreakdown out;
    out.framework = bytes(context_memory());
    if (on_cpu()) {
      out.weights = bytes(P() * value());
      out.activations = bytes(A * b() * value() * (trains() ? s.saved_copies.value : more.cpu.live_share.value));
      if (trains()) out.gradients = bytes(4 * P());
      if (trains()) out.optimizer = bytes(8 * P());
      return out;
    }
    out.workspace = gib(s.workspace_gib.of(engine()));
    if (!trains()) {
      out.weights = bytes(P() * value());
      out.activations = bytes(b() * A * value() * s.live_share.of(kind()));
      return out;
    }
    out.weights = out.gradients = bytes(4 * P());
    out.optimizer = bytes(states() * P() * (work.training.offload == Offload::none ? 1 : 0.1));
    const double saved = A * s.saved_copies.of(kind()) + (keeps_scores() ? 2 * scores : 0);
    out.activations = bytes(b() * value() * saved * (again() ? s.recomputed_share.value : 1));
    out.framework += bytes(collectives());
    return out;
  }

  Precision done() const {
    const Precision precision = machine.device.done_in(plan.precision);
    return precision == Precision::int8 && peak(Precision::fp16) > peak(Precision::int8) ? Precision::fp16 : precision;
  }
  double share() const {
    const auto& s = more.samples;
    double out = (trains() ? s.training_reach : s.reach).of(gpu().compute_capability);
    const double usual = c.watts_per_tflops.of(gpu().architecture);
    const double narrow = wide(done()) == 1 ? gpu().int8_dense_tops.value_or(0) / 2 : 0;
    const double tflops = std::max(gpu().fp16_dense_tflops.value_or(0), narrow);
    if (usual > 0 && tflops > 0 && gpu().tdp_w)
      out *= std::pow(*gpu().tdp_w / tflops / usual, s.power_exponent.of(engine()));
    out *= s.arithmetic_gain.of(to_text(done()), kind());
    return done() == Precision::fp32 ? out : std::min(0.95, out);
  }
  double step() const {
    const auto& s = more.samples;
    if (on_cpu()) {
      const double passes = trains() ? 3 : 1;
      return on_processor(passes * F * b(), passes * (2 * A * b() + P()) * value());
    }
    const double passes = trains() ? 3 : 1;
    const bool repeats = trains() && again();
    const double put_out = A * b() * (repeats ? 4.0 / 3 : 1);
    const double products = F * b() * (passes + (repeats ? 1 : 0)) / (peak(done()) * share());
    const double moved = put_out * s.copies.of(engine(), kind()) * s.cached.of(engine(), gpu().compute_capability) +
                         (keeps_scores() ? 2 * scores * b() * passes : 0);
    const double traffic = moved * value() / stream();
    const double units = gpu().tensor_cores.value_or(0) / (gpu().capability && *gpu().capability < 8 ? 8 : 4);
    const double ghz = gpu().clock_mhz                    ? *gpu().clock_mhz / 1000
                       : gpu().cuda_cores.value_or(0) > 0 ? gpu().fp32_tflops.value_or(0) * 1000 / 2 / *gpu().cuda_cores
                                                          : 0;
    const double ticks = units * ghz * 1e9 * machine.device.share;
    const double arithmetic = ticks > 0 ? put_out * s.clocks.of(engine(), kind()) / ticks : 0;
    const double weights = P() * (trains() ? 3 * value() + 28 : value()) / stream();
    const double layers = m.layers.value_or(s.usual_layers.of(kind())) * s.launches.of(kind());
    const double launch = layers * passes * s.layer_us.of(engine()) * 1e-6;
    const double links = trains() ? reduced(4 * P(), products + traffic + arithmetic) : 0;
    const double on_gpu = products + traffic + arithmetic + weights;
    bound = links > on_gpu                              ? "link"
            : launch > on_gpu                           ? "launch"
            : products > traffic + arithmetic + weights ? "compute"
                                                        : "memory-bandwidth";
    return std::max(on_gpu, launch) + s.host_exposed.of(engine()) * std::min(on_gpu, launch) + links;
  }
  double rate() const {
    if (on_cpu()) return n() * b() / step();
    const auto& s = more.samples;
    const std::string_view unit = work.counted->unit.rate;
    double out = n() * b() / step();
    if (unit == "tokens/s" || unit == "audio-samples/s") out *= static_cast<double>(job.seq_len);
    if (trains()) return out * std::pow(1 - s.doubling_loss.value, std::log2(n()));
    return work.counted->mode == workload::Mode::online ? out * s.online_share.value : out;
  }

  const workload::SampleJob& job;
  mutable std::string_view bound;  // of the step that was worked out last
  double F = 0, A = 0, scores = 0;
};

class Speech : public Network {
 public:
  Speech(const Drawn& of, const workload::SpeechJob& with) : Network(of.work, of.plan, of.machine), job(with) {}

  double w() const { return job.window_s; }
  double s() const {
    return job.output_tokens > 0 ? static_cast<double>(job.output_tokens) : m.decoder_steps_per_s.value_or(0) * w();
  }
  double F() const { return m.encoder_gflops.value_or(0) * 1e9; }
  double D() const { return m.decoder_gflops_per_token.value_or(0) * 1e9; }
  double p() const { return m.decoder_params_b.value_or(0) * 1e9; }
  double l() const { return s() > 0 ? m.decoder_layers.value_or(0) : 0; }
  double positions() const { return m.frames_per_s.value_or(0) * w(); }
  bool speaks() const { return m.speech_synthesis.value_or(false); }
  bool attends() const { return l() > 0 && (m.cross_layers || (m.heads && speaks())); }
  bool half() const { return value() <= 2; }
  /// fp32 weights that are cast for every use.
  bool casts() const {
    const Engine engine = work.counted->engine;
    return (engine == Engine::pytorch || engine == Engine::torch_compile) && !work.counted->precision && half();
  }
  double cache() const {
    if (!attends()) return 0;
    const double read = m.cross_layers ? m.cross_tokens.value_or(positions()) : 0;
    return 2 * h() * l() * (read + s()) * 2;
  }
  double hidden() const { return positions() * h() * L(); }
  double traffic() const {
    return m.activations_m ? *m.activations_m * 1e6 * more.speech.value_bytes.of(engine())
                           : hidden() * more.speech.hidden_bytes.of(engine());
  }
  double widest() const {
    const double columns = positions() * std::max(m.ffn_size.value_or(0), 4 * h());
    return 2 * std::max(2.0, value()) * std::max(m.widest_elements_per_s.value_or(0) * w(), columns);
  }
  bool lora() const { return work.training.method == workload::Method::lora; }
  double trained() const { return lora() ? 8 * h() * static_cast<double>(work.training.lora_rank) * (L() + l()) : P(); }
  double kept() const {
    if (m.activations_m) return *m.activations_m * 1e6 * more.speech.kept_share.value * std::max(2.0, value());
    const double decoder = attends() ? 1.5 * h() * l() * s() : 0;
    return (hidden() + decoder) * (again() ? 1 : 17) * std::max(2.0, value());
  }
  MemoryBreakdown memory() const {
    const auto& of = more.speech;
    MemoryBreakdown out;
    out.framework = bytes(context_memory());
    if (on_cpu() || !trains()) {
      const double each = on_cpu() || !casts() ? value() : 4;
      out.weights = bytes(P() * each);
      out.kv_cache = bytes(b() * cache());
      out.activations = bytes(b() * widest());
      if (on_cpu()) return out;
      out.workspace =
          gib(of.workspace_gib.of(engine())) + out.weights * of.workspace_share.of(engine(), casts() ? "wide" : "");
      return out;
    }
    out.weights = bytes(P() * (!half() ? 4 : lora() ? 2 : 6));
    out.gradients = bytes(4 * trained());
    out.optimizer = bytes(states() * trained());
    out.activations = bytes(b() * kept());
    out.workspace = gib(of.workspace_gib.of(engine())) + bytes(b() * widest());
    out.framework += bytes(collectives());
    return out;
  }
  double time() const {
    const auto& of = more.speech;
    const double others = std::max(0.0, P() - p());
    if (on_cpu())
      return on_processor(b() * (F() + s() * D()),
                          b() * traffic() + others * value() + s() * (p() * value() + b() * cache()));
    const double rate = product_rate(work.counted->engine == Engine::ctranslate2 && !trains());
    const bool padded = m.cross_tokens.has_value();
    const double host = of.host_ms_per_s.of(engine(), padded ? "windows" : "") * 1e-3 * b() * w();
    if (!trains()) {
      const double each = casts() ? 2 : value();
      return largest({b() * (F() + s() * D()) / rate,
                      (b() * traffic() + others * each + s() * (p() * each + b() * cache())) / stream(),
                      (L() * of.layer_us.of(engine()) + s() * l() * of.step_layer_us.of(engine())) * 1e-6 +
                          of.call_ms.of(engine()) * 1e-3,
                      host, 0});
    }
    const double repeats = again() ? 1 : 0;
    const double products = b() * ((lora() ? 2 : 3) + repeats) * (F() + s() * D()) / rate;
    const double memory = (b() * traffic() + 30 * trained()) / stream();
    const double in_turn = speaks() && !attends() ? s() : 1;
    const double launch =
        (L() * of.layer_us.of(engine()) + in_turn * l() * of.step_layer_us.of(engine())) * 1e-6 * (3 + repeats) +
        c.step_ms.value * 1e-3;
    return largest({products, memory, launch, host, reduced(4 * trained(), products + memory)});
  }
  /// The sum, and what it is bound by.
  double largest(std::array<double, 5> parts) const {
    static constexpr std::string_view kNames[] = {"compute", "memory-bandwidth", "launch", "host", "link"};
    bound = kNames[std::ranges::max_element(parts) - parts.begin()];
    return parts[0] + parts[1] + parts[2] + parts[3] + parts[4];
  }

  const workload::SpeechJob& job;
  mutable std::string_view bound;  // of the time that was worked out last
};

class Recommends : public Network {
 public:
  Recommends(const Drawn& of, const workload::RecommenderJob& with)
      : Network(of.work, of.plan, of.machine), job(with) {}

  bool half() const { return value() <= 2; }
  double published() const { return m.embedding_params_b.value_or(0) * 1e9; }
  double stored() const { return trains() ? 4 : value(); }
  double E() const { return job.table_gib ? *job.table_gib * kGiB / stored() : published(); }
  double o() const { return job.state_values; }
  double tables() const { return E() * stored() * (trains() ? 1 + o() : 1); }
  double dense() const { return std::max(0.0, P() - published()); }
  double rows() const { return m.lookups_per_sample.value_or(0) * m.embedding_dim.value_or(0); }
  double pooled() const { return m.embedding_tables.value_or(0) * m.embedding_dim.value_or(0); }
  double values() const {
    return b() * m.activation_elements.value_or(0) * (half() ? 2 : 4) * more.recommender.kept_copies.of(engine());
  }
  double workspace() const { return more.recommender.workspace_gib.of(trains() ? "training" : "inference") * kGiB; }
  double usable() const { return machine.device.usable.raw(); }
  double room() const {
    return 0.9 * usable() - dense() * (trains() ? 4 : stored()) - values() - workspace() - context_memory();
  }
  bool nvlink() const { return link_case(machine.link) != "pcie"; }
  double imbalance() const { return more.recommender.imbalance.value / n(); }

  bool in_host() const {
    if (plan.offload != Offload::none) return true;
    return !trains() && tables() > room() && !(n() > 1 && nvlink() && tables() * imbalance() <= room());
  }
  bool divided() const {
    if (in_host()) return false;
    return trains() ? n() > 1 && tables() > usable() * more.recommender.replicated.value : tables() > room();
  }
  double on_gpu() const {
    const double least = more.recommender.cached_share.value;
    return !in_host() ? 1 : trains() ? least : std::clamp(room() / tables(), least, 1.0);
  }
  double found() const { return !in_host() ? 1 : trains() ? 0 : std::pow(on_gpu(), more.recommender.skew.value); }

  MemoryBreakdown memory() const {
    MemoryBreakdown out;
    out.framework = bytes(context_memory());
    if (on_cpu()) {
      out.weights = bytes(E() * stored() + dense() * value());
      return out;
    }
    const double here = tables() * (divided() ? imbalance() : on_gpu());
    const double of_state = trains() ? o() / (1 + o()) : 0;
    out.weights = bytes(here * (1 - of_state) + dense() * (trains() ? 4 : stored()));
    if (trains()) out.gradients = bytes(4 * dense());
    if (trains()) out.optimizer = bytes(here * of_state + 8 * dense());
    out.activations = bytes(values());
    out.workspace = bytes(workspace() + (divided() ? 2 * 4 * b() * pooled() : 0));
    if (divided() || (trains() && n() > 1)) out.framework += gib(c.collectives_gib.of("training"));
    return out;
  }
  double exchange_rate() const {
    const bool pairs = machine.link == catalog::NodeLink::nvlink_pairs && machine.gpus_per_node > 2;
    const bool over_pcie = pairs || !nvlink();
    double rate = (pairs ? pcie(gpu()) : machine.link_bandwidth.raw()) *
                  c.link_efficiency.of(over_pcie ? "pcie staged" : link_case(machine.link));
    const double network =
        machine.network.raw() * c.network_efficiency.of(machine.rdma ? "rdma" : "tcp") / machine.gpus_per_node;
    if (machine.nodes > 1) rate = machine.gpus_per_node > 1 ? std::min(rate, network) : network;
    return rate;
  }
  double step() const {
    const auto& of = more.recommender;
    const double F = m.gflops_per_sample.value_or(0) * 1e9;
    if (on_cpu()) return on_processor(F * b(), rows() * b() * stored() + dense() * value());
    const double times = trains() ? 2 : 1;
    const double products =
        b() * (trains() ? 3 : 1) * F / product_rate(work.counted->engine == Engine::tensorrt && !trains());
    const double each = trains() ? rows() * 4 * (of.row_accesses.value + 2 * o()) : rows() * stored();
    double read = b() * each / stream() * found();
    if (in_host())
      read += b() * rows() * stored() * times * (1 - found()) / (pcie(gpu()) * c.link_efficiency.of("pcie"));
    const double moved =
        b() * m.activation_elements.value_or(0) * of.value_bytes.of(engine(), half() ? "" : "wide") / stream();
    double sent = 0;
    if (divided())
      sent += times * (b() * pooled() * (half() ? 2 : 4) * ring(n()) / exchange_rate() +
                       link(machine, machine.gpus_per_node, machine.nodes > 1).latency);
    if (trains()) sent += reduced(4 * (dense() + (divided() || in_host() ? 0 : E())), 0);
    const double fixed = of.step_ms.of(engine()) * 1e-3;
    const double most = std::max({products, read + moved, sent, fixed});
    bound = most == products ? "compute" : most == read + moved ? "memory" : most == sent ? "link" : "launch";
    slower = (products + read + moved + sent + fixed) / (products + b() * each / stream() + moved + sent + fixed);
    return products + read + moved + sent + fixed;
  }
  mutable std::string_view bound;  // of the step that was worked out last
  mutable double slower = 1;       // than with all tables on the GPU

  const workload::RecommenderJob& job;
};

class Diffuses : public Network {
 public:
  Diffuses(const Drawn& drawn, const workload::DiffusionJob& with)
      : Network(drawn.work, drawn.plan, drawn.machine), job(with) {}

  double frames() const { return static_cast<double>(job.frames); }
  double pixels() const { return job.resolution.pixels(); }
  double default_frames() const { return m.default_frames.value_or(1); }
  double default_pixels() const { return *m.default_width * *m.default_height; }
  double latent(double all) const { return (all - 1) / m.frame_compression.value_or(1) + 1; }
  double scale() const { return pixels() / default_pixels() * latent(frames()) / latent(default_frames()); }
  double text() const { return m.joint_text.value_or(false) ? m.text_tokens.value_or(0) : 0; }
  double positions() const { return *m.image_tokens * scale() + text(); }
  double g() const { return positions() / (*m.image_tokens + text()); }
  double linear() const { return (*m.gflops_per_sample - m.attention_gflops.value_or(0)) * 1e9 * g(); }
  double attention() const { return m.attention_gflops.value_or(0) * 1e9 * g() * g(); }
  double values() const { return m.activations_m.value_or(0) * 1e6 * g(); }
  double all_scores() const { return attention() / (4 * m.head_dim.value_or(64)); }
  std::string_view kind() const { return m.denoiser.empty() ? "dit" : m.denoiser; }
  double scores() const { return all_scores() / (kind() == "unet" ? of.finest_layers.value : m.layers.value_or(1)); }
  double passes() const { return m.guidance_passes.value_or(1) * b(); }
  double channels() const { return m.vae_channels.value_or(0); }
  double decoding_flop() const {
    if (m.vae_decode_gflops)
      return *m.vae_decode_gflops * 1e9 * pixels() * frames() / (default_pixels() * default_frames());
    return of.decoder_flop.value * channels() * channels() * pixels() * frames() * (default_frames() > 1 ? 3 : 1);
  }
  double decoding_values() const { return of.decoder_values.value * channels() * pixels() * frames(); }
  /// Results of 8-bit products are 16 bit.
  double width() const { return plan.precision == Precision::fp32 || plan.precision == Precision::tf32 ? 4 : 2; }
  double decoder_width() const { return m.vae_dtype == "fp32" ? 4 : width(); }
  bool narrow() const { return plan.precision == Precision::fp8 || plan.precision == Precision::int8; }
  double stored() const {
    std::string name = work.inference.weights_precision;
    if (name.empty() && narrow()) name = to_text(plan.precision);
    return name.empty() ? width() : (*weight_format(name))->bits / 8;
  }
  double denoisers() const { return P() - (m.text_encoder_params_b.value_or(0) + m.vae_params_b.value_or(0)) * 1e9; }
  double denoiser() const { return std::min(denoisers(), m.active_params_b.value_or(1e9) * 1e9); }
  double text_weights() const { return m.text_encoder_params_b.value_or(0) * 1e9 * std::min(stored(), width()); }
  double vae_weights() const {
    return m.vae_params_b.value_or(0) * 1e9 * std::max(width(), m.vae_dtype == "fp32" ? 4.0 : 2.0);
  }
  double all_weights() const { return text_weights() + denoisers() * stored() + vae_weights(); }
  bool adapts() const { return workload::trains_adapter(work.training.method); }
  double trained() const {
    return adapts() ? static_cast<double>(work.training.lora_rank) * 8 * L() * h() : denoisers();
  }
  bool ahead() const { return plan.offload != Offload::none; }
  bool repeats() const { return plan.checkpointing != Checkpointing::none; }

  // Rates.
  Precision units(Precision precision) const {
    if (precision == Precision::fp32 || precision == Precision::tf32)
      return machine.device.native(Precision::tf32) ? Precision::tf32 : Precision::fp32;
    return narrow() && precision == plan.precision ? Precision::fp16 : precision;
  }
  Precision done() const { return machine.device.done_in(units(plan.precision)); }
  Precision decoded_in() const { return m.vae_dtype == "fp32" ? units(Precision::fp32) : done(); }
  double share(Precision precision, bool of_denoiser) const {
    const std::string_view engine = to_text(work.counted->engine);
    const bool cores = done() == Precision::fp32;
    const double full = !cores && is_consumer(gpu()) ? of.half_rate_gain.of(engine) : 1;
    const double gain = cores ? 1 : of.engine_gain.of(engine) * full * (of_denoiser ? of.denoiser_gain.of(kind()) : 1);
    double share = of.core_share.value;
    if (precision != Precision::fp32) {
      const bool known = gpu().tdp_w && gpu().fp16_dense_tflops.value_or(0) > 0;
      share = of.efficiency.of(gpu().architecture) *
              (known ? std::pow(*gpu().tdp_w / *gpu().fp16_dense_tflops, of.power_exponent.value) : 1);
    }
    return std::min(cores ? of.core_share.value : of.peak_share.value * full, share * gain);
  }
  double reached() const { return peak(done()) * share(done(), true); }
  double decoder_rate() const { return peak(decoded_in()) * share(decoded_in(), false); }
  bool has_rate() const { return peak(done()) > 0 && peak(decoded_in()) > 0; }
  double low_gain() const {
    const bool faster = narrow() && peak(plan.precision) > peak(done());
    return faster ? of.low_precision_gain.of(to_text(work.counted->engine)) : 1;
  }
  double one_pass() const { return (linear() / low_gain() + attention() / of.attention_gain.of(kind())) / reached(); }
  double moved(double what, double each) const {
    return 2 * what * each * of.traffic.of(to_text(work.counted->engine)) / BW();
  }
  double launched() const { return L() * of.layer_us.of(to_text(work.counted->engine)) * 1e-6; }

  // Generation.
  double step_traffic() const {
    const double kept = job.fused_attention ? 0 : of.score_traffic.value * all_scores() * passes() * width() / BW();
    return moved(values() * passes(), width()) + kept + denoiser() * stored() / BW();
  }
  double step() const {
    const double kept = job.fused_attention ? 0 : of.score_traffic.value * all_scores() * passes() * width() / BW();
    const double busy =
        one_pass() * passes() + moved(values() * passes(), width()) + kept + denoiser() * stored() / BW();
    return std::pow(std::pow(busy, 4) + std::pow(launched(), 4), 0.25);
  }
  double decode() const {
    return decoding_flop() * b() / decoder_rate() + moved(decoding_values() * b(), decoder_width());
  }
  double latency() const {
    const auto steps = static_cast<double>(job.steps);
    if (on_cpu()) {
      const double all = passes() * steps;
      return on_processor(
          (linear() + attention()) * all + decoding_flop() * b(),
          2 * values() * all * width() + 2 * decoding_values() * b() * width() + denoiser() * stored() * steps);
    }
    if (trains()) return training_step();
    const double prompt =
        2 * m.text_encoder_params_b.value_or(0) * 1e9 * m.text_tokens.value_or(0) * passes() / reached() +
        text_weights() / BW();
    return steps * step() + prompt + decode() + (ahead() ? all_weights() / (of.offload_gbs.value * 1e9) : 0);
  }
  double times() const { return (adapts() ? 2 : 3) + (repeats() ? 1 : 0); }
  /// All passes of a training step.
  double passed() const {
    const double busy =
        (one_pass() * times() * b() + moved(values() * times() * b(), width())) / of.training_share.value;
    const double pass = std::max(busy, times() * launched());
    if (ahead()) return pass;
    const double text_work = 2 * m.text_encoder_params_b.value_or(0) * 1e9 * m.text_tokens.value_or(0) * b();
    return pass + text_work / reached() + decoding_flop() / 2 * b() / decoder_rate();
  }
  double talk() const { return reduced(4 * trained(), passed()); }
  double training_step() const { return passed() + trained() * (3 * 4 + 2 * states()) / BW() + talk(); }

  MemoryBreakdown memory() const {
    MemoryBreakdown out;
    out.framework = bytes(context_memory());
    const double held =
        of.denoiser_held.of(kind()) * positions() * h() + (job.fused_attention ? 0 : of.score_copies.value * scores());
    const double pass = held * width() * passes();
    const double at_once = pixels() * std::min(frames(), m.vae_chunk_frames.value_or(frames()));
    const double together = b() < of.sliced_batch.value ? b() : 1;
    const double decoded = of.decoder_held.value * channels() * at_once * decoder_width() * together;
    if (on_cpu()) {
      out.weights = bytes(all_weights());
      out.activations = bytes(values() * passes() * width() * more.cpu.live_share.value);
    } else if (trains()) {
      const double beside = ahead() ? 0 : text_weights() + vae_weights();
      out.weights = bytes(4 * trained() + (adapts() ? denoiser() * stored() : 0) + beside);
      out.gradients = bytes(4 * trained());
      out.optimizer = bytes(states() * trained());
      out.activations = bytes((values() + (job.fused_attention ? 0 : all_scores())) * of.kept_bytes.value * b() *
                              (repeats() ? of.recomputed_share.of(kind()) : 1));
      out.framework += bytes(collectives());
    } else if (ahead()) {  // one part at a time
      const double one = denoiser() * stored() + pass, two = vae_weights() + decoded, three = text_weights();
      const bool first = one >= two && one >= three;
      out.weights = bytes(first ? denoiser() * stored() : two >= three ? vae_weights() : three);
      out.activations = bytes(first ? pass : two >= three ? decoded : 0);
    } else {
      out.weights = bytes(all_weights());
      out.activations = bytes(std::max(pass, decoded));
    }
    return out;
  }

  const workload::DiffusionJob& job;
  const DiffusionCoefficients& of = more.diffusion;
};

std::string any_engine() { return any::one_of("engine", {"pytorch", "torch-compile", "tensorrt", "onnxruntime"}); }

}  // namespace

TEST_CASE("networks that read samples take what docs/method.md says", "[property]") {
  agrees("samples", [] {
    const bool trains = any::coin("trains");
    test::Asked asked{{"model", any_model({ModelKind::cnn, ModelKind::vit, ModelKind::encoder, ModelKind::sequence})},
                      {"task", trains ? "pretrain" : "inference"}};
    if (trains)
      asked["optimizer"] = any::one_of("optimizer", {"adamw", "sgd", "adafactor", "adamw8bit"});
    else
      asked["engine"] = any_engine();
    if (any::coin("online") && !trains) asked["mode"] = "online";
    if (any::coin("keeps scores")) asked["flash_attention"] = "false";
    if (any::coin("other input"))
      asked[any::one_of("of", {"resolution", "seq_len"})] = std::to_string(any::size("size", 32, 1024));
    Drawn of = finish(asked);
    test::given(std::holds_alternative<workload::SampleJob>(of.work.counted->job));
    if (trains && any::coin("offloads")) of.work.training.offload = Offload::optimizer;
    const Samples page(of, std::get<workload::SampleJob>(of.work.counted->job));
    const CountedFigures is = figures(of);
    must_have(is.memory, page.memory());
    if (!page.on_cpu() && (page.peak(page.done()) <= 0 || page.F <= 0)) return must(is.rate == 0, "a rate of nothing");
    must_be_near(is.latency.raw(), page.step(), "step");
    must_be_near(is.rate, page.rate(), "rate");
    must(page.on_cpu() || is.bound_by == page.bound, "bound by another");
    must(page.on_cpu() || is.rate_ratio.low == page.more.samples.rate_low.of(page.engine(), page.kind()), "interval");
    if (!trains || page.on_cpu() || of.work.counted->unit.rate != "images/s") return;
    const double wanted = is.rate / page.n() / page.more.samples.loader_rate.value;
    must_be_near(figure(is, "loader_vcpus_per_gpu"), wanted, "vCPUs that load");
    if (of.machine.host.vcpus > 0)
      must_be_near(figure(is, "loader_share"), of.machine.host.vcpus / wanted / of.machine.gpus_per_node, "of them");
  });
}

TEST_CASE("speech takes what docs/method.md says", "[property]") {
  agrees("speech", [] {
    const bool trains = any::coin("trains");
    test::Asked asked{{"model", any_model({ModelKind::speech})}, {"task", trains ? "finetune" : "inference"}};
    if (trains) {
      asked["optimizer"] = any::one_of("optimizer", {"adamw", "sgd", "adafactor", "adamw8bit"});
      asked["method"] = any::one_of("method", {"full", "lora"});
    } else {
      asked["engine"] = any::one_of("engine", {"pytorch", "torch-compile", "ctranslate2", "tensorrt", "onnxruntime"});
      if (any::coin("says tokens")) asked["output_tokens"] = std::to_string(any::size("output_tokens", 1, 1000));
    }
    if (any::coin("says a format")) asked["precision"] = "fp16";
    const Drawn of = finish(asked);
    const Speech page(of, std::get<workload::SpeechJob>(of.work.counted->job));
    const CountedFigures is = figures(of);
    if (!is.lacks.empty()) return;
    must_have(is.memory, page.memory());
    if (!page.on_cpu() && page.peak(of.plan.precision) <= 0) return must(is.rate == 0, "a rate of nothing");
    must_be_near(is.latency.raw(), page.time(), "time of a batch");
    must_be_near(is.rate, page.n() * page.b() * page.w() / page.time(), "rate");
    must(page.on_cpu() || is.bound_by == page.bound, "bound by another");
  });
}

TEST_CASE("recommendation takes what docs/method.md says", "[property]") {
  agrees("recommendation", [] {
    const bool trains = any::coin("trains");
    test::Asked asked{{"model", any_model({ModelKind::recommender})}, {"task", trains ? "pretrain" : "inference"}};
    if (trains)
      asked["optimizer"] = any::one_of("optimizer", {"adamw", "sgd"});
    else
      asked["engine"] = any_engine();
    if (any::coin("own tables")) asked["table_gib"] = format("{}", any::number("table_gib", 0.1, 2000));
    Drawn of = finish(asked);
    of.plan.batch *= any::size("times", 1, 100);
    if (any::coin("tables in host memory")) of.plan.offload = Offload::params;
    const Recommends page(of, std::get<workload::RecommenderJob>(of.work.counted->job));
    const CountedFigures is = figures(of);
    must_have(is.memory, page.memory());
    if (!page.on_cpu()) {
      must_be_near(figure(is, "table_gib"), page.E() * page.stored() / kGiB, "tables");
      const double largest =
          page.m.largest_table_params_b.value_or(0) * 1e9 * (page.published() > 0 ? page.E() / page.published() : 1);
      must_be_near(figure(is, "largest_table_gib"), largest * page.stored() / kGiB, "largest table");
      must_be_near(figure(is, "largest_table_share"),
                   largest * page.stored() * (trains ? 1 + page.o() : 1) / page.usable(), "of a GPU");
      const double host = of.machine.host.memory.raw() * of.machine.nodes;
      must(is.lacks.empty() == !(page.in_host() && host > 0 && host < page.tables()), "host memory");
      if (page.peak(of.plan.precision) <= 0) return must(is.rate == 0, "a rate of nothing");
      if (page.in_host()) must_be_near(figure(is, "tables_on_gpu"), page.on_gpu(), "tables on the GPU");
    }
    must_be_near(is.latency.raw(), page.step(), "step");
    must_be_near(is.rate, page.n() * page.b() / page.step(), "rate");
    if (page.on_cpu()) return;
    must(is.bound_by == page.bound || (page.bound == "memory" && is.bound_by.find("memory") != std::string_view::npos),
         "bound by another");
    if (page.in_host()) must_be_near(figure(is, "slowdown"), page.slower, "slowdown");
  });
}

TEST_CASE("images and videos take what docs/method.md says", "[property]") {
  agrees("diffusion", [] {
    const bool trains = any::coin("trains");
    test::Asked asked{{"model", any_model({ModelKind::diffusion})}, {"task", trains ? "finetune" : "inference"}};
    if (trains) {
      asked["optimizer"] = any::one_of("optimizer", {"adamw", "sgd", "adafactor", "adamw8bit"});
      asked["method"] = any::one_of("method", {"full", "lora"});
    } else {
      asked["engine"] = any::one_of("engine", {"pytorch", "torch-compile", "tensorrt"});
      if (any::coin("says weights")) asked["weights_precision"] = any::one_of("weights", {"fp8", "nf4", "int8"});
      asked["steps"] = std::to_string(any::size("steps", 1, 100));
    }
    if (any::coin("other size")) asked["resolution"] = std::to_string(32 * any::whole("32 pixels", 4, 48));
    if (any::coin("other length")) asked["frames"] = std::to_string(any::size("frames", 1, 200));
    if (any::coin("keeps scores")) asked["flash_attention"] = "false";
    Drawn of = finish(asked);
    if (any::coin("offloads")) of.plan.offload = trains ? Offload::params : Offload::weights;
    test::given(!(of.machine.on_cpu() && trains));
    const Diffuses page(of, std::get<workload::DiffusionJob>(of.work.counted->job));
    const CountedFigures is = figures(of);
    must_have(is.memory, page.memory());
    if (!page.on_cpu() && !page.has_rate()) return must(is.rate == 0, "a rate of nothing");
    must_be_near(is.latency.raw(), page.latency(), "latency");
    must_be_near(is.rate, page.n() * page.b() * page.frames() / page.latency(), "rate");
    if (page.on_cpu()) return;
    const double products = page.one_pass(), traffic = page.step_traffic(), launched = page.launched();
    if (trains) {
      const double times = page.times() * page.b();
      const double busy = (products + page.moved(page.values(), page.width())) * times / page.of.training_share.value;
      const bool links = page.talk() > page.passed();
      must(is.bound_by == (links                                                ? "link"
                           : page.times() * launched > busy                     ? "launch"
                           : products > page.moved(page.values(), page.width()) ? "compute"
                                                                                : "memory-bandwidth"),
           "bound by another");
      return;
    }
    const double moving = page.ahead() ? page.all_weights() / (page.of.offload_gbs.value * 1e9) : 0;
    const double of_steps = page.step() * static_cast<double>(page.job.steps);
    must(is.bound_by == (moving > of_steps                               ? "link"
                         : launched > products * page.passes() + traffic ? "launch"
                         : products * page.passes() > traffic            ? "compute"
                                                                         : "memory-bandwidth"),
         "bound by another");
    must_be_near(figure(is, "step_s"), page.step(), "step");
    must_be_near(figure(is, "decode_s"), page.decode(), "decoding");
    if (page.ahead()) must_be_near(figure(is, "offloaded_gib"), page.all_weights() / kGiB, "offloaded");
  });
}
