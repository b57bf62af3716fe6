// Which offer of an instance counts, among many that are not looked at for being too dear.
#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>

#include "physics/planner/plan.hpp"
#include "support/market.hpp"

namespace offers_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

using Found = std::tuple<std::string, std::string_view, const catalog::Offer*, int, double>;

Found found(const std::string& format, const answer::Recommendation& one) {
  return {format, one.instance->sku, one.offer, one.machine().nodes, one.cost.total};
}

/// The first other answer that costs clearly less per token, asked for by itself.
std::optional<answer::Recommendation> cheaper(const answer::Advice& all, const answer::Recommendation& best) {
  const auto one = std::ranges::find_if(all.recommendations, [&](const answer::Recommendation& r) {
    const bool same = r.instance == best.instance && r.machine().nodes == best.machine().nodes;
    return !same && *r.cost.per_million_tokens <= 0.97 * *best.cost.per_million_tokens;
  });
  return one == all.recommendations.end() ? std::nullopt : std::optional(*one);
}

}  // namespace

TEST_CASE("a cheaper way to serve is found wherever asking for it finds it, on all terms and in all currencies") {
  const Market& market = Market::shipped();
  const auto [job, limits] = GENERATE(table<std::string, std::vector<Limit>>(
      {{R"("model": "llama-3.1-8b")", {}},
       {R"("model": "qwen2.5-0.5b")", {{"term", "any"}}},
       {R"("model": "llama-3.1-70b")", {{"term", "reserved-1y"}}},
       {R"("model": "mixtral-8x7b", "tokens": 1e9)", {{"term", "any"}}},
       {R"("model": "llama-3.1-8b", "tokens": 1e12)", {{"term", "any"}, {"residency", "cn"}}}}));
  CAPTURE(job);
  const std::string question = R"({"task": "inference", )" + job;
  const auto advice = market.recommend(question + "}", limits);
  REQUIRE_FALSE(advice.recommendations.empty());
  const auto& best = advice.recommendations.front();
  std::vector<Found> given, wanted;
  for (const answer::Alternative& one : advice.alternatives) given.push_back(found(one.value, one.best));
  std::vector<Limit> others = limits;
  if (best.machine().nodes == 1) others.push_back({"max_nodes", "1"});
  for (const std::string_view format : physics::served_formats(job::Engine::vllm)) {
    const auto asked =
        market.try_recommend(question + R"(, "allow_precisions": ")" + std::string(format) + "\"}", others);
    if (!asked) continue;
    if (const auto one = cheaper(*asked, best)) wanted.push_back(found(std::string(format), *one));
  }
  CHECK(given == wanted);
  CHECK_FALSE(wanted.empty());
}

TEST_CASE("a smaller way to train is found wherever asking for it finds it") {
  const Market& market = Market::shipped();
  const auto [job, limits, smaller] = GENERATE(table<std::string, std::vector<Limit>, std::vector<std::string>>(
      {{R"("model": "llama-7b", "method": "full")", {}, {"lora", "qlora"}},
       {R"("model": "llama-7b", "method": "lora")", {{"term", "any"}}, {"qlora"}},
       {R"("model": "qwen2.5-0.5b", "method": "full")", {{"term", "any"}}, {"lora", "qlora"}},
       {R"("model": "llama-3.1-70b", "method": "lora")", {{"term", "reserved-1y"}}, {"qlora"}},
       {R"("model": "mixtral-8x7b", "method": "full")", {{"residency", "cn"}}, {"lora", "qlora"}},
       {R"("model": "t5-3b", "target_len": 512, "method": "full")", {{"cloud", "azure,gcp"}}, {"lora", "qlora"}},
       {R"("model": "dbrx-132b", "capacity_factor": 0.1, "method": "full")", {}, {"lora", "qlora"}},
       // Of many nodes, and the one that would do with less is dearer on the terms that are asked for.
       {R"("model": "qwen3-coder-480b-a35b", "method": "full")", {{"gpu", "mi300x,l4,h100"}}, {"lora", "qlora"}}}));
  CAPTURE(job);
  const auto ask = [&](const std::string& words, const std::vector<Limit>& under) {
    return market.recommend(R"({"task": "finetune", )" + words + "}", under);
  };
  const auto advice = ask(job, limits);
  REQUIRE_FALSE(advice.recommendations.empty());
  const auto& best = advice.recommendations.front();
  std::vector<Limit> others = limits;
  if (best.machine().nodes == 1) others.push_back({"max_nodes", "1"});
  std::vector<Found> given, wanted;
  for (const answer::Alternative& one : advice.alternatives) given.push_back(found(one.value, one.best));
  for (const std::string& method : smaller) {
    const std::string words = job.substr(0, job.find(", \"method")) + R"(, "method": ")" + method + "\"";
    const auto all = ask(words, others).recommendations;
    const auto one = std::ranges::find_if(all, [&](const answer::Recommendation& r) {
      const double ratio = *r.cost.per_million_tokens / *best.cost.per_million_tokens;
      return ratio <= 0.5 || (ratio <= 1 && r.machine().gpus() < best.machine().gpus());
    });
    if (one == all.end()) continue;
    wanted.push_back(found(method, *one));
    break;
  }
  CHECK(given == wanted);
}

TEST_CASE("terms that are not asked for do not keep an instance from the offer that is") {
  Market market = Market::own_small();
  const auto best = [&](const std::string& term) {
    const auto advice = market.recommend(R"({"model": "qwen2.5-0.5b", "task": "inference"})", {{"term", term}});
    std::vector<std::pair<std::string_view, catalog::Term>> offers;
    for (const auto& one : advice.recommendations) offers.emplace_back(one.instance->sku, one.offer->term);
    std::ranges::sort(offers);
    return offers;
  };
  const auto on_demand = best("on-demand"), spot = best("spot");
  CHECK(std::ranges::all_of(on_demand, [](const auto& one) { return one.second == catalog::Term::on_demand; }));
  CHECK(std::ranges::all_of(spot, [](const auto& one) { return one.second == catalog::Term::spot; }));
  REQUIRE_FALSE(spot.empty());
  // However cheap they are.
  market.reprice([](catalog::Offer& offer) {
    if (offer.term != catalog::Term::on_demand) offer.amount /= 1000;
  });
  CHECK(best("on-demand") == on_demand);
  CHECK(best("spot") == spot);
}

}  // namespace offers_test
