// Faults in the shipped catalogue that only a neighbour, a known family or a shipped rate gives away.
#include <catch2/catch.hpp>

#include "base/text/text.hpp"
#include "linting.hpp"

namespace lint_neighbours_test {

using namespace gpusel;
using namespace gpusel::test;

TEST_CASE("a figure that no neighbour of the part has is found") {
  struct Figure {
    const char* gpu;
    const char* finds;
  };
  constexpr Figure kFigures[] = {
      {"{id: l4, memory: {bandwidth_gbs: 600}}", "gpu.bandwidth gpu l4"},
      {"{id: mi300x-192gb, memory: {bandwidth_gbs: 3500}}", "gpu.bandwidth gpu mi300x-192gb"},
      {"{id: h100-sxm-80gb, interconnect: {bidir_gbs: 450}}", "gpu.link-rate gpu h100-sxm-80gb"},
      {"{id: a100-sxm-80gb, interconnect: {bidir_gbs: 6000}}", "gpu.link-rate gpu a100-sxm-80gb"},
      {"{id: tpu-v5e, dense: {bf16_tflops: 393}}", "gpu.eight-bit gpu tpu-v5e"},
      {"{id: gaudi2-96gb, dense: {bf16_tflops: 865}}", "gpu.eight-bit gpu gaudi2-96gb"},
      {"{id: v100-sxm2-16gb, dense: {fp16_tflops: 31.4}}", "gpu.slow gpu v100-sxm2-16gb"},
      {"{id: mi250-128gb, dense: {fp16_tflops: 90, bf16_tflops: 90, int8_tops: 180}}", "gpu.slow gpu mi250-128gb"},
      {"{id: l4, tdp_w: 720}", "gpu.power gpu l4"},
      {"{id: a100-sxm-80gb, tdp_w: 40}", "gpu.power gpu a100-sxm-80gb"},
      {"{id: tpu-v5e, tdp_w: 1501}", "gpu.power gpu tpu-v5e"},
      {"{id: a100-sxm-80gb, media: {nvenc: 3}}", "gpu.features gpu a100-sxm-80gb"},
      {"{id: h100-sxm-80gb, cores: {rt: 132}}", "gpu.features gpu h100-sxm-80gb"},
      {"{id: h100-sxm-80gb, release_year: 2021}", "gpu.year gpu h100-sxm-80gb"},
      {"{id: tpu-v7, release_year: 2019}", "gpu.year gpu tpu-v7"},
      {"{id: v100-sxm2-32gb, interconnect: {bidir_gbs: 300}, tdp_w: 350, release_year: 2017}", ""},
  };
  for (const Figure& figure : kFigures) {
    CAPTURE(figure.gpu);
    const std::string wanted = figure.finds;
    CHECK(lint({scratch_file("figure.yaml", std::string("gpus:\n  - ") + figure.gpu + "\n")}).found() ==
          (wanted.empty() ? Lines{} : Lines{wanted}));
  }
}

TEST_CASE("a well-known family with another GPU is found, by its name or its SKUs") {
  const auto overlay = [](const std::string& text) { return lint({scratch_file("family.yaml", text)}); };
  const std::string families = R"(families:
  - {provider: aliyun, id: gn6i, gpu: v100-sxm2-16gb}
  - {provider: aws, id: p4d, gpu: a100-sxm-80gb}
  - {provider: aws, id: ours, gpu: a100-40gb, sources: aws-instance-type-pages, sizes: [{sku: p5.2xlarge, gpus: 1}]}
)";
  const Linted linted = overlay(families);
  REQUIRE(linted.found() == Lines{"instance.family-gpu family aliyun/gn6i", "instance.family-gpu family aws/ours",
                                  "instance.family-gpu family aws/p4d"});
  CHECK_THAT(linted.json["findings"][0]["place"].get<std::string>(), Catch::Contains("family.yaml:2:39"));
  CHECK_THAT(linted.json["findings"][2]["hint"].get<std::string>(), Catch::Contains("a100-sxm-40gb"));
  CHECK(overlay("families:\n  - {provider: aws, id: p4d, gpu: a100}\n").found().empty());
  // One size of several.
  CHECK(overlay("families:\n  - {provider: aws, id: g5, sizes: [{sku: g5.xlarge, gpu: a10}]}\n").found() ==
        Lines{"instance.family-gpu instance aws/g5.xlarge"});
  // A file may know better.
  CHECK(overlay(families + R"(known_families:
  - {provider: aliyun, family: gn6i, skus: ["ecs.gn6i-*"], gpu: v100-sxm2-16gb, source: aliyun-gpu-families-en}
  - {provider: aws, family: p4d, gpu: a100-80gb, source: aws-instance-type-pages}
)")
            .found() == Lines{"instance.family-gpu family aws/ours"});
}

