#include "catalog/import/market.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/places/countries.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kImportKey = "import-";  // of the sources that imports write

constexpr std::size_t kLongestName = 200;
/// Some hundred are in the trade; each is looked at with all of the catalogue.
constexpr std::size_t kMostProviders = 1000;

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

/// Letters, digits and . + - only, as ids are written.
std::string as_id(std::string_view text) {
  std::string id;
  for (const char c : fold_name(text)) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+';
    if (good)
      id += c;
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (id.ends_with('-')) id.pop_back();
  return id;
}

/// YAML cannot hold it, and nothing that it is in would be found again.
bool holds_nul(const Row& row) {
  for (const std::string_view text : {row.family, row.note, row.gpu, row.gpu_info, row.upstream})
    if (text.find('\0') != std::string_view::npos) return true;
  return false;
}

/// A machine without processors or memory is a gap that was filled with 0, and so is an accelerator without a count.
std::string nothing_of(const Row& row) {
  struct Needed {
    std::string_view name;
    Number Row::* of;
  };
  static constexpr Needed kNeeded[] = {{"vcpu", &Row::vcpu}, {"memory_gib", &Row::memory_gib}};
  for (const Needed& needed : kNeeded)
    if (row.*needed.of == 0.0) return say("{} of 0, which no machine has", needed.name);
  return row.gpu_count == 0.0 && !row.gpu.empty() ? say("gpu_count of 0, and a GPU is named: {}", row.gpu)
                                                  : std::string();
}

/// The first figure that a catalogue would not take, as a reason against the row; empty where there is none.
std::string beyond_range(const Row& row) {
  struct Figure {
    std::string_view name;
    Number Row::* of;
    Range allowed;
  };
  static const Figure kFigures[] = {
      {"gpu_count", &Row::gpu_count, allowed_for(&Instance::gpu_count)},
      {"gpu_memory_gb", &Row::gpu_memory_total_gb, allowed_for(&Instance::gpu_memory_gb)},
      {"gpu_memory_gb", &Row::gpu_memory_gb, allowed_for(&Instance::gpu_memory_gb)},
      {"vcpu", &Row::vcpu, allowed_for(&Instance::vcpu)},
      {"memory_gib", &Row::memory_gib, allowed_for(&Instance::memory_gib)},
      {"local_ssd_gb", &Row::local_ssd_gb, allowed_for(&Instance::local_ssd_gb)},
      {"network_gbps", &Row::network_gbps, allowed_for(&Instance::network_gbps)},
  };
  for (const Figure& figure : kFigures)
    if (const Number& number = row.*figure.of; number && !figure.allowed.contains(*number))
      return say("{} of {}, out of range", figure.name, *number);
  return nothing_of(row);
}

/// For each index the place it gets when all are sorted.
template <class Before>
std::vector<std::uint32_t> sorted_places(std::size_t size, Before before) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), before);
  std::vector<std::uint32_t> places(size);
  for (std::uint32_t i = 0; i < size; ++i) places[order[i]] = i;
  return places;
}

template <class Record>
void move_to(const std::vector<std::uint32_t>& places, std::vector<Record>& records) {
  std::vector<Record> moved(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) moved[places[i]] = records[i];
  records = std::move(moved);
}

}  // namespace

Range allowed_for(Number Instance::* figure) {
  const Instance example;
  Range range;
  visit_fields(example, [&](const Field& field, const auto& member) {
    if (static_cast<const void*>(&member) == &(example.*figure)) range = field.range;
  });
  return range;
}

std::string as_provider_id(std::string_view name) { return as_id(shorten(name, 70)); }

const std::string& MarketBuilder::provider_named(std::string_view name) {
  const auto seen = provider_names_.find(name);
  if (seen != provider_names_.end()) return seen->second;
  const auto known = known_.provider(name);
  return provider_names_.emplace(std::string(name), known ? std::string((*known)->id) : as_provider_id(name))
      .first->second;
}

std::uint32_t Ledger::warn(std::uint32_t line, const std::string& remark) {
  const auto [entry, is_new] = warnings_.try_emplace(remark, report_.warnings.size());
  if (is_new) report_.warnings.push_back({remark, file_, line, 0});
  ++report_.warnings[entry->second].rows;
  return static_cast<std::uint32_t>(entry->second + 1);
}

std::uint32_t Ledger::doubt(const std::string& reason) {
  const std::uint32_t number = text(reason);
  if (std::ranges::find(report_.doubts, number) == report_.doubts.end()) report_.doubts.push_back(number);
  return number;
}

std::uint32_t Ledger::text(const std::string& reason) {
  if (report_.texts.empty()) report_.texts.emplace_back();  // 0 is no reason
  const auto [entry, is_new] = texts_.try_emplace(reason, static_cast<std::uint32_t>(report_.texts.size()));
  if (is_new) report_.texts.push_back(reason);
  return entry->second;
}

