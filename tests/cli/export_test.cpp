// Exports of many kinds of plans, each read by the format's own parser or checked against what its vendor documents.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace export_test {

using namespace gpusel::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> kTargets{
    "skypilot", "dstack",        "terraform",  "kubernetes", "kserve", "karpenter",    "keda",     "hpa",  "vllm",
    "sglang",   "torchrun",      "accelerate", "deepspeed",  "slurm",  "docker",       "compose",  "lws",  "kuberay",
    "jobset",   "helm-vllm",     "trtllm",     "axolotl",    "ollama", "llama-server", "runpod",   "vast", "vertex",
    "azureml",  "llama-factory", "batch",      "sagemaker",  "tei",    "llm-d",        "torchtune"};

struct Job {
  std::string name;
  std::string flags;
  std::vector<std::string> targets;  // that can say the plan; all others refuse
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> all{
      {"aws-two-nodes",
       "--model llama-3.1-70b --task finetune --method full --allow-list p5.48xlarge --cloud aws --nodes 3",
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "torchrun", "accelerate", "deepspeed", "slurm",
        "docker", "compose", "jobset", "axolotl", "llama-factory", "batch", "torchtune"}},
      {"megatron",
       "--model llama-3.1-8b --task pretrain --tokens 1e9 --framework megatron --tp 8 --allow-list p5.48xlarge --cloud "
       "aws",
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "torchrun", "slurm", "docker", "compose",
        "jobset", "batch"}},
      {"gcp-serving",
       "--model llama-3.1-8b --task inference --infra gcp/us-central1 --gpu l4:1 --rps 1",
       {"skypilot", "dstack", "terraform",    "kubernetes", "kserve", "keda",    "hpa",
        "vllm",     "slurm",  "docker",       "compose",    "lws",    "kuberay", "helm-vllm",
        "sglang",   "trtllm", "llama-server", "ollama",     "llm-d",  "vertex"}},
      {"gcp-attached",
       "--model bert-large --task inference --cloud gcp --gpu t4:1",
       {"skypilot", "dstack", "terraform", "kubernetes", "lws", "kserve", "vertex", "slurm", "docker", "compose",
        "vllm", "tei"}},
      {"azure-sglang",
       "--model llama-3.1-8b --task inference --cloud azure --gpu a100-pcie-80gb:1 --engine sglang",
       {"skypilot", "dstack", "terraform", "kubernetes", "kserve", "karpenter", "keda", "hpa", "sglang", "slurm",
        "docker", "compose", "lws", "azureml"}},
      {"azure-spot",
       "--model llama-3.1-8b --task inference --cloud azure --use-spot",
       {"skypilot",  "dstack", "terraform", "kubernetes",   "kserve",  "karpenter", "keda",
        "hpa",       "vllm",   "slurm",     "docker",       "compose", "lws",       "kuberay",
        "helm-vllm", "sglang", "trtllm",    "llama-server", "ollama",  "llm-d"}},
      {"aliyun",
       "--model llama-7b --task finetune --method lora --cloud aliyun --gpus-max 1",
       {"terraform", "kubernetes", "torchrun", "accelerate", "deepspeed", "slurm", "docker", "compose", "jobset",
        "axolotl", "llama-factory"}},
      {"tencent",
       "--model llama-7b --task inference --cloud tencent --allow-list GN10Xp.*",  // V100: neither SGLang nor
                                                                                   // TensorRT-LLM starts
       {"terraform", "kubernetes", "kserve", "keda", "hpa", "vllm", "slurm", "docker", "compose", "lws", "kuberay",
        "helm-vllm", "llama-server", "ollama", "llm-d"}},
      {"lora-on-one-gpu",
       "--model llama-7b --task finetune --method lora --cloud aws --gpus-max 1",
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "torchrun", "accelerate", "deepspeed", "slurm",
        "docker", "compose", "jobset", "axolotl", "llama-factory", "batch"}},
      {"vast",
       "--model llama-3.1-8b --task inference --cloud vast",
       {"skypilot", "dstack", "vllm", "slurm", "docker", "compose", "sglang", "trtllm", "llama-server", "ollama",
        "vast"}},
      {"runpod",
       "--model llama-3.1-8b --task inference --cloud runpod",
       {"skypilot", "dstack", "vllm", "slurm", "docker", "compose", "sglang", "trtllm", "llama-server", "ollama",
        "runpod"}},
      {"embeddings",
       "--model bge-m3 --task inference --cloud aws --gpu l4:1",
       {"skypilot", "dstack", "terraform", "kubernetes", "lws", "kserve", "karpenter", "slurm", "docker", "compose",
        "tei", "vllm", "sagemaker"}},
      {"aws-endpoint",
       "--model llama-3.1-8b --task inference --cloud aws --region us-east-1 --gpu l40s:1",
       {"skypilot",  "dstack", "terraform", "kubernetes",   "kserve",  "karpenter", "keda",
        "hpa",       "vllm",   "slurm",     "docker",       "compose", "lws",       "kuberay",
        "helm-vllm", "sglang", "trtllm",    "llama-server", "ollama",  "llm-d",     "sagemaker"}},
      {"oci",
       "--model llama-3.1-8b --task inference --cloud oci",
       {"skypilot", "dstack", "terraform", "kubernetes", "kserve", "keda", "hpa", "vllm", "slurm", "docker", "compose",
        "lws", "kuberay", "helm-vllm", "sglang", "trtllm", "llama-server", "ollama", "llm-d"}},
      {"nebius",
       "--model llama-3.1-8b --task inference --cloud nebius",
       {"skypilot", "dstack", "terraform", "kubernetes", "kserve", "keda", "hpa", "vllm", "slurm", "docker", "compose",
        "lws", "kuberay", "helm-vllm", "sglang", "trtllm", "llama-server", "ollama", "llm-d"}},
      {"lambda",
       "--model llama-3.2-1b --task finetune --method lora --cloud lambda --gpus-max 1",
       {"skypilot", "dstack", "terraform", "torchrun", "accelerate", "deepspeed", "slurm", "docker", "compose",
        "torchtune", "axolotl", "llama-factory"}},
      {"render",
       "--task render --renderer cycles --frames 100 --cloud aws",
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "slurm", "jobset"}},
      {"processors",
       "--task preprocess --preprocess tokenize --cloud aws",
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "slurm", "jobset"}},
  };
  return all;
}

