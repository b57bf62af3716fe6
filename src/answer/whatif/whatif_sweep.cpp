#include <algorithm>
#include <cmath>
#include <deque>

#include "answer/whatif/whatif_parts.hpp"

namespace gpusel::answer {

namespace {

/// How near two values of a range are when the place where the winner changes is known well enough, of the range.
constexpr double kNearCrossing = 0.001;
/// The same of a value, where something begins to fit: a limit is typed in such digits.
constexpr double kNearFit = 1e-4;
/// More changes between two points of a range are not looked for.
constexpr int kMostSweepChanges = 8;
/// The widest step of a range with nothing asked in it.
constexpr double kSweepStep = 1.0 / 32 + 1e-9;
/// How far cost may be off the line between its neighbours before something is looked for there, of the cost.
constexpr double kBend = 0.01;
/// Answers spent on bends, the widest first.
constexpr int kMostBends = 64;

struct Stretch {
  Sample left, right;
  bool bent = false;  // cost goes through it by a jump or a bend
};

/// How far `cost` at `x` is off a course between two others, straight or by ratio, of the cost.
double off_course(double x, double cost, double x0, double cost0, double x1, double cost1) {
  const double straight = cost0 + (cost1 - cost0) * (x - x0) / (x1 - x0);
  double off = std::abs(cost - straight);
  if (x0 > 0 && cost0 > 0 && cost1 > 0)
    off = std::min(off, std::abs(cost - cost0 * std::pow(cost1 / cost0, std::log(x / x0) / std::log(x1 / x0))));
  return cost > 0 ? off / cost : 0;
}

class Refiner {
 public:
  Refiner(const Varied& varied, Asker& asker) : varied_(varied), asker_(asker) {}

  /// Samples between those of the values, in no order: in every wide step, and where cost takes a jump, for another
  /// winner often begins or ends there.
  std::vector<Sample> within(const std::vector<Sample>& asked) {
    std::vector<Sample> found;
    std::deque<Stretch> open;
    for (std::size_t i = 1; i < asked.size(); ++i) open.push_back({asked[i - 1], asked[i]});
    for (int bends = 0; !open.empty(); open.pop_front()) {
      const auto& [left, right, bent] = open.front();
      if (near(left, right)) continue;
      const bool wide = place(right) - place(left) > kSweepStep;
      if (!wide && (!bent || ++bends > kMostBends)) continue;
      Sample mid = sample_between(left, right);
      const bool off = bends_at(left, mid, right);
      open.push_back({left, mid, off && differ(left, mid)});
      open.push_back({mid, right, off && differ(mid, right)});
      found.push_back(std::move(mid));
    }
    return found;
  }

  /// What lies on both sides of each change between two samples, without these.
  std::vector<Sample> between(const Sample& first, const Sample& last) {
    std::vector<Sample> found;
    Sample left = first;
    for (int i = 0; i < kMostSweepChanges && !same_winner(left.best, last.best); ++i) {
      auto [before, after] = halve(left, last);
      if (*before.at[0].number != *left.at[0].number) found.push_back(before);
      if (*after.at[0].number != *last.at[0].number) found.push_back(after);
      left = std::move(after);
    }
    return found;
  }

  double place(const Sample& sample) const { return varied_.axis.place(*sample.at[0].number); }

 private:
  static double cost_at(const Sample& sample) { return sample.best.cost_in(sample.best.measure); }
  static bool differ(const Sample& a, const Sample& b) {
    return std::abs(cost_at(a) - cost_at(b)) > kBend * std::max(cost_at(a), cost_at(b));
  }
  static bool bends_at(const Sample& left, const Sample& mid, const Sample& right) {
    if (!mid.best.fits() || !same_winner(left.best, mid.best) || !same_winner(mid.best, right.best)) return false;
    return off_course(*mid.at[0].number, cost_at(mid), *left.at[0].number, cost_at(left), *right.at[0].number,
                      cost_at(right)) > kBend;
  }

