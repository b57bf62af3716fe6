#include "answer/lists/offer_filter.hpp"

namespace gpusel::answer {

Result<std::shared_ptr<const OfferFilter>> OfferFilter::read(std::string_view text, const catalog::Catalog& catalog,
                                                             const physics::Coefficients& coefficients, Date today) {
  Columns<Listed> columns = instance_columns(catalog, coefficients, today);
  auto filter = columns.filter(text);
  if (!filter) return std::unexpected(filter.error());
  return std::shared_ptr<const OfferFilter>(new OfferFilter(std::move(columns), std::move(*filter)));
}

}  // namespace gpusel::answer
