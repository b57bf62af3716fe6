// Sweeps, tornado and frontier, against crossings worked out by hand and against single recommendations.
#include "answer/whatif/whatif.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "base/values/normal.hpp"
#include "base/words/message.hpp"
#include "physics/chance.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace whatif_test {

using namespace gpusel;
using answer::Setting;
using answer::WhatIf;
using answer::WhatIfQuestion;

namespace {

/// The shipped GPUs and models with instances of its own, whose prices may be changed.
struct Bench {
  explicit Bench(const std::string& yaml) : catalog(load(yaml)) {
    auto read = physics::read_coefficients(catalog);
    REQUIRE(read);
    coefficients = std::move(*read);
    auto shipped = rules::read_rules(catalog.documents("rules"));
    REQUIRE(shipped);
    rules = std::move(*shipped);
  }

  static catalog::Catalog load(const std::string& yaml) {
    catalog::LoadOptions options;
    options.replacement = std::filesystem::path(test::scratch_file("market.yaml", yaml)).parent_path().string();
    auto catalog = catalog::load(options);
    REQUIRE(catalog);
    return std::move(*catalog);
  }

  Result<WhatIf> try_ask(WhatIfQuestion question) {
    question.today = Date(2026, 11, 20);
    return answer::whatif(question, catalog, rules, coefficients);
  }
  WhatIf ask(WhatIfQuestion question) {
    auto answer = try_ask(std::move(question));
    if (!answer) FAIL(answer.error().where + ": " + answer.error().message);
    return std::move(*answer);
  }

  catalog::Catalog catalog;
  std::vector<rules::Rule> rules;
  physics::Coefficients coefficients;
};

/// Two providers of one card at 1.00 and 1.10 an hour on demand, and a month of the first at 0.50 an hour.
const std::string kTwo = R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers:
  - {id: p, name: P, country: US, kind: cloud, regions: {r: {country: US}}}
  - {id: q, name: Q, country: US, kind: cloud, regions: {r: {country: US}}}
families:
  - {provider: p, id: f, gpu: l40s, interconnect: {kind: none}, sources: [list],
     sizes: [{sku: one, gpus: 1, vcpu: 16, memory_gib: 128}]}
  - {provider: q, id: g, gpu: l40s, interconnect: {kind: none}, sources: [list],
     sizes: [{sku: two, gpus: 1, vcpu: 16, memory_gib: 128}]}
prices:
  - {provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {one: 1.00}}
  - {provider: q, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {two: 1.10}}
  - {provider: p, region: r, term: month, currency: USD, as_of: 2026-11-01, source: list, per_hour: {one: 0.50}}
)";

const std::vector<Setting> kLora{{"model", "llama-7b"}, {"task", "finetune"}, {"method", "lora"}};
const std::vector<Setting> kServe{{"model", "llama-3.1-8b"}, {"task", "inference"}};

std::string sku(const answer::Outcome& one) { return one.fits() ? std::string(one.best.instance->sku) : "none"; }

}  // namespace

TEST_CASE("a dearer provider loses where its price passes the other's") {
  Bench bench(kTwo);
  const WhatIf answer = bench.ask({.settings = kLora, .vary = {"price:p=-30%..+30%"}});
  REQUIRE(answer.segments.size() == 2);
  CHECK(sku(answer.winner(answer.segments[0])) == "one");
  CHECK(sku(answer.winner(answer.segments[1])) == "two");
  // 1.00 × (1 + 10 %) = 1.10, on a range of 60 points of per cent known to a thousandth.
  CHECK(*answer.samples[answer.segments[1].first].at[0].number == Approx(10).margin(0.06));
  CHECK(answer.segments[0].share == Approx(40.0 / 60).margin(0.001));
  CHECK(answer.segments[0].share + answer.segments[1].share == Approx(1));
  // The price of the other is what it was, and all are put back.
  CHECK(answer.samples.back().best.cost == Approx(1.10 * answer.now.best.cost.hours));
  CHECK(bench.catalog.offers()[0].amount + bench.catalog.offers()[1].amount + bench.catalog.offers()[2].amount ==
        Approx(2.60));
}

