// Memory, cost against time, cost against use.
#include <algorithm>

#include "gpusel/advise/frontier.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/candidate.hpp"
#include "report/cost.hpp"
#include "report/html.hpp"
#include "report/page/parts.hpp"
#include "report/svg.hpp"

namespace gpusel::report {

namespace {

using advise::Recommendation;

std::string percent_of_month(double hours) { return say("{} %", human_number(100 * hours / kHoursPerMonth)); }

Stack stack_of(const Recommendation& r) {
  const estimate::MemoryBreakdown& memory = r.memory();
  Stack stack;
  stack.label = format("{}. {}", r.rank, instance_name(r));
  const double total = in_gib(memory.total());
  stack.limit = in_gib(r.machine().memory());
  stack.value = say("{} of {} GiB", human_number(total), human_number(stack.limit));
  for (const Bytes part : {memory.weights, memory.gradients, memory.optimizer, memory.activations, memory.kv_cache,
                           memory.workspace, memory.framework})
    stack.parts.push_back(in_gib(part));
  stack.low = r.intervals.memory_total_gib.low;
  stack.high = r.intervals.memory_total_gib.high;
  stack.tip =
      say("{}: {} GiB free of {}", instance_name(r), human_number(stack.limit - total), human_number(stack.limit));
  return stack;
}

std::string against_title(const advise::Advice& advice, advise::Against against) {
  switch (against) {
    case advise::Against::time: return say("hours");
    case advise::Against::latency: return say("ms to the whole answer");
    case advise::Against::throughput: return advise::rate_unit_of(advice.work);
  }
  return {};
}

std::string frontier_heading(advise::Against against) {
  switch (against) {
    case advise::Against::time: return say("Cost and time");
    case advise::Against::latency: return say("Cost and latency");
    case advise::Against::throughput: return say("Cost and throughput");
  }
  return {};
}

/// Ranks that are named in the picture, besides those on the frontier.
constexpr int kNamed = 3;

Mark mark_of(const ReportView& view, const Recommendation& r, advise::Against against, const std::string& unit) {
  const bool total = advise::measure_against(against) == advise::Measure::total;
  Mark mark;
  mark.x = advise::place_of(r, against);
  mark.y = total ? r.cost.total : r.cost.hourly;
  mark.series = r.pareto ? 0 : 1;
  mark.strong = r.pareto;
  const std::string cost = money_text(view, mark.y);
  mark.tip =
      total ? say("#{} {}, {}: {} {}, {}", r.rank, instance_name(r), gpus_text(r), human_number(mark.x), unit, cost)
            : say("#{} {}, {}: {} {}, {} per hour", r.rank, instance_name(r), gpus_text(r), human_number(mark.x), unit,
                  cost);
  if (r.pareto || r.rank <= kNamed) {
    mark.label = format("#{}", r.rank);
    mark.aside = gpus_text(r);
  }
  return mark;
}

/// Whether a place is so far from the others that it would leave them no room.
class Edge {
 public:
  explicit Edge(std::vector<double> values) {
    constexpr double kMost = 0.95;  // of the values are not far
    constexpr double kFar = 10;     // times those
    std::sort(values.begin(), values.end());
    if (!values.empty()) far_ = kFar * values[static_cast<std::size_t>(kMost * static_cast<double>(values.size() - 1))];
  }
  bool beyond(double value) const { return value > far_; }

