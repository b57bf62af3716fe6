// Disks that are full or take no writing, and streams that are closed: one sentence, the documented status, and
// what was there before stays as it was.
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/cannot_run.hpp"
#include "support/program.hpp"
#include "support/writers.hpp"

namespace faults_writing_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

/// One sentence on standard error that says `what`.
void must_tell(const Run& run, int status, const std::string& what) {
  CAPTURE(run.out, run.err);
  CHECK(run.status == status);
  CHECK(is_one_error(run.err));
  CHECK(run.err.find(what) != std::string::npos);
}

/// Command lines of every command, none of which writes a file.
constexpr const char* kAnswers[] = {
    "recommend --model llama-7b --task finetune --cloud aws",
    "estimate --model llama-7b --task finetune --gpu h100 --gpus 8",
    "fit --gpu l4",
    "preflight --gpu l4 -- vllm serve llama-3.1-8b --max-model-len 4096",
    "compare h100 l40s",
    "explain memory --model llama-7b --task finetune --cloud aws",
    "why 1 --model llama-7b --task finetune --cloud aws",
    "cost p4d.24xlarge",
    "simulate --model llama-3.1-8b --gpu l40s --rps 2 --requests 500 --knee false",
    "fleet --model llama-3.1-8b --traffic chat --rate 20 --ttft 1000 --tpot 60 --cloud aws",
    "export",
    "verify -q",
    "calibrate tests/data/runs/runs.csv --dry-run -q",
    "gpus",
    "instances -q",
    "models",
    "catalog import --from skypilot tests/catalog/import/sky/gcp.csv --dry-run -q",
    "catalog lint --list",
    "catalog new",
    "catalog path -q",
    "catalog sources",
    "catalog show aws",
    "catalog stats",
    "catalog drift",
    "catalog diff -o json",
    "whatif --model llama-7b --task finetune --cloud aws --vary epochs=1..3",
    "report --model llama-7b --task finetune --cloud aws",
    "completion bash",
    "config show",
    "config path",
    "check --policy tests/schema/files/policy.yaml --model llama-7b --task finetune --cloud aws",
    "lock --model llama-7b --task finetune --cloud aws --dry-run",
    "diff @lock",
    "doctor",
    "mcp -q"};

std::vector<std::string> words_of_answer(const std::string& line, const std::string& lock) {
  std::string all = line;
  if (const auto at = all.find("@lock"); at != std::string::npos) all.replace(at, 5, lock);
  return words_of(all);
}

std::string some_lock() {
  static const std::string lock = scratch_directory() + "/some.lock";
  if (!fs::exists(lock))
    REQUIRE(ask({"lock", "--model", "llama-7b", "--task", "finetune", "--cloud", "aws", "-q", "--to", lock}).status ==
            0);
  return lock;
}

/// Standard output becomes a pipe whose other end is closed.
void without_reader(const char*) {
  int ends[2];
  if (pipe(ends) != 0) _exit(126);
  dup2(ends[1], STDOUT_FILENO);
  for (const int end : ends) close(end);
}

const std::string kPing = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

}  // namespace

TEST_CASE("what gpusel did not write, or was edited since, is written over with --force alone") {
  for (const Writer& writer : kWriters) {
    if (writer.name == std::string("calibrate")) continue;  // joins what is there, and refuses what is none of its own
    CAPTURE(writer.name);
    const std::string folder = scratch_directory(), target = folder + "/" + writer.file;
    const std::string line = line_of(writer, target);
    REQUIRE(ask(words_of(line)).status == 0);
    const auto first = content_of(folder);
    REQUIRE_FALSE(first.empty());
    CHECK(ask(words_of(line)).status == 0);  // its own, as it was
    CHECK(content_of(folder) == first);
    const std::string& file = first.begin()->first;
    for (const bool appended : {true, false}) {
      if (appended && writer.name == std::string("lock"))
        continue;  // its checksum is of what it says, not of its bytes
      if (appended)
        std::ofstream(file, std::ios::app) << "\n";
      else
        std::ofstream(file) << "precious\n";
      const auto before = content_of(folder);
      const Run refused = ask(words_of(line));
      must_tell(refused, 2, appended ? "it was edited since gpusel wrote it" : "was not written by gpusel");
      CHECK(refused.err.find("--force") != std::string::npos);
      CHECK(content_of(folder) == before);
      CHECK(ask(words_of(line + " --force")).status == 0);
      CHECK(content_of(folder) != before);
      CHECK(ask(words_of(line)).status == 0);  // its own again
      CHECK(content_of(folder) == first);
    }
  }
}

