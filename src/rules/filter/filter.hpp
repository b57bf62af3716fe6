// A condition as a person types it: 'vram>=48 && price<3', 'cloud in (aws, gcp) and not nvlink'. It is
// read once against the columns there are, and then judged row by row without making any text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"

namespace gpusel::rules {

enum class ColumnType : std::uint8_t {
  number,
  text,
  boolean,
  version,  // text that is compared as a number where it is one
  date,     // Date::packed()
};

struct ColumnInfo {
  std::string_view name;
  ColumnType type = ColumnType::text;
  std::string_view unit = "";
};

/// A shorter name, and the columns it stands for: the first that there is.
struct ColumnAlias {
  std::string_view name;
  std::string_view columns;  // separated by spaces
};

/// What one row has in a column; a truth value is the number 0 or 1, a list its texts between line feeds.
struct Value {
  Value() = default;
  Value(double figure) : known(true), number(figure) {}
  Value(std::string_view words) : known(!words.empty()), text(words) {}

  bool known = false;
  double number = 0;
  std::string_view text;
};

class Row {
 public:
  virtual ~Row() = default;
  virtual Value value(std::size_t column) const = 0;
};

/// The column that a name or an alias stands for, with '-' and '_' and letters' case alike.
/// Errors: none does, with the nearest names.
Result<std::size_t> find_column(std::string_view name, std::span<const ColumnInfo> columns,
                                std::span<const ColumnAlias> aliases);

/// What a text stands for when a column is compared with it.
class Names {
 public:
  virtual ~Names() = default;
  /// One text or several. Errors: the column never has it, with the nearest.
  virtual Result<std::vector<std::string>> meant(std::size_t column, std::string_view text) const = 0;
};

class Filter {
 public:
  /// Errors: what cannot be read, and at which character; a column that does not exist, with the nearest.
  /// Without `names` every text stands for itself.
  static Result<Filter> read(std::string_view text, std::span<const ColumnInfo> columns,
                             std::span<const ColumnAlias> aliases, const Names* names = nullptr);

  /// Whether the condition is certainly true: a comparison with what is not known is unknown.
  bool passes(const Row& row) const;
  /// Whether the condition speaks of a column.
  bool uses(std::size_t column) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace gpusel::rules
