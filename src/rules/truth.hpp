// Kleene logic: what is not known makes a condition unknown, unless the known parts decide it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gpusel::rules {

enum class Truth : std::uint8_t { no, unknown, yes };

constexpr Truth truth(bool value) { return value ? Truth::yes : Truth::no; }

constexpr Truth negated(Truth value) { return value == Truth::unknown ? value : truth(value == Truth::no); }

/// All, or any, of `parts`; stops at the one that decides.
template <class Parts, class Judge>
Truth joined(bool all, const Parts& parts, Judge judge) {
  Truth result = truth(all);
  for (const auto& part : parts) {
    const Truth one = judge(part);
    result = all ? std::min(result, one) : std::max(result, one);
    if (result == truth(!all)) break;
  }
  return result;
}

/// A comparison of two numbers, or of two texts, by the operators that all of them have.
template <class Op, class T>
Truth ordered(Op op, const T& left, const T& right) {
  switch (op) {
    case Op::is: return truth(left == right);
    case Op::is_not: return truth(left != right);
    case Op::below: return truth(left < right);
    case Op::at_most: return truth(left <= right);
    case Op::above: return truth(left > right);
    case Op::at_least: return truth(left >= right);
    default: return Truth::no;
  }
}

}  // namespace gpusel::rules
