// What a list has of prices that the catalogue does not have, or of another day.
#include <algorithm>

#include "catalog/import/import.hpp"
#include "catalog/places/places.hpp"

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

namespace {

/// Whether the seller asks one price in all regions, and that is younger.
bool is_older_than_everywhere(const Catalog& market, const Offer& offer, const OffersByName& known) {
  OfferName name = name_of(market, offer);
  return std::ranges::any_of(kEverywhere, [&](std::string_view region) {
    std::get<2>(name) = region;
    const auto one_price = known.find(name);
    return one_price != known.end() && offer.as_of < one_price->second->as_of;
  });
}

}  // namespace

ProviderChanges provider_changes(const Catalog& market, const OffersByName& known) {
  ProviderChanges all;
  const auto of = [&](const Offer& offer) -> PriceChanges& { return all[market.instances()[offer.instance].provider]; };
  for (const Provider& provider : market.providers()) all[provider.id] = {};
  for (const Offer& offer : market.offers()) {
    PriceChanges& changes = of(offer);
    const auto before = known.find(name_of(market, offer));
    if (before == known.end()) {
      ++(is_older_than_everywhere(market, offer, known) ? changes.older : changes.fresh);
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
