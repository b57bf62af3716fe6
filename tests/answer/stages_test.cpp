// Several jobs in one file: the best of each, sums that are their parts, and staying with one provider.
#include "answer/stages/stages.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "support/market.hpp"
#include "support/program.hpp"

namespace stages_test {

using namespace gpusel;
using namespace gpusel::answer;
using test::Market;

namespace {

/// Two providers: one is cheap for small cards, the other has large ones at half the price; traffic out of the first
/// costs 0.1 per GB, out of the second nobody says what.
const Market& two_clouds() {
  static const Market market(R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers:
  - {id: aa, name: A, country: US, kind: cloud, regions: {r: {country: US}}}
  - {id: bb, name: B, country: US, kind: cloud, regions: {s: {country: US}}}
families:
  - {provider: aa, id: f, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: a-small, gpu: l4, gpus: 1, vcpu: 8, memory_gib: 64}, {sku: a-large, gpu: h100-sxm-80gb, gpus: 1, vcpu: 32, memory_gib: 256}]}
  - {provider: bb, id: g, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: b-small, gpu: l4, gpus: 1, vcpu: 8, memory_gib: 64}, {sku: b-large, gpu: h100-sxm-80gb, gpus: 1, vcpu: 32, memory_gib: 256}]}
prices:
  - {provider: aa, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {a-small: 1, a-large: 8}}
  - {provider: bb, region: s, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {b-small: 2, b-large: 4}}
egress:
  - {id: aa, provider: aa, currency: USD, source: list, tiers: ["=0.1"]}
)");
  return market;
}

const std::string kThree = R"(months: 6
stages:
  - name: prototype
    task: inference
    model: llama-3.1-8b
    weights_precision: w4a16
    gpu: l4
    hours: 10
    output_gb: 50
  - name: train
    task: finetune
    model: llama-3.1-8b
    method: lora
    dataset_size: 10000
    gpu: h100
  - name: serve
    task: inference
    model: llama-3.1-8b
    gpu: h100
    hours_per_day: 10
    days: 20
)";

std::expected<StagesPlan, Errors> try_read(const std::string& text, const job::Constraints& line = {}) {
  const auto document = parse_yaml(text, "jobs.yaml");
  REQUIRE(document);
  Question base;
  base.constraints = line;
  base.today = Date(2026, 11, 20);
  base.alternatives = false;
  return read_stages(*document, base);
}

StagesPlan read(const std::string& text, const job::Constraints& line = {}) {
  auto plan = try_read(text, line);
  if (!plan) throw std::runtime_error(plan.error().front().where + ": " + plan.error().front().message);
  return std::move(*plan);
}

StagesAnswer answer(const StagesPlan& plan, bool explained = false) {
  const Market& market = two_clouds();
  auto found = answer_stages(plan, market.catalog(), market.rules, market.coefficients(), explained);
  if (!found) throw std::runtime_error(found.error().where + ": " + found.error().message);
  return std::move(*found);
}

/// Limits as a command line gives them.
job::Constraints limits(std::initializer_list<std::pair<std::string_view, std::string_view>> given) {
  job::Constraints out;
  for (const auto& [key, value] : given) {
    const auto* option = job::find_option(job::constraint_options(), key);
    REQUIRE(option != nullptr);
    REQUIRE(option->set(out, value));
  }
  return out;
}

/// Every error of the file.
std::string errors_of(const std::string& text) {
  const auto plan = try_read(text);
  REQUIRE_FALSE(plan);
  std::string all;
  for (const Error& error : plan.error())
    all += (all.empty() ? "" : "; ") + error.where + ": " + error.message +
           (error.hint.empty() ? "" : " (" + error.hint + ")");
  return all;
}

}  // namespace

TEST_CASE("each stage has its best instance, and sums are their parts") {
  const StagesPlan plan = read(kThree);
  const StagesAnswer found = answer(plan);
  REQUIRE(found.best.stages.size() == 3);
  CHECK(found.best.stages[0].best->instance->sku == "a-small");
  CHECK(found.best.stages[1].best->instance->sku == "b-large");
  CHECK(found.best.stages[2].best->instance->sku == "b-large");
  CHECK(*found.best.stages[0].cost.once == Approx(10));                // 10 h × 1
  CHECK(*found.best.stages[2].cost.per_month == Approx(10 * 20 * 4));  // hours × days × price
  CHECK_FALSE(found.best.stages[2].cost.once);
  const double trained = found.best.stages[1].best->cost.total;
  CHECK(*found.best.stages[1].cost.once == Approx(trained));
  CHECK(found.best.sum.once == Approx(10 + trained));
  CHECK(found.best.sum.per_month == Approx(800));
  CHECK(found.months == 6);
  CHECK(found.best.sum.whole(found.months) == Approx(10 + trained + 6 * 800 + 5));  // and 50 GB × 0.1
}

