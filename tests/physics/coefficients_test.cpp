// The fitted numbers: read with their names checked, later files over earlier ones.
#include "physics/coefficients.hpp"

#include <catch2/catch.hpp>
#include <span>

#include "catalog/records/layers.hpp"
#include "physics/own.hpp"
#include "support/job.hpp"

namespace coefficients_test {

using namespace gpusel;
using namespace gpusel::physics;

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

TEST_CASE("coefficients that are laid over the shipped ones are read with them") {
  const std::vector<Document> mine{
      yaml("calibration:\n  coefficients:\n    - {id: memory.context_gib, value: 0.75, unit: GiB, meaning: mine, "
           "source: measured}\n")};
  const auto catalog = catalog::load(catalog::LoadOptions{}, mine);
  REQUIRE(catalog);
  const auto read = read_coefficients(*catalog);
  REQUIRE(read);
  CHECK(read->context_gib.value == 0.75);
  CHECK(read->driver_reserve_gib.value == test::coefficients().driver_reserve_gib.value);
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

TEST_CASE("of an unknown coefficient no more than sixty letters are told") {
  const std::string letters(61, 'x');
  const auto read = with("id: " + letters + ", value: 0.5, unit: share, meaning: m, source: s");
  REQUIRE_FALSE(read);
  CHECK(read.error().front().message.find(letters) == std::string::npos);
  const auto shorter = with("id: " + letters.substr(1) + ", value: 0.5, unit: share, meaning: m, source: s");
  CHECK(shorter.error().front().message.find(letters.substr(1)) != std::string::npos);
}

TEST_CASE("a coefficient without its unit or with an impossible value is an error") {
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: 0.5, meaning: m, source: s"));
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: -1, unit: share, meaning: m, source: s"));
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: much, unit: share, meaning: m, source: s"));
  CHECK_FALSE(with("id: compute.bandwidth_efficiency, value: 0.5, units: share, unit: s, meaning: m, source: s"));
}

TEST_CASE("missing coefficients are all named") {
  const auto read = read_coefficients(std::span<const Document>());
  REQUIRE_FALSE(read);
  CHECK(read.error().size() > 30);
  CHECK(read.error().front().message.find("memory.driver_reserve_gib") != std::string::npos);
}

TEST_CASE("a coefficient may be what its kind allows, both ends included") {
  struct Ends {
    std::string id;
    std::string low, below, high, above;
  };
  // Shares and efficiencies lie within one and a little; what a rate is divided by is not zero.
  const auto ends = GENERATE(values<Ends>({
      {"compute.bandwidth_efficiency", "0.01", "0.0099", "1.5", "1.501"},
      {"compute.format_efficiency", "0.01", "0.0099", "3", "3.001"},
      {"compute.gemm_tokens_half", "0.001", "0.00099", "1e9", "1.001e9"},
      {"interval.speed_low", "0.001", "0.00099", "1e9", "1.001e9"},
      {"compute.step_ms", "0", "-0.001", "1e12", "1.001e12"},
  }));
  const auto asked = [&](const std::string& value) {
    return with("id: " + ends.id + ", value: " + value + ", unit: u, meaning: m, source: s").has_value();
  };
  CAPTURE(ends.id);
  CHECK(asked(ends.low));
  CHECK_FALSE(asked(ends.below));
  CHECK(asked(ends.high));
  CHECK_FALSE(asked(ends.above));
}

namespace {

/// The shipped coefficients with a calibration of one's own.
std::expected<Coefficients, Errors> with_own(const std::string& own) {
  auto documents = test::shipped().documents("calibration");
  documents.push_back(yaml("calibration:\n  own:\n" + own));
  return read_coefficients(documents);
}

const std::string kFitted =
    "    coefficients:\n      - {id: compute.bandwidth_efficiency, value: 0.7, shipped: 0.8, source: runs";

}  // namespace

TEST_CASE("a calibration of one's own has a row and a GPU unless it says more") {
  const auto plain =
      with_own(kFitted + "}\n    intervals: [{of: speed, task: training, gpu: h100, how: x, exponent: 0.5}]\n");
  REQUIRE(plain);
  CHECK(plain->bandwidth_efficiency.value == 0.7);
  CHECK(plain->own->values.front().rows == 1);
  CHECK(plain->own->widths.front().rows == 1);
  CHECK(plain->own->widths.front().gpus == 1);
  CHECK(plain->own->widths.front().exponent == 0.5);
  const auto full = with_own(kFitted +
                             ", rows: 7}\n    intervals: [{of: speed, task: training, gpu: h100, how: x, "
                             "exponent: 2, rows: 3, gpus: 8}]\n");
  REQUIRE(full);
  CHECK(full->own->values.front().rows == 7);
  CHECK(full->own->widths.front().rows == 3);
  CHECK(full->own->widths.front().gpus == 8);
}

TEST_CASE("counts, values and widths of one's own calibration have their ranges") {
  const auto takes = [](const std::string& more) { return with_own(kFitted + more + "}\n").has_value(); };
  CHECK(takes(", rows: 1"));
  CHECK_FALSE(takes(", rows: 0"));
  CHECK(takes(", rows: 1e6"));
  CHECK_FALSE(takes(", rows: 1.001e6"));
  const auto shipped = [](const std::string& value) {
    return with_own("    coefficients:\n      - {id: compute.step_ms, value: 1, shipped: " + value + ", source: s}\n")
        .has_value();
  };
  CHECK(shipped("0"));
  CHECK_FALSE(shipped("-1"));
  CHECK(shipped("1e12"));
  CHECK_FALSE(shipped("1.001e12"));
  const auto width = [](const std::string& exponent) {
    return with_own("    intervals: [{of: speed, task: t, gpu: g, how: h, exponent: " + exponent + "}]\n").has_value();
  };
  CHECK(width("0.01"));
  CHECK_FALSE(width("0.0099"));
  CHECK(width("100"));
  CHECK_FALSE(width("100.1"));
}

TEST_CASE("a width holds for its class, up to as many GPUs as were measured") {
  OwnCalibration own;
  own.widths = {{{"training", "h100", "x", ""}, Range80::speed, 8, 1, 0.5},
                {{"training", "h100", "x", "llama"}, Range80::speed, 4, 1, 0.25}};
  const OwnClass job{"training", "h100", "x", "llama"}, other{"training", "h100", "x", "qwen"};
  CHECK(own.exponent(job, Range80::speed, 4) == 0.25);  // of the same model
  CHECK(own.exponent(job, Range80::speed, 5) == 0.5);   // of any model
  CHECK(own.exponent(other, Range80::speed, 8) == 0.5);
  CHECK(own.exponent(other, Range80::speed, 9) == 1);
  CHECK(own.exponent(job, Range80::memory, 1) == 1);
  CHECK(own.exponent({"training", "a100", "x", "llama"}, Range80::speed, 1) == 1);
}

}  // namespace coefficients_test
