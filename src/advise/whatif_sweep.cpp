#include <algorithm>
#include <cmath>
#include <map>

#include "advise/whatif_parts.hpp"

namespace gpusel::advise {

namespace {

/// How near two values of a range are when the place where the winner changes is known well enough.
constexpr double kNear = 0.001;
/// More changes between two points of a range are not looked for.
constexpr int kMostChanges = 8;

class Refiner {
 public:
  Refiner(const Varied& varied, Asker& asker) : varied_(varied), asker_(asker) {}

  /// What lies on both sides of each change between two samples, without these.
  std::vector<Sample> between(const Sample& first, const Sample& last) {
    std::vector<Sample> found;
    Sample left = first;
    for (int i = 0; i < kMostChanges && !same_winner(left.best, last.best); ++i) {
      auto [before, after] = halve(left, last);
      if (before.between) found.push_back(before);
      if (after.between) found.push_back(after);
      left = std::move(after);
    }
    return found;
  }

 private:
  bool near(double a, double b) const {
    if (varied_.axis.whole) return b - a <= 1;
    return varied_.axis.place(b) - varied_.axis.place(a) <= kNear;
  }

  double middle(double a, double b) const {
    const double value = varied_.axis.log ? std::sqrt(a * b) : (a + b) / 2;
    return varied_.axis.whole ? std::clamp(std::round(value), a + 1, b - 1) : value;
  }

  /// The last sample with the winner of `left` and the first with another.
  std::pair<Sample, Sample> halve(Sample left, Sample right) {
    while (!near(*left.at[0].number, *right.at[0].number)) {
      Sample mid;
      mid.at.push_back(varied_.at(middle(*left.at[0].number, *right.at[0].number)));
      const Change change = change_to(varied_, mid.at[0]);
      mid.best = asker_.outcome({&change, 1});
      mid.between = true;
      (same_winner(mid.best, left.best) ? left : right) = std::move(mid);
    }
    return {std::move(left), std::move(right)};
  }

  const Varied& varied_;
  Asker& asker_;
};

/// Where along the range the stretch between two samples is divided: half way.
double border(const Axis& axis, const std::vector<Sample>& samples, std::size_t after) {
  return (axis.place(*samples[after].at[0].number) + axis.place(*samples[after + 1].at[0].number)) / 2;
}

void find_segments(WhatIf& out) {
  const auto& samples = out.samples;
  const Axis& axis = out.axes.front();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i == 0 || !same_winner(samples[i - 1].best, samples[i].best)) out.segments.push_back({i, i, 0});
    out.segments.back().last = i;
  }
  for (Segment& segment : out.segments) {
    if (axis.continuous) {
      const double from = segment.first == 0 ? 0 : border(axis, samples, segment.first - 1);
      const double to = segment.last + 1 == samples.size() ? 1 : border(axis, samples, segment.last);
      segment.share = to - from;
    } else {
      segment.share = static_cast<double>(segment.last - segment.first + 1) / static_cast<double>(samples.size());
    }
  }
}

}  // namespace

void sweep_one(const Varied& varied, Asker& asker, WhatIf& out) {
  Refiner refiner(varied, asker);
  for (const AxisValue& value : varied.axis.values) {
    const Change change = change_to(varied, value);
    Sample sample{{value}, asker.outcome({&change, 1}), false};
    if (!out.samples.empty() && varied.axis.continuous)
      for (Sample& one : refiner.between(out.samples.back(), sample)) out.samples.push_back(std::move(one));
    out.samples.push_back(std::move(sample));
  }
  find_segments(out);
  count_winners(out);
}

void sweep_two(const Varied& across, const Varied& down, Asker& asker, WhatIf& out) {
  for (const AxisValue& second : down.axis.values)
    for (const AxisValue& first : across.axis.values) {
      const Change changes[] = {change_to(across, first), change_to(down, second)};
      out.samples.push_back({{first, second}, asker.outcome(changes), false});
    }
  count_winners(out);
}

void count_winners(WhatIf& out) {
  const auto add = [&](std::size_t sample, double share) {
    const auto known = std::find_if(out.winners.begin(), out.winners.end(), [&](const Winner& winner) {
      return same_winner(out.samples[winner.sample].best, out.samples[sample].best);
    });
    if (known != out.winners.end())
      known->share += share;
    else
      out.winners.push_back({sample, share});
  };
  for (const Segment& segment : out.segments) add(segment.first, segment.share);
  if (out.segments.empty())
    for (std::size_t i = 0; i < out.samples.size(); ++i) add(i, 1 / static_cast<double>(out.samples.size()));
  std::stable_sort(out.winners.begin(), out.winners.end(),
                   [](const Winner& a, const Winner& b) { return a.share > b.share + 1e-9; });
}

}  // namespace gpusel::advise