TEST_CASE("months of the line are those of the sum, the fewer of both where the file has its own") {
  const auto months = [](const std::string& text, double of_line) {
    const auto document = parse_yaml(text, "jobs.yaml");
    REQUIRE(document);
    Question base;
    base.today = Date(2026, 11, 20);
    base.duty.months = of_line;
    base.alternatives = false;
    const auto plan = read_stages(*document, base);
    REQUIRE(plan);
    return answer(*plan).months;
  };
  const std::string open = "stages:\n  - {name: serve, task: inference, model: llama-3.1-8b, request_rate: 1}\n";
  CHECK(months(open, 3) == 3);
  CHECK(months("months: 2\n" + open, 3) == 2);
}

TEST_CASE("what goes from one provider to another costs its traffic") {
  const StagesAnswer found = answer(read(kThree));
  REQUIRE(found.best.moves.size() == 1);  // the second and third are with one provider
  CHECK(found.best.moves[0].from == 0);
  CHECK(*found.best.moves[0].gb == 50);
  CHECK(*found.best.moves[0].cost == Approx(5));
  CHECK(*found.best.sum.moves == Approx(5));
}

TEST_CASE("an amount or a price of traffic that nobody knows stays unknown") {
  std::string text = kThree;
  text.erase(text.find("    output_gb: 50\n"), 18);
  const StagesAnswer unsaid = answer(read(text));
  REQUIRE(unsaid.best.moves.size() == 1);
  CHECK_FALSE(unsaid.best.moves[0].gb);
  CHECK_FALSE(unsaid.best.sum.moves);
  CHECK(unsaid.best.sum.known_moves == 0);
  // From the second provider to the first: adapters' model is known, the price is not.
  const StagesAnswer back = answer(read(R"(stages:
  - {name: train, task: finetune, model: llama-3.1-8b, method: lora, dataset_size: 10000, gpu: h100}
  - {name: try, task: inference, model: llama-3.1-8b, weights_precision: w4a16, gpu: l4, hours: 10}
)"));
  REQUIRE(back.best.moves.size() == 1);
  CHECK(*back.best.moves[0].gb == Approx(16.06).epsilon(0.01));
  CHECK_FALSE(back.best.moves[0].cost);
}

TEST_CASE("staying with one provider is the cheapest that has every stage") {
  const StagesAnswer found = answer(read(kThree));
  REQUIRE(found.one_provider);
  for (const StageChoice& stage : found.one_provider->stages) CHECK(stage.best->instance->provider == "bb");
  CHECK(found.one_provider->moves.empty());
  CHECK(*found.one_provider->stages[0].cost.once == Approx(20));
  const double difference = found.one_provider->sum.whole(6) - found.best.sum.whole(6);
  CHECK(difference == Approx(10 - 5));  // ten hours at one more, no traffic
}

TEST_CASE("machines are chosen together: what is moved decides with what is rented") {
  // Ten hours of the small machine are 10 here and 20 there, training costs twice as much here, and so does the
  // service; a GB costs 0.1 on its way from here to there.
  constexpr double kAdapted = 16.0605;  // GB of the trained model
  for (const double gb : {0.0, 50.0, 70.0, 99.0, 101.0, 500.0}) {
    std::string text = kThree;
    text.replace(text.find("output_gb: 50"), 13, "output_gb: " + std::to_string(gb));
    const StagesAnswer found = answer(read(text));
    const double train = *found.one_provider->stages[1].cost.once;  // there
    const double each_best = 10 + train + 0.1 * gb;
    const double least = std::min({each_best, 20 + train, 10 + 2 * train + 0.1 * kAdapted});
    CHECK(found.best.sum.whole(6) == Approx(least + 6 * 800).epsilon(1e-6));
    CHECK(found.apart.has_value() == (least < each_best));
    if (found.apart) CHECK(found.apart->sum.whole(6) == Approx(each_best + 6 * 800).epsilon(1e-6));
    CHECK(found.best.sum.whole(6) <= found.one_provider->sum.whole(6) + 1e-9);
  }
}

TEST_CASE("traffic between regions of one provider has a cost that is not known, and one that it does not exceed") {
  static const Market market(R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers:
  - {id: aa, name: A, country: US, kind: cloud, regions: {r: {country: US}, q: {country: US}}}
families:
  - {provider: aa, id: f, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: a-small, gpu: l4, gpus: 1, vcpu: 8, memory_gib: 64}, {sku: a-large, gpu: h100-sxm-80gb, gpus: 1, vcpu: 32, memory_gib: 256}]}
prices:
  - {provider: aa, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {a-small: 1}}
  - {provider: aa, region: q, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {a-large: 4}}
egress:
  - {id: aa, provider: aa, currency: USD, source: list, tiers: ["=0.1"]}
)");
  const auto found = answer_stages(read(kThree), market.catalog(), market.rules, market.coefficients(), false);
  REQUIRE(found);
  REQUIRE(found->best.moves.size() == 1);
  CHECK_FALSE(found->best.moves[0].cost);
  CHECK(*found->best.moves[0].at_most == Approx(5));
  CHECK_FALSE(found->best.sum.moves);
}

