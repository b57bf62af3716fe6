// The commands that write a file or a folder, and what is there before and after.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "support/program.hpp"

namespace gpusel::test {

/// A command that writes the file @.
struct Writer {
  const char* name;
  const char* file;
  const char* command;
};

inline constexpr Writer kWriters[] = {
    {"lock", "x.lock", "lock --model llama-7b --task finetune --cloud aws -q --to @"},
    {"export", "x.yaml", "export skypilot --model llama-7b --task finetune --cloud aws -q --to @"},
    {"report", "x.html", "report --model llama-7b --task finetune --cloud aws -q -o @"},
    {"calibrate", "x.yaml", "calibrate tests/data/runs/runs.csv -q --to @"},
    {"snapshot", "x.snapshot",
     "catalog import --from skypilot --as-of 2026-05-20 tests/catalog/import/sky/gcp.csv -q --out @"},
    {"folder", "x/", "catalog import --from skypilot --as-of 2026-05-20 tests/catalog/import/sky/gcp.csv -q --out @"},
    {"catalog new", "x.yaml", "catalog new -q @"}};

inline bool is_folder(const Writer& writer) { return std::string(writer.file).ends_with('/'); }

inline std::string line_of(const Writer& writer, const std::string& target) {
  std::string line = writer.command;
  return line.replace(line.find('@'), 1, target);
}

/// All files below `folder` with what is in them.
inline std::map<std::string, std::string> content_of(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) all[entry.path().string()] = read_file(entry.path().string());
  return all;
}

}  // namespace gpusel::test
