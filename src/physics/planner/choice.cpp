#include "base/words/message.hpp"
#include "physics/planner/plan.hpp"

namespace gpusel::physics {

std::string Problem::text() const {
  switch (kind) {
    case Kind::none: return {};
    case Kind::memory: return say("needs {:.1f} GiB per GPU, has {:.1f} GiB", need, have);
    case Kind::cache:
      return say(
          "no room for one request of {:g} tokens: without its cache {:.1f} GiB are needed, and the engine may "
          "use {:.1f} GiB",
          tokens, need, have);
    case Kind::no_rate: return say("the arithmetic rate of '{}' is not published for this format", subject);
    case Kind::too_much_traffic:
      return have > 0 ? say("cannot serve {:g} requests per second: {:.3g} at most", need, have)
                      : say("cannot serve {:g} requests per second", need);
    case Kind::lacking: return say("{} has no {}", subject, what);
    case Kind::unpublished:
      return what.empty() ? say("no rate of '{}' for this work is known", subject)
                          : say("the {} of '{}' is not published", what, subject);
    case Kind::too_late: return say("one batch takes {:.3g} ms, {:g} ms are allowed", need, have);
    case Kind::latency:
      return tokens > 0
                 ? say("misses the latency targets: {:.0f} of 100 requests have {:.0f} ms to the first token and "
                       "{:.1f} ms between tokens, or less",
                       tokens, need, have)
                 : say("misses the latency targets: {:.0f} ms to the first token, {:.1f} ms between tokens", need,
                       have);
  }
  return {};
}

std::string recompute_text(const physics::TrainingPlan& plan) {
  if (plan.checkpointing == job::Checkpointing::none) return {};
  std::string text = say(", recompute {}", to_text(plan.checkpointing));
  if (physics::is_partial(plan)) text += say(" in {:.0f} % of layers", plan.recomputed * 100);
  return text;
}

std::string layout_text(const physics::TrainingPlan& plan) {
  const bool plain = plan.sharding == job::Sharding::none;
  std::string line = plain ? say("unsharded") : std::string(to_text(plan.sharding));
  const std::pair<std::string_view, int> degrees[] = {
      {"tp", plan.tp}, {"pp", plan.pp}, {"cp", plan.cp}, {"ep", plan.ep}, {"dp", plan.dp}};
  for (const auto& [name, degree] : degrees)
    if (degree > 1) line += format(" {}{}", name, degree);
  return line + recompute_text(plan);
}

const physics::MemoryBreakdown& memory_of(const Choice& choice) {
  if (const auto* training = std::get_if<TrainingChoice>(&choice)) return training->memory;
  if (const auto* counted = std::get_if<CountedChoice>(&choice)) return counted->figures.memory;
  return std::get<InferenceChoice>(choice).memory.per_gpu;
}

const Problem& problem_of(const Choice& choice) {
  return std::visit([](const auto& c) -> const Problem& { return c.problem; }, choice);
}

Bytes most_memory(const physics::Machine& machine, const physics::Coefficients& c) {
  return machine.memory() * c.fit_most_share.value;
}

bool fits(const Choice& choice) {
  return std::visit([](const auto& c) { return c.fits; }, choice);
}

bool usable(const Choice& choice) {
  if (const auto* training = std::get_if<TrainingChoice>(&choice)) return training->fits && training->speed.has_value();
  if (const auto* counted = std::get_if<CountedChoice>(&choice))
    return counted->fits && counted->figures.rate > 0 && counted->meets_targets;
  const auto& inference = std::get<InferenceChoice>(choice);
  return inference.fits && inference.speed.has_value() && inference.meets_targets;
}

double rate_of(const Choice& choice) {
  const auto* counted = std::get_if<CountedChoice>(&choice);
  return counted != nullptr ? counted->figures.rate : tokens_per_s(choice);
}

double tokens_per_s(const Choice& choice) {
  if (const auto* training = std::get_if<TrainingChoice>(&choice))
    return training->speed ? training->speed->tokens_per_s : 0;
  if (std::holds_alternative<CountedChoice>(choice)) return 0;
  const auto& speed = std::get<InferenceChoice>(choice).speed;
  if (!speed) return 0;
  return speed->output_tokens_per_s > 0 ? speed->output_tokens_per_s : speed->total_tokens_per_s;
}

double sequences_per_s(const Choice& choice) {
  if (const auto* training = std::get_if<TrainingChoice>(&choice))
    return training->speed ? training->speed->samples_per_s : 0;
  if (std::holds_alternative<CountedChoice>(choice)) return 0;
  const auto& speed = std::get<InferenceChoice>(choice).speed;
  return speed ? speed->requests_per_s : 0;
}

std::string_view bound_by(const Choice& choice) {
  if (const auto* counted = std::get_if<CountedChoice>(&choice)) return counted->figures.bound_by;
  if (const auto* training = std::get_if<TrainingChoice>(&choice))
    return training->speed ? training->speed->bound_by : std::string_view{};
  const auto& speed = std::get<InferenceChoice>(choice).speed;
  return speed ? speed->bound_by : std::string_view{};
}

Choice refigure(const Choice& choice, const job::Job& work, const physics::Machine& machine,
                const physics::Coefficients& coefficients) {
  if (const auto* inference = std::get_if<InferenceChoice>(&choice))
    return inference_figures(work, machine, inference->plan, coefficients);
  if (const auto* counted = std::get_if<CountedChoice>(&choice)) {
    CountedChoice out = *counted;
    out.figures = physics::counted_figures(work, machine, out.plan, coefficients);
    return out;
  }
  TrainingChoice out = std::get<TrainingChoice>(choice);
  job::Job planned = work;
  planned.training.framework = framework_for(work, out.plan);
  out.memory = physics::training_memory(planned, machine, out.plan, coefficients);
  out.speed = physics::training_speed(planned, machine, out.plan, coefficients);
  return out;
}

Result<Choice> plan_for(const job::Job& work, const physics::Machine& machine,
                        const physics::Coefficients& coefficients) {
  const auto either = [](auto planned) -> Result<Choice> {
    if (!planned) return std::unexpected(planned.error());
    return Choice{std::move(*planned)};
  };
  if (work.counted) {
    const std::string& weights = work.inference.weights_precision;
    if (const auto known = physics::weight_format(weights.empty() ? "fp16" : weights); !known)
      return std::unexpected(known.error());
    return Choice{plan_counted(work, machine, coefficients)};
  }
  if (job::is_training(work.task)) return either(plan_training(work, machine, coefficients));
  return either(plan_inference(work, machine, coefficients));
}

}  // namespace gpusel::physics
