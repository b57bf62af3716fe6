// What an explanation prints is arithmetic that gives its results, whatever is explained and whatever is not known of
// it, and explaining changes no figure.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/kinds/counted.hpp"
#include "support/arithmetic.hpp"
#include "support/drawn.hpp"
#include "support/training.hpp"

namespace trace_property_test {

using namespace gpusel;
using namespace gpusel::physics;
using test::holds;
using test::must;
namespace any = test::any;

namespace {

/// Users and streams are whole; one user may have all of a GPU.
bool is_rounded_down(const TraceLine& line) {
  const auto value = test::evaluated(line);
  if (!value || !line.value.number) return true;
  return *line.value.number == 1 || (std::floor(value->low) <= *line.value.number && *line.value.number <= value->high);
}

void must_add_up(const Trace& trace) {
  for (const TraceLine& line : trace) {
    const bool whole = line.quantity.starts_with("streams by") || line.quantity.starts_with("sessions.");
    const auto right = test::adds_up(line);
    must(!right || *right || (whole && is_rounded_down(line)),
         format("{} = {} is not {}", line.quantity, line.substituted, line.value.text));
  }
}

}  // namespace

TEST_CASE("explanations of training add up", "[property]") {
  holds("trace of training", [] {
    auto work = test::job_of(any::training());
    auto plan = any::plan_for(work);
    Machine machine = any::machine(plan.tp * plan.pp * plan.cp * plan.dp);
    any::leave_gaps(work);
    any::leave_gaps(machine);
    plan.precision = physics::best_precision(machine.device);
    Trace trace;
    const auto memory = training_memory(work, machine, plan, test::coefficients(), &trace);
    must(memory.total() == test::memory(work, plan, machine).total(), "explaining changes memory");
    must_add_up(trace);
    trace.clear();
    const auto speed = training_speed(work, machine, plan, test::coefficients(), &trace);
    test::given(speed.has_value());
    must(speed->step == training_speed(work, machine, plan, test::coefficients())->step, "explaining changes time");
    must_add_up(trace);
  });
}

TEST_CASE("explanations of serving add up", "[property]") {
  holds("trace of serving", [] {
    auto work = test::job_of(any::serving());
    if (any::coin("a rate")) {
      work.inference.concurrency.reset();
      work.inference.request_rate = any::number("rate", 0.01, 10);
    }
    auto plan = any::serving_plan(work);
    if (work.model->is_generator() && plan.dp > 1 && any::coin("prompts apart"))
      work.inference.disaggregated_prefill = true;
    Machine machine = any::machine(plan.tp * plan.pp * plan.dp);
    any::leave_gaps(work);
    any::leave_gaps(machine);
    Trace trace;
    const auto memory = inference_memory(work, machine, plan, test::coefficients(), &trace);
    must_add_up(trace);
    trace.clear();
    const auto speed = inference_speed(work, machine, plan, memory, test::coefficients(), &trace);
    test::given(speed.has_value());
    must_add_up(trace);
  });
}

TEST_CASE("explanations of other work add up", "[property]") {
  holds("trace of counted work", [] {
    auto work = test::job_of(any::counted());
    Machine machine = any::counting_machine();
    any::leave_gaps(work);
    any::leave_gaps(machine);
    Layout plan;
    plan.micro_batch = any::size("batch", 1, 256);
    plan.precision = usual_precision(work, machine);
    Trace trace;
    const auto with = counted_figures(work, machine, plan, test::coefficients(), &trace);
    must(with.rate == counted_figures(work, machine, plan, test::coefficients()).rate, "explaining changes the rate");
    must_add_up(trace);
  });
}

}  // namespace trace_property_test
