// Comma-separated values as RFC 4180 has them, record by record: line feeds with or without carriage
// return, quotes doubled inside quotes. What breaks the rules is reported with its line, and reading
// goes on with the next line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/import/source_file.hpp"

namespace gpusel::catalog::import {

class CsvReader {
 public:
  enum class Outcome : std::uint8_t { record, broken, end };

  explicit CsvReader(SourceFile& file) : file_(file) {}

  /// The next record that is not empty. Its fields are valid until the next call.
  Outcome next();
  const std::vector<std::string_view>& fields() const { return fields_; }
  /// Line on which the record began, from 1.
  std::uint32_t line() const { return line_; }
  /// Why the record is broken.
  std::string_view reason() const { return reason_; }
  /// The last record ended with the file, not with a line end.
  bool cut_off() const { return cut_off_; }

 private:
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool doubled = false;  // has "" inside
  };
  enum class Scan : std::uint8_t { complete, need_more, broken };

  Scan scan(std::string_view text, bool last);
  Scan scan_quoted(std::string_view text, bool last, std::size_t& at);
  void take_fields(std::string_view text);
  Outcome broken(std::string_view reason);
  void skip_line();

  SourceFile& file_;
  std::vector<Span> spans_;
  std::vector<std::string_view> fields_;
  std::string unescaped_;
  std::string_view reason_;
  std::size_t length_ = 0;         // of the record with its line end
  std::uint32_t lines_in_it_ = 0;  // line ends inside quotes
  std::uint32_t line_ = 0;
  std::uint32_t next_line_ = 1;
  bool cut_off_ = false;
};

/// A CSV with a header: columns by name. Commas that somebody forgot to quote are mended where only one
/// reading is possible.
class CsvTable {
 public:
  explicit CsvTable(SourceFile& file) : csv_(file) {}

  /// Reads the header: the first line, or the first that has `first_column`. An error names what it lacks.
  Status open(std::span<const std::string_view> required, std::string_view first_column = {});
  CsvReader::Outcome next();
  /// What a line before the header says of `name`.
  std::string preamble(std::string_view name) const;

  /// Number of the column of that name, or -1.
  int column(std::string_view name) const;
  /// The field of a column in this record, without spaces around it; empty when there is no such column.
  std::string_view field(int column) const {
    return column < 0 ? std::string_view{} : fields_[static_cast<std::size_t>(column)];
  }
  std::uint32_t line() const { return csv_.line(); }
  const std::string& reason() const { return reason_; }
  bool cut_off() const { return csv_.cut_off(); }

 private:
  bool mend();

  CsvReader csv_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> mended_;
  std::vector<std::pair<std::string, std::string>> preamble_;
  std::string reason_;
};

}  // namespace gpusel::catalog::import
