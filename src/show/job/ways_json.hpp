#pragma once

#include <span>

#include "answer/estimate/what_works.hpp"
#include "show/json/json_out.hpp"

namespace gpusel::show {

/// `what_would_work`, where there is any.
void tell_ways(JsonOut& out, std::span<const answer::Way> ways);

}  // namespace gpusel::show
