#include "support/exports.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace gpusel::test {

namespace {

/// Where the file of a job is, made when it is first asked for.
std::string file_of(const std::string& target, const ExportJob& job) {
  static const std::string folder = scratch_directory();
  const std::string file = folder + "/" + target + "." + job.name;
  if (std::filesystem::exists(file)) return file;
  if (const Run run = asked_export(target, job.flags); run.status == 0) std::ofstream(file) << run.out;
  return file;
}

}  // namespace

const std::vector<std::string>& export_targets() {
  static const std::vector<std::string> all{
      "skypilot", "dstack",        "terraform",  "kubernetes", "kserve", "karpenter",    "keda",     "hpa",  "vllm",
      "sglang",   "torchrun",      "accelerate", "deepspeed",  "slurm",  "docker",       "compose",  "lws",  "kuberay",
      "jobset",   "helm-vllm",     "trtllm",     "axolotl",    "ollama", "llama-server", "runpod",   "vast", "vertex",
      "azureml",  "llama-factory", "batch",      "sagemaker",  "tei",    "llm-d",        "torchtune"};
  return all;
}

const std::vector<ExportJob>& export_jobs() {
  static const std::vector<ExportJob> all{
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
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "slurm", "jobset", "docker", "compose", "batch"}},
      {"processors",
       "--task preprocess --preprocess tokenize --cloud aws",
       {"skypilot", "dstack", "terraform", "kubernetes", "karpenter", "slurm", "jobset", "docker", "compose", "batch"}},
  };
  return all;
}

std::string exported(const std::string& target, const std::string& job) {
  const auto found = std::ranges::find(export_jobs(), job, &ExportJob::name);
  REQUIRE(found != export_jobs().end());
  return read_file(file_of(target, *found));
}

const std::string& all_exports() {
  static const std::string folder = [] {
    std::string file;
    for (const ExportJob& job : export_jobs())
      for (const std::string& target : export_targets()) file = file_of(target, job);
    return std::filesystem::path(file).parent_path().string();
  }();
  return folder;
}

Run asked_export(const std::string& target, const std::string& flags) {
  std::vector<std::string> words{"export", target};
  for (const std::string& word : words_of(flags)) words.push_back(word);
  return ask(words);
}

Run export_of(const std::string& target, const std::string& flags) {
  Run run = asked_export(target, flags);
  INFO(target << " " << flags << "\n" << run.err);
  CHECK(run.status == 0);
  return run;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace gpusel::test
