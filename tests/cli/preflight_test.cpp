// gpusel preflight: command lines as people type them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace preflight_test {

using gpusel::test::ask;
using gpusel::test::Run;
using gpusel::test::scratch_directory;
using gpusel::test::scratch_file;
using gpusel::test::words_of;
using Json = nlohmann::json;

namespace {

Run preflight(const std::string& flags, const std::string& line, bool json = true) {
  std::vector<std::string> words = words_of("preflight " + flags);
  if (json) words.emplace_back("--json");
  words.emplace_back("--");
  for (std::string& word : words_of(line)) words.push_back(std::move(word));
  return ask(words);
}

Json answer_of(const Run& run) {
  INFO(run.err);
  REQUIRE_FALSE(run.out.empty());
  return Json::parse(run.out);
}

/// Of the first refusal.
std::string says(const Json& answer) {
  return answer["refused"].empty() ? std::string() : answer["refused"][0]["says"].get<std::string>();
}

}  // namespace

TEST_CASE("real lines start, are risky, run out of memory or are refused") {
  struct Line {
    std::string flags, line, outcome;
  };
  const Line each = GENERATE(values<Line>({
      {"--gpu l4", "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 8192", "starts"},
      {"--gpu h100-sxm-80gb:8",
       "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 8 --max-model-len=32768 --port 8000",
       "starts"},
      {"--gpu a10g",
       "python3 -m vllm.entrypoints.openai.api_server --model meta-llama/Llama-3.1-8B-Instruct --dtype half",
       "refused"},  // its own context of 131,072 tokens has no room
      {"--gpu a100-sxm-80gb:4", "vllm serve qwen2.5-14b -tp 3", "refused"},
      {"--gpu v100-sxm2-32gb", "vllm serve Qwen/Qwen2-7B-Instruct-AWQ --max-model-len 4096", "refused"},
      {"--gpu t4", "vllm serve Qwen/Qwen2.5-1.5B-Instruct --dtype bfloat16 --max-model-len 4096", "refused"},
      {"--gpu t4", "vllm serve Qwen/Qwen2.5-1.5B-Instruct --dtype half --max-model-len 4096", "starts"},
      {"--gpu l4", "vllm serve meta-llama/Llama-3.1-70B-Instruct --max-model-len 2048", "out-of-memory"},
      {"--gpu v100-sxm2-32gb", "vllm serve Qwen/Qwen2-7B-Instruct --max-model-len 4096", "risky"},
      {"--gpu v100-sxm2-32gb --engine-version 0.11", "vllm serve Qwen/Qwen2-7B-Instruct --max-model-len 4096",
       "starts"},
      {"--gpu h100-sxm-80gb",
       "CUDA_VISIBLE_DEVICES=0 python -m sglang.launch_server --model-path Qwen/Qwen3-8B --port 30000", "starts"},
      {"--gpu t4", "python -m sglang.launch_server --model-path Qwen/Qwen2.5-1.5B-Instruct", "risky"},
      {"--gpu h100-sxm-80gb:8", "trtllm-serve meta-llama/Llama-3.1-8B-Instruct --tp_size 2 --max_batch_size 64",
       "starts"},
      {"--gpu t4", "trtllm-serve meta-llama/Llama-3.2-1B-Instruct", "refused"},
      {"--gpu rtx-4090", "./llama-server -hf Qwen/Qwen2.5-7B-Instruct-GGUF:q4_k_m -c 8192 -ngl 99", "starts"},
      {"--gpu a100-sxm-80gb:8",
       "torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 True "
       "--per_device_train_batch_size 1 --gradient_checkpointing True --fsdp 'full_shard auto_wrap' --max_seq_length "
       "2048",
       "starts"},
      {"--gpu l4",
       "python finetune.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 --per_device_train_batch_size 8",
       "out-of-memory"},
      {"--gpu l4",
       "accelerate launch --num_processes 1 --mixed_precision bf16 sft.py --model_name_or_path meta-llama/Llama-3.1-8B "
       "--load_in_4bit --use_peft --lora_r 16 --per_device_train_batch_size 1 --gradient_checkpointing "
       "--max_seq_length 1024",
       "starts"},
      {"--gpu h100-sxm-80gb:8",
       "torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008 "
       "--num-attention-heads 32 --vocab-size 32000 --max-position-embeddings 4096 --seq-length 4096 "
       "--micro-batch-size 1 --global-batch-size 128 --tensor-model-parallel-size 2 --sequence-parallel --bf16 "
       "--use-distributed-optimizer --use-flash-attn --swiglu",
       "starts"},
      {"--gpu a100-sxm-80gb:2", "vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-model-len 8192", "refused"},
      {"--gpu l4", "vllm serve meta-llama/Meta-Llama-3-8B-Instruct --max-model-len 32768", "refused"},
  }));
  INFO(each.line);
  const Run run = preflight(each.flags, each.line);
  const Json answer = answer_of(run);
  INFO(answer.dump(1));
  CHECK(answer["schema"] == "gpusel.preflight/1");
  CHECK(answer["outcome"] == each.outcome);
  CHECK(run.status == (each.outcome == "starts" ? 0 : each.outcome == "risky" ? 4 : 3));
}