MarketBuilder::MarketBuilder(const Catalog& known, const Dialects& dialects, ImportFormat format, ImportReport& report)
    : known_(known),
      dialects_(dialects),
      names_(known, dialects, format),
      ledger_(report),
      report_(report),
      tables_(std::make_unique<Tables>()),
      format_(format) {}

void MarketBuilder::begin_file(std::uint32_t file, const std::string& provider) {
  file_ = file;
  ledger_.begin_file(file);
  file_provider_ = provider;
  source_key_ = {};
  undated_ = 0;
}

void MarketBuilder::dated(Date as_of) {
  ledger_.file().as_of = forced_date_.known() ? forced_date_ : as_of;
  source_key_ = {};
}

std::string_view MarketBuilder::keep(std::string_view text) {
  if (text.empty()) return {};
  if (const auto known = kept_.find(text); known != kept_.end()) return known->second;
  const std::string_view mine = tables_->keep(std::string(text));
  kept_.emplace(mine, mine);
  return mine;
}

void MarketBuilder::copy_texts(Instance& instance) {
  visit_fields(instance, [&]<class Member>(const Field&, Member& member) {
    if constexpr (std::is_same_v<Member, std::string_view>) member = keep(member);
    if constexpr (std::is_same_v<Member, TextList>) member = TextList(keep(member.joined()));
  });
}

/// What earlier imports said of a machine stays readable when their files are gone.
void MarketBuilder::keep_import_sources(const Instance& own) {
  for (const std::string_view key : own.sources) {
    const Source* source = key.starts_with(kImportKey) ? known_.source(key) : nullptr;
    if (source == nullptr || std::ranges::find(tables_->sources, key, &Source::key) != tables_->sources.end()) continue;
    tables_->sources.push_back(kept(*source));
  }
}

/// The provider's record, copied from the catalogue or new, and what is known of it.
MarketBuilder::ProviderState& MarketBuilder::provider_state(std::string_view name) {
  if (const auto known = providers_.find(name); known != providers_.end()) return *known->second;
  auto state = std::make_unique<ProviderState>();
  Provider record;
  record.id = keep(name);
  record.name = record.id;
  for (const Provider& provider : known_.providers())
    if (provider.id == name) record = provider;
  visit_fields(record, [&]<class Member>(const Field&, Member& member) {
    if constexpr (std::is_same_v<Member, std::string_view>) member = keep(member);
    if constexpr (std::is_same_v<Member, TextList>) member = TextList(keep(member.joined()));
  });
  tables_->providers.push_back(record);
  for (const Instance& instance : known_.instances())
    if (instance.provider == name) state->own.emplace(fold_name(instance.sku), &instance);
  for (const Region& region : known_.regions())
    if (region.provider == name) state->own_regions.emplace(fold_name(region.id), &region);
  const auto listed = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (const auto found = dialects_.accelerated.find(std::string(name)); found != dialects_.accelerated.end())
    state->accelerated = found->second;
  state->place = listed(dialects_.places);
  state->country = listed(dialects_.countries);
  state->zoned = listed(dialects_.zoned);
  return *providers_.emplace(std::string(name), std::move(state)).first->second;
}

/// What is known of the row's instance type; at its first row found out.
MarketBuilder::Known& MarketBuilder::known_of(const Row& row, ProviderState& state, std::string_view provider,
                                              bool& is_new) {
  if (const auto written = state.skus.find(row.sku); written != state.skus.end()) return state.known[written->second];
  const auto [place, unseen] = state.folded.try_emplace(fold_name(row.sku), state.known.size());
  state.skus.emplace(std::string(row.sku), place->second);
  if (unseen) state.known.push_back(resolve(row, state, provider));
  is_new = unseen;
  return state.known[place->second];
}

