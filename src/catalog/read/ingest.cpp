// YAML documents into tables. One strict pass per section; what a section may refer to is read
// before it (sources, then GPUs, providers, families, prices), whatever file it stands in.
#include "catalog/read/ingest.hpp"

#include <algorithm>

namespace gpusel::catalog {

namespace {

constexpr std::string_view kOwnSections[] = {"sources",       "gpus",         "models",         "providers",
                                             "families",      "prices",       "exchange_rates", "country_groups",
                                             "render_scores", "availability", "places",         "regions"};

/// File, line and column out of "file:line:column".
std::tuple<std::string_view, double, double> place_of(const Error& error) {
  std::string_view rest = error.where;
  const auto last_number = [&] {
    const auto colon = rest.rfind(':');
    const auto number = colon == std::string_view::npos ? std::nullopt : plain_number(rest.substr(colon + 1));
    if (number) rest = rest.substr(0, colon);
    return number.value_or(0);
  };
  const double column = last_number();
  const double line = last_number();
  return {rest, line, column};
}

}  // namespace

std::string pair_key(std::string_view first, std::string_view second) {
  return std::string(first) + '\n' + std::string(second);
}

std::string suggest(std::string_view word, const std::unordered_map<std::string, std::uint32_t>& ids) {
  std::vector<std::string_view> names;
  names.reserve(ids.size());
  for (const auto& [name, index] : ids) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return did_you_mean(word, names);
}

bool good_id(const std::string& id, const Node& at, Fields& fields) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789.+-";
  if (id.find_first_not_of(kAllowed) == std::string::npos && id.size() <= 80) return true;
  fields.fail(at, say("'{}' is not an id", shorten(id, 60)), say("ids are lower case, of a-z 0-9 . + -"));
  return false;
}

void check_gpu(const Gpu& gpu, Fields& fields) {
  static constexpr std::string_view kFormats[] = {"fp16", "bf16", "fp8"};
  for (const std::string_view format : gpu.native_formats)
    if (std::find(std::begin(kFormats), std::end(kFormats), format) == std::end(kFormats))
      fields.fail(fields.has("native") ? *fields.find("native") : fields.node(),
                  say("'{}' is not a native format", shorten(format, 40)), say("known: fp16, bf16, fp8"));
  std::vector<std::string_view> paths;
  visit_fields(gpu, [&](const Field& field, const auto&) { paths.push_back(field.path); });
  const Node* sources = fields.find("figure_sources");
  if (sources == nullptr) return;
  for (const Node& entry : sources->children)
    if (std::find(paths.begin(), paths.end(), entry.key) == paths.end())
      fields.problems().add_at_key(entry, say("a GPU has no figure '{}'", shorten(entry.key, 40)),
                                   did_you_mean(entry.key, paths));
}

template <class Action>
void Ingest::each(std::span<const Document> documents, std::string_view section, Action action) {
  for (const Document& document : documents) {
    const Node* list = document.root.find(section);
    if (list == nullptr) continue;
    Problems problems{document.name, ErrorKind::bad_catalogue, {}};
    const bool keyed = section == "sources";
    if (keyed ? !list->is_map() : !list->is_list())
      problems.add(*list, keyed ? say("'{}' must be a map", section) : say("'{}' must be a list", section));
    for (const Node& node : list->children)
      if (!is_enough(problems.errors)) action(node, problems);
    errors_.insert(errors_.end(), problems.errors.begin(), problems.errors.end());
  }
}

void Ingest::run(std::span<const Document> documents) {
  index_existing();
  for (const Document& document : documents) check_sections(document);
  each(documents, "sources", [&](const Node& node, Problems& problems) { source(node, problems); });
  each(documents, "exchange_rates", [&](const Node& node, Problems& problems) { rate(node, problems); });
  each(documents, "places", [&](const Node& node, Problems& problems) { place(node, std::nullopt, problems); });
  each(documents, "country_groups",
       [&](const Node& node, Problems& problems) { place(node, PlaceKind::group, problems); });
  each(documents, "gpus",
       [&](const Node& node, Problems& problems) { record(node, problems, tables_.gpus, gpu_ids_, say("GPU")); });
  list_gpu_names(tables_);
  each(documents, "models",
       [&](const Node& node, Problems& problems) { record(node, problems, tables_.models, model_ids_, say("model")); });
  each(documents, "providers", [&](const Node& node, Problems& problems) { provider(node, problems); });
  each(documents, "regions", [&](const Node& node, Problems& problems) { region_list(node, problems); });
  each(documents, "families", [&](const Node& node, Problems& problems) { family(node, problems); });
  visit_parts(tables_, [&](std::string_view section, auto& records, std::string_view what) {
    each(documents, section, [&](const Node& node, Problems& problems) {
      record(node, problems, records, part_ids_[section], say_text(what));
    });
  });
  each(documents, "prices", [&](const Node& node, Problems& problems) { prices(node, problems); });
  each(documents, "render_scores", [&](const Node& node, Problems& problems) { render_scores(node, problems); });
  each(documents, "availability", [&](const Node& node, Problems& problems) { availability(node, problems); });
  lay_prices(tables_, std::move(stated_));
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const Error& a, const Error& b) { return place_of(a) < place_of(b); });
  // A family's mistake is met again with each of its sizes.
  const auto same = [](const Error& a, const Error& b) { return a.where == b.where && a.message == b.message; };
  errors_.erase(std::unique(errors_.begin(), errors_.end(), same), errors_.end());
}

