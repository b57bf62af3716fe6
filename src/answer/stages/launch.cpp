#include "answer/stages/launch.hpp"

#include <algorithm>
#include <cmath>

#include "answer/poc/poc_figures.hpp"
#include "answer/poc/poc_values.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "physics/planner/plan.hpp"
#include "physics/serving/abilities.hpp"

namespace gpusel::answer {

namespace {

/// Counted work is done on every instance by itself, on each of its cards; a test runs on one card.
void add_shares(ProofValues& values, const physics::Machine& whole) {
  if (whole.nodes > 1) values["instances"] = format("{}", whole.nodes);
  if (whole.on_cpu()) return;
  values["per_node"] = format("{}", whole.gpus_per_node);
  values["last_card"] = format("{}", whole.gpus_per_node - 1);
}

/// What a launch says beyond what a test does.
void add_values(ProofValues& values, const ProofUnit& unit, const physics::Machine& whole) {
  if (const auto& serving = unit.plan.serving) {
    if (!values.contains("share")) values["share"] = format("{:g}", serving->room.share);
    // As many as were planned for; with a rate they come as they come, up to what the cache holds.
    const double most =
        unit.work.inference.concurrency ? serving->room.concurrency : std::floor(serving->room.sequences);
    if (most >= 1) values["at_once"] = format("{:.0f}", most);
    const int here = unit.machine.on_cpu() ? 1 : whole.gpus_per_node / unit.machine.gpus_per_node;
    if (unit.machine.nodes == 1 && here > 1) values["replicas"] = format("{}", here);
    const double context = context_of(unit, serving->room);
    // Engines that set a cache aside before there are requests: for all together, or as much for each.
    const auto asked = static_cast<double>(unit.work.inference.input_tokens + unit.work.inference.output_tokens);
    values["slot_tokens"] = format("{:.0f}", std::max(1.0, most) * asked);
    values["slots"] = format("{:.0f}", std::max(1.0, std::floor(most * asked / context)));
  }
  if (whole.gpus_per_node > 1) values["cards"] = format("{}", whole.gpus_per_node);  // of an instance
  if (unit.work.counted) add_shares(values, whole);
  if (unit.plan.training) {
    const auto& job = unit.work.training;
    const double tokens = static_cast<double>(unit.plan.layout.global_batch() * job.seq_len);
    if (tokens > 0 && job.tokens > 0) values["all_steps"] = format("{:.0f}", std::ceil(job.tokens / tokens));
  }
}

/// What clients ask for where other weights are served than were asked for: the repository as it was named.
std::string called_of(const job::Job& work, const ProofValues& values) {
  const catalog::Repository asked = weights_of(work);
  return shell_word(asked.choice == catalog::RepositoryChoice::asked ? asked.name : values.at("name"));
}

/// A repository of GGUF has many files and no tokenizer: its file is named, and the model that it was made of.
/// https://github.com/vllm-project/vllm/blob/main/docs/features/quantization/gguf.md
void serve_gguf(const job::Job& work, const std::string& file, std::string_view base, ProofValues& values) {
  values["repository"] = file;
  values["packing"] = "gguf";
  values["gguf"] = shell_word(file);
  values["served"] = values["gguf"];
  values["called"] = called_of(work, values);
  values["tokenizer"] = shell_word(catalog::repository_of(*work.model, base, false).name);
  values.erase("weights");  // the file says it
}

/// What a named repository is packed in.
void name_packing(const job::Job& work, ProofValues& values) {
  const catalog::Repository weights = weights_of(work);
  const auto quantised = catalog::quantised_name(weights.name);
  if (!quantised || weights.choice != catalog::RepositoryChoice::asked || quantised->packing.empty()) return;
  values["packing"] = quantised->packing;
  const auto format = values.find("format");
  if (quantised->packing != "gguf" || format == values.end()) return;
  const std::string& base = quantised->base;
  serve_gguf(work, weights.name + ":" + upper(format->second), base.substr(base.rfind('/') + 1), values);
}

/// Where the model's own publisher ships the same weights in that format, which its name ends with, in place of BF16 if
/// that was said. Empty: no such repository is known.
std::string official_repository(const job::Job& work, std::string_view format) {
  const catalog::Repository weights = weights_of(work);
  std::string_view name = weights.name;
  constexpr std::string_view kWide = "-BF16";
  if (name.ends_with(kWide)) name.remove_suffix(kWide.size());
  const std::string wanted = lower(name) + "-" + lower(format);
  for (const std::string_view repository : work.model->official_repositories)
    if (lower(repository) == wanted) return std::string(repository);
  return {};
}

/// A format that the tool cannot make of the published weights, from the model's own publisher.
void name_official(const job::Job& work, ProofValues& values) {
  const auto weights = values.find("weights");
  if (weights == values.end()) return;
  if (const std::string official = official_repository(work, weights->second); !official.empty()) {
    values["repository"] = official;
    values["served"] = shell_word(official);
    values["called"] = called_of(work, values);
    values.erase("weights");
  } else if (const std::string file = official_repository(work, "gguf:" + weights->second); !file.empty()) {
    serve_gguf(work, file, work.asked_as, values);
  }
}

bool spells_weights(const ProofTool& tool, const ProofValues& values) {
  const auto weights = values.find("weights");
  const auto words = tool.words.find("weights");
  return weights != values.end() && words != tool.words.end() && words->second.contains(weights->second);
}

/// Whether it is one of llama.cpp's formats.
bool is_gguf(std::string_view format) {
  const auto known = physics::weight_format(format);
  physics::Ability all;
  all.format = "gguf";
  return known && physics::is_about(all, **known);
}

/// As a part of the name of a file.
std::string file_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    out += plain ? c : '-';
  }
  return out;
}

