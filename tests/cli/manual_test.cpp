// Manual pages: written from the same tables as help, and sound to troff and man.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "base/text/text.hpp"
#include "cli/command.hpp"
#include "support/program.hpp"

namespace manual_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

/// Written once for all tests.
const std::string& manual() {
  static const std::string folder = [] {
    const std::string into = scratch_directory();
    const Run run = ask({"__manual", into});
    if (run.status != 0) throw std::runtime_error(run.err);
    return into;
  }();
  return folder;
}

std::string page_of(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '-');
  return manual() + "/gpusel" + (command.empty() ? "" : "-" + command) + ".1";
}

std::string without_dashes(std::string text) {
  for (auto at = text.find("\\-"); at != std::string::npos; at = text.find("\\-", at)) text.replace(at, 2, "-");
  return text;
}

}  // namespace

TEST_CASE("the program and every command have a manual page with all its flags") {
  REQUIRE(fs::exists(page_of("")));
  const std::string program = without_dashes(read_file(page_of("")));
  gpusel::cli::Context context;
  for (const auto& command : gpusel::cli::commands()) {
    CAPTURE(command.name);
    CHECK(program.find("\\fB" + std::string(command.name) + "\\fR") != std::string::npos);
    REQUIRE(fs::exists(page_of(std::string(command.name))));
    const std::string page = without_dashes(read_file(page_of(std::string(command.name))));
    for (const char* section :
         {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"})
      CHECK(page.find(".SH \"" + std::string(section) + "\"") != std::string::npos);
    for (const auto& flag : gpusel::cli::set_up(command, context).flags)
      for (const std::string_view name : gpusel::split(flag.names, ','))
        CHECK(page.find("\\fB" + std::string(name) + "\\fR") != std::string::npos);
  }
}

TEST_CASE("the manual names the values that a flag takes") {
  const std::string page = read_file(page_of("recommend"));
  CHECK(page.find("paged\\-adamw8bit") != std::string::npos);
  CHECK(page.find("reserved\\-3y") != std::string::npos);  // not in the flag's help
}

TEST_CASE("troff and man read every page without a warning") {
  for (const auto& entry : fs::directory_iterator(manual())) {
    CAPTURE(entry.path().string());
    const Run groff = command({"groff", "-man", "-ww", "-Tutf8", "-z", entry.path().string()});
    CHECK(groff.status == 0);
    CHECK(groff.err.empty());
    const Run man = command({"man", "--warnings", "-l", entry.path().string()},
                            {.environment = {{"MANPAGER", "cat"}, {"MANWIDTH", "80"}, {"LC_ALL", "C.UTF-8"}}});
    CHECK(man.status == 0);
    CHECK(man.err.empty());
    CHECK(man.out.find("EXIT STATUS") != std::string::npos);
  }
}

TEST_CASE("a manual page shows the examples as they are typed") {
  const Run man = command({"man", "-l", page_of("recommend")},
                          {.environment = {{"MANPAGER", "cat"}, {"MANWIDTH", "200"}, {"LC_ALL", "C.UTF-8"}}});
  CHECK(man.out.find("gpusel recommend llama-3.1-8b --task lora --budget 200 --deadline 2d\n") != std::string::npos);
}

TEST_CASE("a manual without a folder is refused") { CHECK(ask({"__manual"}).status == 2); }

TEST_CASE("groups of commands have a page, too, and every schema a line in the table of schemas") {
  CHECK(read_file(page_of("config")).find("config show") != std::string::npos);
  CHECK(read_file(page_of("catalog")).find("catalog lint") != std::string::npos);
  const std::string table = read_file(kSource + "/docs/schema/README.md");
  for (const auto& file : fs::directory_iterator(kSource + "/docs/schema"))
    if (file.path().extension() == ".json")
      CHECK(table.find("(" + file.path().filename().string() + ")") != std::string::npos);
}

}  // namespace manual_test
