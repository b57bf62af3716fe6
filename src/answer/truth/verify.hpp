// Estimates beside what was measured: each measurement's job is asked for as a batch would ask, and
// its figures are compared with the answer's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answer/estimate/estimate.hpp"
#include "catalog/records/measurement.hpp"

namespace gpusel {

namespace answer {

/// What is compared. Memory is predicted for the counter that it was read from.
enum class Figure : std::uint8_t {
  training_speed,
  training_tflops,
  step_time,
  training_memory,
  throughput_speed,
  online_speed,
  single_stream_speed,
  prompt_speed,
  itl,
  tpot,
  ttft,
  serving_memory,
  weights,
  // Of networks that are not counted in tokens.
  item_training_speed,
  item_training_memory,
  item_speed,
  item_memory,
  batch_latency,
};

struct Comparison {
  const catalog::MeasurementRow* row = nullptr;
  std::string_view file;
  Figure figure = Figure::training_speed;
  double measured = 0;
  double predicted = 0;
  std::optional<physics::Interval> interval;  // where the answer has one for this figure

  double ratio() const { return predicted / measured; }
};

/// Whether the job ran at all, and whether it was said to.
struct FitCheck {
  const catalog::MeasurementRow* row = nullptr;
  std::string_view file;
  bool ran = false;
  bool said = false;
  double chance = 0;  // that it was given; NaN where nothing is known of its memory
};

/// Empty: all.
struct VerifyFilter {
  std::string task = {};
  std::string gpu = {};
  std::string source = {};
};

struct Verification {
  std::vector<catalog::MeasurementSheet> sheets;  // what the rest points into
  std::size_t rows = 0;                           // that were compared
  std::vector<Comparison> comparisons;            // in the order of their rows
  std::vector<FitCheck> fits;                     // of every row that was compared
  std::size_t unanswered = 0;                     // figures that the estimate does not have
  Errors unusable;                                // rows that were left out, and why
  std::map<std::string_view, double> prices;      // lowest on-demand price per hour of a GPU, of those that are rented
};

/// One row: its answer and its figures are added. Errors: it cannot be estimated.
Status verify_row(const catalog::MeasurementRow& row, std::string_view file, const catalog::Catalog& catalog,
                  const physics::Coefficients& coefficients, Verification& out);

/// Errors: a filter that names nothing in the sheets.
Result<Verification> verify(std::vector<catalog::MeasurementSheet> sheets, const VerifyFilter& filter,
                            const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

/// The answer to what a row asks. Errors: it cannot be estimated; with the place of the cell that is to blame.
Result<EstimateAnswer> answer_row(const catalog::MeasurementRow& row, std::string_view file,
                                  const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

/// What a row measured beside that answer.
struct RowComparison {
  std::vector<Comparison> comparisons;
  std::size_t unanswered = 0;  // figures that the answer does not have
};
RowComparison compare_row(const catalog::MeasurementRow& row, std::string_view file, const EstimateAnswer& answer);

/// Columns that are neither facts of a measurement nor keys of a request are not read.
void forget_request_keys(catalog::MeasurementSheet& sheet);

/// Which counter a row's peak of memory was read from; the driver's where it does not say.
catalog::MemoryKind counter_of(const catalog::Measurement& facts);

/// Where a row's figures are from: its source, or the file where it names none.
std::string_view source_of(const catalog::MeasurementRow& row, std::string_view file);

}  // namespace answer

template <>
inline constexpr auto enum_names<answer::Figure> = std::to_array<std::string_view>(
    {"training tokens/s", "training TFLOPS", "time of a step", "training memory", "output tokens/s, throughput",
     "output tokens/s, online", "output tokens/s, single-stream", "prompt tokens/s", "time between tokens",
     "time per output token", "time to first token", "serving memory", "weights", "items/s, training",
     "memory, training of other networks", "items/s, inference", "memory, inference of other networks",
     "time of a batch"});

}  // namespace gpusel
