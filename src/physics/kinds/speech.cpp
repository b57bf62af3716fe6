#include <algorithm>

#include "base/words/message.hpp"
#include "physics/kinds/networks/cpu.hpp"
#include "physics/kinds/networks/products.hpp"
#include "physics/training/training.hpp"

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::Engine;
using job::Method;
using job::Precision;

constexpr double kKeptPerHidden = 17;  // values of a transformer layer that its backward pass reads, per hidden one
constexpr double kStepBytes = 30;      // moved per parameter by an unfused step of Adam
constexpr double kSpeechPasses = 3;    // forward, and backward for values and for weights
constexpr double kWidestCopies = 2;    // of the widest values: in and out

/// The parts of a pass, by what holds them up.
struct Parts {
  Seconds products;
  Seconds memory;
  Seconds launch;
  Seconds host;
  Seconds link;

  template <class Tell>
  auto sum(const Tell& told) const {
    return told("products", products) + told("memory", memory) + told("launching", launch) + told("host", host) +
           told.some("links", link);
  }
  std::string_view bound_by() const {
    const std::pair<Seconds, std::string_view> all[] = {
        {products, "compute"}, {memory, "memory-bandwidth"}, {launch, "launch"}, {host, "host"}, {link, "link"}};
    return std::ranges::max_element(all, {}, [](const auto& part) { return part.first; })->second;
  }
};

class Speech {
 public:
  Speech(const job::SpeechJob& job, const CountedAsk& ask)
      : job_(job),
        ask_(ask),
        m_(*ask.work.model),
        c_(ask.c.speech),
        engine_(ask.training() ? std::string_view("training") : to_text(ask.counted.engine)),
        precision_(ask.layout.precision) {}

  Figures figures() {
    if (ask_.machine.on_cpu()) return on_cpu();
    Figures out;
    const bool narrow = precision_ == Precision::fp8 || precision_ == Precision::int8;
    if (narrow && ask_.machine.device.done_in(precision_) != precision_) {
      out.lacks = precision_ == Precision::fp8 ? "fp8 arithmetic" : "int8 arithmetic";
      return out;
    }
    out.memory = ask_.training() ? training_memory() : serving_memory();
    out.rate_ratio = {c_.rate_low.of(engine_), c_.rate_high.of(engine_)};
    out.memory_ratio = {c_.memory_low.of(engine_), c_.memory_high.of(engine_)};
    const bool fused = ask_.counted.engine == Engine::ctranslate2;
    const auto rate = product_rate(ask_, precision_, fused && !ask_.training());
    if (!rate) {
      out.unknown = "peak rate in that arithmetic";
      return out;
    }
    rate_ = *rate;
    const Parts parts = ask_.training() ? training_pass() : serving_pass();
    out.latency = record(ask_.trace, {"latency", "{:.4g}", "ms"}, [&](auto told) { return parts.sum(told); });
    out.rate = real_times(out.latency, ask_.working_gpus());
    out.bound_by = parts.bound_by();
    return out;
  }

 private:
  /// The same products and bytes at what the processor does of them; nothing waits for launches there.
  Figures on_cpu() const {
    Figures out;
    const double width = value_bytes(precision_);
    out.memory.weights = bytes(parameters() * width);
    out.memory.kv_cache = cache() * ask_.batch();
    out.memory.activations = widest() * ask_.batch();
    out.memory.framework = gib(ask_.general.context_gib.value);
    const NetworkPass pass{ask_.batch() * (parallel_work() + sequential_work()),
                           ask_.batch() * traffic() + bytes(encoder_parameters() * width) +
                               steps() * (bytes(decoder_parameters() * width) + ask_.batch() * cache())};
    const auto found = cpu_pass(ask_.machine.host, precision_, ask_.counted.engine, pass, ask_.c.cpu, ask_.trace);
    if (!found) {
      out.unknown = "processor";
      return out;
    }
    out.latency = found->time;
    out.rate = real_times(found->time, ask_.machine.nodes);
    out.bound_by = found->bound_by;
    out.rate_ratio = {ask_.c.cpu.interval_low.value, ask_.c.cpu.interval_high.value};
    out.memory_ratio = {c_.memory_low.of(engine_), c_.memory_high.of(engine_)};
    return out;
  }

  /// Seconds of audio in a second, of so many GPUs or nodes.
  double real_times(Seconds pass, int places) const {
    return record(ask_.trace, {"throughput", "{:.4g}", "x real time"}, [&](auto told) {
      return told("batch", ask_.batch()) * told("seconds of audio in a window", job_.window_s) /
             told("latency", pass.raw(), "s") * told("GPUs or nodes", places);
    });
  }

