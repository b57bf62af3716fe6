// Networks that read samples: products at a share of the matrix units' peak, what layers put out through memory and
// through the multiprocessors' own arithmetic, weights read once, layers launched one after the other.
#include <algorithm>
#include <cmath>

#include "estimate/counted/classes.hpp"
#include "estimate/counted/cpu_network.hpp"
#include "estimate/counted/network.hpp"
#include "estimate/counted/products.hpp"
#include "estimate/multiprocessors.hpp"
#include "estimate/optimizer.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

namespace {

using catalog::ModelKind;
using workload::Checkpointing;
using workload::Precision;

constexpr double kBackwardPasses = 2;  // a gradient of the inputs, one of the weights
constexpr double kMostReached = 0.95;  // of the peak of matrix units
constexpr double kUpdatedBytes = 28;   // read and written per parameter by the optimiser's step
constexpr std::string_view kTraining = "training";

class SamplePasses {
 public:
  SamplePasses(const workload::SampleJob& job, const CountedAsk& ask)
      : ask_(ask),
        c_(ask.c.samples),
        model_(*ask.work.model),
        kind_(kind_of(model_)),
        engine_(ask.training() ? kTraining : to_text(ask.counted.engine)),
        cost_(cost_of(model_, job, c_)),
        per_sample_(counts_parts() ? static_cast<double>(job.seq_len) : 1) {
    const Device& device = ask.machine.device;
    done_in_ = device.done_in(ask.plan.precision);
    // Engines choose 16-bit kernels where narrow ones are no faster.
    if (done_in_ == Precision::int8 && rate_of(Precision::fp16) > rate_of(Precision::int8)) done_in_ = Precision::fp16;
    bytes_ = value_bytes(ask.plan.precision);
  }

  bool known() const { return cost_.flops != 0 && rate_of(done_in_) != 0; }
  Interval memory_ratio() const { return {c_.memory_low.of(engine_), c_.memory_high.of(engine_)}; }
  /// Narrow formats are chosen for their speed: without hardware for them nobody runs them.
  std::string_view lacks() const {
    if (!ask_.training() && ask_.counted.engine == workload::Engine::tensorrt &&
        ask_.machine.device.gpu->vendor != "nvidia")
      return "TensorRT";
    const Precision asked = ask_.plan.precision;
    if (ask_.machine.device.done_in(asked) == asked) return {};
    switch (asked) {
      case Precision::int8: return "int8 arithmetic";
      case Precision::fp8: return "fp8 arithmetic";
      case Precision::nvfp4: return "fp4 arithmetic";
      default: return {};
    }
  }

  void run(CountedFigures& out) {
    products_ = step_flops() / (rate_of(done_in_) * reached());
    traffic_ = step_traffic() / bandwidth();
    vector_ = step_clocks();
    weights_ = weights_traffic() / bandwidth();
    launch_ = cost_.launches * passes() * c_.layer_us.of(engine_) * 1e-6;
    links_ = exposed_links();
    const double gpu = products_ + traffic_ + vector_ + weights_;
    const double step = std::max(gpu, launch_) + c_.host_exposed.of(engine_) * std::min(gpu, launch_) + links_;
    const double gpus = ask_.machine.gpus();
    double rate = ask_.batch() * gpus / step * per_sample_ * together();
    if (ask_.counted.mode == workload::Mode::online && !ask_.training()) rate *= c_.online_share.value;
    out.rate = rate;
    out.latency = Seconds::raw(step);
    out.bound_by = bound(gpu);
    out.rate_ratio = {c_.rate_low.of(engine_, kind_), c_.rate_high.of(engine_, kind_)};
    loading(out);
    if (ask_.trace != nullptr) explain(*ask_.trace, out);
  }

  void fill(MemoryBreakdown& m) const {
    const double parameters = *model_.params_b * 1e9;
    const double batch = ask_.batch();
    m.framework = gib(ask_.general.context_gib.value);
    m.workspace = gib(c_.workspace_gib.of(engine_));
    if (!ask_.training()) {
      m.weights = bytes(parameters * bytes_);
      m.activations = bytes(batch * cost_.activations * bytes_ * c_.live_share.of(kind_));
      return;
    }
    const auto& training = ask_.work.training;
    // Automatic mixed precision keeps weights in 32 bit; copies in 16 bit live as long as a layer needs them.
    m.weights = bytes(parameters * 4);
    m.gradients = bytes(parameters * 4);
    m.optimizer = bytes(parameters * optimizer_bytes(ask_.work, 4));
    if (training.offload != workload::Offload::none) m.optimizer = m.optimizer * kInFlight;
    m.activations = bytes(batch * saved() * bytes_);
    if (ask_.machine.gpus() > 1) m.framework += gib(ask_.general.collectives_gib.of(kTraining));
  }