TEST_CASE("what is stored is in the sum, for the hours of a job and the months of a service") {
  static const Market market(R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers:
  - {id: aa, name: A, country: US, kind: cloud, regions: {r: {country: US}}}
families:
  - {provider: aa, id: f, interconnect: {kind: none}, sources: [list], sizes: [{sku: a-large, gpu: h100-sxm-80gb, gpus: 1, vcpu: 32, memory_gib: 256, network_gbps: 25}]}
prices:
  - {provider: aa, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {a-large: 8}}
storage:
  - {id: bucket, provider: aa, name: Bucket, kind: object, currency: USD, per_gb_month: 0.02, read_gbs_per_node: 1, source: list}
  - {id: disk, provider: aa, name: Disk, kind: block, currency: USD, per_gb_month: 0.01, read_gbs: 1, source: list}
)");
  const auto sum_of = [&](const std::string& more) {
    const auto found = answer_stages(
        read("months: 6\nstages:\n  - {name: serve, task: inference, model: llama-3.1-8b, dataset_gb: 1000" + more +
             "}\n"),
        market.catalog(), market.rules, market.coefficients(), false);
    REQUIRE(found);
    return found->best.sum;
  };
  const StagesSum served = sum_of("");
  CHECK(served.storage(6) == Approx(6 * 0.02 * (1000 + 16.06)).epsilon(1e-3));  // the data and the weights
  CHECK(served.whole(6) == Approx(6 * served.per_month + served.storage(6)));
  CHECK(sum_of(", hours: 73").storage(6) == Approx(0.1 * 0.02 * (1000 + 16.06)).epsilon(1e-3));
  CHECK(sum_of(", storage: block").storage(6) == Approx(6 * 0.01 * (1000 + 16.06)).epsilon(1e-3));
}

TEST_CASE("limits of the file and of the line both hold") {
  const auto providers = [&](const job::Constraints& line, const std::string& limit) {
    const StagesAnswer found =
        answer(read("stages:\n  - {name: a, task: inference, model: llama-3.1-8b, gpu: h100, " + limit + "}\n", line));
    return std::string(found.best.stages[0].best->instance->provider);
  };
  CHECK(providers(limits({{"cloud", "aa,bb"}}), "cloud: bb") == "bb");
  CHECK(providers(limits({{"cloud", "aa"}}), "cloud: 'aa,bb'") == "aa");  // bb would be cheaper
  CHECK(providers(limits({{"gpu", "h100,l4"}, {"cloud", "aa"}}), "deadline: 3d") == "aa");
  const auto of = [&](const job::Constraints& line, const std::string& limit) {
    return read("stages:\n  - {name: a, task: inference, model: llama-3.1-8b, " + limit + "}\n", line)
        .stages[0]
        .question.constraints;
  };
  CHECK(*of(limits({{"max_price", "3"}}), "max_price: 10").max_price == 3);
  CHECK(*of(limits({{"max_price", "10"}}), "max_price: 3").max_price == 3);
  CHECK(*of(limits({{"deadline", "5h"}}), "deadline: 10h").deadline_hours == 5);
  CHECK(*of(limits({{"max_nodes", "2"}}), "max_nodes: 4").max_nodes == 2);
  CHECK(*of(limits({{"max_price", "3"}}), "deadline: 1h").max_price == 3);
}

