// What would admit a rejected instance: asked again with that, it is ranked; with a little less, it is not.
// The market is tests/data/market.
#include <catch2/catch.hpp>

#include <cmath>

#include "answer/explain/explain.hpp"
#include "base/values/number.hpp"
#include "support/market.hpp"

namespace admission_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

const std::string kSmall =
    R"({"model": "qwen2.5-0.5b", "task": "inference", "input_tokens": 128, "output_tokens": 128})";
const std::string kLarge = R"({"model": "llama-7b", "task": "finetune"})";
/// 2x-l40s is a marketplace's.
const Limit kMarket{"market", "true"};

answer::Question question(const std::string& job, const std::vector<Limit>& limits) {
  answer::Question question;
  const auto request = job::read_request(parse_json(job, "job")->root);
  REQUIRE(request);
  question.request = *request;
  for (const auto& [key, value] : limits)
    REQUIRE(job::find_option(job::constraint_options(), key)->set(question.constraints, value));
  question.today = Date(2026, 11, 20);
  return question;
}

answer::Admission admission(const std::string& sku, const answer::Question& asked) {
  const Market& market = Market::small();
  auto found =
      answer::admission(asked, **market.catalog().instance(sku), market.catalog(), market.rules, market.coefficients());
  REQUIRE(found);
  return std::move(*found);
}
answer::Admission admission(const std::string& sku, const std::string& job, const std::vector<Limit>& limits) {
  return admission(sku, question(job, limits));
}

/// What a person would type after the question as it was.
std::vector<std::string> typed(const answer::Admission& found) {
  std::vector<std::string> words;
  for (const answer::Change& change : found.changes) words.push_back(answer::change_text(change));
  return words;
}

/// Whether the instance is ranked once the flags are set as they say.
bool is_ranked(const std::string& sku, answer::Question asked, const std::vector<answer::Change>& changes) {
  for (const answer::Change& change : changes) {
    const std::string_view key = std::string_view(change.flag).substr(2);
    if (key == "formats") asked.constraints.formats.clear();  // a list that is given anew
    const auto* limit = job::find_option(job::constraint_options(), key);
    const auto* option = job::find_option(job::request_options(), key);
    REQUIRE((limit != nullptr || option != nullptr));
    REQUIRE(
        (limit != nullptr ? limit->set(asked.constraints, change.value) : option->set(asked.request, change.value)));
  }
  const Market& market = Market::small();
  const auto advice = answer::recommend(asked, market.catalog(), market.rules, market.coefficients());
  REQUIRE(advice);
  for (const auto& each : advice->recommendations)
    if (each.instance->sku == sku) return true;
  return false;
}

/// One less in the last digit of a number that is typed with two of them, or whole from 100 on.
std::string one_less(const std::string& value) {
  const double number = std::stod(value);
  return format("{:.12g}", number - (number < 100 ? std::pow(10, std::floor(std::log10(number)) - 1) : 1));
}

}  // namespace

TEST_CASE("a seller that is left out unasked is let in by a word, beside what else it needs") {
  const auto asked = question(kSmall, {{"max_price", "1"}});
  const auto found = admission("2x-l40s", asked);
  CHECK(found.rule == "market");
  CHECK(typed(found) == std::vector<std::string>{"--market", "--max-price 1.6"});
  CHECK(is_ranked("2x-l40s", asked, found.changes));
  CHECK_FALSE(is_ranked("2x-l40s", asked, {found.changes.front()}));
  CHECK_FALSE(is_ranked("2x-l40s", asked, {found.changes.back()}));
}

TEST_CASE("a price limit is raised to the price and no further") {
  const auto asked = question(kSmall, {{"max_price", "1"}, kMarket});
  const auto found = admission("2x-l40s", asked);
  CHECK(found.rule == "max-price");
  CHECK(typed(found) == std::vector<std::string>{"--max-price 1.6"});
  REQUIRE(found.as);
  CHECK(found.as->cost.hourly == Approx(1.6));
  CHECK(is_ranked("2x-l40s", asked, found.changes));
  auto less = found.changes;
  less.front().value = "1.599";
  CHECK_FALSE(is_ranked("2x-l40s", asked, less));
}

