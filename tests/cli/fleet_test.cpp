// gpusel fleet from outside: what programs read, statuses, and files that are not what they should be.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fleet_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kMarket = " --catalog tests/data/market";

Json answer(const std::string& words, int status = 0) {
  const Run run = ask(words_of(words + kMarket + " --json"));
  CAPTURE(words, run.err);
  REQUIRE(run.status == status);
  CHECK(run.err.empty());  // the solver is silent
  return Json::parse(run.out);
}

/// What a file of requests is refused with.
std::string refusal(const std::string& text) {
  const std::string path = scratch_file("requests.csv", text);
  const Run run = ask(words_of("fleet --model llama-3.1-8b --rate 3 --traffic " + path + kMarket));
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  const auto at = run.err.find("requests.csv");
  return at == std::string::npos ? run.err : run.err.substr(at + 12);
}

}  // namespace

TEST_CASE("a fleet as JSON adds up") {
  const Json out = answer("fleet --model llama-3.1-8b --traffic chat --rate 40 --tpot 80 --redundancy 1");
  CHECK(out["schema"] == "gpusel.fleet/1");
  CHECK(out["assumed"]["today"] == "2026-11-20");
  CHECK(out["solver"]["optimal"] == true);
  CHECK(out["solver"]["gap"] == 0);
  double hourly = 0;
  std::vector<double> share(out["traffic"]["buckets"].size(), 0.0);
  for (const Json& member : out["fleet"]["members"]) {
    const Json& type = out["types"][member["type"].get<std::size_t>() - 1];
    hourly += member["hourly"].get<double>();
    CHECK(member["hourly"].get<double>() ==
          Approx(member["instances"].get<double>() * type["as_it_runs"]["hourly"].get<double>()));
    double load = 0;
    for (std::size_t b = 0; b < share.size(); ++b) {
      const double part = member["share_of_buckets"][b].get<double>();
      share[b] += part;
      if (part > 0)
        load += part * out["traffic"]["buckets"][b]["requests_per_s"].get<double>() /
                (0.8 * type["capacity"][b]["full_load_requests_per_s"].get<double>());
    }
    CHECK(load / (member["instances"].get<double>() - 1) == Approx(member["load"].get<double>()).epsilon(1e-4));
  }
  CHECK(out["fleet"]["hourly"].get<double>() == Approx(hourly));
  CHECK(out["fleet"]["monthly"].get<double>() == Approx(hourly * 730));
  for (const double part : share) CHECK(part == Approx(1));
  CHECK(out["schedule"].is_null());
  for (const Json& rule : out["autoscaling"]) {
    CHECK(rule["keda"]["cooldownPeriod"].get<double>() >= rule["cold_start_s"].get<double>());
    CHECK(rule["hpa"]["averageValue"] == rule["keda"]["threshold"]);
    CHECK(rule["metrics"]["waiting"] == "vllm:num_requests_waiting");
  }
}

TEST_CASE("the same question has the same bytes") {
  const std::string words = "fleet --model llama-3.1-8b --traffic conversation --rate 40" + kMarket;
  CHECK(ask(words_of(words)).out == ask(words_of(words)).out);
}

TEST_CASE("traffic that nothing serves is status 3, with its reasons in JSON") {
  const Json out = answer("fleet --model llama-3.1-8b --traffic code --rate 5 --ttft 10", 3);
  CHECK(out["feasible"] == false);
  CHECK(out["fleet"].is_null());
  CHECK(out["unserved"].size() == out["traffic"]["buckets"].size());
  CHECK(out["relaxed_targets"].get<std::string>().starts_with("--ttft "));
  CHECK(ask(words_of("fleet --model llama-3.1-8b --traffic rag --rate 500 --max-price 1" + kMarket)).status == 3);
}

TEST_CASE("a file of requests that cannot be read is told with its line") {
  CHECK(refusal("isl,osl\n5,x\n").starts_with(":2:3: 'x' is not a number of tokens"));
  CHECK(refusal("a,b\n5,6\n").starts_with(":1:1: no length of prompts"));
  CHECK(refusal("\"a,b\n5,6\n").starts_with(":1:1: the quote is not closed"));
  CHECK(refusal("isl,osl\n5,\x1b[31m6\n").find('\x1b') == std::string::npos);
  CHECK(refusal(std::string("\0\0\0", 3)).find("requests") == std::string::npos);
  CHECK(ask(words_of("fleet --model llama-3.1-8b --rate 3 --traffic /nowhere.csv" + kMarket)).status == 2);
}

TEST_CASE("a fleet of a million machines is planned, and costs per request what its small twin does") {
  const Json out = answer("fleet --model llama-3.1-8b --rate 5000000");
  CHECK(out["feasible"] == true);
  CHECK(out["simulation"]["share_in_time"] > 0.9);
  const Json small = answer("fleet --model llama-3.1-8b --rate 50");
  const double share = out["fleet"]["hourly"].get<double>() / 1e5 / small["fleet"]["hourly"].get<double>();
  CHECK(share < 1);  // what one machine more than needed costs weighs less
  CHECK(share > 0.5);
}

TEST_CASE("what the fleet decides itself is no flag of it") {
  for (const std::string flag : {"--concurrency 4", "--nodes 2", "--deadline 3h", "--tokens 5"}) {
    CAPTURE(flag);
    CHECK(ask(words_of("fleet --model llama-3.1-8b --traffic rag --rate 4 " + flag)).status == 2);
  }
  CHECK(ask(words_of("fleet --model sdxl --traffic rag --rate 4")).status == 2);
  CHECK(ask(words_of("fleet --model llama-3.1-8b --traffic rag --rate 4 --quota nothing")).status == 2);
}

TEST_CASE("an encoder's fleet is planned by the length of what it reads") {
  const Json out = answer("fleet --model bert-base --engine vllm --isl 128 --rate 5000");
  CHECK(out["feasible"] == true);
  CHECK(out["traffic"]["buckets"][0]["output_tokens"] == 0);
  CHECK(ask(words_of("fleet --model bert-base --isl 128 --rate 50" + kMarket)).err.find("--engine vllm") !=
        std::string::npos);
  CHECK(ask(words_of("fleet --model bert-base --engine vllm --traffic chat --rate 5" + kMarket)).status == 2);
}

TEST_CASE("the lines of a fleet are in JSON too") {
  const Json out = answer("fleet --model llama-3.1-8b --traffic rag --rate 40 --explain");
  CHECK(out["explain"].size() > 8);
}

}  // namespace fleet_test
