// What people are warned of who train recommendation models or transcribe.
#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace recommender_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

Json candidates(const std::string& command) {
  const Run run = ask(words_of("recommend --json " + command));
  INFO(run.err);
  REQUIRE(run.status == 0);
  Json found = Json::parse(run.out)["recommendations"];
  REQUIRE_FALSE(found.empty());
  return found;
}

bool speaks(const Json& candidate, std::string_view rule) {
  return std::ranges::any_of(candidate["warnings"], [&](const Json& remark) { return remark["rule"] == rule; });
}

}  // namespace

TEST_CASE("recommenders without NVLink are warned of, and not for gradients that they do not send") {
  for (const Json& candidate : candidates("--model dlrm-dcnv2 --task pretrain --gpu h100-pcie-80gb")) {
    CAPTURE(candidate["sku"].dump());
    CHECK(speaks(candidate, "tables-without-nvlink"));
    CHECK_FALSE(speaks(candidate, "no-nvlink-training"));
  }
  // Between nodes there is none.
  for (const Json& candidate : candidates("--model dlrm-dcnv2 --task pretrain --gpu h100-sxm-80gb --max-nodes 1"))
    CHECK_FALSE(speaks(candidate, "tables-without-nvlink"));
}

TEST_CASE("a table that no GPU holds is told") {
  for (const Json& candidate : candidates("--model dlrm-criteo-t0 --task pretrain --gpu a100-sxm-80gb"))
    CHECK(speaks(candidate, "table-larger-than-gpu"));
  for (const Json& candidate : candidates("--model dlrm-criteo-t15 --task pretrain --gpu a100-sxm-80gb"))
    CHECK_FALSE(speaks(candidate, "table-larger-than-gpu"));
}

TEST_CASE("a fast GPU that waits for launches is told") {
  const std::string one = "--model whisper-large-v3 --task inference --mode single-stream --gpu ";
  CHECK(speaks(candidates(one + "h100-sxm-80gb").front(), "launches-hold-up-speech"));
  CHECK_FALSE(speaks(candidates(one + "l4").front(), "launches-hold-up-speech"));
}

}  // namespace recommender_test