TEST_CASE("several constraints fall in order, and each is needed") {
  const auto asked = question(kSmall, {{"max_price", "10"}, {"cloud", "south"}, {"min_vram", "100GB"}});
  const auto found = admission("n.h100.8", asked);
  CHECK(found.rule == "cloud");
  CHECK(typed(found) == std::vector<std::string>{"--cloud south,north", "--min-vram 80GB", "--max-price 48"});
  CHECK(is_ranked("n.h100.8", asked, found.changes));
  for (std::size_t i = 0; i < found.changes.size(); ++i) {
    auto fewer = found.changes;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    CAPTURE(i);
    CHECK_FALSE(is_ranked("n.h100.8", asked, fewer));
  }
}

TEST_CASE("each kind of limit is changed to what the instance has") {
  const auto change = [](const std::string& sku, const std::vector<Limit>& limits) {
    const auto found = admission(sku, kSmall, limits);
    CAPTURE(sku, found.rule, found.never);
    REQUIRE(found.changes.size() == 1);
    CHECK(is_ranked(sku, question(kSmall, limits),
                    found.changes.front().value.empty() ? std::vector<answer::Change>{} : found.changes) !=
          found.changes.front().value.empty());
    return typed(found).front();
  };
  CHECK(change("n.t4.1", {{"vcpus_min", "64"}}) == "--vcpus-min 8");
  CHECK(change("n.t4.1", {{"vcpus_min", "64..96"}}) == "--vcpus-min 8..96");
  CHECK(change("n.h100.8", {{"vcpus_min", "8..96"}}) == "--vcpus-min 8..192");
  CHECK(change("n.t4.1", {{"memory_min", "64"}}) == "--memory-min 32");
  CHECK(change("n.t4.1", {{"gpus_min", "2"}, {"gpus_max", "8"}}) == "--gpus-min 1");
  CHECK(change("n.h100.8", {{"gpus_max", "4"}}) == "--gpus-max 8");
  CHECK(change("n.t4.1", {{"min_network", "25"}}) == "--min-network 10");
  CHECK(change("2x-l40s", {{"min_network", "25"}, kMarket}) == "without --min-network");
  CHECK(change("n.t4.1", {{"min_capability", "8.0"}}) == "--min-capability 7.5");
  CHECK(change("n.t4.1", {{"formats", "fp16,bf16"}}) == "--formats fp16");
  CHECK(change("n.t4.1", {{"nvlink", "true"}}) == "without --nvlink");
  CHECK(change("n.t4.1", {{"gpu", "h100"}}) == "--gpu h100,t4");
  CHECK(change("n.t4.1", {{"gpu", "t4:4"}}) == "--gpu t4:1");
  CHECK(change("n.t4.1", {{"region", "cn-1"}, {"cloud", "north,south"}}) == "--region cn-1,us-1");
  CHECK(change("s.a10.1", {{"residency", "us"}}) == "--residency us,CN");
  CHECK(change("n.t4.1", {{"allow_list", "h100"}}) == "without --allow-list");
  CHECK(change("n.t4.1", {{"deny_list", "t4"}}) == "without --deny-list");
  CHECK(change("2x-l40s", {{"max_price_age", "30d"}, kMarket}) == "--max-price-age 172d");
  CHECK(change("n.a100.8", {{"term", "spot"}}) == "--term spot,on-demand");
  CHECK(change("2x-l40s", {{"vendor", "amd"}, kMarket}) == "--vendor amd,nvidia");
  CHECK(change("2x-l40s", {{"min_total_vram", "200GB"}, kMarket}) == "--min-total-vram 96GB");
  CHECK(change("2x-l40s", {{"max_total_vram", "20GB"}, kMarket}) == "--max-total-vram 96GB");
  CHECK(change("2x-l40s", {{"min_bandwidth", "3000"}, kMarket}) == "--min-bandwidth 864");
}

