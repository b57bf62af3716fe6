#include "serve/load/demand.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/values/normal.hpp"
#include "serve/load/random.hpp"

namespace gpusel::serve {

namespace {

// Streams of random numbers: what is asked does not change with how fast it is asked.
constexpr std::uint64_t kGaps = 1;
constexpr std::uint64_t kLengths = 2;
constexpr std::uint64_t kThinking = 3;
constexpr std::uint64_t kMinutes = 4;
constexpr std::uint64_t kSessions = 5;

constexpr std::uint64_t kSharedPrefix = std::uint64_t{1} << 62U;  // ids of blocks beyond any log's
constexpr double kMinute = 60;

std::uint32_t tokens(double length) { return static_cast<std::uint32_t>(std::max(1.0, std::round(length))); }

/// A length by the normal variable behind it, looked up.
class DrawnLength {
 public:
  explicit DrawnLength(const Length& length) : one_(length.one_length() ? length.median : 0) {
    if (one_ > 0) return;
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = length.at(normal_share(variable(i)));
  }
  double at(double normal) const {
    if (one_ > 0) return one_;
    const double place = std::clamp((normal + kReach) * kPerUnit, 0.0, static_cast<double>(table_.size() - 1) - 1e-9);
    const auto below = static_cast<std::size_t>(place);
    return table_[below] + (place - static_cast<double>(below)) * (table_[below + 1] - table_[below]);
  }

 private:
  static constexpr double kReach = 4;
  static constexpr double kPerUnit = 32;
  static double variable(std::size_t index) { return static_cast<double>(index) / kPerUnit - kReach; }
  std::array<double, static_cast<std::size_t>(2 * kReach * kPerUnit) + 1> table_{};
  double one_ = 0;
};

class Drawing {
 public:
  Drawing(const Demand& demand, std::size_t count, double rate, std::uint64_t seed)
      : demand_(demand),
        count_(count),
        rate_(rate),
        input_(demand.input),
        output_(demand.output),
        gaps_(seed, kGaps),
        lengths_(seed, kLengths),
        thinking_(seed, kThinking),
        minutes_(seed, kMinutes),
        sessions_(seed, kSessions) {
    out_.all.reserve(count);
  }

  job::Requests go() {
    if (demand_.shared_prefix > 0) {
      shared_ = static_cast<std::uint32_t>(out_.runs.size());
      out_.runs.push_back({kSharedPrefix, 1, tokens(demand_.shared_prefix), true});
    }
    double at = 0;
    while (out_.all.size() < count_) {
      if (demand_.users.count > 0) {
        add_session();
        continue;
      }
      at = behind(at, gap() / rate_);
      add(at);
    }
    return std::move(out_);
  }

 private:
  struct Lengths {
    std::uint32_t input, output;
  };

  Lengths lengths() {
    if (demand_.input.one_length() && demand_.output.one_length()) return {tokens(input_.at(0)), tokens(output_.at(0))};
    const double first = lengths_.normal();
    const double rest = std::sqrt(1 - demand_.correlation * demand_.correlation);
    const double second = demand_.correlation * first + rest * lengths_.normal();
    return {tokens(input_.at(first)), tokens(output_.at(second))};
  }

  /// In mean gaps.
  double gap() {
    const double cv = demand_.process.gap_cv;
    if (cv <= 0) return 1;
    return cv == 1 ? gaps_.gap() : gaps_.gamma(1 / (cv * cv));
  }

  /// The time when `wait` seconds of the mean rate are over: a busy minute has more of them.
  double behind(double at, double wait) {
    if (demand_.process.minute_cv <= 0) return at + wait;
    while (true) {
      const auto minute = static_cast<std::size_t>(at / kMinute);
      const double end = static_cast<double>(minute + 1) * kMinute;
      const double left = (end - at) * busyness(minute);
      if (wait < left) return at + wait / busyness(minute);
      wait -= left;
      at = end;
    }
  }

  /// A minute's rate over the mean. The first has the mean rate, as what warms up; those behind it lie evenly over the
  /// distribution and in any order, so that short runs have the mean rate and its spread, too.
  double busyness(std::size_t minute) {
    if (rates_.empty()) rates_.push_back(1);
    const double whole = std::round(static_cast<double>(count_) / (rate_ * kMinute)) - 1;
    const auto together = static_cast<std::size_t>(std::clamp(whole, 1.0, std::max(1.0, demand_.enough_minutes())));
    while (rates_.size() <= minute) {
      double sum = 0;
      const std::size_t from = rates_.size();
      for (std::size_t i = 0; i < together; ++i) {
        rates_.push_back(rate_at((static_cast<double>(i) + 0.5) / static_cast<double>(together)));
        sum += rates_.back();
      }
      for (std::size_t i = from; i < rates_.size(); ++i) {
        rates_[i] *= static_cast<double>(together) / sum;
        const double choice = minutes_.share() * static_cast<double>(i - from + 1);
        std::swap(rates_[i], rates_[from + std::min(i - from, static_cast<std::size_t>(choice))]);
      }
    }
    return rates_[minute];
  }

  /// Of the gamma distribution, by Wilson and Hilferty's cube (1931).
  double rate_at(double probability) const {
    constexpr double kLeast = 1e-3;
    const double shape = 1 / (demand_.process.minute_cv * demand_.process.minute_cv);
    const double root = 1 - 1 / (9 * shape) + normal_quantile(probability) / (3 * std::sqrt(shape));
    return std::max(kLeast, root * root * root);
  }