TEST_CASE("a line in quotes is the same line") {
  const std::string line = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 4096";
  const Run quoted = ask({"preflight", "--gpu", "l4", line});
  CHECK(quoted.status == 0);
  CHECK(quoted.out == preflight("--gpu l4", line, false).out);
}

TEST_CASE("our flags may stand behind a line in quotes, which is split as a shell does") {
  const std::string line = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 4096";
  CHECK(ask({"preflight", line, "--gpu", "l4"}).out == preflight("--gpu l4", line, false).out);
  const Json draft =
      answer_of(ask({"preflight", "--json", "--gpu", "l4",
                     line + R"( --speculative-config '{"method": "ngram", "num_speculative_tokens": 4}')"}));
  CHECK(draft["outcome"] == "starts");
  CHECK(draft["left_out"].empty());
}

TEST_CASE("--gpu behind the command is told to go before it, and that line works") {
  const Run behind = ask({"preflight", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--gpu", "l40s"});
  CHECK(behind.status == 2);
  CHECK(behind.err ==
        "error: --gpu: it goes before the command\n"
        "help: type gpusel preflight --gpu l40s -- vllm serve Qwen/Qwen2.5-7B-Instruct\n");
  CHECK(preflight("--gpu l40s", "vllm serve Qwen/Qwen2.5-7B-Instruct").status == 0);
}

TEST_CASE("what would fit starts when it is typed") {
  struct Line {
    std::string gpu, line;
    std::size_t ways;  // at least
  };
  const Line each = GENERATE(values<Line>({
      {"l40s", "vllm serve Qwen/Qwen3-32B", 2},
      {"l4", "vllm serve meta-llama/Llama-3.1-70B-Instruct --max-model-len 2048", 1},
      {"rtx-4090",
       "python finetune.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 --gradient_checkpointing "
       "--max_seq_length 2048 --per_device_train_batch_size 4",
       2},
  }));
  const Json answer = answer_of(preflight("--gpu " + each.gpu, each.line));
  CHECK(answer["outcome"] == "out-of-memory");
  REQUIRE(answer["what_would_work"].size() >= each.ways);
  for (const Json& way : answer["what_would_work"]) {
    const std::string flags = way["flags"];
    INFO(flags);
    // A GPU goes before the command, the rest behind it.
    std::string gpu = each.gpu, line = each.line;
    const auto words = words_of(flags);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == "--gpu")
        gpu = words[++i];
      else
        line += " " + words[i];
    const Json again = answer_of(preflight("--gpu " + gpu, line));
    CHECK((again["outcome"] == "starts" || again["outcome"] == "risky"));
    CHECK(again["left_out"].empty());
  }
}

TEST_CASE("TRL has its own defaults: checkpoints, bf16, 1024 tokens") {
  const std::string sft = "trl sft --model_name_or_path meta-llama/Llama-3.1-8B --use_peft";
  const Json plain = answer_of(preflight("--gpu h100-sxm-80gb", sft));
  CHECK(plain["outcome"] == "starts");
  CHECK(plain["tools"][0]["id"] == "trl-sft");
  const Json said = answer_of(
      preflight("--gpu h100-sxm-80gb",
                sft + " --bf16 true --gradient_checkpointing true --max_length 1024 --loss_type chunked_nll"));
  CHECK(said["answer"]["memory"] == plain["answer"]["memory"]);
  const Json kept = answer_of(preflight("--gpu h100-sxm-80gb", sft + " --no_gradient_checkpointing"));
  CHECK(kept["answer"]["memory"] != plain["answer"]["memory"]);
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb:8", "trl sft --model_name_or_path Qwen/Qwen2.5-0.5B"))["outcome"] ==
        "starts");
}

