// Command lines of engines and trainers as people type them, read by the tables in data/command-lines.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "job/request/request.hpp"

namespace gpusel::answer {

/// What an argument needs of a GPU of NVIDIA.
struct LineNeed {
  std::vector<std::string> values;  // of the argument, that need it
  double least = 0;                 // compute capability
  std::string says;                 // the tool's message below it
  std::string would;                // with what it starts; empty: nothing is known to
  std::string source;               // key
};

/// What a tool asserts of its arguments before it starts.
enum class LineCheck : std::uint8_t { positions, batch, stages };
struct LineAssertion {
  LineCheck check = LineCheck::positions;
  std::string says;                 // with {names} of figures
  std::string would;                // with {near}, the value that would do
  std::vector<std::string> unless;  // arguments that switch the check off
};

/// One argument of a tool.
struct LineFlag {
  std::vector<std::string> names;                           // with their dashes
  std::string key;                                          // of a question; "-": it has no bearing
  std::vector<std::pair<std::string, std::string>> values;  // the tool's, ours
  std::vector<std::string> makes;                           // schemes that it applies to plain weights as it loads them
  bool takes_any = false;                                   // other values are taken as they stand
  bool leaves_other = false;                                // other values are named, and left out
  bool is_switch = false;
  std::string count;                                      // what divides the parts that are counted; empty: none are
  std::string as;                                         // the value that it stands for, whatever its own
  std::string file;                                       // table of the arguments in the file that it names
  std::string object;                                     // table of the arguments in the JSON object that is its value
  std::vector<std::pair<std::string, std::string>> also;  // other keys that it sets, where it means anything
  std::string gone;                                       // release that no longer takes it; empty: all do
  std::string instead;                                    // what that takes in its place
  std::optional<LineNeed> needs;
};

struct LineTool {
  std::string id;
  std::string tool;
  std::string release;  // that the table is of
  std::string source;   // key
  bool launches = false;
  std::vector<std::vector<std::string>> starts;  // words of its line
  std::string first;                             // what a bare word says: a key, or "file:TABLE"
  std::vector<std::pair<std::string, std::string>> sets, defaults;
  std::vector<std::string> includes;  // tables whose arguments it takes too
  std::vector<LineFlag> flags;
  std::vector<LineAssertion> asserts;

  const LineFlag* flag(std::string_view word) const;
};

/// From the documents that have such a section, a later table over an earlier one of its id.
std::expected<std::vector<LineTool>, Errors> read_command_lines(std::span<const Document> documents);

/// An argument that was understood.
struct Understood {
  std::string flag;
  std::string value;      // as it was written
  std::string key;        // of a question
  std::string meaning;    // its value there
  std::size_t order = 0;  // of its row in the table: of two that speak of one key, the later row decides
};

/// An argument that a release no longer takes.
struct GoneFlag {
  std::string flag, release, instead;
  const LineTool* tool = nullptr;
};

/// What a line says.
struct ReadLine {
  std::vector<const LineTool*> tools;  // launcher first
  std::vector<std::string> before;     // words in front of them that were not read
  std::vector<Understood> understood;
  std::vector<std::string> idle;       // arguments without a bearing
  std::vector<std::string> left_out;   // arguments that nobody here knows
  std::vector<const LineNeed*> needs;  // of arguments that stand there
  std::vector<GoneFlag> gone;
  std::map<std::string, std::string, std::less<>> says;  // by key

  std::string said(std::string_view key) const;
  /// Whether the argument stands there, however it is understood.
  bool has(std::string_view flag) const;
  /// The argument that says it, nothing where a default does; of several the one that counts.
  const Understood* says_so(std::string_view key) const;
  const LineTool& tool() const { return *tools.back(); }
};

/// The words of a line as a shell takes them apart: blanks between them, quotes and backslashes taken away.
std::vector<std::string> shell_words(std::string_view line);

/// Errors: no known tool in it, a value that the tool does not take, a file that cannot be read.
Result<ReadLine> read_line(std::span<const std::string> words, std::span<const LineTool> tools);

}  // namespace gpusel::answer

template <>
inline constexpr auto gpusel::enum_names<gpusel::answer::LineCheck> =
    std::to_array<std::string_view>({"positions", "batch", "stages"});