void Ingest::index_existing() {
  const auto add = [](Ids& ids, const auto& records, auto key) {
    for (std::uint32_t i = 0; i < records.size(); ++i) ids.emplace(key(records[i]), i);
  };
  add(source_ids_, tables_.sources, [](const Source& s) { return std::string(s.key); });
  add(place_ids_, tables_.places, [](const Place& p) { return std::string(p.id); });
  add(gpu_ids_, tables_.gpus, [](const Gpu& g) { return std::string(g.id); });
  add(model_ids_, tables_.models, [](const Model& m) { return std::string(m.id); });
  visit_parts(tables_, [&](std::string_view section, const auto& records, std::string_view) {
    add(part_ids_[section], records, [](const auto& part) { return std::string(part.id); });
  });
  add(provider_ids_, tables_.providers, [](const Provider& p) { return std::string(p.id); });
  add(region_ids_, tables_.regions, [](const Region& r) { return pair_key(r.provider, r.id); });
  old_scores_ = tables_.render_scores.size();
  old_states_ = tables_.states.size();
  add(sku_ids_, tables_.instances, [](const Instance& i) { return pair_key(i.provider, i.sku); });
}

void Ingest::check_sections(const Document& document) {
  Problems problems{document.name, ErrorKind::bad_catalogue, {}};
  if (document.root.kind != Node::Kind::null) {
    Fields fields(document.root, problems);
    for (const std::string_view section : kOwnSections) fields.find(section);
    visit_parts(tables_, [&](std::string_view section, const auto&, std::string_view) { fields.find(section); });
    for (const std::string_view section : kForeignSections) fields.find(section);
    fields.finish();
  }
  errors_.insert(errors_.end(), problems.errors.begin(), problems.errors.end());
}

bool Ingest::known_source(std::string_view key, const Node& at, Fields& fields) {
  if (source_ids_.contains(std::string(key))) return true;
  if (!is_enough(fields.problems().errors))
    fields.fail(at, say("unknown source '{}'", shorten(key, 60)), suggest(key, source_ids_));
  return false;
}

/// Whether a listed price of tokens is of a model that is there, and not older than what is known of it.
bool Ingest::is_younger(Fields& fields, const std::vector<TokenPrice>& records, const Ids& ids) const {
  if (!model_ids_.contains(fields.text("model"))) return false;
  const auto known = ids.find(fields.text("id"));
  return known == ids.end() || fields.date("as_of").value_or(Date{}) >= records[known->second].as_of;
}

template <class Record>
void Ingest::record(const Node& node, Problems& problems, std::vector<Record>& records, Ids& ids,
                    const std::string& what) {
  Fields fields(node, problems);
  const std::string id = fields.text("id");
  fields.require("id");
  if (id.empty() || !good_id(id, node, fields)) return;
  if constexpr (std::is_same_v<Record, TokenPrice>)
    if (kept_ && !is_younger(fields, records, ids)) return;
  bool is_new = false;
  Record* place = place_for(id, node, fields, records, ids, what, is_new);
  if (place == nullptr) return;
  read_into(*place, fields, is_new);
  check_references(*place, fields);
}

/// "0.25=1": numbers from 0 to 1.
bool is_increment(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const auto up_to = plain_number(text.substr(0, equals)), price = plain_number(text.substr(equals + 1));
  return up_to && price && *up_to > 0 && *up_to <= 1 && *price > 0 && *price <= 1;
}

