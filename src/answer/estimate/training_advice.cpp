#include "answer/estimate/training_advice.hpp"

#include <algorithm>
#include <cmath>

#include "answer/estimate/estimate_notes.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Checkpointing;
using job::Job;
using job::Method;
using job::Precision;
using job::Sharding;
using physics::Layout;
using physics::Machine;
using physics::StepBudget;

constexpr double kTrainingGain = 0.03;  // share of speed below which a change is not worth a line
constexpr std::size_t kMostTrainingChanges = 4;
constexpr int kMostGpus = 4096;  // beyond this nobody is helped by more

struct TrainingChange {
  std::string name;
  Job work;
  Layout layout;
  double network = 1;   // times what there is
  bool replan = false;  // another job, for which the planner chooses anew
};

/// A change with what it comes to.
struct TrainingEffect {
  std::string name;
  Bytes needed;
  double tokens_per_s = 0;
  bool fits = false;
};

class TrainingAdviser {
 public:
  TrainingAdviser(const Job& work, const Machine& machine, const physics::Plan& plan, const physics::Coefficients& c)
      : work_(work), machine_(machine), plan_(plan), c_(c) {}

  std::vector<std::string> run() const {
    std::vector<std::string> lines{dominant_memory()};
    if (plan_.rate > 0) lines.push_back(dominant_time());
    if (plan_.fits && plan_.runner_up) lines.push_back(runner_up());
    for (std::string& line : changes()) lines.push_back(std::move(line));
    if (!plan_.fits) lines.push_back(more_gpus());
    return lines;
  }

 private:
  double speed() const { return plan_.rate; }

  std::string dominant_memory() const {
    const auto& m = plan_.memory;
    const std::pair<Bytes, std::string> parts[] = {{m.weights, say("weights")},
                                                   {m.gradients, say("gradients")},
                                                   {m.optimizer, say("optimizer states")},
                                                   {m.activations, say("activations")},
                                                   {m.workspace, say("workspace (logits, buffers, slack)")},
                                                   {m.framework, say("framework")}};
    return most_memory(parts, plan_.memory.total());
  }

  /// "compute takes 88 % of a step, communication 9 %": what is below a twentieth is left out.
  std::string dominant_time() const {
    constexpr double kWorthNaming = 0.05;
    const auto& budget = plan_.training->budget;
    std::vector<StepBudget::Named> parts;
    for (const auto& part : budget.bounds()) parts.push_back(part);
    parts.emplace_back(budget.bubble, "the pipeline's bubble");
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string line;
    for (const auto& [time, name] : parts) {
      const double share = time / plan_.training->step;
      if (line.empty())
        line = say("{} takes {:.0f} % of a step", name, share * 100);
      else if (share >= kWorthNaming)
        line += say(", {} {:.0f} %", name, share * 100);
    }
    return line;
  }

  std::string runner_up() const {
    const auto& other = *plan_.runner_up;
    std::string name = physics::layout_text(work_, other.layout);
    if (other.layout.checkpointing == Checkpointing::none && plan_.layout.checkpointing != Checkpointing::none)
      name += say(", nothing recomputed");
    name += say(", micro-batch {}", other.layout.micro_batch);
    if (!other.fits && other.needed <= machine_.device.usable)
      return say("next best, {}: needs {:.1f} GiB of {:.1f}, too little to spare", name, in_gib(other.needed),
                 in_gib(machine_.device.usable));
    if (!other.fits)
      return say("next best, {}: needs {:.1f} GiB of {:.1f}", name, in_gib(other.needed),
                 in_gib(machine_.device.usable));
    const double gpus = machine_.gpus();
    const double slower = (1 - other.rate / speed()) * 100;
    if (slower <= -0.5)
      return say("next best, {}: {:.0f} % faster, too little for dividing further, and needs {:.1f} GiB", name, -slower,
                 in_gib(other.needed));
    if (slower < 0.5) return say("next best, {}: same speed, needs {:.1f} GiB", name, in_gib(other.needed));
    return say("next best, {}: {:.0f} tokens/s per GPU against {:.0f}, {:.0f} % less{}", name, other.rate / gpus,
               speed() / gpus, slower, why_slower(other));
  }

