// What a decision must do whatever the question: candidates stand for themselves, less is never dearer, more is never
// promised than was asked for.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>

#include "answer/search/search.hpp"
#include "base/words/message.hpp"
#include "support/drawn.hpp"
#include "support/market.hpp"

namespace decision_property_test {

using namespace gpusel;
using answer::Advice;
using answer::Recommendation;
using test::holds;
using test::Limit;
using test::Market;
using test::must;
using test::must_be_near;
using test::must_not_fall;
namespace any = test::any;

namespace {

constexpr int kCases = 25;  // each ranks the whole catalogue twice
constexpr double kRounding = 1e-9;

Advice answered(const std::string& job, const std::vector<Limit>& limits = {}) {
  auto advice = Market::shipped().try_recommend(job, limits);
  test::given(advice.has_value() && !advice->recommendations.empty());
  return std::move(*advice);
}

std::string serving(double rate, const std::string& more = "") {
  return format(R"({{"task": "inference", "model": "{}", "request_rate": {}{}}})",
                any::one_of("model", {"llama-3.1-8b", "mistral-7b", "llama-3.1-70b"}), rate, more);
}

double cheapest(const Advice& advice) {
  double best = std::numeric_limits<double>::infinity();
  for (const Recommendation& r : advice.recommendations) best = std::min(best, r.cost.hourly);
  return best;
}

double least_total(const Advice& advice) {
  double best = std::numeric_limits<double>::infinity();
  for (const Recommendation& r : advice.recommendations) best = std::min(best, r.cost.total);
  return best;
}

/// The least before time is rounded up to billing steps.
double least_worked(const Advice& advice) {
  double best = std::numeric_limits<double>::infinity();
  for (const Recommendation& r : advice.recommendations) best = std::min(best, r.cost.hourly * r.cost.worked);
  return best;
}

/// What one billing step of all machines of the cheapest costs.
double billing_step(const Advice& advice) {
  const auto& cheapest =
      *std::ranges::min_element(advice.recommendations, {}, [](const Recommendation& r) { return r.cost.total; });
  return cheapest.cost.hourly * cheapest.cost.billing.granularity_s.value_or(0) / 3600;
}

/// Of independent work, so much of it: frames, tokens, hours of audio, images.
std::string pieces(const std::string& kind, double amount) {
  if (kind == "frames")
    return format(R"({{"task": "render", "frames": {}, "seconds_per_frame": 90, "measured_on": "rtx-4090"}})", amount);
  if (kind == "audio")
    return format(R"({{"task": "inference", "model": "whisper-large-v3", "audio_hours": {}}})", amount);
  if (kind == "images") return format(R"({{"task": "inference", "model": "sd-1.5", "images": {}}})", amount * 20);
  return format(R"({{"task": "inference", "model": "llama-3.1-8b", "tokens": {}}})", amount * 1e5);
}

}  // namespace

TEST_CASE("what stands on a market changes nothing of a candidate but its rank", "[property]") {
  holds(
      "a third offer",
      [] {
        const std::string job = any::coin("serves") ? serving(any::number("rate", 0.5, 50)) : any::job();
        const Advice before = answered(job);
        Market other = Market::own_shipped();
        const auto gone = static_cast<std::size_t>(
            any::whole("rank", 0, static_cast<std::int64_t>(before.recommendations.size()) - 1));
        const catalog::Offer* offer = before.recommendations[gone].offer;
        const auto at = static_cast<std::size_t>(offer - Market::shipped().catalog().offers().data());
        const double times = any::one_of("change", {"more expensive", "cheaper"}) == "more expensive" ? 1000 : 0.3;
        std::size_t i = 0;
        other.reprice([&](catalog::Offer& one) { one.amount *= i++ == at ? times : 1; });
        const Advice after = other.recommend(job);
        const auto name = [](const Recommendation& r) {
          return format("{}/{}", r.instance->provider, r.instance->sku);
        };
        const std::string repriced = name(before.recommendations[gone]);
        std::map<std::string, const Recommendation*> now;
        for (const Recommendation& r : after.recommendations) now[name(r)] = &r;
        int last = 0;
        for (const Recommendation& r : before.recommendations) {
          if (name(r) == repriced) continue;
          must(now.contains(name(r)), name(r) + " is gone");
          const Recommendation& same = *now[name(r)];
          must_be_near(r.cost.total, same.cost.total, "total of " + name(r));
          must_be_near(r.plan().rate, same.plan().rate, "rate of " + name(r));
          must(r.machine().nodes == same.machine().nodes, name(r) + " takes another number of nodes");
          must(same.rank > last, name(r) + " has changed places with another");
          last = same.rank;
        }
      },
      kCases);
}

TEST_CASE("a looser deadline takes no answer away, and makes the best no dearer", "[property]") {
  holds(
      "a looser deadline",
      [] {
        const std::string job = pieces(any::one_of("work", {"frames", "audio", "images", "tokens"}),
                                       static_cast<double>(any::size("amount", 2000, 50000)));
        const double hours = any::number("hours", 4, 48);
        const Advice tight = answered(job, {{"deadline", format("{}h", hours)}});
        const Advice loose = answered(job, {{"deadline", format("{}h", hours * any::number("times", 1.1, 4))}});
        const auto names = test::ranking(loose);
        for (const std::string& one : test::ranking(tight))
          must(std::ranges::find(names, one) != names.end(), one + " is gone");
        must(least_worked(loose) <= least_worked(tight) * (1 + kRounding), "more time is dearer");
        must(least_total(loose) <= least_total(tight) * (1 + kRounding) + billing_step(loose),
             "more time is dearer by more than a billing step");
      },
      kCases);
}

TEST_CASE("ten times the work costs about ten times as much", "[property]") {
  holds(
      "ten times the work",
      [] {
        const std::string kind = any::one_of("work", {"frames", "audio", "images", "tokens"});
        const double amount = static_cast<double>(any::size("amount", 1000, 3000));
        const std::vector<Limit> limits{{"deadline", format("{}h", any::whole("hours", 12, 72))},
                                        {"cloud", any::one_of("cloud", {"aws", "gcp", "aliyun", "hyperstack"})}};
        const double one = least_total(answered(pieces(kind, amount), limits));
        const double ten = least_total(answered(pieces(kind, 10 * amount), limits));
        must(ten >= 6 * one && ten <= 11 * one, format("{} times as much", ten / one));
      },
      kCases);
}

TEST_CASE("a further target never makes a service cheaper", "[property]") {
  holds(
      "a further target",
      [] {
        const double rate = any::number("rate", 0.5, 50);
        const std::string targets =
            format(R"(, "ttft": {}, "itl": {})", any::number("ttft", 300, 5000), any::number("itl", 15, 200));
        const std::string open = serving(rate);
        const std::string tight = open.substr(0, open.size() - 1) + targets + "}";
        const double without = cheapest(answered(open));
        const double with = cheapest(answered(tight));
        must(with >= without * (1 - kRounding), format("{} instead of {}", with, without));
      },
      kCases);
}

TEST_CASE("a limit of latency never makes a service of another model cheaper", "[property]") {
  holds(
      "a limit of latency",
      [] {
        const std::string open = format(R"({{"task": "inference", "model": "{}", "request_rate": {})",
                                        any::one_of("model", {"whisper-large-v3", "whisper-small", "sdxl", "sd-1.5"}),
                                        any::number("rate", 0.5, 50));
        const Advice with = answered(open + format(R"(, "latency_ms": {}}})", any::size("latency", 1000, 60000)));
        if (with.recommendations.empty()) return;
        const double without = cheapest(answered(open + "}"));
        must(cheapest(with) >= without * (1 - kRounding), format("{} instead of {}", cheapest(with), without));
      },
      kCases);
}

TEST_CASE("what is ranked fits, and keeps its targets, as surely as is asked for", "[property]") {
  holds(
      "as sure as asked",
      [] {
        const double sure = any::number("confidence", 0.55, 0.95);
        const double fit = any::number("min fit", 0.5, 0.98);
        const std::string more =
            format(R"(, "confidence": {}, "min_fit": {}, "itl": {})", sure, fit, any::number("itl", 20, 200));
        const Advice advice = answered(serving(any::number("rate", 0.5, 30), more));
        constexpr double kOfHalving = 0.01;  // that the chance is known to
        for (const Recommendation& r : advice.recommendations) {
          must(r.plan().need.chance() >= fit * (1 - kRounding), format("{} may not fit", r.instance->sku));
          must(r.in_time.has_value() && *r.in_time >= sure - kOfHalving,
               format("{} keeps its targets with {} only", r.instance->sku, r.in_time.value_or(0)));
        }
      },
      kCases);
}

TEST_CASE("no job is ranked on a commitment that outlives it, whatever is sold", "[property]") {
  holds(
      "commitments",
      [] {
        const Advice advice = answered(test::json_of(any::training()), {{"term", "any"}});
        for (const Recommendation& r : advice.recommendations) {
          const money::Commitment& commitment = r.cost.commitment;
          if (!commitment.is_promise() || commitment.by_day) continue;
          must(r.cost.elapsed >= commitment.hours * (1 - kRounding), format("{} is over before", r.instance->sku));
        }
      },
      kCases);
}

}  // namespace decision_property_test
