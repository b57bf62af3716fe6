// Verdicts on what a GPU is good for: which rule counts, and what the shipped ones say.
#include "rules/fitness.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "answer/lists/list.hpp"
#include "support/market.hpp"

namespace fitness_test {

using namespace gpusel;
using rules::Fact;
using rules::Fitness;
using test::Market;

namespace {

std::expected<std::vector<rules::Purpose>, Errors> read(const std::string& text) {
  auto document = parse_yaml(text, "own.yaml");
  REQUIRE(document.has_value());
  const std::vector documents{std::move(*document)};
  return rules::read_purposes(documents);
}

const char* const kPurpose =
    "verdicts:\n"
    "  - id: work\n"
    "    aliases: [labour]\n"
    "    figure: fp16_tflops\n"
    "    rules:\n"
    "      - {id: none, verdict: \"no\", when: {fact: rt_cores, is: 0}, message: no cores, source: s}\n"
    "      - {id: small, verdict: poor, when: {fact: gpu_memory_gb, below: 16}, message: \"{gpu_memory_gb} GB\", "
    "source: s}\n"
    "      - {id: slow, verdict: poor, when: {fact: fp16_tflops, below: 10}, message: slow, source: s}\n"
    "      - {id: fine, verdict: good, when: {fact: gpu_memory_gb, at_least: 16}, message: fine, source: s}\n";

rules::FitnessVerdict judged(std::optional<double> memory, std::optional<double> fp16, std::optional<double> cores) {
  const auto purposes = read(kPurpose);
  REQUIRE(purposes.has_value());
  rules::Facts facts;
  facts.set(Fact::gpu_memory_gb, memory);
  facts.set(Fact::fp16_tflops, fp16);
  facts.set(Fact::rt_cores, cores);
  auto verdict = rules::judge(purposes->front(), facts);
  verdict.because.clear();  // points into what ends here
  return verdict;
}

/// The shipped verdict on a GPU.
Fitness shipped(const std::string& gpu, const std::string& purpose) {
  const Market& market = Market::shipped();
  static const auto purposes = rules::read_purposes(market.catalog().documents("verdicts"));
  REQUIRE(purposes.has_value());
  const auto found = rules::find_purpose(purpose, *purposes);
  REQUIRE(found.has_value());
  const auto part = market.catalog().gpu(gpu);
  REQUIRE(part.has_value());
  return rules::judge(**found, answer::gpu_facts(**part, market.catalog(), market.coefficients())).fitness;
}

}  // namespace

TEST_CASE("the worst verdict that holds counts, with all its reasons") {
  CHECK(judged(24, 100, 10).fitness == Fitness::good);
  CHECK(judged(8, 100, 10).fitness == Fitness::poor);
  CHECK(judged(8, 100, 10).reason == "8 GB");
  CHECK(judged(8, 5, 10).reason == "8 GB; slow");
  CHECK(judged(8, 5, 0).fitness == Fitness::no);
  CHECK(judged(8, 5, 0).reason == "no cores");
}

TEST_CASE("a good verdict needs everything worse to be certainly false, a bad one stands") {
  CHECK(judged(24, std::nullopt, 10).fitness == Fitness::unknown);
  CHECK(judged(24, 100, std::nullopt).fitness == Fitness::unknown);
  CHECK(judged(std::nullopt, std::nullopt, std::nullopt).fitness == Fitness::unknown);
  CHECK(judged(8, std::nullopt, std::nullopt).fitness == Fitness::poor);
  CHECK(judged(std::nullopt, std::nullopt, 0).fitness == Fitness::no);
}

TEST_CASE("a purpose is found by its names, and the nearest is told") {
  const auto purposes = read(kPurpose);
  REQUIRE(purposes.has_value());
  CHECK(rules::find_purpose("Labour", *purposes).has_value());
  const auto none = rules::find_purpose("labor", *purposes);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().hint.find("'labour'") != std::string::npos);
}

