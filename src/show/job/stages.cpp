#include "show/job/stages.hpp"

#include <algorithm>
#include <map>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/recommend.hpp"
#include "show/lists/words.hpp"

namespace gpusel::show {

namespace {

using answer::Recommendation;
using answer::StageChoice;
using answer::StagesAnswer;
using answer::StagesChoice;
using answer::StagesPlan;

Cell money(const std::optional<double>& amount) { return figure_cell(amount ? human_price(*amount) : "-", amount); }

Table table_of(const StagesChoice& choice, const StagesPlan& plan, Currency currency) {
  Table table({left(say("stage")), left(say("instance"), 0, 18), left(say("region"), 2, 9), left(say("GPUs"), 1),
               left(say("term"), 3), right(say("{}/h", currency.code())), right(say("hours")),
               right(say("{} once", currency.code())), right(say("{}/month", currency.code())),
               left(say("price date"), 1)});
  for (std::size_t i = 0; i < choice.stages.size(); ++i) {
    const StageChoice& stage = choice.stages[i];
    const std::string name = printable(plan.stages[i].name);
    if (stage.best == nullptr) {
      table.add({name, say("nothing meets it"), "", "", "", "", "", money({}), money({}), ""});
      continue;
    }
    const Recommendation& one = *stage.best;
    table.add({name, printable(instance_name(one)), printable(one.region->id), gpus_text(one),
               term_cell(one.offer->term), figure_cell(human_price(stage.cost.hourly), stage.cost.hourly),
               figure_cell(human_number(stage.cost.hours_paid), stage.cost.hours_paid), money(stage.cost.once),
               money(stage.cost.per_month), price_date(one)});
  }
  return table;
}

std::string sum_text(const StagesChoice& choice, double months, Currency currency) {
  const answer::StagesSum& sum = choice.sum;
  std::string line = say("sum: {} once + {} per month", human_price(sum.once), human_price(sum.per_month));
  line += say("; over {:g} months {} {}", months, human_price(sum.whole(months)), currency.code());
  if (sum.known_moves > 0) line += say(", {} of it for moving data", human_price(sum.known_moves));
  if (const double stored = sum.storage(months); stored > 0) line += say(", {} of it for storage", human_price(stored));
  if (sum.without_storage > 0)
    line += say("; excludes storage of {} stages, whose price is not known", sum.without_storage);
  if (sum.lacking > 0) line += say("; excludes {} stages that nothing qualifies for", sum.lacking);
  const auto is_unknown = [](const answer::Move& move) { return !move.gb; };
  if (std::ranges::any_of(choice.moves, is_unknown))
    line += say("; excludes data transfer of unknown size");
  else if (!sum.moves)
    line += say("; excludes data transfer whose price is not known");
  return line;
}

/// Of every price that is shown, and of the rates that turned them into one currency.
std::string dates_text(const StagesAnswer& answer) {
  Date oldest;
  Date newest;
  bool undated = false;
  std::map<std::string, std::string> rates;
  const auto look = [&](const StagesChoice& choice) {
    for (const StageChoice& stage : choice.stages) {
      if (stage.best == nullptr) continue;
      const Date date = Date::from_packed(stage.best->offer->as_of);
      undated = undated || !date.known();
      if (date.known() && (!oldest.known() || date < oldest)) oldest = date;
      if (date.known() && (!newest.known() || newest < date)) newest = date;
      if (const auto& exchange = stage.best->cost.exchange)
        rates[std::string(stage.best->cost.published.currency.code())] =
            say("{:.5g} of {}", exchange->rate, exchange->as_of.text());
    }
  };
  look(answer.best);
  if (answer.one_provider) look(*answer.one_provider);
  std::string line = oldest.known()
                         ? say("prices: in {}, dated {} to {}", answer.currency.code(), oldest.text(), newest.text())
                         : say("prices: in {}", answer.currency.code());
  if (undated) line += say(", some undated");
  for (const auto& [currency, rate] : rates) line += say(", {} × {}", currency, rate);
  return line;
}

std::string move_text(const answer::Move& move, const StagesChoice& choice, const StagesPlan& plan, Currency currency) {
  const Recommendation& from = *choice.stages[move.from].best;
  const Recommendation& to = *choice.stages[move.from + 1].best;
  const bool inside = from.instance->provider == to.instance->provider;
  const std::string lead =
      say("from {} to {}, {} to {}: ", printable(plan.stages[move.from].name),
          printable(plan.stages[move.from + 1].name), printable(inside ? from.region->id : from.instance->provider),
          printable(inside ? to.region->id : to.instance->provider));
  if (!move.gb) return lead + say("amount unknown; set output_gb");
  if (move.at_most)
    return lead + say("{:.4g} GB between regions of {}, at a price that is not known; to the internet: {} {}", *move.gb,
                      printable(from.instance->provider), human_price(*move.at_most), currency.code());
  if (!move.cost) return lead + say("{:.4g} GB, the price of traffic is not known", *move.gb);
  return lead + say("{:.4g} GB for {} {}", *move.gb, human_price(*move.cost), currency.code());
}

bool is_one_provider(const StagesChoice& choice) {
  for (const StageChoice& stage : choice.stages)
    if (stage.best == nullptr || stage.best->instance->provider != choice.stages.front().best->instance->provider)
      return false;
  return true;
}

/// With moves between regions at no more than they cost to the internet.
double most_whole(const StagesChoice& choice, double months) {
  double whole = choice.sum.whole(months);
  for (const answer::Move& move : choice.moves) whole += move.at_most.value_or(0);
  return whole;
}

/// What choosing together brings, where the best of each alone are others.
std::string apart_text(const StagesAnswer& answer) {
  const double more = most_whole(*answer.apart, answer.months) - most_whole(answer.best, answer.months);
  std::string line;
  for (const StageChoice& stage : answer.apart->stages)
    line +=
        (line.empty() ? "" : ", ") + (stage.best != nullptr ? printable(instance_name(*stage.best)) : std::string("-"));
  // Old prices and rules count in the choice, and not in the sum.
  if (more <= 0) return say("chosen together; the best of each alone: {}", line);
  return say("chosen together; the best of each alone ({}) cost {} {} more including transfer and storage", line,
             human_price(more), answer.currency.code());
}

void add_one_provider(Document& page, const StagesAnswer& answer, const StagesPlan& plan) {
  if (is_one_provider(answer.best)) {
    page.line(say("everything is at one provider"));
    return;
  }
  if (!answer.one_provider) {
    page.line(say("no provider has an instance for every stage"));
    return;
  }
  const StagesChoice& one = *answer.one_provider;
  const double more = one.sum.whole(answer.months) - answer.best.sum.whole(answer.months);
  page.heading(say("all with {}", printable(one.stages.front().best->instance->provider)));
  page.add(table_of(one, plan, answer.currency)).line(sum_text(one, answer.months, answer.currency));
  page.line(say("staying with one costs {} {} more", human_price(std::max(0.0, more)), answer.currency.code()));
}

Json choice_json(const StagesChoice& choice, const StagesAnswer& answer, const StagesPlan& plan) {
  Json stages = Json::array();
  for (std::size_t i = 0; i < choice.stages.size(); ++i) {
    const StageChoice& stage = choice.stages[i];
    Json record{{"name", plan.stages[i].name}};
    if (const Recommendation* one = stage.best; one != nullptr) {
      record["provider"] = one->instance->provider;
      record["sku"] = one->instance->sku;
      record["region"] = one->region->id;
      record["nodes"] = one->machine().nodes;
      record["gpu"] = one->gpu != nullptr ? Json(one->gpu->id) : Json(nullptr);
      record["gpus"] = one->gpu != nullptr ? one->machine().gpus() : 0;
      record["plan"] = plan_json(one->plan());
      record["probability"] = probability_json(one->plan(), one->in_time, one->in_budget);
      record["billing"] = to_text(one->offer->term);
      record["price_as_of"] = text_or_null(Date::from_packed(one->offer->as_of).text());
      record["offer"] = {{"currency", one->cost.published.currency.code()},
                         {"hourly", number(one->cost.published.amount)}};
      record["fx"] = one->cost.exchange ? Json{{"rate", number(one->cost.exchange->rate)},
                                               {"as_of", text_or_null(one->cost.exchange->as_of.text())}}
                                        : Json(nullptr);
    } else {
      record["sku"] = nullptr;
    }
    record["hourly"] = stage.best != nullptr ? number(stage.cost.hourly) : Json(nullptr);
    record["hours_paid"] = stage.best != nullptr ? number(stage.cost.hours_paid) : Json(nullptr);
    record["once"] = number(stage.cost.once);
    record["per_month"] = number(stage.cost.per_month);
    record["storage"] = stage.best != nullptr ? number(stage.cost.storage) : Json(nullptr);
    record["cold_start_s"] = stage.cost.cold ? number(stage.cost.cold->total().raw()) : Json(nullptr);
    stages.push_back(std::move(record));
  }
  Json moves = list_json(choice.moves, [&](const answer::Move& move) -> Json {
    return {{"from", plan.stages[move.from].name},
            {"to", plan.stages[move.from + 1].name},
            {"gb", number(move.gb)},
            {"cost", number(move.cost)},
            {"at_most", number(move.at_most)}};
  });
  return {{"stages", std::move(stages)},
          {"moves", std::move(moves)},
          {"sum",
           {{"once", number(choice.sum.once)},
            {"per_month", number(choice.sum.per_month)},
            {"moves", number(choice.sum.moves)},
            {"known_moves", number(choice.sum.known_moves)},
            {"known_storage", number(choice.sum.storage(answer.months))},
            {"stages_without_storage", choice.sum.without_storage},
            {"whole", number(choice.sum.whole(answer.months))},
            {"stages_lacking", choice.sum.lacking}}}};
}

}  // namespace

Document stages_page(const StagesAnswer& answer, const StagesPlan& plan) {
  Document page;
  page.page_title(say("Several jobs, one after the other"));
  for (std::size_t i = 0; i < plan.stages.size(); ++i)
    page.line(say("{}: {}; assumed: {}", printable(plan.stages[i].name), job_line(answer.advice[i]->work),
                  assumed_line(answer.advice[i]->assumed)));
  page.line(dates_text(answer)).gap().add(table_of(answer.best, plan, answer.currency)).line(stages_sum(answer));
  for (const answer::Move& move : answer.best.moves)
    page.line("  " + move_text(move, answer.best, plan, answer.currency), 4);
  if (answer.apart) page.line(apart_text(answer));
  for (std::size_t i = 0; i < answer.best.stages.size(); ++i)
    if (const Recommendation* one = answer.best.stages[i].best; one != nullptr)
      for (const auto& remark : one->remarks)
        if (remark.severity == rules::Effect::warn)
          page.line(say("warn: {}: {} [{}]", printable(plan.stages[i].name), printable(remark.message), remark.rule));
  add_one_provider(page, answer, plan);
  return page.derivation(derivation_of(answer.trace));
}

std::string stages_sum(const StagesAnswer& answer) { return sum_text(answer.best, answer.months, answer.currency); }

Json stages_json(const StagesAnswer& answer, const StagesPlan& plan) {
  Json out{{"schema", "gpusel.stages/1"},
           {"currency", answer.currency.code()},
           {"months", number(answer.months)},
           {"assumed", Json::object()}};
  if (!plan.months) out["assumed"]["months"] = number(answer.months);
  Json jobs = Json::array();
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const Recommendation* best = answer.best.stages[i].best;
    jobs.push_back({{"name", plan.stages[i].name},
                    {"workload", workload_json(*answer.advice[i])},
                    {"assumed", assumptions(answer.advice[i]->assumed)},
                    {"warnings", best != nullptr ? remarks_json(best->remarks) : Json::array()}});
  }
  out["jobs"] = std::move(jobs);
  out["best"] = choice_json(answer.best, answer, plan);
  out["each_alone"] = answer.apart ? choice_json(*answer.apart, answer, plan) : Json(nullptr);
  out["one_provider"] = answer.one_provider ? choice_json(*answer.one_provider, answer, plan) : Json(nullptr);
  if (!answer.trace.empty()) out["explain"] = explain_json(answer.trace);
  return out;
}

}  // namespace gpusel::show
