// How plans fit is what the rules of data/rules/fit.yaml say, and nothing else.
#include "answer/facts/fit.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "support/market.hpp"

namespace fit_test {

using namespace gpusel;
using rules::FitVerdict;
using test::Market;

namespace {

constexpr const char* kJob = R"({"model": "llama-7b", "task": "finetune", "method": "lora"})";
constexpr const char* kRender = R"({"task": "render"})";  // no other rule speaks of its memory

Market without(std::string_view id) {
  Market market = Market::own_shipped();
  REQUIRE(std::erase_if(market.rules, [&](const rules::Rule& rule) { return rule.id == id; }) == 1);
  return market;
}

std::set<std::string> verdicts(const answer::Advice& advice) {
  std::set<std::string> out;
  for (const answer::Recommendation& r : advice.recommendations) out.emplace(to_text(r.fit.verdict));
  return out;
}

}  // namespace

TEST_CASE("without the rule on what does not fit, what does not fit is recommended") {
  const auto with = Market::shipped().recommend(kRender);
  const auto open = without("vram-too-small").recommend(kRender);
  CHECK(open.recommendations.size() > with.recommendations.size());
  CHECK_FALSE(verdicts(with).contains("does-not-fit"));
  const auto too_small = [](const answer::Recommendation& r) { return r.memory().total() > r.machine().memory(); };
  CHECK(std::ranges::none_of(with.recommendations, too_small));
  CHECK(std::ranges::any_of(open.recommendations, too_small));
}

TEST_CASE("a verdict is the gravest of the rules that fire") {
  rules::Facts facts;
  facts.set(rules::Fact::memory_allowed_gib, 10.0);
  const auto judged = [&](double needed, double low, double high) {
    facts.set(rules::Fact::memory_needed_gib, needed);
    facts.set(rules::Fact::memory_low_gib, low);
    facts.set(rules::Fact::memory_high_gib, high);
    return answer::judge_fit(Market::shipped().rules, facts);
  };
  CHECK(judged(5, 4, 6).verdict == FitVerdict::fits);
  CHECK(judged(5, 4, 6).rule.empty());
  CHECK(judged(9, 7, 12).verdict == FitVerdict::may_not_fit);
  CHECK(judged(9, 7, 12).needed_gib.high == 12);
  CHECK(judged(11, 8, 15).verdict == FitVerdict::does_not_fit);
  CHECK(judged(11, 8, 15).rule == "vram-too-small");
}

TEST_CASE("every rule on memory that is taken away changes an answer") {
  for (const char* id : {"vram-too-small", "vram-no-headroom", "may-not-fit", "vram-tight", "vram-tight-trust"}) {
    CAPTURE(id);
    const Market less = without(id);
    bool differs = false;
    for (
        const char* job :
        {kJob, kRender,
         R"({"model": "llama-7b", "task": "finetune", "micro_batch": 1, "activation_checkpointing": "full"})",
         R"({"model": "llama-3.1-8b", "task": "pretrain", "tokens": 1e9, "micro_batch": 4, "activation_checkpointing": "none"})"}) {
      const auto before = Market::shipped().recommend(job), after = less.recommend(job);
      differs = differs || before.recommendations.size() != after.recommendations.size();
      for (std::size_t i = 0; !differs && i < before.recommendations.size(); ++i) {
        const auto& a = before.recommendations[i];
        const auto& b = after.recommendations[i];
        differs = a.fit.verdict != b.fit.verdict || a.remarks.size() != b.remarks.size() || a.score != b.score;
      }
    }
    CHECK(differs);
  }
}

}  // namespace fit_test
