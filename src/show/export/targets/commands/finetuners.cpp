// LLaMA-Factory, https://github.com/hiyouga/LLaMA-Factory/tree/main/src/llamafactory/hparams (what stands behind the
// file on its command line overrides it), and Axolotl, https://docs.axolotl.ai/docs/config-reference.html and
// https://docs.axolotl.ai/docs/cli.html
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/commands/training.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::show {

namespace {

/// Of transformers.TrainingArguments; empty: none of its optimizers.
std::string_view optimizer_name(std::string_view optimizer) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"adamw", "adamw_torch_fused"},
                                                                             {"adamw8bit", "adamw_bnb_8bit"},
                                                                             {"paged-adamw", "paged_adamw_32bit"},
                                                                             {"paged-adamw8bit", "paged_adamw_8bit"},
                                                                             {"adafactor", "adafactor"},
                                                                             {"sgd", "sgd"},
                                                                             {"lion", "lion_32bit"}};
  const auto* found = std::ranges::find(kNames, optimizer, [](const auto& name) { return name.first; });
  return found == std::end(kNames) ? std::string_view() : found->second;
}

std::unexpected<Error> no_layout(const ExportView& view, std::string_view tool) {
  return cannot(say("the layout {} is not exported to {}", layout_of(view, view.chosen), tool));
}

/// What is written for neither tool. Error: the plan needs it.
Status check_finetuner(const ExportView& view, std::string_view tool, const PlanValues& values,
                       std::string_view framework) {
  if (Status possible = check_training(view, tool, values, framework); !possible) return possible;
  const auto lacks = [&](std::string_view what) { return cannot(say("{} is not exported to {}", what, tool)); };
  const std::string architecture = values.of("architecture");
  if (architecture != "decoder-llm" && architecture != "vlm")
    return cannot(say("{} trains models that generate text, not {}", tool, architecture));
  const std::string precision = values.of("precision");
  if (precision != "bf16" && precision != "fp16") return lacks(precision);
  if (optimizer_name(values.of("optimizer")).empty()) return lacks(values.of("optimizer"));
  if (const std::string method = values.of("method"); method != "full" && method != "lora" && method != "qlora")
    return lacks(method);
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"expert_adapters", to_say("adapters on experts")},
      {"in_backward", to_say("optimizer steps in the backward pass")},
      {"lengths", to_say("variable-length sequences")}};
  for (const auto& [name, what] : kOthers)
    if (values.has(name)) return cannot(say("{} are not exported to {}", say_text(what), tool));
  if (values.has("other_sharding")) return no_layout(view, tool);
  return {};
}

std::vector<std::string> modules_of(const PlanValues& values) {
  const std::string list = values.of("modules_list");
  const auto modules = split(list, ',');
  return {modules.begin(), modules.end()};
}

ExportedFile deepspeed_file(const PlanValues& values) {
  return {std::string(kDeepspeedFile), dump(deepspeed_config(values))};
}

std::vector<std::string> finetuner_notes(const PlanValues& values, std::vector<std::string> variables) {
  std::vector<std::string> notes{say("micro-batch {} per GPU, {} passes a step, {} sequences of {} tokens total",
                                     values.of("micro_batch"), values.of("accumulation"), values.of("global_batch"),
                                     values.of("length"))};
  if (values.of("flash") == "yes") notes.push_back(say("flash-attn must be installed"));
  if (values.has("eager"))
    notes.push_back(say("attention sinks run without FlashAttention here, so this needs more memory than planned"));
  for (std::string& variable : variables) notes.push_back(std::move(variable));
  return notes;
}

/// Lines on top of the script that starts the training.
std::string start_script(const ExportView& view, const std::vector<std::string>& notes,
                         const std::vector<std::string_view>& variables) {
  std::string out = "#!/bin/sh\n" + heading(view, notes) + "set -eu\n";
  for (const std::string_view name : variables) out += format(": \"${{{}:?}}\"\nexport {}\n", name, name);
  if (view.chosen.machine().nodes > 1) out += ": \"${RANK:?}\" \"${MASTER:?}\"\n";
  return out;
}

std::string torchrun_flags(const ExportView& view, const PlanValues& values) {
  std::string out = "--nproc_per_node=" + values.of("per_node");
  if (const int nodes = view.chosen.machine().nodes; nodes > 1)
    out += format(" --nnodes={} --node_rank=\"$RANK\" --master_addr=\"$MASTER\" --master_port=29500", nodes);
  return out;
}

