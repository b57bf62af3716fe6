#include <algorithm>

#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/json/records.hpp"
#include "show/whatif/whatif.hpp"
#include "show/whatif/whatif_words.hpp"

namespace gpusel::show {

namespace {

using answer::Outcome;
using answer::WhatIf;

Json axis_value(const answer::AxisValue& value) { return value.number ? number(*value.number) : Json(value.text); }

Json end_json(const answer::TornadoBar::End& end) {
  if (end.value.empty()) return nullptr;
  return {{"value", end.value},
          {"cost", number(end.cost)},
          {"other_winner", end.other_winner},
          {"provider", end.best.fits() ? Json(end.best.best.instance->provider) : Json(nullptr)},
          {"sku", end.best.fits() ? Json(end.best.best.instance->sku) : Json(nullptr)}};
}

class Writer {
 public:
  Writer(const WhatIf& answer, const catalog::Catalog& catalog) : answer_(answer), catalog_(catalog) {}

  Json write() const {
    Json out{{"schema", "gpusel.whatif/1"},
             {"workload", workload_json(*answer_.base)},
             {"assumed", assumptions(answer_.base->assumed)},
             {"currency", answer_.currency.code()},
             {"measure", to_text(answer_.measure)},
             {"measure_unit", text_or_null(answer_.measure_unit)},
             {"recommendations_asked", answer_.asked},
             {"now", outcome(answer_.now)}};
    if (!answer_.axes.empty()) add_sweep(out);
    if (answer_.swing > 0) out["tornado"] = tornado();
    if (answer_.wants_pareto) out["pareto"] = pareto();
    if (!answer_.trace.empty()) out["explain"] = explain_json(answer_.trace);
    return out;
  }

