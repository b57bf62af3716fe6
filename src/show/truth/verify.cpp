#include "show/truth/verify.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/json/records.hpp"
#include "show/truth/refit.hpp"

namespace gpusel::show {

namespace {

using answer::Accuracy;
using answer::Comparison;
using answer::Figure;
using answer::FitAccuracy;
using answer::Group;
using answer::GroupBy;
using answer::Verification;

std::size_t sources_in(const Verification& verification) {
  std::set<std::string_view> sources;
  for (const Comparison& each : verification.comparisons) sources.insert(answer::source_of(*each.row, each.file));
  return sources.size();
}

std::string summary_line(const Verification& verification) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Group& group : answer::figures(verification))
    if (const double error = group.accuracy.error; error > 0) {
      least = std::min(least, error);
      most = std::max(most, error);
    }
  return say("Median errors by figure: {} to {}. Measurements: {}, sources: {}", percent_off(least), percent_off(most),
             verification.rows, sources_in(verification));
}

std::vector<Cell> accuracy_cells(const Accuracy& a) {
  return {format("{}", a.rows),
          format("{}", a.sources),
          percent_off(a.error),
          signed_percent(a.bias),
          percent_off(a.within_20),
          a.coverage ? percent_off(*a.coverage) : "-",
          a.width ? format("{:.2f}", *a.width) : "-"};
}

/// `part`: what a row is a part by; nothing for figures over all rows.
Table accuracy_table(std::optional<GroupBy> part, std::span<const Group> groups) {
  std::vector<Column> columns{left(say("figure"), 0, 20)};
  if (part) columns.push_back(left(std::string(to_text(*part)), 0, 16));
  for (auto& column : {right(say("rows"), 2), right(say("sources"), 3), right(say("error")), right(say("bias")),
                       right(say("within 20 %")), right(say("in interval")), right(say("width"), 1)})
    columns.push_back(column);
  Table table(std::move(columns));
  for (const Group& group : groups) {
    std::vector<Cell> cells{said(group.figure)};
    if (part) cells.push_back(printable(group.name));
    std::ranges::move(accuracy_cells(group.accuracy), std::back_inserter(cells));
    table.add(std::move(cells));
  }
  return table;
}

Table fit_table(const Verification& verification) {
  Table table({left(say("does it fit")), right(say("ran")), right(say("predicted to fit")),
               right(say("ran out of memory")), right(say("predicted to fit")), right(say("balanced accuracy"))});
  for (const bool training : {true, false}) {
    const FitAccuracy fit = answer::fit_accuracy(verification, training);
    if (fit.ran + fit.died == 0) continue;
    table.add({training ? say("training") : say("inference"), format("{}", fit.ran), format("{}", fit.ran_and_said),
               format("{}", fit.died), format("{}", fit.died_though_said),
               fit.balanced() ? percent_off(*fit.balanced()) : "-"});
  }
  return table;
}

Table ranking_table(const Verification& verification) {
  Table table({left(say("the same work on several GPUs"), 0, 20), right(say("works")), right(say("sources")),
               right(say("rank correlation"))});
  for (const auto& each : answer::rankings(verification))
    table.add(
        {said(each.figure), format("{}", each.works), format("{}", each.sources), format("{:.2f}", each.correlation)});
  return table;
}

Table ratio_table(const Verification& verification) {
  Table table({left(say("factor between two GPUs at the same work"), 0, 20), right(say("works")), right(say("sources")),
               right(say("error"))});
  for (const auto& each : answer::gpu_ratios(verification))
    table.add({said(each.figure), format("{}", each.works), format("{}", each.sources), percent_off(each.error)});
  return table;
}

Table pick_table(const Verification& verification) {
  Table table({left(say("cheapest GPU for the same work"), 0, 20), right(say("works")), right(say("sources")),
               right(say("pick is the cheapest")), right(say("costs more by"))});
  for (const auto& each : answer::cheapest_picks(verification))
    table.add({said(each.figure), format("{}", each.works), format("{}", each.sources), percent_off(each.right),
               format("{:.1f} %", each.regret * 100)});
  return table;
}

std::string place_of(const Comparison& each) { return format("{}:{}", each.file, each.row->cells.line); }

Table worst_table(const Verification& verification, std::size_t count) {
  Table table({left(say("figure"), 0, 16), left(say("source"), 1, 12), left(say("model"), 0, 12), left(say("GPU")),
               right(say("measured")), right(say("predicted")), right(say("factor")), left(say("row"), 2, 16)});
  for (const Comparison* each : answer::worst(verification, count))
    table.add({said(each->figure), printable(answer::source_of(*each->row, each->file)),
               printable(each->row->facts.model), std::string(each->row->gpu->id), human_number(each->measured),
               human_number(each->predicted), human_number(each->ratio()), printable(place_of(*each))});
  return table;
}

struct VerifiedSection {
  std::string title;
  Table table;
};

std::vector<VerifiedSection> sections(const Verification& verification, const VerifyView& view) {
  std::vector<VerifiedSection> out;
  const auto add = [&](std::string title, Table table) {
    if (!table.empty()) out.push_back({std::move(title), std::move(table)});
  };
  add(say("All rows"), accuracy_table(std::nullopt, answer::figures(verification)));
  if (view.left_out != nullptr)
    add(say("Sources left out, one at a time"), left_out_table(*view.left_out, verification));
  if (view.all) {
    add(say("Fit"), fit_table(verification));
    add(say("Chance to fit"), chance_table(verification, view.left_out));
    add(say("Order of GPUs"), ranking_table(verification));
    add(say("Factors between GPUs"), ratio_table(verification));
    add(say("Cheapest GPU"), pick_table(verification));
  }
  for (const GroupBy by : view.by) {
    add(say("By {}", to_text(by)), accuracy_table(by, answer::groups(verification, by)));
  }
  if (view.left_out != nullptr && view.all) add(say("Each source left out"), left_out_sources_table(*view.left_out));
  if (view.refit != nullptr) add(say("Coefficients as the measurements have them"), refit_table(*view.refit, view.all));
  if (view.worst > 0) add(say("Worst rows"), worst_table(verification, view.worst));
  return out;
}

