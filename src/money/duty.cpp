#include "money/duty.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::money {

namespace {

constexpr std::string_view kGroup = to_say("Duty cycle");

/// "8h" of hours, "5d" of days: the unit that is meant anyway.
job::Assigned<std::optional<double>> set_amount(std::string_view text, double& place, Range allowed,
                                                std::string_view units = {}) {
  text = trim(text);
  for (const std::string_view unit : split(units, ' '))
    if (!unit.empty() && text.ends_with(unit)) {
      text = trim(text.substr(0, text.size() - unit.size()));
      break;
    }
  const auto value = parse_count(text, allowed);
  if (!value) return std::unexpected(value.error());
  place = *value;
  return {};
}

/// A month has 730 hours: "31" and "30.5" both mean every day.
job::Assigned<std::optional<double>> set_days(std::string_view text, Duty& duty) {
  auto set = set_amount(text, duty.days_per_month, {0.01, 31}, "days day d 天");
  if (duty.days_per_month > kDaysPerMonth) duty.days_asked = duty.days_per_month;
  duty.days_per_month = std::min(duty.days_per_month, kDaysPerMonth);
  return set;
}

job::Assigned<std::optional<double>> set_months(std::string_view text, Duty& duty) {
  double months = 0;
  auto set = set_amount(text, months, {0.01, 600});
  if (set) duty.months = months;
  return set;
}

job::Assigned<std::optional<double>> set_utilization(std::string_view text, Duty& duty) {
  const auto share = parse_share(text);
  if (!share) return std::unexpected(share.error());
  if (*share <= 0) return usage_error(say("unused capacity has no cost per hour of use"), {}, say("above 0"));
  duty.utilization = *share;
  return {};
}

job::Assigned<std::optional<double>> set_starts(std::string_view text, Duty& duty) {
  double starts = 0;
  auto set = set_amount(text, starts, {0, 86400});
  if (set) duty.starts_per_day = starts;
  return set;
}

Status set_cold_start(std::string_view text, Duty& duty) {
  const auto duration = parse_duration(text, seconds(1));
  if (!duration) return std::unexpected(duration.error());
  if (in_hours(*duration) > 24) return usage_error(say("a start takes a day at most"));
  duty.cold_start_s = duration->raw();
  return {};
}

job::Assigned<std::optional<bool>> set_scale_to_zero(std::string_view text, Duty& duty) {
  std::optional<bool> value;
  auto set = job::assign(text, value);
  if (set) duty.scale_to_zero = *value;
  return set;
}

#define GPUSEL_DO(...) [](Duty& d, std::string_view t) { return __VA_ARGS__; }

constexpr job::Option<Duty> kOptions[] = {
    {"hours_per_day", "", "H", to_say("hours a day that it must be available (default 24)"), kGroup,
     GPUSEL_DO(set_amount(t, d.hours_per_day, {0.01, 24}, "hours hour h 小时"))},
    {"days_per_month", "days", "N", to_say("days a month (default: all, 730 hours ÷ 24)"), kGroup,
     GPUSEL_DO(set_days(t, d))},
    {"months", "", "N",
     to_say("months that a service is needed: commitments up to that long are ranked too (default: no end)"), kGroup,
     GPUSEL_DO(set_months(t, d))},
    {"utilization", "", "SHARE", to_say("share of those hours in which there is work: 0.4 or 40% (default 1)"), kGroup,
     GPUSEL_DO(set_utilization(t, d))},
    {"scale_to_zero", "", "BOOL", to_say("switched off while there is no work"), kGroup,
     GPUSEL_DO(set_scale_to_zero(t, d)), true},
    {"starts_per_day", "", "N", to_say("starts a day (default: none round the clock, else 1)"), kGroup,
     GPUSEL_DO(set_starts(t, d))},
    {"cold_start", "", "TIME", to_say("startup time before work begins: 90s, 5m"), kGroup,
     GPUSEL_DO(set_cold_start(t, d))},
};

#undef GPUSEL_DO

}  // namespace

std::span<const job::Option<Duty>> duty_options() { return kOptions; }

Status check(const Duty& duty) {
  const double cold = duty.cold_start_s.value_or(0) / 3600;
  const double work = duty.scale_to_zero ? duty.used_per_day() : duty.hours_per_day;
  // The first start may come before the hours begin, those between are within them.
  const double within = duty.used_per_day() + std::max(0.0, duty.starts() - 1) * cold;
  const bool crowded = within > duty.hours_per_day * (1 + 1e-9);
  if (!crowded && work + duty.starts() * cold <= 24 * (1 + 1e-9)) return {};
  return usage_error(
      say("{} h of work and {} starts of {} do not fit into {} h a day",
          human_number(crowded ? duty.used_per_day() : work), human_number(duty.starts()),
          human_duration(seconds(*duty.cold_start_s)), crowded ? human_number(duty.hours_per_day) : "24"),
      "--cold-start", say("fewer starts, shorter ones, or less --utilization"));
}

double Duty::run_per_day() const {
  const double cold = starts() * cold_start_s.value_or(0) / 3600;
  return std::min(24.0, (scale_to_zero ? used_per_day() : hours_per_day) + cold);
}

}  // namespace gpusel::money
