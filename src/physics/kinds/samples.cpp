// Networks that read samples: products at a share of the matrix units' peak, what layers put out through memory and
// through the multiprocessors' own arithmetic, weights read once, layers launched one after the other.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/kinds/kinds.hpp"
#include "physics/kinds/networks/cpu_network.hpp"
#include "physics/kinds/networks/network.hpp"
#include "physics/kinds/networks/products.hpp"
#include "physics/serving/multiprocessors.hpp"
#include "physics/training/training.hpp"

namespace gpusel::physics {

namespace {

using catalog::ModelKind;
using job::Checkpointing;
using job::Precision;

constexpr double kBackwardPasses = 2;  // a gradient of the inputs, one of the weights
constexpr double kMostReached = 0.95;  // of the peak of matrix units
constexpr double kUpdatedBytes = 28;   // read and written per parameter by the optimiser's step
constexpr std::string_view kTraining = "training";
constexpr std::string_view kSamplesSource = "data/calibration/samples.yaml";

class SamplePasses {
 public:
  SamplePasses(const job::SampleJob& job, const CountedAsk& ask)
      : ask_(ask),
        c_(ask.c.samples),
        model_(*ask.work.model),
        kind_(kind_of(model_)),
        engine_(ask.training() ? kTraining : to_text(ask.counted.engine)),
        cost_(cost_of(model_, job, c_)),
        per_sample_(counts_parts() ? static_cast<double>(job.seq_len) : 1) {
    const Device& device = ask.machine.device;
    done_in_ = device.done_in(ask.layout.precision);
    // Engines choose 16-bit kernels where narrow ones are no faster.
    if (done_in_ == Precision::int8 && rate_of(Precision::fp16) > rate_of(Precision::int8)) done_in_ = Precision::fp16;
    bytes_ = value_bytes(ask.layout.precision);
  }

  bool known() const { return cost_.flops != 0 && rate_of(done_in_) != 0; }
  Interval memory_ratio() const { return {c_.memory_low.of(engine_), c_.memory_high.of(engine_)}; }
  /// Narrow formats are chosen for their speed: without hardware for them nobody runs them.
  std::string_view lacks() const {
    if (!ask_.training() && ask_.counted.engine == job::Engine::tensorrt && ask_.machine.device.gpu->vendor != "nvidia")
      return "TensorRT";
    const Precision asked = ask_.layout.precision;
    if (ask_.machine.device.done_in(asked) == asked) return {};
    switch (asked) {
      case Precision::int8: return "int8 arithmetic";
      case Precision::fp8: return "fp8 arithmetic";
      case Precision::nvfp4: return "fp4 arithmetic";
      default: return {};
    }
  }

  void run(Figures& out) {
    products_ = part("samples.products", [&](auto told) {
      return told("FLOP of the passes", flop(step_flops())) /
             (told("dense peak", FlopPerSecond::raw(rate_of(done_in_))) * told("share reached", reached()));
    });
    traffic_ = part("samples.traffic", [&](auto told) {
      return told("layer outputs and scores moved", bytes(step_traffic())) / told("bandwidth", bandwidth());
    });
    vector_ = step_clocks();
    weights_ = part("samples.weights", [&](auto told) {
      return told("weights read, and updated in training", bytes(weights_traffic())) / told("bandwidth", bandwidth());
    });
    launch_ = part("samples.launch", [&](auto told) {
      return as_microseconds(told("layers", cost_.launches) * told("passes", passes()) *
                             told("time of the host for one", c_.layer_us.of(engine_), "µs"));
    });
    links_ = exposed_links();
    const Seconds gpu = products_ + traffic_ + vector_ + weights_;
    out.latency = part("latency", [&](auto told) {
      const auto work = told("products", products_) + told("traffic", traffic_) + told.some("arithmetic", vector_) +
                        told("weights", weights_);
      const auto launch = told("launching", launch_);
      return greatest(work, launch) + told("exposed host time", c_.host_exposed.of(engine_)) * least(work, launch) +
             told.some("links", links_);
    });
    out.rate = record(ask_.trace, {"throughput", "{:.4g}", ask_.counted.unit.rate, kSamplesSource}, [&](auto told) {
      const auto rate = told("batch", ask_.batch()) * told("GPUs in use", ask_.working_gpus()) /
                        told("latency", out.latency.raw(), "s") * told("counted per sample", per_sample_) *
                        told("share that GPUs together reach", together());
      const bool arrive = ask_.counted.mode == job::Mode::online && !ask_.training();
      return arrive ? rate * told("share that arrivals reach", c_.online_share.value) : rate;
    });
    out.bound_by = bound(gpu);
    out.rate_ratio = {c_.rate_low.of(engine_, kind_), c_.rate_high.of(engine_, kind_)};
  }

