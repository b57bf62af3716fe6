// Layouts the planner chooses for jobs that others have laid out in public, and what it says of illegal ones.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/words/message.hpp"
#include "support/job.hpp"

namespace training_layouts_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using job::Checkpointing;
using job::Sharding;

namespace {

Error refused(std::string_view words, int gpus) {
  const auto choice = physics::plan_training(job(words), test::machine("h100-sxm-80gb", gpus), test::coefficients());
  CAPTURE(words);
  REQUIRE_FALSE(choice);
  return choice.error();
}

bool says(const Error& error, std::string_view message, std::string_view hint) {
  INFO(error.message + "; " + error.hint);
  return error.message.find(message) != std::string::npos && error.hint.find(hint) != std::string::npos;
}

}  // namespace

TEST_CASE("DeepSpeed has no pipeline stages beside ZeRO-2 and ZeRO-3") {
  CHECK(says(refused("task=finetune model=llama-3.1-8b framework=deepspeed sharding=zero3 pp=2", 8),
             "deepspeed does not run zero3 with pipeline stages, but pp is 2", "zero1, or pp 1"));
  const auto planned = [](std::string_view words) {
    const auto choice = physics::plan_training(job(words), test::machine("h100-sxm-80gb", 8), test::coefficients());
    CAPTURE(words);
    REQUIRE(choice);
    return choice->layout;
  };
  for (const auto* sharding : {"zero2", "zero3"}) {
    const auto plan = planned(format("task=finetune model=llama-3.1-8b framework=deepspeed sharding={}", sharding));
    CHECK(plan.pp == 1);
  }
  CHECK(planned("task=finetune model=llama-3.1-8b framework=deepspeed sharding=zero1 pp=2").pp == 2);
}

TEST_CASE("stages divide the optimizer at most, however many they are") {
  for (const char* framework : {"deepspeed", "megatron", "fsdp"})
    for (const char* stages : {"2", "4"}) {
      const std::string words = format("task=finetune model=llama-7b framework={} pp={}", framework, stages);
      CAPTURE(words);
      const auto choice = physics::plan_training(job(words), test::machine("a100-sxm-40gb", 8), test::coefficients());
      if (!choice) continue;
      const bool alone = choice->layout.dp == 1;  // with nobody to divide it with
      CHECK(choice->layout.sharding == (alone ? job::Sharding::none : job::Sharding::zero1));
    }
}

TEST_CASE("an illegal degree names its constraint and the nearest legal one") {
  CHECK(says(refused("task=finetune model=llama-7b tp=5", 8), "tp 5 does not divide the 32 attention heads", "4"));
  CHECK(says(refused("task=finetune model=qwen2.5-7b tp=7", 28), "7 neither divides the 4 K/V heads", "4"));
  CHECK(says(refused("task=finetune model=llama-7b tp=16", 8), "tp 16 is more than the 8 GPUs", "8"));
  CHECK(says(refused("task=finetune model=llama-7b pp=64", 64), "exceed the 32 layers", "32"));
  CHECK(says(refused("task=finetune model=llama-7b pp=4 virtual_pipeline=3", 8), "3 chunks do not divide the 8 layers",
             "2"));
  CHECK(says(refused("task=pretrain model=mixtral-8x7b ep=3", 8), "ep 3 does not divide the 8 experts", "2"));
  CHECK(says(refused("task=finetune model=llama-7b ep=2", 8), "needs a mixture of experts", "remove"));
  CHECK(says(refused("task=pretrain model=deepseek-v3 pp=16 ep=64", 256), "the 16 GPUs of a pipeline stage", "16"));
  CHECK(says(refused("task=pretrain model=mixtral-8x7b pp=2 ep=8", 8), "the 4 GPUs of a pipeline stage", "4"));
  CHECK(says(refused("task=finetune model=llama-7b tp=2 pp=2 dp=1", 8), "tp 2 × pp 2 × dp 1", "dp 2 would"));
  CHECK(says(refused("task=finetune model=llama-7b dp=3", 8), "dp 3 does not make up 8 GPUs", "dp 8 would"));
}