/// A model out of a file of the reader's, or of no known repository, lies in a folder that only the reader knows.
bool is_own_model(const ExportView& view) {
  const auto& own = view.advice.own_model;
  const catalog::Repository weights = answer::weights_of(view.advice.work);
  if (weights.name.empty()) return true;
  return own != nullptr && view.advice.work.model == &own->model && weights.choice != catalog::RepositoryChoice::asked;
}

Json factory_config(const ExportView& view, const PlanValues& values) {
  const bool adapters = values.has("rank");
  Json config{{"model_name_or_path", answer::weights_of(view.advice.work).name},
              {"stage", view.advice.work.task == job::Task::pretrain ? "pt" : "sft"},
              {"do_train", true},
              {"finetuning_type", adapters ? "lora" : "full"},
              {"cutoff_len", values.count("length")},
              {"packing", true},
              {"per_device_train_batch_size", values.count("micro_batch")},
              {"gradient_accumulation_steps", values.count("accumulation")},
              {values.of("precision"), true},
              {"optim", optimizer_name(values.of("optimizer"))},
              {"save_strategy", "steps"},
              {"ddp_timeout", 180000000}};
  if (is_own_model(view)) config.erase("model_name_or_path");
  if (adapters) config["lora_rank"] = values.count("rank");
  if (adapters) config["lora_target"] = values.of("modules_list");
  if (values.of("method") == "qlora") config["quantization_bit"] = 4;
  if (values.of("flash") == "yes") config["flash_attn"] = "fa2";
  if (values.of("checkpointing") == "none") config["disable_gradient_checkpointing"] = true;
  if (values.has("pure")) config["pure_bf16"] = true;
  if (values.has("fused_loss")) config["enable_liger_kernel"] = true;
  if (values.has("all_steps")) config["max_steps"] = values.count("all_steps");
  if (values.has("zero")) config["deepspeed"] = kDeepspeedFile;
  return config;
}

Json axolotl_fsdp(const PlanValues& values) {
  return {{"auto_wrap_policy", "TRANSFORMER_BASED_WRAP"},
          {"reshard_after_forward", values.of("fsdp") == "true"},
          {"activation_checkpointing", values.has("wrapped")},
          {"cpu_ram_efficient_loading", true},
          {"offload_params", false},
          {"state_dict_type", "SHARDED_STATE_DICT"},
          {"final_state_dict_type", "FULL_STATE_DICT"}};
}

void add_adapters(const PlanValues& values, Json& config) {
  const bool quantised = values.of("method") == "qlora";
  config["adapter"] = quantised ? "qlora" : "lora";
  if (quantised) config["load_in_4bit"] = true;
  config["lora_r"] = values.count("rank");
  config["lora_alpha"] = 2 * values.count("rank");
  if (values.of("modules") == "all-linear")
    config["lora_target_linear"] = true;
  else
    config["lora_target_modules"] = modules_of(values);
}

/// That tells packed texts apart: FlashAttention, or PyTorch's own. Empty: the model's.
std::string attention_of(const PlanValues& values) {
  const std::string flash = values.of("flash");
  if (flash == "sinks") return "kernels-community/vllm-flash-attn3";
  return flash == "yes" ? "flash_attention_2" : values.has("unpacked") ? "sdpa" : "";
}

Json axolotl_config(const ExportView& view, const PlanValues& values) {
  const bool pretrains = view.advice.work.task == job::Task::pretrain;
  Json data{{"path", "${DATASET}"}, {"type", pretrains ? "completion" : "chat_template"}};
  if (!pretrains) data["chat_template"] = "tokenizer_default_fallback_chatml";
  Json config{
      {"base_model", is_own_model(view) ? std::string("${CHECKPOINT}") : answer::weights_of(view.advice.work).name},
      {"datasets", Json::array({std::move(data)})},
      {"output_dir", "${OUTPUT}"},
      {"sequence_len", values.count("length")},
      {"sample_packing", true},
      {"pad_to_sequence_len", true},
      {"micro_batch_size", values.count("micro_batch")},
      {"gradient_accumulation_steps", values.count("accumulation")},
      {"learning_rate", "${LEARNING_RATE}"},
      {"optimizer", optimizer_name(values.of("optimizer"))},
      {"lr_scheduler", "cosine"},
      {values.of("precision"), true},
      {"gradient_checkpointing", values.of("checkpointing") == "full" && !values.has("wrapped")}};
  if (values.has("rank")) add_adapters(values, config);
  if (const std::string attention = attention_of(values); !attention.empty()) config["attn_implementation"] = attention;
  if (values.has("fused_loss")) {
    config["plugins"] = Json::array({"axolotl.integrations.liger.LigerPlugin"});
    config["liger_fused_linear_cross_entropy"] = true;
  }
  if (const std::string published = values.of("published"); !published.empty()) {
    config["model_quantization_config"] = published == "fp8" ? "FineGrainedFP8Config" : "Mxfp4Config";
    config["model_quantization_config_kwargs"] = {{"dequantize", true}};
  }
  if (values.has("all_steps"))
    config["max_steps"] = values.count("all_steps");
  else
    config["num_epochs"] = 1;
  if (values.has("zero")) config["deepspeed"] = kDeepspeedFile;
  if (values.has("fsdp")) config["fsdp_version"] = 2;
  if (values.has("fsdp")) config["fsdp_config"] = axolotl_fsdp(values);
  return config;
}

}  // namespace

