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

Status read_records(RunFile& run) {
  auto roots = read_json(run.text, run.name);
  if (!roots) return std::unexpected(roots.error());
  run.roots = std::move(*roots);
  return {};
}

/// The first that says something: in tables '#' begins a remark.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trim(text.substr(0, text.find('\n')));
    if (!line.empty() && !line.starts_with('#')) return line;
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return {};
}

Status read_table(RunFile& run) {
  if (!first_line(run.text).contains(',')) return {};
  // pandas writes its index first, in a column without a name.
  const std::string indexed = run.text.starts_with(',') ? format("index{}", run.text) : std::string();
  auto csv = parse_csv(indexed.empty() ? run.text : indexed, run.name);
  if (!csv) return std::unexpected(csv.error());
  run.header = std::move(csv->header);
  run.roots = std::move(csv->rows);
  return {};
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

/// A request with what was measured, which no tool writes.
bool is_own_row(const Node& root) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"task", "measured"},
                             [&](std::string_view key) { return root.find(key) != nullptr; });
}

/// JSON of no format: own rows, however they are laid out, or nothing that is known. With what was said beside them,
/// own rows are the caller's to refuse.
std::optional<Result<RunRecords>> other_json(RunFile& run, const Status& parsed, const SaidCells& said) {
  if (!parsed) return std::unexpected(parsed.error());
  if (std::ranges::any_of(run.roots, is_own_row)) {
    if (!said.empty()) return std::nullopt;
    return RunRecords{std::move(run.roots), {}};
  }
  const Node nowhere = at_line(1);
  return usage_error(say("this is not a known result"), position(run.name, run.roots.empty() ? nowhere : run.roots[0]),
                     say("read are: {}", format_names()));
}

/// Own rows are a table with such columns; the caller tells what is wrong with it.
std::optional<Result<RunRecords>> other_text(const RunFile& run, const Status& parsed) {
  constexpr std::string_view kColumns[] = {"task", "model", "gpu"};
  const auto cells = split(first_line(run.text), ',');
  const bool says_so = std::ranges::any_of(
      cells, [&](std::string_view cell) { return std::ranges::find(kColumns, cell) != std::end(kColumns); });
  const bool is_table = parsed && (!run.header.empty() || parse_csv(run.text, run.name));
  // Words without blanks are names of columns: what is wrong below them is said of the table.
  const bool names_columns = cells.size() > 1 && std::ranges::none_of(cells, [](std::string_view cell) {
                               return cell.empty() || cell.contains(' ');
                             });
  if (says_so || is_table) return std::nullopt;
  if (!parsed && names_columns) return std::unexpected(parsed.error());
  return usage_error(say("this is not a result, log or table that is read"), format("{}:1:1", run.name),
                     say("docs/calibrate.md lists those that are"));
}

}  // namespace

bool RunFile::has(std::string_view key) const {
  if (!roots.empty() && roots.front().is_map() && roots.front().find(key) != nullptr) return true;
  return std::ranges::any_of(header, [&](const Node& column) { return column.text == key; });
}

std::span<const RunFormat> run_formats() {
  static const std::vector<RunFormat> kFormats{
      {to_name("vLLM and SGLang bench"), {}, is_serving, read_serving},
      {to_name("GuideLLM"), {}, is_guidellm, read_guidellm},
      {to_name("GenAI-Perf and AIPerf"), {}, is_genai_perf, read_genai_perf},
      {to_name("llama-bench"), {}, is_llama_bench, read_llama_bench},
      {to_name("trtllm-bench"), {}, is_trtllm_bench, read_trtllm_bench},
      {to_name("Trainer state"), {}, is_trainer_state, read_metric_history, "hf-trainer", "finetune"},
      {to_name("W&B or MLflow export"), {}, is_metric_history, read_metric_history, {}, "finetune"},
      {to_name("LLaMA-Factory log"), {}, is_llama_factory_log, read_metric_history, "llama-factory", "finetune"},
      {to_name("Megatron log"),
       {"elapsed time per iteration (ms):", "elapsed time per iteration (s):", "tensor_model_parallel_size ..."},
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
      {to_name("torchtitan log"), {"tps: ", "wps: ", "[titan]"}, nullptr, read_training_log, "torchtitan", "pretrain"}};
  return kFormats;
}

std::optional<Result<RunRecords>> read_runs(std::string_view text, const std::string& file, const SaidCells& said,
                                            std::span<const GpuLog> beside, const Catalog& catalog) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return std::nullopt;
  RunFile run{text, file, {}, {}};
  const bool is_json = text[first] == '[' || text[first] == '{';
  const Status parsed = is_json ? read_records(run) : read_table(run);
  const RunFormat* format = format_of(run);
  if (format == nullptr) return is_json ? other_json(run, parsed, said) : other_text(run, parsed);
  RunReader reader(file, said, beside, catalog);
  if (Status done = format->read(run, *format, reader); !done) return std::unexpected(done.error());
  return reader.finish();
}

}  // namespace gpusel::catalog