TEST_CASE("unpinned tensor ranks share K/V heads evenly and pinned ones may copy them") {
  const auto machine = test::machine("a100-sxm-40gb", 8);
  for (const std::string_view model : {"qwen2.5-7b", "qwen2.5-14b", "qwen2.5-32b", "gemma-2-27b", "falcon-7b"}) {
    const auto work = job("task=pretrain seq_len=2048 model=" + std::string(model));
    const auto choice = test::plan_training(work, machine);
    CAPTURE(model);
    CHECK(std::fmod(*work.model->kv_heads, choice.layout.tp) == 0);
  }
  const auto pinned = test::plan_training(job("task=pretrain model=qwen3-30b-a3b tp=8"), machine);  // 4 K/V heads
  CHECK(pinned.layout.tp == 8);
}

TEST_CASE("a pipeline that nobody asked for has a micro-batch for each stage") {
  for (const std::string_view words :
       {"task=pretrain model=llama-3.1-70b", "task=pretrain model=gpt3-175b global_batch=64",
        "task=pretrain model=deepseek-v3", "task=pretrain model=mixtral-8x7b global_batch=8"}) {
    for (const int gpus : {8, 64, 256}) {
      const auto choice = test::plan_training(job(words), test::machine("h100-sxm-80gb", gpus));
      CAPTURE(words, gpus, choice.layout.pp, choice.layout.grad_accum);
      if (choice.fits) CHECK(choice.layout.grad_accum >= choice.layout.pp);
    }
  }
}

TEST_CASE("large models are laid out as those who trained them did") {
  // Narayanan et al. 2021: tensor ranks fill a node at most, stages lie across nodes, nothing but attention is redone.
  const auto gpt3 = test::plan_training(job("task=pretrain model=gpt3-175b seq_len=2048 global_batch=1536"),
                                        test::machine("a100-sxm-80gb", 1024));
  CHECK(gpt3.fits);
  CHECK(gpt3.layout.tp >= 4);
  CHECK(gpt3.layout.pp >= 4);
  CHECK(gpt3.layout.checkpointing != Checkpointing::full);
  CHECK(gpt3.layout.sharding == Sharding::zero1);
  // DeepSeek-V3 report: stages and wide expert parallelism, no tensor parallelism, the optimiser divided.
  const auto v3 = test::plan_training(job("task=pretrain model=deepseek-v3"), test::machine("h800-sxm-80gb", 256));
  CHECK(v3.fits);
  CHECK(v3.layout.tp == 1);
  CHECK(v3.layout.pp >= 4);
  CHECK(v3.layout.ep >= 8);
  CHECK(v3.layout.pp * v3.layout.ep >= 128);  // 16 · 64 there; of 256 GPUs, stages leave little room for wider groups
  CHECK(v3.layout.sharding == Sharding::zero1);
  // 70B: no pretraining run recomputes everything where splitting does without.
  const auto llama = test::plan_training(job("task=pretrain model=llama-3.1-70b"), test::machine("h100-sxm-80gb", 512));
  CHECK((llama.layout.checkpointing != Checkpointing::full || llama.layout.recomputed < 0.5));
  CHECK(llama.layout.tp > 1);
}

TEST_CASE("what only shards is never split") {
  const auto machine = test::machine("h100-sxm-80gb", 16);
  for (const std::string_view words :
       {"recipe=pure", "framework=fsdp", "framework=hf-trainer global_batch=8", "method=qlora global_batch=8"}) {
    const auto choice = test::plan_training(job("task=finetune model=llama-3.1-70b " + std::string(words)), machine);
    CAPTURE(words);
    CHECK(choice.layout.tp * choice.layout.pp * choice.layout.ep == 1);
  }
  const auto of = [](const std::string& name) {
    return job("task=finetune model=llama-3.1-8b framework=" + name).training;
  };
  for (const std::string name : {"hf-trainer", "trl", "xtuner", "ms-swift", "axolotl"})
    CHECK_FALSE(splits_models(of(name)));
  for (const std::string name : {"megatron", "nemo", "deepspeed", "torchtitan"}) CHECK(splits_models(of(name)));
  CHECK(splits_models(job::Training{}));
}

