// What a log of requests comes down to for a plan: lengths, the mean rate, how the day goes.
#include <algorithm>
#include <cmath>

#include "job/traffic/log.hpp"
#include "job/traffic/traffic.hpp"

namespace gpusel::job {

namespace {

/// Five minutes: what a service's day is looked at in.
constexpr double kWindow = 300;

/// Of the log's time, how much lies in that hour of the day.
double seconds_of_hour(double begin, double end, double hour) {
  const auto until = [&](double time) {
    const double days = std::floor(time / 86400);
    return days * 3600 + std::clamp(time - days * 86400 - hour * 3600, 0.0, 3600.0);
  };
  return until(end) - until(begin);
}

std::optional<Day> day_of(const RequestLog& log) {
  const double end = log.begin + log.requests.all.back().arrival;
  std::array<double, 24> hours{};
  for (const LoggedRequest& request : log.requests.all)
    hours[static_cast<std::size_t>(std::fmod(std::floor((log.begin + request.arrival) / 3600), 24))] += 1;
  Day day{};
  double sum = 0;
  for (std::size_t hour = 0; hour < day.size(); ++hour) {
    const double covered = seconds_of_hour(log.begin, end, static_cast<double>(hour));
    if (covered < 1800) return std::nullopt;
    day[hour] = hours[hour] / covered;
    sum += day[hour];
  }
  for (double& hour : day) hour *= 24 / sum;
  return day;
}

/// Rate of the busiest five minutes over the mean; nothing where a log is too short for one to stand out.
std::optional<double> busiest(const RequestLog& log) {
  const auto& all = log.requests.all;
  const double span = all.back().arrival;
  if (span < 6 * kWindow) return std::nullopt;
  double most = 0;
  double here = 0;
  double window = -1;
  for (const LoggedRequest& request : all) {
    const double now = std::floor((log.begin + request.arrival) / kWindow);
    here = now == window ? here + 1 : 1;
    window = now;
    most = std::max(most, here);
  }
  return std::max(1.0, most / kWindow / (static_cast<double>(all.size()) / span));
}

}  // namespace

Traffic traffic_of(const RequestLog& log) {
  Histogram histogram;
  const auto& all = log.requests.all;
  for (const LoggedRequest& request : all) histogram.add(request.input, request.output);
  Traffic traffic;
  traffic.name = log.name;
  traffic.buckets = histogram.buckets();
  traffic.mean_input = histogram.mean_input();
  traffic.mean_output = histogram.mean_output();
  traffic.requests = static_cast<double>(all.size() + log.unanswered);
  traffic.unanswered = static_cast<double>(log.unanswered);
  const double span = all.back().arrival;
  traffic.at_once = log.timed && span <= 0;
  if (!log.timed || span <= 0) return traffic;
  traffic.hours = span / 3600;
  traffic.requests_per_s = static_cast<double>(all.size() - 1) / span;
  traffic.busiest = busiest(log);
  traffic.day = day_of(log);
  return traffic;
}

Result<Traffic> read_traffic(const std::string& path, const LogOptions& options) {
  const auto log = read_log(path, options);
  if (!log) return std::unexpected(log.error());
  return traffic_of(*log);
}

}  // namespace gpusel::job
