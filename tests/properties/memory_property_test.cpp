// What memory must do whatever the model, the plan and the machine: more of anything never needs less.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/words/message.hpp"
#include "support/drawn.hpp"
#include "support/training.hpp"

namespace memory_property_test {

using namespace gpusel;
using namespace gpusel::physics;
using test::Asked;
using test::holds;
using test::job_of;
using test::must;
using test::must_not_fall;
namespace any = test::any;

namespace {

/// The same question with a larger number.
Asked with(Asked asked, const std::string& key, std::int64_t value) {
  asked[key] = std::to_string(value);
  return asked;
}

double trained_on(const job::Job& work, const Layout& plan) { return test::memory(work, plan).total().raw(); }

Machine wide_enough(const Layout& plan) { return test::machine("b200-180gb", plan.tp * plan.pp * plan.dp); }

/// With all that is asked for in flight: where the cache has no room for them, fewer are.
double served_by(const job::Job& work, const Layout& plan) {
  const auto memory = inference_memory(work, wide_enough(plan), plan, test::coefficients());
  test::given(memory.max_concurrency >= static_cast<double>(*work.inference.concurrency));
  return memory.per_gpu.total().raw();
}

job::Job of_more_parameters(job::Job work) {
  auto& p = work.parameters;
  for (double* part : {&p.embedding, &p.head, &p.body, &p.experts, &p.vision, &p.mtp, &p.layer_embeddings})
    *part *= any::number("times", 1, 4);
  return work;
}

void check_parts(const MemoryBreakdown& memory) {
  double sum = 0;
  for (const Bytes part : {memory.weights, memory.gradients, memory.optimizer, memory.activations, memory.kv_cache,
                           memory.workspace, memory.framework}) {
    must(std::isfinite(part.raw()) && part.raw() >= 0, format("a part is {} bytes", part.raw()));
    sum += part.raw();
  }
  test::must_be_near(sum, memory.total().raw(), "the sum of the parts");
}

}  // namespace

TEST_CASE("longer training sequences never need less memory", "[property]") {
  holds("memory of seq_len", [] {
    const Asked asked = any::training();
    const auto work = job_of(asked);
    const auto plan = any::plan_for(work);
    const auto longer = job_of(with(asked, "seq_len", work.training.seq_len + any::size("more", 1, 16384)));
    must_not_fall(trained_on(work, plan), trained_on(longer, plan), "memory");
  });
}

TEST_CASE("larger micro batches never need less memory", "[property]") {
  holds("memory of micro_batch", [] {
    const auto work = job_of(any::training());
    auto plan = any::plan_for(work);
    const double before = trained_on(work, plan);
    plan.micro_batch += any::size("more", 1, 64);
    must_not_fall(before, trained_on(work, plan), "memory");
  });
}

TEST_CASE("a model of more parameters in the same shape never needs less memory", "[property]") {
  holds("memory of parameters", [] {
    const auto work = job_of(any::training());
    const auto plan = any::plan_for(work);
    must_not_fall(trained_on(work, plan), trained_on(of_more_parameters(work), plan), "memory");
  });
}

TEST_CASE("a model of more parameters in the same shape never needs less memory to serve", "[property]") {
  holds("serving memory of parameters", [] {
    Asked asked = any::serving();
    if (!asked.contains("concurrency")) asked["concurrency"] = "8";
    const auto work = job_of(asked);
    const auto plan = any::serving_plan(work);
    must_not_fall(served_by(work, plan), served_by(of_more_parameters(work), plan), "memory");
  });
}

TEST_CASE("a job divided over more GPUs in the same way never needs more on each", "[property]") {
  holds("memory of dp", [] {
    const auto work = job_of(any::training());
    auto plan = any::plan_for(work);
    plan.dp *= 2;  // from two ranks on they talk to each other
    const double few = trained_on(work, plan);
    plan.dp *= 2;
    must_not_fall(trained_on(work, plan), few, "memory on fewer GPUs");
  });
}

TEST_CASE("recomputing more never keeps more", "[property]") {
  holds("memory of checkpointing", [] {
    const auto work = job_of(any::training());
    auto plan = any::plan_for(work);
    test::given(work.parameters.layers >= 4 * plan.pp);  // one of a stage's layers is under way whatever is kept
    const auto kept = [&](job::Checkpointing how) {
      plan.checkpointing = how;
      return trained_on(work, plan);
    };
    using job::Checkpointing;
    must_not_fall(kept(Checkpointing::selective), kept(Checkpointing::none), "what is kept without selective");
    must_not_fall(kept(Checkpointing::full), kept(Checkpointing::selective), "what is kept without full");
  });
}

TEST_CASE("training memory is the sum of parts that are amounts", "[property]") {
  holds("parts of training", [] {
    const auto work = job_of(any::training());
    check_parts(test::memory(work, any::plan_for(work)));
  });
}

TEST_CASE("serving memory is the sum of parts that are amounts", "[property]") {
  holds("parts of serving", [] {
    const auto work = job_of(any::serving());
    const auto plan = any::serving_plan(work);
    check_parts(inference_memory(work, wide_enough(plan), plan, test::coefficients()).per_gpu);
  });
}

TEST_CASE("longer prompts and answers and more requests never need less memory", "[property]") {
  holds("memory of a service", [] {
    Asked asked = any::serving();
    if (!asked.contains("concurrency")) asked["concurrency"] = "8";
    const auto work = job_of(asked);
    const auto plan = any::serving_plan(work);
    const std::string key = any::one_of("what grows", {"input_tokens", "output_tokens", "concurrency"});
    const auto more = job_of(with(asked, key, std::stoll(asked[key]) + any::size("more", 1, 4096)));
    must_not_fall(served_by(work, plan), served_by(more, plan), key);
  });
}

TEST_CASE("a cache never shrinks with tokens nor grows with ranks", "[property]") {
  holds("cache", [] {
    const auto work = job_of(any::serving());
    auto plan = any::serving_plan(work);
    const Cached tokens{static_cast<double>(any::size("prompt", 1, 100000)),
                        static_cast<double>(any::size("generated", 1, 100000))};
    const double now = kv_bytes(*work.model, tokens, plan).raw();
    const auto more = static_cast<double>(any::size("more", 1, 100000));
    must_not_fall(now, kv_bytes(*work.model, {tokens.prompt + more, tokens.generated}, plan).raw(), "cache");
    must_not_fall(now, kv_bytes(*work.model, {tokens.prompt, tokens.generated + more}, plan).raw(), "cache");
    plan.tp *= 2;
    must_not_fall(kv_bytes(*work.model, tokens, plan).raw(), now, "cache of a rank among fewer");
  });
}

TEST_CASE("more memory never turns a fit into a misfit", "[property]") {
  holds("fit of usable memory", [] {
    const bool trains = any::coin("trains");
    const auto work = job_of(trains ? any::training() : any::serving());
    Machine machine = any::machine(1 << any::whole("log2 gpus", 0, 4));
    machine.device.usable = gib(any::number("GiB", 4, 300));
    const auto before = physics::plan_for(work, machine, test::coefficients());
    test::given(before.has_value());
    machine.device.usable *= any::number("times", 1.01, 4);
    const auto after = physics::plan_for(work, machine, test::coefficients());
    must(after.has_value(), "a plan is refused with more memory");
    must(!before->fits || after->fits, "it fitted before");
  });
}

TEST_CASE("more memory never turns other work that fits into such that does not", "[property]") {
  holds("fit of counted work", [] {
    const auto work = job_of(any::counted());
    Machine machine = any::machine(1);
    machine.device.usable = gib(any::number("GiB", 2, 200));
    const auto before = physics::plan_counted(work, machine, test::coefficients());
    machine.device.usable *= any::number("times", 1.01, 4);
    const auto after = physics::plan_counted(work, machine, test::coefficients());
    must(!before.fits || after.fits, "it fitted before");
  });
}

}  // namespace memory_property_test
