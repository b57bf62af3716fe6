#include "physics/kinds/diffusion/diffusion_training.hpp"

#include <algorithm>

#include "physics/kinds/diffusion/diffusion_size.hpp"
#include "physics/kinds/networks/products.hpp"
#include "physics/training/training.hpp"

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::DiffusionJob;
using job::Method;
using job::Offload;

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
        adapters_(job::trains_adapter(ask.work.training.method)),
        frozen_(diffusion_weights(ask, storage_bytes(ask.layout.precision))) {}

  Figures run() {
    Figures out;
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
  bool recomputes() const { return ask_.layout.checkpointing != Checkpointing::none; }
  /// Prompts and latents computed ahead, so that neither text encoders nor VAE are there.
  bool ahead() const { return ask_.layout.offload != Offload::none; }

  double trained() const {
    if (!adapters_) return denoiser_parameters(model_);
    const double layers = model_.layers.value_or(0);
    return static_cast<double>(ask_.work.training.lora_rank) * kAdapterMatrices * layers * *model_.hidden_size;
  }

  Bytes kept() const {
    const double share = recomputes() ? c_.recomputed_share.of(denoiser_kind(model_)) : 1;
    return record<Bytes>(ask_.trace, {"memory.activations", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
      return (told("values of a pass", size_.values) +
              told.some("scores", job_.fused_attention ? 0 : size_.all_scores)) *
             told("bytes kept of each", c_.kept_bytes.value, "B") * told("share that is not recomputed", share) *
             told("batch", ask_.batch());
    });
  }

  void memory(MemoryBreakdown& out) const {
    const double states = trained();
    // Master weights in fp32 are what is trained; 16-bit copies come and go.
    out.weights = record(ask_.trace, {"memory.weights", "{:.2f}", "GiB"}, [&](auto told) {
      const auto trained = quantity<Bytes>(told("trained parameters", states) * told("bytes of each", kFp32Bytes, "B"));
      const auto all = adapters_ ? told("frozen denoiser", frozen_.denoiser) + trained : trained;
      return ahead() ? all : all + (told("text encoders", frozen_.text) + told("VAE", frozen_.vae));
    });
    out.gradients = bytes(states * kFp32Bytes);
    out.optimizer = record<Bytes>(ask_.trace, {"memory.optimizer", "{:.2f}", "GiB"}, [&](auto told) {
      return told("trained parameters", states) * told("bytes of each", optimizer_bytes(ask_.work, kFp32Bytes), "B");
    });
    out.activations = kept();
    const double peers = ask_.machine.gpus() > 1 ? ask_.general.collectives_gib.of("training") : 0;
    out.framework = gib(ask_.general.context_gib.value + peers);
  }

  /// Forward, backward through the activations, backward to the weights, and forward again where it was not kept.
  double forward_passes() const { return (adapters_ ? 2.0 : 3.0) + (recomputes() ? 1 : 0); }

  Seconds encoding(const DiffusionRate& rate) const {
    if (ahead()) return {};
    const double text = 2 * model_.text_encoder_params_b.value_or(0) * 1e9 * model_.text_tokens.value_or(0);
    // The encoder of a VAE is about half of its decoder.
    return flop(text * ask_.batch()) / rate.reached() + flop(size_.decode_flop / 2 * ask_.batch()) / rate.decoder;
  }

  void speed(Figures& out, const DiffusionRate& rate) const {
    const double times = forward_passes() * ask_.batch();
    const double share = c_.training_share.value;
    const Seconds products = record(ask_.trace, {"step.products", "{:.3g}", "s"}, [&](auto told) {
      return rate.pass(told, size_) * told("passes forward and back", times) / told("share in training", share);
    });
    const Seconds traffic = record(ask_.trace, {"step.traffic", "{:.3g}", "s"}, [&](auto told) {
      return told("values written and read again",
                  traffic_time(ask_, size_.values * times, storage_bytes(ask_.layout.precision))) /
             told("share in training", share);
    });
    const Seconds launch =
        microseconds(forward_passes() * model_.layers.value_or(0) * c_.layer_us.of(to_text(ask_.counted.engine)));
    const Seconds encoded = encoding(rate);
    const Seconds pass = std::max(products + traffic, launch) + encoded;
    const double moved = 3 * kFp32Bytes + 2 * optimizer_bytes(ask_.work, kFp32Bytes);
    const Seconds update = record(ask_.trace, {"step.update", "{:.3g}", "s"}, [&](auto told) {
      return quantity<Bytes>(told("trained parameters", trained()) * told("bytes moved of each", moved, "B")) /
             told("bandwidth", ask_.machine.device.bandwidth);
    });
    const Seconds talk = reduce_time(ask_, bytes(trained() * kFp32Bytes), pass);
    out.latency = record(ask_.trace, {"latency", "{:.3g}", "s"}, [&](auto told) {
      return greatest(told("products", products) + told("traffic", traffic), told("launching", launch)) +
             told.some("prompts and latents", encoded) + told("update", update) +
             told.some("gradients over the links", talk);
    });
    out.rate = record(ask_.trace, {"throughput", "{:.3g}", ask_.counted.unit.rate}, [&](auto told) {
      return told("batch", ask_.batch()) * told("frames", job_.frames) * told("GPUs", ask_.machine.gpus()) /
             told("latency", out.latency.raw(), "s");
    });
    out.bound_by = talk > pass                   ? "link"
                   : launch > products + traffic ? "launch"
                   : products > traffic          ? "compute"
                                                 : "memory-bandwidth";
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

Figures diffusion_training(const DiffusionJob& job, const CountedAsk& ask) { return DiffusionTraining(job, ask).run(); }

}  // namespace gpusel::physics
