#include <algorithm>
#include <cmath>
#include <span>

#include "base/words/message.hpp"
#include "physics/planner/legal.hpp"
#include "physics/planner/plan.hpp"
#include "physics/planner/runners_up.hpp"
#include "physics/training/training_estimator.hpp"

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::Count;
using job::Job;
using job::Precision;
using job::Sharding;

/// A step may differ by this share from the batch asked for where GPUs do not divide it.
constexpr double kBatchTolerance = 0.1;
/// Sequences of a step whose batch is left open: what fits and fills the GPU decides.
constexpr std::int64_t kAnyBatch = 1 << 20;
/// What dividing a job further must bring, simpler layouts being tried first: fewer things can go wrong with them.
constexpr double kWorthDividing = 1.03;
/// Share of a step from which communication is worth looking for layouts that have less: what those can bring.
constexpr double kWorthAvoiding = 0.03;
constexpr int kMostStages = 64;
constexpr int kMostExpertRanks = 64;
/// Tokens from which sequences are worth dividing over context ranks.
constexpr std::int64_t kLongSequence = 16384;
/// Tokens per pass from which a larger micro-batch brings next to nothing.
constexpr double kEnoughTokens = 4096;

std::unexpected<Error> impossible(std::string message, std::string_view key) {
  return usage_error(std::move(message), std::string(key));
}

/// One complete layout.
struct TrainingCandidate {
  bool likely = false;  // to fit, as it is asked for
  Layout layout;
  MemoryBreakdown memory;
  MemoryNeed need;
  std::optional<TrainingSpeed> speed;
};

RunnerUp as_runner_up(const TrainingCandidate& one) {
  return {.layout = one.layout,
          .fits = one.likely,
          .needed = one.need.needed,
          .rate = one.speed ? one.speed->tokens_per_s : 0};
}

/// TrainingSearch over the degrees and choices that are open, for one machine.
class TrainingSearch {
 public:
  TrainingSearch(const Job& work, const Machine& machine, const physics::Coefficients& coefficients)
      : work_(work),
        job_(work.training),
        framework_(*work.training.framework_record),
        machine_(machine),
        estimator_(work, machine, coefficients),
        least_chance_(least_chance(work, coefficients)) {
    const bool quantised = job_.method == job::Method::qlora;  // NF4 is not divided
    may_split_ = !quantised && splits_models(job_);
    base_.precision = training_precision(job_, machine_.device);
    const bool half = base_.precision != Precision::fp32 && base_.precision != Precision::tf32;
    base_.flash_attention = job_.flash_attention.value_or(half && physics::has_flash_attention(*machine_.device.gpu));
  }

  void run() {
    search();
    if (!likely() && may_split_) {  // what the framework does not usually do
      last_resort_ = true;
      search();
    }
  }

  /// Whether some plan fits with the chance that is asked for.
  bool likely() const { return best_.likely; }
  bool any() const { return any_; }

  /// For more GPUs than sequences per step, however they are split.
  void grow_batch() {
    batch_may_grow_ = true;
    search();
  }

  Result<Plan> plan() {
    if (!any_) return no_layout();
    return finished();
  }

 private:
  void search() {
    try_layout(1, 1);
    if (needs_more() && (splits_models(job_) || !is_assumed(work_, "framework"))) try_splits();
  }

  int pinned(const Count& pin, int open) const { return pin ? static_cast<int>(*pin) : open; }

  std::unexpected<Error> no_layout() const {
    if (work_.pins.ep)
      return impossible(
          say("ep {} does not divide the data-parallel ranks of {} GPUs", *work_.pins.ep, machine_.gpus()), "ep");
    if (const Count& dp = work_.pins.dp; dp && machine_.gpus() % *dp == 0 && !splits_models(job_))
      return usage_error(say("{} cannot split layers, but dp is {} of {} GPUs", job_.framework, *dp, machine_.gpus()),
                         "dp", say("dp {}, or --framework megatron", machine_.gpus()));
    return impossible(say("no valid layout of {} GPUs for this model", machine_.gpus()), "gpus");
  }

