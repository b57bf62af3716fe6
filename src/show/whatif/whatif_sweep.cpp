#include "show/whatif/whatif_words.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"

namespace gpusel::show {

namespace {

using answer::Axis;
using answer::AxisValue;
using answer::Outcome;
using answer::Sample;
using answer::Segment;
using answer::WhatIf;

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The place of an outcome's winner among all, in the order of their shares.
std::size_t winner_index(const WhatIf& answer, const Outcome& outcome) {
  std::size_t index = 0;
  for (const answer::Winner& winner : answer.winners) {
    const Outcome& one = answer.samples[winner.sample].best;
    if (same_winner(one, outcome)) return index;
    if (one.fits()) ++index;  // nothing has no letter and no colour
  }
  return index;
}

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
    const std::size_t end =
        axis.continuous && segment.last + 1 < samples.size() && !axis.whole ? segment.last + 1 : segment.last;
    return from_to(value_text(axis, samples[segment.first].at[0]), value_text(axis, samples[end].at[0]));
  }
  std::string list;
  for (std::size_t i = segment.first; i <= segment.last; ++i)
    list += (list.empty() ? "" : ", ") + value_text(axis, samples[i].at[0]);
  return list;
}

/// "2 to 24 × RTX A6000 48 GB".
std::string counted_gpus(const answer::Recommendation& one, int fewest, int most) {
  return fewest != most && one.gpu != nullptr ? say("{} to {} × {}", fewest, most, spoken_gpu(*one.gpu))
                                              : spoken_gpus(one);
}

std::string spread(std::string first, std::string last) {
  return first == last ? first : format("{} → {}", first, last);
}

std::string spread_gpus(const answer::Recommendation& first, const answer::Recommendation& last) {
  if (first.gpu == last.gpu) return counted_gpus(first, first.machine().gpus(), last.machine().gpus());
  return spread(spoken_gpus(first), spoken_gpus(last));
}

/// What it costs at both ends of a range, or at least and at most in a list.
std::string costs_text(const WhatIf& answer, const Segment& segment) {
  double low = answer.samples[segment.first].best.cost;
  double high = answer.samples[segment.last].best.cost;
  for (std::size_t i = segment.first; i <= segment.last && !answer.axes.front().numbers; ++i) {
    low = std::min(low, answer.samples[i].best.cost);
    high = std::max(high, answer.samples[i].best.cost);
  }
  return from_to(human_price(low), human_price(high));
}

/// Stretches too short to plan by belong to the one before them, and equal winners that meet are one.
std::vector<Segment> without_slivers(const WhatIf& answer, double sliver) {
  std::vector<Segment> out;
  for (const Segment& segment : answer.segments) {
    const Outcome& one = answer.winner(segment);
    const bool joins = answer.axes.front().continuous && !out.empty() && one.fits() &&
                       answer.winner(out.back()).fits() &&
                       (segment.share < sliver || same_winner(answer.winner(out.back()), one));
    if (!joins) {
      out.push_back(segment);
      continue;
    }
    out.back().last = segment.last;
    out.back().share += segment.share;
  }
  return out;
}

/// Which stretches are so short that they are left out, for a table of so many rows.
double sliver_for(const WhatIf& answer, std::size_t rows) {
  double sliver = 0.02;
  while (sliver < 0.5 && without_slivers(answer, sliver).size() > rows) sliver += 0.01;
  return sliver;
}

Table segments_table(const WhatIf& answer, std::span<const Segment> segments) {
  Table table({left(""), right(input_name(answer.axes.front().key)), right(say("share"), 4),
               left(say("instance"), 0, 18), left(say("GPUs")), left(say("plan"), 5, 20),
               right(measure_title(answer, answer.measure))});
  for (const Segment& segment : segments) {
    const Outcome& first = answer.samples[segment.first].best;
    std::size_t own = segment.last;  // behind it come winners of slivers
    while (own > segment.first && !same_winner(answer.samples[own].best, first)) --own;
    const Outcome& last = answer.samples[own].best;
    std::vector<Cell> cells{letter_of(answer, first), stretch_text(answer, segment), percent_text(segment.share),
                            winner_text(first)};
    if (first.fits()) {
      cells.emplace_back(spread_gpus(first.best, last.best));
      cells.emplace_back(spread(plan_text(first.of->work, first.best), plan_text(last.of->work, last.best)));
      cells.emplace_back(costs_text(answer, {segment.first, own, segment.share}));
    } else {
      cells.insert(cells.end(), {"", "", "-"});
    }
    table.add(std::move(cells));
  }
  return table;
}

