// The words of the question: options, traffic, the day.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "answer/facts/traffic.hpp"
#include "answer/fleet/fleet_parts.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::assign;
using job::Limits;
using job::Option;

/// What the mean of a day's multipliers may be off by, from one, as they are rounded.
constexpr double kMeanOff = 0.01;
constexpr std::string_view kTraffic = to_say("Traffic");
constexpr std::string_view kFleet = to_say("Fleet");

Status add_quota(std::string_view text, std::vector<Quota>& quotas) {
  const auto equals = text.rfind('=');
  std::optional<std::int64_t> count;
  if (equals == std::string_view::npos || equals == 0)
    return usage_error(say("'{}' names no SKU with its number", shorten(text, 40)), {}, say("write g6.xlarge=8"));
  if (Status set = assign(text.substr(equals + 1), count, Limits{{0, 1e6}, 1000}); !set) return set;
  quotas.push_back({std::string(trim(text.substr(0, equals))), static_cast<double>(*count)});
  return {};
}

Status set_time_limit(std::string_view text, std::optional<double>& place) {
  const auto duration = parse_duration(text, seconds(1));
  if (!duration) return std::unexpected(duration.error());
  if (duration->raw() < 0.1 || duration->raw() > 86400) return usage_error(say("from 0.1 s to a day"));
  place = duration->raw();
  return {};
}

#define GPUSEL_SET(...) [](FleetQuestion& q, std::string_view t) { return __VA_ARGS__; }

constexpr Option<FleetQuestion> kFleetOptions[] = {
    {"traffic", "", "chat|conversation|code|rag|summarize|batch|FILE",
     to_say("lengths of requests: chat, conversation, code, rag, summarize, batch, or a CSV or "
            "JSON Lines file of real ones"),
     kTraffic, GPUSEL_SET(assign(t, q.traffic))},
    {"time_unit", "", "s|ms|us|ns", to_say("unit of the times in that file, if its columns do not say it"), kTraffic,
     GPUSEL_SET(assign(t, q.time_unit))},
    {"daily", "", "office|consumer|flat|trace|FILE",
     to_say("requests by hour: office, consumer, flat, trace (the file's own times), or a file of 24 "
            "numbers, hour by hour; their mean is the rate"),
     kTraffic, GPUSEL_SET(assign(t, q.daily))},
    {"max_types", "", "N", to_say("maximum number of machine types in the fleet"), kFleet,
     GPUSEL_SET(assign(t, q.max_types, job::kCount))},
    {"max_instances", "", "N", to_say("maximum instances of one SKU"), kFleet,
     GPUSEL_SET(assign(t, q.max_instances, job::kCount))},
    {"quota", "", "SKU=N", to_say("maximum instances of this SKU"), kFleet, GPUSEL_SET(add_quota(t, q.quotas)), false,
     true},
    {"gap", "", "SHARE", to_say("share of the cost that may stay unproven: 0.01 (default: 0)"), kFleet,
     GPUSEL_SET(assign(t, q.gap, job::kShare))},
    {"time_limit", "", "TIME",
     to_say("for the solver: 30s, 5m (default: about 10 s of work, the same on every machine)"), kFleet,
     GPUSEL_SET(set_time_limit(t, q.time_limit_s))},
};

#undef GPUSEL_SET

}  // namespace

std::span<const Option<FleetQuestion>> fleet_options() { return kFleetOptions; }

std::optional<double> FleetContext::limit_of(const catalog::Instance& instance) const {
  std::optional<double> limit;
  if (question.max_instances) limit = static_cast<double>(*question.max_instances);
  for (const auto& [of, instances] : quotas)
    if (of == &instance) limit = std::min(limit.value_or(instances), instances);
  return limit;
}

job::Job of_bucket(const job::Job& work, const job::Bucket& bucket) {
  job::Job out = work;
  out.inference.input_tokens = std::max<std::int64_t>(bucket.output > 0 ? 0 : 1, std::llround(bucket.input));
  if (work.model->is_generator()) out.inference.output_tokens = std::max<std::int64_t>(1, std::llround(bucket.output));
  return out;
}

bool beyond_context(const catalog::Model& model, const job::Bucket& bucket) {
  return model.max_context && bucket.input + bucket.output > *model.max_context;
}

