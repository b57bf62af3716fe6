// The sections of a report, each HTML in itself; empty where there is nothing to say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/page/report.hpp"

namespace gpusel::report {

/// Ranks whose memory is drawn, and whose GPUs' sources are listed.
inline constexpr std::size_t kRanksDrawn = 8;

/// What is asked, in one sentence and as a command line.
std::string question_html(const ReportView& view);
/// The best answer in a sentence and its figures; where nothing fits, that.
std::string answer_html(const ReportView& view);
std::string assumptions_html(const ReportView& view);

std::string ranking_html(const ReportView& view);

std::string memory_html(const ReportView& view);
std::string frontier_html(const ReportView& view);
std::string use_html(const ReportView& view);

std::string warnings_html(const ReportView& view);
std::string alternatives_html(const ReportView& view);
std::string rejected_html(const ReportView& view);
std::string decision_html(const ReportView& view);

std::string explanation_html(const ReportView& view);
std::string sources_html(const ReportView& view);

/// "17.59 USD".
std::string money_text(const ReportView& view, double amount);
/// A list of ranks as people write it: "1, 4–9".
std::string ranks_text(const std::vector<int>& ranks);
/// A cell with a figure that sorting goes by; nothing for the unknown. `kind`: more classes.
std::string number_cell(std::optional<double> value, std::string_view shown, std::string_view kind = {});

}  // namespace gpusel::report
