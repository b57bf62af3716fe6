// What a list has of prices that the catalogue does not have, or of another day.
#include "catalog/import/import.hpp"

namespace gpusel::catalog {

OfferName name_of(const Catalog& catalog, const Offer& offer) {
  const Instance& instance = catalog.instances()[offer.instance];
  return {instance.provider, instance.sku, catalog.region_of(offer).id, offer.term, catalog.currency_of(offer).code()};
}

OffersByName offers_by_name(const Catalog& catalog) {
  OffersByName offers;
  for (const Offer& offer : catalog.offers()) offers.emplace(name_of(catalog, offer), &offer);
  return offers;
}

PriceChanges price_changes(const Catalog& market, const OffersByName& known) {
  PriceChanges changes;
  for (const Offer& offer : market.offers()) {
    const auto before = known.find(name_of(market, offer));
    if (before == known.end()) {
      ++changes.fresh;
      continue;
    }
    const bool differs = before->second->per_hour() != offer.per_hour();
    const std::int32_t day = before->second->as_of;
    if (offer.as_of > day) {
      ++changes.younger;
      changes.moved += differs ? 1 : 0;
    } else if (offer.as_of < day) {
      ++changes.older;
    } else {
      ++changes.same;
    }
  }
  return changes;
}

}  // namespace gpusel::catalog
