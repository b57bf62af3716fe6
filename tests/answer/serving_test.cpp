// Instances for stated traffic: enough of them, spare ones, targets that hold for most requests, and formats that
// would change the winner.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "answer/estimate/estimate.hpp"
#include "base/words/message.hpp"
#include "support/job.hpp"
#include "support/market.hpp"

namespace serving_test {

using namespace gpusel;
using namespace gpusel::answer;
using gpusel::test::Market;

namespace {

/// Nodes that one replica lies over.
int nodes_of_replica(const Recommendation& r) {
  const auto& layout = r.plan().layout;
  return std::max(1, layout.tp * layout.pp / r.machine().gpus_per_node);
}

/// Nodes by SKU of what is recommended for 8B at 20 requests per second, `more` keys added; and of each replica.
std::map<std::string, int> instances_for(const std::string& more, std::map<std::string, int>* groups = nullptr) {
  const Advice advice = Market::small().recommend(
      R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 20)" + more + "}", {});
  std::map<std::string, int> out;
  for (const Recommendation& r : advice.recommendations) {
    out[std::string(r.instance->sku)] = r.machine().nodes;
    if (groups != nullptr) (*groups)[std::string(r.instance->sku)] = nodes_of_replica(r);
  }
  return out;
}

EstimateAnswer explained(const std::string& words) {
  auto answer = answer_estimate(test::request(words), test::shipped(), test::coefficients(), true);
  REQUIRE(answer);
  return std::move(*answer);
}

bool any_line(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("where no load is given one is assumed, and ten and a hundred times as much is answered beside it") {
  const auto advice = Market::small().recommend(R"({"model": "llama-3.1-8b", "task": "inference"})", {});
  std::vector<double> loads;
  for (const auto& step : advice.staircase) loads.push_back(step.requests_per_s);
  for (const double rate : {1.0, 10.0, 100.0}) CHECK(std::ranges::find(loads, rate) != loads.end());
}

TEST_CASE("a spare is one more of each, or of the group that a model lies over, at the same speed") {
  std::map<std::string, int> groups;
  const auto bare = instances_for("", &groups);
  const auto spared = instances_for(R"(, "redundancy": 1)");
  const auto told = Market::small().recommend(
      R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 4, "redundancy": 1})", {});
  CHECK(std::ranges::any_of(told.notes,
                            [](const auto& note) { return note.find("while 1 is down") != std::string::npos; }));
  REQUIRE_FALSE(bare.empty());
  for (const auto& [sku, nodes] : bare) {
    CAPTURE(sku);
    REQUIRE(spared.contains(sku));
    const int group = groups.at(sku);
    CHECK(spared.at(sku) == nodes + group);
    if (sku == "n.t4.1") CHECK(group >= 2);  // 15 GiB of weights do not lie on one T4
  }
}

TEST_CASE("the answer says that its figures hold while a spare instance is out") {
  const Advice advice = Market::small().recommend(
      R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 20, "redundancy": 1})", {});
  CHECK(any_line(advice.notes, "while 1 is down"));
  REQUIRE_FALSE(advice.recommendations.empty());
  const auto& speed = advice.recommendations[0].plan().serving->speed;
  CHECK(speed.requests_per_s == Approx(20));
}

TEST_CASE("instances planned for less of their capacity are never fewer") {
  const auto usual = instances_for("");
  for (const auto& [sku, nodes] : instances_for(R"(, "max_load": 0.4)")) {
    CAPTURE(sku);
    CHECK(nodes >= usual.at(sku));
  }
}

TEST_CASE("what is too slow for its targets says so, and not that there is no room") {
  const Advice advice = Market::shipped().recommend(
      R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 4, "ttft": 500})", {});
  std::size_t slow = 0;
  for (const Rejection& one : advice.rejected) {
    CAPTURE(one.rule, one.instance->sku);
    CHECK_FALSE(one.message.empty());
    if (one.message.starts_with("misses the latency targets")) ++slow;
  }
  CHECK(slow > 0);
}

TEST_CASE("targets that 95 of 100 requests meet never take fewer instances") {
  const std::string targets = R"(, "ttft": 800, "tpot": 80)";
  const auto typical = instances_for(targets);
  const auto strict = instances_for(targets + R"(, "strict_slo": true)");
  REQUIRE_FALSE(strict.empty());
  for (const auto& [sku, nodes] : strict) {
    CAPTURE(sku);
    REQUIRE(typical.contains(sku));
    CHECK(nodes >= typical.at(sku));
  }
}