Result<Exported> export_llama_factory(const ExportView& view) {
  constexpr std::string_view kTool = "LLaMA-Factory";
  const PlanValues values(view);
  if (Status possible = check_finetuner(view, kTool, values, "llama-factory"); !possible)
    return std::unexpected(possible.error());
  if (values.has("fsdp")) return no_layout(view, kTool);
  if (values.of("pure") == "sharded")  // by src/llamafactory/hparams/parser.py
    return cannot(say("LLaMA-Factory does not train without FP32 master weights under ZeRO-3"));
  std::vector<std::string_view> variables{"DATASET", "TEMPLATE", "LEARNING_RATE", "OUTPUT"};
  if (is_own_model(view)) variables.emplace_back("CHECKPOINT");
  Exported out{"train.yaml", {}, {}};
  out.notes = finetuner_notes(values, {say("set DATASET (a name in dataset_info.json), TEMPLATE (of chats), "
                                           "LEARNING_RATE and OUTPUT (a folder that outlives the instance)"),
                                       say("sh train.sh, in a checkout of LLaMA-Factory, on each instance")});
  out.content = yaml_file(view, out.notes, {factory_config(view, values)});
  std::string start =
      start_script(view, out.notes, variables) + "FORCE_TORCHRUN=1 NPROC_PER_NODE=" + values.of("per_node");
  if (const int nodes = view.chosen.machine().nodes; nodes > 1)
    start += format(" NNODES={} NODE_RANK=\"$RANK\" MASTER_ADDR=\"$MASTER\" MASTER_PORT=29500", nodes);
  start +=
      " llamafactory-cli train train.yaml dataset=\"$DATASET\" template=\"$TEMPLATE\""
      " learning_rate=\"$LEARNING_RATE\" output_dir=\"$OUTPUT\"";
  if (is_own_model(view)) start += " model_name_or_path=\"$CHECKPOINT\"";
  out.further.push_back({"train.sh", start + "\n"});
  if (values.has("zero")) out.further.push_back(deepspeed_file(values));
  return out;
}

Result<Exported> export_axolotl(const ExportView& view) {
  constexpr std::string_view kTool = "Axolotl";
  const PlanValues values(view);
  if (Status possible = check_finetuner(view, kTool, values, "axolotl"); !possible)
    return std::unexpected(possible.error());
  // It loads all weights in the arithmetic's own format; what shards them keeps FP32 masters of its own.
  const bool sharded = values.has("zero") || values.has("fsdp");
  if (values.has("pure") && sharded) return no_layout(view, kTool);
  std::vector<std::string_view> variables{"DATASET", "LEARNING_RATE", "OUTPUT"};
  if (is_own_model(view)) variables.emplace_back("CHECKPOINT");
  Exported out{"axolotl.yaml", {}, {}};
  std::vector<std::string> left{
      say("set DATASET (a name or folder), LEARNING_RATE and OUTPUT (a folder that outlives the instance)"),
      say("sh train.sh, with axolotl installed, on each instance: it fills them in")};
  if (values.of("method") == "full" && !values.has("pure") && !sharded)
    left.push_back(say("Axolotl keeps no FP32 master weights here: it needs less memory than planned"));
  if (values.has("rank")) left.push_back(say("lora_alpha is twice the rank, which is usual and not part of the plan"));
  out.notes = finetuner_notes(values, std::move(left));
  out.content = yaml_file(view, out.notes, {axolotl_config(view, values)});
  const std::string start =
      start_script(view, out.notes, variables) +
      "python3 -c 'import os, sys; sys.stdout.write(os.path.expandvars(sys.stdin.read()))' < axolotl.yaml > "
      "axolotl.run.yaml\naxolotl train axolotl.run.yaml --launcher torchrun -- " +
      torchrun_flags(view, values) + "\n";
  out.further.push_back({"train.sh", start});
  if (values.has("zero")) out.further.push_back(deepspeed_file(values));
  return out;
}

}  // namespace gpusel::show
