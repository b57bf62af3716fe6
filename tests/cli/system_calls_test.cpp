// What the program asks of the system: no network, no other program, and of files nobody named only the last question.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/words/message.hpp"
#include "support/program.hpp"
#include "support/sandbox.hpp"
#include "support/traced.hpp"

namespace system_calls_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The file or folder that a command line names to be written or removed; none if it names none.
std::string target_of(const std::vector<std::string>& words) {
  if (has(words, "--dry-run")) return {};
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "--to" || words[i] == "--out" || (words[0] == "report" && words[i] == "-o")) return words[i + 1];
  if (words[0] == "calibrate") return "../data/gpusel/calibration.yaml";
  return words[0] == "lock" ? "gpusel.lock" : "";
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

/// Commands that write, and are not among those.
constexpr const char* kWriters[] = {"report --model llama-7b --task finetune --cloud aws -q -o page.html",
                                    "export skypilot --model llama-7b --task finetune --cloud aws -q --to job.yaml",
                                    "catalog import --from generic-csv prices.csv -q --out market/",
                                    "calibrate runs.csv -q",
                                    "calibrate --reset -q",
                                    "lock --model llama-7b --task finetune --cloud aws -q"};

/// A machine's worth of folders that a program might think of, none of them empty.
class Home {
 public:
  Home() {
    for (const char* name : {"home", "config", "data", "cache", "state", "run", "tmp", "work"}) {
      fs::create_directories(root_ + "/" + name);
      std::ofstream(root_ + "/" + name + "/own.txt") << name;
    }
    fs::copy(kSource + "/tests/schema/files", work(), fs::copy_options::recursive);
  }
  const std::string& root() const { return root_; }
  std::string work() const { return root_ + "/work"; }
  Setting setting(void (*before_start)(const char*), const std::string& kept = "") const {
    return {.environment = {{"HOME", root_ + "/home"},
                            {"XDG_CONFIG_HOME", root_ + "/config"},
                            {"XDG_DATA_HOME", root_ + "/data"},
                            {"XDG_CACHE_HOME", root_ + "/cache"},
                            {"XDG_STATE_HOME", root_ + "/state"},
                            {"XDG_RUNTIME_DIR", root_ + "/run"},
                            {"TMPDIR", root_ + "/tmp"},
                            {"CI", ""},
                            {"GPUSEL_STATE", kept}},
            .directory = work(),
            .before_start = before_start};
  }
  /// Every file and folder; of a file what is in it, and whether it is the same one, untouched.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      const std::string path = entry.path().string();
      struct stat state{};
      REQUIRE(lstat(path.c_str(), &state) == 0);
      all[path] = gpusel::format("{:o}", state.st_mode);
      if (!S_ISDIR(state.st_mode))
        all[path] += gpusel::format(" {} {}.{:09}", state.st_ino, state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
      if (S_ISREG(state.st_mode)) all[path] += read_file(path);
    }
    return all;
  }

 private:
  std::string root_ = scratch_directory();
};

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

/// What became other than it was, but for the file or folder that was named and the folders on the way to it.
std::vector<std::string> changed_beside(const std::string& named, const std::map<std::string, std::string>& before,
                                        const std::map<std::string, std::string>& after) {
  std::set<std::string> changed;
  for (const auto& [path, state] : before)
    if (const auto now = after.find(path); now == after.end() || now->second != state) changed.insert(path);
  for (const auto& [path, state] : after)
    if (!before.contains(path)) changed.insert(path);
  std::erase_if(changed, [&](const std::string& path) {
    return path + "/" == named || path == named || is_below(path, named) ||
           (is_below(named, path) && fs::is_directory(path));
  });
  return {changed.begin(), changed.end()};
}