  void fill(MemoryBreakdown& m) const {
    const double parameters = *model_.params_b * 1e9;
    const double batch = ask_.batch();
    m.framework = gib(ask_.general.context_gib.value);
    m.workspace = gib(c_.workspace_gib.of(engine_));
    if (!ask_.training()) {
      m.weights = bytes(parameters * bytes_);
      m.activations =
          record<Bytes>(ask_.trace, {"memory.activations", "{:.3g}", "GiB", kSamplesSource}, [&](auto told) {
            return told("batch", batch) * told("layer outputs", cost_.activations) *
                   told("bytes of each", bytes_, "B") * told("share alive at once", c_.live_share.of(kind_));
          });
      return;
    }
    const auto& training = ask_.work.training;
    // Automatic mixed precision keeps weights in 32 bit; copies in 16 bit live as long as a layer needs them.
    m.weights = bytes(parameters * 4);
    m.gradients = bytes(parameters * 4);
    m.optimizer = bytes(parameters * optimizer_bytes(ask_.work, 4));
    if (training.offload != job::Offload::none) m.optimizer = m.optimizer * kInFlight;
    m.activations = record<Bytes>(ask_.trace, {"memory.activations", "{:.3g}", "GiB", kSamplesSource}, [&](auto told) {
      return told("batch", batch) * told("values kept of a sample", saved()) * told("bytes of each", bytes_, "B");
    });
    if (ask_.machine.gpus() > 1) m.framework += gib(ask_.general.collectives_gib.of(kTraining));
  }

 private:
  bool counts_parts() const {
    const std::string_view rate = ask_.counted.unit.rate;
    return rate == job::kTokens.rate || rate == job::kAudioSamples.rate;
  }
  bool fuses_attention() const { return ask_.work.training.flash_attention.value_or(true); }
  double passes() const { return ask_.training() ? 1 + kBackwardPasses : 1; }
  double recomputed() const { return ask_.training() && ask_.layout.checkpointing == Checkpointing::full ? 1 : 0; }
  double rate_of(Precision precision) const {
    const auto peak = ask_.machine.device.peak(precision);
    return peak ? peak->raw() : 0;
  }
  BytesPerSecond bandwidth() const { return ask_.machine.device.bandwidth * ask_.general.bandwidth_efficiency.value; }

  template <class Made>
  Seconds part(std::string_view quantity, const Made& made) const {
    return record(ask_.trace, {quantity, "{:.5g}", "ms", kSamplesSource}, made);
  }

  /// What the matrix units do at 16 bit when nothing halves their rate: narrow products show it on consumer cards.
  double units_tflops(const catalog::Gpu& gpu) const {
    const double halved = value_bytes(done_in_) == 1 ? gpu.int8_dense_tops.value_or(0) / 2 : 0;
    return std::max(gpu.fp16_dense_tflops.value_or(0), halved);
  }

  /// Share of the peak that products sustain: what the architecture's kernels reach, and what the board's power allows
  /// next to the part that was measured.
  double reached() const {
    const catalog::Gpu& gpu = *ask_.machine.device.gpu;
    const Coefficient& reach = ask_.training() ? c_.training_reach : c_.reach;
    double share = reach.of(gpu.compute_capability);
    const double usual = ask_.general.watts_per_tflops.of(gpu.architecture);
    if (const double sixteen = units_tflops(gpu); usual != 0 && gpu.tdp_w && sixteen != 0)
      share *= std::pow(*gpu.tdp_w / sixteen / usual, c_.power_exponent.of(engine_));
    const double gain = c_.arithmetic_gain.of(to_text(done_in_), kind_);
    // Winograd's products are fewer than those counted: only matrix units are held to their peak.
    return done_in_ == Precision::fp32 ? share * gain : std::min(share * gain, kMostReached);
  }

