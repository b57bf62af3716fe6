// The formats that runs are read from, and what they share. A new format is a row of run_formats(). Private to this
// room.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/runs/runs.hpp"

namespace gpusel::catalog {

struct RunFile {
  std::string_view text;
  const std::string& name;
  std::vector<Node> roots;   // of JSON, JSON Lines or the rows of CSV; none: a log of lines
  std::vector<Node> header;  // of CSV

  /// Whether its first record, or its header, has that member.
  bool has(std::string_view key) const;
};

class RunReader;

struct RunFormat {
  std::string_view name;
  std::vector<std::string_view> marks;  // texts that only such a log of lines has
  bool (*is)(const RunFile& file);      // null: a log of lines
  Status (*read)(const RunFile& file, const RunFormat& format, RunReader& reader);
  std::string_view framework = {};  // of training
  std::string_view task = {};       // of training
};
std::span<const RunFormat> run_formats();

/// A run in the making.
struct MeasuredRun {
  Node request, measured;
  // Of training, what needs the plan to become tokens of one GPU.
  std::optional<double> tokens_per_s, samples_per_s, step_time_s;

  void set(std::string_view key, std::string text, const Node& at);
  void set(std::string_view key, double value, const Node& at);
  void set_whole(std::string_view key, double value, const Node& at);
  /// What is not there, or not above 0, was not measured.
  void measure(std::string_view key, std::optional<double> value, const Node& at);
  std::optional<double> number(std::string_view key) const;
};

std::optional<double> number_at(const Node* node);
/// The first map, list or scalar of that name, however deep.
const Node* find_deep(const Node& root, std::string_view key, int depth = 6);
Node at_line(std::size_t line);

/// A load of requests that were sent at a rate.
struct SentAt {
  double rate = 0;               // asked for
  std::optional<double> served;  // per second
  bool kept = true;
  double in_flight = 0;  // where it was not kept
};
/// Of a rate, what is served where it is kept: the last answers end after the last request.
inline constexpr double kRateKept = 0.9;

/// What all formats do with a run: names of the catalogue, what was said beside it, and what is missing.
class RunReader {
 public:
  RunReader(const std::string& file, const SaidCells& said, std::span<const GpuLog> beside, const Catalog& catalog)
      : file_(file), said_(said), beside_(beside), catalog_(catalog) {}

  MeasuredRun begin(std::string_view task, const Node& at) const;
  /// A model as the catalogue has it: by its whole name, else without its publisher or folder.
  void name_model(MeasuredRun& run, const Node* name) const;
  void name_gpu(MeasuredRun& run, std::string_view name, const Node& at) const;
  /// A rate that was not kept is as many requests in flight as there were, whose first tokens waited in a queue.
  void add_rate(MeasuredRun& run, const SentAt& sent, const Node& at);
  bool is_said(std::string_view key) const { return said(key) != nullptr; }
  const Node* said(std::string_view key) const;
  const Catalog& catalog() const { return catalog_; }
  /// Errors: `at`, with all that is missing in one sentence.
  Status end(MeasuredRun run, const Node& at);
  /// Once, however many runs of the file it is true of.
  void remark(std::string text) {
    if (std::ranges::find(out_.remarks, text) == out_.remarks.end()) out_.remarks.push_back(std::move(text));
  }
  const std::string& file() const { return file_; }
  Result<RunRecords> finish();

 private:
  void add_beside(MeasuredRun& run, const Node& at);
  void count_gpus(MeasuredRun& run, const Node& at);
  void drop_memory_of_unknown_batch(MeasuredRun& run);
  Status check_known(const MeasuredRun& run, const Node& at) const;
  std::string alike_models(const MeasuredRun& run) const;

  const std::string& file_;
  const SaidCells& said_;
  std::span<const GpuLog> beside_;
  const Catalog& catalog_;
  RunRecords out_;
};

// Readers of one format each.

bool is_serving(const RunFile& file);
Status read_serving(const RunFile& file, const RunFormat& format, RunReader& reader);
bool is_genai_perf(const RunFile& file);
Status read_genai_perf(const RunFile& file, const RunFormat& format, RunReader& reader);
bool is_guidellm(const RunFile& file);
Status read_guidellm(const RunFile& file, const RunFormat& format, RunReader& reader);
bool is_llama_bench(const RunFile& file);
Status read_llama_bench(const RunFile& file, const RunFormat& format, RunReader& reader);
bool is_trtllm_bench(const RunFile& file);
Status read_trtllm_bench(const RunFile& file, const RunFormat& format, RunReader& reader);
/// Lines with metrics by their names, whoever writes them.
Status read_training_log(const RunFile& file, const RunFormat& format, RunReader& reader);
bool is_trainer_state(const RunFile& file);
bool is_metric_history(const RunFile& file);
bool is_llama_factory_log(const RunFile& file);
/// Records of metrics by step, or of a whole run.
Status read_metric_history(const RunFile& file, const RunFormat& format, RunReader& reader);

}  // namespace gpusel::catalog
