// torchtune: its recipes with their shipped configurations, https://github.com/pytorch/torchtune/tree/main/recipes, and
// what of them the plan sets otherwise, https://docs.pytorch.org/torchtune/main/deep_dives/configs.html
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/commands/training.hpp"

namespace gpusel::show {

namespace {

/// The shipped configurations of a model: which of them there are, as in recipes/configs of August 2025.
struct Configs {
  std::string_view model;
  std::string_view stem;
  bool full = true;        // on several cards
  bool full_alone = true;  // on one
  bool lora_alone = true;
  bool qlora_alone = true;
  bool paged_alone = false;  // whether its full_single_device has an optimizer of bitsandbytes, which takes no `fused`
};
constexpr Configs kConfigs[] = {
    {"llama-2-7b", "llama2/7B", true, false},
    {"llama-2-13b", "llama2/13B", true, false, false},
    {"llama-2-70b", "llama2/70B", false, false, false, false},
    {"llama-3-8b", "llama3/8B", true, true, true, true, true},
    {"llama-3-70b", "llama3/70B", true, false, false, false},
    {"llama-3.1-8b", "llama3_1/8B", true, true, true, true, true},
    {"llama-3.1-70b", "llama3_1/70B", true, false, false, false},
    {"llama-3.2-1b", "llama3_2/1B", true, true, true, true, true},
    {"llama-3.2-3b", "llama3_2/3B", true, true, true, true, true},
    {"llama-3.3-70b", "llama3_3/70B", true, false, false, false},
    {"mistral-7b", "mistral/7B", true, false},
    {"qwen2.5-0.5b", "qwen2_5/0.5B", true, true, true, false},
    {"qwen2.5-1.5b", "qwen2_5/1.5B", true, true, true, false, true},
    {"qwen2.5-3b", "qwen2_5/3B", true, true, true, false, true},
    {"qwen2.5-7b", "qwen2_5/7B", true, true, true, false, true},
    {"qwen2.5-32b", "qwen2_5/32B", false, false, false, false},
    {"qwen2.5-72b", "qwen2_5/72B", false, false, false, false},
    {"qwen3-0.6b", "qwen3/0.6B", true, true, true, false},
    {"qwen3-1.7b", "qwen3/1.7B", true, true, true, false},
    {"qwen3-4b", "qwen3/4B", true, true, true, false},
    {"qwen3-8b", "qwen3/8B", true, true, true, false, true},
    {"qwen3-32b", "qwen3/32B", false, false, false, false},
    {"gemma-2-2b", "gemma2/2B", true, false},
    {"gemma-2-9b", "gemma2/9B", true, false},
    {"gemma-2-27b", "gemma2/27B", true, false},
    {"phi-4", "phi4/14B", true, false},
};

/// "8B_lora_single_device"; empty: none is shipped.
std::string config_of(const Configs& configs, std::string_view method, bool alone) {
  const std::string stem(configs.stem);
  if (method == "full")
    return alone ? configs.full_alone ? stem + "_full_single_device" : "" : configs.full ? stem + "_full" : "";
  if (method == "qlora") return alone && configs.qlora_alone ? stem + "_qlora_single_device" : "";
  return alone ? configs.lora_alone ? stem + "_lora_single_device" : "" : stem + "_lora";
}

std::string recipe_of(std::string_view method, bool alone) {
  return format("{}_finetune_{}", method == "full" ? "full" : "lora", alone ? "single_device" : "distributed");
}

/// Matrices of attention, by torchtune's names; every one where the plan says no less.
std::string module_list(const PlanValues& values) {
  const std::string list = values.of("modules_list");
  if (list == "all") return "q_proj,k_proj,v_proj,output_proj";
  std::string out;
  for (const std::string_view module : split(list, ','))
    if (module == "q_proj" || module == "k_proj" || module == "v_proj" || module == "o_proj")
      out += format("{}{}", out.empty() ? "" : ",", module == "o_proj" ? "output_proj" : module);
  return out;
}

/// Files of the tokenizer, as the configurations of each family name them.
std::vector<std::string> tokenizer_words(std::string_view stem) {
  if (stem.starts_with("qwen"))
    return {"tokenizer.path=\"$weights/vocab.json\"", "tokenizer.merges_file=\"$weights/merges.txt\""};
  if (stem.starts_with("phi"))
    return {"tokenizer.vocab_path=\"$weights/vocab.json\"", "tokenizer.merges_path=\"$weights/merges.txt\""};
  return {format("tokenizer.path=\"$weights/{}tokenizer.model\"", stem.starts_with("llama3") ? "original/" : "")};
}

/// The plan's optimizer in place of the configuration's, whose arguments stay unless they are taken out.
std::vector<std::string> optimizer_words(const PlanValues& values, const Configs& configs) {
  const bool full = values.of("method") == "full";
  const bool paged = values.of("optimizer") == "paged-adamw8bit";
  std::vector<std::string> out;
  if (paged && !(full && values.count("gpus") == 1 && configs.paged_alone)) out.emplace_back("'~optimizer.fused'");
  out.emplace_back(paged ? "optimizer=bitsandbytes.optim.PagedAdamW8bit" : "optimizer=torch.optim.AdamW");
  // It allows one pass a step only.
  const bool inside = values.has("in_backward") && values.count("accumulation") == 1;
  if (full) out.emplace_back(inside ? "optimizer_in_bwd=True" : "optimizer_in_bwd=False");
  return out;
}

/// What the plan sets otherwise than the configuration, each a word of the command line.
std::vector<std::string> overrides(const PlanValues& values, const Configs& configs) {
  std::vector<std::string> out{
      format("batch_size={}", values.of("micro_batch")),
      format("gradient_accumulation_steps={}", values.of("accumulation")),
      format("tokenizer.max_seq_len={}", values.of("length")),
      values.has("lengths") ? "dataset.packed=False" : "dataset.packed=True",
      format("dtype={}", values.of("precision")),
      format("enable_activation_checkpointing={}", values.of("checkpointing") == "full" ? "True" : "False"),
      "checkpointer.checkpoint_dir=\"$weights\"",
      "output_dir=\"$OUTPUT\"",
      "optimizer.lr=\"$LEARNING_RATE\"",
      "dataset=torchtune.datasets.instruct_dataset",
      "dataset.source=\"$DATASET\"",
      "dataset.split=train"};  // some configurations leave a part out
  for (std::string& word : tokenizer_words(configs.stem)) out.push_back(std::move(word));
  if (values.has("rank")) {
    out.push_back(format("model.lora_rank={}", values.of("rank")));
    out.push_back(format("model.lora_alpha={}", 2 * values.count("rank")));
    out.push_back(format("'model.lora_attn_modules=[{}]'", module_list(values)));
    const std::string modules = values.of("modules_list");
    const bool mlp = modules == "all" || modules.find("gate_proj") != std::string::npos;
    out.push_back(format("model.apply_lora_to_mlp={}", mlp ? "True" : "False"));
  }
  // The configurations of the largest models have it, and the plan does not.
  if (values.of("method") == "full" && values.count("gpus") > 1) out.emplace_back("fsdp_cpu_offload=False");
  if (values.has("ddp"))
    out.push_back(format("data_parallel_replicate_dim={} data_parallel_shard_dim=1", values.of("gpus")));
  const auto optimizer = optimizer_words(values, configs);
  out.insert(out.end(), optimizer.begin(), optimizer.end());
  return out;
}

Status check_torchtune(const ExportView& view, const PlanValues& values) {
  if (Status possible = check_training(view, "torchtune", values, "torchtune"); !possible) return possible;
  const auto lacks = [&](std::string_view what) { return cannot(say("{} is not exported to {}", what, "torchtune")); };
  const std::string method = values.of("method");
  if (view.advice.work.task != job::Task::finetune) return lacks(to_text(view.advice.work.task));
  if (method != "full" && method != "lora" && method != "qlora") return lacks(method);
  if (const std::string precision = values.of("precision"); precision != "bf16" && precision != "fp32")
    return lacks(precision);
  if (const std::string optimizer = values.of("optimizer"); optimizer != "adamw" && optimizer != "paged-adamw8bit")
    return lacks(optimizer);
  // Its recipe for adapters on several cards shards always; that for all weights takes the degrees.
  const bool replicates = values.has("ddp") && method != "full";
  if (replicates || values.has("zero") || values.has("other_sharding") || values.has("expert_adapters"))
    return cannot(say("the layout {} is not exported to {}", layout_of(view, view.chosen), "torchtune"));
  return {};
}

}  // namespace

Result<Exported> export_torchtune(const ExportView& view) {
  const PlanValues values(view);
  if (Status possible = check_torchtune(view, values); !possible) return std::unexpected(possible.error());
  const bool alone = values.count("gpus") == 1;
  const std::string_view model = view.advice.work.model->id;
  const auto* configs = std::ranges::find(kConfigs, model, &Configs::model);
  const std::string config = configs == std::end(kConfigs) ? "" : config_of(*configs, values.of("method"), alone);
  if (config.empty())
    return cannot(
        say("torchtune ships no configuration for {} of {} on {} GPUs", values.of("method"), model, values.of("gpus")));
  Exported out{"tune.sh", {}, {}};
  out.notes = {
      say("micro-batch {} per GPU, {} passes per step, {} sequences of {} tokens in total", values.of("micro_batch"),
          values.of("accumulation"), values.of("global_batch"), values.of("length")),
      say("DATASET is a data set of Hugging Face; how often it is read is the configuration's"),
      say("its file names are those of the configuration's model: set checkpointer.checkpoint_files otherwise")};
  if (values.has("in_backward") && values.count("accumulation") > 1)
    out.notes.push_back(say(
        "torchtune can only step in the backward pass with one pass per step: with {} it keeps gradients, which takes "
        "more memory than planned",
        values.of("accumulation")));
  const int nodes = view.chosen.machine().nodes;
  std::string& text = out.content;
  text = "#!/bin/sh\n" + heading(view, out.notes) + "set -eu\n";
  for (const std::string_view name : {"DATASET", "OUTPUT", "LEARNING_RATE"}) text += format(": \"${{{}:?}}\"\n", name);
  if (nodes > 1) text += ": \"${RANK:?}\" \"${MASTER:?}\"\n";
  const std::string weights = answer::shell_word(answer::weights_of(view.advice.work).name);
  text += "# pip install torch torchvision torchao torchtune\n";
  text +=
      format("weights=\"$PWD/weights\"\n[ -e \"$weights\" ] || tune download {} --output-dir \"$weights\"\n", weights);
  text += "tune run";
  if (!alone) text += " --nproc_per_node " + values.of("per_node");
  if (nodes > 1)
    text += format(" --nnodes {} --node_rank \"$RANK\" --rdzv_backend c10d --rdzv_endpoint \"$MASTER:29500\"", nodes);
  text += format(" {} --config {}", recipe_of(values.of("method"), alone), config);
  for (const std::string& word : overrides(values, *configs)) text += " \\\n  " + word;
  text += "\n";
  return out;
}

}  // namespace gpusel::show
