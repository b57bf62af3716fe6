// Reads YAML documents into tables. Private to this room; see ingest() in tables.hpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/read/price_layers.hpp"

namespace gpusel::catalog {

inline std::string join_lines(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : "\n") + text;
  return joined;
}

/// Reads one member of a record by its type; what the file does not say stays as it was.
class MemberReader {
 public:
  MemberReader(Tables& tables, Fields& fields, bool complete) : tables_(tables), fields_(fields), complete_(complete) {}

  template <class Member>
  void operator()(const Field& field, Member& member) {
    if (field.required && complete_) fields_.require(field.path);
    if (!fields_.has(field.path)) return;
    read(field, member);
    if constexpr (std::is_same_v<Member, TextList>)
      if (field.required && member.empty()) fields_.fail(*fields_.find(field.path), say("'{}' is empty", field.path));
  }

 private:
  void read(const Field& field, std::string_view& member) { member = tables_.keep(fields_.text(field.path)); }
  void read(const Field& field, TextList& member) {
    const Node* node = fields_.find(field.path);
    if (!node->is_map()) {
      member = TextList(tables_.keep(join_lines(fields_.texts(field.path))));
      if (!field.words.empty()) check_words(field, *node);
      return;
    }
    std::vector<std::string> lines;  // figure_sources: path → key or keys
    for (const Node& entry : node->children) {
      const std::span<const Node> keys = entry.is_list() ? std::span<const Node>(entry.children) : std::span(&entry, 1);
      for (const Node& key : keys) lines.push_back(entry.key + "=" + key.text);
    }
    member = TextList(tables_.keep(join_lines(lines)));
  }
  void read(const Field& field, Number& member) {
    if (const auto value = field.json == "gpu_count" ? fields_.fraction(field.path, field.range)
                                                     : fields_.number(field.path, field.range))
      member = value;
  }
  void read(const Field& field, std::optional<bool>& member) { member = fields_.boolean(field.path); }
  void read(const Field& field, Date& member) { member = fields_.date(field.path).value_or(Date{}); }
  void read(const Field& field, Currency& member) {
    const std::string code = fields_.text(field.path);
    const auto currency = Currency::parse(code);
    if (currency)
      member = *currency;
    else
      fields_.fail(*fields_.find(field.path), say("'{}' is not a currency", shorten(code, 20)),
                   say("write an ISO 4217 code such as USD or CNY"));
  }
  template <NamedEnum E>
  void read(const Field& field, E& member) {
    if (const auto value = fields_.one_of<E>(field.path)) member = *value;
  }
  template <NamedEnum E>
  void read(const Field& field, std::optional<E>& member) {
    member = fields_.one_of<E>(field.path);
  }

  void check_words(const Field& field, const Node& node) {
    const std::span<const Node> entries = node.is_list() ? std::span<const Node>(node.children) : std::span(&node, 1);
    for (const Node& entry : entries)
      if (std::ranges::find(field.words, entry.text) == field.words.end())
        fields_.not_one_of(field.path, entry, field.words);
  }

  Tables& tables_;
  Fields& fields_;
  bool complete_;
};

class Ingest {
 public:
  Ingest(Tables& tables, Laying how, Errors& errors)
      : tables_(tables), overlay_(how != Laying::whole), kept_(how == Laying::kept), errors_(errors) {}

  void run(std::span<const Document> documents);

 private:
  using Ids = std::unordered_map<std::string, std::uint32_t>;

  template <class Action>
  void each(std::span<const Document> documents, std::string_view section, Action action);

  void index_existing();
  void check_sections(const Document& document);

  // Records: what exists (ingest.cpp).
  template <class Record>
  void read_into(Record& record, Fields& fields, bool is_new);
  template <class Record>
  void check_sources(const Record& record, Fields& fields);
  /// A provider, its families, a GPU and a currency that a record names must be there.
  template <class Record>
  void check_references(const Record& record, Fields& fields);
  template <class Record>
  Record* place_for(const std::string& key, const Node& at, Fields& fields, std::vector<Record>& records, Ids& ids,
                    const std::string& what, bool& is_new);
  bool is_younger(Fields& fields, const std::vector<TokenPrice>& records, const Ids& ids) const;
  template <class Record>
  void record(const Node& node, Problems& problems, std::vector<Record>& records, Ids& ids, const std::string& what);
  void source(const Node& node, Problems& problems);
  void rate(const Node& node, Problems& problems);
  /// `kind`: where it does not say one.
  void place(const Node& node, std::optional<PlaceKind> kind, Problems& problems);

