#include "show/truth/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "answer/truth/accuracy.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::show {

namespace {

using answer::CalibratedCoefficient;
using answer::CalibratedFigure;
using answer::Calibration;
using physics::OwnValue;
using physics::OwnWidth;

/// More figures than this are told in sums.
constexpr std::size_t kFiguresShown = 24;

std::string signed_change(double ratio) {
  const double rounded = std::round((ratio - 1) * 100);
  return format("{:+.0f} %", rounded == 0 ? 0.0 : rounded);
}

std::string factor_range(const std::optional<physics::Interval>& range) {
  return range ? say("{} to {}", human_number(range->low), human_number(range->high)) : std::string("-");
}

std::string place_of(const CalibratedFigure& figure) {
  const auto& facts = figure.before.row->facts;
  const std::string source(facts.source);
  return facts.place.empty() ? source : format("{} {}", source, facts.place);
}

std::string model_of(const CalibratedFigure& figure) {
  const auto& facts = figure.before.row->facts;
  return std::string(facts.model.empty() ? facts.task : facts.model);
}

bool inside(double value, const std::optional<physics::Interval>& range) {
  return range && value >= range->low && value <= range->high;
}

/// All figures of one kind.
struct Sum {
  std::vector<double> before, after, width_before, width_after;
  std::size_t inside_before = 0;
  std::size_t inside_after = 0;

  void add(const CalibratedFigure& figure) {
    before.push_back(std::abs(figure.ratio_before() - 1));
    after.push_back(std::abs(figure.ratio_after() - 1));
    inside_before += inside(figure.before.measured, figure.before.interval) ? 1 : 0;
    inside_after += inside(figure.before.measured, figure.interval) ? 1 : 0;
    width_before.push_back(figure.before.interval->high / figure.before.interval->low);
    if (figure.interval && figure.interval->low > 0)
      width_after.push_back(figure.interval->high / figure.interval->low);
  }
  double share(std::size_t count) const { return static_cast<double>(count) / static_cast<double>(before.size()); }
};

std::map<answer::Figure, Sum> sums_of(const Calibration& calibration) {
  std::map<answer::Figure, Sum> sums;
  for (const CalibratedFigure& figure : calibration.figures) sums[figure.before.figure].add(figure);
  return sums;
}

std::string percent_changed(double share) { return format("{:.0f} %", share * 100); }

Table sum_table(const Calibration& calibration) {
  Table table({left(say("figure"), 0, 16), right(say("rows")), right(say("error")), right(say("after")),
               right(say("in interval")), right(say("after")), right(say("width"), 1), right(say("after"), 1)});
  for (const auto& [figure, sum] : sums_of(calibration))
    table.add({said(figure), format("{}", sum.before.size()), percent_changed(answer::median(sum.before)),
               percent_changed(answer::median(sum.after)), percent_changed(sum.share(sum.inside_before)),
               percent_changed(sum.share(sum.inside_after)), format("{:.2f}", answer::median(sum.width_before)),
               format("{:.2f}", answer::median(sum.width_after))});
  return table;
}

Table coefficient_table(const Calibration& calibration) {
  Table table({left(say("coefficient"), 0, 20), left(say("case")), right(say("shipped")), right(say("own")),
               right(say("change")), right(say("rows")), right(say("known to"), 1), right(say("now to"), 1)});
  for (const CalibratedCoefficient& each : calibration.coefficients)
    table.add({each.own.value.id, each.own.value.name.empty() ? say("all others") : each.own.value.name,
               format("{:.4g}", each.own.shipped), format("{:.4g}", each.own.value.value),
               format("{:+.1f} %", 100 * (each.own.value.value / each.own.shipped - 1)), format("{}", each.own.rows),
               format("± {:.0f} %", 100 * std::expm1(each.prior)),
               format("± {:.0f} %", 100 * std::expm1(each.deviation))});
  return table;
}

Table width_table(const Calibration& calibration) {
  Table table({left(say("interval of")), left(say("work"), 0, 16), left(say("GPU")), left(say("model")),
               right(say("figures")), right(say("width"))});
  for (const OwnWidth& width : calibration.own.widths) {
    const bool any = width.of.model.empty();
    table.add({std::string(to_text(width.range)), printable(format("{} {}", width.of.task, width.of.how)), width.of.gpu,
               any ? say("any of {}", width.rows) : printable(width.of.model),
               any ? std::string() : format("{}", width.rows), format("^ {:.2f}", width.exponent)});
  }
  return table;
}

std::string times_wide(const std::optional<physics::Interval>& interval) {
  return interval && interval->low > 0 ? format("× {:.2f}", interval->high / interval->low) : std::string("-");
}

/// What binds each run, how much of the peak it reached, and how sure its estimate was and is.
Table bound_table(const Calibration& calibration) {
  Table table({left(say("run")), left(say("figure"), 1), right(say("MFU")), left(say("bound by")),
               right(say("80 % before")), right(say("80 % after"))});
  for (const CalibratedFigure& figure : calibration.figures) {
    if (figure.bound_by.empty()) continue;
    table.add({printable(place_of(figure)),
               {said(figure.before.figure), std::string(to_text(figure.before.figure))},
               figure.mfu > 0 ? percent_changed(figure.mfu) : std::string("-"),
               say_name(figure.bound_by),
               times_wide(figure.before.interval),
               times_wide(figure.interval)});
  }
  return table;
}

Json value_json(const OwnValue& own) {
  Json out{{"id", own.value.id}};
  if (!own.value.name.empty()) out["case"] = own.value.name;
  out["value"] = number(own.value.value);
  out["shipped"] = number(own.shipped);
  if (own.new_case) out["new_case"] = true;
  out["rows"] = own.rows;
  for (const auto& [key, text] :
       {std::pair("unit", &own.unit), std::pair("meaning", &own.meaning), std::pair("source", &own.source)})
    if (!text->empty()) out[key] = *text;
  return out;
}

Json width_json(const OwnWidth& width) {
  Json out{{"of", to_text(width.range)}, {"task", width.of.task}, {"gpu", width.of.gpu}, {"how", width.of.how}};
  if (!width.of.model.empty()) out["model"] = width.of.model;
  out["gpus"] = width.gpus;
  out["rows"] = width.rows;
  out["exponent"] = number(width.exponent);
  return out;
}

Json list_of(const Errors& errors) {
  return list_json(errors,
                   [](const Error& error) -> Json { return {{"where", error.where}, {"message", error.message}}; });
}

}  // namespace

