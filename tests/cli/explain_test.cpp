// gpusel explain, and --explain of the commands whose answers have figures.
#include <algorithm>
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace explain_test {

using namespace gpusel::test;
using Json = nlohmann::ordered_json;

namespace {

const std::string kMarket = "--catalog " + kSource + "/tests/data/market ";
const std::string kJob = "--model llama-7b --task finetune --method lora ";

Run explain(const std::string& words) { return shell("gpusel explain " + kMarket + words, {}); }

void is_tree(const Json& branch) {
  for (const char* key : {"quantity", "formula", "substituted", "value", "number", "unit", "source", "children"})
    REQUIRE(branch.contains(key));
  CHECK(branch["quantity"].is_string());
  CHECK((branch["value"].is_string() || branch["value"].is_null()));
  CHECK((branch["number"].is_number() || branch["number"].is_null()));
  for (const Json& child : branch["children"]) is_tree(child);
}

}  // namespace

TEST_CASE("what nothing is called by is answered with what could be meant") {
  CHECK(explain("nonsense").err ==
        "error: 'nonsense' is not a rule, topic, GPU, model or instance\n"
        "help: a figure needs a job: gpusel explain memory.kv_cache llama-3.1-8b\n");
  CHECK(explain("price " + kJob).out.find("cost in this answer") != std::string::npos);
  CHECK(explain("is cheaper " + kJob).err ==
        "error: one subject at a time: 'is' and 'cheaper'\n"
        "help: a rank, as in gpusel why 2; a figure, as in gpusel why cost; or an instance\n");
}

TEST_CASE("an explanation is a tree of figures in JSON") {
  const Run run = explain(kJob + "--json");
  REQUIRE(run.status == 0);
  const Json answer = Json::parse(run.out);
  CHECK(answer["schema"] == "gpusel.explain/1");
  CHECK(answer["subject"]["kind"] == "rank");
  CHECK(answer["rejection"].is_null());
  is_tree(answer["tree"]);
}

TEST_CASE("a rejection tells the change and what the instance then is") {
  const Run run = explain("n.h100.8 " + kJob + "--max-price 20 --json");
  REQUIRE(run.status == 0);
  const Json answer = Json::parse(run.out);
  const Json& rejection = answer["rejection"];
  CHECK(answer["subject"]["kind"] == "rejection");
  CHECK(rejection["rule"] == "max-price");
  REQUIRE(rejection["changes"].size() == 1);
  CHECK(rejection["changes"][0]["flag"] == "--max-price");
  CHECK(rejection["changes"][0]["value"] == "48");
  CHECK(rejection["never"].is_null());
  CHECK(rejection["admitted"]["hourly"] == 48);
  const Run again = shell("gpusel recommend " + kMarket + kJob + "--max-price 48 --json", {});
  const Json ranks = Json::parse(again.out)["recommendations"];
  const auto rank = rejection["admitted"]["rank"].get<std::size_t>();
  CHECK(ranks.size() == rejection["admitted"]["of"]);
  CHECK(ranks[rank - 1]["sku"] == "n.h100.8");
}

TEST_CASE("every change that is told can be typed") {
  const Run run = explain("n.t4.1 --model llama-7b --task finetune --json");
  const Json rejection = Json::parse(run.out)["rejection"];
  REQUIRE(rejection["others"].size() > 1);
  for (const Json& change : rejection["others"]) {
    const std::string flag = change["flag"];
    const std::string value = change["value"].is_null() ? std::string() : " " + change["value"].get<std::string>();
    CAPTURE(flag, value);
    CHECK(value.find(',') == std::string::npos);
    CHECK(shell("gpusel recommend " + kMarket + "--model llama-7b --task finetune " + flag + value).status == 0);
  }
  const Run shown = explain("n.t4.1 --model llama-7b --task finetune");
  CHECK(shown.out.find("--nodes 16") != std::string::npos);
  CHECK(shown.out.find("deadline,") == std::string::npos);
}

TEST_CASE("a GPU that is asked about is that of the whole ranking") {
  const Run all = shell("gpusel recommend " + kMarket + kJob + "--json -n 1000", {});
  const Json ranks = Json::parse(all.out)["recommendations"];
  const auto best = std::ranges::find_if(ranks, [&](const Json& row) { return row["gpu"] != ranks[0]["gpu"]; });
  REQUIRE(best != ranks.end());
  const std::string gpu = (*best)["gpu"];
  const Json subject = Json::parse(explain(gpu + " " + kJob + "--json").out)["subject"];
  CHECK(subject["kind"] == "rank");
  CHECK(subject["name"] == (*best)["provider"].get<std::string>() + "/" + (*best)["sku"].get<std::string>());
  const std::string rank = "rank " + std::to_string((*best)["rank"].get<int>()) + " of " + std::to_string(ranks.size());
  CHECK(explain(gpu + " " + kJob).out.find(rank) != std::string::npos);
}

TEST_CASE("a subject may be a figure, the end of its name, an instance or a rule") {
  CHECK(Json::parse(explain("memory " + kJob + "--json").out)["subject"]["name"] == "memory");
  CHECK(Json::parse(explain("optimizer " + kJob + "--json").out)["subject"]["name"] == "memory.optimizer");
  CHECK(Json::parse(explain("north/n.a100.8 " + kJob + "--json").out)["subject"]["kind"] == "rank");
  CHECK(Json::parse(explain("retired-sku " + kJob + "--json").out)["subject"]["kind"] == "rule");
}

TEST_CASE("what cannot be explained is said in one sentence") {
  const Run unknown = explain("memory.kv_cash --model qwen2.5-0.5b --task inference");
  CHECK(unknown.status == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err.find("memory.kv_cache") != std::string::npos);
  CHECK(explain("").status == 2);
  CHECK(explain(kJob + "--max-price 0.1").status == 3);
  CHECK(explain(kJob + "--rank 1000").status == 2);
  CHECK(explain("n.a100.8 " + kJob + "--rank 2").status == 2);
  CHECK(explain("score memory " + kJob).status == 2);
}

TEST_CASE("an explanation comes in every format") {
  for (const char* format : {"table", "wide", "json", "yaml", "csv", "markdown", "html"}) {
    CAPTURE(format);
    // A table starts with the answer, and says how to see the figures.
    const bool is_short = std::string(format) == "table";
    if (is_short) CHECK(explain(kJob + "-o table").out.find(": --explain") != std::string::npos);
    const Run run = explain(kJob + (is_short ? "--explain " : "") + "-o " + format);
    CHECK(run.status == 0);
    CHECK(run.out.find("cost.total") != std::string::npos);
  }
}

TEST_CASE("every command that has --explain and figures gives formula, values, result and source in JSON") {
  const auto [command, pointer] = GENERATE(table<std::string, std::string>({
      {"recommend " + kMarket + kJob + "-n 1", "/recommendations/0/explain"},
      {"estimate --model llama-7b --task finetune --gpu h100 --gpus 8", "/explain"},
      {"compare " + kMarket + "n.h100.8 n.a100.8 " + kJob, "/items/0/job/explain"},
      {"cost " + kMarket + "n.h100.8", "/items/0/explain"},
      {"whatif " + kMarket + kJob + "--vary deadline=1h,1d", "/explain"},
      {"fleet " + kMarket + "--model llama-3.1-8b --traffic chat --rate 4", "/explain"},
      {"verify --task pretrain", "/explain"},
  }));
  CAPTURE(command);
  const Run plain = shell("gpusel " + command + " --json", {});
  CHECK(plain.out.find("\"explain\"") == std::string::npos);
  const Run run = shell("gpusel " + command + " --explain --json", {});
  REQUIRE(run.status == 0);
  const Json lines = Json::parse(run.out).at(Json::json_pointer(pointer));
  REQUIRE_FALSE(lines.empty());
  int numbers = 0;
  for (const Json& line : lines) {
    for (const char* key : {"quantity", "formula", "substituted", "value", "number", "unit", "source"})
      CHECK(line.contains(key));
    numbers += line["number"].is_number();
  }
  CHECK(numbers > 0);
  const Run text = shell("gpusel " + command + " --explain", {});
  CHECK(text.out.find(lines[0]["quantity"].get<std::string>()) != std::string::npos);
}

}  // namespace explain_test
