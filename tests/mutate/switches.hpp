// What tests/mutate.py puts at the places it changes: each behaves as written unless its number is asked for.
//
//   a + b           a + op<7, add, subtract> + b       the same precedence, and it binds to the left as before
//   a += b          a += op<8, add_to, subtract_from> += b
//   std::min(a, b)  least<9>(a, b)
//   0.5             number<10>(0.5, 0.55)
//
// A constant expression can't ask which number is wanted: where one is needed the compiler objects to the switch.
#pragma once
#if __cplusplus >= 202002L  // not where the build tries the compiler

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace gpusel_mutant {

enum Seen : unsigned char { kReached = 1, kNone = 2, kOther = 4 };

inline constexpr int kMost = 1 << 18;
inline unsigned char seen[kMost];

/// The number asked for in the environment. Whoever names a file there is told what was seen of which number.
inline const int asked = [] {
  if (std::getenv("MUTANT_REPORT") != nullptr)
    std::atexit([] {
      std::FILE* out = std::fopen(std::getenv("MUTANT_REPORT"), "w");
      for (int i = 0; i < kMost; ++i)
        if (seen[i] != 0) std::fprintf(out, "%d %d\n", i, seen[i]);
      std::fclose(out);
    });
  const char* number = std::getenv("MUTANT_NUMBER");
  return number != nullptr ? std::atoi(number) : -1;
}();

template <int N>
constexpr bool is_asked() {
  seen[N] |= kReached;
  return asked == N;
}

/// Notes before main() that a change does not compile, or is of another type than what is written.
template <int N, Seen kWhat>
struct Noted {
  static inline const bool noted = (seen[N] |= kWhat, true);
};

template <int N, typename T>
constexpr T number(T as_is, std::type_identity_t<T> changed) {
  return is_asked<N>() ? changed : as_is;
}

template <int N, typename T>
constexpr const T& least(const T& a, const T& b) {
  return is_asked<N>() ? std::max(a, b) : std::min(a, b);
}
template <int N, typename T>
constexpr T least(std::initializer_list<T> of) {
  return is_asked<N>() ? std::max(of) : std::min(of);
}
template <int N, typename T>
constexpr const T& most(const T& a, const T& b) {
  return is_asked<N>() ? std::min(a, b) : std::max(a, b);
}
template <int N, typename T>
constexpr T most(std::initializer_list<T> of) {
  return is_asked<N>() ? std::min(of) : std::max(of);
}

/// Numbers from N on belong to the changes, in their order.
template <int N, typename AsIs, typename... Changes>
struct Op {};
template <int N, typename AsIs, typename... Changes>
inline constexpr Op<N, AsIs, Changes...> op{};

template <int N, typename AsIs, typename Change, typename... More, typename A, typename B>
constexpr std::invoke_result_t<AsIs, A, B> apply(Op<N, AsIs, Change, More...>, A&& a, B&& b) {
  using Result = std::invoke_result_t<AsIs, A, B>;
  if constexpr (!std::is_invocable_v<Change, A, B>) {
    (void)Noted<N, kNone>::noted;
  } else if constexpr (!std::is_same_v<std::invoke_result_t<Change, A, B>, Result>) {
    (void)Noted<N, kOther>::noted;
  } else {
    if (is_asked<N>()) return Change{}(std::forward<A>(a), std::forward<B>(b));
  }
  if constexpr (sizeof...(More) > 0)
    return apply(Op<N + 1, AsIs, More...>{}, std::forward<A>(a), std::forward<B>(b));
  else
    return AsIs{}(std::forward<A>(a), std::forward<B>(b));
}

/// What stands on one side of an operator. A constant is taken by an overload of its own, which no other template
/// equals.
template <typename Of, typename Side>
struct Half {
  Side&& side;
};

// NOLINTBEGIN(bugprone-macro-parentheses): signs and names
#define GPUSEL_OPERATOR(name, sign)                                                                         \
  struct name {                                                                                             \
    template <typename A, typename B>                                                                       \
    constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) sign std::forward<B>(b)) { \
      return std::forward<A>(a) sign std::forward<B>(b);                                                    \
    }                                                                                                       \
  };
#define GPUSEL_BINARY(name, sign)                                                 \
  GPUSEL_OPERATOR(name, sign)                                                     \
  template <typename A, int N, typename... F>                                     \
  constexpr Half<Op<N, F...>, A> operator sign(A && a, Op<N, F...>) {             \
    return {std::forward<A>(a)};                                                  \
  }                                                                               \
  template <typename A, int N, typename... F>                                     \
  constexpr Half<Op<N, F...>, const A&> operator sign(const A & a, Op<N, F...>) { \
    return {a};                                                                   \
  }                                                                               \
  template <int N, typename... F, typename A, typename B>                         \
  constexpr decltype(auto) operator sign(Half<Op<N, F...>, A>&& half, B&& b) {    \
    return apply(Op<N, F...>{}, std::forward<A>(half.side), std::forward<B>(b));  \
  }
#define GPUSEL_ASSIGNMENT(name, sign)                                            \
  GPUSEL_OPERATOR(name, sign)                                                    \
  template <int N, typename... F, typename B>                                    \
  constexpr Half<Op<N, F...>, B> operator sign(Op<N, F...>, B && b) {            \
    return {std::forward<B>(b)};                                                 \
  }                                                                              \
  template <typename A, int N, typename... F, typename B>                        \
  constexpr decltype(auto) operator sign(A&& a, Half<Op<N, F...>, B>&& half) {   \
    return apply(Op<N, F...>{}, std::forward<A>(a), std::forward<B>(half.side)); \
  }

GPUSEL_BINARY(add, +)
GPUSEL_BINARY(subtract, -)
GPUSEL_BINARY(multiply, *)
GPUSEL_BINARY(divide, /)
GPUSEL_BINARY(less, <)
GPUSEL_BINARY(at_most, <=)
GPUSEL_BINARY(greater, >)
GPUSEL_BINARY(at_least, >=)
GPUSEL_ASSIGNMENT(add_to, +=)
GPUSEL_ASSIGNMENT(subtract_from, -=)
GPUSEL_ASSIGNMENT(multiply_by, *=)
GPUSEL_ASSIGNMENT(divide_by, /=)
// NOLINTEND(bugprone-macro-parentheses)
#undef GPUSEL_OPERATOR
#undef GPUSEL_BINARY
#undef GPUSEL_ASSIGNMENT

}  // namespace gpusel_mutant
#endif
