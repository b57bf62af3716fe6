#include "estimate/counted/diffusion_training.hpp"

#include <algorithm>

#include "estimate/counted/diffusion_size.hpp"
#include "estimate/counted/products.hpp"
#include "estimate/optimizer.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

namespace {

using workload::Checkpointing;
using workload::DiffusionJob;
using workload::Method;
using workload::Offload;

constexpr double kFp32Bytes = 4;
/// Adapters are put on the query, key, value and output products of every layer: two narrow matrices each.
constexpr double kAdapterMatrices = 8;

class DiffusionTraining {
 public:
  DiffusionTraining(const DiffusionJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        c_(ask.c.diffusion),
        model_(*ask.work.model),
        size_(diffusion_size(model_, job, c_)),
        adapters_(workload::trains_adapter(ask.work.training.method)),
        frozen_(diffusion_weights(ask, activation_bytes(ask.plan.precision))) {}

  CountedFigures run() {
    CountedFigures out;
    out.lacks = lacking(ask_);
    memory(out.memory);
    out.memory_ratio = {c_.interval_memory_low.of("training"), c_.interval_memory_high.of("training")};
    out.rate_ratio = {c_.interval_speed_low.of("training"), c_.interval_speed_high.of("training")};
    if (const auto rate = diffusion_rate(ask_))
      speed(out, *rate);
    else
      out.unknown = "arithmetic rate";
    return out;
  }

 private:
  bool recomputes() const { return ask_.plan.checkpointing != Checkpointing::none; }
  /// Prompts and latents computed ahead, so that neither text encoders nor VAE are there.
  bool ahead() const { return ask_.plan.offload != Offload::none; }

  double trained() const {
    if (!adapters_) return denoiser_parameters(model_);
    const double layers = model_.layers.value_or(0);
    return static_cast<double>(ask_.work.training.lora_rank) * kAdapterMatrices * layers * *model_.hidden_size;
  }

  Bytes kept() const {
    const double share = recomputes() ? c_.recomputed_share.of(denoiser_kind(model_)) : 1;
    const double scores = job_.fused_attention ? 0 : size_.all_scores;
    return bytes((size_.values + scores) * c_.kept_bytes.value * share * ask_.batch());
  }

  void memory(MemoryBreakdown& out) const {
    const double states = trained();
    // Master weights in fp32 are what is trained; 16-bit copies come and go.
    out.weights = adapters_ ? frozen_.denoiser + bytes(states * kFp32Bytes) : bytes(states * kFp32Bytes);
    if (!ahead()) out.weights += frozen_.text + frozen_.vae;
    out.gradients = bytes(states * kFp32Bytes);
    out.optimizer = bytes(states * optimizer_bytes(ask_.work, kFp32Bytes));
    out.activations = kept();
    const double peers = ask_.machine.gpus() > 1 ? ask_.general.collectives_gib.of("training") : 0;
    out.framework = gib(ask_.general.context_gib.value + peers);
    if (ask_.trace != nullptr) explain_memory(out, states, *ask_.trace);
  }

  /// Forward, backward through the activations, backward to the weights, and forward again where it was not kept.
  double forward_passes() const { return (adapters_ ? 2.0 : 3.0) + (recomputes() ? 1 : 0); }

  Seconds encoding(const DiffusionRate& rate) const {
    if (ahead()) return {};
    const double text = 2 * model_.text_encoder_params_b.value_or(0) * 1e9 * model_.text_tokens.value_or(0);
    // The encoder of a VAE is about half of its decoder.
    return flop(text * ask_.batch()) / rate.reached() + flop(size_.decode_flop / 2 * ask_.batch()) / rate.decoder;
  }

  void speed(CountedFigures& out, const DiffusionRate& rate) const {
    const double times = forward_passes() * ask_.batch();
    const Seconds products = rate.pass(size_) * times / c_.training_share.value;
    const Seconds traffic =
        traffic_time(ask_, size_.values * times, activation_bytes(ask_.plan.precision)) / c_.training_share.value;
    const Seconds launch =
        microseconds(forward_passes() * model_.layers.value_or(0) * c_.layer_us.of(to_text(ask_.counted.engine)));
    const Seconds pass = std::max(products + traffic, launch) + encoding(rate);
    const double moved = 3 * kFp32Bytes + 2 * optimizer_bytes(ask_.work, kFp32Bytes);
    const Seconds update = bytes(trained() * moved) / ask_.machine.device.bandwidth;
    const Seconds talk = reduce_time(ask_, bytes(trained() * kFp32Bytes), pass);
    out.latency = pass + update + talk;
    out.rate = ask_.batch() * static_cast<double>(job_.frames) * ask_.machine.gpus() / out.latency.raw();
    out.bound_by = talk > pass                   ? "link"
                   : launch > products + traffic ? "launch"
                   : products > traffic          ? "compute"
                                                 : "memory-bandwidth";
    if (ask_.trace != nullptr) explain_speed(out, products, traffic, update, talk, *ask_.trace);
  }

  void explain_memory(const MemoryBreakdown& out, double states, Trace& trace) const {
    const auto gibibytes = [](Bytes b) { return shown("{:.2f}", in_gib(b), "GiB"); };
    trace.push_back({"memory.weights", adapters_ ? say("frozen denoiser, adapters in fp32") : say("denoiser in fp32"),
                     ahead() ? say("prompts and latents computed ahead: no text encoder, no VAE")
                             : say("text encoders {:.2f} GiB and VAE {:.2f} GiB beside it", in_gib(frozen_.text),
                                   in_gib(frozen_.vae)),
                     gibibytes(out.weights), "docs/method.md"});
    trace.push_back({"memory.optimizer", say("trained parameters × bytes of the optimiser's states"),
                     say("{:.4g} million, {}", states / 1e6, to_text(ask_.work.training.optimizer)),
                     gibibytes(out.optimizer), "docs/method.md"});
    trace.push_back({"memory.activations", say("values of a pass × bytes kept of each × batch"),
                     say("{:.3g}e9 values × {:g} B × {:g}, recompute {}", size_.values / 1e9, c_.kept_bytes.value,
                         ask_.batch(), to_text(ask_.plan.checkpointing)),
                     gibibytes(out.activations), "calibration"});
  }

  void explain_speed(const CountedFigures& out, Seconds products, Seconds traffic, Seconds update, Seconds talk,
                     Trace& trace) const {
    const auto in_seconds = [](Seconds s) { return shown("{:.3g}", s.raw(), "s"); };
    trace.push_back({"step.products", say("FLOP of one pass × passes forward and back × batch ÷ rate of training"),
                     format("{:.5g} TFLOP × {:g} × {:g} ÷ {:.5g} TFLOPS", size_.flop() / 1e12, forward_passes(),
                            ask_.batch(), size_.flop() * forward_passes() * ask_.batch() / products.raw() / 1e12),
                     in_seconds(products), "docs/method.md"});
    trace.push_back({"step.traffic", say("values written and read again ÷ memory bandwidth"),
                     say("{:.3g}e9 values a pass", size_.values / 1e9), in_seconds(traffic), "docs/method.md"});
    trace.push_back({"step.update", say("trained parameters, gradients and states through memory"),
                     say("{:.4g} million parameters", trained() / 1e6), in_seconds(update), "docs/method.md"});
    trace.push_back({"latency", say("passes + prompts and latents + update + gradients over the links"),
                     say("{:.3g} s of it over the links", talk.raw()), in_seconds(out.latency), "docs/method.md"});
  }

  const DiffusionJob& job_;
  const CountedAsk& ask_;
  const DiffusionCoefficients& c_;
  const catalog::Model& model_;
  DiffusionSize size_;
  bool adapters_;
  DiffusionWeights frozen_;
};

}  // namespace

CountedFigures diffusion_training(const DiffusionJob& job, const CountedAsk& ask) {
  return DiffusionTraining(job, ask).run();
}

}  // namespace gpusel::estimate
