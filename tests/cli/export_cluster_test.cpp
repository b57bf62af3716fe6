// What runs in Kubernetes: pods, probes, autoscalers.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/exports.hpp"

namespace export_cluster_test {

using namespace gpusel::test;
using Json = nlohmann::json;

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

TEST_CASE("pods that work together ask for the fabric, and those on spot take Karpenter's nodes too", "[export]") {
  const std::string training = exported("kubernetes", "aws-two-nodes");
  CHECK(has(training, "vpc.amazonaws.com/efa: 32"));
  CHECK(has(training, "claimName: "));
  CHECK(has(exported("kubernetes", "azure-spot"), "karpenter.sh/capacity-type"));
}

TEST_CASE("pods that train have an image with PyTorch and install the tool", "[export]") {
  for (const char* target : {"kubernetes", "jobset"}) {
    const std::string pods = exported(target, "lora-on-one-gpu");
    CHECK(has(pods, "image: pytorch/pytorch:"));
    CHECK(has(pods, "pip install 'trl"));
    CHECK_FALSE(has(pods, "registry.invalid"));
  }
}

TEST_CASE("nodes of GPU clouds are selected by the labels they carry", "[export]") {
  const std::string nebius = exported("kubernetes", "nebius");
  CHECK(has(nebius, "nebius.com/resource-preset: \""));
  CHECK_FALSE(has(nebius, "instance-type: gpu-l40s-a_"));
  const std::string crusoe = export_of("kubernetes", "--model llama-3.1-8b --task inference --cloud crusoe").out;
  CHECK(has(crusoe, "node.kubernetes.io/instance-type: "));
  CHECK_FALSE(has(crusoe, "topology.kubernetes.io/region"));
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

TEST_CASE("names leave room for what controllers add", "[export]") {
  const Run run = export_of("jobset",
                            "--model meta-llama/Llama-3.2-11B-Vision-Instruct --task finetune --method lora "
                            "--cloud aws");
  const auto at = run.out.find("  name: gpusel-") + 8;
  CHECK(run.out.find('\n', at) - at <= 44);
}

}  // namespace export_cluster_test
