// Providers with their regions, families with their sizes, and price sheets.
#include <algorithm>

#include "catalog/places/countries.hpp"
#include "catalog/read/ingest.hpp"

namespace gpusel::catalog {

namespace {

/// What all sizes of a family have in common. The catalogue keeps no more of a family than that.
class Agreement {
 public:
  explicit Agreement(const Instance& first) : shared_(first) {}

  void add(const Instance& other) {
    std::vector<const void*> members;
    visit_shared_fields(other, [&](const Field&, const auto& member) { members.push_back(&member); });
    std::size_t i = 0;
    visit_shared_fields(shared_, [&]<class Member>(const Field& field, Member& member) {
      if (member == *static_cast<const Member*>(members[i++])) return;
      member = Member{};
      if (!differs(field.path)) different_.push_back(field.path);
    });
  }

  bool differs(std::string_view path) const {
    return std::find(different_.begin(), different_.end(), path) != different_.end();
  }
  /// Fields in which the sizes differ are left unknown.
  const Instance& shared() const { return shared_; }
  std::span<const std::string_view> different() const { return different_; }

 private:
  Instance shared_;
  std::vector<std::string_view> different_;
};

}  // namespace

void Ingest::provider(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  const std::string id = fields.text("id");
  fields.require("id");
  const Node* regions = fields.find("regions");
  if (id.empty() || !good_id(id, node, fields)) return;
  bool is_new = false;
  Provider* place = place_for(id, node, fields, tables_.providers, provider_ids_, say("provider"), is_new);
  if (place == nullptr) return;
  if (regions != nullptr) regions_of(id, {}, *regions, fields);
  if (const Node* country = fields.find("country")) check_country(country->text, *country, fields);
  if (const Node* served = fields.find("serves.countries"))
    for (const Node& country : served->children) check_country(country.text, country, fields);
  if (const Node* terms = fields.find("unpriced.terms"))
    for (const Node& term : terms->children)
      if (!from_text<Term>(term.text))
        fields.fail(term, say("no term '{}'", shorten(term.text, 40)), did_you_mean(term.text, enum_names<Term>));
  read_into(*place, fields, is_new);
}

void Ingest::check_country(std::string_view country, const Node& at, Fields& fields) {
  if (!country.empty() && !is_country(country))
    fields.fail(at, say("'{}' is not a country", shorten(country, 20)), country_hint(country));
}

/// A list of regions that stands apart from their provider.
void Ingest::region_list(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  const std::string provider = fields.text("provider");
  const std::string source = fields.text("source");
  fields.require("source");
  fields.require("regions");
  if (const Node* at = fields.find("source")) known_source(source, *at, fields);
  const Node* regions = fields.find("regions");
  if (known_provider(fields, provider) && regions != nullptr) regions_of(provider, source, *regions, fields);
  fields.finish();
}

void Ingest::regions_of(const std::string& provider, const std::string& source, const Node& regions, Fields& fields) {
  if (!regions.is_map()) fields.fail(regions, say("'regions' must be a map, found {}", regions.describe()));
  for (const Node& entry : regions.children) region(provider, source, entry, fields.problems());
}

void Ingest::region(const std::string& provider, const std::string& source, const Node& node, Problems& problems) {
  Fields fields(node, problems);
  const std::string key = pair_key(provider, node.key);
  bool is_new = false;
  Region* place = place_for(key, node, fields, tables_.regions, region_ids_, say("region"), is_new);
  if (place == nullptr) return;
  if (is_new && tables_.regions.size() > kMostRegions)
    fields.fail(node, say("more than {} regions", human_number(kMostRegions)));
  place->provider = tables_.keep(provider);
  place->id = tables_.keep(node.key);
  if (!source.empty()) place->source = tables_.keep(source);
  if (const Node* country = fields.find("country")) check_country(country->text, *country, fields);
  visit_fields(*place, [&](const Field& field, auto& member) {
    if (field.path != "provider" && field.path != "id") MemberReader(tables_, fields, false)(field, member);
  });
  check_sources(*place, fields);
  if (const Node* locality = fields.find("place"); locality != nullptr && !place_ids_.contains(locality->text))
    fields.fail(*locality, say("no place '{}'", shorten(locality->text, 40)), suggest(locality->text, place_ids_));
  fields.finish();
}

bool Ingest::known_provider(Fields& fields, const std::string& provider) {
  fields.require("provider");
  if (provider.empty()) return false;
  if (provider_ids_.contains(provider)) return true;
  fields.fail(*fields.find("provider"), say("unknown provider '{}'", shorten(provider, 60)),
              suggest(provider, provider_ids_));
  return false;
}

void Ingest::family(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  const std::string provider = fields.text("provider");
  const std::string id = fields.text("id");
  fields.require("id");
  const Node* sizes = fields.find("sizes");
  if (!known_provider(fields, provider) || id.empty()) return;
  Instance shared;
  if (overlay_) shared = change_family(provider, id, fields);
  visit_shared_fields(shared, MemberReader(tables_, fields, false));
  shared.provider = tables_.keep(provider);
  shared.family = tables_.keep(id);
  check_instance(shared, fields);
  if (sizes != nullptr && !sizes->is_list()) fields.fail(*sizes, say("'sizes' must be a list"));
  fields.finish();
  if (sizes == nullptr) return;
  for (const Node& entry : sizes->children)
    if (!is_enough(problems.errors)) size(shared, entry, problems);
}

/// What an overlay says of a family holds for all its sizes, and what they agree on for new ones.
Instance Ingest::change_family(const std::string& provider, const std::string& id, Fields& fields) {
  std::optional<Agreement> agreement;
  const std::vector<std::uint32_t>& sizes = sizes_of(provider, id);
  for (const std::uint32_t i : sizes)
    agreement ? agreement->add(tables_.instances[i]) : void(agreement.emplace(tables_.instances[i]));
  if (!agreement) {
    if (fields.find("sizes") == nullptr)
      fields.fail(*fields.find("id"), say("'{}' has no family '{}'", provider, shorten(id, 60)),
                  suggest_name(provider, id, &Instance::family));
    return {};
  }
  for (const std::string_view path : agreement->different())
    if (const Node* node = fields.find(path))
      fields.fail(*node, say("the sizes of '{}' differ in {}", shorten(id, 60), path), say("write it with each SKU"));
  for (const std::uint32_t i : sizes) visit_shared_fields(tables_.instances[i], MemberReader(tables_, fields, false));
  Instance shared;  // only what a family may state, nothing of its first size
  std::vector<const void*> members;
  visit_shared_fields(agreement->shared(), [&](const Field&, const auto& member) { members.push_back(&member); });
  std::size_t i = 0;
  visit_shared_fields(
      shared, [&]<class Member>(const Field&, Member& member) { member = *static_cast<const Member*>(members[i++]); });
  return shared;
}

std::vector<std::uint32_t>& Ingest::sizes_of(std::string_view provider, std::string_view family) {
  if (family_sizes_.empty())
    for (std::uint32_t i = 0; i < tables_.instances.size(); ++i)
      family_sizes_[pair_key(tables_.instances[i].provider, tables_.instances[i].family)].push_back(i);
  return family_sizes_[pair_key(provider, family)];
}

void Ingest::size(const Instance& shared, const Node& node, Problems& problems) {
  Fields fields(node, problems);
  const std::string sku = fields.text("sku");
  fields.require("sku");
  if (sku.empty()) return;
  const std::string key = pair_key(shared.provider, sku);
  bool is_new = false;
  Instance* place = place_for(key, node, fields, tables_.instances, sku_ids_, say("SKU"), is_new);
  if (place == nullptr) return;
  if (is_new) {
    *place = shared;
    if (overlay_) sizes_of(shared.provider, shared.family).push_back(sku_ids_.at(key));
  } else if (place->family != shared.family) {
    fields.fail(node, say("'{}' belongs to the family '{}'", shorten(sku, 60), place->family));
  }
  // A link stated anew is another link: the family's rate is not its own.
  if (fields.has("interconnect.kind") && !fields.has("interconnect.gbs_per_gpu")) place->link_gbs_per_gpu = {};
  visit_size_fields(*place, MemberReader(tables_, fields, is_new));
  visit_shared_fields(*place, MemberReader(tables_, fields, false));
  check_instance(*place, fields);
  fields.finish();
  if (is_new && place->sources.empty())
    fields.fail(node, say("neither '{}' nor its family has sources", shorten(sku, 60)));
}

void Ingest::check_instance(const Instance& instance, Fields& fields) {
  check_sources(instance, fields);
  const Node* node = fields.find("gpu");
  if (node != nullptr && instance.gpu != kUndisclosed) known_gpu(instance.gpu, *node, fields);
}

void Ingest::prices(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  const std::string provider = fields.text("provider");
  const auto term = fields.one_of<Term>("term");
  fields.require("term");
  std::vector<const Node*> regions;
  for (const std::string_view key : {"region", "regions"}) {
    fields.texts(key);  // reports what is neither a text nor a list of them
    const Node* named = fields.find(key);
    if (named != nullptr && named->is_scalar()) regions.push_back(named);
    if (named != nullptr)
      for (const Node& one : named->children) regions.push_back(&one);
  }
  if (regions.empty()) fields.fail(node, say("a price sheet needs 'region' or 'regions'"));
  const auto kind = fields.one_of<PriceKind>("kind");
  Offer offer;
  offer.kind = kind.value_or(PriceKind::list);
  offer.term = term.value_or(Term::on_demand);
  offer.as_of = fields.date("as_of").value_or(Date{}).packed();
  offer.currency = currency_of(fields);
  offer.origin = origin_of(fields);
  const Node* amounts = amounts_of(fields, offer);
  if (known_provider(fields, provider) && amounts != nullptr)
    for (const Node* region : regions) sheet(provider, *region, {offer, overlay_ && !kept_ && !kind}, *amounts, fields);
  fields.finish();
}

/// The map of SKU to amount, and in `offer` what period the amounts are for.
const Node* Ingest::amounts_of(Fields& fields, Offer& offer) {
  const Node* amounts = nullptr;
  for (const Period period : {Period::hour, Period::month, Period::year}) {
    const std::string key = "per_" + std::string(to_text(period));
    const Node* found = fields.find(key);
    if (found == nullptr) continue;
    if (amounts != nullptr) fields.fail(*found, say("a price sheet has one of per_hour, per_month and per_year"));
    amounts = found;
    offer.period = period;
  }
  if (amounts != nullptr && amounts->is_map()) return amounts;
  fields.fail(amounts != nullptr ? *amounts : fields.node(),
              say("a price sheet needs 'per_hour', 'per_month' or 'per_year' with an amount per SKU"));
  return nullptr;
}

bool Ingest::has_rate(Currency currency) const {
  return currency == Currency::usd() || std::any_of(tables_.rates.begin(), tables_.rates.end(),
                                                    [&](const ExchangeRate& r) { return r.currency == currency; });
}

std::uint8_t Ingest::currency_of(Fields& fields) {
  fields.require("currency");
  Currency currency = Currency::usd();
  MemberReader(tables_, fields, true)(Field{.path = "currency", .json = "currency"}, currency);
  if (!has_rate(currency))
    fields.fail(*fields.find("currency"), say("no exchange rate for {}", currency.code()),
                say("add it under exchange_rates, with date and source"));
  const auto index = tables_.currency_index(currency);
  if (!index) fields.fail(fields.node(), say("more than {} currencies", human_number(kMostCurrencies)));
  return index.value_or(0);
}

std::uint16_t Ingest::origin_of(Fields& fields) {
  fields.require("source");
  Origin origin;
  origin.source = tables_.keep(fields.text("source"));
  if (const std::string note = fields.text("note"); !note.empty()) origin.note = tables_.keep(note);
  origin.ends = fields.date("ends").value_or(Date{});
  const auto known = source_ids_.find(std::string(origin.source));
  if (known != source_ids_.end())
    origin.confidence = tables_.sources[known->second].confidence;
  else if (fields.has("source"))
    known_source(origin.source, *fields.find("source"), fields);
  if (const auto confidence = fields.one_of<Confidence>("confidence")) origin.confidence = *confidence;
  const auto same = std::find_if(tables_.origins.begin(), tables_.origins.end(), [&](const Origin& o) {
    return o.source == origin.source && o.note == origin.note && o.ends == origin.ends &&
           o.confidence == origin.confidence;
  });
  if (same != tables_.origins.end()) return static_cast<std::uint16_t>(same - tables_.origins.begin());
  if (tables_.origins.size() > 0xFFFE) fields.fail(fields.node(), say("more than 65,534 different price sources"));
  tables_.origins.push_back(origin);
  return static_cast<std::uint16_t>(tables_.origins.size() - 1);
}

void Ingest::sheet(const std::string& provider, const Node& region, StatedPrice price, const Node& amounts,
                   Fields& fields) {
  Offer& offer = price.offer;
  const auto place = region_ids_.find(pair_key(provider, region.text));
  if (place == region_ids_.end()) {
    if (kept_) return;
    fields.fail(region, say("'{}' has no region '{}'", provider, shorten(region.text, 60)));
    return;
  }
  offer.region = static_cast<std::uint16_t>(place->second);
  for (const Node& entry : amounts.children) {
    if (is_enough(fields.problems().errors)) return;
    const auto sku = sku_ids_.find(pair_key(provider, entry.key));
    const double amount = entry.is_scalar() && !entry.quoted ? plain_number(entry.text).value_or(0) : 0;
    if (sku == sku_ids_.end() && kept_) continue;
    if (sku == sku_ids_.end()) {
      fields.problems().add_at_key(entry, say("'{}' has no SKU '{}'", provider, shorten(entry.key, 60)),
                                   suggest_name(provider, entry.key, &Instance::sku));
    } else if (!kPrices.contains(amount)) {
      fields.fail(
          entry,
          say("a price must be a number from {:g} to {:g}, found {}", kPrices.low, kPrices.high, entry.describe()),
          say("omit what is not offered"));
    } else {
      offer.amount = amount;
      offer.instance = sku->second;
      if (!priced_.emplace(offer.instance, offer.region, offer.term, offer.currency, offer.as_of).second) {
        fields.problems().add_at_key(entry,
                                     say("'{}' is priced twice for one region, term and date", shorten(entry.key, 60)));
        continue;
      }
      stated_.push_back(price);
    }
  }
}

std::string Ingest::suggest_name(std::string_view provider, std::string_view word,
                                 std::string_view Instance::* name) const {
  std::vector<std::string_view> names;
  for (const Instance& instance : tables_.instances)
    if (instance.provider == provider) names.push_back(instance.*name);
  return did_you_mean(word, names);
}

}  // namespace gpusel::catalog