template <class Record>
void Ingest::check_references(const Record& record, Fields& fields) {
  if constexpr (std::is_same_v<Record, TokenPrice>) {
    if (const Node* at = fields.find("model"); at != nullptr && !model_ids_.contains(std::string(record.model)))
      fields.fail(*at, say("unknown model '{}'", shorten(record.model, 60)),
                  suggest(std::string(record.model), model_ids_));
  } else if constexpr (requires { record.provider; }) {
    if (fields.find("provider") != nullptr && !known_provider(fields, std::string(record.provider))) return;
  }
  if constexpr (requires { record.families; }) {
    for (const std::string_view family : record.families)
      if (const Node* at = fields.find("families");
          at != nullptr && !has_instance(record.provider, family, &Instance::family))
        fields.fail(*at, say("'{}' has no family '{}'", record.provider, shorten(family, 60)),
                    suggest_name(record.provider, family, &Instance::family));
  }
  if constexpr (requires { record.skus; }) {
    for (const std::string_view sku : record.skus)
      if (const Node* at = fields.find("skus"); at != nullptr && !has_instance(record.provider, sku, &Instance::sku))
        fields.fail(*at, say("'{}' has no instance '{}'", record.provider, shorten(sku, 60)),
                    suggest_name(record.provider, sku, &Instance::sku));
  }
  if constexpr (std::is_same_v<Record, Egress>) {
    for (const std::string_view place : record.places)
      if (const Node* at = fields.find("places"); at != nullptr && !place_ids_.contains(std::string(place)))
        fields.fail(*at, say("no place '{}'", shorten(place, 40)), suggest(std::string(place), place_ids_));
  }
  if constexpr (std::is_same_v<Record, BillingRule>) {
    for (const std::string_view term : record.terms)
      if (const Node* at = fields.find("terms"); at != nullptr && !from_text<Term>(term))
        fields.fail(*at, say("no term '{}'", shorten(term, 40)), did_you_mean(term, enum_names<Term>));
    for (const std::string_view text : record.increments)
      if (const Node* at = fields.find("increments"); at != nullptr && !is_increment(text))
        fields.fail(*at, say("'{}' is not a share of a month and a price", shorten(text, 40)), say("write 0.25=1"));
    if (record.setup || record.per_vcpu_hour || record.per_memory_gib_hour) fields.require("currency");
  }
  if constexpr (std::is_same_v<Record, SpotMarket>) {
    if (record.interrupted_low && record.interrupted_high && *record.interrupted_low > *record.interrupted_high)
      fields.fail(fields.node(), say("'interrupted_low' is above 'interrupted_high'"));
  }
  if constexpr (std::is_same_v<Record, Purchase> || std::is_same_v<Record, Drift>) {
    if (const Node* at = fields.find("gpu")) known_gpu(record.gpu, *at, fields);
  }
  if constexpr (requires { record.currency; }) {
    const auto currency = Currency::parse(record.currency);
    if (const Node* at = fields.find("currency"); at != nullptr && !(currency && has_rate(*currency)))
      fields.fail(*at, say("no exchange rate for {}", shorten(record.currency, 20)),
                  say("add it under exchange_rates, with date and source"));
  }
}

bool Ingest::has_instance(std::string_view provider, std::string_view name, std::string_view Instance::* member) const {
  return std::any_of(tables_.instances.begin(), tables_.instances.end(),
                     [&](const Instance& i) { return i.provider == provider && i.*member == name; });
}

void Ingest::source(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  bool is_new = false;
  if (!good_id(node.key, node, fields)) return;
  Source* place = place_for(node.key, node, fields, tables_.sources, source_ids_, say("source"), is_new);
  if (place == nullptr) return;
  const Confidence before = place->confidence;
  visit_fields(*place, MemberReader(tables_, fields, is_new));
  place->key = tables_.keep(node.key);
  for (Origin& origin : tables_.origins)  // prices that trusted the source as far as it said
    if (!is_new && origin.source == place->key && origin.confidence == before) origin.confidence = place->confidence;
  fields.finish();
}

void Ingest::rate(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  ExchangeRate rate;
  read_into(rate, fields, true);
  const auto known = std::find_if(tables_.rates.begin(), tables_.rates.end(),
                                  [&](const ExchangeRate& r) { return r.currency == rate.currency; });
  if (known == tables_.rates.end())
    tables_.rates.push_back(rate);
  else if (overlay_)
    *known = rate;
  else
    fields.fail(node, say("the rate of {} is given twice", rate.currency.code()));
}

void Ingest::place(const Node& node, std::optional<PlaceKind> kind, Problems& problems) {
  Fields fields(node, problems);
  const std::string id = fields.text("id");
  fields.require("id");
  if (id.empty() || !good_id(id, node, fields)) return;
  if (const Node* country = fields.find("country")) check_country(country->text, *country, fields);
  if (const Node* countries = fields.find("countries"))
    for (const Node& country : countries->children) check_country(country.text, country, fields);
  bool is_new = false;
  Place* place = place_for(id, node, fields, tables_.places, place_ids_, say("place"), is_new);
  if (place == nullptr) return;
  if (is_new && !kind) fields.require("kind");
  if (const auto stated = fields.one_of<PlaceKind>("kind")) kind = stated;
  const bool of_one = kind == PlaceKind::locality || kind == PlaceKind::country;
  if (is_new && kind) fields.require(of_one ? "country" : "countries");
  read_into(*place, fields, is_new);
  if (!place->kind) place->kind = kind;
}

void ingest(Tables& tables, std::span<const Document> documents, Laying how, Errors& errors) {
  Ingest(tables, how, errors).run(documents);
}

}  // namespace gpusel::catalog