TEST_CASE("NF4 is neither divided nor multiplied in 8 bit") {
  CHECK(says(refused("task=finetune model=llama-7b method=qlora tp=2", 8), "NF4 weights cannot be split", "lora"));
  CHECK(says(refused("task=finetune model=llama-7b method=qlora pp=2", 8), "but pp is 2", "lora"));
  const auto low = test::try_job("task=finetune model=llama-7b method=qlora precision=fp8");
  REQUIRE_FALSE(low);
  CHECK(low.error().where == "precision");
  CHECK(job("task=finetune model=llama-7b method=lora tp=2").training.framework == "megatron");
}

TEST_CASE("the framework is the question's, whatever the machine") {
  const auto machine = test::machine("h100-sxm-80gb", 8);
  const std::string words = "task=finetune model=llama-3.1-8b seq_len=131072";
  const auto degrees = [](const Layout& layout) { return layout.tp * layout.pp * layout.cp * layout.ep; };
  const auto open = job(words);
  CHECK(open.training.framework == "hf-trainer");
  const auto planned = test::plan_training(open, machine);
  CHECK(degrees(planned.layout) == 1);  // it only shards, and is not exchanged for one that divides layers
  const auto named = test::plan_training(job(words + " framework=megatron"), machine);
  CHECK(named.fits);
  CHECK(degrees(named.layout) > 1);
  // Who pins degrees asks for a framework that has them.
  CHECK(job(words + " tp=4").training.framework == "megatron");
}

TEST_CASE("a faster network is slower by no more than dividing must bring") {
  const auto work = job("task=pretrain model=llama-3.1-8b");
  double best = 0;
  for (const double gbps : {1, 10, 50, 100, 200, 400, 800, 1600, 3200}) {
    auto machine = test::machine("h100-sxm-80gb", 64);
    machine.network = gbit_per_s(gbps);
    const double speed = test::plan_training(work, machine).training->tokens_per_s;
    CAPTURE(gbps);
    CHECK(speed * 1.03 >= best);
    best = std::max(best, speed);
  }
  // 71 tokens/s per GPU over 1 Gbit/s against 12 thousand: nothing between nodes is free.
  auto slow = test::machine("h100-sxm-80gb", 64);
  slow.network = gbit_per_s(1);
  CHECK(test::plan_training(work, slow).training->tokens_per_s < best / 20);
}

TEST_CASE("nothing is recomputed where that frees nothing") {
  // States alone are twice the card, and the step needs more than activations: recomputing cannot help.
  const auto choice =
      test::plan_training(job("task=finetune model=llama-3.1-8b framework=accelerate"), test::machine("h100-sxm-80gb"));
  CHECK_FALSE(choice.fits);
  CHECK(choice.layout.checkpointing == Checkpointing::none);
}

TEST_CASE("the host keeps one copy of an offloaded optimiser") {
  const auto machine = test::machine("a100-sxm-80gb", 8);
  const auto optimizer = test::plan_training(job("task=finetune model=llama-7b offload=optimizer"), machine).layout;
  CHECK((optimizer.sharding == Sharding::zero2 || optimizer.sharding == Sharding::zero3));
  CHECK(test::plan_training(job("task=finetune model=llama-7b offload=params"), machine).layout.sharding ==
        Sharding::zero3);
}

TEST_CASE("long sequences are divided over context ranks where that beats recomputing") {
  const auto machine = test::machine("h100-sxm-80gb", 8);
  const std::string words = "task=finetune model=llama-3.1-8b seq_len=131072";
  const auto choice = test::plan_training(job(words + " framework=megatron"), machine);
  CHECK(choice.fits);
  CHECK(choice.layout.cp > 1);
  // One that shards only is not exchanged for one that divides.
  const auto usual = test::plan_training(job(words), machine);
  CHECK(usual.layout.cp * usual.layout.tp * usual.layout.pp == 1);
}

}  // namespace training_layouts_test