Json tree_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::map: {
      Json out = Json::object();
      for (const Node& child : node.children) out[child.key] = tree_json(child);
      return out;
    }
    case Node::Kind::list: {
      return list_json(node.children, [&](const Node& child) { return tree_json(child); });
    }
    case Node::Kind::scalar: break;
  }
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  const auto value = plain_number(node.text);
  return value ? number(*value) : Json(node.text);
}

std::string calibrate_overlay(const Calibration& calibration) {
  Json own{{"as_of", calibration.own.as_of.text()}};
  own["coefficients"] = list_json(calibration.own.values, value_json);
  own["intervals"] = list_json(calibration.own.widths, width_json);
  own["rows"] = list_json(calibration.own.rows, [](const Node& row) { return tree_json(row); });
  return "# " +
         say("Written by gpusel calibrate on {}; gpusel calibrate --reset removes it.", calibration.own.as_of.text()) +
         "\n# " + say("Values replace the shipped ones; docs/calibrate.md has the formulas.") + "\n" +
         yaml({{"calibration", {{"own", std::move(own)}}}});
}

Table calibrate_table(const Calibration& calibration) {
  Table table({left(say("figure"), 0, 14, "figure"), left(say("run"), 2, 12, "run"), left(say("model"), 1, 0, "model"),
               left(say("GPU"), 1, 0, "gpu"), right(say("measured"), 0, 0, "measured"),
               right(say("before"), 0, 0, "before"), right(say("off"), 0, 0, "off_before"),
               left(say("80 % before"), 3, 0, "interval_before"), right(say("after"), 0, 0, "after"),
               right(say("off"), 0, 0, "off_after"), left(say("80 % after"), 0, 0, "interval_after")});
  for (const CalibratedFigure& figure : calibration.figures)
    table.add({{said(figure.before.figure), std::string(to_text(figure.before.figure))},
               printable(place_of(figure)),
               printable(model_of(figure)),
               std::string(figure.before.row->gpu->id),
               human_number(figure.before.measured),
               human_number(figure.before.predicted),
               signed_change(figure.ratio_before()),
               factor_range(figure.before.interval),
               human_number(figure.predicted),
               signed_change(figure.ratio_after()),
               factor_range(figure.interval)});
  return table;
}

