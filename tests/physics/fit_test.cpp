// The chance that a plan goes into memory, and planners that look for the one that is asked for.
#include "physics/fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "physics/chance.hpp"
#include "physics/intervals.hpp"
#include "support/job.hpp"

namespace physics_fit_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;

namespace {

Plan planned(const std::string& words, const Machine& machine) {
  const job::Job work = job(words);
  const auto plan = plan_for(work, machine, test::coefficients());
  REQUIRE(plan);
  return *plan;
}

}  // namespace

TEST_CASE("what is needed fits with a chance of one half where it is all there is") {
  const MemoryNeed even{gib(40), 0.2, gib(40)};
  CHECK(even.chance() == Approx(0.5));
  CHECK(even.fits());
  const MemoryNeed over{gib(40.001), 0.2, gib(40)};
  CHECK(over.chance() < 0.5);
  CHECK_FALSE(over.fits());
  // Φ(1) = 0.8413, Φ(-2) = 0.02275.
  CHECK(MemoryNeed{gib(40), 0.2, gib(40 * std::exp(0.2))}.chance() == Approx(0.8413).epsilon(1e-3));
  CHECK(MemoryNeed{gib(40), 0.2, gib(40 * std::exp(-0.4))}.chance() == Approx(0.02275).epsilon(1e-3));
}

TEST_CASE("the interval of a need holds 80 runs of 100") {
  const MemoryNeed need{gib(40), 0.2, gib(60)};
  const Interval range = need.interval_gib();
  CHECK(MemoryNeed{gib(40), 0.2, gib(range.low)}.chance() == Approx(0.1));
  CHECK(MemoryNeed{gib(40), 0.2, gib(range.high)}.chance() == Approx(0.9));
  CHECK(deviation_of(ratio_of(0.2)) == Approx(0.2));
}

TEST_CASE(
    "what holds up to some number of deviations has the share of the normal distribution below it as its chance") {
  // Φ(−2) = 0.02275, Φ(−0.5) = 0.30854, Φ(1) = 0.84134, Φ(3) = 0.99865; within half a hundredth of a deviation.
  for (const auto& [most, share] :
       {std::pair(-2.0, 0.02275), {-0.5, 0.30854}, {0.0, 0.5}, {1.0, 0.84134}, {3.0, 0.99865}})
    CHECK(chance_up_to([&](double deviations) { return deviations <= most; }) == Approx(share).margin(0.004));
  CHECK(chance_up_to([](double) { return false; }) == 0);
  CHECK(chance_up_to([](double) { return true; }) == 1);
}

TEST_CASE("what is certain fits or does not, and what is not known is never too much") {
  CHECK(MemoryNeed{gib(40), 0, gib(41)}.chance() == 1);
  CHECK(MemoryNeed{gib(40), 0, gib(39)}.chance() == 0);
  const MemoryNeed unknown{Bytes{}, 0.2, gib(39)};
  CHECK(std::isnan(unknown.chance()));
  CHECK(unknown.fits());
  CHECK(unknown.likely(1));
}

TEST_CASE("a higher chance is bought with speed, and given where it can be had") {
  for (const char* words : {"task=finetune model=llama-3.1-8b method=lora seq_len=2048",
                            "task=finetune model=qwen2.5-7b method=qlora", "task=pretrain model=gpt2-medium"}) {
    CAPTURE(words);
    const Machine machine = test::machine("rtx-4090", 1);
    double rate = INFINITY;
    double chance = 0;
    for (const double asked : {0.5, 0.8, 0.95, 0.999}) {
      CAPTURE(asked);
      const Plan plan = planned(std::string(words) + " min_fit=" + std::to_string(asked), machine);
      if (plan.need.chance() < asked) break;  // none is as sure
      CHECK(plan.rate <= rate * 1.0001);
      rate = plan.rate;
      chance = plan.need.chance();
    }
    CHECK(chance >= 0.8);
  }
}

