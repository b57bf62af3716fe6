// Whatever is typed or fed: one clear sentence, the documented status, never a crash.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/program.hpp"

namespace bad_input_test {

using namespace gpusel::test;

namespace {

struct Bad {
  const char* command;
  int status;
  const char* says;
};

constexpr Bad kBad[] = {
    {"recommend", 2, "--task"},
    {"recommend --task finetune", 2, "--model"},
    {"recommend --model llama-7b --task redner", 2, "pretrain"},
    {"recommend --model nothing-like-it --task finetune", 2, "gpusel models"},
    {"recommend --model llama-7b --task finetune --gpu H1000", 2, "did you mean 'h100'"},
    {"recommend --model llama-7b --task finetune --gpu 80GB:8:9", 2, "cannot read the GPU specification '80GB:8:9'"},
    {"recommend --model llama-7b --task finetune --gpu 80GB:40GB", 2, "cannot read the GPU specification '80GB:40GB'"},
    {"recommend --model llama-7b --task finetune --cloud awz", 2, "'aws'"},
    {"recommend --model llama-7b --task finetune --region us-esat-1", 2, "'us-east-1'"},
    {"recommend --model llama-7b --task finetune --residency atlantis", 2, "atlantis"},
    {"recommend --model llama-7b --task finetune --max-price nan", 2, "--max-price"},
    {"recommend --model llama-7b --task finetune --max-price -1", 2, "allowed"},
    {"recommend --model llama-7b --task finetune --max-price 1e400", 2, "--max-price"},
    {"recommend --model llama-7b --task finetune --max-price inf", 2, "--max-price"},
    {"recommend --model llama-7b --task finetune --seq-len 0", 2, "allowed"},
    {"recommend --model llama-7b --task finetune --seq-len 99999999999999999999", 2, "allowed"},
    {"recommend --model llama-7b --task finetune --seq-len 010", 2, "--seq-len"},
    {"recommend --model llama-7b --task finetune --epochs -3", 2, "allowed"},
    {"recommend --model llama-7b --task finetune --min-vram 40XB", 2, "--min-vram"},
    {"recommend --model llama-7b --task finetune --deadline soon", 2, "--deadline"},
    {"recommend --model llama-7b --task finetune --term weekly", 2, "on-demand"},
    {"recommend --model llama-7b --task finetune --objective gratis", 2, "balanced"},
    {"recommend --model llama-7b --task finetune --weight price=1", 2, "headroom"},
    {"recommend --model llama-7b --task finetune --allow-list (", 2, "regular expression"},
    {"recommend --model llama-7b --task finetune --currency XYZ", 2, "known"},
    {"recommend --model llama-7b --task finetune --lora-rank 8", 2, "--method lora"},
    {"recommend --model llama-7b --task pretrain --method lora", 2, "pretraining"},
    {"recommend --model llama-7b --task finetune --rules /nonexistent.yaml", 2, "/nonexistent.yaml"},
    {"recommend --model llama-7b --task finetune -o yml", 2, "did you mean 'yaml'?"},
    {"recommend --model llama-7b --task finetune -n 0", 2, "allowed"},
    {"recommend --model llama-7b --task finetune --overlay /nonexistent.yaml", 2, "cannot read"},
    {"verify --by gpus", 2, "did you mean 'gpu'"},
    {"verify --gpu h1000", 2, "--gpu: unknown GPU 'h1000'"},
    {"verify --task cooking", 2, "allowed: training"},
    {"verify --source unslot", 2, "did you mean 'unsloth'"},
    {"verify --worst 0", 2, "allowed"},
    {"verify /nonexistent.csv", 2, "cannot read"},
    {"recommend --model llama-7b --task finetune --min-vram 80GB --max-vram 24GB", 3, "exclude each other"},
    {"recommend --model llama-7b --task finetune --cloud aws --region cn-hangzhou", 3, "aws"},
    {"estimate --model llama-7b --task finetune", 2, "--gpu"},
    {"estimate --model llama-7b --task finetune --gpu h100 --tp 7", 2, "attention heads"},
    {"estimate llama-3.1-70b --gpu h100:8 --tp 3", 2,
     "--tp: tp 3 does not divide the 64 attention heads\nhelp: closest that can: 2"},
    {"recommend llama-3.1-8b --isl 200000", 2, "exceed the 131072-token context of llama-3.1-8b\nhelp: --isl 130816"},
    {"recommend llama-3.1-8b --context 200000", 2, "131072-token context"},
    {"recommend resnet-50 --isl 128", 2, "--isl: does not apply to inference of resnet-50"},
    {"recommend llama-3.1-8b --sample-kb 100", 2, "--sample-kb: does not apply to inference"},
    {"recommend llama-3.1-8b --infra us-east-1", 2, "help: --infra aws/us-east-1, or --region us-east-1"},
    {"recommend llama-3.1-8b --infra aws/us-esat-1", 2, "did you mean 'us-east-1"},
    {"estimate --model ./nothing.json --task finetune --gpu h100", 2, "nothing.json"},
    {"estimate --batch /nonexistent", 2, "/nonexistent"},
    {"compare h100", 2, "one name cannot be compared\nhelp: name 2 to 64"},
    {"compare h100 nothing-such", 2, "'nothing-such' is neither a GPU nor an instance\nhelp: see gpusel gpus"},
    {"compare h100 l41s", 2, "did you mean 'l40s'"},
    {"compare h100 p5.48xlrge", 2, "did you mean 'p5.48xlarge'"},
    {"compare h100 '8x h101'", 2, "'h101' is neither"},
    {"compare h100 h100", 2, "'h100' is named twice"},
    {"compare h100 t4 h100-sxm-80gb", 2, "'h100' and 'h100-sxm-80gb' are the same"},
    {"compare h100:8 '8x h100'", 2, "are the same"},
    {"compare h100 l4:0", 2, "the count in 'l4:0' must be"},
    {"compare h100 l40s --cloud awz", 2, "'aws'"},
    {"compare h100 l40s --region us-esat-1", 2, "'us-east-1'"},
    {"compare h100 l40s --cloud aws --region cn-hangzhou", 3, "aws"},
    {"catalog import", 2, "FILES"},
    {"catalog import gcp.csv --out x.snapshot", 2, "--from is missing"},
    {"catalog import --from skypilot gcp.csv", 2, "--out is missing"},
    {"catalog import --from skypilt gcp.csv --out x.snapshot", 2, "did you mean 'skypilot'"},
    {"catalog import --from vast offers.json --out x.snapshot --as-of yesterday", 2, "write it like 2026-11-21"},
    {"catalog import --from vast offers.json --out x.snapshot --as-of 2090-01-01", 2, "2090-01-01 is in the future"},
    {"gpus show", 2, "one name"},
    {"models show lama-7b", 2, "'llama-7b'"},
    {"instances show p4d.24xlrge", 2, "p4d.24xlarge"},
    {"instances --sort-by pirce", 2, "'price'"},
    {"--nonsense", 2, "--nonsense"},
};

}  // namespace

TEST_CASE("bad input gets one clear sentence and the documented status") {
  for (const Bad& bad : kBad) {
    const Run run = ask(words_of(bad.command));
    CAPTURE(bad.command, run.out, run.err);
    CHECK(run.status == bad.status);
    CHECK(is_one_error(run.err));
    CHECK(run.err.find(bad.says) != std::string::npos);
    CHECK(run.out.empty());
  }
}

TEST_CASE("a broken overlay is told with file and line and column") {
  const std::string file = scratch_file("mine.yaml", "gpus:\n  - id: l4\n    tdp_w: many\n");
  const Run run = ask({"gpus", "--overlay", file});
  CHECK(run.status == 5);
  CHECK(run.err.find("mine.yaml:3:12: ") != std::string::npos);
}

TEST_CASE("the user's own overlays are found and told when they are broken") {
  const std::string directory = scratch_directory();
  REQUIRE(command({"mkdir", directory + "/gpusel"}).status == 0);
  REQUIRE(shell("printf 'gpus:\\n  - {id: l4, tdp_w: 73}\\n' > '" + directory + "/gpusel/a.yaml'").status == 0);
  const Setting setting{.environment = {{"XDG_DATA_HOME", directory}}};
  CHECK(ask({"gpus", "show", "l4"}, setting).out.find("73 W") != std::string::npos);
  REQUIRE(shell("printf 'gpus: [' > '" + directory + "/gpusel/b.yaml'").status == 0);
  const Run broken = ask({"gpus", "show", "l4"}, setting);
  CHECK(broken.status == 5);
  CHECK(broken.err.find("b.yaml:") != std::string::npos);
}

TEST_CASE("a file of the user's own is found in any folder below, in none beside") {
  const std::string directory = scratch_directory();
  const Setting setting{.environment = {{"XDG_DATA_HOME", directory}}};
  const std::string own = directory + "/gpusel/";
  REQUIRE(command({"mkdir", "-p", own + "a/b/c", own + ".git", own + "lists"}).status == 0);
  const auto put = [&](const std::string& place, int watts) {
    return shell("printf 'gpus:\\n  - {id: l4, tdp_w: " + std::to_string(watts) + "}\\n' > '" + own + place + "'")
        .status;
  };
  REQUIRE(put("lists/stray.yaml", 71) == 0);
  REQUIRE(put(".git/not-mine.yaml", 71) == 0);
  CHECK(ask({"gpus", "show", "l4"}, setting).out.find("71 W") == std::string::npos);
  REQUIRE(put("a/b/c/mine.yaml", 73) == 0);
  CHECK(ask({"gpus", "show", "l4"}, setting).out.find("73 W") != std::string::npos);
  std::string deep = own;
  for (int i = 0; i < 10; ++i) deep += "d/";
  REQUIRE(command({"mkdir", "-p", deep}).status == 0);
  const Run refused = ask({"gpus", "show", "l4"}, setting);
  CHECK(refused.status == 2);
  CHECK(refused.err.find("deeper than 8 folders") != std::string::npos);
}

TEST_CASE("a flag of other commands is refused with their names") {
  for (const auto& [line, other] : {std::pair("estimate llama-3.1-8b --gpu l4 --think 5", "recommend"),
                                    {"fleet llama-3.1-8b --users 40", "recommend"},
                                    {"gpus --ttft 3", "estimate"}}) {
    CAPTURE(line);
    const Run run = ask(words_of(line));
    CHECK(run.status == 2);
    CHECK(run.err.find("does not take --") != std::string::npos);
    CHECK(run.err.find(other) != std::string::npos);
  }
  CHECK(ask(words_of("gpus --nonsense 3")).err.find("unknown argument") != std::string::npos);
}

TEST_CASE("redundancy of a named machine is not passed over in silence") {
  const std::string job = " --model llama-3.1-8b --rps 1 --redundancy 1";
  for (const std::string line : {"compare g6.xlarge g6e.xlarge", "cost g6e.xlarge", "estimate --gpu l40s"}) {
    CAPTURE(line);
    const Run run = ask(words_of(line + job));
    CHECK((run.out + run.err).find("redundancy and max_load choose instances") != std::string::npos);
  }
}

TEST_CASE("a broken config.json is told with file and line and column") {
  const std::string file = scratch_file("config.json", "{\"hidden_size\": 4096,\n \"num_hidden_layers\": }");
  const Run run = ask({"estimate", "--model", file, "--task", "inference", "--gpu", "l4"});
  CHECK(run.status == 2);
  CHECK(run.err.find("config.json:2:23") != std::string::npos);
}

TEST_CASE("control characters out of files do not reach the terminal") {
  const std::string file =
      scratch_file("evil.yaml", "gpus:\n  - {id: l4, name: \"L4 \\e[31mred\\x07\", notes: \"=cmd()\"}\n");
  for (const auto* format : {"table", "csv", "markdown"}) {
    const Run run = ask({"gpus", "l4", "-o", format, "--overlay", file});
    CHECK(run.status == 0);
    CHECK(run.out.find('\x1b') == std::string::npos);
    CHECK(run.out.find('\a') == std::string::npos);
  }
  const Run card = ask({"gpus", "show", "l4", "--overlay", file});
  CHECK(card.out.find('\x1b') == std::string::npos);
}

TEST_CASE("widths from none to huge are survived") {
  for (const auto* columns : {"0", "1", "7", "80", "100000", "-5", "wide"}) {
    const Run run =
        ask(words_of("recommend --model llama-7b --task finetune -n 3"), {.environment = {{"COLUMNS", columns}}});
    CAPTURE(columns);
    CHECK(run.status == 0);
  }
}

}  // namespace bad_input_test
