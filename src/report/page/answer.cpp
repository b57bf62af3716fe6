// What was asked and what is the best answer.
#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/own_prices.hpp"
#include "report/candidate.hpp"
#include "report/estimate.hpp"
#include "report/page/parts.hpp"

namespace gpusel::report {

namespace {

using advise::Recommendation;

std::string asked(workload::ObjectiveKind objective, const std::string& job) {
  switch (objective) {
    case workload::ObjectiveKind::cost: return say("Which cloud instance does this job for the least money: {}?", job);
    case workload::ObjectiveKind::speed: return say("Which cloud instance does this job fastest: {}?", job);
    case workload::ObjectiveKind::balanced:
      return say("Which cloud instance has the best balance of cost and speed for this job: {}?", job);
  }
  return job;
}

/// What 80 of 100 measurements should show, in the unit of its rate.
struct Range {
  estimate::Interval rate;
  std::string unit;
};
Range range_of(const workload::Workload& work, const Recommendation& r) {
  if (work.counted) return {r.intervals.throughput, std::string(work.counted->unit.rate)};
  const bool in_tokens = workload::is_training(work.task) || work.model->is_generator();
  return in_tokens ? Range{r.intervals.tokens_per_s, say("tokens/s")}
                   : Range{r.intervals.sequences_per_s, say("sequences/s")};
}

std::string hours_text(double hours) { return human_duration(seconds(hours * 3600)); }

/// The best answer's money and time as `cost` has them, with what comes beside; where it has none, the ranking's.
class Sums {
 public:
  explicit Sums(const ReportView& view)
      : view_(view), r_(view.advice.recommendations.front()), item_(priced_item(view)), term_(priced_term(view)) {}

  const advise::TermCost* term() const { return term_; }
  double total() const {
    if (term_ == nullptr) return r_.cost.total;
    return (ends(view_.advice.work) ? term_->total.job : term_->total.month).value_or(r_.cost.total);
  }
  bool is_bound() const {
    return term_ != nullptr && (ends(view_.advice.work) ? term_->paid.job_at_most : term_->paid.at_most);
  }
  std::string total_text() const {
    const std::string money = money_text(view_, total());
    return is_bound() ? say("at most {}", money) : money;
  }
  /// Of work in a month.
  double month_hours() const { return item_ != nullptr ? item_->duty.used_per_month() : r_.cost.hours; }
  /// By the calendar, of a job `times` as long.
  double hours(double times = 1) const {
    const double work = r_.cost.hours * times;
    return item_ != nullptr ? cost::elapsed_hours(work, item_->duty) : work;
  }
  bool has_pauses() const { return hours() > r_.cost.hours * 1.001; }
  /// Where it is paid by the hour: of a job `times` as long; nothing where the instances' part of it is not known.
  std::optional<double> job_total(double times) const {
    if (term_ == nullptr) return r_.cost.total * times;
    if (!term_->instances.job) return std::nullopt;
    return total() + *term_->instances.job * (times - 1);
  }
  std::optional<double> per_unit() const {
    if (term_ != nullptr) return term_->per_unit;
    return r_.cost.per_unit;
  }
  std::optional<double> per_million_tokens() const {
    if (term_ != nullptr) return term_->per_million_tokens;
    return r_.cost.per_million_tokens;
  }
  /// What has no known price and is missing from the sum.
  std::string lacking() const {
    std::string keys;
    if (term_ != nullptr)
      for (const std::string_view key : term_->lacking) keys += (keys.empty() ? "" : ", ") + std::string(key);
    return keys;
  }
  /// "instances 821.2 + storage 400.0"; nothing where it is the instances alone.
  std::string parts() const {
    if (term_ == nullptr || term_->lines.empty()) return {};
    const bool whole = ends(view_.advice.work);
    const auto amount = [&](const cost::Amounts& amounts) {
      const auto& known = whole ? amounts.job : amounts.month;
      return known ? human_price(*known) : std::string("?");
    };
    std::string out = say("instances {}", amount(term_->instances));
    for (const advise::CostLine& line : term_->lines)
      if (line.known) out += format(" + {} {}", line.key, amount(line.amounts));
    return out;
  }

