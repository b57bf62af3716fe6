// What every answer stands on, put together once for all commands: the format, the day, the facts.
#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "gpusel/rules/rule.hpp"
#include "gpusel/workload/constraints.hpp"

namespace gpusel::cli {

struct Ground {
  std::string format;
  Date today;
  catalog::Catalog catalog;
  estimate::Coefficients coefficients;
  std::vector<rules::Rule> rules;
};

/// What a command adds to it.
struct GroundWishes {
  const workload::Constraints& limits;
  const std::vector<std::string>* rule_files = nullptr;  // null: no rule is asked
  std::span<const std::string_view> own_formats = {};    // beside those of every command
};

/// Says what is missing; the error is the exit status.
std::expected<Ground, int> prepare(const GroundWishes& wishes, Context& context);

}  // namespace gpusel::cli
