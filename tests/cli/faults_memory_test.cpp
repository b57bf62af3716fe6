// Every nth allocation fails: what is written is whole or untouched, what is read is told or read, nothing crashes.
#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>

#include "cli/command.hpp"
#include "fuzz/corpus.hpp"
#include "fuzz/target.hpp"
#include "support/cannot_run.hpp"
#include "support/failing_memory.hpp"
#include "support/writers.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace faults_memory_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

/// The program inside the process that was made for it, whose memory runs out after so many allocations. How many were
/// made is left in a file.
Run run_with(const std::vector<std::string>& words, std::int64_t allocations, bool lasting, const std::string& count) {
  const auto inside = [&](const char*) {
    std::vector<const char*> argv{"gpusel"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    run_out_after(allocations, lasting);
    const int status = gpusel::cli::run_program(static_cast<int>(argv.size()), argv.data());
    const std::int64_t made = allocations_made();
    run_out_after(-1, false);
    std::ofstream(count) << made;
    _exit(status);
  };
  std::fflush(nullptr);
  return ask(words, {.before_start = inside});
}

/// Where it fails: evenly over all of them, and each of the last, when files are written.
std::vector<std::int64_t> places(std::int64_t all) {
  constexpr std::int64_t kSpread = 8, kLast = 12;
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < kSpread; ++i) out.push_back(i * all / kSpread + i % 7);
  for (std::int64_t at = std::max<std::int64_t>(0, all - kLast); at < all; ++at) out.push_back(at);
  return out;
}

std::vector<std::string> pending_in(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& [path, bytes] : content_of(folder))
    if (fs::path(path).filename().string().starts_with(".gpusel.")) all.push_back(path);
  return all;
}

constexpr int kAborted = -1;

/// In a process of its own: a value of nlohmann's needs memory to be taken apart, and none there ends the process. 0:
/// the failure was told or done without, and the same is read again.
int read_with(const gpusel::fuzz::Target& target, const std::string& bytes, std::int64_t allocations) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(4);
    int end = 0;
    run_out_after(allocations, false);
    try {
      target.run(bytes);
    } catch (const std::bad_alloc&) {
    } catch (...) {
      end = 2;
    }
    run_out_after(-1, false);
    try {
      target.run(bytes);
    } catch (...) {
      end = 3;
    }
    _exit(end);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) == SIGABRT ? kAborted : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a command whose memory runs out anywhere says so, and what it writes is whole or as it was") {
  for (const Writer& writer : kWriters) {
    const std::string folder = scratch_directory(), count = scratch_file("count", "");
    const auto words = words_of(line_of(writer, folder + "/" + writer.file));
    REQUIRE(run_with(words, -1, false, count).status == 0);
    const auto whole = content_of(folder);
    REQUIRE_FALSE(whole.empty());
    const std::int64_t all = std::stoll("0" + read_file(count));
    if (all == 0) return cannot_run("something else provides the memory of this program");
    int told = 0;
    for (const std::int64_t at : places(all)) {
      for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
      const Run run = run_with(words, at, at % 2 == 0, count);
      CAPTURE(writer.name, at, all, run.err);
      CHECK(pending_in(folder).empty());
      const auto now = content_of(folder);
      if (run.status == 0) {
        CHECK(now == whole);  // it did without
        continue;
      }
      ++told;
      CHECK(run.status == 1);
      CHECK(run.err == "error: not enough memory for this answer\n");
      if (now != whole) CHECK(now.empty());
    }
    CHECK(told > 8);
  }
}

TEST_CASE("a reader whose memory runs out anywhere throws that, and reads the same again") {
  for (const gpusel::fuzz::Target& target : gpusel::fuzz::targets()) {
    std::string bytes;
    for (const std::string& file : gpusel::fuzz::files_of(target))
      if (const std::string one = read_file(file); bytes.empty() || one.size() < bytes.size()) bytes = one;
    INFO("target " << target.name);
    run_out_after(-1, false);
    target.run(bytes);
    const std::int64_t all = allocations_made();
    for (const std::int64_t at : places(all)) {
      CAPTURE(at, all);
      // Another one where it was in such a destructor: few of all are.
      constexpr int kTries = 4, kApart = 97;
      int end = kAborted;
      for (int i = 0; end == kAborted && i < kTries; ++i) end = read_with(target, bytes, (at + i * kApart) % all);
      CHECK(end == 0);
    }
    CHECK_NOTHROW(target.run(bytes));
  }
}

}  // namespace faults_memory_test
