// Memory, cost against time, cost against use.
#include <algorithm>

#include "answer/search/frontier.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/money/cost.hpp"
#include "show/page/parts.hpp"

namespace gpusel::show {

namespace {

using answer::Recommendation;

std::string percent_of_month(double hours) { return say("{} %", human_number(100 * hours / kHoursPerMonth)); }

Stack stack_of(const Recommendation& r) {
  const physics::MemoryBreakdown& memory = r.memory();
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

std::string frontier_heading(answer::Against against) {
  switch (against) {
    case answer::Against::time: return say("Cost and time");
    case answer::Against::latency: return say("Cost and latency");
    case answer::Against::throughput: return say("Cost and throughput");
  }
  return {};
}

/// Ranks that are named in the picture, besides those on the frontier.
constexpr int kNamedMarks = 3;

Mark mark_of(const ReportView& view, const Recommendation& r, answer::Against against, const std::string& unit) {
  const bool total = answer::measure_against(against) == answer::Measure::total;
  Mark mark;
  mark.x = answer::place_of(r, against);
  mark.y = total ? r.cost.total : r.cost.hourly;
  mark.series = r.pareto ? 0 : 1;
  mark.strong = r.pareto;
  const std::string cost = money_text(view, mark.y);
  mark.tip =
      total ? say("#{} {}, {}: {} {}, {}", r.rank, instance_name(r), gpus_text(r), human_number(mark.x), unit, cost)
            : say("#{} {}, {}: {} {}, {} per hour", r.rank, instance_name(r), gpus_text(r), human_number(mark.x), unit,
                  cost);
  if (r.pareto || r.rank <= kNamedMarks) {
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

FrontierPicture frontier_picture(const ReportView& view, answer::Against against) {
  const std::string unit = against_title(against, answer::rate_unit_of(view.advice.work));
  const bool total = answer::measure_against(against) == answer::Measure::total;
  std::vector<Mark> marks;
  for (const Recommendation& r : view.advice.recommendations) marks.push_back(mark_of(view, r, against, unit));
  const auto values = [&](double Mark::* of, auto keeps) {
    std::vector<double> out;
    for (const Mark& mark : marks)
      if (keeps(mark)) out.push_back(mark.*of);
    return out;
  };
  const auto all = [](const Mark&) { return true; };
  const Edge x_edge(values(&Mark::x, all)), y_edge(values(&Mark::y, all));
  const auto is_near = [&](const Mark& mark) {
    return mark.strong || !(x_edge.beyond(mark.x) || y_edge.beyond(mark.y));
  };
  const Scale x = scale_for(values(&Mark::x, is_near)), y = scale_for(values(&Mark::y, is_near));
  const auto near = static_cast<std::size_t>(std::ranges::count_if(marks, is_near));
  FrontierPicture out{{}, marks.size() - near};
  out.chart = frontier_chart(std::move(marks), unit, format("{}{}", view.advice.currency.code(), total ? "" : "/h"));
  out.chart.x = x;
  out.chart.y = y;
  return out;
}

/// Whether curves of one rank and term differ in their places.
bool is_told_by_place(const answer::UseCurves& use) {
  for (const answer::UseCurve& one : use.curves)
    for (const answer::UseCurve& other : use.curves)
      if (one.region != nullptr && other.region != nullptr && one.rank == other.rank && one.region != other.region)
        return true;
  return false;
}

std::string curve_name(const answer::UseCurves& use, const answer::UseCurve& curve) {
  switch (curve.payment) {
    case answer::Payment::buying: return say("bought, #{}", curve.rank);
    case answer::Payment::tokens: return say("tokens bought elsewhere");
    case answer::Payment::term:
    case answer::Payment::kept_running: break;
  }
  const bool kept = curve.payment == answer::Payment::kept_running;
  const std::string term =
      is_told_by_place(use) ? format("{} ({})", said(*curve.term), printable(curve.region->id)) : said(*curve.term);
  for (const answer::CostItem& item : use.costs.items)
    if (item.subject.rank == curve.rank)
      return kept ? say("#{} {}, {}, kept running", curve.rank, subject_name(item.subject), term)
                  : say("#{} {}, {}", curve.rank, subject_name(item.subject), term);
  return {};
}

/// What the curves are drawn over: hours of use, or as many jobs as are done in them where several are within a month.
class UseAxis {
 public:
  explicit UseAxis(const ReportView& view) : use_(*view.use), jobs_(view.advice.work.ends()) {
    for (const answer::CostItem& item : use_.costs.items)
      jobs_ = jobs_ && item.subject.job && item.subject.job->hours && *item.subject.job->hours < kHoursPerMonth / 2;
  }

  bool counts_jobs() const { return jobs_; }
  std::string title() const {
    return jobs_ ? say("number of such jobs a month, one after the other") : say("hours of use a month, out of 730");
  }
  double place(const answer::UseCurve& curve, double hours) const {
    return jobs_ ? hours / *job_of(curve).hours : hours;
  }
  double longest() const {
    double most = kHoursPerMonth;
    if (jobs_) most = 0;
    for (const answer::UseCurve& curve : use_.curves) most = std::max(most, place(curve, kHoursPerMonth));
    return most;
  }
  std::string words(const answer::UseCurve& curve, double hours) const {
    return jobs_ ? say("{} jobs", human_number(place(curve, hours))) : say("{} h", human_number(hours));
  }
  std::string crossing(const Chart& chart, const answer::UseCrossing& one) const {
    const std::string &cheaper = chart.series[one.curve], &than = chart.series[one.from];
    const std::string share = percent_of_month(one.hours);
    return jobs_ ? say("{}: cheaper than {} from {} such jobs a month on, which take {} h ({})", cheaper, than,
                       human_number(place(use_.curves[one.curve], one.hours)), human_number(one.hours), share)
                 : say("{}: cheaper than {} from {} hours of use a month on ({})", cheaper, than,
                       human_number(one.hours), share);
  }

 private:
  const answer::CostJob& job_of(const answer::UseCurve& curve) const {
    for (const answer::CostItem& item : use_.costs.items)
      if (item.subject.rank == curve.rank) return *item.subject.job;
    return *use_.costs.items.front().subject.job;
  }

  const answer::UseCurves& use_;
  bool jobs_;
};

Chart use_chart(const ReportView& view, const UseAxis& axis) {
  const answer::UseCurves& use = *view.use;
  Chart chart;
  chart.x_title = axis.title();
  chart.y_title = say("{} a month", view.advice.currency.code());
  std::vector<double> ys{0};
  for (std::size_t i = 0; i < use.curves.size(); ++i) {
    chart.series.push_back(curve_name(use, use.curves[i]));
    Line line{i, {}};
    for (const auto& [hours, cost] : use.curves[i].points) {
      line.points.emplace_back(axis.place(use.curves[i], hours), cost);
      ys.push_back(cost);
    }
    chart.lines.push_back(std::move(line));
  }
  for (const answer::UseCrossing& one : use.crossings)
    chart.marks.push_back({axis.place(use.curves[one.curve], one.hours), one.cost, one.curve, true,
                           axis.crossing(chart, one), axis.words(use.curves[one.curve], one.hours),
                           format("({})", percent_of_month(one.hours))});
  chart.x = {0, axis.longest(), false};
  chart.y = scale_for(ys);
  return chart;
}

/// How little of a month one job is, where the picture counts jobs.
std::string one_job_text(const answer::UseCurves& use) {
  const answer::CostItem& item = use.costs.items.front();
  const double hours = *item.subject.job->hours;
  return say(
      "One such job takes {} on #{}, {} of a month. Monthly and yearly terms pay off only for many such jobs, or with "
      "other work in between.",
      human_duration(seconds(hours * 3600)), item.subject.rank, percent_of_month(hours));
}

std::string never_text(const ReportView& view, const answer::CommitmentBreakEven& one) {
  return say("{} is never cheaper than on-demand: {} a month against {} for a full month.",
             said(one.committed.offer->term), money_text(view, one.per_month),
             money_text(view, one.on_demand.per_hour * kHoursPerMonth));
}

}  // namespace

void add_memory(Document& page, const ReportView& view) {
  Stacks stacks{say("GiB"),
                {say("weights"), say("gradients"), say("optimizer"), working_memory_name(view.advice.work),
                 say("K/V cache"), say("workspace"), say("framework")},
                say("usable"),
                say("80 % of measurements"),
                {}};
  bool on_cpu = false;
  for (const Recommendation& r : view.advice.recommendations) {
    if (stacks.stacks.size() == kRanksDrawn) break;
    if (!physics::is_known(r.memory())) continue;
    on_cpu = on_cpu || r.gpu == nullptr;
    stacks.stacks.push_back(stack_of(r));
  }
  if (stacks.stacks.empty()) return;
  page.add(Heading{say("Memory"), 2, "memory"});
  page.line(on_cpu ? say("GiB on the fullest GPU at its peak, of instances without one GiB of the host's memory")
                   : say("GiB on the fullest GPU at its peak"));
  page.add(Picture{std::move(stacks), say("Memory of the best answers")});
}

void add_frontier(Document& page, const ReportView& view) {
  if (view.advice.recommendations.empty()) return;
  const answer::Against against = answer::against_of(view.advice.work);
  const std::string heading = frontier_heading(against);
  FrontierPicture picture = frontier_picture(view, against);
  page.add(Heading{heading, 2, "frontier"}).add(Picture{std::move(picture.chart), heading});
  if (picture.beyond > 0) page.line(secondary(say("Off the scale, drawn at the edge: {}", picture.beyond)));
}

void add_use(Document& page, const ReportView& view) {
  if (view.use == nullptr || view.use->curves.empty()) return;
  const answer::UseCurves& use = *view.use;
  const UseAxis axis(view);
  Chart chart = use_chart(view, axis);
  page.add(Heading{say("Cost over use"), 2, "use"});
  if (axis.counts_jobs()) page.line(one_job_text(use));
  if (use.costs.items.size() > 1)
    page.line(say("The best, {}, is sold on one term only; #{} {} is the next that is sold on several.",
                  subject_name(use.costs.items.front().subject), use.item().subject.rank,
                  subject_name(use.item().subject)));
  List points;
  for (const Mark& mark : chart.marks) points.items.emplace_back(mark.tip);
  for (const auto& one : use.break_evens.commitments)
    if (!one.hours_per_month) points.items.emplace_back(never_text(view, one));
  for (const std::string& note : use.break_evens.notes) points.items.emplace_back(note);
  page.add(Picture{std::move(chart), axis.counts_jobs() ? say("Cost of a month over the jobs in it")
                                                        : say("Cost of a month over its hours of use")});
  if (!points.items.empty()) page.add(std::move(points));
}

}  // namespace gpusel::show
