#include "answer/estimate/estimate_notes.hpp"

#include <algorithm>

#include "answer/facts/candidates.hpp"
#include "answer/facts/limits.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using job::Request;
using physics::Machine;

/// Whether measurements of training on this architecture were among those the intervals come from.
bool well_measured(const catalog::Gpu& gpu, const physics::Coefficients& c) {
  const std::string name = "training " + std::string(gpu.architecture);
  const auto& cases = c.interval_speed_low.cases;
  return std::any_of(cases.begin(), cases.end(), [&](const auto& entry) { return entry.first == name; });
}

void note_thin_serving(const EstimateAnswer& answer, std::vector<std::string>& notes) {
  const auto& basis = answer.intervals.basis;
  if (!basis || answer.plan.rate <= 0) return;
  const std::string_view engine = to_text(answer.work.inference.engine);
  if (basis->on_part == 0)
    notes.push_back(
        say("no measurements of {} on {} are known: its speed follows from bandwidth and peak, and the "
            "intervals are wide",
            engine, answer.machine.device.gpu->architecture));
  if (basis->in_format == 0)
    notes.push_back(
        say("no measurements of {} with {} weights and this kind of model are known: the intervals are wide", engine,
            answer.plan.layout.weights->name));
}

void note_own_steps(const EstimateAnswer& answer, const physics::Coefficients& c, std::vector<std::string>& notes) {
  if (!answer.plan.serving && !answer.plan.training) return;
  if (std::string text = physics::step_scale_text(answer.work, answer.machine.device, answer.plan.layout, c);
      !text.empty())
    notes.push_back(std::move(text));
}

void note_thin_evidence(const Job& work, const Machine& machine, const physics::Coefficients& c,
                        std::vector<std::string>& notes) {
  if (work.counted) return;
  const catalog::Gpu& gpu = *machine.device.gpu;
  if (job::is_training(work.task) && !well_measured(gpu, c))
    notes.push_back(say("few measurements of training on {} are published: the intervals are wide", gpu.architecture));
}

}  // namespace

void add_notes(EstimateAnswer& answer, const Request& request, const physics::Coefficients& c) {
  if (std::string sizing = sizing_note(request); !sizing.empty()) answer.notes.push_back(std::move(sizing));
  physics::physics_of(answer.work).add_departures(answer.work, answer.machine, answer.plan, answer.notes);
  note_thin_evidence(answer.work, answer.machine, c, answer.notes);
  note_thin_serving(answer, answer.notes);
  note_own_steps(answer, c, answer.notes);
}

namespace {

/// Rules that would reject every instance with this GPU, or warn of each: of the job, the plan and the GPU alone.
void add_verdicts(EstimateAnswer& answer, std::span<const rules::Rule> rules, const rules::Facts& facts,
                  const rules::FactSet& of_gpu) {
  const auto is_told = [&](rules::Fact fact) {
    const rules::Stage stage = rules::info(fact).stage;
    return stage == rules::Stage::job || stage == rules::Stage::plan || of_gpu.test(fact);
  };
  for (const rules::Rule& rule : rules) {
    if (rule.fit != rules::FitVerdict::fits || rule.effect == rules::Effect::note ||
        rule.effect == rules::Effect::adjust)
      continue;
    const rules::FactSet asked = rules::facts_in(rule.when);
    const bool about_gpu = asked.any_of([&](rules::Fact fact) { return of_gpu.test(fact); });
    if (!about_gpu || asked.any_of([&](rules::Fact fact) { return !is_told(fact); }) || !rules::fires(rule, facts))
      continue;
    const std::string message = rules::verdict(rule, facts).message;
    if (rule.effect == rules::Effect::reject) answer.excluded.push_back({rule.id, message, rule.source});
    answer.notes.push_back(rule.effect == rules::Effect::reject
                               ? say("recommend leaves it out: {} [{}]", message, rule.id)
                               : format("{} [{}]", message, rule.id));
  }
}

}  // namespace

std::string most_memory(std::span<const std::pair<Bytes, std::string>> parts, Bytes total) {
  const auto& [bytes, name] = *std::ranges::max_element(parts, {}, &std::pair<Bytes, std::string>::first);
  return say("most memory goes to {}: {:.1f} of {:.1f} GiB", name, in_gib(bytes), in_gib(total));
}

void add_fit(EstimateAnswer& answer, std::span<const rules::Rule> rules, const catalog::Catalog& catalog,
             const physics::Coefficients& c) {
  rules::Facts facts;
  job_facts(facts, answer.work, false);
  plan_facts(facts, answer.work, answer.machine, answer.plan, {}, c);
  facts.set(rules::Fact::is_cpu, answer.machine.on_cpu());
  answer.fit = judge_fit(rules, facts);
  // What does not start, or lacks a unit, is no matter of memory.
  if (const auto reason = planner_reason(answer.plan.problem.kind); !answer.plan.fits && !reason.empty())
    answer.fit.rule = reason;
  const rules::FactSet of_gpu = gpu_facts(facts, answer.machine, catalog, c);
  add_verdicts(answer, rules, facts, of_gpu);
  if (!answer.plan.fits) return;
  for (const rules::Rule& rule : rules)
    if (rule.fit != rules::FitVerdict::fits && rules::fires(rule, facts))
      answer.notes.push_back(rules::verdict(rule, facts).message);
}

}  // namespace gpusel::answer
