// The fitted numbers: read with their names checked, later files over earlier ones.
#include "gpusel/estimate/coefficients.hpp"

#include <catch2/catch.hpp>

#include "support/job.hpp"

using namespace gpusel;
using namespace gpusel::estimate;

namespace {

Document yaml(const std::string& text) {
  auto document = parse_yaml(text, "own.yaml");
  REQUIRE(document);
  return *document;
}

/// One coefficient on top of the shipped ones.
std::expected<Coefficients, Errors> with(const std::string& entry) {
  auto documents = test::shipped().documents("calibration");
  documents.push_back(yaml("calibration:\n  coefficients:\n    - {" + entry + "}\n"));
  return read_coefficients(documents);
}

}  // namespace

TEST_CASE("the shipped coefficients are complete and each is a sensible share") {
  const Coefficients& c = test::coefficients();
  CHECK_FALSE(c.version.empty());
  for (const Coefficient* share :
       {&c.allocator_slack, &c.selective_share, &c.gemm_efficiency, &c.low_precision_efficiency,
        &c.attention_efficiency, &c.bandwidth_efficiency, &c.link_efficiency, &c.network_efficiency,
        &c.gradient_overlap, &c.least_exposed, &c.decode_bandwidth_efficiency, &c.serving_efficiency,
        &c.engine_memory_share, &c.cache_efficiency}) {
    CHECK(share->value > 0);
    CHECK(share->value <= 1);
    for (const auto& [name, value] : share->cases) {
      CAPTURE(name);
      CHECK(value > 0);
      CHECK(value <= 1);
    }
  }
}

TEST_CASE("a kind of a case has its own value, or the case's") {
  const Coefficient one{2, {{"hf", 3}, {"hf int8", 9}, {"vllm early", 5}}};
  CHECK(one.of("hf", "int8") == 9);
  CHECK(one.of("hf", "bf16") == 3);
  CHECK(one.of("hf", "") == 3);
  CHECK(one.of("vllm", "early") == 5);
  CHECK(one.of("vllm", "older") == 2);
  CHECK(one.of("hf", "bf16", "int8") == 9);
}

TEST_CASE("every interval of the shipped coefficients holds the estimate itself") {
  const Coefficients& c = test::coefficients();
  for (const std::string_view task : {"training", "inference"}) {
    CHECK(c.interval_memory_low.of(task) <= 1);
    CHECK(c.interval_memory_high.of(task) >= 1);
    CHECK(c.interval_speed_low.of(task) <= 1);
    CHECK(c.interval_speed_high.of(task) >= 1);
  }
}

TEST_CASE("a coefficient has a value for its cases and one for all others") {
  const Coefficient one{2, {{"hf", 3}, {"tgi", 0}}};
  CHECK(one.of("hf") == 3);
  CHECK(one.of("tgi") == 0);
  CHECK(one.of("vllm") == 2);
}

TEST_CASE("a later file changes one coefficient and keeps the others") {
  const auto read = with("id: compute.bandwidth_efficiency, value: 0.5, unit: share, meaning: m, source: s");
  REQUIRE(read);
  CHECK(read->bandwidth_efficiency.value == 0.5);
  CHECK(read->gemm_efficiency.value == test::coefficients().gemm_efficiency.value);
  CHECK(read->version == test::coefficients().version);
}

TEST_CASE("an unknown coefficient is an error with its place and the nearest name") {
  const auto read = with("id: compute.bandwith_efficiency, value: 0.5, unit: share, meaning: m, source: s");
  REQUIRE_FALSE(read);
  CHECK(read.error().front().where.starts_with("own.yaml:3:"));
  CHECK(read.error().front().hint.find("compute.bandwidth_efficiency") != std::string::npos);
}

TEST_CASE("a coefficient without its unit or with an impossible value is an error") {
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: 0.5, meaning: m, source: s"));
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: -1, unit: share, meaning: m, source: s"));
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: much, unit: share, meaning: m, source: s"));
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: 0.5, units: share, unit: s, meaning: m, source: s"));
}

TEST_CASE("missing coefficients are all named") {
  const auto read = read_coefficients({});
  REQUIRE_FALSE(read);
  CHECK(read.error().size() > 30);
  CHECK(read.error().front().message.find("memory.driver_reserve_gib") != std::string::npos);
}
