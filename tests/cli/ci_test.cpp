// The workflows that docs/ci.md shows: each is YAML, and what it runs of gpusel runs.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
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
