// What the program asks of the system: no network, no other program, and no file written that nobody has named.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/sandbox.hpp"

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether a command line says that something is to be written or removed.
bool says_write(const std::vector<std::string>& words) {
  if (has(words, "--dry-run")) return false;
  return has(words, "--to") || has(words, "--out") || words[0] == "calibrate" || words[0] == "lock";
}

/// The command lines that the schemas are tried on; of two in a row the first, which needs nothing before it.
std::vector<std::vector<std::string>> command_lines() {
  std::vector<std::vector<std::string>> all;
  for (const std::string& line : lines_of(read_file(kSource + "/tests/schema/commands.txt"))) {
    if (!line.starts_with("gpusel ")) continue;
    auto words = words_of(line.substr(7, std::min(line.find("  #"), line.find(" && ")) - 7));
    all.push_back(std::move(words));
  }
  return all;
}

std::string copy_of_files() {
  const std::string folder = scratch_directory();
  fs::copy(kSource + "/tests/schema/files", folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  return folder;
}

void make_there() { close(open("there", O_WRONLY | O_CREAT, 0600)); }

}  // namespace

TEST_CASE("the sandbox of these tests kills whoever leaves it") {
  if (!can_sandbox()) return;
  const std::string folder = scratch_directory();
  // A shell would look up its user first, over a socket on some machines: the calls are made here.
  const auto status_of = [&](void (*before_start)(const char*)) {
    return ask({"--version"}, {.directory = folder, .before_start = before_start}).status;
  };
  CHECK(status_of([](const char* program) { alone(program), static_cast<void>(socket(AF_INET, SOCK_STREAM, 0)); }) ==
        kKilled);
  CHECK(status_of([](const char* program) { alone(program), static_cast<void>(fork()); }) == kKilled);
  CHECK(status_of([](const char* program) { alone(program), execl("/bin/true", "true", nullptr); }) == kKilled);
  CHECK(status_of([](const char* program) { alone_and_reading(program), make_there(); }) == kKilled);
  CHECK(status_of([](const char* program) { alone_and_reading(program), rename("here", "there"); }) == kKilled);
  CHECK(fs::is_empty(folder));
  CHECK(status_of([](const char* program) { alone(program), make_there(); }) == 0);
  CHECK(fs::exists(folder + "/there"));
  CHECK(ask(words_of("lock --model llama-7b --task finetune --cloud aws --to l.lock"),
            {.directory = folder, .before_start = alone_and_reading})
            .status == kKilled);
  CHECK(!fs::exists(folder + "/l.lock"));
}

TEST_CASE("no command opens a connection, starts a program or writes what it was not told to") {
  if (!can_sandbox()) return;
  const std::string folder = copy_of_files();
  std::size_t writers = 0;
  for (const auto& words : command_lines()) {
    const bool writes = says_write(words);
    writers += writes ? 1 : 0;
    const Run run = ask(words, {.environment = {{"XDG_DATA_HOME", folder + "/own"}},
                                .directory = folder,
                                .before_start = writes ? alone : alone_and_reading});
    CAPTURE(words, run.err);
    CHECK(run.status < 128);
  }
  CHECK(writers >= 5);
  for (const std::string word : {"help", "--help", "--version", "completion bash", "recommend --help", "config show"})
    CHECK(ask(words_of(word), {.before_start = alone_and_reading}).status < 128);
}

TEST_CASE("a session of the assistant's protocol neither connects nor writes") {
  if (!can_sandbox()) return;
  std::string session;
  for (const std::string& line : lines_of(read_file(kSource + "/tests/mcp/session-2025-11-25.jsonl")))
    if (const auto message = nlohmann::json::parse(line); message.contains("client"))
      session += message["client"].dump() + "\n";
  const Run run = ask({"mcp", "-q"}, {.input = session, .before_start = alone_and_reading});
  CHECK(run.status == 0);
  CHECK(lines_of(run.out).size() > 3);
}
