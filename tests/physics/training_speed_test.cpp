// Training speed: consistent with itself and never faster than the hardware.
#include <catch2/catch.hpp>

#include "support/training.hpp"

namespace training_speed_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using gpusel::test::speed;
using job::Checkpointing;
using job::Job;
using job::Sharding;

TEST_CASE("tokens per second are the tokens of a step over its time") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048");
  Layout plan = data_parallel(4, Sharding::zero3);
  plan.micro_batch = 2;
  plan.grad_accum = 3;
  const TrainingSpeed s = speed(work, plan);
  // 2 × 4 × 3 = 24 sequences of 2048 tokens
  CHECK(s.tokens_per_s == Approx(24 * 2048 / s.step.raw()));
  CHECK(s.samples_per_s == Approx(24 / s.step.raw()));
  CHECK(s.tokens_per_s_per_gpu == Approx(s.tokens_per_s / 4));
}

TEST_CASE("utilisation is useful work over what the peak could do") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048");
  const TrainingSpeed s = speed(work);
  CHECK(s.mfu == Approx(s.model_tflops_per_gpu / 989).epsilon(0.01));
  // 6 FLOP per parameter and token without the input table, and causal attention 6 × layers × width × s
  const double per_token = 6 * (6.73841562e9 - 32000.0 * 4096) + 6.0 * 32 * 4096 * 2048;
  CHECK(s.model_tflops_per_gpu == Approx(s.tokens_per_s * per_token / 1e12).epsilon(0.02));
}

TEST_CASE("no training step is faster than the dense peak allows") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "bert-base", "llama-3.2-1b", "llama-7b",
                              "gemma-2b", "mixtral-8x7b", "llama-3.1-70b", "deepseek-v3");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "v100-sxm2-16gb", "a100-sxm-80gb", "rtx-4090",
                            "h100-sxm-80gb", "mi300x-192gb", "b200-180gb");
  const Job work = job("task=finetune model=" + model + " seq_len=512");
  for (const int dp : {1, 8, 64}) {
    for (const std::int64_t micro : {1, 16}) {
      Layout plan = data_parallel(dp, Sharding::zero3);
      plan.precision = physics::best_precision(test::machine(gpu).device);
      plan.micro_batch = micro;
      const TrainingSpeed s = speed(work, plan, test::machine(gpu, dp));
      CAPTURE(model, gpu, dp, micro);
      CHECK(s.mfu > 0);
      CHECK(s.mfu < 0.75);  // the best published runs stay below
      CHECK(s.step.raw() > 0);
      CHECK_FALSE(s.bound_by.empty());
    }
  }
}

TEST_CASE("twice the GPUs never do more than twice the work") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-3.2-1b", "llama-7b", "mixtral-8x7b");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "a100-sxm-80gb", "h100-sxm-80gb");
  const Job work = job("task=finetune model=" + model + " seq_len=1024");
  double before = 0;
  for (int dp = 1; dp <= 256; dp *= 2) {
    const double now = speed(work, data_parallel(dp), test::machine(gpu, dp)).tokens_per_s;
    CAPTURE(model, gpu, dp);
    CHECK(now > before);
    if (before > 0) CHECK(now <= 2 * before * (1 + 1e-9));
    before = now;
  }
}

TEST_CASE("more bandwidth or a higher peak never slows training") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-7b", "mixtral-8x7b");
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "method=full", "method=qlora", "offload=optimizer");
  const Job work = job("task=finetune model=" + model + " " + words);
  const Layout plan = data_parallel(8, Sharding::zero3);
  Machine machine = test::machine("a100-sxm-80gb", 8);
  const double before = speed(work, plan, machine).tokens_per_s;
  catalog::Gpu faster = *machine.device.gpu;
  SECTION("memory bandwidth") { machine.device.bandwidth = machine.device.bandwidth * 1.5; }
  SECTION("link bandwidth") { machine.link_bandwidth = machine.link_bandwidth * 1.5; }
  SECTION("arithmetic") {
    faster.bf16_dense_tflops = *faster.bf16_dense_tflops * 1.5;
    machine.device.gpu = &faster;
  }
  CAPTURE(model, words);
  CHECK(speed(work, plan, machine).tokens_per_s >= before);
}

