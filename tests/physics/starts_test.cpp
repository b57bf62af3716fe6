// What an engine refuses to start, and that nothing is planned which it refuses.
#include <algorithm>
#include <catch2/catch.hpp>

#include "physics/formats.hpp"
#include "physics/planner/plan.hpp"
#include "physics/serving/starts.hpp"
#include "support/job.hpp"

namespace starts_test {

using namespace gpusel;
using namespace gpusel::physics;

namespace {

Plan planned(std::string_view words, std::string_view gpu) {
  job::Request request = test::request(words);
  job::Job work = test::job(words);
  work.asked_as = request.model;
  auto plan = plan_for(work, test::machine(gpu, 1), test::coefficients());
  REQUIRE(plan);
  return std::move(*plan);
}

bool refused(const Plan& plan) { return plan.problem.kind == Problem::Kind::refused; }

}  // namespace

TEST_CASE("weights that the engine has no kernels for are not planned") {
  struct Row {
    std::string_view job;
    std::string_view gpu;
    bool refused;
  };
  // data/engines/vllm.yaml: AWQ from compute capability 7.5, GPTQ on 7.0 up to 0.19, fp8 from 7.5, fp4 from 8.0.
  const Row rows[] = {{"weights_precision=awq", "v100-sxm2-32gb", true},
                      {"weights_precision=awq", "t4", false},
                      {"weights_precision=gptq", "v100-sxm2-32gb", false},
                      {"weights_precision=gptq engine_version=0.23", "v100-sxm2-32gb", true},
                      {"weights_precision=gptq engine_version=0.19", "v100-sxm2-32gb", false},
                      {"weights_precision=fp8", "v100-sxm2-32gb", true},
                      {"weights_precision=fp8", "l4", false},
                      {"weights_precision=nvfp4", "t4", true},
                      {"engine_version=0.23", "v100-sxm2-32gb", true},
                      {"input_tokens=1024", "v100-sxm2-32gb", false},
                      {"engine=lmdeploy weights_precision=awq", "v100-sxm2-32gb", false},
                      {"engine=trt-llm weights_precision=fp8", "a100-sxm-80gb", true},
                      {"engine=trt-llm weights_precision=fp8", "l40s", false}};
  for (const Row& row : rows) {
    CAPTURE(row.job, row.gpu);
    const Plan plan = planned(format("task=inference model=qwen2-7b {}", row.job), row.gpu);
    CHECK(refused(plan) == row.refused);
    CHECK(plan.is_usable() != row.refused);
  }
}

TEST_CASE("the name of a repository says the scheme") {
  const auto& engines = *test::machine("t4", 1).device.engines;
  const EngineAbility& vllm = *engines.find(job::Engine::vllm);
  CHECK(scheme_of_name("Qwen/Qwen2-7B-Instruct-AWQ", vllm) == "awq");
  CHECK(scheme_of_name("Qwen/Qwen2-7B-Instruct-GPTQ-Int4", vllm) == "gptq");
  CHECK(scheme_of_name("Qwen/Qwen2-7B-Instruct", vllm).empty());
}

TEST_CASE("schemes that start are those of some release on that GPU") {
  const Machine v100 = test::machine("v100-sxm2-32gb", 1);
  const auto schemes = schemes_that_start(*v100.device.engines->find(job::Engine::vllm), *v100.device.gpu);
  CHECK(std::ranges::find(schemes, "gptq") != schemes.end());
  CHECK(std::ranges::find(schemes, "awq") == schemes.end());
}

TEST_CASE("a refusal is the engine's own words, with what would start") {
  const Plan plan = planned("task=inference model=qwen2-7b weights_precision=awq", "v100-sxm2-32gb");
  const std::string text = plan.problem.text();
  CHECK(text.contains("Minimum capability: 75. Current capability: 70."));
  CHECK(text.contains("gptq weights with vLLM 0.19 or older"));
  CHECK(text.contains("awq weights with LMDeploy"));
}

}  // namespace starts_test
