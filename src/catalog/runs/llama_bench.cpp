// llama-bench: one record per test of prompts or of generation.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"
#include "catalog/weights/quantised_name.hpp"

namespace gpusel::catalog {

namespace {

/// "llama 8B Q4_K - Medium", "llama 8B IQ4_XS - 4.25 bpw": the format as --quant has it; empty: none.
std::string format_of(std::string_view model_type) {
  constexpr std::string_view kKinds[] = {"q", "iq", "tq", "f", "bf", "mxfp", "nvfp"};
  constexpr std::pair<std::string_view, std::string_view> kSizes[] = {
      {"small", "_s"}, {"medium", "_m"}, {"large", "_l"}, {"mix", "_mix"}};
  constexpr std::pair<std::string_view, std::string_view> kOtherwise[] = {
      {"f16", "fp16"}, {"f32", "fp32"}, {"q2_k_m", "q2_k"}, {"iq3_s_mix", "iq3_m"}};
  const std::string folded = lower(model_type);
  std::string format;
  for (const std::string_view word : split(folded, ' ')) {
    const auto digit = std::min(word.find_first_of("0123456789"), word.size());
    if (format.empty() && digit < word.size() && std::ranges::find(kKinds, word.substr(0, digit)) != std::end(kKinds))
      format = word;
    for (const auto& [size, end] : kSizes)
      if (!format.empty() && word == size) format += end;
  }
  for (const auto& [told, name] : kOtherwise)
    if (format == told) return std::string(name);
  return format;
}

/// "models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf" without its folder and end.
std::string stem_of(const Node* file) {
  if (file == nullptr || !file->is_scalar()) return {};
  std::string stem = file->text.substr(file->text.find_last_of("/\\") + 1);
  if (stem.ends_with(".gguf")) stem.resize(stem.size() - 5);
  return stem;
}

/// By the type that the file tells, else by its name.
Status name_format(MeasuredRun& run, const Node& root, const RunReader& reader) {
  const Node* type = root.find("model_type");
  std::string format = type != nullptr && type->is_scalar() ? format_of(type->text) : std::string();
  const auto named = quantised_name(stem_of(root.find("model_filename")));
  if (format.empty() && named && !named->format_open) format = named->format;
  if (!format.empty()) run.set("weights_precision", format, root);
  if (!format.empty() || reader.is_said("weights_precision")) return {};
  return usage_error(say("the result lacks the format of its weights"), position(reader.file(), root),
                     say("add {}, for example", "--quant q4_k_m"));
}

void name_gguf(MeasuredRun& run, const Node& root, const RunReader& reader) {
  const Node* file = root.find("model_filename");
  const std::string stem = stem_of(file);
  if (reader.is_said("model")) return;
  // What stands behind the name is the format: "Meta-Llama-3.1-8B-Instruct-Q4_K_M".
  for (auto end = stem.size(); end != std::string::npos && end > 0; end = stem.find_last_of("-.", end - 1))
    if (const auto model = reader.catalog().model(stem.substr(0, end)))
      return run.set("model", std::string((*model)->id), *file);
}

/// "NVIDIA GeForce RTX 4090, NVIDIA GeForce RTX 4090": of one kind.
void name_gpus(MeasuredRun& run, const Node& root, const RunReader& reader) {
  const Node* told = root.find("gpu_info");
  if (told == nullptr || !told->is_scalar() || told->text.empty()) return;
  const auto names = split(told->text, ',');
  const std::string_view first = trim(names.front());
  if (std::ranges::any_of(names, [&](std::string_view name) { return trim(name) != first; })) return;
  reader.name_gpu(run, first, *told);
  if (run.request.find("gpu") != nullptr) run.set_whole("gpus", static_cast<double>(names.size()), *told);
}

/// What the GPU does not hold is computed by the processor.
Status check_layers(const MeasuredRun& run, const Node& root, const RunReader& reader) {
  const auto on_gpu = number_at(root.find("n_gpu_layers"));
  const Node* name = reader.is_said("model") ? reader.said("model") : run.request.find("model");
  if (!on_gpu || *on_gpu < 0 || name == nullptr) return {};
  const auto model = reader.catalog().model(name->text);
  if (!model || *on_gpu >= (*model)->layers.value_or(0)) return {};
  return usage_error(say("{:.0f} of {:.0f} layers were on the GPU; what the processor computes is not estimated",
                         *on_gpu, *(*model)->layers),
                     position(reader.file(), root), say("run it again with -ngl 99"));
}

/// Prompts of one test, or tokens of another; tests of both together are left out.
Status add_llama_bench(const Node& root, RunReader& reader) {
  const auto at = [&](std::string_view key) { return number_at(root.find(key)).value_or(0); };
  const double prompt = at("n_prompt");
  const double generated = at("n_gen");
  const double speed = at("avg_ts");
  if (speed <= 0 || (prompt <= 0) == (generated <= 0)) return {};
  MeasuredRun run = reader.begin("inference", root);
  name_gpus(run, root, reader);
  name_gguf(run, root, reader);
  if (Status named = name_format(run, root, reader); !named) return named;
  if (Status all = check_layers(run, root, reader); !all) return all;
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