TEST_CASE("a link in place of a file is refused, in place of a folder followed, and what it leads to stays") {
  for (const Writer& writer : kWriters) {
    const std::string folder = scratch_directory(), there = folder + "/there/" + writer.file;
    fs::create_directories(is_folder(writer) ? there : folder + "/there");
    REQUIRE(ask(words_of(line_of(writer, there))).status == 0);
    const auto before = content_of(folder + "/there");
    const std::string link = folder + "/link" + fs::path(writer.file).extension().string();
    fs::create_symlink(is_folder(writer) ? folder + "/there/x" : there, link);
    const Run run = ask(words_of(line_of(writer, is_folder(writer) ? link + "/" : link)));
    CAPTURE(writer.name, run.err);
    if (is_folder(writer))
      CHECK(run.status == 0);
    else
      must_tell(run, 2, "it is a symbolic link");
    CHECK(content_of(folder + "/there") == before);
    CHECK(fs::is_symlink(link));
    CHECK(fs::exists(link));
  }
}

TEST_CASE("every command is among those whose output is cut off here") {
  for (const gpusel::cli::Command& command : gpusel::cli::commands()) {
    const std::string name(command.name);
    if (name == "catalog update") continue;  // asks the network: tests/cli/price_server.py
    const bool is_there = std::any_of(std::begin(kAnswers), std::end(kAnswers), [&](const std::string& line) {
      return line == name || line.starts_with(name + " ");
    });
    CAPTURE(name);
    CHECK(is_there);
  }
}

TEST_CASE("an answer that a full disk does not take is a failure of every command") {
  for (const char* line : kAnswers) {
    CAPTURE(line);
    must_tell(ask(words_of_answer(line, some_lock()), {.input = kPing, .output_file = "/dev/full"}), 1,
              "could not write the output: No space left on device");
  }
  must_tell(ask({"--version"}, {.output_file = "/dev/full"}), 1, "No space left on device");
  must_tell(ask({"recommend", "--help"}, {.output_file = "/dev/full"}), 1, "No space left on device");
}

TEST_CASE("a reader that wants one line ends no command badly") {
  for (const char* line : kAnswers) {
    std::string quoted;
    for (const std::string& word : words_of_answer(line, some_lock())) quoted += " '" + word + "'";
    const Run run = command({"bash", "-c", "'" GPUSEL_PROGRAM "'" + quoted + " | head -n 1; exit ${PIPESTATUS[0]}"},
                            {.environment = {{"GPUSEL_TODAY", "2026-11-20"},
                                             {"XDG_CONFIG_HOME", "/nonexistent"},
                                             {"XDG_DATA_HOME", "/nonexistent"}},
                             .input = kPing});
    CAPTURE(line, run.err);
    CHECK((run.status == 0 || run.status == 4));  // 4: check
    CHECK(run.err.find("error: could not") == std::string::npos);
  }
}

TEST_CASE("a reader that is gone before the first byte changes neither status nor words of any command") {
  std::vector<std::vector<std::string>> lines{{"--version"}, {"--help"}, {"recommend", "--help"}};
  for (const char* line : kAnswers) lines.push_back(words_of_answer(line, some_lock()));
  for (const std::string line : {"gpus -o json", "gpus -o csv", "gpus -o html", "instances --gpu no-such",
                                 "recommend --model lama-7b", "estimate --batch tests/schema/files/requests.jsonl",
                                 "export skypilot --model llama-7b --task finetune", "instances show p4d.24xlarge"})
    lines.push_back(words_of(line));
  for (const auto& words : lines) {
    const Run usual = ask(words, {.input = kPing});
    const Run unread = ask(words, {.input = kPing, .before_start = without_reader});
    CAPTURE(words, unread.err);
    CHECK(unread.status == usual.status);
    CHECK(unread.err == usual.err);
    CHECK(unread.out.empty());
    CHECK((usual.status < 5 && !(usual.out + usual.err).empty()));
  }
}

TEST_CASE("a closed standard output is told, and nothing else is written in its place") {
  must_tell(shell("gpusel gpus >&-"), 1, "could not write the output: it is closed");
  const std::string lock = scratch_directory() + "/x.lock";
  const Run run = shell("gpusel lock --model llama-7b --task finetune --cloud aws --to " + lock + " <&- >&- 2>&-");
  CHECK(run.status == 1);
  CHECK(run.err.empty());
  CHECK(ask({"diff", lock}).status == 0);
  CHECK(shell("gpusel gpus 2>&-").status == 0);
  CHECK(shell("gpusel gpus show nothing 2>&-").status == 2);
}

/// O_NONBLOCK belongs to the pipe, not to who set it: a reader that shares it may have.
TEST_CASE("a pipe that does not wait loses no byte, written or read") {
  const std::string script =
      "import os, subprocess, sys, time\n"
      "r, w = os.pipe()\n"
      "os.set_blocking(w, False)\n"
      "p = subprocess.Popen([sys.argv[1], 'instances', '--json'], stdout=w)\n"
      "os.close(w)\n"
      "time.sleep(0.2)\n"
      "whole = b''.join(iter(lambda: os.read(r, 1 << 16), b''))\n"
      "assert p.wait() == 0, p.returncode\n"
      "assert whole == subprocess.run([sys.argv[1], 'instances', '--json'], capture_output=True).stdout\n"
      "assert len(whole) > 1 << 17\n"
      "r, w = os.pipe()\n"
      "os.set_blocking(r, False)\n"
      "p = subprocess.Popen([sys.argv[1], 'estimate', '--batch', '-'], stdin=r, stdout=subprocess.PIPE)\n"
      "time.sleep(0.2)\n"
      "os.write(w, b'{\"task\":\"inference\",\"model\":\"llama-3.1-8b\",\"gpu\":\"l4\"}\\n')\n"
      "os.close(w)\n"
      "assert b'\"fits\"' in p.communicate()[0] and p.returncode == 0\n";
  const Run run = command({"/usr/bin/python3", "-c", script, GPUSEL_PROGRAM});
  CAPTURE(run.err);
  CHECK(run.status == 0);
}

