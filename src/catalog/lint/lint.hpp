// What is probably wrong in a catalogue: figures that physics, arithmetic or their neighbours contradict.
// Each check has an id, and a finding that is true all the same is accepted in the file with its reason.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/values/enum.hpp"
#include "base/values/error.hpp"
#include "catalog/catalog.hpp"

namespace gpusel {

namespace catalog {

/// error: cannot be true; warning: is hardly ever true; info: good to know.
enum class Severity : std::uint8_t { error, warning, info };

struct Finding {
  std::string_view check;  // id of the check
  Severity severity = Severity::error;
  std::string subject;  // "gpu h100-sxm-80gb", "price aws/p5.48xlarge us-east-1 spot"
  std::string place;    // "file:line:column", else the record's name
  std::string message;
  std::string hint;      // what would be right; may be empty
  std::string accepted;  // the reason given in the catalogue; empty: not accepted
};

struct CheckInfo {
  std::string_view id;
  Severity severity = Severity::error;
  std::string_view what;  // what is found, in one line
};
/// Every check there is, by subject; also "schema", which the reader does.
std::vector<CheckInfo> lint_checks();

/// What is looked at, and where its records stand. Without files it is all of the catalogue, by name.
class Places {
 public:
  Places() = default;
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// Limits the findings to what these files say.
  void limit() { limited_ = true; }
  /// Records of parsed YAML.
  void add(std::vector<Document> documents);
  /// Records of a snapshot. All that can be rented is its own.
  void add_snapshot(const Catalog& own);

  /// Whether the record is looked at; "gpu h100-sxm-80gb" is one, "price aws/p5.48xlarge us-east-1 spot" another.
  bool holds(const std::string& record) const;
  /// "file:line:column" of a record, or of the figure `path` in it; empty where it stands in no file.
  std::string find(const std::string& record, std::string_view path = {}) const;
  bool has_file(std::string_view name) const;
  bool whole() const { return !limited_ && files_.empty() && records_.empty(); }
  const std::deque<std::vector<Document>>& files() const { return files_; }

 private:
  struct Place {
    const Document* document = nullptr;  // null: of a snapshot
    const Node* node = nullptr;
    bool at_key = false;
  };
  void add_section(const Document& document, const Node& section);
  void add_family(const Document& document, const Node& family);
  void add_sheet(const Document& document, const Node& sheet);
  void set(std::string record, const Document& document, const Node& node, bool at_key = false);

  std::deque<std::vector<Document>> files_;
  std::unordered_map<std::string, Place> records_;
  bool limited_ = false;
  bool market_ = false;  // of a snapshot
};

struct LintOptions {
  Date today;
  /// Prices and rates older than that are warned of; without it they are only told, from kUsualAge on.
  std::optional<int> max_age_days;
  /// What exchange rates and well-known families are held against; null: nothing but the catalogue itself.
  const Catalog* shipped = nullptr;
};
inline constexpr int kUsualAge = 270;

struct LintReport {
  std::vector<Finding> findings;
  std::size_t left_out = 0;  // of checks that found too much to list
  std::size_t errors = 0, warnings = 0, infos = 0, accepted = 0;

  bool silent() const { return errors + warnings == 0; }
  void count(const Finding& finding);
  void add(Finding finding);
};

/// Problems that the strict readers reported: findings of "schema", or of "price.zero" where that is what it is.
void add_problems(LintReport& report, const Errors& errors, const Places& places);

LintReport lint(const Catalog& catalog, const Places& places, const LintOptions& options);

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::Severity> = std::to_array<std::string_view>({"error", "warning", "info"});

}  // namespace gpusel
