// Items side by side: what each figure is of, computed by hand from the invented market of tests/data.
#include "answer/lists/compare.hpp"

#include <catch2/catch.hpp>

#include "support/market.hpp"

namespace compare_test {

using namespace gpusel;
using test::Market;

namespace {

using Names = std::vector<std::string>;

answer::Question question_of(const std::string& job = "{}", const std::vector<test::Limit>& limits = {}) {
  answer::Question question;
  const auto document = parse_json(job, "job");
  REQUIRE(document.has_value());
  question.request = *job::read_request(document->root);
  question.today = *Date::parse("2026-11-20");
  for (const auto& [key, value] : limits)
    REQUIRE(job::find_option(job::constraint_options(), key)->set(question.constraints, value).has_value());
  return question;
}

answer::CompareAnswer compared(const Names& names, const answer::Question& question = question_of(),
                               const Market& market = Market::small()) {
  auto comparison = answer::compare(names, question, market.catalog(), market.rules, market.coefficients());
  if (!comparison) FAIL(comparison.error().message);
  return std::move(*comparison);
}

const answer::Value& value(const answer::Compared& item, std::string_view key) {
  const auto figures = answer::figures();
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (figures[i].key == key) return item.values[i];
  throw std::runtime_error("no figure " + std::string(key));
}

double of(const answer::Compared& item, std::string_view key) {
  CAPTURE(key);
  REQUIRE(value(item, key).number.has_value());
  return *value(item, key).number;
}

}  // namespace

TEST_CASE("compared prices are per GPU, per GB, per GB/s and per dense TFLOPS") {
  // 48 and 24 USD per hour for eight H100 (80 GB, 3350 GB/s, 989 and 1979 TFLOPS) and eight A100 (80, 2039, 312).
  const auto both = compared({"n.h100.8", "n.a100.8"});
  const auto& h100 = both.items[0];
  const auto& a100 = both.items[1];
  CHECK(of(h100, "price_per_hour") == Approx(48));
  CHECK(of(h100, "price_per_hour_per_gpu") == Approx(6));
  CHECK(of(h100, "price_per_hour_per_gb") == Approx(0.075));
  CHECK(of(h100, "price_per_hour_per_gbs") == Approx(6 / 3350.0));
  CHECK(of(h100, "price_per_hour_per_fp16_tflops") == Approx(6 / 989.0));
  CHECK(of(h100, "price_per_hour_per_fp8_tflops") == Approx(6 / 1979.0));
  CHECK(of(h100, "fp16_tflops_per_w") == Approx(989 / 700.0));
  CHECK(of(h100, "bandwidth_gbs_per_w") == Approx(3350 / 700.0));
  CHECK(of(h100, "gpu_memory_total_gb") == Approx(640));
  CHECK(of(h100, "bandwidth_total_gbs") == Approx(26800));
  CHECK(*value(a100, "price_per_hour_per_fp16_tflops").ratio == Approx((3 / 312.0) / (6 / 989.0)));
  CHECK(*value(a100, "memory_bandwidth_gbs").ratio == Approx(2039.0 / 3350));
  CHECK(value(a100, "price_per_hour").best);
  CHECK_FALSE(value(h100, "price_per_hour").best);
  CHECK(value(h100, "price_per_hour_per_fp16_tflops").best);
  // Equal figures have no best.
  CHECK_FALSE(value(h100, "memory_gb").best);
}

TEST_CASE("what has no FP8 has no price per FP8, which is not unknown") {
  const auto both = compared({"n.h100.8", "n.a100.8"});
  CHECK_FALSE(value(both.items[1], "price_per_hour_per_fp8_tflops").number.has_value());
  CHECK(of(both.items[1], "fp8_dense_tflops") == 0);
  CHECK_FALSE(value(both.items[1], "fp8_dense_tflops").ratio.has_value());
}

TEST_CASE("several of one count as all of them") {
  const auto all = compared({"2x n.h100.8", "8x h100", "a100-80gb:4", "h100"});
  CHECK(of(all.items[0], "price_per_hour") == Approx(96));
  CHECK(of(all.items[0], "gpus") == 16);
  CHECK(of(all.items[0], "gpu_memory_total_gb") == Approx(1280));
  CHECK(of(all.items[0], "price_per_hour_per_gb") == Approx(0.075));
  CHECK(of(all.items[0], "vcpu") == Approx(192));  // of one of them
  CHECK(of(all.items[1], "price_per_hour") == Approx(48));
  CHECK(of(all.items[2], "price_per_hour") == Approx(12));
  // A GPU as such has a price per GPU and no total.
  CHECK(of(all.items[3], "price_per_hour_per_gpu") == Approx(6));
  CHECK_FALSE(value(all.items[3], "price_per_hour").applies);
  CHECK_FALSE(value(all.items[3], "gpus").applies);
}

TEST_CASE("a slice is compared by what it is and priced as the whole GPU") {
  // 1.2 CNY per hour for a sixth of an A10 with 4 of 24 GB, 6 CNY for a whole one.
  const auto both = compared({"s.a10.1", "s.a10.6"});
  const double usd_per_cny = 1 / 6.70459;
  CHECK(of(both.items[0], "price_per_hour") == Approx(6 * usd_per_cny));
  CHECK(of(both.items[1], "price_per_hour") == Approx(1.2 * usd_per_cny));
  CHECK(of(both.items[1], "price_per_hour_per_gpu") == Approx(7.2 * usd_per_cny));
  CHECK(*value(both.items[1], "price_per_hour_per_gpu").ratio == Approx(1.2));
  CHECK(of(both.items[1], "gpu_memory_total_gb") == 4);
  CHECK(of(both.items[1], "price_per_hour_per_gb") == Approx(0.3 * usd_per_cny));
  CHECK(both.items[1].exchange.rate == Approx(usd_per_cny));
  CHECK(both.items[1].exchange.as_of.text() == "2026-10-06");
}

TEST_CASE("unknown, not applicable and none are three things") {
  const auto all = compared({"t4", "l4", "n.cpu.16"});
  // Nobody sells an L4 here.
  CHECK(value(all.items[1], "price_per_hour_per_gpu").applies);
  CHECK_FALSE(value(all.items[1], "price_per_hour_per_gpu").number.has_value());
  CHECK_FALSE(value(all.items[0], "price_per_hour_per_gpu").best);  // what is unknown may be better
  CHECK_FALSE(value(all.items[2], "memory_gb").applies);
  CHECK(of(all.items[2], "price_per_hour") == Approx(0.8));
  CHECK_FALSE(value(all.items[0], "vcpu").applies);
  CHECK(of(all.items[0], "mig_max_instances") == 0);
}

TEST_CASE("limits say which prices count") {
  const auto price = [](const Names& names, const std::vector<test::Limit>& limits) {
    return value(compared(names, question_of("{}", limits)).items[0], "price_per_hour_per_gpu").number;
  };
  CHECK(*price({"h100", "t4"}, {}) == Approx(6));
  CHECK(*price({"h100", "t4"}, {{"term", "spot"}}) == Approx(2));
  CHECK(*price({"h100", "t4"}, {{"region", "eu-1"}}) == Approx(50 / 8.0 / 0.88739));
  CHECK_FALSE(price({"h100", "t4"}, {{"cloud", "south"}}).has_value());
  CHECK_FALSE(price({"l40s", "t4"}, {{"max_price_age", "30d"}}).has_value());
  // The provider of an instance was chosen with its name; its region was not.
  CHECK(*price({"n.h100.8", "t4"}, {{"cloud", "south"}}) == Approx(6));
  CHECK_FALSE(price({"n.h100.8", "t4"}, {{"region", "cn-1"}}).has_value());
  // Retired instances are no offer for the GPU they have.
  CHECK_FALSE(price({"v100-sxm2-16gb", "t4"}, {}).has_value());
}

TEST_CASE("nodes of so many GPUs are as many GPUs, and of one size for all") {
  const Market& market = Market::small();
  CHECK(of(compared({"2x8xh100", "t4"}, question_of(), market).items[0], "gpus") == 16);
  CHECK(of(compared({"1x4xh100", "t4"}, question_of(), market).items[0], "gpus") == 4);
  const auto refused = [&](const std::string& name) {
    const Names names{name, "t4"};
    const auto answer = answer::compare(names, question_of(), market.catalog(), market.rules, market.coefficients());
    return answer ? std::string() : answer.error().message;
  };
  CHECK(refused("2x4xh100") == "'2x4xh100' has 4 GPUs per node, compare assumes 8");
  CHECK(refused("2x0xh100") == "the count in '2x0xh100' must be from 1 to 100000");
}

TEST_CASE("a name of two providers is not guessed") {
  const Market market(R"(
sources:
  list: {publisher: P, document: D, confidence: documented}
providers:
  - {id: one, name: One, country: US, kind: cloud, regions: {x: {country: US}}}
  - {id: two, name: Two, country: US, kind: cloud, regions: {y: {country: US}}}
families:
  - {provider: one, id: f, gpu: l4, sources: list, sizes: [{sku: big, gpus: 1}]}
  - {provider: two, id: f, gpu: l4, sources: list, sizes: [{sku: big, gpus: 2}]}
)");
  const Names ambiguous{"big", "t4"};
  const auto refused = answer::compare(ambiguous, question_of(), market.catalog(), market.rules, market.coefficients());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().hint == "write 'one/big' or 'two/big'");
  CHECK(of(compared({"two/big", "one:big"}, question_of(), market).items[0], "gpus") == 2);
}

