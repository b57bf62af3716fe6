// Training of language models.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/checkpoint.hpp"
#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

namespace {

using job::Job;
using job::Sharding;

constexpr double kSmallVocabulary = 65536;

/// Of the tokens that are counted, the share that the average layer works on: of a sequence an encoder's layers see the
/// source alone, a decoder's the target.
double rows_per_token(const Job& work) {
  if (!work.model->is_encoder_decoder()) return 1;
  const double layers = work.parameters.layers;
  const double decoder = work.model->decoder_layers.value_or(layers / 2);
  const auto source = static_cast<double>(work.training.seq_len);
  const auto target = static_cast<double>(work.training.target_len);
  return ((layers - decoder) * source + decoder * target) / (layers * (source + target));
}

/// Experts take no more tokens than there is room for.
double active_parameters(const Job& work) {
  const auto& p = work.parameters;
  return p.body + p.experts * p.routed_share * std::min(1.0, work.training.capacity_factor);
}

/// "zero3 tp2 dp4".
std::string division_text(const Layout& layout) {
  std::string line = layout.sharding == Sharding::none ? say("unsharded") : std::string(to_text(layout.sharding));
  const std::pair<std::string_view, int> degrees[] = {
      {"tp", layout.tp}, {"pp", layout.pp}, {"cp", layout.cp}, {"ep", layout.ep}, {"dp", layout.dp}};
  for (const auto& [name, degree] : degrees)
    if (degree > 1) line += format(" {}{}", name, degree);
  return line;
}

/// ", recompute full in 40 % of layers"; nothing where all is kept.
std::string recompute_text(const Layout& layout) {
  if (layout.checkpointing == job::Checkpointing::none) return {};
  std::string text = say(", recompute {}", to_text(layout.checkpointing));
  if (is_partial(layout)) text += say(" in {:.0f} % of layers", layout.recomputed * 100);
  return text;
}

class TrainingPhysics final : public WorkPhysics {
 public:
  Result<Plan> plan(const Job& work, const Machine& machine, const Coefficients& c) const override {
    return plan_training(work, machine, c);
  }

  Plan refigure(Plan plan, const Job& work, const Machine& machine, const Coefficients& c) const override {
    plan.memory = training_memory(work, machine, plan.layout, c);
    plan.set_training(training_speed(work, machine, plan.layout, c));
    plan.need = memory_need(work, machine, plan, c);
    return plan;
  }

  /// States that every GPU must hold whole bound a node through a single GPU only.
  Bytes least_memory(const Job& work, const Device& device) const override {
    const auto sharding = work.training.sharding.value_or(Sharding::zero3);
    const bool sharded = sharding == Sharding::zero3 || sharding == Sharding::fsdp;
    return sharded ? training_states(work, training_precision(work.training, device)) : Bytes{};
  }

  Seconds least_time(const Job& work, const Machine& machine) const override {
    const auto peak = machine.device.peak(training_precision(work.training, machine.device));
    if (!peak) return {};
    const double passes = job::trains_adapter(work.training.method) ? 2 : 3;
    const double rows = work.training.tokens * rows_per_token(work);
    return flop(2 * passes * active_parameters(work) * rows) / (*peak * machine.gpus());
  }

  std::string layout_text(const Layout& layout) const override {
    return division_text(layout) + recompute_text(layout);
  }
  std::string plan_text(const Layout& layout) const override {
    std::string line = division_text(layout) + say(", batch {}", layout.micro_batch);
    if (layout.grad_accum > 1) line += format("×{}", layout.grad_accum);
    return line + recompute_text(layout);
  }

  job::Assumptions chosen(const Job& work, const Plan& plan) const override {
    const auto& job = work.training;
    const Layout& layout = plan.layout;
    Chosen out;
    out.add(!job.precision, "precision", to_text(layout.precision));
    out.add(!job.sharding, "sharding", to_text(layout.sharding));
    out.add(!work.pins.tp, "tp", layout.tp);
    out.add(!work.pins.pp, "pp", layout.pp);
    out.add(!work.pins.cp && layout.cp > 1, "cp", layout.cp);
    out.add(!work.pins.ep && layout.ep > 1, "ep", layout.ep);
    out.add(!work.pins.dp, "dp", layout.dp);
    out.add(!job.micro_batch, "micro_batch", layout.micro_batch);
    out.add(!job.grad_accum, "grad_accum", layout.grad_accum);
    out.add(!job.global_batch, "global_batch", layout.global_batch());
    out.add(!job.checkpointing, "activation_checkpointing", to_text(layout.checkpointing));
    out.add(is_partial(layout), "recomputed_share", layout.recomputed);
    out.add(!job.flash_attention, "flash_attention", layout.flash_attention);
    return out.take();
  }

