// The command gpusel export itself: its files, its formats, saved answers, what is wrong with a question.
#include <catch2/catch.hpp>

#include <filesystem>

#include "base/text/text.hpp"
#include "support/exports.hpp"

namespace export_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

TEST_CASE("an export says how it is made again, and that gives the same file", "[export]") {
  const std::string text = exported("skypilot", "gcp-serving");
  const auto at = text.find("gpusel export skypilot");
  REQUIRE(at != std::string::npos);
  const Run again = shell(text.substr(at, text.find('\n', at) - at));
  CHECK(again.status == 0);
  CHECK(again.out == text);
  CHECK(has(text, "# assumed: "));
}

TEST_CASE("what only a marketplace sells is not said to leave marketplaces out") {
  const Run run = shell("gpusel export vast llama-3.1-8b");
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "# assumed: "));
  CHECK_FALSE(has(run.out, "marketplaces"));
  CHECK(has(shell("gpusel export vllm llama-3.1-8b --cloud aws").out, "marketplaces no"));
}

TEST_CASE("what an export looks like is not asked again", "[export]") {
  const Run run =
      export_of("vllm", "--model llama-3.1-8b --task inference --gpu l4 --no-pager --color never -q --lang en");
  CHECK(has(run.out, "#   gpusel export vllm --model llama-3.1-8b --task inference --gpu l4\n"));
}

TEST_CASE("several files are written into a folder", "[export]") {
  const std::string folder = scratch_directory();
  const std::vector<std::string> words{"export",    "dstack",  "--model", "llama-3.1-8b", "--task",
                                       "inference", "--cloud", "aws",     "--to"};
  auto into = words;
  into.push_back(folder);
  const Run run = ask(into);
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(has(read_file(folder + "/gpusel-llama-3-1-8b-fleet.dstack.yml"), "type: fleet"));
  CHECK(has(read_file(folder + "/gpusel-llama-3-1-8b.dstack.yml"), "type: service"));
  auto one = words;
  one.push_back(folder + "/both.yml");
  const Run refused = ask(one);
  CHECK(refused.status == 2);
  CHECK_FALSE(fs::exists(folder + "/both.yml"));
}

TEST_CASE("a file is written whole with --to, and not at all with --dry-run", "[export]") {
  const std::string file = scratch_directory() + "/task.yaml";
  const std::vector<std::string> words{"export",    "skypilot", "--model", "llama-3.1-8b", "--task",
                                       "inference", "--cloud",  "aws",     "--to",         file};
  auto dry = words;
  dry.emplace_back("--dry-run");
  const Run shown = ask(dry);
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "would write"));
  CHECK_FALSE(fs::exists(file));
  const Run run = ask(words);
  CHECK(run.status == 0);
  CHECK(has(run.out, "written to"));
  CHECK(has(read_file(file), "any_of:"));
  auto elsewhere = words;
  elsewhere.back() = "/dev/null/all.yaml";
  const Run failed = ask(elsewhere);
  CHECK(failed.status == 1);
  CHECK(failed.out.empty());
}

TEST_CASE("a saved answer is exported as its flags would be", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --cloud aws";
  std::vector<std::string> words{"recommend"};
  for (const std::string& word : words_of(flags)) words.push_back(word);
  words.emplace_back("--json");
  const std::string saved = scratch_file("answer.json", ask(words).out);
  const Run from_file = ask({"export", "vllm", saved});
  INFO(from_file.err);
  REQUIRE(from_file.status == 0);
  const Run from_flags = asked_export("vllm", flags);
  const auto command_in = [](const std::string& text) { return text.substr(text.find("\nset -eu")); };
  CHECK(command_in(from_file.out) == command_in(from_flags.out));
  const Run beside = ask({"export", "vllm", saved, "--model", "llama-7b"});
  CHECK(beside.status == 2);
  CHECK(has(beside.err, "--model"));
  const Run other = ask({"export", "vllm", scratch_file("other.json", "{\"schema\": \"other/1\"}")});
  CHECK(other.status == 2);
}

TEST_CASE("an export of a saved answer does the work that was asked for, at the price that was", "[export]") {
  const auto [target, flags] = GENERATE(table<std::string, std::string>({
      {"docker", "sdxl --task finetune --method lora --dataset-size 3000 --epochs 10"},
      {"docker", "vit-large-patch16-224 --task finetune --dataset-size 200000 --epochs 5 --loader dali --cloud aws"},
      {"docker", "llama-3.1-8b --task lora --tokens 2B --price p4d.24xlarge=10 --cloud aws --region us-east-1"},
      {"vertex", "--task transcode --video-hours 4000 --codec hevc --resolution 1080p --deadline 48h --cloud gcp"},
      {"vertex", "resnet-50 --task pretrain --epochs 90 --cloud gcp"},
  }));
  std::vector<std::string> words{"recommend"};
  for (const std::string& word : words_of(flags)) words.push_back(word);
  words.insert(words.end(), {"--json", "-n", "10"});
  const std::string saved = scratch_file("answer.json", ask(words).out);
  const Run from_file = ask({"export", target, saved});
  INFO(flags << "\n" << from_file.err);
  REQUIRE(from_file.status == 0);
  // All but the number of ranks, and the line that makes it again.
  const auto lines = [](const std::string& text) {
    std::vector<std::string> out;
    for (const std::string_view line : gpusel::split(text, '\n'))
      if (line.find("gpusel export") == std::string_view::npos && !line.starts_with("# rank ") &&
          line.find("ranks excluded") == std::string_view::npos && line.find("region") == std::string_view::npos)
        out.emplace_back(line);
    return out;
  };
  CHECK(lines(from_file.out) == lines(asked_export(target, flags).out));
}

TEST_CASE("what is wrong with an export is told", "[export]") {
  const Run unknown = ask({"export", "terrafrom", "--model", "llama-7b", "--task", "inference"});
  CHECK(unknown.status == 2);
  CHECK(has(unknown.err, "terraform"));
  CHECK(ask({"export", "vllm"}).status == 2);
  // Without --to there is nothing to write, with or without --dry-run.
  CHECK(ask({"export", "vllm", "--model", "llama-7b", "--task", "inference", "--dry-run"}).out ==
        ask({"export", "vllm", "--model", "llama-7b", "--task", "inference"}).out);
  CHECK(ask({"export", "--to", "x"}).status == 2);
  const Run near = ask({"export", "dockr", "--model", "llama-7b", "--task", "inference"});
  CHECK(near.status == 2);
  CHECK(has(near.err, "docker"));
  CHECK(ask({"export", "vllm", "--model", "llama-7b", "--task", "inference", "--rank", "100000"}).status == 2);
  CHECK(ask({"export", "vllm", "--model", "llama-7b", "--task", "inference", "--max-price", "0.0001"}).status == 3);
}

TEST_CASE("targets are listed in every format", "[export]") {
  for (const char* format : {"table", "wide", "json", "yaml", "csv", "markdown", "html"}) {
    const Run list = ask({"export", "-o", format});
    CHECK(list.status == 0);
    for (const std::string& target : export_targets()) CHECK(has(list.out, target));
    const Run file =
        ask({"export", "hpa", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws", "-o", format});
    CHECK(file.status == 0);
    CHECK(has(file.out, "HorizontalPodAutoscaler"));
  }
}

}  // namespace export_test