TEST_CASE("a known family must say whose it is, its GPU and where that is written") {
  for (const char* entry : {"{provider: aws, family: p9, source: aws-instance-type-pages}", "{provider: aws, gpu: l4}",
                            "3", "{provider: awz, family: p9, gpu: l4, source: aws-instance-type-pages}",
                            "{provider: aws, family: p9, gpu: l44, source: aws-instance-type-pages}",
                            "{provider: aws, family: p9, gpu: l4, source: nobody}",
                            "{provider: aws, family: p9, gpus: l4, source: aws-instance-type-pages}"}) {
    CAPTURE(entry);
    const Linted linted = lint({scratch_file("known.yaml", std::string("known_families:\n  - ") + entry + "\n")});
    REQUIRE(linted.found().size() == 1);
    CHECK(linted.found()[0].starts_with("known.invalid known_families"));
    CHECK_THAT(linted.json["findings"][0]["place"].get<std::string>(), Catch::Contains("known.yaml:2:5"));
  }
  CHECK(lint({scratch_file("known.yaml", "known_families: 3\n")}).found().size() == 1);
}

TEST_CASE("an exchange rate that is inverted or far off is found") {
  const auto found = [](const std::string& currency, const std::string& rate) {
    const Linted linted =
        lint({scratch_file("rate.yaml", "exchange_rates:\n  - {currency: " + currency + ", per_usd: " + rate +
                                            ", as_of: 2026-11-01, source: ecb-reference-rates-2026-10-06}\n")});
    REQUIRE(linted.found().size() <= 1);
    if (linted.found().empty()) return std::string("nothing");
    CHECK(linted.found()[0] == "rate.far-off rate " + currency);
    return linted.json["findings"][0]["hint"].is_null() ? std::string("far") : std::string("inverted");
  };
  CHECK(found("CNY", "0.149") == "inverted");
  CHECK(found("EUR", "1.13") == "inverted");
  CHECK(found("JPY", "1.58") == "far");
  CHECK(found("CNY", "7.3") == "nothing");
  CHECK(found("EUR", "0.95") == "nothing");
}

TEST_CASE("a place or a record is named once, and headings are wrapped") {
  const std::string path = scratch_file("acc.yaml", with(clean(), "x4.one: 0.5", "x4.one: 0"));
  CHECK_THAT(ask({"catalog", "lint", path}).out,
             !Catch::Contains("acc.yaml: a price") && Catch::Contains(": a price must be a number"));
  const std::string accepted =
      scratch_file("acc.yaml",
                   "accepted:\n"
                   "  - {finding: gpu.spars, of: l4, reason: because}\n"
                   "  - {finding: gpu.link-rate, of: l4, reason: because, source: nvidia-l4-datasheet}\n"
                   "gpus: [{id: h100-sxm-80gb, interconnect: {bidir_gbs: 450}}]\n");
  const Linted linted = lint({accepted});
  CHECK(linted.found() == Lines{"gpu.link-rate gpu h100-sxm-80gb", "accepted.invalid accepted gpu.spars of l4",
                                "accepted.unused accepted gpu.link-rate of l4"});
  const std::string printed = ask({"catalog", "lint", accepted}).out;
  CHECK_THAT(printed, Catch::Contains("acc.yaml:2:5: accepted gpu.spars of l4: there"));
  for (const std::string_view line : split(printed, '\n'))
    if (!line.starts_with("  ")) CHECK(line.size() <= 100);
}

}  // namespace lint_neighbours_test
