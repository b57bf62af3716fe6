// recommend --poc: commands without holes, figures with intervals, and a row that calibrate takes.
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace poc_test {

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

/// Whether the row, filled in with what is expected, is what gpusel calibrate expects of it.
bool says_itself(const Json& poc) {
  Json row = poc["row"];
  for (const Json& figure : poc["figures"]) {
    if (figure["key"].is_null() || figure["key"] == "memory_gib") continue;  // which is told by its counter
    row["measured"] = {{figure["key"].get<std::string>(), figure["expected"]}};
    const Run back = ask({"calibrate", scratch_file("poc.jsonl", row.dump() + "\n"), "--dry-run", "-o", "json"});
    CAPTURE(row.dump(), back.err, back.out);
    REQUIRE(back.status == 0);
    const Json read = Json::parse(back.out);
    for (const Json& again : read["figures"])
      CHECK(again["before"].get<double>() == Approx(figure["expected"].get<double>()).epsilon(0.011));
  }
  return true;
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

    if (!poc["row"].is_null()) CHECK(says_itself(poc));
  }
}

TEST_CASE("a row that is printed estimates what is told to be expected, and says every part of the question") {
  const std::string serve = "--model llama-3.1-70b --task inference --gpu h100-sxm-80gb ";
  const std::string train = "--model llama-3.1-8b --task finetune --gpu h100-sxm-80gb ";
  const std::pair<std::string, std::map<std::string, Json>> cases[] = {
      {serve + "--speculative llama-3.2-1b --speculative-tokens 3 --acceptance-rate 0.6",
       {{"speculative", "llama-3.2-1b"}, {"speculative_tokens", 3}, {"acceptance_rate", 0.6}}},
      {serve + "--prefix-cache-hit 0.5 --mem-utilization 0.85 --request-rate 4",
       {{"prefix_cache_hit", 0.5}, {"mem_utilization", 0.85}}},
      {serve + "--engine-version 0.5 --weights-precision fp8",
       {{"engine_version", "0.5"}, {"weights_precision", "fp8"}}},
      {train + "--variable-lengths true", {{"variable_lengths", true}}},
      {train + "--method lora --lora-targets attention --lora-rank 8",
       {{"lora_targets", "attention"}, {"lora_rank", 8}}},
      {train + "--method prefix --virtual-tokens 30", {{"virtual_tokens", 30}}},
      {train + "--framework megatron --tp 2 --pp 2 --virtual-pipeline 4 --sequence-parallel false",
       {{"virtual_pipeline", 4}, {"sequence_parallel", false}}},
      {"--model mixtral-8x7b --task pretrain --framework megatron --gpu h100-sxm-80gb --capacity-factor 1.5 --tokens "
       "1e9",
       {{"capacity_factor", 1.5}}},
      {"--model whisper-large-v3 --task inference", {}},
      {"--model sdxl --task finetune --method lora", {}},
  };
  for (const auto& [question, keys] : cases) {
    CAPTURE(question);
    const Json poc = poc_of(question);
    REQUIRE(poc.is_object());
    if (poc["row"].is_null()) {
      CHECK(poc["no_row"].get<std::string>().find("cannot express") != std::string::npos);
      continue;
    }
    for (const auto& [key, value] : keys) {
      CAPTURE(key);
      CHECK(poc["row"][key] == value);
    }
    CHECK(says_itself(poc));
  }
}

TEST_CASE("recomputation of some layers is told per stage, and where a row cannot say it there is none") {
  const Json poc = poc_of("--model llama-3.1-70b --task pretrain --framework megatron --gpu h100-sxm-80gb");
  const std::string commands = commands_of(poc);
  CAPTURE(commands);
  CHECK(commands.find("--recompute-method uniform") == std::string::npos);
  for (const char* part : {"--untie-embeddings-and-output-weights", "--attention-dropout 0 --hidden-dropout 0"}) {
    CAPTURE(part);
    CHECK(commands.find(part) != std::string::npos);
  }
  const Json chunks = poc_of(
      "--model llama-3.1-70b --task pretrain --framework megatron --gpu h100-sxm-80gb --pp 8 --virtual-pipeline 5");
  CHECK(commands_of(chunks).find("--num-layers-per-virtual-pipeline-stage 2 ") != std::string::npos);
}

TEST_CASE("weights that an engine cannot make itself are a checkpoint of their own") {
  for (const char* format : {"w4a16", "int8", "nvfp4", "fp8"}) {
    CAPTURE(format);
    const Json poc =
        poc_of(std::string("--model llama-3.1-8b --task inference --engine vllm --weights-precision ") + format);
    const std::string commands = commands_of(poc);
    CHECK(commands.find("vllm serve MODEL_IN_") != std::string::npos);
    CHECK(commands.find("--quantization") == std::string::npos);
    CHECK(poc["steps"][0]["what"].get<std::string>().find("is a checkpoint of meta-llama/") != std::string::npos);
  }
  const Json made = poc_of("--model llama-3.1-8b --task inference --engine vllm --weights-precision nf4");
  CHECK(commands_of(made).find("vllm serve meta-llama/Llama-3.1-8B-Instruct ") != std::string::npos);
  CHECK(commands_of(made).find("--quantization bitsandbytes") != std::string::npos);
}

