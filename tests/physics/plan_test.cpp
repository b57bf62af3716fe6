// What a plan says of itself, whatever the kind of work.
#include <catch2/catch.hpp>

#include "physics/planner/runners_up.hpp"
#include "support/job.hpp"

namespace plan_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;

namespace {

Plan planned(std::string_view words, const Machine& machine) {
  auto plan = plan_for(job(words), machine, test::coefficients());
  REQUIRE(plan);
  return *plan;
}

}  // namespace

TEST_CASE("the kind of work decides which planner answers") {
  const auto machine = test::machine("h100-sxm-80gb");
  CHECK(planned("task=finetune model=gpt2", machine).training);
  CHECK(planned("task=pretrain model=gpt2", machine).training);
  CHECK(planned("task=inference model=gpt2", machine).serving);
  const Plan images = planned("task=inference model=resnet-50", machine);
  CHECK_FALSE(images.training);
  CHECK_FALSE(images.serving);
  CHECK(images.rate > 0);
  CHECK(images.tokens_per_s() == 0);
}

TEST_CASE("a plan gives the figures of its own kind") {
  const auto machine = test::machine("h100-sxm-80gb");
  const Plan trained = planned("task=finetune model=gpt2", machine);
  CHECK(trained.rate == trained.training->tokens_per_s);
  CHECK(trained.sequences_per_s == trained.training->samples_per_s);
  CHECK(trained.bound_by == trained.training->bound_by);
  CHECK(trained.fits);
  CHECK(trained.is_usable());
  CHECK_FALSE(trained.problem.any());

  const Plan served = planned("task=inference model=gpt2", machine);
  CHECK(served.rate == served.serving->speed.output_tokens_per_s);
  CHECK(served.sequences_per_s == served.serving->speed.requests_per_s);
  CHECK(served.usual_time() == served.serving->speed.e2e());
}

TEST_CASE("an encoder's tokens per second are those it reads") {
  const Plan plan = planned("task=inference model=bert-base engine=vllm", test::machine("t4"));
  CHECK(plan.rate == plan.serving->speed.total_tokens_per_s);
  CHECK(plan.rate > 0);
}

TEST_CASE("a plan without a speed has no rate and is not usable") {
  Plan plan;
  plan.fits = true;
  plan.set_training(std::nullopt);
  CHECK(plan.rate == 0);
  CHECK(plan.sequences_per_s == 0);
  CHECK(plan.bound_by.empty());
  CHECK_FALSE(plan.is_usable());
}

TEST_CASE("a plan that misses its targets fits but is not usable") {
  Plan plan = planned("task=inference model=gpt2", test::machine("h100-sxm-80gb"));
  CHECK(plan.is_usable());
  plan.meets_targets = false;
  CHECK_FALSE(plan.is_usable());
}

TEST_CASE("a plan has the same figures when they are computed again") {
  for (const std::string_view words : {"task=finetune model=gpt2", "task=inference model=gpt2", "task=simulate",
                                       "task=inference model=resnet-50", "task=render scene=film"}) {
    CAPTURE(words);
    const auto machine = test::machine("h100-sxm-80gb", 2);
    const Plan plan = planned(words, machine);
    const Plan again = refigure(plan, job(words), machine, test::coefficients());
    CHECK(again.rate == plan.rate);
    CHECK(again.usual_time() == plan.usual_time());
    CHECK(again.memory.total() == plan.memory.total());
    CHECK(again.fits == plan.fits);
  }
}

TEST_CASE("of one layout the best figures are kept, and the best of another stands beside it") {
  Layout one, two, three;
  two.tp = 2;
  three.tp = 3;
  const auto seen = [](const Layout& layout, double rate) {
    RunnerUp out;
    out.layout = layout;
    out.fits = true;
    out.rate = rate;
    return out;
  };
  RunnersUp kept;
  CHECK_FALSE(kept.beside(two));
  kept.add(seen(one, 20));
  kept.add(seen(one, 5));
  CHECK(kept.beside(two)->rate == 20);
  kept.add(seen(one, 30));
  CHECK(kept.beside(two)->rate == 30);
  CHECK_FALSE(kept.beside(one));
  kept.add(seen(two, 25));
  kept.add(seen(three, 10));
  CHECK(kept.beside(one)->rate == 25);
  CHECK(kept.beside(two)->rate == 30);
}

TEST_CASE("every problem has words of its own") {
  Problem problem{
      .kind = Problem::Kind::memory, .subject = "h100-sxm-80gb", .needed_gib = 100.4, .available_gib = 79.1};
  CHECK(problem.text().find("100.4") != std::string::npos);
  CHECK(problem.text().find("79.1") != std::string::npos);
  CHECK(problem.missing_gib() == Approx(21.3));
  CHECK(Problem{}.text().empty());
  Problem crowded{.kind = Problem::Kind::too_much_traffic, .subject = "t4"};
  crowded.asked_per_s = 2;
  crowded.most_per_s = 0.5;
  CHECK(crowded.text().find("0.5 at most") != std::string::npos);
  CHECK_FALSE(Problem{}.any());
  for (const auto kind : {Problem::Kind::memory, Problem::Kind::cache, Problem::Kind::no_rate,
                          Problem::Kind::too_much_traffic, Problem::Kind::latency}) {
    problem.kind = kind;
    CHECK(problem.any());
    CHECK_FALSE(problem.text().empty());
  }
}

}  // namespace plan_test
