// What all work has in common that is counted in items of its own.
#include <cmath>

#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/kinds/kinds.hpp"
#include "physics/worthwhile.hpp"

namespace gpusel::physics {

using job::Job;
using job::Precision;

const ItemPhysics& item_physics_of(const Job& work) { return static_cast<const ItemPhysics&>(physics_of(work)); }

Figures counted_figures(const Job& work, const Machine& machine, const Layout& layout, const Coefficients& c,
                        Trace* trace) {
  const CountedAsk ask{work, *work.counted, machine, layout, c, *c.counted, trace};
  const ItemPhysics& physics = item_physics_of(work);
  Figures figures = physics.figures(ask);
  if (figures.lacks.empty()) figures.lacks = loader_lacks(ask);
  feed(figures, physics.fed(ask), ask);
  return figures;
}

MemoryNeed counted_need(const Figures& figures, const Machine& machine) {
  return {figures.memory.needed(), deviation_of(figures.memory_ratio),
          figures.lacks.empty() ? machine.memory() : Bytes{}};
}

bool has_batches(const job::Counted& counted) {
  return std::visit([](const auto& job) { return job.kInBatches; }, counted.job);
}

Precision usual_precision(const Job& work, const Machine& machine) {
  if (work.counted->precision) return *work.counted->precision;
  if (!job::runs_model(work.task)) return Precision::fp32;
  if (machine.on_cpu()) return usual_on_cpu(machine.host);
  const bool made_for_bf16 =
      job::is_training(work.task) || (work.model != nullptr && work.model->native_dtype == "bf16");
  if (machine.device.gpu->has_bf16 && made_for_bf16) return Precision::bf16;
  for (const Precision sixteen : {Precision::fp16, Precision::bf16})
    if (is_worth_choosing(machine.device, sixteen)) return sixteen;
  return Precision::fp32;
}

Result<Plan> ItemPhysics::plan(const Job& work, const Machine& machine, const Coefficients& c) const {
  const std::string& weights = work.inference.weights_precision;
  if (const auto known = weight_format(weights.empty() ? "fp16" : weights); !known)
    return std::unexpected(known.error());
  return plan_counted(work, machine, c);
}

Plan ItemPhysics::refigure(Plan plan, const Job& work, const Machine& machine, const Coefficients& c) const {
  static_cast<Figures&>(plan) = counted_figures(work, machine, plan.layout, c);
  plan.need = memory_need(work, machine, plan, c);
  return plan;
}

std::string ItemPhysics::layout_text(const Layout& layout) const {
  std::string line = layout.micro_batch > 1 ? format("{} batch {}", to_text(layout.precision), layout.micro_batch)
                                            : std::string(to_text(layout.precision));
  if (layout.checkpointing != job::Checkpointing::none) line += say(", recompute {}", to_text(layout.checkpointing));
  if (layout.offload != job::Offload::none) line += say(", {} in host memory", to_text(layout.offload));
  return line;
}

job::Assumptions ItemPhysics::chosen(const Job& work, const Plan& plan) const {
  Chosen out;
  out.add(job::runs_model(work.task) && !work.counted->precision, "precision", to_text(plan.layout.precision));
  out.add(has_batches(*work.counted) && !work.counted->batch, "batch", plan.layout.micro_batch);
  return out.take();
}

void ItemPhysics::add_departures(const Job& work, const Machine& machine, const Plan& plan,
                                 std::vector<std::string>& notes) const {
  const job::Counted& job = *work.counted;
  for (const NamedFigure& figure : plan.more)
    if (figure.key == "slowdown" && figure.value > 1)
      notes.push_back(say("it does not fit into GPU memory: the rest is in host memory, and it takes {:.2g}× as long",
                          figure.value));
  note_feed(machine, plan, notes);
  const bool computes = job::runs_model(work.task) && !machine.on_cpu() && plan.lacks.empty();
  if (computes && !machine.device.native(plan.layout.precision))
    notes.push_back(not_native(plan.layout.precision, machine));
  if (job.demand && plan.rate > 0 && plan.rate < *job.demand)
    notes.push_back(say("{} {} are needed: {:.0f} such machines", human_number(*job.demand), say_name(job.unit.rate),
                        std::ceil(*job.demand / plan.rate)));
}

void ItemPhysics::explain(const Job& work, const Machine& machine, const Plan& plan, const Coefficients& c,
                          Trace& trace) const {
  counted_figures(work, machine, plan.layout, c, &trace);
}

Ratios ItemPhysics::ratios(const Job&, const Machine&, const Plan& plan, const Coefficients&) const {
  return {.memory = plan.memory_ratio, .rate = plan.rate_ratio};
}

MemoryNeed ItemPhysics::need(const Job&, const Machine& machine, const Plan& plan, const Coefficients&) const {
  return counted_need(plan, machine);
}

std::string ItemPhysics::how(const Job& work, const Layout& layout) const {
  const std::string_view kind = std::visit([](const auto& job) { return job.kClass; }, work.counted->job);
  if (!job::runs_model(work.task)) return std::string(kind);
  return format("{} {} {}", kind, to_text(work.counted->engine), to_text(layout.precision));
}

std::vector<std::string> ItemPhysics::cases(const Job& work, const Layout&) const {
  const std::string engine(job::is_training(work.task) ? "training" : to_text(work.counted->engine));
  if (work.model == nullptr || !work.model->kind) return {engine};
  const std::string kind(to_text(*work.model->kind));
  return {engine + " " + kind, engine, kind};
}

/// Every GPU holds the whole of a network.
Loaded ItemPhysics::loaded(const Job& work, const Machine&, const Plan& plan) const {
  return work.model != nullptr ? Loaded{plan.memory.weights, 1} : Loaded{};
}

std::optional<Stored> ItemPhysics::stored(const Job& work, const Plan& plan) const {
  if (work.model == nullptr) return std::nullopt;
  const Bytes weights = plan.memory.weights;
  return Stored{weights, to_say("weights on one GPU"),
                job::is_training(work.task) ? std::optional(weights + plan.memory.optimizer) : std::nullopt};
}

}  // namespace gpusel::physics
