#include "show/truth/poc.hpp"

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"

namespace gpusel::show {

namespace {

using answer::Poc;
using answer::PocFigure;
using answer::PocScale;

std::string expected_range(const std::optional<physics::Interval>& range) {
  return range ? say("{} to {}", human_number(range->low), human_number(range->high)) : say("not known");
}

std::string offer_date(const catalog::Offer& offer) {
  const Date date = Date::from_packed(offer.as_of);
  return date.known() ? date.text() : say("undated");
}

void add_rent(Document& page, const Poc& poc, const answer::Advice& advice, const catalog::Catalog& catalog) {
  const auto& rent = poc.rent;
  const auto& instance = *poc.chosen->instance;
  const std::string_view code = advice.currency.code();
  const catalog::Origin& origin = catalog.origin_of(*rent.offer);
  std::string price = say("{} {} per hour", human_price(rent.hourly), code);
  if (rent.exchange)
    price += say(" ({} {} as published, × {:.4g}, rate of {})", human_price(rent.published.amount),
                 rent.published.currency.code(), rent.exchange->rate, rent.exchange->as_of.text());
  page.line(say("rent: {} × {} {} in {}, {}, {}; {}, {}", rent.nodes, printable(instance.provider),
                printable(instance.sku), printable(rent.region->id), said(rent.offer->term), price,
                offer_date(*rent.offer), origin.source.empty() ? say("no source") : printable(origin.source)),
            6);
  page.line(say("cost: {} {} = {} × {:.3g} h billed: {:g} h to set it up, {:.2g} h of runs", human_price(rent.cost),
                code, human_price(rent.hourly), rent.billed_hours, rent.setup_hours, rent.run_hours),
            6);
}

/// Commands are not broken into lines: they are to be copied.
void add_steps(Document& page, const Poc& poc) {
  int number = 0;
  for (const answer::PocStep& step : poc.steps) {
    page.gap().line(say("{}. {} ({})", ++number, step.what, step.tool), 3);
    for (const std::string& command : step.commands) page.add(Code{command, 5});
    if (!step.read.empty()) page.line(say("   read: {}", step.read), 9);
  }
}

Table figure_table(const Poc& poc) {
  Table table({left(say("expect"), 0, 20), right(say("cards")), right(say("estimate")), left(say("unit")),
               left(say("80 % of runs"))});
  for (const PocFigure& figure : poc.figures)
    table.add({figure.name, format("{}", figure.gpus),
               figure.expected ? human_number(*figure.expected) : say("not known"), figure.unit,
               figure.assumed ? say("assumed") : expected_range(figure.interval)});
  return table;
}

Table scale_table(const Poc& poc) {
  Table table({right(say("cards")), right(say("rate of one card")), left(say("80 % of runs")),
               right(say("scaling efficiency"))});
  for (const PocScale& scale : poc.scales)
    table.add({format("{}", scale.gpus),
               scale.per_gpu ? human_number(*scale.per_gpu)
               : scale.fits  ? say("not known")
                             : say("does not fit"),
               scale.per_gpu ? expected_range(scale.interval) : std::string("-"),
               scale.efficiency ? format("{:.2f}", *scale.efficiency) : std::string("-")});
  return table;
}

void add_outside(Document& page, const Poc& poc) {
  page.line(say("if a figure is outside:"));
  for (const PocFigure& figure : poc.figures) page.line("  " + say("{}: {}", figure.name, figure.outside), 4);
  if (poc.job_cost_high > 0)
    page.line(say("  money: at the ends of the interval {} to {} {}", human_price(poc.job_cost_low),
                  human_price(poc.job_cost_high), poc.job_cost_unit),
              4);
  if (poc.turn)
    page.line(say("  below {} in total, rank {} ({}) is cheaper if its own estimate is right",
                  poc.work.counted ? rate_words(poc.turn->rate, poc.work.counted->unit)
                                   : say("{} tokens/s", human_number(poc.turn->rate)),
                  poc.turn->rank, printable(poc.turn->name)),
              4);
}

Json rent_json(const Poc& poc, const answer::Advice& advice, const catalog::Catalog& catalog) {
  const auto& rent = poc.rent;
  const catalog::Origin& origin = catalog.origin_of(*rent.offer);
  Json out{{"provider", poc.chosen->instance->provider},
           {"sku", poc.chosen->instance->sku},
           {"region", rent.region->id},
           {"nodes", rent.nodes},
           {"term", to_text(rent.offer->term)},
           {"currency", advice.currency.code()},
           {"hourly", number(rent.hourly)},
           {"setup_hours", number(rent.setup_hours)},
           {"run_hours", number(rent.run_hours)},
           {"billed_hours", number(rent.billed_hours)},
           {"cost", number(rent.cost)},
           {"price_as_of", text_or_null(Date::from_packed(rent.offer->as_of).text())},
           {"price_source", text_or_null(origin.source)},
           {"price_confidence", to_text(origin.confidence)},
           {"offer", {{"currency", rent.published.currency.code()}, {"hourly", number(rent.published.amount)}}}};
  if (rent.exchange)
    out["fx"] = {{"rate", number(rent.exchange->rate)}, {"as_of", text_or_null(rent.exchange->as_of.text())}};
  return out;
}

Json figure_json(const PocFigure& figure) {
  return {{"key", text_or_null(figure.key)},
          {"name", figure.name},
          {"unit", figure.unit},
          {"gpus", figure.gpus},
          {"expected", number(figure.expected)},
          {"interval", figure.interval ? interval_json(*figure.interval) : Json(nullptr)},
          {"assumed", figure.assumed},
          {"outside", figure.outside}};
}

}  // namespace

Document poc_page(const PocView& view, bool explain) {
  const Poc& poc = view.poc;
  const auto& instance = *poc.chosen->instance;
  Document page;
  page.heading(say("Proof of concept for rank {}: {} {}", poc.chosen->rank, printable(instance.provider),
                   printable(instance.sku)));
  page.gap();
  add_rent(page, poc, view.advice, view.catalog);
  for (const std::string& note : poc.notes) page.line(say("Note: {}", note), 6);
  add_steps(page, poc);
  page.gap().add(figure_table(poc)).gap();
  if (poc.scales.size() > 1) page.add(scale_table(poc)).gap();
  add_outside(page, poc);
  page.gap();
  const Json row = poc_row(view);
  if (row.is_null())
    page.line(no_row_reason(view));
  else
    page.line(say("replace each null by your measurement, as a line of runs.jsonl:"))
        .add(Code{dump(row, -1), 2})
        .line(say("then: gpusel calibrate runs.jsonl"));
  return explain ? page.derivation(derivation_of(poc.trace)) : page;
}

Json poc_json(const PocView& view) {
  const Poc& poc = view.poc;
  Json out{{"rank", poc.chosen->rank}, {"rent", rent_json(poc, view.advice, view.catalog)}};
  out["steps"] = list_json(poc.steps, [](const answer::PocStep& step) -> Json {
    return {{"what", step.what},
            {"tool", step.tool},
            {"url", text_or_null(step.url)},
            {"commands", step.commands},
            {"read", text_or_null(step.read)}};
  });
  out["figures"] = list_json(poc.figures, figure_json);
  out["scaling"] = list_json(poc.scales, [](const PocScale& scale) -> Json {
    return {{"gpus", scale.gpus},
            {"fits", scale.fits},
            {"per_gpu", number(scale.per_gpu)},
            {"interval", scale.interval ? interval_json(*scale.interval) : Json(nullptr)},
            {"efficiency", number(scale.efficiency)}};
  });
  out["cost_interval"] =
      poc.job_cost_high > 0
          ? Json{{"low", number(poc.job_cost_low)}, {"high", number(poc.job_cost_high)}, {"unit", poc.job_cost_unit}}
          : Json(nullptr);
  out["turn"] = poc.turn ? Json{{"rank", poc.turn->rank}, {"name", poc.turn->name}, {"rate", number(poc.turn->rate)}}
                         : Json(nullptr);
  out["notes"] = poc.notes;
  out["row"] = poc_row(view);
  out["no_row"] = out["row"].is_null() ? Json(no_row_reason(view)) : Json(nullptr);
  out["explain"] = explain_json(poc.trace);
  return out;
}

}  // namespace gpusel::show
