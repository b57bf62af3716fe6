// Constraints as rules: what a person limits on the command line is judged by the same engine as
// the shipped pitfalls, so every rejection has an id, a fact and a bound.
#pragma once

#include <vector>

#include "gpusel/advise/recommend.hpp"
#include "gpusel/advise/regions.hpp"

namespace gpusel::advise {

/// What holds when nothing is said: a job wants accelerators whose software the estimates know, at
/// on-demand prices; a list shows everything.
enum class Defaults : std::uint8_t { job, none };

/// Id of the rule about the age of prices.
inline constexpr std::string_view kMaxPriceAge = "max-price-age";

/// Names resolved against the catalogue, limits as rejecting rules in the order people give them.
/// Errors: unknown provider, region, family or residency; limits that contradict each other.
Result<std::vector<rules::Rule>> limit_rules(const workload::Constraints& constraints, const catalog::Catalog& catalog,
                                             Defaults defaults = Defaults::job);

/// Why no instance can meet these limits together, by the flags' names; empty when they may.
std::string contradiction(const workload::Constraints& constraints, const catalog::Catalog& catalog);

}  // namespace gpusel::advise
