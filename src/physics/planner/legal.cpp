#include "physics/planner/legal.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "physics/planner/plan.hpp"
#include "physics/worthwhile.hpp"

namespace gpusel::physics {

namespace {

using job::Count;

/// Layers that stages may have in all, against the model's, where the count of stages does not divide it.
constexpr double kUnevenStages = 1.125;

/// Whether some of its layers have an FFN that every token visits.
bool has_dense_layers(const catalog::Model& model) {
  return !model.is_moe() || model.first_dense_layers.value_or(0) > 0 || model.ffn_layers.value_or(0) > 0 ||
         model.moe_layer_step.value_or(1) > 1;
}

double expert_width(const catalog::Model& model) {
  return model.is_moe() ? model.moe_ffn_size.value_or(model.ffn_size.value_or(0)) : 0;
}

/// What a rank has of a width, where that is not whole blocks; else 0.
double cut_block(double width, std::int64_t tp, double block) {
  const double part = width / static_cast<double>(tp);
  return tp > 1 && std::fmod(part, block) != 0 ? part : 0;
}

/// The value next to `given` that holds, the smaller of two as near; there always is one, 1.
std::int64_t nearest(std::int64_t given, std::int64_t most, const std::function<bool(std::int64_t)>& holds) {
  std::int64_t best = 1;
  for (std::int64_t value = 1; value <= most; ++value)
    if (holds(value) && std::abs(value - given) < std::abs(best - given)) best = value;
  return best;
}

class Checker {
 public:
  Checker(const job::Job& work, const physics::Machine& machine) : work_(work), machine_(machine), pins_(work.pins) {}

  Status run() const {
    return all({&Checker::quantised, &Checker::degrees, &Checker::sharded_stages, &Checker::chunks, &Checker::product,
                &Checker::expert_ranks});
  }
  Status degrees() const { return all({&Checker::tensor, &Checker::pipeline, &Checker::experts}); }

 private:
  Status all(std::initializer_list<Status (Checker::*)() const> checks) const {
    for (const auto check : checks)
      if (Status legal = (this->*check)(); !legal) return legal;
    return {};
  }

  static Status refuse(std::string message, std::string_view key, std::int64_t legal) {
    return usage_error(std::move(message), std::string(key), say("closest that can: {}", legal));
  }

  std::int64_t gpus() const { return machine_.gpus(); }

  Status quantised() const {
    if (work_.training.method != job::Method::qlora || !job::is_training(work_.task)) return {};
    for (const auto& [pin, key] : {std::pair(pins_.tp, "tp"), std::pair(pins_.pp, "pp"), std::pair(pins_.ep, "ep")})
      if (pin.value_or(1) > 1)
        return usage_error(say("NF4 weights cannot be split over GPUs, but {} is {}", key, *pin), key,
                           say("remove it, or add --method lora"));
    return {};
  }

  Status tensor() const {
    if (!pins_.tp) return {};
    const std::int64_t tp = *pins_.tp;
    const Unshared unshared = tensor_fault(*work_.model, tp).of;
    if (unshared == Unshared::nothing && tp <= gpus()) return {};
    const std::int64_t legal = nearest_tp(*work_.model, tp, gpus());
    if (unshared == Unshared::heads)
      return refuse(say("tp {} does not divide the {:g} attention heads", tp, work_.model->heads.value_or(1)), "tp",
                    legal);
    if (tp > gpus()) return refuse(say("tp {} is more than the {} GPUs", tp, gpus()), "gpus", legal);
    return refuse(
        say("tp {} neither divides the {:g} K/V heads nor is a multiple of them", tp, shared_kv_heads(*work_.model)),
        "tp", legal);
  }

  Status pipeline() const {
    const double layers = work_.parameters.layers;
    if (!pins_.pp || static_cast<double>(*pins_.pp) <= layers) return {};
    return refuse(say("{} pipeline stages exceed the {:g} layers", *pins_.pp, layers), "pp",
                  nearest(*pins_.pp, std::min(gpus(), static_cast<std::int64_t>(layers)),
                          [&](std::int64_t pp) { return gpus() % pp == 0; }));
  }

