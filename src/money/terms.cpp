#include "money/terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/values/number.hpp"

namespace gpusel::money {

namespace {

constexpr double kRounding = 1e-9;  // of a count of periods: what arithmetic leaves over is no further one
constexpr double kMonths = 12;

double whole(double count) { return std::ceil(count - kRounding); }

/// Days of a capacity block, sold in steps of a day up to 14 and then of a week:
/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
double block_days(double days) {
  constexpr double kByTheDay = 14, kWeek = 7;
  return days > kByTheDay + kRounding ? whole(days / kWeek) * kWeek : whole(days);
}

/// Hours that run for so many of work in one start.
double run_hours(double used, const Duty& duty) {
  return (duty.scale_to_zero ? used : used / duty.utilization) +
         (duty.starts() > 0 ? duty.cold_start_s.value_or(0) / 3600 : 0);
}

/// Of a job that is done start by start.
double job_as_used(double job_hours, const Duty& duty, const Billing& billing) {
  if (duty.starts() <= 0) return billing.hours(run_hours(job_hours, duty));
  const double each = duty.used_per_day() / duty.starts();
  const double starts = std::floor(job_hours / each + kRounding);
  const double rest = job_hours - starts * each;
  const double last = rest > each * kRounding ? billing.hours(run_hours(rest, duty)) : 0;
  return starts * billing.hours(run_hours(each, duty)) + last;
}

Commitment promise_of(catalog::Term term) {
  using catalog::Term;
  switch (term) {
    case Term::reserved_1y:
    case Term::savings_1y: return {kHoursPerYear};
    case Term::reserved_3y:
    case Term::savings_3y: return {3 * kHoursPerYear};
    case Term::capacity_block: return {.hours = kBlockHours, .by_day = true};
    case Term::sustained_use:
    case Term::ladder: return {kHoursPerMonth, true};
    case Term::month: return {kHoursPerMonth};
    case Term::reserved_3m:
    case Term::savings_3m: return {3 * kHoursPerMonth};
    case Term::reserved_6m:
    case Term::savings_6m: return {6 * kHoursPerMonth};
    case Term::reserved_2y: return {2 * kHoursPerYear};
    case Term::year: return {kHoursPerYear};
    default: return {};
  }
}

}  // namespace

catalog::Number Commitment::months() const {
  return is_promise() && !by_day ? catalog::Number(hours / kHoursPerMonth) : catalog::Number();
}

Commitment commitment_of(catalog::Term term, const Billing& billing) {
  Commitment commitment = promise_of(term);
  commitment.longest_hours = billing.longest_h.value_or(0);
  return commitment;
}

std::vector<catalog::Term> terms_used_up(double months) {
  std::vector<catalog::Term> terms;
  for (std::size_t i = 0; i < enum_names<catalog::Term>.size(); ++i) {
    const auto promised = commitment_of(static_cast<catalog::Term>(i)).months();
    if (promised && *promised <= months * (1 + kRounding)) terms.push_back(static_cast<catalog::Term>(i));
  }
  std::ranges::stable_sort(terms, {}, [](catalog::Term term) { return *commitment_of(term).months(); });
  return terms;
}

/// Each day's share is done within its hours, and the days that count are spread over the month.
double elapsed_hours(double job_hours, const Duty& duty) {
  const double full_days = std::max(0.0, whole(job_hours / duty.used_per_day()) - 1);
  const double rest = job_hours - full_days * duty.used_per_day();
  return full_days * kHoursPerMonth / duty.days_per_month + rest / duty.utilization;
}

double longest_stretch(const Duty& duty, catalog::Number job_hours) {
  if (!duty.is_always_on() || duty.starts() > 0) return duty.run_per_day();
  return job_hours ? elapsed_hours(*job_hours, duty) : std::numeric_limits<double>::infinity();
}

Paid paid_hours(const Commitment& commitment, const Duty& duty, const Billing& billing, catalog::Number job_hours) {
  Paid paid;
  if (commitment.is_as_used()) {
    const double starts = duty.starts();
    const double day = starts > 0 ? starts * billing.hours(duty.run_per_day() / starts) : duty.run_per_day();
    paid.month = billing.charged(day * duty.days_per_month);
    paid.day = paid.month / duty.days_per_month;
    if (job_hours)
      paid.job = billing.charged_over(job_as_used(*job_hours, duty, billing), elapsed_hours(*job_hours, duty));
  } else if (commitment.by_day) {
    paid.day = commitment.hours;
    paid.month = paid.day * duty.days_per_month;
    paid.commitment = commitment.hours;
    // At office hours a block is bought for each day.
    if (const double days = job_hours.value_or(0) / duty.used_per_day(); job_hours)
      paid.job = (duty.is_always_on() ? block_days(days) : whole(days)) * commitment.hours;
  } else {
    paid.month = kHoursPerMonth;
    if (commitment.is_promise()) {
      paid.commitment = commitment.hours;
      // Whole periods, spread over the months that it is needed.
      if (duty.months)
        paid.month = whole(*duty.months * kHoursPerMonth / commitment.hours) * commitment.hours / *duty.months;
    }
    paid.day = paid.month / duty.days_per_month;
    paid.at_most = commitment.whole_month && !duty.is_always_on();
    if (job_hours) {
      const double elapsed = elapsed_hours(*job_hours, duty);
      paid.job = whole(elapsed / commitment.hours) * commitment.hours;
      paid.job_at_most = commitment.whole_month && (paid.at_most || *paid.job > elapsed * (1 + kRounding));
    }
  }
  // Who needs it for less pays no further month of the year.
  paid.year = std::min(kMonths, duty.months.value_or(kMonths)) * paid.month;
  return paid;
}

void bound_by_on_demand(Paid& paid, const Paid& as_used, double ratio) {
  if (paid.at_most) {
    paid.bounded = as_used.month * ratio < paid.month;
    paid.day = std::min(paid.day, as_used.day * ratio);
    paid.month = std::min(paid.month, as_used.month * ratio);
    paid.year = std::min(paid.year, as_used.year * ratio);
  }
  if (!paid.job_at_most || !as_used.job) return;
  paid.job_bounded = *as_used.job * ratio < *paid.job;
  paid.job = std::min(*paid.job, *as_used.job * ratio);
}

Amounts& Amounts::operator+=(const Amounts& other) {
  const auto add = [](catalog::Number& to, const catalog::Number& more) {
    to = to && more ? catalog::Number(*to + *more) : catalog::Number();
  };
  add(hour, other.hour);
  add(day, other.day);
  add(month, other.month);
  add(year, other.year);
  add(commitment, other.commitment);
  add(job, other.job);
  return *this;
}

Amounts Amounts::operator*(double factor) const {
  Amounts out = *this;
  visit_amounts(out, [factor](std::string_view, catalog::Number& amount) {
    if (amount) amount = *amount * factor;
  });
  return out;
}

Amounts amounts_of(double rate, const Paid& paid) {
  Amounts hours{1.0, paid.day, paid.month, paid.year, paid.commitment, paid.job};
  return hours * rate;
}

Amounts monthly(double per_month, const Duty& duty, catalog::Number job_hours) {
  Amounts out;
  out.day = per_month / duty.days_per_month;
  out.month = per_month;
  out.year = kMonths * per_month;
  if (job_hours) out.job = per_month * elapsed_hours(*job_hours, duty) / kHoursPerMonth;
  return out;
}

catalog::Number egress_cost(const catalog::Egress& egress, double gb) {
  double below = egress.free_gb_per_month.value_or(0);
  double cost = 0;
  for (const std::string_view tier : egress.tiers) {
    const auto equals = tier.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto price = plain_number(tier.substr(equals + 1));
    const auto end = equals == 0 ? std::numeric_limits<double>::infinity() : plain_number(tier.substr(0, equals));
    if (!price || !end) return std::nullopt;
    const double in_tier = std::min(gb, *end) - below;
    if (in_tier <= 0) continue;
    cost += in_tier * *price;
    below = *end;
  }
  return gb > below ? catalog::Number() : catalog::Number(cost);
}

}  // namespace gpusel::money
