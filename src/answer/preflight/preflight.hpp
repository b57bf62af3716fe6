// What becomes of a line before it is started: whether the tool takes it, whether it fits, and what would.
#pragma once

#include "answer/estimate/what_works.hpp"
#include "answer/preflight/command_lines.hpp"

namespace gpusel::answer {

enum class LineOutcome : std::uint8_t {
  starts,
  risky,  ///< may run out of memory, or starts with another release only
  out_of_memory,
  refused  ///< by the tool itself
};

/// Why a tool does not start.
struct Refused {
  // gpus, heads, blocks, experts, format, quantization, context, input, cache, argument, speculation, flag or plan
  std::string check;
  std::string says;      // the tool's own message, or what it amounts to
  std::string source;    // key; empty: it follows from the question
  std::string would;     // what would start; empty: nothing is known to
  bool for_sure = true;  // false: another release starts
  double room = 0;       // tokens that there is room for, of a cache that is too small; 0: none
};

struct Preflight {
  ReadLine line;
  LineOutcome outcome = LineOutcome::starts;
  std::vector<Refused> refusals;
  std::optional<EstimateAnswer> answer;          // absent where the line is refused before anything can be estimated
  std::vector<Way> ways;                         // in the tool's own words where it has some
  std::string release;                           // of the engine; empty: not said
  std::optional<double> requests;                // that there is room for at once, at the lengths of the answer
  std::optional<double> longest;                 // tokens that one request has room for
  std::optional<std::int64_t> largest_batch;     // per GPU, at that length
  std::optional<std::int64_t> longest_sequence;  // at that batch
  std::vector<std::string> notes;
};

/// What there is to run on.
struct Ground {
  const catalog::Catalog& catalog;
  const physics::Coefficients& coefficients;
  std::span<const rules::Rule> rules;
};

/// `own` holds the question's own flags, which override the line; `gpus`: how many there are in a node, if that
/// is known. Errors: an unknown model or GPU, a value that is none.
Result<Preflight> preflight(const ReadLine& line, const job::Request& own, job::Count gpus, const Ground& ground);

}  // namespace gpusel::answer

template <>
inline constexpr auto gpusel::enum_names<gpusel::answer::LineOutcome> =
    std::to_array<std::string_view>({"starts", "risky", "out-of-memory", "refused"});