  double step_flops() const { return cost_.flops * ask_.batch() * (passes() + recomputed()); }
  double put_out() const { return cost_.activations * ask_.batch() * (1 + recomputed() / 3); }
  double step_traffic() const {
    const catalog::Gpu& gpu = *ask_.machine.device.gpu;
    double values = put_out() * c_.copies.of(engine_, kind_) * c_.cached.of(engine_, gpu.compute_capability);
    if (!fuses_attention()) values += 2 * cost_.scores * ask_.batch() * passes();
    return values * bytes_;
  }
  Seconds step_clocks() const {
    const Device& device = ask_.machine.device;
    const double ticks = multiprocessors(*device.gpu) * clock_ghz(*device.gpu) * 1e9 * device.share;
    const double clocks = c_.clocks.of(engine_, kind_);
    if (ticks == 0 || put_out() * clocks == 0) return {};
    return part("samples.arithmetic", [&](auto told) {
      return quantity<Seconds>(told("layer outputs", put_out()) * told("clocks of a multiprocessor for each", clocks) /
                               told("clocks of all", ticks, "Hz"));
    });
  }
  double weights_traffic() const {
    const double parameters = *model_.params_b * 1e9;
    return parameters * (ask_.training() ? passes() * bytes_ + kUpdatedBytes : bytes_);
  }
  /// Values kept for the backward pass, per sample.
  double saved() const {
    const double all = cost_.activations * c_.saved_copies.of(kind_) + (fuses_attention() ? 0 : 2 * cost_.scores);
    return recomputed() > 0 ? all * c_.recomputed_share.value : all;
  }

  /// Gradients travel while the backward pass goes on; the last bucket has nothing to hide behind.
  Seconds exposed_links() const {
    if (!ask_.training()) return {};
    const Bytes gradients = bytes(*model_.params_b * 1e9 * 4);
    const Seconds shown = reduce_time(ask_, gradients, products_ + traffic_ + vector_);
    if (ask_.trace != nullptr && shown > Seconds{})
      note(*ask_.trace, {"samples.links", "{:.5g}", "ms", kSamplesSource}, in_ms(shown),
           say("exposed gradient communication between GPUs"), say("{} GPUs", ask_.machine.gpus()));
    return shown;
  }
  double together() const {
    if (!ask_.training()) return 1;
    return std::pow(1 - c_.doubling_loss.value, std::log2(static_cast<double>(ask_.machine.gpus())));
  }

  std::string_view bound(Seconds gpu) const {
    if (links_ > gpu) return "link";
    if (launch_ > gpu) return "launch";
    return products_ > traffic_ + weights_ + vector_ ? "compute" : "memory-bandwidth";
  }

  const CountedAsk& ask_;
  const SampleCoefficients& c_;
  const catalog::Model& model_;
  std::string_view kind_;
  std::string_view engine_;
  NetworkCost cost_;
  double per_sample_ = 0;  // of what is counted
  Precision done_in_ = Precision::fp16;
  double bytes_ = 0;
  Seconds products_, traffic_, vector_, weights_, launch_, links_;
};

class SamplePhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return sample_figures(ask.job<job::SampleJob>(), ask); }

  Fed fed(const CountedAsk& ask) const override {
    if (ask.counted.unit.rate != job::kImages.rate) return {};
    return fed_images(ask, ask.job<job::SampleJob>().resolution.pixels(), stored_bytes(ask));
  }

  StoredUnit stored_unit(const job::Job& work, const EconomyCoefficients& c, Trace* trace) const override {
    const auto& job = std::get<job::SampleJob>(work.counted->job);
    if (job.seq_len <= 0)
      return stored_image(*work.counted, job.resolution.pixels(), c.data_input_pixel_bytes.value, trace);
    return {"sequences", record(trace, kUnitBytes, [&](auto told) {
              return told("tokens", job.seq_len) * told("bytes of each", c.data_token_bytes.value, "B");
            })};
  }
};

}  // namespace

Figures sample_figures(const job::SampleJob& job, const CountedAsk& ask) {
  Figures out;
  if (ask.machine.on_cpu()) {
    const NetworkCost cost = cost_of(*ask.work.model, job, ask.c.samples);
    return network_on_cpu({cost.flops, cost.activations}, ask);
  }
  SamplePasses passes(job, ask);
  passes.fill(out.memory);
  out.memory_ratio = passes.memory_ratio();
  out.lacks = passes.lacks();
  if (passes.known())
    passes.run(out);
  else
    out.unknown = "peak of this arithmetic";
  return out;
}

const WorkPhysics& samples() {
  static const SamplePhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
