// Speech, as docs/method.md writes it.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "properties/page_network.hpp"

namespace method_speech_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
namespace any = test::any;

namespace {

class Speech : public Network {
 public:
  Speech(const NetworkCase& of, const workload::SpeechJob& with) : Network(of.work, of.plan, of.machine), job(with) {}

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
    exposed = reduced(4 * trained(), products + memory);
    return largest({products, memory, launch, host, exposed});
  }
  /// The sum, and what it is bound by.
  double largest(std::array<double, 5> parts) const {
    static constexpr std::string_view kNames[] = {"compute", "memory-bandwidth", "launch", "host", "link"};
    bound = kNames[std::ranges::max_element(parts) - parts.begin()];
    return parts[0] + parts[1] + parts[2] + parts[3] + parts[4];
  }

  const workload::SpeechJob& job;
  mutable std::string_view bound;  // of the time that was worked out last
  mutable double exposed = 0;      // of it, what links take
};

}  // namespace

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
    const NetworkCase of = any_network(asked);
    const Speech page(of, std::get<workload::SpeechJob>(of.work.counted->job));
    Trace trace;
    const CountedFigures is = figures(of, &trace);
    if (!is.lacks.empty()) return;
    must_have(is.memory, page.memory());
    if (!page.on_cpu() && page.peak(of.plan.precision) <= 0) return must(is.rate == 0, "a rate of nothing");
    must_be_near(is.latency.raw(), page.time(), "time of a batch");
    must_be_near(is.rate, page.n() * page.b() * page.w() / page.time(), "rate");
    if (page.on_cpu()) return;
    must(is.bound_by == page.bound, "bound by another");
    const double rate = page.product_rate(of.work.counted->engine == Engine::ctranslate2 && !trains);
    must_say(trace, "time.products", format("({:.3g} TFLOPS)", rate / 1e12));
    must_say(trace, "time.memory", format("({:.4g} GB/s)", page.stream() / 1e9));
    if (page.exposed > 0) must_say(trace, "time.link", "");
    must_say(trace, "memory.activations", format("× {:.5g} MiB", (trains ? page.kept() : page.widest()) / (1 << 20)));
    if (!trains) must_say(trace, "memory.kv_cache", format("× {:.5g} MiB", page.cache() / (1 << 20)));
    if (!trains) must_say(trace, "memory.weights", format("{:.5g}e9 ×", page.P() / 1e9));
  });
}

}  // namespace method_speech_test
