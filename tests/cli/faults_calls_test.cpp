// Calls that read and write files fail, are interrupted, or do less than they were asked for.
#include <sys/syscall.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "catalog/model_folders.hpp"
#include "support/cannot_run.hpp"
#include "support/traced.hpp"
#include "support/writers.hpp"

namespace faults_calls_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

const std::set<int> kOfBytes{SYS_read, SYS_write};

/// What the program asks about files and folders, and does to them.
const std::set<int> kOfFiles{SYS_read,   SYS_pread64, SYS_write,    SYS_writev,     SYS_openat,    SYS_close, SYS_fstat,
                             SYS_statx,  SYS_lseek,   SYS_renameat, SYS_newfstatat, SYS_renameat2, SYS_fsync, SYS_flock,
                             SYS_fchmod, SYS_mkdirat, SYS_unlinkat, SYS_getdents64, SYS_ftruncate,
#ifdef __x86_64__
                             SYS_rename, SYS_mkdir,   SYS_unlink,   SYS_readlink,   SYS_rmdir,     SYS_open,  SYS_stat,
                             SYS_lstat
#endif
};

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

/// How many calls of files the program makes, and the run in which the one at `at` fails with `error`; none if it is 0.
struct Faulted {
  Run run;
  int calls = 0;
  int failed = -1;  // which call of the system it was
};

Faulted with_fault(const std::vector<std::string>& words, int at, int error, const Setting& setting = {}) {
  Faulted out;
  out.run = faulty(
      words,
      [&](const Call& call) -> Fault {
        if (!kOfFiles.contains(call.number) || out.calls++ != at) return {};
        out.failed = call.number;
        return {.error = error};
      },
      setting);
  return out;
}

/// Faults take turns, so that a run for each call shows each call, and each of them at some.
int error_at(int call) { return call % 2 == 0 ? EIO : ENOSPC; }

/// One sentence, and a status that docs/cli.md gives to what cannot be read or written, or is not there.
void must_tell(const Run& run) {
  CHECK((run.status == 1 || run.status == 2 || run.status == 5));
  CHECK((run.err.starts_with("error: ") || run.err.contains("\nerror: ")));
  CHECK(run.err.ends_with("\n"));
}

std::map<std::string, std::string> without_pending(std::map<std::string, std::string> files) {
  std::erase_if(files, [](const auto& one) { return fs::path(one.first).filename().string().starts_with(".gpusel."); });
  return files;
}

/// A command that reads, and what it must be given.
struct Reader {
  const char* name;
  const char* command;
};

constexpr Reader kReaders[] = {
    {"overlay", "gpus --overlay tests/schema/files/gpu.yaml -o json"},
    {"prices", "instances --overlay @prices.csv -o json"},
    {"catalog", "gpus --catalog tests/data/market -o json"},
    {"model", "models show tests/schema/files/config.json -o json"},
    {"folder", "models show @model -o json"},
    {"batch", "estimate --batch @batch.jsonl"},
    {"measurements", "verify tests/data/runs/runs.csv -q -o json"},
    {"traffic",
     "simulate --model llama-3.1-8b --gpu l40s --traffic tests/schema/files/traffic.csv --knee false -o json"},
    {"policy", "check --policy tests/schema/files/policy.yaml --model llama-7b --task finetune --cloud aws -o json"},
    {"lock", "diff @x.lock -o json"},
    {"lists", "catalog import --from skypilot --as-of 2026-05-20 @lists --cloud gcp --dry-run -o json"},
    {"list", "catalog import --from skypilot --as-of 2026-05-20 tests/catalog/import/sky/gcp.csv --dry-run -o json"},
    {"settings", "gpus -o json"},
    {"own facts", "gpus -o json"}};

