#include "physics/serving/loaded_steps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/values/normal.hpp"

namespace gpusel::physics {

namespace {

constexpr double kTiny = 1e-4;      // smaller shares change no percentile
constexpr std::size_t kMost = 300;  // parts waiting

struct Point {
  double percent;
  Seconds Percentiles::* figure;
};
constexpr std::array<Point, 5> kPoints = {{{50, &Percentiles::p50},
                                           {90, &Percentiles::p90},
                                           {95, &Percentiles::p95},
                                           {99, &Percentiles::p99},
                                           {99.9, &Percentiles::p999}}};

/// A histogram of times in bins of a 64th of a power of two.
class Times {
 public:
  void add(double time, double share) {
    const std::size_t bin = std::min(kBins - 1, bin_of(std::max(time, kLeast) / kLeast));
    first_ = std::min(first_, bin);
    last_ = std::max(last_, bin);
    shares_[bin] += share;
    all_ += share;
    sum_ += share * time;
  }
  template <typename Use>
  void each(const Use& use) const {
    for (std::size_t i = first_; i <= last_; ++i)
      if (shares_[i] > 0) use(std::midpoint(start(i), start(i + 1)), shares_[i]);
  }
  Percentiles percentiles() const {
    Percentiles out;
    out.mean = seconds(sum_ / std::max(all_, kTiny));
    double below = 0;
    std::size_t i = std::min(first_, last_);
    for (const auto& [percent, figure] : kPoints) {
      const double wanted = percent / 100 * all_;
      while (i + 1 < kBins && below + shares_[i] < wanted) below += shares_[i++];
      const double part = (wanted - below) / std::max(shares_[i], kTiny * kTiny);
      out.*figure = seconds(std::lerp(start(i), start(i + 1), part));
    }
    return out;
  }

 private:
  static constexpr double kLeast = 1e-6;  // seconds
  static constexpr std::size_t kBins = 40 * 64;
  static constexpr int kShift = 52 - 6;  // bits of a double behind the first six of its mantissa
  static constexpr std::uint64_t kFirst = std::bit_cast<std::uint64_t>(1.0) >> kShift;
  /// Of a number from 1 on.
  static std::size_t bin_of(double number) { return (std::bit_cast<std::uint64_t>(number) >> kShift) - kFirst; }
  static double start(std::size_t bin) { return kLeast * std::bit_cast<double>((kFirst + bin) << kShift); }

  std::array<double, kBins> shares_{};
  double all_ = 0, sum_ = 0;
  std::size_t first_ = kBins, last_ = 0;  // that hold something
};

/// Probabilities of 0, 1, 2 … arrivals.
std::vector<double> arrivals(double mean) {
  std::vector<double> out;
  double chance = std::exp(-mean);
  for (double left = 1; left > kTiny && out.size() < kMost; left -= out.back()) {
    out.push_back(chance);
    chance *= mean / static_cast<double>(out.size());
  }
  return out;
}

/// The same, with everything from `most` arrivals on taken together at its mean.
template <typename Use>
void for_few_arrivals(double mean, int most, const Use& use) {
  double chance = std::exp(-mean);
  double left = 1;
  double counted = 0;
  for (int count = 0; count < most; ++count) {
    if (chance > kTiny) use(count, chance);
    left -= chance;
    counted += count * chance;
    chance *= mean / (count + 1);
  }
  if (left > kTiny) use(std::max(most, static_cast<int>(std::lround((mean - counted) / left))), left);
}

/// How long steps take.
class Steps {
 public:
  explicit Steps(const LoadedSteps& steps) : s_(steps) {
    // Where all that arrives could not be read, it is as close to it as is known to be served.
    const double each = length(s_.parts_of_step) / s_.parts_of_step * s_.parts;
    rate_ = std::min(s_.arrivals_per_s, kMostRead / std::max(each, 1e-12));
  }

  double rate() const { return rate_; }

  double read(double parts) const {
    const double first = std::min(parts, s_.parts);
    return first * s_.first_part.raw() + (parts - first) * s_.further_part.raw();
  }
  /// Of a pipeline's batches each waits for the fullest.
  double length(double waiting) const {
    const double parts = std::min(waiting, s_.parts_of_step / s_.stages);
    return (parts > 0 && s_.reads_alone ? 0 : s_.bare.raw()) + read(parts);
  }

 private:
  const LoadedSteps& s_;
  double rate_ = 0;
};

/// The queue of parts of prompts at the starts of steps.
class Chain {
 public:
  explicit Chain(const LoadedSteps& steps) : s_(steps), steps_(steps) {}

  /// Of the steps, so many begin with so many parts that wait.
  std::vector<double> waiting() && {
    constexpr int kSteps = 120;
    for (int i = 0; i < kSteps && advance() > kTiny; ++i) continue;
    return std::move(shares_);
  }

