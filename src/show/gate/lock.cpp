#include "show/gate/lock.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/layers.hpp"
#include "show/job/recommend.hpp"

namespace gpusel::show {

namespace {

using answer::Recommendation;

constexpr std::string_view kChecksum = "checksum";
constexpr std::string_view kLockFamily = kLockSchema.substr(0, kLockSchema.find('/') + 1);

/// What the row itself does not say of its offer.
Json price_of_row(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  Json price = price_fact(offer, catalog);
  for (const char* told : kToldByRow) price.erase(told);
  return price;
}

Json ranking_row(const Recommendation& r, const catalog::Catalog& catalog) {
  return {{"rank", r.rank},
          {"provider", r.instance->provider},
          {"sku", r.instance->sku},
          {"region", r.region->id},
          {"term", to_text(r.offer->term)},
          {"gpu", r.gpu != nullptr ? Json(r.gpu->id) : Json(nullptr)},
          {"nodes", r.machine().nodes},
          {"hourly", number(r.cost.hourly)},
          {"total", number(r.cost.total)},
          {"unit_cost", number(r.cost.per_unit ? r.cost.per_unit : r.cost.per_million_tokens)},
          {"rate", number(r.plan().rate)},
          {"memory_gib", number(in_gib(r.memory().total()))},
          {"score", number(r.score)},
          {"price", price_of_row(*r.offer, catalog)}};
}

Json rejected_json(const answer::Advice& advice) {
  std::map<std::string, std::string> rules;
  for (const auto& rejection : advice.rejected)
    rules.emplace(format("{}/{}", rejection.instance->provider, rejection.instance->sku), rejection.rule);
  return rules;
}

/// The rows that facts are kept of, and the instances that an earlier lock kept facts of.
std::vector<LockedRow> fact_rows(const LockView& view, const Json* also) {
  std::vector<LockedRow> rows;
  for (const Recommendation& r : view.advice.recommendations)
    if (static_cast<std::size_t>(r.rank) <= view.rows) rows.push_back({r.instance, r.offer->term});
  if (also == nullptr) return rows;
  for (const Json& row : (*also)["ranking"]) {
    const std::string name = row["provider"].get<std::string>() + "/" + row["sku"].get<std::string>();
    if (!(*also)["facts"]["instances"].contains(name)) continue;
    const auto instance = view.catalog.instance(name);
    const auto term = from_text<catalog::Term>(row["term"].get<std::string>());
    if (instance && term) rows.push_back({*instance, *term});
  }
  return rows;
}

/// GPUs of every row: one that comes to the fore is to be told from what it was.
std::set<std::string> ranked_gpus(const LockView& view, const Json* also) {
  std::set<std::string> ids;
  for (const Recommendation& r : view.advice.recommendations)
    if (r.gpu != nullptr) ids.emplace(r.gpu->id);
  if (also != nullptr)
    for (const auto& [id, figures] : (*also)["facts"]["gpus"].items()) ids.insert(id);
  return ids;
}

/// Rules that spoke of the kept rows or dropped an instance.
std::set<std::string> spoken_rules(const LockView& view) {
  std::set<std::string> ids;
  for (const auto& rejection : view.advice.rejected) ids.insert(rejection.rule);
  for (const Recommendation& r : view.advice.recommendations)
    for (const answer::Remark& remark : r.remarks) ids.insert(remark.rule);
  return ids;
}

/// What `unit_cost` is the cost of; null where it has none.
Json cost_unit(const answer::Advice& advice) {
  if (advice.recommendations.empty()) return nullptr;
  const auto& cost = advice.recommendations.front().cost;
  if (cost.per_unit) return text_or_null(advice.work.priced_unit());
  return cost.per_million_tokens ? Json("million tokens") : Json(nullptr);
}

/// Whether a rule is kept as it is written or not.
std::string rules_hash(const Json& rules) {
  Json hashes = Json::object();
  for (const auto& [id, rule] : rules.items()) hashes[id] = rule["hash"];
  return content_hash(hashes.dump());
}

/// Whatever the order of the members: other programs may have written the file anew.
std::string checksum_of(const Json& lock) {
  nlohmann::json sorted = lock;
  sorted.erase(std::string(kChecksum));
  return content_hash(sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Every element of a list or map on a line of its own.
std::string lines_of(const Json& json, const std::string& indent) {
  const auto compact = [](const Json& one) { return one.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string out;
  for (const auto& [key, value] : json.items()) {
    out += (out.empty() ? "\n" : ",\n") + indent + "  ";
    if (json.is_object()) out += compact(Json(key)) + ": ";
    out += compact(value);
  }
  if (out.empty()) return json.is_object() ? "{}" : "[]";
  return (json.is_object() ? "{" : "[") + out + "\n" + indent + (json.is_object() ? "}" : "]");
}

Error refused(std::string why, std::string where, std::string hint = {}) {
  return {ErrorKind::usage, std::move(why), std::move(where), std::move(hint)};
}

struct Needed {
  std::string_view pointer;
  Json::value_t type;
};
constexpr Needed kNeeded[] = {{"/gpusel", Json::value_t::string},
                              {"/today", Json::value_t::string},
                              {"/currency", Json::value_t::string},
                              {"/question/words", Json::value_t::array},
                              {"/versions/catalog", Json::value_t::object},
                              {"/versions/calibration", Json::value_t::object},
                              {"/versions/rules", Json::value_t::object},
                              {"/versions/files", Json::value_t::array},
                              {"/ranking", Json::value_t::array},
                              {"/rejected", Json::value_t::object},
                              {"/answer/recommendations", Json::value_t::array},
                              {"/facts/gpus", Json::value_t::object},
                              {"/facts/models", Json::value_t::object},
                              {"/facts/instances", Json::value_t::object},
                              {"/facts/prices", Json::value_t::object},
                              {"/facts/coefficients", Json::value_t::object},
                              {"/facts/rules", Json::value_t::object},
                              {"/facts/exchange_rates", Json::value_t::object},
                              {"/checksum", Json::value_t::string}};

enum class Holds { text, number, count, text_or_null };
struct Member {
  std::string_view key;
  Holds holds = Holds::text;
};
constexpr Member kRow[] = {{"provider"},
                           {"sku"},
                           {"region"},
                           {"term"},
                           {"rank", Holds::count},
                           {"hourly", Holds::number},
                           {"total", Holds::number},
                           {"rate", Holds::number},
                           {"memory_gib", Holds::number},
                           {"nodes", Holds::count}};
constexpr Member kOffer[] = {{"provider"}, {"sku"}, {"region"}, {"term"}};
constexpr Member kPrice[] = {{"currency"}, {"period"}, {"confidence"}, {"amount", Holds::number}};
constexpr Member kInstance[] = {{"of_family"}};
constexpr Member kCoefficient[] = {{"value", Holds::number}};
constexpr Member kRate[] = {{"per_usd", Holds::number}, {"as_of"}};
constexpr Member kRule[] = {{"hash"}, {"effect"}, {"message"}};
constexpr Member kFile[] = {{"path"}, {"hash", Holds::text_or_null}};

/// Far more than there are of anything, and an int.
constexpr double kMostCounted = 1e9;

bool is_held(const Json& value, Holds what) {
  switch (what) {
    case Holds::text: return value.is_string();
    case Holds::number: return value.is_number();
    case Holds::count: return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMostCounted;
    case Holds::text_or_null: return value.is_string() || value.is_null();
  }
  return false;
}

bool has_all(const Json& json, std::span<const Member> members) {
  return json.is_object() && std::ranges::all_of(members, [&](const Member& member) {
           const auto found = json.find(member.key);
           return found != json.end() && is_held(*found, member.holds);
         });
}

bool is_price(const Json& json) {
  return has_all(json, kPrice) && json.contains("as_of") && json.contains("note") && json.contains("source");
}

/// The place of the first part that is not whole; null where all is.
const Node* broken_part(const Json& lock, const Node& root) {
  const Node& rows = *root.find("ranking");
  for (std::size_t i = 0; i < rows.children.size(); ++i)
    if (const Json& row = lock["ranking"][i];
        !has_all(row, kRow) || !row.contains("unit_cost") || !row.contains("price") || !is_price(row["price"]))
      return &rows.children[i];
  const Node& facts = *root.find("facts");
  for (const auto& [section, records] : lock["facts"].items()) {
    if (!records.is_object()) return facts.find(section);
    std::size_t i = 0;
    for (const Json& record : records) {
      const bool whole = section == "rules"            ? has_all(record, kRule)
                         : section == "prices"         ? has_all(record, kOffer) && is_price(record)
                         : section == "instances"      ? has_all(record, kInstance)
                         : section == "coefficients"   ? has_all(record, kCoefficient)
                         : section == "exchange_rates" ? has_all(record, kRate)
                                                       : record.is_object();
      if (!whole) return &facts.find(section)->children[i];
      ++i;
    }
  }
  const Node& files = *root.find("versions")->find("files");
  for (std::size_t i = 0; i < files.children.size(); ++i)
    if (!has_all(lock["versions"]["files"][i], kFile)) return &files.children[i];
  for (const Node& word : root.find("question")->find("words")->children)
    if (!word.quoted) return &word;
  return nullptr;
}

}  // namespace

Json lock_json(const LockView& view, const Json* also) {
  const answer::Advice& advice = view.advice;
  Json answer = recommend_json(advice, view.catalog, view.rows);
  answer["assumed"]["today"] = view.today.text();
  answer["rejected"] = Json::array();  // all of them stand under "rejected"
  Json files = list_json(view.files, [](const LockedFile& file) -> Json {
    return {{"path", file.path}, {"hash", text_or_null(file.hash)}};
  });
  Json ranking =
      list_json(advice.recommendations, [&](const Recommendation& r) { return ranking_row(r, view.catalog); });
  const std::set<std::string> rules = spoken_rules(view);
  Json facts = lock_facts(fact_rows(view, also), {view.catalog, view.coefficients, advice.work.model, advice.currency,
                                                  ranked_gpus(view, also), view.rule_files, rules});
  Json catalog = answer["catalog"];
  catalog["hash"] = content_hash(catalog::write_snapshot(view.catalog));
  return {
      {"schema", kLockSchema},
      {"gpusel", view.version},
      {"today", view.today.text()},
      {"currency", advice.currency.code()},
      {"cost_unit", cost_unit(advice)},
      {"question", {{"words", view.words}, {"workload", answer["workload"]}, {"assumed", answer["assumed"]}}},
      {"versions",
       {{"catalog", std::move(catalog)},
        {"calibration", {{"version", view.coefficients.version}, {"hash", content_hash(facts["coefficients"].dump())}}},
        {"rules", {{"count", facts["rules"].size()}, {"hash", rules_hash(facts["rules"])}}},
        {"files", std::move(files)}}},
      {"answer", std::move(answer)},
      {"ranking", std::move(ranking)},
      {"facts", std::move(facts)},
      {"rejected", rejected_json(advice)}};
}

void seal(Json& lock) { lock[std::string(kChecksum)] = checksum_of(lock); }

std::string lock_file(const Json& lock) {
  std::string out = "{";
  for (const auto& [key, value] : lock.items()) {
    out += (out.size() == 1 ? "\n  " : ",\n  ") + Json(key).dump() + ": ";
    if (key == "ranking" || key == "rejected") {
      out += lines_of(value, "  ");
    } else if (key == "facts") {
      out += "{";
      for (const auto& [section, records] : value.items())
        out += (out.ends_with("{") ? "\n    " : ",\n    ") + Json(section).dump() + ": " + lines_of(records, "    ");
      out += "\n  }";
    } else {
      std::string text = value.dump(2, ' ', false, Json::error_handler_t::replace);
      for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3)) text.insert(at + 1, "  ");
      out += text;
    }
  }
  return with_escapes(out) + "\n}\n";
}

Document lock_page(const Json& lock, const std::string& to) {
  Table table({right("#", 0, 0, "rank"), left(say("instance"), 0, 18, "instance"), left(say("region"), 2, 9, "region"),
               left(say("term"), 1, 0, "term"),
               right(say("{} per hour", lock["currency"].get<std::string>()), 0, 0, "hourly"),
               right(say("{} total", lock["currency"].get<std::string>()), 0, 0, "total"),
               left(say("price date"), 1, 0, "price_as_of"), left(say("source"), 2, 12, "price_source")});
  const std::size_t rows = lock["answer"]["recommendations"].size();
  const auto text_of = [](const Json& value) { return value.is_string() ? printable(value.get<std::string>()) : ""; };
  for (const Json& row : lock["ranking"]) {
    if (row["rank"].get<std::size_t>() > rows) break;
    const auto money = [&](const char* key) {
      return figure_cell(human_price(row[key].get<double>()), row[key].get<double>());
    };
    table.add({gpusel::format("{}", row["rank"].get<int>()), text_of(row["provider"]) + "/" + text_of(row["sku"]),
               text_of(row["region"]), Cell(say_name(text_of(row["term"])), text_of(row["term"])), money("hourly"),
               money("total"), text_of(row["price"]["as_of"]), text_of(row["price"]["source"])});
  }
  const auto& versions = lock["versions"];
  const std::string head = say("gpusel {}, catalog dated {} ({}), today {}", lock["gpusel"].get<std::string>(),
                               text_of(versions["catalog"]["as_of"]), text_of(versions["catalog"]["hash"]),
                               lock["today"].get<std::string>());
  const std::string name = lock["ranking"].empty() ? std::string()
                                                   : text_of(lock["ranking"].front()["provider"]) + "/" +
                                                         text_of(lock["ranking"].front()["sku"]);
  const std::string answer = to.empty() ? say("{} is the best of {}; nothing was written (rows to lock: {})", name,
                                              lock["ranking"].size(), rows)
                                        : say("{} is the best of {}; written to {} (rows locked: {})", name,
                                              lock["ranking"].size(), printable(to), rows);
  return Document()
      .page_title(say("What is in the lock"))
      .line(strong(answer))
      .gap()
      .add(std::move(table))
      .gap()
      .line(secondary(head));
}

namespace {

/// As the library would read it, which looks for every key among all before it.
Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::scalar: {
      if (node.quoted) return node.text;
      Json value = Json::parse(node.text, nullptr, false);
      return value.is_discarded() ? Json() : value;  // an integer of more digits than any number has
    }
    case Node::Kind::list: {
      return list_json(node.children, [&](const Node& item) { return json_of(item); });
    }
    case Node::Kind::map: break;
  }
  Json map = Json::object();
  auto& members = static_cast<Json::object_t::Container&>(map.get_ref<Json::object_t&>());
  members.reserve(node.children.size());
  for (const Node& child : node.children) members.emplace_back(child.key, json_of(child));
  return map;
}

}  // namespace

