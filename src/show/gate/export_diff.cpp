#include "show/gate/export_diff.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text/text.hpp"
#include "base/text/unicode.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kContext = 2;  // lines that stay, around those that do not

using Kind = LineChange::Kind;

std::string_view kind_name(Kind kind) {
  constexpr std::string_view kNames[] = {"kept", "removed", "added"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string marked(const LineChange& line) {
  constexpr std::string_view kMarks = " -+";
  return kMarks[static_cast<std::size_t>(line.kind)] + (" " + visible(line.text, false));
}

/// As they stand: of YAML the margin is part.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Lengths of the longest common sequences of what follows each pair of lines.
class Common {
 public:
  Common(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) : width_(b.size() + 1) {
    if ((a.size() + 1) > kMostPairs / width_) return;
    lengths_.resize((a.size() + 1) * width_);
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  std::uint32_t& at(std::size_t i, std::size_t j) { return lengths_.empty() ? none_ : lengths_[i * width_ + j]; }

 private:
  /// Of lines; an export has some hundred. What has more is no export: all of it but what it begins with differs.
  static constexpr std::size_t kMostPairs = 4'000'000;

  std::size_t width_;
  std::vector<std::uint32_t> lengths_;
  std::uint32_t none_ = 0;
};

}  // namespace

bool ExportDifference::same() const {
  return std::ranges::all_of(lines, [](const LineChange& line) { return line.kind == Kind::kept; });
}

std::vector<LineChange> line_changes(std::string_view before, std::string_view after) {
  const auto a = lines_of(before), b = lines_of(after);
  Common common(a, b);
  std::vector<LineChange> out;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool kept = i < a.size() && j < b.size() && a[i] == b[j];
    const bool removed = !kept && i < a.size() && (j == b.size() || common.at(i + 1, j) >= common.at(i, j + 1));
    out.push_back({kept      ? Kind::kept
                   : removed ? Kind::removed
                             : Kind::added,
                   std::string(kept || removed ? a[i] : b[j])});
    i += kept || removed ? 1 : 0;
    j += kept || !removed ? 1 : 0;
  }
  return out;
}

Json export_diff_json(const ExportDifference& difference, int status) {
  Json lines = Json::array();
  for (const LineChange& line : difference.lines)
    if (line.kind != Kind::kept) lines.push_back({{"change", kind_name(line.kind)}, {"text", line.text}});
  return {{"schema", "gpusel.export-diff/1"}, {"file", difference.file},   {"target", difference.target},
          {"replay", difference.replay},      {"same", difference.same()}, {"plan", difference.plan},
          {"lines", std::move(lines)},        {"status", status}};
}

Document export_diff_page(const ExportDifference& difference, bool all) {
  Document page;
  const std::string file = printable(difference.file);
  if (difference.same()) return page.title(say("{}: regenerated today, it is the same", file));
  page.title(say("{}: regenerated today, lines that differ (- then, + now)", file));
  std::string shown;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < difference.lines.size(); ++i) {
    const auto from = difference.lines.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, kContext));
    const auto to =
        difference.lines.begin() + static_cast<std::ptrdiff_t>(std::min(i + kContext + 1, difference.lines.size()));
    const bool near = std::any_of(from, to, [](const LineChange& line) { return line.kind != Kind::kept; });
    if (!near && !all) {
      if (hidden++ == 0 && !shown.empty()) shown += "  …\n";
      continue;
    }
    hidden = 0;
    shown += marked(difference.lines[i]) + "\n";
  }
  return page.add(Code{shown});
}

Table export_diff_table(const ExportDifference& difference) {
  Table table({{"change"}, {"text"}});
  for (const LineChange& line : difference.lines)
    if (line.kind != Kind::kept) table.add({std::string(kind_name(line.kind)), line.text});
  return table;
}

}  // namespace gpusel::show
