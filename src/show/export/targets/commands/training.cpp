// The training plan for libraries that read it from a file. Accelerate:
// https://huggingface.co/docs/accelerate/package_reference/cli and .../usage_guides/fsdp; DeepSpeed:
// https://www.deepspeed.ai/docs/config-json/
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/commands/training.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::show {

namespace {

/// Frameworks that divide work, or start it, in a way of their own.
constexpr std::string_view kOwnLaunchers[] = {"megatron", "nemo", "torchtune", "unsloth", "litgpt"};

/// What is kept in 16 bit beside fp32 masters is mixed; with all in one format there is nothing to mix, and DeepSpeed
/// computes in the format that it is told.
std::string mixed_precision(const PlanValues& values) {
  const std::string precision = values.of("precision");
  const bool half = precision == "bf16" || precision == "fp16";
  return half && (!values.has("pure") || values.has("zero")) ? precision : "no";
}

Json fsdp_config(const PlanValues& values) {
  return {{"fsdp_version", 2},
          {"fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP"},
          {"fsdp_reshard_after_forward", values.of("fsdp") == "true"},
          {"fsdp_activation_checkpointing", values.has("wrapped")},
          {"fsdp_cpu_ram_efficient_loading", true},
          {"fsdp_offload_params", false},
          {"fsdp_state_dict_type", "SHARDED_STATE_DICT"}};
}

std::string offload_device(const PlanValues& values, bool of_parameters) {
  const std::string offload = values.of("offload");
  return offload == "params" || (offload == "optimizer" && !of_parameters) ? "cpu" : "none";
}

Json deepspeed_plugin(const PlanValues& values) {
  return {{"zero_stage", values.count("zero")},
          {"gradient_accumulation_steps", values.count("accumulation")},
          {"offload_optimizer_device", offload_device(values, false)},
          {"offload_param_device", offload_device(values, true)},
          {"zero3_init_flag", values.of("zero") == "3"},
          {"zero3_save_16bit_model", values.of("zero") == "3"},
          // Each instance is started by itself; the other launchers want a list of hosts.
          {"deepspeed_multinode_launcher", "standard"}};
}

/// What these files have no place for: the script that reads them trains so.
std::vector<std::string> script_notes(const PlanValues& values) {
  return {
      say("micro-batch {} per GPU, {} passes a step, {} sequences of {} tokens total; checkpointing {}",
          values.of("micro_batch"), values.of("accumulation"), values.of("global_batch"), values.of("length"),
          values.of("checkpointing")),
      say("left to your script: method {}, optimizer {} and its learning rate, activation checkpointing {}",
          values.of("method"), values.of("optimizer"), values.has("wrapped") ? "none" : values.of("checkpointing"))};
}

}  // namespace

Status check_training(const ExportView& view, std::string_view tool, const PlanValues& values,
                      std::string_view framework) {
  if (!view.chosen.plan().training) return cannot(say("{} is for training, but this job is not training", tool));
  const std::string& planned = view.advice.work.training.framework;
  if (planned != framework && std::ranges::find(kOwnLaunchers, planned) != std::end(kOwnLaunchers))
    return cannot(say("{} does not train through {}", planned, tool));
  if (values.has("split"))
    return cannot(say("the layout {} is not exported to {}", layout_of(view, view.chosen), tool));
  const std::string vendor = values.of("vendor");
  if (vendor != "nvidia" && vendor != "amd")
    return cannot(say("the configuration of {} for {} is not known here", tool, values.of("gpu")));
  if (const std::string kind = values.of("checkpointing"); kind != "full" && kind != "none")
    return cannot(say("{} activation checkpointing is not exported to {}: use --activation-checkpointing full or none",
                      kind, tool));
  const std::string precision = values.of("precision");
  for (const std::string_view usual : {"bf16", "fp16", "fp32", "tf32"})
    if (precision == usual) return {};
  return cannot(say("{} is not exported to {}", precision, tool));
}

Json deepspeed_config(const PlanValues& values) {
  const std::string half = values.of("precision");
  Json zero{{"stage", values.count("zero")}};
  if (values.count("zero") >= 1) zero.update({{"overlap_comm", true}, {"contiguous_gradients", true}});
  if (values.count("zero") == 3) zero["stage3_gather_16bit_weights_on_model_save"] = true;
  for (const bool of_parameters : {false, true})
    if (const std::string device = offload_device(values, of_parameters); device != "none")
      zero[of_parameters ? "offload_param" : "offload_optimizer"] = {{"device", device}, {"pin_memory", true}};
  return {{"train_batch_size", values.count("global_batch")},
          {"train_micro_batch_size_per_gpu", values.count("micro_batch")},
          {"gradient_accumulation_steps", values.count("accumulation")},
          {"gradient_clipping", 1.0},  // as transformers.TrainingArguments has it
          {"bf16", {{"enabled", half == "bf16"}}},
          {"fp16", {{"enabled", half == "fp16"}}},
          {"zero_optimization", std::move(zero)}};
}

Result<Exported> export_accelerate(const ExportView& view) {
  const PlanValues values(view);
  if (Status possible = check_training(view, "Accelerate", values); !possible) return std::unexpected(possible.error());
  if (values.has("other_sharding"))
    return cannot(say("the layout {} is not exported to {}", layout_of(view, view.chosen), "Accelerate"));
  const int nodes = view.chosen.machine().nodes;
  const bool alone = values.count("gpus") == 1;
  Json config{{"compute_environment", "LOCAL_MACHINE"},
              {"distributed_type", values.has("zero")   ? "DEEPSPEED"
                                   : values.has("fsdp") ? "FSDP"
                                   : alone              ? "NO"
                                                        : "MULTI_GPU"},
              {"mixed_precision", mixed_precision(values)},
              {"num_machines", nodes},
              {"num_processes", values.count("gpus")},
              {"machine_rank", 0},
              {"main_training_function", "main"},
              {"rdzv_backend", "static"},
              {"same_network", true},
              {"use_cpu", false}};
  if (values.has("zero")) config["deepspeed_config"] = deepspeed_plugin(values);
  if (values.has("fsdp")) config["fsdp_config"] = fsdp_config(values);
  Exported out{"accelerate.yaml", {}, script_notes(values)};
  out.notes.push_back(nodes > 1
                          ? say("on each instance: accelerate launch --config_file accelerate.yaml --machine_rank "
                                "RANK --main_process_ip MASTER --main_process_port 29500 your_script.py")
                          : say("accelerate launch --config_file accelerate.yaml your_script.py"));
  out.content = yaml_file(view, out.notes, {config});
  return out;
}

Result<Exported> export_deepspeed(const ExportView& view) {
  const PlanValues values(view);
  if (Status possible = check_training(view, "DeepSpeed", values); !possible) return std::unexpected(possible.error());
  if (values.has("fsdp") || values.has("other_sharding"))
    return cannot(say("the plan shards in a way that DeepSpeed does not support ({})", layout_of(view, view.chosen)));
  Exported out{"ds_config.json", {}, script_notes(values)};
  Json config{{"_comment", heading_lines(view, out.notes)}};
  config.update(deepspeed_config(values));
  out.content = dump(config);
  return out;
}

}  // namespace gpusel::show
