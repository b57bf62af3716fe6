// What is said of prices in words: how time is billed, what is committed to, what a provider promises.
#include <algorithm>
#include <cmath>
#include <optional>

#include "answer/cost/cost_parts.hpp"
#include "answer/facts/candidates.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

std::string step_note(const CostSubject& subject, const money::Billing& billing, const money::Duty& duty) {
  const std::string provider(subject.instance->provider);
  if (!billing.granularity_s)
    return say("the billing increment of {} is not published: counted by the second", provider);
  std::string note = say("{} bills in steps of {}", provider, human_duration(seconds(*billing.granularity_s)));
  if (billing.minimum_s.value_or(0) > 0)
    note += say(", at least {} a start", human_duration(seconds(*billing.minimum_s)));
  else if (!billing.minimum_s && duty.starts() > 0)
    note += say("; any minimum charge per start is not published");
  return billing.source.empty() ? note : format("{} ({})", note, printable(billing.source));
}

/// "100 % of the price from 0 to 182.5 h, 80 % …": what an hour costs as the month goes on.
std::string increments_note(const TermCost& term, bool of_job) {
  std::string list;
  double below = 0;
  for (const money::Increment& increment : term.billing.increments) {
    add_item(list, say("{:.4g} % of the price from {:.4g} to {:.4g} h", increment.price * 100, below * kHoursPerMonth,
                       increment.up_to * kHoursPerMonth));
    below = increment.up_to;
  }
  if (list.empty()) return {};
  const std::string note = of_job
                               ? say("{}: hourly price over a month: {}; the job is assumed to start on the first day",
                                     to_text(term.offer->term), list)
                               : say("{}: hourly price over a month: {}", to_text(term.offer->term), list);
  return term.billing.increments_source.empty() ? note
                                                : format("{} ({})", note, printable(term.billing.increments_source));
}

/// How long what is switched off takes to come back, or that nobody knows.
std::string start_note(const CostItem& item) {
  if (!item.duty.scale_to_zero) return {};
  if (!item.duty.cold_start_s) return say("the startup time is unknown and not in the hours paid: set --cold-start");
  if (!item.cold_start) return {};
  const ColdStart& start = *item.cold_start;
  return say(
      "each start takes {}: {} GB of weights at {:.3g} GB/s, {} for the engine; the instance itself comes before",
      human_duration(start.total()), human_number(in_gb(start.weights)), start.gbs(), human_duration(start.engine));
}

/// What the saved answer paid, where that is another price than today's.
std::string saved_note(const CostItem& item, const catalog::Catalog& catalog) {
  if (!item.subject.saved_price) return {};
  const SavedPrice& saved = *item.subject.saved_price;
  const auto differs = [&](const catalog::Offer& now) {
    return catalog.currency_of(now) != saved.per_hour.currency ||
           std::abs(now.per_hour() - saved.per_hour.amount) > 1e-6 * saved.per_hour.amount;
  };
  const std::string then =
      say("the saved answer has {} {} per instance-hour, {} in {}", human_price(saved.per_hour.amount),
          saved.per_hour.currency.code(), printable(saved.term), printable(saved.region));
  for (const TermCost& term : item.terms) {
    if (to_text(term.offer->term) != saved.term) continue;
    std::vector<const catalog::Offer*> offers{term.offer};
    for (const TermCost::Other& other : term.elsewhere) offers.push_back(other.offer);
    for (const catalog::Offer* now : offers)
      if (catalog.region_of(*now).id == saved.region)
        return differs(*now) ? say("{}; here it is {} {} ({})", then, human_price(now->per_hour()),
                                   catalog.currency_of(*now).code(), printable(catalog.origin_of(*now).source))
                             : std::string();
  }
  return say("{}; the catalog has no such price", then);
}

/// Terms that are sold at all, where none is left; of prices that held until a day, that day.
std::string published_note(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog) {
  if (!item.terms.empty()) return {};
  const auto terms = priced_terms(*item.subject.instance, catalog, answer.today);
  return terms.empty() ? std::string() : say("published for this instance: {}", join_texts(terms, say_name(", ")));
}

