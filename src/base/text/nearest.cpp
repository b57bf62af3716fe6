#include "base/text/nearest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/text/text.hpp"

namespace gpusel {

namespace {

constexpr std::size_t kLongest = 80;  // beyond this nobody mistyped a name, and the cost is quadratic

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; neither is longer than kLongest.
/// Counting ends at more than `allowed`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t allowed) {
  std::array<std::size_t, kLongest + 1> rows[3];
  auto *before = &rows[0], *row = &rows[1], *next = &rows[2];
  std::iota(row->begin(), row->end(), std::size_t{0});
  std::size_t least_before = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    (*next)[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      (*next)[j] = std::min({(*row)[j] + 1, (*next)[j - 1] + 1, (*row)[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        (*next)[j] = std::min((*next)[j], (*before)[j - 2] + 1);
      least = std::min(least, (*next)[j]);
    }
    if (std::min(least, least_before) > allowed) return allowed + 1;
    least_before = least;
    std::swap(before, row);
    std::swap(row, next);
  }
  return (*row)[b.size()];
}

/// A bit for each letter and digit; the other characters share some.
std::uint64_t letters_of(std::string_view folded) {
  std::uint64_t letters = 0;
  for (const char c : folded) {
    const unsigned bit = c >= 'a' && c <= 'z'   ? static_cast<unsigned>(c - 'a')
                         : c >= '0' && c <= '9' ? 26U + static_cast<unsigned>(c - '0')
                                                : 36U + static_cast<unsigned char>(c) % 28U;
    letters |= std::uint64_t{1} << bit;
  }
  return letters;
}

std::size_t most_edits(std::string_view typed) { return std::max<std::size_t>(1, typed.size() / 3); }

struct Near {
  std::size_t distance;
  std::string_view name;
  bool begins;

  bool operator<(const Near& other) const {
    const auto rank = [](const auto& one) {
      return std::tuple(one.distance, !one.begins, one.begins ? one.name.size() : 0, one.name);
    };
    return rank(*this) < rank(other);
  }
};

/// Nothing where it is too far. `may_contain`: whether `candidate` has all letters of `typed`.
std::optional<Near> near(std::string_view typed, std::string_view candidate, std::string_view name, bool may_contain) {
  const std::size_t allowed = most_edits(typed);
  const std::size_t gap =
      typed.size() > candidate.size() ? typed.size() - candidate.size() : candidate.size() - typed.size();
  const bool inside = may_contain && typed.size() >= 3 && candidate.find(typed) != std::string_view::npos;
  const bool begins = may_contain && typed.size() >= 3 && candidate.starts_with(typed);
  std::size_t distance = gap > allowed ? allowed + 1 : edit_distance(typed, candidate, allowed);
  if (distance > allowed && inside) distance = allowed + gap;
  // "mistral" is the beginning of a name before it is another word mistyped.
  if (begins && candidate.size() > typed.size())
    distance = std::min<std::size_t>(distance, candidate[typed.size()] == '-' ? 0 : 1);
  if (distance > allowed && !inside) return std::nullopt;
  return Near{distance, name, begins};
}

}  // namespace

NearestNames::NearestNames(std::span<const std::string_view> known) {
  known_.reserve(known.size());
  for (const std::string_view name : known) {
    std::string folded = fold_name(name.substr(0, kLongest));
    const std::uint64_t letters = letters_of(folded);
    known_.push_back({std::move(folded), name, letters});
  }
}

std::vector<std::string> NearestNames::of(std::string_view word) const {
  const std::string typed = fold_name(word.substr(0, kLongest));
  const std::uint64_t letters = letters_of(typed);
  const auto allowed = static_cast<int>(most_edits(typed));
  std::vector<Near> found;
  for (const Known& one : known_) {
    // An edit takes away one letter and brings one at most.
    const int lost = std::popcount(letters & ~one.letters);
    if (lost > allowed || (lost > 0 && std::popcount(one.letters & ~letters) > allowed)) continue;
    if (const auto close = near(typed, one.folded, one.name, lost == 0)) found.push_back(*close);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const Near& one : found) {
    if (names.size() == 3) break;
    if (std::find(names.begin(), names.end(), one.name) == names.end()) names.emplace_back(one.name);
  }
  return names;
}

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string_view> known) {
  return NearestNames(known).of(word);
}

}  // namespace gpusel
