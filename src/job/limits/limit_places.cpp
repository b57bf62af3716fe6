// Limits on where an instance stands: --region and --residency.
#include <algorithm>
#include <map>
#include <set>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "job/limits/limit_judges.hpp"

namespace gpusel::job {

namespace {

using catalog::Located;
using rules::Condition;
using rules::Fact;
using rules::Operator;
using Regions = std::vector<const catalog::Region*>;

constexpr std::size_t kProvidersNamed = 6;

std::string joined(std::span<const std::string> texts, std::size_t most = 100) {
  std::string list;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) list += (list.empty() ? "" : ", ") + texts[i];
  return texts.size() > most ? say("{} and {} more", list, texts.size() - most) : list;
}

Result<std::vector<Located>> located(const Judging& judging) {
  std::vector<Located> all;
  for (const std::string& name : judging.asked.regions) {
    auto found = catalog::locate(name, judging.catalog);
    if (!found) return of_flag(found.error(), judging);
    all.push_back(std::move(*found));
  }
  return all;
}

/// Ids of regions by provider, as one's id may be another place of another's; none: all of its regions.
using Within = std::map<std::string, std::vector<std::string>>;

Within within(const Regions& regions) {
  Within ids;
  for (const catalog::Region* region : regions) ids[std::string(region->provider)].emplace_back(region->id);
  return ids;
}

Condition outside(Within ids) {
  std::vector<std::string> providers;
  std::vector<Condition> parts(1);
  for (auto& [provider, own] : ids) {
    providers.push_back(provider);
    if (own.empty()) continue;
    parts.push_back(rules::all_of({compare(Fact::provider, Operator::is, std::vector{provider}, false),
                                   compare(Fact::region, Operator::not_in, std::move(own))}));
  }
  parts.front() = compare(Fact::provider, Operator::not_in, std::move(providers));
  return rules::any_of(std::move(parts));
}

/// Prices of a whole country, for instances that are sold at the place asked for: they hold there too.
std::vector<Condition> of_whole_country(std::span<const Located> places, const catalog::Catalog& catalog) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> skus;  // by provider and region
  for (const Located& at : places) {
    if (at.place == nullptr || at.place->kind != catalog::PlaceKind::locality) continue;
    for (const catalog::Region& region : catalog.regions()) {
      const catalog::Place* country = catalog::find_place(region.id, catalog);
      if (country == nullptr || country->kind != catalog::PlaceKind::country || country->country != at.place->country)
        continue;
      for (const catalog::Instance& instance : catalog.instances())
        if (instance.provider == region.provider &&
            std::ranges::any_of(catalog.offers_of(instance),
                                [&](const auto& offer) { return at.has(catalog.region_of(offer)); }))
          skus[{std::string(region.provider), std::string(region.id)}].emplace_back(instance.sku);
    }
  }
  std::vector<Condition> parts;
  for (auto& [where, own] : skus)
    parts.push_back(rules::all_of({compare(Fact::provider, Operator::is, std::vector{where.first}, false),
                                   compare(Fact::region, Operator::is, std::vector{where.second}, false),
                                   compare(Fact::sku, Operator::in, std::move(own), false)}));
  return parts;
}

std::string region_text(const catalog::Region& region) {
  std::string text = format("{}: {}", region.id, region.provider);
  if (!region.name.empty()) text += format(", {}", printable(region.name));
  if (!region.country.empty()) text += format(", {}", region.country);
  return text;
}

/// Where the providers of those places do have prices.
std::string priced_elsewhere(const Regions& none, const catalog::Catalog& catalog) {
  Regions others;
  for (const catalog::Region& region : catalog.regions())
    if (std::ranges::any_of(none, [&](const auto* one) { return one->provider == region.provider; }))
      others.push_back(&region);
  std::vector<std::string> same, rest;
  for (const catalog::Region* region : with_prices(others, catalog)) {
    const bool near = std::ranges::any_of(none, [&](const auto* one) { return one->country == region->country; });
    (near ? same : rest).push_back(format("{}/{}", region->provider, region->id));
  }
  if (same.empty()) same = std::move(rest);
  return same.empty() ? std::string() : say("there are prices in {}", joined(same, kProvidersNamed));
}

std::unexpected<Error> no_prices(const Located& place, const Judging& judging) {
  std::string what = printable(place.name);
  if (place.regions.size() == 1) what = region_text(*place.regions.front());
  if (place.regions.empty())
    return std::unexpected(
        Error{ErrorKind::unsatisfied, say("no provider has a known region in {}", what), judging.limit.flag(), {}});
  return std::unexpected(Error{ErrorKind::unsatisfied, say("no prices recorded for {}", what), judging.limit.flag(),
                               priced_elsewhere(place.regions, judging.catalog)});
}

