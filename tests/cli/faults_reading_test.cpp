// Files that cannot be read, never end, or wait for somebody who never comes; standard input that is closed.
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/cannot_run.hpp"
#include "support/program.hpp"

namespace faults_reading_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

/// Command lines that read the file @; with the status of one that cannot be read.
struct Reader {
  const char* command;
  int status = 2;
};

constexpr Reader kReaders[] = {
    {"gpus --overlay @"},
    {"recommend --model llama-7b --task finetune --rules @"},
    {"check --policy @ --model llama-7b --task finetune"},
    {"check --policy tests/schema/files/policy.yaml @"},
    {"diff @"},
    {"cost @"},
    {"export skypilot @"},
    {"estimate --batch @"},
    {"verify @"},
    {"calibrate --dry-run @"},
    {"models show @"},
    {"recommend --stages @"},
    {"fleet --model llama-3.1-8b --ttft 1000 --tpot 60 --traffic @"},
    {"catalog import --dry-run --from generic-csv @", 1},
    {"catalog import --dry-run --from vast @", 1},
    {"catalog import --dry-run --from aws-pricing @", 1},
};

/// `timeout` ends with 124 whoever waits for ever; memory is bounded, too. `as`: a command that starts another.
Run read_with(const Reader& reader, const std::string& file, const std::string& as = "") {
  std::string line = reader.command;
  line.replace(line.find('@'), 1, file);
  std::string limit = "ulimit -t 120; ";
#ifndef __SANITIZE_ADDRESS__  // it keeps more address space than there is memory
  limit += "ulimit -v 1000000; ";
#endif
  return shell(limit + "timeout 20 " + as + "gpusel " + line + " </dev/null");
}

void must_refuse(const Reader& reader, const std::string& file, const std::string& what, const std::string& as = "") {
  const Run run = read_with(reader, file, as);
  CAPTURE(reader.command, file, run.out, run.err);
  CHECK(run.status == reader.status);
  CHECK(run.err.starts_with("error: "));
  CHECK(run.err.find(what) != std::string::npos);
  // An import tells of the file, and that nothing is left to import.
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == (reader.status == 1 ? 2 : 1));
}

/// Takes from root the right to read what nobody may; everybody else has none.
std::string as_anybody() { return geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search " : ""; }

/// Whether a file without rights can be kept from the program here; otherwise says why not.
bool can_withhold() {
  const std::string file = scratch_file("withheld", "");
  fs::permissions(file, fs::perms::none);
  if (shell(as_anybody() + "test ! -r " + file).status == 0) return true;
  WARN("the right to read everything cannot be laid down here");
  return false;
}

}  // namespace

TEST_CASE("a named pipe that nobody writes into keeps no command waiting") {
  const std::string pipe = scratch_directory() + "/pipe.yaml";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const Reader& reader : kReaders) {
    if (std::string(reader.command).starts_with("cost")) continue;  // reads what looks like a file alone
    if (std::string(reader.command).starts_with("models")) continue;
    must_refuse(reader, pipe, "it is not a regular file");
  }
  CHECK(ask({"gpus", "--catalog", pipe}).err == "error: cannot read '" + pipe + "': it is not a regular file\n");
}

TEST_CASE("a device that never ends is refused after a bounded part of it") {
  for (const Reader& reader : kReaders) {
    const Run run = read_with(reader, "/dev/zero");
    CAPTURE(reader.command, run.err);
    CHECK((run.status == reader.status || run.status == 1));
    CHECK(run.err.starts_with("error: "));
  }
  CHECK(ask({"estimate", "--batch", "/dev/zero"}).err ==
        "error: cannot read '/dev/zero': a line does not end within 1024 MiB\n");
}

TEST_CASE("a folder, a loop of links and what lies below a file are refused with the reason") {
  const std::string folder = scratch_directory(), file = scratch_file("file", "");
  fs::create_symlink(folder + "/loop.yaml", folder + "/loop.yaml");
  fs::create_directories(folder + "/empty");
  for (const Reader& reader : kReaders) {
    const std::string line = reader.command;
    if (line.starts_with("gpus")) continue;                                // reads folders
    if (line.starts_with("models") || line.starts_with("cost")) continue;  // takes other words for names
    const bool walks = std::string_view(reader.command).starts_with("catalog import");
    must_refuse(reader, walks ? folder + "/empty" : folder, walks ? "empty" : "directory");
    must_refuse(reader, "/proc/self/mem", "Input/output error");
    if (line.starts_with("fleet")) continue;  // a name of a profile, where there is no such file
    must_refuse(reader, folder + "/loop.yaml", "Too many levels of symbolic links");
    must_refuse(reader, file + "/x.yaml", "Not a directory");
    must_refuse(reader, folder + "/gone.yaml", "No such file or directory");
  }
}

