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

PriceChanges& PriceChanges::operator+=(const PriceChanges& other) {
  fresh += other.fresh;
  younger += other.younger;
  moved += other.moved;
  older += other.older;
  same += other.same;
  return *this;
}

ProviderChanges provider_changes(const Catalog& market, const OffersByName& known) {
  ProviderChanges all;
  const auto of = [&](const Offer& offer) -> PriceChanges& { return all[market.instances()[offer.instance].provider]; };
  for (const Provider& provider : market.providers()) all[provider.id] = {};
  for (const Offer& offer : market.offers()) {
    PriceChanges& changes = of(offer);
    const auto before = known.find(name_of(market, offer));
    if (before == known.end()) {
      ++changes.fresh;
      continue;
    }
    const bool differs = before->second->per_hour() != offer.per_hour();
    const bool agreed = before->second->kind == PriceKind::own;
    const std::int32_t day = before->second->as_of;
    if (!agreed && offer.as_of > day) {
      ++changes.younger;
      changes.moved += differs ? 1 : 0;
    } else if (agreed || offer.as_of < day) {
      ++changes.older;
    } else {
      ++changes.same;
    }
  }
  for (const Offer& offer : market.history()) ++of(offer).older;
  return all;
}

PriceChanges price_changes(const Catalog& market, const OffersByName& known) {
  PriceChanges sum;
  for (const auto& [provider, changes] : provider_changes(market, known)) sum += changes;
  return sum;
}

}  // namespace gpusel::catalog
