// How the text of a limit becomes its value. Private to this room.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/limits/constraints.hpp"

namespace gpusel::job {

inline constexpr std::string_view kVendors[] = {"nvidia", "amd", "google", "aws", "huawei", "intel", "alibaba"};

using ReadNumber = Result<double> (*)(std::string_view text);
Result<double> read_count(std::string_view text);
/// Of one GPU as marketed: GB.
Result<double> read_gb(std::string_view text);
Result<double> read_host_gib(std::string_view text);

Status set_list(std::string_view text, std::vector<std::string>& list);
/// "any" and "all" take back what was said of them before.
Status set_regions(std::string_view text, Constraints& c);
Status set_named(std::string_view text, std::vector<std::string>& list, std::span<const std::string_view> allowed);
/// "80GB", "80GB+".
Status set_least_memory(std::string_view text, std::optional<MemorySize>& place);
Status set_memory(std::string_view text, std::optional<MemorySize>& place, bool binary_if_no_unit);
/// A minimum given alone: "8" and "8+" both mean at least 8.
Status set_least(std::string_view text, Bounds& bounds, ReadNumber read);
Status set_most(std::string_view text, Bounds& bounds, ReadNumber read);
Status set_duration_hours(std::string_view text, std::optional<double>& hours);
Status set_days(std::string_view text, std::optional<double>& days);
Status set_clouds(std::string_view text, Constraints& limits);
Status set_vendors(std::string_view text, Constraints& limits);
Status add_infra(std::string_view text, Constraints& limits);
Status add_terms(std::string_view text, Constraints& limits);
Status add_gpu(std::string_view text, Constraints& limits);
/// Per hour: 5, $5/h, 1500/month.
Status set_hourly(std::string_view text, Constraints& limits);
/// Of a whole job; with a period it is a limit on the price.
Status set_budget(std::string_view text, Constraints& limits);

}  // namespace gpusel::job
