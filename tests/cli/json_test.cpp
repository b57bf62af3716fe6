// The contracts that others script against: keys, kinds and what adds up.
#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace json_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

Json answer(const std::string& command) {
  const Run run = ask(words_of(command));
  INFO(command << run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out);
}

void has_keys(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    CAPTURE(key, object.dump());
    CHECK(object.contains(key));
  }
}

}  // namespace

TEST_CASE("the GPU of an instance is the id of one in the list of GPUs") {
  std::set<std::string> ids;
  const Json gpus = answer("gpus --json");
  const Json instances = answer("instances --json");
  for (const Json& gpu : gpus["items"]) ids.insert(gpu["id"]);
  for (const Json& instance : instances["items"]) {
    CAPTURE(instance["sku"].dump(), instance["gpu"].dump());
    if (instance["gpu"].is_string() && instance["gpu"] != "undisclosed") CHECK(ids.contains(instance["gpu"]));
  }
}

TEST_CASE("recommend answers by its contract") {
  const Json out = answer("recommend --model llama-7b --task finetune --json");
  CHECK(out["schema"] == "gpusel.recommend/1");
  has_keys(out, {"workload", "assumed", "catalog", "recommendations", "rejected", "alternatives"});
  has_keys(out["workload"], {"task", "model", "method"});
  has_keys(out["catalog"], {"as_of", "instances", "offers", "source"});
  REQUIRE(out["recommendations"].size() > 20);
  int rank = 0;
  for (const Json& r : out["recommendations"]) {
    has_keys(r, {"rank", "score", "score_parts", "provider", "sku", "region", "gpu", "gpus_per_node", "nodes", "gpus",
                 "plan", "memory", "performance", "cost", "pareto", "reasons", "warnings"});
    CHECK(r["rank"] == ++rank);
    CHECK(r["gpus"] == r["gpus_per_node"].get<double>() * r["nodes"].get<double>());
    has_keys(r["plan"], {"sharding", "tp", "pp", "dp", "micro_batch", "precision", "activation_checkpointing"});
    const Json& cost = r["cost"];
    has_keys(cost, {"currency", "billing", "hourly", "total", "hours", "per_million_tokens", "price_as_of",
                    "price_source", "offer"});
    CHECK(cost["total"].get<double>() == Approx(cost["hourly"].get<double>() * cost["hours_paid"].get<double>()));
    CHECK(cost.contains("fx") == (cost["offer"]["currency"] != "USD"));
    double points = 0;
    for (const Json& part : r["score_parts"]) {
      has_keys(part, {"name", "weight", "value", "points"});
      CHECK(part["value"].get<double>() >= 0);
      CHECK(part["value"].get<double>() <= 1);
      points += part["points"].get<double>();
    }
    CHECK(points == Approx(r["score"].get<double>()).margin(1e-6));
  }
  for (const Json& r : out["rejected"]) has_keys(r, {"sku", "provider", "rule", "message"});
  for (const Json& a : out["alternatives"]) has_keys(a, {"change", "provider", "sku", "hourly", "total", "message"});
}

TEST_CASE("memory in an answer adds up and says its unit") {
  const Json out = answer("estimate --model llama-7b --task finetune --gpu a100-sxm-80gb --gpus 8 --json");
  CHECK(out["schema"] == "gpusel.estimate/1");
  has_keys(out, {"fits", "assumed", "memory", "training", "interval", "bound_by"});
  const Json& memory = out["memory"];
  CHECK(memory["unit"] == "GiB");
  const Json& parts = memory["per_gpu"];
  double sum = 0;
  for (const char* key : {"weights", "gradients", "optimizer", "activations", "kv_cache", "workspace", "framework"})
    sum += parts[key].get<double>();
  CHECK(parts["total"].get<double>() == Approx(sum));
  // The total has what the allocator gives back before it fails.
  CHECK(memory["needed"].get<double>() < sum);
  CHECK(memory["margin"].get<double>() == Approx(memory["usable"].get<double>() - memory["needed"].get<double>()));
  has_keys(out["training"],
           {"tokens_per_s", "tokens_per_s_per_gpu", "samples_per_s", "step_time_s", "model_tflops_per_gpu", "mfu"});
  CHECK(out["interval"]["level"] == 0.8);
  CHECK(out["interval"]["tokens_per_s"][0] < out["training"]["tokens_per_s"]);
  CHECK(out["training"]["tokens_per_s"] < out["interval"]["tokens_per_s"][1]);
}

TEST_CASE("inference in an answer has the contract's figures") {
  const Json out = answer("estimate --model llama-3.1-8b --task inference --gpu h100 --rps 2 --json");
  has_keys(out["inference"],
           {"output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "ttft_ms", "itl_ms", "e2e_latency_ms",
            "max_concurrency", "ttft_ms_p95", "ttft_ms_p99", "itl_ms_p95", "e2e_latency_ms_p99"});
  CHECK(out["inference"]["requests_per_s"] == 2);
  CHECK_FALSE(out.contains("training"));
}

