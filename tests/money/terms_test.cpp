// Duty cycles, billing and commitments, each worked by hand.
#include "money/terms.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/values/number.hpp"

namespace terms_test {

using namespace gpusel;
using namespace gpusel::money;
using catalog::Term;

namespace {

constexpr catalog::Number kNoJob;

Duty duty_of(std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  Duty duty;
  for (const auto& [key, text] : options) {
    const auto* option = job::find_option(duty_options(), key);
    REQUIRE(option != nullptr);
    REQUIRE(option->set(duty, text));
  }
  return duty;
}

std::string error_of(std::string_view key, std::string_view text) {
  Duty duty;
  const Status set = job::find_option(duty_options(), key)->set(duty, text);
  REQUIRE_FALSE(set);
  return set.error().message;
}

double month(Term term, const Duty& duty, double rate, const Billing& billing = {}) {
  return *amounts_of(rate, paid_hours(commitment_of(term), duty, billing, kNoJob)).month;
}
double job(Term term, double hours, double rate, const Duty& duty = {}, const Billing& billing = {}) {
  return *amounts_of(rate, paid_hours(commitment_of(term), duty, billing, hours)).job;
}

catalog::Egress three_tiers() {
  catalog::Egress egress;
  egress.free_gb_per_month = 100.0;
  egress.tiers = catalog::TextList("10240=0.09\n51200=0.085\n=0.05");
  return egress;
}

}  // namespace

TEST_CASE("round the clock a month is 730 hours and nothing starts", "[cost]") {
  const Duty duty;
  CHECK(duty.is_always_on());
  CHECK(duty.starts() == 0);
  CHECK(duty.used_per_month() == Approx(730));
  CHECK(duty.works_always());
  CHECK_FALSE(duty_of({{"utilization", "0.9"}}).works_always());
  CHECK(duty_of({{"days", "31"}}).is_always_on());  // a month has no more than 730 hours
  CHECK(duty_of({{"days", "31"}}).days_asked == 31.0);
  CHECK_FALSE(duty_of({{"days", "30"}}).days_asked);
}

TEST_CASE("hours, days and use make the hours of work", "[cost]") {
  const Duty duty = duty_of({{"hours_per_day", "10"}, {"days", "22"}, {"utilization", "40%"}});
  CHECK(duty.used_per_month() == Approx(88));  // 10 × 22 × 0.4
  CHECK(duty.run_per_month() == Approx(220));  // it runs while it waits
  CHECK(duty.starts() == 1);
}

TEST_CASE("scaled to zero it runs while there is work, and while it starts", "[cost]") {
  const Duty duty = duty_of({{"hours_per_day", "10"},
                             {"days", "20"},
                             {"utilization", "0.5"},
                             {"scale_to_zero", "true"},
                             {"starts_per_day", "6"},
                             {"cold_start", "5m"}});
  CHECK(duty.run_per_day() == Approx(5.5));    // 10 × 0.5 + 6 × 5 ÷ 60
  CHECK(duty.run_per_month() == Approx(110));  // 5.5 × 20
  CHECK(duty.used_per_month() == Approx(100));
  CHECK(month(Term::on_demand, duty, 3) == Approx(330));
  CHECK(month(Term::on_demand, duty, 3) / duty.used_per_month() == Approx(3.30));
}

TEST_CASE("no day runs longer than 24 hours, however long its starts take", "[cost]") {
  CHECK(duty_of({{"starts_per_day", "2"}, {"cold_start", "1h"}}).run_per_day() == 24);
  CHECK(duty_of({{"hours_per_day", "22"}, {"starts_per_day", "1"}, {"cold_start", "1h"}}).run_per_day() == Approx(23));
}

TEST_CASE("what cannot be in a day is refused", "[cost]") {
  CHECK(error_of("hours_per_day", "25").find("out of range") != std::string::npos);
  CHECK(error_of("days", "32").find("out of range") != std::string::npos);
  CHECK(error_of("utilization", "0").find("unused capacity") != std::string::npos);
  CHECK(error_of("utilization", "140%").find("not a share") != std::string::npos);
  CHECK(error_of("cold_start", "3d") == "a start takes a day at most");
}

TEST_CASE("starts within the hours of a day take their time from the work", "[cost]") {
  const auto crowded = [](double starts) {
    Duty duty;
    duty.hours_per_day = 8;
    duty.starts_per_day = starts;
    duty.cold_start_s = 3600;
    return !check(duty);
  };
  CHECK_FALSE(crowded(1));  // before the hours begin
  CHECK(crowded(3));        // eight hours of work and two starts in eight hours
  Duty full;                // six hours of work and two starts in eight hours
  full.hours_per_day = 8;
  full.utilization = 0.75;
  full.starts_per_day = 3;
  full.cold_start_s = 3600;
  CHECK(check(full));
}

TEST_CASE("shares are written as fractions or in percent", "[cost]") {
  CHECK(*parse_share("0.32") == Approx(0.32));
  CHECK(*parse_share(" 32 % ") == Approx(0.32));
  CHECK(*parse_share("100%") == 1);
  for (const char* wrong : {"", "%", "1.5", "-1%", "nan", "a"}) CHECK_FALSE(parse_share(wrong));
}

TEST_CASE("each start is billed in the provider's steps, at least the minimum", "[cost]") {
  const Billing by_second{1.0, 60.0};
  CHECK(by_second.hours(0.5) == Approx(0.5));
  CHECK(by_second.hours(30.0 / 3600) == Approx(60.0 / 3600));
  CHECK(by_second.hours(90.4 / 3600) == Approx(91.0 / 3600));
  const Billing by_hour{3600.0, 3600.0};
  CHECK(by_hour.hours(1) == Approx(1));
  CHECK(by_hour.hours(1.001) == Approx(2));
  CHECK(Billing{}.hours(0.001) == Approx(0.001));  // unknown: to the moment
}

TEST_CASE("short starts under billing by the hour cost hours", "[cost]") {
  // Four starts of 75 minutes a day, 22 days, at 2.99: 4 × 2 × 22 × 2.99.
  const Duty duty = duty_of({{"hours_per_day", "5"}, {"days", "22"}, {"starts_per_day", "4"}});
  CHECK(month(Term::on_demand, duty, 2.99, {3600.0, 3600.0}) == Approx(526.24));
  CHECK(month(Term::on_demand, duty, 2.99, {60.0, 60.0}) == Approx(328.90));  // 4 × 1.25 × 22 × 2.99
  // One start of eight hours and a half a day: 9 × 22 × 2.
  CHECK(month(Term::on_demand, duty_of({{"hours_per_day", "8.5"}, {"days", "22"}}), 2, {3600.0, 3600.0}) ==
        Approx(396));
}

TEST_CASE("on-demand and spot are paid for the hours they run, all else whole", "[cost]") {
  const Duty office = duty_of({{"hours_per_day", "8"}, {"days", "22"}});
  for (const Term term : {Term::on_demand, Term::spot, Term::flex_start})
    CHECK(month(term, office, 21.957642) == Approx(3864.54).margin(0.005));  // × 176
  for (const Term term : {Term::reserved_1y, Term::reserved_3y, Term::savings_1y, Term::savings_3y, Term::month,
                          Term::year, Term::ladder, Term::sustained_use})
    CHECK(month(term, office, 13.921094) == Approx(10162.40).margin(0.005));  // × 730
  // A block for each day that counts: × 22 × 24.
  CHECK(month(Term::capacity_block, office, 13.921094) == Approx(7350.34).margin(0.005));
  CHECK(job(Term::capacity_block, 100, 2, office) == Approx(624));  // 13 days of 8 hours
}

TEST_CASE("a commitment is some months, some years or a block of days", "[cost]") {
  const auto hours = [](Term term) { return commitment_of(term).hours; };
  CHECK(hours(Term::on_demand) == 0);
  CHECK(hours(Term::spot) == 0);
  CHECK(hours(Term::capacity_block) == 24);
  CHECK(hours(Term::month) == 730);
  CHECK(hours(Term::sustained_use) == 730);
  CHECK(hours(Term::ladder) == 730);
  CHECK(hours(Term::year) == 8760);
  CHECK(hours(Term::reserved_1y) == 8760);
  CHECK(hours(Term::savings_1y) == 8760);
  CHECK(hours(Term::reserved_3y) == 26280);
  CHECK(hours(Term::savings_3y) == 26280);
  CHECK(hours(Term::reserved_3m) == 2190);
  CHECK(hours(Term::savings_3m) == 2190);
  CHECK(hours(Term::reserved_6m) == 4380);
  CHECK(hours(Term::savings_6m) == 4380);
  CHECK(hours(Term::reserved_2y) == 17520);
}

TEST_CASE("periods of one term agree: a year is twelve months, a day its share", "[cost]") {
  const Duty office = duty_of({{"hours_per_day", "8"}, {"days", "20"}});
  for (const Term term : {Term::on_demand, Term::reserved_1y}) {
    const Amounts amounts = amounts_of(2, paid_hours(commitment_of(term), office, {}, kNoJob));
    CHECK(*amounts.year == Approx(12 * *amounts.month));
    CHECK(*amounts.day * 20 == Approx(*amounts.month));
    CHECK_FALSE(amounts.job);
  }
}

TEST_CASE("a service that is needed for so many months pays whole periods, spread over them", "[cost]") {
  const auto needed = [](double months, Term term) {
    Duty duty;
    duty.months = months;
    return *amounts_of(1, paid_hours(commitment_of(term), duty, {}, kNoJob)).month;
  };
  CHECK(needed(12, Term::reserved_1y) == Approx(730));
  CHECK(needed(18, Term::reserved_1y) == Approx(730 * 24.0 / 18));  // two years are paid for
  CHECK(needed(6, Term::reserved_1y) == Approx(730 * 12.0 / 6));
  CHECK(needed(36, Term::reserved_3y) == Approx(730));
  CHECK(needed(6, Term::month) == Approx(730));
  CHECK(needed(6, Term::on_demand) == Approx(730));  // nothing is promised
}

TEST_CASE("terms that are used up within the months are those that are as long", "[cost]") {
  using Terms = std::vector<Term>;
  CHECK(terms_used_up(0.5).empty());
  CHECK(terms_used_up(1) == Terms{Term::month});
  const auto has = [](const Terms& all, Term term) { return std::ranges::find(all, term) != all.end(); };
  const Terms year = terms_used_up(12);
  CHECK(year.front() == Term::month);
  CHECK(has(year, Term::reserved_1y));
  CHECK_FALSE(has(year, Term::reserved_3y));
  CHECK(has(terms_used_up(36), Term::reserved_3y));
}

TEST_CASE("a job is paid for as it runs, or in whole periods", "[cost]") {
  CHECK(job(Term::on_demand, 100, 2) == Approx(200));
  CHECK(job(Term::capacity_block, 100, 2) == Approx(240));   // five days
  CHECK(job(Term::capacity_block, 336, 2) == Approx(672));   // 14 days, the longest by the day
  CHECK(job(Term::capacity_block, 337, 2) == Approx(1008));  // then three weeks: 504 hours
  CHECK(job(Term::capacity_block, 505, 2) == Approx(1344));  // and four
  CHECK(job(Term::month, 100, 2) == Approx(1460));           // 730 × 2
  CHECK(job(Term::month, 731, 2) == Approx(2920));           // two months
  CHECK(job(Term::month, 730, 2) == Approx(1460));           // to the hour
  CHECK(job(Term::reserved_1y, 100, 2) == Approx(17520));
  CHECK(job(Term::reserved_3y, 100, 2) == Approx(52560));
  CHECK(job(Term::on_demand, 100.2, 2, {}, {3600.0, 3600.0}) == Approx(202));  // 101 hours begun
}

TEST_CASE("a job at office hours takes longer and starts every day", "[cost]") {
  const Duty office = duty_of({{"hours_per_day", "8"}, {"days", "20"}});
  CHECK(elapsed_hours(0.6, office) == Approx(0.6));                  // within its first day
  CHECK(elapsed_hours(8, office) == Approx(8));                      // which it fills
  CHECK(elapsed_hours(400, office) == Approx(49 * 730.0 / 20 + 8));  // on the 50th day, 20 of which are in a month
  CHECK(job(Term::month, 400, 2, office) == Approx(4380));           // three months
  // 401 hours: 50 days of 8 and one hour; billed by two hours.
  CHECK(job(Term::on_demand, 401, 2, office, {7200.0, 0.0}) == Approx(804));
}

TEST_CASE("a year in which three months are needed has no twelve", "[cost]") {
  const Duty quarter = duty_of({{"hours_per_day", "8"}, {"days", "20"}, {"months", "3"}});
  CHECK(paid_hours(commitment_of(Term::on_demand), quarter, {}, kNoJob).year == Approx(480));
  CHECK(paid_hours(commitment_of(Term::reserved_1y), quarter, {}, kNoJob).year == Approx(8760));
  CHECK(paid_hours(commitment_of(Term::reserved_3y), quarter, {}, kNoJob).year == Approx(26280));
}

TEST_CASE("a rate of a whole month bounds what less use costs", "[cost]") {
  const Duty office = duty_of({{"hours_per_day", "8"}});
  CHECK(paid_hours(commitment_of(Term::sustained_use), office, {}, kNoJob).at_most);
  CHECK_FALSE(paid_hours(commitment_of(Term::sustained_use), {}, {}, kNoJob).at_most);
  CHECK(paid_hours(commitment_of(Term::ladder), {}, {}, 100.0).job_at_most);
  CHECK_FALSE(paid_hours(commitment_of(Term::ladder), {}, {}, 1460.0).job_at_most);
  CHECK_FALSE(paid_hours(commitment_of(Term::month), office, {}, 100.0).job_at_most);  // that is what it costs
}

TEST_CASE("what is paid by the month has a day, a year and a job", "[cost]") {
  const Amounts amounts = monthly(73, {}, 100.0);
  CHECK(*amounts.day == Approx(2.4));  // 73 / (730 / 24)
  CHECK(*amounts.month == 73);
  CHECK(*amounts.year == 876);
  CHECK(*amounts.job == Approx(10));  // 100 of 730 hours
}

TEST_CASE("traffic is paid tier by tier beyond what is free", "[cost]") {
  const catalog::Egress egress = three_tiers();
  CHECK(*egress_cost(egress, 0) == 0);
  CHECK(*egress_cost(egress, 100) == 0);
  CHECK(*egress_cost(egress, 101) == Approx(0.09));
  CHECK(*egress_cost(egress, 10240) == Approx(912.60));                     // 10,140 × 0.09
  CHECK(*egress_cost(egress, 20000) == Approx(912.60 + 829.60));            // 9,760 × 0.085
  CHECK(*egress_cost(egress, 60000) == Approx(912.60 + 3481.60 + 440.00));  // 40,960 × 0.085, 8,800 × 0.05
}

TEST_CASE("tiers that end or cannot be read give no price, not a wrong one", "[cost]") {
  catalog::Egress egress = three_tiers();
  egress.tiers = catalog::TextList("1000=0.1");
  CHECK(*egress_cost(egress, 1000) == Approx(90));
  CHECK_FALSE(egress_cost(egress, 1001));
  egress.tiers = catalog::TextList("much");
  CHECK_FALSE(egress_cost(egress, 500));
  egress.tiers = {};
  CHECK_FALSE(egress_cost(egress, 500));
}

TEST_CASE("a sum with an unknown part is unknown", "[cost]") {
  Amounts sum = amounts_of(2, paid_hours(commitment_of(Term::on_demand), {}, {}, kNoJob));
  sum += monthly(10, {}, kNoJob);
  CHECK(*sum.month == Approx(1470));
  CHECK_FALSE(sum.hour);
  CHECK_FALSE(sum.job);
}

}  // namespace terms_test
