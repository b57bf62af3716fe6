// A log of requests, read from front to back in bounded memory: when each came, how long it was, what it shares.
#pragma once

#include <optional>
#include <string>

#include "base/values/enum.hpp"
#include "base/values/error.hpp"
#include "job/traffic/requests.hpp"

namespace gpusel::job {

enum class TimeUnit : std::uint8_t { s, ms, us, ns };

/// How a log's unit of time is known.
enum class TimeUnitFrom : std::uint8_t {
  none,      ///< it has no times
  dates,     ///< they are dates
  column,    ///< its name says it
  format,    ///< the kind of log says it
  option,    ///< it was stated
  detection  ///< no other unit is plausible
};

}  // namespace gpusel::job

template <>
inline constexpr auto gpusel::enum_names<gpusel::job::TimeUnit> =
    std::to_array<std::string_view>({"s", "ms", "us", "ns"});
template <>
inline constexpr auto gpusel::enum_names<gpusel::job::TimeUnitFrom> =
    std::to_array<std::string_view>({"none", "dates", "column", "format", "option", "detection"});

namespace gpusel::job {

struct LogOptions {
  bool generates = true;              // false: answers are not asked for
  std::optional<TimeUnit> time_unit;  // of its numbers, where no name says it
  std::uint32_t hash_block = 512;     // tokens that one of hash_ids stands for
};

struct RequestLog {
  std::string name;
  Requests requests;  // sorted by arrival, the first at 0; without times in the file's order, all at 0
  bool timed = false;
  double begin = 0;  // s since midnight of some day, or since 1970: of the first
  TimeUnit unit = TimeUnit::s;
  TimeUnitFrom unit_from = TimeUnitFrom::none;
  std::uint64_t unsorted = 0;    // that came before the one above them
  std::uint64_t unanswered = 0;  // answers of no token, left out
};

/// CSV with a line of column names, JSON Lines, or the result file of a benchmark (vLLM, GuideLLM); "-" is standard
/// input. Errors, with file:line:column: what cannot be read, no column for lengths, a length or a time that is none,
/// times whose unit is in doubt, a record of more than 4 MiB.
Result<RequestLog> read_log(const std::string& path, const LogOptions& options = {});

/// Seconds since 1970 of "2023-11-16 18:15:46.68", also with T, Z and an offset; nothing for anything else.
std::optional<double> parse_time(std::string_view text);

}  // namespace gpusel::job
