// gpusel cost and own prices as they are typed.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>

#include "support/program.hpp"

namespace cost_test {

using namespace gpusel::test;

namespace {

Run on_market(std::vector<std::string> words, const Setting& setting = {}) {
  words.insert(words.end(), {"--catalog", kSource + "/tests/data/market"});
  return ask(words, setting);
}
Run refused(std::vector<std::string> words, int status) {
  Run run = on_market(std::move(words));
  CAPTURE(run.out);
  CHECK(run.status == status);
  CHECK(run.out.empty());
  CHECK(is_one_error(run.err));
  return run;
}

}  // namespace

TEST_CASE("a term without a price is told with those that have one", "[cli][cost]") {
  const Run run = on_market({"cost", "s.a10.1", "--term", "reserved-3y"});
  CAPTURE(run.out);
  CHECK(run.status == 3);
  CHECK(run.out.find("no matching price on record") != std::string::npos);
  CHECK(run.out.find("published for this instance: on-demand") != std::string::npos);
}

TEST_CASE("a price of your own that holds everywhere is compared where the on-demand price is", "[cli][cost]") {
  const Run run = ask({"cost", "p3.2xlarge", "--price", "p3.2xlarge:reserved-1y=1.38", "--json"});
  REQUIRE(run.status == 0);
  const auto terms = nlohmann::json::parse(run.out)["items"][0]["terms"];
  std::map<std::string, std::string> region;
  for (const auto& term : terms) region[term["term"]] = term["offer"]["region"];
  CHECK(region.at("reserved-1y") == region.at("on-demand"));
}

TEST_CASE("a saved answer is priced from a file and from standard input", "[cli][cost]") {
  const Run saved = on_market({"recommend", "--model", "llama-7b", "--task", "finetune", "--method", "lora", "--json"});
  REQUIRE(saved.status == 0);
  const auto first = nlohmann::json::parse(saved.out)["recommendations"][0];
  const Run from_input = on_market({"cost", "-", "--json"}, {.input = saved.out});
  REQUIRE(from_input.status == 0);
  const auto item = nlohmann::json::parse(from_input.out)["items"][0];
  CHECK(item["sku"] == first["sku"]);
  CHECK(item["nodes"] == first["nodes"]);
  CHECK(item["job"]["hours"].get<double>() == Approx(first["cost"]["hours"].get<double>()));
  const Run from_file = on_market({"cost", scratch_file("saved.json", saved.out), "--json"});
  CHECK(from_file.out == from_input.out);
  // The same plan, found anew.
  const Run anew = on_market({"cost", "--model", "llama-7b", "--task", "finetune", "--method", "lora", "--json"});
  const auto found = nlohmann::json::parse(anew.out)["items"][0];
  CHECK(found["terms"][0]["instances"]["job"].get<double>() ==
        Approx(item["terms"][0]["instances"]["job"].get<double>()));
}

TEST_CASE("an instance rented for some hours costs these hours, as they are billed", "[cli][cost]") {
  const auto rented = [](const char* time) {
    const Run run = on_market({"cost", "n.t4.1", "--term", "on-demand", "--hours", time, "--json"});
    REQUIRE(run.status == 0);
    return nlohmann::json::parse(run.out)["items"][0]["terms"][0]["instances"];
  };
  const double hour = rented("100")["hour"];
  CHECK(rented("100")["job"].get<double>() == Approx(100 * hour));
  CHECK(rented("3d")["job"].get<double>() == Approx(72 * hour));
  CHECK(rented("100")["month"].get<double>() == Approx(730 * hour));
  CHECK(refused({"cost", "n.t4.1", "--hours", "0"}, 2).err.find("--hours: must be more than 0") != std::string::npos);
  CHECK(refused({"cost", "n.t4.1", "--model", "llama-7b", "--task", "finetune", "--hours", "3"}, 2)
            .err.find("the hours of a job are estimated") != std::string::npos);
}

TEST_CASE("a saved answer in YAML is one too", "[cli][cost]") {
  const Run saved =
      on_market({"recommend", "--model", "llama-7b", "--task", "finetune", "--method", "lora", "-o", "yaml"});
  const Run priced = on_market({"cost", scratch_file("saved.yaml", saved.out), "--rank", "2", "--json"});
  REQUIRE(priced.status == 0);
  CHECK(nlohmann::json::parse(priced.out)["items"][0]["rank"] == 2);
}

TEST_CASE("terms that are sold at prices not on record are named where all terms are shown", "[cli][cost]") {
  const std::string unpriced = scratch_file(
      "unpriced.yaml",
      "providers:\n  - {id: north, unpriced: {terms: [on-demand, savings-1y, savings-3y], source: north-list}}\n");
  const std::string sold = "other terms, without recorded prices: savings-1y, savings-3y";  // on demand has one
  const auto cost = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"cost", "north/n.a100.8", "--overlay", unpriced});
    return on_market(std::move(words)).out;
  };
  CHECK_THAT(cost({}), Catch::Contains(sold));
  CHECK_THAT(cost({"--json"}), Catch::Contains(sold));
  CHECK_THAT(cost({"--term", "on-demand"}), !Catch::Contains("other terms, without"));
}

