// Fleets from a question to the answer, on the invented clouds of tests/data/market.
#include "answer/fleet/fleet.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/text/text.hpp"
#include "support/market.hpp"

namespace fleet_test {

using namespace gpusel;
using namespace gpusel::answer;
using gpusel::test::Market;

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

template <class Target>
bool set_option(std::span<const job::Option<Target>> options, const std::string& key, const std::string& value,
                Target& target) {
  const auto* option = job::find_option(options, key);
  if (option == nullptr) return false;
  REQUIRE(option->set(target, value));
  return true;
}

FleetQuestion question(const Words& words) {
  FleetQuestion out;
  out.today = Date(2026, 11, 20);
  out.request.model = "llama-3.1-8b";
  for (const auto& [key, value] : words) {
    CAPTURE(key);
    REQUIRE((set_option(fleet_options(), key, value, out) ||
             set_option(job::request_options(), key, value, out.request) ||
             set_option(job::constraint_options(), key, value, out.constraints)));
  }
  return out;
}

Result<Fleet> try_fleet(const Words& words, bool explain = false) {
  const Market& market = Market::small();
  FleetQuestion asked = question(words);
  asked.explain = explain;
  return plan_fleet(asked, market.catalog(), market.rules, market.coefficients());
}

Fleet fleet_for(const Words& words, bool explain = false) {
  auto fleet = try_fleet(words, explain);
  INFO((fleet ? "" : fleet.error().message));
  REQUIRE(fleet);
  return std::move(*fleet);
}

/// The answer keeps its own promises: every bucket is served, no load is above one, money adds up.
void check_fleet(const Fleet& fleet) {
  REQUIRE(fleet.mix.feasible);
  std::vector<double> served(fleet.traffic.buckets.size(), 0.0);
  double hourly = 0;
  for (const FleetMember& member : fleet.mix.members) {
    CHECK(member.load <= 1 + 1e-5);
    hourly += member.hourly;
    CHECK(member.hourly == Approx(member.instances * fleet.types[member.type].steady().cost.hourly));
    for (std::size_t b = 0; b < served.size(); ++b) {
      served[b] += member.share[b];
      if (member.share[b] > 0) CHECK(fleet.types[member.type].carried[b].requests_per_s > 0);
    }
  }
  CHECK(hourly == Approx(fleet.mix.hourly));
  for (const double share : served) CHECK(share == Approx(1));
  if (fleet.single && (!fleet.replay || fleet.replay->added <= 0))
    CHECK(fleet.mix.hourly <= fleet.single->hourly * (1 + 1e-9));
  CHECK(fleet.mix.bound <= fleet.mix.hourly * (1 + 1e-9));
}

}  // namespace

TEST_CASE("a fleet serves all, within the targets, for no more than the best single type") {
  for (const std::string traffic : {"chat", "code", "rag", "batch"}) {
    CAPTURE(traffic);
    const Fleet fleet = fleet_for({{"traffic", traffic}, {"request_rate", "30"}, {"ttft", "2000"}, {"tpot", "100"}});
    check_fleet(fleet);
    CHECK(fleet.mix.optimal);
    for (const FleetMember& member : fleet.mix.members)
      for (std::size_t b = 0; b < member.share.size(); ++b) {
        if (member.share[b] <= 0) continue;
        const Carried& carried = fleet.types[member.type].carried[b];
        CHECK(in_ms(carried.ttft) <= 2000);
        CHECK(in_ms(carried.itl) <= 100);
        CHECK(carried.requests_per_s <= 0.8 * carried.ceiling * (1 + 1e-9));
      }
  }
}

TEST_CASE("tighter targets, less load and spares never make a fleet cheaper") {
  const Words usual{{"traffic", "conversation"}, {"request_rate", "30"}, {"ttft", "1000"}, {"tpot", "80"}};
  const double cost = fleet_for(usual).mix.hourly;
  const auto with = [&](const std::string& key, const std::string& value) {
    Words words = usual;
    words.emplace_back(key, value);
    return fleet_for(words).mix.hourly;
  };
  CHECK(with("tpot", "40") >= cost);
  CHECK(with("strict_slo", "true") >= cost);
  CHECK(with("max_load", "0.5") >= cost);
  CHECK(with("redundancy", "1") > cost);
  CHECK(with("max_types", "1") >= cost);
  CHECK(with("max_types", "1") == Approx(fleet_for(usual).single->hourly));
  for (const std::string traffic : {"chat", "conversation", "rag"}) {
    CAPTURE(traffic);
    const Words open{{"traffic", traffic}, {"request_rate", "20"}};
    Words limited = open;
    limited.emplace_back("ttft", "2000");
    CHECK(fleet_for(limited).mix.hourly >= fleet_for(open).mix.hourly * (1 - 1e-9));
  }
}

