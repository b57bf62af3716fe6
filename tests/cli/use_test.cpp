// How much of the time something is used and what is paid beside it: said once, and the same in every command.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "support/program.hpp"

namespace use_test {

using namespace gpusel;
using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

/// One machine, sold by the hour and, for six tenths of that, a year whole; a bucket, and volumes.
const std::string& market() {
  static const std::string file = scratch_file("market.yaml", R"(
sources:
  list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}
providers:
  - {id: one, name: One, country: US, kind: cloud, regions: {r: {country: US}, s: {country: US}}}
families:
  - {provider: one, id: f, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: big, gpu: l40s, gpus: 1, vcpu: 16, memory_gib: 128, network_gbps: 10}]}
storage:
  - {id: one-bucket, provider: one, name: bucket, kind: object, currency: USD, per_gb_month: 0.02, read_gbs: 2, source: list}
  - {id: one-disk, provider: one, name: disk, kind: block, currency: USD, per_gb_month: 0.1, source: list}
prices:
  - {provider: one, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {big: 2}}
  - {provider: one, region: s, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {big: 3}}
  - {provider: one, region: r, term: reserved-1y, currency: USD, as_of: 2026-11-01, source: list, per_hour: {big: 1.2}}
)");
  return file;
}

std::string asked(const std::string& words) { return "gpusel " + words + " --cloud one --overlay '" + market() + "'"; }

Json json_of(const std::string& line, int status = 0) {
  const Run run = shell(line);
  CAPTURE(line, run.err);
  CHECK(run.status == status);
  const Json json = Json::parse(run.out, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  return json;
}

Json best_of(const std::string& words) {
  return json_of(asked("recommend " + words + " --json"))["recommendations"][0];
}

std::string saved(const std::string& words) {
  const Json answer = json_of(asked("recommend " + words + " -n 1 --json"));
  return "'" + scratch_file("answer.json", answer.dump()) + "'";
}

const std::string kServe = "--model llama-3.1-8b --task inference --term any ";

}  // namespace

TEST_CASE("a commitment that is used four hours a day loses to on-demand, and wins round the clock") {
  const Json always = best_of(kServe)["cost"];
  CHECK(always["billing"] == "reserved-1y");
  CHECK(always["total"].get<double>() == Approx(1.2 * 730));
  const Json office = best_of(kServe + "--hours-per-day 4 --days 20")["cost"];
  CHECK(office["billing"] == "on-demand");
  CHECK(office["total"].get<double>() == Approx(2 * 4 * 20));
  CHECK(office["hours_paid"].get<double>() == Approx(80));
}

TEST_CASE("what is said of use stands in the workload, in its option's words, and is read from there again") {
  const std::string use = "--hours-per-day 4 --days 20 --utilization 0.5 --storage-gb 500 --storage block";
  const Json workload = json_of(asked("recommend " + kServe + use + " --json"))["workload"];
  CHECK(workload["hours_per_day"] == 4);
  CHECK(workload["days_per_month"] == 20);
  CHECK(workload["utilization"] == 0.5);
  CHECK(workload["storage_gb"] == 500);
  CHECK(workload["storage"] == "block");
  CHECK_FALSE(workload.contains("egress_gb"));
  CHECK_FALSE(json_of(asked("recommend " + kServe + "--json"))["workload"].contains("hours_per_day"));

  const Json cost = json_of(asked("cost " + saved(kServe + use) + " --json"));
  CHECK(cost["duty"]["hours_per_day"] == 4);
  CHECK(cost["duty"]["utilization"] == 0.5);
  CHECK(cost["extras"]["storage_gb"] == 500);
  const Json anew = json_of(asked("cost " + saved(kServe + use) + " --hours-per-day 8 --json"));
  CHECK(anew["duty"]["hours_per_day"] == 8);
  CHECK(anew["extras"]["storage_gb"].is_null());
}

TEST_CASE("saved answers of different use are not priced as one") {
  const std::string office = "'" +
                             scratch_file("office.json", json_of(asked("recommend " + kServe +
                                                                       "-n 1 --json "
                                                                       "--hours-per-day 4"))
                                                             .dump()) +
                             "'";
  const Run both = shell(asked("cost " + office + " " + saved(kServe)));
  CHECK(both.status == 2);
  CHECK(both.err.find("different usage") != std::string::npos);
  CHECK(shell(asked("cost " + office + " " + saved(kServe) + " --hours-per-day 8")).status == 0);
}

TEST_CASE("what is paid beside the instances is in the total of every command") {
  const std::string use = kServe + "--storage-gb 1000 ";
  const double total = 1.2 * 730 + 100;
  CHECK(best_of(use)["cost"]["total"].get<double>() == Approx(total));
  CHECK(json_of(asked("whatif " + use + "--pareto --json"))["now"]["cost"]["total"].get<double>() == Approx(total));
  CHECK(json_of(asked("lock " + use + "--dry-run --json"))["ranking"][0]["total"].get<double>() == Approx(total));
  CHECK(json_of(asked("compare big l4 " + use + "--json"))["items"][0]["job"]["cost"]["total"].get<double>() ==
        Approx(total));
  const std::string policy = "'" + scratch_file("policy.yaml", "policies: [{id: it, max_job_cost: 970 USD}]") + "'";
  CHECK(shell(asked("check --policy " + policy + " " + use)).status == 4);
  CHECK(shell(asked("check --policy " + policy + " " + kServe)).status == 0);
}

