// Inputs that were damaged, each in a file named after its cause: refused with one sentence, and nothing hangs.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "support/program.hpp"

namespace damaged_inputs_test {

using namespace gpusel;
using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

const std::string kFolder = std::string(GPUSEL_SOURCE_DIR) + "/tests/data/damaged/";

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string_view rest = line;
  for (std::size_t at = 0; at != std::string_view::npos; rest.remove_prefix(at + 3)) {
    at = rest.find(" | ");
    cells.emplace_back(rest.substr(0, at));
    if (at == std::string_view::npos) break;
  }
  return cells;
}

}  // namespace

TEST_CASE("every damaged input is refused with its cause", "[damaged]") {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) files.insert(entry.path().filename().string());
  files.erase("causes.txt");
  std::ifstream causes(kFolder + "causes.txt");
  std::string line;
  while (std::getline(causes, line)) {
    if (line.starts_with("#")) continue;
    const auto cells = cells_of(line);
    REQUIRE(cells.size() == 4);
    CAPTURE(line);
    files.erase(cells[2]);
    std::string command = cells[0];
    const Run run = ask(words_of(command.replace(command.find('@'), 1, kFolder + cells[2])));
    CAPTURE(run.out, run.err);
    CHECK(std::to_string(run.status) == cells[1]);
    CHECK(run.out.empty());
    CHECK((run.err.starts_with("error: ") || run.err.contains("\nerror: ")));
    CHECK(run.err.find(cells[2]) != std::string::npos);
    CHECK(run.err.find(cells[3]) != std::string::npos);
  }
  CAPTURE(files);
  CHECK(files.empty());
}

