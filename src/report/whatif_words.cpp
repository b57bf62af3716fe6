#include "report/whatif_words.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/candidate.hpp"
#include "report/estimate.hpp"

namespace gpusel::report {

namespace {

using advise::Axis;
using advise::AxisValue;
using advise::Measure;
using advise::Outcome;
using advise::Sample;
using advise::Segment;
using advise::WhatIf;

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Enough digits to type it again.
std::string number_text(const Axis& axis, double number) {
  const std::string unit = axis.unit.empty() ? std::string() : axis.unit == "%" ? " %" : " " + axis.unit;
  if (axis.relative) return format("{:+.4g}{}", number, unit);
  if (axis.whole || std::abs(number) >= 10'000) return human_number(number) + unit;
  return format("{:.4g}{}", number, unit);
}

std::string value_text(const Axis& axis, const AxisValue& value) {
  return value.number ? number_text(axis, *value.number) : printable(value.text);
}

/// "aws p5.48xlarge", with the term where it is not the usual one.
std::string winner_text(const Outcome& one) {
  if (!one.fits()) return say("nothing fits");
  std::string text = printable(format("{} {}", one.best.instance->provider, one.best.instance->sku));
  if (one.offer.term != catalog::Term::on_demand) text += format(", {}", to_text(one.offer.term));
  return text;
}

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : say("{} to {}", first, last);
}

std::string speed_of(const Outcome& one) { return speed_text(one.of->work, one.best); }

std::string percent(double share) { return format("{:.0f} %", 100 * share); }

std::string letter_of(const WhatIf& answer, const Outcome& one) {
  if (!one.fits()) return "-";
  const std::size_t index = winner_index(answer, one);
  return index < kLetters.size() ? std::string(1, kLetters[index]) : "?";
}

std::string stretch_text(const WhatIf& answer, const Segment& segment) {
  const Axis& axis = answer.axes.front();
  const auto& samples = answer.samples;
  if (axis.numbers) {
    // The place of change belongs to the winner that begins there.
    const std::size_t end = axis.continuous && segment.last + 1 < samples.size() && !axis.whole ? segment.last + 1 : segment.last;
    return from_to(value_text(axis, samples[segment.first].at[0]), value_text(axis, samples[end].at[0]));
  }
  std::string list;
  for (std::size_t i = segment.first; i <= segment.last; ++i)
    list += (list.empty() ? "" : ", ") + value_text(axis, samples[i].at[0]);
  return list;
}

std::string spread(std::string first, std::string last) {
  return first == last ? first : format("{} → {}", first, last);
}

Table segments_table(const WhatIf& answer) {
  Table table({{"", Align::left, 0},
               {answer.axes.front().key, Align::right, 0},
               {say("share"), Align::right, 3},
               {say("instance"), Align::left, 0, 18},
               {say("GPUs"), Align::left, 0},
               {say("plan"), Align::left, 4, 20},
               {measure_title(answer, answer.measure), Align::right, 0}});
  for (const Segment& segment : answer.segments) {
    const Outcome& first = answer.samples[segment.first].best;
    const Outcome& last = answer.samples[segment.last].best;
    std::vector<Cell> cells{letter_of(answer, first), stretch_text(answer, segment), percent(segment.share), winner_text(first)};
    if (first.fits()) {
      cells.emplace_back(spread(gpus_text(first.best), gpus_text(last.best)));
      cells.emplace_back(spread(plan_text(first.of->work, first.best), plan_text(last.of->work, last.best)));
      cells.emplace_back(from_to(human_price(first.cost), human_price(last.cost)));
    } else {
      cells.insert(cells.end(), {"", "", "-"});
    }
    table.add(std::move(cells));
  }
  return table;
}

Table points_table(const WhatIf& answer) {
  Table table({{answer.axes.front().key, Align::right, 0},
               {say("instance"), Align::left, 0, 18},
               {say("region"), Align::left, 3, 9},
               {say("GPUs"), Align::left, 0},
               {say("speed"), Align::right, 2},
               {say("{}/h", answer.currency.code()), Align::right, 1},
               {measure_title(answer, answer.measure), Align::right, 0}});
  for (const Sample& sample : answer.samples) {
    if (sample.between) continue;
    const Outcome& one = sample.best;
    std::vector<Cell> cells{value_text(answer.axes.front(), sample.at[0]), winner_text(one)};
    if (one.fits())
      cells.insert(cells.end(), {printable(one.best.region->id), gpus_text(one.best), speed_of(one),
                                 human_price(one.best.cost.hourly), human_price(one.cost)});
    else
      cells.insert(cells.end(), {"", "", "", "", "-"});
    table.add(std::move(cells));
  }
  return table;
}

/// Why nothing fits, once for each stretch in which nothing does.
std::vector<std::string> missing(const WhatIf& answer) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < answer.segments.size(); ++i) {
    const Segment& segment = answer.segments[i];
    if (answer.winner(segment).fits()) continue;
    const Outcome* before = i > 0 ? &answer.samples[answer.segments[i - 1].last].best
                            : i + 1 < answer.segments.size() ? &answer.winner(answer.segments[i + 1])
                                                             : nullptr;
    lines.push_back(say("nothing fits at {} {}: {}", answer.axes.front().key, stretch_text(answer, segment),
                        printable(reason_of(answer.winner(segment), before))));
  }
  return lines;
}

