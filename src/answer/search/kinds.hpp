// Instances that nothing but their names, words and prices tells apart. What is found out of one holds for
// all of its kind, so that a catalogue of a hundred thousand instances is judged kind by kind.
#pragma once

#include <cstdint>
#include <unordered_map>

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
  struct Hash {
    std::size_t operator()(const catalog::Instance* instance) const;
  };
  struct Same {
    bool operator()(const catalog::Instance* a, const catalog::Instance* b) const;
  };
  std::unordered_map<const catalog::Instance*, std::uint32_t, Hash, Same> kinds_;  // by the first of each
};

}  // namespace gpusel::answer