/// The files that the readers' names with @ stand for, and a project's settings.
class Inputs {
 public:
  Inputs() {
    fs::create_directories(folder_ + "/model");
    std::ofstream(folder_ + "/model/config.json") << kSmallLlama;
    std::ofstream(folder_ + "/model/model.safetensors", std::ios::binary) << small_file(small_llama());
    fs::create_directories(folder_ + "/own/gpusel");
    fs::copy_file(kSource + "/tests/schema/files/gpu.yaml", folder_ + "/own/gpusel/gpu.yaml");
    fs::create_directories(folder_ + "/lists/gcp");
    fs::copy_file(kSource + "/tests/catalog/import/sky/gcp.csv", folder_ + "/lists/gcp/vms.csv");
    std::ofstream(folder_ + "/batch.jsonl") << R"({"id":"a","task":"inference","model":"llama-3.1-8b","gpu":"l4"})"
                                            << "\n";
    std::ofstream(folder_ + "/prices.csv") << "instance,price\np4d.24xlarge,9.5\n";
    std::ofstream(folder_ + "/gpu.yaml") << read_file(kSource + "/tests/schema/files/gpu.yaml");
    std::ofstream(folder_ + "/.gpusel.yaml") << "overlay: gpu.yaml\ncurrency: EUR\n";
    REQUIRE(ask(words_of("lock --model llama-7b --task finetune --cloud aws -q --to " + folder_ + "/x.lock")).status ==
            0);
  }

  std::vector<std::string> words(const Reader& reader) const {
    std::vector<std::string> all = words_of(reader.command);
    for (std::string& word : all)
      if (word.starts_with('@')) word = folder_ + "/" + word.substr(1);
    return all;
  }
  Setting setting(const Reader& reader) const {
    Setting where;
    if (reader.name == std::string("settings")) where.directory = folder_;
    if (reader.name == std::string("own facts")) where.environment["XDG_DATA_HOME"] = folder_ + "/own";
    return where;
  }

 private:
  std::string folder_ = scratch_directory();
};

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

TEST_CASE("whichever call of a command that writes fails, it says so, and the file is the new one or none") {
  if (!can_fault()) return;
  for (const Writer& writer : kWriters) {
    const std::string folder = scratch_directory();
    const auto words = words_of(line_of(writer, folder + "/" + writer.file));
    const Faulted usual = with_fault(words, -1, 0);
    REQUIRE(usual.run.status == 0);
    const auto whole = content_of(folder);
    int told = 0;
    for (int at = 0; at < usual.calls; ++at) {
      empty(folder);
      const Faulted one = with_fault(words, at, error_at(at));
      CAPTURE(writer.name, at, one.failed, error_at(at), one.run.status, one.run.out, one.run.err);
      const auto now = content_of(folder);
      CHECK(now == without_pending(now));
      if (one.run.status == 0) {
        CHECK(one.run.out == usual.run.out);
        CHECK(now == whole);
        continue;
      }
      ++told;
      must_tell(one.run);
      if (now.empty() || now == whole) continue;
      CHECK(is_folder(writer));  // of several files: one of them says that others are missing
      CHECK(ask({"gpus", "--catalog", folder + "/" + writer.file}).status != 0);
    }
    CHECK(told >= 5);
  }
}

TEST_CASE("whichever call of a command that reads fails, it says so, or answers as it does without a fault") {
  if (!can_fault()) return;
  const Inputs inputs;
  for (const Reader& reader : kReaders) {
    const auto words = inputs.words(reader);
    const Faulted usual = with_fault(words, -1, 0, inputs.setting(reader));
    CAPTURE(reader.name, usual.run.err);
    REQUIRE(usual.run.status == 0);
    int told = 0;
    for (int at = 0; at < usual.calls; ++at) {
      const Faulted one = with_fault(words, at, error_at(at), inputs.setting(reader));
      CAPTURE(at, one.failed, error_at(at), one.run.status, one.run.out.substr(0, 500), one.run.err);
      if (one.run.status == usual.run.status) {
        CHECK(one.run.out == usual.run.out);
        continue;
      }
      ++told;
      must_tell(one.run);
    }
    CHECK(told >= 3);
  }
}

}  // namespace faults_calls_test
