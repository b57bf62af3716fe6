#include "catalog/runs/training_metrics.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

constexpr MetricName kMetrics[] = {
    {"elapsed time per iteration (ms)", Metric::step_time, 1e-3},
    {"elapsed time per iteration (s)", Metric::step_time},
    {"train_step_timing in s", Metric::step_time},
    {"iteration-time", Metric::step_time},
    {"time_metrics/end_to_end(s)", Metric::step_time},
    {"tokens_per_second_per_gpu", Metric::gpu_tokens},
    {"tokens/train_per_sec_per_gpu", Metric::gpu_tokens},
    {"throughput/device/tokens_per_sec", Metric::gpu_tokens},
    {"throughput(tps)", Metric::gpu_tokens},
    {"tps", Metric::gpu_tokens},
    {"wps", Metric::gpu_tokens},
    {"num_input_tokens_seen", Metric::tokens_seen},
    {"tokens/total", Metric::tokens_seen},
    {"tokens/trainable", Metric::trained_seen},
    {"total_tokens", Metric::tokens_seen},
    {"train_tokens_per_second", Metric::all_tokens},
    {"throughput/tokens_per_sec", Metric::all_tokens},
    {"train_samples_per_second", Metric::all_samples},
    {"train_steps_per_second", Metric::all_steps},
    {"train_runtime", Metric::clock},
    {"_runtime", Metric::clock},
    {"elapsed_time", Metric::clock},
    {"_timestamp", Metric::clock},
    {"global_step", Metric::step},  // others count how often was logged
    {"current_steps", Metric::step},
    {"step", Metric::step},
    {"Step", Metric::step},
    {"_step", Metric::step},
    {"peak_memory_reserved", Metric::reserved},
    {"memory/max_reserved(GiB)", Metric::reserved},
    {"memory/device_reserved (GiB)", Metric::reserved},
    {"memory", Metric::reserved},
    {"vram_reserved", Metric::reserved},
    {"peak_memory_alloc", Metric::allocated},
    {"memory/max_allocated (GiB)", Metric::allocated},
    {"vram_allocated", Metric::allocated},
};

constexpr SettingName kSettings[] = {
    {"seq_length", "seq_len"},
    {"sequence_len", "seq_len"},
    {"max_seq_length", "seq_len"},
    {"max_seq_len", "seq_len"},
    {"cutoff_len", "seq_len"},
    {"sequence length", "seq_len"},
    {"micro_batch_size", "micro_batch"},
    {"per_device_train_batch_size", "micro_batch"},
    {"train_batch_size", "micro_batch"},
    {"local batch size", "micro_batch"},
    {"Instantaneous batch size per device", "micro_batch"},
    {"Total train batch size (w. parallel, distributed & accumulation)", "global_batch"},
    {"Gradient Accumulation steps", "grad_accum"},
    {"batch_size", "micro_batch"},
    {"global_batch_size", "global_batch"},
    {"global batch size", "global_batch"},
    {"gradient_accumulation_steps", "grad_accum"},
    {"world_size", "gpus"},
    {"tensor_model_parallel_size", "tp"},
    {"pipeline_model_parallel_size", "pp"},
    {"context_parallel_size", "cp"},
    {"expert_model_parallel_size", "ep"},
    {"model_name_or_path", "model"},
    {"_name_or_path", "model"},
    {"base_model", "model"},
    {"checkpoint_dir", "model"},
    {"CUDA capacity", "gpu"},
    {"GPU capacity", "gpu"},
    {"gpu_name", "gpu"},
    {"adapter", "method"},
    {"lora_rank", "lora_rank"},
    {"lora_r", "lora_rank"},
    {"recompute_granularity", "activation_checkpointing"},
    {"gradient_checkpointing", "activation_checkpointing", "full"},
    {"enable_activation_checkpointing", "activation_checkpointing", "full"},
    {"use_distributed_optimizer", "sharding", "zero1"},
    {"fp8", "precision", "fp8", true},
    {"bf16", "precision", "bf16"},
    {"fp16", "precision", "fp16"},
    {"params_dtype", "precision"},
    {"dtype", "precision"},
    {"num_layers", "layers"},
    {"hidden_size", "hidden"},
    {"ffn_hidden_size", "ffn"},
};

/// What a setting may say in words, and what a request calls it.
constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"lora", "lora"},          {"qlora", "qlora"},   {"full", "full"},           {"selective", "selective"},
    {"bf16", "bf16"},          {"bfloat16", "bf16"}, {"torch.bfloat16", "bf16"}, {"fp16", "fp16"},
    {"torch.float16", "fp16"}, {"fp32", "fp32"},     {"torch.float32", "fp32"}};

