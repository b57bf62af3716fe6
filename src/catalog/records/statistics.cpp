#include "catalog/records/statistics.hpp"

#include <algorithm>
#include <set>

namespace gpusel::catalog {

namespace {

constexpr int kAgeLimits[] = {30, 90, 180, 270, 365};

bool is_known(const Number& member) { return member.has_value(); }
bool is_known(std::string_view member) { return !member.empty(); }
bool is_known(const TextList& member) { return !member.empty(); }
template <class T>
bool is_known(const std::optional<T>& member) {
  return member.has_value();
}
template <NamedEnum E>
bool is_known(E) {
  return true;
}

template <class Record>
void add_coverage(std::vector<FieldCoverage>& coverage, std::string_view section, const Record& record) {
  auto place = std::ranges::find(coverage, section, &FieldCoverage::section);
  const bool first = place == coverage.end();
  std::size_t i = static_cast<std::size_t>(place - coverage.begin());
  visit_fields(record, [&](const Field& field, const auto& member) {
    if (first) coverage.push_back({section, field.json, 0, 0});
    FieldCoverage& entry = coverage[i++];
    ++entry.of;
    entry.known += is_known(member) ? 1 : 0;
  });
}

std::vector<ProviderCount> count_providers(const Catalog& catalog) {
  std::vector<ProviderCount> counts;
  for (const Provider& provider : catalog.providers()) counts.push_back({.provider = provider.id});
  std::ranges::sort(counts, {}, &ProviderCount::provider);
  std::vector<std::set<std::uint16_t>> regions(counts.size());
  for (const Instance& instance : catalog.instances()) {
    const auto place = std::ranges::lower_bound(counts, instance.provider, {}, &ProviderCount::provider);
    if (place == counts.end() || place->provider != instance.provider) continue;
    ++place->instances;
    place->with_gpu += instance.gpu.empty() ? 0 : 1;
    place->priced += instance.offer_count > 0 ? 1 : 0;
    place->offers += instance.offer_count;
    for (const Offer& offer : catalog.offers_of(instance)) {
      ++place->by_term[static_cast<std::size_t>(offer.term)];
      regions[static_cast<std::size_t>(place - counts.begin())].insert(offer.region);
      const Date date = Date::from_packed(offer.as_of);
      if (!date.known()) continue;
      if (!place->oldest.known() || date < place->oldest) place->oldest = date;
      place->newest = std::max(place->newest, date);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i].regions = regions[i].size();
  return counts;
}

}  // namespace

Statistics statistics(const Catalog& catalog, Date today) {
  Statistics out;
  out.providers = count_providers(catalog);
  for (const int limit : kAgeLimits) out.ages.push_back({limit, 0});
  out.ages.push_back({std::nullopt, 0});
  std::vector<int> ages;
  for (const Offer& offer : catalog.offers()) {
    ++out.by_confidence[static_cast<std::size_t>(catalog.origin_of(offer).confidence)];
    const auto age = days_between(Date::from_packed(offer.as_of), today);
    if (!age) {
      ++out.undated;
      continue;
    }
    ages.push_back(*age);
    const auto bucket = std::ranges::find_if(out.ages, [&](const AgeBucket& b) { return !b.days || *age <= *b.days; });
    ++bucket->offers;
  }
  if (!ages.empty()) {
    const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2);
    std::ranges::nth_element(ages, middle);
    out.median_age_days = *middle;
  }
  for (const Gpu& gpu : catalog.gpus()) add_coverage(out.coverage, "gpus", gpu);
  for (const Instance& instance : catalog.instances())
    if (!instance.gpu.empty()) add_coverage(out.coverage, "instances", instance);
  for (const ExchangeRate& rate : catalog.exchange_rates())
    if (!out.oldest_rate.known() || rate.as_of < out.oldest_rate) out.oldest_rate = rate.as_of;
  return out;
}

}  // namespace gpusel::catalog
