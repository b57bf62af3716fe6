// gpusel catalog stats, diff and path, gpusel doctor, and the gate for old prices.
#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace catalog_state_test {

using namespace gpusel::test;
using nlohmann::json;

namespace {

const std::string kCheaper =
    "sources:\n  own: {publisher: us, document: list, date: 2026-11-01, confidence: documented}\n"
    "prices:\n  - {provider: lambda, region: all, term: on-demand, currency: USD, as_of: 2026-11-02, source: own, "
    "per_hour: {gpu_1x_a6000: 0.2}}\n";

}  // namespace

TEST_CASE("stats count what the lists list") {
  const json stats = json::parse(ask({"catalog", "stats", "--json"}).out);
  CHECK(stats["counts"]["gpus"] == json::parse(ask({"gpus", "--json"}).out)["items"].size());
  CHECK(stats["counts"]["models"] == json::parse(ask({"models", "--json"}).out)["items"].size());
  CHECK(stats["counts"]["instances"] == json::parse(ask({"instances", "--json"}).out)["items"].size());
}

TEST_CASE("stats, diff and doctor tell what an overlay has changed") {
  const std::string overlay = scratch_file("cheaper.yaml", kCheaper);
  // Wide: however long the path of the file is, nothing is wrapped.
  for (const std::vector<std::string>& words : {std::vector<std::string>{"catalog", "stats"}, {"doctor"}}) {
    std::vector<std::string> question = words;
    question.insert(question.end(), {"--overlay", overlay, "-o", "wide"});
    CHECK(ask(question).out.find("prices changed 1") != std::string::npos);
  }
  const Run table = ask({"catalog", "diff", "--overlay", overlay});
  CHECK(table.out.find(" %") != std::string::npos);
  const json diff = json::parse(ask({"catalog", "diff", overlay, "--json"}).out);
  CHECK(diff["differences"] == 2);
  CHECK(diff["changes"][0]["before"] > 0.2);
  CHECK(diff["changes"][0]["after"] == 0.2);
  const json back = json::parse(ask({"catalog", "diff", overlay, "embedded", "--json"}).out);
  CHECK(back["changes"][0]["after"] == diff["changes"][0]["before"]);
  const json layers = json::parse(ask({"catalog", "path", "--overlay", overlay, "--json"}).out)["layers"];
  CHECK(layers.back()["path"] == overlay);
}

TEST_CASE("any record is shown by its name alone, or by its kind and name") {
  CHECK(ask({"catalog", "show", "l40s"}).out == ask({"gpus", "show", "l40s"}).out);
  CHECK(ask({"catalog", "show", "p5.48xlarge", "--json"}).out ==
        ask({"instances", "show", "p5.48xlarge", "--json"}).out);
  const json aws = json::parse(ask({"catalog", "show", "provider", "amazon", "--json"}).out)["item"];
  CHECK(aws["id"] == "aws");
  CHECK(aws["regions"].size() > 3);
  const json source = json::parse(ask({"catalog", "show", "nvidia-l40s-datasheet", "--json"}).out)["item"];
  CHECK(source["rests_on_it"]["gpus"] >= 1);
  CHECK(ask({"catalog", "show", "gpu", "aws"}).err == "error: 'aws' is no gpu\nhelp: it is a provider\n");
  CHECK(ask({"catalog", "show", "thing", "aws"}).status == 2);
  const Run wrong = ask({"catalog", "show", "nvidia-l40s-datashet"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("did you mean 'nvidia-l40s-datasheet'") != std::string::npos);
}

TEST_CASE("a broken overlay is what the doctor is for") {
  const Run run = ask({"doctor", "--overlay", scratch_file("broken.yaml", "gpus: 7\n"), "--json"});
  CHECK(run.status == 5);
  const json findings = json::parse(run.out)["findings"];
  CHECK(findings[1]["health"] == "fail");
  CHECK(findings[1]["words"].get<std::string>().find("broken.yaml:1:7") != std::string::npos);
}

TEST_CASE("prices from the future are a sign of a wrong clock") {
  const Run run = ask({"doctor", "--json"}, {.environment = {{"GPUSEL_TODAY", "2020-01-01"}}});
  const json findings = json::parse(run.out)["findings"];
  const auto newest =
      std::find_if(findings.begin(), findings.end(), [](const json& f) { return f["subject"] == "newest price"; });
  REQUIRE(newest != findings.end());
  CHECK((*newest)["health"] == "warn");
  CHECK((*newest)["words"].get<std::string>().find("days after today") != std::string::npos);
}

TEST_CASE("with --strict an old price fails the answer, without it is left out") {
  const std::vector<std::string> question{"recommend", "--model", "llama-7b", "--task", "finetune", "-n", "3"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), question.begin(), question.end());
    return ask(more);
  };
  const Run strict = with({"--max-price-age", "40d", "--strict"});
  CHECK(strict.status == 6);
  CHECK(strict.err.find("are older than 40 days") != std::string::npos);
  CHECK_FALSE(strict.out.empty());
  CHECK(with({"--max-price-age", "20000d", "--strict"}).status == 0);
  CHECK(with({"--max-price-age", "90d"}).status == 0);
  const Run alone = with({"--strict"});
  CHECK(alone.status == 2);
  CHECK(alone.err == "error: --strict needs --max-price-age\nhelp: as in --max-price-age 30d --strict\n");
  CHECK(ask({"doctor", "--max-price-age", "40d", "--strict"}).status == 6);
  CHECK(ask({"doctor", "--max-price-age", "40d"}).status == 0);
}

}  // namespace catalog_state_test