TEST_CASE("verdicts that cannot work are refused with their place") {
  const std::string head = "verdicts:\n  - id: work\n    figure: fp16_tflops\n    rules:\n";
  const std::map<std::string, std::string> wrong{
      {"verdicts: 5\n", "must be a list"},
      {"verdicts:\n  - {id: work, figure: gpu, rules: []}\n", "'gpu' is not a number"},
      {"verdicts:\n  - {id: work, figure: fp16_tflop, rules: []}\n", "'fp16_tflops'"},
      {"verdicts:\n  - {id: work, rules: []}\n", "figure"},
      {head + "      - {id: a, verdict: great, when: {fact: rt_cores, is: 0}, message: m, source: s}\n", "great"},
      {head + "      - {id: a, verdict: good, when: {fact: rt_corse, is: 0}, message: m, source: s}\n", "'rt_cores'"},
      {head + "      - {id: a, verdict: good, when: {fact: region, is: us}, message: m, source: s}\n", "the GPU alone"},
      {head + "      - {id: a, verdict: good, when: {fact: rt_cores, is: 0}, message: m}\n", "source"}};
  for (const auto& [text, says] : wrong) {
    const auto purposes = read(text);
    CAPTURE(text);
    REQUIRE_FALSE(purposes.has_value());
    std::string all;
    for (const Error& error : purposes.error()) all += error.where + ": " + error.message + "; " + error.hint + "\n";
    CAPTURE(all);
    CHECK(all.find("own.yaml:") == 0);
    CHECK(all.find(says) != std::string::npos);
  }
}

TEST_CASE("without ray-tracing cores a GPU renders, but not well, and what runs no renderer is no choice") {
  for (const char* gpu : {"a100-sxm-80gb", "h100-sxm-80gb", "b200-180gb", "v100-sxm2-16gb", "a800-sxm-80gb"})
    CHECK(shipped(gpu, "rendering") == Fitness::usable);
  for (const char* gpu : {"t4", "p40", "a30", "mi300x-192gb"}) CHECK(shipped(gpu, "rendering") == Fitness::poor);
  for (const char* gpu : {"tpu-v5e", "trainium1", "gaudi2-96gb", "ascend-910b2-64gb", "k80-12gb"})
    CHECK(shipped(gpu, "rendering") == Fitness::no);
  for (const char* gpu : {"l40s", "rtx-4090", "l4"}) CHECK(shipped(gpu, "rendering") == Fitness::good);
}

TEST_CASE("streaming takes a video encoder, the newer the better") {
  for (const char* gpu : {"a100-sxm-80gb", "h100-sxm-80gb", "b200-180gb", "a30", "trainium1", "gaudi3-128gb"})
    CHECK(shipped(gpu, "transcode") == Fitness::no);
  for (const char* gpu : {"l40s", "rtx-4090", "l4", "radeon-pro-v710-28gb"})
    CHECK(shipped(gpu, "streaming") == Fitness::good);
  CHECK(shipped("a10", "streaming") == Fitness::usable);  // no AV1
  CHECK(shipped("p100-16gb", "streaming") == Fitness::poor);
}

TEST_CASE("old and small parts are not for training, and hidden ones are not judged") {
  for (const char* gpu : {"t4", "l4", "v100-sxm2-16gb"}) CHECK(shipped(gpu, "training") == Fitness::poor);
  // Large enough, but with a caveat: no bf16, or no link between cards.
  for (const char* gpu : {"v100-sxm2-32gb", "rtx-pro-6000-server-96gb"})
    CHECK(shipped(gpu, "training") == Fitness::usable);
  for (const char* gpu : {"p4", "p40"}) CHECK(shipped(gpu, "inference") == Fitness::poor);  // llama.cpp runs
  CHECK(shipped("k80-12gb", "inference") == Fitness::no);
  for (const char* gpu : {"a100-sxm-80gb", "h100-sxm-80gb", "mi300x-192gb"}) {
    CHECK(shipped(gpu, "training") == Fitness::good);
    CHECK(shipped(gpu, "inference") == Fitness::good);
  }
  CHECK(shipped("inferentia2", "training") == Fitness::no);
  CHECK(shipped("tpu-v6e", "inference") == Fitness::usable);
  for (const char* purpose : {"training", "inference", "rendering"})
    CHECK(shipped("l20n-48gb", purpose) == Fitness::unknown);
  CHECK(shipped("hanguang-800", "inference") == Fitness::unknown);
}

}  // namespace fitness_test
