#include "money/billing.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/number.hpp"
#include "base/values/units.hpp"

namespace gpusel::money {

using catalog::BillingRule;

namespace {

constexpr double kStepRounding = 1e-9;  // of a count of steps: what arithmetic leaves over is no further one

/// How many of the four a record names.
int narrowness(const BillingRule& rule) {
  return (rule.families.empty() ? 0 : 1) + (rule.skus.empty() ? 0 : 1) + (rule.regions.empty() ? 0 : 1) +
         (rule.terms.empty() ? 0 : 1);
}

/// "0.25=1"; what cannot be read is left out, and lint says so.
std::vector<Increment> increments_of(const BillingRule& rule) {
  std::vector<Increment> increments;
  for (const std::string_view text : rule.increments) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const auto up_to = plain_number(text.substr(0, equals)), price = plain_number(text.substr(equals + 1));
    if (up_to && price) increments.push_back({*up_to, *price});
  }
  return increments;
}

}  // namespace

double Billing::hours(double run_hours) const {
  double s = run_hours * 3600;
  if (granularity_s) s = std::ceil(s / *granularity_s - kStepRounding) * *granularity_s;
  return std::max(s, minimum_s.value_or(0)) / 3600;
}

double Billing::charged(double month_hours) const {
  double sum = 0, below = 0, price = 1;
  for (const Increment& increment : increments) {
    const double end = std::min(month_hours, increment.up_to * kHoursPerMonth);
    price = increment.price;
    if (end <= below) continue;
    sum += (end - below) * price;
    below = end;
  }
  return sum + (month_hours - below) * price;
}

double Billing::used(double charged_hours) const {
  double rest = charged_hours, below = 0, price = 1;
  for (const Increment& increment : increments) {
    const double hours = increment.up_to * kHoursPerMonth - below;
    price = increment.price;
    if (hours <= 0) continue;
    if (rest <= hours * price) return below + rest / price;
    rest -= hours * price;
    below += hours;
  }
  return below + rest / price;
}

double Billing::charged_over(double billed_hours, double elapsed_hours) const {
  if (increments.empty() || elapsed_hours <= 0) return billed_hours;
  const double each = billed_hours / elapsed_hours;
  const double months = std::floor(elapsed_hours / kHoursPerMonth + kStepRounding);
  const double rest = std::max(0.0, elapsed_hours - months * kHoursPerMonth);
  return months * charged(each * kHoursPerMonth) + charged(each * rest);
}

Billing billing_of(const catalog::Instance& instance, std::string_view region, catalog::Term term,
                   const catalog::Provider* provider, const catalog::Catalog& catalog) {
  Billing billing;
  if (provider != nullptr) {
    billing.granularity_s = provider->billing_granularity_s;
    billing.minimum_s = provider->billing_minimum_s;
    billing.source = provider->billing_source;
  }
  const auto holds = [&](const BillingRule& rule) {
    return rule.provider == instance.provider && none_or_has(rule.families, instance.family) &&
           none_or_has(rule.skus, instance.sku) && none_or_has(rule.regions, region) &&
           none_or_has(rule.terms, to_text(term));
  };
  // The narrowest that has the figure; none: nullptr.
  const auto narrowest = [&](auto has) {
    const BillingRule* best = nullptr;
    for (const BillingRule& rule : catalog.billing())
      if (has(rule) && holds(rule) && (best == nullptr || narrowness(rule) > narrowness(*best))) best = &rule;
    return best;
  };
  if (const auto* rule = narrowest([](const BillingRule& r) { return r.granularity_s.has_value(); })) {
    billing.granularity_s = rule->granularity_s;
    billing.source = rule->source;
  }
  if (const auto* rule = narrowest([](const BillingRule& r) { return r.minimum_s.has_value(); })) {
    billing.minimum_s = rule->minimum_s;
    billing.source = rule->source;
  }
  if (const auto* rule = narrowest([](const BillingRule& r) { return r.longest_h.has_value(); }))
    billing.longest_h = rule->longest_h;
  if (const auto* rule = narrowest([](const BillingRule& r) { return r.most_nodes.has_value(); }))
    billing.most_nodes = rule->most_nodes;
  if (const auto* rule = narrowest([](const BillingRule& r) { return !r.increments.empty(); })) {
    billing.increments = increments_of(*rule);
    billing.increments_source = rule->source;
  }
  billing.setup = narrowest([](const BillingRule& r) { return r.setup.has_value(); });
  const auto* apart = narrowest([](const BillingRule& r) { return r.host_apart.has_value(); });
  if (apart != nullptr && *apart->host_apart) billing.host = apart;
  return billing;
}

}  // namespace gpusel::money
