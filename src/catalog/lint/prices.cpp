// Prices of one machine: terms against each other, regions against each other, and dates.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/prices.hpp"

namespace gpusel::catalog {

namespace {

using Offers = std::span<const Offer* const>;

/// Calls `action` with the offers of each machine that `key` puts together, cheapest first.
template <class Key, class Action>
void each_group(Lint& lint, Key key, Action action) {
  std::vector<const Offer*> offers;
  for (const Instance& instance : lint.catalog().instances()) {
    offers.clear();
    for (const Offer& offer : lint.catalog().offers_of(instance)) offers.push_back(&offer);
    std::stable_sort(offers.begin(), offers.end(), [&](const Offer* a, const Offer* b) {
      return std::tuple(key(*a), a->per_hour()) < std::tuple(key(*b), b->per_hour());
    });
    for (auto first = offers.begin(); first != offers.end();) {
      const auto last = std::find_if(first, offers.end(), [&](const Offer* o) { return key(*o) != key(**first); });
      action(instance, Offers(first, last));
      first = last;
    }
  }
}

/// Offers that differ in the term alone.
template <class Action>
void each_market(Lint& lint, Action action) {
  each_group(lint, [](const Offer& o) { return std::pair(o.region, o.currency); }, action);
}

const Offer* of_term(Offers offers, Term term) {
  for (const Offer* offer : offers)
    if (offer->term == term) return offer;
  return nullptr;
}

std::string amount_text(const Lint& lint, const Offer& offer) {
  return format("{} {}", human_price(offer.per_hour()), lint.catalog().currency_of(offer).code());
}

void dearer(Lint& lint, const Instance& instance, const Offer& offer, const Offer& than, const std::string& hint) {
  if (offer.per_hour() <= than.per_hour() * 1.0005) return;
  Subject subject = about_price(lint, instance, offer);
  subject.others = {about_price(lint, instance, than).record()};
  lint.found(std::move(subject),
             say("{} per hour, above {} of {}", amount_text(lint, offer), amount_text(lint, than), to_text(than.term)),
             hint);
}

void zero(Lint& lint) {
  for (const Instance& instance : lint.catalog().instances())
    for (const Offer& offer : lint.catalog().offers_of(instance))
      if (!(offer.amount > 0))
        lint.found(about_price(lint, instance, offer), say("a price of {}", shown(offer.amount)),
                   say("omit what is not offered or not known"));
}

void spot(Lint& lint) {
  each_market(lint, [&](const Instance& instance, Offers offers) {
    const Offer* on_demand = of_term(offers, Term::on_demand);
    const Offer* cheap = of_term(offers, Term::spot);
    if (on_demand != nullptr && cheap != nullptr)
      dearer(lint, instance, *cheap, *on_demand, say("is one of them from another day, size or currency?"));
  });
}

void commitment(Lint& lint) {
  each_market(lint, [&](const Instance& instance, Offers offers) {
    const Offer* on_demand = of_term(offers, Term::on_demand);
    if (on_demand == nullptr) return;
    for (const Offer* offer : offers)
      if (is_discount(offer->term)) dearer(lint, instance, *offer, *on_demand, say("is it for another period?"));
  });
}

void longer(Lint& lint) {
  each_market(lint, [&](const Instance& instance, Offers offers) {
    for (const auto& [brief, lengthy] : kLongerTerms) {
      const Offer* shorter = of_term(offers, brief);
      const Offer* offer = of_term(offers, lengthy);
      if (shorter != nullptr && offer != nullptr) dearer(lint, instance, *offer, *shorter, say("are they swapped?"));
    }
  });
}

/// A price of what is said not to be on sale.
void not_offered(Lint& lint) {
  for (const Instance& instance : lint.catalog().instances()) {
    if (instance.state_count == 0) continue;
    for (const Offer& offer : lint.catalog().offers_of(instance)) {
      const OfferState* state = lint.catalog().state_of(instance, offer);
      if (state != nullptr && state->state == Availability::not_offered)
        lint.found(about_price(lint, instance, offer), say("{} per hour, but marked as not offered (source {})",
                                                           amount_text(lint, offer), printable(state->source)));
    }
  }
}

/// What AWS, Azure and Google add for Windows Server, in USD per vCPU and hour, and how closely a price list shows it.
constexpr double kWindowsPerVcpu = 0.046;
constexpr double kListRounding = 0.0006;
constexpr double kMetByChance = 0.5;  // USD per hour; regions are apart by less than this without a license

bool is_same_amount(double a, double b) { return std::abs(a - b) < kListRounding; }

double licence_of(const Instance& instance) { return instance.vcpu.value_or(0) * kWindowsPerVcpu; }

/// Prices in USD, and by family who has them.
class WindowsPrices {
 public:
  struct Pair {
    const Offer* with = nullptr;
    const Offer* without = nullptr;
  };

