#include "money/quote.hpp"

#include <algorithm>

#include "money/lines.hpp"

namespace gpusel::money {

namespace {

const Duty kRoundTheClock;
const Extras kNoExtras;

void set_per_work(Quote& quote, const Work* job) {
  if (quote.outlasts || quote.worked <= 0) return;
  quote.per_used_hour = quote.total / quote.worked;
  if (job == nullptr) return;
  if (const auto rate = job->tokens_per_s; rate.value_or(0) > 0)
    quote.per_million_tokens = *quote.per_used_hour / (*rate * 3600) * 1e6;
  if (const auto rate = job->units_per_hour; rate.value_or(0) > 0) quote.per_unit = *quote.per_used_hour / *rate;
}

}  // namespace

Amounts Quote::sums() const {
  Amounts sums = instances();
  for (const Line& line : lines)
    if (line.known) sums += line.amounts;
  // What is paid by the month or once has no share of an hour, and of what is not known nobody knows it.
  if (!lacking().empty()) sums.hour = sums.commitment = catalog::Number();
  return sums;
}

std::vector<std::string_view> Quote::lacking() const {
  std::vector<std::string_view> keys;
  for (const Line& line : lines)
    if (!line.known) keys.push_back(line.key);
  return keys;
}

const Line* Quote::line(std::string_view key) const {
  const auto found = std::ranges::find(lines, key, &Line::key);
  return found == lines.end() ? nullptr : &*found;
}

bool Quote::lacks(std::string_view key) const {
  const Line* of_key = line(key);
  return of_key != nullptr && !of_key->known;
}

catalog::Number Quote::egress_hourly() const {
  const Line* egress = line("egress");
  return egress != nullptr && egress->known ? catalog::Number(*egress->amounts.month / kHoursPerMonth) : std::nullopt;
}

const catalog::Provider* Quoter::provider_of(const catalog::Instance& instance) const {
  if (last_provider_ == nullptr || last_provider_->id != instance.provider) {
    const auto found = catalog_.provider(instance.provider);
    if (!found) return nullptr;
    last_provider_ = *found;
  }
  return last_provider_;
}

/// The same machine in the same place, paid as it runs; null where it is not sold so.
const catalog::Offer* Quoter::on_demand_beside(const catalog::Offer& offer) const {
  const catalog::Offer* cheapest = nullptr;
  for (const catalog::Offer& other : catalog_.offers_of(catalog_.instances()[offer.instance]))
    if (other.term == catalog::Term::on_demand && other.region == offer.region && hourly(other) &&
        (cheapest == nullptr || *hourly(other) < *hourly(*cheapest)))
      cheapest = &other;
  return cheapest;
}

/// A discount that grows with use never costs more than paying for the hours.
void Quoter::bound(Quote& quote, const catalog::Offer& offer, const Use& use) const {
  const catalog::Offer* beside = quote.commitment.whole_month ? on_demand_beside(offer) : nullptr;
  if (beside == nullptr) return;
  quote.on_demand = *hourly(*beside) * use.nodes;
  const Billing on_demand = billing_at(*beside);
  bound_by_on_demand(quote.paid, paid_hours({}, *use.duty, on_demand, use.job_hours()), quote.on_demand / quote.rate);
  // By how much each hour is cheaper is known: then it is no bound but the bill.
  if (!on_demand.increments.empty()) quote.paid.at_most = quote.paid.job_at_most = false;
}

catalog::Number Quoter::hourly(const catalog::Offer& offer) const {
  return converter_.convert({offer.per_hour(), catalog_.currency_of(offer)});
}

catalog::Number Quoter::on_demand_hourly(const catalog::Offer& offer) const {
  const catalog::Offer* beside = on_demand_beside(offer);
  return beside != nullptr ? hourly(*beside) : catalog::Number();
}

Billing Quoter::billing_at(const catalog::Offer& offer) const {
  const catalog::Instance& instance = catalog_.instances()[offer.instance];
  return billing_of(instance, catalog_.region_of(offer).id, offer.term, provider_of(instance), catalog_);
}

std::optional<Quote> Quoter::quote(const catalog::Offer& offer, const Use& asked) const {
  Use use = asked;
  if (use.duty == nullptr) use.duty = &kRoundTheClock;
  if (use.extras == nullptr) use.extras = &kNoExtras;
  const Exchange* exchange = converter_.exchange(catalog_.currency_of(offer));
  if (exchange == nullptr) return std::nullopt;
  const catalog::Instance& instance = catalog_.instances()[offer.instance];
  const catalog::Number job = use.job_hours();
  Quote quote;
  quote.published = {offer.per_hour(), catalog_.currency_of(offer)};
  if (quote.published.currency != converter_.currency()) quote.exchange = *exchange;
  quote.nodes = use.nodes;
  quote.rate = quote.published.amount * exchange->rate * use.nodes;
  quote.today = outlook_.expected(offer) * (exchange->rate * use.nodes);
  quote.hours = job.value_or(kHoursPerMonth);
  quote.worked = job ? *use.job->hours : use.duty->used_per_month();
  quote.elapsed = job ? elapsed_hours(*job, *use.duty) + use.job->waiting_hours : kHoursPerMonth;
  quote.cold_start_s = use.duty->cold_start_s.value_or(0);
  quote.billing = billing_at(offer);
  quote.commitment = commitment_of(offer.term, quote.billing);
  quote.paid = paid_hours(quote.commitment, *use.duty, quote.billing, job);
  bound(quote, offer, use);
  quote.outlasts =
      job && quote.commitment.longest_hours > 0 && longest_stretch(*use.duty, job) > quote.commitment.longest_hours;
  if (quote.outlasts) quote.paid.job = catalog::Number();
  add_lines(quote,
            {catalog_, coefficients_, converter_, use, instance, catalog_.region_of(offer), quote.billing, quote.paid});
  const auto hour_of = [&](std::string_view key) {
    const Line* line = quote.line(key);
    return line != nullptr ? line->amounts.hour.value_or(0) : 0;
  };
  quote.licence_hourly = hour_of("licence");
  quote.host_hourly = hour_of("host");
  quote.hourly = quote.rate + quote.beside_hourly();
  if (const auto sums = quote.sums(); job ? sums.job : sums.month) quote.total = *(job ? sums.job : sums.month);
  set_per_work(quote, use.job);
  return quote;
}

}  // namespace gpusel::money
