// What a ranking must do with money whatever the job: laws of prices, objectives and intervals.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "answer/search/search.hpp"
#include "base/words/message.hpp"
#include "support/drawn.hpp"
#include "support/market.hpp"

namespace market_property_test {

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

constexpr int kCases = 30;  // each ranks the whole catalogue
constexpr double kRounding = 1e-9;

/// A question that something answers.
struct Asking {
  std::string job;
  std::vector<Limit> limits;
  job::Objective objective;

  Advice of(const Market& market) const {
    auto advice = market.try_recommend(job, limits, objective);
    test::given(advice.has_value() && !advice->recommendations.empty());
    return std::move(*advice);
  }
};

job::Objective any_objective() {
  using job::ObjectiveKind;
  job::Objective objective;
  const std::string kind = any::one_of("objective", {"cost", "speed", "balanced", "weights"});
  if (kind != "weights") {
    objective.kind = *from_text<ObjectiveKind>(kind);
    return objective;
  }
  for (const char* part : {"cost", "speed", "headroom"})
    objective.weights[part] = static_cast<double>(any::whole(part, 0, 10));
  test::given(objective.weights["cost"] + objective.weights["speed"] + objective.weights["headroom"] > 0);
  return objective;
}

Asking asking() { return {any::job(), {}, any_objective()}; }

/// Of sellers whose prices are all there is to pay: what is charged beside them does not grow with them.
Asking asking_of_prices_alone() {
  Asking out = asking();
  std::set<std::string> sellers;
  for (const catalog::BillingRule& rule : Market::shipped().catalog().billing())
    if (rule.setup || rule.host_apart) sellers.emplace(rule.provider);
  std::string list;
  for (const std::string& seller : sellers) list += (list.empty() ? "" : ",") + seller;
  out.limits.push_back({"not_cloud", list});
  return out;
}

std::set<std::string> names_of(const Advice& advice) {
  const auto list = test::ranking(advice);
  return {list.begin(), list.end()};
}

/// How the number of nodes is given.
Limit any_nodes() { return {"nodes", any::one_of("nodes", {"1", "2", "4"})}; }

double best_cost(const Advice& advice) {
  double best = std::numeric_limits<double>::infinity();
  for (const Recommendation& r : advice.recommendations)
    best = std::min(best, answer::cost_measure(r.cost, advice.work));
  return best;
}

const Recommendation* row_of(const Advice& advice, const catalog::Instance& instance) {
  for (const Recommendation& r : advice.recommendations)
    if (r.instance->provider == instance.provider && r.instance->sku == instance.sku) return &r;
  return nullptr;
}

double free_share(const Recommendation& r) { return 1 - r.memory().total() / r.machine().memory(); }

double points_of_rules(const Recommendation& r) {
  double points = 0;
  for (const auto& part : r.parts)
    if (part.name != "cost" && part.name != "speed" && part.name != "headroom") points += part.points;
  return points;
}

/// An instance type of a market that is made up.
struct OnSale {
  std::string gpu;
  std::string gpus;
  double price = 0;
};

OnSale any_on_sale() { return {any::gpu(), any::one_of("GPUs", {"1", "2", "4", "8"}), any::number("price", 0.1, 50)}; }

std::string name_of(std::size_t at) { return format("p/type-{}", at); }

Market market_of(const std::vector<OnSale>& list) {
  std::string sizes, prices;
  for (std::size_t i = 0; i < list.size(); ++i) {
    sizes += format("      - {{sku: type-{}, gpu: {}, gpus: {}, vcpu: 64, memory_gib: 512}}\n", i, list[i].gpu,
                    list[i].gpus);
    prices += format("type-{}: {}, ", i, list[i].price);
  }
  return Market(format(R"(
sources: {{list: {{publisher: P, document: prices, date: 2026-11-01, confidence: documented}}}}
providers: [{{id: p, name: P, country: US, kind: cloud, regions: {{r: {{country: US}}}}}}]
families:
  - provider: p
    id: f
    interconnect: {{kind: none}}
    sources: [list]
    sizes:
{}
prices:
  - {{provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {{{}}}}}
)",
                       sizes, prices));
}

}  // namespace

