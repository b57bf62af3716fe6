// The arithmetic that explanations print: evaluated as it is printed, as far as rounding in print leaves it open.
#pragma once

#include <optional>
#include <string_view>

#include "physics/trace.hpp"

namespace gpusel::test {

/// Where a number lies that was printed to some digits, or what follows from such numbers.
struct Printed {
  double low = 0;
  double high = 0;
};

/// Whether the line's numbers give its result; nothing where they are not arithmetic alone, or its result is words.
std::optional<bool> adds_up(const physics::TraceLine& line);

/// What the line's numbers give, in its own unit.
std::optional<Printed> evaluated(const physics::TraceLine& line);

}  // namespace gpusel::test
