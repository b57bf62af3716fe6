// GPUs, instances and plans of several of them side by side, for a job if one is given: figures per
// GPU, figures in all, prices per unit of each, and ratios to the first.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// A figure of one item. What an item cannot have (the GPU memory of a CPU-only instance) does not
/// apply, which is not the same as unknown.
struct Value {
  catalog::Number number;
  bool applies = true;
  catalog::Number ratio;  // to the first item's, where both are known and not zero
  bool best = false;      // of all to which it applies, all of them known
};

struct Compared {
  std::string name;  // as it was typed
  const catalog::Gpu* gpu = nullptr;
  const catalog::Instance* instance = nullptr;  // null when a GPU was named
  double count = 1;                             // of GPUs or instances: 8 for "h100:8"
  bool counted = false;                         // whether the name said how many
  // The cheapest price: of one instance, or of one GPU of any instance that has it whole.
  const catalog::Offer* offer = nullptr;
  const catalog::Instance* offered_by = nullptr;
  double hourly = 0;            // of one instance, or of one GPU
  bool price_is_guess = false;  // a spot price without a day, or too old
  money::Exchange exchange;
  // With a job.
  std::optional<job::Job> own_work;               // as it runs on CPUs, where the others run it otherwise
  std::shared_ptr<const PlannedMachine> planned;  // null when there is no legal plan
  std::string problem;                            // why it will not do; empty when it will
  double would_do = 0;                            // so many of it would; 0: none that was tried
  std::optional<double> job_hours;                // of a job that ends
  std::optional<money::Quote> cost;
  physics::Intervals intervals;        // where it will do
  Fit fit;                             // of the job, where it is planned
  catalog::Number in_time, in_budget;  // chance of all targets, and of the budget
  std::vector<Remark> remarks;         // of an instance, as a ranking has them
  physics::Trace trace;                // where it was asked for

  const catalog::RenderScore* blender = nullptr;  // of the version that is compared
  catalog::Number gpu_memory_total_gb;
  bool generates = true;      // the job's model writes tokens
  std::vector<Value> values;  // in the order of figures()

  bool has_no_gpu() const { return instance != nullptr && instance->gpu.empty(); }
  bool usable() const { return planned != nullptr && planned->plan.is_usable(); }
  /// total GPUs; nothing where their number is not known.
  catalog::Number gpus() const;
};

enum class Better : std::uint8_t { neither, more, less };
/// What a figure is of: one GPU, one host, everything the item is, its price, the job on it, or a job that ends.
enum class FigureOf : std::uint8_t { gpu, host, all_gpus, price, job, whole_job };

/// A row of the table and a key of the JSON answer.
struct ComparedFigure {
  std::string_view key;    // with its unit; a price is in the answer's currency
  std::string_view title;  // "{}" stands for that currency
  Better better = Better::neither;
  FigureOf of = FigureOf::gpu;
  bool only_if_all = false;  // worth a row only where every item has it that can
  catalog::Number (*value)(const Compared&) = nullptr;
};

std::span<const ComparedFigure> figures();

struct CompareAnswer {
  std::shared_ptr<const catalog::ConfigModel> own_model;
  std::optional<job::Job> work;
  Currency currency;
  Date today;
  job::Constraints asked;          // limits as they were given
  std::vector<std::string> terms;  // whose prices count
  std::string blender_version;     // scores of others do not compare with it
  std::vector<Compared> items;
};

/// `names`: GPUs, SKUs, or several of one ("h100:8", "2x p4d.24xlarge"), two to eight. A task and a model
/// in `question.request` add the job's figures; `question.constraints` say which prices count (on-demand
/// unless asked otherwise). `explained`: with the formulas behind the job's figures.
/// Errors: a name that is neither, naming the nearest of both; one that stands for two things; the same twice.
Result<CompareAnswer> compare(std::span<const std::string> names, const Question& question,
                              const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
                              const physics::Coefficients& coefficients, bool explained = false);

}  // namespace gpusel::answer