std::vector<std::string> words_for(const std::string& target, const Job& job) {
  std::vector<std::string> words{"export", target};
  for (const std::string& word : words_of(job.flags)) words.push_back(word);
  return words;
}

/// Every file that every job gives, as TARGET.JOB; made once for all tests.
const std::string& written() {
  static const std::string folder = [] {
    const std::string made = scratch_directory();
    for (const Job& job : jobs())
      for (const std::string& target : kTargets)
        if (const Run run = ask(words_for(target, job)); run.status == 0)
          std::ofstream(made + "/" + target + "." + job.name) << run.out;
    return made;
  }();
  return folder;
}

std::string exported(const std::string& target, const std::string& job) {
  return read_file(written() + "/" + target + "." + job);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Run export_of(const std::string& target, const std::string& flags) {
  Run run = ask(words_for(target, {"", flags, {}}));
  INFO(target << " " << flags << "\n" << run.err);
  CHECK(run.status == 0);
  return run;
}

}  // namespace

TEST_CASE("what only a marketplace sells is not said to leave marketplaces out") {
  const Run run = shell("gpusel export vast llama-3.1-8b");
  REQUIRE(run.status == 0);
  CHECK(run.out.find("# assumed: ") != std::string::npos);
  CHECK(run.out.find("marketplaces") == std::string::npos);
  CHECK(shell("gpusel export vllm llama-3.1-8b --cloud aws").out.find("marketplaces no") != std::string::npos);
}

TEST_CASE("each plan is exported to the tools that can say it, and refused by the others", "[export]") {
  for (const Job& job : jobs())
    for (const std::string& target : kTargets) {
      INFO(job.name << " for " << target);
      const bool able = std::ranges::find(job.targets, target) != job.targets.end();
      CHECK(fs::exists(written() + "/" + target + "." + job.name) == able);
    }
}

TEST_CASE("where no rank can be ordered, the first reason and the targets that can are told, with status 3",
          "[export]") {
  const Run run = ask(words_for("karpenter", {"", "--model llama-3.1-8b --task inference --cloud runpod", {}}));
  CHECK(run.status == 3);
  CHECK(run.out.empty());
  CHECK(has(run.err, "Karpenter starts instances of AWS and Azure, and not of runpod"));
  CHECK(has(run.err, "targets that can: "));
  CHECK(has(run.err, "dstack"));
}

TEST_CASE("the first rank that the target can order is taken, and that is said", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --cloud runpod,aws";
  const Run run = ask(words_for("karpenter", {"", flags, {}}));
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto at = run.out.find("# - rank ");
  REQUIRE(at != std::string::npos);
  const std::string line = run.out.substr(at, run.out.find('\n', at) - at);
  CHECK(has(line, "; rank 1 (runpod "));
  CHECK(has(run.out, "not of runpod"));
  const std::string rank = run.out.substr(at + 9, run.out.find(';', at) - at - 9);
  CHECK(ask(words_for("karpenter", {"", flags + " --rank " + rank, {}})).status == 0);
  const Run refused = ask(words_for("karpenter", {"", flags + " --rank 1", {}}));
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "--rank " + rank + " is the first that karpenter can"));
}

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