/// What makes the planned format of the published weights, which nobody publishes in it; null where nothing must be
/// made, or nothing is known that makes it. Afterwards the command serves what it makes, and `weights` is left where
/// nothing does.
const ProofTool* take_conversion(const job::Job& work, std::span<const ProofTool> tools, ProofValues& values) {
  const auto format = values.find("format");
  if (format == values.end()) return nullptr;
  const bool as_published = !values.contains("weights");
  constexpr std::string_view kWide[] = {"bf16", "fp16", "fp32", "mxfp4"};  // that converters keep as they are
  const bool kept = as_published && std::ranges::find(kWide, format->second) != std::end(kWide);
  if (values.contains("repository") || (as_published && !kept)) return nullptr;
  for (const std::string_view name : {"converts", "outtype", "quantize", "recipe", "calibration"})
    values[std::string(name)] = kept ? std::string("published") : format->second;
  values["file"] = file_name(weights_of(work).name + "-" + format->second);
  ProofValues asked = values;
  asked["by"] = "conversion";
  const ProofTool* maker = proof_tool(tools, asked);
  if (maker == nullptr) return nullptr;
  values["made"] = "\"$weights\"";
  values["served"] = values["made"];
  values["called"] = called_of(work, values);
  values.erase("weights");
  return maker;
}

/// A model out of a config.json lies only where that was read; a name of quantised weights may be a repository.
bool is_own_model(const Advice& advice) {
  return advice.own_model != nullptr && advice.work.model == &advice.own_model->model &&
         weights_of(advice.work).choice != catalog::RepositoryChoice::asked;
}

void name_own_model(const Advice& advice, ProofValues& values) {
  const auto format = values.find("format");
  values["wanted"] = format != values.end() ? std::string(format->second) : advice.own_model->model.native_dtype;
  values["called"] = values["name"];
  values["served"] = "\"$CHECKPOINT\"";
  values["own"] = values["served"];
  values.erase("weights");
  if (job::is_training(advice.work.task)) values["model"] = values["served"];
}

