// What trainers log by step, under the names that they give it, and the steady speed out of it. Private to this room.
#pragma once

#include <array>

#include "catalog/runs/run_format.hpp"

namespace gpusel::catalog {

enum class Metric : std::uint8_t {
  gpu_tokens,    // per second, of one GPU
  step_time,     // s
  clock,         // s, from any start
  step,          // number of the optimiser step
  tokens_seen,   // so far, on all GPUs
  trained_seen,  // of them, those that the loss is of
  all_tokens,    // per second since the start, on all GPUs
  all_samples,
  all_steps,
  allocated,  // GiB
  reserved,
};
inline constexpr std::size_t kMetricKinds = 11;

struct MetricName {
  std::string_view name;
  Metric metric;
  double factor = 1;  // to its unit
};
/// Of two in one record that mean the same, the first of these is taken.
std::span<const MetricName> metric_names();

/// What of a run's settings is a key of a request.
struct SettingName {
  std::string_view name;
  std::string_view key;
  std::string_view word = {};  // that a truth stands for
  bool stands_above = false;   // over what was found before
};
std::span<const SettingName> setting_names();

/// A series without its first part: the steps that compile, fill caches and wait for data.
struct Steady {
  double median = 0;
  std::size_t first = 0;  // of the series
};
/// Nothing of fewer than three values: one of them is the first step.
std::optional<Steady> steady_part(std::span<const double> series);

class TrainingMetrics {
 public:
  TrainingMetrics(const RunFormat& format, RunReader& reader);

  /// Errors: no number.
  Status add(const MetricName& name, std::string_view text, std::size_t line);
  /// All metrics of a record were added.
  void end_row(std::size_t line);
  void set(const SettingName& name, std::string_view text, std::size_t line);
  bool is_set(const SettingName& name) const { return !name.stands_above && run_.request.find(name.key) != nullptr; }
  void name_gpu(std::string_view name, std::size_t line) { reader_.name_gpu(run_, name, at_line(line)); }
  /// Gives the run to the reader. Errors: too few steps.
  Status finish(std::size_t last_line);

 private:
  struct Series {
    std::vector<double> values;
    std::vector<std::size_t> lines;
    void add(double value, std::size_t line) {
      values.push_back(value);
      lines.push_back(line);
    }
  };
  struct Tick {
    double step = 0;
    double clock = 0;
    std::optional<double> tokens;
  };
  Series& of(Metric metric) { return series_[static_cast<std::size_t>(metric)]; }
  std::optional<double> last(Metric metric);
  std::optional<double> steady(const Series& series);
  bool take_steps();
  bool take_whole_run();
  void take_memory();
  void take_batch();

  const RunFormat& format_;
  RunReader& reader_;
  MeasuredRun run_;
  std::array<Series, kMetricKinds> series_;
  std::array<const MetricName*, kMetricKinds> of_row_{};
  std::array<double, kMetricKinds> row_{};
  std::optional<Tick> tick_;  // of the record before
  double least_tick_s_ = 0;   // between two of them
  Series tick_times_, tick_tokens_;
  std::size_t line_ = 1;  // of the first step that counts
};

}  // namespace gpusel::catalog