TEST_CASE("what cannot be priced is refused in one sentence", "[cli][cost]") {
  CHECK(refused({"cost"}, 2).err.find("neither an instance nor a job") != std::string::npos);
  CHECK(refused({"cost", "n.h100.9"}, 2).err.find("did you mean 'n.h100.8'") != std::string::npos);
  CHECK(refused({"cost", "gone.json"}, 2).err.find("gone.json") != std::string::npos);
  CHECK(refused({"cost", scratch_file("other.json", "{}")}, 2).err.find("is not an answer of gpusel recommend") !=
        std::string::npos);
  CHECK(refused({"cost", "n.t4.1", "--hours-per-day", "30"}, 2).err.find("--hours-per-day") != std::string::npos);
  CHECK(refused({"cost", "n.t4.1", "--storage", "tape"}, 2).err.find("--storage") != std::string::npos);
  CHECK(refused({"cost", "n.t4.1", "--price", "n.t4.1=cheap"}, 2).err.find("--price") != std::string::npos);
  CHECK(refused({"cost", "n.t4.1", "--discount", "nrth=0.1"}, 2).err.find("did you mean 'north'") != std::string::npos);
  CHECK(refused({"cost", "--model", "llama-7b", "--task", "finetune", "--rank", "900"}, 2).err.find("--rank") !=
        std::string::npos);
}

TEST_CASE("an instance without a price under the limits is no answer", "[cli][cost]") {
  const Run run = on_market({"cost", "n.a100.8", "--term", "reserved-1y"});
  CHECK(run.status == 3);
  CHECK(run.out.find("no matching price on record") != std::string::npos);
}

TEST_CASE("own prices move every answer that shows prices, and are told", "[cli][own]") {
  const std::vector<std::string> own{"--price", "n.h100.8=8", "--discount", "bazaar=50%"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), own.begin(), own.end());
    const Run run = on_market(std::move(words));
    CHECK(run.status == 0);
    CHECK(run.err.find("your own prices: n.h100.8 8 USD per hour, bazaar 50 % off") != std::string::npos);
    return run.out;
  };
  const auto listed = nlohmann::json::parse(with({"instances", "--json"}))["items"];
  for (const auto& item : listed) {
    if (item["sku"] == "n.h100.8") CHECK(item["best_offer"]["price_per_hour"] == 8);
    if (item["sku"] == "2x-l40s") CHECK(item["best_offer"]["price_per_hour"].get<double>() == Approx(0.8));
  }
  const auto compared = nlohmann::json::parse(with({"compare", "n.h100.8", "2x-l40s", "--json"}))["items"];
  CHECK(compared[0]["price"]["hourly"] == 8);
  CHECK(compared[0]["price"]["source"] == "own-price");
  CHECK(compared[1]["price"]["source"] == "own-discount");
  const auto best = nlohmann::json::parse(
      with({"recommend", "--model", "llama-7b", "--task", "finetune", "--json", "--allow-list", "n.h100.8"}));
  CHECK(best["recommendations"][0]["cost"]["hourly"] == 8);
  CHECK(best["recommendations"][0]["cost"]["price_source"] == "own-price");
  CHECK(best["recommendations"][0]["cost"]["price_note"] == "your own price");
  const auto priced = nlohmann::json::parse(with({"cost", "n.h100.8", "--json"}))["items"][0]["terms"][0];
  CHECK(priced["instances"]["month"] == 5840);
}

TEST_CASE("commands without prices take no own ones", "[cli][own]") {
  CHECK(ask({"gpus", "--price", "x=1"}).status == 2);
}

TEST_CASE("a machine that is named is not priced for a load that it was not planned for", "[cli][cost]") {
  for (const std::vector<std::string>& load :
       {std::vector<std::string>{"--traffic", "code"}, {"--users", "100", "--think", "20"}}) {
    std::vector<std::string> words{"cost", "n.h100.8", "--model", "llama-3.1-8b", "--task", "inference"};
    words.insert(words.end(), load.begin(), load.end());
    CHECK(refused(words, 2).err.find(load.front()) != std::string::npos);
    words.erase(words.begin() + 1);
    CHECK(on_market(words).status == 0);
  }
}

TEST_CASE("a service that is not always in use has numbers for its autoscaler", "[cli][cost]") {
  const std::vector<std::string> service = {"cost",   "n.h100.8",  "--model", "llama-3.1-8b",
                                            "--task", "inference", "--json",  "--explain"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), service.begin(), service.end());
    const Run run = on_market(more);
    REQUIRE(run.status == 0);
    return nlohmann::json::parse(run.out)["items"][0];
  };
  CHECK_FALSE(with({}).contains("autoscaling"));
  const auto off = with({"--scale-to-zero", "--utilization", "0.3"});
  const auto& rule = off["autoscaling"];
  CHECK(rule["keda"]["minReplicaCount"] == 0);
  CHECK(rule["hpa"]["minReplicas"] == 1);
  CHECK(rule["keda"]["maxReplicaCount"] == 1);
  CHECK(rule["cold_start_s"] == off["cold_start_s"]);
  CHECK(rule["keda"]["threshold"] == rule["target_in_flight"]);
  CHECK(rule["metrics"]["running"] == "vllm:num_requests_running");
  const auto explained = [](const nlohmann::json& item) {
    return std::any_of(item["explain"].begin(), item["explain"].end(),
                       [](const auto& line) { return line["quantity"] == "autoscaling.target_in_flight"; });
  };
  CHECK(explained(off));
  CHECK(with({"--hours-per-day", "8"})["autoscaling"]["keda"]["minReplicaCount"] == 1);
}

}  // namespace cost_test
