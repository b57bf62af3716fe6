// What speed must do whatever the job and the machine: better hardware is never slower, figures agree with each other.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/kinds/counted.hpp"
#include "support/drawn.hpp"
#include "support/training.hpp"

namespace speed_property_test {

using namespace gpusel;
using namespace gpusel::physics;
using test::Faster;
using test::holds;
using test::job_of;
using test::must;
using test::must_be_near;
using test::must_not_fall;
namespace any = test::any;

namespace {

std::optional<TrainingSpeed> trained(const job::Job& work, const Machine& machine, const Layout& plan) {
  return training_speed(work, machine, plan, test::coefficients());
}

Machine machine_of(const Layout& plan) { return any::machine(plan.tp * plan.pp * plan.cp * plan.dp); }

struct Served {
  InferenceMemory memory;
  InferenceSpeed speed;
};
/// Where it has room for at least one request.
Served served(const job::Job& work, const Machine& machine, const Layout& plan) {
  Served out{inference_memory(work, machine, plan, test::coefficients()), {}};
  test::given(out.memory.max_concurrency >= plan.dp);
  const auto speed = inference_speed(work, machine, plan, out.memory, test::coefficients());
  test::given(speed.has_value());
  out.speed = *speed;
  return out;
}

}  // namespace

TEST_CASE("a GPU all of whose rates are higher never trains slower", "[property]") {
  holds("training on a faster GPU", [] {
    const auto work = job_of(any::training());
    auto plan = any::plan_for(work);
    const Machine machine = machine_of(plan);
    plan.precision = physics::best_precision(machine.device);
    const auto slow = trained(work, machine, plan);
    test::given(slow.has_value());
    const Faster better(machine, any::number("times", 1.01, 4));
    must_not_fall(slow->tokens_per_s, trained(work, better.machine, plan)->tokens_per_s, "tokens per second");
  });
}

TEST_CASE("a GPU all of whose rates are higher never serves slower", "[property]") {
  holds("serving on a faster GPU", [] {
    const auto work = job_of(any::serving());
    const auto plan = any::serving_plan(work);
    const Machine machine = any::machine(plan.tp * plan.pp * plan.dp);
    const Served slow = served(work, machine, plan);
    const Faster better(machine, any::number("times", 1.01, 4));
    const Served fast = served(work, better.machine, plan);
    must_not_fall(slow.speed.requests_per_s, fast.speed.requests_per_s, "requests per second");
    must_not_fall(fast.speed.e2e().raw(), slow.speed.e2e().raw(), "time of a request on the slower");
    must_not_fall(fast.speed.ttft().raw(), slow.speed.ttft().raw(), "time to the first token on the slower");
  });
}

TEST_CASE("a GPU all of whose rates are higher never does other work slower", "[property]") {
  holds("counted work on a faster GPU", [] {
    const auto work = job_of(any::counted());
    const Machine machine = any::machine(1 << any::whole("log2 gpus", 0, 3));
    const Faster better(machine, any::number("times", 1.01, 4));
    Layout plan;
    plan.micro_batch = any::size("batch", 1, 256);
    plan.precision = usual_precision(work, machine);
    const auto slow = counted_figures(work, machine, plan, test::coefficients());
    const auto fast = counted_figures(work, better.machine, plan, test::coefficients());
    must_not_fall(slow.rate, fast.rate, "rate");
  });
}

TEST_CASE("figures of training agree with each other", "[property]") {
  holds("figures of training", [] {
    const auto work = job_of(any::training());
    auto plan = any::plan_for(work);
    const Machine machine = machine_of(plan);
    plan.precision = physics::best_precision(machine.device);
    const auto speed = trained(work, machine, plan);
    test::given(speed.has_value());
    const auto sequences = static_cast<double>(plan.global_batch());
    const double tokens = sequences * static_cast<double>(work.training.seq_len + work.training.target_len);
    must_be_near(speed->tokens_per_s * speed->step.raw(), tokens, "tokens of a step");
    must_be_near(speed->samples_per_s * speed->step.raw(), sequences, "samples of a step");
    must_be_near(speed->tokens_per_s_per_gpu * machine.gpus(), speed->tokens_per_s, "tokens of all GPUs");
    must(speed->mfu > 0 && speed->mfu < 1, format("a utilisation of {}", speed->mfu));
    const StepBudget& budget = speed->budget;
    for (const Seconds part :
         {budget.compute, budget.memory, budget.communication, budget.launch, budget.host, budget.bubble})
      must(part.raw() >= 0 && part <= speed->step, format("{} s of {} s", part.raw(), speed->step.raw()));
  });
}

TEST_CASE("figures of serving agree with each other", "[property]") {
  holds("figures of serving", [] {
    const auto work = job_of(any::serving());
    const auto plan = any::serving_plan(work);
    const auto [memory, speed] = served(work, any::machine(plan.tp * plan.pp * plan.dp), plan);
    const auto input = static_cast<double>(work.inference.input_tokens);
    const auto output = static_cast<double>(work.inference.output_tokens);
    must_be_near(speed.output_tokens_per_s, speed.requests_per_s * output, "tokens generated per second");
    must_be_near(speed.total_tokens_per_s, speed.requests_per_s * (input + output), "tokens per second");
    must(speed.in_flight <= memory.concurrency * (1 + 1e-9), "more in flight than are served");
    must_not_fall(speed.ttft().raw(), speed.e2e().raw(), "time of a request against that to its first token");
    if (!work.model->is_generator() || static_cast<double>(work.inference.concurrency.value_or(0)) > speed.in_flight)
      return;
    // Little's law
    must_not_fall(speed.requests_per_s * speed.e2e().raw(), speed.in_flight * (1 + 1e-6), "requests in flight");
  });
}

TEST_CASE("the plan of a faster GPU is never slower", "[property]") {
  holds("plan on a faster GPU", [] {
    const bool trains = any::coin("trains");
    test::Asked asked = trains ? any::training() : any::serving();
    // Divided layouts are looked for only where plain ones wait for communication.
    if (trains) asked["tp"] = asked["pp"] = "1";
    const auto work = job_of(asked);
    const Machine machine = any::machine(1 << any::whole("log2 gpus", 0, 4));
    const auto slow = physics::plan_for(work, machine, test::coefficients());
    test::given(slow.has_value() && slow->is_usable());
    const Faster better(machine, any::number("times", 1.1, 4));
    const auto fast = physics::plan_for(work, better.machine, test::coefficients());
    must(fast.has_value() && fast->is_usable(), "it was of use on the slower one");
    // A simpler layout stands until another brings 3 % more.
    must_not_fall(slow->tokens_per_s() * (trains ? 0.97 : 1), fast->tokens_per_s(),
                  format("{} against {}", layout_text(work, slow->layout), layout_text(work, fast->layout)));
  });
}

}  // namespace speed_property_test