TEST_CASE("a slower network between nodes never speeds training") {
  const Job work = job("task=finetune model=llama-7b");
  Machine machine = test::machine("h100-sxm-80gb", 32);
  const Layout plan = data_parallel(32, Sharding::zero3);
  const double fast = speed(work, plan, machine).tokens_per_s;
  machine.network = gbit_per_s(100);
  machine.rdma = false;
  const TrainingSpeed slow = speed(work, plan, machine);
  CHECK(slow.tokens_per_s < fast / 2);
  CHECK(slow.bound_by == "communication");
}

TEST_CASE("recomputing activations costs time and no useful work") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048");
  Layout plan;
  plan.micro_batch = 4;
  const TrainingSpeed none = speed(work, plan);
  plan.checkpointing = Checkpointing::full;
  const TrainingSpeed full = speed(work, plan);
  // One forward pass more: 4/3 of the time where arithmetic bounds it.
  CHECK(full.step / none.step > 1.2);
  CHECK(full.step / none.step < 1.45);
  CHECK(full.mfu == Approx(none.mfu * (none.step / full.step)));
}

TEST_CASE("an adapter trains faster than the whole model but not twice as fast") {
  Layout plan;
  plan.micro_batch = 4;
  const double full = speed(job("task=finetune model=llama-7b seq_len=2048"), plan).tokens_per_s;
  const double lora = speed(job("task=finetune model=llama-7b seq_len=2048 method=lora"), plan).tokens_per_s;
  const double qlora = speed(job("task=finetune model=llama-7b seq_len=2048 method=qlora"), plan).tokens_per_s;
  CHECK(lora > full);
  CHECK(lora < 2 * full);
  CHECK(qlora < lora);  // dequantising every pass
}

TEST_CASE("larger micro batches never lower the tokens per second") {
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "a100-sxm-80gb", "h100-sxm-80gb");
  const Job work = job("task=finetune model=llama-3.2-1b seq_len=512");
  double before = 0;
  for (std::int64_t micro = 1; micro <= 64; micro *= 2) {
    Layout plan;
    plan.precision = physics::best_precision(test::machine(gpu).device);
    plan.micro_batch = micro;
    const double now = speed(work, plan, test::machine(gpu)).tokens_per_s;
    CAPTURE(gpu, micro);
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("a pipeline with few micro batches waits for its bubble") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048");
  Layout plan;
  plan.pp = 4;
  plan.grad_accum = 4;
  const double few = speed(work, plan).tokens_per_s;
  plan.grad_accum = 64;
  const double many = speed(work, plan).tokens_per_s;
  // 1 + 3/4 against 1 + 3/64 of the busy time
  CHECK(many / few == Approx(1.75 / (1 + 3.0 / 64)).epsilon(0.1));
}

TEST_CASE("tensor parallelism pays four all-reduces per layer and micro batch") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048");
  Machine machine = test::machine("h100-sxm-80gb", 4);
  Layout plan;
  plan.tp = 4;
  plan.grad_accum = 3;
  const double fast = speed(work, plan, machine).step.raw();
  machine.link_bandwidth = machine.link_bandwidth / 2;
  // 3 × 4 × 32 layers × 2 × 3/4 × (2048 tokens × 4096 × 2 bytes), once more at the full rate
  const double traffic = 3 * 4 * 32 * 1.5 * (2048.0 * 4096 * 2);
  const double rate = 450e9 * test::coefficients().link_efficiency.of("nvswitch");
  CHECK(speed(work, plan, machine).step.raw() - fast == Approx(traffic / rate));
}

TEST_CASE("bf16 on a GPU without it is several times slower than fp16") {
  const Job work = job("task=finetune model=llama-3.2-1b seq_len=2048");
  Layout plan;
  plan.micro_batch = 4;
  plan.flash_attention = false;
  const Machine v100 = test::machine("v100-sxm2-16gb");
  plan.precision = job::Precision::fp16;
  const double half = speed(work, plan, v100).tokens_per_s;
  plan.precision = job::Precision::bf16;
  CHECK(speed(work, plan, v100).tokens_per_s < half / 2);
}

TEST_CASE("a GPU without a published peak has no training speed") {
  Machine machine = test::machine("h100-sxm-80gb");
  catalog::Gpu unknown = *machine.device.gpu;
  unknown.bf16_dense_tflops = {};
  machine.device.gpu = &unknown;
  CHECK_FALSE(training_speed(job("task=finetune model=llama-7b"), machine, {}, test::coefficients()));
}

}  // namespace training_speed_test
