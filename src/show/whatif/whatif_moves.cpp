#include "show/whatif/whatif_words.hpp"

#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"

namespace gpusel::show {

namespace {

using answer::WhatIf;

/// A cost; "*" where another instance is best, or none.
std::string end_text(const answer::TornadoBar::End& end) {
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
  for (const answer::TornadoBar& bar : answer.bars)
    bars.bars.push_back({printable(input_name(bar.key)), end_text(bar.low), end_text(bar.high),
                         bar.low.cost.value_or(answer.now.cost), bar.high.cost.value_or(answer.now.cost),
                         say("{}: {} to {}", input_name(bar.key), bar.low.value, bar.high.value)});
  return bars;
}

/// "* seq_len 1638: vast 2x-L40S", an entry for each end with another winner.
std::vector<std::string> changes(const WhatIf& answer) {
  std::vector<std::string> lines;
  for (const answer::TornadoBar& bar : answer.bars)
    for (const auto* end : {&bar.low, &bar.high})
      if (end->other_winner && !end->value.empty())
        lines.push_back(say("* {} {}: {}", printable(input_name(bar.key)), value_shown(end->value),
                            end->best.fits() ? winner_text(end->best) : printable(reason_of(end->best, &answer.now))));
  return lines;
}

Table tornado_table(const WhatIf& answer) {
  Table table({left(say("input")), right(say("now"), 2), right(say("low"), 3), right(say("cost")), left("", 1),
               right(say("cost")), right(say("high"), 3)});
  table.bars = bars_of(answer);
  for (const answer::TornadoBar& bar : answer.bars)
    table.add({printable(input_name(bar.key)), value_shown(bar.base), value_shown(bar.low.value), end_text(bar.low), "",
               end_text(bar.high), value_shown(bar.high.value)});
  return table;
}

/// "assumed: epochs, seq_len".
void add_list(std::vector<std::string>& lines, const std::string& what, const std::vector<std::string>& keys) {
  std::string list;
  for (const std::string& key : keys) add_name(list, printable(input_name(key)));
  if (!list.empty()) lines.push_back(say("{}: {}", what, list));
}

}  // namespace

void add_tornado(Document& page, const WhatIf& answer, std::size_t rows) {
  page.heading(say("tornado: what moves the cost of the best answer"));
  if (!answer.now.fits())
    return add_remarks(page, {say("nothing fits: {}", printable(reason_of(answer.now, nullptr)))});
  if (!answer.bars.empty()) {
    const answer::TornadoBar& first = answer.bars.front();
    page.line(Text(say("{} changes the cost most: {} to {} {}", printable(input_name(first.key)), end_text(first.low),
                       end_text(first.high), measure_title(answer, answer.measure)),
                   Meaning::best));
  }
  const bool all = rows == 0;
  if (all)
    page.line(say("each input ±{:g} % on its own, speed over its 80 % interval; now {} {} with {}", 100 * answer.swing,
                  human_price(answer.now.cost), measure_title(answer, answer.measure), winner_text(answer.now)));
  if (!answer.bars.empty()) add_rows(page, tornado_table(answer), rows);
  std::vector<std::string> remarks = changes(answer);
  if (!all) {
    if (remarks.size() > rows) remarks.resize(rows);
    return add_remarks(page, remarks);
  }
  if (answer.measure == answer::Measure::hourly || answer.measure == answer::Measure::monthly)
    remarks.push_back(say(
        "speed has no row: cost is hourly, and the effect of its interval on the number of instances is not computed"));
  std::vector<std::string> assumed;
  for (const answer::TornadoBar& bar : answer.bars)
    if (bar.assumed) assumed.push_back(bar.key);
  add_list(remarks, say("assumed, not given"), assumed);
  add_list(remarks, say("less than 0.1 % of the cost"), answer.unmoved);
  add_remarks(page, remarks);
}

void add_pareto(Document& page, const WhatIf& answer, std::size_t rows) {
  const std::string heading =
      say("Pareto frontier: cost × {}", answer.against == answer::Against::time      ? say("time")
                                        : answer.against == answer::Against::latency ? say("latency")
                                                                                     : say("throughput"));
  page.heading(heading);
  if (answer.candidates.empty())
    return add_remarks(page, {say("nothing fits: {}", printable(reason_of(answer.now, nullptr)))});
  const std::string unit = against_title(answer.against, answer.rate_unit);
  const std::string cost = measure_title(answer, answer.pareto_measure);
  std::vector<Mark> marks;
  Table table({right(unit), right(cost), left(say("instance"), 0, 18), left(say("region"), 4, 9), left(say("GPUs")),
               left(say("plan"), 3, 20)});
  for (const answer::Candidate& one : answer.candidates) {
    const std::string who = winner_text(one.outcome);
    marks.push_back({one.x, one.cost, one.frontier ? std::size_t{0} : std::size_t{1}, one.frontier,
                     say("{}: {} {}, {} {}", who, human_number(one.x), unit, human_price(one.cost), cost)});
    if (one.frontier)
      table.add({human_number(one.x), human_price(one.cost), who, printable(one.outcome.best.region->id),
                 spoken_gpus(one.outcome.best), plan_text(one.outcome.of->work, one.outcome.best)});
  }
  page.line(say("{} candidates, {} on the frontier: nothing is better in one and no worse in the other",
                answer.candidates.size(), table.rows.size()));
  if (rows == 0) page.gap().add(Picture{frontier_chart(std::move(marks), unit, cost), heading});
  add_rows(page, std::move(table), rows);
}

}  // namespace gpusel::show
