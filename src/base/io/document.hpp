// A parsed YAML or JSON file: a plain tree in which every node knows its line and column.
// The libraries that parse never show through; what they let pass (duplicate keys, aliases,
// bottomless nesting) is refused here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"

namespace gpusel {

struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  bool quoted = false;     // a scalar that can only be text
  std::uint32_t line = 0;  // of the value, from 1
  std::uint32_t column = 0;
  std::string key;  // when it is a member of a map
  std::uint32_t key_line = 0;
  std::uint32_t key_column = 0;
  std::string text;            // of a scalar, as written
  std::vector<Node> children;  // of a list or map, in file order

  bool is_map() const { return kind == Kind::map; }
  bool is_list() const { return kind == Kind::list; }
  bool is_scalar() const { return kind == Kind::scalar; }
  /// The member of that name, or nullptr.
  const Node* find(std::string_view name) const;
  /// The text of that member; empty where there is none.
  const std::string& text_at(std::string_view name) const;
  /// The texts of that list; one scalar may stand in its place.
  std::vector<std::string> texts_at(std::string_view name) const;
  /// "a list", "a map", "nothing" or the scalar itself in quotes: for messages.
  std::string describe() const;
};

struct Document {
  std::string name;  // what messages call it: the file's path as it was given
  Node root;
};

/// Largest YAML or JSON file that is read at all.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{32} << 20U;
/// Deepest nesting that is followed.
inline constexpr int kMaxDepth = 64;

/// The whole file as text; refuses directories, unreadable files and more than `max_bytes`.
Result<std::string> read_text_file(const std::string& path, std::size_t max_bytes = kMaxDocumentBytes);

Result<Document> parse_yaml(const std::string& text, std::string name);

enum class JsonDialect : std::uint8_t {
  strict,
  python,  // also NaN, Infinity and -Infinity, as Python's json module writes them; read as null
};
Result<Document> parse_json(std::string_view text, std::string name, JsonDialect dialect = JsonDialect::strict);
/// JSON Lines: a value in each line that is not empty.
Result<std::vector<Node>> parse_json_lines(std::string_view text, const std::string& name,
                                           JsonDialect dialect = JsonDialect::strict);

/// The second member of a map that has a name of an earlier one, or nullptr.
const Node* duplicate_key(const Node& map);

/// "file:line:column" of a value, and of the key before it.
std::string position(std::string_view name, const Node& at);
std::string key_position(std::string_view name, const Node& at);

// How much is read of what comes from outside, beside the bytes and the nesting that document.hpp limits: megabytes of
// text must not become gigabytes of values, nor hours of work. docs/cli.md tells all of them.

/// Values of one YAML, JSON or CSV file: members, items and cells.
inline constexpr std::size_t kMaxValues = 2'000'000;
/// Columns of a table.
inline constexpr std::size_t kMaxColumns = 1'000;

/// Problems that are told of one file; what follows is not looked at.
inline constexpr std::size_t kMaxProblems = 100;
inline bool is_enough(const Errors& problems) { return problems.size() >= kMaxProblems; }

/// "more than 2,000,000 values".
std::string too_many_values();
std::string too_many_columns();

/// Why a file that begins so is no text: UTF-16, or packed; empty where nothing speaks against it.
std::string_view not_text(std::string_view begin);

// The text of a number as nlohmann's parser hands it over: with the decimal point of C's locale, whatever stood there.

inline std::string with_point(std::string number) {
  const auto at = number.find_first_not_of("0123456789+-eE");
  if (at != std::string::npos) number[at] = '.';
  return number;
}

}  // namespace gpusel
