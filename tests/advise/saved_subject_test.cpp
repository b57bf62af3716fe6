// What a saved answer of recommend says of its recommendations.
#include <catch2/catch.hpp>

#include "gpusel/advise/cost.hpp"
#include "support/market.hpp"

namespace saved_subject_test {

using namespace gpusel;
using namespace gpusel::advise;

TEST_CASE("a saved answer gives instance, nodes and hours", "[advise][cost]") {
  const auto subject = [](const std::string& text, int rank = 1) {
    return saved_subject(text, "saved.json", rank, test::Market::small().catalog());
  };
  const std::string head = R"({"schema": "gpusel.recommend/1", "recommendations": [)";
  const auto job = subject(head + R"({"provider": "north", "sku": "n.t4.1", "nodes": 3,
      "cost": {"hours": 50, "total": 300, "per_million_tokens": 0.5}}]})");
  REQUIRE(job);
  CHECK(job->nodes == 3);
  CHECK(*job->job->hours == 50);
  CHECK(*job->job->tokens_per_s == Approx(3333.333));  // 600 million in 50 hours
  const auto service = subject(head + R"({"provider": "south", "sku": "s.a10.1", "nodes": 1,
      "cost": {"hours": 730, "total": 365, "per_unit": 0.25, "unit": "session and hour"}}]})");
  REQUIRE(service);
  CHECK_FALSE(service->job->hours);
  CHECK(*service->job->units_per_hour == Approx(2));
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
