// What --strict has to say of the dates of prices.
#pragma once

#include <span>
#include <string>

#include "base/values/date.hpp"
#include "job/limits/constraints.hpp"

namespace gpusel::cli {

/// A sentence where --strict is set and a price is too old or has no date; else empty.
std::string too_old(const job::Constraints& limits, std::span<const Date> dates, Date today);

}  // namespace gpusel::cli