/// What it tried to write outside of that folder, whatever came of it.
std::vector<std::string> reached_beyond(const Home& home, const std::vector<std::string>& words, Run& run) {
  std::vector<std::string> beyond;
  run = traced(
      words,
      [&](const Call& call) {
        for (const std::string& path : written_by(call))
          if (!is_below(path, home.root())) beyond.push_back(path);
        return 0;
      },
      home.setting(alone));
  return beyond;
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

TEST_CASE("a write beside the named file is seen") {
  if (!can_sandbox() || !can_trace()) return;
  const Home home;
  const auto before = home.tree();
  Run run;
  const auto lock = words_of("lock --model llama-7b --task finetune --cloud aws -q --to");
  const auto to = [&](const std::string& path) {
    auto words = lock;
    words.push_back(path);
    return words;
  };
  CHECK(reached_beyond(home, to("l.lock"), run).empty());
  REQUIRE(run.status == 0);
  CHECK(changed_beside(home.work() + "/l.lock", before, home.tree()).empty());
  CHECK(changed_beside(home.work() + "/m.lock", before, home.tree()) ==
        std::vector<std::string>{home.work() + "/l.lock"});
  std::ofstream(home.root() + "/home/own.txt") << "home";  // the same text once more
  CHECK(changed_beside(home.work() + "/l.lock", before, home.tree()) ==
        std::vector<std::string>{home.root() + "/home/own.txt"});
  CHECK_FALSE(reached_beyond(home, to("../../beyond.lock"), run).empty());
  fs::remove(fs::path(home.root()).parent_path() / "beyond.lock");
}

TEST_CASE("no command opens a connection, starts a program or writes what it was not told to") {
  if (!can_sandbox() || !can_trace()) return;
  auto all = command_lines();
  for (const char* line : kWriters) all.push_back(words_of(line));
  // Of these git would be asked when they were committed, and the drivers which GPUs there are.
  for (auto& words : all)
    if (words.size() > 1 && words[1] == "import" && std::ranges::find(words, "--as-of") == words.end())
      words.insert(words.end(), {"--as-of", "2026-11-20"});
  const Home home;
  auto before = home.tree();
  std::size_t written = 0;
  for (const auto& words : all) {
    const std::string target = target_of(words);
    CAPTURE(words, target);
    if (target.empty()) {
      // Of commands that name no file, this one keeps its question.
      const bool keeps = words.front() == "recommend";
      CHECK(ask(words, home.setting(alone_and_reading, keeps ? "off" : "")).status < 128);
      continue;
    }
    Run run;
    CHECK(reached_beyond(home, words, run).empty());
    CAPTURE(run.err);
    CHECK(run.status < 128);
    auto after = home.tree();
    CHECK(changed_beside((fs::path(home.work()) / target).lexically_normal(), before, after).empty());
    written += after == before ? 0 : 1;
    before = std::move(after);
  }
  CHECK(written >= 10);
  for (const std::string word : {"help", "--help", "--version", "completion bash", "recommend --help", "config show"})
    CHECK(ask(words_of(word), home.setting(alone_and_reading)).status < 128);
  CHECK(home.tree() == before);
}

TEST_CASE("the last question is kept in its own folder alone, and nowhere where that is off or in a pipeline") {
  if (!can_sandbox() || !can_trace()) return;
  const Home home;
  const auto before = home.tree();
  const auto words = words_of("recommend --model llama-7b --task finetune --cloud aws -n 1");
  Setting pipeline = home.setting(alone_and_reading);
  pipeline.environment["CI"] = "true";
  CHECK(ask(words, pipeline).status == 0);
  CHECK(ask(words, home.setting(alone_and_reading, "off")).status == 0);
  CHECK(home.tree() == before);
  Run run;
  CHECK(reached_beyond(home, words, run).empty());
  CHECK(run.status == 0);
  const auto after = home.tree();
  CHECK(after.contains(home.root() + "/state/gpusel/last.json"));
  CHECK(changed_beside(home.root() + "/state/gpusel", before, after).empty());
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

}  // namespace system_calls_test
