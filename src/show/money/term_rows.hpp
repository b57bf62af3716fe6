// What an instance costs on each term: terms in columns, amounts in rows.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "answer/cost/cost.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/document/side_by_side.hpp"

namespace gpusel::show {

/// How a row of amounts is shown.
struct AmountStyle {
  std::string (*text)(double) = human_price;
  bool (*at_most)(const answer::TermCost& term) = nullptr;  // whose amount is a bound
  bool ratios = false;                                      // to that of the first term
  bool marks = false;                                       // the least, where they differ
};

/// What the sum of a year is of: who needs it for less pays no further month.
inline std::string year_words(const money::Duty& duty) {
  constexpr double kYear = 12;
  const double months = duty.months.value_or(kYear);
  if (months >= kYear) return say("per year");
  return months == 1 ? say("for 1 month") : say("for {} months", human_number(months));
}

class TermRows {
 public:
  TermRows(const answer::CostItem& item, std::string (*name)(catalog::Term term)) : item_(item), table_({}) {
    for (const answer::TermCost& term : item.terms) table_.names.push_back(name(term.offer->term));
  }

  void words(const std::string& title, const std::function<std::string(const answer::TermCost&)>& of) {
    SideRow row{title, {}};
    for (const answer::TermCost& term : item_.terms) row.cells.push_back({of(term), {}, false, false});
    table_.add(std::move(row));
  }

  /// Of amounts that no term has, no row.
  void amounts(const std::string& title, const std::function<catalog::Number(const answer::TermCost&)>& of,
               AmountStyle style = {}) {
    std::vector<catalog::Number> amounts;
    catalog::Number least, most;
    for (const answer::TermCost& term : item_.terms) {
      const catalog::Number amount = amounts.emplace_back(of(term));
      if (!amount) continue;
      least = std::min(least.value_or(*amount), *amount);
      most = std::max(most.value_or(*amount), *amount);
    }
    if (!least) return;
    SideRow row{title, {}};
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const catalog::Number amount = amounts[i];
      SideCell cell{amount ? style.text(*amount) : "-", {}, true, style.marks && *least != *most && amount == least};
      if (style.at_most != nullptr && amount && style.at_most(item_.terms[i])) cell.text = "≤ " + cell.text;
      if (style.ratios && i > 0 && amount && amounts.front().value_or(0) > 0)
        cell.ratio = format("×{:.2f}", *amount / *amounts.front());
      row.cells.push_back(std::move(cell));
    }
    table_.add(std::move(row));
  }

  void gap() { table_.add({}); }
  SideBySide take() { return std::move(table_); }

 private:
  const answer::CostItem& item_;
  SideBySide table_;
};

}  // namespace gpusel::show