TEST_CASE("a latency target is moved to what the machine does, and hardly further") {
  for (const char* key : {"ttft", "tpot"}) {
    const auto asked = question(R"({"model": "qwen2.5-0.5b", "task": "inference", "input_tokens": 128,
                                    "output_tokens": 128, ")" +
                                    std::string(key) + R"(": 0.1})",
                                {kMarket});
    const auto found = admission("2x-l40s", asked);
    CAPTURE(key, found.never);
    REQUIRE(found.changes.size() == 1);
    CHECK(is_ranked("2x-l40s", asked, found.changes));
    auto less = found.changes;
    less.front().value = one_less(less.front().value);
    CHECK_FALSE(is_ranked("2x-l40s", asked, less));
  }
}

TEST_CASE("what was laid down of the plan is let go where no machine has such a plan") {
  const auto asked = question(R"({"model": "qwen2.5-0.5b", "task": "inference", "input_tokens": 128,
                                  "output_tokens": 128, "tp": 8})",
                              {kMarket});
  CHECK(typed(admission("2x-l40s", asked)) == std::vector<std::string>{"without --tp"});
  const auto both = question(R"({"model": "llama-7b", "task": "finetune", "tp": 3, "optimizer": "sgd"})", {});
  const auto found = admission("n.h100.8", both);
  CHECK(typed(found) == std::vector<std::string>{"without --tp"});  // the optimizer stands in nobody's way
  REQUIRE(found.as);
}

TEST_CASE("a plan that does not fit gets the smallest change of the job that lets it") {
  const auto asked = question(kLarge, {{"max_nodes", "1"}});
  const auto found = admission("s.a10.1", asked);
  CHECK(found.rule == "vram-too-small");
  REQUIRE(found.changes.size() == 1);
  CHECK(is_ranked("s.a10.1", asked, found.changes));
  REQUIRE_FALSE(found.others.empty());
  for (const auto& other : found.others) {
    if (other.value.empty()) continue;
    CAPTURE(other.flag, other.value);
    CHECK(is_ranked("s.a10.1", asked, {other}));
  }
}

TEST_CASE("a deadline is moved to when the job would be done") {
  const auto asked = question(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})",
                              {{"deadline", "2h"}, {"max_nodes", "1"}, kMarket});
  const auto found = admission("2x-l40s", asked);
  CHECK(found.rule == "deadline");
  REQUIRE(found.changes.size() == 1);
  CHECK(found.changes.front().flag == "--deadline");
  CHECK(is_ranked("2x-l40s", asked, found.changes));
  auto less = found.changes;
  less.front().value = one_less(less.front().value) + "h";
  CHECK_FALSE(is_ranked("2x-l40s", asked, less));
}

TEST_CASE("what no change admits says why") {
  CHECK(admission("n.v100.8", kSmall, {}).never.find("retired") != std::string::npos);
  CHECK(admission("n.cpu.16", kSmall, {}).never.find("CPU") != std::string::npos);
  CHECK(admission("n.v100.8", kSmall, {{"max_price", "1"}}).changes.empty());
}

TEST_CASE("an instance that is ranked needs no change") {
  const auto found = admission("n.t4.1", kSmall, {});
  CHECK(found.rule.empty());
  CHECK(found.changes.empty());
  REQUIRE(found.as);
}

TEST_CASE("places in the market: asking about every instance gives a change that holds or a reason") {
  const auto limits = std::vector<Limit>{{"max_price", "2"}, {"min_vram", "24GB"}, {"cloud", "bazaar"}};
  for (const auto& job : {kSmall, kLarge}) {
    const auto asked = question(job, limits);
    for (const auto& instance : Market::small().catalog().instances()) {
      CAPTURE(instance.sku, job);
      const auto found = admission(std::string(instance.sku), asked);
      CHECK(found.as.has_value() == found.never.empty());
      if (!found.as || found.changes.empty()) continue;
      CHECK(found.as->rank >= 1);
      CHECK(static_cast<std::size_t>(found.as->rank) <= found.among);
      bool settable = true;
      for (const auto& change : found.changes) settable = settable && !change.value.empty();
      if (settable) CHECK(is_ranked(std::string(instance.sku), asked, found.changes));
    }
  }
}

}  // namespace admission_test