std::string unanswered_line(const Verification& verification) {
  if (verification.unanswered == 0) return {};
  return say("measured figures without an estimate: {}", verification.unanswered);
}

Json worst_json(const Comparison& each) {
  return {{"figure", to_text(each.figure)},
          {"source", answer::source_of(*each.row, each.file)},
          {"file", each.file},
          {"line", each.row->cells.line},
          {"model", each.row->facts.model},
          {"gpu", each.row->gpu->id},
          {"measured", number(each.measured)},
          {"predicted", number(each.predicted)},
          {"interval", each.interval ? interval_json(*each.interval) : Json(nullptr)}};
}

/// What stands between `marks` is code.
Text with_code(std::string_view words) {
  Text out;
  bool code = false;
  for (std::size_t from = 0; from < words.size(); code = !code) {
    const std::size_t end = std::min(words.find('`', from), words.size());
    out.add(std::string(words.substr(from, end - from)), code ? Meaning::code : Meaning::plain);
    from = end + 1;
  }
  return out;
}

}  // namespace

Document verify_page(const Verification& verification, const VerifyView& view) {
  const std::string unanswered = unanswered_line(verification);
  Document page;
  page.page_title(say("Accuracy of the estimates"));
  page.line(format("{}.{}", summary_line(verification), unanswered.empty() ? "" : " " + unanswered + "."), 2,
            Where::page);
  for (const std::string& words :
       {say("Every source has the same weight: `error` is the median of |predicted ÷ measured − 1| of each source, "
            "averaged over the sources; `bias` the median of predicted ÷ measured − 1 of each source, and the median "
            "of those; `in interval` the share of measurements inside the 80 % interval, `width` its upper end divided "
            "by its lower. The coefficients were fitted to such measurements: `--leave-out source` says how far off a "
            "source "
            "is that nothing was fitted to."),
        say("`gpusel verify --leave-out source -o markdown` prints this page; `--by` adds tables.")})
    page.line(with_code(words), 2, Where::page);
  if (view.left_out != nullptr)
    page.line(with_code(say("With a source left out, coefficients and widths are fitted to the others: `of all` is the "
                            "error with it, `in shipped` the share inside the intervals as they are shipped.")),
              2, Where::page);
  page.title(summary_line(verification), Where::terminal);
  for (VerifiedSection& section : sections(verification, view))
    page.page_heading(section.title).gap().add(std::move(section.table));
  if (!unanswered.empty()) page.append(Document().gap().line(unanswered), Where::terminal);
  if (!view.all && view.refit == nullptr)
    page.line(secondary(say("Does it fit, order of GPUs, cheapest GPU: -o wide. By part: --by")));
  return view.explain ? page.derivation(derivation_of(answer::explain_accuracy(verification))) : page;
}

Table verify_table(const Verification& verification, const VerifyView& view) {
  Json records = Json::array();
  const auto add = [&](std::string_view by, const Group& group) {
    Json record{{"by", text_or_null(by)}, {"group", text_or_null(group.name)}};
    record.update(accuracy_json(group));
    records.push_back(std::move(record));
  };
  for (const Group& group : answer::figures(verification)) add({}, group);
  for (const GroupBy by : view.by)
    for (const Group& group : answer::groups(verification, by)) add(to_text(by), group);
  return records_table(records);
}

Json verify_json(const Verification& verification, const VerifyView& view) {
  Json out{{"schema", "gpusel.verify/1"}, {"rows", verification.rows}, {"sources", sources_in(verification)}};
  out["without_estimate"] = verification.unanswered;
  out["unusable"] = list_json(verification.unusable, [](const Error& error) -> Json {
    return {{"where", error.where}, {"message", error.message}};
  });
  out["figures"] = list_json(answer::figures(verification), accuracy_json);
  out["fit"] = fit_json(verification);
  out["rank_correlation"] = list_json(answer::rankings(verification), [](const auto& each) -> Json {
    return {{"figure", to_text(each.figure)},
            {"works", each.works},
            {"sources", each.sources},
            {"correlation", number(each.correlation)}};
  });
  out["cheapest_pick"] = list_json(answer::cheapest_picks(verification), [](const auto& each) -> Json {
    return {{"figure", to_text(each.figure)},
            {"works", each.works},
            {"sources", each.sources},
            {"right", number(each.right)},
            {"regret", number(each.regret)}};
  });
  Json by = Json::object();
  for (const GroupBy part : view.by) {
    Json& list = by[std::string(to_text(part))] = Json::array();
    for (const Group& group : answer::groups(verification, part)) {
      Json entry{{"group", group.name}};
      entry.update(accuracy_json(group));
      list.push_back(std::move(entry));
    }
  }
  out["by"] = std::move(by);
  out["worst"] =
      list_json(answer::worst(verification, view.worst), [](const Comparison* each) { return worst_json(*each); });
  if (view.left_out != nullptr) out["left_out"] = left_out_json(*view.left_out);
  if (view.refit != nullptr) out["refit"] = refit_json(*view.refit);
  if (view.explain) out["explain"] = explain_json(answer::explain_accuracy(verification));
  return out;
}

}  // namespace gpusel::show