  void add_departures(const Job& work, const Machine& machine, const Plan& plan,
                      std::vector<std::string>& notes) const override {
    const Layout& layout = plan.layout;
    if (!machine.device.native(layout.precision)) notes.push_back(not_native(layout.precision, machine));
    if (std::fmod(work.parameters.layers, layout.pp) != 0)
      notes.push_back(
          say("{:g} layers over {} stages: some have one more than others", work.parameters.layers, layout.pp));
    if (work.training.offload != job::Offload::none)
      notes.push_back(say("offloading keeps {:.0f} GiB in the host memory of each node",
                          in_gib(offloaded_states(work, layout.precision)) / machine.nodes));
    if (std::string other = batch_note(work, layout); !other.empty()) notes.push_back(std::move(other));
  }

  void explain(const Job& work, const Machine& machine, const Plan& plan, const Coefficients& c,
               Trace& trace) const override {
    training_memory(work, machine, plan.layout, c, &trace);
    training_deviation(plan.memory, c, &trace);
    training_speed(work, machine, plan.layout, c, &trace);
  }

  MemoryNeed need(const Job&, const Machine& machine, const Plan& plan, const Coefficients& c) const override {
    return {plan.memory.needed(), training_deviation(plan.memory, c), machine.memory()};
  }

  /// By architecture, and wider where less is known. Counters also see what an allocator holds beyond the need, so that
  /// the ratio of memory is another than that of need().
  Ratios ratios(const Job& work, const Machine& machine, const Plan& /*plan*/, const Coefficients& c) const override {
    const std::string_view architecture = machine.device.gpu->architecture;
    std::string_view lengths;
    if (const auto& unequal = work.training.variable_lengths) lengths = *unequal ? "variable" : "fixed";
    const double widening = this->widening(work, c);
    const auto of = [&](const Coefficient& ratio) { return ratio.of("training", lengths, architecture); };
    const auto speed = [&](const Coefficient& ratio) { return std::pow(of(ratio), widening); };
    return {.memory = {of(c.interval_memory_low), of(c.interval_memory_high)},
            .rate = {speed(c.interval_speed_low), speed(c.interval_speed_high)}};
  }

  std::string how(const Job& work, const Layout& layout) const override {
    const std::string_view framework = work.training.framework;
    return format("{} {} {}", framework.empty() ? "any" : framework, to_text(work.training.method),
                  to_text(layout.precision));
  }

  std::vector<std::string> cases(const Job& work, const Layout&) const override {
    if (work.training.framework.empty()) return {};
    return {work.training.framework};
  }

  /// A run that goes on from its checkpoint; what adapters leave frozen is read from the model's own files.
  Loaded loaded(const Job& work, const Machine& machine, const Plan& plan) const override {
    const Bytes frozen = job::trains_adapter(work.training.method) ? published(work) : Bytes{};
    return {(frozen + checkpoint_size(work, plan.layout.precision).value_or(Bytes{})) / machine.nodes,
            static_cast<double>(machine.gpus_per_node)};
  }

  std::optional<Stored> stored(const Job& work, const Plan& plan) const override {
    return Stored{published(work), to_say("parameters × 2 bytes, as models are published"),
                  checkpoint_size(work, plan.layout.precision)};
  }

  StoredUnit stored_unit(const Job& work, const EconomyCoefficients& c, Trace* trace) const override {
    const bool small = work.model->vocab_size.value_or(kSmallVocabulary + 1) <= kSmallVocabulary;
    return {"tokens", known_size(trace, to_say("bytes of a token's number"),
                                 small ? c.data_token_bytes.of("small") : c.data_token_bytes.value)};
  }

 private:
  static Bytes published(const Job& work) { return bytes(2 * work.parameters.total()); }

  /// Layers that are not fused depend on more than is asked about; encoders are measured well enough.
  static double widening(const Job& work, const Coefficients& c) {
    double out = 1;
    if (work.model->is_moe()) out *= c.interval_widening.of("training", "experts");
    if (job::trains_adapter(work.training.method))
      out *= c.interval_widening.of("training", "adapter");
    else if (work.model->is_generator() && !work.training.framework_record->megatron_core())
      out *= c.interval_widening.of("training", "unfused");
    return out;
  }
};

}  // namespace

std::string batch_note(const Job& work, const Layout& layout) {
  if (!work.training.global_batch || layout.global_batch() == *work.training.global_batch) return {};
  return say("a step is {} sequences, not {}: {} data-parallel ranks × micro-batch {} × {} passes",
             layout.global_batch(), *work.training.global_batch, layout.dp, layout.micro_batch, layout.grad_accum);
}

const WorkPhysics& language_training() {
  static const TrainingPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
