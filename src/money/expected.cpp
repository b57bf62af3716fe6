#include "money/expected.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/values/normal.hpp"

namespace gpusel::money {

namespace {

constexpr double kLowShare = 0.1;
constexpr double kHighShare = 0.9;
constexpr int kDaysOfMarket = 30;    // marketplaces and spot
constexpr int kDaysOfCloud = 180;    // GPU clouds
constexpr double kSamePrice = 1e-5;  // by which lists that round differ

auto key_of(const catalog::Drift& drift) {
  return std::tuple(drift.seller.value_or(catalog::ProviderKind::cloud), drift.term.value_or(catalog::Term::on_demand),
                    drift.provider, drift.gpu);
}

/// ln of the factor by which a price has moved: none where it has not changed, else a normal distribution.
struct Moved {
  double changed = 0;  // the share of prices that have
  double mean = 0;     // of those
  double deviation = 0;

  double quantile(double p) const {
    if (deviation <= 0) return 0;  // none has changed, or by nothing
    const double below = changed * normal_share(-mean / deviation);
    if (p <= below) return mean + deviation * normal_quantile(p / changed);
    const double same = 1 - changed;
    return p <= below + same ? 0 : mean + deviation * normal_quantile((p - same) / changed);
  }
};

/// Changes that come independently at a constant rate.
Moved moved(double months, const catalog::Drift& drift) {
  Moved out;
  const double rate = drift.changes_per_month.value_or(0);
  const double change = drift.change.value_or(0);
  const double spread = drift.spread.value_or(0);
  const double count = rate * std::max(months, 0.0);
  out.changed = -std::expm1(-count);
  if (out.changed <= 0) return {};
  const double each = count / out.changed;  // changes of a price that has changed at all
  const double carried = drift.longest_months ? std::min(1.0, *drift.longest_months / months) : 1.0;
  out.mean = change * each * carried;
  const double of_count = std::max(0.0, each * (1 + count) - each * each);  // variance of their number
  out.deviation = std::sqrt(spread * spread * each + change * change * of_count);
  return out;
}

}  // namespace

PriceToday price_today(double published, double months, const catalog::Drift* drift) {
  if (drift == nullptr) return {published, published, published};
  const Moved factor = moved(months, *drift);
  const auto at = [&](double p) { return published * std::exp(factor.quantile(p)); };
  return {at(kLowShare), at(0.5), at(kHighShare)};
}

TooOld too_old(Date as_of, Date today, catalog::ProviderKind seller, catalog::Term term) {
  if (!as_of.known() || as_of.month() == 0) return TooOld::undated;
  const int age = days_between(as_of, today).value_or(0);
  if (term == catalog::Term::spot) return age > kDaysOfMarket ? TooOld::spot : TooOld::no;
  if (seller == catalog::ProviderKind::marketplace) return age > kDaysOfMarket ? TooOld::marketplace : TooOld::no;
  return seller == catalog::ProviderKind::cloud && age > kDaysOfCloud ? TooOld::cloud : TooOld::no;
}

PriceOutlook::PriceOutlook(const catalog::Catalog& catalog, Date today, std::span<const catalog::Drift> drift)
    : catalog_(catalog), today_(today) {
  drift_.reserve(drift.size());
  for (const catalog::Drift& one : drift) drift_.push_back(&one);
  std::ranges::sort(drift_, {}, [](const catalog::Drift* d) { return key_of(*d); });
}

const catalog::Drift* PriceOutlook::named(catalog::ProviderKind seller, catalog::Term term, std::string_view provider,
                                          std::string_view gpu) const {
  const std::tuple wanted(seller, term, provider, gpu);
  const auto found = std::ranges::lower_bound(drift_, wanted, {}, [](const catalog::Drift* d) { return key_of(*d); });
  return found != drift_.end() && key_of(**found) == wanted ? *found : nullptr;
}

catalog::ProviderKind PriceOutlook::seller_of(const catalog::Instance& instance) const {
  if (last_provider_ == nullptr || last_provider_->id != instance.provider) {
    const auto found = catalog_.provider(instance.provider);
    if (!found) return catalog::ProviderKind::cloud;
    last_provider_ = *found;
  }
  return seller_kind(instance, *last_provider_);
}

const catalog::Drift* PriceOutlook::drift_of(const catalog::Offer& offer) const {
  const catalog::Instance& instance = catalog_.instances()[offer.instance];
  const catalog::ProviderKind seller = seller_of(instance);
  for (const catalog::Term term : {offer.term, catalog::Term::on_demand}) {
    if (!instance.gpu.empty())
      if (const auto* of_gpu = named(seller, term, instance.provider, instance.gpu)) return of_gpu;
    if (const auto* of_provider = named(seller, term, instance.provider, {})) return of_provider;
    if (const auto* of_kind = named(seller, term, {}, {})) return of_kind;
  }
  return nullptr;
}

void PriceOutlook::bound_by_on_demand(PriceToday& today, const catalog::Offer& spot) const {
  for (const catalog::Offer& other : catalog_.offers_of(catalog_.instances()[spot.instance])) {
    if (other.term != catalog::Term::on_demand || other.region != spot.region || other.currency != spot.currency)
      continue;
    const double most = std::max(other.per_hour(), spot.per_hour());
    for (double* price : {&today.low, &today.mid, &today.high}) *price = std::min(*price, most);
  }
}

/// One that was never seen to change, and is too old, has at least the range of its kind of seller.
void PriceOutlook::widen_as_kind(PriceToday& today, catalog::ProviderKind seller, catalog::Term term,
                                 Date as_of) const {
  const catalog::Drift* kind = named(seller, term, {}, {});
  const int days = days_between(as_of, today_).value_or(0);
  if (kind == nullptr || days <= 0) return;
  const PriceToday usual = after(days, *kind) * today.published;
  today.low = std::min(today.low, usual.low);
  today.high = std::max(today.high, usual.high);
}

Date PriceOutlook::last_seen(const catalog::Offer& offer) const {
  Date last = Date::from_packed(offer.as_of);
  for (const catalog::Offer& other : catalog_.offers_of(catalog_.instances()[offer.instance])) {
    const Date day = Date::from_packed(other.as_of);
    const bool same = other.kind != catalog::PriceKind::own && other.term == offer.term &&
                      other.currency == offer.currency &&
                      std::abs(other.per_hour() / offer.per_hour() - 1) < kSamePrice;
    if (same && day.month() != 0 && last.month() != 0 && last < day) last = day;
  }
  return last;
}

PriceToday PriceOutlook::after(int days, const catalog::Drift& drift) const {
  const auto [known, is_new] = known_[&drift].try_emplace(days);
  if (is_new) known->second = price_today(1, days / catalog::kDaysPerMonth, &drift);
  return known->second;
}

PriceToday PriceOutlook::expected(const catalog::Offer& offer) const {
  const double published = offer.per_hour();
  if (offer.kind == catalog::PriceKind::own) return {published, published, published};
  const catalog::Instance& instance = catalog_.instances()[offer.instance];
  const Date as_of = last_seen(offer);
  const catalog::Drift* drift = drift_of(offer);
  PriceToday today{published, published, published};
  if (drift != nullptr && as_of.month() == 0) {
    const PriceToday widest = price_today(published, drift->longest_months.value_or(0), drift);
    today.low = std::min(published, widest.low);
    today.high = std::max(published, widest.high);
  } else if (const int days = days_between(as_of, today_).value_or(0); drift != nullptr && days > 0) {
    today = after(days, *drift) * published;
  }
  const catalog::ProviderKind seller = seller_of(instance);
  today.published = published;
  today.too_old = too_old(as_of, today_, seller, offer.term);
  if (today.too_old != TooOld::no && as_of.month() != 0) widen_as_kind(today, seller, offer.term, as_of);
  if (offer.term == catalog::Term::spot) bound_by_on_demand(today, offer);
  return today;
}

}  // namespace gpusel::money