TEST_CASE("Blender scores are compared within one version") {
  const Market market(R"(
sources:
  list: {publisher: P, document: D, date: 2026-11-01, confidence: documented}
gpus:
  - {id: ra, vendor: nvidia, name: RA, sources: list}
  - {id: rb, vendor: nvidia, name: RB, sources: list}
  - {id: rc, vendor: nvidia, name: RC, sources: list}
providers:
  - {id: one, name: One, country: US, kind: cloud, regions: {x: {country: US}}}
families:
  - {provider: one, id: f, sources: list, sizes: [{sku: a, gpu: ra, gpus: 2}, {sku: b, gpu: rb, gpus: 1}, {sku: c, gpu: rc, gpus: 1}]}
prices:
  - {provider: one, region: x, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {a: 4, b: 1, c: 0.5}}
render_scores:
  - benchmark: blender
    version: 4.5.0
    source: list
    scores: [{gpu: ra, score: 8000, preferred: true}, {gpu: rb, score: 2000}, {gpu: ra, version: 4.3.0, score: 1000}]
  - {benchmark: blender, version: 4.3.0, source: list, scores: [{gpu: rc, score: 1000}]}
)");
  const auto all = compared({"a", "b", "c"}, question_of(), market);
  CHECK(all.blender_version == "4.5.0");
  CHECK(of(all.items[0], "blender_score") == 8000);
  CHECK(of(all.items[0], "price_per_hour_per_1000_blender_points") == Approx(0.25));
  CHECK(*value(all.items[1], "price_per_hour_per_1000_blender_points").ratio == Approx(2));
  CHECK_FALSE(value(all.items[2], "blender_score").number.has_value());
  // Where the older version is what both have, it is taken.
  CHECK(of(compared({"a", "c"}, question_of(), market).items[0], "blender_score") == 1000);
}