TEST_CASE("an engine refuses in its own words, and what would start is named") {
  const Json heads = answer_of(preflight("--gpu a100-sxm-80gb:4", "vllm serve qwen2.5-14b -tp 3"));
  CHECK(says(heads) == "Total number of attention heads (40) must be divisible by tensor parallel size (3).");
  CHECK(heads["refused"][0]["would"] == "--tensor-parallel-size 2");
  const Json awq = answer_of(preflight("--gpu v100-sxm2-32gb --engine-version 0.15",
                                       "vllm serve Qwen/Qwen2-7B-Instruct-AWQ --max-model-len 4096"));
  CHECK_THAT(says(awq), Catch::Contains("awq is not supported for the current GPU. Minimum capability: 75. "
                                        "Current capability: 70."));
  CHECK_THAT(awq["refused"][0]["would"].get<std::string>(), Catch::Contains("gptq") && Catch::Contains("LMDeploy"));
  CHECK_THAT(awq["refused"][0]["url"].get<std::string>(), Catch::StartsWith("https://"));
  const Json longer = answer_of(
      preflight("--gpu h100-sxm-80gb", "vllm serve meta-llama/Meta-Llama-3-8B-Instruct --max-model-len 32768"));
  CHECK(longer["refused"][0]["check"] == "context");
  CHECK(longer["refused"][0]["would"] == "--max-model-len 8192");
  const Json room = answer_of(preflight("--gpu l4", "vllm serve meta-llama/Llama-3.1-8B-Instruct"));
  CHECK(room["refused"][0]["check"] == "cache");
  CHECK_THAT(room["refused"][0]["would"].get<std::string>(), Catch::StartsWith("--max-model-len "));
}

TEST_CASE("ranks that cannot share heads or blocks are refused, and what is suggested can") {
  struct Line {
    std::string gpus, line, says, would;
  };
  const Line each = GENERATE(values<Line>({
      {"a100-sxm-80gb:4", "vllm serve microsoft/phi-4 -tp 4", "assert self.total_num_kv_heads % tp_size == 0",
       "--tensor-parallel-size 2"},
      {"a100-sxm-80gb:8", "vllm serve Qwen/Qwen2.5-7B-Instruct -tp 8", "attention heads (28)",
       "--tensor-parallel-size 4"},
      {"h200-sxm-141gb:8", "vllm serve Qwen/Qwen3-235B-A22B-FP8 -tp 8", "weight = 192 is not divisible",
       "--enable-expert-parallel, or --tensor-parallel-size 4"},
      {"h200-sxm-141gb:8", "vllm serve Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8 -tp 8", "weight = 320 is not divisible",
       "--enable-expert-parallel, or --tensor-parallel-size 4"},
      {"h200-sxm-141gb:8", "python -m sglang.launch_server --model-path MiniMaxAI/MiniMax-M2 --tp 8",
       "weight = 192 is not divisible", "--ep-size 8, or --tp-size 4"},
  }));
  INFO(each.line);
  const Json answer = answer_of(preflight("--gpu " + each.gpus, each.line));
  CHECK(answer["outcome"] == "refused");
  CHECK_THAT(says(answer), Catch::Contains(each.says));
  CHECK(answer["refused"][0]["would"] == each.would);
}

TEST_CASE("whole experts and weights without blocks may have any ranks that divide the heads") {
  const std::string line = GENERATE(
      "vllm serve Qwen/Qwen3-235B-A22B-FP8 -tp 8 --enable-expert-parallel --max-model-len 8192",
      "python -m sglang.launch_server --model-path Qwen/Qwen3-235B-A22B-FP8 --tp 8 --ep-size 8",
      "vllm serve RedHatAI/Qwen3-30B-A3B-FP8-dynamic -tp 8", "vllm serve Qwen/Qwen3-30B-A3B -tp 8 --quantization fp8");
  INFO(line);
  CHECK(answer_of(preflight("--gpu h200-sxm-141gb:8", line))["outcome"] == "starts");
}

TEST_CASE("quantised repositories of models that are released in fp8 are of their own format") {
  const std::string model = GENERATE("nvidia/DeepSeek-R1-FP4", "nvidia/DeepSeek-R1-0528-FP4",
                                     "nvidia/DeepSeek-R1-0528-NVFP4-v2", "cognitivecomputations/DeepSeek-R1-AWQ");
  const Json answer = answer_of(preflight("--gpu b200:4", "vllm serve " + model + " -tp 4 --max-model-len 8192"));
  CHECK(answer["outcome"] == "starts");
  const double weights = 4 * answer["answer"]["memory"]["per_gpu"]["weights"].get<double>();
  CHECK(weights > 310);
  CHECK(weights < 400);
}

TEST_CASE("a repository has the context of its own config.json") {
  const Json longer =
      answer_of(preflight("--gpu h100-sxm-80gb", "vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --max-model-len 131072"));
  CHECK(longer["refused"][0]["check"] == "context");
  CHECK(longer["refused"][0]["would"] == "--max-model-len 32768");
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb", "vllm serve Qwen/Qwen2.5-7B --max-model-len 131072"))["outcome"] ==
        "starts");
  const Json unsaid = answer_of(preflight("--gpu h100-sxm-80gb", "vllm serve Qwen/Qwen2.5-7B-Instruct"));
  CHECK(unsaid["longest_request_tokens"] == 32768);
}

