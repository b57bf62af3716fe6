// Surroundings that are not as one hopes: no home, odd locales and terminals, little memory, no name, other centuries.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "base/text/text.hpp"
#include "support/cannot_run.hpp"
#include "support/program.hpp"

namespace faults_surroundings_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

const std::string kJob = "recommend --model llama-7b --task finetune --cloud aws,gcp -n 3";

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of(text)) widest = std::max(widest, gpusel::display_width(line));
  return widest;
}

/// At a terminal of that many columns, and none named in the environment.
Run at_terminal(int columns, const std::string& line) {
  std::vector<std::string> all{"/usr/bin/env",     "-u",
                               "COLUMNS",          "NO_COLOR=1",
                               "PAGER=cat",        "GPUSEL_TODAY=2026-11-20",
                               "/usr/bin/python3", kSource + "/tests/cli/at_terminal.py",
                               "--columns",        std::to_string(columns),
                               GPUSEL_PROGRAM};
  for (const std::string& word : words_of(line)) all.push_back(word);
  all.emplace_back("--");
  return command(all);
}

}  // namespace

TEST_CASE("without a home every command answers, and what needs one says what to set") {
  const Run usual = ask(words_of(kJob));
  for (const char* home : {"", "relative", "/dev/null"}) {
    const Setting setting{.environment = {{"HOME", home}, {"XDG_DATA_HOME", home}, {"XDG_CONFIG_HOME", home}},
                          .directory = scratch_directory()};
    CAPTURE(home);
    const Run run = ask(words_of(kJob), setting);
    CHECK(run.status == 0);
    CHECK(run.out == usual.out);
    CHECK(run.err == usual.err);
    CHECK(ask({"doctor"}, setting).status == 0);
    CHECK(ask({"config", "show"}, setting).status == 0);
    const Run kept = ask({"calibrate", kSource + "/tests/data/runs/runs.csv", "-q"}, setting);
    if (std::string(home).starts_with('/')) {
      CHECK(kept.status == 1);
      CHECK(kept.err.find("Not a directory") != std::string::npos);
    } else {
      // A relative one would be another folder in every place.
      CHECK(kept.status == 2);
      CHECK(kept.err.find("set XDG_DATA_HOME, or name a file with --to") != std::string::npos);
    }
    CHECK(fs::is_empty(setting.directory));
  }
  const Run bare = command({"/usr/bin/env", "-i", GPUSEL_PROGRAM, "config", "path"});
  CHECK(bare.status == 0);
}

TEST_CASE("no locale changes a byte of any answer's figures") {
  for (const char* format : {"json", "csv", "yaml", "table"}) {
    const auto words = words_of(kJob + " -o " + format);
    const Run usual = ask(words, {.environment = {{"LC_ALL", "C"}}});
    REQUIRE(usual.status == 0);
    for (const char* locale : {"de_DE.UTF-8", "de_DE@euro", "xx", "", "tr_TR.UTF-8", "ar_EG.UTF-8", "zh_CN.GB18030x"}) {
      if (std::string(format) == "table" && std::string(locale).starts_with("zh")) continue;  // that is Chinese
      const Run run = ask(words, {.environment = {{"LC_ALL", locale}, {"LANG", locale}, {"LC_NUMERIC", locale}}});
      CAPTURE(format, locale);
      CHECK(run.status == 0);
      CHECK(run.out == usual.out);
    }
  }
}

TEST_CASE("whatever COLUMNS says, the answer is there") {
  const Run unlimited = shell("unset COLUMNS; gpusel " + kJob);
  REQUIRE(unlimited.status == 0);
  for (const char* columns : {"0", "abc", "-5", "", "1e9", "99999999999999999999", "nan", "0x50"}) {
    const Run run = ask(words_of(kJob), {.environment = {{"COLUMNS", columns}}});
    CAPTURE(columns);
    CHECK(run.status == 0);
    CHECK(run.out == unlimited.out);
  }
  for (const char* columns : {"1", "2", "10", "40", "80", "80.5"}) {
    const Run run = ask(words_of(kJob), {.environment = {{"COLUMNS", columns}}});
    CAPTURE(columns, run.out);
    CHECK(run.status == 0);
    CHECK(run.out.find("llama-7b") != std::string::npos);
  }
  CHECK(widest_line(ask(words_of(kJob), {.environment = {{"COLUMNS", "80"}}}).out) <= 80);
}

TEST_CASE("a terminal tells its width, one of no columns is no reason to fail") {
  const Run usual = at_terminal(80, kJob);
  CAPTURE(usual.out, usual.err);
  CHECK(usual.status == 0);
  CHECK(widest_line(usual.out) <= 80);
  CHECK(widest_line(usual.out) > 60);
  const Run none = at_terminal(0, kJob);
  CHECK(none.status == 0);
  CHECK(widest_line(none.out) > 80);
  CHECK(at_terminal(1, kJob).status == 0);
  CHECK(at_terminal(65535, kJob).out == none.out);
}