  /// Which part of a token's time grew most.
  std::string why_slower(const physics::RunnerUp& other) const {
    const auto theirs = physics::training_speed(work_, machine_, other.layout, c_);
    if (!theirs || speed() <= 0 || other.rate >= speed()) return {};
    const auto per_token = [](const physics::TrainingSpeed& s, Seconds time) {
      return time.raw() / (s.tokens_per_s * s.step.raw());
    };
    const auto mine_parts = plan_.training->budget.bounds();
    const auto their_parts = theirs->budget.bounds();
    double most = per_token(*theirs, theirs->budget.bubble) - per_token(*plan_.training, plan_.training->budget.bubble);
    std::string_view name = "the pipeline's bubble";
    for (std::size_t i = 0; i < mine_parts.size(); ++i) {
      const double more = per_token(*theirs, their_parts[i].first) - per_token(*plan_.training, mine_parts[i].first);
      if (more > most) {
        most = more;
        name = mine_parts[i].second;
      }
    }
    return most > 0 ? say(", lost to {}", name) : std::string{};
  }

  std::vector<TrainingChange> possible() const {
    std::vector<TrainingChange> out;
    add_layouts(out);
    add_batches(out);
    add_kernels(out);
    add_traffic(out);
    if (!plan_.fits) add_savings(out);
    return out;
  }

  template <class Edit>
  void add(std::vector<TrainingChange>& out, std::string name, Edit edit) const {
    TrainingChange change{std::move(name), work_, plan_.layout};
    edit(change);
    out.push_back(std::move(change));
  }

  void add_layouts(std::vector<TrainingChange>& out) const {
    const Layout& now = plan_.layout;
    const bool splits = physics::splits_models(work_.training);
    // Twice the ranks of one kind, half the data-parallel ones, and the same batch.
    const auto instead_of_dp = [](TrainingChange& x, int Layout::* degree) {
      x.layout.*degree *= 2;
      x.layout.dp /= 2;
      x.layout.grad_accum *= 2;
    };
    if (now.dp % 2 == 0 && splits) {
      if (now.tp * 2 <= machine_.gpus_per_node && divides(now.tp * 2, work_.model->heads) &&
          divides(now.tp * 2, work_.model->is_mla() ? work_.model->heads : work_.model->kv_heads))
        add(out, say("tp {}", now.tp * 2), [&](TrainingChange& x) { instead_of_dp(x, &Layout::tp); });
      if (std::fmod(work_.parameters.layers, now.pp * 2) == 0)
        add(out, say("pp {}", now.pp * 2), [&](TrainingChange& x) { instead_of_dp(x, &Layout::pp); });
      if (work_.training.seq_len >= kLongSequence)
        add(out, say("cp {}", now.cp * 2), [&](TrainingChange& x) { instead_of_dp(x, &Layout::cp); });
    }
    if (splits && work_.model->is_moe() && now.dp * now.cp % (now.ep * 2) == 0 &&
        divides(now.ep * 2, work_.model->experts))
      add(out, say("ep {}", now.ep * 2), [](TrainingChange& x) { x.layout.ep *= 2; });
    if (now.dp > 1 && now.pp == 1 && now.sharding != Sharding::zero3 && now.sharding != Sharding::fsdp)
      add(out, say("zero3"), [](TrainingChange& x) { x.layout.sharding = Sharding::zero3; });
    if (now.dp > 1 && now.pp > 1 && now.sharding != Sharding::zero1)
      add(out, say("zero1"), [](TrainingChange& x) { x.layout.sharding = Sharding::zero1; });
  }

  static constexpr std::int64_t kLongSequence = 16384;
  static bool divides(int part, const catalog::Number& whole) { return whole && std::fmod(*whole, part) == 0; }

  void add_batches(std::vector<TrainingChange>& out) const {
    const Layout& now = plan_.layout;
    for (const Checkpointing kind : {Checkpointing::none, Checkpointing::selective, Checkpointing::full})
      if (physics::can_checkpoint(work_, kind) && (kind != now.checkpointing || physics::is_partial(now)))
        add(out, kind == Checkpointing::none ? say("no checkpointing") : say("{} checkpointing", to_text(kind)),
            [kind](TrainingChange& x) {
              x.layout.checkpointing = kind;
              x.layout.recomputed = 1;
            });
    add_larger_batch(out);
    if (now.micro_batch % 2 == 0)
      add(out, say("micro-batch {} → {}", now.micro_batch, now.micro_batch / 2), [](TrainingChange& x) {
        x.layout.micro_batch /= 2;
        x.layout.grad_accum *= 2;
      });
  }

