// What was asked and what is the best answer.
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/own_prices.hpp"
#include "report/candidate.hpp"
#include "report/estimate.hpp"
#include "report/html.hpp"
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

/// How sure the answer is.
std::string sure_text(const ReportView& view, const Recommendation& r) {
  const Range range = range_of(view.advice.work, r);
  const double rate = plan::rate_of(r.choice());
  if (range.rate.low <= 0 || rate <= 0) return say("how far it may be off is not known");
  if (!ends(view.advice.work))
    return say("80 of 100 runs should show {} to {} {}", human_number(range.rate.low), human_number(range.rate.high),
               range.unit);
  const double fast = rate / range.rate.high, slow = rate / range.rate.low;
  const std::string time =
      say("80 of 100 runs should take {} to {}", hours_text(r.cost.hours * fast), hours_text(r.cost.hours * slow));
  // Whole periods cost the same, however long the job takes within them.
  if (cost::subscription_period(r.offer->term).raw() > 0) return time;
  return say("80 of 100 runs should take {} to {} and cost {} to {}", hours_text(r.cost.hours * fast),
             hours_text(r.cost.hours * slow), money_text(view, r.cost.total * fast),
             money_text(view, r.cost.total * slow));
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

std::string does_it(const ReportView& view, const Recommendation& r) {
  if (ends(view.advice.work))
    return say("does the job for {} in {} on {}", money_text(view, r.cost.total), hours_text(r.cost.hours),
               gpus_text(r));
  return say("costs {} per hour, {} for {} hours a month, and does {} on {}", money_text(view, r.cost.hourly),
             money_text(view, r.cost.total), human_number(r.cost.hours), speed_text(view.advice.work, r), gpus_text(r));
}

std::string fact(const std::string& name, const std::string& value, const std::string& more = {}) {
  const std::string beside = more.empty() ? "" : format("<span>{}</span>", html_text(more));
  return format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", html_text(name), html_text(value), beside);
}

std::string memory_text(const Recommendation& r) {
  return say("{} of {} GiB", human_number(in_gib(r.memory().total())), human_number(in_gib(r.machine().memory())));
}

std::string facts_html(const ReportView& view, const Recommendation& r) {
  const workload::Workload& work = view.advice.work;
  std::string out;
  if (ends(work)) {
    out += fact(say("Cost"), money_text(view, r.cost.total), say("{} per hour", money_text(view, r.cost.hourly)));
    out += fact(say("Time"), hours_text(r.cost.hours));
  } else {
    out += fact(say("Cost"), say("{} per hour", money_text(view, r.cost.hourly)),
                say("{} for {} h a month", money_text(view, r.cost.total), human_number(r.cost.hours)));
    out += fact(say("Throughput"), speed_text(work, r));
  }
  if (const auto* inference = std::get_if<plan::InferenceChoice>(&r.choice());
      inference != nullptr && inference->speed && work.model->is_generator())
    out += fact(say("First token"), say("{} ms", human_number(in_ms(inference->speed->ttft))),
                say("{} ms between tokens", human_number(in_ms(inference->speed->itl))));
  if (r.cost.per_unit)
    out += fact(say("Per {}", r.cost.unit), money_text(view, *r.cost.per_unit));
  else if (r.cost.per_million_tokens)
    out += fact(say("Per million tokens"), money_text(view, *r.cost.per_million_tokens));
  out += fact(r.gpu != nullptr ? say("Memory per GPU") : say("Memory"), memory_text(r));
  if (const auto bound = plan::bound_by(r.choice()); !bound.empty()) out += fact(say("Limited by"), std::string(bound));
  if (const std::string plan = plan_text(work, r); !plan.empty()) out += fact(say("Plan"), plan);
  out += fact(say("Where"), printable(r.region->id), std::string(to_text(r.offer->term)));
  out += fact(say("Price of"), price_date(r), std::string(to_text(view.catalog.origin_of(*r.offer).confidence)));
  return "<dl class=\"facts\">\n" + out + "</dl>\n";
}

}  // namespace

std::string question_html(const ReportView& view) {
  return format("<p class=\"lead\">{}</p>\n<pre class=\"command\" aria-label=\"{}\">{}</pre>\n",
                html_text(asked(view.objective, job_line(view.advice.work))), html_text(say("asked as")),
                html_text(view.command));
}

std::string answer_html(const ReportView& view) {
  if (view.advice.recommendations.empty())
    return format("<div class=\"answer nothing\" id=\"answer\">\n<p><span class=\"name\">{}</span> {}</p>\n</div>\n",
                  html_text(say("No instance meets this.")),
                  html_text(say("Below stand what would have to be given up, and why each instance was rejected.")));
  const Recommendation& best = view.advice.recommendations.front();
  std::string reasons;
  for (const std::string& reason : best.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
  return format(
      "<div class=\"answer\" id=\"answer\">\n<p><span class=\"name\">{}</span> {}; {}; {}.</p>\n{}<p class=\"soft "
      "small\">{}"
      "</p>\n</div>\n",
      html_text(instance_name(best)), html_text(does_it(view, best)), html_text(price_text(view, best)),
      html_text(sure_text(view, best)), facts_html(view, best), html_text(reasons));
}

std::string assumptions_html(const ReportView& view) {
  std::string list;
  for (const workload::Assumed& one : view.advice.assumed)
    list += format("<li>{}</li>\n", html_text(assumed_line({one})));
  std::vector<Currency> converted;
  for (const Recommendation& r : view.advice.recommendations)
    if (r.cost.exchange) converted.push_back(r.cost.offer.currency);
  std::string out = html_paragraph(say("Not said and therefore taken as usual; each is a flag of the same name."));
  out += format("<ul class=\"chips\">\n{}</ul>\n", list);
  out += format("<p class=\"soft small\">{}</p>\n", html_text(prices_line(view.advice, view.catalog, converted)));
  for (const std::string& note : view.advice.notes) out += html_paragraph(note);
  return html_section(say("Assumptions"), out, "assumptions");
}

}  // namespace gpusel::report