TEST_CASE("errors and notes fit the terminal, and what would be right stands below") {
  const Run wrong = at_terminal(40, "recommend lama-3.1-8b");
  CAPTURE(wrong.out);
  CHECK(widest_line(wrong.out) <= 40);
  CHECK(wrong.out.starts_with("error: unknown model 'lama-3.1-8b'\nhelp: did you mean "));
  CHECK(wrong.out.find("\n      ") != std::string::npos);  // what goes on stands below what was begun
  const std::string note = at_terminal(40, "instances g4 -n 1").out;
  CAPTURE(note);
  CHECK(widest_line(note.substr(note.find("note: "))) <= 40);
  CHECK(note.find("\n\n\n") == std::string::npos);
  CHECK_FALSE(note.ends_with("\n\n"));
  // In a pipe a line is a sentence.
  CHECK(lines_of(ask(words_of("recommend lama-3.1-8b"), {.environment = {{"COLUMNS", "20"}}}).err).size() == 2);
}

TEST_CASE("too little memory is told in one sentence", "[bare]") {
#ifdef __SANITIZE_ADDRESS__
  cannot_run("AddressSanitizer keeps more address space than there is memory");
#else
  for (const std::string answer : {"instances --json -q", "recommend --model llama-7b --task finetune --json -q"}) {
    int told = 0;
    for (int kilobytes = 60000; kilobytes >= 16000; kilobytes -= 300) {
      const std::string limited = "ulimit -v " + std::to_string(kilobytes) + "; gpusel ";
      const Run run = shell(limited + answer);
      CAPTURE(answer, kilobytes, run.status, run.err);
      if (run.status == 0) continue;
      // Below the size of the program itself it is not even started, or does not come to its first line.
      if (run.status > 125 && shell(limited + "--version").status > 125) break;
      ++told;
      CHECK(run.status == 1);
      CHECK(run.out.empty());
      CHECK(run.err == "error: not enough memory for this answer\n");
    }
    CHECK(told > 0);
  }
#endif
}

TEST_CASE("arguments of any length are told in a sentence of some length") {
  const std::string word(100000, 'a');
  for (const std::string line : {"@", "--@", "recommend --model @", "catalog show @", "compare @ h100", "completion @",
                                 "whatif --model llama-7b --task finetune --vary @=1..2", "export @", "config show @",
                                 "recommend --model llama-7b --task finetune --gpu @", "explain @",
                                 "recommend --model llama-7b --task finetune --filter @", "verify --by @",
                                 "recommend --model llama-7b --task finetune --price @=1"}) {
    std::string words = line;
    words.replace(words.find('@'), 1, word);
    const Run run = ask(words_of(words));
    CAPTURE(line, run.err.substr(0, 300));
    CHECK(run.status == 2);
    CHECK(run.err.size() < 400);
    CHECK(is_one_error(run.err));
  }
  CHECK(ask({"gpus", "--overlay", word}).err.ends_with("': File name too long\n"));
}

TEST_CASE("a program started without even its name shows what it can do") {
  const std::string out = scratch_file("out", "");
  const pid_t child = fork();
  if (child == 0) {
    char* none[] = {nullptr};
    const int file = open(out.c_str(), O_WRONLY);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execve(GPUSEL_PROGRAM, none, none);
    _exit(127);
  }
  int state = 0;
  REQUIRE(waitpid(child, &state, 0) == child);
  REQUIRE(WIFEXITED(state));
  const Run usual = ask({});
  CHECK(WEXITSTATUS(state) == usual.status);
  for (const std::string& text : {read_file(out), usual.out}) CHECK(text.find("To begin with") != std::string::npos);
}

TEST_CASE("a day of another century is reckoned with, or refused with the years that are known") {
  for (const char* day : {"1990-01-01", "2999-12-31"}) {
    const Setting setting{.environment = {{"GPUSEL_TODAY", day}}};
    for (const std::string& line : {kJob, std::string("doctor"), std::string("catalog stats"),
                                    std::string("lock --dry-run --model llama-7b --task finetune --cloud aws"),
                                    std::string("instances --max-price-age 30d")}) {
      const Run run = ask(words_of(line), setting);
      CAPTURE(day, line, run.err);
      CHECK((run.status == 0 || run.status == 6 || run.status == 3));
    }
  }
  for (const char* day : {"1969-12-31", "1989-12-31", "3000-01-01", "9999-12-31", "10000-01-01", "-1-01-01",
                          "0000-00-00", "2026-02-30", "2026-11", "2026-11-20 ", "today"}) {
    const Run run = ask({"doctor"}, {.environment = {{"GPUSEL_TODAY", day}}});
    CAPTURE(day);
    CHECK(run.status == 2);
    CHECK(run.err == std::string("error: GPUSEL_TODAY: '") + day +
                         "' is not a day between 1990 and 2999\nhelp: write it like 2026-11-21\n");
  }
}

}  // namespace faults_surroundings_test