TEST_CASE("a single token is followed by none") {
  const Json out = answer("estimate --model llama-3.1-8b --task inference --gpu h100 --osl 1 --rps 2 --json");
  CHECK(out["inference"]["ttft_ms"].get<double>() > 0);
  for (const char* key : {"itl_ms", "itl_ms_p95", "itl_ms_p99"}) CHECK(out["inference"][key].is_null());
  CHECK_FALSE(out["interval"].contains("itl_ms"));
}

TEST_CASE("an encoder answers in sequences per second") {
  const Json out = answer("estimate --model bert-base --task inference --gpu t4 --json");
  CHECK(out["throughput"]["unit"] == "sequences/s");
  CHECK(out["throughput"]["value"].get<double>() > 0);
  CHECK(out["inference"]["itl_ms"].is_null());
}

TEST_CASE("explain is there when it is asked for") {
  const std::string command = "estimate --model llama-7b --task finetune --gpu h100 --gpus 8 --json";
  CHECK_FALSE(answer(command).contains("explain"));
  const Json out = answer(command + " --explain");
  REQUIRE_FALSE(out["explain"].empty());
  for (const Json& line : out["explain"]) has_keys(line, {"quantity", "formula", "value", "source"});
}

TEST_CASE("a batch answers line by line what flags answer") {
  const std::string lines =
      "{\"id\":\"a\",\"task\":\"finetune\",\"model\":\"llama-7b\",\"gpu\":\"h100\",\"gpus\":8}\n"
      "not json\n"
      "{\"id\":\"c\",\"task\":\"finetune\",\"model\":\"llama-7b\",\"gpu\":\"h100\",\"gpuss\":8}\n"
      "\n"
      "{\"id\":\"d\",\"task\":\"inference\",\"model\":{\"num_hidden_layers\":32,\"hidden_size\":4096,\"num_attention_"
      "heads\":32,"
      "\"vocab_size\":32000,\"intermediate_size\":11008},\"gpu\":\"l4\"}\n";
  const Run run = ask({"estimate", "--batch", "-"}, {.input = lines});
  CHECK(run.status == 1);
  std::vector<Json> answers;
  std::istringstream stream(run.out);
  for (std::string line; std::getline(stream, line);) answers.push_back(Json::parse(line));
  REQUIRE(answers.size() == 4);
  Json flags = answer("estimate --task finetune --model llama-7b --gpu h100 --gpus 8 --json");
  flags["id"] = "a";
  answers[0].erase("notes");
  flags.erase("notes");
  CHECK(answers[0] == flags);
  has_keys(answers[1], {"error"});
  CHECK(answers[2]["id"] == "c");
  CHECK(answers[2]["error"]["field"] == "gpuss");
  has_keys(answers[2]["error"], {"code", "message"});
  CHECK(answers[3]["id"] == "d");
  CHECK(answers[3].contains("fits"));
}

TEST_CASE("lists as JSON are complete unless limited") {
  const Json all = answer("gpus --json");
  CHECK(all["items"].size() >= 90);
  CHECK(answer("gpus --json -n 3")["items"].size() == 3);
  for (const Json& gpu : all["items"]) {
    has_keys(gpu, {"id", "vendor", "name", "memory_gb", "memory_bandwidth_gbs", "fp16_dense_tflops", "sources"});
    CHECK_FALSE(gpu["sources"].empty());
  }
}

TEST_CASE("compare as JSON says what was assumed") {
  const Json out = answer("compare h100 l40s --model llama-7b --task finetune --method lora --json");
  CHECK(out["schema"] == "gpusel.compare/1");
  has_keys(out, {"currency", "workload", "assumed", "items"});
  for (const Json& item : out["items"]) has_keys(item, {"name", "gpu", "price", "job"});
}

TEST_CASE("compare as JSON has derived figures, ratios and what differs") {
  const Json out = answer("compare p4d.24xlarge 2xp4de.24xlarge ecs.gn6i-c4g1.xlarge --currency EUR --json");
  has_keys(out, {"schema", "currency", "terms", "items", "differences"});
  for (const Json& item : out["items"]) {
    has_keys(item, {"name", "count", "instance", "gpu", "price", "derived", "ratios", "blender"});
    has_keys(item["derived"], {"price_per_hour", "price_per_hour_per_gpu", "price_per_hour_per_gb",
                               "price_per_hour_per_gbs", "price_per_hour_per_fp16_tflops", "fp16_tflops_per_w",
                               "bandwidth_gbs_per_w", "gpus", "gpu_memory_total_gb"});
    has_keys(item["price"], {"hourly", "per", "provider", "sku", "region", "term", "as_of", "source", "confidence",
                             "published", "fx"});
    CHECK_FALSE(item["price"]["fx"]["as_of"].is_null());
    CHECK_FALSE(item["instance"]["caution"].is_null());
    const double hourly = item["price"]["hourly"].get<double>() * item["count"].get<double>();
    CHECK(item["derived"]["price_per_hour"].get<double>() == Approx(hourly));
    CHECK(item["ratios"]["price_per_hour"].get<double>() ==
          Approx(hourly / out["items"][0]["derived"]["price_per_hour"].get<double>()));
  }
  CHECK(out["items"][2]["price"]["published"]["currency"] == "CNY");
  CHECK(out["items"][1]["ratios"]["memory_gb"] == 2);
  const auto differs = [&](const char* key) {
    return std::find(out["differences"].begin(), out["differences"].end(), key) != out["differences"].end();
  };
  CHECK(differs("gpu.memory_gb"));
  CHECK(differs("instance.vcpu"));
  CHECK(differs("derived.price_per_hour"));
  CHECK_FALSE(differs("gpu.fp8_dense_tflops"));
  CHECK_FALSE(differs("gpu.sources"));
}

