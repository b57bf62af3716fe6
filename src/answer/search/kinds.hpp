// Instances that nothing but their names, words and prices tells apart. What is found out of one holds for
// all of its kind, so that a catalogue of a hundred thousand instances is judged kind by kind.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/records/market.hpp"
#include "rules/facts.hpp"

namespace gpusel::answer {

class InstanceKinds {
 public:
  /// Number of the kind it is of: from 0, in the order in which kinds are first met. The instance must outlive this.
  std::uint32_t of(const catalog::Instance& instance);

  /// Whether the facts of one instance of a kind are those of all.
  static bool share(const rules::FactSet& facts);

 private:
  struct Kind {
    const catalog::Instance* first;
    std::uint64_t hash;
  };
  void grow();

  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> slots_;  // by hash: a kind's number + 1; 0 is free
};

}  // namespace gpusel::answer
