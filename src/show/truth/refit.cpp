#include "show/truth/refit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/json/records.hpp"

namespace gpusel::show {

namespace {

using answer::Accuracy;
using answer::ChanceAccuracy;
using answer::ChanceBin;
using answer::Group;
using answer::GroupBy;
using answer::LeaveOut;
using answer::Refit;
using answer::ValueWithout;
using answer::Verification;

/// From this change on, of a value, people see it.
constexpr double kShownShift = 0.02;

Json chance_json(const ChanceAccuracy& chances) {
  return list_json(chances.bins, [](const ChanceBin& bin) -> Json {
    return {{"from", number(bin.from)}, {"to", number(bin.to)}, {"jobs", bin.jobs}, {"ran", bin.ran}};
  });
}

Json fit_json(const Verification& verification, bool training) {
  const auto fit = answer::fit_accuracy(verification, training);
  const auto chances = answer::chance_accuracy(verification, training);
  return {{"ran", fit.ran},
          {"ran_and_said_to_fit", fit.ran_and_said},
          {"out_of_memory", fit.died},
          {"out_of_memory_and_said_to_fit", fit.died_though_said},
          {"balanced_accuracy", number(catalog::Number(fit.balanced()))},
          {"brier_score", number(catalog::Number(chances.brier))},
          {"chances", chance_json(chances)}};
}

std::string ran_of(const ChanceBin& bin) { return bin.jobs == 0 ? "-" : format("{}/{}", bin.ran, bin.jobs); }

std::string brier_of(const ChanceAccuracy& chances) { return chances.brier ? format("{:.3f}", *chances.brier) : "-"; }

void add_chances(Table& table, std::string what, const ChanceAccuracy& chances) {
  if (!chances.brier) return;
  std::vector<Cell> cells{std::move(what)};
  for (const ChanceBin& bin : chances.bins) cells.push_back(ran_of(bin));
  cells.push_back(brier_of(chances));
  table.add(std::move(cells));
}

Json values_json(std::span<const ValueWithout> values) {
  return list_json(values, [](const ValueWithout& each) -> Json {
    return {{"id", each.id},
            {"case", text_or_null(each.name)},
            {"shipped", number(each.shipped)},
            {"value", number(each.value)}};
  });
}

/// Coefficients that rest on no rows, each with what it rests on.
Json elsewhere_json(std::span<const answer::RestsOn> elsewhere) {
  return list_json(elsewhere, [](const auto& each) -> Json { return {{"id", each.id}, {"source", each.source}}; });
}

std::map<std::string_view, std::vector<const answer::Comparison*>> by_source(const Verification& verification) {
  std::map<std::string_view, std::vector<const answer::Comparison*>> out;
  for (const auto& each : verification.comparisons) out[answer::source_of(*each.row, each.file)].push_back(&each);
  return out;
}

std::string name_of(std::string_view id, std::string_view name) {
  return name.empty() ? std::string(id) : format("{} [{}]", id, name);
}

}  // namespace

std::string percent_off(double share) { return format("{:.0f} %", share * 100); }

std::string signed_percent(double share) {
  const double rounded = std::round(share * 100);
  return format("{:+.0f} %", rounded == 0 ? 0.0 : rounded);  // never "-0"
}

Json accuracy_json(const Group& group) {
  const Accuracy& a = group.accuracy;
  Json out{{"figure", to_text(group.figure)}};
  out["rows"] = a.rows;
  out["sources"] = a.sources;
  out["median_error"] = number(a.error);
  out["bias"] = number(a.bias);
  out["within_20_percent"] = number(a.within_20);
  out["interval_coverage"] = number(catalog::Number(a.coverage));
  out["interval_width"] = number(catalog::Number(a.width));
  return out;
}

Json fit_json(const Verification& verification) {
  return {{"training", fit_json(verification, true)}, {"inference", fit_json(verification, false)}};
}

Table chance_table(const Verification& verification, const LeaveOut* left_out) {
  Table table({left(say("ran, of those given a chance of")), right("0–20 %"), right("20–40 %"), right("40–60 %"),
               right("60–80 %"), right("80–100 %"), right(say("Brier score"))});
  for (const bool training : {true, false}) {
    add_chances(table, training ? say("training") : say("inference"), answer::chance_accuracy(verification, training));
    if (left_out != nullptr)
      add_chances(table, training ? say("training, source left out") : say("inference, source left out"),
                  answer::chance_accuracy(left_out->verification, training));
  }
  return table;
}

Table left_out_table(const LeaveOut& left_out, const Verification& verification) {
  Table table({left(say("with its source left out"), 0, 20), right(say("rows"), 2), right(say("sources"), 3),
               right(say("error")), right(say("of all")), right(say("bias"), 3), right(say("within 20 %")),
               right(say("in interval")), right(say("width"), 1), right(say("in shipped"), 2)});
  const auto all = answer::figures(verification);
  for (const Group& group : answer::figures(left_out.verification)) {
    const auto spread = std::ranges::find(left_out.spreads, group.figure, &answer::LeftOutSpread::figure);
    const auto with = std::ranges::find(all, group.figure, &Group::figure);
    const Accuracy& a = group.accuracy;
    table.add({said(group.figure), format("{}", a.rows), format("{}", a.sources), percent_off(a.error),
               with != all.end() ? percent_off(with->accuracy.error) : "-", signed_percent(a.bias),
               percent_off(a.within_20), a.coverage ? percent_off(*a.coverage) : "-",
               a.width ? format("{:.2f}", *a.width) : "-", a.coverage ? percent_off(spread->shipped_inside) : "-"});
  }
  return table;
}

Table left_out_sources_table(const LeaveOut& left_out) {
  Table table({left(say("source"), 0, 20), right(say("figures"), 2), right(say("error")), right(say("within 20 %")),
               right(say("in interval")), right(say("fitted again"), 1), right(say("removed"), 1)});
  for (const auto& [name, comparisons] : by_source(left_out.verification)) {
    const auto& each = *std::ranges::find(left_out.sources, name, &answer::LeftOutSource::source);
    const Accuracy a = answer::accuracy_of(comparisons);
    table.add({printable(each.source), format("{}", a.rows), percent_off(a.error), percent_off(a.within_20),
               a.coverage ? percent_off(*a.coverage) : "-", format("{}", each.fitted.size()),
               format("{}", each.removed.size())});
  }
  return table;
}

Json left_out_json(const LeaveOut& left_out) {
  Json out{{"figures", Json::array()}, {"fit", fit_json(left_out.verification)}, {"sources", Json::array()}};
  for (const Group& group : answer::figures(left_out.verification)) {
    const auto spread = std::ranges::find(left_out.spreads, group.figure, &answer::LeftOutSpread::figure);
    Json figure = accuracy_json(group);
    figure["deviation_between_sources"] = number(spread->between);
    figure["deviation_within_source"] = number(spread->within);
    figure["shipped_coverage"] = number(spread->shipped_inside);
    figure["width_factor"] = number(spread->factor);
    out["figures"].push_back(std::move(figure));
  }
  const auto groups = answer::groups(left_out.verification, GroupBy::source);
  for (const auto& each : left_out.sources) {
    Json figures = Json::array();
    for (const Group& group : groups)
      if (group.name == each.source) figures.push_back(accuracy_json(group));
    out["sources"].push_back({{"source", each.source},
                              {"figures", std::move(figures)},
                              {"fitted_again", values_json(each.fitted)},
                              {"removed", values_json(each.removed)},
                              {"held", values_json(each.held)}});
  }
  out["not_fitted"] = elsewhere_json(left_out.elsewhere);
  return out;
}

Table refit_table(const Refit& refit, bool all) {
  Table table({left(say("coefficient"), 0, 24), right(say("shipped")), right(say("found")), right(say("sources"), 2),
               right(say("figures"), 1), right(say("gain"))});
  for (const auto& each : refit.values)
    if (all || std::abs(std::log(each.found / each.shipped)) >= kShownShift)
      table.add({name_of(each.id, each.name), human_number(each.shipped), human_number(each.found),
                 format("{}", each.sources), format("{}", each.figures), format("{:.2f} %", each.gain * 100)});
  return table;
}

Json refit_json(const Refit& refit) {
  Json out{{"values", Json::array()}, {"without_rows", Json::array()}};
  for (const auto& each : refit.values)
    out["values"].push_back({{"id", each.id},
                             {"case", text_or_null(each.name)},
                             {"shipped", number(each.shipped)},
                             {"found", number(each.found)},
                             {"sources", each.sources},
                             {"figures", each.figures},
                             {"better", number(each.better)},
                             {"gain", number(each.gain)},
                             {"low", number(each.low)},
                             {"high", number(each.high)},
                             {"agreed", each.agreed()}});
  for (const auto& each : refit.unheard)
    out["without_rows"].push_back(
        {{"id", each.id}, {"case", text_or_null(each.name)}, {"shipped", number(each.shipped)}});
  out["not_fitted"] = elsewhere_json(refit.elsewhere);
  return out;
}

}  // namespace gpusel::show
