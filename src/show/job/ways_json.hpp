#pragma once

#include <span>

#include "answer/estimate/largest.hpp"
#include "answer/estimate/what_works.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::show {

/// `what_would_work`, where there is any.
void tell_ways(JsonOut& out, std::span<const answer::Way> ways);

/// `largest`: the size that was looked for.
void tell_largest(JsonOut& out, const answer::Largest& largest);

}  // namespace gpusel::show