  bool near(const Sample& left, const Sample& right) const {
    const double a = *left.at[0].number, b = *right.at[0].number;
    if (varied_.axis.whole) return b - a <= 1;
    if (left.best.fits() != right.best.fits() && !varied_.axis.relative)
      return b - a <= kNearFit * std::max(std::abs(a), std::abs(b));
    return place(right) - place(left) <= kNearCrossing;
  }

  double middle(double a, double b) const {
    const double value = varied_.axis.log ? std::sqrt(a * b) : (a + b) / 2;
    return varied_.axis.whole ? std::clamp(std::round(value), a + 1, b - 1) : value;
  }

  Sample sample_between(const Sample& left, const Sample& right) {
    Sample mid;
    mid.at.push_back(varied_.at(middle(*left.at[0].number, *right.at[0].number)));
    const Alteration change = change_to(varied_, mid.at[0]);
    mid.best = asker_.outcome({&change, 1});
    mid.between = true;
    return mid;
  }

  /// The last sample with the winner of `left` and the first with another.
  std::pair<Sample, Sample> halve(Sample left, Sample right) {
    while (!near(left, right)) {
      Sample mid = sample_between(left, right);
      (same_winner(mid.best, left.best) ? left : right) = std::move(mid);
    }
    return {std::move(left), std::move(right)};
  }

  const Varied& varied_;
  Asker& asker_;
};

void sort_along(std::vector<Sample>& samples) {
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return *a.at[0].number < *b.at[0].number; });
}

/// Adds what lies beside each change of winner.
void look_between(const Varied& varied, Asker& asker, WhatIf& out) {
  Refiner refiner(varied, asker);
  std::vector<Sample> all = out.samples;
  for (Sample& one : refiner.within(out.samples)) all.push_back(std::move(one));
  sort_along(all);
  const std::size_t steps = all.size();
  for (std::size_t i = 1; i < steps; ++i) {
    const bool neighbours = varied.axis.whole && *all[i].at[0].number - *all[i - 1].at[0].number <= 1;
    if (!neighbours) out.unseen = std::max(out.unseen, refiner.place(all[i]) - refiner.place(all[i - 1]));
    for (Sample& one : refiner.between(all[i - 1], all[i])) all.push_back(std::move(one));
  }
  sort_along(all);
  out.samples.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool changes = (i > 0 && !same_winner(all[i - 1].best, all[i].best)) ||
                         (i + 1 < all.size() && !same_winner(all[i].best, all[i + 1].best));
    if (!all[i].between || changes) out.samples.push_back(all[i]);
  }
}

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
  for (const AxisValue& value : varied.axis.values) {
    const Alteration change = change_to(varied, value);
    out.samples.push_back({{value}, asker.outcome({&change, 1}), false});
  }
  if (varied.axis.continuous) look_between(varied, asker, out);
  find_segments(out);
  count_winners(out);
}

namespace {

/// How much of what is known of machines another value leaves true: prices all plans, rates all layouts.
int spared(const Input& input) { return input.is_price() ? 2 : input.key == "request_rate" ? 1 : 0; }

}  // namespace

/// What spares more is changed more often.
void sweep_two(const Varied& across, const Varied& down, Asker& asker, WhatIf& out) {
  const std::size_t columns = across.axis.values.size(), rows = down.axis.values.size();
  const bool by_column = spared(down.input) > spared(across.input);
  out.samples.resize(columns * rows);
  for (std::size_t i = 0; i < columns * rows; ++i) {
    const std::size_t column = by_column ? i / rows : i % columns, row = by_column ? i % rows : i / columns;
    const AxisValue &first = across.axis.values[column], &second = down.axis.values[row];
    const Alteration changes[] = {change_to(across, first), change_to(down, second)};
    out.samples[row * columns + column] = {{first, second}, asker.outcome(changes), false};
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

}  // namespace gpusel::answer
