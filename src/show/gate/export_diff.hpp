// An exported file held against the same export made today.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

struct LineChange {
  enum class Kind : std::uint8_t { kept, removed, added };
  Kind kind = Kind::kept;
  std::string text;
};

struct ExportDifference {
  std::string file;
  std::string target;
  std::string replay;             // the command line that the file carries
  Json plan;                      // that is exported today
  std::vector<LineChange> lines;  // of both, in order

  bool same() const;
};

/// The fewest lines taken out and put in that make one text the other.
std::vector<LineChange> line_changes(std::string_view before, std::string_view after);

Json export_diff_json(const ExportDifference& difference, int status);
Document export_diff_page(const ExportDifference& difference, bool all);
Table export_diff_table(const ExportDifference& difference);

}  // namespace gpusel::show
