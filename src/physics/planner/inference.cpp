#include <algorithm>
#include <cmath>

#include "base/values/normal.hpp"
#include "base/words/message.hpp"
#include "physics/intervals.hpp"
#include "physics/planner/legal.hpp"
#include "physics/planner/plan.hpp"
#include "physics/planner/serving.hpp"
#include "physics/planner/targets.hpp"
#include "physics/serving/abilities.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::physics {

namespace {

using job::Job;
using job::Mode;

/// How much faster a format of fewer bits must be to be chosen by itself.
constexpr double kWorthFewerBits = 1.05;

/// Fewer bits may cost quality: they have to be worth it.
double worth(const Layout& layout, const Layout& than) {
  return layout.weights->bits < 0.95 * than.weights->bits ? kWorthFewerBits : 1.001;
}

/// One deployment.
struct ServingCandidate {
  bool likely = false;  // to fit, as it is asked for
  Layout layout;
  InferenceMemory memory;
  MemoryNeed need;
  std::optional<InferenceSpeed> speed;
  // None: not yet found out.
  mutable std::optional<bool> meets_targets = true;
  mutable std::optional<bool> is_sure = {};  // to hold the rate and the targets, with the confidence asked for
};

class InferenceSearch {
 public:
  InferenceSearch(const Job& work, const Machine& machine, const physics::Coefficients& coefficients)
      : work_(work),
        job_(work.inference),
        machine_(machine),
        c_(coefficients),
        least_chance_(least_chance(work, coefficients)) {}

  Result<Plan> run() {
    base_.ep = static_cast<int>(work_.pins.ep.value_or(1));
    if (Status legal = check_pins(); !legal) return std::unexpected(legal.error());
    const auto formats = allowed_formats(work_, machine_.device);
    if (!formats) return std::unexpected(formats.error());
    if (Status whole = check_blocks(*formats); !whole) return std::unexpected(whole.error());
    for (const physics::WeightFormat* format : *formats) {
      base_.weights = format;
      block_ = weight_block(work_, *format, machine_.device);
      base_.kv = job_.kv_precision.value_or(usual_cache(*format));
      for (int pp = 1; pp <= machine_.gpus(); pp *= 2)
        for (int tp = 1; tp <= machine_.gpus_per_node; tp *= 2) try_layout(tp, pp);
    }
    if (!any_ && work_.pins.ep) return not_spread(*work_.pins.ep);
    if (!any_ && job_.disaggregated_prefill)
      return usage_error(
          say("prompts and answers apart need two replicas or more, which do not fit on {} GPUs", machine_.gpus()),
          "disaggregated_prefill");
    if (!any_)
      return usage_error(say("no valid layout of {} GPUs for this model", machine_.gpus()), "gpus",
                         say("tp must divide the {} attention heads", work_.model->heads.value_or(1)));
    return finished();
  }

  /// All that are legal, as far as they are known at full load.
  Result<std::vector<ServingOption>> options() {
    if (auto planned = run(); !planned) return std::unexpected(planned.error());
    if (refusal() != nullptr)
      for (ServingOption& option : options_) option.fits = false;
    return std::move(options_);
  }

  /// Of that layout and no other.
  Plan figures_of(const Layout& layout) {
    consider(layout);
    Plan out = best();
    // How much traffic would not be too much is a search of its own.
    if (out.rate > 0 || !job_.request_rate) out.problem = problem(out);
    return out;
  }

 private:
  /// Why no layout of these GPUs has experts on so many ranks.
  std::unexpected<Error> not_spread(std::int64_t ep) const {
    const std::string_view engine = to_text(job_.engine);
    switch (expert_ranks()) {
      case ExpertRanks::none: return usage_error(say("{} has no expert parallelism", engine), "ep", say("remove ep"));
      case ExpertRanks::tensor:
        return usage_error(say("ep {} is not possible on nodes of {} GPUs: {} spreads experts over the tensor-parallel "
                               "GPUs of a replica",
                               ep, machine_.gpus_per_node, engine),
                           "ep");
      case ExpertRanks::all: break;
    }
    return usage_error(
        say("ep {} is not possible on nodes of {} GPUs: {} spreads experts over all GPUs of a pipeline stage", ep,
            machine_.gpus_per_node, engine),
        "ep", say("ep {}", machine_.gpus_per_node));
  }

