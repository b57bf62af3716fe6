#include "answer/cost/break_even.hpp"

#include <algorithm>
#include <tuple>

#include "answer/cost/break_even_parts.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using catalog::Term;

constexpr std::string_view kStops = to_say("Interruptions and deadline");
constexpr std::string_view kOthers = to_say("Break-even with other ways");

Status set_share(std::string_view text, std::optional<double>& place) {
  const auto share = money::parse_share(text);
  if (!share) return std::unexpected(share.error());
  if (*share >= 1) return usage_error(say("not every instance can be reclaimed within a month"), {}, say("below 1"));
  place = *share;
  return {};
}

Status set_hours(std::string_view text, std::optional<double>& place, Seconds unit, Range allowed_hours) {
  const auto duration = parse_duration(text, unit);
  if (!duration) return std::unexpected(duration.error());
  const double hours = in_hours(*duration);
  if (!allowed_hours.contains(hours))
    return usage_error(say("'{}' is not from {} to {}", shorten(text, 32),
                           human_duration(seconds(allowed_hours.low * 3600)),
                           human_duration(seconds(allowed_hours.high * 3600))));
  place = hours;
  return {};
}

constexpr Seconds kMinutes = seconds(60);
constexpr Seconds kBreakEvenHours = seconds(3600);
constexpr Range kWait{1.0 / 3600, 1e4};
constexpr Range kRun{1.0 / 60, 1e6};
constexpr job::Limits kBreakEvenPrice{{.low = 1e-6, .high = 1e6}, 1000};
constexpr job::Limits kPurchase{{.low = 1, .high = 1e12}, 1000};
constexpr job::Limits kWatts{{.low = 1, .high = 1e10}, 1000, "w"};
constexpr job::Limits kPerKwh{{.low = 0, .high = 100}, 1000};
constexpr job::Limits kYears{{.low = 0.25, .high = 30}, 1000};
constexpr job::Limits kSize{{.low = 1e-3, .high = 1e9}, 1000, "gb"};

#define GPUSEL_DO(...) [](BreakEvenWishes& w, std::string_view t) { return __VA_ARGS__; }

constexpr job::Option<BreakEvenWishes> kBreakEvenOptions[] = {
    {"interruptions", "", "SHARE", to_say("share of spot instances reclaimed within a month: 0.2 or 20%"), kStops,
     GPUSEL_DO(set_share(t, w.interruptions))},
    {"checkpoint_minutes", "", "TIME", to_say("work between checkpoints (default: what loses the least)"), kStops,
     GPUSEL_DO(set_hours(t, w.checkpoint_hours, kMinutes, kRun))},
    {"checkpoint_gb", "", "N", to_say("size of a checkpoint in GB (default: weights and optimizer states)"), kStops,
     GPUSEL_DO(job::assign(t, w.checkpoint_gb, kSize))},
    {"restart_minutes", "", "TIME", to_say("from an interruption until work resumes"), kStops,
     GPUSEL_DO(set_hours(t, w.restart_hours, kMinutes, kWait))},
    {"regain_hours", "", "TIME", to_say("from the loss of spot instances until there is capacity for all again"),
     kStops, GPUSEL_DO(set_hours(t, w.regain_hours, kBreakEvenHours, kWait))},
    {"unpaid_restarts", "", "BOOL", to_say("restarts on spot are not paid for"), kStops,
     GPUSEL_DO(job::assign(t, w.unpaid_restarts)), true},
    {"mtbf_hours", "", "TIME", to_say("mean time between failures of one node that end the job"), kStops,
     GPUSEL_DO(set_hours(t, w.mtbf_hours, kBreakEvenHours, {1, 1e7}))},
    {"api_price", "", "MONEY", to_say("what others charge per million tokens, input and output"), kOthers,
     GPUSEL_DO(job::assign(t, w.api_price, kBreakEvenPrice))},
    {"api_price_in", "", "MONEY", to_say("the same per million tokens read"), kOthers,
     GPUSEL_DO(job::assign(t, w.api_price_in, kBreakEvenPrice))},
    {"api_price_out", "", "MONEY", to_say("the same per million tokens written"), kOthers,
     GPUSEL_DO(job::assign(t, w.api_price_out, kBreakEvenPrice))},
    {"api_seller", "", "NAME", to_say("use that seller's token prices from the catalog; 'cheapest' for the lowest"),
     kOthers, GPUSEL_DO(job::assign(t, w.api_seller))},
    {"buy_price", "", "MONEY", to_say("purchase price of all hardware"), kOthers,
     GPUSEL_DO(job::assign(t, w.buy_price, kPurchase))},
    {"watts", "", "N", to_say("power draw of all of it at the wall under load"), kOthers,
     GPUSEL_DO(job::assign(t, w.watts, kWatts))},
    {"power_price", "", "MONEY", to_say("of a kWh"), kOthers, GPUSEL_DO(job::assign(t, w.power_price, kPerKwh))},
    {"years", "", "N", to_say("that bought hardware is used"), kOthers, GPUSEL_DO(job::assign(t, w.years, kYears))},
};