std::string overall(const WhatIf& answer) {
  constexpr std::size_t kNamed = 6;
  std::string list;
  for (std::size_t i = 0; i < answer.winners.size() && i < kNamed; ++i)
    list += (list.empty() ? "" : ", ") +
            say("{} in {}", winner_text(answer.samples[answer.winners[i].sample].best), percent(answer.winners[i].share));
  if (answer.winners.size() > kNamed) list += say(" and {} more", answer.winners.size() - kNamed);
  const bool range = answer.axes.size() == 1 && answer.axes.front().continuous;
  return range ? say("best along the range: {}", list) : say("best of the values: {}", list);
}

std::vector<std::string> legend_of(const WhatIf& answer) {
  std::vector<std::string> names;
  for (const advise::Winner& winner : answer.winners) {
    const Outcome& one = answer.samples[winner.sample].best;
    if (one.fits()) names.push_back(format("{} ({})", winner_text(one), percent(winner.share)));
  }
  return names;
}

std::string points_text(const Axis& axis) {
  std::string how = say("{} values", axis.values.size());
  if (axis.numbers) how += say(" from {} to {}", value_text(axis, axis.values.front()), value_text(axis, axis.values.back()));
  if (axis.doublings)
    how += say(", each twice the one before");
  else if (axis.continuous)
    how += axis.log ? say(" in equal ratios") : say(" in equal steps");
  return say("{}: {}", axis.key, how);
}

std::optional<Chart> sweep_chart(const WhatIf& answer) {
  const Axis& axis = answer.axes.front();
  if (!axis.numbers) return std::nullopt;
  Chart chart;
  std::vector<double> costs;
  for (const Segment& segment : answer.segments) {
    if (!answer.winner(segment).fits()) continue;
    Line line{winner_index(answer, answer.winner(segment)), {}};
    for (std::size_t i = segment.first; i <= segment.last; ++i) {
      const Sample& sample = answer.samples[i];
      costs.push_back(sample.best.cost);
      line.points.emplace_back(*sample.at[0].number, sample.best.cost);
      chart.marks.push_back({*sample.at[0].number, sample.best.cost, line.series, !sample.between,
                             say("{} {}: {}, {}", axis.key, value_text(axis, sample.at[0]), winner_text(sample.best),
                                 human_price(sample.best.cost))});
    }
    chart.lines.push_back(std::move(line));
  }
  if (costs.size() < 2) return std::nullopt;
  chart.x_title = axis.unit.empty() ? axis.key : format("{}, {}", axis.key, axis.unit);
  chart.y_title = measure_title(answer, answer.measure);
  chart.x = {*axis.values.front().number, *axis.values.back().number, axis.log};
  chart.y = scale_for(costs);
  chart.series = legend_of(answer);
  chart.glyphs = kLetters;
  return chart;
}

