#include "report/whatif_words.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/candidate.hpp"

namespace gpusel::report {

namespace {

using advise::WhatIf;

/// A cost; "*" where another instance is best, or none.
std::string end_text(const advise::TornadoBar::End& end) {
  if (end.value.empty()) return say("no further");
  return (end.cost ? human_price(*end.cost) : say("none")) + (end.other_winner ? "*" : "");
}

/// A value as it stands in a table: large counts short.
std::string value_shown(const std::string& value) {
  constexpr double kLarge = 1e6;
  const auto number = plain_number(value);
  return number && *number >= kLarge ? human_count(*number) : printable(value);
}

Bars bars_of(const WhatIf& answer) {
  Bars bars;
  bars.title = measure_title(answer, answer.measure);
  bars.base = answer.now.cost;
  bars.sides = {say("at the low value of the input"), say("at the high value")};
  for (const advise::TornadoBar& bar : answer.bars)
    bars.bars.push_back({printable(bar.key), end_text(bar.low), end_text(bar.high),
                         bar.low.cost.value_or(answer.now.cost), bar.high.cost.value_or(answer.now.cost),
                         say("{}: {} to {}", bar.key, bar.low.value, bar.high.value)});
  return bars;
}

/// "* seq_len 1638: vast 2x-L40S", an entry for each end with another winner.
std::vector<std::string> changes(const WhatIf& answer) {
  std::vector<std::string> lines;
  for (const advise::TornadoBar& bar : answer.bars)
    for (const auto* end : {&bar.low, &bar.high})
      if (end->other_winner && !end->value.empty())
        lines.push_back(say("* {} {}: {}", printable(bar.key), value_shown(end->value),
                            end->best.fits() ? winner_text(end->best) : printable(reason_of(end->best, &answer.now))));
  return lines;
}

Table tornado_table(const WhatIf& answer) {
  Table table({{say("input"), Align::left, 0},
               {say("now"), Align::right, 2},
               {say("low"), Align::right, 3},
               {say("cost"), Align::right, 0},
               {"", Align::left, 1},
               {say("cost"), Align::right, 0},
               {say("high"), Align::right, 3}});
  table.bars = bars_of(answer);
  for (const advise::TornadoBar& bar : answer.bars)
    table.add({printable(bar.key), value_shown(bar.base), value_shown(bar.low.value), end_text(bar.low), "",
               end_text(bar.high), value_shown(bar.high.value)});
  return table;
}

/// "assumed: epochs, seq_len".
void add_list(std::vector<std::string>& lines, const std::string& what, const std::vector<std::string>& keys) {
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + printable(key);
  if (!list.empty()) lines.push_back(say("{}: {}", what, list));
}

std::string against_title(const WhatIf& answer) {
  switch (answer.against) {
    case advise::Against::time: return say("hours");
    case advise::Against::latency: return say("ms to the whole answer");
    case advise::Against::throughput: return answer.rate_unit;
  }
  return {};
}

}  // namespace

void add_tornado(Document& page, const WhatIf& answer) {
  page.heading(say("tornado: what moves the cost of the best answer"));
  if (!answer.now.fits())
    return add_remarks(page, {say("nothing fits: {}", printable(reason_of(answer.now, nullptr)))});
  page.line(say("each input ±{:g} % by itself, speed over the interval of 80 of 100 runs; now {} {} with {}",
                100 * answer.swing, human_price(answer.now.cost), measure_title(answer, answer.measure),
                winner_text(answer.now)));
  if (!answer.bars.empty()) page.gap().add(tornado_table(answer));
  std::vector<std::string> remarks = changes(answer);
  if (answer.measure == advise::Measure::hourly || answer.measure == advise::Measure::monthly)
    remarks.push_back(
        say("speed has no row: cost is by the hour, and how its interval changes the number of instances is not worked "
            "out"));
  std::vector<std::string> assumed;
  for (const advise::TornadoBar& bar : answer.bars)
    if (bar.assumed) assumed.push_back(bar.key);
  add_list(remarks, say("assumed, not given"), assumed);
  add_list(remarks, say("less than 0.1 % of the cost"), answer.unmoved);
  add_remarks(page, remarks);
}

void add_pareto(Document& page, const WhatIf& answer) {
  const std::string heading =
      say("Pareto frontier: cost × {}", answer.against == advise::Against::time      ? say("time")
                                        : answer.against == advise::Against::latency ? say("latency")
                                                                                     : say("throughput"));
  page.heading(heading);
  if (answer.candidates.empty())
    return add_remarks(page, {say("nothing fits: {}", printable(reason_of(answer.now, nullptr)))});
  Chart chart;
  std::vector<double> xs, ys;
  Table table({{against_title(answer), Align::right, 0},
               {measure_title(answer, answer.pareto_measure), Align::right, 0},
               {say("instance"), Align::left, 0, 18},
               {say("region"), Align::left, 4, 9},
               {say("GPUs"), Align::left, 0},
               {say("plan"), Align::left, 3, 20}});
  Line frontier{0, {}};
  for (const advise::Candidate& one : answer.candidates) {
    xs.push_back(one.x);
    ys.push_back(one.cost);
    const std::string place =
        say("{}: {} {}, {} {}", winner_text(one.outcome), human_number(one.x), against_title(answer),
            human_price(one.cost), measure_title(answer, answer.pareto_measure));
    chart.marks.push_back({one.x, one.cost, one.frontier ? std::size_t{0} : std::size_t{1}, one.frontier, place});
    if (!one.frontier) continue;
    frontier.points.emplace_back(one.x, one.cost);
    table.add({human_number(one.x), human_price(one.cost), winner_text(one.outcome),
               printable(one.outcome.best.region->id), gpus_text(one.outcome.best),
               plan_text(one.outcome.of->work, one.outcome.best)});
  }
  page.line(say("{} candidates, {} on the frontier: nothing is better in one and no worse in the other",
                answer.candidates.size(), frontier.points.size()));
  chart.lines.push_back(std::move(frontier));
  chart.x_title = against_title(answer);
  chart.y_title = measure_title(answer, answer.pareto_measure);
  chart.x = scale_for(xs);
  chart.y = scale_for(ys);
  chart.series = {say("on the frontier"), say("another answer is better in one and no worse in the other")};
  chart.glyphs = "*.";
  page.gap().add(Picture{std::move(chart), heading}).gap().add(std::move(table));
}

}  // namespace gpusel::report
