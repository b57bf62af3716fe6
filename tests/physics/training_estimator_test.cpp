// Plans weighed one after the other have the figures that each has by itself.
#include "physics/training/training_estimator.hpp"

#include <catch2/catch.hpp>

#include "support/training.hpp"

namespace training_estimator_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using job::Checkpointing;
using job::Sharding;

TEST_CASE("plans weighed one after the other have the figures that each has by itself") {
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "task=pretrain model=gpt3-175b framework=megatron",
                              "task=finetune model=llama-7b", "task=finetune model=llama-7b method=qlora",
                              "task=pretrain model=mixtral-8x7b framework=megatron", "task=finetune model=bert-base",
                              "task=finetune model=llama-7b offload=optimizer");
  const job::Job work = job(words);
  const Machine machine = test::machine("a100-sxm-80gb", 64);
  TrainingEstimator estimator(work, machine, test::coefficients());
  for (const int pp : {1, 4, 1, 8})  // and back: nothing of another division is left
    for (const Sharding sharding : {Sharding::ddp, Sharding::zero1, Sharding::zero3})
      for (const std::int64_t micro : {1, 2, 1})
        for (const Checkpointing kind : {Checkpointing::none, Checkpointing::full, Checkpointing::selective})
          for (const double recomputed : {1.0, 0.5}) {
            Layout plan;
            plan.tp = 2;
            plan.pp = pp;
            plan.dp = 32 / pp;
            plan.sharding = sharding;
            plan.micro_batch = micro;
            plan.grad_accum = 8 / micro;
            plan.checkpointing = kind;
            plan.recomputed = recomputed;
            const MemoryBreakdown memory = estimator.memory(plan);
            const MemoryBreakdown alone = training_memory(work, machine, plan, test::coefficients());
            CAPTURE(words, pp, static_cast<int>(sharding), micro, static_cast<int>(kind), recomputed);
            CHECK(memory.total().raw() == alone.total().raw());
            CHECK(memory.activations.raw() == alone.activations.raw());
            CHECK(estimator.speed(plan)->step.raw() ==
                  training_speed(work, machine, plan, test::coefficients())->step.raw());
          }
}

}  // namespace training_estimator_test
