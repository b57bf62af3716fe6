#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command.hpp"
#include "support/program.hpp"

namespace help_test {

using namespace gpusel::test;

namespace {

/// What help lists under `words`, groups opened: "recommend", "catalog path" …
std::vector<std::vector<std::string>> commands_under(const std::vector<std::string>& words) {
  std::vector<std::string> asked = words;
  asked.emplace_back("--help");
  std::istringstream lines(ask(asked).out);
  std::vector<std::vector<std::string>> found;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Commands:") {
      listed = true;
    } else if (listed && line.starts_with("  ") && line[2] != ' ') {
      std::vector<std::string> command = words;
      command.push_back(line.substr(2, line.find(' ', 2) - 2));
      const auto inner = commands_under(command);
      if (inner.empty()) found.push_back(command);
      found.insert(found.end(), inner.begin(), inner.end());
    }
  }
  return found;
}

/// A day of requests, a few lengths in turn.
void write_requests(const std::string& path) {
  std::ofstream file(path);
  file << "arrival_s,prompt_tokens,completion_tokens\n";
  for (int minute = 0; minute <= 24 * 60; ++minute)
    file << minute * 60 << ',' << 200 * (1 + minute % 5) << ',' << 50 * (1 + minute % 3) << '\n';
}

/// A directory with the price lists and requests that examples read.
std::string examples_directory() {
  const std::string directory = scratch_directory();
  const std::string lists = kSource + "/tests/catalog/import/";
  for (const auto& [from, to] : {std::pair("sky/gcp.csv", "gcp.csv"), std::pair("sky/azure_v6_sample.csv", "azure.csv"),
                                 std::pair("other/prices.csv", "prices.csv")})
    std::filesystem::copy_file(lists + from, directory + "/" + to);
  for (const auto& [from, to] : {std::pair("runs.csv", "runs.csv"), std::pair("runs.jsonl", "runs.jsonl"),
                                 std::pair("megatron.log", "train.log"), std::pair("nvidia-smi.csv", "nvidia-smi.csv")})
    std::filesystem::copy_file(kSource + "/tests/data/runs/" + from, directory + "/" + to);
  write_requests(directory + "/requests.csv");
  std::ofstream(directory + "/policy.yaml") << "policies: [{id: age, max_price_age: 4000d}]\n";
  const std::string job = " --model llama-7b --task finetune ";
  shell("gpusel recommend --json" + job + "> answer.json", {.directory = directory});
  for (const char* lock : {"gpusel.lock", "old.lock", "new.lock"})
    shell("gpusel lock" + job + "--to " + lock, {.directory = directory});
  return directory;
}

}  // namespace

TEST_CASE("help names every command and every command has help with two examples that run") {
  const auto commands = commands_under({});
  const std::string directory = examples_directory();
  CHECK(commands.size() == gpusel::cli::commands().size());
  for (std::vector<std::string> command : commands) {
    CAPTURE(command);
    command.emplace_back("--help");
    const Run help = ask(command);
    CHECK(help.status == 0);
    std::istringstream lines(help.out);
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  gpusel ")) continue;
      for (std::string more; line.ends_with('\\') && std::getline(lines, more);) {
        line.pop_back();
        line += more;
      }
      ++count;
      if (command.front() == "catalog" && command[1] == "update") continue;  // it asks the network
      const Run run = shell(line.substr(2), {.directory = directory});
      CAPTURE(line, run.err);
      CHECK(run.status == 0);
    }
    CHECK(count == 2);
  }
}

TEST_CASE("a group of commands explains itself and names the nearest") {
  const Run alone = ask({"catalog"});
  CHECK(alone.status == 2);
  CHECK(alone.err.find("path") != std::string::npos);
  CHECK(ask({"catalog", "--help"}).status == 0);
  const Run wrong = ask({"catalog", "pth"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err == "error: unknown command 'catalog pth'\nhelp: did you mean 'path'?\n");
  const Run group = ask({"catlog", "path"});
  CHECK(group.err == "error: unknown command 'catlog'\nhelp: did you mean 'catalog'?\n");
}

TEST_CASE("the version is printed alone") {
  const Run run = ask({"--version"});
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("gpusel "));
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 1);
}

TEST_CASE("without words the program explains itself") {
  const Run run = ask({});
  CHECK(run.status == 0);
  CHECK(run.out.find("recommend") != std::string::npos);
  CHECK(run.out.find("days old") != std::string::npos);
}

}  // namespace help_test
