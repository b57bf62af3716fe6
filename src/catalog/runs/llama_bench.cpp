// llama-bench: one record per test of prompts or of generation.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

namespace {

/// "llama 8B Q4_K - Medium": the format is read out of it; the model's name in the catalogue is that of its file.
void name_gguf(MeasuredRun& run, const Node& root, const RunReader& reader) {
  if (const Node* type = root.find("model_type"); type != nullptr && type->is_scalar()) {
    constexpr std::pair<std::string_view, std::string_view> kFormats[] = {{"q4_k - medium", "q4_k_m"},
                                                                          {"q4_k - small", "q4_k_s"},
                                                                          {"q5_k - medium", "q5_k_m"},
                                                                          {"q5_k - small", "q5_k_s"},
                                                                          {"q6_k", "q6_k"},
                                                                          {"q8_0", "q8_0"},
                                                                          {"q4_0", "q4_0"},
                                                                          {"q5_0", "q5_0"},
                                                                          {"q5_1", "q5_1"},
                                                                          {"bf16", "bf16"},
                                                                          {"f16", "fp16"}};
    const std::string folded = lower(type->text);
    for (const auto& [spelled, name] : kFormats)
      if (folded.contains(spelled)) {
        run.set("weights_precision", std::string(name), *type);
        break;
      }
  }
  const Node* file = root.find("model_filename");
  if (file == nullptr || !file->is_scalar() || reader.is_said("model")) return;
  std::string stem = file->text.substr(file->text.find_last_of("/\\") + 1);
  if (stem.ends_with(".gguf")) stem.resize(stem.size() - 5);
  // What stands behind the name is the format: "Meta-Llama-3.1-8B-Instruct-Q4_K_M".
  for (auto end = stem.size(); end != std::string::npos && end > 0; end = stem.find_last_of("-.", end - 1))
    if (const auto model = reader.catalog().model(stem.substr(0, end)))
      return run.set("model", std::string((*model)->id), *file);
}

/// Prompts of one test, or tokens of another; tests of both together are left out.
Status add_llama_bench(const Node& root, RunReader& reader) {
  const auto at = [&](std::string_view key) { return number_at(root.find(key)).value_or(0); };
  const double prompt = at("n_prompt");
  const double generated = at("n_gen");
  const double speed = at("avg_ts");
  if (speed <= 0 || (prompt <= 0) == (generated <= 0)) return {};
  MeasuredRun run = reader.begin("inference", root);
  if (const Node* name = root.find("gpu_info"); name != nullptr && name->is_scalar())
    reader.name_gpu(run, name->text, *name);
  name_gguf(run, root, reader);
  run.set("engine", "llama.cpp", root);
  if (at("build_number") > 0) run.set("engine_version", format("b{:.0f}", at("build_number")), root);
  run.set("mode", "single-stream", root);
  run.set_whole("concurrency", 1, root);
  run.set_whole("input_tokens", prompt > 0 ? prompt : at("n_depth"), root);
  run.set_whole("output_tokens", std::max(1.0, generated), root);
  if (generated > 0)
    run.measure("output_tokens_per_s", speed, root);
  else
    run.measure("ttft_ms", 1000 * prompt / speed, root);
  return reader.end(std::move(run), root);
}

}  // namespace

bool is_llama_bench(const RunFile& file) { return file.has("avg_ts") && file.has("n_gen"); }

Status read_llama_bench(const RunFile& file, const RunFormat&, RunReader& reader) {
  for (const Node& root : file.roots)
    if (Status added = add_llama_bench(root, reader); !added) return added;
  return {};
}

}  // namespace gpusel::catalog
