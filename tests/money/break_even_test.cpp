// Break-even points, worked by hand to the cent.
#include "money/over_time/break_even.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace break_even_test {

using namespace gpusel;
using namespace gpusel::money;

namespace {

Seconds hours(double n) { return seconds(3600 * n); }

/// A hundred hours on eight nodes at 10 and 4 a node; each fails once in 800 h and is taken once in 400 h.
SpotCase eight_nodes() {
  SpotCase asked;
  asked.spot_per_hour = 32;
  asked.on_demand_per_hour = 80;
  asked.failures = {0.01, hours(0.05), hours(0.25)};
  asked.taken_per_hour = 0.02;
  asked.work = hours(100);
  return asked;
}

}  // namespace

TEST_CASE("a commitment is cheaper from its price over the hourly one") {
  CHECK(*break_even_hours(1000, 2) == Approx(500));  // 1000 / 2
  CHECK(*break_even_hours(1460, 2) == Approx(730));  // equal prices: the whole month
  CHECK_FALSE(break_even_hours(1460.01, 2));
}

TEST_CASE("a year's sum is less than what was paid after some months") {
  CHECK(*break_even_months(12000, 12, 2, 730) == Approx(8.219178));  // 12000 / 1460
  CHECK(*break_even_months(17520, 12, 2, 730) == Approx(12));
  CHECK_FALSE(break_even_months(12000, 12, 2, 365));  // half the hours: 16.4 months
  CHECK_FALSE(break_even_months(17521, 12, 2, 730));
}

TEST_CASE("what nothing interrupts takes its time on a mix, too") {
  SpotCase quiet = eight_nodes();
  quiet.taken_per_hour = quiet.failures.per_hour = 0;
  const SpotAnswer answer = compare_spot(quiet);
  CHECK(in_hours(answer.mix.run.wall) == Approx(100));
  CHECK(answer.mix.cost == Approx(100 * quiet.spot_per_hour));
}

TEST_CASE("spot costs its price for its time") {
  SpotCase asked = eight_nodes();
  asked.interval = hours(3);
  const SpotAnswer answer = compare_spot(asked);
  // 32 · 100 · e^(0.03·0.25) · (e^(0.03·3.05) − 1) / (0.03·3)
  CHECK(answer.spot_cost == Approx(3432.47).margin(0.01));
  // 80 · 100 · e^(0.01·0.25) · (e^(0.01·3.05) − 1) / (0.01·3)
  CHECK(answer.on_demand_cost == Approx(8279.31).margin(0.01));
  CHECK(answer.break_even_price == Approx(77.19).margin(0.01));  // 8279.31 · 32 / 3432.47
  asked.restarts_paid = false;
  CHECK(compare_spot(asked).spot_cost == Approx(3406.82).margin(0.01));  // without e^(0.03·0.25)
}

TEST_CASE("at the break-even rate and at the break-even price both cost the same") {
  SpotCase asked = eight_nodes();
  const SpotAnswer answer = compare_spot(asked);
  REQUIRE(answer.break_even_rate);
  CHECK(*answer.break_even_rate > asked.taken_per_hour);
  SpotCase often = asked;
  often.taken_per_hour = *answer.break_even_rate;
  CHECK(compare_spot(often).spot_cost == Approx(answer.on_demand_cost));
  asked.spot_per_hour = answer.break_even_price;
  CHECK(compare_spot(asked).spot_cost == Approx(answer.on_demand_cost));
  CHECK(*compare_spot(asked).break_even_rate == Approx(asked.taken_per_hour).epsilon(1e-6));
}

TEST_CASE("spot at the price of on-demand is never cheaper") {
  SpotCase asked = eight_nodes();
  asked.spot_per_hour = asked.on_demand_per_hour;
  CHECK_FALSE(compare_spot(asked).break_even_rate);
  asked.taken_per_hour = 0;
  CHECK(compare_spot(asked).break_even_price == Approx(80));
}

TEST_CASE("waiting for spot takes time and no money, and on demand can stand in for it") {
  SpotCase asked = eight_nodes();
  asked.piecewise = true;
  const SpotAnswer at_once = compare_spot(asked);
  asked.regain = hours(2);
  const SpotAnswer answer = compare_spot(asked);
  // 100 · e^(0.03·0.25) h with 3.0226 interruptions, two thirds of them of spot, each of two hours.
  CHECK(in_hours(answer.spot.waiting) == Approx(4.03011).epsilon(1e-5));
  CHECK(in_hours(answer.spot.wall) == Approx(104.78294).epsilon(1e-5));
  CHECK(answer.spot_cost == Approx(at_once.spot_cost));
  CHECK(*answer.break_even_rate == Approx(*at_once.break_even_rate));
  CHECK(answer.on_demand.waiting.raw() == 0);
  // 0.04 / 1.04 of the time on demand: spot is lost 0.01923 times an hour, and gone back to in 0.3 h each time.
  CHECK(answer.mix.on_demand_share == Approx(0.0384615).epsilon(1e-5));
  CHECK(in_hours(answer.mix.run.wall) == Approx(101.31460).epsilon(1e-5));
  CHECK(answer.mix.cost == Approx(3429.110).epsilon(1e-5));  // 101.3146 · (0.03846 · 80 + 0.96154 · 32)
  CHECK(at_once.mix.on_demand_share == 0);
}

