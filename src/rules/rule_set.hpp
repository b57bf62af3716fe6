// Rules that are judged together, for thousands of candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/holds.hpp"

namespace gpusel::rules {

class RuleSet {
 public:
  /// What the job leaves open of the rule is judged from now on.
  void add(const Rule& rule, const Facts& job);

  const Rule* first_to_fire(const Facts& known) const;
  /// The same, for facts whose values come again and again: it is kept what was found for them. A text is known by
  /// where it lies, so none may lie where another lay; equal ones at two places are judged twice.
  const Rule* remembered(const Facts& known);

  const std::vector<const Rule*>& rules() const { return rules_; }
  const std::vector<Condition>& open() const { return open_; }
  /// Those that what is open speaks of.
  const FactSet& facts() const { return facts_; }
  const FactSet& all_facts() const { return all_facts_; }

 private:
  using Key = std::vector<std::uint64_t>;
  struct Found {
    Key of;  // empty: nothing yet
    const Rule* rule = nullptr;
  };
  void read_key(const Facts& known);

  std::vector<const Rule*> rules_;
  std::vector<Condition> open_;
  FactSet facts_;
  FactSet all_facts_;
  Key key_;
  std::vector<Found> found_;  // by the key's hash; the last of those that share a place
};

}  // namespace gpusel::rules