TEST_CASE("compare with a job has ratios of it, its interval and, where asked, its formulas") {
  const Json out = answer("compare h100 a100-80gb t4 --model llama-3.1-8b --task inference --explain --json");
  for (const Json& item : out["items"]) {
    has_keys(item["job"], {"fits", "problem", "explain"});
    if (!item["job"]["fits"].get<bool>()) {
      CHECK(item["job"]["problem"].is_string());
      CHECK(item["ratios"]["tokens_per_s"].is_null());
      continue;
    }
    has_keys(item["job"], {"plan", "memory", "inference", "interval", "cost"});
    CHECK(item["ratios"]["tokens_per_s"].get<double>() ==
          Approx(item["job"]["inference"]["output_tokens_per_s"].get<double>() /
                 out["items"][0]["job"]["inference"]["output_tokens_per_s"].get<double>()));
    CHECK(item["ratios"]["job_hours"].is_null());  // a service has no end
  }
  CHECK_FALSE(out["items"][2]["job"]["fits"].get<bool>());
}

TEST_CASE("compare says what is known not to be sold, and fails a price that is too old when asked to") {
  const Run run = ask({"compare", "p4d.24xlarge", "p5e.48xlarge"}, {.environment = {{"COLUMNS", "300"}}});
  CHECK(run.out.find("p5e.48xlarge: no price on record for these terms; not-offered, on-demand") != std::string::npos);
  const auto others = run.out.find("other terms or places: ");
  REQUIRE(others != std::string::npos);
  CHECK(run.out.substr(others, run.out.find('\n', others) - others).find("capacity-block") != std::string::npos);
  const Run strict = ask(words_of("compare t4 n.a100.8 --catalog tests/data/market --max-price-age 10d --strict"));
  CHECK(strict.status == 6);
  CHECK(strict.err.find("2 of 2 prices are older") != std::string::npos);
  CHECK(ask(words_of("compare t4 n.a100.8 --catalog tests/data/market --max-price-age 30d --strict")).status == 0);
}

TEST_CASE("compare folds what is equal for all, and shows it when asked for everything") {
  // The short table has the bandwidth of each; under it the specifications have one line for what is equal.
  const std::string row = "\nbandwidth, GB/s";
  const Run folded = ask({"compare", "t4", "t4g", "--specs"});
  CHECK(folded.out.find("bandwidth 320 GB/s") != std::string::npos);
  CHECK(folded.out.find(row) == folded.out.rfind(row));
  const Run wide = ask({"compare", "t4", "t4g", "-o", "wide"});
  REQUIRE(wide.out.find(row) != std::string::npos);
  CHECK(wide.out.find(row) != wide.out.rfind(row));
  CHECK(wide.out.find("same for all") == std::string::npos);
  CHECK(ask({"compare", "t4", "t4g", "-o", "yaml"}).out.starts_with("schema: gpusel.compare/1\n"));
}

TEST_CASE("what a name is often mistaken for is said wherever it is shown") {
  const struct {
    const char* name;
    const char* words;
  } known[] = {{"ecs.gn6i-c4g1.xlarge", "T4"},      {"ecs.gn6v-c8g1.2xlarge", "16 GB"},
               {"ecs.gn6e-c12g1.3xlarge", "32 GB"}, {"p4d.24xlarge", "40 GB"},
               {"p4de.24xlarge", "80 GB"},          {"g5.xlarge", "A10G"},
               {"GN10Xp.2XLARGE40", "V100"},        {"Standard_NC40ads_H100_v5", "94 GB"}};
  for (const auto& [name, words] : known) {
    CAPTURE(name);
    const Json caution = answer(std::string("instances show ") + name + " --json")["item"]["caution"];
    REQUIRE(caution.is_string());
    CHECK(caution.get<std::string>().find(words) != std::string::npos);
    const Run compared = ask({"compare", name, "h200", "--color", "never"}, {.environment = {{"COLUMNS", "400"}}});
    CHECK(compared.out.find(caution.get<std::string>()) != std::string::npos);
    CHECK(
        ask({"instances", "show", name}, {.environment = {{"COLUMNS", "400"}}}).out.find(caution.get<std::string>()) !=
        std::string::npos);
  }
}

}  // namespace json_test
