#include "answer/truth/free_coefficients.hpp"

#include <cmath>

namespace gpusel::answer {

namespace {

/// Efficiencies, fixed times and what is held beside the model: what differs between one set-up and another. Exponents,
/// sizes where a curve bends and counts belong to the formulas and stay.
constexpr FreeCoefficient kFree[] = {
    {.id = "compute.training_efficiency", .speed = true},
    {.id = "compute.eager_efficiency", .speed = true},
    {.id = "compute.pointwise_bytes", .speed = true},
    {.id = "compute.adapter_bytes", .speed = true},
    {.id = "compute.training_layer_us", .speed = true},
    {.id = "compute.adapter_layer_us", .speed = true},
    {.id = "communication.link_efficiency", .speed = true},
    {.id = "communication.network_efficiency", .speed = true},
    {.id = "inference.decode_bandwidth_efficiency", .speed = true},
    {.id = "inference.decode_layer_us", .speed = true},
    {.id = "inference.decode_step_us", .speed = true},
    {.id = "inference.sequence_us", .speed = true},
    {.id = "inference.serving_efficiency", .speed = true},
    {.id = "inference.host_layer_us", .speed = true},
    {.id = "inference.expert_layer_us", .speed = true},
    {.id = "inference.collective_us", .speed = true},
    {.id = "inference.prefill_efficiency", .speed = true, .prompt = true},
    {.id = "inference.prefill_layer_us", .prompt = true},
    {.id = "inference.request_ms", .prompt = true},
    {.id = "samples.reach", .speed = true},
    {.id = "samples.training_reach", .speed = true},
    {.id = "samples.copies", .speed = true},
    {.id = "samples.clocks", .speed = true},
    {.id = "samples.layer_us", .speed = true},
    {.id = "diffusion.efficiency", .speed = true},
    {.id = "diffusion.traffic", .speed = true},
    {.id = "diffusion.layer_us", .speed = true},
    {.id = "speech.call_ms", .speed = true},
    {.id = "speech.host_ms_per_s", .speed = true},
    {.id = "speech.layer_us", .speed = true},
    {.id = "speech.step_layer_us", .speed = true},
    {.id = "speech.value_bytes", .speed = true},
    {.id = "recommender.step_ms", .speed = true},
    {.id = "recommender.value_bytes", .speed = true},
    {.id = "media.encode_fps", .speed = true},
    {.id = "media.decode_fps", .speed = true},
    {.id = "render.score_scale", .speed = true},
    {.id = "simulation.bandwidth_efficiency", .speed = true},
    {.id = "preprocess.rate", .speed = true},
    {.id = "memory.context_gib", .memory = true},
    {.id = "memory.collectives_gib", .memory = true},
    {.id = "memory.allocator_slack", .memory = true},
    {.id = "memory.logits_bytes", .memory = true},
    {.id = "inference.engine_workspace_gib", .memory = true},
    {.id = "inference.process_gib", .memory = true},
    {.id = "inference.activation_copies", .memory = true},
    {.id = "inference.sampler_bytes", .memory = true},
    {.id = "samples.saved_copies", .memory = true},
    {.id = "samples.live_share", .memory = true},
    {.id = "samples.workspace_gib", .memory = true},
    {.id = "diffusion.denoiser_held", .memory = true},
    {.id = "diffusion.decoder_held", .memory = true},
    {.id = "diffusion.kept_bytes", .memory = true},
    {.id = "speech.workspace_gib", .memory = true},
    {.id = "speech.workspace_share", .memory = true},
    {.id = "recommender.kept_copies", .memory = true},
    {.id = "recommender.workspace_gib", .memory = true},
};

}  // namespace

std::span<const FreeCoefficient> free_coefficients() { return kFree; }

const std::vector<FreeValue>& Variations::cases(std::string_view id) {
  if (const auto known = cases_.find(id); known != cases_.end()) return known->second;
  std::vector<FreeValue> all;
  if (const auto coefficient = physics::find_coefficient(base_, id)) {
    for (const auto& [name, value] : coefficient->cases) all.push_back({std::string(id), name, value, false});
    all.push_back({std::string(id), {}, coefficient->value, false});
  }
  return cases_.emplace(id, std::move(all)).first->second;
}

const physics::Coefficients& Variations::with(const FreeValue& value) {
  if (const auto known = one_.find(value); known != one_.end()) return known->second;
  const physics::CoefficientValue changed{value.id, value.name, value.shipped * std::exp(step_)};
  return one_.emplace(value, physics::with_values(base_, {&changed, 1})).first->second;
}

const physics::Coefficients& Variations::with_all(std::string_view id) {
  if (const auto known = all_.find(id); known != all_.end()) return known->second;
  std::vector<physics::CoefficientValue> changed;
  for (const FreeValue& value : cases(id)) changed.push_back({value.id, value.name, value.shipped * std::exp(step_)});
  return all_.emplace(id, physics::with_values(base_, changed)).first->second;
}

std::vector<std::string> case_names(const EstimateAnswer& answer) {
  const auto& work = answer.work;
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) names.emplace_back(name);
  };
  if (!answer.machine.on_cpu()) {
    add(answer.machine.device.gpu->compute_capability);
    add(answer.machine.device.gpu->architecture);
  }
  for (const std::string& name : physics::physics_of(work).cases(work, answer.plan.layout)) add(name);
  if (answer.machine.gpus_per_node > 1) add(physics::link_case(answer.machine.link));
  if (answer.machine.nodes > 1) add(answer.machine.rdma ? "rdma" : "tcp");
  return names;
}

}  // namespace gpusel::answer