TEST_CASE("compare puts the same job on each item") {
  const auto question = question_of(R"({"model": "llama-7b", "task": "finetune", "method": "qlora"})");
  const auto both = compared({"t4", "north/n.h100.8"}, question);
  CHECK(both.items[0].instance == nullptr);
  CHECK(both.items[0].offered_by->sku == "n.t4.1");
  CHECK(both.items[0].hourly == Approx(0.5));
  CHECK(both.items[1].hourly == Approx(48));
  for (const auto& item : both.items) {
    CHECK(item.usable());
    CHECK(of(item, "job_cost") == Approx(item.hourly * of(item, "job_hours")));
    CHECK(of(item, "tokens_per_s") * item.cost->worked * 3600 == Approx(both.work->training.tokens));
    CHECK(of(item, "job_hours") >= item.cost->worked);  // failures take time
    CHECK(item.intervals.rate.low < of(item, "tokens_per_s"));
  }
  CHECK(*value(both.items[1], "tokens_per_s").ratio ==
        Approx(of(both.items[1], "tokens_per_s") / of(both.items[0], "tokens_per_s")));
}

TEST_CASE("a job that does not fit has a reason and no figures") {
  const auto both = compared({"t4", "n.cpu.16"}, question_of(R"({"model": "llama-3.1-70b", "task": "inference"})"));
  CHECK(both.items[0].problem.find("needs ") == 0);
  CHECK(both.items[1].problem == "it has no GPU");
  for (const auto& item : both.items) CHECK_FALSE(value(item, "tokens_per_s").applies);
}

}  // namespace compare_test
