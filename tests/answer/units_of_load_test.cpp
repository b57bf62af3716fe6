// What a rate, a deadline and a number of things mean for work that is counted.
#include <catch2/catch.hpp>

#include <cmath>

#include "support/job.hpp"
#include "support/market.hpp"

namespace units_of_load_test {

using namespace gpusel;
using test::Market;

TEST_CASE("a request for a video asks for all its frames, and one for speech for a clip") {
  const auto video = test::job("task=inference model=wan2.1-t2v-14b request_rate=2 frames=81");
  CHECK(video.counted->demand == 162.0);
  const auto clip = test::job("task=inference model=whisper-large-v3 request_rate=10");
  CHECK(clip.counted->demand == 300.0);  // seconds of sound in a second
  CHECK(test::job("task=inference model=sdxl request_rate=2").counted->demand == 2.0);
}

TEST_CASE("frames are whole: nobody has a part of one") {
  const std::string farm = R"({"task": "render", "frames": 10, "seconds_per_frame": 3600, "on": "l40s"})";
  for (const char* deadline : {"4", "6", "30"})
    for (const auto& r : Market::small().recommend(farm, {{"deadline", std::string(deadline) + "h"}}).recommendations) {
      CAPTURE(r.instance->sku, r.machine().nodes, deadline);
      const auto alone =
          Market::small().recommend(farm, {{"nodes", "1"}, {"allow_list", std::string(r.instance->sku)}});
      if (alone.recommendations.empty()) continue;
      const double gpus = r.machine().gpus();
      const double one = alone.recommendations.front().cost.worked / std::ceil(10 / (gpus / r.machine().nodes));
      CHECK(r.cost.worked >= std::ceil(10 / gpus) * one * 0.999);
    }
}

TEST_CASE("a deadline is for what ends, and a budget for frames whose time is known") {
  const auto refused = [](const std::string& job, const std::vector<test::Limit>& limits) {
    const auto advice = Market::small().try_recommend(job, limits);
    REQUIRE_FALSE(advice);
    return advice.error().where;
  };
  CHECK(refused(R"({"task": "render", "frames": 2400})", {{"deadline", "1h"}}) == "--deadline");
  CHECK(refused(R"({"task": "render", "frames": 2400})", {{"budget", "5"}}) == "--budget");
  CHECK(refused(R"({"task": "inference", "model": "llama-3.1-8b", "request_rate": 1})", {{"deadline", "3h"}}) ==
        "--deadline");
  CHECK(Market::small().try_recommend(R"({"task": "inference", "model": "llama-3.1-8b", "tokens": 1e8})",
                                      {{"deadline", "30h"}}));
}

TEST_CASE("one user is never dearer than a request per second") {
  for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "qwen3-32b"}) {
    const auto advice = Market::small().recommend(format(R"({{"task": "inference", "model": "{}"}})", model));
    CAPTURE(model);
    if (advice.staircase.size() < 2) continue;
    CHECK(advice.staircase[0].best.cost.hourly <= advice.staircase[1].best.cost.hourly);
    // Of the same lengths: what a million tokens cost is what an hour costs over what is asked in it.
    const auto tokens_each = [](const answer::Step& step) {
      return step.best.cost.hourly / step.requests_per_s / step.best.cost.per_million_tokens.value_or(0);
    };
    CHECK(tokens_each(advice.staircase[0]) == Approx(tokens_each(advice.staircase[1])).epsilon(0.02));
  }
}

}  // namespace units_of_load_test