std::vector<std::string> sorted_unique(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

/// Codes of all that --residency names; empty where it names something else.
std::vector<std::string> countries_of(const Constraints& limits, const catalog::Catalog& catalog) {
  std::vector<std::string> countries;
  for (const std::string& name : limits.residency)
    if (auto meant = catalog::countries_called(name, catalog)) std::ranges::move(*meant, std::back_inserter(countries));
  return sorted_unique(std::move(countries));
}

/// "Europe" of a continent as it was typed, "EU" of a group, a region by its id.
std::string spoken_place(const Located& place) {
  std::string name = printable(place.name);
  const bool is_word = place.place != nullptr && place.place->kind != catalog::PlaceKind::group && name.size() > 3;
  if (is_word) name[0] = upper(name.substr(0, 1))[0];
  return name;
}

bool sells(std::string_view provider, const catalog::Catalog& catalog) {
  return std::ranges::any_of(catalog.instances(), [&](const auto& instance) { return instance.provider == provider; });
}

/// "31 regions in 9 countries of aws, gcp, …"; `alone`: of the one cloud that was asked for.
std::string taken_text(const Located& place, const Regions& priced, bool alone, const catalog::Catalog& catalog) {
  std::set<std::string_view> countries;
  std::vector<std::string> providers;
  for (const catalog::Region* region : priced) {
    if (!region->country.empty() && region->country != "EU") countries.insert(region->country);
    providers.emplace_back(region->provider);
  }
  providers = sorted_unique(std::move(providers));
  const std::string name = spoken_place(place), whose = joined(providers, kProvidersNamed);
  std::string text =
      priced.size() == 1     ? alone ? say("{}: {}", name, priced.front()->id)
                                     : say("{}: {}", name, format("{}/{}", providers.front(), priced.front()->id))
          : alone ? say("{}: {} regions", name, priced.size())
      : countries.size() > 1 ? say("{}: {} regions in {} countries of {}", name, priced.size(), countries.size(), whose)
                             : say("{}: {} regions of {}", name, priced.size(), whose);
  // Of an id that several providers use, whose it is besides; of a large place there are many without prices.
  for (const catalog::Region* region : place.regions)
    if (place.place == nullptr && std::ranges::find(priced, region) == priced.end() && sells(region->provider, catalog))
      add_clause(text, say("no prices recorded for {}", format("{}/{}", region->provider, region->id)));
  if (place.place != nullptr && !place.place->note.empty()) text += format(" ({})", say_text(place.place->note));
  return text;
}

}  // namespace

Status judge_region(const Judging& judging) {
  auto places = located(judging);
  if (!places) return std::unexpected(places.error());
  Regions all;
  std::optional<Located> without_price;
  bool any_price = false;
  std::string names;
  const std::vector<std::string> clouds = ids_of(judging.asked.named_clouds(), judging.catalog);
  for (const Located& place : *places) {
    // Of a name that several providers have, those count that are asked.
    Located asked = place;
    std::erase_if(asked.regions, [&](const catalog::Region* region) {
      return !clouds.empty() && std::ranges::find(clouds, region->provider) == clouds.end();
    });
    if (asked.regions.empty()) asked.regions = place.regions;
    const bool priced = !with_prices(asked.regions, judging.catalog).empty();
    any_price = any_price || priced;
    if (!priced && !without_price) without_price = std::move(asked);
    all.insert(all.end(), place.regions.begin(), place.regions.end());
    names += (names.empty() ? "" : ", ") + printable(place.name);
  }
  // An empty catalogue has no prices anywhere: that is said of the instances.
  if (!any_price && !judging.catalog.offers().empty()) return no_prices(*without_price, judging);
  Condition elsewhere = outside(within(all));
  if (std::vector<Condition> wide = of_whole_country(*places, judging.catalog); !wide.empty())
    elsewhere = rules::all_of({std::move(elsewhere), rules::negate(rules::any_of(std::move(wide)))});
  reject(judging, std::move(elsewhere), say("region {{region}}, requested {}", names));
  return {};
}

/// A region where a provider is asked for names those that have it.
Error region_alone(std::string_view name, const Error& unknown, const catalog::Catalog& catalog) {
  const auto place = catalog::locate(name, catalog);
  if (!place || place->regions.empty()) return unknown;
  const catalog::Region& first = *place->regions.front();
  Error error = unknown;
  error.message = say("'{}' is a region; its provider comes first", shorten(printable(name), 40));
  error.hint = say("--infra {}/{}, or --region {}", first.provider, first.id, printable(name));
  return error;
}

Hint near_region(std::string_view name, std::string_view provider, const catalog::Catalog& catalog) {
  std::vector<std::string_view> ids;
  for (const catalog::Region& region : catalog.regions())
    if (region.provider == provider) ids.push_back(region.id);
  return did_you_mean(name, ids);
}

