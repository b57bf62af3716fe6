// Limits as whoever picks instances and offers without a search judges by them.
#pragma once

#include <span>
#include <vector>

#include "answer/facts/candidates.hpp"
#include "job/limits/limits.hpp"

namespace gpusel::answer {

/// The limits of one question.
class LimitSet {
 public:
  /// Errors: as job::limit_rules(); limits that contradict each other.
  static Result<LimitSet> of(const job::Constraints& limits, const catalog::Catalog& catalog);

  /// The first limit that an instance fails; null: none.
  const rules::Rule* against(const InstanceView& instance) const;
  const rules::Rule* against(const rules::Facts& instance) const;
  bool about_offers() const;
  /// Of instances and of offers, in the order people give them: what a Market asks first.
  const std::vector<rules::Rule>& rules() const { return rules_; }

 private:
  std::vector<rules::Rule> rules_;
  rules::FactSet facts_;
};

/// Limits on machines that somebody named: any seller will do, but no partition that needs another account, unless it
/// is named too.
job::Constraints of_named(job::Constraints limits);

/// Pairs of limits that somebody gave and no offer of the catalogue meets together, though each is met by some.
std::vector<std::string> excluding_pairs(const job::Constraints& asked, std::span<const rules::Rule> limits,
                                         const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                         Date today);

/// For commands that are given a machine: the options that choose how many machines there are do not apply to it.
/// Empty: none of them was given.
std::string sizing_note(const job::Request& request);

/// Whether a rule is the limit on the age of prices.
bool is_of_age(const rules::Rule& rule);

/// That who sells on a term publishes no prices of it.
std::string unpriced_note(std::string_view term, std::span<const std::string_view> sellers);
/// Whether a note is that, about whichever sellers.
bool is_unpriced_note(std::string_view note, std::string_view term);

}  // namespace gpusel::answer