  bool half() const { return value_bytes(precision_) < 4; }
  /// A transformer decoder attends to what it wrote; a recurrent one or a transducer keeps a small state.
  bool attends() const { return m_.cross_layers || (m_.heads && speaks()); }
  bool speaks() const { return m_.speech_synthesis.value_or(false); }
  /// Always reads whole windows, padded with silence.
  bool windowed() const { return m_.cross_tokens.has_value(); }
  double decoder_layers() const { return steps() != 0 ? m_.decoder_layers.value_or(0) : 0; }
  double steps() const {
    return job_.output_tokens > 0 ? static_cast<double>(job_.output_tokens)
                                  : m_.decoder_steps_per_s.value_or(0) * job_.window_s;
  }
  double parameters() const { return *m_.params_b * 1e9; }
  double decoder_parameters() const { return m_.decoder_params_b.value_or(0) * 1e9; }
  double encoder_parameters() const { return parameters() - std::min(parameters(), decoder_parameters()); }
  double positions() const { return m_.frames_per_s.value_or(0) * job_.window_s; }
  double hidden() const { return m_.hidden_size.value_or(0) * m_.layers.value_or(0) * positions(); }
  Flop parallel_work() const { return flop(m_.encoder_gflops.value_or(0) * 1e9); }
  Flop sequential_work() const { return flop(m_.decoder_gflops_per_token.value_or(0) * 1e9 * steps()); }

  /// The reference implementations keep fp32 weights and cast them for every use; who names a format loads that.
  bool keeps_wide_weights() const {
    const bool of_torch = ask_.counted.engine == Engine::pytorch || ask_.counted.engine == Engine::torch_compile;
    return of_torch && !ask_.counted.precision && half();
  }
  double weight_bytes() const { return keeps_wide_weights() ? 4 : value_bytes(precision_); }

  /// Keys and values of one window: of the encoder's positions where the decoder reads them, and of its own.
  Bytes cache() const {
    if (!attends()) return {};
    const double width = 2 * m_.hidden_size.value_or(0) * decoder_layers();
    const double read = m_.cross_layers ? m_.cross_tokens.value_or(positions()) : 0;
    return bytes(width * (read + steps()) * 2);
  }
  Bytes traffic() const {
    return m_.activations_m ? bytes(*m_.activations_m * 1e6 * c_.value_bytes.of(engine_))
                            : bytes(hidden() * c_.hidden_bytes.of(engine_));
  }
  Bytes widest() const {
    const double widest = m_.widest_elements_per_s.value_or(0) * job_.window_s;
    const double columns = positions() * std::max(m_.ffn_size.value_or(0), 4 * m_.hidden_size.value_or(0));
    return bytes(std::max(widest, columns) * kWidestCopies * std::max(2.0, value_bytes(precision_)));
  }

  MemoryBreakdown serving_memory() {
    MemoryBreakdown memory;
    memory.weights = record<Bytes>(ask_.trace, {"memory.weights", "{:.2f}", "GiB"}, [&](auto told) {
      return told("parameters", parameters()) * told("bytes of each", weight_bytes(), "B");
    });
    memory.kv_cache = of_windows("memory.kv_cache", to_say("cache of one"), cache());
    memory.activations = of_windows("memory.activations", to_say("widest values alive at once"), widest());
    const double share = c_.workspace_share.of(engine_, keeps_wide_weights() ? "wide" : "");
    memory.workspace = record(ask_.trace, {"memory.workspace", "{:.2f}", "GiB"}, [&](auto told) {
      return told("speech.workspace_gib", gib(c_.workspace_gib.of(engine_))) +
             told("weights", memory.weights) * told("speech.workspace_share", share);
    });
    memory.framework = gib(ask_.general.context_gib.value);
    return memory;
  }

  Bytes kept_values() const {
    const double width = std::max(2.0, value_bytes(precision_));
    if (m_.activations_m) return bytes(*m_.activations_m * 1e6 * c_.kept_share.value * width);
    const double decoder = attends() ? m_.hidden_size.value_or(0) * decoder_layers() * steps() * 1.5 : 0;
    const bool again = ask_.layout.checkpointing == Checkpointing::full;
    return bytes((hidden() + decoder) * (again ? 1 : kKeptPerHidden) * width);
  }
  double trained() const {
    if (ask_.work.training.method != Method::lora) return parameters();
    const double layers = m_.layers.value_or(0) + decoder_layers();
    return 8 * m_.hidden_size.value_or(0) * static_cast<double>(ask_.work.training.lora_rank) * layers;
  }

  /// Automatic mixed precision: fp32 weights, gradients and moments beside a copy in the arithmetic's format.
  MemoryBreakdown training_memory() {
    MemoryBreakdown memory;
    const bool lora = ask_.work.training.method == Method::lora;
    memory.weights = bytes(parameters() * (lora && half() ? 2 : half() ? 6 : 4));
    memory.gradients = bytes(trained() * 4);
    memory.optimizer = bytes(trained() * optimizer_bytes(ask_.work, 4));
    memory.activations = of_windows("memory.activations", to_say("values kept for the backward pass"), kept_values());
    memory.workspace = gib(c_.workspace_gib.of(engine_)) + widest() * ask_.batch();
    memory.framework = gib(ask_.general.context_gib.value +
                           (ask_.machine.gpus() > 1 ? ask_.general.collectives_gib.of("training") : 0));
    return memory;
  }

