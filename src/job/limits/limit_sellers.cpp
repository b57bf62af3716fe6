// Limits on who sells an instance: --not-cloud, --market, and by --country who serves its reader.
#include <algorithm>
#include <map>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "job/limits/limit_judges.hpp"

namespace gpusel::job {

std::vector<std::string> ids_of(std::span<const std::string> names, const catalog::Catalog& catalog) {
  std::vector<std::string> ids;
  for (const std::string& name : names)
    if (const auto provider = catalog.provider(name)) ids.emplace_back((*provider)->id);
  return ids;
}

namespace {

using catalog::Provider;
using catalog::ProviderKind;
using rules::Fact;
using rules::Operator;

bool serves(const Provider& provider, std::string_view country) { return none_or_has(provider.serves, country); }

/// The countries of all places that a question names; empty where it names none, or one that is in several countries.
std::vector<std::string> countries_asked(const Constraints& asked, const catalog::Catalog& catalog) {
  std::vector<std::string> countries;
  for (const std::string& name : asked.residency)
    if (const auto codes = catalog::countries_called(name, catalog))
      countries.insert(countries.end(), codes->begin(), codes->end());
  for (const std::string& name : asked.named_regions())
    if (const auto place = catalog::locate(name, catalog))
      for (const catalog::Region* region : place->regions) countries.emplace_back(region->country);
  return countries;
}

/// Whom a question names is admitted, whatever he is.
std::vector<std::string> named_clouds(const Judging& judging) {
  std::vector<std::string> named = ids_of(judging.asked.named_clouds(), judging.catalog);
  std::ranges::move(ids_of(judging.asked.own_clouds, judging.catalog), std::back_inserter(named));
  return named;
}

/// Providers that are not `open`, but for those that the question names.
template <class IsOpen>
void reject_closed(const Judging& judging, std::string message, IsOpen is_open) {
  const std::vector<std::string> named = named_clouds(judging);
  std::vector<std::string> closed;
  for (const Provider& provider : judging.catalog.providers())
    if (!is_open(provider) && std::ranges::find(named, provider.id) == named.end()) closed.emplace_back(provider.id);
  if (!closed.empty()) reject(judging, compare(Fact::provider, Operator::in, std::move(closed), false), message);
}

/// Whether the question means that region, by its own name or by a country that the provider has no other account for.
bool asks_for(const catalog::Region& region, const Constraints& asked, const catalog::Catalog& catalog) {
  const bool only_so = std::ranges::none_of(catalog.regions(), [&](const catalog::Region& other) {
    return other.provider == region.provider && other.country == region.country && other.account.empty();
  });
  for (const std::string& name : asked.named_regions()) {
    const auto place = catalog::locate(name, catalog);
    if (place && place->has(region) && (place->place == nullptr || only_so)) return true;
  }
  std::vector<std::string> countries = asked.residency;
  if (!asked.country.empty()) countries.push_back(asked.country);
  return only_so && std::ranges::any_of(countries, [&](const std::string& name) {
           const auto codes = catalog::countries_called(name, catalog);
           return codes && codes->size() == 1 && codes->front() == region.country;
         });
}

/// An account of AWS or Azure does not reach their partitions for China and for governments.
void reject_partitions(const Judging& judging) {
  std::map<std::string_view, std::vector<std::string>> closed;
  for (const catalog::Region& region : judging.catalog.regions())
    if (!region.account.empty() && !asks_for(region, judging.asked, judging.catalog))
      closed[region.provider].emplace_back(region.id);
  std::vector<rules::Condition> each;
  for (auto& [provider, regions] : closed)
    each.push_back(rules::all_of({compare(Fact::provider, Operator::is, std::vector{std::string(provider)}),
                                  compare(Fact::region, Operator::in, std::move(regions))}));
  if (!each.empty())
    reject(judging, rules::any_of(std::move(each)), say("{{region}} needs a separate account; name it with --region"));
}

}  // namespace

Status judge_not_cloud(const Judging& judging) {
  std::vector<std::string> ids;
  for (const std::string& name : judging.asked.not_clouds) {
    const auto provider = judging.catalog.provider(name);
    if (!provider) return of_flag(provider.error(), judging);
    ids.emplace_back((*provider)->id);
  }
  reject(judging, compare(Fact::provider, Operator::in, std::move(ids), false), say("{{provider}} is excluded"));
  return {};
}

std::string own_left_out(const Constraints& limits, const catalog::Catalog& catalog) {
  for (const std::string& own : limits.own_clouds)
    for (const std::string& other : limits.not_clouds) {
      const auto mine = catalog.provider(own);
      const auto not_mine = catalog.provider(other);
      if (mine && not_mine && *mine == *not_mine)
        return say("--own-clouds {} and --not-cloud {} contradict each other", own, other);
    }
  return {};
}

Status know_own_clouds(const Constraints& limits, const catalog::Catalog& catalog) {
  for (const std::string& name : limits.own_clouds) {
    const auto provider = catalog.provider(name);
    if (provider) continue;
    Error unknown = provider.error();
    unknown.where = find_limit("own_clouds")->flag();
    return std::unexpected(std::move(unknown));
  }
  return {};
}

Status judge_market(const Judging& judging) {
  reject_partitions(judging);
  if (*judging.asked.market) return {};
  const std::vector<std::string> named = named_clouds(judging);
  const auto of_kind = [](ProviderKind kind) {
    return compare(Fact::seller, Operator::is, std::vector{std::string(to_text(kind))}, false);
  };
  rules::Condition market = of_kind(ProviderKind::marketplace);
  if (!named.empty()) market = rules::all_of({std::move(market), compare(Fact::provider, Operator::not_in, named)});
  reject(judging, rules::any_of({std::move(market), of_kind(ProviderKind::community)}),
         say("{{provider}} rents out machines of others, without an SLA of its own ({{seller}})"));
  if (!judging.asked.country.empty()) return {};
  const std::vector<std::string> places = countries_asked(judging.asked, judging.catalog);
  reject_closed(judging, say("{{provider}} accepts only customers from its own country"),
                [&](const Provider& provider) {
                  const bool asked_for = !places.empty() && std::ranges::all_of(places, [&](const std::string& code) {
                    return serves(provider, code);
                  });
                  // Whoever asks for a country by name has his reasons, and where nobody says what his own is, that may
                  // be it.
                  return provider.serves.empty() || asked_for;
                });
  return {};
}

Status judge_country(const Judging& judging) {
  const auto codes = catalog::countries_called(judging.asked.country, judging.catalog);
  if (!codes) return of_flag(codes.error(), judging);
  if (codes->size() != 1)
    return of_flag({ErrorKind::usage,
                    say("'{}' is more than one country", shorten(judging.asked.country, 40)),
                    {},
                    say("write your country: us, de, cn")},
                   judging);
  reject_closed(judging, say("{{provider}} does not accept customers from {}", codes->front()),
                [&](const Provider& provider) { return serves(provider, codes->front()); });
  return {};
}

Needed relax_market(const Passing& passing) { return needs(passing, "true"); }

std::string cloud_left_out(const Constraints& limits, const catalog::Catalog& catalog) {
  const std::vector<std::string> out = ids_of(limits.not_clouds, catalog);
  const std::vector<std::string> in = ids_of(limits.named_clouds(), catalog);
  const bool all_out = !in.empty() && std::ranges::all_of(in, [&](const std::string& id) {
    return std::ranges::find(out, id) != out.end();
  });
  return all_out ? exclude_each_other(find_limit(limits.clouds.empty() ? "infra" : "cloud")->typed(limits),
                                      find_limit("not_cloud")->typed(limits))
                 : std::string();
}

}  // namespace gpusel::job
