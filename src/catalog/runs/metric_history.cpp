// Records of metrics: a Trainer's state and results, and what W&B and MLflow export.
#include <algorithm>
#include <set>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/training_metrics.hpp"

namespace gpusel::catalog {

namespace {

/// "run-7 - validation_metrics/": not of training.
bool is_evaluation(std::string_view before) {
  if (!before.ends_with('/')) return false;
  before.remove_suffix(1);
  const std::string_view folder = before.substr(before.find_last_of("/ ") + 1);
  return folder.starts_with("val") || folder.starts_with("eval") || folder.starts_with("test");
}

/// "run-7 - train/train_runtime", "metrics.train_runtime": what stands before the name is whose it is.
bool is_named(std::string_view key, std::string_view name) {
  if (!key.ends_with(name)) return false;
  const std::string_view before = key.substr(0, key.size() - name.size());
  if (is_evaluation(before)) return false;
  return before.empty() || before.ends_with('/') || before.ends_with(" - ") || before == "metrics." ||
         before == "params." || before == "config.";
}

/// A chart has a column for each run: "run-7 - train/train_runtime".
Status check_one_run(const RunFile& file) {
  std::set<std::string_view> runs;
  for (const Node& column : file.header)
    if (const auto end = column.text.rfind(" - "); end != std::string::npos)
      runs.insert(std::string_view(column.text).substr(0, end));
  if (runs.size() < 2) return {};
  return usage_error(say("the chart has more than one run: {}",
                         join_texts(runs, ", ", [](std::string_view run) { return printable(shorten(run, 40)); })),
                     position(file.name, file.header.front()), say("export one of them, or keep the columns of one"));
}

class HistoryReader {
 public:
  HistoryReader(const RunFormat& format, RunReader& reader) : metrics_(format, reader) {}

  Status read(std::span<const Node> roots) {
    for (const Node& root : roots)
      if (Status done = is_pair(root) ? read_pair(root) : read_record(root); !done) return done;
    return metrics_.finish(line_);
  }

 private:
  static bool is_pair(const Node& node) { return node.is_map() && node.find("key") && node.find("value"); }

  /// A record, and those that it holds.
  Status read_record(const Node& record) {
    line_ = std::max<std::size_t>(line_, record.line);
    for (const Node& member : record.children)
      if (member.is_scalar())
        if (Status added = read_member(member.key, member); !added) return added;
    metrics_.end_row(record.line);
    for (const Node& member : record.children)
      if (!member.is_scalar())
        if (Status done = is_pair(member) ? read_pair(member) : read_record(member); !done) return done;
    return {};
  }

  Status read_member(std::string_view key, const Node& value) {
    for (const MetricName& name : metric_names())
      if (is_named(key, name.name)) return metrics_.add(name, value.text, value.line);
    for (const SettingName& name : setting_names())
      if (is_named(key, name.name)) metrics_.set(name, value.text, value.line);
    return {};
  }

  /// MLflow's way: a metric of a step, with the time at which it was logged. The times of one metric are the clock.
  Status read_pair(const Node& pair) {
    const Node& key = *pair.find("key");
    line_ = std::max<std::size_t>(line_, pair.line);
    if (key.text.starts_with("system/")) return {};
    Node value = *pair.find("value");
    value.line = pair.line;
    if (Status added = read_member(key.text, value); !added) return added;
    const Node* step = pair.find("step");
    const Node* time = pair.find("timestamp");
    if (step != nullptr && time != nullptr && (timed_.empty() || timed_ == key.text)) {
      timed_ = key.text;
      constexpr MetricName kStep{"step", Metric::step};
      constexpr MetricName kTime{"timestamp", Metric::clock, 1e-3};
      if (Status added = metrics_.add(kStep, step->text, pair.line); !added) return added;
      if (Status added = metrics_.add(kTime, time->text, pair.line); !added) return added;
    }
    metrics_.end_row(pair.line);
    return {};
  }

  TrainingMetrics metrics_;
  std::size_t line_ = 1;
  std::string timed_;
};

}  // namespace

bool is_trainer_state(const RunFile& file) {
  return file.has("log_history") || (file.has("train_runtime") && !file.has("_step") && !file.has("key"));
}

bool is_metric_history(const RunFile& file) {
  if (file.has("_step") || (file.has("key") && file.has("value") && file.has("step"))) return true;
  const bool exported = std::ranges::any_of(file.header, [](const Node& column) {
    return column.text.contains(" - ") || column.text.starts_with("metrics.");
  });
  if (exported) return true;
  const Node* metrics = file.roots.empty() ? nullptr : find_deep(file.roots.front(), "metrics");
  return metrics != nullptr && metrics->is_list() && !metrics->children.empty() &&
         metrics->children.front().find("key") != nullptr;
}

bool is_llama_factory_log(const RunFile& file) { return file.has("current_steps") && file.has("elapsed_time"); }

Status read_metric_history(const RunFile& file, const RunFormat& format, RunReader& reader) {
  if (Status one = check_one_run(file); !one) return one;
  return HistoryReader(format, reader).read(file.roots);
}

}  // namespace gpusel::catalog
