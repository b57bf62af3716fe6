#include "serve/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpusel::serve {

namespace {

constexpr double kGapsInTime = 0.95;  // of one request
constexpr double kKeepsUp = 0.9;      // of what came, that ended meanwhile

/// Between the values to both sides, as numpy does it. Reorders.
double percentile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double part = place - std::floor(place);
  if (part == 0 || below + 1 == values.end()) return *below;
  const double above = *std::min_element(below + 1, values.end());
  return std::isfinite(above) ? *below + part * (above - *below) : above;
}

Figures figures_of(std::vector<float>& values) {
  Figures out;
  if (values.empty()) return out;
  double sum = 0;
  for (const float value : values) sum += value;
  out.mean = sum / static_cast<double>(values.size());
  out.p999 = percentile(values, 0.999);
  out.p99 = percentile(values, 0.99);
  out.p95 = percentile(values, 0.95);
  out.p90 = percentile(values, 0.9);
  out.p50 = percentile(values, 0.5);
  return out;
}

Figures figures_of(const Spread& spread) {
  return {spread.mean(),           spread.percentile(0.5),  spread.percentile(0.9),
          spread.percentile(0.95), spread.percentile(0.99), spread.percentile(0.999)};
}

bool in_time(double value, const std::optional<double>& target) { return !target || value <= *target; }

/// Which targets a request keeps.
struct Kept {
  Kept(const Served& served, const Request& request, const Targets& targets)
      : done(served.done()),
        per_token(done ? served.tpot(request.output) : kNever),
        ttft(in_time(served.ttft, targets.ttft)),
        tpot(request.output <= 1 || in_time(per_token, targets.tpot)),
        itl(!targets.itl || (done && served.slow <= (1 - kGapsInTime) * (request.output - 1))),
        e2e(in_time(served.e2e, targets.e2e)) {}
  bool all() const { return done && ttft && tpot && itl && e2e; }

  bool done;
  double per_token;  // s
  bool ttft, tpot, itl, e2e;
};

/// Requests of a window in the order in which they came.
std::vector<std::uint32_t> counted(const Requests& requests, const Run& run, const Window& window) {
  std::vector<std::uint32_t> order(requests.all.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!run.arrivals.empty())
    std::ranges::stable_sort(order, {}, [&](std::uint32_t index) { return run.arrivals[index]; });
  const std::size_t until = std::min(window.until, order.size());
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(until), order.end());
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(window.from, until)));
  return order;
}

/// The values of some requests, measure by measure.
class Counting {
 public:
  Counting(const Requests& requests, const Run& run, const Targets& targets)
      : requests_(requests), run_(run), targets_(targets) {}

  void add(std::uint32_t index) {
    const Served& served = run_.served[index];
    const job::LoggedRequest& request = requests_.all[index];
    const Kept kept(served, request, targets_);
    const bool all = kept.all();
    ttft.push_back(served.ttft);
    e2e.push_back(served.e2e);
    if (request.output > 1) tpot.push_back(static_cast<float>(kept.per_token));
    good.all += all ? 1 : 0;
    good.ttft += kept.ttft ? 1 : 0;
    good.tpot += kept.tpot ? 1 : 0;
    good.itl += kept.itl ? 1 : 0;
    good.e2e += kept.e2e ? 1 : 0;
    unserved += served.done() ? 0 : 1;
    preemptions += served.preempted;
    wait += served.queued;
    input += request.input;
    found += served.cached;
    output += served.done() ? request.output : 0;
    input_done += served.done() ? request.input : 0;
    good_output += all ? request.output : 0;
  }

  std::vector<float> ttft, tpot, e2e;
  Shares good{0, 0, 0, 0, 0};
  double wait = 0, input = 0, found = 0;
  double input_done = 0, output = 0, good_output = 0;  // of those that ended
  std::size_t unserved = 0;
  std::uint64_t preemptions = 0;

 private:
  const Requests& requests_;
  const Run& run_;
  const Targets& targets_;
};

/// Requests that ended while the window lasted, whenever they came.
struct Ended {
  double requests = 0, input = 0;
  double good_requests = 0, good_output = 0;
};

Ended ended_in(const Requests& requests, const Run& run, const Targets& targets, const Window& window) {
  Ended out;
  // What a run ends with counts, though its last token be known a step later.
  const double until = window.until < requests.all.size() ? run.end : kNever;
  for (std::size_t i = 0; i < requests.all.size(); ++i) {
    const Served& served = run.served[i];
    const job::LoggedRequest& request = requests.all[i];
    const double end = (run.arrivals.empty() ? request.arrival : run.arrivals[i]) + served.e2e;
    if (!served.done() || end <= run.begin || end > until) continue;
    out.requests += 1;
    out.input += request.input;
    if (!is_in_time(served, request, targets)) continue;
    out.good_requests += 1;
    out.good_output += request.output;
  }
  return out;
}

/// A level over time, of replicas that were idle for the rest of `whole` seconds.
Level level_of(Spread spread, double whole) {
  if (whole > spread.total()) spread.add(0, whole - spread.total());
  return {spread.mean(), std::round(spread.percentile(0.95)), spread.most()};
}

}  // namespace

