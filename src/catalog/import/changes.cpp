// What a list has of prices that the catalogue does not have, or of another day.
#include <map>
#include <tuple>

#include "catalog/import/import.hpp"

namespace gpusel::catalog {

namespace {

using OfferName = std::tuple<std::string_view, std::string_view, std::string_view, Term, std::string_view>;

OfferName name_of(const Catalog& catalog, const Offer& offer) {
  const Instance& instance = catalog.instances()[offer.instance];
  return {instance.provider, instance.sku, catalog.region_of(offer).id, offer.term, catalog.currency_of(offer).code()};
}

}  // namespace

PriceChanges price_changes(const Catalog& market, const Catalog& known) {
  std::map<OfferName, const Offer*> had;
  for (const Offer& offer : known.offers()) had.emplace(name_of(known, offer), &offer);
  PriceChanges changes;
  for (const Offer& offer : market.offers()) {
    const auto before = had.find(name_of(market, offer));
    if (before == had.end()) {
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