  explicit WindowsPrices(const Catalog& catalog) : catalog_(catalog) {
    for (const Instance& instance : catalog.instances()) families_[family_name(instance)].push_back(&instance);
  }

  /// Spot follows a market, not a list.
  bool comparable(const Offer& o) const { return o.term != Term::spot && catalog_.currency_of(o) == Currency::usd(); }

  /// Two prices of the offer, or it and one of another region, that differ by nothing but the licence.
  std::optional<Pair> pair_of(const Instance& instance, const Offer& offer) const {
    const double licence = licence_of(instance);
    std::vector<const Offer*> dated = {&offer};
    for (const Offer& old : catalog_.history_of(offer)) dated.push_back(&old);
    for (const Offer* with : dated)
      for (const Offer* without : dated)
        if (is_same_amount(with->per_hour(), without->per_hour() + licence)) return Pair{with, without};
    for (const Offer& other : catalog_.offers_of(instance))
      if (other.region != offer.region && other.term == offer.term && comparable(other) &&
          is_same_amount(offer.per_hour(), other.per_hour() + licence) &&
          (licence > kMetByChance || !is_dearer_region(instance, offer, other)))
        return Pair{&offer, &other};
    return std::nullopt;
  }

 private:
  /// Whether another size costs more or less there too, and not by its own licence.
  bool is_dearer_region(const Instance& instance, const Offer& here, const Offer& there) const {
    for (const Instance* sister : families_.at(family_name(instance))) {
      if (sister == &instance) continue;
      Number prices[2];
      for (const Offer& offer : catalog_.offers_of(*sister))
        for (const auto& [region, price] : {std::pair(here.region, &prices[0]), std::pair(there.region, &prices[1])})
          if (comparable(offer) && offer.term == here.term && offer.region == region) *price = offer.per_hour();
      if (!prices[0] || !prices[1] || is_same_amount(*prices[0], *prices[1])) continue;
      if (sister->vcpu == instance.vcpu || !is_same_amount(*prices[0], *prices[1] + licence_of(*sister))) return true;
    }
    return false;
  }