 private:
  double far_ = 0;
};

/// The frontier is never beyond the edge; what is stands at it.
struct FrontierPicture {
  Chart chart;
  std::size_t beyond = 0;
};

FrontierPicture frontier_picture(const ReportView& view, advise::Against against) {
  FrontierPicture out;
  Chart& chart = out.chart;
  chart.x_title = against_title(view.advice, against);
  const bool total = advise::measure_against(against) == advise::Measure::total;
  chart.y_title = format("{}{}", view.advice.currency.code(), total ? "" : "/h");
  std::vector<double> xs, ys;
  Line frontier{0, {}};
  for (const Recommendation& r : view.advice.recommendations) {
    chart.marks.push_back(mark_of(view, r, against, chart.x_title));
    xs.push_back(chart.marks.back().x);
    ys.push_back(chart.marks.back().y);
    if (r.pareto) frontier.points.emplace_back(xs.back(), ys.back());
  }
  const Edge x_edge(xs), y_edge(ys);
  xs.clear();
  ys.clear();
  for (const Mark& mark : chart.marks) {
    const bool beyond = !mark.strong && (x_edge.beyond(mark.x) || y_edge.beyond(mark.y));
    out.beyond += beyond ? 1 : 0;
    if (beyond) continue;
    xs.push_back(mark.x);
    ys.push_back(mark.y);
  }
  std::sort(frontier.points.begin(), frontier.points.end());
  chart.lines.push_back(std::move(frontier));
  chart.x = scale_for(xs);
  chart.y = scale_for(ys);
  chart.series = {say("on the frontier"), say("another answer is better in one and no worse in the other")};
  return out;
}

std::string curve_name(const advise::UseCurves& use, const advise::UseCurve& curve) {
  switch (curve.payment) {
    case advise::Payment::buying: return say("bought, #{}", curve.rank);
    case advise::Payment::tokens: return say("tokens bought elsewhere");
    case advise::Payment::term:
    case advise::Payment::kept_running: break;
  }
  const bool kept = curve.payment == advise::Payment::kept_running;
  for (const advise::CostItem& item : use.costs.items)
    if (item.subject.rank == curve.rank)
      return kept ? say("#{} {}, {}, kept running", curve.rank, subject_name(item.subject), to_text(*curve.term))
                  : say("#{} {}, {}", curve.rank, subject_name(item.subject), to_text(*curve.term));
  return {};
}

Chart use_chart(const ReportView& view) {
  const advise::UseCurves& use = *view.use;
  Chart chart;
  chart.x_title = say("hours of use a month, of 730");
  chart.y_title = say("{} a month", view.advice.currency.code());
  std::vector<double> ys{0};
  for (std::size_t i = 0; i < use.curves.size(); ++i) {
    chart.series.push_back(curve_name(use, use.curves[i]));
    chart.lines.push_back({i, use.curves[i].points});
    for (const auto& [hours, cost] : use.curves[i].points) ys.push_back(cost);
  }
  for (const advise::UseCrossing& one : use.crossings)
    chart.marks.push_back({one.hours, one.cost, one.curve, true,
                           say("{}: cheaper than {} from {} hours of use a month on ({})", chart.series[one.curve],
                               chart.series[one.from], human_number(one.hours), percent_of_month(one.hours)),
                           say("{} h", human_number(one.hours)), format("({})", percent_of_month(one.hours))});
  chart.x = {0, kHoursPerMonth, false};
  chart.y = scale_for(ys);
  return chart;
}

std::string never_text(const ReportView& view, const advise::CommitmentBreakEven& one) {
  return say("{} is never cheaper than on-demand: {} a month against {} for all of it.",
             to_text(one.committed.offer->term), money_text(view, one.per_month),
             money_text(view, one.on_demand.per_hour * kHoursPerMonth));
}

}  // namespace

std::string memory_html(const ReportView& view) {
  Stacks stacks{say("GiB"),
                {say("weights"), say("gradients"), say("optimiser"), say("activations"), say("K/V cache"),
                 say("workspace"), say("framework")},
                say("what is usable"),
                say("80 of 100 measurements"),
                {}};
  bool on_cpu = false;
  for (const Recommendation& r : view.advice.recommendations) {
    if (stacks.stacks.size() == kRanksDrawn) break;
    if (!estimate::is_known(r.memory())) continue;
    on_cpu = on_cpu || r.gpu == nullptr;
    stacks.stacks.push_back(stack_of(r));
  }
  if (stacks.stacks.empty()) return {};
  const std::string what =
      on_cpu ? say("GiB on the fullest GPU at its peak, of instances without one GiB of the host's memory")
             : say("GiB on the fullest GPU at its peak");
  return html_section(say("Memory"), html_paragraph(what) + svg_stacks(stacks, say("Memory of the best answers")),
                      "memory");
}

std::string frontier_html(const ReportView& view) {
  if (view.advice.recommendations.empty()) return {};
  const advise::Against against = advise::against_of(view.advice.work);
  const std::string heading = frontier_heading(against);
  const FrontierPicture picture = frontier_picture(view, against);
  std::string out = svg_chart(picture.chart, heading);
  if (picture.beyond > 0)
    out += format("<p class=\"soft small\">{}</p>\n",
                  html_text(say("Far beyond the others and drawn at the edge: {}", picture.beyond)));
  return html_section(heading, out, "frontier");
}

std::string use_html(const ReportView& view) {
  if (view.use == nullptr || view.use->curves.empty()) return {};
  const advise::UseCurves& use = *view.use;
  const Chart chart = use_chart(view);
  std::string out;
  if (use.costs.items.size() > 1)
    out += html_paragraph(say("The best, {}, is sold on one term only; #{} {} is the next that is sold on several.",
                              subject_name(use.costs.items.front().subject), use.item().subject.rank,
                              subject_name(use.item().subject)));
  out += svg_chart(chart, say("Cost of a month over its hours of use"));
  std::string points;
  for (const Mark& mark : chart.marks) points += format("<li>{}</li>\n", html_text(mark.tip));
  for (const auto& one : use.break_evens.commitments)
    if (!one.hours_per_month) points += format("<li>{}</li>\n", html_text(never_text(view, one)));
  for (const std::string& note : use.break_evens.notes) points += format("<li>{}</li>\n", html_text(note));
  if (!points.empty()) out += "<ul class=\"small\">\n" + points + "</ul>\n";
  return html_section(say("Cost over use"), out, "use");
}

}  // namespace gpusel::report
