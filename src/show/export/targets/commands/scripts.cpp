// The plan's own command lines as scripts of shell: servers, and training on each instance.
#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/commands/training.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kEmbeddings = "Text Embeddings Inference";

Exported script(const ExportView& view, const answer::Launch& launch, std::string name) {
  Exported out{std::move(name), {}, launch_notes(launch)};
  out.notes.push_back(say("made for {}: {}", launch.tool, launch.url));
  if (launch.setup.empty() && !launch.image.empty())
    out.notes.push_back(say("run it in the container {}, which has the tool for this vendor's cards", launch.image));
  const int nodes = view.chosen.machine().nodes;
  if (reads_rank(launch))
    out.notes.push_back(say(
        "run it on each of {} instances: RANK is 0 on the first, MASTER is the address of the first", launch.nodes));
  else if (nodes > 1)
    out.notes.push_back(say("run it on each of {} instances", nodes));
  out.content = "#!/bin/sh\n" + heading(view, out.notes) + "set -eu\n";
  if (reads_rank(launch)) out.content += ": \"${RANK:?}\" \"${MASTER:?}\"\n";
  for (const auto& [variable, meaning] : open_variables(launch)) out.content += ": \"${" + variable + ":?}\"\n";
  if (!launch.setup.empty()) out.content += "# " + launch.setup + "\n";
  out.content += script_of(launch);
  return out;
}

/// `by`: the launcher in data/launches, where it is not called as its engine.
Result<Exported> server(const ExportView& view, job::Engine engine, std::string_view by = {}) {
  const auto& work = view.advice.work;
  const std::string_view name = to_text(engine);
  if (!view.chosen.plan().serving)
    return cannot(say("{} serves language models, but this job is a different kind", name));
  if (work.inference.engine != engine && to_text(work.inference.engine) != by)
    return cannot(say("the plan is for {}: --engine {} plans for {}", to_text(work.inference.engine), name, name));
  const auto launch = answer::launch_of(view.advice, view.chosen, view.facts.launches, view.catalog, view.coefficients,
                                        by.empty() ? name : by);
  if (launch) return script(view, *launch, "serve.sh");
  const auto values = answer::plan_values(view.advice, view.chosen, view.coefficients);
  if (const auto packing = values.find("packing"); packing != values.end())
    return cannot(say("{} does not load a repository of {}: --engine {} plans for one that does", name, packing->second,
                      to_text(packing->second == "gguf" ? job::Engine::llama_cpp : job::Engine::vllm)));
  return cannot(
      answer::why_no_launch(view.advice, view.chosen, view.facts.launches, view.coefficients, by.empty() ? name : by));
}

}  // namespace

Result<Exported> export_vllm(const ExportView& view) { return server(view, job::Engine::vllm); }

Result<Exported> export_sglang(const ExportView& view) { return server(view, job::Engine::sglang); }

Result<Exported> export_trtllm(const ExportView& view) { return server(view, job::Engine::trt_llm); }

Result<Exported> export_llama_server(const ExportView& view) { return server(view, job::Engine::llama_cpp); }

Result<Exported> export_ollama(const ExportView& view) { return server(view, job::Engine::llama_cpp, "ollama"); }

Result<Exported> export_tei(const ExportView& view) {
  const auto launch =
      answer::launch_of(view.advice, view.chosen, view.facts.launches, view.catalog, view.coefficients, "tei");
  // Work without a server has launchers that stand for any.
  if (!launch || !launch->tool.starts_with(kEmbeddings))
    return cannot(say("Text Embeddings Inference runs models of embeddings on one GPU a copy, from Turing on"));
  return script(view, *launch, "serve.sh");
}

Result<Exported> export_torchrun(const ExportView& view) {
  if (!view.chosen.plan().training) return cannot(say("torchrun starts training, but this job is not training"));
  auto launch =
      answer::launch_of(view.advice, view.chosen, view.facts.launches, view.catalog, view.coefficients, "torchrun");
  if (!launch)
    return cannot(answer::why_no_launch(view.advice, view.chosen, view.facts.launches, view.coefficients, "torchrun"));
  if (reads(*launch, kDeepspeedFile))
    launch->lines.insert(launch->lines.begin(),
                         format("cat > {} <<'END'\n{}END", kDeepspeedFile, dump(deepspeed_config(PlanValues(view)))));
  return script(view, *launch, "train.sh");
}

}  // namespace gpusel::show
