#include "catalog/update/list_market.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"
#include "catalog/lint/prices.hpp"
#include "catalog/update/kept_lists.hpp"

namespace gpusel::catalog {

namespace {

/// Of fewer prices a median says little.
constexpr std::size_t kEnoughToCompare = 5;
/// Observations of one offer that are kept.
constexpr std::size_t kLongestHistory = 24;

std::string source_key_of(const ListPart& part) {
  std::string key = lower("update-" + part.id());
  for (char& c : key)
    if (c == '/' || c == '_') c = '-';
  return key;
}

/// What stands for the list among the sources; its texts must outlive it.
struct ListSource {
  explicit ListSource(const ListPart& part)
      : key(source_key_of(part)), document(say("{}, read by gpusel catalog update", part.id())), url(part.address()) {}
  Source source(const ListPart& part, Date as_of, Confidence confidence) const {
    return {key, part.list->name, document, url, as_of, part.list->licence, confidence};
  }
  std::string key, document, url;
};

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

bool is_gpu_on_demand(const Catalog& catalog, const Offer& offer) {
  return offer.term == Term::on_demand && catalog.instances()[offer.instance].gpu_count.value_or(0) > 0;
}

/// USD per hour; prices of a list are in currencies whose rates the catalogue has.
Number usd_of_listed(const Catalog& market, const Offer& offer, const Catalog& base) {
  const Currency currency = market.currency_of(offer);
  if (currency == Currency::usd()) return offer.per_hour();
  const ExchangeRate* rate = base.rate(currency);
  if (rate == nullptr || rate->per_usd.value_or(0) <= 0) return std::nullopt;
  return offer.per_hour() / *rate->per_usd;
}

double median_per_gpu(const Catalog& market, const Catalog& base) {
  std::vector<double> prices;
  for (const Offer& offer : market.offers())
    if (const Number usd = is_gpu_on_demand(market, offer) ? usd_of_listed(market, offer, base) : Number{})
      prices.push_back(*usd / *market.instances()[offer.instance].gpu_count);
  return prices.empty() ? 0 : median_of(prices);
}

double against_known(const Catalog& market, const OffersByName& known) {
  std::vector<double> ratios;
  for (const Offer& offer : market.offers()) {
    const auto before = known.find(name_of(market, offer));
    if (before != known.end() && is_gpu_on_demand(market, offer) && before->second->per_hour() > 0)
      ratios.push_back(offer.per_hour() / before->second->per_hour());
  }
  return ratios.size() < kEnoughToCompare ? 0 : median_of(ratios);
}

/// What earlier updates read of the same list and offers, a line per price: their history, or what stands where the
/// list is an older one.
std::string earlier_prices(const Catalog& market, const Catalog& all, std::string_view source,
                           const OffersByName& known) {
  std::string lines;
  for (const Offer& offer : market.offers()) {
    const auto before = known.find(name_of(market, offer));
    if (before == known.end()) continue;
    double price = offer.per_hour();
    std::size_t count = 0;
    const auto add = [&](const Offer& old) {
      if (old.as_of == 0 || old.as_of == offer.as_of || all.origin_of(old).source != source) return;
      const bool stands = old.as_of > offer.as_of;
      if ((!stands && old.per_hour() == price) || ++count > kLongestHistory) return;
      const auto stated = market.history_of(offer);  // the list itself may say what it was
      if (std::ranges::find(stated, old.as_of, &Offer::as_of) != stated.end()) return;
      price = old.per_hour();
      const Instance& instance = market.instances()[offer.instance];
      lines += format("{},{},{},{},{},{},{},{}\n", instance.provider, instance.sku, market.region_of(offer).id,
                      to_text(offer.term), market.currency_of(offer).code(), price, Date::from_packed(old.as_of).text(),
                      source);
    };
    add(*before->second);
    std::vector<Offer> history(all.history_of(*before->second).begin(), all.history_of(*before->second).end());
    std::ranges::stable_sort(history, std::ranges::greater{}, &Offer::as_of);
    for (const Offer& old : history) add(old);
  }
  return lines.empty() ? lines : "provider,sku,region,term,currency,per_hour,as_of,source\n" + lines;
}

/// Why the list as a whole is not taken; nothing where it is.
std::optional<Error> failure_of(const ImportReport& report) {
  for (const ImportedFile& file : report.files)
    if (!file.failure.empty()) return io_error(file.failure);
  const bool cut_off = std::ranges::any_of(report.files, &ImportedFile::cut_off);
  if (report.imported() > 0 && cut_off) return io_error(say("it breaks off before its end"));
  if (report.imported() > 0) return std::nullopt;
  if (report.skipped.empty()) return io_error(say("it has no rows"));
  return io_error(say("nothing of it could be taken: {}", report.texts[report.skipped.front().reason]));
}

Date common_day(const Catalog& market) {
  const auto offers = market.offers();
  const bool same = std::ranges::all_of(offers, [&](const Offer& o) { return o.as_of == offers.front().as_of; });
  return same && !offers.empty() ? Date::from_packed(offers.front().as_of) : Date{};
}

ListedTokenPrice listed(const TokenPrice& p) {
  return {.id = std::string(p.id),
          .provider = std::string(p.provider),
          .model = std::string(p.model),
          .note = std::string(p.note),
          .input_per_million = p.input_per_million,
          .cached_input_per_million = p.cached_input_per_million,
          .output_per_million = p.output_per_million,
          .batch_input_per_million = p.batch_input_per_million,
          .batch_output_per_million = p.batch_output_per_million};
}

std::string token_record(const ListedTokenPrice& price, Date as_of, std::string_view source) {
  std::string text = format("  - {{id: {}, provider: {}, model: {}, currency: USD", quoted_yaml(price.id),
                            quoted_yaml(price.provider), quoted_yaml(price.model));
  const std::pair<std::string_view, Number> amounts[] = {{"input_per_million", price.input_per_million},
                                                         {"cached_input_per_million", price.cached_input_per_million},
                                                         {"output_per_million", price.output_per_million},
                                                         {"batch_input_per_million", price.batch_input_per_million},
                                                         {"batch_output_per_million", price.batch_output_per_million}};
  for (const auto& [key, amount] : amounts)
    if (amount) text += format(", {}: {:.12g}", key, *amount);
  if (as_of.known()) text += ", as_of: " + as_of.text();
  if (!price.note.empty()) text += ", note: " + quoted_yaml(price.note);
  return text + format(", source: {}}}\n", quoted_yaml(source));
}

/// Of two rows of one id, the cheaper: sellers list regions of a model apart.
void drop_twins(std::vector<ListedTokenPrice>& prices) {
  std::ranges::stable_sort(prices, {}, [](const ListedTokenPrice& p) {
    return std::pair(p.id, *p.input_per_million + p.output_per_million.value_or(0));
  });
  const auto twins = std::ranges::unique(prices, {}, &ListedTokenPrice::id);
  prices.erase(twins.begin(), twins.end());
}

PriceChanges token_changes(const std::vector<ListedTokenPrice>& prices, Date as_of, const Catalog& all) {
  std::map<std::string_view, const TokenPrice*> known;
  for (const TokenPrice& price : all.token_prices()) known.emplace(price.id, &price);
  PriceChanges changes;
  for (const ListedTokenPrice& price : prices) {
    const auto before = known.find(price.id);
    if (before == known.end()) {
      ++changes.fresh;
    } else if (as_of > before->second->as_of) {
      ++changes.younger;
      const bool same = before->second->input_per_million == price.input_per_million &&
                        before->second->output_per_million == price.output_per_million;
      changes.moved += same ? 0 : 1;
    } else {
      ++(as_of < before->second->as_of ? changes.older : changes.same);
    }
  }
  return changes;
}

}  // namespace

Result<ReadList> read_machines(const ListReading& reading) {
  const ListPart& part = reading.part;
  const ListSource source(part);
  ImportRequest request;
  request.format = *part.list->machines;
  request.files = reading.files;
  request.cloud = part.cloud();
  request.as_of = reading.as_of;
  request.trust = reading.trust;
  request.with_gpu_only = true;
  request.source = source.source(part, reading.as_of, import::format_of(request.format).publisher.confidence);
  const auto imported = import_market(request, reading.base);
  if (!imported) return std::unexpected(io_error(imported.error().front().message));
  const Catalog& market = imported->market;
  if (const auto failure = failure_of(imported->report)) return std::unexpected(*failure);
  ReadList list;
  list.as_of = common_day(market);
  list.rows = imported->report.rows();
  list.imported = imported->report.imported();
  list.kept_out = imported->report.kept_out();
  list.offers = market.offers().size();
  list.median = median_per_gpu(market, reading.base);
  const OffersByName known = offers_by_name(reading.all);
  list.changes = price_changes(market, known);
  list.against_known = against_known(market, known);
  for (const ImportWarning& warning : imported->report.warnings) list.remarks.push_back(warning.text);
  for (YamlFile& file : market_yaml(market, {.listed = true, .known = &reading.base}))
    list.files.push_back({".yaml", std::move(file.text)});
  if (std::string earlier = earlier_prices(market, reading.all, source.key, known); !earlier.empty())
    list.files.push_back({".csv", std::move(earlier)});
  return list;
}

Result<ReadList> read_tokens(const ListReading& reading) {
  const ListPart& part = reading.part;
  auto tokens = read_token_list(*part.list->tokens, reading.files, part.list->sellers, reading.base);
  if (!tokens) return std::unexpected(io_error(tokens.error().message));
  drop_twins(tokens->prices);
  if (tokens->prices.empty()) return std::unexpected(io_error(say("it has no model of the catalog with a price")));
  const ListSource texts(part);
  const Source source = texts.source(part, reading.as_of, Confidence::press);
  std::string text = std::string(kKeptMark) + format("sources:\n  {}: {{publisher: {}, document: {}, url: {}, ",
                                                     quoted_yaml(source.key), quoted_yaml(source.publisher),
                                                     quoted_yaml(source.document), quoted_yaml(source.url));
  if (source.date.known()) text += "date: " + source.date.text() + ", ";
  text += format("licence: {}, confidence: {}}}\ntoken_prices:\n", quoted_yaml(source.licence),
                 to_text(*part.list->tokens == TokenFormat::openrouter ? Confidence::api : Confidence::press));
  std::map<std::string_view, const TokenPrice*> younger;  // that an earlier update read of the same list
  for (const TokenPrice& price : reading.all.token_prices())
    if (price.source == source.key && price.as_of > reading.as_of) younger.emplace(price.id, &price);
  for (const ListedTokenPrice& price : tokens->prices) {
    const auto found = younger.find(price.id);
    text += found == younger.end() ? token_record(price, reading.as_of, source.key)
                                   : token_record(listed(*found->second), found->second->as_of, source.key);
  }
  ReadList list;
  list.as_of = reading.as_of;
  list.rows = tokens->rows;
  list.imported = tokens->prices.size();
  list.offers = tokens->prices.size();
  list.changes = token_changes(tokens->prices, reading.as_of, reading.all);
  list.files.push_back({".yaml", std::move(text)});
  return list;
}

}  // namespace gpusel::catalog