  void add(double at) {
    const Lengths length = lengths();
    job::LoggedRequest request{at, length.input, length.output, shared_, 0};
    if (demand_.session_share > 0) go_on(request);
    out_.all.push_back(request);
  }

  /// A request of an open stream that begins with what an earlier one has asked and been answered.
  void go_on(job::LoggedRequest& request) {
    const bool again = sessions_.share() < demand_.session_share && !open_.empty();
    if (again) {
      const std::size_t which =
          std::min(open_.size() - 1, static_cast<std::size_t>(sessions_.share() * static_cast<double>(open_.size())));
      Session& session = open_[which];
      if (session.tokens < request.input) {
        request.prefix = session.run;
        session.tokens = request.input + request.output;
        return;
      }
    }
    const auto run = static_cast<std::uint32_t>(out_.runs.size());
    out_.runs.push_back({kSharedPrefix + run, 1, 0, true});
    request.prefix = run;
    const Session fresh{run, request.input + request.output};
    constexpr std::size_t kOpen = 64;  // that are remembered
    if (open_.size() < kOpen)
      open_.push_back(fresh);
    else
      open_[static_cast<std::size_t>(sessions_.share() * kOpen)] = fresh;
  }

  void add_session() {
    const std::uint32_t turns = std::max(1U, demand_.users.turns);
    const bool grows = demand_.users.turns > 0;
    std::uint32_t run = shared_;
    if (grows) {
      run = static_cast<std::uint32_t>(out_.runs.size());
      if (shared_ != 0) out_.runs.push_back({kSharedPrefix, 1, tokens(demand_.shared_prefix), false});
      out_.runs.push_back({kSharedPrefix + run, 1, 0, true});
    }
    std::uint32_t before = 0;  // tokens of the turns so far
    for (std::uint32_t turn = 0; turn < turns; ++turn) {
      const Lengths length = lengths();
      const std::uint32_t input = before + length.input;
      if (turn > 0 && demand_.longest > 0 && input + length.output > demand_.longest) break;
      const double think = demand_.users.think > 0 ? thinking_.gap() * demand_.users.think : 0;
      const auto follows = static_cast<std::uint32_t>(turn > 0 ? out_.all.size() : 0);
      out_.all.push_back({think, input, length.output, run, follows});
      before = input + length.output;
    }
  }

  struct Session {
    std::uint32_t run;
    std::uint32_t tokens;
  };

  const Demand& demand_;
  std::size_t count_;
  double rate_;
  const DrawnLength input_, output_;
  Random gaps_, lengths_, thinking_, minutes_, sessions_;
  job::Requests out_;
  std::uint32_t shared_ = 0;
  std::vector<double> rates_;  // of minutes, over the mean
  std::vector<Session> open_;
};

}  // namespace

job::Requests draw(const Demand& demand, std::size_t count, double rate, std::uint64_t seed) {
  if (!demand.replays()) return Drawing(demand, count, rate, seed).go();
  // A log: its own requests, closer together or further apart.
  job::Requests out;
  out.runs = demand.log->runs;
  const auto& all = demand.log->all;
  out.all.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size())));
  if (rate != demand.log_rate)
    for (job::LoggedRequest& request : out.all) request.arrival *= demand.log_rate / rate;
  return out;
}

const job::Requests& DrawnRequests::of(const Demand& demand, std::size_t count, double rate, std::uint64_t seed) {
  const auto same = [&](const Draw& d) {
    return d.count == count && d.rate == rate && d.seed == seed && d.demand == demand;
  };
  auto known = std::ranges::find_if(draws_, same);
  if (known == draws_.end()) {
    if (draws_.size() == kMost) draws_.erase(std::ranges::min_element(draws_, {}, &Draw::used));
    draws_.push_back({demand, count, rate, seed, draw(demand, count, rate, seed)});
    known = draws_.end() - 1;
  }
  known->used = ++uses_;
  return known->requests;
}

double Demand::enough_replicas() const { return process.minute_cv > 0 ? 12 : 32; }

double Demand::enough_minutes() const {
  constexpr double kAlike = 0.5;
  return process.minute_cv <= 0 ? 0 : process.minute_cv < kAlike ? 15 : 60;
}

Demand Demand::part(double share) const {
  Demand out = *this;
  out.rate *= share;
  if (users.count > 0 && share < 1)
    out.users.count = static_cast<std::uint32_t>(std::max(1.0, std::round(share * users.count)));
  if (process.gap_cv > 1) out.process.gap_cv = std::sqrt(1 + share * (process.gap_cv * process.gap_cv - 1));
  return out;
}

Demand busiest(Demand demand, std::size_t most) {
  if (!demand.replays() || demand.log->all.size() <= most || most < 2) return demand;
  const auto& all = demand.log->all;
  const auto span = [&](std::size_t begin) { return all[begin + most - 1].arrival - all[begin].arrival; };
  std::size_t best = 0;
  for (std::size_t begin = 1; begin + most <= all.size(); ++begin)
    if (span(begin) < span(best)) best = begin;
  auto piece = std::make_shared<job::Requests>();
  piece->runs = demand.log->runs;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(best);
  piece->all.assign(first, first + static_cast<std::ptrdiff_t>(most));
  const double begins = piece->all.front().arrival;
  for (job::LoggedRequest& request : piece->all) request.arrival -= begins;
  // Stretched as the whole log is.
  const double stretch = demand.rate / demand.log_rate;
  if (const double last = piece->all.back().arrival; last > 0) demand.log_rate = static_cast<double>(most - 1) / last;
  demand.rate = demand.log_rate * stretch;
  demand.log = std::move(piece);
  return demand;
}

}  // namespace gpusel::serve