  Status sharded_stages() const {
    const auto& job = work_.training;
    if (!job::is_training(work_.task) || !job.sharding || pins_.pp.value_or(1) <= 1) return {};
    if (stages_can(job, *job.sharding)) return {};
    return usage_error(
        say("{} does not run {} with pipeline stages, but pp is {}", job.framework, to_text(*job.sharding), *pins_.pp),
        "sharding", say("zero1, or pp 1"));
  }

  Status chunks() const {
    const auto& chunks = work_.training.virtual_pipeline;
    if (!chunks || !pins_.pp) return {};
    const double stage = std::ceil(work_.parameters.layers / static_cast<double>(*pins_.pp));
    if (divides(*chunks, stage)) return {};
    return refuse(
        say("{} chunks do not divide the {:g} layers of a pipeline stage", *chunks, stage), "virtual_pipeline",
        nearest(*chunks, static_cast<std::int64_t>(stage), [&](std::int64_t v) { return divides(v, stage); }));
  }

  Status experts() const {
    if (!pins_.ep) return {};
    const double experts = work_.model->is_moe() ? work_.model->experts.value_or(1) : 1;
    if (divides(*pins_.ep, experts)) return {};
    if (experts <= 1)
      return usage_error(say("expert parallelism needs a mixture of experts, which '{}' is not", work_.model->id), "ep",
                         say("remove ep"));
    return refuse(
        say("ep {} does not divide the {:g} experts", *pins_.ep, experts), "ep",
        nearest(*pins_.ep, gpus(), [&](std::int64_t ep) { return divides(ep, experts) && gpus() % ep == 0; }));
  }

  Status product() const {
    std::int64_t product = 1;
    std::string written;
    for (const auto& [name, pin] : named()) {
      if (!pin) continue;
      if (product <= gpus()) product *= *pin;
      written += format("{}{} {}", written.empty() ? "" : " × ", name, *pin);
    }
    const bool all = pins_.tp && pins_.pp && pins_.dp;
    if (product <= gpus() && gpus() % product == 0 && (!all || product == gpus())) return {};
    return usage_error(say("{} does not make up {} GPUs", written, gpus()), "gpus", repair());
  }

  /// One degree less or more that would make the pins fit: dp first, which is the easiest to change.
  std::string repair() const {
    for (const auto changed : {"dp", "pp", "cp", "tp"}) {
      std::int64_t others = 1;
      bool pinned = false;
      for (const auto& [name, pin] : named()) {
        if (name == changed)
          pinned = pin.has_value();
        else
          others *= std::min(pin.value_or(1), gpus() + 1);
        if (others > gpus()) break;
      }
      if (pinned && others <= gpus() && gpus() % others == 0) return say("{} {} would", changed, gpus() / others);
    }
    return say("the product of all degrees is the number of GPUs");
  }

  std::array<std::pair<std::string_view, Count>, 4> named() const {
    return {{{"tp", pins_.tp}, {"pp", pins_.pp}, {"cp", pins_.cp}, {"dp", pins_.dp}}};
  }

  /// Experts are spread over data, context and, where these do not suffice, tensor ranks.
  Status expert_ranks() const {
    if (!pins_.ep) return {};
    const std::int64_t stages = pins_.pp.value_or(1);
    const std::int64_t ranks = gpus() / stages;
    if (ranks % *pins_.ep == 0) return {};
    const double experts = work_.model->experts.value_or(1);
    const auto holds = [&](std::int64_t ep) { return divides(ep, experts) && ranks % ep == 0; };
    return refuse(stages > 1 ? say("ep {} does not divide the {} GPUs of a pipeline stage", *pins_.ep, ranks)
                             : say("ep {} does not divide the {} GPUs", *pins_.ep, ranks),
                  "ep", nearest(*pins_.ep, ranks, holds));
  }

