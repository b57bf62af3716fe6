// A strict view of one map in a document: every key must be asked for, and what nobody asked for
// is reported with the nearest key that exists. Problems are collected, not thrown, so that one
// run tells them all.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "base/values/error.hpp"
#include "base/values/number.hpp"

namespace gpusel {

/// Where problems of one file are collected.
struct Problems {
  std::string file;
  ErrorKind kind = ErrorKind::bad_catalogue;
  Errors errors;

  void add(const Node& at, std::string message, std::string hint = {}) {
    errors.push_back({kind, std::move(message), position(file, at), std::move(hint)});
  }
  void add_at_key(const Node& at, std::string message, std::string hint = {}) {
    errors.push_back({kind, std::move(message), key_position(file, at), std::move(hint)});
  }
  /// An error found by a helper that knew no position.
  void add(const Node& at, const Error& error, std::string_view key) {
    add(at, std::string(key) + ": " + error.message, error.hint);
  }
};

class Fields {
 public:
  /// `map` must outlive this. A node that is not a map is reported, and reads as empty.
  Fields(const Node& map, Problems& problems);

  /// The node at a path such as "memory.bandwidth_gbs"; asking makes the key known.
  const Node* find(std::string_view path);
  bool has(std::string_view path) { return find(path) != nullptr; }
  const Node& node() const { return map_; }
  Problems& problems() { return problems_; }

  std::optional<double> number(std::string_view path, Range allowed = {});
  std::optional<double> fraction(std::string_view path, Range allowed);
  std::optional<bool> boolean(std::string_view path);
  std::optional<Date> date(std::string_view path);
  /// Text of a scalar; empty when absent.
  std::string text(std::string_view path);
  /// A list of scalars, or one scalar in its place.
  std::vector<std::string> texts(std::string_view path);
  /// The entries of a list; none of what is no list, which is reported.
  std::span<const Node> entries(std::string_view path);

  template <NamedEnum E>
  std::optional<E> one_of(std::string_view path) {
    const Node* node = find(path);
    if (node == nullptr) return std::nullopt;
    const auto value = node->is_scalar() ? from_text<E>(node->text) : std::nullopt;
    if (!value) not_one_of(path, *node, enum_names<E>);
    return value;
  }

  /// Reports `path` if it is missing.
  void require(std::string_view path);
  void fail(const Node& at, std::string message, std::string hint = {});
  void not_one_of(std::string_view path, const Node& node, std::span<const std::string_view> allowed);
  /// Reports every key that was never asked for. Call once, at the end.
  void finish();

 private:
  void report_unknown(const Node& map, const std::string& prefix);

  const Node& map_;
  Problems& problems_;
  std::vector<std::string> asked_;
};

/// The entries of the list under `key`; none of what is no list, which is reported.
std::span<const Node> entries_of(const Node* list, std::string_view key, Problems& problems);

/// A section of records in one document, each of which takes the place of one with the same `id` that was read before.
template <class Record, class Id>
void read_section(const Document& document, std::string_view section, Record (*read)(const Node&, Problems&),
                  Id Record::* id, std::vector<Record>& into, Errors& errors) {
  Problems problems{document.name, ErrorKind::bad_catalogue, {}};
  for (const Node& node : entries_of(document.root.find(section), section, problems)) {
    Record record = read(node, problems);
    std::erase_if(into, [&](const Record& earlier) { return earlier.*id == record.*id; });
    into.push_back(std::move(record));
  }
  errors.insert(errors.end(), problems.errors.begin(), problems.errors.end());
}

/// The same of all documents: later ones hold against earlier ones.
template <class Record, class Id>
std::expected<std::vector<Record>, Errors> read_section(std::span<const Document> documents, std::string_view section,
                                                        Record (*read)(const Node&, Problems&), Id Record::* id) {
  std::vector<Record> out;
  Errors errors;
  for (const Document& document : documents) read_section(document, section, read, id, out, errors);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return out;
}

}  // namespace gpusel
