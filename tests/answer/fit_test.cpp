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

constexpr const char* kTight = R"({"model": "llama-3.1-8b", "task": "finetune", "method": "lora", "seq_len": 8192,
    "micro_batch": 1, "activation_checkpointing": "full", "min_fit": 0.5})";

const std::vector<test::Limit> kOneNode{{"max_nodes", "1"}};

Market without(std::string_view id) {
  Market market = Market::own_shipped();
  REQUIRE(std::erase_if(market.rules, [&](const rules::Rule& rule) { return rule.id == id; }) == 1);
  return market;
}

/// The rules that took instances away.
std::set<std::string> fell(const answer::Advice& advice) {
  std::set<std::string> rules;
  for (const answer::Rejection& one : advice.rejected) rules.insert(one.rule);
  return rules;
}

std::set<std::string> verdicts(const answer::Advice& advice) {
  std::set<std::string> out;
  for (const answer::Recommendation& r : advice.recommendations) out.emplace(to_text(r.fit.verdict));
  return out;
}

}  // namespace

TEST_CASE("without the rule on what does not fit, what does not fit is recommended") {
  constexpr const char* kRender = R"({"task": "render", "min_fit": 0})";  // no other rule speaks of its memory
  Market market = without("vram-too-small");
  REQUIRE(std::erase_if(market.rules, [](const rules::Rule& rule) { return rule.id == "min-fit"; }) == 1);
  const auto with = Market::shipped().recommend(kRender);
  const auto open = market.recommend(kRender);
  CHECK(open.recommendations.size() > with.recommendations.size());
  const auto too_small = [](const answer::Recommendation& r) { return !r.plan().fits; };
  CHECK(std::ranges::none_of(with.recommendations, too_small));
  CHECK(std::ranges::any_of(open.recommendations, too_small));
}

TEST_CASE("a verdict is that of the chance to fit") {
  const auto judged = [](double chance) {
    rules::Facts facts;
    facts.set(rules::Fact::fit_probability, chance);
    facts.set(rules::Fact::fit_asked, 0.5);
    return answer::judge_fit(Market::shipped().rules, facts);
  };
  CHECK(judged(0.9).verdict == FitVerdict::fits);
  CHECK(judged(0.9).rule.empty());
  CHECK(judged(0.9).short_verdict() == answer::Verdict::yes);
  CHECK(judged(0.89).verdict == FitVerdict::may_not_fit);
  CHECK(judged(0.5).rule == "may-not-fit");
  CHECK(judged(0.5).short_verdict() == answer::Verdict::risky);
  CHECK(judged(0.49).verdict == FitVerdict::does_not_fit);
  CHECK(judged(0.49).rule == "vram-too-small");
  CHECK(judged(0.49).short_verdict() == answer::Verdict::no);
}

TEST_CASE("a machine at risk is not ranked unless that is asked for, and says its chance and its plan") {
  const auto sure = Market::shipped().recommend(
      R"({"model": "llama-3.1-8b", "task": "finetune", "method": "lora", "seq_len": 8192, "micro_batch": 1,
          "activation_checkpointing": "full"})",
      kOneNode);
  const auto risky = Market::shipped().recommend(kTight, kOneNode);
  CHECK(verdicts(sure) == std::set<std::string>{"fits"});
  REQUIRE(verdicts(risky).contains("may-not-fit"));
  CHECK(risky.recommendations.size() > sure.recommendations.size());
  for (const answer::Recommendation& r : risky.recommendations) {
    CAPTURE(r.instance->sku);
    const bool warned =
        std::ranges::any_of(r.remarks, [](const answer::Remark& one) { return one.rule == "may-not-fit"; });
    CHECK(warned == (r.fit.verdict == FitVerdict::may_not_fit));
  }
  bool alone = false;
  for (const answer::Rejection& fallen : sure.rejected) {
    if (fallen.rule != "min-fit") continue;
    CAPTURE(fallen.instance->sku, fallen.message);
    CHECK(fallen.message.find(" % chance of fitting") != std::string::npos);
    CHECK(fallen.message.find(", batch 1, recompute full") != std::string::npos);
    const bool one = fallen.instance->gpu_count == 1;
    CHECK((fallen.message.find("plan: unsharded, ") != std::string::npos) == one);
    alone = alone || one;
  }
  CHECK(alone);
}

TEST_CASE("every rule on memory that is taken away changes an answer") {
  for (const char* id : {"vram-too-small", "min-fit", "may-not-fit"}) {
    CAPTURE(id);
    const Market less = without(id);
    bool differs = false;
    for (const char* job : {kTight, R"({"task": "render", "min_fit": 0.5})",
                            R"({"model": "llama-7b", "task": "finetune", "micro_batch": 1})",
                            R"({"model": "llama-3.1-8b", "task": "finetune", "method": "lora", "seq_len": 8192,
                                "micro_batch": 1, "activation_checkpointing": "full"})"}) {
      const auto before = Market::shipped().recommend(job), after = less.recommend(job);
      differs = differs || before.recommendations.size() != after.recommendations.size();
      differs = differs || fell(before) != fell(after);
      for (std::size_t i = 0; !differs && i < before.recommendations.size(); ++i)
        differs = before.recommendations[i].fit.verdict != after.recommendations[i].fit.verdict;
    }
    CHECK(differs);
  }
}

}  // namespace fit_test