  const job::Job& work_;
  const physics::Machine& machine_;
  const job::Pins& pins_;
};

}  // namespace

bool divides(std::int64_t part, double whole) {
  // Heads, layers and experts are counted in whole numbers, which divide faster.
  const auto count = static_cast<std::int32_t>(std::clamp(whole, 0.0, 1e9));
  return part > 0 && (count == whole ? count % part == 0 : std::fmod(whole, static_cast<double>(part)) == 0);
}

bool splits_models(const job::Training& job) { return job.framework_record->splits_layers.value_or(false); }

bool stages_can(const job::Training& job, job::Sharding sharding) {
  using job::Sharding;
  const bool keeps_gradients = sharding == Sharding::none || sharding == Sharding::ddp || sharding == Sharding::zero1;
  return keeps_gradients || job.framework_record->shards_stages.value_or(false);
}

std::string framework_refuses(const job::Job& work, const catalog::Gpu& gpu) {
  const catalog::Framework& framework = *work.training.framework_record;
  if (is_assumed(work, "framework")) return {};
  if (!may(framework.accelerators, gpu.vendor) && !may(framework.accelerators, fold_name(gpu.architecture)))
    return say("{} does not run on {}; it runs on {}", framework.name, gpu.name,
               join_texts(framework.accelerators, say_name(", ")));
  if (framework.min_compute_capability && gpu.capability && *gpu.capability < *framework.min_compute_capability)
    return say("{} needs compute capability {:.1f}; {} has {:.1f}", framework.name, *framework.min_compute_capability,
               gpu.name, *gpu.capability);
  return {};
}

bool is_assumed(const job::Job& work, std::string_view key) {
  return std::any_of(work.assumed.begin(), work.assumed.end(),
                     [&](const job::Assumed& assumed) { return assumed.key == key; });
}

job::Precision best_precision(const Device& device, const catalog::TextList& trained_in) {
  using job::Precision;
  if (device.gpu->has_bf16 && device.native(Precision::bf16)) return Precision::bf16;
  const bool half = may(trained_in, to_text(Precision::fp16)) && is_worth_choosing(device, Precision::fp16);
  return half ? Precision::fp16 : Precision::fp32;
}

job::Precision training_precision(const job::Training& job, const Device& device) {
  return job.precision.value_or(best_precision(device, job.framework_record->precisions));
}

bool tp_divides_heads(const catalog::Model& model, std::int64_t tp) {
  return divides(tp, model.heads.value_or(1)) && divides(tp, shared_kv_heads(model));
}

double shared_kv_heads(const catalog::Model& model) {
  return model.is_mla() ? model.heads.value_or(1) : model.kv_heads.value_or(model.heads.value_or(1));
}

TensorFault tensor_fault(const catalog::Model& model, std::int64_t tp, SharedWeights weights) {
  if (!divides(tp, model.heads.value_or(1))) return {Unshared::heads};
  const double kv = shared_kv_heads(model);
  if (!divides(tp, kv) && std::fmod(static_cast<double>(tp), kv) != 0) return {Unshared::kv_heads};
  if (weights.block <= 0) return {};
  const double shared = model.shared_experts.value_or(0) * model.shared_ffn_size.value_or(expert_width(model));
  for (const double width : {has_dense_layers(model) ? model.ffn_size.value_or(0) : 0, shared})
    if (const double part = cut_block(width, tp, weights.block); part > 0) return {Unshared::blocks, part};
  if (weights.whole_experts) return {};
  if (const double part = cut_block(expert_width(model), tp, weights.block); part > 0)
    return {Unshared::expert_blocks, part};
  return {};
}

std::int64_t nearest_tp(const catalog::Model& model, std::int64_t tp, std::int64_t most, SharedWeights weights) {
  return nearest(tp, most, [&](std::int64_t ranks) {
    const bool shares_ffn = !has_dense_layers(model) || divides(ranks, model.ffn_size.value_or(0));
    return shares_ffn && tensor_fault(model, ranks, weights).of == Unshared::nothing;
  });
}

bool spread_evenly(double layers, int stages) {
  return stages <= layers && std::ceil(layers / stages) * stages <= layers * kUnevenStages;
}

Status check_pins(const job::Job& work, const physics::Machine& machine) { return Checker(work, machine).run(); }
Status check_degrees(const job::Job& work, const physics::Machine& machine) { return Checker(work, machine).degrees(); }

}  // namespace gpusel::physics
