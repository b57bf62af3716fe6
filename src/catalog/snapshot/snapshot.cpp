// Tables to and from the FlatBuffers block of snapshot.fbs. Every record goes through its
// visit_fields list: a column per field, so reader and writer cannot drift apart.
#include "snapshot_generated.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/words/message.hpp"
#include "catalog/snapshot/snapshot_texts.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

namespace fb = snapshot;

constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kBytesPerInstance = 300;    // its columns, names and texts, about
constexpr std::uint32_t kChildrenBelieved = 256;  // of a node, before they are seen

static_assert(sizeof(fb::OfferRow) == sizeof(Offer) && alignof(fb::OfferRow) == alignof(Offer),
              "offers are used in place");

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// How each kind of member lies in a column: as a number or as a text.
double as_number(const Number& member) { return member.value_or(kUnknown); }
double as_number(const std::optional<bool>& member) { return member ? (*member ? 1 : 0) : kUnknown; }
double as_number(Date member) { return member.known() ? member.packed() : kUnknown; }
template <NamedEnum E>
double as_number(E member) {
  return static_cast<double>(member);
}
template <NamedEnum E>
double as_number(const std::optional<E>& member) {
  return member ? static_cast<double>(*member) : kUnknown;
}
std::string_view as_text(std::string_view member) { return member; }
std::string_view as_text(const TextList& member) { return member.joined(); }
std::string_view as_text(const Currency& member) { return member.code(); }

void from_number(double value, Number& member) { member = std::isnan(value) ? Number{} : Number{value}; }
void from_number(double value, std::optional<bool>& member) {
  member = std::isnan(value) ? std::optional<bool>{} : std::optional<bool>{value != 0};
}
bool is_day(double yyyymmdd) { return yyyymmdd >= 0 && yyyymmdd < 1e8; }

void from_number(double value, Date& member) {
  member = is_day(value) ? Date::from_packed(static_cast<std::int32_t>(value)) : Date{};
}
template <NamedEnum E>
void from_number(double value, E& member) {
  if (value >= 0 && value < static_cast<double>(enum_names<E>.size())) member = static_cast<E>(value);
}
template <NamedEnum E>
void from_number(double value, std::optional<E>& member) {
  member.reset();
  if (value >= 0 && value < static_cast<double>(enum_names<E>.size())) member = static_cast<E>(value);
}
void from_text(std::string_view text, std::string_view& member) { member = text; }
void from_text(std::string_view text, TextList& member) { member = TextList(text); }
void from_text(std::string_view text, Currency& member) { member = Currency::parse(text).value_or(Currency{}); }

template <class Member>
concept TextMember = requires(const Member& member) { as_text(member); };

template <class Records>
flatbuffers::Offset<fb::Sheet> write_sheet(flatbuffers::FlatBufferBuilder& builder, TextWriter& texts, const char* name,
                                           const Records& records) {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> words;
  const auto column = [](auto& columns, std::size_t index, std::string_view title) -> auto& {
    if (index == columns.size()) columns.emplace_back(std::string(title), 0);
    return columns[index].second;
  };
  for (const auto& record : records) {
    std::size_t number = 0;
    std::size_t word = 0;
    visit_fields(record, [&](const Field& field, const auto& member) {
      if constexpr (TextMember<std::remove_cvref_t<decltype(member)>>)
        column(words, word++, field.json).push_back(texts.offset(as_text(member)));
      else
        column(numbers, number++, field.json).push_back(as_number(member));
    });
  }
  std::vector<flatbuffers::Offset<fb::NumberColumn>> number_columns;
  number_columns.reserve(numbers.size());
  for (const auto& [title, values] : numbers)
    number_columns.push_back(fb::CreateNumberColumnDirect(builder, title.c_str(), &values));
  std::vector<flatbuffers::Offset<fb::TextColumn>> text_columns;
  text_columns.reserve(words.size());
  for (const auto& [title, values] : words)
    text_columns.push_back(fb::CreateTextColumnDirect(builder, title.c_str(), &values));
  return fb::CreateSheetDirect(builder, name, static_cast<std::uint32_t>(records.size()), &number_columns,
                               &text_columns);
}

