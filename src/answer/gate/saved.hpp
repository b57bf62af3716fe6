// A whole answer that `gpusel recommend` wrote as JSON or YAML, with its plans made again.
#pragma once

#include <string>
#include <string_view>

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

inline constexpr std::string_view kAnswerSchema = "gpusel.recommend/1";
inline constexpr std::string_view kLockSchema = "gpusel.lock/1";

/// The saved ranking with today's catalogue: instances, offers, and for each the plan for the saved job. Errors: no
/// such answer; a job that was not saved in full; an instance or offer that is no longer there; a plan that comes out
/// otherwise than it was saved.
Result<Advice> saved_advice(const std::string& text, const std::string& name, const catalog::Catalog& catalog,
                            const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