double served_per_s(const Requests& requests, const Run& run) {
  std::vector<double> ends;
  for (std::size_t i = 0; i < run.served.size(); ++i) {
    const double end = (run.arrivals.empty() ? requests.all[i].arrival : run.arrivals[i]) + run.served[i].e2e;
    if (std::isfinite(end)) ends.push_back(end);
  }
  std::ranges::sort(ends);
  const std::size_t from = ends.size() / 4;
  const std::size_t until = ends.size() * 3 / 4;
  const bool apart = until > from && ends[until] > ends[from];
  return apart ? static_cast<double>(until - from) / (ends[until] - ends[from]) : 0;
}

bool is_in_time(const Served& served, const Request& request, const Targets& targets) {
  return Kept(served, request, targets).all();
}

Outcome outcome_of(const Requests& requests, const Run& run, const Targets& targets, const Window& window) {
  Outcome out;
  Counting counting(requests, run, targets);
  for (const std::uint32_t index : counted(requests, run, window)) counting.add(index);
  out.requests = counting.ttft.size();
  if (out.requests == 0) return out;
  const auto count = static_cast<double>(out.requests);
  out.measures = {figures_of(counting.ttft), figures_of(counting.tpot), figures_of(run.usage.gaps),
                  figures_of(counting.e2e)};
  const Shares& good = counting.good;
  out.in_time = {good.all / count, good.ttft / count, good.tpot / count, good.itl / count, good.e2e / count};
  out.unserved = counting.unserved;
  out.seconds = run.end - run.begin;
  const double per_second = out.seconds > 0 ? 1 / out.seconds : 0;
  const Ended ended = ended_in(requests, run, targets, window);
  out.requests_per_s = ended.requests * per_second;
  out.output_tokens_per_s = static_cast<double>(run.usage.generated) * per_second;
  out.total_tokens_per_s = out.output_tokens_per_s + ended.input * per_second;
  out.good_requests_per_s = ended.good_requests * per_second;
  out.good_output_tokens_per_s = ended.good_output * per_second;
  const auto done = count - static_cast<double>(out.unserved);
  if (window.until < requests.all.size() && done > 0 && ended.requests < kKeepsUp * done) {
    // More came than were served: what is served is seen behind the window, while its requests end.
    const double each = std::min(served_per_s(requests, run), count * per_second) / done;
    out.requests_per_s = each * done;
    out.output_tokens_per_s = each * counting.output;
    out.total_tokens_per_s = each * (counting.input_done + counting.output);
    out.good_requests_per_s = each * good.all;
    out.good_output_tokens_per_s = each * counting.good_output;
  }
  out.wait = counting.wait / count;
  out.preemptions = counting.preemptions;
  out.cache_peak = run.usage.cache_peak;
  out.prefix_hit = counting.input > 0 ? counting.found / counting.input : 0;
  out.replicas = run.ended > 0 ? run.replica_seconds / run.ended : 1;
  const double replica_seconds = std::max(run.usage.busy, out.replicas * out.seconds);
  out.queue = level_of(run.usage.queue, replica_seconds);
  out.batch = level_of(run.usage.batch, replica_seconds);
  out.utilization = replica_seconds > 0 ? run.usage.busy / replica_seconds : 0;
  constexpr double kMinute = 60;
  for (const float busy : run.usage.minutes)
    out.utilization_peak_minute = std::max(out.utilization_peak_minute, busy / (kMinute * std::max(1.0, out.replicas)));
  out.utilization_peak_minute = std::clamp(out.utilization_peak_minute, out.utilization, 1.0);
  return out;
}

HalfWidths half_widths(const Requests& requests, const Run& run, const Targets& targets, const Window& window) {
  HalfWidths out;
  const auto order = counted(requests, run, window);
  const std::size_t length = order.size() / std::max<std::size_t>(1, window.parts);
  constexpr std::size_t kLeast = 20;
  if (window.parts < 2 || length < kLeast) return out;
  std::vector<Measures> parts;
  std::vector<double> shares;
  for (std::size_t part = 0; part < window.parts; ++part) {
    Counting counting(requests, run, targets);
    for (std::size_t i = part * length; i < (part + 1) * length; ++i) counting.add(order[i]);
    Measures measures{figures_of(counting.ttft), figures_of(counting.tpot), {}, figures_of(counting.e2e)};
    if (part < run.gaps.size()) measures.itl = figures_of(run.gaps[part]);
    parts.push_back(measures);
    shares.push_back(counting.good.all / static_cast<double>(length));
  }
  const auto count = static_cast<double>(window.parts);
  const double student = 1.96 + 2.4 / (count - 1);  // the 97.5th percentile of t, to 0.5 % from 10 parts on
  const auto width = [&](auto value) {
    double mean = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) mean += value(i) / count;
    if (!std::isfinite(mean)) return kNever;
    double squares = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) squares += (value(i) - mean) * (value(i) - mean);
    return student * std::sqrt(squares / (count - 1) / count);
  };
  for (const auto measure : kMeasures)
    for (const auto figure : kFigures)
      out.measures.*measure.*figure = width([&](std::size_t i) { return parts[i].*measure.*figure; });
  out.share_in_time = width([&](std::size_t i) { return shares[i]; });
  return out;
}

}  // namespace gpusel::serve
