// Whether every region that has a price can be found by the names of places.
#include <algorithm>
#include <map>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/places/places.hpp"

namespace gpusel::catalog {

namespace {

Subject about(const Region& region) { return {.kind = "region", .id = format("{}/{}", region.provider, region.id)}; }
Subject about(const Place& place) { return {.kind = "place", .id = std::string(place.id)}; }

bool has_country(const Catalog& catalog, std::string_view code, PlaceKind kind) {
  return std::ranges::any_of(catalog.places(), [&](const Place& place) {
    if (place.kind != kind) return false;
    return kind == PlaceKind::country ? place.country == code
                                      : std::ranges::find(place.countries, code) != place.countries.end();
  });
}

/// A price that holds in several countries says where by the name of its region.
void in_no_place(Lint& lint) {
  const Catalog& catalog = lint.catalog();
  std::vector<const Region*> all;
  for (const Region& region : catalog.regions()) all.push_back(&region);
  for (const Region* region : with_prices(all, catalog)) {
    if (region->country.empty() && region->name.empty())
      lint.found(about(*region), say("it has prices, but its location is unknown"),
                 say("add a country and a name, and a place if the country is large"));
    else if (!region->country.empty() && region->country != "EU" &&
             !has_country(catalog, region->country, PlaceKind::country))
      lint.found(about(*region), say("no place is the country {}", region->country),
                 say("add it to data/places/places.yaml, with the names that people write"));
  }
}

void in_no_continent(Lint& lint) {
  for (const Place& place : lint.catalog().places())
    if (!place.country.empty() && !has_country(lint.catalog(), place.country, PlaceKind::continent))
      lint.found(about(place), say("no continent has the country {}", place.country));
}

void named_twice(Lint& lint) {
  std::map<std::string, const Place*> names;
  for (const Place& place : lint.catalog().places()) {
    std::vector<std::string> own{std::string(place.id)};
    for (const std::string_view name : place.names) own.push_back(fold_name(name));
    for (std::string& name : own) {
      const auto [entry, is_new] = names.try_emplace(std::move(name), &place);
      if (!is_new) lint.found(about(place), say("'{}' is also a name of {}", entry->first, entry->second->id));
    }
  }
}

void part_unknown(Lint& lint) {
  for (const Place& place : lint.catalog().places())
    for (const std::string_view part : place.places) {
      const Place* inside = find_place(part, lint.catalog());
      if (inside == nullptr || inside->country != place.country)
        lint.found(about(place), say("no place '{}' is in {}", part, place.country));
    }
}

constexpr Check kPlaceChecks[] = {
    {"place.region", Severity::warning, to_say("a region with prices that belongs to no place"), in_no_place},
    {"place.continent", Severity::error, to_say("a country in no continent"), in_no_continent},
    {"place.name", Severity::error, to_say("one name for two places, or twice for one"), named_twice},
    {"place.part", Severity::error, to_say("a part of a place that is not in its country"), part_unknown},
};

}  // namespace

std::span<const Check> place_checks() { return kPlaceChecks; }

}  // namespace gpusel::catalog