void flatten(const Node& node, TextWriter& texts, std::vector<fb::NodeRow>& rows) {
  rows.emplace_back(texts.offset(node.key), texts.offset(node.text), node.line, node.column,
                    static_cast<std::uint32_t>(node.children.size()), static_cast<std::uint8_t>(node.kind),
                    node.quoted);
  for (const Node& child : node.children) flatten(child, texts, rows);
}

std::vector<fb::NameRow> name_rows(const std::vector<NameEntry>& names, TextWriter& texts) {
  std::vector<fb::NameRow> rows;
  rows.reserve(names.size());
  for (const NameEntry& entry : names) rows.emplace_back(texts.offset(entry.folded), entry.index);
  return rows;
}

struct CurrencyRecord {
  Currency currency;
};
template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, CurrencyRecord>
void visit_fields(Record& record, Visitor&& v) {
  v(Field{.path = "currency", .json = "currency"}, record.currency);
}

std::vector<CurrencyRecord> currency_records(const Tables& tables) {
  std::vector<CurrencyRecord> records;
  records.reserve(tables.currencies.size());
  for (const Currency& currency : tables.currencies) records.push_back({currency});
  return records;
}

/// Reads the sheets of one snapshot into records, column by column.
class SheetReader {
 public:
  SheetReader(const fb::Snapshot& root, TextReader& texts, bool trusted)
      : root_(root), texts_(texts), trusted_(trusted) {}

  template <class Record>
  void read(std::string_view name, std::vector<Record>& records) {
    const fb::Sheet* sheet = nullptr;
    for (const fb::Sheet* candidate : *root_.sheets())
      if (candidate->name()->string_view() == name) sheet = candidate;
    if (sheet == nullptr) return;
    const Columns columns = columns_of<Record>(*sheet);
    // Rows are believed only when some column really has so many.
    const bool backed = std::any_of(columns.begin(), columns.end(),
                                    [](const Column& c) { return c.numbers != nullptr || c.texts != nullptr; });
    intact_ = intact_ && (backed || sheet->rows() == 0);
    if (!intact_) return;
    records.clear();
    records.reserve(sheet->rows());
    for (std::uint32_t row = 0; row < sheet->rows(); ++row) {
      const Column* column = columns.data();
      visit_fields(records.emplace_back(), [&](const Field&, auto& member) { fill(*column++, row, member); });
    }
  }
  bool intact() const { return intact_; }

 private:
  struct Column {
    const double* numbers = nullptr;
    const std::uint32_t* texts = nullptr;
  };
  using Columns = std::vector<Column>;

  template <class Member>
  void fill(const Column& column, std::uint32_t row, Member& member) {
    if constexpr (TextMember<Member>) {
      if (column.texts != nullptr) from_text(texts_.at(column.texts[row]), member);
    } else if (column.numbers != nullptr) {
      from_number(column.numbers[row], member);
    }
  }

  /// As strict as the reader of YAML; NaN is unknown.
  static bool all_within(Range range, std::span<const double> values) {
    return std::ranges::all_of(values, [&](double value) { return std::isnan(value) || range.contains(value); });
  }

  /// A column per field, in the fields' order; missing ones (an older snapshot) read as unknown.
  template <class Record>
  Columns columns_of(const fb::Sheet& sheet) {
    Columns columns;
    std::uint32_t next_number = 0;
    std::uint32_t next_text = 0;
    Record example;
    visit_fields(example, [&](const Field& field, auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      Column column;
      if constexpr (TextMember<Member>)
        column.texts = values_of(*sheet.texts(), next_text, field.json, sheet.rows());
      else
        column.numbers = values_of(*sheet.numbers(), next_number, field.json, sheet.rows());
      if constexpr (std::same_as<Member, Number>)
        intact_ = intact_ &&
                  (trusted_ || column.numbers == nullptr || all_within(field.range, {column.numbers, sheet.rows()}));
      columns.push_back(column);
    });
    return columns;
  }

