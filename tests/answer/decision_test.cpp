#include <catch2/catch.hpp>

#include <algorithm>

#include "base/words/message.hpp"
#include "support/market.hpp"

namespace decision_test {

using namespace gpusel;
using test::Market;

namespace {

std::string joined(const answer::Advice& advice) {
  std::string line;
  for (const std::string& step : advice.decision) line += "→ " + step + " ";
  return line;
}

bool says(const answer::Advice& advice, std::string_view words) {
  return joined(advice).find(words) != std::string::npos;
}

answer::Advice ask(const std::string& job, const std::vector<test::Limit>& limits = {}) {
  return Market::shipped().recommend(job, limits);
}

}  // namespace

TEST_CASE("the decision begins with the job and ends with the terms") {
  const auto training = ask(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})");
  REQUIRE(training.decision.size() >= 3);
  CHECK(training.decision.front() == "fine-tuning of llama-7b by lora");
  CHECK(says(training, std::string(training.recommendations.front().plan().bound_by) + " bound"));

  const auto serving = ask(R"({"model": "llama-7b", "task": "inference"})");
  CHECK(serving.decision.front() == "inference of llama-7b");
  CHECK(serving.decision.back() == "on-demand: an interruption would hurt this job");
}

TEST_CASE("what rules GPUs out is in the decision with some of them, and never one that is offered") {
  const auto streaming = ask(R"({"task": "render", "render": "realtime", "codec": "av1"})");
  CHECK(streaming.decision.front() == "realtime rendering");
  CHECK(says(streaming, "lacks hardware: excludes "));
  const auto full = ask(R"({"model": "llama-7b", "task": "finetune"})");
  CHECK(says(full, "vram too small: excludes "));
  CHECK_FALSE(says(full, "lacks hardware"));
  for (const auto* advice : {&streaming, &full})
    for (const std::string& step : advice->decision) {
      const auto list = step.find(": not ");
      if (list == std::string::npos) continue;
      const std::string named = step.substr(list) + ",";
      for (const auto& offered : advice->recommendations)
        for (const std::string_view after : {",", " and "})
          CHECK(named.find(" " + std::string(offered.gpu->id) + std::string(after)) == std::string::npos);
    }
}

TEST_CASE("the best GPU is held against the next one by what the ranking compares") {
  const auto advice = ask(R"({"task": "render"})", {{"cloud", "aws,gcp,azure"}});
  const auto& best = advice.recommendations.front();
  const auto next = std::find_if(advice.recommendations.begin(), advice.recommendations.end(),
                                 [&](const auto& r) { return r.gpu != nullptr && r.gpu != best.gpu; });
  REQUIRE(next != advice.recommendations.end());
  REQUIRE(best.gpu != nullptr);
  CHECK(says(advice, std::string(best.gpu->id) + " before " + std::string(next->gpu->id)));
  REQUIRE(next->cost.per_unit);
  const double ratio = *next->cost.per_unit / *best.cost.per_unit;
  CHECK(says(advice,
             ratio < 1.95 ? format("costs {:.0f} % more", 100 * (ratio - 1)) : format("costs {:.2g}× as much", ratio)));
}

TEST_CASE("the decision says when a GPU would be wasted and when a processor would") {
  const std::vector<test::Limit> clouds{{"cloud", "aws"}};
  const auto few = ask(R"({"model": "resnet-50", "task": "inference", "engine": "onnxruntime", "precision": "int8",
                           "request_rate": 20})",
                       clouds);
  CHECK(few.recommendations.front().gpu == nullptr);
  CHECK(says(few, "a GPU would be wasted"));
  const auto pictures = ask(R"({"model": "sdxl", "task": "inference"})", clouds);
  REQUIRE(pictures.recommendations.front().gpu != nullptr);
  CHECK(says(pictures, "a CPU costs "));
  CHECK(says(pictures, "× as long"));
}

TEST_CASE("what may be interrupted is sent to spot, what serves people is not") {
  const std::vector<test::Limit> clouds{{"cloud", "aws,gcp"}};
  CHECK(says(ask(R"({"task": "render"})", clouds), "spot from "));
  CHECK(says(ask(R"({"task": "render", "render": "realtime"})", clouds), "an interruption would hurt this job"));
  CHECK(says(ask(R"({"task": "transcode"})", clouds), "an interruption would hurt this job"));
  CHECK_FALSE(says(ask(R"({"task": "transcode", "live": "false"})", clouds), "an interruption would hurt this job"));
}

TEST_CASE("where nothing is left the decision says what the job ruled out") {
  const auto none = ask(R"({"task": "transcode"})", {{"gpu", "a100"}});
  REQUIRE(none.recommendations.empty());
  CHECK(says(none, "lacks hardware: excludes a100"));
  CHECK(none.decision.back() == "nothing is left");
}

}  // namespace decision_test
