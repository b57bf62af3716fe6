// Images and videos: a denoiser that runs steps × guidance passes, between text encoders and a decoder that each run
// once. Formulas: docs/method.md.
#include <algorithm>
#include <cmath>

#include "estimate/counted/diffusion_cpu.hpp"
#include "estimate/counted/diffusion_size.hpp"
#include "estimate/counted/diffusion_training.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

namespace {

using workload::DiffusionJob;
using workload::Offload;

constexpr double kTeraflop = 1e12;

class Generation {
 public:
  Generation(const DiffusionJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        c_(ask.c.diffusion),
        model_(*ask.work.model),
        size_(diffusion_size(model_, job, c_)),
        width_(activation_bytes(ask.plan.precision)),
        weights_(diffusion_weights(ask, width_)) {}

  CountedFigures run() {
    CountedFigures out;
    out.lacks = lacking(ask_);
    memory(out.memory);
    out.memory_ratio = {c_.interval_memory_low.of("inference"), c_.interval_memory_high.of("inference")};
    out.rate_ratio = {c_.interval_speed_low.of("inference"), c_.interval_speed_high.of("inference")};
    rate_ = diffusion_rate(ask_);
    if (rate_)
      speed(out);
    else
      out.unknown = "arithmetic rate";
    if (offloaded()) out.more.push_back({"offloaded_gib", in_gib(weights_.all())});
    return out;
  }

 private:
  bool offloaded() const { return ask_.plan.offload != Offload::none; }
  double passes() const { return size_.passes * ask_.batch(); }

  /// Values of a pass that are alive together, and the scores of one layer where attention keeps them.
  Bytes denoising() const {
    const double held = c_.denoiser_held.of(denoiser_kind(model_)) * size_.positions * *model_.hidden_size;
    const double scores = job_.fused_attention ? 0 : c_.score_copies.value * size_.scores;
    return bytes((held + scores) * width_ * passes());
  }
  /// Large batches are decoded image by image.
  Bytes decoding() const {
    const double together = ask_.batch() < c_.sliced_batch.value ? ask_.batch() : 1;
    const double held = c_.decoder_held.value * model_.vae_channels.value_or(0) * size_.decoded_at_once;
    return bytes(held * decoder_bytes(ask_) * together);
  }

  void memory(MemoryBreakdown& out) const {
    const Bytes pass = denoising();
    const Bytes decode = decoding();
    out.framework = gib(ask_.general.context_gib.value);
    if (offloaded()) {
      // One part at a time is on the GPU, with what it works on.
      const Bytes text = weights_.text;
      const Bytes denoise = weights_.denoiser + pass;
      const Bytes vae = weights_.vae + decode;
      const bool by_denoiser = denoise >= text && denoise >= vae;
      out.weights = by_denoiser ? weights_.denoiser : vae >= text ? weights_.vae : text;
      out.activations = by_denoiser ? pass : vae >= text ? decode : Bytes{};
    } else {
      out.weights = weights_.all();
      out.activations = std::max(pass, decode);
    }
    if (ask_.trace != nullptr) explain_memory(out, pass, decode, *ask_.trace);
  }

  struct Step {
    Seconds products;
    Seconds traffic;
    Seconds launch;
    Seconds busy() const { return products + traffic; }
    /// Launching and working overlap; where both take as long, each hides a part of the other.
    Seconds total() const {
      const double a = busy().raw(), b = launch.raw();
      return seconds(std::pow(std::pow(a, 4) + std::pow(b, 4), 0.25));
    }
  };

  Step step() const {
    Step out;
    out.products = rate_->pass(size_) * passes();
    const double scores = job_.fused_attention ? 0 : c_.score_traffic.value * size_.all_scores;
    out.traffic = traffic_time(ask_, size_.values * passes(), width_) +
                  bytes(scores * passes() * width_) / ask_.machine.device.bandwidth +
                  weights_.denoiser / ask_.machine.device.bandwidth;
    const double layers = model_.layers.value_or(0);
    out.launch = microseconds(layers * c_.layer_us.of(to_text(ask_.counted.engine)));
    return out;
  }

  Seconds reading_prompt() const {
    const double parameters = model_.text_encoder_params_b.value_or(0) * 1e9;
    const double tokens = model_.text_tokens.value_or(0) * passes();
    return flop(2 * parameters * tokens) / rate_->reached() + weights_.text / ask_.machine.device.bandwidth;
  }
  Seconds decode_time() const {
    return flop(size_.decode_flop * ask_.batch()) / rate_->decoder +
           traffic_time(ask_, size_.decode_values * ask_.batch(), decoder_bytes(ask_));
  }
  Seconds moving_weights() const { return offloaded() ? weights_.all() / gb_per_s(c_.offload_gbs.value) : Seconds{}; }

  void speed(CountedFigures& out) const {
    const Step one = step();
    const auto steps = static_cast<double>(job_.steps);
    const Seconds prompt = reading_prompt(), decode = decode_time(), moving = moving_weights();
    out.latency = one.total() * steps + prompt + decode + moving;
    const double items = ask_.batch() * static_cast<double>(job_.frames) * ask_.machine.gpus();
    out.rate = items / out.latency.raw();
    out.bound_by = moving > one.total() * steps ? "link"
                   : one.launch > one.busy()    ? "launch"
                   : one.products > one.traffic ? "compute"
                                                : "memory-bandwidth";
    out.more = {{"step_s", one.total().raw()}, {"decode_s", decode.raw()}};
    if (ask_.trace != nullptr) explain_speed(out, one, prompt, decode, moving, *ask_.trace);
  }

  void explain_memory(const MemoryBreakdown& out, Bytes pass, Bytes decode, Trace& trace) const {
    const auto gibibytes = [](Bytes b) { return shown("{:.2f}", in_gib(b), "GiB"); };
    trace.push_back(
        {"memory.weights",
         offloaded() ? say("the largest part of the pipeline with what it works on")
                     : say("text encoders + denoiser + VAE, all resident"),
         format("{:.4g} + {:.4g} + {:.4g}", in_gib(weights_.text), in_gib(weights_.denoisers), in_gib(weights_.vae)),
         gibibytes(out.weights), "docs/method.md"});
    trace.push_back({"memory.activations", say("the denoiser's pass or decoding, whichever is larger"),
                     say("pass {:.2f} GiB: {:.0f} positions × {:g} channels × {:g} passes; decoding {:.2f} GiB: "
                         "{:.2f} megapixels at once × {:g} channels",
                         in_gib(pass), size_.positions, *model_.hidden_size, passes(), in_gib(decode),
                         size_.decoded_at_once / 1e6, model_.vae_channels.value_or(0)),
                     gibibytes(out.activations), "docs/method.md"});
    trace.push_back({"memory.framework", say("CUDA context and kernels"), {}, gibibytes(out.framework), "calibration"});
  }

  void explain_speed(const CountedFigures& out, const Step& one, Seconds prompt, Seconds decode, Seconds moving,
                     Trace& trace) const {
    const auto in_seconds = [](Seconds s) { return shown("{:.3g}", s.raw(), "s"); };
    trace.push_back({"step.products", say("passes × FLOP of one pass ÷ (dense peak × share reached)"),
                     say("{:g} × ({:.3g} + attention {:.3g} ÷ {:g}) TFLOP ÷ ({:.4g} TFLOPS × {:.3f})", passes(),
                         size_.products / rate_->low_gain / kTeraflop, size_.attention / kTeraflop, rate_->attention,
                         rate_->peak.raw() / kTeraflop, rate_->share),
                     in_seconds(one.products), "docs/method.md"});
    trace.push_back(
        {"step.traffic", say("values written and read again, scores and weights ÷ memory bandwidth"),
         say("{:.3g}e9 values a pass, {:.4g} GB/s", size_.values / 1e9, ask_.machine.device.bandwidth.raw() / 1e9),
         in_seconds(one.traffic), "docs/method.md"});
    trace.push_back({"step.launch", say("layers × time of the host to launch one"),
                     say("{:g} layers, {}", model_.layers.value_or(0), to_text(ask_.counted.engine)),
                     in_seconds(one.launch), "calibration"});
    trace.push_back({"latency", say("steps × step + prompt + decoding + weights from the host"),
                     say("{} × {:.3g} s + {:.3g} s + {:.3g} s + {:.3g} s", job_.steps, one.total().raw(), prompt.raw(),
                         decode.raw(), moving.raw()),
                     in_seconds(out.latency), "docs/method.md"});
    trace.push_back(
        {"throughput", say("batch × frames × GPUs ÷ latency"),
         say("{:g} × {} × {} ÷ {:.3g} s", ask_.batch(), job_.frames, ask_.machine.gpus(), out.latency.raw()),
         format("{:.3g} {}", out.rate, ask_.counted.unit.rate), "docs/method.md"});
  }

  const DiffusionJob& job_;
  const CountedAsk& ask_;
  const DiffusionCoefficients& c_;
  const catalog::Model& model_;
  DiffusionSize size_;
  double width_;
  DiffusionWeights weights_;
  std::optional<DiffusionRate> rate_;
};

}  // namespace

CountedFigures figures_of(const DiffusionJob& job, const CountedAsk& ask) {
  if (ask.machine.on_cpu()) return diffusion_on_cpu(job, ask);
  return ask.training() ? diffusion_training(job, ask) : Generation(job, ask).run();
}

}  // namespace gpusel::estimate
