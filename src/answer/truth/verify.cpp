#include "answer/truth/verify.hpp"

#include <algorithm>

#include "answer/lists/list.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "physics/fit.hpp"

namespace gpusel::answer {

namespace {

using catalog::Measurement;
using catalog::MeasurementRow;
using catalog::MeasurementSheet;

/// Columns that tell the shape of a model, and the key of a config.json that each stands for.
constexpr std::pair<std::string_view, std::string_view> kShape[] = {
    {"model_type", "model_type"},        {"layers", "num_hidden_layers"},
    {"hidden", "hidden_size"},           {"heads", "num_attention_heads"},
    {"kv_heads", "num_key_value_heads"}, {"head_dim", "head_dim"},
    {"ffn", "intermediate_size"},        {"vocab", "vocab_size"},
    {"experts", "num_local_experts"}};

Node inline_model(const Node& cells, const Node& name) {
  Node model;
  model.kind = Node::Kind::map;
  model.key = "model";
  model.line = name.line;
  model.column = name.column;
  for (const auto& [column, key] : kShape) {
    const Node* cell = cells.find(column);
    if (cell == nullptr) continue;
    model.children.push_back(*cell);
    model.children.back().key = key;
  }
  return model;
}

/// The request that a batch would hold for this row.
Node request_of(const MeasurementRow& row) {
  Node request;
  request.kind = Node::Kind::map;
  for (const Node& cell : row.cells.children) {
    if (cell.key == "model")
      request.children.push_back(row.model != nullptr || !row.facts.layers ? cell : inline_model(row.cells, cell));
    else if (catalog::measured_column(cell.key))
      continue;  // a target in a request, a figure here
    else if (job::find_option(job::request_options(), cell.key) != nullptr)
      request.children.push_back(cell);
  }
  return request;
}

Figure speed_figure(const EstimateAnswer& answer) {
  switch (answer.work.inference.mode) {
    case job::Mode::throughput: return Figure::throughput_speed;
    case job::Mode::online: return Figure::online_speed;
    case job::Mode::single_stream: return Figure::single_stream_speed;
  }
  return Figure::throughput_speed;
}

/// What one row measured, beside an answer to it.
class RowComparer {
 public:
  RowComparer(const MeasurementRow& row, std::string_view file) : row_(row), file_(file) {}

  RowComparison compare(const EstimateAnswer& answer) {
    answer.plan.training ? training(answer) : answer.plan.serving ? inference(answer) : items(answer);
    return std::move(out_);
  }

 private:
  using Range = std::optional<physics::Interval>;

  void add(Figure figure, const catalog::Number& measured, double predicted, Range interval = std::nullopt) {
    if (!measured) return;
    if (predicted > 0)
      out_.comparisons.push_back({&row_, file_, figure, *measured, predicted, interval});
    else
      ++out_.unanswered;
  }

  /// The range of what takes the longer the lower `rate` is.
  static Range inverse(double value, double rate, const physics::Interval& of_rate) {
    if (of_rate.low <= 0 || of_rate.high <= 0) return std::nullopt;
    return physics::Interval{value * rate / of_rate.high, value * rate / of_rate.low};
  }

  /// The range of what grows with `rate`.
  static Range proportional(double value, double rate, const physics::Interval& of_rate) {
    if (rate <= 0) return std::nullopt;
    return physics::Interval{value * of_rate.low / rate, value * of_rate.high / rate};
  }

  void training(const EstimateAnswer& answer) {
    const Measurement& m = row_.facts;
    const double gpus = answer.machine.gpus();
    const auto& all = answer.intervals.rate;
    const physics::TrainingSpeed& speed = *answer.plan.training;
    add(Figure::training_speed, m.tokens_per_s_per_gpu, speed.tokens_per_s_per_gpu,
        physics::Interval{all.low / gpus, all.high / gpus});
    add(Figure::training_tflops, m.model_tflops_per_gpu, speed.model_tflops_per_gpu,
        proportional(speed.model_tflops_per_gpu, speed.tokens_per_s, all));
    add(Figure::step_time, m.step_time_s, speed.step.raw(), inverse(speed.step.raw(), speed.tokens_per_s, all));
    memory(answer);
  }