  /// The checkpoints that TensorRT-LLM serves in 8 or 4 bit carry scales for an fp8 cache and are served with it.
  job::KvPrecision usual_cache(const physics::WeightFormat& format) const {
    const bool floating =
        format.arithmetic == physics::Arithmetic::fp8 || format.arithmetic == physics::Arithmetic::fp4;
    if (job_.engine == job::Engine::trt_llm && floating && machine_.device.gpu->has_fp8) return job::KvPrecision::fp8;
    return machine_.device.gpu->has_bf16 ? job::KvPrecision::bf16 : job::KvPrecision::fp16;
  }

  Status check_pins() const {
    if (work_.pins.ep && *work_.pins.ep > machine_.gpus())
      return usage_error(say("ep {} is more than the {} GPUs", *work_.pins.ep, machine_.gpus()), "ep");
    if (Status legal = check_degrees(work_, machine_); !legal) return legal;
    std::int64_t product = 1;
    for (const job::Count& pin : {work_.pins.tp, work_.pins.pp, work_.pins.dp})
      if (product <= machine_.gpus()) product *= pin.value_or(1);
    if (product > machine_.gpus())
      return usage_error(say("tp × pp × dp is {} or more, and there are {} GPUs", product, machine_.gpus()), "gpus");
    return {};
  }

  /// Given ranks that cut blocks in every format. Experts may stay whole; where their degree is given too, the figures
  /// are those of that layout, and whether an engine starts it is for preflight to say.
  Status check_blocks(const std::vector<const WeightFormat*>& formats) const {
    if (!work_.pins.tp) return {};
    const std::int64_t tp = *work_.pins.tp;
    for (const WeightFormat* format : formats) {
      const SharedWeights shared{weight_block(work_, *format, machine_.device), true};
      const TensorFault fault = tensor_fault(*work_.model, tp, shared);
      if (fault.of == Unshared::nothing) return {};
      if (format != formats.back()) continue;
      return usage_error(
          say("tp {} would cut FP8 weights into parts {:g} wide, which blocks of {:g} by {:g} do not divide", tp,
              fault.part, shared.block, shared.block),
          "tp", say("closest that can: {}", nearest_tp(*work_.model, tp, machine_.gpus(), shared)));
    }
    return {};
  }

  bool tensor_shares(std::int64_t tp, bool whole_experts) const {
    return tensor_fault(*work_.model, tp, {block_, whole_experts}).of == Unshared::nothing;
  }

  void try_layout(int tp, int pp) {
    Layout layout = base_;
    layout.tp = work_.pins.tp ? static_cast<int>(*work_.pins.tp) : tp;
    layout.pp = work_.pins.pp ? static_cast<int>(*work_.pins.pp) : pp;
    const std::int64_t group = std::int64_t{layout.tp} * layout.pp;
    const bool shares = tensor_shares(layout.tp, true);
    // Stages inside a node only where tensor parallelism cannot go further, or where asked.
    const bool in_turn = physics::lays_out_in_turn(job_.engine);
    if (in_turn && tp > 1) return;
    if (machine_.on_cpu() && group > 1) return;  // a process has the memory of one machine
    const bool stages_make_sense = in_turn || work_.pins.pp || layout.pp == 1 || layout.tp == machine_.gpus_per_node ||
                                   !heads_divide_further(layout.tp);
    if (!shares || !stages_make_sense || group > machine_.gpus() || layout.pp > work_.parameters.layers) return;
    layout.dp = static_cast<int>(work_.pins.dp.value_or(machine_.gpus() / group));
    if (job_.mode == Mode::single_stream) layout.dp = 1;
    if (job_.disaggregated_prefill && layout.dp < 2) return;
    // Experts that tensor ranks cannot cut stay whole.
    if (layout.ep == 1 && !work_.pins.ep && !tensor_shares(layout.tp, false)) {
      layout.ep = expert_ranks() == ExpertRanks::all ? layout.tp * layout.dp : layout.tp;
      if (!divides(layout.ep, work_.model->experts.value_or(1))) return;
    }
    if (layout.dp < 1 || layout.dp * group > machine_.gpus() || !spreads_experts(layout)) return;
    consider(layout);
  }

