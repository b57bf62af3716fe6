// Calls that read and write files are interrupted, or do less than they were asked for.
#include <sys/syscall.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "support/cannot_run.hpp"
#include "support/traced.hpp"
#include "support/writers.hpp"

namespace faults_calls_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

const std::set<int> kOfBytes{SYS_read, SYS_write};

bool can_fault() {
#ifdef __x86_64__
  return can_trace();
#else
  cannot_run("calls are made to fail on x86-64 alone");
  return false;
#endif
}

void empty(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
}

}  // namespace

TEST_CASE("calls that are interrupted, and reads and writes of less than was asked for, change nothing") {
  if (!can_fault()) return;
  for (const Writer& writer : kWriters) {
    const std::string folder = scratch_directory();
    const auto words = words_of(line_of(writer, folder + "/" + writer.file));
    const Run usual = ask(words);
    const auto whole = content_of(folder);
    for (const bool interrupted : {true, false}) {
      empty(folder);
      int calls = 0;
      const Run run = faulty(words, [&](const Call& call) -> Fault {
        // What is printed fails whole, and it is told: of files alone.
        if (!kOfBytes.contains(call.number) || call.arguments[0] <= STDERR_FILENO) return {};
        if (!interrupted) return {.shortened = true};
        return {.error = calls++ % 2 == 0 ? EINTR : 0};
      });
      CAPTURE(writer.name, interrupted, run.err);
      CHECK(run.status == usual.status);
      CHECK(run.out == usual.out);
      CHECK(content_of(folder) == whole);
    }
  }
}

}  // namespace faults_calls_test