#undef GPUSEL_DO

}  // namespace

std::span<const job::Option<BreakEvenWishes>> break_even_options() { return kBreakEvenOptions; }

const physics::Plan* BreakEvenContext::plan() const {
  return subject().planned != nullptr ? &subject().planned->plan : nullptr;
}

const TermCost* BreakEvenContext::on_demand() const {
  if (const TermCost* asked = term(Term::on_demand); asked != nullptr) return asked;
  return item.beside.empty() ? nullptr : &item.beside.front();
}

const TermCost* BreakEvenContext::term(Term kind) const {
  const auto found =
      std::find_if(item.terms.begin(), item.terms.end(), [&](const TermCost& t) { return t.offer->term == kind; });
  return found == item.terms.end() ? nullptr : &*found;
}

ComparedTerm BreakEvenContext::compared(const TermCost& term, const catalog::Region* place) const {
  ComparedTerm found{.term = &term, .offer = term.offer, .per_hour = term.rate, .other_region = false};
  if (place == nullptr || term.region == place) return found;
  for (const TermCost::Other& other : term.elsewhere) {
    if (&catalog.region_of(*other.offer) != place) continue;
    found.offer = other.offer;
    found.per_hour = other.rate;
    return found;
  }
  found.other_region = true;
  return found;
}

std::pair<ComparedTerm, ComparedTerm> BreakEvenContext::in_one_place(const TermCost& first,
                                                                     const TermCost& second) const {
  ComparedTerm there = compared(second, first.region);
  if (!there.other_region) return {compared(first, nullptr), there};
  ComparedTerm here = compared(first, second.region);
  if (here.other_region) return {compared(first, nullptr), there};
  return {here, compared(second, nullptr)};
}

double BreakEvenContext::said_or(const std::optional<double>& said, double assumed, std::string_view key) const {
  if (said) return *said;
  const auto known = std::find_if(out.assumed.begin(), out.assumed.end(), [&](const auto& a) { return a.key == key; });
  if (known == out.assumed.end()) out.assumed.push_back({std::string(key), assumed});
  return assumed;
}

catalog::Number BreakEvenContext::from_usd(double amount) const {
  return answer.converter.convert({amount, Currency::usd()});
}

void BreakEvenContext::explain(std::string quantity, std::string formula, std::string substituted,
                               physics::Figure value, std::string source) const {
  if (explained)
    out.trace.push_back({"break_even." + std::move(quantity), std::move(formula), std::move(substituted),
                         std::move(value), std::move(source)});
}

void BreakEvenContext::note(std::string text) const { out.notes.push_back(std::move(text)); }

physics::Figure hours_figure(double hours) {
  return hours < 10 ? physics::shown("{:.2f}", hours, "h") : physics::shown("{:.1f}", hours, "h");
}

