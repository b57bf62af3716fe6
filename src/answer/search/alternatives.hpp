// Other ways to ask: the best change of each kind where something is ranked, what would admit an answer where nothing
// is. Private to this room; recommend() asks.
#pragma once

#include "answer/estimate/estimate.hpp"
#include "answer/search/search.hpp"

namespace gpusel::answer {

struct Relaxation;

/// A question asked again with something changed, all of whose parts outlive it.
class OtherWays {
 public:
  /// `limits`: those of the command line; `shipped`: all other rules.
  OtherWays(const SearchContext& context, std::span<const rules::Rule> limits, std::span<const rules::Rule> shipped,
            const FoundModel& model)
      : context_(context), limits_(limits), shipped_(shipped), model_(model) {}

  /// Precision, method, framework, term, place, seller, one node more or less: the best change of each, with what it
  /// saves and what it costs; the largest saving first, at most four, no machine twice.
  void find_alternatives(Advice& advice) const;

  /// When nothing meets all limits: the answer without each one of them in turn.
  void find_relaxations(Advice& advice) const;
  /// When nothing meets the latency targets: what comes nearest to them.
  void find_nearest_latency(Advice& advice) const;

  /// Of the first ranks of a service: the load at which another is the best.
  void find_switch_loads(Advice& advice) const;

  /// What one user, 1, 10 and 100 requests a second, and a full machine take.
  void find_staircase(Advice& advice) const;

 private:
  struct Found {
    std::vector<Recommendation> ranked;
    job::Job work;
  };
  /// `ceiling`: what costs more is of no use, and not simulated.
  Found ask(const Question& other, double ceiling = std::numeric_limits<double>::infinity()) const;
  /// Why an instance is not among the candidates of a question; empty where it is.
  std::string why_not(const catalog::Instance& instance, Question other) const;
  Found ask(const Question& other, const std::vector<rules::Rule>& rules,
            double ceiling = std::numeric_limits<double>::infinity()) const;

  void change_precision(std::vector<Alternative>& out, const Advice& advice) const;
  void change_framework(std::vector<Alternative>& out, const Advice& advice) const;
  void change_loader(std::vector<Alternative>& out, const Advice& advice) const;
  void change_method(std::vector<Alternative>& out, const Advice& advice) const;
  void change_term(std::vector<Alternative>& out, const Advice& advice) const;
  void change_limit(std::vector<Alternative>& out, const Advice& advice, std::string_view key,
                    const std::string& risk) const;
  void change_nodes(std::vector<Alternative>& out, const Advice& advice) const;
  void blame_together(Advice& advice) const;
  void lift(const Relaxation& limit, Advice& advice) const;
  Alternative lifted(const Relaxation& limit, const Question& other, std::vector<Recommendation> found,
                     const Advice& advice) const;

  const SearchContext& context_;
  std::span<const rules::Rule> limits_;
  std::span<const rules::Rule> shipped_;
  const FoundModel& model_;
};

}  // namespace gpusel::answer
