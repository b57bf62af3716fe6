#include "money/over_time/break_even.hpp"

#include "base/values/bisect.hpp"

namespace gpusel::money {

namespace {

constexpr double kMonthsPerYear = 12;

Run run_of(const SpotCase& asked, double taken_per_hour) {
  const Interruptions stops = asked.failures + taken_per_hour;
  const Run run = asked.piecewise  ? piecewise_run(stops, asked.work)
                  : asked.interval ? expected_run(stops, asked.work, *asked.interval)
                                   : best_run(stops, asked.work);
  return with_waiting(run, stops.per_hour > 0 ? taken_per_hour / stops.per_hour : 0, asked.regain);
}

/// Taken away, the job goes on on demand, and back with a checkpoint and a restart when spot has capacity again.
SpotMix mix_of(SpotCase asked) {
  const double away = asked.taken_per_hour * in_hours(asked.regain);
  SpotMix mix;
  mix.on_demand_share = away / (1 + away);
  const double taken = asked.taken_per_hour * (1 - mix.on_demand_share);
  const Seconds back = asked.failures.restart + asked.failures.checkpoint;
  asked.regain = {};
  mix.run = run_of(asked, taken);
  const double all = asked.failures.per_hour + taken;
  const double returns = all > 0 ? mix.run.interruptions * taken / all : 0;
  mix.run.wall += back * returns;
  mix.run.restarting += back * returns;
  mix.cost = in_hours(mix.run.wall) *
             (mix.on_demand_share * asked.on_demand_per_hour + (1 - mix.on_demand_share) * asked.spot_per_hour);
  return mix;
}

double spot_cost(const SpotCase& asked, const Run& run) {
  return asked.spot_per_hour * in_hours(asked.work) * run.paid_factor(asked.restarts_paid);
}

/// Costs rise with the rate, so that there is one at which spot costs `limit`.
std::optional<double> rate_for_cost(const SpotCase& asked, double limit) {
  const auto dearer = [&](double rate) { return !(spot_cost(asked, run_of(asked, rate)) < limit); };
  if (dearer(0)) return std::nullopt;
  double high = 1;
  while (!dearer(high)) high *= 2;
  return first_that(dearer, 0, high);
}

}  // namespace

std::optional<double> break_even_hours(double committed_per_month, double on_demand_per_hour,
                                       const Billing& on_demand) {
  if (committed_per_month > on_demand_per_hour * on_demand.charged(kHoursPerMonth)) return std::nullopt;
  return on_demand.used(committed_per_month / on_demand_per_hour);
}

std::optional<double> break_even_months(double committed_in_all, double months, double on_demand_per_hour,
                                        double hours_per_month, const Billing& on_demand) {
  const double needed = committed_in_all / (on_demand_per_hour * on_demand.charged(hours_per_month));
  if (needed > months) return std::nullopt;
  return needed;
}

SpotAnswer compare_spot(const SpotCase& asked) {
  SpotAnswer answer;
  answer.on_demand = run_of(asked, 0);
  answer.spot = run_of(asked, asked.taken_per_hour);
  // Who pays for instances that stand still pays for restarts after a failure too.
  answer.on_demand_cost = asked.on_demand_per_hour * in_hours(answer.on_demand.wall);
  answer.spot_cost = spot_cost(asked, answer.spot);
  answer.break_even_price =
      answer.on_demand_cost / (in_hours(asked.work) * answer.spot.paid_factor(asked.restarts_paid));
  answer.break_even_rate = rate_for_cost(asked, answer.on_demand_cost);
  answer.mix = mix_of(asked);
  return answer;
}

TokenAnswer compare_tokens(const TokenCase& asked) {
  TokenAnswer answer;
  const double millions_per_hour = asked.tokens_per_s * 3600 / 1e6;
  const auto own_price = [&](double hours) {
    return (asked.fixed_per_month + asked.per_hour_of_work * hours) / (millions_per_hour * hours);
  };
  answer.capacity_per_month = millions_per_hour * 1e6 * asked.hours_per_month;
  answer.own_price_per_million = own_price(asked.hours_per_month);
  answer.own_price_in_use = own_price(asked.used_hours);
  answer.cheaper_in_use = answer.own_price_in_use < asked.price_per_million;
  const double saved_per_million = asked.price_per_million - asked.per_hour_of_work / millions_per_hour;
  if (saved_per_million <= 0) return answer;
  answer.break_even_tokens = asked.fixed_per_month / saved_per_million * 1e6;
  const double share = *answer.break_even_tokens / answer.capacity_per_month;
  if (share <= 1) answer.utilization = share;
  return answer;
}

double blended_price(double in_per_million, double out_per_million, double in_tokens, double out_tokens) {
  return (in_per_million * in_tokens + out_per_million * out_tokens) / (in_tokens + out_tokens);
}

OwnAnswer compare_owning(const OwnCase& asked) {
  OwnAnswer answer;
  const double kilowatts = asked.watts / 1000;
  const double months = asked.years * kMonthsPerYear;
  answer.power_per_hour = kilowatts * asked.pue * asked.power_per_kwh;
  answer.hosting_per_month = kilowatts * asked.hosting_per_kw_month;
  answer.rent_per_month = asked.rent_per_hour * asked.hours_per_month;
  answer.running_per_month = answer.power_per_hour * asked.hours_per_month + answer.hosting_per_month;
  answer.owned_per_month = asked.price / months + answer.running_per_month;
  answer.owned_per_hour = answer.owned_per_month / asked.hours_per_month;
  const double saved = answer.rent_per_month - answer.running_per_month;
  if (saved > 0) answer.months = asked.price / saved;
  const double per_hour = asked.rent_per_hour - answer.power_per_hour;
  if (per_hour > 0) {
    const double hours = (asked.price / months + answer.hosting_per_month) / per_hour;
    if (hours <= kHoursPerMonth) answer.hours_per_month = hours;
  }
  return answer;
}

}  // namespace gpusel::money
