#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

#include "support/program.hpp"

namespace whatif_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kJob = "whatif --model llama-7b --task finetune --method lora --catalog tests/data/market ";

Json answer(const std::string& more) {
  const Run run = ask(words_of(kJob + more + " --json"));
  CAPTURE(more, run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

std::string trim_right(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace

TEST_CASE("whatif in JSON has points, segments, winners, tornado and frontier") {
  const Json json = answer("--vary epochs=1..10 --tornado --pareto --explain");
  CHECK(json["schema"] == "gpusel.whatif/1");
  CHECK(json["assumed"]["today"] == "2026-11-20");
  CHECK(json["measure"] == "total");
  CHECK(json["axes"][0]["key"] == "epochs");
  CHECK(json["axes"][0]["steps"] == "geometric");
  double share = 0;
  for (const Json& winner : json["winners"]) share += winner["share"].get<double>();
  CHECK(share == Approx(1));
  for (const Json& point : json["points"]) {
    CHECK(point["at"]["epochs"].is_number());
    CHECK(point["best"]["measured_cost"] == point["best"]["cost"]["total"]);
    CHECK(point["best"]["cost"]["offer"]["currency"].is_string());
  }
  CHECK(json["tornado"]["cost_now"] == json["now"]["measured_cost"]);
  CHECK(json["tornado"]["bars"].size() > 3);
  CHECK(json["pareto"]["against"] == "hours");
  CHECK(json["explain"].size() > 10);
}

TEST_CASE("what stands below a sweep changes nothing of it, and its heading names winners with a row") {
  const std::string job = "whatif llama-3.1-8b --vary rps=1..100 --catalog tests/data/market";
  const auto sweep = [&](const std::string& more) {
    const std::string out = ask(words_of(job + more)).out;
    const auto end = std::min(out.find("\ntornado"), out.find("Charts, every row"));
    return out.substr(0, end);
  };
  const std::string alone = sweep("");
  CHECK(trim_right(sweep(" --tornado")) == trim_right(alone));
  CHECK(alone.find("requests/s: where the winner changes") != std::string::npos);
  for (const char* name : {"south s.a10.1", "north n.a100.8", "north n.h100.8", "bazaar b.a100.1"})
    CHECK((count(alone, name) == 0 || count(alone, name) >= 2));
}

TEST_CASE("money of another currency stands beside the offer's own, with the rate and its date") {
  const Json json = answer("--currency CNY --cloud bazaar --vary epochs=1,2");
  CHECK(json["currency"] == "CNY");
  CHECK(json["now"]["cost"]["offer"]["currency"] == "USD");
  CHECK(json["now"]["cost"]["fx"]["rate"].get<double>() > 5);
  CHECK(json["now"]["cost"]["fx"]["as_of"].is_string());
}

TEST_CASE("what does not fit is null with the reason, and status 3 where nothing ever does") {
  const Json json = answer("--vary max_price=0.1,100");
  CHECK(json["points"][0]["best"].is_null());
  CHECK(json["points"][0]["problem"].is_string());
  CHECK(json["points"][1]["problem"].is_null());
  CHECK(ask(words_of(kJob + "--vary max_price=0.01,0.02")).status == 3);
}

TEST_CASE("the page shows a mark for each answer and fetches nothing") {
  const Run run = ask(words_of(kJob + "--vary epochs=1..10/4 --tornado --pareto -o html"));
  REQUIRE(run.status == 0);
  const Json json = answer("--vary epochs=1..10/4 --tornado --pareto");
  CHECK(run.out.starts_with("<!DOCTYPE html>"));
  CHECK(count(run.out, "<path class=\"mark") == json["points"].size() + json["pareto"]["points"].size());
  CHECK(count(run.out, "<rect class=\"bar") == 2 * json["tornado"]["bars"].size());
  CHECK(count(run.out, "role=\"img\"") == 3);
  CHECK(count(run.out, "<script") == 0);
  CHECK(count(run.out, "src=") + count(run.out, "href=") + count(run.out, "url(") == 0);
}

TEST_CASE("an old price fails a sweep that is asked strictly") {
  CHECK(ask(words_of(kJob + "--vary epochs=1,2 --max-price-age 30d --strict --cloud bazaar")).status == 6);
}

TEST_CASE("a sweep of twenty points of a whole catalogue is a matter of moments") {
  const Run run =
      ask(words_of("whatif --model llama-3.1-8b --task inference --rps 4 --vary rps=1..64/20 --json "
                   "--catalog tests/data/market-2026-11"));
  REQUIRE(run.status == 0);
  CHECK(Json::parse(run.out)["recommendations_asked"].get<int>() < 180);
}

TEST_CASE("users of a sweep are those of the question: each wait, think and ask again") {
  const std::string question = " llama-3.1-8b --users 40 --think 5 --catalog tests/data/market";
  const Run swept = ask(words_of("whatif" + question + " --vary users=20,40"));
  const Run asked = ask(words_of("recommend" + question + " --json"));
  REQUIRE(swept.status == 0);
  REQUIRE(asked.status == 0);
  const Json best = Json::parse(asked.out)["recommendations"][0];
  CAPTURE(swept.out);
  CHECK(swept.out.find(" 1024 in") != std::string::npos);
  CHECK(swept.out.find("sessions") == std::string::npos);
  CHECK(swept.out.find(best["sku"].get<std::string>()) != std::string::npos);
}

}  // namespace whatif_test