TEST_CASE("models that are not run in float16 are refused in it, and widened where there is nothing else") {
  const std::string line = "vllm serve google/gemma-3-4b-it --max-model-len 2048";
  CHECK_THAT(says(answer_of(preflight("--gpu l4", line + " --dtype half"))),
             Catch::Contains("The model type 'gemma3' does not support float16"));
  const Json bf16 = answer_of(preflight("--gpu l4", line));
  const Json fp32 = answer_of(preflight("--gpu t4", line));
  CHECK(fp32["answer"]["memory"]["per_gpu"]["weights"].get<double>() ==
        Approx(2 * bf16["answer"]["memory"]["per_gpu"]["weights"].get<double>()).epsilon(0.01));
}

TEST_CASE("fp8 is refused on a GPU of AMD that neither has it nor is in the engine's list") {
  const std::string line = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 4096 --quantization fp8";
  const Json older = answer_of(preflight("--gpu mi250x", line));
  CHECK(older["outcome"] == "refused");
  CHECK_THAT(says(older), Catch::Contains("gfx942") && Catch::Contains("is gfx90a"));
  CHECK(answer_of(preflight("--gpu mi300x", line))["outcome"] == "starts");
}

TEST_CASE("arguments that need a newer GPU are refused on an older one") {
  const std::string line =
      "python train.py --model_name_or_path Qwen/Qwen2.5-0.5B --fp16 --per_device_train_batch_size 1 "
      "--max_seq_length 512";
  for (const auto& [flag, text] : {std::pair("--attn_implementation flash_attention_2", "only supports Ampere GPUs"),
                                   std::pair("--tf32 true", "--tf32 requires Ampere")}) {
    const Json older = answer_of(preflight("--gpu v100-sxm2-32gb", line + " " + flag));
    CHECK(older["refused"][0]["check"] == "argument");
    CHECK_THAT(says(older), Catch::Contains(text));
    CHECK(answer_of(preflight("--gpu a100-sxm-80gb", line + " " + flag))["outcome"] != "refused");
  }
  const std::string yaml =
      scratch_file("fa.yaml", "base_model: Qwen/Qwen2.5-0.5B\nsequence_len: 512\nflash_attention: true\n");
  CHECK_THAT(says(answer_of(preflight("--gpu t4", "axolotl train " + yaml))), Catch::Contains("FlashAttention only"));
}

TEST_CASE("Megatron's assertions are made") {
  const auto line = [](const std::string& more) {
    return "torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 30 --hidden-size 2048 --num-attention-heads 16 "
           "--vocab-size 32000 --seq-length 2048 --micro-batch-size 2 --bf16 " +
           more;
  };
  struct Row {
    std::string more, says, would;
  };
  const Row each = GENERATE(values<Row>({
      {"--max-position-embeddings 1024 --global-batch-size 64", "args.max_position_embeddings >= args.seq_length",
       "--max-position-embeddings 2048"},
      {"--max-position-embeddings 2048 --global-batch-size 100",
       "global batch size (100) is not divisible by micro batch size (2) times data parallel size (8)",
       "--global-batch-size 112"},
      {"--max-position-embeddings 2048 --global-batch-size 64 --pipeline-model-parallel-size 4",
       "Number of layers should be divisible by the pipeline-model-parallel size", "--pipeline-model-parallel-size 2"},
  }));
  const Json answer = answer_of(preflight("--gpu a100-sxm-80gb:8", line(each.more)));
  CHECK(answer["outcome"] == "refused");
  CHECK_THAT(says(answer), Catch::Contains(each.says));
  CHECK(answer["refused"][0]["would"] == each.would);
}

TEST_CASE("what would start by its own words does start") {
  const Json room = answer_of(preflight("--gpu l4", "vllm serve meta-llama/Llama-3.1-8B-Instruct"));
  const std::string would = room["refused"][0]["would"];
  const Json again = answer_of(preflight("--gpu l4", "vllm serve meta-llama/Llama-3.1-8B-Instruct " + would));
  CHECK(again["outcome"] != "refused");
}

TEST_CASE("arguments that nobody here knows are named and left out") {
  const std::string line = "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 8192";
  const Json plain = answer_of(preflight("--gpu l4", line));
  const Json more = answer_of(preflight("--gpu l4", "FOO=1 " + line + " --some-new-thing 7 --another=3"));
  CHECK(more["left_out"] == Json({"FOO", "--some-new-thing", "--another"}));
  CHECK(more["answer"]["memory"] == plain["answer"]["memory"]);
}