TEST_CASE("of plans that do not fit the one that needs less is the surer, however little is known of the other") {
  const MemoryNeed small{gib(50), 0.05, gib(40)}, vague{gib(90), 1.5, gib(40)};
  CHECK(vague.chance() > small.chance());
  CHECK(small.surer_than(vague));
  CHECK_FALSE(vague.surer_than(small));
  // Of those that fit, the chance counts.
  const MemoryNeed known{gib(38), 0.01, gib(40)}, guessed{gib(37), 0.3, gib(40)};
  CHECK(known.surer_than(guessed));
  CHECK(known.surer_than(vague));
  CHECK_FALSE(known.surer_than(known));
}

TEST_CASE("where no plan is as sure as asked, the likeliest is given with its chance") {
  const std::string tight =
      "task=finetune model=llama-3.1-8b method=lora seq_len=2048 framework=hf-trainer global_batch=64";
  const Machine machine = test::machine("rtx-4090", 1);
  const Plan likeliest = planned(tight + " min_fit=1", machine);
  CHECK(likeliest.need.chance() < 1);
  for (const char* pins : {"micro_batch=1 activation_checkpointing=full", "micro_batch=1 activation_checkpointing=none",
                           "micro_batch=2 activation_checkpointing=full"})
    CHECK(planned(tight + " min_fit=1 " + pins, machine).need.chance() <= likeliest.need.chance() + 1e-12);
}

TEST_CASE("the chance that planners look for is the one asked for, and at least one half") {
  CHECK(least_chance(job("task=finetune model=llama-3.1-8b min_fit=0.7"), test::coefficients()) == 0.7);
  CHECK(least_chance(job("task=finetune model=llama-3.1-8b"), test::coefficients()) ==
        test::coefficients().min_fit.value);
  // What does not fit is never looked for.
  CHECK(least_chance(job("task=finetune model=llama-3.1-8b min_fit=0"), test::coefficients()) == 0.5);
}

TEST_CASE("an engine must have room for the load that is asked, or for one request") {
  const std::string words = "task=inference model=llama-3.1-8b input_tokens=2048 output_tokens=256";
  const Machine machine = test::machine("l4", 1);
  const Plan open = planned(words, machine);
  const Plan one = planned(words + " concurrency=1", machine);
  CHECK(open.need.needed.raw() == Approx(one.need.needed.raw()));
  // An engine set up for more requests has larger buffers: those for eight are those for as many as there is room for.
  const auto room = static_cast<int>(planned(words + " concurrency=8", machine).serving->room.max_concurrency);
  REQUIRE(room >= 8);
  CHECK(planned(words + " concurrency=" + std::to_string(room), machine).fits);
  const Plan over = planned(words + " concurrency=" + std::to_string(room + 1), machine);
  CHECK_FALSE(over.fits);
  CHECK(over.problem.kind == Problem::Kind::cache);
  CHECK(over.problem.requests == room + 1);
  // In one batch those that find no room wait.
  CHECK(planned(words + " mode=throughput concurrency=" + std::to_string(10 * room), machine).fits);
}

TEST_CASE("an engine that is given less of the GPU needs a larger GPU") {
  const std::string words = "task=inference model=llama-3.1-8b concurrency=4";
  const Machine machine = test::machine("l4", 1);
  const Plan most = planned(words + " mem_utilization=1", machine);
  const Plan half = planned(words + " mem_utilization=0.5", machine);
  CHECK(half.need.needed.raw() == Approx(2 * most.need.needed.raw()));
  CHECK(most.need.needed.raw() == Approx(most.memory.total().raw()).epsilon(0.02));
}

TEST_CASE("an allocator gives back what it holds beyond the need where there is no room") {
  const std::string words =
      "task=finetune model=llama-3.1-8b method=lora micro_batch=4 activation_checkpointing=full seq_len=2048";
  const Plan roomy = planned(words, test::machine("h100-sxm-80gb", 1));
  Machine tight = test::machine("h100-sxm-80gb", 1);
  tight.device.usable = roomy.need.needed * 1.01;
  const Plan full = planned(words, tight);
  CHECK(full.need.needed.raw() == Approx(roomy.need.needed.raw()));
  CHECK(full.memory.total() < roomy.memory.total());
  CHECK(full.memory.total().raw() == Approx(tight.device.usable.raw()));
}

}  // namespace physics_fit_test