  /// The answer's lists as rows of one table.
  Json rows() const {
    Json out = list_json(answer_.samples, [&](const auto& sample) {
      Json row{{"section", "sweep"}};
      for (std::size_t i = 0; i < answer_.axes.size(); ++i) row[answer_.axes[i].key] = axis_value(sample.at[i]);
      row["between"] = sample.between;
      add_flat(row, sample.best, answer_.measure);
      return row;
    });
    for (const auto& bar : answer_.bars) {
      Json row{{"section", "tornado"}, {"input", bar.key}, {"now", bar.base}};
      for (const auto& [name, end] : {std::pair("low", &bar.low), std::pair("high", &bar.high)}) {
        row[name] = text_or_null(end->value);
        row[format("cost_{}", name)] = number(end->cost);
        row[format("other_winner_{}", name)] = end->other_winner;
      }
      out.push_back(std::move(row));
    }
    for (const auto& one : answer_.candidates) {
      Json row{
          {"section", "pareto"}, {"frontier", one.frontier}, {std::string(to_text(answer_.against)), number(one.x)}};
      add_flat(row, one.outcome, answer_.pareto_measure);
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  Json outcome(const Outcome& one) const {
    if (!one.fits()) return nullptr;
    const auto& r = one.best;
    const money::Quote& cost = r.cost;
    const catalog::Origin& origin = catalog_.origin_of(one.offer);
    Json money{{"currency", answer_.currency.code()},
               {"billing", to_text(one.offer.term)},
               {"hourly", number(cost.hourly)},
               {"hours", number(cost.hours)},
               {"hours_paid", number(cost.paid.job.value_or(cost.paid.month))},
               {"total", number(cost.total)},
               {"total_of", one.of->work.ends() ? "job" : "month"},
               {"per_million_tokens", number(cost.per_million_tokens)},
               {"per_unit", number(cost.per_unit)},
               {"unit", text_or_null(one.of->work.priced_unit())},
               {"duty_factor", number(one.duty_factor)},
               {"price_as_of", text_or_null(Date::from_packed(one.offer.as_of).text())},
               {"price_source", text_or_null(origin.source)},
               {"price_confidence", to_text(origin.confidence)},
               {"offer", {{"currency", cost.published.currency.code()}, {"hourly", number(cost.published.amount)}}}};
    if (cost.exchange)
      money["fx"] = {{"rate", number(cost.exchange->rate)}, {"as_of", text_or_null(cost.exchange->as_of.text())}};
    return {{"provider", r.instance->provider}, {"sku", r.instance->sku},
            {"region", r.region->id},           {"gpu", r.gpu != nullptr ? Json(r.gpu->id) : Json(nullptr)},
            {"nodes", r.machine().nodes},       {"gpus", r.gpu != nullptr ? r.machine().gpus() : 0},
            {"plan", plan_json(r.plan())},      {"probability", probability_json(r.plan(), r.in_time, r.in_budget)},
            {"rate", number(r.plan().rate)},    {"measured_cost", number(one.cost)},
            {"cost", std::move(money)}};
  }

  void add_flat(Json& row, const Outcome& one, answer::Measure measure) const {
    const Json whole = outcome(one);
    for (const char* key : {"provider", "sku", "region", "gpu", "gpus", "nodes", "rate"})
      row[key] = whole.is_null() ? Json(nullptr) : whole[key];
    row["plan"] = one.fits() ? text_or_null(plan_text(one.of->work, one.best)) : Json(nullptr);
    row["measure"] = to_text(measure);
    row["cost"] = whole.is_null() ? Json(nullptr) : whole["measured_cost"];
    for (const char* key : {"currency", "billing", "hourly", "hours", "total", "per_million_tokens", "price_as_of"})
      row[key] = whole.is_null() ? Json(nullptr) : whole["cost"][key];
    row["problem"] = one.fits() ? Json(nullptr) : Json(reason_of(one, nullptr));
  }

  void add_sweep(Json& out) const {
    Json axes = Json::array();
    for (const auto& axis : answer_.axes) {
      Json values = list_json(axis.values, [&](const auto& value) { return axis_value(value); });
      axes.push_back({{"key", axis.key},
                      {"about", text_or_null(axis.about)},
                      {"unit", text_or_null(axis.unit)},
                      {"relative", axis.relative},
                      {"steps", axis.doublings     ? "doublings"
                                : !axis.continuous ? "listed"
                                : axis.log         ? "geometric"
                                                   : "linear"},
                      {"values", std::move(values)}});
    }
    out["axes"] = std::move(axes);
    out["points"] = list_json(answer_.samples, [&](const auto& sample) -> Json {
      Json at = Json::object();
      for (std::size_t i = 0; i < answer_.axes.size(); ++i) at[answer_.axes[i].key] = axis_value(sample.at[i]);
      return {{"at", std::move(at)},
              {"between", sample.between},
              {"best", outcome(sample.best)},
              {"problem", sample.best.fits() ? Json(nullptr) : Json(reason_of(sample.best, nullptr))}};
    });
    if (answer_.axes.size() == 1) {
      out["segments"] = segments();
      out["widest_step"] = number(answer_.unseen);
    }
    out["winners"] = list_json(answer_.winners, [&](const auto& winner) -> Json {
      const Outcome& one = answer_.samples[winner.sample].best;
      return {{"provider", one.fits() ? Json(one.best.instance->provider) : Json(nullptr)},
              {"sku", one.fits() ? Json(one.best.instance->sku) : Json(nullptr)},
              {"billing", one.fits() ? Json(to_text(one.offer.term)) : Json(nullptr)},
              {"share", number(winner.share)}};
    });
  }

  Json segments() const {
    Json out = Json::array();
    for (const auto& segment : answer_.segments) {
      const auto& first = answer_.samples[segment.first];
      const auto& last = answer_.samples[segment.last];
      out.push_back({{"from", axis_value(first.at[0])},
                     {"to", axis_value(last.at[0])},
                     {"share", number(segment.share)},
                     {"first", outcome(first.best)},
                     {"last", outcome(last.best)}});
    }
    return out;
  }

  Json tornado() const {
    Json bars = list_json(answer_.bars, [&](const auto& bar) -> Json {
      return {{"input", bar.key},           {"now", bar.base},
              {"assumed", bar.assumed},     {"low", end_json(bar.low)},
              {"high", end_json(bar.high)}, {"width", number(bar.width(answer_.now.cost))}};
    });
    return {{"swing", number(answer_.swing)},
            {"cost_now", answer_.now.fits() ? number(answer_.now.cost) : Json(nullptr)},
            {"bars", std::move(bars)},
            {"without_effect", answer_.unmoved}};
  }

  Json pareto() const {
    Json points = list_json(answer_.candidates, [&](const auto& one) -> Json {
      return {{std::string(to_text(answer_.against)), number(one.x)},
              {"cost", number(one.cost)},
              {"frontier", one.frontier},
              {"answer", outcome(one.outcome)}};
    });
    return {{"against", to_text(answer_.against)},
            {"unit", answer_.against == answer::Against::throughput ? Json(answer_.rate_unit) : Json(nullptr)},
            {"measure", to_text(answer_.pareto_measure)},
            {"points", std::move(points)}};
  }

  const WhatIf& answer_;
  const catalog::Catalog& catalog_;
};

}  // namespace

Json whatif_json(const WhatIf& answer, const catalog::Catalog& catalog) { return Writer(answer, catalog).write(); }

Table whatif_table(const WhatIf& answer, const catalog::Catalog& catalog) {
  return records_table(Writer(answer, catalog).rows());
}

}  // namespace gpusel::show