TEST_CASE("files of arguments are read") {
  const std::string ds = scratch_file("ds.json", R"({"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})");
  const Run run = preflight("--gpu a100-sxm-80gb:8",
                            "deepspeed --num_gpus 8 train.py --model_name_or_path "
                            "meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 "
                            "--max_seq_length 2048 --gradient_checkpointing true --deepspeed " +
                                ds);
  const Json answer = answer_of(run);
  // A weight of 2 bytes for each of 8.03e9 parameters, on eight GPUs.
  CHECK(answer["answer"]["memory"]["per_gpu"]["weights"].get<double>() == Approx(1.870).epsilon(0.001));
  const std::string yaml = scratch_file("lora.yaml",
                                        "base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\nlora_r: 32\n"
                                        "sequence_len: 2048\nmicro_batch_size: 1\nbf16: auto\n"
                                        "gradient_checkpointing: true\n");
  const Json axolotl = answer_of(preflight("--gpu l4", "axolotl train " + yaml));
  CHECK(axolotl["outcome"] == "starts");
  CHECK(axolotl["tools"][0]["id"] == "axolotl");
}

TEST_CASE("a line that cannot be read says why") {
  const auto fails = [](const std::string& flags, const std::string& line) {
    const Run run = preflight(flags, line, false);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(fails("--gpu l4", "make install"), Catch::Contains("'make' does not start a known engine or trainer"));
  CHECK_THAT(fails("--gpu l4", "vllm serve no-such-model-at-all"), Catch::Contains("no-such-model-at-all"));
  CHECK_THAT(fails("--gpu l4", "vllm serve qwen2.5-7b --dtype int3"), Catch::Contains("allowed: auto, half"));
  CHECK_THAT(fails("--gpu l4", "vllm serve qwen2.5-7b --max-model-len many"), Catch::Contains("--max-model-len"));
  CHECK_THAT(fails("--gpu l4", "vllm serve"), Catch::Contains("the line names no model"));
  CHECK_THAT(fails("--gpu no-such", "vllm serve qwen2.5-7b"), Catch::Contains("no-such"));
  CHECK_THAT(fails("--gpu l4", "deepspeed train.py --model gpt2 --deepspeed /nowhere/ds.json"),
             Catch::Contains("/nowhere/ds.json"));
}

namespace {

/// Of one GPU, in GiB.
double weights_of(const Json& answer) { return answer["answer"]["memory"]["per_gpu"]["weights"].get<double>(); }

bool notes_contain(const Json& answer, const std::string& text) {
  for (const Json& note : answer["notes"])
    if (note.get<std::string>().contains(text)) return true;
  return false;
}

}  // namespace

TEST_CASE("experts are spread over the ranks of all replicas") {
  const std::string model = "deepseek-ai/DeepSeek-R1-0528";
  const Json vllm =
      answer_of(preflight("--gpu h200:8", "vllm serve " + model + " --data-parallel-size 8 --enable-expert-parallel"));
  CHECK(weights_of(vllm) > 90);
  CHECK(weights_of(vllm) < 110);
  // One tensor-parallel group without it, and attention in replicas inside the tensor ranks of another engine.
  const Json shared =
      answer_of(preflight("--gpu h200:8", "vllm serve " + model + " --data-parallel-size 8 --max-model-len 8192"));
  CHECK(weights_of(shared) == Approx(weights_of(vllm)));
  const Json sglang = answer_of(preflight(
      "--gpu h200:8", "python -m sglang.launch_server --model-path " + model + " --tp 8 --dp 8 --enable-dp-attention"));
  CHECK(sglang["outcome"] != "refused");
  CHECK(weights_of(sglang) == Approx(weights_of(vllm)));
  const Json dense = answer_of(preflight("--gpu l4", "vllm serve qwen2.5-7b --enable-expert-parallel"));
  CHECK(dense["refused"][0]["check"] == "experts");
}

TEST_CASE("weights that stay in host memory are not needed on the GPU") {
  const std::string vllm = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 4096";
  const double whole = weights_of(answer_of(preflight("--gpu l4", vllm)));
  const Json offloaded = answer_of(preflight("--gpu l4", vllm + " --cpu-offload-gb 4"));
  CHECK(weights_of(offloaded) == Approx(whole - 4).epsilon(0.001));
  const std::string line = "llama-server -hf meta-llama/Llama-3.1-8B-Instruct-GGUF:q8_0 -c 4096";
  const double all = weights_of(answer_of(preflight("--gpu l4", line + " -ngl 99")));
  const Json some = answer_of(preflight("--gpu l4", line + " -ngl 11"));
  CHECK(weights_of(some) == Approx(all * 11 / 33).epsilon(0.001));
  CHECK(notes_contain(some, "the speed is not estimated"));
  const std::string moe = "llama-server -hf Qwen/Qwen3-30B-A3B-GGUF:q8_0 -c 4096";
  CHECK(answer_of(preflight("--gpu t4", moe + " -ngl 99"))["outcome"] == "out-of-memory");
  CHECK(answer_of(preflight("--gpu t4", moe + " -ngl 99 --cpu-moe"))["outcome"] == "starts");
}

TEST_CASE("llama.cpp leaves on the CPU what has no room, unless it is told otherwise") {
  const std::string line = "llama-server -hf meta-llama/Llama-3.1-70B-Instruct-GGUF:q4_k_m";
  const Json fitted = answer_of(preflight("--gpu rtx-4090", line));
  CHECK(fitted["outcome"] == "starts");
  CHECK(notes_contain(fitted, "layers are on the GPU"));
  CHECK(answer_of(preflight("--gpu rtx-4090", line + " --fit off"))["outcome"] == "out-of-memory");
  CHECK(answer_of(preflight("--gpu rtx-4090", line + " -ngl 99"))["outcome"] == "out-of-memory");
}

TEST_CASE("speculation needs a draft model only where a model drafts") {
  const std::string line = "vllm serve qwen2.5-7b --max-model-len 4096 --speculative-config ";
  const auto vllm = [&](const std::string& config) {
    return answer_of(preflight("--gpu l40s", line + "'" + config + "'"));
  };
  const Json ngram = vllm(R"({"method":"ngram","num_speculative_tokens":4})");
  CHECK(ngram["outcome"] == "starts");
  CHECK(notes_contain(ngram, "without speculation by 'ngram'"));
  CHECK(vllm(R"({"method":"mtp","num_speculative_tokens":1})")["outcome"] == "starts");
  CHECK(vllm(R"({"method":"eagle","num_speculative_tokens":1})")["refused"][0]["check"] == "speculation");
  CHECK(vllm(R"({"method":"eagle3","model":"some/head","num_speculative_tokens":1})")["outcome"] == "starts");
  const Json removed =
      answer_of(preflight("--gpu l40s", "vllm serve qwen2.5-7b --max-model-len 4096 --speculative-model qwen2.5-0.5b"));
  CHECK(removed["refused"][0]["check"] == "flag");
  CHECK(removed["refused"][0]["would"] == "--speculative-config");
}

TEST_CASE("a context that the line stretches is not refused") {
  const std::string line = "vllm serve Qwen/Qwen3-8B --max-model-len 131072";
  const auto on = [](const std::string& words) { return answer_of(preflight("--gpu h100-sxm-80gb", words)); };
  CHECK(on(line)["refused"][0]["check"] == "context");
  const std::string yarn = R"({"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768})";
  CHECK(on(line + " --rope-scaling '" + yarn + "'")["outcome"] == "starts");
  CHECK(on(line + R"( --hf-overrides '{"rope_scaling":)" + yarn + "}'")["outcome"] == "starts");
  CHECK(on("env VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 " + line)["outcome"] == "starts");
}