namespace {

/// Requests are told apart by their prompts: how long an answer gets is unknown when a request is routed. What the
/// model can't read stays apart.
job::Traffic by_prompt(job::Traffic traffic, const catalog::Model& model) {
  std::vector<job::Bucket> merged;
  for (const job::Bucket& one : traffic.buckets) {
    const bool joins = !merged.empty() && merged.back().input_up_to == one.input_up_to &&
                       beyond_context(model, merged.back()) == beyond_context(model, one);
    if (!joins) {
      merged.push_back(one);
      continue;
    }
    job::Bucket& all = merged.back();
    const double share = all.share + one.share;
    all.input = (all.share * all.input + one.share * one.input) / share;
    all.output = (all.share * all.output + one.share * one.output) / share;
    all.output_up_to = std::max(all.output_up_to, one.output_up_to);
    all.share = share;
  }
  traffic.buckets = std::move(merged);
  return traffic;
}

}  // namespace

Result<job::Traffic> stated_traffic(const FleetQuestion& question, const catalog::Catalog& catalog,
                                    const catalog::Model& model) {
  const bool generates = model.is_generator();
  const auto& request = question.request;
  if (question.traffic.empty()) {
    if (!generates && !request.input_tokens)
      return usage_error(say("request lengths are missing"), "--traffic",
                         say("a profile as chat, a file of requests, or --isl and --osl"));
    auto one =
        job::fixed_traffic(static_cast<double>(request.input_tokens.value_or(job::kUsualInput)),
                           generates ? static_cast<double>(request.output_tokens.value_or(job::kUsualOutput)) : 0);
    one.name = say("one length");
    return one;
  }
  if (request.input_tokens || request.output_tokens)
    return usage_error(say("lengths are those of --traffic"),
                       request.input_tokens ? "--input-tokens" : "--output-tokens", say("use one of them"));
  const auto known = traffic_catalog(catalog);
  if (!known) return std::unexpected(known.error());
  if (const auto* profile = named(known->profiles, question.traffic); profile != nullptr) {
    auto traffic = job::traffic_of(*profile);
    if (generates) return by_prompt(std::move(traffic), model);
    return usage_error(say("{} generates nothing, but the profile '{}' has answers", model.id, profile->id),
                       "--traffic", say("--isl, or a file of lengths"));
  }
  if (!is_file(question.traffic)) return unknown_traffic("--traffic", question.traffic, known->profiles);
  auto traffic = job::read_traffic(question.traffic, {.generates = generates, .time_unit = question.time_unit});
  if (traffic) *traffic = by_prompt(std::move(*traffic), model);
  return traffic;
}

Result<std::optional<std::pair<std::string, job::Day>>> stated_day(const FleetQuestion& question,
                                                                   const catalog::Catalog& catalog,
                                                                   const job::Traffic& traffic) {
  using Named = std::pair<std::string, job::Day>;
  if (question.daily.empty()) return std::nullopt;
  // The same at all hours is no day to follow, by whatever name.
  const auto named_day = [](std::string name, job::Day day) -> std::optional<Named> {
    const double mean = std::accumulate(day.begin(), day.end(), 0.0) / static_cast<double>(day.size());
    if (std::abs(mean - 1) > kMeanOff)
      for (double& multiplier : day) multiplier /= mean;
    if (std::ranges::max(day) <= std::ranges::min(day)) return std::nullopt;
    return Named(std::move(name), day);
  };
  if (question.daily == "trace") {
    if (traffic.day) return named_day("trace", *traffic.day);
    return usage_error(traffic.hours > 0
                           ? say("the requests cover {:.1f} hours, not every hour of a day", traffic.hours)
                           : say("the requests have no times"),
                       "--daily", say("office, consumer, or a file of 24 multipliers"));
  }
  const auto known = traffic_catalog(catalog);
  if (!known) return std::unexpected(known.error());
  if (const auto* day = named(known->days, question.daily); day != nullptr) return named_day(day->id, day->multipliers);
  if (!is_file(question.daily)) return unknown_traffic("--daily", question.daily, known->days);
  const auto day = job::read_day(question.daily);
  if (!day) return std::unexpected(day.error());
  return named_day(question.daily, *day);
}

}  // namespace gpusel::answer