TEST_CASE("a month that is paid whole wins from half of the hours on") {
  Bench bench(kTwo);
  auto settings = kServe;
  settings.push_back({"term", "on-demand,month"});
  settings.push_back({"cloud", "p"});
  settings.push_back({"mode", "throughput"});  // at a given load the same is paid for, however many tokens come of it
  const WhatIf answer = bench.ask({.settings = settings, .vary = {"hours-per-day=2..24"}});
  REQUIRE(answer.segments.size() == 2);
  CHECK(answer.winner(answer.segments[0]).offer.term == catalog::Term::on_demand);
  CHECK(answer.winner(answer.segments[1]).offer.term == catalog::Term::month);
  // 1.00 × h = 0.50 × 24.
  CHECK(*answer.samples[answer.segments[1].first].at[0].number == Approx(12).epsilon(0.003));
  // Half of the hours for all of the money: twice the price of a million tokens.
  const auto& first = answer.samples.front().best;
  CHECK(answer.samples.back().best.cost == Approx(first.cost / 2));
  CHECK(bench.ask({.settings = settings, .vary = {"utilization=25%,50%,100%"}}).samples[0].best.cost ==
        Approx(4 * bench.ask({.settings = settings, .vary = {"utilization=25%,50%,100%"}}).samples[2].best.cost));
}

TEST_CASE("every point of a sweep is the recommendation for that value") {
  const auto& market = test::Market::small();
  Bench bench(test::read_file(test::kSource + "/tests/data/market/market.yaml"));
  const WhatIf answer = bench.ask({.settings = kLora, .vary = {"seq_len=512..8k"}});
  CHECK(answer.axes[0].doublings);
  CHECK(answer.axes[0].values.size() == 5);
  for (const answer::Sample& sample : answer.samples) {
    const std::string job =
        format(R"({{"model": "llama-7b", "task": "finetune", "method": "lora", "seq_len": {}}})", sample.at[0].text);
    const auto advice = market.recommend(job);
    REQUIRE(!advice.recommendations.empty());
    CHECK(sku(sample.best) == advice.recommendations[0].instance->sku);
    CHECK(sample.best.cost == Approx(advice.recommendations[0].cost.total));
  }
}

TEST_CASE("every cell of two inputs is the answer that the same question gets alone, whichever is written first") {
  Bench bench(kTwo);
  const std::vector<std::string> rates{"2", "9", "40"};
  const WhatIf rows = bench.ask({.settings = kServe, .vary = {"rps=2,9,40", "price:q=-40%,0%,40%"}});
  const WhatIf columns = bench.ask({.settings = kServe, .vary = {"price:q=-40%,0%,40%", "rps=2,9,40"}});
  for (std::size_t rate = 0; rate < 3; ++rate) {
    for (std::size_t price = 0; price < 3; ++price) {
      const auto& one = rows.samples[price * 3 + rate].best;
      const auto& same = columns.samples[rate * 3 + price].best;
      CHECK(sku(one) == sku(same));
      CHECK(one.cost == Approx(same.cost));
    }
    auto settings = kServe;
    settings.push_back({"rps", rates[rate]});
    const WhatIf alone = bench.ask({.settings = settings, .pareto = true});  // asks for every candidate
    CHECK(sku(rows.samples[3 + rate].best) == sku(alone.now));
    CHECK(rows.samples[3 + rate].best.cost == Approx(alone.now.cost));
  }
}

TEST_CASE("a winner between two points with the same winner is seen") {
  // One dear card beside two cheap ones: whichever wastes less of its last instance wins.
  std::string market = kTwo;
  market.replace(market.find("id: g, gpu: l40s"), 16, "id: g, gpu: rtx-5090");
  market.replace(market.find("two: 1.10"), 9, "two: 0.70");
  Bench bench(market);
  const WhatIf answer = bench.ask({.settings = kServe, .vary = {"rps=1..32/4"}});
  CHECK(answer.unseen > 0);
  CHECK(answer.unseen <= 1.0 / 24);
  CHECK(answer.segments.size() > 3);
  const WhatIf listed = bench.ask({.settings = kServe, .vary = {"rps=1.5,2.5,4,5.5,7,8,9,12,15,19,23,27,31"}});
  for (const answer::Sample& one : listed.samples) {
    const double at = *one.at[0].number;
    const auto here = std::find_if(answer.segments.begin(), answer.segments.end(), [&](const answer::Segment& segment) {
      return at <= *answer.samples[segment.last].at[0].number;
    });
    REQUIRE(here != answer.segments.end());
    CAPTURE(at);
    CHECK(sku(answer.winner(*here)) == sku(one.best));
  }
}

TEST_CASE("a GPU's prices are those of all instances with it") {
  Bench bench(kTwo);
  const WhatIf answer = bench.ask({.settings = kLora, .vary = {"price:l40s=0%,+20%"}});
  CHECK(answer.samples[1].best.cost == Approx(1.2 * answer.samples[0].best.cost));
  CHECK(answer.axes[0].about == "3 prices of instances with that GPU");
}