TEST_CASE("a fleet is no dearer than the one type that recommend() puts first") {
  for (const auto& [ttft, tpot] : {std::pair("", ""), std::pair("1500", "70"), std::pair("800", "50")})
    for (const int rate : {3, 12, 40}) {
      CAPTURE(ttft, rate);
      Words words{{"input_tokens", "1024"}, {"output_tokens", "256"}, {"request_rate", std::to_string(rate)}};
      std::string job = format(
          R"({{"model": "llama-3.1-8b", "task": "inference", "input_tokens": 1024, "output_tokens": 256, "request_rate": {})",
          rate);
      if (*ttft != 0) {
        words.insert(words.end(), {{"ttft", ttft}, {"tpot", tpot}});
        job += format(R"(, "ttft": {}, "tpot": {})", ttft, tpot);
      }
      const Advice advice = Market::small().recommend(job + "}", {});
      REQUIRE_FALSE(advice.recommendations.empty());
      // What rounding and finite runs leave open is a machine.
      const Recommendation& first = advice.recommendations.front();
      CHECK(fleet_for(words).mix.hourly <= first.cost.hourly * (1 + 1.0 / first.machine().nodes) * (1 + 1e-9));
    }
}

TEST_CASE("of one type it is what one type costs") {
  const Fleet fleet = fleet_for({{"input_tokens", "1000"}, {"output_tokens", "200"}, {"request_rate", "40"}});
  check_fleet(fleet);
  CHECK(fleet.traffic.buckets.size() == 1);
  for (const FleetMember& member : fleet.mix.members) {
    const Carried& carried = fleet.types[member.type].carried[0];
    CHECK(member.requests_per_s / carried.requests_per_s <= member.instances * (1 + 1e-6));
  }
}

TEST_CASE("quotas and limits are kept, and what they cost is said") {
  const Words usual{{"traffic", "chat"}, {"request_rate", "30"}};
  const Fleet free = fleet_for(usual);
  const auto& first = free.mix.members.front();
  const std::string sku(free.types[first.type].steady().instance->sku);
  Words words = usual;
  words.emplace_back("quota", sku + "=1");
  const Fleet limited = fleet_for(words);
  check_fleet(limited);
  double used = 0;
  for (const FleetMember& member : limited.mix.members)
    if (limited.types[member.type].steady().instance->sku == sku) used += member.instances;
  CHECK(used <= 1);
  CHECK(limited.mix.hourly >= free.mix.hourly);

  Words none = usual;
  none.emplace_back("max_instances", "1");
  none.emplace_back("max_nodes", "1");
  none.emplace_back("request_rate", "3000");
  const Fleet impossible = fleet_for(none);
  CHECK_FALSE(impossible.mix.feasible);
  CHECK(impossible.unserved.empty());
  REQUIRE_FALSE(impossible.notes.empty());
  CHECK(impossible.notes.back().starts_with("no fleet within --max-instances, --max-nodes; without them"));
}

TEST_CASE("traffic that nothing serves is explained with the target that would do") {
  const Fleet fleet = fleet_for({{"traffic", "chat"}, {"request_rate", "5"}, {"ttft", "2"}});
  CHECK_FALSE(fleet.mix.feasible);
  REQUIRE(fleet.unserved.size() == fleet.traffic.buckets.size());
  for (const Unserved& one : fleet.unserved) {
    REQUIRE(one.nearest);
    CHECK(in_ms(one.ttft) > 2);
    CHECK(one.message.find("comes closest") != std::string::npos);
  }
  REQUIRE(fleet.relaxed.starts_with("--ttft "));
  // The relaxed target, with some room for a queue, is one that a fleet meets.
  const double relaxed = std::stod(fleet.relaxed.substr(7));
  CHECK(fleet_for({{"traffic", "chat"}, {"request_rate", "5"}, {"ttft", std::to_string(relaxed * 3)}}).mix.feasible);
}