  /// The micro-batch from which doubling brings next to nothing, or more than there is room for.
  void add_larger_batch(std::vector<TrainingChange>& out) const {
    TrainingChange best{{}, work_, plan_.layout};
    double reached = speed();
    while (best.layout.grad_accum % 2 == 0 || !work_.training.global_batch) {
      TrainingChange next = best;
      next.layout.micro_batch *= 2;
      next.layout.grad_accum = std::max<std::int64_t>(1, next.layout.grad_accum / 2);
      const TrainingEffect effect = weigh(next);
      if (!effect.fits || effect.tokens_per_s < reached * (1 + kTrainingGain)) break;
      reached = effect.tokens_per_s;
      best = std::move(next);
    }
    if (best.layout.micro_batch == plan_.layout.micro_batch) return;
    best.name = say("micro-batch {} → {}", plan_.layout.micro_batch, best.layout.micro_batch);
    out.push_back(std::move(best));
  }

  void add_kernels(std::vector<TrainingChange>& out) const {
    const Layout& now = plan_.layout;
    const catalog::Gpu& gpu = *machine_.device.gpu;
    if (!now.flash_attention && physics::has_flash_attention(gpu))
      add(out, say("FlashAttention"), [](TrainingChange& x) { x.layout.flash_attention = true; });
    const bool splits = physics::splits_models(work_.training);  // those that have fp8 recipes too
    if (splits && now.precision == Precision::bf16 && machine_.device.native(Precision::fp8))
      add(out, say("fp8 arithmetic"), [](TrainingChange& x) { x.layout.precision = Precision::fp8; });
  }

  /// Where the GPUs wait for each other: a faster network, or steps that come less often.
  void add_traffic(std::vector<TrainingChange>& out) const {
    constexpr double kWaits = 0.15;
    if (speed() <= 0 || plan_.training->budget.communication < plan_.training->step * kWaits) return;
    if (machine_.nodes > 1)
      add(out, say("a network of {:g} Gbit/s between nodes", machine_.network.raw() * 4 * 8 / 1e9),
          [](TrainingChange& x) { x.network = 4; });
    add(out, say("a global batch of {}", plan_.layout.global_batch() * 2),
        [](TrainingChange& x) { x.layout.grad_accum *= 2; });
  }

  /// What changes the job itself is worth a line only where it does not fit as it is.
  void add_savings(std::vector<TrainingChange>& out) const {
    const auto& job = work_.training;
    const bool finetunes = work_.task == job::Task::finetune;
    const auto other_job = [&](std::string name, auto edit) {
      add(out, std::move(name), [&](TrainingChange& x) {
        edit(x.work.training);
        x.replan = true;
      });
    };
    const auto adapters = [&](job::Training& t, Method method) {
      t.method = method;
      if (t.lora_rank == 0) t.lora_rank = 16;
      t.lora_targets = work_.model->is_moe() ? job::kAttentionTargets : job::kLinearTargets;
    };
    if (job.optimizer == job::Optimizer::adamw && job.method == Method::full)
      other_job(say("8-bit AdamW"), [&](auto& t) {
        t.optimizer = job::Optimizer::adamw8bit;
        if (t.recipe_open && finetunes) t.recipe = job::Recipe::pure;  // it keeps no master copies
      });
    if (job.offload == job::Offload::none && job.method == Method::full)
      other_job(say("the optimizer in host memory"), [](auto& t) { t.offload = job::Offload::optimizer; });
    if (job.method == Method::full && finetunes)
      other_job(say("LoRA of rank 16"), [&](auto& t) { adapters(t, Method::lora); });
    if (finetunes && (job.method == Method::full || job.method == Method::lora))
      other_job(say("QLoRA"), [&](auto& t) { adapters(t, Method::qlora); });
    if (job.seq_len > 512)
      other_job(say("cutting sequences to {} tokens", job.seq_len / 2), [](auto& t) { t.seq_len /= 2; });
  }