/// Names of models come from files that anyone may have written: none of them ends its word in a command.
void quote_names(ProofValues& values) {
  for (const std::string_view name : {"model", "served", "name", "draft"})
    if (const auto value = values.find(name); value != values.end()) value->second = shell_word(value->second);
  const auto speculative = values.find("speculative");  // quoted as a whole, whatever is in it
  if (speculative != values.end() && speculative->second.size() > 2)
    speculative->second = shell_word(speculative->second.substr(1, speculative->second.size() - 2));
}

ProofValues launch_values(const ProofUnit& unit, const Recommendation& chosen) {
  ProofValues values = values_of(unit, 0);
  add_values(values, unit, chosen.machine());
  if (chosen.instance->cpu_arch == catalog::CpuArch::arm64) values["host"] = "arm64";
  quote_names(values);
  name_packing(unit.work, values);
  return values;
}

/// Its steps for such values, behind those that are there.
void add_steps(const ProofTool& tool, const ProofValues& values, Launch& out) {
  for (const ProofTool::Step& step : tool.steps) {
    if (!applies(step, values)) continue;
    if (std::string what = filled(tool, say_text(step.what), values); !what.empty())
      out.remarks.push_back(std::move(what));
    for (const std::string& line : step.run)
      if (std::string text = filled(tool, line, values); !text.empty()) out.lines.push_back(std::move(text));
  }
}

/// Conditions of tools in words; one that is not here tells a tool for other work.
constexpr std::pair<std::string_view, std::string_view> kConditions[] = {
    {"with", to_say("engine or framework")},
    {"method", to_say("method")},
    {"architecture", to_say("architecture")},
    {"split", to_say("tensor, pipeline, context or expert parallelism")},
    {"tp", to_say("tensor parallelism")},
    {"pp", to_say("pipeline parallelism")},
    {"precision", to_say("precision")},
    {"format", to_say("weights in")},
    {"packing", to_say("repositories of")},
    {"kv", to_say("KV cache in")},
    {"checkpointing", to_say("activation checkpointing")},
    {"lengths", to_say("variable-length sequences")},
    {"zero", to_say("ZeRO stage")},
    {"fsdp", to_say("FSDP")},
    {"other_sharding", to_say("this kind of sharding")},
    {"offload", to_say("offload")},
    {"expert_adapters", to_say("adapters on experts")},
    {"in_backward", to_say("optimizer steps in the backward pass")},
    {"pure", to_say("this kind of training without FP32 master weights")},
    {"published", to_say("training from weights published in")},
    {"host", to_say("Arm hosts")},
    {"special", to_say("this architecture")},
    {"optimizer", to_say("optimizer")},
    {"nodes", to_say("several instances")},
    {"replicas", to_say("several replicas per instance")},
    {"draft", to_say("draft models")},
    {"disaggregated", to_say("disaggregated prefill")},
    {"cards", to_say("several GPUs")},
    {"vendor", to_say("GPUs of")},
};

std::string_view condition_name(std::string_view key) {
  const auto* found = std::ranges::find(kConditions, key, [](const auto& one) { return one.first; });
  return found == std::end(kConditions) ? std::string_view() : found->second;
}

