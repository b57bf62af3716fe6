// Whole questions about rendering and interactive graphics, over what the program ships.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "support/market.hpp"

namespace graphics_test {

using namespace gpusel;
using answer::Advice;
using answer::Recommendation;
using test::Market;

namespace {

Advice ask(const std::string& job, const std::vector<test::Limit>& limits = {}) {
  return Market::shipped().recommend(job, limits);
}
const Recommendation* first_of(const Advice& advice, std::string_view gpu) {
  const auto found = std::ranges::find_if(
      advice.recommendations, [&](const Recommendation& r) { return r.gpu != nullptr && r.gpu->id == gpu; });
  return found == advice.recommendations.end() ? nullptr : &*found;
}
bool has_remark(const Recommendation& one, std::string_view rule) {
  return std::ranges::any_of(one.remarks, [&](const auto& remark) { return remark.rule == rule; });
}

}  // namespace

TEST_CASE("a user who has a GPU alone is one, and as many machines keep up as there are users") {
  const Advice advice = ask(R"({"task":"render","render":"cad","sessions":3})");
  REQUIRE_FALSE(advice.recommendations.empty());
  for (const Recommendation& one : advice.recommendations) {
    CAPTURE(one.instance->sku);
    const double each = one.plan().rate / one.planned->working;
    REQUIRE(one.in_time);
    CHECK(*one.in_time >= advice.work.confidence);
    if (each == 1 && one.plan().rate_ratio.low == 1) CHECK(one.machine().nodes == 3);
  }
}

TEST_CASE("nothing is offered that lacks what interactive graphics cannot do without") {
  for (const std::string& job : {std::string(R"({"task":"render","render":"realtime","codec":"av1"})"),
                                 std::string(R"({"task":"render","render":"realtime","codec":"h264","sessions":9})"),
                                 std::string(R"({"task":"render","render":"cad","sessions":3})")}) {
    const Advice advice = ask(job);
    CAPTURE(job);
    REQUIRE(advice.recommendations.size() > 20);
    const bool streams = job.find("realtime") != std::string::npos;
    const bool av1 = job.find("av1") != std::string::npos;
    for (const Recommendation& one : advice.recommendations) {
      REQUIRE(one.gpu != nullptr);
      INFO(one.instance->sku << " " << one.gpu->id);
      REQUIRE(one.gpu->graphics.has_value());
      CHECK(*one.gpu->graphics != catalog::Graphics::none);
      CHECK(one.instance->workstation_licence != catalog::Licence::none);
      if (streams) CHECK(one.gpu->nvenc_count.value_or(0) > 0);
      if (av1) CHECK(one.gpu->av1_encode.value_or(false));
      if (!streams) CHECK(*one.gpu->graphics != catalog::Graphics::display);
    }
  }
}

TEST_CASE("path tracing on the large clouds prefers RT cores for the money, and warns where there are none") {
  const Advice advice = ask(R"({"task":"render"})", {{"cloud", "aws,gcp,azure"}});
  const Recommendation* l40s = first_of(advice, "l40s");
  const Recommendation* l4 = first_of(advice, "l4");
  const Recommendation* a100 = first_of(advice, "a100-sxm-40gb");
  const Recommendation* h100 = first_of(advice, "h100-sxm-80gb");
  REQUIRE((l40s != nullptr && l4 != nullptr && a100 != nullptr && h100 != nullptr));
  CHECK(l4->rank < a100->rank);
  CHECK(l40s->rank < a100->rank);
  CHECK(l40s->rank < h100->rank);
  CHECK(has_remark(*a100, "software-ray-tracing"));
  CHECK_FALSE(has_remark(*l40s, "software-ray-tracing"));
}

TEST_CASE("a licence that is sold on top is in the price, and one of one's own is warned of") {
  const std::string stage = R"({"task":"render","render":"realtime","scene":"light"})";
  const Advice graphics = ask(stage, {{"cloud", "gcp"}});
  const Advice offline = ask(R"({"task":"render"})", {{"cloud", "gcp"}});
  const auto hourly = [](const Advice& advice) {
    const auto found = std::ranges::find_if(advice.recommendations,
                                            [](const Recommendation& r) { return r.instance->sku == "g2-standard-4"; });
    REQUIRE(found != advice.recommendations.end());
    return found->cost.hourly;
  };
  CHECK(hourly(graphics) == Approx(hourly(offline) + 0.2));
  const Advice own = ask(stage, {{"cloud", "aliyun"}});
  const Recommendation* a10 = first_of(own, "a10");
  REQUIRE(a10 != nullptr);
  const auto bare =
      std::ranges::find_if(own.recommendations, [](const Recommendation& r) { return r.instance->family == "gn7i"; });
  REQUIRE(bare != own.recommendations.end());
  CHECK(has_remark(*bare, "own-workstation-licence"));
}

TEST_CASE("a job of frames takes the hours that the user's own measurement foretells") {
  const Advice advice = ask(R"({"task":"render","frames":1000,"seconds_per_frame":60,"on":"l4"})", {{"cloud", "aws"}});
  const Recommendation* l4 = first_of(advice, "l4");
  REQUIRE(l4 != nullptr);
  const double hours = 1000 * 60 * 1.05 / 3600 / l4->machine().gpus();
  CHECK(l4->cost.total == Approx(hours * l4->cost.hourly).epsilon(0.01));
}

TEST_CASE("a scene too large for a card drops it, and a spilled one is warned of") {
  const Advice advice = ask(R"({"task":"render","scene_vram_gib":40})");
  REQUIRE_FALSE(advice.recommendations.empty());
  CHECK(first_of(advice, "t4") == nullptr);
  CHECK(first_of(advice, "l4") == nullptr);
  if (const Recommendation* spilled = first_of(advice, "rtx-5090")) CHECK(has_remark(*spilled, "scene-spills"));
}

TEST_CASE("solving in double precision ranks cards that have it") {
  const Advice advice =
      ask(R"({"task":"simulate","solver":"dem","cells":5e6,"time_steps":1e6})", {{"cloud", "aws,gcp,azure"}});
  const Recommendation* v100 = first_of(advice, "v100-sxm2-16gb");
  const Recommendation* l40s = first_of(advice, "l40s");
  REQUIRE((v100 != nullptr && l40s != nullptr));
  CHECK(v100->rank < l40s->rank);
  CHECK(has_remark(*l40s, "poor-double-precision"));
}

}  // namespace graphics_test