  // The market: what can be rented, where and for how much (ingest_market.cpp).
  void provider(const Node& node, Problems& problems);
  void check_country(std::string_view country, const Node& at, Fields& fields);
  void region_list(const Node& node, Problems& problems);
  void regions_of(const std::string& provider, const std::string& source, const Node& regions, Fields& fields);
  void region(const std::string& provider, const std::string& source, const Node& node, Problems& problems);
  void family(const Node& node, Problems& problems);
  Instance change_family(const std::string& provider, const std::string& id, Fields& fields);
  /// The sizes of a family, by their place among all.
  std::vector<std::uint32_t>& sizes_of(std::string_view provider, std::string_view family);
  void size(const Instance& shared, const Node& node, Problems& problems);
  void check_instance(const Instance& instance, Fields& fields);
  void prices(const Node& node, Problems& problems);
  const Node* amounts_of(Fields& fields, Offer& offer);
  void sheet(const std::string& provider, const Node& region, StatedPrice price, const Node& amounts, Fields& fields);
  std::uint8_t currency_of(Fields& fields);
  std::uint16_t origin_of(Fields& fields);

  // Facts about those records (ingest_sheets.cpp).
  void render_scores(const Node& node, Problems& problems);
  void availability(const Node& node, Problems& problems);
  template <class Record, class Same>
  void state_once(std::vector<Record>& records, std::size_t old_count, const Record& record, Same same, const Node& at,
                  Fields& fields, const std::string& what);
  bool known_gpu(std::string_view name, const Node& at, Fields& fields);

  bool known_source(std::string_view key, const Node& at, Fields& fields);
  bool known_provider(Fields& fields, const std::string& provider);
  bool has_instance(std::string_view provider, std::string_view name, std::string_view Instance::* member) const;
  bool has_rate(Currency currency) const;
  /// The nearest SKU or family of a provider.
  std::string suggest_name(std::string_view provider, std::string_view word, std::string_view Instance::* name) const;

  Tables& tables_;
  bool overlay_;
  bool kept_;
  Errors& errors_;
  Ids source_ids_;
  Ids place_ids_;
  Ids gpu_ids_;
  Ids model_ids_;
  std::map<std::string_view, Ids> part_ids_;  // by section
  Ids provider_ids_;
  Ids region_ids_;
  Ids sku_ids_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> family_sizes_;  // by sizes_of()
  std::unordered_map<const Ids*, Ids> created_;  // by this run: even an overlay may not say a thing twice
  std::vector<StatedPrice> stated_;
  std::size_t old_scores_ = 0;  // how many there were before this run
  std::size_t old_states_ = 0;
  std::set<std::tuple<std::uint32_t, std::uint16_t, Term, std::uint8_t, std::int32_t>> priced_;
};

/// "did you mean …?" out of the ids of one kind.
std::string suggest(std::string_view word, const std::unordered_map<std::string, std::uint32_t>& ids);
/// The key under which a thing of a provider is known.
std::string pair_key(std::string_view first, std::string_view second);
bool good_id(const std::string& id, const Node& at, Fields& fields);
/// Words of a GPU that must be among known ones: its native formats, and the figures that have own sources.
void check_gpu(const Gpu& gpu, Fields& fields);

template <class Record>
Record* Ingest::place_for(const std::string& key, const Node& at, Fields& fields, std::vector<Record>& records,
                          Ids& ids, const std::string& what, bool& is_new) {
  const auto [entry, inserted] = ids.try_emplace(key, static_cast<std::uint32_t>(records.size()));
  is_new = inserted;
  const bool said_before = !created_[&ids].emplace(key, 0).second;
  if (inserted) return &records.emplace_back();
  if (!overlay_ || said_before) {
    fields.fail(at, say("{} '{}' is defined twice", what, shorten(key.substr(key.find('\n') + 1), 60)));
    return nullptr;
  }
  return &records[entry->second];
}

template <class Record>
void Ingest::check_sources(const Record& record, Fields& fields) {
  visit_fields(record, [&](const Field& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if (!field.json.ends_with("source") && !field.json.ends_with("sources")) return;
    const Node* node = fields.find(field.path);
    if (node == nullptr) return;
    if constexpr (std::is_same_v<Member, TextList>) {
      for (const std::string_view key : member) known_source(key.substr(key.find('=') + 1), *node, fields);
    } else if constexpr (std::is_same_v<Member, std::string_view>) {
      known_source(member, *node, fields);
    }
  });
}

template <class Record>
void Ingest::read_into(Record& record, Fields& fields, bool is_new) {
  visit_fields(record, MemberReader(tables_, fields, is_new));
  check_sources(record, fields);
  if constexpr (std::is_same_v<Record, Gpu>) check_gpu(record, fields);
  fields.finish();
}

}  // namespace gpusel::catalog
