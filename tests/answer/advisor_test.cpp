// The library's front: the same answers as those of the functions behind it.
#include "gpusel/advisor.hpp"

#include <catch2/catch.hpp>

#include "support/market.hpp"
#include "support/program.hpp"

namespace advisor_test {

using namespace gpusel;
using test::Market;

TEST_CASE("an advisor answers as its parts do, moved or not") {
  auto opened = Advisor::open();
  REQUIRE(opened);
  const Advisor advisor = std::move(*opened);
  answer::Question question;
  question.request.task = job::Task::finetune;
  question.request.model = "llama-7b";
  question.today = Date(2026, 11, 20);
  const auto answer = advisor.recommend(question);
  REQUIRE(answer);
  const auto parts = Market::shipped().recommend(R"({"task": "finetune", "model": "llama-7b"})");
  CHECK(test::ranking(*answer) == test::ranking(parts));
  CHECK(answer->recommendations.front().cost.total == parts.recommendations.front().cost.total);

  job::Request request = question.request;
  request.gpu = "rtx-4090";
  const auto estimated = advisor.estimate(request);
  REQUIRE(estimated);
  CHECK(estimated->fit.verdict == rules::FitVerdict::does_not_fit);  // 13 GB of weights and as much of gradients
  const std::vector<std::string> names{"h100", "a100-sxm-80gb"};
  REQUIRE(advisor.compare(names, question));
  answer::CostQuestion asked;
  asked.question = question;
  asked.subjects.emplace_back().name = "p4d.24xlarge";
  const auto costs = advisor.cost(asked);
  REQUIRE(costs);
  CHECK(costs->items.size() == 1);
  CHECK_FALSE(costs->items.front().terms.empty());
}

TEST_CASE("rules of one's own are read, and what is wrong with them is told with its place") {
  const std::string good = test::scratch_file("good.yaml",
                                              "rules:\n  - id: no-aws\n    effect: reject\n    when: {fact: provider, "
                                              "is: aws}\n    message: not there\n    source: ours\n");
  const auto advisor = Advisor::open({}, std::vector{good});
  REQUIRE(advisor);
  answer::Question question;
  question.request.task = job::Task::inference;
  question.request.model = "llama-3.1-8b";
  const auto answer = advisor->recommend(question);
  REQUIRE(answer);
  CHECK(std::ranges::none_of(answer->recommendations, [](const auto& r) { return r.instance->provider == "aws"; }));
  const auto bad = Advisor::open({}, std::vector{test::scratch_file("bad.yaml", "rules: 3\n")});
  REQUIRE_FALSE(bad);
  CHECK(bad.error().front().where.find("bad.yaml:1") != std::string::npos);
  CHECK_FALSE(Advisor::open({}, std::vector{std::string("/nowhere/rules.yaml")}));
}

}  // namespace advisor_test
