#include "show/whatif/whatif_words.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"
#include "show/whatif/whatif.hpp"

namespace gpusel::show {

using answer::Axis;
using answer::AxisValue;
using answer::Measure;
using answer::Outcome;
using answer::Sample;
using answer::WhatIf;

namespace {

/// Enough digits to type it again.
std::string number_text(const Axis& axis, double number) {
  const std::string unit = axis.unit.empty() ? std::string() : axis.unit == "%" ? " %" : " " + axis.unit;
  if (axis.relative) return format("{:+.4g}{}", number, unit);
  if (axis.whole || std::abs(number) >= 10'000) return human_number(number) + unit;
  return format("{:.4g}{}", number, unit);
}

}  // namespace

std::string value_text(const Axis& axis, const AxisValue& value) {
  return value.number ? number_text(axis, *value.number) : printable(value.text);
}

std::string winner_text(const Outcome& one) {
  if (!one.fits()) return say("nothing fits");
  std::string text = printable(format("{} {}", one.best.instance->provider, one.best.instance->sku));
  if (one.offer.term != catalog::Term::on_demand) add_item(text, said(one.offer.term));
  return text;
}

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : say("{} to {}", first, last);
}

std::string percent_text(double share) { return format("{:.0f} %", 100 * share); }

std::string measure_title(const WhatIf& answer, Measure measure) {
  const std::string_view currency = answer.currency.code();
  switch (measure) {
    case Measure::total: return say("{} total", currency);
    case Measure::hourly: return say("{}/h", currency);
    case Measure::monthly: return say("{}/month", currency);
    case Measure::per_million_tokens: return say("{}/M tok", currency);
    case Measure::per_unit: return say("{} per {}", currency, say_name(answer.measure_unit));
  }
  return {};
}

namespace {

std::string varied_job(const WhatIf& answer) {
  std::string job = spoken_question(answer.base->work);
  for (const Axis& axis : answer.axes) job += say(" · {} varies", printable(input_name(axis.key)));
  return job;
}

/// What was assumed, and prices.
Document ground_of(const WhatIf& answer, const catalog::Catalog& catalog) {
  std::vector<Currency> converted;
  const auto add = [&](const Outcome& one) {
    if (one.fits() && one.best.cost.exchange) converted.push_back(one.best.cost.published.currency);
  };
  add(answer.now);
  for (const Sample& sample : answer.samples) add(sample.best);
  for (const answer::Candidate& one : answer.candidates) add(one.outcome);
  job::Assumptions assumed = answer.base->assumed;
  std::erase_if(assumed, [&](const job::Assumed& one) {
    return std::any_of(answer.axes.begin(), answer.axes.end(), [&](const Axis& axis) { return axis.key == one.key; });
  });
  Document page;
  page.gap();
  if (!assumed.empty()) page.line(say("assumed: {}", assumed_line(assumed)));
  add_use(page, *answer.base);
  page.line(prices_line(*answer.base, catalog, converted));
  return page;
}

}  // namespace

void add_remarks(Document& page, const std::vector<std::string>& remarks) {
  if (!remarks.empty()) page.gap();
  for (const std::string& remark : remarks) page.line(remark);
}

void add_rows(Document& page, Table table, std::size_t rows) {
  const std::size_t all = table.rows.size();
  const std::size_t most = rows == 0 ? all : std::min(all, rows);
  const auto end = static_cast<std::ptrdiff_t>(most);
  table.rows.erase(table.rows.begin() + end, table.rows.end());
  if (table.bars) table.bars->bars.erase(table.bars->bars.begin() + end, table.bars->bars.end());
  page.gap().add(std::move(table));
  if (most < all)
    page.line(secondary(all - most == 1 ? say("1 more row: -n {}", all) : say("{} more rows: -n {}", all - most, all)));
}

Document whatif_page(const WhatIf& answer, const catalog::Catalog& catalog, bool all, std::size_t rows) {
  // Of one part, of two, of three: together they leave a screen its lines of words.
  static constexpr std::size_t kRows[] = {12, 5, 4};
  const int parts = (answer.axes.empty() ? 0 : 1) + (answer.swing > 0 ? 1 : 0) + (answer.wants_pareto ? 1 : 0);
  const std::size_t most = all ? 0 : rows > 0 ? rows : kRows[std::clamp(parts - 1, 0, 2)];
  Document page;
  page.title(varied_job(answer));
  // Fewer rows would merge others: where the winner changes is the same whatever stands below.
  if (answer.axes.size() == 1) add_one_input(page, answer, all || rows > 0 ? most : kRows[0]);
  if (answer.axes.size() == 2) add_two_inputs(page, answer, most);
  if (answer.swing > 0) add_tornado(page, answer, most);
  if (answer.wants_pareto) add_pareto(page, answer, most);
  if (all)
    page.append(ground_of(answer, catalog));
  else
    page.line(secondary(say("Charts, every row, assumptions and price dates: --why")));
  return page.derivation(derivation_of(answer.trace));
}

}  // namespace gpusel::show
