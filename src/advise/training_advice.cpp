#include "advise/training_advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpusel/base/message.hpp"

namespace gpusel::advise {

namespace {

using estimate::Machine;
using estimate::TrainingPlan;
using workload::Checkpointing;
using workload::Sharding;
using workload::Workload;

constexpr double kWorthSaying = 0.03;  // share of speed below which a change is not worth a line
constexpr std::size_t kMostChanges = 4;

struct Change {
  std::string name;
  Workload work;
  TrainingPlan plan;
};

/// A change with what it comes to.
struct Effect {
  std::string name;
  Bytes total;
  double tokens_per_s = 0;
  bool fits = false;
};

class Adviser {
 public:
  Adviser(const Workload& work, const Machine& machine, const plan::TrainingChoice& choice,
          const estimate::Coefficients& c)
      : work_(work), machine_(machine), choice_(choice), c_(c) {}

  std::vector<std::string> run() const {
    std::vector<std::string> lines{dominant_memory()};
    if (choice_.speed) lines.push_back(say("most of the time is {}", choice_.speed->bound_by));
    if (choice_.runner_up.any) lines.push_back(runner_up());
    for (std::string& line : changes()) lines.push_back(std::move(line));
    return lines;
  }

 private:
  Bytes total() const { return choice_.memory.total(); }
  double speed() const { return choice_.speed ? choice_.speed->tokens_per_s : 0; }

  std::string dominant_memory() const {
    const auto& m = choice_.memory;
    const std::array<std::pair<Bytes, std::string>, 6> parts{{{m.weights, say("weights")},
                                                              {m.gradients, say("gradients")},
                                                              {m.optimizer, say("optimiser states")},
                                                              {m.activations, say("activations")},
                                                              {m.workspace, say("workspace")},
                                                              {m.framework, say("framework")}}};
    const auto& [bytes, name] =
        *std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return say("most memory goes to {}: {:.1f} of {:.1f} GiB", name, in_gib(bytes), in_gib(total()));
  }

  std::string runner_up() const {
    const auto& other = choice_.runner_up;
    const std::string name = plan::layout_text(other.plan);
    if (!other.fits)
      return say("next best, {}: needs {:.1f} GiB of {:.1f}", name, in_gib(other.total),
                 in_gib(machine_.device.usable));
    return say("next best, {}: {:.0f} % slower", name, (1 - other.tokens_per_s / speed()) * 100);
  }

  std::vector<Change> possible() const {
    std::vector<Change> out;
    const TrainingPlan& now = choice_.plan;
    const auto add = [&](std::string name, auto edit) {
      Change change{std::move(name), work_, now};
      edit(change);
      out.push_back(std::move(change));
    };
    if (now.checkpointing != Checkpointing::full)
      add(say("full checkpointing"), [](Change& x) { x.plan.checkpointing = Checkpointing::full; });
    if (now.checkpointing != Checkpointing::none)
      add(say("no checkpointing"), [](Change& x) { x.plan.checkpointing = Checkpointing::none; });
    if (now.dp % 2 == 0 && now.tp * 2 <= machine_.gpus_per_node &&
        std::fmod(work_.model->heads.value_or(1), now.tp * 2) == 0)
      add(say("tp {}", now.tp * 2), [](Change& x) {
        x.plan.tp *= 2;
        x.plan.dp /= 2;
        x.plan.grad_accum *= 2;
      });
    if (now.grad_accum % 2 == 0 || !work_.training.global_batch)
      add(say("micro-batch {} → {}", now.micro_batch, now.micro_batch * 2), [](Change& x) {
        x.plan.micro_batch *= 2;
        x.plan.grad_accum = std::max<std::int64_t>(1, x.plan.grad_accum / 2);
      });
    if (now.micro_batch % 2 == 0)
      add(say("micro-batch {} → {}", now.micro_batch, now.micro_batch / 2), [](Change& x) {
        x.plan.micro_batch /= 2;
        x.plan.grad_accum *= 2;
      });
    if (now.dp > 1 && now.pp == 1 && now.sharding != Sharding::zero3 && now.sharding != Sharding::fsdp)
      add(say("zero3"), [](Change& x) { x.plan.sharding = Sharding::zero3; });
    if (work_.training.optimizer == workload::Optimizer::adamw)
      add(say("8-bit AdamW"), [](Change& x) { x.work.training.optimizer = workload::Optimizer::adamw8bit; });
    if (work_.training.method == workload::Method::full && work_.task == workload::Task::finetune)
      add(say("LoRA of rank 16"), [](Change& x) {
        x.work.training.method = workload::Method::lora;
        x.work.training.lora_rank = 16;
      });
    if (work_.training.method == workload::Method::lora)
      add(say("QLoRA"), [](Change& x) { x.work.training.method = workload::Method::qlora; });
    return out;
  }

  Effect weigh(const Change& change) const {
    Effect effect{change.name, estimate::training_memory(change.work, machine_, change.plan, c_).total(), 0, false};
    effect.fits = effect.total <= machine_.device.usable;
    if (const auto faster = estimate::training_speed(change.work, machine_, change.plan, c_))
      effect.tokens_per_s = faster->tokens_per_s;
    return effect;
  }

  std::vector<std::string> changes() const {
    std::vector<Effect> effects;
    for (const Change& change : possible()) {
      const Effect effect = weigh(change);
      const bool helps =
          choice_.fits ? effect.fits && effect.tokens_per_s > speed() * (1 + kWorthSaying) : effect.total < total();
      if (helps) effects.push_back(effect);
    }
    // What fits comes first; then the fastest, or where nothing fits what saves most.
    std::stable_sort(effects.begin(), effects.end(), [](const Effect& a, const Effect& b) {
      if (a.fits != b.fits) return a.fits;
      return a.fits ? a.tokens_per_s > b.tokens_per_s : a.total < b.total;
    });
    if (effects.size() > kMostChanges) effects.resize(kMostChanges);
    std::vector<std::string> lines;
    for (const Effect& effect : effects) lines.push_back(line(effect));
    return lines;
  }

  std::string line(const Effect& effect) const {
    const double saved = in_gib(total() - effect.total);
    if (!choice_.fits)
      return effect.fits ? say("{} saves {:.1f} GiB: it fits", effect.name, saved)
                         : say("{} saves {:.1f} GiB, not enough alone", effect.name, saved);
    const double gain = (effect.tokens_per_s / speed() - 1) * 100;
    return saved < 0 ? say("{} is worth {:.0f} % and takes {:.1f} GiB more", effect.name, gain, -saved)
                     : say("{} is worth {:.0f} % and saves {:.1f} GiB", effect.name, gain, saved);
  }

  const Workload& work_;
  const Machine& machine_;
  const plan::TrainingChoice& choice_;
  const estimate::Coefficients& c_;
};

}  // namespace

std::vector<std::string> training_advice(const Workload& work, const Machine& machine,
                                         const plan::TrainingChoice& choice, const estimate::Coefficients& c) {
  return Adviser(work, machine, choice, c).run();
}

}  // namespace gpusel::advise