  Bytes needed() const { return plan_.need.needed; }
  bool is_likely(const physics::MemoryNeed& need) const { return need.likely(physics::least_chance(work_, c_)); }

  TrainingEffect weigh(const TrainingChange& change) const {
    Machine machine = machine_;
    machine.network = machine.network * change.network;
    if (change.replan) {
      const auto planned = physics::plan_training(change.work, machine, c_);
      if (!planned) return {change.name, needed(), 0, false};
      return {change.name, planned->need.needed, planned->rate, is_likely(planned->need)};
    }
    physics::Plan changed;
    changed.layout = change.layout;
    changed.memory = physics::training_memory(change.work, machine, change.layout, c_);
    const physics::MemoryNeed need = physics::memory_need(change.work, machine, changed, c_);
    TrainingEffect effect{change.name, need.needed, 0, is_likely(need)};
    if (const auto faster = physics::training_speed(change.work, machine, change.layout, c_))
      effect.tokens_per_s = faster->tokens_per_s;
    return effect;
  }

  std::vector<std::string> changes() const {
    std::vector<TrainingEffect> effects;
    for (const TrainingChange& change : possible()) {
      const TrainingEffect effect = weigh(change);
      const bool helps = plan_.fits ? effect.fits && effect.tokens_per_s > speed() * (1 + kTrainingGain)
                                    : in_gib(needed() - effect.needed) >= kWorthGib;
      if (helps) effects.push_back(effect);
    }
    // What fits comes first; then the fastest, or where nothing fits what saves most.
    std::stable_sort(effects.begin(), effects.end(), [](const TrainingEffect& a, const TrainingEffect& b) {
      if (a.fits != b.fits) return a.fits;
      return a.fits ? a.tokens_per_s > b.tokens_per_s : a.needed < b.needed;
    });
    if (effects.size() > kMostTrainingChanges) effects.resize(kMostTrainingChanges);
    std::vector<std::string> lines;
    for (const TrainingEffect& effect : effects) lines.push_back(line(effect));
    return lines;
  }

  static constexpr double kWorthGib = 0.05;

  std::string line(const TrainingEffect& effect) const {
    const double saved = in_gib(needed() - effect.needed);
    if (!plan_.fits && effect.fits)
      return say("{} saves {:.1f} GiB: it fits, at {:.0f} tokens/s", effect.name, saved, effect.tokens_per_s);
    if (!plan_.fits) return say("{} saves {:.1f} GiB, not enough on its own", effect.name, saved);
    const double gain = (effect.tokens_per_s / speed() - 1) * 100;
    if (std::abs(saved) < kWorthGib) return say("{} adds {:.0f} %", effect.name, gain);
    return saved < 0 ? say("{} adds {:.0f} % and needs {:.1f} GiB more", effect.name, gain, -saved)
                     : say("{} adds {:.0f} % and saves {:.1f} GiB", effect.name, gain, saved);
  }

  /// The fewest GPUs of the kind, doubling, that the same job fits on.
  std::string more_gpus() const {
    Job work = work_;
    work.pins = {};
    work.training.sharding = {};
    Machine machine = machine_;
    if (machine.network.raw() <= 0)
      machine.network = machine.link_bandwidth.raw() > 0 ? machine.link_bandwidth : gbit_per_s(100);
    // A node is filled before there are several.
    while (machine.gpus() * 2 <= kMostGpus) {
      (machine.gpus_per_node < 8 ? machine.gpus_per_node : machine.nodes) *= 2;
      const auto planned = physics::plan_training(work, machine, c_);
      if (planned && is_likely(planned->need))
        return say("{} of these GPUs would fit it: {}, {:.1f} GiB each", machine.gpus(),
                   physics::layout_text(work, planned->layout), in_gib(planned->need.needed));
    }
    return say("no number of these GPUs fits this job as is");
  }

  const Job& work_;
  const Machine& machine_;
  const physics::Plan& plan_;
  const physics::Coefficients& c_;
};

}  // namespace

std::vector<std::string> training_advice(const Job& work, const Machine& machine, const physics::Plan& plan,
                                         const physics::Coefficients& c) {
  return TrainingAdviser(work, machine, plan, c).run();
}

}  // namespace gpusel::answer
