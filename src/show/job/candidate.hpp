// One candidate of a recommendation in a few words, for the cells of tables.
#pragma once

#include <string>
#include <vector>

#include "answer/search/frontier.hpp"
#include "answer/search/recommend.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

/// "aws p5.48xlarge", "4 × lambda gpu_1x_gh200".
std::string instance_name(const answer::Recommendation& r);
/// "8 × h100-sxm-80gb", "1/6 × a10-24gb", "16 vCPU".
std::string gpus_text(const answer::Recommendation& r);
/// The same by name: "8 × H100 SXM5 80 GB".
std::string spoken_gpus(const answer::Recommendation& r);
/// How it is done, where there was a choice: networks and simulations have batches and arithmetic.
std::string plan_text(const job::Job& work, const answer::Recommendation& r);
/// How long a batch, or one item, takes: "9.6 s per batch", "4 ms each".
std::string latency_text(const physics::Plan& plan);
/// "9.1× real time", "28 images/s".
std::string rate_words(double rate, const job::Unit& unit);
/// The time of a job that ends, or the throughput.
std::string speed_text(const job::Job& work, const answer::Recommendation& r);
/// The same of a column, whose title has the unit of a throughput.
std::string speed_title(const job::Job& work);
std::vector<std::string> speed_texts(const job::Job& work, std::span<const answer::Recommendation* const> all);
/// Hours under one another: all in one unit, which suits the least.
std::vector<std::string> duration_texts(std::span<const double> hours);

/// What one unit of a service's work costs, where that is what the order goes by: an image, a stream, a token.
catalog::Number ordering_unit_cost(const job::Job& work, const answer::Recommendation& r);
/// What that is for: "1k images", "M tok".
std::string unit_column(const job::Job& work);
/// Prices per unit under one another: as many decimals for all as the least needs for two figures.
std::vector<std::string> unit_amounts(std::span<const catalog::Number> costs);

/// "fits 96 %, all targets 83 %, within the budget 71 %": what is known of it.
std::string odds_text(const answer::Recommendation& r);

std::string price_date(const answer::Recommendation& r);
/// "in USD, dated …", and the rates that turned the currencies `converted` into the answer's.
std::vector<std::string> price_facts(const answer::Advice& advice, const catalog::Catalog& catalog,
                                     const std::vector<Currency>& converted);
/// "prices: …": the same in one line.
std::string prices_line(const answer::Advice& advice, const catalog::Catalog& catalog,
                        const std::vector<Currency>& converted);

/// What a chart of costs is drawn over. `rate`: the unit of throughput.
std::string against_title(answer::Against against, const std::string& rate);
/// Strong marks are the frontier, and joined by a line.
Chart frontier_chart(std::vector<Mark> marks, std::string x_title, std::string y_title);

/// How much of the time it is used.
std::string duty_line(const money::Duty& duty);
/// What was said of that and of what is paid beside the instances.
void add_use(Document& page, const answer::Advice& advice);

}  // namespace gpusel::show