  /// Of an engine that is not known, as of one that can do most.
  ExpertRanks expert_ranks() const {
    const EngineAbility* engine =
        machine_.device.engines != nullptr ? machine_.device.engines->find(job_.engine) : nullptr;
    return engine != nullptr ? engine->expert_ranks.value_or(ExpertRanks::all) : ExpertRanks::all;
  }

  /// Whether an engine spreads experts so. Where both degrees are given, the figures are those of that layout.
  bool spreads_experts(const Layout& layout) const {
    const int ranks = layout.tp * layout.dp;
    if (layout.ep == 1 || (work_.pins.tp && work_.pins.ep)) return ranks % layout.ep == 0;
    switch (expert_ranks()) {
      case ExpertRanks::none: return false;
      case ExpertRanks::tensor: return layout.tp % layout.ep == 0;
      case ExpertRanks::all: break;
    }
    return layout.ep == ranks;
  }

  bool heads_divide_further(int tp) const {
    return tp * 2 <= machine_.gpus_per_node && tensor_shares(std::int64_t{2} * tp, true);
  }

  void consider(const Layout& layout) {
    ServingCandidate weighed;
    weighed.layout = layout;
    weighed.memory = physics::inference_memory(work_, machine_, layout, c_);
    weighed.speed = physics::inference_speed(work_, machine_, layout, weighed.memory, c_);
    if (job_.request_rate && weighed.speed) hold_in_flight(weighed);
    if (job_.disaggregated_prefill && weighed.speed && !job_.concurrency)
      weighed.memory.concurrency = std::round(weighed.speed->in_flight);
    const double own = own_exponent(work_, machine_, layout, Range80::memory, c_);
    const double deviation = serving_deviation(work_, weighed.memory, c_);
    weighed.need = {weighed.memory.needed, deviation * own, machine_.memory()};
    weighed.likely = weighed.need.likely(least_chance_);
    if (weighed.need.fits()) meet_targets(weighed);
    options_.push_back({layout, weighed.likely, weighed.speed ? weighed.speed->requests_per_s : 0});
    if (!any_ || better(weighed, best_)) {
      if (any_) remember(best_);
      best_ = weighed;
    } else {
      remember(weighed);
    }
    any_ = true;
  }

  /// Keeps the best of those that are not the best: why it lost is worth a line.
  void remember(const ServingCandidate& lost) {
    if (other_ && !better(lost, *other_)) return;
    other_ = lost;
  }

  /// At a request rate the cache that is needed is that of the requests in flight, not of all that fit.
  void hold_in_flight(ServingCandidate& weighed) const {
    Job steady = work_;
    steady.inference.mode = Mode::online;
    steady.inference.concurrency = static_cast<std::int64_t>(std::ceil(weighed.speed->in_flight));
    const auto held = physics::inference_memory(steady, machine_, weighed.layout, c_);
    weighed.memory.per_gpu.kv_cache = std::min(weighed.memory.per_gpu.kv_cache, held.per_gpu.kv_cache);
    weighed.memory.concurrency = held.concurrency;
    weighed.memory.needed = held.needed;
    weighed.memory.counted = held.counted;
  }

  /// With latency targets and an open concurrency: the most requests in flight that surely meet them. What must fit is
  /// one request, as without targets.
  void meet_targets(ServingCandidate& weighed) const {
    const auto [needed, counted] = std::pair(weighed.memory.needed, weighed.memory.counted);
    seek_targets(weighed);
    weighed.memory.needed = needed;
    weighed.memory.counted = counted;
  }