 private:
  bool counts_parts() const {
    const std::string_view rate = ask_.counted.unit.rate;
    return rate == workload::kTokens.rate || rate == workload::kAudioSamples.rate;
  }
  bool fuses_attention() const { return ask_.work.training.flash_attention.value_or(true); }
  double passes() const { return ask_.training() ? 1 + kBackwardPasses : 1; }
  double recomputed() const { return ask_.training() && ask_.plan.checkpointing == Checkpointing::full ? 1 : 0; }
  double rate_of(Precision precision) const {
    const auto peak = ask_.machine.device.peak(precision);
    return peak ? peak->raw() : 0;
  }
  double bandwidth() const { return ask_.machine.device.bandwidth.raw() * ask_.general.bandwidth_efficiency.value; }

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
    const double scores = fuses_attention() ? 0 : cost_.scores * ask_.batch() * passes();
    return (put_out() * c_.copies.of(engine_, kind_) * c_.cached.of(engine_, gpu.compute_capability) + 2 * scores) *
           bytes_;
  }
  double step_clocks() const {
    const Device& device = ask_.machine.device;
    const double ticks = multiprocessors(*device.gpu) * clock_ghz(*device.gpu) * 1e9 * device.share;
    return ticks != 0 ? put_out() * c_.clocks.of(engine_, kind_) / ticks : 0;
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
  double exposed_links() const {
    if (!ask_.training()) return 0;
    const Bytes gradients = bytes(*model_.params_b * 1e9 * 4);
    return reduce_time(ask_, gradients, seconds(products_ + traffic_ + vector_)).raw();
  }
  double together() const {
    if (!ask_.training()) return 1;
    return std::pow(1 - c_.doubling_loss.value, std::log2(static_cast<double>(ask_.machine.gpus())));
  }

  std::string_view bound(double gpu) const {
    if (links_ > gpu) return "link";
    if (launch_ > gpu) return "launch";
    return products_ > traffic_ + weights_ + vector_ ? "compute" : "memory-bandwidth";
  }

  /// vCPUs that decode and augment the images of one GPU.
  void loading(CountedFigures& out) const {
    if (!ask_.training() || ask_.counted.unit.rate != workload::kImages.rate) return;
    const double wanted = out.rate / ask_.machine.gpus() / c_.loader_rate.value;
    out.more.push_back({"loader_vcpus_per_gpu", wanted});
    if (ask_.machine.host.vcpus != 0)
      out.more.push_back({"loader_share", ask_.machine.host.vcpus / (wanted * ask_.machine.gpus_per_node)});
  }

  void explain(Trace& trace, const CountedFigures& out) const {
    const auto ms = [](double seconds) { return shown("{:.5g}", seconds * 1e3, "ms"); };
    const auto line = [&](std::string_view quantity, std::string formula, std::string substituted, Figure value) {
      trace.push_back({std::string(quantity), std::move(formula), std::move(substituted), std::move(value),
                       "data/calibration/samples.yaml"});
    };
    if (ask_.training())
      line("memory.activations", say("batch × values layers put out × copies kept × bytes"),
           format("{} × {:.5g} M × {:.4g} × {} B", ask_.plan.batch, saved() / c_.saved_copies.of(kind_) / 1e6,
                  c_.saved_copies.of(kind_), bytes_),
           shown("{:.3g}", in_gib(out.memory.activations), "GiB"));
    else
      line("memory.activations", say("batch × values layers put out × share alive at once × bytes"),
           format("{} × {:.5g} M × {:.4g} × {} B", ask_.plan.batch, cost_.activations / 1e6, c_.live_share.of(kind_),
                  bytes_),
           shown("{:.3g}", in_gib(out.memory.activations), "GiB"));
    line("samples.products", say("FLOPs of the passes × batch ÷ (dense peak × share reached)"),
         format("{:.5g} GFLOP ÷ ({:.4g} TFLOPS × {:.4g})", step_flops() / 1e9, rate_of(done_in_) / 1e12, reached()),
         ms(products_));
    line("samples.traffic", say("values layers put out × bytes × copies, and scores, ÷ bandwidth"),
         format("{:.5g} GB ÷ {:.5g} GB/s", step_traffic() / 1e9, bandwidth() / 1e9), ms(traffic_));
    if (vector_ != 0)
      line("samples.arithmetic", say("values layers put out × clocks of a multiprocessor ÷ clocks of all per second"),
           format("{:.5g} G × {:.4g} ÷ {:.5g} G/s", put_out() / 1e9, c_.clocks.of(engine_, kind_),
                  put_out() * c_.clocks.of(engine_, kind_) / vector_ / 1e9),
           ms(vector_));
    line("samples.weights", say("weights read in every pass, and updated in training ÷ bandwidth"),
         format("{:.5g} GB ÷ {:.5g} GB/s", weights_traffic() / 1e9, bandwidth() / 1e9), ms(weights_));
    line("samples.launch", say("layers × passes × host time of one"),
         format("{:.3g} × {} × {} µs", cost_.launches, passes(), c_.layer_us.of(engine_)), ms(launch_));
    if (links_ != 0)
      line("samples.links", say("gradients between GPUs that computing does not hide"),
           format("{} GPUs", ask_.machine.gpus()), ms(links_));
    const double gpu = products_ + traffic_ + vector_ + weights_;
    const std::string on_gpu = ms(gpu).text, launch = ms(launch_).text;
    line("latency", say("max(work of the GPU, launch) + what shows of the host × min(work of the GPU, launch) + links"),
         format("max({0}, {1}) + {2:g} × min({0}, {1}) + {3}", on_gpu, launch, c_.host_exposed.of(engine_),
                ms(links_).text),
         ms(out.latency.raw()));
    const double each = out.rate * out.latency.raw() / (ask_.batch() * ask_.machine.gpus());
    line("throughput",
         say("batch × GPUs × what is counted of a sample, less what GPUs and requests lose, ÷ time of a step"),
         format("{} × {} × {:.5g} ÷ {}", ask_.plan.batch, ask_.machine.gpus(), each, ms(out.latency.raw()).text),
         shown("{:.4g}", out.rate, std::string(ask_.counted.unit.rate)));
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
  double products_ = 0, traffic_ = 0, vector_ = 0, weights_ = 0, launch_ = 0, links_ = 0;
};

}  // namespace

CountedFigures figures_of(const workload::SampleJob& job, const CountedAsk& ask) {
  CountedFigures out;
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

}  // namespace gpusel::estimate