Section one_input(const WhatIf& answer) {
  Section section;
  section.heading = say("{}: where the winner changes", answer.axes.front().key);
  section.lines = {points_text(answer.axes.front())};
  section.table = segments_table(answer);
  section.chart = sweep_chart(answer);
  section.points = points_table(answer);
  section.remarks = missing(answer);
  section.remarks.push_back(overall(answer));
  return section;
}

Table map_table(const WhatIf& answer, bool letters) {
  const Axis& across = answer.axes[0];
  std::vector<Column> columns{{format("{} \\ {}", answer.axes[1].key, across.key), Align::right, 0}};
  for (const AxisValue& value : across.values)
    columns.push_back({value.number && across.unit.empty() ? tick_text(*value.number) : value_text(across, value), Align::right, 0});
  Table table(std::move(columns));
  const std::size_t width = across.values.size();
  for (std::size_t row = 0; row < answer.axes[1].values.size(); ++row) {
    std::vector<Cell> cells{value_text(answer.axes[1], answer.axes[1].values[row])};
    for (std::size_t i = 0; i < width; ++i) {
      const Outcome& one = answer.samples[row * width + i].best;
      cells.emplace_back(letters || !one.fits() ? letter_of(answer, one)
                                                : format("{} {}", letter_of(answer, one), human_price(one.cost)));
    }
    table.add(std::move(cells));
  }
  return table;
}

Table legend_table(const WhatIf& answer) {
  Table table({{"", Align::left, 0},
               {say("share"), Align::right, 0},
               {say("instance"), Align::left, 0, 18},
               {say("GPUs"), Align::left, 0},
               {measure_title(answer, answer.measure), Align::right, 0}});
  for (const advise::Winner& winner : answer.winners) {
    const Outcome& first = answer.samples[winner.sample].best;
    if (!first.fits()) {
      table.add({"-", percent(winner.share), winner_text(first), "", "-"});
      continue;
    }
    double low = first.cost, high = first.cost;
    int fewest = first.best.machine().gpus(), most = fewest;
    for (const Sample& sample : answer.samples) {
      if (!same_winner(sample.best, first)) continue;
      low = std::min(low, sample.best.cost);
      high = std::max(high, sample.best.cost);
      fewest = std::min(fewest, sample.best.best.machine().gpus());
      most = std::max(most, sample.best.best.machine().gpus());
    }
    const bool some = fewest != most && first.best.gpu != nullptr;
    table.add({letter_of(answer, first), percent(winner.share), winner_text(first),
               some ? say("{} to {} × {}", fewest, most, first.best.gpu->id) : gpus_text(first.best),
               from_to(human_price(low), human_price(high))});
  }
  return table;
}

Section two_inputs(const WhatIf& answer, bool letters) {
  Section section;
  section.heading = say("{} and {}: who wins where", answer.axes[0].key, answer.axes[1].key);
  section.lines = {points_text(answer.axes[0]), points_text(answer.axes[1]),
                   say("cells: the winner and its cost in {}", measure_title(answer, answer.measure))};
  section.table = map_table(answer, letters);
  section.points = legend_table(answer);
  const auto none = std::find_if(answer.samples.begin(), answer.samples.end(), [](const Sample& one) { return !one.best.fits(); });
  if (none != answer.samples.end())
    section.remarks.push_back(say("nothing fits at {} {}, {} {}: {}", answer.axes[0].key, value_text(answer.axes[0], none->at[0]),
                                  answer.axes[1].key, value_text(answer.axes[1], none->at[1]),
                                  printable(reason_of(none->best, nullptr))));
  section.remarks.push_back(overall(answer));
  return section;
}

