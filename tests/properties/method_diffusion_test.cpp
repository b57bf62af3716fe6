// Images and videos, as docs/method.md writes them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/estimate/formats.hpp"
#include "properties/page_network.hpp"

namespace method_diffusion_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
namespace any = test::any;

namespace {

class Diffuses : public Network {
 public:
  Diffuses(const NetworkCase& drawn, const workload::DiffusionJob& with)
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

  /// The numbers beside the formulas of an explanation.
  void check_words(const Trace& trace) const {
    const auto gibibytes = [](double amount) { return amount / kGiB; };
    if (on_cpu()) {
      const double cores = machine.host.vcpus / machine.host.threads_per_core;
      return must_say(
          trace, "latency",
          format("{:.3g} TFLOP, {:.3g} GB, {:.0f} cores", processor_flops / 1e12, processor_bytes / 1e9, cores));
    }
    if (trains()) {
      if (!ahead())
        must_say(
            trace, "memory.weights",
            format("text encoders {:.2f} GiB and VAE {:.2f} GiB", gibibytes(text_weights()), gibibytes(vae_weights())));
      must_say(trace, "memory.optimizer", format("{:.4g} million", trained() / 1e6));
      must_say(trace, "memory.activations", format("{:.3g}e9 values", values() / 1e9));
      must_say(trace, "step.traffic", format("{:.3g}e9 values", values() / 1e9));
      must_say(trace, "step.update", format("{:.4g} million", trained() / 1e6));
      return must_say(trace, "latency", format("{:.3g} s of it", talk()));
    }
    must_say(trace, "memory.weights",
             format("{:.4g} + {:.4g} + {:.4g}", gibibytes(text_weights()), gibibytes(denoisers() * stored()),
                    gibibytes(vae_weights())));
    const double at_once = pixels() * std::min(frames(), m.vae_chunk_frames.value_or(frames()));
    must_say(trace, "memory.activations",
             format("{:.2f} megapixels at once × {:g} channels", at_once / 1e6, channels()));
    const double decoded = of.decoder_held.value * channels() * at_once * decoder_width();
    must_say(trace, "memory.activations",
             format("decoding {:.2f} GiB", gibibytes(b() < of.sliced_batch.value ? b() * decoded : decoded)));
    must_say(trace, "step.launch", format("{:g} layers", L()));
    must_say(trace, "step.products",
             format("({:.3g} + attention {:.3g}", linear() / low_gain() / 1e12, attention() / 1e12));
    must_say(trace, "step.products", format("({:.4g} TFLOPS × {:.3f})", peak(done()) / 1e12, share(done(), true)));
    must_say(trace, "step.traffic", format("{:.3g}e9 values a pass, {:.4g} GB/s", values() / 1e9, BW() / 1e9));
  }

  const workload::DiffusionJob& job;
  const DiffusionCoefficients& of = more.diffusion;
};

}  // namespace

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
    NetworkCase of = any_network(asked);
    if (any::coin("offloads")) of.plan.offload = trains ? Offload::params : Offload::weights;
    test::given(!(of.machine.on_cpu() && trains));
    const Diffuses page(of, std::get<workload::DiffusionJob>(of.work.counted->job));
    Trace trace;
    const CountedFigures is = figures(of, &trace);
    must_have(is.memory, page.memory());
    if (!page.on_cpu() && !page.has_rate()) return must(is.rate == 0, "a rate of nothing");
    must_be_near(is.latency.raw(), page.latency(), "latency");
    must_be_near(is.rate, page.n() * page.b() * page.frames() / page.latency(), "rate");
    page.check_words(trace);
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

}  // namespace method_diffusion_test