Document calibrate_page(const Calibration& calibration, const answer::CheckedRows& checked) {
  Document page;
  page.title(say("Calibrated with {} measurements ({} of them new), {} figures", calibration.rows, checked.rows.size(),
                 calibration.figures.size()));
  page.gap().add(calibration.figures.size() > kFiguresShown ? sum_table(calibration) : calibrate_table(calibration));
  if (const Table bounds = bound_table(calibration); !bounds.empty() && calibration.figures.size() <= kFiguresShown)
    page.gap().add(bounds);
  page.gap();
  if (calibration.coefficients.empty())
    page.line(say("no coefficient needs to change"));
  else
    page.add(coefficient_table(calibration));
  if (!calibration.own.widths.empty()) page.gap().add(width_table(calibration));
  return page.derivation(derivation_of(calibration.trace));
}

Json calibrate_json(const Calibration& calibration, const answer::CheckedRows& checked) {
  Json out{{"schema", "gpusel.calibrate/1"}, {"rows", calibration.rows}, {"new_rows", checked.rows.size()}};
  out["unusable"] = list_of(checked.unusable);
  for (Json& more : list_of(calibration.unusable)) out["unusable"].push_back(std::move(more));
  out["outliers"] = list_of(checked.outliers);
  out["without_estimate"] = calibration.unanswered;
  out["figures"] = Json::array();
  for (const CalibratedFigure& figure : calibration.figures) {
    out["figures"].push_back({{"figure", to_text(figure.before.figure)},
                              {"run", place_of(figure)},
                              {"model", text_or_null(figure.before.row->facts.model)},
                              {"gpu", figure.before.row->gpu->id},
                              {"measured", number(figure.before.measured)},
                              {"before", number(figure.before.predicted)},
                              {"interval_before", interval_json(*figure.before.interval)},
                              {"after", figure.predicted > 0 ? number(figure.predicted) : Json(nullptr)},
                              {"interval_after", figure.interval ? interval_json(*figure.interval) : Json(nullptr)}});
    if (figure.mfu > 0) out["figures"].back()["mfu"] = number(figure.mfu);
    if (!figure.bound_by.empty()) out["figures"].back()["bound_by"] = figure.bound_by;
  }
  out["summary"] = Json::array();
  for (const auto& [figure, sum] : sums_of(calibration))
    out["summary"].push_back({{"figure", to_text(figure)},
                              {"rows", sum.before.size()},
                              {"median_error_before", number(answer::median(sum.before))},
                              {"median_error_after", number(answer::median(sum.after))},
                              {"interval_coverage_before", number(sum.share(sum.inside_before))},
                              {"interval_coverage_after", number(sum.share(sum.inside_after))}});
  out["coefficients"] = list_json(calibration.coefficients, [&](const CalibratedCoefficient& each) {
    Json entry = value_json(each.own);
    entry["figures"] = each.figures;
    entry["sensitivity"] = number(each.sensitivity);
    entry["prior_deviation"] = number(each.prior);
    entry["deviation"] = number(each.deviation);
    return entry;
  });
  out["intervals"] = list_json(calibration.own.widths, width_json);
  if (!calibration.trace.empty()) out["explain"] = explain_json(calibration.trace);
  return out;
}

}  // namespace gpusel::show