TEST_CASE("exports hold to what their vendors document", "[export]") {
  std::ofstream(written() + "/answer.export")
      << ask({"export", "dstack", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws", "--json"}).out;
  std::ofstream(written() + "/answer.list") << ask({"export", "--json"}).out;
  const Run run = command({"/usr/bin/python3", kSource + "/tests/export/check.py", written()});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
}

TEST_CASE("Terraform files are read by HashiCorp's own parser", "[export]") {
  std::vector<std::string> words{"go", "run", kSource + "/tests/export/terraform.go",
                                 kSource + "/tests/schema/export/terraform.json"};
  for (const auto& file : fs::directory_iterator(written()))
    if (file.path().filename().string().starts_with("terraform.")) words.push_back(file.path());
  REQUIRE(words.size() > 8);
  // Packaged libraries lie in GOPATH and are no modules.
  const Run run = command(words, {.environment = {{"GO111MODULE", "off"},
                                                  {"GOPATH", "/usr/share/gocode"},
                                                  {"GOCACHE", std::string(GPUSEL_SCRATCH_DIR) + "/go-cache"},
                                                  {"GOFLAGS", ""}}});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
}

TEST_CASE("an export says how it is made again, and that gives the same file", "[export]") {
  const std::string text = exported("skypilot", "gcp-serving");
  const auto at = text.find("gpusel export skypilot");
  REQUIRE(at != std::string::npos);
  const Run again = shell(text.substr(at, text.find('\n', at) - at));
  CHECK(again.status == 0);
  CHECK(again.out == text);
  CHECK(has(text, "# assumed: "));
}

TEST_CASE("what an export looks like is not asked again", "[export]") {
  const Run run =
      export_of("vllm", "--model llama-3.1-8b --task inference --gpu l4 --no-pager --color never -q --lang en");
  CHECK(has(run.out, "#   gpusel export vllm --model llama-3.1-8b --task inference --gpu l4\n"));
}

TEST_CASE("candidates of SkyPilot stand in ranking order", "[export]") {
  const Job job{"", "--model llama-3.1-8b --task inference --cloud aws,gcp,azure", {}};
  std::vector<std::string> words = words_for("skypilot", job);
  const std::string task = ask(words).out;
  words[0] = "recommend";
  words.erase(words.begin() + 1);
  words.push_back("--json");
  const Json answer = Json::parse(ask(words).out);
  std::size_t from = 0;
  std::size_t found = 0;
  for (const Json& one : answer["recommendations"]) {
    const std::string type = one["sku"].get<std::string>();
    const auto at = task.find("instance_type: " + type.substr(0, type.find('+')) + "\n", from);
    if (at == std::string::npos) continue;
    from = at;
    ++found;
  }
  CHECK(found > 3);
  CHECK(std::ranges::count(task, '\n') > 10);
}

TEST_CASE("launch lines have the plan's flags", "[export]") {
  const Run run = ask({"export", "vllm", "--model", "llama-3.1-70b", "--task", "inference", "--gpu", "h100-sxm-80gb:8",
                       "--nodes", "1", "--quant", "fp8", "--kv-cache-dtype", "fp8", "--isl", "1000", "--osl", "500"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  for (const char* flag : {"vllm serve ", "--tensor-parallel-size ", "--max-model-len 2048",
                           "--gpu-memory-utilization ", "--max-num-seqs ", "vllm serve \"$CHECKPOINT\"",
                           "--served-model-name ", "--kv-cache-dtype fp8", "--enable-chunked-prefill"})
    CHECK(has(run.out, flag));
}

TEST_CASE("an autoscaler's threshold is what one replica holds at its share of the traffic", "[export]") {
  for (const char* rate : {"1", "5"}) {
    const std::vector<std::string> job{"--model", "llama-3.1-8b",    "--task", "inference", "--gpu", "l4:1",
                                       "--infra", "gcp/us-central1", "--rps",  rate,        "--pp",  "1",
                                       "--json"};
    const auto answer = [&](std::vector<std::string> words) {
      words.insert(words.end(), job.begin(), job.end());
      const Run run = ask(words);
      INFO(run.err);
      REQUIRE(run.status == 0);
      return Json::parse(run.out);
    };
    const Json best = answer({"recommend"})["recommendations"][0];
    const double each = std::stod(rate) * best["performance"]["e2e_latency_ms"].get<double>() / 1000 /
                        best["nodes"].get<double>();  // Little's law
    const std::string file = answer({"export", "keda"})["files"][0]["content"];
    CHECK(has(file, "threshold: \"" + std::to_string(static_cast<int>(each)) + "\""));
    CHECK(has(file, "{model_name="));
    CHECK_FALSE(has(file, "cooldownPeriod"));
    CHECK_FALSE(has(file, "the last one stops"));
  }
}

TEST_CASE("servers export the metrics that they are scaled by", "[export]") {
  CHECK(has(exported("sglang", "azure-sglang"), "--enable-metrics"));
}

TEST_CASE("Megatron gets what it asserts", "[export]") {
  const std::string dense = exported("torchrun", "megatron");
  for (const char* part : {"CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun", "--save-interval \"$SAVE_INTERVAL\"",
                           "--rotary-base \"$ROTARY_BASE\"", ": \"${OUTPUT:?}\""})
    CHECK(has(dense, part));
  // 8 GPUs a stage: experts over 8 of them leave none for tensor parallelism.
  const Run experts = ask({"export", "torchrun",    "--model",      "mixtral-8x7b", "--task",  "pretrain", "--tokens",
                           "1e9",    "--framework", "megatron",     "--tp",         "2",       "--pp",     "2",
                           "--ep",   "8",           "--allow-list", "p5.48xlarge",  "--cloud", "aws",      "--nodes",
                           "2"});
  INFO(experts.err);
  REQUIRE(experts.status == 0);
  CHECK(has(experts.out, "--expert-tensor-parallel-size 1"));
}

TEST_CASE("kernels that a command asks for are installed", "[export]") {
  const std::string script = exported("torchrun", "lora-on-one-gpu");
  CHECK(has(script, "flash_attention_2") == has(script, "pip install flash-attn --no-build-isolation"));
}

TEST_CASE("warnings of the rank stand in the file and in the notes", "[export]") {
  const std::vector<std::string> job{"--model", "llama-3.1-8b", "--task", "inference", "--cloud", "vast", "--json"};
  std::vector<std::string> words{"recommend"};
  words.insert(words.end(), job.begin(), job.end());
  const Json warnings = Json::parse(ask(words).out)["recommendations"][0]["warnings"];
  REQUIRE(!warnings.empty());
  words = {"export", "vllm"};
  words.insert(words.end(), job.begin(), job.end());
  const Json made = Json::parse(ask(words).out);
  for (const Json& warning : warnings)
    CHECK(std::ranges::any_of(made["notes"], [&](const Json& note) {
      return has(note.get<std::string>(), warning["message"].get<std::string>());
    }));
  CHECK(has(made["files"][0]["content"].get<std::string>(), "# - warning: "));
}

TEST_CASE("places that no API knows are variables, or left out", "[export]") {
  const Run run = ask({"export", "terraform", "--model", "llama-7b", "--task", "inference", "--cloud", "tencent",
                       "--infra", "tencent/cn-mainland", "--gpu", "a100-sxm-40gb"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "region = var.region"));
  CHECK_FALSE(has(run.out, "\"cn-mainland\""));
  CHECK_FALSE(has(exported("dstack", "vast"), "regions:"));
  CHECK(has(exported("dstack", "vast"), "name: "));
}

TEST_CASE("RunPod's third parties are none of SkyPilot's", "[export]") {
  const Run run = ask({"export", "skypilot", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "runpod",
                       "--market", "true", "--allow-list", "1x_H100-SXM_COMMUNITY"});
  CHECK(run.status == 3);
  CHECK(has(run.err, "third parties"));
  const Run secure = ask({"export", "skypilot", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "runpod",
                          "--allow-list", "1x_A100-SXM_SECURE"});
  CHECK(has(secure.out, "accelerators: A100-80GB-SXM:1"));
}

TEST_CASE("replicas are a service of SkyPilot, and no cluster in Terraform", "[export]") {
  const Run asked = ask({"recommend", "--model", "llama-3.1-8b", "--task", "inference", "--infra", "gcp/us-central1",
                         "--gpu", "l4:1", "--rps", "1", "--json"});
  const int nodes = Json::parse(asked.out)["recommendations"][0]["nodes"];
  REQUIRE(nodes > 1);
  CHECK(has(exported("skypilot", "gcp-serving"), "replicas: " + std::to_string(nodes) + "\n"));
  const Run run = ask({"export", "terraform", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws",
                       "--gpu", "l4:1", "--rps", "2", "--pp", "1"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_FALSE(has(run.out, "aws_placement_group"));
  CHECK(has(exported("terraform", "aws-two-nodes"), "aws_placement_group"));
}

TEST_CASE("pods that work together ask for the fabric, and those on spot take Karpenter's nodes too", "[export]") {
  const std::string training = exported("kubernetes", "aws-two-nodes");
  CHECK(has(training, "vpc.amazonaws.com/efa: 32"));
  CHECK(has(training, "claimName: "));
  CHECK(has(exported("kubernetes", "azure-spot"), "karpenter.sh/capacity-type"));
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
  CHECK(has(vllm.out, " --served-model-name Meta-Llama-3.1-8B-Instruct-GGUF "));
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

TEST_CASE("the planned format is the repository itself, or that of its own publisher", "[export]") {
  const auto [model, served] = GENERATE(Catch::Generators::table<std::string, std::string>(
      {{"moonshotai/Kimi-K2.5", "moonshotai/Kimi-K2.5 "},
       {"moonshotai/Kimi-K2-Thinking", "moonshotai/Kimi-K2-Thinking "},
       {"Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8 "},
       {"zai-org/GLM-4.7", "zai-org/GLM-4.7-FP8 "},
       {"Qwen/Qwen3-8B-Base", "Qwen/Qwen3-8B-Base "}}));
  const Run run = ask({"export", "vllm", "--model", model, "--task", "inference"});
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

TEST_CASE("instances that must know the first one's address are started after it", "[export]") {
  const std::string job = "export terraform --model llama-3.1-70b --task finetune --method full --nodes 2 --cloud ";
  const Run oci = ask(words_of(job + "oci"));
  CAPTURE(oci.err);
  CHECK(has(oci.out, "MASTER=${oci_core_instance.first[0].private_ip}"));
  CHECK(has(oci.out, "source_type               = \"NETWORK_SECURITY_GROUP\""));
  CHECK(has(oci.out, "compute_cluster_id  = oci_core_compute_cluster.job.id"));
  const Run nebius = ask(words_of(job + "nebius"));
  CHECK(has(nebius.out, "nebius_compute_v1_instance.first[0].status.network_interfaces[0].ip_address.address)[0]"));
  for (const Run& run : {oci, nebius}) CHECK_FALSE(has(run.out, "var.master"));
  const Run volta = ask(words_of("export terraform --model llama-3.1-8b --task inference --allow-list p3.2xlarge"));
  CHECK(has(volta.out, "give ami_id"));
  CHECK_FALSE(has(volta.out, "default = null"));
  const Run part =
      ask(words_of("export terraform --model llama-3.1-8b --task inference --allow-list Standard_NV.*A10.*"));
  CHECK(has(part.out, "source_image_id"));
  CHECK_FALSE(has(part.out, "ubuntu-hpc"));
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

TEST_CASE("the training plan's batch is that of the DeepSpeed file", "[export]") {
  const Json config = Json::parse(exported("deepspeed", "lora-on-one-gpu"));
  CHECK(config["train_batch_size"] ==
        config["train_micro_batch_size_per_gpu"].get<int>() * config["gradient_accumulation_steps"].get<int>());
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
  const Run from_flags = ask(words_for("vllm", {"", flags, {}}));
  const auto command_in = [](const std::string& text) { return text.substr(text.find("\nset -eu")); };
  CHECK(command_in(from_file.out) == command_in(from_flags.out));
  const Run beside = ask({"export", "vllm", saved, "--model", "llama-7b"});
  CHECK(beside.status == 2);
  CHECK(has(beside.err, "--model"));
  const Run other = ask({"export", "vllm", scratch_file("other.json", "{\"schema\": \"other/1\"}")});
  CHECK(other.status == 2);
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
    for (const std::string& target : kTargets) CHECK(has(list.out, target));
    const Run file =
        ask({"export", "hpa", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws", "-o", format});
    CHECK(file.status == 0);
    CHECK(has(file.out, "HorizontalPodAutoscaler"));
  }
}

TEST_CASE("adapters go onto the planned modules, each by its name", "[export]") {
  const std::string flags = "--task finetune --method lora --lora-targets attention --gpu l40s:1 --model ";
  const std::string axolotl = export_of("axolotl", flags + "llama-3.1-8b").out;
  CHECK(has(axolotl, "lora_target_modules:\n  - q_proj\n  - k_proj\n  - v_proj\n  - o_proj\n"));
  CHECK(
      has(export_of("torchtune", flags + "llama-3.1-8b").out, "lora_attn_modules=[q_proj,k_proj,v_proj,output_proj]"));
  CHECK(has(export_of("axolotl", "--model mixtral-8x7b --task finetune --method qlora").out, "  - q_proj\n"));
}

TEST_CASE("torchtune trains with the planned optimizer and as many passes", "[export]") {
  const std::string flags = "--task finetune --gpu h100-sxm-80gb:1 --global-batch 64 --model ";
  const std::string full = export_of("torchtune", flags + "llama-3.2-1b --method full").out;
  for (const char* word : {"optimizer=torch.optim.AdamW", "optimizer_in_bwd=False"}) CHECK(has(full, word));
  CHECK_FALSE(has(full, "~optimizer.fused"));
  const std::string paged = " --optimizer paged-adamw8bit";
  const std::string lora = export_of("torchtune", flags + "llama-3.2-1b --method lora" + paged).out;
  for (const char* word : {"optimizer=bitsandbytes.optim.PagedAdamW8bit", "'~optimizer.fused'"}) CHECK(has(lora, word));
  // That configuration has the paged optimizer itself, and so no argument to take out.
  CHECK_FALSE(has(export_of("torchtune", flags + "llama-3.2-1b --method full" + paged).out, "~optimizer"));
}

TEST_CASE("pods that train have an image with PyTorch and install the tool", "[export]") {
  for (const char* target : {"kubernetes", "jobset"}) {
    const std::string pods = exported(target, "lora-on-one-gpu");
    CHECK(has(pods, "image: pytorch/pytorch:"));
    CHECK(has(pods, "pip install 'trl"));
    CHECK_FALSE(has(pods, "registry.invalid"));
  }
}

TEST_CASE("AWS Batch takes variables by reference, whole processors, and the fabric", "[export]") {
  const std::string nodes = exported("batch", "aws-two-nodes");
  CHECK(has(nodes, "- Name: DATASET\n"));
  CHECK(has(nodes, "Ref: DATASET"));
  CHECK_FALSE(has(nodes, "Value: DATASET"));
  CHECK(has(nodes, "MaxvCpus: 576\n"));
  CHECK(has(nodes, "InterfaceType: efa"));
  CHECK(has(nodes, "/dev/infiniband/uverbs31"));
  CHECK_FALSE(has(exported("batch", "lora-on-one-gpu"), "infiniband"));
  const Run spot = ask(words_for("batch", {"",
                                           "--model llama-3.1-70b --task finetune --allow-list p5.48xlarge "
                                           "--cloud aws --nodes 3 --use-spot",
                                           {}}));
  CHECK(spot.status == 3);
  CHECK(has(spot.err, "no spot instances for jobs on several nodes"));
}

TEST_CASE("what a job makes outlives its machine", "[export]") {
  const std::string batch = exported("batch", "lora-on-one-gpu");
  for (const char* part : {"aws s3 sync --only-show-errors \"$OUTPUT\" \"s3://$BUCKET/gpusel-llama-7b\"",
                           "trap keep EXIT", "JobRoleArn:", "Ref: Bucket", "--capabilities CAPABILITY_IAM"})
    CHECK(has(batch, part));
  const std::string tune = "--model llama-3.1-8b --task finetune --method lora --cloud ";
  const std::string azure = export_of("azureml", tune + "azure").out;
  CHECK(has(azure, "export OUTPUT=${{outputs.results}}"));
  CHECK(has(azure, "outputs:\n  results:\n    type: uri_folder\n"));
  const std::string pod = export_of("runpod", tune + "runpod --allow-list '.*_SECURE'").out;
  for (const char* part : {"\"networkVolumeId\": \"NETWORK_VOLUME_ID\"", "\"volumeMountPath\": \"/output\"",
                           "runpodctl remove pod", ": \"${NETWORK_VOLUME_ID:?}\""})
    CHECK(has(pod, part));
  CHECK(has(exported("terraform", "lambda"), "file_system_names  = [var.file_system]"));
  CHECK(has(export_of("vertex", tune + "gcp").out, "value: \"/gcs/$BUCKET/gpusel-llama-3-1-8b\""));
  for (const std::string& text : {batch, azure, pod}) CHECK_FALSE(has(text, "- set OUTPUT"));
}

TEST_CASE("a target that orders of one seller asks that seller", "[export]") {
  CHECK(has(export_of("vast", "--model llama-3.1-8b --task inference").out, ": 1 × vast "));
  const std::vector<std::string> ranked{"recommend", "-m", "llama-3.1-8b", "--for", "vertex", "-n", "3", "-o", "csv"};
  CHECK(has(ask(ranked).out, ",gcp,"));
  CHECK(ask(words_for("vast", {"", "--model llama-3.1-8b --task inference --cloud aws", {}})).status == 3);
}

TEST_CASE("a target that serves language models says so of others", "[export]") {
  for (const char* target : {"vllm", "llama-server", "kuberay"}) {
    const Run run = ask(words_for(target, {"", "--model sdxl --images 1000 --cloud aws", {}}));
    CAPTURE(target, run.err);
    CHECK(run.status == 3);
    CHECK(has(run.err, "language models"));
  }
}

TEST_CASE("hosts of others are asked for a driver that the image runs on", "[export]") {
  const std::string serve = "--model llama-3.1-8b --task inference --cloud ";
  CHECK(has(export_of("vast", serve + "vast").out, " cuda_vers>=13.0'"));
  CHECK(has(export_of("runpod", serve + "runpod").out, "\"allowedCudaVersions\": [\n    \"13.0\"\n  ]"));
}

TEST_CASE("nodes of GPU clouds are selected by the labels they carry", "[export]") {
  const std::string nebius = exported("kubernetes", "nebius");
  CHECK(has(nebius, "nebius.com/resource-preset: \""));
  CHECK_FALSE(has(nebius, "instance-type: gpu-l40s-a_"));
  const std::string crusoe = export_of("kubernetes", "--model llama-3.1-8b --task inference --cloud crusoe").out;
  CHECK(has(crusoe, "node.kubernetes.io/instance-type: "));
  CHECK_FALSE(has(crusoe, "topology.kubernetes.io/region"));
}

TEST_CASE("adapters of SDXL are trained by the script that Diffusers ships", "[export]") {
  const std::string flags =
      "--model stabilityai/stable-diffusion-xl-base-1.0 --task finetune --method lora --cloud aws";
  const std::string run = export_of("docker", flags).out;
  for (const char* part : {"'diffusers==0.40.0'",
                           "train_text_to_image_lora_sdxl.py --pretrained_model_name_or_path "
                           "stabilityai/stable-diffusion-xl-base-1.0",
                           "--resolution 1024", "--rank ", "--max_train_steps "})
    CHECK(has(run, part));
  CHECK_FALSE(has(export_of("jobset", flags).out, "registry.invalid"));
}

TEST_CASE("work that a published tool does has its command, on every card of every instance", "[export]") {
  for (const char* job : {"--model sdxl --task inference", "--model flux.1-dev --task finetune --method lora",
                          "--model sdxl --task finetune", "--model whisper-large-v3 --task transcribe",
                          "--model whisper-small --task finetune", "--model bge-m3 --task finetune",
                          "--model bge-reranker-base --task finetune", "--model bert-base --task finetune",
                          "--model resnet-50 --task finetune", "--model yolo11n --task inference"}) {
    const std::string script = export_of("slurm", std::string(job) + " --cloud aws").out;
    INFO(job);
    CHECK_FALSE(has(script, "$COMMAND"));
    CHECK_FALSE(has(script, "$TRAIN_SCRIPT"));
  }
  const std::string shared = export_of("slurm", "--model sdxl --task inference --cloud aws --gpu l40s:4 --nodes 3").out;
  for (const char* part : {"#SBATCH --nodes=3", "export RANK=\"$SLURM_PROCID\"", "share=$RANK shares=3",
                           "torchrun --standalone --nproc-per-node 4 /tmp/generate.py "
                           "stabilityai/stable-diffusion-xl-base-1.0 \"$PROMPTS\" \"$OUTPUT\" $share $shares"})
    CHECK(has(shared, part));
}

TEST_CASE("candidates have the image for their generation of cards", "[export]") {
  const std::string task = export_of("skypilot", "--model bge-m3 --task inference --cloud aws --gpu l40s,h100").out;
  CHECK(has(task, "text-embeddings-inference:89-"));
  CHECK_FALSE(has(task, "instance_type: p5"));
}

TEST_CASE("a server is no job, also where another rank has no command", "[export]") {
  const Run run = ask(words_for("jobset", {"", "--model bge-m3 --task inference --cloud aws", {}}));
  CHECK(run.status == 3);
  CHECK(has(run.err, "a JobSet runs jobs that end, and this plan is a server"));
}

TEST_CASE("a rank that a command is known for is taken before others", "[export]") {
  const std::string pod = export_of("kubernetes", "--model bge-m3 --task inference --cloud digitalocean,aws").out;
  CHECK(has(pod, "text-embeddings-router --model-id BAAI/bge-m3"));
  CHECK_FALSE(has(pod, "registry.invalid"));
}

TEST_CASE("flexible shapes of OCI are called by their name, with their size beside it", "[export]") {
  const std::string shape = export_of("terraform", "--task preprocess --preprocess tokenize --cloud oci").out;
  for (const char* part : {".Flex\"\n", "shape_config {", "ocpus         = ", "memory_in_gbs = "})
    CHECK(has(shape, part));
  CHECK_FALSE(has(shape, "shape               = \"VM.Standard.E4.Flex$"));
}

TEST_CASE("Lambda's instances start the job over SSH", "[export]") {
  const std::string one = exported("terraform", "lambda");
  for (const char* part : {"source = \"elct9620/lambdalabs\", version = \"0.8.2\"", "provisioner \"remote-exec\"",
                           "no Terraform provider of its own"})
    CHECK(has(one, part));
}

TEST_CASE("endpoints of SageMaker have types that it has, and drivers that know the card", "[export]") {
  const std::string serve = "--model llama-3.2-1b --task inference --cloud aws --allow-list ";
  const Run none = ask(words_for("sagemaker", {"", serve + "gr6.4xlarge", {}}));
  CHECK(none.status == 3);
  CHECK(has(none.err, "SageMaker has no instance type gr6.4xlarge"));
  CHECK(has(export_of("sagemaker", serve + "g6e.xlarge").out, "al2-ami-sagemaker-inference-gpu-3-1"));
  CHECK(has(export_of("sagemaker", serve + "g7e.2xlarge").out, "al2023-ami-sagemaker-inference-gpu-4-1"));
}

TEST_CASE("vLLM over several instances starts its own processes", "[export]") {
  const std::string flags = "--model deepseek-ai/DeepSeek-R1 --task inference --cloud aws --nodes 2";
  for (const char* target : {"skypilot", "lws"}) {
    const std::string text = export_of(target, flags).out;
    CHECK(has(text, " --nnodes 2 --node-rank $RANK --master-addr $MASTER $([ $RANK = 0 ] || echo --headless)"));
    CHECK_FALSE(has(text, "ray start"));
  }
}

TEST_CASE("cards that the current CUDA leaves out get the vLLM that has them", "[export]") {
  CHECK(has(exported("docker", "tencent"), "vllm/vllm-openai:v0.17.1"));
  CHECK(has(exported("vllm", "tencent"), "'vllm<0.20'"));
  CHECK(has(exported("docker", "gcp-serving"), "vllm/vllm-openai:v0.23.0"));
  CHECK_FALSE(has(exported("vllm", "gcp-serving"), "'vllm<0.20'"));
}

TEST_CASE("each family of AMD's cards has its image, and what has none is refused", "[export]") {
  const std::string serve = "--model llama-3.1-8b --task inference --gpu ";
  CHECK(has(export_of("docker", serve + "v710 --cloud azure").out, "rocm/vllm:rocm7.14.0_rdna_"));
  CHECK(has(export_of("docker", serve + "mi300x").out, "rocm/vllm:rocm7.14.0_cdna_"));
}

TEST_CASE("probes ask what answers, for as long as a download takes", "[export]") {
  const std::string ray = exported("kuberay", "gcp-serving");
  for (const char* probe : {"startupProbe", "livenessProbe", "readinessProbe"}) CHECK_FALSE(has(ray, probe));
  const std::string large =
      export_of("lws", "--model deepseek-ai/DeepSeek-R1 --task inference --cloud aws --nodes 2 --mode throughput").out;
  const auto at = large.find("startupProbe");
  REQUIRE(at != std::string::npos);
  const auto failures = large.find("failureThreshold: ", at);
  CHECK(std::stoi(large.substr(failures + 18)) > 200);
}

TEST_CASE("cards of one model server share memory under llm-d", "[export]") {
  const std::string values =
      export_of("llm-d", "--model llama-3.1-70b --task inference --cloud aws --gpu h100-sxm-80gb:8 --nodes 1").out;
  CHECK(has(values, "mountPath: /dev/shm"));
  CHECK(has(values, "medium: Memory"));
  CHECK_FALSE(has(exported("llm-d", "gcp-serving"), "/dev/shm"));
}

TEST_CASE("Vertex AI boots from the disk of the machine, and the script keeps its own variables", "[export]") {
  const std::string job = export_of("vertex",
                                    "--model llama-3.1-8b --task finetune --method lora --cloud gcp "
                                    "--allow-list a3-ultragpu-8g --nodes 2")
                              .out;
  CHECK(has(job, "bootDiskType: hyperdisk-balanced"));
  CHECK(has(job, "envsubst '$"));
  CHECK_FALSE(has(job, "envsubst <"));
}

TEST_CASE("Pyxis is told the registry apart from the image", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --gpu h100-sxm-80gb:1 --engine ";
  CHECK(has(export_of("slurm", flags + "trt-llm").out, "--container-image=nvcr.io#nvidia/tensorrt-llm/release:"));
}

TEST_CASE("TRL packs no sequences of models that see", "[export]") {
  const std::string flags = "--task finetune --method lora --cloud aws --gpus-max 1 --model ";
  CHECK_FALSE(has(export_of("torchrun", flags + "qwen2-vl-7b").out, "--packing"));
  CHECK(has(exported("torchrun", "lora-on-one-gpu"), " --packing true "));
}

TEST_CASE("on p6-b300 the first network card has no EFA", "[export]") {
  const std::string flags = "--model llama-3.1-70b --task finetune --method full --cloud aws --nodes 2 --allow-list ";
  const std::string b300 = export_of("terraform", flags + "p6-b300.48xlarge").out;
  CHECK(has(b300, "count.index % 17 == 0 ? null : \"efa\""));
  CHECK(has(b300, "range(17)"));
  CHECK(has(exported("terraform", "aws-two-nodes"), "interface_type  = \"efa\""));
}

TEST_CASE("names leave room for what controllers add", "[export]") {
  const Run run = export_of("jobset",
                            "--model meta-llama/Llama-3.2-11B-Vision-Instruct --task finetune --method lora "
                            "--cloud aws");
  const auto at = run.out.find("  name: gpusel-") + 8;
  CHECK(run.out.find('\n', at) - at <= 44);
}

TEST_CASE("regions behind an account of their own are taken only where they are asked for", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --cloud aws --gpu a10g:1";
  for (const char* target : {"kubernetes", "terraform", "skypilot", "dstack", "karpenter"})
    CHECK_FALSE(has(export_of(target, flags + " --json").out, "\"region\": \"cn-"));
  const std::string there = flags + " --region cn-northwest-1";
  CHECK(has(export_of("kubernetes", there).out, "cn-northwest-1"));
  const Run sky = ask(words_for("skypilot", {"", there, {}}));
  CHECK(sky.status == 3);
  CHECK(has(sky.err, "SkyPilot has no region cn-northwest-1"));
  CHECK_FALSE(has(ask(words_for("kubernetes", {"", flags + " --for kubernetes --json", {}})).out, "cn-north"));
}

TEST_CASE("a format is served from the repository its publisher ships it in, and of no name made up", "[export]") {
  const auto served = [](const std::string& model) {
    return export_of("vllm", "--task inference --gpu h100-sxm-80gb:1 --model " + model).out;
  };
  CHECK(has(served("Qwen/Qwen3-8B"), "Qwen/Qwen3-8B-FP8"));
  const std::string other = served("aisingapore/Qwen-SEA-LION-v4-32B-IT");
  CHECK_FALSE(has(other, "Qwen-SEA-LION-v4-32B-IT-FP8"));
  CHECK(has(other, "$CHECKPOINT"));
}

}  // namespace export_test