TEST_CASE("prices that are all so many times as high cost as many times as much, in the same order", "[property]") {
  holds(
      "scaled prices",
      [] {
        const Asking ask = asking_of_prices_alone();
        const double times = std::exp2(static_cast<double>(any::whole("log2 times", -8, 8)));
        Market scaled = Market::own_shipped();
        scaled.reprice([&](catalog::Offer& offer) { offer.amount *= times; });
        const Advice before = ask.of(Market::shipped()), after = ask.of(scaled);
        must(test::ranking(before) == test::ranking(after), "another order");
        for (std::size_t i = 0; i < before.recommendations.size(); ++i) {
          const auto& one = before.recommendations[i];
          const auto& other = after.recommendations[i];
          must_be_near(one.cost.hourly * times, other.cost.hourly, "price per hour");
          must_be_near(one.cost.total * times, other.cost.total, "total");
          must_be_near(one.score, other.score, "score");
          must(one.offer->term == other.offer->term && one.offer->region == other.offer->region, "another offer");
        }
      },
      kCases);
}

TEST_CASE("prices that are all any number of times as high cost as many times as much, in the same order but for ties",
          "[property]") {
  constexpr std::array kFactors{3.0, 0.7, 7.25, 0.1, 1.1, 1000.0 / 3};
  constexpr double kTie = 2e-6;  // scores are compared to six digits behind the point
  holds(
      "scaled prices, rounded",
      [&] {
        const Asking ask = asking_of_prices_alone();
        const double times = kFactors.at(static_cast<std::size_t>(any::whole("factor", 0, kFactors.size() - 1)));
        Market scaled = Market::own_shipped();
        scaled.reprice([&](catalog::Offer& offer) { offer.amount *= times; });
        const Advice before = ask.of(Market::shipped()), after = ask.of(scaled);
        must(names_of(before) == names_of(after), "other candidates");
        double above = std::numeric_limits<double>::infinity();
        for (const Recommendation& now : after.recommendations) {
          const Recommendation& one = *row_of(before, *now.instance);
          must_be_near(one.cost.hourly * times, now.cost.hourly, "price per hour");
          must_be_near(one.cost.total * times, now.cost.total, "total");
          must(one.score <= above + kTie, format("{} fell behind", now.instance->sku));
          above = std::min(above, one.score);
        }
      },
      kCases);
}

TEST_CASE("an equal machine at a lower price never makes the best answer dearer, and ranks before the other",
          "[property]") {
  holds(
      "a cheaper offer",
      [] {
        std::vector<OnSale> list;
        for (auto left = any::whole("machines", 1, 5); left > 0; --left) list.push_back(any_on_sale());
        const OnSale& one =
            list[static_cast<std::size_t>(any::whole("which", 0, static_cast<std::int64_t>(list.size()) - 1))];
        const OnSale cheaper{one.gpu, one.gpus, one.price * any::number("times", 0.1, 0.99)};
        const Asking ask = asking();
        const Market market = market_of(list);  // an answer points into it
        const Advice before = ask.of(market);
        const std::size_t old = static_cast<std::size_t>(&one - list.data()), added = list.size();
        list.push_back(cheaper);
        const Market larger = market_of(list);
        const Advice after = ask.of(larger);
        must_not_fall(best_cost(after), best_cost(before), "cost of the best before");
        auto names = names_of(before);
        const bool does = names.contains(name_of(old));
        if (does) names.insert(name_of(added));
        must(names_of(after) == names, "other candidates");
        const auto ranks = test::ranking(after);
        must(!does || std::ranges::find(ranks, name_of(added)) < std::ranges::find(ranks, name_of(old)),
             "the dearer stands before the cheaper");
      },
      kCases);
}

