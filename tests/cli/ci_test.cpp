// The workflows that docs/ci.md shows: each is YAML, and what it runs of gpusel runs.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/io/document.hpp"
#include "support/program.hpp"

namespace ci_test {

using namespace gpusel::test;

namespace {

/// The files that a page shows: blocks of YAML that begin with "# file: NAME".
std::map<std::string, std::string> files_in(const std::string& page) {
  std::map<std::string, std::string> files;
  std::istringstream lines(page);
  std::string* open = nullptr;
  bool yaml = false;
  const std::string mark = "# file: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      yaml = line == "```yaml";
      open = nullptr;
    } else if (yaml && open == nullptr && line.starts_with(mark)) {
      open = &files[line.substr(mark.size())];
    } else if (open != nullptr) {
      *open += line + "\n";
    }
  }
  return files;
}

/// Every line of shell in a workflow that runs gpusel.
void commands_in(const gpusel::Node& node, std::vector<std::string>& commands) {
  if (node.is_scalar() && node.text.starts_with("gpusel ")) commands.push_back(node.text);
  for (const gpusel::Node& child : node.children) commands_in(child, commands);
}

}  // namespace

TEST_CASE("the workflows in docs/ci.md are YAML and their commands run", "[check]") {
  const auto files = files_in(read_file(kSource + "/docs/ci.md"));
  const std::string directory = scratch_directory();
  std::ofstream(directory + "/policy.yaml") << files.at("policy.yaml");
  for (const std::string name : {".github/workflows/gpusel.yaml", ".gitlab-ci.yml"}) {
    CAPTURE(name);
    const auto workflow = gpusel::parse_yaml(files.at(name), name);
    REQUIRE(workflow);
    std::vector<std::string> commands;
    commands_in(workflow->root, commands);
    REQUIRE(commands.size() == 1);
    const Run run = shell(commands.front(), {.directory = directory});
    CAPTURE(run.err);
    CHECK(run.status == 0);
  }
  CHECK(read_file(directory + "/gpusel.sarif").find("\"2.1.0\"") != std::string::npos);
  CHECK(read_file(directory + "/gpusel.xml").find("<testsuites") != std::string::npos);
}

namespace {

Run act(const std::string& directory, const std::string& inputs) {
  return shell("/usr/bin/python3 " + kSource + "/tests/cli/action.py \"$(command -v gpusel)\" " + inputs,
               {.directory = directory});
}

}  // namespace

TEST_CASE("the composite action judges, keeps what it found, and ends as the gate does", "[check]") {
  const std::string directory = scratch_directory();
  std::ofstream(directory + "/policy.yaml") << "policies:\n  - {id: cheap, max_cost_per_hour: 1 USD}\n";
  const std::string job = "'args=--policy policy.yaml --model llama-7b --task finetune --method lora --cloud ";
  const Run closed = act(directory, job + "aws --gpu h100:8'");
  CAPTURE(closed.out, closed.err);
  CHECK(closed.status == 4);
  CHECK(closed.out.find("| cheap |") != std::string::npos);
  const auto lines = lines_of(closed.out);
  const auto outputs = nlohmann::json::parse(lines.back());
  CHECK(outputs["status"] == "4");
  CHECK(read_file(outputs["sarif"]).find("\"cheap\"") != std::string::npos);
  CHECK(read_file(outputs["junit"]).find("<testsuites") != std::string::npos);
  CHECK(act(directory, job + "aws --policy-mode audit'").status == 0);
}

TEST_CASE("hooks of pre-commit run on files as pre-commit hands them over", "[check]") {
  const auto hooks = gpusel::parse_yaml(read_file(kSource + "/.pre-commit-hooks.yaml"), "hooks");
  REQUIRE(hooks);
  const std::string directory = scratch_directory();
  REQUIRE(shell("gpusel lock --model llama-7b --task finetune --method lora --cloud aws", {.directory = directory})
              .status == 0);
  std::ofstream(directory + "/policy.yaml") << "policies:\n  - {id: where, allowed_providers: [aws]}\n";
  const std::map<std::string, std::string> words{
      {"gpusel-check", " --policy policy.yaml --model llama-7b --task finetune --method lora --cloud aws"},
      {"gpusel-diff", " gpusel.lock"},
      {"gpusel-lint", ""}};
  CHECK(hooks->root.children.size() == words.size());
  for (const gpusel::Node& hook : hooks->root.children) {
    const Run run = shell(hook.find("entry")->text + words.at(hook.find("id")->text), {.directory = directory});
    CAPTURE(hook.find("id")->text, run.out, run.err);
    CHECK(run.status == 0);
  }
}

TEST_CASE("the policies in docs/ci.md are read", "[check]") {
  const auto files = files_in(read_file(kSource + "/docs/ci.md"));
  for (const std::string name : {"policy.yaml", "export.yaml"}) {
    const Run run = shell("gpusel check --policy '" + scratch_file(name, files.at(name)) +
                          "' --model llama-7b --task finetune --method lora --cloud aws --policy-mode audit");
    CAPTURE(name, run.err);
    CHECK(run.status == 0);
  }
}

}  // namespace ci_test