  Parts serving_pass() const {
    Parts parts;
    const double batch = ask_.batch();
    const BytesPerSecond memory = memory_rate(ask_);
    const double width = keeps_wide_weights() ? 2 : weight_bytes();
    parts.products = part("time.products", [&](auto told) {
      return told("windows", batch) *
             (told("parallel work", parallel_work()) + told.some("sequential work", sequential_work())) /
             told("rate", rate_);
    });
    parts.memory = part("time.memory", [&](auto told) {
      const auto rate = told("bandwidth", memory);
      const auto windows = told("windows", batch);
      return (windows * told("activations", traffic()) + told("weights", bytes(encoder_parameters() * width))) / rate +
             told.some("steps", steps()) *
                 (told("weights of the decoder", bytes(decoder_parameters() * width)) +
                  windows * told("cache", cache())) /
                 rate;
    });
    parts.launch = part("time.launch", [&](auto told) {
      return as_microseconds(told("layers", m_.layers.value_or(0)) *
                                 told("time to launch one", c_.layer_us.of(engine_), "µs") +
                             told.some("steps", steps()) * told("layers of the decoder", decoder_layers()) *
                                 told("time to launch one", c_.step_layer_us.of(engine_), "µs")) +
             told("per batch", seconds(c_.call_ms.of(engine_) * 1e-3));
    });
    parts.host = host_time();
    return parts;
  }

  Seconds host_time() const {
    const double per_second = c_.host_ms_per_s.of(engine_, windowed() ? "windows" : "");
    return part("time.host", [&](auto told) {
      return quantity<Seconds>(told("time for a second of audio", per_second * 1e-3, "s") *
                               told("windows", ask_.batch()) * told("seconds of one", job_.window_s));
    });
  }

  Parts training_pass() const {
    Parts parts;
    const double batch = ask_.batch();
    const double again = ask_.layout.checkpointing == Checkpointing::full ? 1 : 0;
    const double passes = ask_.work.training.method == Method::lora ? 2 : kSpeechPasses;
    parts.products = part("time.products", [&](auto told) {
      return told("windows", batch) * told("passes", passes + again) *
             (told("parallel work", parallel_work()) + told.some("sequential work", sequential_work())) /
             told("rate", rate_);
    });
    parts.memory = part("time.memory", [&](auto told) {
      return (told("windows", batch) * told("activations", traffic()) +
              told("states moved by the optimizer", bytes(trained() * kStepBytes))) /
             told("bandwidth", memory_rate(ask_));
    });
    // Texts are given, so that only a recurrent speaker goes on step by step.
    const double in_turn = speaks() && !attends() ? steps() : 1;
    parts.launch = part("time.launch", [&](auto told) {
      const auto once =
          told("layers", m_.layers.value_or(0)) * told("time to launch one", c_.layer_us.of(engine_), "µs") +
          told("steps", in_turn) * told("layers of the decoder", decoder_layers()) *
              told("time to launch one", c_.step_layer_us.of(engine_), "µs");
      return as_microseconds(once * told("passes", kSpeechPasses + again)) +
             told("per step", seconds(ask_.general.step_ms.value * 1e-3));
    });
    parts.host = host_time();
    parts.link = reduce_time(ask_, bytes(trained() * 4), parts.products + parts.memory);
    if (ask_.trace != nullptr && parts.link > Seconds{})
      note(*ask_.trace, {"time.link", "{:.4g}", "ms"}, in_ms(parts.link), say("exposed gradient communication"));
    return parts;
  }

  template <class Made>
  Seconds part(std::string_view quantity, const Made& made) const {
    return record(ask_.trace, {quantity, "{:.4g}", "ms"}, made);
  }
  Bytes of_windows(std::string_view quantity, std::string_view what, Bytes each) const {
    return record(ask_.trace, {quantity, "{:.2f}", "GiB"},
                  [&](auto told) { return told("windows", ask_.batch()) * told(what, each); });
  }

  const job::SpeechJob& job_;
  const CountedAsk& ask_;
  const catalog::Model& m_;
  const SpeechCoefficients& c_;
  std::string_view engine_;
  Precision precision_;
  FlopPerSecond rate_;
};

class SpeechPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return Speech(ask.job<job::SpeechJob>(), ask).figures(); }

  Fed fed(const CountedAsk& ask) const override { return fed_audio(ask, stored_bytes(ask)); }

  StoredUnit stored_unit(const job::Job&, const EconomyCoefficients& c, Trace* trace) const override {
    return {"seconds of audio", known_size(trace, to_say("bytes of a second of speech"), c.data_audio_s_bytes.value)};
  }
};

}  // namespace

const WorkPhysics& speech() {
  static const SpeechPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
