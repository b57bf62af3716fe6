#include "answer/estimate/near_miss.hpp"

#include <cmath>
#include <vector>

#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using job::KvPrecision;

class Trials {
 public:
  Trials(const Job& work, const physics::Machine& machine, const physics::Plan& plan, const physics::Coefficients& c)
      : work_(work), machine_(machine), plan_(plan), c_(c) {}

  std::vector<std::string> helpful() const {
    std::vector<std::string> found;
    const auto add = [&](std::string text) {
      if (!text.empty()) found.push_back(std::move(text));
    };
    add(more_of_the_card());
    add(smaller_cache());
    add(fewer_requests());
    add(shorter_context());
    add(fewer_bits());
    return found;
  }

 private:
  bool fits(const Job& trial) const {
    const auto planned = physics::plan_inference(trial, machine_, c_);
    return planned && planned->fits;
  }

  /// Engines leave a tenth of the card unused unless told otherwise.
  std::string more_of_the_card() const {
    constexpr double kNearlyAll = 0.97;
    if (work_.inference.mem_utilization) return {};
    Job trial = work_;
    trial.inference.mem_utilization = kNearlyAll;
    return fits(trial) ? say("--mem-utilization {:g}", kNearlyAll) : std::string{};
  }

  std::string smaller_cache() const {
    const bool wide = plan_.layout.kv == KvPrecision::bf16 || plan_.layout.kv == KvPrecision::fp16;
    if (!wide || !machine_.device.gpu->has_fp8) return {};
    Job trial = work_;
    trial.inference.kv_precision = KvPrecision::fp8;
    return fits(trial) ? say("an fp8 cache") : std::string{};
  }

  std::string fewer_requests() const {
    const auto asked = work_.inference.concurrency.value_or(1);
    Job trial = work_;
    for (std::int64_t fewer = asked / 2; fewer >= 1; fewer /= 2) {
      trial.inference.concurrency = fewer;
      if (fits(trial)) return say("{} requests at once", fewer);
    }
    return {};
  }

  /// The longest that this plan has room for, in round numbers.
  std::string shorter_context() const {
    constexpr double kRound = 256;
    const auto context = static_cast<std::int64_t>(std::floor(plan_.serving->room.longest_context / kRound) * kRound);
    Job trial = work_;
    trial.inference.input_tokens = context - trial.inference.output_tokens;
    if (trial.inference.input_tokens < 1 || trial.inference.input_tokens >= work_.inference.input_tokens) return {};
    return fits(trial) ? say("a context of {} tokens", context) : std::string{};
  }

  std::string fewer_bits() const {
    Job trial = work_;
    for (const std::string_view format : {"fp8", "w4a16"}) {
      const auto known = physics::weight_format(format);
      if (!known || (*known)->bits >= plan_.layout.weights->bits) continue;
      if (!physics::has_kernels(**known, machine_.device, trial.inference.engine)) continue;
      trial.inference.weights_precision = format;
      if (fits(trial)) return say("{} weights", format);
    }
    return {};
  }

  const Job& work_;
  const physics::Machine& machine_;
  const physics::Plan& plan_;
  const physics::Coefficients& c_;
};

}  // namespace

std::string what_would_fit(const Job& work, const physics::Machine& machine, const physics::Plan& plan,
                           const physics::Coefficients& c) {
  if (!plan.serving || plan.fits || !work.model->is_generator()) return {};
  std::string list;
  for (const std::string& text : Trials(work, machine, plan, c).helpful())
    list += (list.empty() ? "" : say(" or ")) + text;
  if (list.empty()) return {};
  const double missing = in_gib(plan.need.needed - plan.need.available);
  return missing > 0 ? say("{:.1f} GiB short per GPU; would fit: {}", missing, list) : say("would fit: {}", list);
}

}  // namespace gpusel::answer
