// What logs of requests call their columns, and what that says of the unit of their times. Private to the readers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/io/document.hpp"
#include "job/traffic/log.hpp"

namespace gpusel::job {

enum class LogColumn : std::uint8_t { input, output, time, session, blocks };

struct LogName {
  LogColumn column;
  std::optional<TimeUnit> unit;         // that the name says
  std::optional<TimeUnit> format_unit;  // that the kind of log says which uses this name
};

/// Upper and lower case, '_', '-', '.' and spaces are alike.
std::optional<LogName> log_name(std::string_view name);

/// What one record of a log holds of interest.
struct LogRecord {
  const Node* input = nullptr;
  const Node* output = nullptr;
  const Node* time = nullptr;
  const Node* session = nullptr;
  const Node* blocks = nullptr;
  const Node* twice = nullptr;  // a second of one kind
  std::optional<TimeUnit> unit;
  std::optional<TimeUnit> format_unit;

  void take(const Node& node, const LogName& name);
};

/// Times as they stand in a log, as far as their unit asks for it.
struct RawTimes {
  std::uint64_t count = 0;
  double first = 0;   // the least
  double last = 0;    // the greatest
  bool whole = true;  // numbers without a fraction
  bool dates = false;
  bool blocks = false;                        // hash_ids beside them
  std::optional<TimeUnit> unit, format_unit;  // of the names
};

struct ResolvedUnit {
  TimeUnit unit = TimeUnit::s;
  TimeUnitFrom from = TimeUnitFrom::none;
};
/// Error: several units are plausible, or none.
Result<ResolvedUnit> resolve_unit(const RawTimes& times, std::optional<TimeUnit> stated, const std::string& where);

/// Seconds in one of it.
double seconds_in(TimeUnit unit);

}  // namespace gpusel::job
