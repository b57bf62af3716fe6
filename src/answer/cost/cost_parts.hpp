// Parts of a cost answer, each in a file of its own. Private to this room.
#pragma once

#include "answer/cost/cost.hpp"
#include "base/io/document.hpp"

namespace gpusel::answer {

/// Null where the catalogue says nothing of it.
const catalog::Provider* provider_of(const catalog::Instance& instance, const catalog::Catalog& catalog);

/// An answer of `recommend` with at least one recommendation, read once for all of its ranks. Errors: it is none.
Result<Document> saved_answer(const std::string& content, const std::string& name);
/// As saved_subject() of the whole text.
Result<CostSubject> saved_subject(const Document& answer, int rank, const catalog::Catalog& catalog);

/// What the provider promises for this instance on any of these terms.
std::vector<const catalog::ServiceLevel*> promises_of(const catalog::Instance& instance,
                                                      std::span<const catalog::Term> terms,
                                                      const catalog::Catalog& catalog);

/// A service that is not always in use: by which numbers an autoscaler follows it. Its terms are priced.
void add_scaling(CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog,
                 const physics::Coefficients& coefficients, bool explained);

/// How time is billed, what a commitment means for the job, what is mistaken for what.
std::vector<std::string> cost_notes(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog);

/// Formula and values of every figure.
physics::Trace explain_cost(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog);

}  // namespace gpusel::answer
