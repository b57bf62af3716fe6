// Commands that start servers: the model that they name, the format of its weights, the flags of the plan.
#include <catch2/catch.hpp>

#include "base/text/text.hpp"
#include "support/exports.hpp"

namespace export_serving_test {

using namespace gpusel::test;

TEST_CASE("the model that is named is the one that is served, trained and labelled", "[export]") {
  const auto served = [](const std::string& model) {
    const Run run =
        ask({"export", "vllm", "--model", model, "--task", "inference", "--gpu", "l40s:1", "--quant", "bf16"});
    INFO(run.err);
    REQUIRE(run.status == 0);
    return run.out;
  };
  CHECK(has(served("meta-llama/Llama-3.1-8B"), "vllm serve meta-llama/Llama-3.1-8B --"));
  CHECK(has(served("meta-llama/Llama-3.1-8B-Instruct"), "vllm serve meta-llama/Llama-3.1-8B-Instruct --"));
  CHECK_FALSE(has(served("Qwen/Qwen2.5-Coder-7B-Instruct"), "is served as"));
  const std::string bare = served("llama-3.1-8b");
  CHECK(has(bare, "vllm serve meta-llama/Llama-3.1-8B-Instruct --"));
  CHECK(has(bare, "llama-3.1-8b is served as meta-llama/Llama-3.1-8B-Instruct"));
  const Run training = ask({"export", "skypilot", "--model", "meta-llama/Llama-3.1-8B-Instruct", "--task", "finetune",
                            "--method", "lora", "--cloud", "aws"});
  CHECK(has(training.out, "--model_name_or_path meta-llama/Llama-3.1-8B-Instruct "));
  const Run pods = ask(
      {"export", "kubernetes", "--model", "Qwen/Qwen2.5-Coder-7B-Instruct", "--task", "inference", "--cloud", "aws"});
  CHECK(has(pods.out, "name: gpusel-qwen2-5-coder-7b-instruct"));
}

TEST_CASE("launch lines have the plan's flags", "[export]") {
  const Run run = ask({"export", "vllm", "--model", "llama-3.1-70b", "--task", "inference", "--gpu", "h100-sxm-80gb:8",
                       "--nodes", "1", "--quant", "fp8", "--kv-cache-dtype", "fp8", "--isl", "1000", "--osl", "500"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  for (const char* flag :
       {"vllm serve ", "--tensor-parallel-size ", "--max-model-len 2048", "--gpu-memory-utilization ",
        "--max-num-seqs ", "oneshot(model=model, recipe=recipe, output_dir=folder)\nEND\n", "scheme='FP8_DYNAMIC'",
        "/tmp/quantize.py meta-llama/Llama-3.1-70B-Instruct ", "vllm serve \"$weights\"", "--served-model-name ",
        "--kv-cache-dtype fp8", "--enable-chunked-prefill"})
    CHECK(has(run.out, flag));
}

TEST_CASE("servers export the metrics that they are scaled by", "[export]") {
  CHECK(has(exported("sglang", "azure-sglang"), "--enable-metrics"));
}

TEST_CASE("a model out of a file is named by a variable", "[export]") {
  const std::string model = scratch_file(
      "config.json",
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
          "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 128256,
          "torch_dtype": "bfloat16", "max_position_embeddings": 8192})");
  const Run run = ask({"export", "vllm", "--model", model, "--task", "inference", "--gpu", "l4:1", "--cloud", "gcp"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "vllm serve \"$CHECKPOINT\""));
  CHECK(has(run.out, ": \"${CHECKPOINT:?}\""));
  CHECK_FALSE(has(run.out, "vllm serve " + model));
}

TEST_CASE("a draft model asks for the version that has them", "[export]") {
  const Run run = ask({"export", "vllm", "--model", "llama-3.1-70b", "--task", "inference", "--speculative",
                       "llama-3.2-1b", "--gpu", "h100-sxm-80gb:8"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "'vllm>=0.17'"));
}

TEST_CASE("repositories go to engines that load them, under the name that these take", "[export]") {
  const auto export_of = [](const std::string& words) {
    return ask(words_of("export " + words + " --task inference"));
  };
  const std::string gguf = "bartowski/Meta-Llama-3.1-8B-Instruct-GGUF";
  const Run vllm = export_of("vllm --model " + gguf);
  CHECK(has(vllm.out, "\npip install vllm-gguf-plugin\nvllm serve " + gguf + ":Q4_K_M --tokenizer meta-llama/"));
  CHECK(has(vllm.out, " --served-model-name " + gguf + " "));
  CHECK(has(export_of("llama-server --model " + gguf).out, "--hf-repo " + gguf + ":Q4_K_M "));
  CHECK(has(export_of("ollama --model " + gguf).out, gguf + ":Q4_K_M > Modelfile"));
  for (const std::string& words : {"sglang --model " + gguf, "trtllm --model " + gguf}) {
    const Run refused = export_of(words);
    CAPTURE(words, refused.out);
    CHECK(refused.status != 0);
    CHECK(has(refused.err, "does not load a repository of gguf: --engine llama.cpp plans for one that does"));
  }
  const Run awq = export_of("trtllm --model hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4 --gpu l40s:1");
  CHECK(has(awq.err, "does not load a repository of awq: --engine vllm plans for one that does"));
}

TEST_CASE("a repository that is named is served as it is, or in its own publisher's format that was asked for",
          "[export]") {
  const auto [model, quant, served] = GENERATE(Catch::Generators::table<std::string, std::string, std::string>(
      {{"moonshotai/Kimi-K2.5", "", "moonshotai/Kimi-K2.5 "},
       {"moonshotai/Kimi-K2-Thinking", "", "moonshotai/Kimi-K2-Thinking "},
       {"Qwen/Qwen3-30B-A3B-Instruct-2507", "", "Qwen/Qwen3-30B-A3B-Instruct-2507 "},
       {"Qwen/Qwen3-30B-A3B-Instruct-2507", "fp8",
        "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8 --served-model-name Qwen/Qwen3-30B-A3B-Instruct-2507 "},
       {"zai-org/GLM-4.7", "official", "zai-org/GLM-4.7-FP8 --served-model-name zai-org/GLM-4.7 "},
       {"Qwen/Qwen3-8B-Base", "", "Qwen/Qwen3-8B-Base "}}));
  std::vector<std::string> words{"export", "vllm", "--model", model, "--task", "inference"};
  if (quant == "official") words.insert(words.end(), {"--allow-precisions", quant});
  if (quant == "fp8") words.insert(words.end(), {"--quant", quant});
  const Run run = ask(words);
  CAPTURE(model, run.out, run.err);
  CHECK(has(run.out, "vllm serve " + served));
  CHECK_FALSE(has(run.out, "CHECKPOINT"));
}

TEST_CASE("an encoder is served by the image for its card, and asked by what every image has", "[export]") {
  const std::string file = exported("compose", "embeddings");
  CHECK(has(file, "text-embeddings-inference:89-1.9"));
  CHECK(has(file, "exec 3<>/dev/tcp/127.0.0.1/8080"));
  CHECK_FALSE(has(file, "python3"));
  CHECK(has(exported("kubernetes", "gcp-attached"), "text-embeddings-inference:turing-1.9"));
  const Run served =
      ask(words_of("export kserve --model llama-3.1-8b --task inference --cloud aws --gpu l4:1 --nodes 3 --rps 2"));
  CHECK(has(served.out, "minReplicas: 3"));
}

TEST_CASE("vLLM over several instances starts its own processes", "[export]") {
  const std::string flags = "--model deepseek-ai/DeepSeek-R1 --task inference --cloud aws --nodes 2";
  for (const char* target : {"skypilot", "lws"}) {
    const std::string text = export_of(target, flags).out;
    CHECK(has(text, " --nnodes 2 --node-rank $RANK --master-addr $MASTER $([ $RANK = 0 ] || echo --headless)"));
    CHECK_FALSE(has(text, "ray start"));
  }
}

TEST_CASE("engines spread experts as they can", "[export]") {
  const auto experts = [](const std::string& engine, const std::string& more) {
    std::vector<std::string> words{"export",    engine,  "--model", "mixtral-8x7b", "--task",
                                   "inference", "--rps", "2",       "--nodes",      "1"};
    for (const auto word : gpusel::split(more, ' ')) words.emplace_back(word);
    return ask(words);
  };
  // All ranks of vLLM are those of experts.
  const Run all = experts("vllm", "--gpu a100-sxm-80gb:8 --ep 8");
  INFO(all.err);
  CHECK(has(all.out, "--enable-expert-parallel"));
  const Run part = experts("vllm", "--gpu a100-sxm-80gb:8 --ep 2");
  CHECK(part.status == 3);
  CHECK(
      has(part.err, "ep 2 is not possible on nodes of 8 GPUs: vllm spreads experts over all GPUs of a pipeline stage"));
  // SGLang has so many of the tensor ranks.
  const Run tensor = experts("sglang", "--gpu a100-sxm-80gb:8 --ep 2");
  INFO(tensor.err);
  REQUIRE(tensor.status == 0);
  const auto degree = [&](const std::string& flag) {
    const auto at = tensor.out.find(flag + " ");
    return at == std::string::npos ? 1 : std::stoi(tensor.out.substr(at + flag.size() + 1));
  };
  CHECK(degree("--ep-size") == 2);
  CHECK(degree("--tp-size") % 2 == 0);
  const Run none = ask({"estimate", "mixtral-8x7b", "--engine", "llama.cpp", "--ep", "2", "--gpu", "l4:8"});
  CHECK(has(none.err, "llama.cpp has no expert parallelism"));
}

TEST_CASE("a container gets the devices of verbs where the fabric has them", "[export]") {
  const auto devices = [](const std::string& sku) {
    const Run run = ask({"export", "docker", "--model", "llama-3.1-405b", "--task", "inference", "--instance", sku,
                         "--nodes", "2", "--pp", "2", "--tp", "8", "--rps", "0.1"});
    INFO(sku << run.err);
    REQUIRE(run.status == 0);
    return has(run.out, "/dev/infiniband");
  };
  CHECK(devices("p5.48xlarge"));
  CHECK_FALSE(devices("a3-highgpu-8g"));
}

TEST_CASE("cards that the current CUDA leaves out get the vLLM that has them", "[export]") {
  CHECK(has(exported("docker", "tencent"), "vllm/vllm-openai:v0.17.1"));
  CHECK(has(exported("vllm", "tencent"), "'vllm<0.20'"));
  CHECK(has(exported("docker", "gcp-serving"), "vllm/vllm-openai:v0.23.0"));
  CHECK_FALSE(has(exported("vllm", "gcp-serving"), "'vllm<0.20'"));
}

TEST_CASE("a format is served from the repository its publisher ships it in, and of no name made up", "[export]") {
  const auto served = [](const std::string& model) {
    return export_of("vllm", "--task inference --gpu h100-sxm-80gb:1 --model " + model).out;
  };
  CHECK(has(served("Qwen/Qwen3-8B --quant fp8"), "Qwen/Qwen3-8B-FP8 "));
  const std::string other = served("aisingapore/Qwen-SEA-LION-v4-32B-IT --quant fp8");
  CHECK_FALSE(has(other, "Qwen-SEA-LION-v4-32B-IT-FP8"));
  CHECK(has(other, "/tmp/quantize.py aisingapore/Qwen-SEA-LION-v4-32B-IT \"$weights.part\""));
}

TEST_CASE("weights that nobody publishes in the planned format are converted by the script, once", "[export]") {
  const std::string serve = "--task inference --gpu l40s:1 --model ";
  const std::string own = export_of("llama-server", serve + "llama-3.1-8b --quant q4_k_m").out;
  for (const char* part :
       {"if [ ! -e \"$weights\" ]; then\n", "python3 convert_hf_to_gguf.py \"$published\" --outtype bf16 --outfile ",
        "llama-quantize \"$weights.part\" \"$weights.less\" Q4_K_M &&\n", "llama-server --model \"$weights\" ",
        "ghcr.io/ggml-org/llama.cpp:full-cuda-"})
    CHECK(has(own, part));
  CHECK_FALSE(has(own, "CHECKPOINT"));
  const std::string plain = export_of("llama-server", serve + "llama-3.1-8b").out;
  CHECK(has(plain, " --outtype auto --outfile "));
  CHECK_FALSE(has(plain, "llama-quantize \""));
  // That of the publisher itself needs neither.
  const std::string published = export_of("llama-server", serve + "Qwen/Qwen3-8B --quant q4_k_m").out;
  CHECK(has(published, "llama-server --hf-repo Qwen/Qwen3-8B-GGUF:Q4_K_M --alias Qwen3-8B "));
  CHECK_FALSE(has(published, "convert_hf_to_gguf"));
  const std::string int8 = export_of("vllm", serve + "llama-3.1-8b --quant int8").out;
  for (const char* part : {"scheme='W8A8'", "dataset=\"open_platypus\"", "vllm serve \"$weights\" "})
    CHECK(has(int8, part));
}

TEST_CASE("a format that neither is published nor can be made is refused, with what would do", "[export]") {
  for (const char* job : {"vllm --model gemma-3-27b --quant int8", "trtllm --model llama-3.1-8b --quant fp8"}) {
    const Run run = shell("gpusel export " + std::string(job) + " --task inference");
    CAPTURE(job, run.out);
    CHECK(run.status == 3);
    CHECK(has(run.err, "name a repository in that format with --model, or set --quant bf16"));
  }
  const Run none = asked_export("llama-server", "--model deepseek-ai/DeepSeek-R1 --task inference");
  CHECK(none.status == 3);
  CHECK(has(none.err, "gpusel writes no llama.cpp command for weights in fp8; set --quant q8_0"));
}

TEST_CASE("engines that load no GGUF repository are not given one", "[export]") {
  for (const char* target : {"sglang", "trtllm"}) {
    const Run run = asked_export(target, "--model qwen3-8b --task inference --quant q4_k_m --concurrency 4");
    CAPTURE(target, run.out);
    CHECK(run.status == 3);
    CHECK(has(run.err, "gguf"));
  }
}

TEST_CASE("what an engine keeps of its downloads lies where all others have theirs", "[export]") {
  const std::string run = export_of("tei", "--model bge-m3 --task inference --gpu l4:1").out;
  CHECK(has(run, "--huggingface-hub-cache \"$HF_HOME/hub\""));
  CHECK_FALSE(has(run, "\"$/"));
}

TEST_CASE("gcloud's lists are marked by what is in none of their values", "[export]") {
  const std::string run =
      export_of("vertex", "--model llama-3.1-8b --task inference --engine llama.cpp --quant q4_k_m --cloud gcp").out;
  CHECK(has(run, "--container-args '^|||^export PATH="));
  CHECK(has(run, "[ ! -d /app ] || cd /app\n"));
}

TEST_CASE("what a price list sells by the card has no instance type to order", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --rps 3 --cloud digitalocean --gpu mi325x";
  for (const char* target : {"skypilot", "dstack", "kubernetes"}) {
    const Run run = asked_export(target, flags);
    CAPTURE(target, run.out);
    CHECK(run.status == 3);
    CHECK_FALSE(has(run.out, "1x-mi325x"));
  }
}

TEST_CASE("charts are given the repository that is served", "[export]") {
  const std::string flags = "--model Qwen/Qwen3-8B --quant fp8 --task inference --cloud aws --gpu h100-sxm-80gb:1";
  CHECK(has(export_of("kuberay", flags).out, "model_source: Qwen/Qwen3-8B-FP8\n"));
  CHECK(has(export_of("helm-vllm", flags).out, "modelURL: Qwen/Qwen3-8B-FP8\n"));
  CHECK(has(export_of("llm-d", flags).out, "uri: hf://Qwen/Qwen3-8B-FP8\n"));
}

TEST_CASE("Ollama is exported as an engine that was asked for, too", "[export]") {
  const Run run = asked_export("ollama", "llama-3.1-8b --engine ollama --gpu l4");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "ollama serve"));
  CHECK(has(run.out, "OLLAMA_NUM_PARALLEL=1 "));
  // Its own image has nothing that converts weights.
  CHECK_FALSE(has(asked_export("docker", "llama-3.1-8b --engine ollama --gpu l4").out, "convert_hf_to_gguf"));
}

}  // namespace export_serving_test
