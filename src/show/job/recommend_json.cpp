#include "answer/gate/saved.hpp"
#include "show/job/estimate.hpp"
#include "show/job/recommend.hpp"
#include "show/json/records.hpp"
#include "show/json/tell.hpp"
#include "show/simulate/simulate.hpp"

namespace gpusel::show {

namespace {

using answer::Advice;
using answer::Recommendation;
using job::Job;

/// From board power alone: hosts, cooling and idle time come on top, partial load goes off.
void tell_energy(JsonOut& out, const Recommendation& r, const Job& work) {
  if (r.gpu == nullptr || !r.gpu->tdp_w) return;
  const double watts = *r.gpu->tdp_w * r.machine().device.share * r.machine().gpus();
  out.figure("energy_kwh", watts * r.cost.hours / 1000);
  if (!work.counted)
    out.figure("tokens_per_joule", r.plan().rate / watts);
  else if (!work.counted->unit.at_once())
    out.figure("items_per_joule", r.plan().rate * work.counted->unit.per_second / watts);
  out.text("energy_basis", "tdp");
}

void tell_performance(JsonOut& out, const Recommendation& r, const Job& work) {
  const physics::Plan& plan = r.plan();
  if (plan.training) tell_training(out, *plan.training);
  if (plan.serving) tell_inference(out, *plan.serving);
  if (work.counted) out.object("throughput", [&] { tell_throughput(out, plan.rate, work.counted->unit.rate); });
  out.text_or_null("bound_by", plan.bound_by);
  if (work.counted && plan.latency.raw() > 0) out.figure("latency_ms", in_ms(plan.latency));
  if (!plan.more.empty()) out.object("figures", [&] { tell_more(out, plan); });
  if (plan.serving && !work.model->is_generator())
    out.object("throughput", [&] { tell_throughput(out, plan.sequences_per_s, "sequences/s"); });
  tell_energy(out, r, work);
}

void tell_cost(JsonOut& out, const Recommendation& r, const Advice& advice, const catalog::Catalog& catalog) {
  const auto& cost = r.cost;
  const catalog::Origin& origin = catalog.origin_of(*r.offer);
  out.text("currency", advice.currency.code());
  out.text("billing", to_text(r.offer->term));
  out.figure("hourly", cost.hourly);
  out.figure("total", cost.total);
  out.text("total_of", advice.work.ends() ? "job" : "month");
  out.figure("hours", cost.hours);
  out.figure("hours_paid", cost.paid.job.value_or(cost.paid.month));
  if (advice.duty.is_given()) out.figure("elapsed_hours", cost.elapsed);
  if (cost.cold_start_s > 0) out.figure("cold_start_s", cost.cold_start_s);
  out.figure_or_null("per_million_tokens", cost.per_million_tokens);
  out.figure_or_null("per_unit", cost.per_unit);
  out.text_or_null("unit", advice.work.priced_unit());
  out.text_or_null("price_as_of", Date::from_packed(r.offer->as_of).text());
  out.text_or_null("price_source", origin.source);
  out.text("price_confidence", to_text(origin.confidence));
  out.object("offer", [&] {
    out.text("currency", cost.published.currency.code());
    out.figure("hourly", cost.published.amount);
  });
  if (!origin.note.empty()) out.text("price_note", origin.note);
  if (cost.licence_hourly > 0) out.figure("licence_hourly", cost.licence_hourly);
  if (cost.host_hourly > 0) out.figure("host_hourly", cost.host_hourly);
  if (const money::Line* setup = cost.line("setup"); setup != nullptr && setup->known)
    if (const auto once = advice.work.ends() ? setup->amounts.job : setup->amounts.month) out.figure("setup", *once);
  if (advice.work.counted && advice.work.counted->sends_traffic())
    out.figure_or_null("egress_hourly", cost.egress_hourly());
  if (!cost.lines.empty()) {
    out.texts("total_lacks", [&] {
      const auto lacking = cost.lacking();
      return std::vector<std::string>(lacking.begin(), lacking.end());
    }());
  }
  if (r.cost_interval.low > 0) tell_interval(out, "interval", r.cost_interval);
  money::PriceToday today = cost.today;  // of all that `hourly` has in it
  for (double* const price : {&today.low, &today.mid, &today.high}) *price += cost.beside_hourly();
  tell_price_today(out, today);
  if (!cost.exchange) return;
  out.object("fx", [&] {
    out.figure("rate", cost.exchange->rate);
    out.text_or_null("as_of", cost.exchange->as_of.text());
  });
}

void tell_intervals(JsonOut& out, const physics::Intervals& intervals, const Job& work) {
  out.figure("level", 0.8);
  tell_interval(out, "memory_total", intervals.memory_total_gib);
  tell_interval(out, "memory_needed", intervals.memory_needed_gib);
  if (work.counted)
    tell_interval(out, "throughput", intervals.rate);
  else
    tell_interval(out, "tokens_per_s", intervals.rate);
}

void tell_score(JsonOut& out, const Recommendation& r) {
  out.figure("score", r.score);
  out.list("score_parts", r.parts, [&](const answer::ScorePart& part) {
    out.object(JsonOut::kItem, [&] {
      out.text("name", part.name);
      out.figure("weight", part.weight);
      out.figure("value", part.value);
      out.figure("points", part.points);
    });
  });
}

void tell_gpu(JsonOut& out, const Recommendation& r) {
  out.text_or_null("gpu", r.gpu != nullptr ? r.gpu->id : std::string_view());
}

void tell_machine(JsonOut& out, const Recommendation& r) {
  const physics::Machine& machine = r.machine();
  tell_gpu(out, r);
  out.whole("gpus_per_node", r.gpu != nullptr ? machine.gpus_per_node : 0);
  out.figure_or_null("gpu_share",
                     r.gpu != nullptr ? std::optional(machine.device.share * r.gpu->devices()) : std::nullopt);
  out.figure_or_null("vcpu", r.instance->vcpu);
  out.whole("nodes", machine.nodes);
  out.whole("gpus", r.gpu != nullptr ? machine.gpus() : 0);
}

void tell_recommendation(JsonOut& out, const Recommendation& r, const Advice& advice, const catalog::Catalog& catalog) {
  out.whole("rank", r.rank);
  tell_score(out, r);
  out.text("provider", r.instance->provider);
  out.text("sku", r.instance->sku);
  out.text_or_null("family", r.instance->family);
  out.text("region", r.region->id);
  out.text_or_null("country", r.region->country);
  tell_machine(out, r);
  out.object("plan", [&] { tell_plan(out, r.plan()); });
  out.object("memory", [&] { tell_memory(out, r.plan(), r.machine().memory()); });
  out.object("fit", [&] { tell_fit(out, r.fit, in_gib(r.machine().memory())); });
  tell_probability(out, r.plan(), r.in_time, r.in_budget);
  out.object("performance", [&] { tell_performance(out, r, advice.work); });
  if (r.plan().serving && r.plan().serving->speed.load)
    out.object("assumed", [&] { out.text("latency", answer::is_simulated(r) ? "simulated" : "closed-form"); });
  out.object("cost", [&] { tell_cost(out, r, advice, catalog); });
  out.object("interval", [&] { tell_intervals(out, r.intervals, advice.work); });
  out.truth("pareto", r.pareto);
  if (r.switch_hourly)
    out.object("switch", [&] {
      out.figure("hourly", *r.switch_hourly);
      out.figure_or_null("speed", r.switch_speed);
      out.figure_or_null("requests_per_s", r.switch_load);
    });
  out.texts("reasons", r.reasons);
  tell_remarks(out, r.remarks);
}

void tell_rejection(JsonOut& out, const answer::Rejection& rejection) {
  out.text("sku", rejection.instance->sku);
  out.text("provider", rejection.instance->provider);
  out.text_or_null("family", rejection.instance->family);
  out.text("rule", rejection.rule);
  out.text("message", rejection.message);
  out.whole("count", rejection.count);
}

void tell_alternative(JsonOut& out, const answer::Alternative& alternative) {
  const Recommendation& best = alternative.best;
  out.object("change", [&] { out.text_or_null(alternative.key, alternative.value); });
  out.text("provider", best.instance->provider);
  out.text("sku", best.instance->sku);
  out.text("region", best.region->id);
  tell_gpu(out, best);
  out.whole("gpus", best.gpu != nullptr ? best.machine().gpus() : 0);
  out.figure("hourly", best.cost.hourly);
  out.figure("total", best.cost.total);
  out.figure_or_null("per_million_tokens", best.cost.per_million_tokens);
  out.whole("nodes", best.machine().nodes);
  if (!alternative.flag.empty()) out.text("flag", alternative.flag);
  if (alternative.ratio) out.figure("saving", 1 - *alternative.ratio);
  if (!alternative.risk.empty()) out.text("risk", alternative.risk);
  out.text("message", alternative.message);
}

void tell_evidence(JsonOut& out, const answer::Evidence& evidence, Currency currency) {
  out.figure("best_probability", evidence.best_probability);
  out.figure("regret", evidence.regret);
  out.text("currency", currency.code());
  out.list("tests", evidence.tests, [&](const answer::Evidence::Test& test) {
    out.object(JsonOut::kItem, [&] {
      out.whole("rank", test.rank);
      out.text("sku", test.instance->sku);
      out.figure("hours", test.hours);
      out.figure("cost", test.cost);
      out.figure("worth", test.worth);
    });
  });
}

void tell_step(JsonOut& out, const answer::Step& step) {
  const Recommendation& best = step.best;
  out.text("load", step.load);
  out.figure_or_null("requests_per_s", step.requests_per_s > 0 ? std::optional(step.requests_per_s) : std::nullopt);
  out.text("provider", best.instance->provider);
  out.text("sku", best.instance->sku);
  tell_gpu(out, best);
  out.whole("nodes", best.machine().nodes);
  out.figure("hourly", best.cost.hourly);
  out.figure_or_null("monthly", best.cost.sums().month);
  out.figure_or_null("per_million_tokens", best.cost.per_million_tokens);
  if (best.cost.per_unit) out.figure("per_unit", *best.cost.per_unit);
  if (!step.passed_over.empty()) out.text("passed_over", step.passed_over);
}

void tell_catalog(JsonOut& out, const Advice& advice, const catalog::Catalog& catalog) {
  out.text_or_null("as_of", advice.newest_price.text());
  out.whole("instances", std::ssize(catalog.instances()));
  out.whole("offers", std::ssize(catalog.offers()));
  out.text("source", catalog.origin_text());
}

}  // namespace

void tell_recommend(JsonOut& out, const Advice& advice, const catalog::Catalog& catalog, const RecommendTelling& told) {
  const auto each = [&out](const auto& tell) {
    return [&out, &tell](const auto& one) { out.object(JsonOut::kItem, [&] { tell(out, one); }); };
  };
  out.text("schema", answer::kAnswerSchema);
  out.tree("workload", workload_json(advice));
  if (advice.load) out.tree("traffic", traffic_json(advice.load->traffic, advice.load->demand.users));
  if (!advice.target.empty()) out.text("target", advice.target);
  out.object("assumed", [&] {
    tell_assumptions(out, advice.assumed);
    if (!told.today.empty()) out.text("today", told.today);
  });
  out.object("catalog", [&] { tell_catalog(out, advice, catalog); });
  const auto recommendations = std::span(advice.recommendations);
  const std::size_t count = told.limit > 0 ? std::min(told.limit, recommendations.size()) : recommendations.size();
  out.list("recommendations", recommendations.first(count), each([&](JsonOut&, const Recommendation& r) {
             tell_recommendation(out, r, advice, catalog);
             if (told.beside) told.beside(out, static_cast<std::size_t>(&r - advice.recommendations.data()));
           }));
  out.list("rejected", advice.rejected, each(tell_rejection));
  out.list("alternatives", advice.alternatives, each(tell_alternative));
  if (advice.evidence) out.object("evidence", [&] { tell_evidence(out, *advice.evidence, advice.currency); });
  if (!advice.staircase.empty()) out.list("staircase", advice.staircase, each(tell_step));
  if (!advice.notes.empty()) out.texts("notes", advice.notes);
  if (!advice.decision.empty()) out.texts("decision", advice.decision);
}

Json recommend_json(const Advice& advice, const catalog::Catalog& catalog, std::size_t limit) {
  return tree_of([&](JsonOut& out) { tell_recommend(out, advice, catalog, {.limit = limit}); });
}

Table recommend_table(const Advice& advice, const catalog::Catalog& catalog, std::size_t limit) {
  static constexpr RecordColumn kColumns[] = {
      {"rank", "/rank"},
      {"score", "/score"},
      {"provider", "/provider"},
      {"sku", "/sku"},
      {"region", "/region"},
      {"country", "/country"},
      {"gpu", "/gpu"},
      {"gpus", "/gpus"},
      {"gpu_share", "/gpu_share"},
      {"nodes", "/nodes"},
      {"plan", "/plan_text"},
      {"memory_needed_gib", "/memory/needed"},
      {"fit_probability", "/probability/fits"},
      {"memory_usable_gib", "/memory/usable"},
      {"tokens_per_s", "/performance/tokens_per_s"},
      {"output_tokens_per_s", "/performance/output_tokens_per_s"},
      {"requests_per_s", "/performance/requests_per_s"},
      {"throughput", "/performance/throughput/value"},
      {"throughput_unit", "/performance/throughput/unit"},
      {"latency_ms", "/performance/latency_ms"},
      {"ttft_ms", "/performance/ttft_ms"},
      {"itl_ms", "/performance/itl_ms"},
      {"bound_by", "/performance/bound_by"},
      {"currency", "/cost/currency"},
      {"hourly", "/cost/hourly"},
      {"hours", "/cost/hours"},
      {"total", "/cost/total"},
      {"per_million_tokens", "/cost/per_million_tokens"},
      {"per_unit", "/cost/per_unit"},
      {"unit", "/cost/unit"},
      {"term", "/cost/billing"},
      {"price_as_of", "/cost/price_as_of"},
      {"price_source", "/cost/price_source"},
      {"price_confidence", "/cost/price_confidence"},
      {"pareto", "/pareto"},
      {"warnings", "/warned_of"},
      {"fit", "/fit/verdict"},
      {"ttft_ms_p95", "/performance/ttft_ms_p95"},
      {"tpot_ms_p95", "/performance/tpot_ms_p95"},
      {"itl_ms_p95", "/performance/itl_ms_p95"},
      {"e2e_latency_ms_p95", "/performance/e2e_latency_ms_p95"},
  };
  Json records = std::move(recommend_json(advice, catalog, limit)["recommendations"]);
  for (std::size_t i = 0; i < records.size(); ++i) {
    Json& record = records[i];
    record["plan_text"] = physics::plan_text(advice.work, advice.recommendations[i].plan().layout);
    Json warned = Json::array();
    for (const Json& warning : record["warnings"])
      if (warning["severity"] == to_text(rules::Effect::warn)) warned.push_back(warning["rule"]);
    record["warned_of"] = std::move(warned);
  }
  return records_table(records, kColumns);
}

}  // namespace gpusel::show