std::string end_text(const advise::TornadoBar::End& end) {
  if (end.value.empty()) return say("no further");
  return end.cost ? human_price(*end.cost) : say("none");
}

Bars bars_of(const WhatIf& answer) {
  Bars bars{measure_title(answer, answer.measure), answer.now.cost, {}};
  for (const advise::TornadoBar& bar : answer.bars)
    bars.bars.push_back({printable(bar.key), end_text(bar.low), end_text(bar.high), bar.low.cost.value_or(answer.now.cost),
                         bar.high.cost.value_or(answer.now.cost),
                         say("{}: {} to {}", bar.key, bar.low.value, bar.high.value)});
  return bars;
}

std::string changes_text(const advise::TornadoBar& bar) {
  std::string text;
  const auto add = [&](const advise::TornadoBar::End& end) {
    if (!end.other_winner || end.value.empty()) return;
    const std::string what = !end.best.fits() ? say("nothing fits at {}", end.value)
                                              : say("{} at {}", winner_text(end.best), end.value);
    text += (text.empty() ? "" : "; ") + what;
  };
  add(bar.low);
  add(bar.high);
  return text;
}

Table tornado_table(const WhatIf& answer, const Bars& bars, std::size_t bar_width) {
  std::vector<Column> columns{{say("input"), Align::left, 0},
                              {say("now"), Align::right, 2},
                              {say("low"), Align::right, 3},
                              {say("cost"), Align::right, 0}};
  if (bar_width > 0) columns.push_back({"", Align::left, 1});
  columns.insert(columns.end(), {{say("cost"), Align::right, 0}, {say("high"), Align::right, 3}, {say("winner changes to"), Align::left, 4, 20}});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < answer.bars.size(); ++i) {
    const advise::TornadoBar& bar = answer.bars[i];
    std::vector<Cell> cells{bar.note.empty() ? printable(bar.key) : format("{} ({})", printable(bar.key), bar.note),
                            bar.base, bar.low.value, end_text(bar.low)};
    if (bar_width > 0) cells.emplace_back(text_bar(bars, bars.bars[i], bar_width));
    cells.insert(cells.end(), {end_text(bar.high), bar.high.value, changes_text(bar)});
    table.add(std::move(cells));
  }
  return table;
}

Section tornado_section(const WhatIf& answer, std::size_t bar_width) {
  Section section;
  section.heading = say("tornado: what moves the cost of the best answer");
  if (!answer.now.fits()) {
    section.remarks = {say("nothing fits: {}", printable(reason_of(answer.now, nullptr)))};
    return section;
  }
  section.lines = {say("each input ±{:g} % by itself; now {} {} with {}", 100 * answer.swing, human_price(answer.now.cost),
                       measure_title(answer, answer.measure), winner_text(answer.now))};
  section.bars = bars_of(answer);
  section.table = tornado_table(answer, *section.bars, bar_width);
  std::string list;
  for (const std::string& key : answer.unmoved) list += (list.empty() ? "" : ", ") + printable(key);
  if (!list.empty()) section.remarks.push_back(say("without an effect: {}", list));
  return section;
}

std::string against_title(const WhatIf& answer) {
  switch (answer.against) {
    case advise::Against::time: return say("hours");
    case advise::Against::latency: return say("ms to the whole answer");
    case advise::Against::throughput: return answer.rate_unit;
  }
  return {};
}