 private:
  /// Moves the distribution on by one step; returns how much it changed.
  double advance() {
    std::vector<double> next(std::min(kMost + 2, shares_.size() * 2), 0.0);
    for (std::size_t waiting = 0; waiting < shares_.size(); ++waiting) {
      const double share = shares_[waiting];
      if (share < kTiny / 100) continue;
      const double read = std::min(static_cast<double>(waiting), s_.parts_of_step);
      const double left = static_cast<double>(waiting) - read;
      const auto whole = static_cast<std::size_t>(left);
      const double above = left - static_cast<double>(whole);  // of a part some is read
      std::size_t at = whole;
      for (const double chance : coming_in(static_cast<std::size_t>(std::ceil(read)))) {
        if (next.size() <= at + 1) next.resize(at + 2);
        next[at] += share * chance * (1 - above);
        next[at + 1] += share * chance * above;
        at = std::min(kMost, at + static_cast<std::size_t>(s_.parts));
      }
    }
    while (next.size() > 1 && next.back() < kTiny / 100) next.pop_back();
    double all = 0;
    for (const double share : next) all += share;
    double moved = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      next[i] /= all;
      moved += std::abs(next[i] - (i < shares_.size() ? shares_[i] : 0));
    }
    shares_ = std::move(next);
    return moved;
  }

  /// Arrivals during a step that reads that many parts.
  const std::vector<double>& coming_in(std::size_t read) {
    if (coming_.size() <= read) coming_.resize(read + 1);
    if (coming_[read].empty()) {
      const double time = steps_.length(static_cast<double>(read));  // no more than a step holds
      // Where nothing runs, nothing happens until one comes.
      coming_[read] = time > 0 ? arrivals(steps_.rate() * time) : std::vector<double>{0, 1};
    }
    return coming_[read];
  }

  const LoadedSteps& s_;
  Steps steps_;
  std::vector<double> shares_ = {1};
  std::vector<std::vector<double>> coming_;
};

/// The mean over steps.
template <typename Of>
double mean_of(const std::vector<double>& waiting, const Of& of) {
  double sum = 0;
  for (std::size_t n = 0; n < waiting.size(); ++n) sum += waiting[n] * of(static_cast<double>(n));
  return sum;
}

/// Share of requests that arrive while nothing runs.
double idle_share(const LoadedSteps& s, const Steps& steps) {
  if (s.bare > Seconds{}) return std::exp(-s.in_flight);
  return std::max(0.0, 1 - steps.rate() * steps.read(s.parts));
}

/// Times to the first token over all the moments at which a prompt may arrive.
class FirstTokens {
 public:
  FirstTokens(const LoadedSteps& steps, const std::vector<double>& waiting) : s_(steps), steps_(steps) {
    const double idle = idle_share(s_, steps_);
    if (idle > kTiny) arrive_alone(idle);
    const double time = mean_of(waiting, [&](double parts) { return steps_.length(parts); });
    if (!(time > 0)) return;
    for (std::size_t n = 0; n < waiting.size(); ++n) {
      const auto parts = static_cast<double>(n);
      const double share = (1 - idle) * waiting[n] * steps_.length(parts) / time;
      if (share > kTiny) arrive(parts, share);
    }
  }

  const Times& times() const { return times_; }

 private:
  /// Nothing else runs.
  void arrive_alone(double share) { times_.add(s_.alone.raw() + (s_.ahead ? s_.bare.raw() : 0), share); }

  /// At any moment of a step that began with that many parts waiting.
  void arrive(double waiting, double share) {
    const double left = waiting - std::min(waiting, s_.parts_of_step);
    const double slot = steps_.length(waiting);
    constexpr int kPlaces = 4;
    for (int i = 0; i < kPlaces; ++i) {
      const double rest = slot * (1 - (i + 0.5) / kPlaces);
      for_few_arrivals(steps_.rate() * (slot - rest), 3, [&](int before, double chance_before) {
        for_few_arrivals(steps_.rate() * rest, 2, [&](int behind, double chance_behind) {
          const double own = left + (before + 1) * s_.parts;
          read(rest, own, own + behind * s_.parts, share / kPlaces * chance_before * chance_behind);
        });
      });
    }
  }

  /// Reads the queue up to the prompt, whose last part is number `own` in it.
  void read(double at, double own, double queue, double share) {
    if (share < kTiny * kTiny) return;
    // All but the last are full.
    const double before = std::max(0.0, std::ceil(own / s_.parts_of_step) - 1);
    const double full = steps_.length(s_.parts_of_step);
    queue += before * (steps_.rate() * full * s_.parts - s_.parts_of_step);
    at += before * full + steps_.length(queue);
    times_.add(s_.ahead ? at + s_.bare.raw() : at, share);
  }

  const LoadedSteps& s_;
  Steps steps_;
  Times times_;
};

/// Midpoints of equal shares of the standard normal distribution.
const std::array<double, 25>& normal_strata() {
  static const auto known = [] {
    std::array<double, 25> out;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(out.size()));
    return out;
  }();
  return known;
}

