// What a saved answer of recommend says of its recommendations.
#include <catch2/catch.hpp>

#include "answer/cost/cost.hpp"
#include "support/market.hpp"

namespace saved_subject_test {

using namespace gpusel;
using namespace gpusel::answer;

TEST_CASE("a saved answer gives instance, nodes and hours", "[advise][cost]") {
  const auto subject = [](const std::string& text, int rank = 1) {
    return saved_subject(text, "saved.json", rank, test::Market::small().catalog());
  };
  const std::string head = R"({"schema": "gpusel.recommend/1", "recommendations": [)";
  const auto job = subject(head + R"({"provider": "north", "sku": "n.t4.1", "nodes": 3,
      "performance": {"tokens_per_s": 3333}, "cost": {"total_of": "job", "hours": 50, "total": 300}}]})");
  REQUIRE(job);
  CHECK(job->nodes == 3);
  CHECK(*job->job->hours == 50);
  CHECK(*job->job->tokens_per_s == 3333);
  const auto service = subject(head + R"({"provider": "south", "sku": "s.a10.1", "nodes": 1,
      "cost": {"total_of": "month", "hours": 730, "total": 365}}]})");
  REQUIRE(service);
  CHECK_FALSE(service->job->hours);
  // Of answers that do not say what the total is of, a service is the one with the hours of a month.
  for (const auto& [hours, ends] : {std::pair("730", false), {"731", true}}) {
    const auto older =
        subject(head + R"({"provider": "south", "sku": "s.a10.1", "nodes": 1, "cost": {"hours": )" + hours + "}}]}");
    REQUIRE(older);
    CHECK(older->job->hours.has_value() == ends);
  }
  for (const char* wrong :
       {"", "[]", "{", R"({"schema": "gpusel.compare/1"})", R"({"schema": "gpusel.recommend/1"})",
        R"({"schema": "gpusel.recommend/1", "recommendations": []})",
        R"({"schema": "gpusel.recommend/1", "recommendations": [1]})",
        R"({"schema": "gpusel.recommend/1", "recommendations": [{"provider": "north", "sku": "gone"}]})",
        R"({"schema": "gpusel.recommend/1", "recommendations": [{"provider": "north", "sku": "n.t4.1", "nodes": 0}]})"})
    CHECK_FALSE(subject(wrong));
  CHECK_FALSE(subject(head + R"({"provider": "north", "sku": "n.t4.1"}]})", 2));
}

}  // namespace saved_subject_test
