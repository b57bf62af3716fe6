// Networks that read samples, as docs/method.md writes them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "properties/page_network.hpp"

namespace method_samples_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
namespace any = test::any;

namespace {

/// Networks that read samples.
class Samples : public Network {
 public:
  Samples(const NetworkCase& of, const workload::SampleJob& with) : Network(of.work, of.plan, of.machine), job(with) {
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
      double low = 0, high = m.gflops_per_sample.value_or(0) > 0 ? 1e9 : 0;  // T at the default input from F
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
    NetworkCase of = any_network(asked);
    test::given(std::holds_alternative<workload::SampleJob>(of.work.counted->job));
    if (trains && any::coin("offloads")) of.work.training.offload = Offload::optimizer;
    const Samples page(of, std::get<workload::SampleJob>(of.work.counted->job));
    Trace trace;
    const CountedFigures is = figures(of, &trace);
    must_have(is.memory, page.memory());
    if (!page.on_cpu() && (page.peak(page.done()) <= 0 || page.F <= 0))
      return must(is.rate == 0 && !is.unknown.empty(), "a rate of nothing");
    must_be_near(is.latency.raw(), page.step(), "step");
    must_be_near(is.rate, page.rate(), "rate");
    if (page.on_cpu())
      must_say(trace, "throughput",
               format("{:.3g} GFLOP, {:.3g} MB", page.processor_flops / 1e9, page.processor_bytes / 1e6));
    must(page.on_cpu() || is.bound_by == page.bound, "bound by another");
    must(page.on_cpu() || is.rate_ratio.low == page.more.samples.rate_low.of(page.engine(), page.kind()), "interval");
    if (!trains || page.on_cpu() || of.work.counted->unit.rate != "images/s") return;
    const double wanted = is.rate / page.n() / page.more.samples.loader_rate.value;
    must_be_near(figure(is, "loader_vcpus_per_gpu"), wanted, "vCPUs that load");
    if (of.machine.host.vcpus > 0)
      must_be_near(figure(is, "loader_share"), of.machine.host.vcpus / wanted / of.machine.gpus_per_node, "of them");
  });
}

}  // namespace method_samples_test