Section pareto_section(const WhatIf& answer) {
  Section section;
  section.heading = say("Pareto frontier: cost × {}", answer.against == advise::Against::time      ? say("time")
                                                       : answer.against == advise::Against::latency ? say("latency")
                                                                                                     : say("throughput"));
  if (answer.candidates.empty()) {
    section.remarks = {say("nothing fits: {}", printable(reason_of(answer.now, nullptr)))};
    return section;
  }
  Chart chart;
  std::vector<double> xs, ys;
  Table table({{against_title(answer), Align::right, 0},
               {measure_title(answer, answer.pareto_measure), Align::right, 0},
               {say("instance"), Align::left, 0, 18},
               {say("region"), Align::left, 3, 9},
               {say("GPUs"), Align::left, 0},
               {say("plan"), Align::left, 4, 20}});
  Line frontier{0, {}};
  for (const advise::Candidate& one : answer.candidates) {
    xs.push_back(one.x);
    ys.push_back(one.cost);
    const std::string place = say("{}: {} {}, {} {}", winner_text(one.outcome), human_number(one.x), against_title(answer),
                                  human_price(one.cost), measure_title(answer, answer.pareto_measure));
    chart.marks.push_back({one.x, one.cost, one.frontier ? std::size_t{0} : std::size_t{1}, one.frontier, place});
    if (!one.frontier) continue;
    frontier.points.emplace_back(one.x, one.cost);
    table.add({human_number(one.x), human_price(one.cost), winner_text(one.outcome), printable(one.outcome.best.region->id),
               gpus_text(one.outcome.best), plan_text(one.outcome.of->work, one.outcome.best)});
  }
  section.lines = {say("{} candidates, {} on the frontier: nothing is better in one and no worse in the other",
                       answer.candidates.size(), frontier.points.size())};
  chart.lines.push_back(std::move(frontier));
  chart.x_title = against_title(answer);
  chart.y_title = measure_title(answer, answer.pareto_measure);
  chart.x = scale_for(xs);
  chart.y = scale_for(ys);
  chart.series = {say("on the frontier"), say("another answer is better in one and no worse in the other")};
  chart.glyphs = "*.";
  section.chart = std::move(chart);
  section.points = std::move(table);
  return section;
}

}  // namespace

std::string measure_title(const WhatIf& answer, Measure measure) {
  const std::string_view currency = answer.currency.code();
  switch (measure) {
    case Measure::total: return say("{} total", currency);
    case Measure::hourly: return say("{}/h", currency);
    case Measure::monthly: return say("{}/month", currency);
    case Measure::per_million_tokens: return say("{}/M tok", currency);
    case Measure::per_unit: return say("{} per {}", currency, answer.measure_unit);
  }
  return {};
}

std::size_t winner_index(const WhatIf& answer, const Outcome& outcome) {
  std::size_t index = 0;
  for (const advise::Winner& winner : answer.winners) {
    const Outcome& one = answer.samples[winner.sample].best;
    if (same_winner(one, outcome)) return index;
    if (one.fits()) ++index;  // nothing has no letter and no colour
  }
  return index;
}

std::vector<std::string> whatif_header(const WhatIf& answer, const catalog::Catalog& catalog) {
  std::vector<Currency> converted;
  const auto add = [&](const Outcome& one) {
    if (one.fits() && one.best.cost.exchange) converted.push_back(one.best.cost.offer.currency);
  };
  add(answer.now);
  for (const Sample& sample : answer.samples) add(sample.best);
  for (const advise::Candidate& one : answer.candidates) add(one.outcome);
  std::vector<std::string> lines{job_line(answer.base->work)};
  if (!answer.base->assumed.empty()) lines.push_back(say("assumed: {}", assumed_line(answer.base->assumed)));
  lines.push_back(prices_line(*answer.base, catalog, converted));
  return lines;
}

std::vector<Section> whatif_sections(const WhatIf& answer, const SectionView& view) {
  std::vector<Section> sections;
  if (answer.axes.size() == 1) sections.push_back(one_input(answer));
  if (answer.axes.size() == 2) sections.push_back(two_inputs(answer, view.letters));
  if (answer.swing > 0) sections.push_back(tornado_section(answer, view.bar_width));
  if (answer.wants_pareto) sections.push_back(pareto_section(answer));
  return sections;
}

}  // namespace gpusel::report
