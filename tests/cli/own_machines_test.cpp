// Machines of one's own: on the line, and in a file that gpusel writes to be filled in.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace own_machines_test {

using gpusel::test::ask;
using gpusel::test::Run;
using gpusel::test::scratch_directory;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> kJob = {"recommend", "llama-3.1-8b", "--rps", "3", "--json"};

Json first_of(std::vector<std::string> words) {
  words.insert(words.begin(), kJob.begin(), kJob.end());
  const Run run = ask(words);
  INFO(run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out)["recommendations"][0];
}

}  // namespace

TEST_CASE("a machine on the line is one of the market, with its GPUs' usual link") {
  const Json first = first_of({"--own", "8xH100@0.01/h"});
  CHECK(first["provider"] == "own");
  CHECK(first["sku"] == "8xh100-sxm-80gb");
  CHECK(first["cost"]["hourly"] == 0.01);
  const Run card = ask({"instances", "show", "own/8xh100-sxm-80gb", "--own", "8xH100@12/h", "--json"});
  CHECK_THAT(card.out, Catch::Contains("nvswitch"));
}

TEST_CASE("its price has a currency, and several machines stand side by side") {
  const Json first = first_of({"--own", "2xRTX 4090@70CNY", "--own", "1xl4@0.5", "--cloud", "own"});
  CHECK(first["sku"] == "1xl4");
  const Run run = ask({"cost", "own/2xrtx-4090", "--own", "2x RTX 4090 @ 70CNY/h", "--currency", "CNY", "--json"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Catch::Contains("70"));
}

TEST_CASE("what is no machine, or no GPU, is refused with the way to write it") {
  for (const char* text :
       {"H100", "8xH100@", "@12", "8xH100@cheap", "8xH100@-3", "0xH100@3", "2x8xH100@3", "900xH100@3"}) {
    CAPTURE(text);
    const Run run = ask({"recommend", "llama-3.1-8b", "--own", text});
    CHECK(run.status == 2);
    CHECK_THAT(run.err, Catch::Contains("--own"));
  }
  const Run unknown = ask({"recommend", "llama-3.1-8b", "--own", "8xH1000@3"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Contains("did you mean 'h100'"));
  CHECK(ask({"recommend", "llama-3.1-8b", "--own", "l4@1", "--own", "1xL4@2"}).status == 2);
}

TEST_CASE("the file that catalog new writes loads as it is, and is not overwritten once it is filled in") {
  const std::string file = scratch_directory() + "/own.yaml";
  REQUIRE(ask({"catalog", "new", file}).status == 0);
  const Json first = first_of({"--overlay", file, "--cloud", "on-prem"});
  CHECK(first["provider"] == "on-prem");
  CHECK(first["cost"]["hourly"] == 2.1);
  CHECK(ask({"catalog", "new", file}).status == 0);
  std::string text = gpusel::test::read_file(file);
  text.replace(text.find("2.10"), 4, "2.20");
  const std::string edited = gpusel::test::scratch_file("own.yaml", text);
  const Run refused = ask({"catalog", "new", edited});
  CHECK(refused.status == 2);
  CHECK(gpusel::test::read_file(edited) == text);
  CHECK(ask({"catalog", "new"}).out.starts_with("# Machines"));
}

}  // namespace own_machines_test
