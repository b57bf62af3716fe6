// Names of the matrices that adapters are for.
#include "job/request/lora.hpp"

#include <catch2/catch.hpp>

namespace lora_test {

using namespace gpusel;
using namespace gpusel::job;

namespace {

std::string read(std::string_view text) {
  std::optional<LoraTargets> targets;
  const Status status = assign(text, targets);
  REQUIRE(status);
  return text_of(*targets);
}

}  // namespace

TEST_CASE("targets are groups or lists of matrices") {
  CHECK(read("all") == "all");
  CHECK(read("all-linear") == "all");
  CHECK(read("attention") == "attention");
  CHECK(read("q_proj,k_proj,v_proj,o_proj") == "attention");
  CHECK(read("q, v") == "q,v");
  CHECK(read("v_proj,q_proj") == "q,v");
  CHECK(read("mlp") == "gate,up,down");
  CHECK(read("experts") == "gate,up,down,experts");
}

TEST_CASE("an unknown matrix is answered with the nearest") {
  std::optional<LoraTargets> targets;
  const Status refused = assign("q_proj,atention", targets);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().hint.find("attention") != std::string::npos);
  CHECK_FALSE(targets);
}

}  // namespace lora_test
