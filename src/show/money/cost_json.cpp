#include "show/json/records.hpp"
#include "show/money/autoscale.hpp"
#include "show/money/break_even.hpp"
#include "show/money/cost.hpp"

namespace gpusel::show {

namespace {

using answer::CostAnswer;
using answer::CostItem;
using answer::CostLine;
using answer::TermCost;

Json amounts_json(const money::Amounts& amounts) {
  Json out = Json::object();
  money::visit_amounts(amounts, [&](std::string_view period, const catalog::Number& amount) {
    out[std::string(period)] = number(amount);
  });
  return out;
}

Json duty_json(const money::Duty& duty) {
  return {{"hours_per_day", number(duty.hours_per_day)},
          {"days_per_month", number(duty.days_per_month)},
          {"months", duty.months ? number(*duty.months) : Json(nullptr)},
          {"utilization", number(duty.utilization)},
          {"scale_to_zero", duty.scale_to_zero},
          {"starts_per_day", number(duty.starts())},
          {"cold_start_s", duty.cold_start_s ? number(*duty.cold_start_s) : Json(nullptr)},
          {"work_hours_per_month", number(duty.used_per_month())},
          {"given", list_json(duty.given)}};
}

Json extras_json(const answer::CostExtras& extras) {
  return {{"workstation", extras.workstation},
          {"storage_gb", extras.storage_gb ? number(*extras.storage_gb) : Json(nullptr)},
          {"storage", to_text(extras.storage_kind.value_or(catalog::StorageKind::block))},
          {"egress_gb", extras.egress_gb ? number(*extras.egress_gb) : Json(nullptr)}};
}

Json line_json(const CostLine& line) {
  return {{"kind", line.key},
          {"known", line.known},
          {"amounts", line.known ? amounts_json(line.amounts) : Json(nullptr)},
          {"words", line.words},
          {"source", text_or_null(line.source)},
          {"as_of", text_or_null(line.as_of.text())}};
}

Json cost_offer_json(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  const catalog::Origin& origin = catalog.origin_of(offer);
  const catalog::Region& region = catalog.region_of(offer);
  return {{"region", region.id},
          {"country", text_or_null(region.country)},
          {"currency", catalog.currency_of(offer).code()},
          {"price_per_hour", number(offer.per_hour())},
          {"as_of", text_or_null(Date::from_packed(offer.as_of).text())},
          {"source", text_or_null(origin.source)},
          {"confidence", to_text(origin.confidence)},
          {"note", text_or_null(origin.note)}};
}

Json paid_json(const money::Paid& paid) {
  const auto hours = [](bool bounded, const catalog::Number& of) { return bounded ? Json(nullptr) : number(of); };
  return {{"day", hours(paid.bounded, paid.day)},     {"month", hours(paid.bounded, paid.month)},
          {"year", hours(paid.bounded, paid.year)},   {"commitment", number(paid.commitment)},
          {"job", hours(paid.job_bounded, paid.job)}, {"at_most", paid.at_most},
          {"job_at_most", paid.job_at_most}};
}

Json term_json(const TermCost& term, const CostItem& item, const catalog::Catalog& catalog) {
  Json out{{"term", to_text(term.offer->term)},
           {"offer", cost_offer_json(*term.offer, catalog)},
           {"fx", nullptr},
           {"commitment_hours", term.commitment.is_promise() ? number(term.commitment.hours) : Json(nullptr)},
           {"hours_paid", paid_json(term.paid)},
           {"instances_in_offer_currency", amounts_json(term.own())},
           {"instances", amounts_json(term.instances())}};
  if (term.exchange)
    out["fx"] = {{"rate", number(term.exchange->rate)}, {"as_of", text_or_null(term.exchange->as_of.text())}};
  out["lines"] = list_json(term.lines, line_json);
  out["total"] = amounts_json(term.sums());
  out["total_lacks"] = term.lacking();
  out["per_work_hour"] = number(term.per_used_hour);
  out["per_million_tokens"] = number(term.per_million_tokens);
  out["per_million_tokens_of"] = term.per_million_tokens ? Json(std::string(item.subject.job->tokens)) : Json(nullptr);
  out["per_unit"] = number(term.per_unit);
  out["probability"] = nullptr;
  out["warnings"] = nullptr;
  if (const answer::Recommendation* judged = term.judged.get()) {
    out["probability"] = probability_json(judged->plan(), judged->in_time, judged->in_budget);
    out["warnings"] = remarks_json(judged->remarks);
  }
  Json elsewhere = Json::array();
  for (const auto& [offer, rate] : term.elsewhere) {
    Json other = cost_offer_json(*offer, catalog);
    other["hourly"] = number(rate);
    elsewhere.push_back(std::move(other));
  }
  out["elsewhere"] = std::move(elsewhere);
  return out;
}

Json job_json(const answer::CostSubject& subject, const money::Duty& duty) {
  if (!subject.job) return nullptr;
  const answer::CostJob& job = *subject.job;
  return {{"hours", number(job.hours)},
          {"tokens_per_s", number(job.tokens_per_s)},
          {"elapsed_hours", job.hours ? number(money::elapsed_hours(*job.hours, duty)) : Json(nullptr)},
          {"units_per_hour", number(job.units_per_hour)},
          {"unit", text_or_null(job.unit)}};
}

/// Of what is paid as it runs, else as the provider bills anywhere.
Json billing_json(const CostItem& item, const catalog::Catalog& catalog) {
  if (item.subject.provider == nullptr) return nullptr;
  const auto as_used = std::ranges::find_if(item.terms, [](const auto& term) { return term.commitment.is_as_used(); });
  const money::Billing billing =
      as_used != item.terms.end()
          ? as_used->billing
          : money::billing_of(*item.subject.instance, {}, catalog::Term::on_demand, item.subject.provider, catalog);
  return {{"granularity_s", number(billing.granularity_s)},
          {"minimum_s", number(billing.minimum_s)},
          {"source", text_or_null(billing.source)}};
}

Json item_json(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog) {
  const answer::CostSubject& subject = item.subject;
  const catalog::Instance& instance = *subject.instance;
  Json out{{"name", subject.name},
           {"rank", subject.rank > 0 ? Json(subject.rank) : Json(nullptr)},
           {"provider", instance.provider},
           {"sku", instance.sku},
           {"nodes", subject.nodes},
           {"gpu", text_or_null(instance.gpu)},
           {"gpus_per_node", number(instance.gpu_count)},
           {"job", job_json(subject, item.duty)},
           {"problem", text_or_null(subject.problem)},
           {"plan", subject.planned ? plan_json(subject.planned->plan) : Json(nullptr)},
           {"probability", subject.planned ? probability_json(subject.planned->plan) : Json(nullptr)},
           {"cold_start_s", item.duty.cold_start_s ? number(*item.duty.cold_start_s) : Json(nullptr)},
           {"billing", billing_json(item, catalog)}};
  out["terms"] = list_json(item.terms, [&](const TermCost& term) { return term_json(term, item, catalog); });
  out["service_levels"] =
      list_json(item.promises, [](const catalog::ServiceLevel* level) { return promise_json(*level); });
  if (item.scaling) out["autoscaling"] = autoscale_json(*item.scaling, answer.work->inference.engine);
  out["notes"] = item.notes;
  if (!item.trace.empty()) out["explain"] = explain_json(item.trace);
  return out;
}

}  // namespace

Json promise_json(const catalog::ServiceLevel& level) {
  return {{"scope", level.scope},
          {"percent", number(level.percent)},
          {"credit", text_or_null(level.credit)},
          {"as_of", text_or_null(level.as_of.text())},
          {"source", level.source}};
}

Json cost_json(const CostAnswer& answer, std::span<const answer::BreakEvens> break_evens,
               const catalog::Catalog& catalog) {
  Json out{{"schema", "gpusel.cost/1"},
           {"currency", answer.converter.currency().code()},
           {"workload", answer.work ? workload_json(*answer.work) : Json(nullptr)},
           {"assumed", answer.work ? assumptions(answer.work->assumed) : Json::object()},
           {"duty", duty_json(answer.duty)},
           {"extras", extras_json(answer.extras)}};
  Json items = Json::array();
  for (std::size_t at = 0; at < answer.items.size(); ++at) {
    items.push_back(item_json(answer.items[at], answer, catalog));
    if (!break_evens.empty()) items.back()["break_even"] = break_even_json(break_evens[at], catalog);
  }
  out["items"] = std::move(items);
  return out;
}

}  // namespace gpusel::show