  /// Data parallelism alone is simplest and usually fastest; splits are for what does not fit, recomputes
  /// everything to fit, waits for communication, or has experts to spread over nodes.
  bool needs_more() const {
    if (!best_.likely || !best_.speed || best_.speed->budget.communication > best_.speed->step * kWorthAvoiding)
      return true;
    return best_.layout.checkpointing == Checkpointing::full && !job_.checkpointing;
  }

  void try_splits() {
    const int node = machine_.gpus_per_node;
    const int most = may_split_ && may(framework_.parallel, "tensor") ? node : 1;
    const bool stages = may_split_ && may(framework_.parallel, "pipeline");
    for (int tp = 1; tp <= most; tp = tp * 2 > node && tp < node ? node : tp * 2)
      for (int pp = 1; pp <= (stages ? std::min(kMostStages, machine_.gpus() / tp) : 1); pp *= 2)
        if (tp * pp > 1) try_layout(tp, pp);
    if (job_.seq_len < kLongSequence || !may(framework_.parallel, "context")) return;
    for (cp_ = 2; cp_ <= node; cp_ *= 2) {
      if (!divides(cp_, static_cast<double>(job_.seq_len))) break;
      try_layout(1, 1);
      if (most > 1) try_layout(std::max(1, node / cp_), 1);
    }
    cp_ = 1;
  }

  void try_layout(int tp, int pp) {
    Layout layout = base_;
    layout.tp = pinned(work_.pins.tp, tp);
    layout.pp = pinned(work_.pins.pp, pp);
    layout.cp = pinned(work_.pins.cp, cp_);
    const std::int64_t split = std::int64_t{layout.tp} * layout.pp * layout.cp;
    const bool tp_legal =
        work_.pins.tp || (tp_divides_heads(*work_.model, layout.tp) && layout.tp <= machine_.gpus_per_node);
    const bool pp_legal =
        work_.pins.pp || (spread_evenly(work_.parameters.layers, layout.pp) && chunks_divide(layout.pp));
    if (!tp_legal || !pp_legal || split > machine_.gpus() || machine_.gpus() % split != 0) return;
    layout.dp = static_cast<int>(machine_.gpus() / split);
    if (work_.pins.dp && *work_.pins.dp != layout.dp) return;
    if (!batch_may_grow_ && !batch_divides(layout)) return;
    if (!batch_may_grow_ && !work_.pins.pp && sequences_per_rank(layout) < layout.pp) return;  // most stages would idle
    for (const int ep : expert_degrees(layout)) {
      layout.ep = ep;
      bool roomy = false;
      for (const Sharding sharding : wanted_shardings(layout)) {
        if (layout.pp > 1 && !stages_can(job_, sharding)) continue;
        if (!job_.sharding && !may(framework_.sharding, to_text(sharding))) continue;
        // Gathering weights brings nothing where whole ones leave room for all activations.
        if (roomy && gathers_weights(sharding)) continue;
        layout.sharding = sharding;
        const Room room = try_checkpointing(layout);
        roomy = roomy || (room == Room::for_all && sharding == Sharding::ddp);
        // Sections a pretraining's layout that somebody gave, unsaid sharding is the plainest there is room for.
        if (room != Room::none && gives_layout()) break;
      }
    }
  }

  static bool gathers_weights(Sharding sharding) { return sharding == Sharding::zero3 || sharding == Sharding::hsdp; }

  bool gives_layout() const {
    return work_.task == job::Task::pretrain && (work_.pins.tp || work_.pins.pp || work_.pins.cp);
  }

  bool chunks_divide(int stages) const {
    return !job_.virtual_pipeline || stages == 1 ||
           divides(*job_.virtual_pipeline, std::ceil(work_.parameters.layers / stages));
  }