Table points_table(const WhatIf& answer) {
  const bool by_hour = answer.measure == answer::Measure::hourly;
  std::vector<Column> columns{right(input_name(answer.axes.front().key)), left(say("instance"), 0, 18),
                              left(say("region"), 4, 9), left(say("GPUs")), right(say("speed"), 2)};
  if (!by_hour) columns.push_back(right(measure_title(answer, answer::Measure::hourly), 1));
  columns.push_back(right(measure_title(answer, answer.measure)));
  const std::size_t width = columns.size();
  Table table(std::move(columns));
  for (const Sample& sample : answer.samples) {
    if (sample.between) continue;
    const Outcome& one = sample.best;
    std::vector<Cell> cells{value_text(answer.axes.front(), sample.at[0]), winner_text(one)};
    if (one.fits()) {
      cells.insert(cells.end(),
                   {printable(one.best.region->id), spoken_gpus(one.best), speed_text(one.of->work, one.best)});
      if (!by_hour) cells.emplace_back(human_price(one.best.cost.hourly));
      cells.emplace_back(human_price(one.cost));
    } else {
      cells.resize(width, Cell("-"));
    }
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
    const Outcome* before = i > 0                            ? &answer.samples[answer.segments[i - 1].last].best
                            : i + 1 < answer.segments.size() ? &answer.winner(answer.segments[i + 1])
                                                             : nullptr;
    lines.push_back(say("nothing fits at {} {}: {}", input_name(answer.axes.front().key), stretch_text(answer, segment),
                        printable(reason_of(answer.winner(segment), before))));
  }
  return lines;
}

/// Those that have a row in a table of these stretches, the largest share first.
std::vector<answer::Winner> winners_of(const WhatIf& answer, std::span<const Segment> segments) {
  std::vector<answer::Winner> winners;
  for (const Segment& segment : segments) {
    const Outcome& one = answer.samples[segment.first].best;
    const auto known = std::ranges::find_if(
        winners, [&](const answer::Winner& winner) { return same_winner(answer.samples[winner.sample].best, one); });
    if (known == winners.end())
      winners.push_back({segment.first, segment.share});
    else
      known->share += segment.share;
  }
  std::ranges::stable_sort(winners, std::greater(), &answer::Winner::share);
  return winners;
}

std::string overall(const WhatIf& answer, std::span<const answer::Winner> winners) {
  constexpr std::size_t kNamed = 6;
  std::string list;
  for (std::size_t i = 0; i < winners.size() && i < kNamed; ++i)
    add_name(list, say("{} ({})", winner_text(answer.samples[winners[i].sample].best), percent_text(winners[i].share)));
  if (winners.size() > kNamed) list += say(" and {} more", winners.size() - kNamed);
  const bool range = answer.axes.size() == 1 && answer.axes.front().continuous;
  return range ? say("Best over the range: {}", list) : say("Best of the values: {}", list);
}

std::vector<std::string> legend_of(const WhatIf& answer) {
  std::vector<std::string> names;
  for (const answer::Winner& winner : answer.winners) {
    const Outcome& one = answer.samples[winner.sample].best;
    if (one.fits()) names.push_back(format("{} ({})", winner_text(one), percent_text(winner.share)));
  }
  return names;
}

/// What the answers say of a varied input itself: that it has no effect, for one.
std::vector<std::string> notes_on(const WhatIf& answer) {
  std::vector<std::string> notes;
  for (const Sample& sample : answer.samples)
    for (const Axis& axis : answer.axes)
      if (sample.best.of)
        for (const std::string& note : sample.best.of->notes) {
          const std::string line = say("Note: {}", printable(note));
          if (note.starts_with(axis.key + " ") && std::find(notes.begin(), notes.end(), line) == notes.end())
            notes.push_back(line);
        }
  return notes;
}

std::string points_text(const Axis& axis) {
  std::string how = say("{} values", axis.values.size());
  if (axis.numbers)
    how += say(" from {} to {}", value_text(axis, axis.values.front()), value_text(axis, axis.values.back()));
  if (axis.doublings)
    how += say(", doubling each time");
  else if (axis.continuous)
    how += axis.log ? say(" in equal ratios") : say(" in equal steps");
  add_clause(how, axis.about);
  return say("{}: {}", printable(input_name(axis.key)), printable(how));
}

