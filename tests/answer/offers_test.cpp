// Which offer of an instance counts, among many that are not looked at for being too dear.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

#include "base/words/message.hpp"
#include "physics/planner/plan.hpp"
#include "support/market.hpp"

namespace offers_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

/// The cheapest of a question asked by itself, by the prices that order, of those clearly cheaper than what the other
/// question has first: by these prices and by the printed ones. `ratio` is of the printed ones.
struct Way {
  std::string value;
  double ratio = std::numeric_limits<double>::infinity();
  const answer::Recommendation* best = nullptr;
};

Way cheapest(std::string value, const answer::Advice& asked, const answer::Advice& now) {
  constexpr double kClearly = 0.97;
  Way out{std::move(value)};
  const answer::Recommendation& first = now.recommendations.front();
  double least = kClearly;
  for (const answer::Recommendation& one : asked.recommendations) {
    const double ratio = answer::order_cost(one, asked.work) / answer::order_cost(first, now.work);
    const double printed = answer::printed_cost(one, asked.work) / answer::printed_cost(first, now.work);
    if (ratio > least || printed > kClearly || (out.best != nullptr && ratio == least)) continue;
    out = {std::move(out.value), printed, &one};
    least = ratio;
  }
  return out;
}

bool is_clear(const Way& way) { return way.best != nullptr; }

/// Whether the answer names it, or gives its machine, or all of its four lines, to what saves as much.
bool is_named(const Way& way, std::string_view key, const answer::Advice& advice) {
  constexpr std::size_t kLines = 4;
  std::size_t better = 0;
  for (const answer::Alternative& one : advice.alternatives) {
    if (!one.ratio || *one.ratio > way.ratio * (1 + 1e-9)) continue;
    ++better;
    if (one.key == key && one.value == way.value) return true;
    if (one.best.instance == way.best->instance && one.best.machine().nodes == way.best->machine().nodes) return true;
  }
  return better == kLines;
}

bool names(std::string_view key, const answer::Advice& advice) {
  return std::ranges::any_of(advice.alternatives, [&](const auto& one) { return one.key == key; });
}

/// Two GPUs of one cloud: the first on demand at 1 and for a year at that price, the second for a year only.
Market with_year(double year, double other_year) {
  return test::market_of({{"one", "l40s", {{"on-demand", "1"}, {"reserved-1y", format("{}", year)}}},
                          {"two", "l4", {{"reserved-1y", format("{}", other_year)}}}});
}

}  // namespace

TEST_CASE("another term is told of where it saves three of a hundred, and names the machines that it takes") {
  const auto message = [](double year, double other_year) {
    const auto advice = with_year(year, other_year).recommend(R"({"model": "llama-3.1-8b", "task": "inference"})");
    REQUIRE(advice.recommendations.size() == 1);
    const auto found = std::ranges::find_if(
        advice.alternatives, [](const auto& one) { return one.message.find("reserved-1y") != std::string::npos; });
    return found == advice.alternatives.end() ? std::string() : found->message;
  };
  CHECK(message(0.985, 10).empty());
  CHECK(message(0.95, 10).find("same machine, 0.95 USD/h, 5 % less") != std::string::npos);
  // A half of the rate, every hour of the month: pays off from a half of 730.
  CHECK(message(0.5, 10).find("50 % less; from 365 h/month") != std::string::npos);
  // The default load takes two of the small ones.
  CHECK(message(0.985, 0.1).find("2 × p two, 0.20 USD/h, 80 % less") != std::string::npos);
}

TEST_CASE("what is slow has a range of costs like anything else") {
  const Market& market = Market::small();
  const auto advice = market.recommend(R"({"task": "render", "frames": 10, "seconds_per_frame": 20000, "on": "l40s"})",
                                       {{"max_nodes", "1"}});
  REQUIRE_FALSE(advice.recommendations.empty());
  for (const auto& r : advice.recommendations) {
    CHECK(r.plan().rate < 1);  // frames an hour
    REQUIRE(r.cost_range);
    CHECK(r.cost_range->fast.total < r.cost_range->slow.total);
    // The same frames at any speed.
    for (const money::Quote* at : {&r.cost_range->fast, &r.cost_range->slow})
      CHECK(at->total / *at->per_unit == Approx(r.cost.total / *r.cost.per_unit));
  }
}

