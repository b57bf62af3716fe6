// What an instance that was rejected would take: the constraint it fell by, and the least change of the question after
// which it is ranked, found by asking again.
#pragma once

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// A flag as it would have to be given.
struct Change {
  std::string flag = {};     // "--max-price"
  std::string value = {};    // "4.1"; empty: the question without the flag
  bool also = false;         // beside the values that were given, not in their place
  std::string given = {};    // those values: "aws,azure"
  std::string rule = {};     // that it answers
  std::string message = {};  // of that rule
};

/// As it is typed: "--max-price 4.1", "--cloud aws,azure,gcp"; or "without --nvlink".
std::string change_text(const Change& change);

struct Admission {
  const catalog::Instance* instance = nullptr;
  std::string rule;  // the first constraint that the instance fails; empty: it is ranked as it is
  std::string message;
  std::vector<Change> changes;       // all that are needed, in the order in which the constraints were met
  std::string never;                 // why no change admits it; empty where one does
  std::vector<Change> others;        // any one of these would do as well
  std::optional<Recommendation> as;  // what it is under `changes`
  std::size_t among = 0;             // instances that are ranked then
  /// More given way to than is needed, where fewer or cheaper nodes are enough then; empty: none.
  std::vector<Change> cheaper;
  std::optional<Recommendation> cheaper_as;
};

/// Errors: as recommend(), of the question as it stands.
Result<Admission> admission(const Question& question, const catalog::Instance& instance,
                            const catalog::Catalog& catalog, std::span<const rules::Rule> rules,
                            const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