Status judge_infra(const Judging& judging) {
  Within allowed;
  std::set<std::string> open;  // providers all of whose regions will do
  for (const auto& [cloud, region] : judging.asked.infra) {
    const auto provider = judging.catalog.provider(cloud);
    if (!provider)
      return of_flag(region.empty() ? region_alone(cloud, provider.error(), judging.catalog) : provider.error(),
                     judging);
    const std::string id((*provider)->id);
    std::vector<std::string>& ids = allowed[id];
    if (region.empty()) open.insert(id);
    if (region.empty()) continue;
    auto place = catalog::locate(region, judging.catalog);
    if (!place) return of_flag(place.error(), judging);
    std::erase_if(place->regions, [&](const catalog::Region* one) { return one->provider != id; });
    if (place->regions.empty())
      return std::unexpected(Error{ErrorKind::unsatisfied, say("{} has no region {}", id, printable(region)),
                                   judging.limit.flag(), near_region(region, id, judging.catalog)});
    if (with_prices(place->regions, judging.catalog).empty() && !judging.catalog.offers().empty())
      return no_prices(*place, judging);
    for (const catalog::Region* one : place->regions) ids.emplace_back(one->id);
  }
  for (const std::string& id : open) allowed[id].clear();
  reject(judging, outside(std::move(allowed)),
         say("region {{region}}, requested {}", printable(judging.limit.form.written(judging.asked))));
  return {};
}

Needed relax_region(const Passing& passing) {
  Needed needed = one_more(passing);
  if (catalog::is_everywhere(needed.value)) return {needed.flag, "any", false};
  return needed;
}

Needed relax_infra(const Passing& passing) {
  if (!passing.facts.known(Fact::provider) || !passing.facts.known(Fact::region)) return without(passing);
  return {passing.limit.flag(), format("{}/{}", passing.facts.text(Fact::provider), passing.facts.text(Fact::region)),
          true};
}

Status judge_residency(const Judging& judging) {
  std::vector<std::string> countries;
  for (const std::string& name : judging.asked.residency) {
    auto meant = catalog::countries_called(name, judging.catalog);
    if (!meant) return of_flag(meant.error(), judging);
    std::ranges::move(*meant, std::back_inserter(countries));
  }
  reject(judging, compare(Fact::country, Operator::not_in, sorted_unique(std::move(countries))),
         say("region {{region}} is in {{country}}, outside --residency"));
  return {};
}

std::string region_of_another(const Constraints& limits, const catalog::Catalog& catalog) {
  if (limits.regions.empty() || limits.clouds.empty()) return {};
  for (const std::string& name : limits.regions) {
    const auto place = catalog::locate(name, catalog);
    for (const std::string& cloud : limits.clouds) {
      const auto provider = catalog.provider(cloud);
      if (!place || !provider) return {};
      if (std::ranges::any_of(place->regions, [&](const auto* r) { return r->provider == (*provider)->id; })) return {};
    }
  }
  return say("--cloud {} has no --region {}", limits.clouds.front(), limits.regions.front());
}

std::string region_elsewhere(const Constraints& limits, const catalog::Catalog& catalog) {
  const std::vector<std::string> allowed = countries_of(limits, catalog);
  if (limits.regions.empty() || allowed.empty()) return {};
  std::vector<std::string> lies_in;
  for (const std::string& name : limits.regions) {
    const auto place = catalog::locate(name, catalog);
    if (!place) return {};
    for (const catalog::Region* region : place->regions) {
      if (std::ranges::binary_search(allowed, region->country)) return {};
      if (!region->country.empty()) lies_in.push_back(lower(region->country));
    }
  }
  lies_in = sorted_unique(std::move(lies_in));
  const std::string region = limits.regions.front(), residency = limits.residency.front();
  if (lies_in.empty())
    return say("--region {} is a price for several countries, but --residency {} needs one; use --region {}",
               printable(region), printable(residency), printable(residency));
  return say("--region {} is in {}, outside --residency {}; use --residency {} or --region {}", printable(region),
             joined(lies_in, kProvidersNamed), printable(residency), joined(lies_in, 1), printable(residency));
}

Assumptions taken_places(const Constraints& limits, const catalog::Catalog& catalog) {
  const std::vector<std::string> clouds = sorted_unique(ids_of(limits.named_clouds(), catalog));
  const std::vector<std::string> excluded = ids_of(limits.not_clouds, catalog);
  const auto is_left_out = [&](const catalog::Region* region) {
    return (!clouds.empty() && std::ranges::find(clouds, region->provider) == clouds.end()) ||
           std::ranges::find(excluded, region->provider) != excluded.end();
  };
  Assumptions taken;
  for (const std::string& name : limits.named_regions()) {
    auto place = catalog::locate(name, catalog);
    if (!place) continue;
    std::erase_if(place->regions, is_left_out);
    const Regions priced = with_prices(place->regions, catalog);
    const bool as_written = place->place == nullptr && place->regions.size() == 1 &&
                            fold_name(place->regions.front()->id) == fold_name(name);
    if (!as_written && !priced.empty())
      taken.push_back({"region", taken_text(*place, priced, clouds.size() == 1, catalog)});
  }
  return taken;
}

}  // namespace gpusel::job