TEST_CASE("long prompts may be late, as many as percentiles allow") {
  // On one A10 the longest prompts of chat take longer than this to read, whatever else runs.
  const Words asked{{"traffic", "chat"}, {"request_rate", "5"}, {"ttft", "3000"}, {"cloud", "south"}};
  const Fleet fleet = fleet_for(asked);
  CHECK(fleet.mix.feasible);
  REQUIRE(fleet.replay);
  CHECK(fleet.replay->kept);
  Words all = asked;
  all.emplace_back("slo_percentile", "99.9");
  CHECK_FALSE(fleet_for(all).mix.feasible);
}

TEST_CASE("bursts are those of the fleet's size: twice the machines get half of each") {
  const Fleet fleet = fleet_for({{"traffic", "code"}, {"request_rate", "5"}, {"ttft", "2000"}, {"tpot", "80"}});
  REQUIRE(fleet.replay);
  CHECK(fleet.replay->kept);
  double machines = 0;
  for (const FleetMember& member : fleet.mix.members) machines += member.instances;
  CHECK(machines < 200);
}

TEST_CASE("a model that fits nowhere says what is missing") {
  const Fleet fleet = fleet_for({{"model", "deepseek-v3"}, {"traffic", "chat"}, {"request_rate", "5"}, {"gpu", "t4"}});
  CHECK_FALSE(fleet.mix.feasible);
  REQUIRE_FALSE(fleet.unserved.empty());
  CHECK(fleet.unserved.front().message.find("no allowed machine") == 0);
}

TEST_CASE("a day's schedule follows the traffic and counts its cold starts") {
  const Fleet fleet = fleet_for({{"traffic", "conversation"}, {"request_rate", "60"}, {"daily", "office"}});
  check_fleet(fleet);
  CHECK(fleet.peak == Approx(3.3));
  REQUIRE(fleet.schedule);
  const FleetSchedule& day = *fleet.schedule;
  double sum = 0;
  for (std::size_t hour = 0; hour < 24; ++hour) {
    double rate = 0;
    for (const FleetMember& member : day.hours[hour]) {
      CHECK(member.load <= 1 + 1e-5);
      sum += member.hourly;
      rate += member.requests_per_s;
    }
    CHECK(rate == Approx(60 * day.multipliers[hour]));
  }
  CHECK(day.daily == Approx(sum + day.cold_daily));
  CHECK(day.cold_daily > 0);
  CHECK(day.fixed_daily == Approx(24 * fleet.mix.hourly));
  CHECK(day.daily < day.fixed_daily);
  for (const FleetScaling& one : fleet.scaling) {
    CHECK(one.rule.stabilization >= one.rule.cold_start);
    CHECK(one.rule.max_replicas >= one.rule.min_replicas);
  }
}

TEST_CASE("each hour of a day is replayed, and its busiest is the fleet of the peak") {
  const Fleet fleet = fleet_for({{"model", "llama-3.1-8b"},
                                 {"traffic", "chat"},
                                 {"request_rate", "200"},
                                 {"ttft", "1000"},
                                 {"tpot", "60"},
                                 {"daily", "consumer"}});
  REQUIRE(fleet.replay);
  REQUIRE(fleet.replay->kept);
  REQUIRE(fleet.schedule);
  const FleetSchedule& day = *fleet.schedule;
  CHECK(day.replayed);
  CHECK_FALSE(day.optimal);
  std::vector<double> hourly(24);
  for (std::size_t hour = 0; hour < 24; ++hour)
    for (const FleetMember& member : day.hours[hour]) hourly[hour] += member.hourly;
  // No hour costs more than the fleet that serves the busiest, and none more than a busier one.
  for (std::size_t a = 0; a < 24; ++a) {
    CHECK(hourly[a] <= fleet.mix.hourly * (1 + 1e-9));
    for (std::size_t b = 0; b < 24; ++b)
      if (day.multipliers[a] < day.multipliers[b]) CHECK(hourly[a] <= hourly[b] * (1 + 1e-9));
  }
  CHECK(day.daily < day.fixed_daily);
  const auto quietest = std::ranges::min_element(day.multipliers) - day.multipliers.begin();
  CHECK(hourly[static_cast<std::size_t>(quietest)] < 0.75 * fleet.mix.hourly);
}