TEST_CASE("where something begins to fit is known to the digits of a limit") {
  Bench bench(kTwo);
  const WhatIf plain = bench.ask({.settings = kLora, .vary = {"epochs=1,2"}});
  const double cost = plain.now.best.cost.total;
  const WhatIf answer = bench.ask({.settings = kLora, .vary = {format("budget={:.4f}..{:.4f}", cost / 20, cost * 5)}});
  REQUIRE(answer.segments.size() >= 2);
  CHECK(sku(answer.winner(answer.segments[0])) == "none");
  // Eight of ten bills have to stay within it.
  const double bill = physics::Likely::between(plain.now.best.cost_interval).at(normal_quantile(0.8));
  CHECK(bill > cost);
  CHECK(*answer.samples[answer.segments[1].first].at[0].number == Approx(bill).epsilon(2e-4));
  CHECK(
      answer::reason_of(answer.winner(answer.segments[0]), &answer.winner(answer.segments[1])).starts_with("p one: "));
}

TEST_CASE("two inputs make a grid, row by row") {
  Bench bench(kTwo);
  const WhatIf answer = bench.ask({.settings = kLora, .vary = {"price:p=0%,+20%", "seq_len=1k,2k,4k"}});
  REQUIRE(answer.samples.size() == 6);
  for (const answer::Sample& sample : answer.samples)
    CHECK(sku(sample.best) == (*sample.at[0].number > 10 ? "two" : "one"));
  CHECK(*answer.samples[2].at[1].number == 2048);
  REQUIRE(answer.winners.size() == 2);
  CHECK(answer.winners[0].share == Approx(0.5));
}

TEST_CASE("where nothing fits, the answer says from where and why") {
  Bench bench(kTwo);
  const WhatIf answer = bench.ask({.settings = kLora, .vary = {"max_price=0.5..2"}});
  REQUIRE(answer.segments.size() == 2);
  CHECK(!answer.winner(answer.segments[0]).fits());
  CHECK(*answer.samples[answer.segments[1].first].at[0].number == Approx(1).epsilon(0.003));
  CHECK(reason_of(answer.winner(answer.segments[0]), nullptr).find("allowed") != std::string::npos);
}

TEST_CASE("so many GPUs in all are made up of any instances that do") {
  Bench bench(test::read_file(test::kSource + "/tests/data/market/market.yaml"));
  const WhatIf answer =
      bench.ask({.settings = {{"model", "llama-7b"}, {"task", "finetune"}}, .vary = {"gpus=8,16,24"}});
  for (const answer::Sample& sample : answer.samples) {
    REQUIRE(sample.best.fits());
    CHECK(sample.best.best.machine().gpus() == static_cast<int>(*sample.at[0].number));
  }
}

TEST_CASE("the tornado is sorted and says who wins at its ends") {
  Bench bench(kTwo);
  const WhatIf answer = bench.ask({.settings = kLora, .tornado = true});
  REQUIRE(answer.bars.size() > 3);
  CHECK(std::is_sorted(answer.bars.begin(), answer.bars.end(), [&](const auto& a, const auto& b) {
    return a.width(answer.now.cost) > b.width(answer.now.cost);
  }));
  const auto bar = [&](std::string_view key) {
    return *std::find_if(answer.bars.begin(), answer.bars.end(), [&](const auto& one) { return one.key == key; });
  };
  const auto price = bar("price:p");
  CHECK(*price.low.cost == Approx(0.8 * answer.now.cost));
  CHECK(*price.high.cost == Approx(1.1 * answer.now.cost));  // the other provider's
  CHECK(!price.low.other_winner);
  CHECK(price.high.other_winner);
  const auto epochs = bar("epochs");  // assumed, and the cost is in proportion
  CHECK(epochs.assumed);
  CHECK(*epochs.low.cost == Approx(0.8 * answer.now.cost));
  CHECK(*epochs.high.cost == Approx(1.2 * answer.now.cost));
  const auto speed = bar("speed");
  CHECK(*speed.low.cost > answer.now.cost);
  CHECK(*speed.high.cost < answer.now.cost);
}

TEST_CASE("nothing on the frontier is beaten, and everything else is") {
  Bench bench(test::read_file(test::kSource + "/tests/data/market/market.yaml"));
  for (const auto& settings : {kLora, kServe}) {
    const WhatIf answer = bench.ask({.settings = settings, .pareto = true});
    const double sign = answer.against == answer::Against::throughput ? -1 : 1;
    REQUIRE(answer.candidates.size() > 3);
    for (const auto& one : answer.candidates) {
      const bool beaten = std::any_of(answer.candidates.begin(), answer.candidates.end(), [&](const auto& other) {
        const double x = sign * one.x, other_x = sign * other.x;
        return other.cost <= one.cost && other_x <= x && (other.cost < one.cost || other_x < x);
      });
      CHECK(one.frontier == !beaten);
    }
  }
}

