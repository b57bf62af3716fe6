// How good the estimates are for a source that nothing was fitted to: each one left out in turn. docs/method.md says
// how.
#pragma once

#include "answer/truth/accuracy.hpp"
#include "answer/truth/refit/rests_on.hpp"

namespace gpusel::answer {

/// One value without a source's rows.
struct ValueWithout {
  std::string id;
  std::string name;  // of the case
  double shipped = 0;
  double value = 0;
};

struct LeftOutSource {
  std::string source;
  std::vector<ValueWithout> fitted;   // again, to the rows of the others
  std::vector<ValueWithout> removed;  // cases that it alone speaks of: what stands behind them holds
  std::vector<ValueWithout> held;     // plain values that it alone speaks of: as shipped
};

/// Of one figure, over the sources.
struct LeftOutSpread {
  Figure figure = Figure::training_speed;
  double between = 0;         // standard deviation of ln(measured ÷ predicted): of the sources' medians
  double within = 0;          // and of the rows around these
  double shipped_inside = 0;  // share inside the intervals as shipped; sources alike
  double factor = 1;          // of the logarithms of these intervals' ratios, so that 80 of 100 lie inside
};

struct LeaveOut {
  Verification verification;  // points into the sheets of the one that it was made from; intervals without the source
  std::vector<LeftOutSource> sources;
  std::vector<LeftOutSpread> spreads;
  std::vector<RestsOn> elsewhere;  // coefficients that rest on no rows, and were held
};

/// `texts`: the documents of the calibration, which say what each coefficient rests on.
LeaveOut leave_sources_out(const Verification& verification, std::span<const Document> texts,
                           const catalog::Catalog& catalog, const physics::Coefficients& shipped);

}  // namespace gpusel::answer