/// What keeps the nearest tool from the plan; empty where no tool is for such work.
struct Lack {
  std::string key;
  std::string text;
};
Lack nearest_lack(std::span<const ProofTool> tools, const ProofValues& values) {
  const ProofTool* nearest = nullptr;
  std::vector<std::string> lacks;
  // A tool for another engine or framework is farther than one that lacks something else.
  const auto distance = [](const std::vector<std::string>& names) {
    return names.size() + static_cast<std::size_t>(std::ranges::count(names, "with"));
  };
  for (const ProofTool& tool : tools) {
    std::vector<std::string> names = unmet(tool, values);
    const bool same_work = std::ranges::none_of(names, [](const auto& name) { return condition_name(name).empty(); });
    if (!same_work || (nearest != nullptr && distance(names) >= distance(lacks))) continue;
    nearest = &tool;
    lacks = std::move(names);
  }
  if (nearest == nullptr || lacks.empty()) return {};
  const std::string& key = lacks.front();
  const std::string name = say_text(condition_name(key));
  std::string taken;
  if (const auto when = nearest->when.find(key); when != nearest->when.end())
    for (const std::string& one : when->second)
      if (one != "-") taken += (taken.empty() ? "" : ", ") + one;
  const auto value = values.find(key);
  // Words that are marks of this program alone say nothing.
  constexpr std::string_view kMarks[] = {"pure", "lengths", "in_backward", "expert_adapters", "other_sharding", "host"};
  const bool marked =
      value == values.end() || value->second == "yes" || std::ranges::find(kMarks, key) != std::end(kMarks);
  if (marked) return {key, say("gpusel writes no {} command for {}", nearest->tool, name)};
  constexpr std::size_t kMost = 60;  // characters of a list that is worth reading
  if (taken.empty() || taken.size() > kMost)
    return {key, say("gpusel writes no {} command for {} {}", nearest->tool, name, value->second)};
  return {key, say("{} takes {} {}, and the plan has {}", nearest->tool, name, taken, value->second)};
}

/// Another repository of the same model that a command loads; empty: none.
std::string loadable_repository(const job::Job& work, std::span<const ProofTool> tools, ProofValues values) {
  if (work.model == nullptr) return {};
  for (const std::string_view alias : work.model->aliases) {
    if (alias.find('/') == std::string_view::npos) continue;
    values["model"] = values["served"] = alias;
    values["name"] = alias.substr(alias.rfind('/') + 1);
    if (proof_tool(tools, values) != nullptr) return std::string(alias);
  }
  return {};
}

bool reads(const std::vector<std::string>& lines, const std::string& variable) {
  return std::ranges::any_of(lines,
                             [&](const std::string& line) { return line.find("$" + variable) != std::string::npos; });
}

}  // namespace

catalog::Repository weights_of(const job::Job& work) {
  return work.model == nullptr ? catalog::Repository{}
                               : catalog::repository_of(*work.model, work.asked_as, job::is_training(work.task));
}

