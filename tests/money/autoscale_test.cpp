// Numbers for autoscalers, worked by hand.
#include "money/over_time/autoscale.hpp"

#include <catch2/catch.hpp>

namespace autoscale_test {

using namespace gpusel;
using namespace gpusel::money;

TEST_CASE("the target leaves room for what arrives while a replica starts") {
  Scaled facts;
  facts.in_flight = 33;
  facts.least = 2;
  facts.most = 9;
  facts.cold_start = seconds(360);
  CHECK(autoscale(facts).target_in_flight == 33);
  CHECK(autoscale(facts).min_replicas == 2);
  CHECK(autoscale(facts).max_replicas == 9);
  facts.steepest_rise = 1;  // doubles in an hour: a tenth more within six minutes
  CHECK(autoscale(facts).target_in_flight == 30);
  facts.in_flight = 0.4;
  CHECK(autoscale(facts).target_in_flight == 1);
}

TEST_CASE("nothing is taken away before what was added could answer") {
  Scaled facts;
  facts.in_flight = 10;
  facts.least = facts.most = 3;
  facts.cold_start = seconds(65);
  CHECK(autoscale(facts).stabilization.raw() == 300);
  facts.cold_start = seconds(611);
  const Autoscale slow = autoscale(facts);
  CHECK(slow.stabilization.raw() == 630);
  CHECK(slow.cooldown >= slow.cold_start);
  CHECK(slow.polling_interval.raw() == 30);
  facts.cold_start = seconds(20);
  CHECK(autoscale(facts).polling_interval.raw() == 5);
}

TEST_CASE("one replica goes when the others can take its requests") {
  Scaled facts;
  facts.in_flight = 10;
  facts.most = 20;
  facts.least = 1;  // of two, one goes below half
  CHECK(autoscale(facts).scale_in_below == Approx(0.5));
  facts.least = 3;
  CHECK(autoscale(facts).scale_in_below == Approx(0.75));
  facts.least = 19;  // within a tenth of the target nothing is done
  CHECK(autoscale(facts).scale_in_below == Approx(0.9));
}

TEST_CASE("only what may go to nothing does") {
  Scaled facts;
  facts.in_flight = 10;
  facts.least = 0;
  facts.most = 4;
  CHECK(autoscale(facts).min_replicas == 1);
  facts.scale_to_zero = true;
  CHECK(autoscale(facts).min_replicas == 0);
}

TEST_CASE("each number has its line") {
  physics::Trace trace;
  autoscale({.in_flight = 8, .least = 1, .most = 2, .cold_start = seconds(60)}, &trace, "scaling.1");
  REQUIRE(trace.size() == 6);
  for (const auto& line : trace) {
    CHECK(line.quantity.starts_with("scaling.1."));
    CHECK_FALSE(line.value.text.empty());
    CHECK_FALSE(line.source.empty());
  }
  CHECK(queue_metrics(job::Engine::vllm).running == "vllm:num_requests_running");
}

}  // namespace autoscale_test