TEST_CASE("a target that cannot be written is named, with the reason") {
  for (const Writer& writer : kWriters) {
    CAPTURE(writer.name);
    const std::string file = scratch_file("file", "text");
    const Run below = ask(words_of(line_of(writer, file + "/" + writer.file)));
    must_tell(below, 1, is_folder(writer) ? "cannot make the folder" : "Not a directory");
    CHECK(read_file(file) == "text");
    if (is_folder(writer)) continue;
    const std::string folder = scratch_directory();
    const std::string target = folder + "/not/there/" + writer.file;
    const Run run = ask(words_of(line_of(writer, target)));
    CHECK(run.status == 0);
    CHECK(fs::is_regular_file(target));
  }
  const std::string folder = scratch_directory();
  must_tell(ask(words_of(line_of(kWriters[0], folder))), 1, "Is a directory");
  must_tell(ask(words_of(line_of(kWriters[0], "/dev/full"))), 1, "it is not a regular file");
  // A link to what the shell has opened, which a new file must not replace.
  const std::string opened = scratch_file("opened", "");
  for (const std::string stdout_named : {"/dev/stdout", "//dev/stdout", "/tmp/../dev/./stdout"}) {
    must_tell(shell("gpusel " + line_of(kWriters[0], stdout_named) + " >" + opened), 1, "it is not a regular file");
    REQUIRE(fs::is_symlink("/dev/stdout"));
  }
  const std::string longest = folder + "/" + std::string(255, 'x');
  CHECK(ask(words_of(line_of(kWriters[0], longest))).status == 0);
  CHECK(fs::is_regular_file(longest));
  must_tell(ask(words_of(line_of(kWriters[4], "/dev/full"))), 2, "is not a regular file");
}

TEST_CASE("a limit on the size of files is told, the old file stays, and no other is left", "[bare]") {
  for (const Writer& writer : kWriters) {
    const std::string folder = scratch_directory();
    const std::string line = line_of(writer, folder + "/" + writer.file);
    REQUIRE(ask(words_of(line)).status == 0);
    const auto before = content_of(folder);
    CHECK_FALSE(before.empty());
    // Through a pipe: the limit is one of all files that this process writes.
    const Run run = shell("{ ulimit -f 0; gpusel " + line + "; echo status $?; } 2>&1 | cat");
    CAPTURE(writer.name, run.out);
    CHECK(run.out.find("File too large\n") != std::string::npos);
    CHECK(run.out.ends_with("status 1\n"));
    CHECK(content_of(folder) == before);
  }
}

TEST_CASE("a disk that is full, or may only be read, is told, the old file stays, and no other is left") {
  const std::string disk = scratch_directory();
  // A file system of our own, which needs a namespace of our own.
  const std::string inside = "unshare --mount --map-root-user sh -c '";
  if (shell(inside + "mount -t tmpfs none " + disk + "'").status != 0) {
    cannot_run("no file system can be mounted here, not even in a namespace of one's own");
    return;
  }
  for (const Writer& writer : kWriters) {
    const std::string run = "gpusel " + line_of(writer, disk + "/" + writer.file);
    const std::string list = "find " + disk + " -type f ! -name fill -exec cksum {} + | sort";
    const Run full =
        shell(inside + "mount -t tmpfs -o size=2m none " + disk + " && " + run + " >" + disk + "/fill && " + list +
              " >&2 && { cat /dev/zero >" + disk + "/fill; " + run + "; echo status $?; " + list + "; } 2>&1'");
    CAPTURE(writer.name, full.out, full.err);
    CHECK(full.out.find("No space left on device\nstatus 1\n") != std::string::npos);
    CHECK(full.out.ends_with("status 1\n" + full.err));
    CHECK_FALSE(full.err.empty());
    const Run closed =
        shell(inside + "mount -t tmpfs none " + disk + " && " + run + " >/dev/null && " + list +
              " >&2 && mount -o remount,ro " + disk + " && { " + run + "; echo status $?; " + list + "; } 2>&1'");
    CAPTURE(closed.out, closed.err);
    CHECK(closed.out.find("Read-only file system\nstatus 1\n") != std::string::npos);
    CHECK(closed.out.ends_with("status 1\n" + closed.err));
  }
}

}  // namespace faults_writing_test