TEST_CASE("a price that falls never makes the best answer dearer nor its own instance rank lower", "[property]") {
  holds(
      "a lower price",
      [] {
        const Asking ask = asking();
        const Advice before = ask.of(Market::shipped());
        const auto at = static_cast<std::size_t>(
            any::whole("rank", 0, static_cast<std::int64_t>(before.recommendations.size()) - 1));
        const Recommendation& chosen = before.recommendations[at];
        const double times = any::number("times", 0.1, 0.99);
        const std::size_t offer = static_cast<std::size_t>(chosen.offer - Market::shipped().catalog().offers().data());
        Market cheaper = Market::own_shipped();
        std::size_t i = 0;
        cheaper.reprice([&](catalog::Offer& one) { one.amount *= i++ == offer ? times : 1; });
        const Advice after = ask.of(cheaper);
        must_not_fall(best_cost(after), best_cost(before), "cost of the best before");
        const Recommendation* now = row_of(after, *chosen.instance);
        must(now != nullptr, "it is no candidate any more");
        must(now->rank <= chosen.rank, format("{}: from rank {} to {}", chosen.instance->sku, chosen.rank, now->rank));
        must_not_fall(now->cost.hourly, chosen.cost.hourly, "its own price before");
      },
      kCases);
}

TEST_CASE("limits on money and time only take candidates away", "[property]") {
  holds(
      "limits on money",
      [] {
        const std::string job = test::json_of(any::training());
        const Limit nodes = any_nodes();
        const Advice open = Asking{job, {nodes}, {}}.of(Market::shipped());
        const std::string key = any::one_of("limit", {"max_price", "budget", "deadline"});
        const double value = any::number("value", 0.1, 1000);
        const Limit limit{key, key == "deadline" ? format("{}h", value) : format("{}", value)};
        const auto limited = Market::shipped().try_recommend(job, {limit, nodes});
        test::given(limited.has_value());
        must(std::ranges::includes(names_of(open), names_of(*limited)), "a limit added a candidate");
        for (const Recommendation& r : limited->recommendations) {
          const double figure = key == "max_price" ? r.cost.hourly : key == "budget" ? r.cost.total : r.cost.hours;
          must(figure <= value * (1 + kRounding), format("{} of {}", figure, value));
        }
      },
      kCases);
}

TEST_CASE("what is cheaper, faster and has more room is never ranked below", "[property]") {
  holds(
      "dominated",
      [] {
        const Advice advice = asking().of(Market::shipped());
        const auto& rows = advice.recommendations;
        for (std::size_t i = 0; i < rows.size(); ++i)
          for (std::size_t j = i + 1; j < rows.size(); ++j) {
            // At the prices that order them: those expected today.
            const bool cheaper = answer::order_cost(rows[j], advice.work) < answer::order_cost(rows[i], advice.work);
            const bool faster =
                answer::speed_measure(rows[j], advice.work) > answer::speed_measure(rows[i], advice.work);
            const bool freer = free_share(rows[j]) >= free_share(rows[i]);
            const bool trusted = points_of_rules(rows[j]) >= points_of_rules(rows[i]);
            // Scores are compared to six digits behind the point.
            must(!(cheaper && faster && freer && trusted) || rows[i].score - rows[j].score < 2e-6,
                 format("{} stands before {}", rows[i].instance->sku, rows[j].instance->sku));
          }
      },
      kCases);
}

