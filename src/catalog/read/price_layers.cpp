#include "catalog/read/price_layers.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "catalog/places/places.hpp"

namespace gpusel::catalog {

namespace {

/// A user's word for an offer counts in whatever currency.
auto offer_of(const Offer& o) { return std::tuple(o.instance, o.region, o.term); }
auto offer_of(const StatedPrice& s) { return offer_of(s.offer); }

bool is_agreed(const Offer& o) { return o.kind == PriceKind::own; }
bool is_same_day(const Offer& a, const Offer& b) {
  return PriceOrder::offer(a) == PriceOrder::offer(b) && a.as_of == b.as_of;
}

/// One offer, as it was and as a file states it.
class OneOffer {
 public:
  OneOffer(std::span<const Offer> before, std::span<const StatedPrice> stated) : before_(before), stated_(stated) {
    own_stated_ = std::ranges::any_of(stated, [](const StatedPrice& s) { return is_agreed(s.offer); });
    own_before_ = std::ranges::any_of(before, is_agreed);
    replaced_ = std::ranges::any_of(stated, &StatedPrice::replaces);
    for (const StatedPrice& s : stated) youngest_ = std::max(youngest_, s.offer.as_of);
  }

  void lay(std::vector<Offer>& standing, std::vector<Offer>& history) const {
    for (const Offer& offer : before_) {
      if (is_restated(offer)) continue;
      if (stands_as_before(offer))
        standing.push_back(offer);
      else if (own_stated_ || offer.as_of < youngest_)  // a replaced price is no history of an older one
        history.push_back(offer);
    }
    for (const StatedPrice& s : stated_) (stands_as_stated(s.offer) ? standing : history).push_back(s.offer);
  }

 private:
  /// A list price of a day, said anew.
  bool is_restated(const Offer& offer) const {
    return !is_agreed(offer) && std::ranges::any_of(stated_, [&](const StatedPrice& s) {
      return !is_agreed(s.offer) && is_same_day(s.offer, offer);
    });
  }
  bool stands_as_before(const Offer& offer) const {
    if (own_stated_) return false;
    return own_before_ ? is_agreed(offer) : !replaced_;
  }
  bool stands_as_stated(const Offer& offer) const { return own_stated_ ? is_agreed(offer) : !own_before_; }

  std::span<const Offer> before_;
  std::span<const StatedPrice> stated_;
  bool own_stated_ = false;
  bool own_before_ = false;
  bool replaced_ = false;
  std::int32_t youngest_ = 0;
};

/// A list's price of one region that is older than what the seller asks everywhere is an older price of that.
void move_everywhere(const Tables& tables, std::vector<StatedPrice>& stated) {
  const auto sold = [](const Offer& o) { return std::tuple(o.instance, o.term, o.currency); };
  const auto everywhere = [&](const Offer& o) { return is_everywhere(tables.regions[o.region].id); };
  std::map<decltype(sold(Offer{})), const Offer*> one_price;
  for (const Offer& offer : tables.own_offers)
    if (everywhere(offer)) one_price.emplace(sold(offer), &offer);
  for (StatedPrice& price : stated) {
    const auto found = one_price.find(sold(price.offer));
    if (found == one_price.end() || price.replaces || is_agreed(price.offer)) continue;
    if (!everywhere(price.offer) && price.offer.as_of < found->second->as_of)
      price.offer.region = found->second->region;
  }
}

}  // namespace

void lay_prices(Tables& tables, std::vector<StatedPrice> stated) {
  tables.own_market();
  if (!tables.own_offers.empty() && !stated.empty()) move_everywhere(tables, stated);
  const auto by_offer = [](const auto& a, const auto& b) { return offer_of(a) < offer_of(b); };
  std::ranges::stable_sort(stated, by_offer);
  std::vector<Offer> standing;
  std::vector<Offer> before;
  for (const Offer& offer : tables.own_offers)
    (std::binary_search(stated.begin(), stated.end(), offer, by_offer) ? before : standing).push_back(offer);
  std::ranges::stable_sort(before, by_offer);
  auto old = before.begin();
  for (auto at = stated.begin(); at != stated.end();) {
    const auto same = [&](const auto& other) { return offer_of(other) == offer_of(*at); };
    const auto end = std::find_if_not(at, stated.end(), same);
    const auto old_end = std::find_if_not(old, before.end(), same);
    OneOffer({old, old_end}, {at, end}).lay(standing, tables.own_history);
    old = old_end;
    at = end;
  }
  tables.own_offers = std::move(standing);
}

void sort_prices(Tables& tables) {
  tables.own_market();
  auto& offers = tables.own_offers;
  auto& history = tables.own_history;
  const auto before = [](const Offer& a, const Offer& b) {
    return std::tuple(PriceOrder::offer(a), !is_agreed(a), -a.as_of) <
           std::tuple(PriceOrder::offer(b), !is_agreed(b), -b.as_of);
  };
  if (!std::ranges::is_sorted(offers, before)) std::ranges::stable_sort(offers, before);
  auto kept = offers.begin();
  for (const Offer& offer : offers) {
    if (kept != offers.begin() && PriceOrder::offer(*(kept - 1)) == PriceOrder::offer(offer))
      history.push_back(offer);
    else
      *kept++ = offer;
  }
  offers.erase(kept, offers.end());
  // Of what is said twice of one day the later file's word.
  std::ranges::reverse(history);
  std::ranges::stable_sort(history, PriceOrder());
  const auto twice = std::ranges::unique(history, is_same_day);
  history.erase(twice.begin(), twice.end());
  tables.offers = offers;
  tables.history = history;
}

}  // namespace gpusel::catalog