TEST_CASE("a scheme of quantization that the repository contradicts is refused") {
  const auto check = [](const std::string& words) {
    const Json answer = answer_of(preflight("--gpu l40s", "vllm serve " + words + " --max-model-len 4096"));
    return answer["refused"].empty() ? std::string("starts") : answer["refused"][0]["says"].get<std::string>();
  };
  CHECK(check("Qwen/Qwen2.5-7B-Instruct --quantization awq") == "Cannot find the config file for awq");
  CHECK(check("Qwen/Qwen2.5-7B-Instruct --quantization fp8") == "starts");
  CHECK(check("Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq_marlin") == "starts");
  CHECK_THAT(check("Qwen/Qwen2.5-7B-Instruct-AWQ --quantization gptq"),
             Catch::Contains("(awq) does not match") && Catch::Contains("(gptq)"));
}

TEST_CASE("lengths that contradict each other are refused") {
  const auto outcome = [](const std::string& lengths) {
    return answer_of(preflight("--gpu l40s", "text-generation-launcher --model-id qwen2.5-7b " + lengths))["outcome"];
  };
  CHECK(outcome("--max-input-tokens 4096 --max-total-tokens 4096") == "refused");
  CHECK(outcome("--max-input-tokens 4095 --max-total-tokens 4096") == "starts");
}

