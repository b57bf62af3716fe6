// What differs between two catalogues, record by record and figure by figure.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel {

namespace catalog {

enum class ChangeKind : std::uint8_t { added, removed, changed };

/// A figure or a text; nothing where it is unknown.
using Value = std::variant<std::monostate, double, std::string>;

struct Change {
  std::string_view section;  // as in YAML: "gpus", "instances", "prices" …
  std::string subject;       // "l40s", "aws/p5.48xlarge us-east-1 spot USD"
  ChangeKind kind = ChangeKind::changed;
  std::string_view field;  // JSON key; empty for a record that was added or removed
  Value before;
  Value after;
};

/// All changes from `before` to `after`, by section and subject. A price that only got a new date is
/// a change of `as_of`; rules and calibration are not compared. n log n in records and offers.
std::vector<Change> diff(const Catalog& before, const Catalog& after);

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::ChangeKind> =
    std::to_array<std::string_view>({"added", "removed", "changed"});

}  // namespace gpusel