std::uint32_t MarketBuilder::add(const Row& row) {
  const std::string_view provider = row.provider.empty() ? std::string_view(file_provider_) : row.provider;
  if (!good_name(row.sku))
    return ledger_.text(row.sku.empty() ? say("no instance type") : say("a name that is not one"));
  if (!good_name(row.region))
    return ledger_.text(row.region.empty() ? say("no region") : say("a name that is not one"));
  if (holds_nul(row)) return ledger_.text(say("text may not contain a NUL character"));
  if (provider.empty()) return ledger_.text(say("no provider"));
  if (row.prices.empty()) return ledger_.text(say("no price"));
  for (const RowPrice& price : row.prices)
    if (!kPrices.contains(price.amount)) return ledger_.text(say("a price of {}", price.amount));
  if (const std::string reason = beyond_range(row); !reason.empty()) return ledger_.text(reason);
  if (row.currency != Currency::usd() && known_.rate(row.currency) == nullptr)
    return ledger_.text(say("no exchange rate for {}; an overlay can give it", row.currency.code()));
  const auto currency = tables_->currency_index(row.currency);
  if (!currency) return ledger_.text(say("more than {} currencies", kMostCurrencies));
  if (tables_->providers.size() >= kMostProviders && !providers_.contains(provider))
    return ledger_.text(say("more than {} providers", kMostProviders));
  ProviderState& state = provider_state(provider);
  bool is_new = false;
  Known& known = known_of(row, state, provider, is_new);
  if (!is_new && !agree(row, known, state, provider))
    return ledger_.text(say("another accelerator than the rows of '{}' before it", row.sku));
  if (known.reason != 0) return known.reason;
  const auto region = region_of(row, state, provider);
  if (!region) return ledger_.text(say("more than 65,535 regions"));
  fill_in(row, known);
  if (const std::string reason = too_low(row, tables_->instances[known.instance]); !reason.empty()) {
    ++report_.doubted[std::string(provider)];
    return ledger_.doubt(reason);
  }
  Offer offer;
  offer.instance = known.instance;
  offer.region = *region;
  const bool without_ssd =
      row.without_local_ssd && known.own && tables_->instances[offer.instance].local_ssd_gb.value_or(0) > 0;
  offer.origin = origin_of(without_ssd ? say("without the local SSD that the size comes with") : row.note);
  offer.currency = *currency;
  offer.as_of = (row.as_of.known() && !forced_date_.known() ? row.as_of : ledger_.file().as_of).packed();
  if (offer.as_of == 0) undated_ += row.prices.size();
  for (const RowPrice& price : row.prices) {
    offer.amount = price.amount;
    offer.term = price.term;
    offer.period = price.period;
    offers_.push_back(offer);
  }
  constexpr std::size_t kMergeStep = 500'000;
  if (offers_.size() > 2 * merged_ + kMergeStep) merge();
  return 0;
}

/// "Texas, US, NA", "Sweden, SE": a place, its country, perhaps its continent.
MarketBuilder::Place MarketBuilder::place_of(const Row& row, const ProviderState& state) const {
  Place place{std::string(row.region), is_country(row.country) ? std::string(row.country) : std::string()};
  if (state.country && is_country(row.region)) place.country = row.region;
  if (state.place) {
    const auto pieces = split(row.region, ',');
    const std::size_t at = pieces.size() > 2 ? pieces.size() - 2 : pieces.size() - 1;
    const bool two_codes = pieces.size() == 2 && is_country(trim(pieces[0]));  // which of them is the country?
    if (pieces.size() > 1 && !two_codes && is_country(trim(pieces[at]))) {
      place.country = trim(pieces[at]);
      place.id = lower(place.country);
    }
  }
  if (state.zoned && place.id.size() > 2 && place.id[place.id.size() - 2] == '-' && place.id.back() >= 'a' &&
      place.id.back() <= 'z')
    place.id.resize(place.id.size() - 2);
  return place;
}

std::optional<std::uint16_t> MarketBuilder::region_of(const Row& row, ProviderState& state, std::string_view provider) {
  if (const auto known = state.regions.find(row.region); known != state.regions.end()) return known->second;
  const Place place = place_of(row, state);
  const auto next = static_cast<std::uint16_t>(tables_->regions.size());
  if (const auto twin = state.folded_regions.find(fold_name(place.id)); twin != state.folded_regions.end())
    return state.regions.emplace(std::string(row.region), twin->second).first->second;
  if (tables_->regions.size() > 0xFFFE) return std::nullopt;
  Region region{keep(provider), keep(place.id), keep(place.country), {}};
  if (const auto own = state.own_regions.find(fold_name(place.id)); own != state.own_regions.end())
    region = {region.provider, keep(own->second->id), keep(own->second->country), keep(own->second->name)};
  tables_->regions.push_back(region);
  state.folded_regions.emplace(fold_name(place.id), next);
  return state.regions.emplace(std::string(row.region), next).first->second;
}

std::string_view MarketBuilder::keep_given_source() {
  const auto same = std::ranges::find(tables_->sources, given_source_.key, &Source::key);
  if (same != tables_->sources.end()) return same->key;
  tables_->sources.push_back(kept(given_source_));
  return tables_->sources.back().key;
}

Source MarketBuilder::kept(Source source) {
  for (std::string_view Source::* text :
       {&Source::key, &Source::publisher, &Source::document, &Source::url, &Source::licence})
    source.*text = keep(source.*text);
  return source;
}

