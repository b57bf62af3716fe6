#include "job/traffic/log_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

struct Known {
  std::string_view folded;
  LogColumn column;
  std::optional<TimeUnit> format_unit = std::nullopt;
};

/// What the field calls them, in lower case without separators: OpenAI's usage records, vLLM's, GuideLLM's and AIPerf's
/// lengths, the Azure traces, BurstGPT (whose times are seconds), Mooncake, Vidur.
constexpr Known kKnown[] = {{"inputtokens", LogColumn::input},
                            {"prompttokens", LogColumn::input},
                            {"isl", LogColumn::input},
                            {"contexttokens", LogColumn::input},
                            {"requesttokens", LogColumn::input, TimeUnit::s},
                            {"inputlength", LogColumn::input},
                            {"inputlen", LogColumn::input},
                            {"inputtoks", LogColumn::input},
                            {"promptlen", LogColumn::input},
                            {"promptlength", LogColumn::input},
                            {"numprefilltokens", LogColumn::input},
                            {"outputtokens", LogColumn::output},
                            {"completiontokens", LogColumn::output},
                            {"osl", LogColumn::output},
                            {"generatedtokens", LogColumn::output},
                            {"responsetokens", LogColumn::output, TimeUnit::s},
                            {"outputlength", LogColumn::output},
                            {"outputlen", LogColumn::output},
                            {"outputtoks", LogColumn::output},
                            {"responselength", LogColumn::output},
                            {"numdecodetokens", LogColumn::output},
                            {"sessionid", LogColumn::session},
                            {"conversationid", LogColumn::session},
                            {"hashids", LogColumn::blocks}};

/// Names of arrivals, behind which a unit may stand.
constexpr std::string_view kArrivals[] = {"arrival",   "arrivedat", "arrivaltime", "timestamp",       "time",
                                          "createdat", "created",   "starttime",   "requeststarttime"};
constexpr std::pair<std::string_view, TimeUnit> kSuffixes[] = {
    {"", TimeUnit::s},    {"s", TimeUnit::s},   {"sec", TimeUnit::s}, {"seconds", TimeUnit::s},
    {"ms", TimeUnit::ms}, {"us", TimeUnit::us}, {"ns", TimeUnit::ns}};

constexpr std::array kUnits = {TimeUnit::s, TimeUnit::ms, TimeUnit::us, TimeUnit::ns};

/// A service gets between one request in 100 seconds and 2,000 a second.
constexpr double kLeastRate = 0.01;
constexpr double kMostRate = 2000;
// Seconds since 1970 in which logs were written: 2015 to 2033.
constexpr double kFirstDay = 1.42e9;
constexpr double kLastDay = 2e9;

}  // namespace

double seconds_in(TimeUnit unit) { return std::pow(1e-3, static_cast<double>(unit)); }

std::optional<LogName> log_name(std::string_view name) {
  std::string folded = lower(name);
  std::erase_if(folded, [](char c) { return c == '_' || c == '-' || c == ' ' || c == '.'; });
  for (const Known& known : kKnown)
    if (known.folded == folded) return LogName{known.column, std::nullopt, known.format_unit};
  for (const std::string_view arrival : kArrivals) {
    if (!folded.starts_with(arrival)) continue;
    const std::string_view rest = std::string_view(folded).substr(arrival.size());
    for (const auto& [suffix, unit] : kSuffixes)
      if (suffix == rest)
        return LogName{LogColumn::time, rest.empty() ? std::nullopt : std::optional(unit), std::nullopt};
  }
  return std::nullopt;
}

void LogRecord::take(const Node& node, const LogName& name) {
  const Node*& place = name.column == LogColumn::input     ? input
                       : name.column == LogColumn::output  ? output
                       : name.column == LogColumn::time    ? time
                       : name.column == LogColumn::session ? session
                                                           : blocks;
  if (place != nullptr) twice = &node;
  place = &node;
  if (name.unit) unit = name.unit;
  if (name.format_unit) format_unit = name.format_unit;
}

Result<ResolvedUnit> resolve_unit(const RawTimes& times, std::optional<TimeUnit> stated, const std::string& where) {
  if (times.dates) return ResolvedUnit{TimeUnit::s, TimeUnitFrom::dates};
  if (times.unit && stated && *stated != *times.unit)
    return usage_error(say("its time column is named as {}", to_text(*times.unit)), "--time-unit",
                       say("leave it out, or rename the column"));
  if (times.unit) return ResolvedUnit{*times.unit, TimeUnitFrom::column};
  if (stated) return ResolvedUnit{*stated, TimeUnitFrom::option};
  if (times.format_unit) return ResolvedUnit{*times.format_unit, TimeUnitFrom::format};
  const double span = times.last - times.first;
  const bool at_once = times.count < 2 || span <= 0;
  const auto rate = [&](TimeUnit unit) { return static_cast<double>(times.count - 1) / span / seconds_in(unit); };
  const auto plausible = [&](TimeUnit unit) { return rate(unit) >= kLeastRate && rate(unit) <= kMostRate; };
  // A clock that counts since it was started has such figures too, at a rate that is none as seconds since 1970.
  for (const TimeUnit unit : kUnits) {
    const double since = seconds_in(unit);
    if (times.first * since >= kFirstDay && times.last * since < kLastDay && (at_once || plausible(unit)))
      return ResolvedUnit{unit, TimeUnitFrom::detection};
  }
  if (times.blocks && times.whole) return ResolvedUnit{TimeUnit::ms, TimeUnitFrom::format};
  if (at_once) return ResolvedUnit{TimeUnit::s, TimeUnitFrom::detection};
  const auto others = std::ranges::count_if(kUnits, plausible);
  if (plausible(TimeUnit::s) && others == 1) return ResolvedUnit{TimeUnit::s, TimeUnitFrom::detection};
  std::string list;
  for (const TimeUnit unit : kUnits)
    if (unit == TimeUnit::s || plausible(unit)) add_item(list, say("{:.2g}/s as {}", rate(unit), to_text(unit)));
  return usage_error(say("the unit of its times is unclear: {}", list), where, say("use --time-unit s, ms, us or ns"));
}

}  // namespace gpusel::job