/// How narrow a stretch may be for its winner to be missed.
std::string unseen_text(const WhatIf& answer) {
  if (answer.unseen <= 0) return {};
  const Axis& axis = answer.axes.front();
  const double low = *axis.values.front().number, high = *axis.values.back().number;
  if (axis.log)
    return say("; a winner over less than a factor of {:.3g} may be missed", std::pow(high / low, answer.unseen));
  Axis plain = axis;
  plain.relative = plain.whole = false;
  return say("; a winner over less than {} may be missed", value_text(plain, {{}, (high - low) * answer.unseen}));
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
                             say("{} {}: {}, {}", input_name(axis.key), value_text(axis, sample.at[0]),
                                 winner_text(sample.best), human_price(sample.best.cost))});
    }
    chart.lines.push_back(std::move(line));
  }
  if (costs.size() < 2) return std::nullopt;
  chart.x_title = axis.unit.empty() ? input_name(axis.key) : format("{}, {}", input_name(axis.key), axis.unit);
  chart.y_title = measure_title(answer, answer.measure);
  chart.x = {*axis.values.front().number, *axis.values.back().number, axis.log};
  chart.y = scale_for(costs);
  chart.series = legend_of(answer);
  chart.glyphs = kLetters;
  return chart;
}

Table map_table(const WhatIf& answer, bool letters) {
  const Axis& across = answer.axes[0];
  std::vector<Column> columns{right(format("{} \\ {}", input_name(answer.axes[1].key), input_name(across.key)))};
  for (const AxisValue& value : across.values)
    columns.push_back(
        right(value.number && across.unit.empty() ? tick_text(*value.number) : value_text(across, value)));
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
  Table table({left(""), right(say("share")), left(say("instance"), 0, 18), left(say("GPUs")),
               right(measure_title(answer, answer.measure))});
  for (const answer::Winner& winner : answer.winners) {
    const Outcome& first = answer.samples[winner.sample].best;
    if (!first.fits()) {
      table.add({"-", percent_text(winner.share), winner_text(first), "", "-"});
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
    table.add({letter_of(answer, first), percent_text(winner.share), winner_text(first),
               counted_gpus(first.best, fewest, most), from_to(human_price(low), human_price(high))});
  }
  return table;
}

}  // namespace

void add_one_input(Document& page, const WhatIf& answer, std::size_t rows) {
  const std::string heading = say("{}: where the winner changes", input_name(answer.axes.front().key));
  const bool all = rows == 0;
  const bool ranges = !answer.segments.empty() && answer.axes.front().continuous;
  const double sliver = all ? 0 : sliver_for(answer, rows);
  const std::vector<Segment> shown = all ? answer.segments : without_slivers(answer, sliver);
  page.heading(heading);
  if (answer.any_fits())
    page.line(Text(overall(answer, ranges && !all ? winners_of(answer, shown) : answer.winners), Meaning::best));
  if (all) page.line(points_text(answer.axes.front()) + unseen_text(answer));
  if (!answer.segments.empty() && (all || ranges)) add_rows(page, segments_table(answer, shown), rows);
  if (ranges && !all && shown.size() < answer.segments.size())
    page.line(secondary(
        say("winners over less than {} of the range are merged into the row above: --why", percent_text(sliver))));
  if (auto chart = sweep_chart(answer); chart && all) page.gap().add(Picture{std::move(*chart), heading});
  if (answer.any_fits() && (all || !ranges)) add_rows(page, points_table(answer), rows);
  std::vector<std::string> remarks = missing(answer);
  std::ranges::move(notes_on(answer), std::back_inserter(remarks));
  add_remarks(page, remarks);
}

void add_two_inputs(Document& page, const WhatIf& answer, std::size_t rows) {
  page.heading(say("{} and {}: who wins where", input_name(answer.axes[0].key), input_name(answer.axes[1].key)));
  page.line(Text(overall(answer, answer.winners), Meaning::best));
  if (rows == 0)
    for (const Axis& axis : answer.axes) page.line(points_text(axis));
  page.line(say("cells: the winner and its cost in {}", measure_title(answer, answer.measure)));
  Table map = map_table(answer, false);
  map.narrower.push_back(map_table(answer, true));
  page.gap().add(std::move(map));
  add_rows(page, legend_table(answer), rows);
  std::vector<std::string> remarks;
  const auto none =
      std::find_if(answer.samples.begin(), answer.samples.end(), [](const Sample& one) { return !one.best.fits(); });
  if (none != answer.samples.end())
    remarks.push_back(say("nothing fits at {} {}, {} {}: {}", input_name(answer.axes[0].key),
                          value_text(answer.axes[0], none->at[0]), input_name(answer.axes[1].key),
                          value_text(answer.axes[1], none->at[1]), printable(reason_of(none->best, nullptr))));
  std::ranges::move(notes_on(answer), std::back_inserter(remarks));
  add_remarks(page, remarks);
}

}  // namespace gpusel::show
