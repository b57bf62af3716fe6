#include "answer/estimate/estimate_notes.hpp"

#include <algorithm>
#include <cmath>

#include "answer/facts/candidates.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "base/words/name.hpp"

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

/// Options that choose how many instances there are say nothing of the machine that was asked about.
void note_fleet_options(const Request& request, std::vector<std::string>& notes) {
  if (request.redundancy || request.max_load)
    notes.push_back(
        say("redundancy and max_load choose instances (gpusel recommend); this is what the machine itself does"));
}

void note_thin_evidence(const Job& work, const Machine& machine, const physics::Coefficients& c,
                        std::vector<std::string>& notes) {
  if (work.counted) return;
  const catalog::Gpu& gpu = *machine.device.gpu;
  if (job::is_training(work.task) && !well_measured(gpu, c))
    notes.push_back(say("few measurements of training on {} are published: the intervals are wide", gpu.architecture));
}

/// What the figures of counted work do not say by themselves.
void note_departures(const Job& work, const Machine& machine, const physics::CountedChoice& choice,
                     std::vector<std::string>& notes) {
  const job::Counted& job = *work.counted;
  for (const physics::NamedFigure& figure : choice.figures.more)
    if (figure.key == "slowdown" && figure.value > 1)
      notes.push_back(
          say("it does not fit into the GPU's memory: the rest is in the host's, and it takes {:.2g} times as long",
              figure.value));
  const auto precision = choice.plan.precision;
  const bool computes = job::runs_model(work.task) && !machine.on_cpu() && choice.figures.lacks.empty();
  if (computes && !machine.device.native(precision))
    notes.push_back(say("{} is not in the hardware of {}; the next wider format does the work", to_text(precision),
                        machine.device.gpu->id));
  if (job.demand && choice.figures.rate > 0 && choice.figures.rate < *job.demand)
    notes.push_back(say("{} {} are asked for: {:.0f} such machines", human_number(*job.demand), say_name(job.unit.rate),
                        std::ceil(*job.demand / choice.figures.rate)));
}

/// Where the plan is not quite what was asked for.
void note_departures(const Job& work, const Machine& machine, const physics::InferenceChoice& choice,
                     std::vector<std::string>& notes) {
  const auto& plan = choice.plan;
  const auto used = std::int64_t{plan.tp} * plan.pp * plan.dp;
  if (used < machine.gpus() && work.inference.mode != job::Mode::single_stream)
    notes.push_back(say("{} of {} GPUs stand idle: they make up no replica", machine.gpus() - used, machine.gpus()));
  if (choice.speed && !choice.speed->weights_native && plan.weights->arithmetic != physics::Arithmetic::weight_only)
    notes.push_back(say("{} weights are widened to 16 bit on {}: they save memory, not arithmetic", plan.weights->name,
                        machine.device.gpu->architecture));
}

void note_departures(const Job& work, const Machine& machine, const physics::Choice& choice,
                     std::vector<std::string>& notes) {
  if (const auto* inference = std::get_if<physics::InferenceChoice>(&choice))
    return note_departures(work, machine, *inference, notes);
  if (const auto* counted = std::get_if<physics::CountedChoice>(&choice))
    return note_departures(work, machine, *counted, notes);
  const auto* training = std::get_if<physics::TrainingChoice>(&choice);
  const auto& plan = training->plan;
  if (!machine.device.native(plan.precision))
    notes.push_back(say("{} is not in the hardware of {}; the next wider format does the work", to_text(plan.precision),
                        machine.device.gpu->id));
  if (std::fmod(work.parameters.layers, plan.pp) != 0)
    notes.push_back(say("{:g} layers over {} stages: some hold one more than others", work.parameters.layers, plan.pp));
  if (work.training.offload != job::Offload::none)
    notes.push_back(say("offloading keeps {:.0f} GiB in the host memory of each node",
                        in_gib(physics::offloaded_states(work, plan.precision)) / machine.nodes));
  if (std::string other = batch_note(work, plan); !other.empty()) notes.push_back(std::move(other));
}

}  // namespace

void add_notes(EstimateAnswer& answer, const Request& request, const physics::Coefficients& c) {
  note_fleet_options(request, answer.notes);
  note_departures(answer.work, answer.machine, answer.choice, answer.notes);
  note_thin_evidence(answer.work, answer.machine, c, answer.notes);
}

void add_fit(EstimateAnswer& answer, std::span<const rules::Rule> rules, const physics::Coefficients& c) {
  rules::Facts facts;
  job_facts(facts, answer.work, false);
  plan_facts(facts, answer.work, answer.machine, answer.choice, c);
  facts.set(rules::Fact::is_cpu, answer.machine.on_cpu());
  answer.fit = judge_fit(rules, facts);
  if (!physics::fits(answer.choice)) return;
  for (const rules::Rule& rule : rules)
    if (rule.fit != rules::FitVerdict::fits && rules::fires(rule, facts))
      answer.notes.push_back(rules::verdict(rule, facts).message);
}

}  // namespace gpusel::answer