  void items(const EstimateAnswer& answer) {
    const Measurement& m = row_.facts;
    const bool training = job::is_training(answer.work.task);
    add(training ? Figure::item_training_speed : Figure::item_speed, m.throughput, answer.plan.rate,
        answer.intervals.rate);
    const double latency = in_ms(answer.plan.latency);
    add(Figure::batch_latency, m.latency_ms, latency, inverse(latency, answer.plan.rate, answer.intervals.rate));
    memory(answer);
  }

  void memory(const EstimateAnswer& answer) {
    const physics::MemoryBreakdown& memory = answer.plan.memory;
    const bool training = job::is_training(answer.work.task);
    const bool of_items = answer.work.counted.has_value();
    const Figure figure = of_items ? (training ? Figure::item_training_memory : Figure::item_memory)
                                   : (training ? Figure::training_memory : Figure::serving_memory);
    // The framework's own counters do not see the context and the communication library, and what is allocated does
    // not count what the allocator keeps.
    const catalog::MemoryKind counter = counter_of(row_.facts);
    const bool alive = counter == catalog::MemoryKind::allocated;
    const double unseen = counter == catalog::MemoryKind::process ? 0 : in_gib(memory.framework);
    const auto& whole = alive ? answer.intervals.memory_needed_gib : answer.intervals.memory_total_gib;
    add(figure, row_.facts.memory_gib, in_gib(alive ? memory.needed() : memory.total()) - unseen,
        physics::Interval{whole.low - unseen, whole.high - unseen});
  }

  void inference(const EstimateAnswer& answer) {
    const Measurement& m = row_.facts;
    const physics::InferenceSpeed& speed = answer.plan.serving->speed;
    add(speed_figure(answer), m.output_tokens_per_s, speed.output_tokens_per_s, answer.intervals.rate);
    const double prompts = static_cast<double>(answer.work.inference.concurrency.value_or(1)) *
                           static_cast<double>(answer.work.inference.input_tokens);
    const bool reads = speed.ttft().raw() > 0;
    add(Figure::prompt_speed, m.prompt_tokens_per_s, reads ? prompts / speed.ttft().raw() : 0);
    add(Figure::itl, m.itl_ms, in_ms(speed.itl()), answer.intervals.itl_ms);
    add(Figure::tpot, m.tpot_ms, in_ms(speed.tpot), answer.intervals.tpot_ms);
    add(Figure::ttft, m.ttft_ms, in_ms(speed.ttft()), answer.intervals.ttft_ms);
    add(Figure::weights, m.weights_gib, in_gib(answer.plan.memory.weights));
    memory(answer);
  }

  const MeasurementRow& row_;
  std::string_view file_;
  RowComparison out_;
};

/// The filter's names as the rows have them.
class Filter {
 public:
  Filter(const VerifyFilter& wanted, const std::vector<MeasurementSheet>& sheets) : wanted_(wanted), sheets_(sheets) {}

  Status resolve(const catalog::Catalog& catalog) {
    if (!wanted_.task.empty() && wanted_.task != "training" && !from_text<job::Task>(wanted_.task)) {
      static constexpr std::string_view kTasks[] = {"training", "pretrain", "finetune", "inference"};
      return about("task", job::not_one_of(wanted_.task, kTasks).error());
    }
    if (!wanted_.gpu.empty()) {
      const auto gpu = catalog.gpu(wanted_.gpu);
      if (!gpu) return about("gpu", gpu.error());
      gpu_ = *gpu;
    }
    if (wanted_.source.empty()) return {};
    std::vector<std::string_view> sources;
    for (const MeasurementSheet& sheet : sheets_)
      for (const MeasurementRow& row : sheet.rows)
        if (const auto source = source_of(row, sheet.name); sources.empty() || sources.back() != source)
          sources.push_back(source);
    std::ranges::sort(sources);
    if (std::ranges::binary_search(sources, std::string_view(wanted_.source))) return {};
    return usage_error(say("no measurements from the source '{}'", shorten(wanted_.source, 60)), "--source",
                       did_you_mean(wanted_.source, sources));
  }