/// What is paid and not needed.
std::string commitment_note(const TermCost& term, const CostItem& item, const CostAnswer& answer) {
  const std::string_view name = to_text(term.offer->term);
  if (term.commitment.whole_month)
    return term.paid.at_most || term.paid.job_at_most ? say("{}: the published rate is for a full month; less use gets "
                                                            "a smaller discount, up to the on-demand price there",
                                                            name)
                                                      : std::string();
  const auto& job = item.subject.job;
  const double longest = term.commitment.longest_hours;
  if (job && longest > 0 && money::longest_stretch(item.duty, job->hours) > longest) {
    const std::string ends = human_duration(seconds(longest * 3600));
    return job->hours ? say("{}: ends after {} at the latest, but the job takes {}: it cannot run in one", name, ends,
                            human_duration(seconds(money::elapsed_hours(*job->hours, item.duty) * 3600)))
                      : say("{}: ends after {} at the latest; continuous work must be restarted", name, ends);
  }
  if (term.commitment.is_as_used() || !job || !job->hours) return {};
  if (term.commitment.by_day && !item.duty.is_always_on()) return {};
  const double needed = money::elapsed_hours(*job->hours, item.duty);
  const double idle = *term.paid.job - needed;
  if (idle < 1) return {};
  return say("{}: {} h billed, {} h needed; the other {} {} is wasted unless other work uses it", name,
             human_number(*term.paid.job), human_number(needed), human_price(idle * term.rate),
             answer.converter.currency().code());
}

}  // namespace

std::vector<const catalog::ServiceLevel*> promises_of(const catalog::Instance& instance,
                                                      std::span<const catalog::Term> terms,
                                                      const catalog::Catalog& catalog) {
  std::vector<const catalog::ServiceLevel*> promises;
  for (const catalog::ServiceLevel& level : catalog.service_levels()) {
    if (level.provider != instance.provider || !none_or_has(level.families, instance.family)) continue;
    // Without a word about terms, capacity that can be taken away has no promise behind it.
    const bool of_terms = std::ranges::any_of(terms, [&](catalog::Term term) {
      return level.terms.empty() ? term != catalog::Term::spot : none_or_has(level.terms, to_text(term));
    });
    if (of_terms) promises.push_back(&level);
  }
  return promises;
}

std::string unpriced_terms_note(const CostItem& item) {
  std::string terms;
  if (item.subject.provider != nullptr)
    for (const std::string_view term : item.subject.provider->unpriced_terms)
      if (std::ranges::none_of(item.terms, [&](const TermCost& t) { return to_text(t.offer->term) == term; }))
        add_name(terms, say_name(term));
  return terms.empty() ? terms : say("other terms, without recorded prices: {}", terms);
}

std::vector<std::string> cost_notes(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty()) notes.push_back(std::move(note));
  };
  const CostSubject& subject = item.subject;
  const catalog::Instance& instance = *subject.instance;
  if (instance.status != catalog::Availability::available)
    add(say("{} is marked {}", printable(instance.sku), said(instance.status)));
  add(printable(instance.caution));
  add(published_note(item, answer, catalog));
  add(saved_note(item, catalog));
  if (item.duty.days_asked)
    add(say("{} days a month count as {}: a month is 730 hours", human_number(*item.duty.days_asked),
            human_number(item.duty.days_per_month)));
  const bool one_place = std::all_of(item.terms.begin(), item.terms.end(),
                                     [&](const TermCost& term) { return term.region == item.terms.front().region; });
  if (!one_place) add(say("each term is shown in its cheapest region; --region compares one region"));
  const auto as_used = std::ranges::find_if(item.terms, [](const TermCost& t) { return t.commitment.is_as_used(); });
  if (as_used != item.terms.end()) add(step_note(subject, as_used->billing, item.duty));
  for (const TermCost& term : item.terms) add(increments_note(term, subject.job && subject.job->hours));
  if (std::ranges::any_of(item.terms, [&](const TermCost& term) { return is_guess(*term.offer, answer.today); }))
    add(guess_text());
  add(start_note(item));
  for (const TermCost& term : item.terms) add(commitment_note(term, item, answer));
  for (const catalog::OfferState& state : catalog.states_of(instance)) {
    if (state.state == catalog::Availability::available) continue;
    std::string what = state.term ? std::string(to_text(*state.term)) : say("on every term");
    if (!state.region.empty()) what += " " + printable(state.region);
    add(format("{} ({}{}{})", said(state.state), what, state.note.empty() ? "" : ": ", printable(state.note)));
  }
  return notes;
}

}  // namespace gpusel::answer