TEST_CASE("settings with ten thousand unknown keys are read to the first hundred problems", "[damaged]") {
  const std::string folder = scratch_directory();
  std::ofstream settings(folder + "/.gpusel.yaml");
  for (int i = 0; i < 10'000; ++i) settings << "unknown" << i << ": 1\n";
  settings.close();
  for (const std::string command : {"models", "config show", "doctor"}) {
    CAPTURE(command);
    const Run run = ask(words_of(command), {.directory = folder});
    CHECK(run.status != 0);
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') <= 110);
  }
  CHECK(ask({"models"}, {.directory = folder}).err.find("and 80 more problems; reading stopped") != std::string::npos);
}

TEST_CASE("objects of a hundred thousand keys are told by what they lack", "[damaged]") {
  std::string object = "{\"k\": 1";
  for (int i = 0; i < 100'000; ++i) object += ", \"k" + std::to_string(i) + "\": " + std::to_string(i);
  const std::string file = scratch_file("keys.json", object + "}\n");
  CHECK(ask({"diff", file}).err.find("is not a lock of gpusel") != std::string::npos);
  const Run lock = ask({"lock", "--model", "llama-7b", "--task", "finetune", "--cloud", "aws", "-q", "--to", file});
  CHECK(lock.err.find("it exists and was not written by gpusel") != std::string::npos);
  const Run verify = ask({"verify", file});
  CHECK(verify.status == 2);
  CHECK(std::count(verify.err.begin(), verify.err.end(), ',') <= 110);
}

TEST_CASE("what holds nothing that can be used is read to the first hundred problems", "[damaged]") {
  std::string questions, rows = "task,model,gpu,itl_ms\n";
  for (int i = 0; i < 10'000; ++i) {
    questions += R"({"task":"inference","model":"unknown)" + std::to_string(i) + R"(","gpu":"l4"})" + "\n";
    rows += "inference,llama-3.1-8b,unknown" + std::to_string(i) + ",3\n";
  }
  const Run batch = ask({"estimate", "--batch", scratch_file("questions.jsonl", questions)});
  CHECK(batch.status == 1);
  CHECK(std::count(batch.out.begin(), batch.out.end(), '\n') == 100);
  CHECK(batch.err.find("none of the first 100 lines can be answered; reading stopped") != std::string::npos);
  const std::string good = R"({"task":"inference","model":"llama-3.1-8b","gpu":"l4"})";
  const Run answered =
      ask({"estimate", "--batch", scratch_file("good.jsonl", good + "\n" + questions.substr(0, 20'000))});
  CHECK(std::count(answered.out.begin(), answered.out.end(), '\n') > 300);  // each line its answer
  for (const std::string command : {"verify", "calibrate"}) {
    const Run run = ask({command, scratch_file("rows.csv", rows)});
    CAPTURE(command, run.err);
    CHECK(run.status == 3);
    CHECK(run.err.find("none of the first 100 rows can be used; reading stopped") != std::string::npos);
    CHECK(run.err.find("unknown99'") == run.err.npos);  // 20 are shown
  }
}

TEST_CASE("a large file of YAML that is not plain is refused with the place", "[damaged]") {
  std::string text = "# a list\r\ngpus:\r\n";
  while (text.size() < 5'000'000) text += "  - {id: x, name: \"of many\", bits: [1, 2]}\r\n";
  const auto told = [](const std::string& yaml) {
    return ask({"gpus", "--overlay", scratch_file("x.yaml", yaml)}).err;
  };
  CHECK(told(text).find("is missing") != std::string::npos);  // read whole, whatever its lines end in
  CHECK(told(text + "  - {id: \"\\x41\"}\r\n").find("not plain YAML, of which at most 4 MiB are read") !=
        std::string::npos);
}

TEST_CASE("a folder that is no catalogue is not read", "[damaged]") {
  const std::string home = scratch_directory();
  std::ofstream(home + "/own.yaml") << "gpus: []\n";
  const auto refused = [&](const std::string& folder, const std::string& says) {
    for (const std::string flag : {"--overlay", "--catalog"}) {
      const Run run = ask({"gpus", flag, folder}, {.environment = {{"HOME", home}}, .directory = home});
      CAPTURE(folder, flag, run.err);
      CHECK(run.status == 2);
      CHECK(run.err.find(says) != std::string::npos);
    }
  };
  refused(".", "it is your home folder");
  refused(home, "it is your home folder");
  refused("/", "it is the root of all files");
  const std::string deep = scratch_directory();
  fs::create_directories(deep + "/1/2/3/4/5/6/7/8/9");
  refused(deep, "it is deeper than 8 folders");
  const std::string many = scratch_directory();
  for (int i = 0; i <= 2'000; ++i) std::ofstream(many + "/" + std::to_string(i) + ".yaml") << "gpus: []\n";
  refused(many, "it has more than 2000 .yaml files");
  const std::string large = scratch_directory();
  for (int i = 0; i < 3; ++i) {
    std::ofstream(large + "/" + std::to_string(i) + ".yaml") << "gpus: []\n";
    fs::resize_file(large + "/" + std::to_string(i) + ".yaml", std::uintmax_t{30} << 20U);  // sparse
  }
  refused(large, "its files have more than 64 MiB");
  const std::string full = scratch_directory();
  std::string values = "gpus: [1";
  for (int i = 0; i < 450'000; ++i) values += ",1";
  for (int i = 0; i < 60; ++i) std::ofstream(full + "/" + std::to_string(i) + ".yaml") << values << "]\n";
  refused(full, "its files have more than 4,000,000 values");
}

TEST_CASE("own prices of unknown SKUs are read to the first hundred problems", "[damaged]") {
  const std::string folder = scratch_directory();
  std::ofstream settings(folder + "/.gpusel.yaml");
  settings << "price:\n";
  for (int i = 0; i < 10'000; ++i) settings << "  - unknown" << i << "=1\n";
  settings.close();
  const Run run = ask({"recommend", "--model", "llama-7b", "--task", "finetune"}, {.directory = folder});
  CHECK(run.status == 2);
  CHECK(run.err.find("and 80 more problems; reading stopped") != std::string::npos);
}

TEST_CASE("a signed text is known as it was written, and every change of it is seen", "[damaged]") {
  for (const std::string text : {"a: 1\n", "# head\na: 1\n", "#!/bin/sh\necho a\n", "<!DOCTYPE html>\n<html></html>\n",
                                 "{\n  \"a\": 1\n}\n", "x"}) {
    CAPTURE(text);
    CHECK(author_of(text) == Author::other);
    const std::string mine = signed_text(text);
    CHECK(author_of(mine) == Author::program);
    if (text.starts_with("#!") || text.starts_with("<")) CHECK(mine.starts_with(text.substr(0, text.find('\n') + 1)));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      std::string other = mine;
      other[i] = other[i] == 'q' ? 'r' : 'q';
      CHECK(author_of(other) != Author::program);
    }
    CHECK(author_of(mine + "\n") == Author::edited);
  }
  CHECK(author_of("") == Author::other);
}

TEST_CASE("the licenses of all that is linked are printed", "[damaged]") {
  const Run run = ask({"--licenses"});
  CHECK(run.status == 0);
  for (const std::string library : {"coinor-cbc", "yaml-cpp", "fmtlib", "re2", "xxhash", "utf8proc", "nlohmann-json3",
                                    "cli11", "flatbuffers", "glibc", "libstdc++", "lapack", "bzip2", "zlib"})
    CHECK(run.out.find(library + "/*") != std::string::npos);
}

}  // namespace damaged_inputs_test
