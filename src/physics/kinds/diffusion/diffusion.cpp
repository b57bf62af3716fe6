// Images and videos: a denoiser that runs steps × guidance passes, between text encoders and a decoder that each run
// once. Formulas: docs/method.md.
#include <cmath>

#include "physics/kinds/diffusion/diffusion_cpu.hpp"
#include "physics/kinds/diffusion/diffusion_size.hpp"
#include "physics/kinds/diffusion/diffusion_training.hpp"

namespace gpusel::physics {

namespace {

using job::DiffusionJob;
using job::Offload;

class Generation {
 public:
  Generation(const DiffusionJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        c_(ask.c.diffusion),
        model_(*ask.work.model),
        size_(diffusion_size(model_, job, c_)),
        width_(storage_bytes(ask.layout.precision)),
        weights_(diffusion_weights(ask, width_)) {}

  Figures run() {
    Figures out;
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
  Offload job_offload() const { return ask_.layout.offload; }
  bool offloaded() const { return job_offload() != Offload::none; }
  double passes() const { return size_.passes * ask_.batch(); }

  /// Values of a pass that are alive together, and the scores of one layer where attention keeps them.
  Bytes denoising() const {
    return record<Bytes>(ask_.trace, {"memory.activations.pass", "{:.2f}", "GiB"}, [&](auto told) {
      const auto held = told("copies held", c_.denoiser_held.of(denoiser_kind(model_))) *
                        told("positions", size_.positions) * told("channels", *model_.hidden_size);
      const auto scores = told("copies of scores", job_.fused_attention ? 0 : c_.score_copies.value) *
                          told.some("scores", job_.fused_attention ? 0 : size_.scores);
      return (held + scores) * told("bytes of each", width_, "B") * told("passes", passes());
    });
  }
  /// Large batches are decoded image by image.
  Bytes decoding() const {
    return record<Bytes>(ask_.trace, {"memory.activations.decoding", "{:.2f}", "GiB"}, [&](auto told) {
      const bool slices = job_.slices || ask_.batch() >= c_.sliced_batch.value;
      return told("bytes held", c_.decoder_held.value, "B") * told("channels", model_.vae_channels.value_or(0)) *
             told("pixels at once", size_.decoded_at_once) * told("images at once", slices ? 1 : ask_.batch());
    });
  }

  void memory(MemoryBreakdown& out) const {
    const Bytes pass = denoising();
    const Bytes decode = decoding();
    // Where they are offloaded, one part at a time is on the GPU, with what it works on.
    const double there = job_offload() == Offload::sequential ? kInFlight : 1;
    const Bytes denoise = weights_.denoiser * there + pass;
    const Bytes vae = weights_.vae * there + decode;
    const Bytes text = weights_.text * there;
    const bool by_denoiser = denoise >= text && denoise >= vae;
    const bool by_vae = !by_denoiser && vae >= text;
    out.weights = record(ask_.trace, {"memory.weights", "{:.2f}", "GiB"}, [&](auto told) {
      if (!offloaded()) return weights_.sum(told);
      const auto part = by_denoiser ? told("denoiser", weights_.denoiser)
                        : by_vae    ? told("VAE", weights_.vae)
                                    : told("text encoders", weights_.text);
      return there < 1 ? part * told("share in flight", there) : part;
    });
    out.activations = record(ask_.trace, {"memory.activations", "{:.2f}", "GiB"}, [&](auto told) {
      const auto of_pass = told("the denoiser's pass", pass);
      const auto of_decoding = told("decoding", decode);
      if (!offloaded()) return greatest(of_pass, of_decoding);
      return by_denoiser ? of_pass : by_vae ? of_decoding : told("text encoders", Bytes{});
    });
    const bool by_decoding = offloaded() ? by_vae : decode > pass;
    out.workspace = record(ask_.trace, {"memory.workspace", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
      return told.some("decoding", by_decoding ? decode : Bytes{}) *
             told("allocator overhead beyond it", c_.decoder_kept.of(to_text(ask_.layout.precision)));
    });
    out.spare = out.workspace;
    out.framework = record(ask_.trace, {"memory.framework", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
      return told("CUDA context and kernels", gib(ask_.general.context_gib.value));
    });
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
    out.products = record(ask_.trace, {"step.products", "{:.3g}", "s"},
                          [&](auto told) { return rate_->pass(told, size_) * told("passes", passes()); });
    const double scores = job_.fused_attention ? 0 : c_.score_traffic.value * size_.all_scores;
    out.traffic = record(ask_.trace, {"step.traffic", "{:.3g}", "s"}, [&](auto told) {
      return told("values written and read again", traffic_time(ask_, size_.values * passes(), width_)) +
             told.some("scores", bytes(scores * passes() * width_) / ask_.machine.device.bandwidth) +
             told("weights", weights_.denoiser) / told("bandwidth", ask_.machine.device.bandwidth);
    });
    out.launch = record(ask_.trace, {"step.launch", "{:.3g}", "s", "calibration"}, [&](auto told) {
      return as_microseconds(told("layers", model_.layers.value_or(0)) *
                             told("time of the host for one", c_.layer_us.of(to_text(ask_.counted.engine)), "µs"));
    });
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
  /// Parts come once; layer by layer the denoiser comes in every step.
  Seconds moving_weights() const {
    if (!offloaded()) return {};
    const double again = job_offload() == Offload::sequential ? static_cast<double>(job_.steps) - 1 : 0;
    return (weights_.all() + weights_.denoiser * again) / gb_per_s(c_.offload_gbs.value);
  }

  void speed(Figures& out) const {
    const Step one = step();
    const auto steps = static_cast<double>(job_.steps);
    const Seconds prompt = reading_prompt(), decode = decode_time(), moving = moving_weights();
    out.latency = record(ask_.trace, {"latency", "{:.3g}", "s"}, [&](auto told) {
      return told("step", one.total()) * told("steps", steps) + told("prompt", prompt) + told("decoding", decode) +
             told.some("weights from the host", moving);
    });
    out.rate = record(ask_.trace, {"throughput", "{:.3g}", ask_.counted.unit.rate}, [&](auto told) {
      return told("batch", ask_.batch()) * told("frames", job_.frames) * told("GPUs in use", ask_.working_gpus()) /
             told("latency", out.latency.raw(), "s");
    });
    out.bound_by = moving > one.total() * steps ? "link"
                   : one.launch > one.busy()    ? "launch"
                   : one.products > one.traffic ? "compute"
                                                : "memory-bandwidth";
    out.more = {{"step_s", one.total().raw()}, {"decode_s", decode.raw()}};
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

class DiffusionPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override {
    const auto& job = ask.job<DiffusionJob>();
    if (ask.machine.on_cpu()) return diffusion_on_cpu(job, ask);
    return ask.training() ? diffusion_training(job, ask) : Generation(job, ask).run();
  }
  bool recomputes_to_fit() const override { return true; }

  Fed fed(const CountedAsk& ask) const override {
    if (!ask.training()) return {};
    return fed_images(ask, ask.job<DiffusionJob>().resolution.pixels(), stored_bytes(ask));
  }

  StoredUnit stored_unit(const job::Job& work, const EconomyCoefficients& c, Trace* trace) const override {
    if (!job::is_training(work.task)) return {};
    const double pixels = std::get<DiffusionJob>(work.counted->job).resolution.pixels();
    return stored_image(*work.counted, pixels, c.data_input_pixel_bytes.of("diffusion"), trace);
  }
};

}  // namespace

const WorkPhysics& diffusion() {
  static const DiffusionPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
