// Prices of the user's own, laid over the published ones. Of several discounts the narrowest counts: SKU before family
// before GPU before provider, with a term before without. An own price is discounted no further.
#include "catalog/read/own_prices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "catalog/read/priced_name.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

constexpr int kDigits = 3;                  // of how far an own price is from the published ones
constexpr std::string_view kPlace = "any";  // of an own price for what is priced nowhere

/// "SUBJECT=VALUE" taken apart; both without spaces around.
std::optional<std::pair<std::string_view, std::string_view>> assignment(std::string_view text) {
  const auto equals = text.rfind('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::pair parts(trim(text.substr(0, equals)), trim(text.substr(equals + 1)));
  return parts.first.empty() || parts.second.empty() ? std::nullopt : std::optional(parts);
}

/// Spot prices are no list prices: a discount is off them only where it says so.
bool is_off(const PricedName& name, const Offer& offer) {
  const bool of_term = name.term ? *name.term == offer.term : offer.term != Term::spot;
  return of_term && name.has(offer.instance);
}
int narrowness(const PricedName& name) { return 2 * static_cast<int>(name.kind) + (name.term ? 1 : 0); }

class OwnLayer {
 public:
  OwnLayer(Tables& tables, const Catalog& catalog, const OwnPrices& own)
      : tables_(tables), catalog_(catalog), own_(own), offers_(tables.offers.begin(), tables.offers.end()) {}

  Errors apply() {
    add_source(kOwnDiscount, say("--discount on the command line"), !own_.discounts.empty());
    add_source(kOwnPrice, say("your own price: --price, or a table with --overlay"), !own_.prices.empty());
    discount();
    // The last of a subject counts: a table may have it in every row.
    std::map<std::string_view, const OwnPrice*> last;
    for (const OwnPrice& price : own_.prices) last[price.subject] = &price;
    for (const OwnPrice& price : own_.prices)
      if (!is_enough(errors_) && last[price.subject] == &price) set(price);
    tables_.own_market();
    tables_.own_offers = std::move(offers_);
    tables_.origin_text += "+" + say("own prices");
    relink(tables_);
    return std::move(errors_);
  }

 private:
  void fail(std::string_view flag, Error error) {
    error.kind = ErrorKind::usage;
    error.where = flag;
    errors_.push_back(std::move(error));
  }

  void add_source(std::string_view key, std::string document, bool wanted) {
    if (!wanted || catalog_.source(key) != nullptr) return;
    Source source;
    source.key = key;
    source.publisher = tables_.keep(say("you"));
    source.document = tables_.keep(std::move(document));
    source.date = own_.as_of;
    tables_.sources.push_back(source);
  }

  std::uint16_t origin(std::string_view source, std::string note, Confidence confidence) {
    for (std::size_t i = 0; i < tables_.origins.size(); ++i)
      if (tables_.origins[i].source == source && tables_.origins[i].note == note) return static_cast<std::uint16_t>(i);
    tables_.origins.push_back({source, tables_.keep(std::move(note)), confidence});
    return static_cast<std::uint16_t>(tables_.origins.size() - 1);
  }

  /// One for all prices that are equally far from the published ones.
  std::uint16_t own_origin(std::optional<double> to_published) {
    const auto [known, is_new] = own_origins_.try_emplace(to_published, 0);
    if (!is_new) return known->second;
    tables_.origins.push_back(
        {kOwnPrice, tables_.keep(say("your own price")), Confidence::documented, {}, to_published});
    return known->second = static_cast<std::uint16_t>(tables_.origins.size() - 1);
  }

  struct Discount {
    const OwnDiscount* said;
    PricedName name;
  };

  void discount() {
    std::vector<Discount> discounts;
    for (const OwnDiscount& one : own_.discounts) {
      if (is_enough(errors_)) return;
      auto name = priced_name(one.subject, catalog_);
      if (!name)
        fail("--discount", name.error());
      else
        discounts.push_back({&one, std::move(*name)});
    }
    std::ranges::stable_sort(discounts, {}, [](const Discount& d) { return narrowness(d.name); });
    for (Offer& offer : offers_) {
      for (auto one = discounts.rbegin(); one != discounts.rend(); ++one) {
        if (!is_off(one->name, offer)) continue;
        offer.amount *= 1 - one->said->share;
        offer.origin = discounted(offer.origin, one->said->share);
        break;
      }
    }
  }

  std::uint16_t discounted(std::uint16_t published, double share) {
    const auto [known, is_new] = discounted_.try_emplace({published, share}, published);
    if (!is_new) return known->second;
    const Origin from = tables_.origins[published];
    std::string note = say("your discount of {:.6g} % off {}", share * 100,
                           from.source.empty() ? say("an unnamed source") : std::string(from.source));
    if (!from.note.empty()) note += format("; {}", from.note);
    return known->second = origin(kOwnDiscount, std::move(note), from.confidence);
  }

  /// A price is of an instance; those of a GPU are all changed together.
  static Error of_gpu(std::string_view name) {
    const std::string gpu = shorten(name, 40);
    return {ErrorKind::usage,
            say("'{}' is a GPU, and a price is of an instance", gpu),
            {},
            say("all machines with it: --discount {0}=20%, or gpusel whatif MODEL --vary price:{0}=-30%..+30%; their "
                "names: gpusel instances --gpu {0}",
                gpu)};
  }

  /// In every region where the instance has a price on any term; where it has none, in one of that name.
  void set(const OwnPrice& price) {
    const auto named = name_on_term(price.subject, catalog_);
    if (!named) return fail("--price", named.error());
    const auto instance = catalog_.instance(named->name);
    if (!instance && catalog_.has_gpu(named->name)) return fail("--price", of_gpu(named->name));
    if (!instance) return fail("--price", instance.error());
    const Currency currency = price.per_hour.currency;
    if (currency != Currency::usd() && catalog_.rate(currency) == nullptr)
      return fail("--price", {ErrorKind::usage, say("no exchange rate for {}", currency.code()), {}, {}});
    const auto currency_index = tables_.currency_index(currency);
    if (!currency_index)
      return fail("--price", {ErrorKind::usage, say("more than {} currencies", kMostCurrencies), {}, {}});
    Offer own;
    own.amount = price.per_hour.amount;
    own.instance = static_cast<std::uint32_t>(*instance - tables_.instances.data());
    own.as_of = (price.as_of.known() ? price.as_of : own_.as_of).packed();
    own.term = named->term.value_or(Term::on_demand);
    own.currency = *currency_index;
    own.kind = PriceKind::own;
    own.origin = own_origin(to_published(own, currency));
    std::vector<std::uint16_t> regions;
    for (const Offer& offer : offers_)
      if (offer.instance == own.instance) regions.push_back(offer.region);
    if (regions.empty()) regions.push_back(place_of((*instance)->provider));
    std::ranges::sort(regions);
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    std::erase_if(offers_, [&](const Offer& o) { return o.instance == own.instance && o.term == own.term; });
    for (const std::uint16_t region : regions) {
      own.region = region;
      offers_.push_back(own);
    }
  }

  double in_usd(double amount, Currency currency) const {
    const ExchangeRate* rate = catalog_.rate(currency);
    return rate != nullptr && rate->per_usd ? amount / *rate->per_usd : amount;
  }

  /// As a multiple of the published price of the instance that is nearest to it.
  std::optional<double> to_published(const Offer& own, Currency currency) const {
    const auto distance = [](double times) { return std::abs(std::log(times)); };
    std::optional<double> nearest;
    for (const Offer& offer : offers_) {
      const double published = in_usd(offer.per_hour(), catalog_.currency_of(offer));
      if (offer.instance != own.instance || offer.kind == PriceKind::own || published <= 0) continue;
      const double times = in_usd(own.amount, currency) / published;
      if (!nearest || distance(times) < distance(*nearest)) nearest = times;
    }
    if (!nearest) return nearest;
    const double unit = std::pow(10, std::floor(std::log10(*nearest)) - kDigits + 1);
    return std::round(*nearest / unit) * unit;
  }

  std::uint16_t place_of(std::string_view provider) {
    for (std::size_t i = 0; i < tables_.regions.size(); ++i)
      if (tables_.regions[i].provider == provider && tables_.regions[i].id == kPlace)
        return static_cast<std::uint16_t>(i);
    Region region;
    region.provider = provider;
    region.id = kPlace;
    tables_.regions.push_back(region);
    return static_cast<std::uint16_t>(tables_.regions.size() - 1);
  }

  Tables& tables_;
  const Catalog& catalog_;
  const OwnPrices& own_;
  std::vector<Offer> offers_;
  std::map<std::pair<std::uint16_t, double>, std::uint16_t> discounted_;
  std::map<std::optional<double>, std::uint16_t> own_origins_;
  Errors errors_;
};

}  // namespace