TEST_CASE("what the requests share and what is drafted is in the commands") {
  const std::string shared =
      commands_of(poc_of("--model llama-3.1-8b --task inference --input-tokens 1000 --prefix-cache-hit 0.4"));
  CHECK(shared.find("--no-enable-prefix-caching") == std::string::npos);
  CHECK(shared.find("--random-input-len 600 --random-prefix-len 400") != std::string::npos);
  const std::string drafted = commands_of(poc_of("--model llama-3.1-70b --task inference --speculative llama-3.2-1b"));
  CHECK(
      drafted.find(
          R"(--speculative-config '{"method": "draft_model", "model": "meta-llama/Llama-3.2-1B-Instruct", "num_speculative_tokens": 4}')") !=
      std::string::npos);
}

TEST_CASE("where no tool's command line says the plan, none is printed") {
  const char* questions[] = {
      "--model llama-3.1-70b --task finetune --framework deepspeed --tp 4",
      "--model llama-3.1-8b --task finetune --method ptuning",
      "--model bert-large --task finetune",
      "--model llama-3.1-8b --task finetune --framework unsloth --method qlora",
      "--model llama-3.1-8b --task finetune --framework hf-trainer --variable-lengths true",
      "--model llama-3.1-8b --task inference --disaggregated-prefill true --qps 20",
      "--model llama-3.1-8b --task inference --engine tgi --speculative llama-3.2-1b",
  };
  for (const char* question : questions) {
    CAPTURE(question);
    const Json poc = poc_of(question);
    const Json& first = poc["steps"][0];
    CHECK(first["commands"].empty());
    CHECK(first["what"].get<std::string>().find("printed here") != std::string::npos);
    CHECK(poc["figures"].size() > 1);
    CHECK(poc["rent"]["run_hours"] > 0);
  }
  const Json pictures = poc_of("--model sdxl --task finetune --method dreambooth");
  CHECK(commands_of(pictures).find("DiffusionPipeline") == std::string::npos);
}

TEST_CASE("several processes are started as the plan shards") {
  const std::string zero =
      commands_of(poc_of("--model llama-3.1-8b --task finetune --gpu h100-sxm-80gb --gpus-min 8 --sharding zero3"));
  CHECK(zero.find("--num_processes 8 --mixed_precision bf16 --use_deepspeed --zero_stage 3 ") != std::string::npos);
  const std::string fsdp =
      commands_of(poc_of("--model llama-3.1-8b --task finetune --framework fsdp --gpu h100-sxm-80gb --gpus-min 8"));
  CHECK(fsdp.find("--use_deepspeed") == std::string::npos);
  CHECK(fsdp.find("--use_fsdp") != std::string::npos);
  const std::string copies = commands_of(
      poc_of("--model llama-3.1-8b --task finetune --method lora --gpu h100-sxm-80gb --gpus-min 8 --sharding ddp"));
  CHECK(copies.find("--num_processes 8 --mixed_precision bf16 --multi_gpu ") != std::string::npos);
}

TEST_CASE("the time to recover is assumed, and a checkpoint of adapters is theirs alone") {
  const Json poc = poc_of("--model llama-3.1-8b --task finetune --method lora --gpu h100-sxm-80gb");
  const Json& last = poc["figures"].back();
  CHECK(last["assumed"] == true);
  CHECK(last["outside"].get<std::string>().find("of what is trained alone") != std::string::npos);
  CHECK(poc["figures"][0]["assumed"] == false);
}

TEST_CASE("a row says the counter that its steps read") {
  CHECK(poc_of("--model sdxl --task inference --mode throughput")["row"]["measured"]["memory_kind"] == "reserved");
  CHECK(poc_of("--model resnet-50 --task inference --mode throughput")["row"]["measured"]["memory_kind"] == "process");
}

TEST_CASE("cards without OPTIX are not told to use it") {
  const Json poc = poc_of("--task render --render offline --vendor amd");
  if (poc.is_object()) CHECK(commands_of(poc).find("OPTIX") == std::string::npos);
  const std::string answer = poc_of("--task render --render offline").dump();
  CHECK(answer.find("--seconds-per-frame SECONDS --on ") != std::string::npos);
}

TEST_CASE("a format without the proof of concept says so") {
  const Run run = ask(words_of("recommend --model llama-7b --task finetune --poc -n 1 -o csv"));
  CHECK(run.status == 0);
  CHECK(run.err.find("--poc cannot be shown in csv; every other format has it") != std::string::npos);
}

TEST_CASE("a document has the proof of concept, its commands to be copied") {
  const Run run = ask(words_of("recommend --model llama-7b --task finetune --poc -n 1 -o markdown"));
  CHECK(run.status == 0);
  CHECK(run.err.find("proof of concept") == std::string::npos);
  CHECK(run.out.find("\n## Proof of concept for rank 1") != std::string::npos);
  CHECK(run.out.find("\n```\n") != std::string::npos);
}

TEST_CASE("the lines carry the plan") {
  const Json poc = poc_of(
      "--model llama-3.1-70b --task inference --engine vllm --input-tokens 3000 --output-tokens 500 --concurrency 16 "
      "--gpu h100-sxm-80gb --mode online");
  const std::string commands = commands_of(poc);
  const Json& row = poc["row"];
  CHECK(commands.find("vllm serve meta-llama/") != std::string::npos);
  CHECK(commands.find("--tensor-parallel-size " + std::to_string(row["tp"].get<int>()) + " ") != std::string::npos);
  CHECK(commands.find("--max-model-len 4096 ") != std::string::npos);
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
  CHECK(none.err.find("no rank 999999") != std::string::npos);
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

}  // namespace poc_test