  void seek_targets(ServingCandidate& weighed) const {
    if (!weighed.speed) {
      weighed.meets_targets = !job_.request_rate;
      return;
    }
    weighed.meets_targets.reset();
    if (job_.concurrency || job_.request_rate || !has_targets(job_)) return;
    const Slowness slow = slowness_of(weighed.layout);
    if (meets_targets(job_, *weighed.speed, slow)) return;
    Job trial = work_;
    double low = 0;
    double high = weighed.memory.concurrency / weighed.layout.dp;
    while (high - low > 1) {
      const double middle = std::ceil((low + high) / 2);
      trial.inference.concurrency = static_cast<std::int64_t>(middle) * weighed.layout.dp;
      const auto memory = physics::inference_memory(trial, machine_, weighed.layout, c_);
      const auto speed = physics::inference_speed(trial, machine_, weighed.layout, memory, c_);
      if (speed && meets_targets(job_, *speed, slow)) {
        weighed.memory = memory;
        weighed.speed = speed;
        weighed.meets_targets = true;
        low = middle;
      } else {
        high = middle;
      }
    }
    if (low > 0) return;
    trial.inference.concurrency = weighed.layout.dp;  // as close to them as it gets
    weighed.memory = physics::inference_memory(trial, machine_, weighed.layout, c_);
    weighed.speed = physics::inference_speed(trial, machine_, weighed.layout, weighed.memory, c_);
  }

  bool better(const ServingCandidate& a, const ServingCandidate& b) const {
    if (a.likely != b.likely) return a.likely;
    if (!a.likely) return a.need.surer_than(b.need);
    if (!a.speed || !b.speed) return meets(a) != meets(b) ? meets(a) : a.speed.has_value();
    const bool sooner = serves_better(a, b);
    const auto& [first, second] = sooner ? std::tie(a, b) : std::tie(b, a);
    if (job_.request_rate && !(meets(first) && is_sure(first)) && meets(second) && is_sure(second)) return !sooner;
    if (meets(first)) return sooner;
    if (meets(second)) return !sooner;
    return a.speed->stay * 1.001 < b.speed->stay;
  }

  /// Where both meet the targets, or neither is asked for any.
  bool serves_better(const ServingCandidate& a, const ServingCandidate& b) const {
    const double margin = worth(a.layout, b.layout);
    if (job_.mode == Mode::single_stream || job_.request_rate) return a.speed->stay * margin < b.speed->stay;
    return a.speed->requests_per_s > b.speed->requests_per_s * margin;
  }

  /// Whatever takes long to find out is asked of those alone that could be the best.
  bool meets(const ServingCandidate& one) const {
    if (!one.meets_targets) one.meets_targets = meets_targets(job_, *one.speed, {});
    return *one.meets_targets;
  }

  bool is_sure(const ServingCandidate& one) const {
    if (!one.is_sure) one.is_sure = holds_rate(work_, machine_, one.layout, slowness_of(one.layout), c_);
    return *one.is_sure;
  }

  /// With the confidence that is asked for.
  Slowness slowness_of(const Layout& layout) const {
    Plan planned;
    planned.layout = layout;
    return slowness(physics_of(work_).ratios(work_, machine_, planned, c_), normal_quantile(work_.confidence));
  }

  /// What the machine could serve at all, as the planner would have it without a rate.
  double most_per_second() const {
    const Job open = at_full_load(work_);
    const auto most = InferenceSearch(open, machine_, c_).run();
    return most && most->fits ? most->sequences_per_s : 0;
  }

  Plan best() const {
    Plan out;
    out.layout = best_.layout;
    out.set_serving(best_.memory, best_.speed);
    out.need = best_.need;
    out.fits = best_.need.fits();
    out.meets_targets = meets(best_);
    if (const auto refused = refusal()) {
      out.fits = false;
      out.need.available = {};
      out.problem = {.kind = Problem::Kind::refused, .subject = machine_.device.gpu->id, .refused = refused};
    }
    return out;
  }

