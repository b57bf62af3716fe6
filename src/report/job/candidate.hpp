// One candidate of a recommendation in a few words, for the cells of tables.
#pragma once

#include <string>
#include <vector>

#include "gpusel/advise/frontier.hpp"
#include "gpusel/advise/recommend.hpp"
#include "report/document/chart.hpp"

namespace gpusel::report {

/// "aws p5.48xlarge", "4 × lambda gpu_1x_gh200".
std::string instance_name(const advise::Recommendation& r);
/// "8 × h100-sxm-80gb", "1/6 × a10-24gb", "16 vCPU".
std::string gpus_text(const advise::Recommendation& r);
/// How it is done, where there was a choice: networks and simulations have batches and arithmetic.
std::string plan_text(const workload::Workload& work, const advise::Recommendation& r);
/// The time of a job that ends, or the throughput.
std::string speed_text(const workload::Workload& work, const advise::Recommendation& r);

std::string price_date(const advise::Recommendation& r);
/// "prices: in USD, dated …", with the rates that turned the currencies `converted` into the answer's.
std::string prices_line(const advise::Advice& advice, const catalog::Catalog& catalog,
                        const std::vector<Currency>& converted);

/// What a chart of costs is drawn over. `rate`: the unit of throughput.
std::string against_title(advise::Against against, const std::string& rate);
/// Strong marks are the frontier, and joined by a line.
Chart frontier_chart(std::vector<Mark> marks, std::string x_title, std::string y_title);

}  // namespace gpusel::report