Errors lay_own_prices(Tables& tables, const Catalog& catalog, const OwnPrices& own) {
  return OwnLayer(tables, catalog, own).apply();
}

Result<OwnDiscount> parse_discount(std::string_view text) {
  const auto parts = assignment(text);
  if (!parts)
    return usage_error(say("'{}' gives no share", shorten(text, 60)), {}, say("write aws=0.32 or aws:reserved-1y=10%"));
  const auto share = parse_share(parts->second);
  if (!share) return std::unexpected(share.error());
  if (*share >= 1) return usage_error(say("a discount of 100 % leaves no price"), {}, say("write 0.32 for 32 %"));
  return OwnDiscount{std::string(parts->first), *share};
}

Result<OwnPrice> parse_price(std::string_view text) {
  const auto parts = assignment(text);
  const auto wrong = [&] {
    return usage_error(say("'{}' gives no price", shorten(text, 60)), {},
                       say("write p4d.24xlarge=4.2 or p4d.24xlarge:spot=30CNY, per hour of the whole instance"));
  };
  if (!parts && parse_money(text))
    return usage_error(say("'{}' gives no price", shorten(text, 60)), {},
                       say("to limit what a machine costs: --max-price {}", shorten(text, 40)));
  if (!parts) return wrong();
  const auto money = parse_money(parts->second);
  if (!money) return std::unexpected(money.error());
  if (!kPrices.contains(money->amount))
    return usage_error(say("a price must be above 0 and at most {}", human_number(kPrices.high)));
  return OwnPrice{std::string(parts->first), {money->per_hour(), money->currency.value_or(Currency::usd())}};
}

}  // namespace gpusel::catalog