TEST_CASE("limits of file and line that have nothing in common are one error with its place") {
  const Market& market = two_clouds();
  const auto error_of = [&](const job::Constraints& line, const std::string& limit) {
    const auto found = answer_stages(
        read("stages:\n  - name: a\n    task: inference\n    model: llama-3.1-8b\n    " + limit + "\n", line),
        market.catalog(), market.rules, market.coefficients(), false);
    REQUIRE_FALSE(found);
    return found.error();
  };
  const Error clouds = error_of(limits({{"cloud", "aa"}}), "cloud: bb");
  CHECK(clouds.kind == ErrorKind::unsatisfied);
  CHECK(clouds.where == "jobs.yaml:5:5");
  CHECK(clouds.message.find("--cloud") != std::string::npos);
  CHECK(error_of(limits({{"gpu", "l4"}}), "gpu: h100").message.find("--gpu") != std::string::npos);
  const auto nodes =
      try_read("stages:\n  - {name: a, task: inference, model: llama-3.1-8b, nodes: 2}\n", limits({{"nodes", "3"}}));
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().front().kind == ErrorKind::unsatisfied);
}

TEST_CASE("a service that is switched off while idle pays its cold starts") {
  const StagesAnswer found = answer(read(R"(stages:
  - {name: serve, task: inference, model: llama-3.1-8b, gpu: h100, utilization: 0.5, scale_to_zero: true, starts_per_day: 4}
)"));
  const StageCost& cost = found.best.stages[0].cost;
  REQUIRE(cost.cold);
  const double hours_per_day = 24 * 0.5 + 4 * cost.cold->total().raw() / 3600;
  CHECK(cost.hours_paid == Approx(hours_per_day * 730 / 24));
  CHECK(*cost.per_month == Approx(4 * cost.hours_paid));
}

TEST_CASE("a stage that nothing meets is said to be lacking, and the others stand") {
  const StagesAnswer found = answer(read(R"(stages:
  - {name: one, task: inference, model: llama-3.1-8b, hours: 10}
  - {name: two, task: inference, model: llama-3.1-8b, max_price: 0.01}
)"));
  CHECK(found.best.sum.lacking == 1);
  CHECK(found.best.stages[1].best == nullptr);
  CHECK(found.best.sum.once > 0);
  CHECK_FALSE(found.one_provider);
}

TEST_CASE("every sum of stages can be asked for") {
  const StagesAnswer found = answer(read(kThree), true);
  const auto value = [&](std::string_view quantity) -> std::string {
    for (const auto& line : found.trace)
      if (line.quantity == quantity) return line.substituted;
    return {};
  };
  CHECK(value("stages.prototype.once") == "1 × 10 h");
  CHECK(value("stages.serve.per_month") == "4 × 200 h");
  CHECK_FALSE(value("sum.once").empty());
  CHECK_FALSE(value("sum.whole").empty());
}

TEST_CASE("a file of stages is read strictly, with places and the nearest key") {
  CHECK(errors_of("stages: []\n") == "jobs.yaml:1:9: 'stages' names no job");
  CHECK(errors_of("stage: []\n").find("did you mean 'stages'?") != std::string::npos);
  CHECK(errors_of("stages:\n  - {name: a, tsak: finetune}\n") ==
        "jobs.yaml:2:15: unknown key 'tsak' (did you mean 'task'?)");
  CHECK(errors_of("stages:\n  - {task: finetune}\n").find("a stage needs a name") != std::string::npos);
  CHECK(errors_of("stages:\n  - {name: a, task: inference, hours: -1}\n").starts_with("jobs.yaml:2:39: hours: "));
  CHECK(errors_of("stages:\n  - {name: a, task: inference, hours: 5, utilization: 0.5}\n").find("exclude each other") !=
        std::string::npos);
  CHECK(errors_of("stages:\n  - {name: a, task: inference}\n  - {name: a, task: inference}\n")
            .find("a second stage is named 'a'") != std::string::npos);
  CHECK(errors_of("stages:\n  - {name: a, model: x}\n").find("'a' has no task") != std::string::npos);
  CHECK(errors_of("stages:\n  - {name: a, task: inference, gpus: 8}\n").find("unknown key 'gpus'") !=
        std::string::npos);
}

TEST_CASE("an error of a job names its place in the file") {
  const StagesPlan plan = read("stages:\n  - name: a\n    task: finetune\n    model: llama-3.1-9b\n");
  const Market& market = two_clouds();
  const auto found = answer_stages(plan, market.catalog(), market.rules, market.coefficients(), false);
  REQUIRE_FALSE(found);
  CHECK(found.error().where == "jobs.yaml:4:5");
}

TEST_CASE("a file of stages goes with no job on the command line, and a missing file is an error of use") {
  const auto file = test::scratch_file("jobs.yaml", kThree);
  const auto with_job = test::ask({"recommend", "--stages", file, "--model", "llama-7b"});
  CHECK(with_job.status == 2);
  CHECK(with_job.err.find("--model") != std::string::npos);
  CHECK(test::ask({"recommend", "--stages", "/nowhere.yaml"}).status == 2);
}

}  // namespace stages_test