TEST_CASE("what one has no right to read is told in one sentence, and not done without") {
  if (!can_withhold()) return;
  const std::string file = scratch_file("own.yaml", "gpus: []\n");
  fs::permissions(file, fs::perms::none);
  for (const Reader& reader : kReaders)
    must_refuse(reader, file, "cannot read '" + file + "': Permission denied\n", as_anybody());
  const std::string home = scratch_directory(), folder = home + "/gpusel";
  fs::create_directories(folder + "/below");
  for (const char* name : {"/a.yaml", "/below/b.yaml"}) std::ofstream(folder + name) << "gpus: []\n";
  const auto told = [&](const std::string& withheld, const std::string& sentence) {
    const fs::perms before = fs::status(withheld).permissions();
    fs::permissions(withheld, fs::perms::none);
    for (const std::string& line :
         {"gpus --overlay " + folder, "gpus --catalog " + folder, "catalog diff " + folder, "catalog lint " + folder}) {
      const Run run = shell(as_anybody() + "gpusel " + line);
      CAPTURE(withheld, line, run.out);
      CHECK(run.status == 2);
      CHECK(run.err == "error: cannot read " + sentence + ": Permission denied\n");
    }
    fs::permissions(withheld, before);
  };
  told(folder, "all of '" + folder + "'");
  told(folder + "/below", "all of '" + folder + "'");
  told(folder + "/below/b.yaml", "'" + folder + "/below/b.yaml'");
  fs::permissions(folder, fs::perms::none);
  const Run prices = shell(as_anybody() + "gpusel gpus", {.environment = {{"XDG_DATA_HOME", home}}});
  CHECK(prices.status == 2);
  CHECK(prices.err == "error: cannot read all of '" + folder + "': Permission denied\n");
  fs::permissions(folder, fs::perms::owner_all);
}

TEST_CASE("settings that cannot be read are told by every command, and waited for by none") {
  const std::string home = scratch_directory();
  fs::create_directories(home + "/gpusel");
  const std::string file = home + "/gpusel/config.yaml";
  const Setting setting{.environment = {{"XDG_CONFIG_HOME", home}}};
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  CHECK(ask({"gpus"}, setting).err == "error: cannot read '" + file + "': it is not a regular file\n");
  fs::remove(file);
  fs::create_directory(file);
  CHECK(ask({"gpus"}, setting).err == "error: cannot read '" + file + "': it is a directory\n");
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  const Run endless = ask({"gpus"}, setting);
  CHECK(endless.status == 2);
  CHECK(std::count(endless.err.begin(), endless.err.end(), '\n') == 1);
}

TEST_CASE("prices of one's own that are there and cannot be read are told, not done without") {
  const std::string home = scratch_directory();
  const Setting setting{.environment = {{"XDG_DATA_HOME", home}}};
  CHECK(ask({"gpus"}, setting).status == 0);
  const auto told = [&](const std::string& what) {
    const Run run = ask({"gpus"}, setting);
    CAPTURE(run.err);
    CHECK((run.status == 2 || run.status == 5));
    CHECK(run.out.empty());
    CHECK(run.err.find(what) != std::string::npos);
    fs::remove(home + "/gpusel");
  };
  std::ofstream(home + "/gpusel") << "a file in the place of the folder";
  told("a map was expected");
  fs::create_symlink(home + "/gpusel", home + "/gpusel");
  told("Too many levels of symbolic links");
  fs::create_symlink(home + "/gone", home + "/gpusel");
  told("No such file or directory");
}

TEST_CASE("what is no file in a folder of overlays is told, not left out") {
  const std::string folder = scratch_directory();
  std::ofstream(folder + "/a.yaml") << "gpus: []\n";
  REQUIRE(ask({"gpus", "--overlay", folder}).status == 0);
  const auto told = [&](const std::string& what) {
    const Run run = shell("timeout 20 gpusel gpus --overlay " + folder);
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(run.err == "error: cannot read '" + folder + "/b.yaml': " + what + "\n");
    fs::remove(folder + "/b.yaml");
  };
  fs::create_symlink(folder + "/gone", folder + "/b.yaml");
  told("No such file or directory");
  fs::create_symlink("/dev/zero", folder + "/b.yaml");
  told("it is not a regular file");
  REQUIRE(mkfifo((folder + "/b.yaml").c_str(), 0600) == 0);
  told("it is not a regular file");
  fs::create_directory(folder + "/b.yaml");  // one for more files
  CHECK(ask({"gpus", "--overlay", folder}).status == 0);
}