TEST_CASE("the format that saves most is a line with what it saves and what it may cost") {
  for (const char* mode : {"online", "throughput"}) {
    CAPTURE(mode);
    const Advice advice = Market::small().recommend(
        format(R"({{"model": "llama-3.1-70b", "task": "inference", "mode": "{}"}})", mode), {});
    REQUIRE_FALSE(advice.recommendations.empty());
    const auto other = std::ranges::find(advice.alternatives, "weights_precision", &Alternative::key);
    REQUIRE(other != advice.alternatives.end());
    CHECK(other->message.find(" % less") != std::string::npos);
    CHECK(other->flag == "--quant " + other->value);
    CHECK(other->risk == "check quality");
    const Recommendation& best = advice.recommendations.front();
    CHECK(*other->best.cost.per_million_tokens < 0.97 * *best.cost.per_million_tokens);
    CHECK((other->message.find("same machine") != std::string::npos) ==
          (other->best.instance == best.instance && other->best.machine().nodes == best.machine().nodes));
    CHECK(std::ranges::count(advice.alternatives, "weights_precision", &Alternative::key) == 1);
  }
}

TEST_CASE("a format the user named is not argued with") {
  for (const std::string given : {R"("weights_precision": "bf16")", R"("allow_precisions": "bf16,fp8")"}) {
    const Advice advice =
        Market::small().recommend(R"({"model": "llama-3.1-70b", "task": "inference", )" + given + "}", {});
    REQUIRE_FALSE(advice.recommendations.empty());
    CHECK(std::ranges::count(advice.alternatives, "weights_precision", &Alternative::key) == 0);
  }
}

TEST_CASE("advice on serving names what binds and what would be faster") {
  const auto answer = explained("model=llama-3.1-8b task=inference gpu=l4 mode=single-stream");
  CHECK(any_line(answer.advice, "most memory goes to weights"));
  CHECK(any_line(answer.advice, "memory-bandwidth bound"));
  CHECK(any_line(answer.advice, "fp8 weights (native on Ada Lovelace): "));
  CHECK(any_line(answer.advice, "w4a16 weights (weight-only): "));
}

TEST_CASE("advice on what does not fit names formats that do") {
  const auto answer = explained("model=llama-3.1-70b task=inference gpu=h100");
  CHECK(any_line(answer.advice, "w4a16 weights (weight-only): it fits"));
  CHECK_FALSE(any_line(answer.advice, "requests at once"));
}

TEST_CASE("at a given rate the fastest is what answers soonest, not what rounding says") {
  job::Objective speed;
  speed.kind = job::ObjectiveKind::speed;
  const Advice advice =
      Market::small().recommend(R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 5})", {}, speed);
  REQUIRE(advice.recommendations.size() >= 2);
  const auto e2e = [](const Recommendation& r) { return r.plan().latency.raw(); };
  for (const Recommendation& other : advice.recommendations)
    CHECK(e2e(advice.recommendations.front()) <= e2e(other) * 1.1);  // rules may move a few points
}

TEST_CASE("targets that nothing meets are answered with what comes nearest") {
  const Advice advice = Market::small().recommend(
      R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 5, "ttft": 2, "tpot": 0.5})", {});
  CHECK(advice.recommendations.empty());
  REQUIRE(advice.alternatives.size() >= 1);
  CHECK(std::any_of(advice.alternatives.begin(), advice.alternatives.end(),
                    [](const Alternative& a) { return a.flag.starts_with("--ttft ") && a.flag.contains(" --tpot "); }));
  CHECK(any_line(advice.notes, "no instance meets --ttft 2 --tpot 0.5; the nearest needs --ttft "));
}

TEST_CASE("a target that was meant in seconds is told to be in milliseconds") {
  const auto notes = [](const std::string& ttft) {
    return Market::small()
        .recommend(R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 5, "ttft": )" + ttft + "}", {})
        .notes;
  };
  CHECK(any_line(notes("0.5"), "numbers are milliseconds: for 0.5 s write --ttft 500ms"));
  CHECK_FALSE(any_line(notes("500"), "milliseconds"));
}

TEST_CASE("a pin that holds on no machine is named") {
  const Advice advice = Market::small().recommend(R"({"model": "llama-3.1-8b", "task": "inference", "tp": 3})", {});
  CHECK(advice.recommendations.empty());
  CHECK(any_line(advice.notes, "tp 3 does not divide"));
}

TEST_CASE("an estimate says what it leaves out or leaves idle") {
  const auto notes = [](const std::string& words) { return explained("task=inference " + words).notes; };
  CHECK(any_line(notes("model=llama-3.1-70b gpu=h100 gpus=7 concurrency=64"), "3 of 7 GPUs are idle"));
  CHECK(any_line(notes("model=llama-3.1-8b gpu=a100-80gb weights_precision=fp8"), "fp8 weights are widened to 16 bit"));
  CHECK_FALSE(any_line(notes("model=llama-3.1-8b gpu=h100 weights_precision=fp8"), "widened"));
  CHECK(any_line(notes("model=llama-3.1-8b gpu=h100 request_rate=3 redundancy=1"), "redundancy and max_load"));
  CHECK(any_line(notes("model=llama-3.1-8b gpu=h100 request_rate=500"), "cannot serve 500 req/s: "));
  CHECK(any_line(notes("model=llama-3.1-70b gpu=h200"), "--mem-utilization 0.97"));
}

}  // namespace serving_test