  /// Columns stand in the order of the fields, so the next one is nearly always the right one.
  template <class ColumnTable>
  auto values_of(const flatbuffers::Vector<flatbuffers::Offset<ColumnTable>>& columns, std::uint32_t& next,
                 std::string_view name, std::uint32_t rows) -> decltype(columns.Get(0)->values()->data()) {
    for (std::uint32_t tried = 0; tried < columns.size(); ++tried) {
      const std::uint32_t index = (next + tried) % columns.size();
      const ColumnTable* column = columns.Get(index);
      if (column->name()->string_view() != name) continue;
      next = index + 1;
      if (column->values()->size() == rows) return column->values()->data();
      intact_ = false;
    }
    return nullptr;
  }

  const fb::Snapshot& root_;
  TextReader& texts_;
  bool trusted_;
  bool intact_ = true;
};

void read_names(const flatbuffers::Vector<const fb::NameRow*>& rows, TextReader& texts, std::vector<NameEntry>& names) {
  names.clear();
  names.reserve(rows.size());
  for (const fb::NameRow* row : rows) names.push_back({texts.at(row->text()), row->index()});
}

using OfferRows = flatbuffers::Vector<const fb::OfferRow*>;

flatbuffers::Offset<OfferRows> write_offers(flatbuffers::FlatBufferBuilder& builder, std::span<const Offer> offers) {
  return builder.CreateVectorOfStructs(reinterpret_cast<const fb::OfferRow*>(offers.data()), offers.size());
}

/// Where they lie; none of a snapshot that has no such rows.
std::span<const Offer> offers_of(const OfferRows* rows) {
  if (rows == nullptr) return {};
  return {reinterpret_cast<const Offer*>(rows->data()), rows->size()};
}

bool is_whole(const Offer& offer, const Tables& tables) {
  return offer.instance < tables.instances.size() && offer.region < tables.regions.size() &&
         offer.origin < tables.origins.size() && offer.currency < tables.currencies.size() &&
         static_cast<std::size_t>(offer.term) < enum_names<Term>.size() && offer.period <= Period::year &&
         offer.kind <= PriceKind::own && kPrices.contains(offer.amount) && is_day(offer.as_of);
}

/// Every index inside the tables stays inside: a damaged file is refused, never followed. The many rows of a history
/// that the build of this program wrote are not looked at again.
bool indices_hold(const Tables& tables, bool trusted) {
  const auto whole = [&](const Offer& offer) { return is_whole(offer, tables); };
  if (!std::ranges::all_of(tables.offers, whole)) return false;
  if (!trusted && !(std::ranges::all_of(tables.history, whole) && std::ranges::is_sorted(tables.history, PriceOrder())))
    return false;
  const auto within = [](const std::vector<NameEntry>& names, std::size_t size) {
    for (const NameEntry& entry : names)
      if (entry.index >= size) return false;
    return true;
  };
  return within(tables.sku_names, tables.instances.size()) && within(tables.gpu_names, tables.gpus.size()) &&
         within(tables.model_names, tables.models.size()) && within(tables.cpu_names, tables.cpus.size());
}

/// Records of `mine` in place of those with the same key, others behind them.
template <class Record, class Key>
void lay_over(std::vector<Record>& base, std::vector<Record> mine, Key Record::* key) {
  if (base.empty()) {
    base = std::move(mine);
    return;
  }
  for (Record& record : mine) {
    const auto known =
        std::find_if(base.begin(), base.end(), [&](const Record& other) { return other.*key == record.*key; });
    known == base.end() ? void(base.push_back(record)) : void(*known = record);
  }
}

/// Regions of ours that a market does not list, behind those that its offers point at: that they exist is known.
void add_unlisted(std::vector<Region>& listed, std::span<const Region> known) {
  std::set<std::pair<std::string_view, std::string_view>> ids;
  for (const Region& region : listed) ids.emplace(region.provider, region.id);
  for (const Region& region : known)
    if (listed.size() < kMostRegions && ids.emplace(region.provider, region.id).second) listed.push_back(region);
}

