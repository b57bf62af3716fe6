#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "support/program.hpp"

using namespace gpusel::test;

namespace {

constexpr const char* kCommands[] = {"recommend", "estimate", "compare", "gpus", "instances", "models"};

}  // namespace

TEST_CASE("help names every command and every command has help with two examples that run") {
  const std::string root = ask({"--help"}).out;
  for (const std::string command : kCommands) {
    CAPTURE(command);
    CHECK(root.find("\n  " + command) != std::string::npos);
    const Run help = ask({command, "--help"});
    CHECK(help.status == 0);
    const auto examples = help.out.find("Examples:");
    REQUIRE(examples != std::string::npos);
    std::istringstream lines(help.out.substr(examples));
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find("gpusel ");
      if (at == std::string::npos) continue;
      ++count;
      const Run run = shell(line.substr(at));
      CAPTURE(line, run.err);
      CHECK(run.status == 0);
    }
    CHECK(count == 2);
  }
}

TEST_CASE("the version is printed alone") {
  const Run run = ask({"--version"});
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("gpusel "));
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 1);
}

TEST_CASE("without words the program explains itself") {
  const Run run = ask({});
  CHECK((run.out + run.err).find("recommend") != std::string::npos);
}
