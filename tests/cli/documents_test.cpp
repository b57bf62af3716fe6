// Every command that README.md and docs/ show is run, in a directory with the files they show. What
// is printed under a command must be what it prints; a line of "…" stands for any lines.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "support/program.hpp"

namespace documents_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

struct Block {
  std::string language;
  Lines lines;
};

std::vector<Block> blocks_of(const std::string& markdown) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), {}});
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

struct Command {
  std::string line;
  int status = 0;
  Lines output;  // as the document shows it
};

std::vector<Command> commands_of(const std::vector<Block>& blocks) {
  std::vector<Command> commands;
  for (const Block& block : blocks) {
    if (block.language != "console") continue;
    bool begun = false;  // what stands before the first command is nobody's output
    for (const std::string& line : block.lines) {
      if (line.starts_with("$ ")) {
        Command command{line.substr(2), 0, {}};
        const std::string mark = "  # status ";
        if (const auto at = command.line.find(mark); at != std::string::npos) {
          command.status = std::stoi(command.line.substr(at + mark.size()));
          command.line.erase(at);
        }
        commands.push_back(command);
        begun = true;
      } else if (begun) {
        commands.back().output.push_back(line);
      }
    }
  }
  // A blank line before the next command belongs to the page.
  for (Command& command : commands)
    while (!command.output.empty() && command.output.back().empty()) command.output.pop_back();
  return commands;
}

void write_files(const std::vector<Block>& blocks, const fs::path& directory) {
  const std::string mark = "# file: ";
  for (const Block& block : blocks) {
    if (block.lines.empty() || !block.lines.front().starts_with(mark)) continue;
    const fs::path path = directory / block.lines.front().substr(mark.size());
    fs::create_directories(path.parent_path());
    std::ofstream file(path);
    const bool takes_comments = path.extension() == ".yaml";
    for (const std::string& line : block.lines)
      if (takes_comments || &line != &block.lines.front()) file << line << '\n';
  }
}

/// A line that ends in "…" shows the start of one.
bool same_line(const std::string& shown, const std::string& printed) {
  const std::string cut = "…";
  if (!shown.ends_with(cut)) return shown == printed;
  return printed.starts_with(shown.substr(0, shown.size() - cut.size()));
}

/// Whether `printed` is `shown`, where a line of "…" stands for any number of lines.
bool matches(std::span<const std::string> shown, std::span<const std::string> printed) {
  if (shown.empty()) return printed.empty();
  if (shown.front() != "…")
    return !printed.empty() && same_line(shown.front(), printed.front()) &&
           matches(shown.subspan(1), printed.subspan(1));
  for (std::size_t skip = 0; skip <= printed.size(); ++skip)
    if (matches(shown.subspan(1), printed.subspan(skip))) return true;
  return false;
}

/// README.md and what lies in docs/, by name.
std::vector<std::string> documents() {
  std::vector<std::string> names{"README.md"};
  for (const auto& entry : fs::directory_iterator(fs::path(kSource) / "docs"))
    if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("every command in the documents runs and prints what they show") {
  const auto name = GENERATE(from_range(documents()));
  const auto blocks = blocks_of(read_file(kSource + "/" + name));
  const std::string directory = scratch_directory();
  write_files(blocks, directory);
  int run_commands = 0;
  for (const Command& command : commands_of(blocks)) {
    if (!command.line.starts_with("gpusel ")) continue;
    ++run_commands;
    const Run run = shell(command.line, {.directory = directory});
    CAPTURE(name, command.line, run.out, run.err);
    CHECK(run.status == command.status);
    if (command.output.empty()) continue;
    Lines printed = lines_of(run.out + run.err);
    while (!printed.empty() && printed.back().empty()) printed.pop_back();
    CHECK(matches(command.output, printed));
  }
  const bool has_some = std::ranges::any_of(blocks, [](const Block& block) { return block.language == "console"; });
  CHECK((run_commands > 0) == has_some);
}

TEST_CASE("docs/README.md lists every document") {
  const std::string index = read_file(kSource + "/docs/README.md");
  for (const auto& entry : fs::directory_iterator(fs::path(kSource) / "docs")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    CAPTURE(name);
    CHECK(index.find("](" + name + ")") != std::string::npos);
  }
}

TEST_CASE("the README names the two commands that a new user types") {
  const std::string readme = read_file(kSource + "/README.md");
  CHECK(readme.find("./dev run recommend --model llama-7b --task finetune") != std::string::npos);
  CHECK(readme.find("./dev test") != std::string::npos);
}

TEST_CASE("every document that a document links to exists") {
  for (const std::string& name : documents()) {
    const fs::path path = fs::path(kSource) / name;
    const std::string text = read_file(path.string());
    for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      target = target.substr(0, target.find('#'));
      if (target.empty() || target.starts_with("http")) continue;
      CAPTURE(name, target);
      CHECK(fs::exists(path.parent_path() / target));
    }
  }
}

}  // namespace documents_test