/// One source record per file, date and provider.
std::string_view MarketBuilder::source_key() {
  if (!source_key_.empty()) return source_key_;
  if (!given_source_.key.empty()) return source_key_ = keep_given_source();
  const ImportedFile& file = ledger_.file();
  const std::string name = file.path.substr(file.path.find_last_of('/') + 1);
  std::string key = std::string(kImportKey) + std::string(to_text(format_));
  for (const std::string& part : {file_provider_, as_id(name.substr(0, name.rfind('.'))), file.as_of.text()})
    if (!part.empty() && !key.ends_with("-" + part)) key += "-" + part;
  key = as_id(shorten(key, 70));
  const Source source{keep(key),
                      keep(publisher_.name),
                      keep(say("{}, read by gpusel catalog import", printable(name))),
                      keep(publisher_.url),
                      file.as_of,
                      {},
                      publisher_.confidence};
  const std::string stem = key;
  std::size_t twin = 1;
  auto same = tables_->sources.begin();
  while (same = std::find_if(tables_->sources.begin(), tables_->sources.end(),
                             [&](const Source& s) { return s.key == key; }),
         same != tables_->sources.end() && same->document != source.document)
    key = stem + "-" + std::to_string(++twin);
  source_key_ = keep(key);
  if (same == tables_->sources.end()) {
    tables_->sources.push_back(source);
    tables_->sources.back().key = source_key_;
  }
  return source_key_;
}

std::uint16_t MarketBuilder::origin_of(std::string_view note) {
  const std::string_view key = source_key();
  const auto [entry, is_new] = origins_.try_emplace(std::string(key) + '\n' + std::string(note),
                                                    static_cast<std::uint16_t>(tables_->origins.size()));
  if (!is_new) return entry->second;
  if (tables_->origins.size() > 0xFFFE) {
    origins_.erase(entry);
    return origins_.at(std::string(key) + '\n');
  }
  const Confidence confidence = given_source_.key.empty() ? publisher_.confidence : given_source_.confidence;
  tables_->origins.push_back({key, keep(note), confidence});
  return entry->second;
}

/// Zones of a region are one offer, the cheapest of a day; the youngest first.
void MarketBuilder::merge() {
  std::sort(offers_.begin(), offers_.end(), [](const Offer& a, const Offer& b) {
    return std::tuple(PriceOrder::offer(a), -a.as_of, a.per_hour()) <
           std::tuple(PriceOrder::offer(b), -b.as_of, b.per_hour());
  });
  offers_.erase(std::unique(offers_.begin(), offers_.end(),
                            [](const Offer& a, const Offer& b) {
                              return std::pair(PriceOrder::offer(a), a.as_of) ==
                                     std::pair(PriceOrder::offer(b), b.as_of);
                            }),
                offers_.end());
  merged_ = offers_.size();
}

/// What is older than another price of the same offer.
std::vector<Offer> MarketBuilder::take_history() {
  std::vector<Offer> history;
  std::vector<Offer> standing;
  for (const Offer& offer : offers_) {
    const bool is_first = standing.empty() || PriceOrder::offer(standing.back()) != PriceOrder::offer(offer);
    (is_first ? standing : history).push_back(offer);
  }
  offers_ = std::move(standing);
  return history;
}

/// The order in which the loader would read the market from YAML: the same answers either way, ties included. It does
/// not depend on which row came first.
void MarketBuilder::put_in_order() {
  const auto file_of = [](std::string_view provider) { return std::string(provider) + "."; };
  auto& instances = tables_->instances;
  const auto places = sorted_places(instances.size(), [&](std::uint32_t a, std::uint32_t b) {
    if (instances[a].provider != instances[b].provider)
      return file_of(instances[a].provider) < file_of(instances[b].provider);
    return std::tie(instances[a].family, instances[a].sku) < std::tie(instances[b].family, instances[b].sku);
  });
  auto& regions = tables_->regions;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < known_.regions().size(); ++i)
    known.emplace(std::string(known_.regions()[i].provider) + '\n' + std::string(known_.regions()[i].id), i);
  const auto region_key = [&](std::uint32_t i) {
    const auto found = known.find(std::string(regions[i].provider) + '\n' + std::string(regions[i].id));
    return std::tuple(found == known.end() ? known.size() : found->second, file_of(regions[i].provider), regions[i].id);
  };
  const auto region_places =
      sorted_places(regions.size(), [&](std::uint32_t a, std::uint32_t b) { return region_key(a) < region_key(b); });
  move_to(places, instances);
  move_to(places, met_);
  move_to(region_places, regions);
  for (Offer& offer : offers_) {
    offer.instance = places[offer.instance];
    offer.region = static_cast<std::uint16_t>(region_places[offer.region]);
  }
}

Catalog MarketBuilder::finish() {
  merge();
  put_in_order();
  merge();
  tables_->own_history = take_history();
  check_prices();
  tables_->own_offers = std::move(offers_);
  tables_->origin_text = "import";
  relink(*tables_);
  return Catalog(std::move(tables_));
}

}  // namespace gpusel::catalog::import
