// --filter of a job's question: the condition of the list of instances, judged on every offer.
#pragma once

#include <memory>
#include <string_view>

#include "answer/lists/list.hpp"

namespace gpusel::answer {

class OfferFilter {
 public:
  /// Errors, about --filter: see rules::Filter. Catalogue and coefficients must outlive it.
  static Result<std::shared_ptr<const OfferFilter>> read(std::string_view text, const catalog::Catalog& catalog,
                                                         const physics::Coefficients& coefficients, Date today);

  /// `hourly` is for one instance.
  bool passes(const catalog::Instance& instance, const catalog::Offer& offer, double hourly) const {
    return columns_.passes(filter_, {&instance, &offer, hourly});
  }

 private:
  OfferFilter(Columns<Listed> columns, rules::Filter filter)
      : columns_(std::move(columns)), filter_(std::move(filter)) {}

  Columns<Listed> columns_;
  rules::Filter filter_;
};

}  // namespace gpusel::answer
