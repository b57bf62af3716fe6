#include "answer/estimate/inference_advice.hpp"

#include <algorithm>

#include "answer/estimate/estimate_notes.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using job::KvPrecision;
using job::Mode;
using physics::Machine;

constexpr double kServingGain = 0.03;  // share of speed below which a change is not worth a line
constexpr std::size_t kMostServingChanges = 5;

struct ServingChange {
  std::string name;
  Job work;
};

/// A change with the deployment that the planner makes of it.
struct ServingEffect {
  std::string name;
  physics::Plan plan;
  double speed = 0;
};

class InferenceAdviser {
 public:
  InferenceAdviser(const Job& work, const Machine& machine, const physics::Plan& plan, const physics::Coefficients& c)
      : work_(work), machine_(machine), plan_(plan), c_(c), speed_(speed_of(plan)) {}

  std::vector<std::string> run() const {
    std::vector<std::string> lines{memory_line()};
    if (plan_.rate > 0) lines.push_back(bound_line());
    if (plan_.runner_up) lines.push_back(runner_up_line());
    for (std::string& line : changes()) lines.push_back(std::move(line));
    return lines;
  }

 private:
  bool latency_counts() const { return work_.inference.mode == Mode::single_stream || work_.inference.request_rate; }

  /// Requests per second, or where those are given, how quickly one is answered.
  double speed_of(const physics::Plan& plan) const {
    if (plan.rate <= 0) return 0;
    return latency_counts() ? 1 / std::max(plan.serving->speed.stay.raw(), 1e-9) : plan.sequences_per_s;
  }

  std::string memory_line() const {
    const auto& m = plan_.memory;
    const std::pair<Bytes, std::string> parts[] = {{m.weights, say("weights")},
                                                   {m.kv_cache, say("the cache")},
                                                   {m.workspace + m.activations, say("workspace")},
                                                   {m.framework, say("framework")}};
    return most_memory(parts, plan_.memory.total());
  }

  std::string bound_line() const {
    const std::string bound = say_name(plan_.bound_by);
    const physics::CacheRoom& room = plan_.serving->room;
    // Where more requests would fill the GPU better, what keeps them out is the bound behind the bound.
    const bool open = work_.inference.mode == Mode::throughput && !work_.inference.concurrency;
    const double replicas = plan_.layout.dp;
    if (plan_.fits && open && work_.model->is_generator() && room.steady_concurrency / replicas < room.sequences)
      return say("{} bound, with {:.0f} requests at once: the cache has no room for more", bound,
                 room.steady_concurrency);
    return say("{} bound", bound);
  }

  std::string runner_up_line() const {
    const auto& other = *plan_.runner_up;
    const std::string name = physics::layout_text(work_, other.layout);
    if (!other.fits)
      return say("next best, {}: needs {:.1f} GiB of {:.1f}", name, in_gib(other.needed),
                 in_gib(machine_.device.usable));
    if (!other.meets_targets && plan_.meets_targets) return say("next best, {}: misses the latency targets", name);
    const double theirs = latency_counts() ? 1 / std::max(other.latency.raw(), 1e-9) : other.sequences_per_s;
    if (speed_ <= 0 || theirs <= 0) return say("next best, {}", name);
    const double slower = (1 - theirs / speed_) * 100;
    return slower < 0.5 ? say("next best, {}: same speed", name) : say("next best, {}: {:.0f} % slower", name, slower);
  }

  std::vector<ServingChange> possible() const {
    std::vector<ServingChange> out;
    const auto add = [&](std::string name, auto edit) {
      ServingChange change{std::move(name), work_};
      edit(change.work.inference);
      out.push_back(std::move(change));
    };
    for (const std::string_view name : physics::served_formats(work_.inference.engine)) {
      const auto format = physics::weight_format(name);
      if (!format || (*format)->bits >= plan_.layout.weights->bits * 0.99) continue;
      if (!physics::has_kernels(**format, machine_.device, work_.inference.engine)) continue;
      add(say("{} weights ({})", name, arithmetic_text(**format, machine_.device)), [&](auto& job) {
        job.weights_precision = name;
        job.allow_precisions.clear();
      });
    }
    const bool wide = plan_.layout.kv == KvPrecision::bf16 || plan_.layout.kv == KvPrecision::fp16;
    if (wide && work_.model->is_generator() && machine_.device.gpu->has_fp8)
      add(say("an fp8 cache"), [](auto& job) { job.kv_precision = KvPrecision::fp8; });
    return out;
  }

  std::vector<std::string> changes() const {
    std::vector<ServingEffect> effects;
    for (ServingChange& change : possible()) {
      auto planned = physics::plan_inference(change.work, machine_, c_);
      if (!planned) continue;
      const double speed = speed_of(*planned);
      const bool faster = planned->fits && speed > speed_ * (1 + kServingGain);
      const bool rescues = (planned->fits && !plan_.fits) || (planned->meets_targets && !plan_.meets_targets);
      if (rescues || (plan_.fits && faster)) effects.push_back({std::move(change.name), std::move(*planned), speed});
    }
    std::stable_sort(effects.begin(), effects.end(),
                     [](const ServingEffect& a, const ServingEffect& b) { return a.speed > b.speed; });
    if (effects.size() > kMostServingChanges) effects.resize(kMostServingChanges);
    std::vector<std::string> lines;
    for (const ServingEffect& effect : effects) lines.push_back(line(effect));
    return lines;
  }

  std::string line(const ServingEffect& effect) const {
    if (!plan_.fits) return say("{}: it fits", effect.name);
    if (!plan_.meets_targets && effect.plan.meets_targets) return say("{}: the targets are met", effect.name);
    const double gain = (effect.speed / speed_ - 1) * 100;
    const double saved = in_gib(plan_.memory.weights - effect.plan.memory.weights);
    return saved > 0.05 ? say("{}: {:.0f} % faster, weights take {:.1f} GiB less per GPU", effect.name, gain, saved)
                        : say("{}: {:.0f} % faster", effect.name, gain);
  }

  const Job& work_;
  const Machine& machine_;
  const physics::Plan& plan_;
  const physics::Coefficients& c_;
  double speed_;
};

}  // namespace

std::string arithmetic_text(const physics::WeightFormat& format, const physics::Device& device) {
  const std::string_view architecture = device.gpu->architecture;
  const auto rate = physics::compute_rate(format, device);
  if (!rate) return say("its rate is not published");
  if (rate->native) return say("native on {}", architecture);
  return format.arithmetic == physics::Arithmetic::weight_only ? say("weight-only")
                                                               : say("weight-only on {}", architecture);
}

std::vector<std::string> inference_advice(const Job& work, const Machine& machine, const physics::Plan& plan,
                                          const physics::Coefficients& c) {
  return InferenceAdviser(work, machine, plan, c).run();
}

}  // namespace gpusel::answer