 private:
  const ReportView& view_;
  const Recommendation& r_;
  const advise::CostItem* item_;
  const advise::TermCost* term_;
};

/// How sure the answer is.
std::string sure_text(const ReportView& view, const Recommendation& r, const Sums& sums) {
  const Range range = range_of(view.advice.work, r);
  const double rate = plan::rate_of(r.choice());
  if (range.rate.low <= 0 || rate <= 0) return say("how far it may be off is not known");
  if (!ends(view.advice.work))
    return say("80 of 100 runs should show {} to {} {}", human_number(range.rate.low), human_number(range.rate.high),
               range.unit);
  const double fast = rate / range.rate.high, slow = rate / range.rate.low;
  const std::string from = hours_text(sums.hours(fast)), to = hours_text(sums.hours(slow));
  // Whole periods cost the same, however long the job takes within them.
  const auto least = sums.job_total(fast), most = sums.job_total(slow);
  if (cost::subscription_period(r.offer->term).raw() > 0 || !least || !most)
    return say("80 of 100 runs should take {} to {}", from, to);
  return say("80 of 100 runs should take {} to {} and cost {} to {}", from, to, money_text(view, *least),
             money_text(view, *most));
}

/// The price with its day and its source.
std::string price_text(const ReportView& view, const Recommendation& r) {
  const catalog::Origin& origin = view.catalog.origin_of(*r.offer);
  const Date date = Date::from_packed(r.offer->as_of);
  const std::string price = money_text(view, r.cost.hourly);
  if (catalog::is_own(origin)) return say("the price of {} per hour is your own", price);
  const std::string source = origin.source.empty() ? say("no source") : printable(origin.source);
  return date.known() ? say("the price of {} per hour is of {} ({})", price, date.text(), source)
                      : say("the price of {} per hour has no date ({})", price, source);
}

std::string does_it(const ReportView& view, const Recommendation& r, const Sums& sums) {
  if (ends(view.advice.work))
    return say("does the job for {} in {} on {}", sums.total_text(), hours_text(sums.hours()), gpus_text(r));
  return say("costs {} for {} hours of work a month, its instances {} per hour, and does {} on {}", sums.total_text(),
             human_number(sums.month_hours()), money_text(view, r.cost.hourly), speed_text(view.advice.work, r),
             gpus_text(r));
}

std::string memory_text(const Recommendation& r) {
  return say("{} of {} GiB", human_number(in_gib(r.memory().total())), human_number(in_gib(r.machine().memory())));
}

/// The interval of the memory; nothing where it is not known.
std::string memory_range(const Recommendation& r) {
  const estimate::Interval& range = r.intervals.memory_total_gib;
  if (range.high <= range.low) return {};
  return say("{} to {} GiB in 80 of 100 runs", human_number(range.low), human_number(range.high));
}

void add_cost(std::vector<Fact>& out, const ReportView& view, const Recommendation& r, const Sums& sums) {
  const std::string hourly = money_text(view, r.cost.hourly);
  if (ends(view.advice.work)) {
    out.push_back({say("Cost"), sums.total_text(), say("{} per hour of the instances", hourly)});
    out.push_back({say("Time"), hours_text(sums.hours()),
                   sums.has_pauses() ? say("{} of work in it", hours_text(r.cost.hours)) : std::string()});
  } else {
    out.push_back({say("Cost a month"), sums.total_text(),
                   say("{} h of work; {} per hour of the instances", human_number(sums.month_hours()), hourly)});
    out.push_back({say("Throughput"), speed_text(view.advice.work, r)});
  }
  if (const std::string parts = sums.parts(); !parts.empty())
    out.push_back({say("In that cost, {}", view.advice.currency.code()), parts,
                   sums.lacking().empty() ? std::string() : say("without {}: no price is known", sums.lacking())});
  const auto& spot = view.use != nullptr ? view.use->of_best.spot : std::nullopt;
  if (r.offer->term == catalog::Term::spot && spot && spot->answer && spot->share)
    out.push_back({say("Instances with interruptions"), money_text(view, spot->answer->spot_cost),
                   ends(view.advice.work) ? say("{} with {} % taken a month", human_duration(spot->answer->spot.wall),
                                                human_number(100 * *spot->share))
                                          : say("with {} % taken a month", human_number(100 * *spot->share))});
}

Facts facts_of(const ReportView& view, const Recommendation& r, const Sums& sums) {
  const workload::Workload& work = view.advice.work;
  std::vector<Fact> out;
  add_cost(out, view, r, sums);
  if (const auto* inference = std::get_if<plan::InferenceChoice>(&r.choice());
      inference != nullptr && inference->speed && work.model->is_generator())
    out.push_back({say("First token"), say("{} ms", human_number(in_ms(inference->speed->ttft))),
                   say("{} ms between tokens", human_number(in_ms(inference->speed->itl)))});
  if (const auto each = sums.per_unit())
    out.push_back({say("Per {}", r.cost.unit), money_text(view, *each)});
  else if (const auto million = sums.per_million_tokens())
    out.push_back({say("Per million tokens"), money_text(view, *million)});
  out.push_back({r.gpu != nullptr ? say("Memory per GPU") : say("Memory"), memory_text(r), memory_range(r)});
  if (const auto bound = plan::bound_by(r.choice()); !bound.empty())
    out.push_back({say("Limited by"), std::string(bound)});
  if (const std::string plan = plan_text(work, r); !plan.empty()) out.push_back({say("Plan"), plan});
  out.push_back({say("Where"), printable(r.region->id), std::string(to_text(r.offer->term))});
  out.push_back({say("Price of"), price_date(r), std::string(to_text(view.catalog.origin_of(*r.offer).confidence))});
  return {std::move(out)};
}

/// What speaks against it, most serious first.
std::vector<Text> cautions_of(const Recommendation& r, const Sums& sums) {
  std::vector<Text> out;
  const auto add = [&](rules::Effect level, const std::string& words) {
    out.push_back(Text(said(level), level == rules::Effect::warn ? Meaning::warn : Meaning::note).add(" " + words));
  };
  const double usable = in_gib(r.machine().memory());
  if (estimate::is_known(r.memory()) && r.intervals.memory_total_gib.high > usable)
    add(rules::Effect::warn, say("it may not fit: 80 of 100 runs should take {} to {} GiB, and {} are usable",
                                 human_number(r.intervals.memory_total_gib.low),
                                 human_number(r.intervals.memory_total_gib.high), human_number(usable)));
  if (const std::string keys = sums.lacking(); !keys.empty())
    add(rules::Effect::warn, say("the cost is without {}, of which no price is known", keys));
  for (const rules::Effect level : {rules::Effect::warn, rules::Effect::note})
    for (const advise::Remark& remark : r.remarks)
      if (remark.severity == level) add(level, remark.message);
  return out;
}

}  // namespace

void add_question(Document& page, const ReportView& view) {
  page.line({asked(view.objective, job_line(view.advice.work)), Meaning::lead});
  page.add(Code{view.command, 0, say("asked as")});
}

void add_answer(Document& page, const ReportView& view) {
  if (view.advice.recommendations.empty()) {
    page.add(Card{"answer", say("No instance meets this."),
                  say("Below stand what would have to be given up, and why each instance was rejected.")});
    return;
  }
  const Recommendation& best = view.advice.recommendations.front();
  std::string reasons;
  for (const std::string& reason : best.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
  const Sums sums(view);
  page.add(Card{"answer", instance_name(best),
                format("{}; {}; {}.", does_it(view, best, sums), price_text(view, best), sure_text(view, best, sums)),
                cautions_of(best, sums), facts_of(view, best, sums), std::move(reasons)});
}

void add_assumptions(Document& page, const ReportView& view) {
  List assumed{{}, List::Kind::chips};
  for (const workload::Assumed& one : view.advice.assumed) assumed.items.emplace_back(assumed_line({one}));
  std::vector<Currency> converted;
  for (const Recommendation& r : view.advice.recommendations)
    if (r.cost.exchange) converted.push_back(r.cost.offer.currency);
  page.add(Heading{say("Assumptions"), 2, "assumptions"});
  page.line(say("Not said and therefore taken as usual; each is a flag of the same name.")).add(std::move(assumed));
  page.line(secondary(prices_line(view.advice, view.catalog, converted)));
  for (const std::string& note : view.advice.notes) page.line(note);
}

}  // namespace gpusel::report
