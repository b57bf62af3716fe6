// Laws between methods, shardings and formats of training that hold for every model.
#include <catch2/catch.hpp>

#include "physics/training/training.hpp"
#include "support/job.hpp"

namespace training_laws_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using job::Job;
using job::Precision;
using job::Sharding;

namespace {

const std::vector<std::string> kModels{"llama-3.2-1b", "gemma-2b",    "llama-7b",      "llama-3.1-8b", "t5-11b",
                                       "mixtral-8x7b", "gpt-oss-20b", "llama-3.1-70b", "deepseek-v3"};

double total(const Job& work, const Layout& plan) {
  const Machine machine = test::machine("h100-sxm-80gb", plan.tp * plan.pp * plan.cp * plan.dp);
  return training_memory(work, machine, plan, test::coefficients()).total().raw();
}

}  // namespace

TEST_CASE("the more of a job's states are divided the less each GPU needs") {
  const auto model = GENERATE(from_range(kModels));
  const auto words =
      GENERATE(Catch::Generators::as<std::string>{}, "", " recipe=pure", " framework=megatron", " optimizer=lion");
  const Job work = job("task=finetune seq_len=512 model=" + model + words);
  for (const int dp : {2, 8, 64}) {
    double before = total(work, data_parallel(dp, Sharding::ddp));
    for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3}) {
      const double now = total(work, data_parallel(dp, sharding));
      CAPTURE(model, words, dp, to_text(sharding));
      CHECK(now <= before);
      before = now;
    }
  }
}

TEST_CASE("adapters need less than full training and a quantised base less than a plain one") {
  const auto model = GENERATE(from_range(kModels));
  const auto total_of = [&](const std::string& method) {
    return total(job("task=finetune seq_len=1024 model=" + model + " method=" + method), {});
  };
  CAPTURE(model);
  const double lora = total_of("lora");
  CHECK(lora <= total_of("full"));
  CHECK(total_of("qlora") <= lora);
  CHECK(total_of("ptuning") <= lora);
  CHECK(total_of("prefix") <= lora);
}

TEST_CASE("smaller optimiser states never need more") {
  const auto model = GENERATE(from_range(kModels));
  const auto total_of = [&](std::string_view optimizer) {
    return total(job("task=finetune seq_len=512 model=" + model + " optimizer=" + std::string(optimizer)), {});
  };
  double before = total_of("adamw");
  CAPTURE(model);
  CHECK(total_of("adamw8bit") <= before);
  for (const std::string_view optimizer : {"muon", "lion", "adafactor"}) {
    const double now = total_of(optimizer);
    CAPTURE(optimizer);
    CHECK(now <= before);
    before = now;
  }
}

TEST_CASE("fewer bits never train slower where the GPU has the format") {
  const auto [gpu, formats] = GENERATE(table<std::string, std::vector<Precision>>({
      {"a100-sxm-80gb", {Precision::fp32, Precision::tf32, Precision::bf16}},
      {"h100-sxm-80gb", {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp8}},
      {"b200-180gb", {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp8, Precision::nvfp4}},
      {"t4", {Precision::fp32, Precision::fp16}},
  }));
  const auto model =
      GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-3.2-1b", "llama-3.1-8b", "mixtral-8x7b");
  const Job work = job("task=pretrain seq_len=1024 model=" + model);
  const Machine machine = test::machine(gpu);
  double before = 0;
  for (const Precision precision : formats) {
    REQUIRE(machine.device.native(precision));
    Layout plan;
    plan.micro_batch = 4;
    plan.precision = precision;
    plan.flash_attention = false;
    const auto speed = training_speed(work, machine, plan, test::coefficients());
    REQUIRE(speed);
    CAPTURE(gpu, model, to_text(precision));
    CHECK(speed->tokens_per_s >= before);
    before = speed->tokens_per_s;
  }
}

TEST_CASE("a longer target never needs less memory or time") {
  Layout plan;
  double before = 0;
  double slower = 1e30;
  for (const int target : {16, 64, 128, 512}) {
    const Job work = job("task=finetune model=t5-large seq_len=512 target_len=" + std::to_string(target));
    const double now = total(work, plan);
    CHECK(now >= before);
    before = now;
    const auto speed = training_speed(work, test::machine("a100-sxm-80gb"), plan, test::coefficients());
    REQUIRE(speed);
    CHECK(speed->samples_per_s <= slower);
    slower = speed->samples_per_s;
  }
}

}  // namespace training_laws_test
