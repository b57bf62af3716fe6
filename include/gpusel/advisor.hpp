// The library in five lines: open it, ask, read.
//
//   auto advisor = gpusel::Advisor::open();
//   gpusel::answer::Question question;
//   question.request.task = gpusel::job::Task::inference;
//   question.request.model = "llama-3.1-8b";
//   auto answer = advisor->recommend(question);
//
// Stable: what this header declares keeps its meaning within a major version. The headers of the rooms that it includes
// (gpusel/catalog, workload, plan, cost, rules, advise) may grow with a minor one.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "answer/cost/cost.hpp"
#include "answer/lists/compare.hpp"
#include "answer/search/recommend.hpp"
#include "catalog/snapshot/load.hpp"

namespace gpusel {

/// A catalogue with the coefficients of the estimates and the rules that judge. Answers point into it: it outlives
/// them, and may be moved. Asking changes nothing, so that several threads may ask at once.
class Advisor {
 public:
  /// The embedded catalogue, with what `files` lays on top, and rules of one's own beside the shipped ones.
  /// Errors: every problem of every file, with file:line:column.
  static std::expected<Advisor, Errors> open(const catalog::LoadOptions& files = {},
                                             std::span<const std::string> rule_files = {});

  /// Which instances do the job, ranked. A question without a day takes that of the newest price.
  Result<answer::Advice> recommend(answer::Question question) const;
  /// Whether one job fits on the GPUs that the request names, and how fast it is.
  Result<answer::EstimateAnswer> estimate(const job::Request& request, bool explained = false) const;
  /// Two to eight GPUs or instances side by side.
  Result<answer::CompareAnswer> compare(std::span<const std::string> names, const answer::Question& question) const;
  /// What instances cost over time, under every published term.
  Result<answer::CostAnswer> cost(answer::CostQuestion question) const;

  const catalog::Catalog& catalog() const { return facts_->catalog; }
  const physics::Coefficients& coefficients() const { return facts_->coefficients; }
  std::span<const rules::Rule> rules() const { return facts_->rules; }

 private:
  struct Facts {
    catalog::Catalog catalog;
    physics::Coefficients coefficients;
    std::vector<rules::Rule> rules;
  };
  explicit Advisor(std::unique_ptr<const Facts> facts) : facts_(std::move(facts)) {}

  std::unique_ptr<const Facts> facts_;
};

/// The rules that a catalogue carries and those of the user's files, which take the place of those of the same id.
std::expected<std::vector<rules::Rule>, Errors> load_rules(const catalog::Catalog& catalog,
                                                           std::span<const std::string> files);

}  // namespace gpusel
