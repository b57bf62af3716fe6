// What every answer stands on, put together once for all commands: the format, the day, the facts.
#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "job/limits/constraints.hpp"
#include "rules/rule.hpp"

namespace gpusel::cli {

struct LoadedFacts {
  std::string format;
  Date today;
  catalog::Catalog catalog;
  physics::Coefficients coefficients;
  std::vector<rules::Rule> rules;
};

/// What a command adds to it.
struct FactsWanted {
  const job::Constraints& limits;
  const std::vector<std::string>* rule_files = nullptr;  // null: no rule is asked
  std::span<const std::string_view> own_formats = {};    // beside those of every command
};

/// Says what is missing; the error is the exit status.
std::expected<LoadedFacts, int> prepare(const FactsWanted& wishes, Context& context);

}  // namespace gpusel::cli