physics::Figure figure_or(const std::optional<double>& number, physics::Digits digits, std::string_view unit,
                          std::string otherwise) {
  return number ? physics::shown(digits, *number, unit) : physics::Figure::words(std::move(otherwise));
}

std::vector<const TermCost*> lasting_terms(const BreakEvenContext& c) {
  std::vector<const TermCost*> terms;
  const TermCost* on_demand = c.term(Term::on_demand);
  if (on_demand != nullptr && on_demand->instances().month) terms.push_back(on_demand);
  const TermCost* best = nullptr;
  for (const TermCost& term : c.item.terms) {
    if (!term.commitment.months() || !term.instances().month) continue;
    if (best == nullptr || *term.instances().month < *best->instances().month) best = &term;
  }
  if (best != nullptr && (terms.empty() || *best->instances().month < *terms.front()->instances().month))
    terms.push_back(best);
  return terms;
}

void add_commitments(const BreakEvenContext& c) {
  const TermCost* on_demand = c.term(Term::on_demand);
  if (on_demand == nullptr || on_demand->rate <= 0) return;
  for (const TermCost& term : c.item.terms) {
    const catalog::Number months = term.commitment.months();
    if (!months) continue;
    CommitmentBreakEven found;
    std::tie(found.committed, found.on_demand) = c.in_one_place(term, *on_demand);
    found.committed.other_region = found.on_demand.other_region;
    const double rate = found.on_demand.per_hour;
    found.months = *months;
    found.per_month = found.committed.per_hour * kHoursPerMonth;
    found.hours_per_month = money::break_even_hours(found.per_month, rate, on_demand->billing);
    if (*months > 1)
      found.after_months =
          money::break_even_months(found.per_month * *months, *months, rate, c.hours_per_month(), on_demand->billing);
    const std::string key = format("commitment.{}", to_text(term.offer->term));
    c.explain(key + ".per_month", say("price of the commitment per hour × 730"),
              format("{:.4f} × {:g}", found.committed.per_hour, kHoursPerMonth),
              physics::shown("{:.2f}", found.per_month, c.currency()), std::string(kDefinition));
    const bool falls = !on_demand->billing.increments.empty();
    c.explain(
        key + ".hours_per_month",
        falls ? say("price of the commitment per month ÷ price on demand per hour, which falls as the month goes on")
              : say("price of the commitment per month ÷ price on demand per hour"),
        format("{:.2f} / {:.4f}", found.per_month, rate),
        figure_or(found.hours_per_month, "{:.1f}", "h", say("never: more than {:g} h", kHoursPerMonth)),
        std::string(kDefinition));
    if (*months > 1)
      c.explain(key + ".after_months", say("whole sum of the commitment ÷ (price on demand × hours a month)"),
                format("{:.2f} × {:g} / ({:.4f} × {:.1f})", found.per_month, *months, rate,
                       on_demand->billing.charged(c.hours_per_month())),
                figure_or(found.after_months, "{:.1f}", to_name("months"), say("not within {:g} months", *months)),
                std::string(kDefinition));
    c.out.commitments.push_back(std::move(found));
  }
}

bool BreakEvens::empty() const {
  return commitments.empty() && !job && !spot && tokens.empty() && !nodes && ownership.empty() && notes.empty();
}

BreakEvens break_evens(const CostAnswer& answer, const CostItem& item, const BreakEvenWishes& wishes,
                       const catalog::Catalog& catalog, const physics::Coefficients& coefficients, bool explained) {
  BreakEvens out;
  const BreakEvenContext context{answer, item, wishes, catalog, coefficients, out, explained};
  add_commitments(context);
  add_stops(context);
  add_job_run(context);
  add_spot(context);
  add_node_counts(context);
  add_tokens(context);
  add_ownership(context);
  return out;
}

}  // namespace gpusel::answer
