#include "catalog/places/places.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/countries.hpp"

namespace gpusel::catalog {

namespace {

bool holds(const TextList& list, std::string_view wanted) {
  return std::ranges::any_of(list, [&](std::string_view entry) { return entry == wanted; });
}

bool is_called(const TextList& names, std::string_view folded) {
  return std::ranges::any_of(names, [&](std::string_view name) { return fold_name(name) == folded; });
}

/// "华东1（杭州）" as "华东1": what providers add in brackets says where it is.
std::string without_brackets(std::string_view name) {
  const auto bracket = std::min(name.find('('), name.find("（"));
  return fold_name(bracket == 0 ? name : name.substr(0, bracket));
}

std::string code_of(std::string_view name) {
  std::string code = upper(name);
  return is_country(code) ? code : std::string();
}

/// The words of a region's own name, for places that no record has.
bool is_part_of_name(const Region& region, std::string_view folded) {
  if (folded.size() < 3) return false;
  std::string words = "-" + fold_name(region.name) + "-";
  std::replace_if(
      words.begin(), words.end(), [](char c) { return std::string_view("(),.").find(c) != std::string_view::npos; },
      '-');
  return words.find("-" + std::string(folded) + "-") != std::string::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "us-west" of us-west-2 and us-west1: several regions that differ by their number.
bool is_numbered(const Region& region, std::string_view folded) {
  std::string_view rest = region.id;
  if (!folded.contains('-') || !rest.starts_with(folded)) return false;
  rest.remove_prefix(folded.size());
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return !rest.empty() && std::ranges::all_of(rest, is_digit);
}

/// "us-east-1a", "us-central1-a": a zone, by a letter behind its region's number.
bool is_zone_of(const Region& region, std::string_view folded) {
  if (!folded.starts_with(region.id) || region.id.empty() || !is_digit(region.id.back())) return false;
  std::string_view rest = folded.substr(region.id.size());
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return rest.size() == 1 && rest[0] >= 'a' && rest[0] <= 'z';
}

std::unexpected<Error> nothing_called(std::string_view name, const Catalog& catalog) {
  std::vector<std::string_view> known;
  for (const Region& region : catalog.regions()) known.push_back(region.id);
  for (const Place& place : catalog.places()) {
    known.push_back(place.id);
    for (const std::string_view other : place.names) known.push_back(other);
  }
  const Hint near = did_you_mean(name, known);
  return usage_error(
      say("unknown region '{}'", shorten(printable(name), 60)), {},
      near.or_else(say("write a region, a city, a country or a continent: us-east-1, frankfurt, de, eu")));
}

}  // namespace

bool Located::has(const Region& region) const { return std::ranges::find(regions, &region) != regions.end(); }

const Place* find_place(std::string_view name, const Catalog& catalog) {
  const std::string folded = fold_name(name);
  const std::string code = code_of(folded);
  for (const Place& place : catalog.places())
    if (place.id == folded || is_called(place.names, folded)) return &place;
  for (const Place& place : catalog.places())
    if (place.kind == PlaceKind::country && !code.empty() && place.country == code) return &place;
  return nullptr;
}

bool lies_in(const Region& region, const Place& place, const Catalog& catalog) {
  switch (place.kind.value_or(PlaceKind::group)) {
    case PlaceKind::locality:
      if (region.place.empty() || region.place == place.id) return !region.place.empty();
      return std::ranges::any_of(place.places, [&](std::string_view inside) {
        const Place* smaller = inside == place.id ? nullptr : find_place(inside, catalog);
        return region.place == inside || (smaller != nullptr && holds(smaller->places, region.place));
      });
    case PlaceKind::country: return region.country == place.country;
    default: return !region.country.empty() && holds(place.countries, region.country);
  }
}

Result<Located> locate(std::string_view name, const Catalog& catalog) {
  const std::string folded = without_brackets(name);
  Located found{.name = std::string(name), .place = find_place(folded, catalog), .country = {}};
  if (found.place == nullptr) found.country = code_of(folded);
  const auto take = [&](auto meant) {
    for (const Region& region : catalog.regions())
      if (meant(region)) found.regions.push_back(&region);
  };
  take([&](const Region& region) {
    return fold_name(region.id) == folded || is_called(region.names, folded) ||
           (found.place != nullptr && lies_in(region, *found.place, catalog)) ||
           (!found.country.empty() && region.country == found.country);
  });
  if (!found.regions.empty() || found.place != nullptr || !found.country.empty()) return found;
  take([&](const Region& region) { return is_numbered(region, folded); });
  if (found.regions.empty()) take([&](const Region& region) { return is_zone_of(region, folded); });
  if (found.regions.empty()) take([&](const Region& region) { return is_part_of_name(region, folded); });
  if (found.regions.empty()) return nothing_called(name, catalog);
  return found;
}

Result<std::vector<std::string>> countries_called(std::string_view name, const Catalog& catalog) {
  const Place* place = find_place(name, catalog);
  const std::string code = code_of(fold_name(name));
  if (place == nullptr && !code.empty()) return std::vector{code};
  if (place == nullptr || place->kind == PlaceKind::locality) {
    const std::string message =
        place == nullptr ? say("'{}' is neither a country nor a group of countries", shorten(printable(name), 40))
                         : say("'{}' is not a country: it is in {}", shorten(printable(name), 40), place->country);
    if (place != nullptr) return usage_error(message, {}, say("write {}", lower(place->country)));
    if (name.size() == 2) return usage_error(message, {}, country_hint(upper(name)));
    if (fold_name(name) == "any" || fold_name(name) == "all") return usage_error(message, {}, say("leave it off"));
    std::vector<std::string_view> known;
    for (const Place& one : catalog.places())
      if (one.kind != PlaceKind::locality) {
        known.push_back(one.id);
        for (const std::string_view other : one.names) known.push_back(other);
      }
    const Hint near = did_you_mean(name, known);
    return usage_error(message, {}, near.or_else(say("write eu, or country codes such as cn, us, de")));
  }
  if (place->kind == PlaceKind::country) return std::vector{std::string(place->country)};
  std::vector<std::string> codes;
  for (const std::string_view member : place->countries) codes.emplace_back(member);
  return codes;
}

std::vector<const Region*> with_prices(const std::vector<const Region*>& regions, const Catalog& catalog) {
  std::vector<bool> priced(catalog.regions().size());
  for (const Offer& offer : catalog.offers()) priced[offer.region] = true;
  std::vector<const Region*> some;
  for (const Region* region : regions)
    if (priced[static_cast<std::size_t>(region - catalog.regions().data())]) some.push_back(region);
  return some;
}

}  // namespace gpusel::catalog
