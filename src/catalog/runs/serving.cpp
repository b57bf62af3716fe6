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

/// The format that an engine's name of a quantisation stands for; empty: as the model has it.
std::string_view format_named(const Node* name) {
  constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"nvfp4", "nvfp4"}, {"mxfp4", "mxfp4"}, {"fp4", "nvfp4"},  {"fp8", "fp8"},
      {"int8", "int8"},   {"awq", "w4a16"},   {"gptq", "w4a16"}, {"bitsandbytes", "nf4"}};
  if (name == nullptr || !name->is_scalar()) return {};
  const std::string folded = lower(name->text);
  for (const auto& [part, format] : kFormats)
    if (folded.contains(part)) return format;
  return {};
}

void name_formats(MeasuredRun& run, const Node& plan) {
  if (const auto format = format_named(plan.find("quantization")); !format.empty())
    run.set("weights_precision", std::string(format), plan);
  if (const auto format = format_named(plan.find("kv_cache_dtype")); format == "fp8")
    run.set("kv_precision", "fp8", plan);
}

/// Degrees and formats, as SGLang's server tells them or vLLM's --metadata.
void add_plan(MeasuredRun& run, const Node& plan) {
  constexpr std::pair<std::string_view, std::string_view> kDegrees[] = {
      {"tensor_parallel_size", "tp"}, {"tp_size", "tp"}, {"pipeline_parallel_size", "pp"}, {"pp_size", "pp"},
      {"data_parallel_size", "dp"},   {"dp_size", "dp"}};
  const Node* shared = plan.find("enable_dp_attention");
  for (const auto& [name, key] : kDegrees) {
    const auto ways = number_at(plan.find(name));
    // Replicas of attention alone are on the GPUs of the others' tensor parallelism.
    const bool own = key != "dp" || shared == nullptr || shared->text != "true";
    if (ways && *ways >= 1 && own && run.request.find(key) == nullptr) run.set_whole(key, *ways, plan);
  }
  name_formats(run, plan);
}

/// A result of vLLM's `bench serve --save-result` or SGLang's bench_serving, which have the same names.
class ServingResult {
 public:
  ServingResult(const Node& root, RunReader& reader)
      : root_(root), reader_(reader), server_(root.find("server_info")) {}

  Status read() {
    run_ = reader_.begin("inference", root_);
    name_model();
    const Node* backend = root_.find("backend");
    name_engine(run_, backend != nullptr ? backend : root_.find("endpoint_type"));
    run_.set("mode", "online", root_);
    add_plan(run_, server_ != nullptr ? *server_ : root_);
    done_ = at("completed").value_or(0);
    if (done_ < 1)
      return usage_error(say("none of its requests completed"), position(reader_.file(), root_),
                         say("was the benchmark stopped before its end?"));
    const auto inputs = at("total_input_tokens");
    outputs_ = at("total_output_tokens").value_or(0);
    if (!inputs || outputs_ < done_)
      return usage_error(say("the result lacks the lengths of prompts and answers"), position(reader_.file(), root_),
                         say("total_input_tokens and total_output_tokens have that"));
    run_.set_whole("input_tokens", *inputs / done_, root_);
    run_.set_whole("output_tokens", outputs_ / done_, root_);
    const bool queued = add_load();
    run_.measure("itl_ms", either("median_itl_ms", "mean_itl_ms"), root_);
    run_.measure("tpot_ms", tpot(), root_);
    if (!queued) run_.measure("ttft_ms", either("median_ttft_ms", "mean_ttft_ms"), root_);
    if (run_.measured.children.empty()) run_.measure("output_tokens_per_s", at("output_throughput"), root_);
    return reader_.end(std::move(run_), root_);
  }

 private:
  std::optional<double> at(std::string_view key) const { return number_at(root_.find(key)); }
  std::optional<double> either(std::string_view first, std::string_view second) const {
    const auto value = at(first);
    return value && *value > 0 ? value : at(second);
  }
  std::optional<double> tpot() const { return either("mean_tpot_ms", "median_tpot_ms"); }

  void name_model() {
    for (const std::string_view key : kModels) {
      const Node* named = root_.find(key);
      if ((named == nullptr || named->kind == Node::Kind::null) && server_ != nullptr) named = server_->find(key);
      if (named == nullptr || named->kind == Node::Kind::null) continue;
      return reader_.name_model(run_, named);
    }
  }

  /// Whether first tokens waited in a queue of the server.
  bool add_load() {
    const auto rate = at("request_rate");
    const auto most = at("max_concurrency");
    const bool kept = !rate || is_kept(*rate);
    if (rate && (kept || !most)) {
      reader_.add_rate(run_, {*rate, served(), kept, in_flight()}, root_);
      return !kept;
    }
    // A rate that is held back by the most in flight is no rate any more; without both, all were sent at once.
    run_.set_whole("concurrency", most.value_or(done_), root_);
    return !most;
  }

  std::optional<double> served() const { return at("request_throughput"); }

  /// Or the run was so short that its last answers, after the last request, are a good part of it.
  bool is_kept(double rate) const {
    constexpr double kLastAnswers = 1.5;  // in the time of one answer
    const double answer_s = tpot().value_or(0) * outputs_ / done_ / 1000;
    const double after_last_s = at("duration").value_or(0) - done_ / rate;
    return served().value_or(rate) >= kRateKept * rate || after_last_s <= kLastAnswers * answer_s;
  }

  /// Little's law, where the result does not tell.
  double in_flight() const {
    if (const auto told = at("concurrency")) return *told;
    const double first = at("mean_ttft_ms").value_or(0);
    const double whole_ms = either("mean_e2el_ms", "mean_e2e_latency_ms")
                                .value_or(first > 0 ? first + tpot().value_or(0) * outputs_ / done_ : 0);
    return whole_ms > 0 ? std::min(done_, served().value_or(0) * whole_ms / 1000) : done_;
  }

  const Node& root_;
  RunReader& reader_;
  const Node* server_;  // what SGLang's server told
  MeasuredRun run_;
  double done_ = 0;
  double outputs_ = 0;
};

Status add_trtllm(const Node& root, RunReader& reader) {
  const auto at = [&](std::string_view group, std::string_view key) {
    const Node* map = root.find(group);
    return map != nullptr ? number_at(map->find(key)) : std::nullopt;
  };
  MeasuredRun run = reader.begin("inference", root);
  const Node& engine = *root.find("engine");
  reader.name_model(run, engine.find("model"));
  run.set("engine", "trt-llm", root);
  name_formats(run, engine);
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
  return file.has("output_throughput") && file.has("completed") && file.has("total_output_tokens");
}

Status read_serving(const RunFile& file, const RunFormat&, RunReader& reader) {
  for (const Node& root : file.roots)
    if (Status added = ServingResult(root, reader).read(); !added) return added;
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
