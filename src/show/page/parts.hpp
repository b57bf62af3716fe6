// The sections of a report; nothing where there is nothing to say.
#pragma once

#include <string>
#include <vector>

#include "show/page/report.hpp"

namespace gpusel::show {

/// Ranks whose memory is drawn, and whose GPUs' sources are listed.
inline constexpr std::size_t kRanksDrawn = 8;

/// What is asked, in one sentence and as a command line.
void add_question(Document& page, const ReportView& view);
/// The best answer in a sentence and its figures; where nothing fits, that.
void add_answer(Document& page, const ReportView& view);
void add_assumptions(Document& page, const ReportView& view);

/// Every answer in one table, which the page's script sorts and filters and which stands without it.
void add_ranking(Document& page, const ReportView& view);

void add_memory(Document& page, const ReportView& view);
void add_frontier(Document& page, const ReportView& view);
void add_use(Document& page, const ReportView& view);

void add_warnings(Document& page, const ReportView& view);
void add_alternatives(Document& page, const ReportView& view);
void add_rejected(Document& page, const ReportView& view);
void add_decision(Document& page, const ReportView& view);

void add_explanation(Document& page, const ReportView& view);
void add_sources(Document& page, const ReportView& view);

/// "17.59 USD".
std::string money_text(const ReportView& view, double amount);
/// A list of ranks as people write it: "1, 4–9".
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace gpusel::show
