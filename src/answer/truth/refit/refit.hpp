// Coefficients as the published measurements would have them. docs/method.md says how.
#pragma once

#include "answer/truth/refit/followed.hpp"

namespace gpusel::answer {

/// A value, and what the measurements make of it.
struct RefitValue {
  std::string id;
  std::string name;  // of the case
  double shipped = 0;
  double found = 0;
  std::size_t sources = 0;  // that speak of it
  std::size_t figures = 0;  // that follow it
  double better = 0;  // the shipped value, or a step up or down from it if that is nearer to these, all else as shipped
  double gain = 0;    // by how much the mean distance ln(measured ÷ predicted) of these is less there
  double low = 0;  // least and most of what is found with one of its sources left out; as shipped where it has but one
  double high = 0;

  /// Whether the better value lies on the way to what is found, whichever source is left out.
  bool agreed() const {
    return better > shipped ? low > shipped && better <= high : high < shipped && better >= low && better < shipped;
  }
};

struct Refit {
  std::vector<RefitValue> values;
  std::vector<FreeValue> unheard;  // fitted once, and none of these rows says anything of them
  std::vector<RestsOn> elsewhere;  // on no rows, but what their source says
};

/// What the rows that were compared make of the coefficients that rest on them. `texts`: the documents of the
/// calibration.
Refit refit(const Verification& verification, std::span<const Document> texts, const catalog::Catalog& catalog,
            const physics::Coefficients& shipped);

/// The values, by their places, that bring the figures of all sources but one closest to what was measured.
std::vector<physics::CoefficientValue> fitted(Followed& followed, std::span<const std::size_t> values,
                                              std::optional<std::size_t> without, const physics::Coefficients& shipped);

/// The values that a source and others speak of, by their places.
std::vector<std::size_t> shared_values(std::span<const std::set<std::size_t>> speakers, std::size_t source);

}  // namespace gpusel::answer
