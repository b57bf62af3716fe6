// Break-even points of whole questions: a cloud of round prices, worked by hand, and the shipped catalogue.
#include "answer/cost/break_even.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <set>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "physics/checkpoint.hpp"
#include "physics/economy.hpp"
#include "support/job.hpp"
#include "support/market.hpp"

namespace break_even_test {

using namespace gpusel;
using namespace gpusel::answer;

namespace {

/// Eight H100 for 20 an hour, 8 on spot, 12 for a year, 10,000 a month in another place; half as much a year in euros.
const test::Market& round_market() {
  static const test::Market market(R"(
sources:
  round: {publisher: test, document: prices, confidence: derived}
providers:
  - {id: round, name: Round, country: US, regions: {here: {country: US}, there: {country: US}}}
families:
  - provider: round
    id: big
    gpu: h100-sxm-80gb
    interconnect: {kind: nvswitch, gbs_per_gpu: 900}
    rdma: infiniband
    sources: [round]
    sizes:
      - {sku: big-8, gpus: 8, vcpu: 96, memory_gib: 1000, network_gbps: 100, fabric_gbps: 3200}
  - {provider: round, id: other, sources: [round], sizes: [{sku: other-1, gpus: 0, vcpu: 4, memory_gib: 16}]}
prices:
  - {provider: round, region: here, term: on-demand, currency: USD, as_of: 2026-11-01, source: round, per_hour: {big-8: 20}}
  - {provider: round, region: there, term: on-demand, currency: USD, as_of: 2026-11-01, source: round, per_hour: {big-8: 21}}
  - {provider: round, region: here, term: spot, currency: USD, as_of: 2026-11-01, source: round, per_hour: {big-8: 8}}
  - {provider: round, region: there, term: spot, currency: USD, as_of: 2026-11-01, source: round, per_hour: {big-8: 7}}
  - {provider: round, region: here, term: reserved-1y, currency: USD, as_of: 2026-11-01, source: round, per_hour: {big-8: 12}}
  - {provider: round, region: there, term: month, currency: USD, as_of: 2026-11-01, source: round, per_month: {big-8: 10000}}
spot_markets:
  - {id: round, provider: round, notice_s: 60, interrupted_low: 0.1, interrupted_high: 0.2, source: round}
  - {id: round-other, provider: round, families: [other], interrupted_low: 0.5, source: round}
purchases:
  - {id: box, gpu: h100-sxm-80gb, kind: server, gpus: 8, currency: USD, price: 300000, watts: 10000, as_of: 2026-01, source: round}
  - {id: old-box, gpu: h100-sxm-80gb, kind: server, gpus: 8, currency: USD, price: 1, watts: 1, as_of: 2025-01, source: round}
)");
  return market;
}

constexpr std::string_view kPretrain = "task=pretrain model=llama-3.1-8b tokens=20B";

struct Asked {
  std::string_view job = {};  // words of the contract; empty: none
  std::string name = "big-8";
  std::string_view wishes = {};  // "key=value" words of the options
  std::optional<double> deadline_hours = {};
  money::Duty duty = {};
};

BreakEvenWishes wishes_of(const Asked& asked) {
  BreakEvenWishes wishes;
  wishes.deadline_hours = asked.deadline_hours;
  for (const std::string_view word : split(asked.wishes, ' ')) {
    if (word.empty()) continue;
    const auto equals = word.find('=');
    const auto* option = job::find_option(break_even_options(), word.substr(0, equals));
    if (option == nullptr || !option->set(wishes, word.substr(equals + 1))) throw std::runtime_error(std::string(word));
  }
  return wishes;
}

/// The answer stays alive beside what points into it.
struct Answered {
  CostAnswer costs;
  BreakEvens found;
};

std::unique_ptr<Answered> ask(const Asked& asked, const test::Market& market = round_market()) {
  CostQuestion question;
  if (!asked.job.empty()) question.question.request = test::request(asked.job);
  question.question.duty = asked.duty;
  CostSubject subject;
  subject.name = asked.name;
  question.subjects.push_back(subject);
  auto costs = answer::costs(question, market.catalog(), market.coefficients());
  if (!costs) throw std::runtime_error(costs.error().message);
  auto answered = std::make_unique<Answered>(Answered{std::move(*costs), {}});
  answered->found = break_evens(answered->costs, answered->costs.items.front(), wishes_of(asked), market.catalog(),
                                market.coefficients(), true);
  return answered;
}

Seconds hours(double n) { return seconds(3600 * n); }

bool explained(const BreakEvens& found, std::string_view quantity) {
  return std::any_of(found.trace.begin(), found.trace.end(),
                     [&](const auto& line) { return line.quantity == format("break_even.{}", quantity); });
}

}  // namespace

TEST_CASE("commitments are compared with on-demand in its own place") {
  const auto answered = ask({});
  const auto& all = answered->found.commitments;
  REQUIRE(all.size() == 2);
  CHECK(all[0].committed.offer->term == catalog::Term::reserved_1y);
  CHECK(*all[0].hours_per_month == Approx(438));           // 12 · 730 / 20
  CHECK(*all[0].after_months == Approx(7.2));              // 12 · 8760 / (20 · 730)
  CHECK(*all[1].hours_per_month == Approx(10000 / 21.0));  // on-demand there is 21
  CHECK_FALSE(all[1].committed.other_region);
  CHECK(all[1].on_demand.per_hour == 21);
  CHECK_FALSE(all[1].after_months);
  REQUIRE(answered->found.spot);
  CHECK(answered->found.spot->spot.per_hour == 8);  // here, although there it is 7
  CHECK(answered->found.spot->time_ratio == Approx(2.5));
  CHECK_FALSE(answered->found.spot->answer);  // no job: nothing to lose
  CHECK(explained(answered->found, "commitment.reserved-1y.hours_per_month"));
}

TEST_CASE("with fewer hours a month a commitment pays back later, or never") {
  money::Duty duty;
  duty.hours_per_day = 12;
  const auto half = ask({.duty = duty});
  CHECK_FALSE(half->found.commitments[0].after_months);  // 14.4 months
  duty.hours_per_day = 18;
  CHECK(*ask({.duty = duty})->found.commitments[0].after_months == Approx(9.6));
}

TEST_CASE("a checkpoint is the weights and the optimiser's states of what is trained") {
  const auto full = test::job("task=finetune model=llama-7b");
  CHECK(in_gb(*physics::checkpoint_size(full, job::Precision::bf16)) == Approx(94.34).margin(0.01));  // · 14
  const auto adapters = test::job("task=finetune model=llama-7b method=lora");
  CHECK(in_gb(*physics::checkpoint_size(adapters, job::Precision::bf16)) < 1);
  const auto network = test::job("task=pretrain model=resnet-50 optimizer=adamw");
  CHECK(in_gb(*physics::checkpoint_size(network, job::Precision::bf16)) == Approx(0.0256 * 12).margin(0.001));
  CHECK_FALSE(physics::checkpoint_size(test::job("task=finetune model=sdxl"), job::Precision::bf16));
}

TEST_CASE("failures, checkpoints and costs of a job on two nodes") {
  const auto answered = ask({.job = kPretrain, .name = "2x big-8"});
  const BreakEvens& found = answered->found;
  REQUIRE(found.job);
  const double work = *answered->costs.items.front().subject.job->hours;
  CHECK(found.stops->failures.per_hour == Approx(2 / 6300.0));
  CHECK(*found.stops->checkpoint_gb == Approx(112.42).margin(0.01));  // 8.03 B · 14
  CHECK(*found.stops->write_gbs == 2);                                // 1 GB/s a node
  CHECK(found.stops->failures.checkpoint.raw() == Approx(56.2).margin(0.05));
  const money::Run expected = money::best_run({2 / 6300.0, found.stops->failures.checkpoint, hours(0.25)}, hours(work));
  CHECK(found.job->run.wall == expected.wall);
  CHECK(found.job->per_hour == 40);
  CHECK(found.job->failures_low < found.job->run.interruptions);
  CHECK(found.job->failures_high > found.job->run.interruptions);
  for (const char* key : {"failures_per_hour", "checkpoint_s", "job.hours", "job.interruptions", "job.chance_of_none",
                          "job.cost", "spot.cost", "spot.break_even_price", "nodes.2.cost", "nodes.2.efficiency"})
    CHECK(explained(found, key));
}

TEST_CASE("spot is reckoned with the middle of what is published, or with what was said") {
  const auto answered = ask({.job = kPretrain, .name = "2x big-8"});
  const SpotBreakEven& spot = *answered->found.spot;
  CHECK(spot.share->low == 0.1);
  CHECK(spot.share->mid == Approx(0.15));
  CHECK(spot.share->high == 0.2);
  const double work = *answered->costs.items.front().subject.job->hours;
  money::SpotCase by_hand;
  by_hand.spot_per_hour = 16;
  by_hand.on_demand_per_hour = 40;
  by_hand.failures = answered->found.stops->failures;
  by_hand.taken_per_hour = -2 * std::log(0.85) / 730;
  by_hand.work = hours(work);
  CHECK(spot.answer->spot_cost == Approx(money::compare_spot(by_hand).spot_cost));
  CHECK(*spot.break_even_price == Approx(money::compare_spot(by_hand).break_even_price / 2));
  CHECK(*spot.notice_suffices);  // 60 s for 56
  const auto said = ask({.job = kPretrain, .name = "2x big-8", .wishes = "interruptions=0.9"});
  CHECK(said->found.spot->share->mid == 0.9);
  CHECK(said->found.spot->share->is_one());
  CHECK(said->found.spot->answer->spot_cost > spot.answer->spot_cost);
  CHECK(said->found.assumed.size() == answered->found.assumed.size() - 1);
}

TEST_CASE("capacity that was taken away is back after hours, and the ends of what is known are ends of time and cost") {
  const auto answered = ask({.job = kPretrain, .name = "2x big-8"});
  const SpotBreakEven& spot = *answered->found.spot;
  const auto& e = *test::coefficients().economy;
  const double mid = e.spot_regain_hours.of("scarce") * std::pow(2, e.spot_regain_growth.value);  // H100, NVSwitch
  CHECK(spot.regain_hours.mid == Approx(mid));
  CHECK(spot.regain_hours.low < mid);
  CHECK(spot.regain_hours.high > mid);
  CHECK(mid > 1);
  REQUIRE(spot.best);
  REQUIRE(spot.worst);
  CHECK(spot.best->spot.wall < spot.answer->spot.wall);
  CHECK(spot.worst->spot.wall > spot.answer->spot.wall);
  CHECK(spot.best->spot_cost < spot.answer->spot_cost);
  CHECK(spot.worst->spot_cost > spot.answer->spot_cost);
  CHECK(spot.answer->mix.cost > spot.answer->spot_cost);
  CHECK(spot.answer->mix.cost < spot.answer->on_demand_cost);
  for (const char* key : {"spot.regain_hours", "spot.waiting_hours", "spot.elapsed_hours", "spot.mix.cost"})
    CHECK(explained(answered->found, key));
  const auto said = ask({.job = kPretrain, .name = "2x big-8", .wishes = "interruptions=0.15 regain_hours=5"});
  CHECK(said->found.spot->regain_hours.mid == 5);
  CHECK_FALSE(said->found.spot->best);  // nothing is left open
}

TEST_CASE("a band that is open above has three points, and one that nobody publishes is as open as can be") {
  const auto& c = test::coefficients();
  catalog::SpotMarket market;
  for (const catalog::SpotMarket* unknown :
       {static_cast<const catalog::SpotMarket*>(nullptr), &std::as_const(market)}) {
    CHECK_FALSE(is_published(unknown));
    CHECK(taken_share({}, unknown, c).low == 0);
    CHECK(taken_share({}, unknown, c).mid == c.economy->spot_open_mid.value);
  }
  market.interrupted_low = 0.2;
  const ThreePoints open = taken_share({}, &market, c);
  CHECK(open.low == 0.2);
  CHECK(open.mid == c.economy->spot_open_mid.value);
  CHECK(open.high == c.economy->spot_open_high.value);
  market.interrupted_low = 0.95;
  CHECK(taken_share({}, &market, c).high == 0.95);
  StopWishes said;
  said.interruptions = 0.4;
  CHECK(taken_share(said, nullptr, c).low == 0.4);
}

TEST_CASE("many nodes of scarce GPUs come back later than one common one") {
  const auto& c = test::coefficients();
  const auto hours_of = [&](std::string_view gpu, int nodes) {
    return regain_hours({}, &test::gpu(gpu), nodes, c).mid;
  };
  CHECK(hours_of("h100-sxm-80gb", 1) > hours_of("l4", 1));
  CHECK(hours_of("h100-sxm-80gb", 16) > hours_of("h100-sxm-80gb", 1));
  CHECK(hours_of("mi300x-192gb", 1) == hours_of("h100-sxm-80gb", 1));
  CHECK(regain_hours({}, nullptr, 1, c).mid == hours_of("l4", 1));
}

TEST_CASE("small nodes fail less often than large ones, and what was said goes before") {
  const auto one =
      ask({.job = "task=finetune model=llama-3.1-8b method=lora", .name = "g5.xlarge"}, test::Market::shipped());
  CHECK(one->found.stops->node_mtbf_hours == Approx(6300 / (0.64 / 8 + 0.36)));
  const auto said = ask({.job = kPretrain, .wishes = "restart_minutes=2h mtbf_hours=100"});
  CHECK(said->found.stops->failures.per_hour == Approx(0.01));
  CHECK(said->found.stops->failures.restart == hours(2));
  CHECK_FALSE(said->found.stops->node_mtbf_low);
}

TEST_CASE("a deadline is judged by what 95 of 100 runs need") {
  const double work = *ask({.job = kPretrain})->costs.items.front().subject.job->hours;
  const auto tight = ask({.job = kPretrain, .deadline_hours = work * 0.99});
  CHECK(tight->found.deadline->chance < 0.95);
  CHECK(ask({.job = kPretrain, .deadline_hours = work * 0.1})->found.deadline->chance == 0);
  const auto wide = ask({.job = kPretrain, .deadline_hours = work * 4});
  CHECK(wide->found.deadline->chance > 0.99);
  CHECK(wide->found.deadline->is_safe());
  // 10 of 100 runs are slower than the interval's low end: at its time, failures apart, nine in ten are in time.
  const auto& speed = wide->costs.items.front().subject;
  REQUIRE(speed.planned);
  const auto ranges =
      intervals_for(*wide->costs.work, speed.planned->machine, speed.planned->plan, round_market().coefficients());
  const double slow = work * *speed.job->tokens_per_s / ranges.rate.low;
  const auto edge = ask({.job = kPretrain, .wishes = "mtbf_hours=1e7", .deadline_hours = slow * 1.001});
  CHECK(edge->found.deadline->chance == Approx(0.9).margin(0.02));
  CHECK_FALSE(edge->found.deadline->is_safe());
  CHECK(edge->found.deadline->is_met());  // with a confidence of 0.8, as in a ranking
  CHECK_FALSE(
      ask({.job = kPretrain, .wishes = "mtbf_hours=1e7", .deadline_hours = work * 0.9})->found.deadline->is_met());
  CHECK(*wide->found.deadline->slow_hours > wide->found.deadline->expected_hours);
  money::Duty half;
  half.hours_per_day = 12;
  const auto days = ask({.job = kPretrain, .deadline_hours = work * 8, .duty = half});
  CHECK(days->found.deadline->chance == Approx(wide->found.deadline->chance));  // twelve hours a day are half of it
}

TEST_CASE("more nodes: the cheapest in time, and the fastest for a tenth more") {
  const auto free = ask({.job = kPretrain});
  REQUIRE(free->found.nodes);
  const NodeCounts& all = *free->found.nodes;
  for (const NodeCount& row : all.rows) {
    CHECK(row.cost == Approx(in_hours(row.run.wall) * row.nodes * 20));
    CHECK(row.in_time);
  }
  CHECK(all.rows.front().efficiency == 1);
  CHECK(all.rows[*all.fastest].run.wall <= all.rows[*all.cheapest].run.wall);
  CHECK(all.rows[*all.fastest].cost <= 1.1 * all.rows[*all.cheapest].cost);
  const double half = all.rows.front().hours * 0.8;
  const auto pressed = ask({.job = kPretrain, .deadline_hours = half});
  const NodeCounts& some = *pressed->found.nodes;
  CHECK_FALSE(some.rows.front().in_time);
  CHECK(some.rows[*some.cheapest].nodes > 1);
  const auto hopeless = ask({.job = kPretrain, .deadline_hours = 0.05});
  CHECK_FALSE(hopeless->found.nodes->cheapest);
}

TEST_CASE("serving oneself against a token price, at on-demand and at the cheapest commitment") {
  constexpr std::string_view kServe = "task=inference model=llama-3.1-8b input_tokens=1000 output_tokens=500";
  const auto one = ask({.job = kServe, .wishes = "api_price_in=3 api_price_out=15"});
  REQUIRE(one->found.tokens.size() == 2);
  const TokenBreakEven& rented = one->found.tokens[0];
  CHECK(rented.price_per_million == Approx(7));  // (3 · 1000 + 15 · 500) / 1500
  CHECK(*rented.answer.break_even_tokens == Approx(14600 / 7.0 * 1e6));
  CHECK(one->found.tokens[1].term->offer->term == catalog::Term::reserved_1y);
  CHECK(*one->found.tokens[1].answer.break_even_tokens == Approx(8760 / 7.0 * 1e6));
  const double requests = one->costs.items.front().subject.planned->plan.sequences_per_s;
  CHECK(rented.answer.own_price_per_million == Approx(14600 / (requests * 1500 * 3600 * 730) * 1e6));
  CHECK(ask({.job = kServe, .wishes = "api_price=2"})->found.tokens[0].price_per_million == 2);
  CHECK(ask({.job = kServe, .wishes = "api_price_in=2"})->found.notes.size() == 1);
  CHECK(ask({.job = kPretrain, .wishes = "api_price=2"})->found.tokens.empty());
  CHECK_FALSE(one->found.job);  // a service has no end
  CHECK(one->found.stops->piecewise);
}

TEST_CASE("buying takes the newest record of the GPU, in whole units, or the price that was said") {
  const auto two = ask({.name = "2x big-8"});
  REQUIRE(two->found.ownership.size() == 2);
  const Ownership& own = two->found.ownership[0];
  CHECK(own.record->id == "box");
  CHECK(own.units == 2);
  CHECK(own.asked.price == 600'000);
  CHECK(own.asked.watts == 20'000);
  // 20 kW · 1.54 · 0.13 · 730 + 20 · 184.06 a month against 40 · 730
  CHECK(own.answer.running_per_month == Approx(6604.12).margin(0.01));
  CHECK(*own.answer.months == Approx(26.55).margin(0.005));
  const auto said = ask({.wishes = "buy_price=100000 watts=5000 power_price=0.1 years=2"});
  const Ownership& cheap = said->found.ownership[0];
  CHECK(cheap.record == nullptr);
  CHECK(cheap.answer.power_per_hour == Approx(0.77));  // 5 · 1.54 · 0.1
  CHECK(cheap.answer.owned_per_hour == Approx((100'000 / 24.0 + 920.3) / 730 + 0.77));
}

TEST_CASE("a rented GPU is compared with its share of a server") {
  const auto one = ask({.name = "1x_H100-SXM_SECURE"}, test::Market::shipped());
  REQUIRE_FALSE(one->found.ownership.empty());
  const Ownership& own = one->found.ownership[0];
  CHECK(own.units == Approx(0.125));
  CHECK(own.asked.price == Approx(*own.record->price / 8));
  CHECK(own.asked.watts == Approx(1275));
  // 1.275 · 1.54 · 0.13 · 730 + 1.275 · 184.06
  CHECK(own.answer.running_per_month == Approx(421.01).margin(0.01));
  CHECK(*own.answer.months == Approx(own.asked.price / (own.answer.rent_per_month - 421.01)).margin(0.01));
}

TEST_CASE("every number of nodes trains the same: one framework, one batch") {
  const auto found = ask({.job = "task=finetune model=llama-3.1-8b tokens=100B global_batch=64"});
  REQUIRE(found->found.nodes);
  const NodeCounts& counts = *found->found.nodes;
  CHECK(counts.rows.back().nodes == 8);  // 64 ranks for 64 sequences
  REQUIRE(counts.left_out.size() == 1);
  CHECK(counts.left_out[0].find("beyond 8 nodes a step would exceed 64 sequences") == 0);
  for (const NodeCount& row : counts.rows) CHECK(row.efficiency <= 1.001);
}

TEST_CASE("hours paid without work are in the costs of spot, failures and nodes") {
  const auto always = ask({.job = kPretrain});
  money::Duty duty;
  duty.utilization = 0.5;
  const auto half = ask({.job = kPretrain, .duty = duty});
  CHECK(half->found.job->per_hour == Approx(40));
  CHECK(half->found.spot->answer->spot_cost == Approx(2 * always->found.spot->answer->spot_cost));
  CHECK(*half->found.spot->break_even_price == Approx(*always->found.spot->break_even_price));
  CHECK(half->found.nodes->rows[0].cost == Approx(2 * always->found.nodes->rows[0].cost));
  const double table = *half->costs.items.front().terms.front().instances().job;
  CHECK(half->found.job->per_hour * in_hours(half->found.job->run.wall) == Approx(table));  // with its failures
  duty.scale_to_zero = true;
  const auto started = ask({.job = kPretrain, .duty = duty});
  const money::Duty& run = started->costs.items.front().duty;
  const double cold_start = (run.run_per_day() - run.used_per_day()) / run.starts();
  CHECK(cold_start > 0);
  const double work = in_hours(started->found.job->run.work);
  const double starts = std::ceil(work / run.used_per_day()) * run.starts();  // each day that the job lasts
  CHECK(started->found.job->per_hour == Approx(20 * (work + starts * cold_start) / work));
}

TEST_CASE("a saved answer tells its checkpoints, its speed and its requests") {
  CostQuestion question;
  const auto& market = round_market();
  const auto subject = [&](std::string_view workload, std::string_view more) {
    return *saved_subject(format(R"({{"schema": "gpusel.recommend/1", "workload": {{{}}}, "recommendations": [)"
                                 R"({{"provider": "round", "sku": "big-8", "nodes": 1, {}}}]}})",
                                 workload, more),
                          "saved.json", 1, market.catalog());
  };
  question.subjects = {
      subject(R"("task": "finetune", "model": "llama-3.1-8b", "method": "full", "tokens": 1e11)",
              R"("plan": {"precision": "bf16"}, "interval": {"tokens_per_s": [800, 1250]},
                 "performance": {"tokens_per_s": 1000}, "cost": {"total_of": "job", "hours": 100, "total": 2000})"),
      subject(R"("task": "inference", "model": "llama-3.1-8b", "input_tokens": 3000, "output_tokens": 1000)",
              R"("performance": {"output_tokens_per_s": 1000}, "cost": {"total_of": "month", "hours": 730})")};
  const auto costs = answer::costs(question, market.catalog(), market.coefficients());
  REQUIRE(costs);
  BreakEvenWishes wishes;
  wishes.deadline_hours = 125.5;
  wishes.api_price = 2;
  const auto found = [&](std::size_t i) {
    return break_evens(*costs, costs->items[i], wishes, market.catalog(), market.coefficients(), false);
  };
  const BreakEvens training = found(0);
  CHECK(*training.stops->checkpoint_gb == Approx(112.42).margin(0.01));
  CHECK(training.deadline->chance == Approx(0.9).margin(0.02));  // at 800 of 1000 tokens a second
  // 1000 written and 3000 read a second: 5.5556 / 4 per million of all
  const BreakEvens serving = found(1);
  REQUIRE(serving.tokens.size() == 2);
  CHECK(serving.tokens[0].answer.own_price_per_million == Approx(5.5555556 / 4));
  CHECK(serving.stops->piecewise);
}

TEST_CASE("what is said of interruptions without a job is said to have no effect") {
  const auto none = ask({.wishes = "mtbf_hours=100 interruptions=0.1", .deadline_hours = 48});
  REQUIRE(none->found.notes.size() == 1);
  CHECK(none->found.notes[0] == "without a job, --deadline, --mtbf-hours, --interruptions has no effect");
}

TEST_CASE("money is in the answer's currency") {
  CostQuestion question;
  question.question.currency = *Currency::parse("EUR");
  question.subjects.emplace_back().name = "big-8";
  const auto& market = round_market();
  const auto costs = answer::costs(question, market.catalog(), market.coefficients());
  REQUIRE(costs);
  const double rate = costs->converter.exchange(Currency::usd())->rate;
  const BreakEvens found =
      break_evens(*costs, costs->items.front(), {}, market.catalog(), market.coefficients(), false);
  CHECK(*found.commitments[0].hours_per_month == Approx(438));
  CHECK(found.commitments[0].per_month == Approx(8760 * rate));
  CHECK(found.ownership[0].asked.price == Approx(300'000 * rate));
  CHECK(found.ownership[0].asked.power_per_kwh ==
        Approx(market.coefficients().economy->power_usd_per_kwh.value * rate));
  CHECK(found.trace.empty());
}

TEST_CASE("shipped spot markets and service levels are of families and providers that are there") {
  const auto& catalog = test::Market::shipped().catalog();
  std::set<std::pair<std::string_view, std::string_view>> families;
  for (const auto& instance : catalog.instances()) families.emplace(instance.provider, instance.family);
  CHECK(catalog.spot_markets().size() > 10);
  for (const auto& market : catalog.spot_markets()) {
    INFO(market.id);
    CHECK(catalog.provider(market.provider));
    for (const auto family : market.families) CHECK(families.contains({market.provider, family}));
    if (market.interrupted_low && market.interrupted_high) CHECK(*market.interrupted_low < *market.interrupted_high);
  }
  for (const auto& level : catalog.service_levels()) CHECK(catalog.provider(level.provider));
  for (const auto& purchase : catalog.purchases()) CHECK(catalog.gpu(purchase.gpu));
}

TEST_CASE("a line of explanation ends with its currency") {
  const auto answered = ask({.job = kPretrain, .name = "2x big-8"});
  const auto& trace = answered->found.trace;
  const auto line =
      std::find_if(trace.begin(), trace.end(), [](const auto& one) { return one.quantity == "break_even.spot.cost"; });
  REQUIRE(line != trace.end());
  CHECK(line->value.text == format("{:.2f} USD", answered->found.spot->answer->spot_cost));
}

TEST_CASE("a job of which only the hours are known begins anew after each interruption") {
  CostQuestion question;
  CostSubject& subject = question.subjects.emplace_back();
  const auto& market = round_market();
  subject.name = "big-8";
  subject.instance = *market.catalog().instance("big-8");
  subject.job.emplace().hours = 1000;
  const auto costs = answer::costs(question, market.catalog(), market.coefficients());
  REQUIRE(costs);
  const BreakEvens found =
      break_evens(*costs, costs->items.front(), {}, market.catalog(), market.coefficients(), false);
  CHECK_FALSE(found.stops->piecewise);
  CHECK(in_hours(found.job->run.wall) == Approx(6300 * std::exp(0.25 / 6300) * std::expm1(1000 / 6300.0)));
  CHECK(found.notes.size() == 1);
  CHECK_FALSE(found.nodes);
}

}  // namespace break_even_test