TEST_CASE("a flat day is no day, whoever says so") {
  const Fleet flat = fleet_for({{"traffic", "rag"}, {"request_rate", "40"}, {"daily", "flat"}});
  const Fleet silent = fleet_for({{"traffic", "rag"}, {"request_rate", "40"}});
  CHECK_FALSE(flat.schedule);
  CHECK(flat.mix.hourly == silent.mix.hourly);
  REQUIRE(flat.scaling.size() == silent.scaling.size());
  for (std::size_t i = 0; i < flat.scaling.size(); ++i) {
    CHECK(flat.scaling[i].rule.min_replicas == silent.scaling[i].rule.min_replicas);
    CHECK(flat.scaling[i].rule.min_replicas == flat.scaling[i].rule.max_replicas);
  }
}

TEST_CASE("more terms to choose from never make a day dearer") {
  const auto daily = [](const std::string& term) {
    const Fleet fleet = fleet_for({{"traffic", "rag"}, {"request_rate", "200"}, {"daily", "office"}, {"term", term}});
    REQUIRE(fleet.schedule);
    CHECK(fleet.schedule->daily <= fleet.schedule->fixed_daily * (1 + 1e-9));
    return fleet.schedule->daily - fleet.schedule->cold_daily;  // what is minimised
  };
  const double on_demand = daily("on-demand");
  CHECK(daily("any") <= on_demand * (1 + 1e-5));
  CHECK(daily("on-demand,reserved-1y") <= on_demand * (1 + 1e-5));
}

TEST_CASE("what is asked for in contradiction or not at all is refused") {
  const auto error = [](const Words& words) {
    const auto fleet = try_fleet(words);
    REQUIRE_FALSE(fleet);
    return fleet.error().where + ": " + fleet.error().message;
  };
  CHECK(error({{"traffic", "chta"}, {"request_rate", "3"}}).starts_with("--traffic: 'chta' is neither"));
  CHECK(error({{"traffic", "chat"}, {"request_rate", "3"}, {"daily", "trace"}}).starts_with("--daily: "));
  CHECK(error({{"traffic", "chat"}, {"request_rate", "3"}, {"daily", "weekly"}}).starts_with("--daily: 'weekly'"));
  CHECK(error({{"traffic", "chat"}, {"request_rate", "3"}, {"quota", "no-such=3"}}).starts_with("--quota: "));
  CHECK(error({{"traffic", "chat"}, {"request_rate", "3"}, {"isl", "100"}}).starts_with("--input-tokens: "));
}

TEST_CASE("without a rate or lengths the usual ones are taken, and said") {
  const Fleet fleet = fleet_for({});
  CHECK(fleet.rate == job::kAssumedRate);
  CHECK(fleet.traffic.mean_input == job::kUsualInput);
  CHECK(fleet.traffic.mean_output == job::kUsualOutput);
  CHECK(std::ranges::count_if(fleet.notes,
                              [](const std::string& note) { return note.find("assumed") != std::string::npos; }) == 2);
}

TEST_CASE("every figure of a fleet has its line") {
  const Fleet fleet = fleet_for({{"traffic", "rag"}, {"request_rate", "40"}, {"daily", "consumer"}}, true);
  const auto has = [&](std::string_view quantity) {
    return std::ranges::any_of(fleet.trace, [&](const auto& line) { return line.quantity == quantity; });
  };
  for (const char* quantity : {"traffic.peak", "fleet.hourly", "fleet.monthly", "fleet.bound", "fleet.gap",
                               "single.hourly", "fleet.saving", "schedule.daily", "schedule.fixed_daily"}) {
    CAPTURE(quantity);
    CHECK(has(quantity));
  }
  for (const auto& line : fleet.trace) {
    CAPTURE(line.quantity);
    CHECK_FALSE(line.formula.empty());
    CHECK_FALSE(line.value.text.empty());
    CHECK_FALSE(line.source.empty());
  }
}

}  // namespace fleet_test