TEST_CASE("a device that a file names is waited for by nobody") {
  const std::string stages = scratch_file("stages.yaml", "stages: [{name: a, task: inference, model: /dev/stdin}]\n");
  const std::string requests =
      scratch_file("requests.jsonl", "{\"task\":\"inference\",\"model\":\"/dev/stdin\",\"gpu\":\"l4\"}\n");
  for (const std::string& line : {"recommend --stages " + stages, "estimate --batch " + requests}) {
    const std::string pipe = scratch_directory() + "/pipe";
    const Run run = shell("mkfifo " + pipe + " && exec 3<>" + pipe + " && timeout 10 gpusel " + line + " <&3");
    CAPTURE(line);
    CHECK((run.out + run.err).find("'/dev/stdin' is a device") != std::string::npos);
  }
}

TEST_CASE("settings that a stranger's link leads to are a stranger's") {
  if (geteuid() != 0) {
    cannot_run("only root can make a stranger's link");
    return;
  }
  const std::string folder = scratch_directory();
  std::ofstream(folder + "/mine.yaml") << "currency: EUR\n";
  fs::create_symlink("mine.yaml", folder + "/.gpusel.yaml");
  const Setting setting{.directory = folder};
  CHECK(ask({"gpus"}, setting).status == 0);
  REQUIRE(lchown((folder + "/.gpusel.yaml").c_str(), 1234, 1234) == 0);
  const Run run = ask({"gpus"}, setting);
  CHECK(run.status == 2);
  CHECK(run.err.find("belongs to another user") != std::string::npos);
}

TEST_CASE("standard input that is closed, or no stream, is told by whoever was to read it") {
  for (const std::string line : {"estimate --batch -", "diff -", "export skypilot -", "mcp",
                                 "check --policy tests/schema/files/policy.yaml -", "recommend --stages -"})
    for (const auto& [input, why] : {std::pair{"<&-", "it is closed"}, {"</tmp", "Is a directory"}}) {
      const Run run = shell("gpusel " + line + " " + input);
      CAPTURE(line, input, run.out);
      CHECK(run.status == 2);
      CHECK(run.err == std::string("error: cannot read 'standard input': ") + why + "\n");
    }
}

TEST_CASE("what the shell hands over is read, whatever it is") {
  const std::string request = "{\"task\":\"inference\",\"model\":\"llama-3.1-8b\",\"gpu\":\"l4\"}";
  const Run run = command({"bash", "-c",
                           "\"$0\" estimate --batch <(echo '" + request + "') --overlay <(echo 'gpus: []') && echo '" +
                               request + "' | \"$0\" estimate --batch /dev/stdin",
                           GPUSEL_PROGRAM});
  CAPTURE(run.err);
  CHECK(run.status == 0);
  CHECK(lines_of(run.out).size() == 2);
}

TEST_CASE("lines of requests may end at any byte of a block, and the last without a line feed") {
  const std::string request = "{\"task\":\"inference\",\"model\":\"llama-3.1-8b\",\"gpu\":\"l4\"";
  std::string input;
  for (int i = 0; i < 40; ++i)
    input += request + ",\"id\":\"" + std::string(static_cast<std::size_t>(3000 + i * 97), 'x') + "\"}\r\n\n";
  input += request + "}";
  const Run run = ask({"estimate", "--batch", "-"}, {.input = input});
  CHECK(run.status == 0);
  CHECK(lines_of(run.out).size() == 41);
  const std::string endless(std::size_t{5} << 20U, 'x');
  const Run longer = ask({"estimate", "--batch", "-"}, {.input = endless + "\n" + request + "}\n" + endless});
  CHECK(longer.status == 1);
  const auto lines = lines_of(longer.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("a request of more than 4 MiB") != std::string::npos);
  CHECK(lines[1].find("\"fits\":true") != std::string::npos);
  CHECK(lines[2] == lines[0]);
}

}  // namespace faults_reading_test
