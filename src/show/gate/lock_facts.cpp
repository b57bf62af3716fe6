#include "show/gate/lock_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/io/own_file.hpp"
#include "base/words/message.hpp"
#include "catalog/records/layers.hpp"
#include "show/truth/calibrate.hpp"

namespace gpusel::show {

namespace {

using catalog::Field;

/// What moves no figure: words about the record.
bool is_figure(const Field& field) {
  static constexpr std::string_view kWords[] = {"id",    "sku",     "provider", "family",         "name",   "aliases",
                                                "notes", "caution", "sources",  "figure_sources", "source", "note"};
  return std::ranges::find(kWords, field.path) == std::end(kWords);
}

/// The known figures of a record by their paths in YAML.
template <class Record>
Json fact_json(const Record& record) {
  Json out = Json::object();
  visit_fields(record, [&](const Field& field, const auto& member) {
    Json value = as_json(member);
    if (is_figure(field) && !value.is_null() && !(value.is_array() && value.empty()))
      out[std::string(field.path)] = std::move(value);
  });
  return out;
}

std::string text_of(const Node& node) {
  std::string text = node.key + "=" + node.text + "{";
  for (const Node& child : node.children) text += text_of(child) + ",";
  return text + "}";
}

/// Of two rules of one id the later holds.
Json rules_json(const LockSources& sources) {
  std::map<std::string, Json> rules;
  const auto add = [&](std::span<const gpusel::Document> documents, bool own) {
    for (const gpusel::Document& document : documents) {
      const Node* list = document.root.find("rules");
      if (list == nullptr) continue;
      for (const Node& rule : list->children) {
        const std::string& id = rule.text_at("id");
        Json& kept = rules[id] = {{"hash", content_hash(text_of(rule))},
                                  {"effect", rule.text_at("effect")},
                                  {"message", rule.text_at("message")}};
        // The others neither dropped an instance nor moved a score.
        if (own || kept["effect"] == to_text(rules::Effect::adjust) || sources.whole_rules.contains(id))
          kept["rule"] = tree_json(rule);
      }
    }
  };
  add(sources.catalog.documents("rules"), false);
  add(sources.rule_files, true);
  return rules;
}

Json coefficients_json(const LockSources& sources) {
  std::set<std::string> ids;
  for (const gpusel::Document& document : sources.catalog.documents("calibration")) {
    const Node* section = document.root.find("calibration");
    const Node* list = section != nullptr ? section->find("coefficients") : nullptr;
    if (list == nullptr) continue;
    for (const Node& entry : list->children)
      if (const Node* id = entry.find("id")) ids.insert(id->text);
  }
  Json out = Json::object();
  for (const std::string& id : ids) {
    const auto coefficient = physics::find_coefficient(sources.coefficients, id);
    if (!coefficient) continue;
    Json& entry = out[id] = {{"value", number(coefficient->value)}};
    std::map<std::string, double> cases(coefficient->cases.begin(), coefficient->cases.end());
    for (const auto& [name, value] : cases) entry["cases." + name] = number(value);
  }
  return out;
}

Json rates_json(const LockSources& sources, const std::set<std::string>& currencies) {
  Json out = Json::object();
  for (const std::string& code : currencies)
    if (const auto currency = Currency::parse(code))
      if (const auto* rate = sources.catalog.rate(*currency))
        out[code] = {{"per_usd", number(rate->per_usd)}, {"as_of", text_or_null(rate->as_of.text())}};
  return out;
}

/// A record of an overlay out of one path and its value.
Json nested(const std::string& path, const Json& value) {
  const auto dot = path.find('.');
  if (dot == std::string::npos) return {{path, value}};
  return {{path.substr(0, dot), nested(path.substr(dot + 1), value)}};
}

constexpr std::string_view kLocked = "locked-fact";

/// What an overlay needs a source for.
Json with_source(Json overlay) {
  overlay["sources"] = {
      {std::string(kLocked), {{"publisher", "gpusel.lock"}, {"document", "a locked fact"}, {"confidence", "derived"}}}};
  return overlay;
}

Json sheet(const Json& price) {
  Json out{{"provider", price["provider"]},
           {"region", price["region"]},
           {"term", price["term"]},
           {"currency", price["currency"]},
           {"source", std::string(kLocked)},
           {"confidence", price["confidence"]},
           {"per_" + price["period"].get<std::string>(), {{price["sku"].get<std::string>(), price["amount"]}}}};
  if (!price["as_of"].is_null()) out["as_of"] = price["as_of"];
  if (!price["note"].is_null()) out["note"] = price["note"];
  return with_source({{"prices", Json::array({out})}});
}

/// That an offer is not there.
Json not_offered(const Json& price) {
  return with_source({{"availability", Json::array({{{"provider", price["provider"]},
                                                     {"state", "not-offered"},
                                                     {"region", price["region"]},
                                                     {"term", price["term"]},
                                                     {"skus", Json::array({price["sku"]})},
                                                     {"source", std::string(kLocked)}}})}});
}

/// That an instance is not there.
Json not_sold(const std::string& name) {
  const auto slash = name.find('/');
  return with_source({{"availability", Json::array({{{"provider", name.substr(0, slash)},
                                                     {"state", "not-offered"},
                                                     {"skus", Json::array({name.substr(slash + 1)})},
                                                     {"source", std::string(kLocked)}}})}});
}

/// A coefficient as a whole: an overlay's entry takes the place of another.
Json coefficient(const std::string& id, const Json& locked) {
  Json entry{
      {"id", id}, {"value", locked["value"]}, {"unit", "as locked"}, {"meaning", "as locked"}, {"source", "a lock"}};
  for (const auto& [key, value] : locked.items())
    if (key.starts_with("cases.")) entry["cases"][key.substr(6)] = value;
  return {{"calibration", {{"coefficients", Json::array({entry})}}}};
}

/// A rule as it was written; one that was not there, or moved nothing, never fires.
Json rule(const FactChange& change, const Json& locked) {
  if (locked.is_object() && locked.contains("rule")) return {{"rules", Json::array({locked["rule"]})}};
  return {{"rules", Json::array({{{"id", change.subject},
                                  {"effect", "note"},
                                  {"when", {{"fact", "nodes"}, {"below", 0}}},
                                  {"message", "as locked: silent"},
                                  {"source", "a lock"}}})}};
}

Json overlay_for(const FactChange& change, const Json& before, const Json& after) {
  const Json& then = before[change.section].contains(change.subject) ? before[change.section][change.subject] : Json();
  if (change.section == "rules") return rule(change, then);
  if (change.section == "prices") return then.is_null() ? not_offered(after["prices"][change.subject]) : sheet(then);
  if (change.section == "coefficients") return coefficient(change.subject, then);
  if (change.section == "instances" && change.field.empty()) return not_sold(change.subject);
  if (change.before.is_null()) return nullptr;  // an overlay cannot make a figure unknown
  Json record = nested(change.field, change.before);
  if (change.section == "instances") {
    const auto slash = change.subject.find('/');
    record["sku"] = change.subject.substr(slash + 1);
    return {{"families", Json::array({{{"provider", change.subject.substr(0, slash)},
                                       {"id", after["instances"][change.subject]["of_family"]},
                                       {"sizes", Json::array({record})}}})}};
  }
  if (change.section == "exchange_rates")
    return with_source({{"exchange_rates", Json::array({{{"currency", change.subject},
                                                         {"per_usd", then["per_usd"]},
                                                         {"as_of", then["as_of"]},
                                                         {"source", std::string(kLocked)}}})}});
  if (change.section != "gpus" && change.section != "models") return nullptr;
  record["id"] = change.subject;
  return {{change.section, Json::array({record})}};
}

}  // namespace

std::string price_key(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  const catalog::Instance& instance = catalog.instances()[offer.instance];
  return format("{}/{} {} {} {}", instance.provider, instance.sku, catalog.region_of(offer).id, to_text(offer.term),
                catalog.currency_of(offer).code());
}

Json price_fact(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  const catalog::Instance& instance = catalog.instances()[offer.instance];
  const catalog::Origin& origin = catalog.origin_of(offer);
  return {{"provider", instance.provider},
          {"sku", instance.sku},
          {"region", catalog.region_of(offer).id},
          {"term", to_text(offer.term)},
          {"currency", catalog.currency_of(offer).code()},
          {"period", to_text(offer.period)},
          {"amount", number(offer.amount)},
          {"as_of", text_or_null(Date::from_packed(offer.as_of).text())},
          {"source", text_or_null(origin.source)},
          {"confidence", to_text(origin.confidence)},
          {"note", text_or_null(origin.note)}};
}

Json lock_facts(std::span<const LockedRow> rows, const LockSources& sources) {
  std::map<std::string, Json> gpus, instances, prices;
  std::set<std::string> currencies{std::string(sources.currency.code())};
  for (const LockedRow& row : rows) {
    if (const auto* gpu = sources.catalog.gpu_of(*row.instance)) gpus[std::string(gpu->id)] = fact_json(*gpu);
    Json& instance = instances[format("{}/{}", row.instance->provider, row.instance->sku)] = fact_json(*row.instance);
    instance["of_family"] = row.instance->family;
    for (const catalog::Offer& offer : sources.catalog.offers_of(*row.instance)) {
      if (offer.term != row.term) continue;
      prices[price_key(offer, sources.catalog)] = price_fact(offer, sources.catalog);
      currencies.emplace(sources.catalog.currency_of(offer).code());
    }
  }
  for (const std::string& id : sources.gpus)
    if (const auto gpu = sources.catalog.gpu(id)) gpus[id] = fact_json(**gpu);
  Json models = Json::object();
  if (sources.model != nullptr) models[std::string(sources.model->id)] = fact_json(*sources.model);
  return {{"gpus", gpus},
          {"models", models},
          {"instances", instances},
          {"prices", prices},
          {"exchange_rates", rates_json(sources, currencies)},
          {"coefficients", coefficients_json(sources)},
          {"rules", rules_json(sources)}};
}

namespace {

/// Whatever the order of the members: other programs may have written the file anew.
bool same_record(const Json& a, const Json& b) { return nlohmann::json(a) == nlohmann::json(b); }

/// A rule may be kept as it is written or not; its hash tells it all the same.
Json without_text(Json record) {
  if (record.is_object()) record.erase("rule");
  return record;
}

}  // namespace

std::vector<FactChange> changed_facts(const Json& before, const Json& after) {
  std::vector<FactChange> changes;
  // A side that kept an instance's facts kept all its offers on the row's term.
  const auto looked = [](const Json& side, const Json& price) {
    const std::string name = price["provider"].get<std::string>() + "/" + price["sku"].get<std::string>();
    if (!side["instances"].contains(name)) return false;
    return std::any_of(side["prices"].begin(), side["prices"].end(), [&](const Json& other) {
      return other["provider"] == price["provider"] && other["sku"] == price["sku"] && other["term"] == price["term"];
    });
  };
  for (const auto& [section, records] : before.items()) {
    if (!after.contains(section)) continue;
    const Json& now = after[section];
    const bool is_rate = section == "exchange_rates";  // kept for the currencies of the rows alone
    const bool whole = section == "prices" || section == "coefficients" || section == "rules" || is_rate;
    for (const auto& [subject, then] : records.items()) {
      if (!now.contains(subject)) {
        if (whole && !is_rate && (section != "prices" || looked(after, then)))
          changes.push_back({section, subject, {}, then, nullptr});
        continue;
      }
      const Json& record = now[subject];
      if (whole) {
        if (!same_record(without_text(then), without_text(record)))
          changes.push_back({section, subject, {}, then, record});
        continue;
      }
      std::set<std::string> fields;
      for (const Json& side : {then, record})
        for (const auto& [field, value] : side.items()) fields.insert(field);
      for (const std::string& field : fields) {
        const Json old_value = then.contains(field) ? then[field] : Json(nullptr);
        const Json new_value = record.contains(field) ? record[field] : Json(nullptr);
        if (old_value != new_value) changes.push_back({section, subject, field, old_value, new_value});
      }
    }
    for (const auto& [subject, record] : now.items())
      if (whole && !is_rate && !records.contains(subject) && (section != "prices" || looked(before, record)))
        changes.push_back({section, subject, {}, nullptr, record});
  }
  return changes;
}

std::optional<gpusel::Document> set_back(const FactChange& change, const Json& before, const Json& after) {
  if (change.section == "coefficients" && change.before.is_null()) return std::nullopt;
  const Json overlay = overlay_for(change, before, after);
  if (overlay.is_null()) return std::nullopt;
  auto document = parse_json(overlay.dump(-1, ' ', false, Json::error_handler_t::replace), std::string(kLocked));
  return document ? std::optional(std::move(*document)) : std::nullopt;
}

}  // namespace gpusel::show
