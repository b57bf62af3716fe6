// Facts about records that exist already: renderer scores and states of selling.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "catalog/snapshot/load.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace sheets_test {

using namespace gpusel;

namespace {

constexpr const char* kSource =
    "sources:\n  own: {publisher: us, document: list, date: 2026-11-01, confidence: documented}\n";

std::expected<catalog::Catalog, Errors> with(const std::string& yaml) {
  return catalog::load({{}, {test::scratch_file("sheet.yaml", kSource + yaml)}});
}

const catalog::Offer& offer(const catalog::Catalog& all, const catalog::Instance& of, catalog::Term term) {
  for (const catalog::Offer& one : all.offers_of(of))
    if (one.term == term) return one;
  FAIL("no such offer");
  return all.offers().front();
}

}  // namespace

TEST_CASE("the narrowest state decides, and without one nothing is said") {
  const auto all = with(
      "availability:\n"
      "  - {provider: aws, state: limited, source: own, skus: [p5.48xlarge]}\n"
      "  - {provider: aws, term: spot, region: us-east-1, state: not-offered, source: own, skus: [p5.48xlarge]}\n");
  REQUIRE(all);
  const catalog::Instance& p5 = **all->instance("p5.48xlarge");
  REQUIRE(all->states_of(p5).size() >= 2);
  CHECK(all->state_of(p5, offer(*all, p5, catalog::Term::on_demand))->state == catalog::Availability::limited);
  CHECK(all->state_of(p5, offer(*all, p5, catalog::Term::spot))->state == catalog::Availability::not_offered);
}

TEST_CASE("what is not offered is left out of answers, and comes back when asked for") {
  const std::string yaml = test::scratch_file(
      "not-offered.yaml",
      std::string(kSource) +
          "availability:\n  - {provider: aws, state: not-offered, source: own, skus: [p5.48xlarge]}\n");
  const std::vector<std::string> question{"recommend", "--model", "llama-7b", "--task",    "finetune", "--gpu",
                                          "h100:8",    "--cloud", "aws",      "--overlay", yaml,       "--json"};
  const auto offered = [](const nlohmann::json& answer) {
    const auto& all = answer.at("recommendations");
    return std::ranges::any_of(all, [](const auto& one) { return one.at("sku") == "p5.48xlarge"; });
  };
  const auto without = nlohmann::json::parse(test::ask(question).out);
  CHECK_FALSE(offered(without));
  CHECK(std::ranges::any_of(without.at("rejected"), [](const auto& one) {
    return one.at("sku") == "p5.48xlarge" && one.at("rule") == "not-sold-here";
  }));
  auto again = question;
  again.emplace_back("--include-unavailable");
  CHECK(offered(nlohmann::json::parse(test::ask(again).out)));
}

TEST_CASE("a renderer score belongs to its GPU, and the preferred one counts") {
  const auto all = with(
      "render_scores:\n"
      "  - benchmark: blender\n    version: 9.9.9\n    backend: optix\n    source: own\n    scores:\n"
      "      - {gpu: NVIDIA L40S, score: 9000, samples: 9000}\n"
      "      - {gpu: l40s, backend: cuda, score: 8000, samples: 2, preferred: true, note: chosen}\n");
  REQUIRE(all);
  const catalog::Gpu& l40s = **all->gpu("l40s");
  std::set<double> mine;
  for (const auto& score : all->render_scores_of(l40s))
    if (score.version == "9.9.9") mine.insert(*score.score);
  CHECK(mine == std::set<double>{8000, 9000});
  CHECK(all->render_scores_of(**all->gpu("l4")).size() < all->render_scores().size());
  const catalog::RenderScore* best = all->render_score(l40s, catalog::RenderBenchmark::blender);
  REQUIRE(best != nullptr);
  CHECK(best->preferred == true);
}

TEST_CASE("sheets that do not fit the catalogue are refused with their place") {
  const auto refused = [](const std::string& yaml) {
    const auto all = with(yaml);
    REQUIRE(!all);
    CHECK(all.error().front().where.find("sheet.yaml:") != std::string::npos);
    return all.error().front().message;
  };
  CHECK(refused("availability:\n  - {provider: aws, state: gone, source: own, skus: [p5.48xlarge]}\n")
            .starts_with("'state' cannot be 'gone'"));
  CHECK(refused("availability:\n  - {provider: aws, state: limited, source: own, skus: [p5.49xlarge]}\n") ==
        "'aws' has no SKU 'p5.49xlarge'");
  CHECK(
      refused("availability:\n  - {provider: aws, region: mars, state: limited, source: own, skus: [p5.48xlarge]}\n") ==
      "'aws' has no region 'mars'");
  CHECK(
      refused("availability:\n  - {provider: aws, state: limited, source: own, skus: [p5.48xlarge, p5.48xlarge]}\n") ==
      "'p5.48xlarge' has two states for one region and term");
  const std::string sheet = "render_scores:\n  - {benchmark: blender, version: 9.9.9, source: own, scores: ";
  CHECK(refused(sheet + "[{gpu: l40z, score: 1}]}\n") == "unknown GPU 'l40z'");
  CHECK(refused(sheet + "[{gpu: l40s, score: 0}]}\n").find("out of range") != std::string::npos);
  CHECK(refused(sheet + "[{gpu: l40s, score: 1}, {gpu: l40s, score: 2}]}\n") ==
        "'l40s' has two scores of one benchmark, version and back end");
}

TEST_CASE("states and scores survive a snapshot") {
  const auto all = with(
      "availability:\n  - {provider: aws, state: limited, note: quota, source: own, skus: [p5.48xlarge]}\n"
      "render_scores:\n  - {benchmark: octanebench, version: 9.9.9, source: own, scores: [{gpu: l40s, score: "
      "1234}]}\n");
  REQUIRE(all);
  const auto again = catalog::open_snapshot(test::scratch_file("states.snapshot", catalog::write_snapshot(*all)));
  REQUIRE(again);
  const auto states = again->states_of(**again->instance("p5.48xlarge"));
  CHECK(std::ranges::any_of(states, [](const auto& s) { return s.note == "quota"; }));
  const auto scores = again->render_scores_of(**again->gpu("l40s"));
  CHECK(std::ranges::any_of(scores, [](const auto& s) { return s.score == 1234.0; }));
}

}  // namespace sheets_test
