// What recommend() and plan_fleet() promise of a service with latency targets: a simulation of the same requests shows
// it, and a machine less does not do.
#include <algorithm>
#include <catch2/catch.hpp>

#include "answer/fleet/fleet.hpp"
#include "answer/simulate/simulate.hpp"
#include "support/job.hpp"
#include "support/market.hpp"

namespace promises_test {

using namespace gpusel;
using namespace gpusel::answer;
using gpusel::test::Market;

namespace {

constexpr std::string_view kAsked =
    R"("model": "llama-3.1-8b", "task": "inference", "request_rate": 8, "ttft": 800, "tpot": 50)";

Advice asked(const std::string& more = "") {
  return Market::small().recommend("{" + std::string(kAsked) + more + "}", {});
}

/// The same requests on so many of that instance.
Simulated replayed(const Recommendation& r, int machines) {
  SimulateQuestion question;
  question.base.request = test::request("model=llama-3.1-8b task=inference request_rate=8 ttft=800 tpot=50");
  question.base.request.weights_precision = r.plan().layout.weights->name;
  question.base.request.tp = r.plan().layout.tp;
  question.offer = std::string(r.instance->provider) + "/" + std::string(r.instance->sku);
  question.replicas = machines;
  question.knee = false;
  question.requests = 4000;
  auto answer = answer_simulate(question, Market::small().catalog(), {}, Market::small().coefficients());
  REQUIRE(answer);
  return std::move(*answer);
}

}  // namespace

TEST_CASE("what rank 1 promises is what its replay shows, and clearly fewer machines keep it not") {
  const Advice advice = asked();
  REQUIRE_FALSE(advice.recommendations.empty());
  const Recommendation& first = advice.recommendations.front();
  REQUIRE(is_simulated(first));
  REQUIRE(first.machine().nodes == first.planned->groups);  // a group is an instance here
  const Simulated as_many = replayed(first, first.machine().nodes);
  CHECK(as_many.reaches_share());
  CHECK(as_many.simulation.outcome.in_time.all ==
        Approx(first.plan().serving->speed.simulated->share_in_time).margin(0.03));
  // Two standard deviations of 40 draws.
  CHECK(as_many.simulation.meets_goal >= 0.8 - 0.15);
  // What finite runs leave open is a machine of a dozen.
  const int fewer = first.machine().nodes - std::max(1, first.machine().nodes / 8);
  if (fewer > 0) CHECK(replayed(first, fewer).misses());
}

TEST_CASE("simulated rows come first, and scores fall with the rank") {
  const Advice advice = asked(R"(, "confidence": 0.9)");
  bool closed = false;
  double score = 1e9;
  for (const Recommendation& r : advice.recommendations) {
    CAPTURE(r.rank, std::string(r.instance->sku));
    if (closed) CHECK_FALSE(is_simulated(r));
    closed = closed || !is_simulated(r);
    CHECK(r.score <= score);
    score = r.score;
  }
}

TEST_CASE("a further target, a higher share or more confidence never costs less") {
  const auto cost = [](const std::string& more) {
    const Advice advice = asked(more);
    return advice.recommendations.empty() ? 1e9 : advice.recommendations.front().cost.total;
  };
  const double usual = cost("");
  CHECK(cost(R"(, "itl": 200)") >= usual);
  CHECK(cost(R"(, "slo_percentile": 99)") >= usual);
  CHECK(cost(R"(, "confidence": 0.95)") >= usual);
}

TEST_CASE("nothing is simulated without targets") {
  const Advice advice =
      Market::small().recommend(R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 8})", {});
  REQUIRE_FALSE(advice.recommendations.empty());
  CHECK_FALSE(is_simulated(advice.recommendations.front()));
}

TEST_CASE("a fleet keeps for its requests what it promises, and is not larger than it has to be") {
  FleetQuestion question;
  question.request = test::request("model=llama-3.1-8b request_rate=12 ttft=800 tpot=50");
  question.traffic = "conversation";
  const auto fleet = plan_fleet(question, Market::small().catalog(), {}, Market::small().coefficients());
  REQUIRE(fleet);
  REQUIRE(fleet->mix.feasible);
  REQUIRE(fleet->replay);
  CHECK(fleet->replay->kept);
  CHECK(fleet->replay->share_in_time >= 0.95);
  CHECK(fleet->replay->share_sure >= 0.95);
  CHECK(fleet->replay->share_in_time >= fleet->replay->share_sure);
  double hourly = 0;
  for (const FleetMember& member : fleet->mix.members) hourly += member.hourly;
  CHECK(hourly == Approx(fleet->mix.hourly));
  // Each prompt length goes somewhere, all of it.
  std::map<double, double> sent;
  for (const auto& route : fleet->replay->routing) {
    CHECK(route.type < fleet->types.size());
    sent[route.input_up_to] += route.share;
  }
  for (const auto& [up_to, share] : sent) CHECK(share == Approx(1));
}

TEST_CASE("bursts take machines that a mean would not show") {
  const auto instances = [](std::string_view traffic) {
    FleetQuestion question;
    question.request = test::request("model=llama-3.1-8b request_rate=5 ttft=1500 tpot=60");
    question.traffic = traffic;
    const auto fleet = plan_fleet(question, Market::small().catalog(), {}, Market::small().coefficients());
    REQUIRE(fleet);
    REQUIRE(fleet->mix.feasible);
    return fleet->replay->added;
  };
  CHECK(instances("code") > instances("rag"));
}

}  // namespace promises_test