TEST_CASE("adapters take memory, of ranks that there are") {
  const std::string line = "vllm serve qwen2.5-7b --max-model-len 4096";
  const double plain = weights_of(answer_of(preflight("--gpu l40s", line)));
  CHECK(weights_of(answer_of(preflight("--gpu l40s", line + " --enable-lora --max-loras 4 --max-lora-rank 64"))) >
        plain);
  CHECK(preflight("--gpu l40s", line + " --enable-lora --max-lora-rank 24").status == 2);
}

TEST_CASE("trainers' own flags and defaults are read") {
  const Json flags = answer_of(preflight("--gpu l40s",
                                         "llamafactory-cli train --stage sft --model_name_or_path "
                                         "Qwen/Qwen2.5-7B-Instruct --finetuning_type lora --bf16 true "
                                         "--per_device_train_batch_size 1 --cutoff_len 2048"));
  CHECK(flags["left_out"].empty());
  CHECK(flags["outcome"] == "starts");
  const std::string gpt =
      "pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --vocab-size "
      "32000 --max-position-embeddings 2048 --seq-length 2048 --micro-batch-size 1 --bf16";
  const Json implied = answer_of(preflight("--gpu h100-sxm-80gb", gpt));
  const Json written = answer_of(preflight("--gpu h100-sxm-80gb", gpt + " --ffn-hidden-size 8192"));
  CHECK(weights_of(implied) == Approx(weights_of(written)));
}

TEST_CASE("trainers are judged by what they load and by the GPUs they start on") {
  const auto needed = [](const std::string& flags, const std::string& line) {
    const Json answer = answer_of(preflight(flags, line));
    CAPTURE(line, says(answer));
    CHECK(answer["refused"].empty());
    return answer["answer"]["memory"]["needed"].get<double>();
  };
  const std::string sft =
      "accelerate launch --num_processes 1 sft.py --model_name_or_path meta-llama/Llama-2-7b-hf "
      "--per_device_train_batch_size 1 --max_length 1024 --gradient_checkpointing --bf16 --optim ";
  // 6.7 B parameters: fp32 weights, fp32 gradients as they come, 2 B of states
  const double in_fp32 = needed("--gpu h100-sxm-80gb", sft + "paged_adamw_8bit");
  CHECK(in_fp32 == needed("--gpu h100-sxm-80gb", sft + "paged_adamw_8bit --torch_dtype float32"));
  CHECK(needed("--gpu h100-sxm-80gb", sft + "paged_adamw_8bit --torch_dtype bfloat16") < 0.8 * in_fp32);

  const std::string full =
      "llamafactory-cli train --stage sft --do_train --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct --bf16 "
      "--per_device_train_batch_size 1 --cutoff_len 2048 --finetuning_type full";
  CHECK(answer_of(preflight("--gpu a100-sxm-80gb", full))["outcome"] == "starts");
  CHECK(preflight("--gpu h100-sxm-80gb:8", full, false).out.find("on 8 × H100") != std::string::npos);
  const std::string script = "python train.py --model_name_or_path Qwen/Qwen2.5-7B --bf16 --gradient_checkpointing ";
  CHECK(needed("--gpu h100-sxm-80gb", script + "--lora_r 8") <
        0.5 * needed("--gpu h200-sxm-141gb", script + "--torch_dtype float32"));
}

TEST_CASE("processes that are counted are as many as run") {
  const std::string sft =
      " trl/scripts/sft.py --model_name_or_path Qwen/Qwen2.5-1.5B --per_device_train_batch_size 1 --max_length 1024";
  const auto shown = [&](const std::string& line) { return preflight("--gpu h100-sxm-80gb:8", line, false).out; };
  CHECK(shown("accelerate launch --num_processes 1" + sft).find("on 1 × H100") != std::string::npos);
  CHECK(shown("accelerate launch" + sft).find("on 8 × H100") != std::string::npos);
}

TEST_CASE("a rate that is assumed is told") {
  const Json answer = answer_of(preflight("--gpu gb10-128gb", "vllm serve Qwen/Qwen3-8B --max-model-len 8192"));
  CHECK(answer["outcome"] == "starts");
  CHECK(answer["answer"]["notes"].dump().find("rate-not-published") != std::string::npos);
}

TEST_CASE("quantised weights are computed in the type that the line says") {
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb",
                            "vllm serve google/gemma-2-27b-it --dtype half --quantization fp8"))["outcome"] ==
        "refused");
  CHECK(answer_of(preflight("--gpu t4",
                            "vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --dtype bfloat16 --max-model-len "
                            "4096"))["outcome"] == "refused");
  CHECK(answer_of(preflight("--gpu t4",
                            "vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --dtype half --max-model-len "
                            "4096"))["outcome"] == "starts");
}

