// Limits as whoever picks instances and offers without a search judges by them.
#pragma once

#include <vector>

#include "advise/candidates.hpp"
#include "gpusel/workload/limits.hpp"

namespace gpusel::advise {

/// What limits say of an offer. too_old: nothing but its age speaks against it.
enum class OfferVerdict : std::uint8_t { allowed, too_old, refused };

/// The limits of one question.
class LimitSet {
 public:
  /// Errors: as workload::limit_rules(); limits that contradict each other.
  static Result<LimitSet> of(const workload::Constraints& limits, const catalog::Catalog& catalog);

  /// The first limit that an instance fails; null: none.
  const rules::Rule* against(const InstanceView& instance) const;
  const rules::Rule* against(const rules::Facts& instance) const;
  /// Whether it is sold where, by whom, when and for what the limits allow; of the instance see against().
  OfferVerdict allows(const OfferView& offer) const;
  bool about_offers() const { return !offers_.empty(); }

 private:
  struct OfOffer {
    rules::Rule rule;
    bool of_age;
  };
  std::vector<rules::Rule> instances_;
  std::vector<OfOffer> offers_;
  rules::FactSet facts_;
};

}  // namespace gpusel::advise
