// Results of vLLM's, SGLang's and TensorRT-LLM's serving benchmarks.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

namespace {

/// What a result calls itself; the first that is there is taken.
constexpr std::string_view kModels[] = {"model_id", "model_path", "model"};

void name_engine(MeasuredRun& run, const Node* backend) {
  constexpr std::pair<std::string_view, std::string_view> kEngines[] = {
      {"vllm", "vllm"},         {"sglang", "sglang"},       {"trt", "trt-llm"}, {"tensorrt", "trt-llm"},
      {"lmdeploy", "lmdeploy"}, {"llama.cpp", "llama.cpp"}, {"tgi", "tgi"}};
  if (backend == nullptr || !backend->is_scalar()) return;
  const std::string folded = lower(backend->text);
  for (const auto& [begins, engine] : kEngines)
    if (folded.starts_with(begins)) return run.set("engine", std::string(engine), *backend);
}

/// vLLM's `bench serve --save-result` and SGLang's bench_serving have the same names.
Status add_serving(const Node& root, RunReader& reader) {
  const auto at = [&](std::string_view key) { return number_at(root.find(key)); };
  MeasuredRun run = reader.begin("inference", root);
  const Node* server = root.find("server_info");
  for (const std::string_view key : kModels) {
    const Node* named = root.find(key);
    if ((named == nullptr || named->kind == Node::Kind::null) && server != nullptr) named = server->find(key);
    if (named == nullptr || named->kind == Node::Kind::null) continue;
    reader.name_model(run, named);
    break;
  }
  const Node* backend = root.find("backend");
  name_engine(run, backend != nullptr ? backend : root.find("endpoint_type"));
  run.set("mode", "online", root);
  if (server != nullptr)
    if (const auto tp = number_at(server->find("tp_size"))) run.set_whole("gpus", *tp, root);
  const auto done = at("completed").value_or(0);
  if (done < 1)
    return usage_error(say("none of its requests completed"), position(reader.file(), root),
                       say("was the benchmark stopped before its end?"));
  const auto inputs = at("total_input_tokens");
  const auto outputs = at("total_output_tokens");
  if (!inputs || !outputs || *outputs < done)
    return usage_error(say("the result lacks the lengths of prompts and answers"), position(reader.file(), root),
                       say("total_input_tokens and total_output_tokens have that"));
  run.set_whole("input_tokens", *inputs / done, root);
  run.set_whole("output_tokens", *outputs / done, root);
  const auto rate = at("request_rate");
  const auto most = at("max_concurrency");
  const bool all_at_once = !rate && !most;
  // A rate that is held back by the most in flight is no rate any more.
  const bool held_back = rate && most && at("request_throughput").value_or(*rate) < 0.9 * *rate;
  if (rate && !held_back)
    run.set("request_rate", *rate, root);
  else
    run.set_whole("concurrency", most.value_or(done), root);
  const auto either = [&](std::string_view first, std::string_view second) {
    const auto value = at(first);
    return value && *value > 0 ? value : at(second);
  };
  run.measure("itl_ms", either("median_itl_ms", "mean_itl_ms"), root);
  run.measure("tpot_ms", either("mean_tpot_ms", "median_tpot_ms"), root);
  if (!all_at_once) run.measure("ttft_ms", either("median_ttft_ms", "mean_ttft_ms"), root);
  if (run.measured.children.empty()) run.measure("output_tokens_per_s", at("output_throughput"), root);
  return reader.end(std::move(run), root);
}

/// The format of weights or cache that TensorRT-LLM's name of a quantisation stands for; empty: as the model has them.
std::string_view trtllm_format(const Node* name) {
  if (name == nullptr || !name->is_scalar()) return {};
  const std::string folded = lower(name->text);
  for (const std::string_view format : {"nvfp4", "fp8", "int8"})
    if (folded.contains(format)) return format;
  return {};
}

Status add_trtllm(const Node& root, RunReader& reader) {
  const auto at = [&](std::string_view group, std::string_view key) {
    const Node* map = root.find(group);
    return map != nullptr ? number_at(map->find(key)) : std::nullopt;
  };
  MeasuredRun run = reader.begin("inference", root);
  const Node& engine = *root.find("engine");
  reader.name_model(run, engine.find("model"));
  run.set("engine", "trt-llm", root);
  if (const auto format = trtllm_format(engine.find("quantization")); !format.empty())
    run.set("weights_precision", std::string(format), root);
  if (const auto format = trtllm_format(engine.find("kv_cache_dtype")); format == "fp8")
    run.set("kv_precision", "fp8", root);
  run.set("mode", "online", root);
  if (const auto gpus = at("world_info", "world_size")) run.set_whole("gpus", *gpus, root);
  if (const auto tp = at("world_info", "tp_size")) run.set_whole("tp", *tp, root);
  const auto inputs = at("request_info", "avg_input_length");
  const auto outputs = at("request_info", "avg_output_length");
  if (!inputs || !outputs)
    return usage_error(say("the result lacks the lengths of prompts and answers"), position(reader.file(), root),
                       say("{} and {} of its request_info have that", "avg_input_length", "avg_output_length"));
  run.set_whole("input_tokens", *inputs, root);
  run.set_whole("output_tokens", *outputs, root);
  const double waiting = at("request_info", "avg_num_concurrent_requests").value_or(1);
  const double together = std::min(waiting, at("world_info", "max_batch_size").value_or(waiting));
  run.set_whole("concurrency", together, root);
  run.measure("tpot_ms", at("streaming_metrics", "avg_tpot_ms"), root);
  // Where more wait than run, the time to the first token is that of a queue.
  if (waiting <= 1.1 * together) run.measure("ttft_ms", at("streaming_metrics", "avg_ttft_ms"), root);
  if (run.measured.children.empty())
    run.measure("output_tokens_per_s", at("performance", "system_output_throughput_tok_s"), root);
  return reader.end(std::move(run), root);
}

}  // namespace

bool is_serving(const RunFile& file) {
  return file.has("output_throughput") && (file.has("mean_ttft_ms") || file.has("median_ttft_ms"));
}

Status read_serving(const RunFile& file, const RunFormat&, RunReader& reader) {
  for (const Node& root : file.roots)
    if (Status added = add_serving(root, reader); !added) return added;
  return {};
}

bool is_trtllm_bench(const RunFile& file) {
  return file.has("engine") && file.has("request_info") && file.has("performance");
}

Status read_trtllm_bench(const RunFile& file, const RunFormat&, RunReader& reader) {
  for (const Node& root : file.roots)
    if (Status added = add_trtllm(root, reader); !added) return added;
  return {};
}

}  // namespace gpusel::catalog
