// Simulation: bytes and operations per update, division over GPUs, and what double precision demands.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/counted.hpp"
#include "physics/planner/plan.hpp"
#include "support/arithmetic.hpp"
#include "support/job.hpp"

namespace counted_simulation_test {

using namespace gpusel;
using gpusel::test::job;
using physics::Plan;

namespace {

Plan planned(const std::string& words, std::string_view gpu, int gpus = 1) {
  return physics::plan_counted(job("task=simulate " + words), test::machine(gpu, gpus), test::coefficients());
}
double rate(const std::string& words, std::string_view gpu, int gpus = 1) {
  const Plan choice = planned(words, gpu, gpus);
  CAPTURE(words, gpu, choice.problem.text());
  REQUIRE(choice.fits);
  return choice.rate;
}

}  // namespace

TEST_CASE("single-precision stencils follow bandwidth") {
  const auto lbm = [](std::string_view gpu) { return rate("solver=lbm", gpu); };
  CHECK(lbm("h100-sxm-80gb") == Approx(17602).epsilon(0.1));  // FluidX3D
  CHECK(lbm("a100-sxm-80gb") == Approx(10228).epsilon(0.1));
  CHECK(lbm("rtx-4090") == Approx(5624).epsilon(0.1));
  CHECK(lbm("v100-sxm2-32gb") > lbm("a10"));
  CHECK(lbm("l40s") < lbm("a100-pcie-40gb"));
  CHECK(planned("solver=lbm", "a100-sxm-80gb").bound_by == "memory-bandwidth");
}

TEST_CASE("double precision follows the fp64 rate, not the name of the card") {
  const auto dem = [](std::string_view gpu) { return rate("solver=dem", gpu); };
  CHECK(dem("a100-pcie-80gb") == Approx(135).epsilon(0.1));  // EDEM
  CHECK(dem("a100-sxm-40gb") / dem("v100-pcie-16gb") == Approx(1.41).epsilon(0.1));
  CHECK(dem("v100-pcie-16gb") > 3 * dem("l40s"));
  CHECK(dem("p100-16gb") > dem("rtx-4090"));
  CHECK(dem("h20-96gb") < dem("a30"));
  CHECK(rate("solver=lbm precision=fp64", "a100-sxm-80gb") ==
        Approx(rate("solver=lbm", "a100-sxm-80gb") / 2).epsilon(0.05));
}

TEST_CASE("scaling is what a GPU among others does of what it does alone") {
  const Plan eight = planned("solver=lbm", "a100-sxm-80gb", 8);
  const auto scaling = std::ranges::find(eight.more, "scaling", &physics::NamedFigure::key);
  REQUIRE(scaling != eight.more.end());
  CHECK(scaling->value < 1);
  CHECK(scaling->value == Approx(eight.rate / 8 / rate("solver=lbm", "a100-sxm-80gb")).epsilon(1e-3));
}

TEST_CASE("an update takes as long as its bytes and its operations, as the explanation says") {
  const auto work = job("task=simulate solver=lbm");
  const auto machine = test::machine("a100-sxm-80gb");
  const Plan choice = physics::plan_counted(work, machine, test::coefficients());
  physics::Trace trace;
  physics::counted_figures(work, machine, choice.layout, test::coefficients(), &trace);
  for (const auto& line : trace) {
    if (line.quantity != "update") continue;
    CAPTURE(line.substituted, line.value.text);
    CHECK(test::adds_up(line) == true);
    CHECK(1000 / *line.value.number == Approx(choice.rate));
    const auto step = std::ranges::find(choice.more, "step_ms", &physics::NamedFigure::key);
    REQUIRE(step != choice.more.end());  // every cell once
    CHECK(step->value == Approx(std::get<job::SimulationJob>(work.counted->job).cells * *line.value.number * 1e-6));
    return;
  }
  FAIL("no line of an update");
}

TEST_CASE("a case is divided over GPUs, and a small one gains nothing from the second") {
  CHECK(planned("solver=lbm cells=2e9", "a100-sxm-80gb").fits == false);
  CHECK(planned("solver=lbm cells=2e9", "a100-sxm-80gb", 4).fits);
  CHECK(rate("solver=lbm cells=5e8", "h100-sxm-80gb", 8) / rate("solver=lbm cells=5e8", "h100-sxm-80gb") ==
        Approx(7).epsilon(0.08));
  CHECK(rate("solver=dem cells=1e5", "a100-pcie-80gb", 2) < rate("solver=dem cells=1e5", "a100-pcie-80gb"));
  CHECK(rate("solver=dem cells=1e6", "a100-pcie-80gb", 2) > 1.4 * rate("solver=dem cells=1e6", "a100-pcie-80gb"));
}

TEST_CASE("solvers that can spill slow down before they fall") {
  const double fitting = rate("solver=dem cells=1e7", "t4");
  const Plan spilled = planned("solver=dem cells=2e7", "t4");
  CHECK(spilled.fits);
  CHECK(spilled.rate < fitting * 0.75);
  CHECK_FALSE(planned("solver=dem cells=5e7", "t4").fits);
  CHECK_FALSE(planned("solver=lbm cells=2e8", "t4").fits);
}

TEST_CASE("a case that spills by half of what may spill runs at the mean of both ends") {
  auto counted = std::make_shared<physics::CountedCoefficients>(*test::coefficients().counted);
  counted->simulation.spill_limit.value = 3;
  counted->simulation.process_gib.value = 1;
  physics::Coefficients coefficients = test::coefficients();
  coefficients.counted = counted;
  const auto& c = counted->simulation;
  const auto at = [&](double over) {
    const auto work = job("task=simulate solver=dem");
    auto asked = work;
    auto& simulation = std::get<job::SimulationJob>(asked.counted->job);
    auto machine = test::machine("t4");
    const auto solver = std::ranges::find(test::shipped().solvers(), "dem", &catalog::SolverInfo::id);
    // Room for 2^30 cells: whole numbers, so that both ends are met exactly.
    machine.device.usable = gib(c.process_gib.value + *solver->bytes_per_cell);
    simulation.cells = (1 + over * (c.spill_limit.value - 1)) * kGiB;
    const physics::Layout plan{.precision = job::Precision::fp64};
    return physics::counted_figures(asked, machine, plan, coefficients);
  };
  const double start = c.spill_factor.of("start"), limit = c.spill_factor.of("limit");
  const double whole = at(-0.1).rate;
  CHECK(at(0.5).rate == Approx(whole * (start + limit) / 2));
  CHECK(at(0).rate == Approx(whole));
  CHECK(at(1).rate == Approx(whole * limit));
  CHECK(at(0.99).rate == Approx(whole * (0.01 * start + 0.99 * limit)));
  CHECK(at(1.01).rate == Approx(whole));  // beyond the limit nothing spills, and it does not fit
  CHECK(at(0.5).bound_by == "host-memory");
  CHECK(std::ranges::none_of(at(-0.1).more, [](const auto& one) { return one.key == "scaling"; }));
}

TEST_CASE("less than a cell for each GPU exchanges as much as one") {
  const auto& c = test::coefficients().counted->simulation;
  const auto solver = std::ranges::find(test::shipped().solvers(), "lbm", &catalog::SolverInfo::id);
  const auto figures = physics::counted_figures(job("task=simulate solver=lbm cells=1"),
                                                test::machine("a100-sxm-80gb", 2), {}, test::coefficients());
  const auto scaling = std::ranges::find(figures.more, "scaling", &physics::NamedFigure::key);
  REQUIRE(scaling != figures.more.end());
  CHECK(1 / scaling->value == Approx(1 + c.exchange_share.of("nvswitch") + *solver->half_cells / 3));
}

TEST_CASE("memory is cells times what each keeps") {
  const Plan choice = planned("solver=lbm cells=1e8", "a100-sxm-80gb");
  CHECK(in_gib(choice.memory.activations) == Approx(93e8 / kGiB).epsilon(0.01));
  CHECK(in_gib(planned("solver=lbm cells=1e8 precision=fp64", "a100-sxm-80gb").memory.activations) ==
        Approx(186e8 / kGiB).epsilon(0.01));
}

TEST_CASE("a processor updates what its memory channels bring, and refuses to guess without them") {
  catalog::Cpu genoa;
  genoa.id = "genoa";
  genoa.cores_per_socket = 96;
  genoa.memory_channels = 12;
  genoa.memory_mts = 4800;
  genoa.fp32_flops_per_cycle = 64;
  physics::Machine machine;
  machine.gpus_per_node = 0;
  machine.host = {&genoa, 192, 2, 3.1, 3.7, gib(384)};
  const auto on = [&] { return physics::plan_counted(job("task=simulate solver=lbm"), machine, test::coefficients()); };
  CHECK(on().rate == Approx(1650).epsilon(0.1));
  CHECK(on().rate < rate("solver=lbm", "t4"));
  genoa.memory_channels = {};
  CHECK(on().problem.kind == physics::Problem::Kind::unpublished);
}

TEST_CASE("simulations are computed in fp32 or fp64") {
  CHECK(test::try_job("task=simulate precision=fp16").error().where == "precision");
}

}  // namespace counted_simulation_test
