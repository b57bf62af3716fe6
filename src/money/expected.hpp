// What a published price is today: moved by the drift of prices like it since its date, with a spread that grows with
// its age, and whether it is too old to be believed. docs/method.md#the-price-today derives it.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "catalog/catalog.hpp"

namespace gpusel {

namespace money {

/// Why a price is too old for its kind.
enum class TooOld : std::uint8_t {
  no,
  undated,      // no day at all, or a year only
  spot,         // older than 30 days
  marketplace,  // likewise
  cloud         // a GPU cloud's, older than 180 days
};

/// What a price too old for its kind counts as when offers are put in order: nobody has looked at it since.
inline constexpr double kTooOldFactor = 1.25;

/// The price of one instance and hour today: 80 of 100 such prices lie between `low` and `high`, and as many above
/// `mid` as below. In the currency of what it was made of.
struct PriceToday {
  double low = 0;
  double mid = 0;
  double high = 0;
  TooOld too_old = TooOld::no;
  double published = 0;

  /// What offers are ordered by: what is too old is never taken to have become cheaper.
  double order() const { return too_old == TooOld::no ? mid : kTooOldFactor * std::max(mid, published); }
  /// In another currency, or of so many instances.
  PriceToday operator*(double factor) const {
    return {low * factor, mid * factor, high * factor, too_old, published * factor};
  }
};

/// A price of that age by that drift; null: nothing is known of such prices, and it is taken as it is.
PriceToday price_today(double published, double months, const catalog::Drift* drift);

/// Whether a price of that day is too old for who asks it; `today` unknown: only whether it has a day.
TooOld too_old(Date as_of, Date today, catalog::ProviderKind seller, catalog::Term term);

/// Finds what is known of each offer; made once for a catalogue and a day, both of which outlive it.
class PriceOutlook {
 public:
  PriceOutlook(const catalog::Catalog& catalog, Date today) : PriceOutlook(catalog, today, catalog.drift()) {}
  /// With other figures of drift than the catalogue's; they outlive it.
  PriceOutlook(const catalog::Catalog& catalog, Date today, std::span<const catalog::Drift> drift);

  /// Of one instance and hour, in the offer's own currency. What the user has agreed does not move. Nobody knows how
  /// far a price without a month has moved: it stays in the middle of as wide a range as prices like it were ever seen
  /// to.
  PriceToday expected(const catalog::Offer& offer) const;
  /// What is known of prices like it: its GPU's at its provider, else its provider's, else all of its kind of seller,
  /// on its term, else on demand; null where nothing is.
  const catalog::Drift* drift_of(const catalog::Offer& offer) const;
  Date today() const { return today_; }

 private:
  /// A seller who asks the same elsewhere, on a later day, has not changed it.
  Date last_seen(const catalog::Offer& offer) const;
  /// A price of 1 of so many days ago.
  PriceToday after(int days, const catalog::Drift& drift) const;
  /// What is too old has at least the range of its kind of seller and term.
  void widen_as_kind(PriceToday& today, catalog::ProviderKind seller, catalog::Term term, Date as_of) const;
  /// Nobody takes a machine that may be reclaimed at more than the same one costs on demand.
  void bound_by_on_demand(PriceToday& today, const catalog::Offer& spot) const;
  const catalog::Drift* named(catalog::ProviderKind seller, catalog::Term term, std::string_view provider,
                              std::string_view gpu) const;
  catalog::ProviderKind seller_of(const catalog::Instance& instance) const;

  const catalog::Catalog& catalog_;
  Date today_;
  std::vector<const catalog::Drift*> drift_;  // by seller, term, provider and GPU
  // Of one price each: many have the same drift and age.
  mutable std::unordered_map<const catalog::Drift*, std::unordered_map<int, PriceToday>> known_;
  mutable const catalog::Provider* last_provider_ = nullptr;
};

}  // namespace money

template <>
inline constexpr auto enum_names<money::TooOld> =
    std::to_array<std::string_view>({"no", "undated", "spot", "marketplace", "cloud"});

}  // namespace gpusel