  const Catalog& catalog_;
  std::map<std::string, std::vector<const Instance*>> families_;
};

/// A price above that of another day or region by the licence of Windows to the cent.
void windows(Lint& lint) {
  const WindowsPrices prices(lint.catalog());
  for (const Instance& instance : lint.catalog().instances()) {
    if (!(licence_of(instance) > 0)) continue;
    for (const Offer& offer : lint.catalog().offers_of(instance)) {
      if (!prices.comparable(offer)) continue;
      const auto pair = prices.pair_of(instance, offer);
      if (!pair) continue;
      const auto day = [](const Offer* o) { return Date::from_packed(o->as_of).text(); };
      lint.found(about_price(lint, instance, offer),
                 say("{} per hour on {}, but {} in {} on {}", amount_text(lint, *pair->with), day(pair->with),
                     amount_text(lint, *pair->without), printable(lint.catalog().region_of(*pair->without).id),
                     day(pair->without)),
                 say("{} vCPUs at {} USD match the Windows license; does the price include it?", shown(*instance.vcpu),
                     kWindowsPerVcpu));
    }
  }
}

/// Whether a note says that nothing is sold on that term.
bool denies(std::string_view note, Term term) {
  const auto plain = [](std::string_view words) {
    std::string text = lower(words);
    std::ranges::replace(text, '-', ' ');
    return text;
  };
  constexpr std::pair<std::string_view, std::string_view> kDenials[] = {{"no ", " price"},      {"no ", " rate"},
                                                                        {"without ", " price"}, {"no price ", ""},
                                                                        {"not sold ", ""},      {"not offered ", ""}};
  const std::string text = plain(note);
  return std::ranges::any_of(kDenials, [&](const auto& around) {
    return text.contains(format("{}{}{}", around.first, plain(to_text(term)), around.second));
  });
}

/// A note, of the price, of another price beside it or of its machine, that denies the price it stands at.
void denied(Lint& lint) {
  for (const Instance& instance : lint.catalog().instances())
    for (const Offer& offer : lint.catalog().offers_of(instance)) {
      std::vector<std::string_view> notes = {lint.catalog().origin_of(offer).note, instance.notes, instance.caution};
      for (const Offer& beside : lint.catalog().offers_of(instance))
        if (beside.region == offer.region) notes.push_back(lint.catalog().origin_of(beside).note);
      if (const OfferState* state = lint.catalog().state_of(instance, offer)) notes.push_back(state->note);
      const auto note = std::ranges::find_if(notes, [&](std::string_view n) { return denies(n, offer.term); });
      if (note == notes.end()) continue;
      lint.found(about_price(lint, instance, offer),
                 say("{} per hour, but its note says there is none: {}", amount_text(lint, offer), shorten(*note, 80)),
                 say("mark it as not offered in 'availability'"));
    }
}

/// Significant digits that two markets do not agree on by chance.
constexpr double kSixDigits = 1e-6;
constexpr double kUsuallySame = 0.1;     // share of prices; where more are the same, spot is a list price
constexpr double kSameOnDemand = 0.001;  // a list price of spot is the same where that on demand is

struct SameSpot {
  const Instance* instance = nullptr;
  const Offer* offer = nullptr;
  const Offer* other = nullptr;
};

bool has_four_digits(double amount) {
  const double scaled = amount / std::pow(10.0, std::floor(std::log10(amount)) - 2);
  return std::abs(scaled - std::round(scaled)) > 1e-3;
}

/// What was asked for the offer on that day, as far as it is known.
double price_on(const Lint& lint, const Offer& offer, std::int32_t day) {
  if (offer.as_of <= day) return offer.per_hour();
  const auto history = lint.catalog().history_of(offer);
  const auto before =
      std::ranges::find_if(history.rbegin(), history.rend(), [&](const Offer& o) { return o.as_of <= day; });
  return before != history.rend() ? before->per_hour() : (history.empty() ? offer : history.front()).per_hour();
}

/// Whether the two regions asked different prices on demand, or one has none: a share of them would differ too.
bool differ_on_demand(const Lint& lint, const SameSpot& same) {
  Number prices[2];
  for (const Offer& offer : lint.catalog().offers_of(*same.instance)) {
    if (offer.term != Term::on_demand || offer.currency != same.offer->currency) continue;
    if (offer.region == same.offer->region) prices[0] = price_on(lint, offer, same.offer->as_of);
    if (offer.region == same.other->region) prices[1] = price_on(lint, offer, same.other->as_of);
  }
  if (!prices[0] || !prices[1]) return prices[0].has_value() != prices[1].has_value();
  return std::abs(*prices[0] - *prices[1]) > *prices[0] * kSameOnDemand;
}

/// One spot price in two regions: of a provider whose spot prices are markets, or where on demand differs.
void same_spot(Lint& lint) {
  std::map<std::string_view, std::pair<std::size_t, std::vector<SameSpot>>> providers;
  each_group(
      lint, [](const Offer& o) { return std::pair(o.term, o.currency); },
      [&](const Instance& instance, Offers offers) {
        if (offers.front()->term != Term::spot) return;
        auto& [count, same] = providers[instance.provider];
        count += offers.size();
        for (std::size_t i = 1; i < offers.size(); ++i)
          if (const double amount = offers[i]->per_hour();
              amount > 0 && has_four_digits(amount) && amount - offers[i - 1]->per_hour() < amount * kSixDigits)
            same.push_back({&instance, offers[i], offers[i - 1]});
      });
  for (const auto& [provider, found] : providers) {
    const auto& [count, same] = found;
    const bool usual = same.size() > 1 && static_cast<double>(same.size()) > kUsuallySame * static_cast<double>(count);
    for (const SameSpot& one : same) {
      if (usual && !differ_on_demand(lint, one)) continue;
      Subject subject = about_price(lint, *one.instance, *one.offer);
      subject.others = {about_price(lint, *one.instance, *one.other).record()};
      lint.found(std::move(subject),
                 say("{} per hour, exactly as in {}", format("{}", one.offer->per_hour()),
                     printable(lint.catalog().region_of(*one.other).id)),
                 say("spot is a market of its own in each region; is one copied from the other?"));
    }
  }
}

constexpr double kRegionsApart = 2;
constexpr double kSpotRegionsApart = 10;  // spot is a market of its own in each region

void regions(Lint& lint) {
  each_group(
      lint, [](const Offer& o) { return o.term; },
      [&](const Instance& instance, Offers offers) {
        std::vector<std::pair<double, const Offer*>> usd;
        for (const Offer* offer : offers)
          if (const Number hourly = usd_per_hour(lint.catalog(), *offer); hourly && *hourly > 0)
            usd.emplace_back(*hourly, offer);
        std::sort(usd.begin(), usd.end());
        if (usd.size() < 2) return;
        const auto [low, cheapest] = usd.front();
        const auto [high, dearest] = usd.back();
        if (high <= low * (offers.front()->term == Term::spot ? kSpotRegionsApart : kRegionsApart)) return;
        // The one farther from the middle is the odd one.
        const double middle = usd[usd.size() / 2].first;
        const bool dear_is_odd = usd.size() == 2 || high / middle >= middle / low;
        const Offer& odd = dear_is_odd ? *dearest : *cheapest;
        const Offer& other = dear_is_odd ? *cheapest : *dearest;
        Subject subject = about_price(lint, instance, odd);
        subject.others = {about_price(lint, instance, other).record()};
        lint.found(std::move(subject),
                   say("{} per hour, but {} in {}: {}×", amount_text(lint, odd), amount_text(lint, other),
                       printable(lint.catalog().region_of(other).id), shown(high / low)),
                   say("is it the price of another size, term or product?"));
      });
}

/// Prices of one provider, source and date.
struct Sheet {
  std::size_t prices = 0;
  const Origin* origin = nullptr;
};
using Sheets = std::map<std::tuple<std::string_view, std::string_view, std::int32_t>, Sheet>;

template <class Wanted>
Sheets sheets_with(const Lint& lint, Wanted wanted) {
  Sheets sheets;
  for (const Instance& instance : lint.catalog().instances())
    for (const Offer& offer : lint.catalog().offers_of(instance)) {
      const Origin& origin = lint.catalog().origin_of(offer);
      if (!wanted(offer, origin)) continue;
      Sheet& sheet = sheets[{instance.provider, origin.source, offer.as_of}];
      ++sheet.prices;
      sheet.origin = &origin;
    }
  return sheets;
}

template <class Message>
void each_sheet(Lint& lint, const Sheets& sheets, Message message) {
  for (const auto& [key, sheet] : sheets) {
    const auto& [provider, source, as_of] = key;
    const Date date = Date::from_packed(as_of);
    lint.found({.kind = "prices", .id = format("{}/{}", provider, source), .detail = date.text()},
               message(sheet.prices, date), {});
  }
}

void old(Lint& lint) {
  const auto age = [&](const Offer& offer) { return days_between(Date::from_packed(offer.as_of), lint.today()); };
  // Ages are asked of millions of offers and are of a few dates.
  std::map<std::int32_t, bool> known;
  const auto is_old = [&](const Offer& offer, const Origin&) {
    const auto [entry, is_new] = known.try_emplace(offer.as_of, false);
    if (is_new) entry->second = age(offer).value_or(0) > lint.max_age();
    return entry->second;
  };
  each_sheet(lint, sheets_with(lint, is_old), [&](std::size_t n, Date date) {
    return say("{} days old, above the limit of {}; amounts: {}", *days_between(date, lint.today()), lint.max_age(), n);
  });
}

void undated(Lint& lint) {
  each_sheet(lint, sheets_with(lint, [](const Offer& offer, const Origin&) { return offer.as_of == 0; }),
             [](std::size_t n, Date) { return say("without a date; amounts: {}", n); });
}

void future(Lint& lint) {
  const auto is_future = [&](const Offer& offer, const Origin&) {
    return offer.as_of > lint.today().packed() && lint.today().known();
  };
  each_sheet(lint, sheets_with(lint, is_future), [&](std::size_t n, Date date) {
    return say("dated {}, but today is {}; amounts: {}", date.text(), lint.today().text(), n);
  });
}

void recalled(Lint& lint) {
  each_sheet(lint,
             sheets_with(lint, [](const Offer&, const Origin& o) { return o.confidence == Confidence::recalled; }),
             [](std::size_t n, Date) { return say("from memory, no copy at hand; amounts: {}", n); });
}

constexpr Check kPriceChecks[] = {
    {"price.zero", Severity::error, to_say("a price of 0 or less"), zero},
    {"price.spot-above-on-demand", Severity::warning, to_say("spot that costs more than on demand"), spot},
    {"price.commitment-dearer", Severity::warning, to_say("a commitment or a discount that costs more than on demand"),
     commitment},
    {"price.longer-dearer", Severity::warning, to_say("a longer commitment that costs more than a shorter one"),
     longer},
    {"price.not-offered", Severity::warning, to_say("a price of something that 'availability' marks as not offered"),
     not_offered},
    {"price.regions-apart", Severity::warning,
     to_say("one machine more than 2 times the price in another region (spot: 10 times)"), regions},
    {"price.sizes-apart", Severity::warning,
     to_say("sizes of a family more than 30 % apart per GPU, in one region, term and currency (not spot)"),
     sizes_apart},
    {"price.windows", Severity::warning,
     to_say("a price above that of another day or region by exactly the Windows license"), windows},
    {"price.denied", Severity::warning, to_say("a price whose note says that there is none"), denied},
    {"price.same-spot", Severity::warning, to_say("one spot price in two regions to the last digit"), same_spot},
    {"price.larger-cheaper", Severity::warning,
     to_say("a larger size cheaper per GPU than a smaller one whose price is younger"), larger_cheaper},
    {"price.flat", Severity::warning, to_say("the same price for different numbers of GPUs"), flat},
    {"price.far-off", Severity::warning, to_say("a price per GPU-hour 10 times above or below that of others"),
     far_off},
    {"price.old", Severity::info, to_say("prices older than 270 days; a warning with --max-age"), old, true},
    {"price.undated", Severity::warning, to_say("prices without a date"), undated},
    {"price.future", Severity::error, to_say("prices dated in the future"), future},
    {"price.recalled", Severity::warning, to_say("prices from memory"), recalled},
};

}  // namespace

Subject about_price(const Lint& lint, const Instance& instance, const Offer& offer) {
  return {.kind = "price",
          .id = sku_name(instance),
          .detail = format("{} {}", lint.catalog().region_of(offer).id, to_text(offer.term))};
}

Number usd_per_hour(const Catalog& catalog, const Offer& offer) {
  const Currency currency = catalog.currency_of(offer);
  if (currency == Currency::usd()) return offer.per_hour();
  const ExchangeRate* rate = catalog.rate(currency);
  if (rate == nullptr || rate->per_usd.value_or(0) <= 0) return std::nullopt;
  return offer.per_hour() / *rate->per_usd;
}

std::span<const Check> price_checks() { return kPriceChecks; }

}  // namespace gpusel::catalog
