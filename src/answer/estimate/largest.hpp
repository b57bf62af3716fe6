// The largest size of a job that still fits: "how long a context, how many requests at once?"
#pragma once

#include <string_view>

#include "answer/estimate/estimate.hpp"

namespace gpusel::answer {

/// Sizes that can be looked for.
enum class Size : std::uint8_t { seq_len, batch, concurrency };

struct Largest {
  std::string_view flag;   // that says it, without "--": "context"
  std::int64_t value = 0;  // 0: not even the least fits
  bool by_model = false;   // the model's own limit, not memory
  EstimateAnswer answer;   // with that value; with the least where it does not fit
};

/// The largest value that fits with the chance asked for (`min_fit`, usually 90 %); lengths in steps of 16 tokens.
/// Errors: the request says the size itself or cannot be estimated, or the task has no such size.
Result<Largest> find_largest(const job::Request& request, Size size, const catalog::Catalog& catalog,
                             const physics::Coefficients& c, bool with_trace, std::span<const rules::Rule> rules);

}  // namespace gpusel::answer

namespace gpusel {
template <>
inline constexpr auto enum_names<answer::Size> = std::to_array<std::string_view>({"seq-len", "batch", "concurrency"});
}  // namespace gpusel
