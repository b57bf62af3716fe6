// recommend --poc: commands without holes, figures with intervals, and a row that calibrate takes.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

Json poc_of(const std::string& question) {
  const Run run = ask(words_of("recommend " + question + " --poc -n 3 -o json"));
  CAPTURE(question, run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out)["poc"];
}

/// Every command of a step of that tool, in one text.
std::string commands_of(const Json& poc) {
  std::string all;
  for (const Json& step : poc["steps"])
    for (const Json& command : step["commands"]) all += command.get<std::string>() + "\n";
  return all;
}

}  // namespace

TEST_CASE("a proof of concept can be copied, whatever the work") {
  const char* questions[] = {
      "--model llama-3.1-8b --task inference --input-tokens 2000 --output-tokens 300 --request-rate 4",
      "--model llama-3.1-70b --task inference --engine sglang --weights-precision fp8",
      "--model llama-3.1-8b --task inference --engine trt-llm --mode online --concurrency 32",
      "--model llama-3.1-8b --task inference --engine tgi",
      "--model llama-3.1-8b --task inference --engine lmdeploy",
      "--model llama-3.1-8b --task inference --engine llama.cpp --weights-precision q4_k_m --mode single-stream",
      "--model llama-3.1-8b --task inference --engine hf --concurrency 4",
      "--model bge-m3 --task inference",
      "--model llama-3.1-8b --task finetune --method lora",
      "--model llama-3.1-8b --task finetune --framework torchtune",
      "--model llama-3.1-8b --task finetune --framework llama-factory --method qlora",
      "--model llama-3.1-8b --task finetune --framework ms-swift",
      "--model llama-3.1-8b --task finetune --framework litgpt",
      "--model llama-3.1-8b --task finetune --framework unsloth --method qlora",
      "--model llama-3.1-70b --task pretrain --framework megatron --gpu h100-sxm-80gb",
      "--model resnet-50 --task inference --engine tensorrt",
      "--model resnet-50 --task pretrain",
      "--model sdxl --task inference",
      "--model whisper-large-v3 --task inference --engine ctranslate2",
      "--task render --render offline",
      "--task transcode --codec hevc --live",
      "--task simulate --solver lbm --cells 1e8",
  };
  for (const char* question : questions) {
    CAPTURE(question);
    const Json poc = poc_of(question);
    REQUIRE(poc.is_object());
    CHECK(poc["rank"] == 1);
    CHECK(poc["rent"]["cost"] > 0);
    CHECK(poc["rent"]["billed_hours"] >= poc["rent"]["setup_hours"]);
    CHECK(poc["rent"]["cost"].get<double>() ==
          Approx(poc["rent"]["hourly"].get<double>() * poc["rent"]["billed_hours"].get<double>()));
    REQUIRE(poc["figures"].size() >= 1);
    for (const Json& figure : poc["figures"]) {
      if (figure["interval"].is_null()) continue;
      CHECK(figure["interval"][0] <= figure["expected"]);
      CHECK(figure["interval"][1] >= figure["expected"]);
    }
    CHECK(poc["explain"].size() >= poc["figures"].size());
    const std::string commands = commands_of(poc);
    CAPTURE(commands);
    CHECK(commands.find("[[") == std::string::npos);
    CHECK(commands.find("{}") == std::string::npos);
    CHECK(commands.find("  --") == std::string::npos);  // a hole where a value should be
    for (const Json& step : poc["steps"]) CHECK(step["url"].get<std::string>().starts_with("https://"));

    // The row is a request that estimates what was told to be expected.
    Json row = poc["row"];
    if (row.is_null()) continue;
    const Json& first = poc["figures"][0];
    if (first["key"].is_null()) continue;
    row["measured"] = {{first["key"].get<std::string>(), first["expected"]}};
    const std::string file = scratch_file("poc.jsonl", row.dump() + "\n");
    const Run back = ask({"calibrate", file, "--dry-run", "-o", "json"});
    CAPTURE(row.dump(), back.err);
    REQUIRE(back.status == 0);
    const Json figures = Json::parse(back.out)["figures"];
    REQUIRE(figures.size() == 1);
    CHECK(figures[0]["before"].get<double>() == Approx(first["expected"].get<double>()).epsilon(0.02));
  }
}

TEST_CASE("the lines carry the plan") {
  const Json poc = poc_of(
      "--model llama-3.1-70b --task inference --engine vllm --input-tokens 3000 --output-tokens 500 --concurrency 16 "
      "--gpu h100-sxm-80gb --mode online");
  const std::string commands = commands_of(poc);
  const Json& row = poc["row"];
  CHECK(commands.find("vllm serve meta-llama/") != std::string::npos);
  CHECK(commands.find("--tensor-parallel-size " + std::to_string(row["tp"].get<int>()) + " ") != std::string::npos);
  CHECK(commands.find("--max-model-len 3500 ") != std::string::npos);
  CHECK(commands.find("--random-input-len 3000 --random-output-len 500") != std::string::npos);
  CHECK(commands.find("--max-concurrency " + std::to_string(row["concurrency"].get<int>())) != std::string::npos);
  CHECK(row["dp"] == 1);
  CHECK(row["gpus"].get<int>() == row["tp"].get<int>() * row["pp"].get<int>());
}

TEST_CASE("training is tested on one, two, four cards and all, each card with the same work") {
  const Json poc = poc_of("--model llama-3.1-8b --task finetune --method lora --gpu h100-sxm-80gb --gpus-min 8");
  const Json& scaling = poc["scaling"];
  REQUIRE(scaling.size() >= 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(scaling[i]["gpus"] == 1 << i);
  CHECK(scaling[0]["efficiency"] == 1);
  CHECK(scaling[3]["efficiency"] <= 1);
  CHECK(scaling[3]["efficiency"] > 0.5);
  const std::string commands = commands_of(poc);
  for (const char* part :
       {"--num_processes 1 ", "--num_processes 8 ", "--max_steps 50", "--save_steps 25", "kill -9"}) {
    CAPTURE(part);
    CHECK(commands.find(part) != std::string::npos);
  }
}

TEST_CASE("another rank can be tested, and one that is not there is refused") {
  const Run second = ask(words_of("recommend --model llama-7b --task finetune --poc --rank 2 -n 3"));
  CHECK(second.status == 0);
  CHECK(second.out.find("Proof of concept for rank 2") != std::string::npos);
  const Run none = ask(words_of("recommend --model llama-7b --task finetune --poc --rank 999999 -n 3"));
  CHECK(none.status == 2);
  CHECK(none.err.find("there is no rank 999999") != std::string::npos);
  CHECK(ask(words_of("recommend --model llama-7b --task finetune --rank 2")).status == 2);
}

TEST_CASE("what is recommended on another term is tested on demand where that is sold") {
  const Run run =
      ask(words_of("recommend --model llama-7b --task finetune --term spot --cloud aws --poc -n 1 -o json"));
  REQUIRE(run.status == 0);
  const Json answer = Json::parse(run.out);
  CHECK(answer["recommendations"][0]["cost"]["billing"] == "spot");
  CHECK(answer["poc"]["rent"]["term"] == "on-demand");
  CHECK(answer["poc"]["notes"].size() == 1);
}