void unflatten(Node& node, const flatbuffers::Vector<const fb::NodeRow*>& rows, std::uint32_t& next, TextReader& texts,
               int depth = 0) {
  const fb::NodeRow& row = *rows.Get(next++);
  node.kind =
      row.kind() <= static_cast<std::uint8_t>(Node::Kind::map) ? static_cast<Node::Kind>(row.kind()) : Node::Kind::null;
  node.quoted = row.quoted();
  node.line = row.line();
  node.column = row.column();
  if (row.key() != 0) node.key = texts.at(row.key());  // of a list's entry there is none
  if (row.text() != 0) node.text = texts.at(row.text());
  if (depth == kMaxDepth) return;
  node.children.reserve(std::min({row.children(), rows.size() - next, kChildrenBelieved}));
  for (std::uint32_t i = 0; i < row.children() && next < rows.size(); ++i)
    unflatten(node.children.emplace_back(), rows, next, texts, depth + 1);
}

/// The build stores each section of a file as a document of its own, so its first key tells.
bool is_of(const fb::Document& tree, std::string_view section, TextReader& texts) {
  const auto& nodes = *tree.nodes();
  if (nodes.size() == 0) return false;
  return section.empty() || (nodes.size() >= 2 && texts.at(nodes.Get(1)->key()) == section);
}

}  // namespace

