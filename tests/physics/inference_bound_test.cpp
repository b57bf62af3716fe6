// What no layout exceeds, held against the layouts that are planned.
#include "physics/serving/inference_bound.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "support/job.hpp"

namespace inference_bound_test {

using namespace gpusel;
using job::Job;

TEST_CASE("no plan generates more than the bound says") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "qwen2.5-0.5b", "llama-3.1-8b", "llama-3.1-70b",
                              "mixtral-8x7b", "deepseek-v3", "gpt-oss-20b");
  const auto words = GENERATE(
      Catch::Generators::as<std::string>{}, "", "weights_precision=fp8", "weights_precision=w4a16",
      "input_tokens=8192 output_tokens=32", "input_tokens=32 output_tokens=2048", "mode=single-stream", "mode=online",
      "concurrency=7", "prefix_cache_hit=0.9", "engine=trt-llm weights_precision=fp8", "engine=hf", "ttft=500 tpot=40");
  const Job work = test::job("task=inference model=" + model + (words.empty() ? "" : " " + words));
  for (const std::string gpu : {"t4", "rtx-4090", "a100-sxm-80gb", "h100-sxm-80gb", "mi300x-192gb", "b200-180gb"})
    for (const auto& [gpus, node] : {std::pair{1, 1}, {4, 4}, {8, 8}, {16, 8}}) {
      const physics::Machine machine = test::machine(gpu, gpus, node);
      const auto choice = physics::plan_inference(work, machine, test::coefficients());
      if (!choice || choice->rate <= 0) continue;
      CAPTURE(model, words, gpu, gpus);
      const double most = physics::most_tokens_per_s(work, machine, *choice->layout.weights, test::coefficients());
      CHECK(choice->serving->speed.output_tokens_per_s <= most * gpus);
    }
}

TEST_CASE("what a bound is worth: large batches come near it, and odd jobs have none") {
  const physics::Machine machine = test::machine("h100-sxm-80gb", 8);
  const Job work = test::job("task=inference model=llama-3.1-70b");
  const auto choice = physics::plan_inference(work, machine, test::coefficients());
  REQUIRE(choice);
  const auto bound = [&](const Job& of) {
    return physics::most_tokens_per_s(of, machine, *choice->layout.weights, test::coefficients());
  };
  CHECK(choice->serving->speed.output_tokens_per_s > 0.4 * 8 * bound(work));
  Job silent = work;
  silent.inference.output_tokens = 0;
  CHECK(std::isinf(bound(silent)));
  silent.inference.output_tokens = 1;
  CHECK(std::isfinite(bound(silent)));
  catalog::Gpu unknown = *machine.device.gpu;
  unknown.fp16_dense_tflops = {};
  unknown.bf16_dense_tflops = {};
  physics::Machine without = machine;
  without.device.gpu = &unknown;
  CHECK(physics::most_tokens_per_s(work, without, **physics::weight_format("bf16"), test::coefficients()) == 0);
  CHECK(std::isinf(bound(test::job("task=inference model=bert-base"))));
  CHECK(std::isinf(bound(test::job("task=inference model=llama-3.1-8b engine=llama.cpp"))));
  CHECK(std::isinf(bound(test::job("task=inference model=llama-3.1-8b disaggregated_prefill=true"))));
}

}  // namespace inference_bound_test
