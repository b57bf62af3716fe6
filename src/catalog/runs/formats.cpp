// Which format a file has.
#include <algorithm>

#include "base/io/csv.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

namespace {

/// One object or list, or an object per line.
Result<std::vector<Node>> read_json(std::string_view text, const std::string& file) {
  auto whole = parse_json(text, file, JsonDialect::python);
  if (whole) {
    if (whole->root.is_list()) return std::move(whole->root.children);
    return std::vector{std::move(whole->root)};
  }
  const auto first_end = std::min(text.find('\n'), text.size());
  if (!parse_json(trim(text.substr(0, first_end)), file, JsonDialect::python)) return std::unexpected(whole.error());
  return parse_json_lines(text, file, JsonDialect::python);
}

bool has_mark(const RunFormat& format, std::string_view text) {
  return std::ranges::any_of(format.marks, [&](std::string_view mark) { return text.contains(mark); });
}

/// What it is, by its records or, of a log, by its marks.
const RunFormat* format_of(const RunFile& file) {
  for (const RunFormat& format : run_formats())
    if (format.is != nullptr ? !(file.roots.empty() && file.header.empty()) && format.is(file)
                             : (file.roots.empty() || !file.header.empty()) && has_mark(format, file.text))
      return &format;
  return nullptr;
}

std::string format_names() {
  return join_texts(run_formats(), ", ", [](const RunFormat& format) { return say_name(format.name); });
}

}  // namespace

bool RunFile::has(std::string_view key) const {
  if (!roots.empty() && roots.front().is_map() && roots.front().find(key) != nullptr) return true;
  return std::ranges::any_of(header, [&](const Node& column) { return column.text == key; });
}

std::span<const RunFormat> run_formats() {
  static const std::vector<RunFormat> kFormats{
      {to_name("vLLM and SGLang bench"),
       {"\"output_throughput\"", "\"model_id\"", "\"max_concurrency\""},
       is_serving,
       read_serving},
      {to_name("GuideLLM"), {"\"benchmarks\""}, is_guidellm, read_guidellm},
      {to_name("llama-bench"), {"\"n_gen\""}, is_llama_bench, read_llama_bench},
      {to_name("trtllm-bench"), {"\"world_info\""}, is_trtllm_bench, read_trtllm_bench},
      {to_name("Trainer state"),
       {"\"log_history\"", "\"train_runtime\""},
       is_trainer_state,
       read_metric_history,
       "hf-trainer",
       "finetune"},
      {to_name("W&B or MLflow export"),
       {"\"_step\"", "\"_runtime\""},
       is_metric_history,
       read_metric_history,
       {},
       "finetune"},
      {to_name("LLaMA-Factory log"),
       {"\"current_steps\""},
       is_llama_factory_log,
       read_metric_history,
       "llama-factory",
       "finetune"},
      {to_name("Megatron log"),
       {"elapsed time per iteration (ms):", "tensor_model_parallel_size ..."},
       nullptr,
       read_training_log,
       "megatron-lm",
       "pretrain"},
      {to_name("NeMo log"), {"train_step_timing in s"}, nullptr, read_training_log, "nemo", "pretrain"},
      {to_name("torchtune log"),
       {"tokens_per_second_per_gpu:", "with resolved config:"},
       nullptr,
       read_training_log,
       "torchtune",
       "finetune"},
      {to_name("axolotl log"),
       {"'tokens/train_per_sec_per_gpu':", "[axolotl."},
       nullptr,
       read_training_log,
       "axolotl",
       "finetune"},
      {to_name("Trainer log"),
       {"'train_runtime':", "'learning_rate':", "***** Running training *****"},
       nullptr,
       read_training_log,
       "hf-trainer",
       "finetune"},
      {to_name("torchtitan log"), {"tps: ", "[titan]"}, nullptr, read_training_log, "torchtitan", "pretrain"}};
  return kFormats;
}

std::optional<Result<RunRecords>> read_runs(std::string_view text, const std::string& file, const SaidCells& said,
                                            std::span<const GpuLog> beside, const Catalog& catalog) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return std::nullopt;
  RunFile run{text, file, {}, {}};
  const bool is_list = text[first] == '[';
  if (is_list || text[first] == '{') {
    auto roots = read_json(text, file);
    if (roots) run.roots = std::move(*roots);
    // A log may begin with a bracket, too.
    const RunFormat* format = format_of(run);
    const bool was_one = is_list || std::ranges::any_of(run_formats(), [&](const RunFormat& one) {
                           return one.is != nullptr && has_mark(one, text);
                         });
    if (!roots && format == nullptr && was_one) return std::unexpected(roots.error());
    if (roots && format == nullptr && is_list)
      return usage_error(say("{} is not a known benchmark result", run.roots.empty() ? "[]" : run.roots[0].describe()),
                         run.roots.empty() ? file : position(file, run.roots[0]), say("read are: {}", format_names()));
  } else if (text.substr(first, text.find('\n', first) - first).contains(',')) {
    if (auto csv = parse_csv(text, file)) {
      run.header = std::move(csv->header);
      run.roots = std::move(csv->rows);
    }
  }
  const RunFormat* format = format_of(run);
  if (format == nullptr) return std::nullopt;
  RunReader reader(file, said, beside, catalog);
  if (Status done = format->read(run, *format, reader); !done) return std::unexpected(done.error());
  return reader.finish();
}

}  // namespace gpusel::catalog