  /// What the engine says instead of starting. Where another release starts and none is asked for, that is a note.
  std::shared_ptr<const std::string> refusal() const {
    const Device& device = machine_.device;
    const EngineAbility* engine = device.engines == nullptr ? nullptr : device.engines->find(job_.engine);
    if (engine != nullptr && best_.layout.weights->name == "fp16")
      if (const EngineLimit* limit = refuses_float16(*engine, *work_.model); limit != nullptr)
        return std::make_shared<const std::string>(with_model_type(limit->says, *work_.model));
    const auto found = weights_not_starting(job_, work_.asked_as, *best_.layout.weights, device);
    if (!found || (found->other != nullptr && asked_release(job_).empty())) return nullptr;
    std::string would = found->other != nullptr ? found->other_release() : found->refusing->would;
    if (would.empty()) would = starts_instead(*device.engines, *found, *device.gpu);
    std::string says = found->text(*device.gpu);
    if (says.ends_with('.') && !would.empty()) says.pop_back();
    return std::make_shared<const std::string>(would.empty() ? says : say("{}. These would start: {}", says, would));
  }

  Plan finished() const {
    Plan out = best();
    out.problem = problem(out);
    if (other_)
      out.runner_up = {.layout = other_->layout,
                       .fits = other_->likely,
                       .meets_targets = meets(*other_),
                       .needed = other_->need.needed,
                       .sequences_per_s = other_->speed ? other_->speed->requests_per_s : 0,
                       .latency = other_->speed ? other_->speed->stay : Seconds{}};
    return out;
  }

  Problem problem(const Plan& plan) const {
    if (plan.problem.kind == Problem::Kind::refused) return plan.problem;
    const std::string_view gpu = machine_.device.gpu->id;
    const Bytes fixed = plan.memory.total() - plan.memory.kv_cache;
    // What has room for its caches lacks it outside of the engine's pool.
    const bool has_room = plan.need.needed > machine_.device.usable && plan.memory.total() <= plan.serving->room.pool;
    if (!plan.fits && fixed <= machine_.memory() && !has_room)
      return {.kind = Problem::Kind::cache,
              .subject = gpu,
              .needed_gib = in_gib(fixed),
              .available_gib = in_gib(plan.serving->room.pool),
              .request_tokens = static_cast<double>(job_.input_tokens + job_.output_tokens),
              .requests = job_.mode != Mode::throughput && (job_.concurrency || job_.request_rate)
                              ? std::ceil(plan.serving->room.concurrency / static_cast<double>(plan.layout.dp))
                              : 1};
    if (!plan.fits)
      return {.kind = Problem::Kind::memory,
              .subject = gpu,
              .needed_gib = in_gib(plan.need.needed),
              .available_gib = in_gib(machine_.device.usable)};
    if (job_.left_to_host.on_cpu()) return {.kind = Problem::Kind::on_processor, .subject = gpu};
    if (plan.rate <= 0 && job_.request_rate)
      return {.kind = Problem::Kind::too_much_traffic,
              .subject = gpu,
              .asked_per_s = *job_.request_rate,
              .most_per_s = most_per_second()};
    if (plan.rate <= 0) return {.kind = Problem::Kind::no_rate, .subject = gpu};
    if (plan.meets_targets) return {};
    return too_slow(job_, plan.serving->speed, gpu);
  }

  const Job& work_;
  const job::Inference& job_;
  const Machine& machine_;
  const physics::Coefficients& c_;
  const double least_chance_;
  Layout base_;
  double block_ = 0;  // of the weights' format: what shares a scale
  ServingCandidate best_;
  std::optional<ServingCandidate> other_;
  std::vector<ServingOption> options_;  // all that were considered
  bool any_ = false;
};

}  // namespace

