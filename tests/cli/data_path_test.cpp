// The data path, services and stages as programs read them.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace data_path_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

Json answer(const std::vector<std::string>& words) {
  const Run run = ask(words);
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out);
}

const Json& storage(const Json& path, const std::string& id) {
  for (const Json& one : path["storages"])
    if (one["id"] == id) return one;
  FAIL("no storage " + id);
  return path;
}

}  // namespace

TEST_CASE("each recommendation has its data path when it is asked for, and not else") {
  const auto job =
      words_of("recommend --model resnet-50 --task pretrain --cloud aws --json --catalog tests/data/market-2026-11");
  CHECK_FALSE(answer(job)["recommendations"][0].contains("data_path"));
  auto asked = job;
  asked.emplace_back("--data-path");
  const Json out = answer(asked);
  for (const Json& one : out["recommendations"]) {
    CAPTURE(one["sku"]);
    const Json& path = one["data_path"];
    CHECK(path["need"]["unit"] == "images");
    CHECK(path["cold_start"].is_null());  // of training
    const Json& bucket = storage(path, "aws-s3");
    CHECK(bucket["per_month"].get<double>() == Approx(path["need"]["stored_gb"].get<double>() * 0.023));
    CHECK(bucket["offer"]["currency"] == "USD");
    CHECK(bucket["fx"].is_null());
    CHECK_FALSE(path.contains("explain"));
  }
}

TEST_CASE("storage without a published price or rate is null in data and a question mark in text") {
  const Json one = answer({"recommend", "--model", "llama-3.1-8b", "--task", "inference", "--cloud",
                           "oci,lambda,huawei", "--data-path", "--json", "-n", "1"})["recommendations"][0];
  bool unknown = false;
  for (const Json& fit : one["data_path"]["storages"]) unknown = unknown || fit["read_gbs"].is_null();
  CHECK(unknown);
  CHECK(one["data_path"]["cold_start"]["total_s"].get<double>() ==
        Approx(one["data_path"]["cold_start"]["load_s"].get<double>() +
               one["data_path"]["cold_start"]["engine_s"].get<double>()));
}

TEST_CASE("amounts of a data path are in one currency, each with the offer's own and the rate") {
  const Json one = answer({"recommend", "--model", "llama-3.1-8b", "--task", "finetune", "--method", "lora", "--cloud",
                           "aliyun", "--data-path", "--json", "-n", "1"})["recommendations"][0];
  const Json& essd = storage(one["data_path"], "aliyun-essd-pl1");
  CHECK(essd["offer"]["currency"] == "CNY");
  CHECK(essd["per_month"].get<double>() ==
        Approx(essd["offer"]["per_month"].get<double>() * essd["fx"]["rate"].get<double>()));
  CHECK_FALSE(essd["fx"]["as_of"].is_null());
}

TEST_CASE("traffic of sessions stands in the data path") {
  const Json one =
      answer(words_of("recommend --task render --render realtime --sessions 100 --cloud aws --data-path "
                      "--json -n 1 --catalog tests/data/market-2026-11"))["recommendations"][0];
  CHECK(one["data_path"]["egress_gbit_s"].get<double>() > 0);
  // Gbit/s × 3600 s ÷ 8 bit, through the tiers of a month: from 0.09 USD per GB down to 0.05
  const double gb_per_hour = one["data_path"]["egress_gbit_s"].get<double>() * 450;
  const double hourly = one["data_path"]["egress_hourly"];
  CHECK(hourly < gb_per_hour * 0.09);
  CHECK(hourly > gb_per_hour * 0.05);
  CHECK(hourly == one["cost"]["egress_hourly"]);
  const Json& cost = one["cost"];
  CHECK(cost["total"].get<double>() == Approx((cost["hourly"].get<double>() + hourly) * 730));
}

TEST_CASE("services have sources, and a surcharge that nobody publishes is null") {
  const Json one = answer({"recommend", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aliyun",
                           "--show-services", "--json", "-n", "1"})["recommendations"][0];
  REQUIRE_FALSE(one["services"]["managed"].empty());
  const Json& service = one["services"]["managed"][0];
  CHECK(service["id"] == "pai-eas");
  CHECK(service["surcharge"].is_null());
  CHECK_FALSE(service["sources"].empty());
}

TEST_CASE("the sum of stages is its parts, in the file's own order") {
  const auto file = scratch_file("json-stages.yaml",
                                 "months: 3\n"
                                 "stages:\n"
                                 "  - {name: try, task: inference, model: llama-3.1-8b, hours: 8, output_gb: 0}\n"
                                 "  - {name: tune, task: finetune, model: llama-3.1-8b, method: lora}\n"
                                 "  - {name: serve, task: inference, model: llama-3.1-8b, hours_per_day: 8}\n");
  const Json out = answer({"recommend", "--stages", file, "--cloud", "aws,gcp", "--json", "--explain"});
  CHECK(out["schema"] == "gpusel.stages/1");
  CHECK(out["assumed"]["today"] == "2026-11-20");
  double once = 0, monthly = 0;
  std::vector<std::string> names;
  for (const Json& stage : out["best"]["stages"]) {
    names.push_back(stage["name"]);
    once += stage["once"].is_null() ? 0 : stage["once"].get<double>();
    monthly += stage["per_month"].is_null() ? 0 : stage["per_month"].get<double>();
    const double paid = stage["once"].is_null() ? stage["per_month"].get<double>() : stage["once"].get<double>();
    CHECK(paid == Approx(stage["hourly"].get<double>() * stage["hours_paid"].get<double>()));
  }
  CHECK(names == std::vector<std::string>{"try", "tune", "serve"});
  const Json& sum = out["best"]["sum"];
  CHECK(sum["once"].get<double>() == Approx(once));
  CHECK(sum["per_month"].get<double>() == Approx(monthly));
  const double moves = sum["moves"].is_null() ? 0 : sum["moves"].get<double>();
  const double storage = sum["known_storage"].get<double>();
  CHECK(storage > 0);
  CHECK(sum["whole"].get<double>() == Approx(once + 3 * monthly + moves + storage));
  CHECK_FALSE(out["explain"].empty());
}

TEST_CASE("what shows more of one ranking has no meaning with stages") {
  const auto file = scratch_file("one-stage.yaml", "stages: [{name: a, task: inference, model: llama-3.1-8b}]\n");
  for (const char* flag : {"--data-path", "--show-services", "--show-rejected"}) {
    const Run run = ask({"recommend", "--stages", file, flag});
    CAPTURE(flag, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find("--stages") != std::string::npos);
  }
}

}  // namespace data_path_test