Result<Json> read_lock(const std::string& content, const std::string& name) {
  const auto document = parse_json(content, name);
  if (!document) {
    Error error = document.error();
    if (error.hint.empty()) error.hint = say("the lock is damaged; write it again with gpusel lock");
    return std::unexpected(std::move(error));
  }
  const Node* schema = document->root.find("schema");
  const std::string kind = schema != nullptr ? schema->text : std::string();
  if (!kind.starts_with(kLockFamily))
    return std::unexpected(refused(say("is not a lock of gpusel"), name, say("write one with gpusel lock")));
  if (kind != kLockSchema)
    return std::unexpected(
        refused(say("'{}' is a lock of another gpusel; this one reads {}", shorten(printable(kind), 40), kLockSchema),
                position(name, *schema), say("write it again with gpusel lock")));
  Json lock = json_of(document->root);
  for (const Needed& needed : kNeeded) {
    const Json::json_pointer pointer{std::string(needed.pointer)};
    const std::string key(needed.pointer.substr(1));
    if (!lock.contains(pointer) || lock[pointer].type() != needed.type)
      return std::unexpected(refused(say("the lock is damaged: '{}' is missing or of the wrong type", key),
                                     position(name, document->root), say("write it again with gpusel lock")));
  }
  if (const Node* broken = broken_part(lock, document->root))
    return std::unexpected(refused(say("the lock is damaged: this part is incomplete"), position(name, *broken),
                                   say("write it again with gpusel lock")));
  if (lock[std::string(kChecksum)].get<std::string>() != checksum_of(lock))
    return std::unexpected(refused(say("the lock was edited after it was written: its checksum does not match"),
                                   position(name, *document->root.find(kChecksum)),
                                   say("write it again with gpusel lock, or take back the one that was written")));
  return lock;
}

bool says_lock(std::string_view content) {
  const auto document = parse_json(content, {});
  const Node* schema = document ? document->root.find("schema") : nullptr;
  return schema != nullptr && schema->is_scalar() && schema->text.starts_with(kLockFamily);
}

}  // namespace gpusel::show
