// A parsed YAML or JSON file: a plain tree in which every node knows its line and column.
// The libraries that parse never show through; what they let pass (duplicate keys, aliases,
// bottomless nesting) is refused here.
#pragma once

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

/// The second member of a map that has a name of an earlier one, or nullptr.
const Node* duplicate_key(const Node& map);

/// "file:line:column" of a value, and of the key before it.
std::string position(std::string_view name, const Node& at);
std::string key_position(std::string_view name, const Node& at);

}  // namespace gpusel