std::string snapshot_bytes(const Tables& tables, std::span<const Document> documents) {
  // Large enough from the start: growing would copy a million offers again and again.
  flatbuffers::FlatBufferBuilder builder((1U << 20U) + tables.offers.size() * sizeof(Offer) +
                                         tables.instances.size() * kBytesPerInstance);
  TextWriter texts;
  std::vector<flatbuffers::Offset<fb::Sheet>> sheets{
      write_sheet(builder, texts, "gpus", tables.gpus),
      write_sheet(builder, texts, "models", tables.models),
      write_sheet(builder, texts, "providers", tables.providers),
      write_sheet(builder, texts, "regions", tables.regions),
      write_sheet(builder, texts, "instances", tables.instances),
      write_sheet(builder, texts, "origins", tables.origins),
      write_sheet(builder, texts, "sources", tables.sources),
      write_sheet(builder, texts, "rates", tables.rates),
      write_sheet(builder, texts, "places", tables.places),
      write_sheet(builder, texts, "states", tables.states),
      write_sheet(builder, texts, "render_scores", tables.render_scores),
      write_sheet(builder, texts, "currencies", currency_records(tables))};
  visit_parts(tables, [&](const char* section, const auto& records, std::string_view) {
    sheets.push_back(write_sheet(builder, texts, section, records));
  });
  std::vector<flatbuffers::Offset<fb::Document>> trees;
  for (const Document& document : documents) {
    std::vector<fb::NodeRow> rows;
    flatten(document.root, texts, rows);
    trees.push_back(fb::CreateDocumentDirect(builder, document.name.c_str(), &rows));
  }
  const auto gpu_names = name_rows(tables.gpu_names, texts);
  const auto model_names = name_rows(tables.model_names, texts);
  const auto sku_names = name_rows(tables.sku_names, texts);
  const auto cpu_names = name_rows(tables.cpu_names, texts);
  const auto offers = write_offers(builder, tables.offers);
  const auto history = write_offers(builder, tables.history);
  const auto root =
      fb::CreateSnapshot(builder, kFormat, builder.CreateVector(texts.bytes()), builder.CreateVector(sheets), offers,
                         builder.CreateVectorOfStructs(gpu_names), builder.CreateVectorOfStructs(model_names),
                         builder.CreateVectorOfStructs(sku_names), builder.CreateVector(trees),
                         builder.CreateVectorOfStructs(cpu_names), history);
  fb::FinishSnapshotBuffer(builder, root);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

Errors read_snapshot(Tables& tables, const std::shared_ptr<const Block>& block) {
  const fb::Snapshot& root = *fb::GetSnapshot(block->bytes().data());
  const auto refuse = [](std::string message) {
    return Errors{{ErrorKind::bad_catalogue, std::move(message), {}, say("write it again with this version")}};
  };
  if (root.format() != kFormat)
    return refuse(say("snapshot format {} is not the {} this program reads", root.format(), kFormat));
  TextReader texts(*root.texts());
  SheetReader sheets(root, texts, block->is_built_in());
  tables.blocks.push_back(block);
  const bool alone = tables.gpus.empty();
  const auto lay = [&](std::string_view name, auto& base, auto key) {
    std::remove_reference_t<decltype(base)> mine;
    sheets.read(name, mine);
    lay_over(base, std::move(mine), key);
  };
  lay("gpus", tables.gpus, &Gpu::id);
  lay("models", tables.models, &Model::id);
  lay("rates", tables.rates, &ExchangeRate::currency);
  lay("places", tables.places, &Place::id);
  lay("sources", tables.sources, &Source::key);
  visit_parts(tables, [&]<class Part>(const char* section, std::vector<Part>& records, std::string_view) {
    if constexpr (std::is_same_v<Part, Drift>) {  // of one market, not of two
      std::vector<Drift> mine;
      sheets.read(section, mine);
      if (!mine.empty()) records = std::move(mine);
    } else {
      lay(section, records, &Part::id);
    }
  });
  std::vector<RenderScore> scores;  // of a GPU all or none
  sheets.read("render_scores", scores);
  std::erase_if(tables.render_scores, [&](const RenderScore& old) {
    return std::ranges::find(scores, old.gpu, &RenderScore::gpu) != scores.end();
  });
  tables.render_scores.insert(tables.render_scores.end(), scores.begin(), scores.end());
  tables.document_blocks.push_back(block);
  if (alone) {
    read_names(*root.gpu_names(), texts, tables.gpu_names);
    read_names(*root.model_names(), texts, tables.model_names);
  } else {
    list_gpu_names(tables);
    list_model_names(tables);
  }
  sheets.read("providers", tables.providers);
  std::vector<Region> regions = std::exchange(tables.regions, {});
  sheets.read("regions", tables.regions);
  add_unlisted(tables.regions, regions);
  sheets.read("instances", tables.instances);
  sheets.read("origins", tables.origins);
  tables.states.clear();
  sheets.read("states", tables.states);
  std::vector<CurrencyRecord> currencies;
  sheets.read("currencies", currencies);
  tables.currencies.clear();
  for (const CurrencyRecord& record : currencies) tables.currencies.push_back(record.currency);
  read_names(*root.sku_names(), texts, tables.sku_names);
  const auto& offers = *root.offers();
  tables.offers = offers_of(&offers);
  tables.history = offers_of(root.history());
  tables.market_is_own = false;
  // Its words for processors stand for its own processors only.
  const bool knows_cpus = alone && root.cpu_names() != nullptr;
  if (knows_cpus) read_names(*root.cpu_names(), texts, tables.cpu_names);
  if (!texts.intact() || !sheets.intact() || !indices_hold(tables, block->is_built_in()))
    return refuse(say("the snapshot is damaged"));
  if (!knows_cpus) list_cpu_names(tables);
  join(tables);
  return {};
}

std::vector<Document> snapshot_documents(const Block& block, std::string_view section) {
  const fb::Snapshot& root = *fb::GetSnapshot(block.bytes().data());
  TextReader texts(*root.texts());
  std::vector<Document> documents;
  for (const fb::Document* tree : *root.documents()) {
    if (!is_of(*tree, section, texts)) continue;
    std::uint32_t next = 0;
    unflatten(documents.emplace_back(Document{tree->name()->str(), {}}).root, *tree->nodes(), next, texts);
  }
  return documents;
}

}  // namespace gpusel::catalog
