// Directories and files of YAML into tables.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>

#include "base/io/file.hpp"
#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/read/price_rows.hpp"
#include "catalog/records/mig.hpp"
#include "catalog/snapshot/lay.hpp"
#include "catalog/snapshot/load.hpp"
#include "catalog/update/kept_lists.hpp"

namespace gpusel::catalog {

namespace {

namespace fs = std::filesystem;

/// Tables of prices lie in folders of that name.
constexpr std::string_view kPriceFolder = "prices";

Result<Document> read_yaml(const std::string& path) {
  auto text = read_text_file(path);
  if (!text) return std::unexpected(text.error());
  auto document = parse_yaml(*text, path);
  if (document && document->root.find(kUnfinished) != nullptr)
    return std::unexpected(Error{ErrorKind::bad_catalogue, say("an import into this folder was broken off halfway"),
                                 path, say("import again, or remove its imported-*.yaml")});
  return document;
}

Result<Document> read_price_table(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return std::unexpected(text.error());
  return price_rows(*text, path);
}

Result<Document> read_document(const std::string& path) {
  return fs::path(path).extension() == ".csv" ? read_price_table(path) : read_yaml(path);
}

// A folder is read to these bounds: a catalogue lies well within them, somebody's home does not.
constexpr std::size_t kMostEntries = 20'000;  // looked at, whatever they are
constexpr std::size_t kMostFiles = 2'000;
constexpr int kDeepest = 8;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kMostValues = 4'000'000;  // in all its files together

/// Files of a folder, until there is a reason to look no further.
struct Found {
  std::vector<std::string> files;  // in the order of their names
  std::uint64_t bytes = 0;
  std::string refusal;
};

/// Values in a tree, itself one of them.
std::size_t values_in(const Node& node) {
  std::size_t count = 1;
  for (const Node& child : node.children) count += values_in(child);
  return count;
}

std::unexpected<Errors> not_read(const std::string& path, const std::string& reason) {
  return std::unexpected(Errors{{ErrorKind::usage,
                                 say("'{}' is not read as a catalog: {}", printable(path), reason),
                                 {},
                                 say("name the folder, or the file, that has the facts alone")}});
}

Error not_all_read(const std::string& path, const std::error_code& why) {
  return {ErrorKind::usage, say("cannot read all of '{}': {}", printable(path), system_reason(why.value())), {}, {}};
}

/// What nobody means as a catalogue.
std::string refusal_of(const std::string& directory) {
  std::error_code failed;
  const fs::path folder = fs::canonical(directory, failed);
  const std::string_view home = environment("HOME");
  if (folder == folder.root_path()) return say("it is the root of all files");
  if (!home.empty() && fs::equivalent(folder, home, failed)) return say("it is your home folder");
  return {};
}

/// The files below `directory` with that extension, in the order of their names; not those of folders that are passed.
Found files_in(const std::string& directory, std::string_view extension, std::error_code& failed,
               const std::function<bool(const fs::path&)>& passes = nullptr) {
  Found found;
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
    if (++entries > kMostEntries) found.refusal = say("it has more than {} entries", human_number(kMostEntries));
    if (at.depth() >= kDeepest) found.refusal = say("it is deeper than {} folders", kDeepest);
    std::error_code unread;
    if (passes && at->is_directory(unread) && passes(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->path().extension() == extension && !at->is_directory(unread)) {
      found.files.push_back(at->path().string());  // what is no file says so when it is read
      const std::uintmax_t size = at->is_regular_file(unread) ? at->file_size(unread) : 0;
      found.bytes += unread ? 0 : size;
    }
    if (found.files.size() > kMostFiles)
      found.refusal = say("it has more than {} {} files", human_number(kMostFiles), extension);
    if (found.bytes > kMostBytes) found.refusal = say("its files have more than {} MiB", kMostBytes >> 20U);
    if (!found.refusal.empty()) break;
  }
  std::sort(found.files.begin(), found.files.end());
  return found;
}

/// `name` as it stands below `folder`.
std::string_view without(std::string_view folder, std::string_view name) {
  if (folder.empty() || !name.starts_with(folder)) return name;
  name.remove_prefix(folder.size());
  while (name.starts_with('/')) name.remove_prefix(1);
  return name;
}

/// Sections for other rooms, each as a document of its own, named without `folder`.
void keep_foreign(Tables& tables, std::span<const Document> documents, std::string_view folder) {
  for (const Document& document : documents) {
    for (const std::string_view section : kForeignSections) {
      const Node* found = document.root.find(section);
      if (found == nullptr) continue;
      Document kept{std::string(without(folder, document.name)), {}};
      kept.root.kind = Node::Kind::map;
      kept.root.children.push_back(*found);
      tables.documents.push_back(std::move(kept));
    }
  }
}

/// The tables of measurements below `directory`, as texts.
Errors keep_measurements(Tables& tables, const std::string& directory) {
  const std::string folder = directory + "/" + std::string(kMeasurements);
  std::error_code failed;
  const fs::file_status state = fs::status(folder, failed);
  if (fs::status_known(state) && !fs::is_directory(state)) return {};
  const Found found = files_in(folder, ".csv", failed);
  if (failed) return {not_all_read(folder, failed)};
  for (const std::string& file : found.files) {
    auto text = read_text_file(file);
    if (!text) return {text.error()};
    Document kept{std::string(without(directory, file)), {}};
    kept.root.kind = Node::Kind::map;
    Node& table = kept.root.children.emplace_back();
    table.kind = Node::Kind::scalar;
    table.key = kMeasurements;
    table.text = std::move(*text);
    tables.documents.push_back(std::move(kept));
  }
  return {};
}

}  // namespace

std::expected<std::vector<Document>, Errors> read_documents(const std::string& path) {
  std::vector<std::string> files;
  std::error_code failed;
  std::error_code no_such;
  std::optional<FolderLock> unchanged;  // while its files are read
  if (fs::is_directory(path, no_such)) {
    unchanged.emplace(path, FolderLock::For::reading);
    if (unchanged->busy())
      return std::unexpected(
          Errors{{ErrorKind::io, say("an import is writing into '{}'", printable(path)), {}, say("try again")}});
    std::string refusal = refusal_of(path);
    Found found = refusal.empty() ? files_in(path, ".yaml", failed) : Found{};
    Found tables = refusal.empty() ? files_in(path, ".csv", failed) : Found{};
    for (const std::string& reason : {found.refusal, tables.refusal})
      if (refusal.empty()) refusal = reason;
    if (!refusal.empty()) return not_read(path, refusal);
    files = std::move(found.files);
    for (std::string& table : tables.files)
      if (fs::path(table).parent_path().filename() == kPriceFolder) files.push_back(std::move(table));
  } else {
    files.push_back(path);
  }
  if (failed)  // what it holds is not known then
    return std::unexpected(Errors{not_all_read(path, failed)});
  std::vector<Document> documents;
  std::size_t values = 0;
  Errors errors;
  if (files.empty())
    errors.push_back({ErrorKind::bad_catalogue, say("'{}' has no .yaml file", printable(path)), {}, {}});
  for (const std::string& file : files) {
    if (is_enough(errors)) break;
    auto document = read_document(file);
    if (document) {
      values += values_in(document->root);
      if (values > kMostValues)
        return not_read(path, say("its files have more than {} values", human_number(kMostValues)));
      documents.push_back(std::move(*document));
    } else {
      errors.push_back(document.error());
      if (!errors.back().where.empty()) errors.back().kind = ErrorKind::bad_catalogue;
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return documents;
}

std::optional<std::vector<std::string>> overlays_below(const std::string& folder, const std::string& without) {
  std::error_code failed;
  const auto passes = [&](const fs::path& path) {
    return path == without || path.filename().string().starts_with('.');
  };
  Found found = files_in(folder, ".yaml", failed, passes);
  if (failed || !found.refusal.empty()) return std::nullopt;
  return std::move(found.files);
}

/// One after the other: two lists may have the same new size.
Errors lay_kept_lists(Tables& tables, const Document& document) {
  auto lists = read_kept_lists(document);
  if (!lists) return std::move(lists.error());
  for (const KeptList& list : *lists) {
    std::vector<Document> documents;
    for (const std::string& file : list.files) {
      auto one = read_document((fs::path(document.name).parent_path() / file).string());
      if (!one) return {one.error()};
      documents.push_back(std::move(*one));
    }
    Errors errors;
    ingest(tables, documents, Laying::kept, errors);
    if (!errors.empty()) return errors;
  }
  return {};
}

Errors lay_on_top(Tables& tables, const std::string& path) {
  auto documents = read_documents(path);
  if (!documents) return std::move(documents.error());
  if (documents->size() == 1 && documents->front().root.find(kKeptLists) != nullptr)
    return lay_kept_lists(tables, documents->front());
  return lay_on_top(tables, *documents);
}

Errors lay_on_top(Tables& tables, std::span<const Document> documents) {
  Errors errors;
  ingest(tables, documents, Laying::overlay, errors);
  std::ranges::move(check_mig(documents), std::back_inserter(errors));
  keep_foreign(tables, documents, {});
  return errors;
}

std::expected<Catalog, Errors> load_directory(const std::string& directory) {
  auto documents = read_documents(directory);
  if (!documents) return std::unexpected(std::move(documents.error()));
  auto tables = std::make_unique<Tables>();
  Errors errors;
  ingest(*tables, *documents, Laying::whole, errors);
  std::ranges::move(check_mig(*documents), std::back_inserter(errors));
  if (!errors.empty()) return std::unexpected(std::move(errors));
  keep_foreign(*tables, *documents, directory);
  if (errors = keep_measurements(*tables, directory); !errors.empty()) return std::unexpected(std::move(errors));
  relink(*tables);
  add_measured_drift(*tables);
  tables->origin_text = directory;
  return Catalog(std::move(tables));
}

std::expected<Catalog, Errors> open_snapshot(const std::string& path) {
  auto block = read_snapshot_file(path);
  if (!block) return std::unexpected(std::move(block.error()));
  auto tables = std::make_unique<Tables>();
  if (Errors errors = read_snapshot(*tables, *block); !errors.empty()) return std::unexpected(std::move(errors));
  tables->origin_text = path;
  return Catalog(std::move(tables));
}

}  // namespace gpusel::catalog