TEST_CASE("money is the price per hour times the time", "[property]") {
  holds(
      "cost",
      [] {
        const Advice advice = asking_of_prices_alone().of(Market::shipped());
        const bool trains = job::is_training(advice.work.task);
        for (const Recommendation& r : advice.recommendations) {
          double beside = 0;
          for (const money::Line& line : r.cost.lines)
            if (line.known && line.key != "licence")
              beside += *(r.cost.paid.job ? line.amounts.job : line.amounts.month);
          const double paid = r.cost.paid.job.value_or(r.cost.paid.month);
          must_be_near(r.cost.total, r.cost.hourly * paid + beside, "total");
          // Where hours get cheaper as the month goes on, what is paid are so many at the full price.
          const money::Billing& billing = r.cost.billing;
          const double least =
              billing.increments.empty() ? r.cost.hours : billing.charged_over(r.cost.hours, r.cost.hours);
          must(least > 0 && paid >= least * (1 - 1e-9), "no hour is free");
          const double rate = r.cost.exchange ? r.cost.exchange->rate : 1;
          must_be_near(r.cost.hourly, r.offer->per_hour() * r.machine().nodes * rate, "price per hour");
          if (trains)
            must_be_near(r.cost.worked, advice.work.training.tokens / r.tokens_per_s() / 3600, "hours at work");
          must(r.cost.hours >= r.cost.worked * (1 - 1e-9), "failures take time, and give none");
          if (r.cost.per_million_tokens && r.tokens_per_s() > 0)
            must_be_near(*r.cost.per_million_tokens, r.cost.total / (r.tokens_per_s() * 3600 * r.cost.worked) * 1e6,
                         "per token");
        }
      },
      kCases);
}

TEST_CASE("on spot a cheaper price costs less", "[property]") {
  holds(
      "spot",
      [] {
        const std::string job = any::job();
        const Advice demand = Asking{job, {{"term", "on-demand"}}, {}}.of(Market::shipped());
        const Advice spot = Asking{job, {{"term", "spot"}}, {}}.of(Market::shipped());
        for (const Recommendation& r : spot.recommendations) {
          const Recommendation* other = row_of(demand, *r.instance);
          if (other == nullptr || r.cost.hourly > other->cost.hourly) continue;
          must_not_fall(r.cost.total, other->cost.total, format("the total of {} on demand", r.instance->sku));
        }
      },
      kCases);
}

TEST_CASE("a recommended machine is planned as it is when it is asked about alone", "[property]") {
  holds(
      "recommend and estimate",
      [] {
        const Advice advice = asking().of(Market::shipped());
        const auto at = static_cast<std::size_t>(
            any::whole("rank", 0, static_cast<std::int64_t>(advice.recommendations.size()) - 1));
        const Recommendation& r = advice.recommendations[at];
        if (r.gpu == nullptr) return;  // machine_of() is of GPUs
        // As an estimate plans it: requests that come at a rate are shared out to groups of nodes.
        const auto alone =
            answer::plan_on_all(advice.work, r.machine(), Market::shipped().catalog(), test::coefficients());
        must(alone.has_value() && alone->plan.is_usable(), "alone it is of no use");
        must_be_near(alone->plan.rate, r.plan().rate, "rate");
        must_be_near(alone->plan.memory.total().raw(), r.memory().total().raw(), "memory");
        const auto machine = answer::machine_of(*r.instance, r.machine().nodes, Market::shipped().catalog(),
                                                Market::shipped().coefficients());
        must(machine.has_value() && machine->gpus() == r.machine().gpus(), "another machine");
        must_be_near(machine->device.usable.raw(), r.machine().device.usable.raw(), "memory of the machine");
      },
      kCases);
}

TEST_CASE("every interval holds its own estimate", "[property]") {
  holds(
      "intervals",
      [] {
        const Advice advice = asking().of(Market::shipped());
        const auto within = [](const physics::Interval& interval, double figure, std::string_view what) {
          if (interval.high == 0) return;  // of other work
          must(interval.low >= 0 && interval.low <= figure * (1 + kRounding) &&
                   figure <= interval.high * (1 + kRounding),
               format("{} {} is not in {} to {}", what, figure, interval.low, interval.high));
        };
        for (const Recommendation& r : advice.recommendations) {
          within(r.intervals.memory_total_gib, in_gib(r.memory().total()), "memory");
          within(r.intervals.rate, r.plan().rate, "rate");
          within(r.intervals.sequences_per_s, r.plan().sequences_per_s, "sequences per second");
          const auto& served = r.plan().serving;
          if (!served || r.plan().rate <= 0) continue;
          within(r.intervals.ttft_ms, in_ms(served->speed.ttft()), "ms to the first token");
          within(r.intervals.itl_ms, in_ms(served->speed.itl()), "ms between tokens");
        }
      },
      kCases);
}

}  // namespace market_property_test
