#pragma once

#include "answer/estimate/estimate.hpp"

namespace gpusel::answer {

/// What the figures of an answer do not say by themselves: how sure the fit is, where the plan is not quite what was
/// asked for, how little is published. Its choice and intervals are made.
void add_notes(EstimateAnswer& answer, const job::Request& request, const physics::Coefficients& c);
/// The verdict of the rules that say how a plan fits, and what they say.
void add_fit(EstimateAnswer& answer, std::span<const rules::Rule> rules, const catalog::Catalog& catalog,
             const physics::Coefficients& c);

/// "most memory goes to weights: 60.0 of 80.0 GiB".
std::string most_memory(std::span<const std::pair<Bytes, std::string>> parts, Bytes total);

}  // namespace gpusel::answer