  /// Whether the data-parallel ranks can share the batch asked for, give or take the tolerance.
  bool batch_divides(Layout layout) const {
    if (!job_.global_batch || work_.pins.dp || job_.grad_accum || job_.micro_batch) return true;
    set_micro_batch(layout, 1);
    return keeps_batch(layout);
  }

  /// Experts over the node's ranks, and over as many of all as divide them evenly; beyond the data-parallel
  /// ranks they take the tensor ranks, each holding whole experts. Holds until it is asked again.
  std::span<const int> expert_degrees(const Layout& layout) {
    static constexpr int kTogether[] = {1};
    const std::int64_t ranks = std::int64_t{layout.dp} * layout.cp * layout.tp;
    if (!work_.model->is_moe() || (!work_.pins.ep && !may_split_)) return kTogether;
    if (!work_.pins.ep && !may(framework_.parallel, "expert")) return kTogether;
    degrees_.clear();
    if (const Count& ep = work_.pins.ep) {
      if (ranks % *ep == 0) degrees_.push_back(static_cast<int>(*ep));
      return degrees_;
    }
    const auto legal = [&](int ep) { return divides(ep, *work_.model->experts) && ranks % ep == 0; };
    degrees_.push_back(1);
    for (int ep = 2; ep <= std::min<std::int64_t>(ranks, kMostExpertRanks) && legal(ep); ep *= 2) {
      if (ep <= machine_.gpus_per_node / layout.tp) degrees_.clear();  // inside a node the widest is best
      degrees_.push_back(ep);
    }
    return degrees_;
  }

  std::span<const Sharding> wanted_shardings(const Layout& layout) const {
    static constexpr Sharding kWhole[] = {Sharding::none};
    static constexpr Sharding kGathered[] = {Sharding::zero3};
    static constexpr Sharding kOffloaded[] = {Sharding::zero2, Sharding::zero3};
    static constexpr Sharding kAdapter[] = {Sharding::ddp, Sharding::zero3};
    static constexpr Sharding kAdapterNodes[] = {Sharding::ddp, Sharding::zero3, Sharding::hsdp};
    static constexpr Sharding kStages[] = {Sharding::zero1};
    static constexpr Sharding kMegatron[] = {Sharding::ddp, Sharding::zero1};
    static constexpr Sharding kNode[] = {Sharding::ddp, Sharding::zero2, Sharding::zero3};
    static constexpr Sharding kNodes[] = {Sharding::ddp, Sharding::zero2, Sharding::zero3, Sharding::hsdp};
    if (job_.sharding) return {&*job_.sharding, 1};
    if (layout.dp * layout.cp == 1) return kWhole;
    // The host keeps one copy of what is offloaded, not one for each rank.
    if (job_.offload == job::Offload::params) return kGathered;
    if (job_.offload == job::Offload::optimizer && layout.pp == 1) return kOffloaded;
    // Megatron divides the optimiser; gathering weights is the last resort.
    const bool megatron = framework_.megatron_core();
    if (layout.pp == 1 && megatron && last_resort_) return kGathered;
    if (job::trains_adapter(job_.method) && !megatron)
      return machine_.nodes > 1 ? std::span<const Sharding>(kAdapterNodes) : kAdapter;
    if (layout.pp > 1) return kStages;  // gathering weights for every micro-batch undoes the pipeline
    if (megatron) return kMegatron;
    return machine_.nodes > 1 ? std::span<const Sharding>(kNodes) : kNode;
  }

  enum class Room : std::uint8_t { none, some, for_all };

