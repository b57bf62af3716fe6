#include "show/page/report.hpp"

#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/page/parts.hpp"

namespace gpusel::show {

namespace {

/// "llama-7b · full fine-tuning": model and task of the job's line.
std::string title_of(const job::Job& work) {
  constexpr std::string_view kDot = " · ";
  const std::string line = job_line(work);
  auto end = line.find(kDot);
  if (end != std::string::npos) end = line.find(kDot, end + kDot.size());
  return line.substr(0, end);
}

}  // namespace

std::string money_text(const ReportView& view, double amount) {
  return format("{} {}", human_price(amount), view.advice.currency.code());
}

std::string ranks_text(const std::vector<int>& ranks) {
  std::string out;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    out += format("{}{}", out.empty() ? "" : ", ", ranks[i]);
    if (last > i) out += format("{}{}", last == i + 1 ? ", " : "–", ranks[last]);
    i = last + 1;
  }
  return out;
}

Document report_page(const ReportView& view) {
  const bool nothing = view.advice.recommendations.empty();
  Document page;
  page.title(title_of(view.advice.work));
  add_question(page, view);
  add_answer(page, view);
  add_assumptions(page, view);
  // What would help comes first where nothing fits.
  if (nothing) add_alternatives(page, view);
  if (nothing) add_rejected(page, view);
  add_ranking(page, view);
  add_frontier(page, view);
  add_memory(page, view);
  add_use(page, view);
  add_warnings(page, view);
  if (!nothing) add_alternatives(page, view);
  if (!nothing) add_rejected(page, view);
  add_decision(page, view);
  add_explanation(page, view);
  add_sources(page, view);
  return page.add(
      Footer{say("Asked on {}. Each estimate has the range that 80 % of runs should fall into; unknown figures stay "
                 "unknown, never zero. This page fetches nothing.",
                 view.today.text())});
}

}  // namespace gpusel::show