/// Requests that find the cache full wait for one to end: Erlang's formula for many servers, in Halfin and Whitt's
/// approximation (doi 10.1287/opre.29.3.567), with answers of constant length.
Times with_wait_for_room(const LoadedSteps& s, const Times& times) {
  const double spare = std::max(s.room - s.in_flight, 0.02 * s.room);
  const double deviations = spare / std::sqrt(std::max(s.in_flight, 1e-9));
  constexpr double kRootTwoPi = 2.5066282746310002;
  const double density = std::exp(-deviations * deviations / 2) / kRootTwoPi;
  const double waits = density > 1e-12 ? 1 / (1 + deviations * normal_share(deviations) / density) : 0;
  if (waits < kTiny) return times;
  const double mean = s.stay.raw() / spare / 2;
  Times out;
  times.each([&](double time, double share) {
    out.add(time, share * (1 - waits));
    constexpr int kStrata = 20;
    for (int i = 0; i < kStrata; ++i) out.add(time - mean * std::log1p(-(i + 0.5) / kStrata), share * waits / kStrata);
  });
  return out;
}

Percentiles gaps(const LoadedSteps& s, const std::vector<double>& waiting) {
  const Steps steps(s);
  Times out;
  const auto& strata = normal_strata();
  for (std::size_t n = 0; n < waiting.size(); ++n) {
    // Where prompts come first, such a step and the next that decodes make one gap.
    const double share = s.reads_alone && n == 0 ? std::max(0.0, 2 * waiting[0] - 1) : waiting[n];
    if (share < kTiny) continue;
    const double own = steps.length(static_cast<double>(n)) + (s.reads_alone && n > 0 ? s.bare.raw() : 0);
    for (const double z : strata)
      out.add((own + z * s.spread.raw()) / s.tokens_of_step, share / static_cast<double>(strata.size()));
  }
  return out.percentiles();
}

/// Prompts arrive at random during an answer, and a longer answer meets more of them and of other sequences: a first
/// passage time, skewed to the right.
Percentiles means_of_requests(const LoadedSteps& s) {
  const Steps steps(s);
  const double each = steps.read(s.parts);
  const double came = each * std::sqrt(s.arrivals_per_s * s.stay.raw()) / s.steps;
  const double sequences = s.spread.raw() / s.tokens_of_step;  // of the batch's deviation
  const double for_sequences = sequences / std::sqrt(std::max(1.0, s.in_flight)) * s.arrivals_per_s * s.steps;
  const double spared = std::max(1 - kMostRead, 1 - steps.rate() * each - for_sequences);
  const double relative = std::hypot(came, sequences) / spared / s.per_token.raw();
  const double logarithm = std::sqrt(std::log1p(relative * relative));
  static const auto deviations = [] {
    std::array<double, kPoints.size()> of;
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = normal_quantile(kPoints[i].percent / 100);
    return of;
  }();
  Percentiles out;
  out.mean = s.per_token;
  for (std::size_t i = 0; i < kPoints.size(); ++i)
    out.*kPoints[i].figure = s.per_token * std::exp(logarithm * (deviations[i] - logarithm / 2));
  return out;
}

}  // namespace

Seconds Percentiles::within(double percent) const {
  const auto rarity = [](double of) { return -std::log1p(-of / 100); };
  for (std::size_t i = 1; i < kPoints.size(); ++i) {
    const auto& [to, above] = kPoints[i];
    if (percent > to) continue;
    const auto& [from, below] = kPoints[i - 1];
    const double share = std::max(0.0, (rarity(percent) - rarity(from)) / (rarity(to) - rarity(from)));
    return this->*below + (this->*above - this->*below) * share;
  }
  return p999;
}

const std::vector<double>& LoadedTimes::waiting() const {
  if (waiting_.empty()) waiting_ = Chain(steps_).waiting();
  return waiting_;
}

const Percentiles& LoadedTimes::ttft() const {
  if (ttft_) return *ttft_;
  ttft_ = with_wait_for_room(steps_, FirstTokens(steps_, waiting()).times()).percentiles();
  ttft_->mean += steps_.overhead;
  for (const auto& [percent, figure] : kPoints) (*ttft_).*figure += steps_.overhead;
  return *ttft_;
}

const Percentiles& LoadedTimes::tpot() const {
  if (!tpot_) tpot_ = steps_.steps > 0 ? means_of_requests(steps_) : Percentiles{};
  return *tpot_;
}

const Percentiles& LoadedTimes::itl() const {
  if (!itl_) itl_ = steps_.steps > 0 ? gaps(steps_, waiting()) : Percentiles{};
  return *itl_;
}

const Percentiles& LoadedTimes::e2e() const {
  if (e2e_) return *e2e_;
  e2e_ = ttft();
  e2e_->mean += tpot().mean * steps_.steps;
  // The requests that wait longest for the first token are rarely those with the slowest tokens.
  for (const auto& [percent, figure] : kPoints)
    (*e2e_).*figure = ttft().p50 + (ttft().*figure - ttft().p50) / 2 + tpot().*figure * steps_.steps;
  if (steps_.steps <= 0) e2e_ = ttft();
  return *e2e_;
}

}  // namespace gpusel::physics
