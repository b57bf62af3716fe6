// A market as YAML: what the loader reads back is the same market. Every text is quoted, every fact stands
// with its size, so that the files are also an overlay that changes nothing it does not state.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/import.hpp"
#include "catalog/snapshot/lay.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::string_view kMark =
    "# Written by 'gpusel catalog import'; the next import into this folder replaces it.\n";
constexpr std::string_view kPrefix = "imported-";
/// A file of prices stays well below what the loader reads of one.
constexpr std::size_t kFullFile = std::size_t{8} << 20U;

std::string list_of(const TextList& texts) {
  std::string out = join_texts(texts, ", ", quoted_yaml);
  return "[" + out + "]";
}

/// One member as YAML; empty where it is unknown.
std::string yaml(std::string_view member) { return member.empty() ? std::string() : quoted_yaml(member); }
std::string yaml(const TextList& member) { return member.empty() ? std::string() : list_of(member); }
std::string yaml(const Number& member) { return member ? format("{}", *member) : std::string(); }
std::string yaml(const std::optional<bool>& member) { return !member ? "" : *member ? "true" : "false"; }
std::string yaml(Date member) { return member.text(); }
template <NamedEnum E>
std::string yaml(E member) {
  return std::string(to_text(member));
}
template <NamedEnum E>
std::string yaml(const std::optional<E>& member) {
  return member ? yaml(*member) : std::string();
}

/// "key: value, key: {inner: value}" out of a record's fields, in their order.
class FlowMap {
 public:
  template <class Member>
  void operator()(const Field& field, const Member& member) {
    const std::string value = yaml(member);
    if (value.empty()) return;
    const auto dot = field.path.find('.');
    const std::string_view outer = dot == std::string_view::npos ? std::string_view{} : field.path.substr(0, dot);
    if (outer != open_) close();
    if (!text_.empty()) text_ += text_.ends_with('{') ? "" : ", ";
    if (outer != open_) {
      text_ += std::string(outer) + ": {";
      open_ = outer;
    }
    text_ += std::string(outer.empty() ? field.path : field.path.substr(dot + 1)) + ": " + value;
  }
  std::string text() {
    close();
    return text_;
  }

 private:
  void close() {
    if (!open_.empty()) text_ += "}";
    open_ = {};
  }
  std::string text_;
  std::string_view open_;
};

std::string source_text(const Source& source) {
  FlowMap map;
  visit_fields(source, [&](const Field& field, const auto& member) {
    if (field.path != "key") map(field, member);
  });
  return "  " + quoted_yaml(source.key) + ": {" + map.text() + "}\n";
}

bool knows(const Catalog* known, const Region& region) {
  return known != nullptr && std::ranges::any_of(known->regions(), [&](const Region& other) {
           return other.provider == region.provider && other.id == region.id;
         });
}

std::string provider_text(const Provider& provider, const Catalog& market, const Catalog* known) {
  FlowMap map;
  if (known != nullptr && known->provider(provider.id))
    map(Field{.path = "id", .json = "id"}, provider.id);
  else
    visit_fields(provider, map);
  std::string text = "  - {" + map.text() + ", regions: {";
  bool first = true;
  for (const Region& region : market.regions()) {
    if (region.provider != provider.id || knows(known, region)) continue;
    text += std::string(first ? "" : ",") + "\n      " + quoted_yaml(region.id) + ": {";
    first = false;
    if (!region.country.empty()) text += "country: " + quoted_yaml(region.country);
    if (!region.name.empty())
      text += std::string(region.country.empty() ? "" : ", ") + "name: " + quoted_yaml(region.name);
    text += "}";
  }
  return text + "}}\n";
}

std::string size_text(const Instance& instance) {
  FlowMap map;
  visit_size_fields(instance, map);
  visit_shared_fields(instance, map);
  return "      - {" + map.text() + "}\n";
}

/// Files of one provider: what it is and what it rents, then prices.
class ProviderFiles {
 public:
  ProviderFiles(const Catalog& market, const Provider& provider, const MarketText& as)
      : market_(market), provider_(provider), as_(as) {
    if (as.known == nullptr) return;
    for (const Instance& instance : as.known->instances())
      if (instance.provider == provider.id) known_.insert(instance.sku);
  }

  std::vector<YamlFile> write() {
    begin();
    text_ += "providers:\n" + provider_text(provider_, market_, as_.known);
    families();
    sheets();
    end();
    return std::move(files_);
  }

 private:
  struct Sheet {
    std::string head;
    std::string amounts;
  };
  /// Currencies by code, origins by their texts: their places in a catalogue are those in which they were met.
  using SheetKey = std::tuple<std::uint16_t, Term, std::string_view, std::int32_t, std::string_view, std::string_view,
                              Confidence, Period>;

  void begin() { text_ = kMark; }
  void end() {
    std::string name = std::string(kPrefix) + std::string(provider_.id);
    if (!files_.empty()) name += format("_{:03}", files_.size() + 1);  // read behind the first
    files_.push_back({name + ".yaml", std::move(text_)});
  }

  void families() {
    std::map<std::string_view, std::vector<const Instance*>> families;
    for (const Instance& instance : market_.instances())
      if (instance.provider == provider_.id && !known_.contains(instance.sku))
        families[instance.family].push_back(&instance);
    if (!families.empty()) text_ += "families:\n";  // of a provider all of whose rows were left out there are none
    for (const auto& [id, sizes] : families) {
      next_file_if_full("families:\n");
      text_ += "  - provider: " + quoted_yaml(provider_.id) + "\n    id: " + quoted_yaml(id) + "\n    sizes:\n";
      for (const Instance* size : sizes) text_ += size_text(*size);
    }
  }