  /// Whether it is likely to fit at all, and with everything kept.
  Room try_checkpointing(Layout layout) {
    if (!job_.checkpointing) {  // where recomputing everything leaves no room, nothing does
      layout.checkpointing = Checkpointing::full;
      set_micro_batch(layout, pinned_micro_batch(layout).value_or(1));
      if (const TrainingCandidate least = weighed(layout); !least.likely) {
        note_misfit(least);
        return Room::none;
      }
    }
    Room room = Room::none;
    for (const Checkpointing kind : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
      if (job_.checkpointing ? *job_.checkpointing != kind : !physics::can_checkpoint(work_, kind)) continue;
      layout.checkpointing = kind;
      const double tokens = try_micro_batches(layout);
      if (tokens > 0 && room == Room::none) room = kind == Checkpointing::none ? Room::for_all : Room::some;
      // Recomputing would only cost time, but where every pass gathers the weights: larger ones gather less often.
      if (tokens >= kEnoughTokens && !gathers_weights(layout.sharding)) break;
    }
    return room;
  }

  /// Asked for, or what a batch in so many passes comes to.
  Count pinned_micro_batch(const Layout& layout) const {
    if (job_.micro_batch || !job_.grad_accum || !job_.global_batch) return job_.micro_batch;
    const std::int64_t parts = layout.dp * *job_.grad_accum;
    return std::max<std::int64_t>(1, (*job_.global_batch + parts / 2) / parts);
  }

  std::int64_t sequences_per_rank(const Layout& layout) const {
    if (!job_.global_batch) return job_.micro_batch.value_or(kAnyBatch) * job_.grad_accum.value_or(1);
    return std::max<std::int64_t>(1, (*job_.global_batch + layout.dp / 2) / layout.dp);
  }

  void set_micro_batch(Layout& layout, std::int64_t micro) const {
    layout.micro_batch = micro;
    const std::int64_t rank = sequences_per_rank(layout);
    layout.grad_accum = job_.grad_accum.value_or(std::max<std::int64_t>(1, (rank + micro / 2) / micro));
  }

  /// Whether the plan's step is close enough to the batch that was asked for.
  bool keeps_batch(const Layout& layout) const {
    if (!job_.global_batch) return true;
    const auto asked = static_cast<double>(*job_.global_batch);
    return std::abs(static_cast<double>(layout.global_batch()) - asked) <= kBatchTolerance * asked;
  }

  /// Tries the largest micro-batch that fits and smaller ones; returns the tokens per pass of the
  /// largest, 0 when none fits.
  double try_micro_batches(Layout layout) {
    if (const auto micro = pinned_micro_batch(layout)) {
      set_micro_batch(layout, *micro);
      return consider(layout) ? kEnoughTokens : 0;
    }
    const std::int64_t most = sequences_per_rank(layout);
    set_micro_batch(layout, 1);
    if (!consider(layout)) return 0;
    std::int64_t largest = 1;
    // Memory grows in proportion to the micro-batch, so doubling finds the end in a few steps.
    for (std::int64_t micro = 2; micro <= most; micro *= 2) {
      set_micro_batch(layout, micro);
      if (!keeps_batch(layout)) continue;
      if (!consider(layout)) break;
      largest = micro;
      if (static_cast<double>(micro * job_.seq_len) >= 4 * kEnoughTokens) break;
    }
    return largest == most ? kEnoughTokens : static_cast<double>(largest * job_.seq_len);
  }

  /// A plan and its chance; its speed only where that is worth knowing.
  TrainingCandidate weighed(const Layout& layout) {
    TrainingCandidate out{false, layout, estimator_.memory(layout), {}, {}};
    out.need = estimator_.need(layout, out.memory);
    out.likely = out.need.likely(least_chance_);
    return out;
  }

  /// The plan that checkpoints as few layers as it may to be likely to fit, where `all` does so with every layer.
  TrainingCandidate least_recomputed(TrainingCandidate all) {
    if (!physics::recomputes_by_layer(work_) || !all.likely) return all;
    int fewest = 0;  // layers
    int most = static_cast<int>(work_.parameters.layers);
    const auto with = [&](int recomputed) {
      Layout layout = all.layout;
      layout.recomputed = recomputed / work_.parameters.layers;
      return weighed(layout);
    };
    TrainingCandidate least = all;
    while (fewest < most) {
      const int middle = (fewest + most) / 2;
      if (TrainingCandidate one = with(middle); one.likely) {
        least = std::move(one);
        most = middle;
      } else {
        fewest = middle + 1;
      }
    }
    return least.need.needed < all.need.needed ? all : least;  // where recomputing frees nothing
  }