TEST_CASE("a cheaper way to serve is found wherever asking for it finds it, on all terms and in all currencies") {
  const Market& market = Market::shipped();
  const auto [job, limits, there] = GENERATE(table<std::string, std::vector<Limit>, bool>(
      {{R"("model": "llama-3.1-8b", "mode": "throughput")", {}, true},
       {R"("model": "llama-3.1-8b", "request_rate": 20)", {}, true},
       {R"("model": "qwen2.5-0.5b", "mode": "throughput")", {{"term", "any"}}, true},
       {R"("model": "llama-3.1-70b", "mode": "throughput")", {{"term", "reserved-1y"}}, true},
       {R"("model": "mixtral-8x7b", "tokens": 1e9)", {{"term", "any"}}, true},
       {R"("model": "llama-3.1-8b", "tokens": 1e12)", {{"term", "any"}, {"residency", "cn"}}, true},
       // So few requests leave the cheapest machine idle, whatever its weights are stored in.
       {R"("model": "qwen2.5-0.5b", "request_rate": 0.01)", {}, false}}));
  CAPTURE(job);
  const std::string question = R"({"task": "inference", )" + job;
  const auto advice = market.recommend(question + "}", limits);
  REQUIRE_FALSE(advice.recommendations.empty());
  std::vector<answer::Advice> asked;
  std::vector<Way> ways;
  asked.reserve(physics::served_formats(job::Engine::vllm).size());
  for (const std::string_view format : physics::served_formats(job::Engine::vllm)) {
    auto answer = market.try_recommend(question + R"(, "allow_precisions": ")" + std::string(format) + "\"}", limits);
    if (answer)
      if (const Way way = cheapest(std::string(format), asked.emplace_back(std::move(*answer)), advice); is_clear(way))
        ways.push_back(way);
  }
  CHECK(ways.empty() != there);
  if (ways.empty()) {
    CHECK_FALSE(names("weights_precision", advice));
  } else {
    const Way best = *std::ranges::min_element(ways, {}, &Way::ratio);
    CAPTURE(best.value, best.ratio);
    CHECK(is_named(best, "weights_precision", advice));
  }
}

TEST_CASE("a smaller way to train is found wherever asking for it finds it") {
  const Market& market = Market::shipped();
  const auto [job, limits, smaller] = GENERATE(table<std::string, std::vector<Limit>, std::vector<std::string>>(
      {{R"("model": "llama-7b", "method": "full")", {}, {"lora", "qlora"}},
       {R"("model": "llama-7b", "method": "lora")", {{"term", "any"}}, {"qlora"}},
       {R"("model": "qwen2.5-0.5b", "method": "full")", {{"term", "any"}}, {"lora", "qlora"}},
       {R"("model": "llama-3.1-70b", "method": "lora")", {{"nvlink", "true"}}, {"qlora"}},
       {R"("model": "mixtral-8x7b", "method": "full")", {{"residency", "cn"}}, {"lora", "qlora"}},
       {R"("model": "t5-3b", "target_len": 512, "method": "full")", {{"cloud", "azure,gcp"}}, {"lora", "qlora"}},
       {R"("model": "dbrx-132b", "capacity_factor": 0.1, "method": "full")", {}, {"lora", "qlora"}},
       // Of many nodes, and the one that would do with less is dearer on the terms that are asked for.
       {R"("model": "qwen3-coder-480b-a35b", "method": "full")", {{"gpu", "mi300x,l4,h100"}}, {"lora", "qlora"}}}));
  CAPTURE(job);
  const auto ask = [&](const std::string& words) {
    return market.recommend(R"({"task": "finetune", )" + words + "}", limits);
  };
  const auto advice = ask(job);
  REQUIRE_FALSE(advice.recommendations.empty());
  // The smallest change that helps is the one to try.
  for (const std::string& method : smaller) {
    const auto asked = ask(job.substr(0, job.find(", \"method")) + R"(, "method": ")" + method + "\"");
    const Way way = cheapest(method, asked, advice);
    CAPTURE(method, way.ratio);
    if (!is_clear(way)) continue;
    CHECK(is_named(way, "method", advice));
    return;
  }
  CHECK_FALSE(names("method", advice));
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