TEST_CASE("starts of what is scaled to zero are paid for in every command") {
  const std::string use =
      "--model llama-3.1-8b --task inference --hours-per-day 10 --utilization 0.3 --scale-to-zero "
      "--starts-per-day 12 ";
  const Json cost = best_of(use)["cost"];
  const double start = cost["cold_start_s"];
  CHECK(start > 10);
  const double total = cost["total"];
  CHECK(total == Approx(2 * (10 * 0.3 + 12 * start / 3600) * 730 / 24));
  CHECK(json_of(asked("whatif " + use + "--pareto --json"))["now"]["cost"]["total"].get<double>() == Approx(total));
  const auto on_demand = [](const Json& answer) {
    return answer["items"][0]["terms"][0]["total"]["month"].get<double>();
  };
  CHECK(on_demand(json_of(asked("cost " + use + "--json"))) == Approx(total));
  CHECK(on_demand(json_of(asked("cost " + saved(use) + " --json"))) == Approx(total));
  CHECK(json_of(asked("compare big l4 " + use + "--json"))["items"][0]["job"]["cost"]["total"].get<double>() ==
        Approx(total));
  const std::string stages = "'" + scratch_file("stages.yaml", R"(stages:
  - {name: serve, task: inference, model: llama-3.1-8b, hours_per_day: 10, utilization: 0.3, scale_to_zero: true,
     starts_per_day: 12, cloud: one}
)") + "'";
  CHECK(json_of("gpusel recommend --overlay '" + market() + "' --json --stages " + stages)["best"]["sum"]["per_month"]
            .get<double>() == Approx(total));
}

TEST_CASE("a deadline is judged by the calendar") {
  const std::string job = "--model llama-3.1-8b --task finetune --method lora ";
  const Json cost = best_of(job)["cost"];
  const double hours = cost["hours"];
  const std::string deadline = "--deadline " + std::to_string(hours * 2) + "h ";
  CHECK(json_of(asked("recommend " + job + deadline + "--json"))["recommendations"].size() == 1);
  const Json late = json_of(asked("recommend " + job + deadline + "--hours-per-day 6 --nodes 1 --json"), 3);
  CHECK(late["recommendations"].empty());
  CHECK(std::ranges::any_of(late["alternatives"], [](const Json& one) { return one["change"].contains("deadline"); }));
  // Six hours of each day, and what is left on the last; a deadline is met with a chance of 0.8.
  const Json in_time = best_of(job + "--deadline " + std::to_string(hours * 10) + "h --hours-per-day 6")["cost"];
  const double full_days = std::ceil(hours / 6) - 1;
  CHECK(in_time["elapsed_hours"].get<double>() == Approx(full_days * 24 + hours - full_days * 6));
  CHECK(in_time["hours"].get<double>() == Approx(hours));
}

TEST_CASE("a job that ends has a duty cycle in whatif as it has in cost") {
  const std::string job = "--model llama-3.1-8b --task finetune --method lora --hours-per-day 6 ";
  const Json answer = json_of(asked("whatif " + job + "--vary days=10..30/3 --json"))["now"];
  const Json& now = answer["cost"];
  const Json cost = json_of(asked("cost " + job + "--json"))["items"][0]["terms"][0];
  CHECK(now["total"].get<double>() == Approx(cost["total"]["job"].get<double>()));
  const double work = 50'000.0 * 3 * 2048 / answer["rate"].get<double>() / 3600;  // hours, without failures
  CHECK(now["duty_factor"].get<double>() == Approx(now["hours_paid"].get<double>() / work));
}

TEST_CASE("a price of one's own stays with the answer that was saved with it") {
  const std::string own = saved(kServe + "--price one/big=0.5");
  const auto of = [](const Json& answer, std::string_view term) {
    for (const Json& one : answer["items"][0]["terms"])
      if (one["term"] == term) return one;
    return Json();
  };
  const Json kept = of(json_of(asked("cost " + own + " --json")), "on-demand");
  CHECK(kept["offer"]["price_per_hour"] == 0.5);
  CHECK(kept["offer"]["source"] == "own-price");
  CHECK(kept["total"]["month"].get<double>() == Approx(0.5 * 730));
  CHECK(of(json_of(asked("cost " + own + " --price one/big=0.7 --json")), "on-demand")["offer"]["price_per_hour"] ==
        0.7);
}

TEST_CASE("prices in other places are of all nodes, as those of the place that is shown") {
  const Json term = json_of(asked("cost '2x one/big' --json"))["items"][0]["terms"][0];
  CHECK(term["instances"]["hour"] == 4);
  REQUIRE(term["elsewhere"].size() == 1);
  CHECK(term["elsewhere"][0]["hourly"] == 6);
  CHECK(term["elsewhere"][0]["price_per_hour"] == 3);
}

TEST_CASE("the table of a comparison has the verdict of fit as a column") {
  const Run run = shell(asked("compare big t4 --model llama-3.1-8b --task finetune --method lora -o csv"));
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find(",job_fits,job_fit,job_problem") != std::string::npos);
  CHECK(lines[2].find("does-not-fit") != std::string::npos);
}

}  // namespace use_test