std::string weights_note(const job::Job& work) {
  using catalog::RepositoryChoice;
  const catalog::Repository weights = weights_of(work);
  if (weights.name.empty() || weights.choice == RepositoryChoice::asked) return {};
  return job::is_training(work.task)
             ? say("{} is trained from {}; to change that, name a repository with --model", work.model->id,
                   weights.name)
             : say("{} is served as {}; to change that, name a repository with --model", work.model->id, weights.name);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+=@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

ProofValues plan_values(const Advice& advice, const Recommendation& chosen, const physics::Coefficients& coefficients) {
  return launch_values(unit_of(advice, chosen, coefficients), chosen);
}

namespace {

/// Which of several launchers of an engine: Ollama is one of llama.cpp's, and an engine to ask for.
void add_launcher(ProofValues& values, std::string_view by, const job::Job& work) {
  if (!by.empty())
    values["by"] = by;
  else if (work.inference.engine == job::Engine::ollama)
    values["by"] = to_text(job::Engine::ollama);
}

}  // namespace

std::string why_no_launch(const Advice& advice, const Recommendation& chosen, std::span<const ProofTool> tools,
                          const physics::Coefficients& coefficients, std::string_view by) {
  const ProofUnit unit = unit_of(advice, chosen, coefficients);
  ProofValues values = launch_values(unit, chosen);
  add_launcher(values, by, unit.work);
  const job::Job& work = unit.work;
  const ProofTool* tool = proof_tool(tools, values);
  if (tool != nullptr && !spells_weights(*tool, values)) name_official(work, values);
  const auto format = values.find("format");
  if (const bool llama_alone = format != values.end() && is_gguf(format->second);
      tool != nullptr && unmet(*tool, values).empty() && llama_alone &&
      job::kernels_of(work.inference.engine) != job::Engine::llama_cpp)
    return say("{} is a format of llama.cpp: add --engine llama.cpp, or set --quant {}", format->second,
               physics::served_formats(work.inference.engine).front());
  if (tool != nullptr && unmet(*tool, values).empty())
    return say(
        "{} is not published in {} by its maker, and no standard conversion is known: name a repository in that format "
        "with --model, or set --quant {}",
        weights_of(work).name, values["format"],
        work.model->native_dtype.substr(0, work.model->native_dtype.find(' ')));
  const auto [key, lack] = nearest_lack(tools, values);
  if (key == "format")
    return say("no standard command runs this plan: {}; set --quant {}", lack,
               physics::served_formats(work.inference.engine).front());
  if (!lack.empty()) return say("no standard command runs this plan: {}", lack);
  const std::string what(work.model != nullptr ? std::string_view(values["model"]) : to_text(work.task));
  if (const std::string other = loadable_repository(work, tools, values); !other.empty())
    return say("no standard command is known for {}; there is one for --model {}", what, other);
  return say("no standard command is known for {}", what);
}

std::optional<Launch> launch_of(const Advice& advice, const Recommendation& chosen, std::span<const ProofTool> tools,
                                const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                std::string_view by) {
  const ProofUnit unit = unit_of(advice, chosen, coefficients);
  ProofValues values = launch_values(unit, chosen);
  add_launcher(values, by, unit.work);
  const ProofTool* tool = proof_tool(tools, values);
  if (tool == nullptr) return std::nullopt;
  Launch out;
  if (is_own_model(advice)) {
    name_own_model(advice, values);
  } else if (!spells_weights(*tool, values)) {
    name_official(unit.work, values);
    if (!unmet(*tool, values).empty()) return std::nullopt;  // it does not load such a repository
    // Ollama's own image has nothing that converts.
    const bool converts = !by.empty() || unit.work.inference.engine != job::Engine::ollama;
    if (const ProofTool* maker = converts ? take_conversion(unit.work, tools, values) : nullptr; maker != nullptr)
      add_steps(*maker, values, out);
    if (values.contains("weights")) return std::nullopt;
  }
  out.called = values.contains("called") ? values["called"] : values_of(unit, 0)["served"];
  if (values.contains("repository"))
    out.served = values["repository"];
  else if (!values.contains("made") && !values.contains("own"))
    out.served = weights_of(unit.work).name;
  add_steps(*tool, values, out);
  for (const auto& [name, meaning] : tool->env)
    if (name == "HF_TOKEN" || reads(out.lines, name)) out.env.emplace_back(name, say_text(meaning));
  const catalog::Source* source = catalog.source(tool->source);
  out.tool = tool_name(*tool, values);
  out.url = source != nullptr ? std::string(source->url) : std::string();
  out.setup = filled(*tool, tool->setup, values);
  out.port = tool->port;
  out.health = tool->health;
  // Images may be of one CUDA, of one family or of one generation of cards each.
  const std::string& vendor = values["vendor"];
  const std::string made = values.contains("made") ? vendor + "-conversion" : std::string();
  for (const std::string& cards : {vendor, vendor + "-" + values["toolkit"], vendor + "-" + values["family"],
                                   vendor + " " + values["capability"], made})
    if (const auto image = tool->image.find(cards); image != tool->image.end()) {
      const auto cuda = tool->cuda.find(cards);
      out.image = image->second;
      out.cuda = cuda == tool->cuda.end() ? std::string() : cuda->second;
    }
  // A replica may span instances; counted work runs on each by itself, on all its cards.
  const bool counted = unit.work.counted.has_value();
  out.nodes = counted ? 1 : unit.machine.nodes;
  out.copies = std::max(1, chosen.machine().nodes / std::max(1, out.nodes));
  return out;
}

}  // namespace gpusel::answer