  bool passes(const MeasurementRow& row, std::string_view file) const {
    const std::string_view task = row.facts.task;
    const bool any_training = wanted_.task == "training" && task != to_text(job::Task::inference);
    return (wanted_.task.empty() || any_training || wanted_.task == task) && (gpu_ == nullptr || gpu_ == row.gpu) &&
           (wanted_.source.empty() || wanted_.source == source_of(row, file));
  }

 private:
  static std::unexpected<Error> about(std::string where, Error error) {
    error.where = std::move(where);
    return std::unexpected(std::move(error));
  }

  const VerifyFilter& wanted_;
  const std::vector<MeasurementSheet>& sheets_;
  const catalog::Gpu* gpu_ = nullptr;
};

}  // namespace

catalog::MemoryKind counter_of(const Measurement& facts) {
  return facts.memory_kind.value_or(catalog::MemoryKind::process);
}

std::string_view source_of(const MeasurementRow& row, std::string_view file) {
  return row.facts.source.empty() ? file : row.facts.source;
}

Result<EstimateAnswer> answer_row(const MeasurementRow& row, std::string_view file, const catalog::Catalog& catalog,
                                  const physics::Coefficients& coefficients) {
  auto answer = [&]() -> Result<EstimateAnswer> {
    auto request = job::read_request(request_of(row));
    if (!request) return std::unexpected(request.error());
    // Who measured took what fitted, however narrowly.
    if (!request->min_fit) request->min_fit = 0.5;
    return answer_estimate(*request, catalog, coefficients, false);
  }();
  if (answer) return answer;
  Error error = answer.error();
  const Node* cell = row.cells.find(error.where);
  if (cell == nullptr && !error.where.empty()) error.message = error.where + ": " + error.message;
  error.where = position(file, cell != nullptr ? *cell : row.cells);
  return std::unexpected(std::move(error));
}

RowComparison compare_row(const MeasurementRow& row, std::string_view file, const EstimateAnswer& answer) {
  return RowComparer(row, file).compare(answer);
}

Status verify_row(const MeasurementRow& row, std::string_view file, const catalog::Catalog& catalog,
                  const physics::Coefficients& coefficients, Verification& out) {
  const auto answer = answer_row(row, file, catalog, coefficients);
  if (!answer) return std::unexpected(answer.error());
  ++out.rows;
  RowComparison found = compare_row(row, file, *answer);
  const bool measured = !found.comparisons.empty() || found.unanswered > 0;
  out.unanswered += found.unanswered;
  std::ranges::move(found.comparisons, std::back_inserter(out.comparisons));
  if (!row.facts.fits && !measured) return {};
  const double chance = physics::chance_to_fit(answer->work, answer->machine, answer->plan, coefficients);
  out.fits.push_back({&row, file, row.facts.fits.value_or(true), answer->plan.fits, chance});
  return {};
}

void forget_request_keys(MeasurementSheet& sheet) {
  std::erase_if(sheet.unread,
                [](const std::string& name) { return job::find_option(job::request_options(), name) != nullptr; });
}

Result<Verification> verify(std::vector<MeasurementSheet> sheets, const VerifyFilter& wanted,
                            const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  Verification out;
  out.sheets = std::move(sheets);
  std::ranges::for_each(out.sheets, forget_request_keys);
  Filter filter(wanted, out.sheets);
  if (Status known = filter.resolve(catalog); !known) return std::unexpected(known.error());
  for (const MeasurementSheet& sheet : out.sheets) {
    out.unusable.insert(out.unusable.end(), sheet.unusable.begin(), sheet.unusable.end());
    for (const MeasurementRow& row : sheet.rows) {
      if (!filter.passes(row, sheet.name)) continue;
      if (Status done = verify_row(row, sheet.name, catalog, coefficients, out); !done)
        out.unusable.push_back(done.error());
    }
  }
  const auto markets = gpu_markets(Currency::usd(), catalog);
  if (!markets) return std::unexpected(markets.error());
  for (std::size_t i = 0; i < markets->size(); ++i)
    if ((*markets)[i].offer != nullptr) out.prices[catalog.gpus()[i].id] = (*markets)[i].per_gpu_hour;
  return out;
}

}  // namespace gpusel::answer
