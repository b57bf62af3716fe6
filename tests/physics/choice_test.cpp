// What a choice says of itself, whatever its task.
#include <catch2/catch.hpp>

#include "support/job.hpp"

namespace choice_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;

namespace {

Choice choose(std::string_view words, const physics::Machine& machine) {
  auto choice = plan_for(job(words), machine, test::coefficients());
  REQUIRE(choice);
  return *choice;
}

}  // namespace

TEST_CASE("the task decides which planner answers") {
  const auto machine = test::machine("h100-sxm-80gb");
  CHECK(std::holds_alternative<TrainingChoice>(choose("task=finetune model=gpt2", machine)));
  CHECK(std::holds_alternative<TrainingChoice>(choose("task=pretrain model=gpt2", machine)));
  CHECK(std::holds_alternative<InferenceChoice>(choose("task=inference model=gpt2", machine)));
}

TEST_CASE("a choice gives the figures of its own kind") {
  const auto machine = test::machine("h100-sxm-80gb");
  const Choice trained = choose("task=finetune model=gpt2", machine);
  const auto& training = std::get<TrainingChoice>(trained);
  CHECK(tokens_per_s(trained) == training.speed->tokens_per_s);
  CHECK(sequences_per_s(trained) == training.speed->samples_per_s);
  CHECK(memory_of(trained).total() == training.memory.total());
  CHECK(bound_by(trained) == training.speed->bound_by);
  CHECK(fits(trained));
  CHECK(usable(trained));
  CHECK_FALSE(problem_of(trained).any());

  const Choice served = choose("task=inference model=gpt2", machine);
  const auto& inference = std::get<InferenceChoice>(served);
  CHECK(tokens_per_s(served) == inference.speed->output_tokens_per_s);
  CHECK(sequences_per_s(served) == inference.speed->requests_per_s);
  CHECK(memory_of(served).total() == inference.memory.per_gpu.total());
}

TEST_CASE("an encoder's tokens per second are those it reads") {
  const Choice choice = choose("task=inference model=bert-base engine=vllm", test::machine("t4"));
  CHECK(tokens_per_s(choice) == std::get<InferenceChoice>(choice).speed->total_tokens_per_s);
  CHECK(tokens_per_s(choice) > 0);
}

TEST_CASE("a choice without a speed has no rate and is not usable") {
  TrainingChoice choice;
  choice.fits = true;
  CHECK(tokens_per_s(Choice(choice)) == 0);
  CHECK(sequences_per_s(Choice(choice)) == 0);
  CHECK(bound_by(Choice(choice)).empty());
  CHECK_FALSE(usable(Choice(choice)));
}

TEST_CASE("a choice that misses its targets fits but is not usable") {
  InferenceChoice choice;
  choice.fits = true;
  choice.speed.emplace();
  CHECK(usable(Choice(choice)));
  choice.meets_targets = false;
  CHECK_FALSE(usable(Choice(choice)));
}

TEST_CASE("every problem has words of its own") {
  Problem problem{Problem::Kind::memory, 100.4, 79.1, 0, "h100-sxm-80gb"};
  CHECK(problem.text().find("100.4") != std::string::npos);
  CHECK(problem.text().find("79.1") != std::string::npos);
  CHECK(Problem{}.text().empty());
  CHECK_FALSE(Problem{}.any());
  for (const auto kind : {Problem::Kind::memory, Problem::Kind::cache, Problem::Kind::no_rate,
                          Problem::Kind::too_much_traffic, Problem::Kind::latency}) {
    problem.kind = kind;
    CHECK(problem.any());
    CHECK_FALSE(problem.text().empty());
  }
}

}  // namespace choice_test