TEST_CASE("every figure has a line that says where it comes from") {
  Bench bench(kTwo);
  const WhatIf answer = bench.ask(
      {.settings = kLora, .vary = {"price:p=-30%..+30%"}, .tornado = true, .pareto = true, .explained = true});
  const auto has = [&](const std::string& quantity) {
    return std::any_of(answer.trace.begin(), answer.trace.end(),
                       [&](const auto& line) { return line.quantity == quantity; });
  };
  for (const char* quantity :
       {"vary.price:p", "cost.now", "change.1", "pareto.frontier", "tornado.epochs", "tornado.speed"}) {
    CAPTURE(quantity);
    CHECK(has(quantity));
  }
  for (const auto& line : answer.trace) {
    CAPTURE(line.quantity);
    CHECK(!line.formula.empty());
    CHECK(!line.value.text.empty());
    CHECK(!line.source.empty());
  }
}

TEST_CASE("what cannot be varied is refused in one sentence with the way out") {
  Bench bench(kTwo);
  struct Case {
    std::vector<std::string> vary;
    std::string says;
    std::string hint;
  };
  const Case cases[] = {
      {{"sequence_len=1k..2k"}, "unknown name", "sequence-length"},
      {{"precision=4..8"}, "takes words", "bf16"},
      {{"seq_len=4k..1k"}, "is empty", "smaller end first"},
      {{"seq_len=4k..4k"}, "one value", "seq_len=a..b"},
      {{"seq_len=4k"}, "one value", "seq_len=a,b,c"},
      {{"seq_len=1k..4k/1"}, "not a number of points", "2 to 2000"},
      {{"seq_len=0..4k"}, "out of range", ""},
      {{"seq_len=1k..2k", "sequence-length=1k..2k"}, "varied twice", "another"},
      {{"seq_len=1k..64k/101", "epochs=1..9/100"}, "10,100 answers", "fewer points"},
      {{"precision=bf16,bf61"}, "not known here", "bf16"},
      {{"model=llama-7b,lama-13b"}, "unknown model", "llama-13b"},
      {{"price:pp=-5%..5%"}, "is not a provider, GPU", ""},
      {{"price:q:spot=-5%..5%"}, "no spot price", ""},
      {{"price:p=1..2"}, "percent", "-30%..+30%"},
      {{"price:p=-100%..0%"}, "nothing is left", ""},
      {{"tokens=-5%..5%"}, "no value to change", "tokens=a..b"},
      {{"deadline=12..2d"}, "not in the same unit", "unit at both ends"},
      {{"nodes"}, "does not say", ""},
      {{}, "nothing to vary", "--tornado"},
  };
  for (const Case& one : cases) {
    const auto answer = bench.try_ask({.settings = kLora, .vary = one.vary});
    CAPTURE(one.vary);
    REQUIRE(!answer);
    CAPTURE(answer.error().where, answer.error().message, answer.error().hint);
    CHECK(answer.error().kind == ErrorKind::usage);
    CHECK(answer.error().message.find(one.says) != std::string::npos);
    CHECK((answer.error().hint + answer.error().message).find(one.hint) != std::string::npos);
  }
}

TEST_CASE("values are read as their options read them") {
  Bench bench(kTwo);
  const auto numbers = [&](const std::string& vary) {
    const WhatIf answer = bench.ask({.settings = kLora, .vary = {vary}});
    std::vector<double> list;
    for (const auto& value : answer.axes[0].values) list.push_back(*value.number);
    return list;
  };
  CHECK(numbers("seq_len=1k..4k/3") == std::vector<double>{1024, 2560, 4096});       // lengths: k is 1024
  CHECK(numbers("dataset_size=1k..9k/3") == std::vector<double>{1000, 3000, 9000});  // and 1000 elsewhere; equal ratios
  CHECK(numbers("epochs=1..2/3") == std::vector<double>{1, 1.5, 2});
  CHECK(numbers("deadline=12h..2d/4") == std::vector<double>{12, 24, 36, 48});
  CHECK(numbers("min_vram=16GB,32GB") == std::vector<double>{16, 32});
  CHECK(numbers("lora_rank=1..4") == std::vector<double>{1, 2, 3, 4});  // whole numbers: each once
}

}  // namespace whatif_test
