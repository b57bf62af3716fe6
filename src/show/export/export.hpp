// A chosen plan in the formats of other tools. Nothing in them is guessed: what the plan does not say is a variable of
// the reader's, and a tool that cannot say the plan refuses it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/stages/launch.hpp"
#include "show/document/document.hpp"
#include "show/export/orders.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What the catalogue knows of other tools.
struct ExportFacts {
  std::vector<answer::ProofTool> launches;  // data/launches: their command lines
  std::vector<ToolOrders> orders;           // data/targets: what they can order
};
std::expected<ExportFacts, Errors> read_export_facts(const catalog::Catalog& catalog);

struct ExportView {
  const answer::Advice& advice;
  const answer::Recommendation& chosen;
  const ExportFacts& facts;
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  std::optional<money::Autoscale> scaling;
  double disk_gb = 0;       // that each instance needs
  std::string replay;       // command line that makes the same file
  bool pins_region = true;  // the reader asked for a place
  /// Where better ranks are left out: which, and why the target cannot say the best of them.
  std::string passed_over{};
};

struct ExportedFile {
  std::string name;     // usual name of the file
  std::string content;  // ends in a line feed
};

struct Exported : ExportedFile {
  std::vector<std::string> notes;
  std::vector<ExportedFile> further{};  // that are used after it

  std::vector<ExportedFile> files() const;
};

struct ExportTarget {
  std::string_view name;
  std::string_view purpose;  // for to_say()
  Result<Exported> (*write)(const ExportView& view);
  std::optional<job::Engine> engine{};  // that it runs; plans are made for it where the question leaves that open
  std::string_view framework{};         // as engine, of training
  std::string_view seller{};            // the only provider whose instances it orders
  bool starts = false;                  // the plan's command, without which there is nothing to write

  /// Errors: it cannot say the plan.
  Result<Exported> make(const ExportView& view) const;
};
std::span<const ExportTarget> export_targets();
/// Errors: there is no such target; the nearest are named.
Result<const ExportTarget*> find_export_target(std::string_view name);
/// Others that can say the plan, first those of the same engine, or that order of a seller as it does.
std::vector<std::string> able_targets(const ExportView& view, const ExportTarget& like);
/// Errors: the target cannot say the plan; targets that can are named.
Result<Exported> export_plan(const ExportView& view, const ExportTarget& target);
/// Whether a standard command that starts the plan is known.
bool has_command(const ExportView& view);
/// The best rank that the target can say; without a command only where no rank has one; null: none.
const answer::Recommendation* first_exportable(const ExportView& view, const ExportTarget& target);
/// The target for the chosen rank: what was asked for, what runs the engine, else what orders or starts it; empty:
/// none.
std::string_view next_target(const ExportView& view);
/// Why a lower rank is taken: what the target says against that of `view`.
std::string passed_over_line(const ExportView& view, const ExportTarget& target, int taken);

Json export_json(const ExportView& view, const ExportTarget& target, const Exported& exported);
/// As table and wide the file itself; CSV and Markdown hold it.
Document export_page(const ExportTarget& target, const Exported& exported);
Table export_table(const Exported& exported);

/// What there is to choose from.
Json targets_json();
Document targets_page();

}  // namespace gpusel::show
