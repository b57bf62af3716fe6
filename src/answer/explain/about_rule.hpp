// What an id that an answer prints stands for, without a question: a rule, a limit, or a reason of the planner.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.hpp"

namespace gpusel::answer {

struct AboutRule {
  std::string id;
  std::string_view kind;  // rule, limit or planner
  std::string effect;     // reject, warn, note or adjust
  std::string message;    // without an instance's figures
  std::string condition;  // of a rule
  std::string decided;    // where
  std::string source;     // of a rule
  std::vector<std::string> advice;
};

/// A rule's message without an instance: "the price is N days old".
std::string template_text(const rules::Rule& rule);

/// Nothing where no answer prints such an id.
std::optional<AboutRule> about_rule(std::string_view id, std::span<const rules::Rule> rules);

}  // namespace gpusel::answer