  /// A plan that is not likely to fit: the likeliest is what is reported where none is.
  void note_misfit(const TrainingCandidate& one) {
    others_.add(as_runner_up(one));
    if (best_.likely || (any_ && !one.need.surer_than(best_.need))) return;
    best_ = one;
    any_ = true;
  }

  /// Weighs one complete plan against the best so far; whether it is likely to fit.
  bool consider(const Layout& layout) {
    TrainingCandidate one = weighed(layout);
    if (!job_.checkpointing && layout.checkpointing == Checkpointing::full) one = least_recomputed(std::move(one));
    if (!one.likely) {
      note_misfit(one);
      return false;
    }
    one.speed = estimator_.speed(one.layout);
    const double worth = same_division(one.layout, best_.layout) ? 1.0001 : kWorthDividing;
    const bool better = !any_ || !best_.likely || !best_.speed ||
                        (one.speed && one.speed->tokens_per_s > best_.speed->tokens_per_s * worth);
    if (better && any_ && best_.likely) others_.add(as_runner_up(best_));
    if (better)
      best_ = std::move(one);
    else
      others_.add(as_runner_up(one));
    any_ = true;
    return true;
  }

  /// Where recomputing frees nothing at the peak, it only costs time.
  void drop_useless_recomputation() {
    if (job_.checkpointing || best_.layout.checkpointing == Checkpointing::none || best_.likely) return;
    for (const Checkpointing kind : {Checkpointing::none, Checkpointing::selective}) {
      if (!physics::can_checkpoint(work_, kind)) continue;
      Layout layout = best_.layout;
      layout.checkpointing = kind;
      TrainingCandidate one = weighed(layout);
      if (best_.need.surer_than(one.need)) continue;
      best_ = std::move(one);
      return;
    }
  }

  Plan finished() {
    drop_useless_recomputation();
    Plan out;
    out.layout = best_.layout;
    out.memory = best_.memory;
    out.need = best_.need;
    out.fits = out.need.fits();
    out.runner_up = others_.beside(out.layout);
    out.set_training(best_.speed ? best_.speed : estimator_.speed(out.layout));
    const std::string_view gpu = machine_.device.gpu->id;
    if (const std::string refused = framework_refuses(work_, *machine_.device.gpu); !refused.empty()) {
      out.fits = false;
      out.need.available = {};
      out.problem = {
          .kind = Problem::Kind::refused, .subject = gpu, .refused = std::make_shared<const std::string>(refused)};
    } else if (!out.fits)
      out.problem = {.kind = Problem::Kind::memory,
                     .subject = gpu,
                     .needed_gib = in_gib(out.need.needed),
                     .available_gib = in_gib(machine_.device.usable)};
    else if (out.rate <= 0)
      out.problem = {.kind = Problem::Kind::no_rate, .subject = gpu};
    return out;
  }

  const Job& work_;
  const job::Training& job_;
  const catalog::Framework& framework_;
  const Machine& machine_;
  physics::TrainingEstimator estimator_;
  const double least_chance_;
  Layout base_;
  TrainingCandidate best_;
  RunnersUp others_;
  std::vector<int> degrees_;  // of experts, to be tried
  int cp_ = 1;
  bool any_ = false;
  bool batch_may_grow_ = false;
  bool may_split_ = true;     // tensor, pipeline and expert degrees are open
  bool last_resort_ = false;  // nothing usual is likely to fit
};

}  // namespace

Result<Plan> plan_training(const Job& work, const Machine& machine, const Coefficients& coefficients) {
  if (Status legal = check_pins(work, machine); !legal) return std::unexpected(legal.error());
  TrainingSearch search(work, machine, coefficients);
  search.run();
  if (!search.any()) search.grow_batch();
  return search.plan();
}

}  // namespace gpusel::physics
