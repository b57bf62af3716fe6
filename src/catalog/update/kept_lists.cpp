#include "catalog/update/kept_lists.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/io/fields.hpp"
#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/import.hpp"

namespace gpusel::catalog {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKeptName = "kept.yaml";

std::string kept_text(const KeptList& list) {
  std::string text = "  - {id: " + quoted_yaml(list.id);
  const auto add = [&](std::string_view key, const std::string& value) {
    text += ", " + std::string(key) + ": " + value;
  };
  add("files", "[" + join_texts(list.files, ", ", quoted_yaml) + "]");
  add("address", quoted_yaml(list.address));
  add("program", quoted_yaml(list.program));
  if (list.read.known()) add("read", list.read.text());
  if (list.as_of.known()) add("as_of", list.as_of.text());
  add("rows", std::to_string(list.rows));
  add("offers", std::to_string(list.offers));
  if (list.median > 0) add("median", format("{}", list.median));
  if (!list.state.etag.empty()) add("etag", quoted_yaml(list.state.etag));
  if (!list.state.modified.empty()) add("modified", quoted_yaml(list.state.modified));
  return text + "}\n";
}

KeptList kept_list(Fields& fields) {
  KeptList list;
  for (const char* key : {"id", "files", "address", "read"}) fields.require(key);
  list.id = fields.text("id");
  list.files = fields.texts("files");
  for (const std::string& file : list.files)
    if (file.empty() || file.starts_with('.') || file.find('/') != std::string::npos)
      fields.fail(*fields.find("files"), say("'{}' is not a file in this folder", printable(shorten(file, 60))));
  list.address = fields.text("address");
  list.program = fields.text("program");
  list.state = {fields.text("etag"), fields.text("modified")};
  list.read = fields.date("read").value_or(Date{});
  list.as_of = fields.date("as_of").value_or(Date{});
  constexpr Range kMany{0, 1e12};
  list.rows = static_cast<std::uint64_t>(fields.number("rows", kMany).value_or(0));
  list.offers = static_cast<std::uint64_t>(fields.number("offers", kMany).value_or(0));
  list.median = fields.number("median", kMany).value_or(0);
  fields.finish();
  return list;
}

/// What an update wrote there and nothing names any more: it was killed, or has just named others.
void remove_others(const std::string& folder, const std::vector<KeptList>& lists) {
  std::set<std::string, std::less<>> named{std::string(kKeptName)};
  for (const KeptList& list : lists) named.insert(list.files.begin(), list.files.end());
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!named.contains(name) && (is_pending_name(name) || name.starts_with("list-"))) fs::remove(at->path(), ignored);
  }
}

}  // namespace

std::string kept_file(const std::string& folder) { return (fs::path(folder) / kKeptName).string(); }

std::expected<std::vector<KeptList>, Errors> read_kept_lists(const Document& document) {
  Problems problems{document.name, ErrorKind::bad_catalogue, {}};
  std::vector<KeptList> lists;
  Fields root(document.root, problems);
  const Node* all = root.find(kKeptLists);
  root.finish();
  if (all == nullptr || !all->is_list())
    problems.add(document.root, say("'{}' must be a list", kKeptLists));
  else
    for (const Node& node : all->children) {
      Fields fields(node, problems);
      lists.push_back(kept_list(fields));
    }
  if (!problems.errors.empty()) return std::unexpected(std::move(problems.errors));
  return lists;
}

std::expected<std::vector<KeptList>, Errors> kept_in(const std::string& folder) {
  const std::string path = kept_file(folder);
  if (!may_be_there(path)) return std::vector<KeptList>{};
  const auto text = read_text_file(path);
  if (!text) return std::unexpected(Errors{text.error()});
  const auto document = parse_yaml(*text, path);
  if (!document) return std::unexpected(Errors{document.error()});
  return read_kept_lists(*document);
}

Status write_kept_lists(const std::string& folder, const std::vector<KeptList>& lists,
                        const std::vector<FileText>& new_files) {
  std::string text(kKeptMark);
  text += std::string(kKeptLists) + ":" + (lists.empty() ? " []\n" : "\n");
  for (const KeptList& list : lists) text += kept_text(list);
  const std::string signed_kept = signed_text(text);
  // The first of them gets its name last.
  std::vector<FileText> files{{kept_file(folder), signed_kept}};
  files.insert(files.end(), new_files.begin(), new_files.end());
  if (Status written = write_together(files, {}); !written) return written;
  remove_others(folder, lists);
  return {};
}

}  // namespace gpusel::catalog
