// Families as people say them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace families_test {

using gpusel::test::ask;
using gpusel::test::Run;
using Json = nlohmann::json;

TEST_CASE("a family shows its sizes, its GPU and what it is taken for") {
  const Run run = ask({"instances", "show", "gn6v"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::Contains("gn6v-c8g1.2xlarge"));
  CHECK_THAT(run.err, Catch::Contains("gn6v is a family of aliyun: V100 SXM2 16 GB") && Catch::Contains("gn6e"));
}

TEST_CASE("a name may stand for several families, in lists and in questions") {
  const Run shown = ask({"instances", "show", "A2", "--json"});
  CHECK(shown.status == 0);
  CHECK_THAT(shown.out, Catch::Contains("a2-highgpu-1g") && Catch::Contains("a2-ultragpu-1g"));
  const Run asked = ask({"recommend", "llama-3.1-8b", "--rps", "1", "--family", "A2", "--json"});
  CHECK(asked.status == 0);
  for (const Json& one : Json::parse(asked.out)["recommendations"])
    CHECK(one["sku"].get<std::string>().starts_with("a2-"));
}

TEST_CASE("an unknown family or instance names the nearest") {
  CHECK_THAT(ask({"instances", "show", "gn8i"}).err, Catch::Contains("gn8i") && Catch::Contains("did you mean"));
  CHECK_THAT(ask({"instances", "--family", "A22"}).err, Catch::Contains("unknown family 'A22'"));
}

TEST_CASE("an instance without a price is shown, and asked for it says that none is recorded") {
  const Run shown = ask({"instances", "show", "a4x-max"});
  CHECK(shown.status == 0);
  CHECK(shown.out.find("a4x-maxgpu-4g-metal") != std::string::npos);
  CHECK(shown.err.find("GB300 288 GB") != std::string::npos);
  const Run asked = ask({"recommend", "llama-3.1-8b", "--rps", "1", "a4x-maxgpu-4g-metal"});
  CHECK(asked.status == 3);
  CHECK(asked.out.find("no prices recorded for a4x-maxgpu-4g-metal") != std::string::npos);
}

}  // namespace families_test