/// Between two readings of a clock that shows whole seconds: one of them is 5 % of that.
constexpr double kLeastTickOfWholeSeconds = 20;

bool is_no(std::string_view text) {
  return text.empty() || text == "none" || text == "null" || text == "false" || text == "no" || text == "0";
}

/// The number that a text begins with: "1,234", "37.5GiB(47.4%)".
std::optional<double> leading_number(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ',') continue;
    const bool exponent = (c == '-' || c == '+') && (digits.empty() || digits.back() == 'e' || digits.back() == 'E');
    if ((c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && !exponent) break;
    digits.push_back(c);
  }
  return plain_number(digits);
}

/// "1:02:03", "1 day, 2:03:04": seconds.
std::optional<double> clock_seconds(std::string_view text) {
  double days = 0;
  if (const auto end = text.find(" day"); end != std::string_view::npos) {
    days = plain_number(text.substr(0, end)).value_or(0);
    text = trim(text.substr(std::min(text.find(',', end), text.size() - 1) + 1));
  }
  double seconds = 0;
  for (std::string_view part : split(text, ':')) {
    if (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    const auto number = plain_number(part);
    if (!number) return std::nullopt;
    seconds = seconds * 60 + *number;
  }
  return days * 86400 + seconds;
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::span<const MetricName> metric_names() { return kMetrics; }
std::span<const SettingName> setting_names() { return kSettings; }

/// The first step never counts; after it, what is off the second half by more than that half scatters.
std::optional<Steady> steady_part(std::span<const double> series) {
  if (series.size() < 3) return std::nullopt;
  const std::vector<double> later(series.begin() + static_cast<std::ptrdiff_t>(series.size() / 2), series.end());
  const double usual = middle(later);
  std::vector<double> off;
  for (const double value : later) off.push_back(std::abs(std::log(value / usual)));
  constexpr double kLeast = 0.05;     // of a logarithm
  constexpr double kDeviation = 1.5;  // of a normal distribution, by its median deviation
  const double scatter = std::max(kLeast, 3 * kDeviation * middle(off));
  std::size_t first = 1;
  while (first < series.size() / 2 && std::abs(std::log(series[first] / usual)) > scatter) ++first;
  return Steady{middle({series.begin() + static_cast<std::ptrdiff_t>(first), series.end()}), first};
}

TrainingMetrics::TrainingMetrics(const RunFormat& format, RunReader& reader)
    : format_(format), reader_(reader), run_(reader.begin(format.task, at_line(1))) {
  if (!format.framework.empty()) run_.set("framework", std::string(format.framework), at_line(1));
}

Status TrainingMetrics::add(const MetricName& name, std::string_view text, std::size_t line) {
  const bool whole_seconds = name.metric == Metric::clock && text.contains(':');
  if (whole_seconds) least_tick_s_ = kLeastTickOfWholeSeconds;
  const auto value = whole_seconds ? clock_seconds(text) : leading_number(text);
  // Times and speeds must be right; what else bears such a name may be another's.
  if (!value && name.metric > Metric::step_time) return {};
  if (!value)
    return usage_error(say("'{}' of '{}' is not a number", printable(shorten(text, 20)), name.name),
                       position(reader_.file(), at_line(line)));
  const auto kind = static_cast<std::size_t>(name.metric);
  if (of_row_[kind] != nullptr && of_row_[kind] <= &name) return {};
  of_row_[kind] = &name;
  row_[kind] = *value * name.factor;
  return {};
}

void TrainingMetrics::end_row(std::size_t line) {
  const auto value = [&](Metric metric) {
    const auto kind = static_cast<std::size_t>(metric);
    return of_row_[kind] != nullptr ? std::optional(row_[kind]) : std::nullopt;
  };
  for (std::size_t kind = 0; kind < kMetricKinds; ++kind)
    if (of_row_[kind] != nullptr && row_[kind] > 0) series_[kind].add(row_[kind], line);
  const auto step = value(Metric::step);
  const auto clock = value(Metric::clock);
  if (step && clock && (!tick_ || (*step > tick_->step && *clock > tick_->clock + least_tick_s_))) {
    const Tick now{*step, *clock, value(Metric::tokens_seen)};
    if (tick_) {
      tick_times_.add((now.clock - tick_->clock) / (now.step - tick_->step), line);
      if (now.tokens && tick_->tokens && *now.tokens > *tick_->tokens)
        tick_tokens_.add((*now.tokens - *tick_->tokens) / (now.clock - tick_->clock), line);
    }
    tick_ = now;
  }
  of_row_ = {};
}

void TrainingMetrics::set(const SettingName& name, std::string_view text, std::size_t line) {
  const std::string folded = lower(text);
  if (is_no(folded) || is_set(name)) return;
  const Node at = at_line(line);
  if (name.key == "model") {
    Node model = at;
    model.kind = Node::Kind::scalar;
    model.text = text;
    return reader_.name_model(run_, &model);
  }
  // "NVIDIA H100 80GB HBM3 (0) with 79.10GiB memory"
  if (name.key == "gpu") return name_gpu(text.substr(0, std::min(text.find(" with "), text.find(" ("))), line);
  std::string value(name.word);
  for (const auto& [word, means] : kWords)
    if (value.empty() && folded == word) value = means;
  if (value.empty())
    if (const auto number = leading_number(text); number && *number >= 1) value = format("{:.0f}", *number);
  if (value.empty()) return;
  std::erase_if(run_.request.children, [&](const Node& there) { return there.key == name.key; });
  run_.set(name.key, value, at);
}

std::optional<double> TrainingMetrics::last(Metric metric) {
  const Series& series = of(metric);
  return series.values.empty() ? std::nullopt : std::optional(series.values.back());
}

/// The median of the steps after those that warm up.
std::optional<double> TrainingMetrics::steady(const Series& series) {
  const auto part = steady_part(series.values);
  if (!part) return std::nullopt;
  line_ = series.lines[part->first];
  reader_.remark(say("{}: the median of {} timed steps, without the first {}, which warm up", printable(reader_.file()),
                     series.values.size() - part->first, part->first));
  return part->median;
}

bool TrainingMetrics::take_steps() {
  if (const auto tokens = steady(of(Metric::gpu_tokens))) {
    // Some count only the tokens that the loss is of.
    const double all = last(Metric::trained_seen) ? last(Metric::tokens_seen).value_or(0) : 0;
    run_.measure("tokens_per_s_per_gpu", *tokens * (all > 0 ? all / *last(Metric::trained_seen) : 1), at_line(line_));
    return true;
  }
  if ((run_.step_time_s = steady(of(Metric::step_time)))) return true;
  if ((run_.tokens_per_s = steady(tick_tokens_))) return true;
  return static_cast<bool>(run_.step_time_s = steady(tick_times_));
}

/// What a trainer sums up at its end holds the warm-up, too.
bool TrainingMetrics::take_whole_run() {
  run_.tokens_per_s = last(Metric::all_tokens);
  if (!run_.tokens_per_s) run_.samples_per_s = last(Metric::all_samples);
  if (!run_.tokens_per_s && !run_.samples_per_s && last(Metric::all_steps))
    run_.step_time_s = 1 / *last(Metric::all_steps);
  if (!run_.tokens_per_s && !run_.samples_per_s && !run_.step_time_s) return false;
  reader_.remark(say("{}: the mean of the whole run, warm-up included", printable(reader_.file())));
  return true;
}

void TrainingMetrics::take_memory() {
  for (const auto& [metric, kind] : {std::pair(Metric::reserved, "reserved"), {Metric::allocated, "allocated"}}) {
    const auto& values = of(metric).values;
    if (values.empty() || run_.measured.find("memory_gib") != nullptr) continue;
    run_.measure("memory_gib", *std::ranges::max_element(values), at_line(line_));
    Node cell = at_line(line_);
    cell.kind = Node::Kind::scalar;
    cell.key = "memory_kind";
    cell.text = kind;
    run_.measured.children.push_back(std::move(cell));
  }
}

/// Samples by steps: the sequences of one.
void TrainingMetrics::take_batch() {
  const auto samples = last(Metric::all_samples);
  const auto steps = last(Metric::all_steps);
  if (!samples || !steps || run_.number("global_batch")) return;
  const double batch = *samples / *steps;
  constexpr double kRounded = 0.02;  // both are printed with few digits
  if (std::abs(batch / std::round(batch) - 1) < kRounded) run_.set_whole("global_batch", batch, at_line(line_));
}

Status TrainingMetrics::finish(std::size_t last_line) {
  line_ = last_line;
  if (!take_steps() && !take_whole_run())
    return usage_error(say("the log has no three timed steps"), position(reader_.file(), at_line(last_line)),
                       say("was it cut off? The first step warms up and does not count"));
  take_batch();
  take_memory();
  run_.request.line = run_.measured.line = static_cast<std::uint32_t>(line_);
  return reader_.end(std::move(run_), at_line(line_));
}

}  // namespace gpusel::catalog
