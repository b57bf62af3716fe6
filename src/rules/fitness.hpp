// What a GPU is good for: verdicts on kinds of work, from data/rules/gpu-verdicts.yaml and from overlays.
// The worst verdict that certainly holds counts; good and usable need all worse ones certainly not to hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.hpp"

namespace gpusel {

namespace rules {

enum class Fitness : std::uint8_t { good, usable, poor, no, unknown };

struct FitnessRule {
  Fitness fitness = Fitness::good;
  Rule rule;  // its id, condition, message and source
};

/// A kind of work: training, rendering …
struct Purpose {
  std::string id;
  std::vector<std::string> aliases;
  Fact figure = Fact::fp16_tflops;  // what sorts GPUs of one verdict
  std::vector<FitnessRule> rules;
};

struct FitnessVerdict {
  Fitness fitness = Fitness::unknown;
  std::string reason;                       // one line
  std::vector<const FitnessRule*> because;  // what the reason is made of
};

/// Out of the documents that have a `verdicts` section; a later document's purpose replaces an earlier
/// one's of the same id.
std::expected<std::vector<Purpose>, Errors> read_purposes(std::span<const Document> documents);
/// By id or alias. Errors: none of that name, with the nearest.
Result<const Purpose*> find_purpose(std::string_view name, const std::vector<Purpose>& purposes);

FitnessVerdict judge(const Purpose& purpose, const Facts& facts);

}  // namespace rules

template <>
inline constexpr auto enum_names<rules::Fitness> =
    std::to_array<std::string_view>({"good", "usable", "poor", "no", "unknown"});

}  // namespace gpusel
