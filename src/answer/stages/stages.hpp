// Several jobs that belong together (prototype, preprocess, train, serve): the instances that cost the least together,
// with what is stored and moved between them, and what it costs to stay with one provider instead.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answer/stages/data_path.hpp"
#include "job/limits/limits.hpp"
#include "money/terms.hpp"

namespace gpusel::answer {

struct Stage {
  std::string name;
  std::string where;  // file:line:column
  Question question;
  DataWishes data;
  std::optional<double> hours;                              // that its instances run, whatever the job takes
  std::optional<double> output_gb;                          // handed to the next stage
  std::vector<std::pair<std::string, std::string>> places;  // of its keys in the file
  /// Limits that file and command line both give and that are no single number: those of the line hold, too.
  job::Constraints line;
  std::vector<const job::Limit*> in_both;
};

struct StagesPlan {
  std::optional<double> months;  // that services run
  std::vector<Stage> stages;
};

/// A file with `stages`: a list of jobs, each with a name, the keys of a request, of limits, of a duty cycle and of its
/// data, with `hours`, `objective` and `output_gb`. Limits of `base` hold for every stage, beside its own: of two
/// numbers the tighter one; what else `base` says holds for every stage that says nothing else. Errors: every one of
/// the file, with its place.
std::expected<StagesPlan, Errors> read_stages(const Document& document, const Question& base);

/// What a stage costs on an instance, in the answer's currency.
struct StageCost {
  std::optional<double> once;       // of a job that ends
  std::optional<double> per_month;  // of a service that runs on
  double hourly = 0;                // all nodes
  double hours_paid = 0;            // of the job, or of a month
  std::optional<ColdStart> cold;    // of a service that is switched off while idle
  /// Of what it reads and keeps, for its hours or a month; nothing where no price is known. 0: nothing, or in the
  /// above.
  std::optional<double> storage;
};

struct StageChoice {
  const Recommendation* best = nullptr;  // null: nothing meets the stage's limits
  StageCost cost;
};

/// What the next stage needs goes from one provider or region to another.
struct Move {
  std::size_t from = 0;  // index of the stage that hands it over
  std::optional<double> gb;
  std::optional<double> cost;     // nothing where the amount or the price is not known
  std::optional<double> at_most;  // between regions of one provider: as if it went to the internet
};

struct StagesSum {
  double once = 0;
  double per_month = 0;
  std::optional<double> moves;  // nothing where one of them is not known
  double known_moves = 0;
  double storage_once = 0;       // as far as it is known
  double storage_per_month = 0;  // the same
  int without_storage = 0;       // stages whose storage has no known price
  int lacking = 0;               // stages that nothing meets: not in the sum

  double storage(double months) const { return storage_once + months * storage_per_month; }
  double whole(double months) const { return once + months * per_month + known_moves + storage(months); }
};

/// One way to do all stages.
struct StagesChoice {
  std::vector<StageChoice> stages;
  std::vector<Move> moves;
  StagesSum sum;
};

struct StagesAnswer {
  std::vector<std::shared_ptr<const Advice>> advice;  // of each stage, with what its job assumes
  double months = 1;
  Currency currency;
  StagesChoice best;                         // that costs the least together
  std::optional<StagesChoice> apart;         // the best of each stage on its own, where that is another choice
  std::optional<StagesChoice> one_provider;  // nothing where no provider has an instance for every stage
  physics::Trace trace;                      // where it was asked for
  std::vector<std::shared_ptr<const std::vector<rules::Rule>>> rules;  // that each stage was judged by
};

/// The answer points into `catalog`. Errors: a stage whose job cannot be understood, or whose limits have nothing in
/// common with those of the command line, with its place in the file.
Result<StagesAnswer> answer_stages(const StagesPlan& plan, const catalog::Catalog& catalog,
                                   std::span<const rules::Rule> rules, const physics::Coefficients& coefficients,
                                   bool explained);

}  // namespace gpusel::answer