TEST_CASE("an engine without a back end for the GPU is refused") {
  const Json answer = answer_of(preflight("--gpu mi300x-192gb", "trtllm-serve meta-llama/Llama-3.1-8B-Instruct"));
  CHECK(answer["outcome"] == "refused");
  CHECK(says(answer).find("NVIDIA GPUs only") != std::string::npos);
}

TEST_CASE("what cannot be estimated is not said to be refused") {
  const Run run = preflight("--gpu h100-sxm-80gb", "vllm serve openai/whisper-large-v3", false);
  CHECK(run.status == 2);
  CHECK(run.err.find("whisper-large-v3") != std::string::npos);
}

TEST_CASE("a context that the engine chooses takes the room there is") {
  const std::string line = "vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len ";
  const Json whole = answer_of(preflight("--gpu rtx-4090", line + "131072"));
  REQUIRE(whole["outcome"] == "refused");
  for (const char* word : {"auto", "-1"}) {
    const Json answer = answer_of(preflight("--gpu rtx-4090", line + word));
    CHECK(answer["outcome"] == "starts");
    CHECK(answer["longest_request_tokens"].get<double>() > 20'000);
    CHECK(answer["longest_request_tokens"].get<double>() < 131'072);
  }
}

TEST_CASE("a container's variables, GPUs and image are read") {
  const std::string run = "docker run --gpus all ";
  const std::string serve = " vllm/vllm-openai:v0.11.0 --model meta-llama/Llama-3.1-70B-Instruct -tp 4";
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb:4", run + serve))["outcome"] == "starts");
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb:4", run + "-e CUDA_VISIBLE_DEVICES=0,1" + serve))["outcome"] ==
        "refused");
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb:4", "docker run --gpus device=0,1" + serve))["outcome"] == "refused");
  for (const char* flags : {"podman run -e NVIDIA_VISIBLE_DEVICES=0,1 docker.io/",
                            "docker run --gpus \"device=0,1\",capabilities=utility "})
    CHECK(answer_of(preflight("--gpu h100-sxm-80gb:4", flags + serve.substr(1)))["outcome"] == "refused");
  // 0.23 no longer runs on a V100, 0.11 does
  CHECK(answer_of(preflight("--gpu v100-sxm2-32gb", run + " vllm/vllm-openai:v0.11.0 --model "
                                                          "Qwen/Qwen2.5-3B-Instruct --dtype half"))["outcome"] ==
        "starts");
}

TEST_CASE("Megatron's experts are counted") {
  const std::string line =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 "
      "--num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --seq-length 4096 "
      "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 8 --bf16 "
      "--tokenizer-type GPT2BPETokenizer --tensor-model-parallel-size 4";
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb:8", line))["outcome"] == "starts");
  // 47 B parameters on 4 ranks at 16 B: 187 GB each
  CHECK(answer_of(preflight("--gpu h100-sxm-80gb:8", line + " --num-experts 8 --moe-router-topk 2"))["outcome"] ==
        "out-of-memory");
}

TEST_CASE("a table of abilities that is wrong is refused with its place") {
  const auto lint = [](const std::string& row) {
    const std::string file = scratch_file("engines.yaml",
                                          "engines:\n  - engine: vllm\n    name: vLLM\n    release: \"1\"\n"
                                          "    formats:\n      - " +
                                              row + "\n");
    return ask({"preflight", "--gpu", "l4", "--overlay", file, "--", "vllm", "serve", "qwen2.5-7b"});
  };
  const Run capability = lint("{format: fp16, scheme: fp16, least: 7.7, source: vllm-cuda}");
  CHECK(capability.status == 5);
  CHECK_THAT(capability.err,
             Catch::Contains("engines.yaml:6:") && Catch::Contains("compute capability 7.7 does not exist"));
  CHECK_THAT(lint("{format: fp61, scheme: fp16, source: vllm-cuda}").err,
             Catch::Contains("unknown weight format 'fp61'"));
  CHECK_THAT(lint("{format: fp16, scheme: fp16, leest: 7.0, source: vllm-cuda}").err,
             Catch::Contains("leest") && Catch::Contains("least"));
}

TEST_CASE("an older release that starts on the GPU is named wherever the GPU is judged") {
  for (const std::string words :
       {"estimate qwen2.5-7b --gpu v100-sxm2-32gb", "recommend qwen2.5-7b --gpu v100-sxm2-32gb"})
    CHECK(gpusel::test::shell("gpusel " + words).out.find("[older-engine]") != std::string::npos);
  CHECK(gpusel::test::shell("gpusel estimate qwen2.5-7b --gpu v100-sxm2-32gb --engine-version 0.11")
            .out.find("[older-engine]") == std::string::npos);
}

}  // namespace preflight_test