TEST_CASE("the longer spot stays away, the later the end, the dearer the mix, and never later than waiting") {
  SpotCase asked = eight_nodes();
  SpotAnswer last = compare_spot(asked);
  for (const double wait : {0.5, 2.0, 12.0, 48.0}) {
    asked.regain = hours(wait);
    const SpotAnswer answer = compare_spot(asked);
    CHECK(answer.spot.wall > last.spot.wall);
    CHECK(answer.mix.cost > last.mix.cost);
    CHECK(answer.mix.run.wall < answer.spot.wall);
    CHECK(answer.mix.cost < answer.on_demand_cost);
    last = answer;
  }
}

TEST_CASE("work in pieces bears more interruptions") {
  SpotCase asked = eight_nodes();
  const double whole = *compare_spot(asked).break_even_rate;
  asked.piecewise = true;
  const SpotAnswer answer = compare_spot(asked);
  CHECK(answer.spot_cost == Approx(3224.09).margin(0.01));  // 3200 · e^(0.03·0.25)
  // 32 · e^((0.01 + rate)/4) = 80 · e^(0.01/4): rate = 4 · ln 2.5
  CHECK(*answer.break_even_rate == Approx(4 * std::log(2.5)));
  CHECK(*answer.break_even_rate > whole);
}

TEST_CASE("self-hosting is cheaper above some use, or never") {
  TokenCase asked{.fixed_per_month = 1460, .price_per_million = 0.5, .tokens_per_s = 2000};
  const TokenAnswer answer = compare_tokens(asked);
  CHECK(answer.capacity_per_month == Approx(5.256e9));                // 2000 · 3600 · 730
  CHECK(answer.own_price_per_million == Approx(0.28).margin(0.005));  // 1460 / 5256
  CHECK(*answer.break_even_tokens == Approx(2.92e9));                 // 1460 / 0.5 millions
  CHECK(*answer.utilization == Approx(0.5556).margin(1e-4));
  CHECK(answer.cheaper_in_use);
  asked.price_per_million = answer.own_price_in_use;
  CHECK_FALSE(compare_tokens(asked).cheaper_in_use);  // but as expensive
  asked.price_per_million = 0.5;
  asked.used_hours = 36.5;  // 5 %: twenty times the price
  CHECK(compare_tokens(asked).own_price_in_use == Approx(20 * 0.27778).margin(1e-3));
  CHECK_FALSE(compare_tokens(asked).cheaper_in_use);
  asked.price_per_million = 0.2;
  CHECK_FALSE(compare_tokens(asked).utilization);
}

TEST_CASE("what is switched off costs what it works, and its starts") {
  // 7.2 million tokens an hour at 2: 0.2778 a million; 100 more a month, whatever it does.
  TokenCase asked{.fixed_per_month = 100, .per_hour_of_work = 2, .price_per_million = 0.5, .tokens_per_s = 2000};
  asked.used_hours = 73;
  const TokenAnswer answer = compare_tokens(asked);
  CHECK(answer.own_price_in_use == Approx(246 / 525.6));            // (100 + 2 · 73) / (7.2 · 73)
  CHECK(answer.own_price_per_million == Approx(1560 / 5256.0));     // (100 + 2 · 730) / 5256
  CHECK(*answer.break_even_tokens == Approx(450e6).epsilon(1e-9));  // 100 / (0.5 − 2 / 7.2) = 450
  CHECK(*answer.utilization == Approx(450 / 5256.0));
  CHECK(answer.cheaper_in_use);
  asked.price_per_million = 0.25;  // less than an hour of work costs
  CHECK_FALSE(compare_tokens(asked).break_even_tokens);
  CHECK_FALSE(compare_tokens(asked).utilization);
  asked = {.fixed_per_month = 0, .per_hour_of_work = 2, .price_per_million = 0.5, .tokens_per_s = 2000};
  CHECK(*compare_tokens(asked).break_even_tokens == 0);
}

TEST_CASE("a price for reading and one for writing become one by the shape of requests") {
  CHECK(blended_price(3, 15, 1000, 500) == Approx(7));  // (3·1000 + 15·500) / 1500
  CHECK(blended_price(3, 3, 1000, 1) == Approx(3));
}

TEST_CASE("buying pays when rent exceeds running it for long enough") {
  OwnCase asked{.price = 300'000,
                .watts = 10'000,
                .pue = 1.5,
                .power_per_kwh = 0.1,
                .hosting_per_kw_month = 180,
                .years = 5,
                .rent_per_hour = 20};
  const OwnAnswer answer = compare_owning(asked);
  CHECK(answer.power_per_hour == Approx(1.5));           // 10 · 1.5 · 0.1
  CHECK(answer.hosting_per_month == Approx(1800));       // 10 · 180
  CHECK(answer.rent_per_month == Approx(14'600));        // 20 · 730
  CHECK(answer.running_per_month == Approx(2895));       // 1.5 · 730 + 1800
  CHECK(*answer.months == Approx(25.63).margin(0.005));  // 300000 / 11705
  CHECK(answer.owned_per_month == Approx(7895));         // 300000/60 + 2895
  CHECK(answer.owned_per_hour == Approx(10.82).margin(0.005));
  CHECK(*answer.hours_per_month == Approx(367.57).margin(0.005));  // (5000 + 1800) / 18.5
  asked.hours_per_month = *answer.hours_per_month;
  CHECK(compare_owning(asked).owned_per_month == Approx(compare_owning(asked).rent_per_month));
}

TEST_CASE("what costs more to run than to rent is never bought") {
  OwnCase asked{.price = 1000, .watts = 1000, .pue = 1, .power_per_kwh = 0.5, .years = 4, .rent_per_hour = 0.4};
  CHECK_FALSE(compare_owning(asked).months);
  CHECK_FALSE(compare_owning(asked).hours_per_month);
}

}  // namespace break_even_test
