// Figures typed with a unit of their own: "3.35TB/s" where the figure is kept in GB/s.
#pragma once

#include <string_view>

#include "base/values/error.hpp"

namespace gpusel {

/// `text` in `unit` ("GB", "GiB", "GB/s", "Gbit/s", "TFLOPS", "W" …, "billions" or "tokens"; empty: a plain
/// count). Without a unit of its own it is in `unit` already; counts may carry k, M, B and T.
/// Errors: no number, a unit of another kind.
Result<double> parse_measure(std::string_view text, std::string_view unit);

}  // namespace gpusel
