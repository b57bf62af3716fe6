#include "answer/stages/launch.hpp"

#include <algorithm>
#include <cmath>

#include "answer/poc/poc_figures.hpp"
#include "answer/poc/poc_values.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/quantised_name.hpp"

namespace gpusel::answer {

namespace {

/// Counted work is done on every card of every instance, each by itself; a test runs on one card.
void add_shares(ProofValues& values, const physics::Machine& whole) {
  values["per_node"] = format("{}", whole.gpus_per_node);
  values["last_card"] = format("{}", whole.gpus_per_node - 1);
  if (whole.nodes > 1) values["instances"] = format("{}", whole.nodes);
}

/// What a launch says beyond what a test does.
void add_values(ProofValues& values, const ProofUnit& unit, const physics::Machine& whole,
                const physics::Coefficients& c) {
  if (const auto& serving = unit.plan.serving) {
    if (!values.contains("share"))
      values["share"] = format("{:g}", c.engine_memory_share.of(to_text(unit.work.inference.engine)));
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
  if (unit.work.counted && !whole.on_cpu()) add_shares(values, whole);
  if (unit.plan.training) {
    const auto& job = unit.work.training;
    const double tokens = static_cast<double>(unit.plan.layout.global_batch() * job.seq_len);
    if (tokens > 0 && job.tokens > 0) values["all_steps"] = format("{:.0f}", std::ceil(job.tokens / tokens));
  }
}

void take_checkpoint(ProofValues& values, std::string_view format) {
  values["wanted"] = format;
  values["called"] = values["name"];
  values["served"] = "\"$CHECKPOINT\"";
}

/// A model out of a config.json lies only where that was read; a name of quantised weights may be a repository.
void name_own_model(const Advice& advice, ProofValues& values) {
  if (advice.own_model == nullptr || advice.work.model != &advice.own_model->model) return;
  if (weights_of(advice.work).choice == catalog::RepositoryChoice::asked) return;
  const auto format = values.find("format");
  take_checkpoint(values, format != values.end() ? std::string(format->second) : advice.own_model->model.native_dtype);
  if (job::is_training(advice.work.task)) values["model"] = values["served"];
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

/// What a named repository is packed in. One of GGUF has many files and no tokenizer: its file is named, and the model
/// that it was made of. https://github.com/vllm-project/vllm/blob/main/docs/features/quantization/gguf.md
void name_packing(const job::Job& work, ProofValues& values) {
  const catalog::Repository weights = weights_of(work);
  const auto quantised = catalog::quantised_name(weights.name);
  const bool named = quantised && weights.choice == catalog::RepositoryChoice::asked && !quantised->packing.empty();
  if (named) values["packing"] = quantised->packing;
  const auto format = values.find("format");
  if (!named || quantised->packing != "gguf" || format == values.end()) {
    values["file"] = "\"$CHECKPOINT\"";
    return;
  }
  const std::string file = upper(format->second);
  const std::string& base = quantised->base;
  values["gguf"] = shell_word(weights.name + ":" + file);
  values["served"] = values["gguf"];
  values["called"] = values["name"];
  values["tokenizer"] = shell_word(catalog::repository_of(*work.model, base.substr(base.rfind('/') + 1), false).name);
  values.erase("weights");  // the file says it
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

/// A format that the tool cannot make of the published weights must be there as a checkpoint of its own: that of the
/// model's own publisher, or the reader's.
void name_checkpoint(const Advice& advice, const ProofTool& tool, ProofValues& values) {
  const auto weights = values.find("weights");
  if (weights == values.end()) return;
  const auto words = tool.words.find("weights");
  if (words != tool.words.end() && words->second.contains(weights->second)) return;
  const std::string official = official_repository(advice.work, weights->second);
  if (!official.empty()) {
    values["served"] = shell_word(official);
    values["called"] = values["name"];
    values.erase("weights");
    return;
  }
  take_checkpoint(values, weights->second);
}

/// Names of models come from files that anyone may have written: none of them ends its word in a command.
void quote_names(ProofValues& values) {
  for (const std::string_view name : {"model", "served", "name", "draft"})
    if (const auto value = values.find(name); value != values.end()) value->second = shell_word(value->second);
  const auto speculative = values.find("speculative");  // quoted as a whole, whatever is in it
  if (speculative != values.end() && speculative->second.size() > 2)
    speculative->second = shell_word(speculative->second.substr(1, speculative->second.size() - 2));
}

ProofValues launch_values(const ProofUnit& unit, const Recommendation& chosen, const physics::Coefficients& c) {
  ProofValues values = values_of(unit, 0);
  add_values(values, unit, chosen.machine(), c);
  quote_names(values);
  name_packing(unit.work, values);
  return values;
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
  return launch_values(unit_of(advice, chosen, coefficients), chosen, coefficients);
}

std::optional<Launch> launch_of(const Advice& advice, const Recommendation& chosen, std::span<const ProofTool> tools,
                                const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                std::string_view by) {
  const ProofUnit unit = unit_of(advice, chosen, coefficients);
  ProofValues values = launch_values(unit, chosen, coefficients);
  if (!by.empty()) values["by"] = by;
  const ProofTool* tool = proof_tool(tools, values);
  if (tool == nullptr) return std::nullopt;
  name_checkpoint(advice, *tool, values);
  name_own_model(advice, values);
  Launch out;
  out.called = values_of(unit, 0)[values.contains("called") ? "name" : "served"];
  for (const ProofTool::Step& step : tool->steps) {
    if (!applies(step, values)) continue;
    if (std::string what = filled(*tool, say_text(step.what), values); !what.empty())
      out.remarks.push_back(std::move(what));
    for (const std::string& line : step.run)
      if (std::string text = filled(*tool, line, values); !text.empty()) out.lines.push_back(std::move(text));
  }
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
  for (const std::string& cards :
       {vendor, vendor + "-" + values["toolkit"], vendor + "-" + values["family"], vendor + " " + values["capability"]})
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