std::vector<std::string_view> served_formats(job::Engine engine) {
  using job::Engine;
  switch (engine) {
    case Engine::llama_cpp:
    case Engine::ollama: return {"q8_0", "q6_k", "q4_k_m"};
    case Engine::hf: return {"int8", "nf4"};
    case Engine::trt_llm: return {"fp8", "nvfp4", "w4a16"};
    default: return {"fp8", "int8", "nvfp4", "w4a16"};
  }
}

namespace {

/// What the model's own publisher ships besides, the engine serves, and the GPU computes in.
std::vector<std::string_view> official_in_hardware(const Job& work, const Device& device) {
  const std::vector<std::string_view> served = served_formats(work.inference.engine);
  std::vector<std::string_view> out;
  for (const std::string_view name : work.model->official_formats) {
    const auto format = weight_format(name);
    const auto rate = format ? compute_rate(**format, device) : std::nullopt;
    if (rate && rate->native && std::ranges::find(served, name) != served.end()) out.push_back(name);
  }
  return out;
}

}  // namespace

Result<std::vector<const physics::WeightFormat*>> allowed_formats(const Job& work, const physics::Device& device) {
  std::vector<const physics::WeightFormat*> out;
  Status known;
  const auto add = [&](std::string_view name) {
    auto format = physics::weight_format(name);
    if (!format)
      known = std::unexpected(format.error());
    else if (std::find(out.begin(), out.end(), *format) == out.end())
      out.push_back(*format);
  };
  const auto& job = work.inference;
  const std::string_view native = served_as_released(work, device);
  if (job.allow_precisions.empty())
    add(job.weights_precision.empty() ? native : std::string_view(job.weights_precision));
  for (const std::string& allowed : job.allow_precisions) {
    if (allowed == "native") {
      add(native);
    } else if (allowed == "official") {
      for (const std::string_view name : official_in_hardware(work, device)) add(name);
      if (out.empty()) return std::vector{weight_format(native).value()};
    } else if (allowed != "any") {
      add(allowed);
    } else {
      add(native);
      for (const std::string_view name : served_formats(job.engine)) add(name);
    }
  }
  if (!known) {
    if (!job.allow_precisions.empty()) known.error().where = "allow_precisions";
    return std::unexpected(known.error());
  }
  if (!job.allow_precisions.empty()) {
    std::erase_if(out, [&](const auto* format) { return !physics::has_kernels(*format, device, job.engine); });
    if (out.empty())
      return usage_error(say("{} has no kernels for any of the allowed formats", device.gpu->id), "allow_precisions");
  }
  // Most bits first: fewer must then prove to be worth it.
  if (out.size() > 1)
    std::stable_sort(out.begin(), out.end(),
                     [](const auto* a, const auto* b) { return std::round(a->bits) > std::round(b->bits); });
  return out;
}

Problem too_slow(const job::Inference& job, const InferenceSpeed& speed, std::string_view gpu) {
  return {.kind = Problem::Kind::latency,
          .subject = gpu,
          .ttft_ms = in_ms(speed.ttft_within(job.slo_percentile)),
          .itl_ms = in_ms(speed.itl_within(job.slo_percentile)),
          .percentile = speed.load ? job.slo_percentile : 0};
}

Plan inference_figures(const Job& work, const Machine& machine, const Layout& layout,
                       const physics::Coefficients& coefficients) {
  return InferenceSearch(work, machine, coefficients).figures_of(layout);
}

Result<Plan> plan_inference(const Job& work, const Machine& machine, const physics::Coefficients& coefficients) {
  return InferenceSearch(work, machine, coefficients).run();
}

Result<std::vector<ServingOption>> serving_options(const Job& work, const Machine& machine, const Coefficients& c) {
  const Job open = at_full_load(work);
  return InferenceSearch(open, machine, c).options();
}

bool answers_sooner(const Plan& plan, const Plan& than) {
  return plan.serving->speed.stay * worth(plan.layout, than.layout) < than.serving->speed.stay;
}

}  // namespace gpusel::physics
