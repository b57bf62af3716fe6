// Which rank an export is of, and what is said where no rank can be exported.
#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/exports.hpp"

namespace export_ranks_test {

using namespace gpusel::test;
using Json = nlohmann::json;

TEST_CASE("where no rank can be ordered, the first reason and the targets that can are told, with status 3",
          "[export]") {
  const Run run = asked_export("karpenter", "--model llama-3.1-8b --task inference --cloud runpod");
  CHECK(run.status == 3);
  CHECK(run.out.empty());
  CHECK(has(run.err, "Karpenter starts instances of AWS and Azure, not of runpod"));
  CHECK(has(run.err, "targets that can: "));
  CHECK(has(run.err, "dstack"));
}

TEST_CASE("the first rank that the target can order is taken, and that is said", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --cloud runpod,aws";
  const Run run = asked_export("karpenter", flags);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto at = run.out.find("# - rank ");
  REQUIRE(at != std::string::npos);
  const std::string line = run.out.substr(at, run.out.find('\n', at) - at);
  CHECK(has(line, "; rank 1 (runpod "));
  CHECK(has(run.out, "not of runpod"));
  const std::string rank = run.out.substr(at + 9, run.out.find(';', at) - at - 9);
  CHECK(asked_export("karpenter", flags + " --rank " + rank).status == 0);
  const Run refused = asked_export("karpenter", flags + " --rank 1");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "--rank " + rank + " is the first that karpenter can"));
}

TEST_CASE("candidates of SkyPilot stand in ranking order", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --cloud aws,gcp,azure";
  const std::string task = asked_export("skypilot", flags).out;
  const Json answer = Json::parse(shell("gpusel recommend " + flags + " --json").out);
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

TEST_CASE("RunPod's third parties are none of SkyPilot's", "[export]") {
  const Run run = ask({"export", "skypilot", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "runpod",
                       "--market", "true", "--allow-list", "1x_H100-SXM_COMMUNITY"});
  CHECK(run.status == 3);
  CHECK(has(run.err, "third parties"));
  const Run secure = ask({"export", "skypilot", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "runpod",
                          "--allow-list", "1x_A100-SXM_SECURE"});
  CHECK(has(secure.out, "accelerators: A100-80GB-SXM:1"));
}

TEST_CASE("a target that orders of one seller asks that seller", "[export]") {
  CHECK(has(export_of("vast", "--model llama-3.1-8b --task inference").out, ": 1 × vast "));
  const std::vector<std::string> ranked{"recommend", "-m", "llama-3.1-8b", "--for", "vertex", "-n", "3", "-o", "csv"};
  CHECK(has(ask(ranked).out, ",gcp,"));
  CHECK(asked_export("vast", "--model llama-3.1-8b --task inference --cloud aws").status == 3);
}

TEST_CASE("a target that serves language models says so of others", "[export]") {
  for (const char* target : {"vllm", "llama-server", "kuberay"}) {
    const Run run = asked_export(target, "--model sdxl --images 1000 --cloud aws");
    CAPTURE(target, run.err);
    CHECK(run.status == 3);
    CHECK(has(run.err, "language models"));
  }
}

TEST_CASE("candidates have the image for their generation of cards", "[export]") {
  const std::string task = export_of("skypilot", "--model bge-m3 --task inference --cloud aws --gpu l40s,h100").out;
  CHECK(has(task, "text-embeddings-inference:89-"));
  CHECK_FALSE(has(task, "instance_type: p5"));
}

TEST_CASE("a server is no job, also where another rank has no command", "[export]") {
  const Run run = asked_export("jobset", "--model bge-m3 --task inference --cloud aws");
  CHECK(run.status == 3);
  CHECK(has(run.err, "a JobSet runs jobs that end, and this plan is a server"));
}

TEST_CASE("a rank that a command is known for is taken before others", "[export]") {
  const std::string pod = export_of("kubernetes", "--model bge-m3 --task inference --cloud digitalocean,aws").out;
  CHECK(has(pod, "text-embeddings-router --model-id BAAI/bge-m3"));
  CHECK_FALSE(has(pod, "registry.invalid"));
}

TEST_CASE("regions behind an account of their own are taken only where they are asked for", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --cloud aws --gpu a10g:1";
  for (const char* target : {"kubernetes", "terraform", "skypilot", "dstack", "karpenter"})
    CHECK_FALSE(has(export_of(target, flags + " --json").out, "\"region\": \"cn-"));
  const std::string there = flags + " --region cn-northwest-1";
  CHECK(has(export_of("kubernetes", there).out, "cn-northwest-1"));
  const Run sky = asked_export("skypilot", there);
  CHECK(sky.status == 3);
  CHECK(has(sky.err, "SkyPilot has no region cn-northwest-1"));
  CHECK_FALSE(has(asked_export("kubernetes", flags + " --for kubernetes --json").out, "cn-north"));
}

TEST_CASE("work without a standard command is refused, or its machines alone are ordered", "[export]") {
  for (const char* job : {"--task gaming --sessions 20", "--task preprocess", "--model dlrm-v1 --task finetune"}) {
    const std::string flags = std::string(job) + " --cloud aws";
    CAPTURE(job);
    for (const char* target : {"slurm", "dstack", "kubernetes", "docker", "compose", "batch"}) {
      const Run run = asked_export(target, flags);
      CAPTURE(target, run.out);
      CHECK(run.status == 3);
      CHECK(has(run.err, "no standard command is known for "));
      CHECK(has(run.err, "SkyPilot, Terraform and Karpenter order the machines alone"));
    }
    for (const char* target : {"skypilot", "terraform"}) {
      const std::string text = export_of(target, flags).out;
      CHECK(has(text, "this file orders the instances and starts nothing on them"));
      CHECK_FALSE(has(text, "\nrun: "));
      CHECK_FALSE(has(text, "docker run"));
    }
  }
}

TEST_CASE("what a plan needs that no command has is named", "[export]") {
  const Run part = asked_export("slurm",
                                "--model llama-3.1-8b --task finetune --method lora --framework fsdp "
                                "--activation-checkpointing selective --cloud aws");
  CHECK(part.status == 3);
  CHECK(has(part.err, "takes activation checkpointing none, full, and the plan has selective"));
  const Run other = asked_export("slurm", "--model Wan-AI/Wan2.1-T2V-14B --task inference --cloud aws");
  CHECK(other.status == 3);
  CHECK(has(other.err, "there is one for --model Wan-AI/Wan2.1-T2V-14B-Diffusers"));
}

}  // namespace export_ranks_test
