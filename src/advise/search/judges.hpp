// Rules that are judged together, for thousands of candidates.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusel/rules/holds.hpp"

namespace gpusel::advise {

class Judges {
 public:
  /// What the job leaves open of the rule is judged from now on.
  void add(const rules::Rule& rule, const rules::Facts& job);

  const rules::Rule* first_to_fire(const rules::Facts& known) const;
  /// The same, for facts whose values come again and again: it is kept what was found for them. A text is known by
  /// where it lies, so none may lie where another lay; equal ones at two places are judged twice.
  const rules::Rule* remembered(const rules::Facts& known);

  const std::vector<const rules::Rule*>& rules() const { return rules_; }
  const std::vector<rules::Condition>& open() const { return open_; }
  /// Those that what is open speaks of.
  const rules::FactSet& facts() const { return facts_; }
  const rules::FactSet& all_facts() const { return all_facts_; }

 private:
  using Key = std::vector<std::uint64_t>;
  struct Found {
    Key of;  // empty: nothing yet
    const rules::Rule* rule = nullptr;
  };
  void read_key(const rules::Facts& known);

  std::vector<const rules::Rule*> rules_;
  std::vector<rules::Condition> open_;
  rules::FactSet facts_;
  rules::FactSet all_facts_;
  Key key_;
  std::vector<Found> found_;  // by the key's hash; the last of those that share a place
};

}  // namespace gpusel::advise