  void sheets() {
    std::map<SheetKey, std::vector<const Offer*>> sheets;
    const auto put = [&](const Offer& offer) {
      const Origin& origin = market_.origin_of(offer);
      sheets[{offer.region, offer.term, market_.currency_of(offer).code(), -offer.as_of, origin.source, origin.note,
              origin.confidence, offer.period}]
          .push_back(&offer);
    };
    for (const Instance& instance : market_.instances())
      if (instance.provider == provider_.id)
        for (const Offer& offer : market_.offers_of(instance)) {
          put(offer);
          std::ranges::for_each(market_.history_of(offer), put);
        }
    if (!sheets.empty()) text_ += "prices:\n";
    for (const auto& [key, offers] : sheets) {
      next_file_if_full("prices:\n");
      const std::string head = sheet_head(*offers.front());
      text_ += head;
      for (const Offer* offer : offers) {
        // A sheet of no prices would be none: a long note can fill a file before the first.
        if (offer != offers.front() && next_file_if_full("prices:\n")) text_ += head;
        text_ += "      " + quoted_yaml(market_.instances()[offer->instance].sku) + ": " + format("{}", offer->amount) +
                 "\n";
      }
    }
  }

  std::string sheet_head(const Offer& offer) const {
    const Origin& origin = market_.origin_of(offer);
    std::string text = "  - provider: " + quoted_yaml(provider_.id) +
                       "\n    region: " + quoted_yaml(market_.region_of(offer).id) + "\n    term: " + yaml(offer.term) +
                       "\n    currency: " + std::string(market_.currency_of(offer).code()) + "\n";
    if (offer.as_of != 0) text += "    as_of: " + Date::from_packed(offer.as_of).text() + "\n";
    text += "    source: " + quoted_yaml(origin.source) + "\n    confidence: " + yaml(origin.confidence) + "\n";
    if (as_.listed) text += "    kind: list\n";
    if (!origin.note.empty()) text += "    note: " + quoted_yaml(origin.note) + "\n";
    return text + "    per_" + yaml(offer.period) + ":\n";
  }

  bool next_file_if_full(std::string_view section) {
    if (text_.size() < kFullFile) return false;
    end();
    begin();
    text_ += section;
    return true;
  }

  const Catalog& market_;
  const Provider& provider_;
  const MarketText& as_;
  std::set<std::string_view> known_;  // sizes
  std::string text_;
  std::vector<YamlFile> files_;
};

/// Whether a file is one that an import wrote, or was about to put in its place when it was killed.
bool is_mine(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!(name.starts_with(kPrefix) && name.ends_with(".yaml")) && !is_pending_name(name)) return false;
  const auto file = InputFile::open(path.string());
  std::string first(kMark.size(), '\0');
  return file && file->read(first) == static_cast<ssize_t>(first.size()) && first == kMark;
}

/// What an earlier import left there and this one does not write anew. Error: some of it may be overlooked.
std::vector<std::string> others_in(const std::string& directory, const std::vector<YamlFile>& files,
                                   std::error_code& failed) {
  namespace fs = std::filesystem;
  std::vector<std::string> others;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
    const bool kept = std::any_of(files.begin(), files.end(),
                                  [&](const YamlFile& file) { return file.name == at->path().filename(); });
    if (!kept && is_mine(at->path())) others.push_back(at->path().string());
  }
  return others;
}

}  // namespace

std::string quoted_yaml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "\"";
}

std::vector<YamlFile> market_yaml(const Catalog& market, const MarketText& as) {
  // Several providers can share a source: all of them stand in a file of their own.
  std::string sources = std::string(kMark) + "sources:\n";
  for (const Source& source : market.sources()) sources += source_text(source);
  std::vector<YamlFile> files;
  files.push_back({std::string(kPrefix) + "_sources.yaml", std::move(sources)});
  for (const Provider& provider : market.providers()) {
    auto own = ProviderFiles(market, provider, as).write();
    std::move(own.begin(), own.end(), std::back_inserter(files));
  }
  return files;
}

Status write_market_yaml(const std::string& directory, const std::vector<YamlFile>& files, bool force) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed)
    return std::unexpected(
        Error{ErrorKind::io,
              say("cannot make the folder '{}': {}", printable(directory), system_reason(failed.value())),
              {},
              {}});
  const FolderLock alone(directory, FolderLock::For::writing);
  if (alone.busy())
    return std::unexpected(Error{ErrorKind::io,
                                 say("'{}' is being read or written by another gpusel", printable(directory)),
                                 {},
                                 say("try again")});
  std::vector<std::string> contents;
  for (const YamlFile& file : files) contents.push_back(signed_text(file.text));
  std::vector<FileText> texts;
  for (std::size_t i = 0; i < files.size(); ++i)
    texts.push_back({(fs::path(directory) / files[i].name).string(), contents[i]});
  // A mark of an import that was broken off has no checksum, and neither have files of an earlier program.
  const auto author = [](const std::string& text) {
    const Author signer = author_of(text);
    return signer == Author::other && text.starts_with(kMark) ? Author::program : signer;
  };
  const std::string unfinished = std::string(kMark) + std::string(kUnfinished) + ": true\n";
  const std::vector<std::string> others = others_in(directory, files, failed);
  if (failed)
    return std::unexpected(
        Error{ErrorKind::io,
              say("cannot read all of '{}': {}", printable(directory), system_reason(failed.value())),
              {},
              {}});
  return write_own({.files = texts, .force = force, .author = author, .unfinished = unfinished, .obsolete = others});
}

}  // namespace gpusel::catalog
