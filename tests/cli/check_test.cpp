// The gate from outside: every kind of policy passes and fails, and the status follows.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "answer/gate/policy_kinds.hpp"
#include "base/io/document.hpp"
#include "support/program.hpp"

namespace check_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kJob = "--model llama-7b --task finetune --method lora --catalog tests/data/market ";

std::string policy_file(const std::string& text) { return scratch_file("policy.yaml", text); }

Run check(const std::string& policies, const std::string& words) {
  return shell("gpusel check --policy '" + policy_file(policies) + "' " + kJob + words);
}

std::string one(const std::string& demand, const std::string& head = {}) {
  return head + "policies:\n  - id: it\n    " + demand + "\n";
}

/// Whether a packaged validator accepts `json` by the schema in that file.
bool validates(const std::string& schema, const std::string& json) {
  const std::string program =
      "import json, sys, jsonschema\n"
      "jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))\n";
  const Run run = command({"/usr/bin/python3", "-c", program, kSource + "/" + schema}, {.input = json});
  CAPTURE(run.err);
  CHECK(run.err.empty());
  return run.status == 0;
}

}  // namespace

TEST_CASE("every kind of policy passes and fails, with the status that says so", "[check]") {
  struct Case {
    std::string passes, fails, words;
  };
  const Case cases[] = {
      {"max_cost_per_hour: 50 USD", "max_cost_per_hour: 1 USD", "--cloud north"},
      {"max_cost_per_month: 40000 USD", "max_cost_per_month: 300 USD", "--cloud north"},
      {"max_job_cost: 900000 CNY", "max_job_cost: 1 CNY", "--cloud north"},
      {"allowed_providers: [north, south]", "allowed_providers: [south]", "--cloud north"},
      {"denied_providers: south", "denied_providers: [north]", "--cloud north"},
      {"allowed_provider_kinds: [marketplace]", "allowed_provider_kinds: [hyperscaler]", "--cloud bazaar"},
      {"denied_provider_kinds: [cloud]", "denied_provider_kinds: [marketplace]", "--cloud bazaar"},
      {"allowed_regions: [us-1]", "allowed_regions: [eu-1]", "--cloud north"},
      {"denied_regions: [eu-1]", "denied_regions: [us-1]", "--cloud north"},
      {"allowed_countries: [US]", "allowed_countries: [eu]", "--cloud north"},
      {"denied_countries: [eu, cn]", "denied_countries: [us]", "--cloud north"},
      {"allowed_gpus: [h100-sxm-80gb, a100]", "allowed_gpus: [l40s]", "--cloud north --gpu h100"},
      {"denied_gpus: [a100]", "denied_gpus: [h100]", "--cloud north --gpu h100"},
      {"allowed_terms: [spot]", "allowed_terms: [on-demand, reserved-1y]", "--cloud north --term spot"},
      {"denied_terms: [on-demand]", "denied_terms: [spot]", "--cloud north --term spot"},
      {"denied_licences: [apache-2.0]", "allowed_licences: [apache-2.0]", "--cloud north"},
      {"allowed_price_confidence: [api]", "allowed_price_confidence: [documented]", "--cloud bazaar"},
      {"min_headroom: 0%", "min_headroom: 99%", "--cloud north"},
      {"min_headroom: 0.1GiB", "min_headroom: 500GiB", "--cloud north"},
      {"max_price_age: 30d", "max_price_age: 2d", "--cloud north"},
      {"min_gpu_providers: 1", "min_gpu_providers: 2", "--cloud north"},
      {"min_sku_regions: 2", "min_sku_regions: 3", "--cloud north --gpu h100"},
      {"export_control: [{gpus: [h100], countries: [CN]}]",
       "export_control: [{gpus: [h100], countries: [eu, US], source: our list}]", "--cloud north --gpu h100"},
      {"export_control: [{gpus: [a100], provider_countries: [US]}]",
       "export_control: [{gpus: [h100], provider_countries: [US]}]", "--cloud north --gpu h100"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.passes, c.fails);
    const Run good = check(one(c.passes), c.words);
    CAPTURE(good.out, good.err);
    CHECK(good.status == 0);
    const Run bad = check(one(c.fails), c.words);
    CAPTURE(bad.out, bad.err);
    CHECK(bad.status == 4);
    CHECK(bad.out.find("error") != std::string::npos);
  }
}

TEST_CASE("each kind that the program knows is in the document", "[check]") {
  const std::string page = read_file(kSource + "/docs/ci.md");
  for (const auto& kind : gpusel::answer::all_policy_kinds()) {
    CAPTURE(kind.key);
    CHECK(page.find("`" + std::string(kind.key) + "`") != std::string::npos);
  }
}

TEST_CASE("every rank has its chances, whether it is asked or read from a file", "[check]") {
  const std::string job = "--task render --frames 3000 --seconds-per-frame 240 --on rtx-4090 --deadline 24h";
  const std::string policy = "gpusel check --policy '" + policy_file(one("min_confidence: 0.9")) + "' --all --json ";
  const Run anew = shell(policy + job);
  const std::string saved = scratch_file("ranks.json", shell("gpusel recommend " + job + " --json").out);
  const Run read = shell(policy + saved);
  CHECK(anew.status == read.status);
  const Json counts = Json::parse(anew.out)["counts"];
  CHECK(counts == Json::parse(read.out)["counts"]);
  CHECK(counts["failed"] > 0);
}

TEST_CASE("an audit tells what fails and ends with 0, and the word goes before the file", "[check]") {
  const std::string demand = "max_cost_per_hour: 0.01 USD";
  const Run audit = check(one(demand, "mode: audit\n"), "--cloud north");
  CHECK(audit.status == 0);
  CHECK(audit.out.find("at most 0.010 USD") != std::string::npos);
  CHECK(audit.out.find("audit, error") != std::string::npos);
  CHECK(audit.out.find("errors in files that only audit: 1") != std::string::npos);
  CHECK(check(one(demand, "mode: audit\n"), "--cloud north --policy-mode enforce").status == 4);
  CHECK(check(one(demand), "--cloud north --policy-mode audit").status == 0);
}

TEST_CASE("only an error closes the gate", "[check]") {
  CHECK(check(one("max_cost_per_hour: 0.01 USD\n    severity: warning"), "--cloud north").status == 0);
  CHECK(check(one("max_cost_per_hour: 0.01 USD\n    severity: note"), "--cloud north").status == 0);
  CHECK(check(one("max_cost_per_hour: 0.01 USD\n    severity: error"), "--cloud north").status == 4);
}

TEST_CASE("what is not known fails unless it is allowed, and the fact is named", "[check]") {
  const std::string demand = "allowed_countries: [US]";  // bazaar's region lies anywhere
  const Run run = check(one(demand), "--cloud bazaar");
  CHECK(run.status == 4);
  CHECK(run.out.find("country") != std::string::npos);
  CHECK(check(one(demand + "\n    unknown: allow"), "--cloud bazaar").status == 0);
  CHECK(check(one(demand, "unknown: allow\n"), "--cloud bazaar").status == 0);
  const Run json = check(one(demand), "--cloud bazaar --json");
  CHECK(Json::parse(json.out)["results"][0]["outcome"] == "unknown");
}

TEST_CASE("what is asked of GPUs and models is not asked of what has none", "[check]") {
  const std::string all =
      "policies:\n  - {id: a, allowed_gpus: [h100]}\n  - {id: b, min_gpu_providers: 9}\n"
      "  - {id: c, allowed_licences: [apache-2.0]}\n";
  const Run run = shell("gpusel check --policy '" + policy_file(all) +
                        "' --task transcode --codec h264 --streams 1 --cloud gcp --allow-list '^c4a'");
  CAPTURE(run.out, run.err);
  CHECK(run.status == 0);
}

TEST_CASE("rules are policies: reject is an error, warn is not", "[check]") {
  const auto rule = [](const std::string& effect) {
    return "rules:\n  - id: r\n    effect: " + effect +
           "\n    when: {fact: provider, is: north}\n    message: \"it is {provider}\"\n    source: us\n";
  };
  const Run rejected = check(rule("reject"), "--cloud north");
  CHECK(rejected.status == 4);
  CHECK(rejected.out.find("it is north") != std::string::npos);
  CHECK(check(rule("warn"), "--cloud north").status == 0);
  CHECK(check(rule("reject"), "--cloud bazaar").status == 0);
  const Run adjusts = check(rule("adjust\n    points: 5"), "--cloud north");
  CHECK(adjusts.status == 2);
  CHECK(adjusts.err.find("policy.yaml:2:5: an 'adjust' rule") != std::string::npos);
}

TEST_CASE("nothing recommended leaves nothing to judge", "[check]") {
  CHECK(check(one("max_price_age: 1000d"), "--cloud north --max-price 0.001").status == 3);
  CHECK(check(one("max_price_age: 1000d", "mode: audit\n"), "--cloud north --max-price 0.001").status == 0);
}

TEST_CASE("a text that its fact never has is a slip, with the one that was meant", "[check]") {
  const std::pair<std::string, std::string> slips[] = {
      {"{fact: country, is: us}", "no country is called 'us'\nhelp: did you mean 'US'?"},
      {"{not: {fact: country, is: UK}}", "no country is called 'UK'\nhelp: did you mean GB?"},
      {"{fact: provider, is: amazon}", "no provider is called 'amazon'\nhelp: did you mean 'aws'?"},
      {"{fact: term, is: ondemand}", "did you mean 'on-demand'?"},
      {"{any: [{fact: gpu, in: [l4, L40S]}]}", "no gpu is called 'L40S'\nhelp: did you mean 'l40s'?"},
      {"{fact: price_per_hour, above: 20}", "needs the file's 'currency'"},
  };
  const std::string job = "' --model llama-7b --task finetune --method lora --cloud aws";
  for (const auto& [when, said] : slips) {
    const std::string rule = "rules:\n  - {id: r, effect: reject, when: " + when + ", message: no, source: us}\n";
    const Run run = shell("gpusel check --policy '" + policy_file(rule) + job);
    CAPTURE(when, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(said) != std::string::npos);
  }
}

TEST_CASE("money in rules is in the file's currency, whatever the answer is in", "[check]") {
  const auto rule = [](const std::string& currency, const std::string& above) {
    return "currency: " + currency +
           "\nrules:\n  - {id: r, effect: reject, when: {fact: price_per_hour, above: " + above +
           "}, message: dear, source: us}\n";
  };
  const Json answer = Json::parse(shell("gpusel recommend --json " + kJob + "--cloud north").out);
  const double hourly = answer["recommendations"][0]["cost"]["hourly"];
  for (const std::string currency : {"", "--currency CNY", "--currency EUR"}) {
    CAPTURE(currency);
    CHECK(check(rule("USD", std::to_string(hourly * 0.99)), "--cloud north " + currency).status == 4);
    CHECK(check(rule("USD", std::to_string(hourly * 1.01)), "--cloud north " + currency).status == 0);
    CHECK(check(rule("CNY", std::to_string(hourly * 1.01)), "--cloud north " + currency).status == 4);
    CHECK(check(rule("CNY", std::to_string(hourly * 100)), "--cloud north " + currency).status == 0);
  }
}

TEST_CASE("third-party hosts are a marketplace, of whichever provider", "[check]") {
  const std::string job = "' --model llama-7b --task finetune --method lora --cloud runpod --market true --allow-list ";
  const std::string demands[] = {"denied_provider_kinds: [marketplace]", "allowed_provider_kinds: [cloud]"};
  for (const std::string& demand : demands) {
    const std::string words = "gpusel check --policy '" + policy_file(one(demand)) + job;
    const Run hosted = shell(words + "COMMUNITY");
    CAPTURE(demand, hosted.out, hosted.err);
    CHECK(hosted.status == 4);
    CHECK(hosted.out.find("third-party hosts") != std::string::npos);
    CHECK(shell(words + "SECURE").status == 0);
  }
}

TEST_CASE("a price that holds in many places is not passed by a list of denied regions", "[check]") {
  const std::string demand = one("denied_regions: [us-1]");
  CHECK(check(demand, "--cloud bazaar").status == 4);
  CHECK(Json::parse(check(demand, "--cloud bazaar --json").out)["results"][0]["outcome"] == "unknown");
}

TEST_CASE("an architecture means its GPUs, and what a broad name means is told", "[check]") {
  const std::string job = "' --model llama-7b --task finetune --method lora --cloud aws --gpu l40s";
  const Run run = shell("gpusel check --policy '" + policy_file(one("denied_gpus: [ada]")) + job);
  CHECK(run.status == 4);
  CHECK(run.err.find("denied_gpus: 'ada' means any of") != std::string::npos);
  CHECK(shell("gpusel check --policy '" + policy_file(one("denied_gpus: [hopper]")) + job).status == 0);
}

TEST_CASE("prices too old for --strict close the gate in every format", "[check]") {
  const std::string policies = one("max_price_age: 900d");
  const std::string words = "--cloud north --max-price-age 1d --strict ";
  const Run table = check(policies, words);
  CHECK(table.status == 6);
  CHECK(table.out.find("FAILED") != std::string::npos);
  const Run json = check(policies, words + "--json");
  CHECK(Json::parse(json.out)["status"] == 6);
  CHECK(validates("docs/schema/check-1.json", json.out));
  CHECK(Json::parse(check(policies, words + "-o sarif").out)["runs"][0]["invocations"][0]["exitCode"] == 6);
  CHECK(check(policies, words + "-o junit").out.find("errors=\"1\"") != std::string::npos);
}

TEST_CASE("no setting loosens a gate", "[check]") {
  const std::string line = "gpusel check --policy '" + policy_file(one("max_cost_per_hour: 0.1 USD")) + "' " + kJob;
  CHECK(shell(line, {.environment = {{"GPUSEL_POLICY_MODE", "audit"}}}).status == 4);
  const std::string settings = scratch_file(".gpusel.yaml", "policy_mode: audit\n");
  const std::string folder = settings.substr(0, settings.rfind('/'));
  const Run run = shell("cd '" + folder + "' && gpusel check --policy policy.yaml --model llama-7b --task finetune");
  CAPTURE(run.out, run.err);
  CHECK(run.status == 2);
  CHECK(run.err.find("command line only") != std::string::npos);
}

TEST_CASE("figures that differ are shown with the digits that differ", "[check]") {
  const Json answer = Json::parse(shell("gpusel recommend --json " + kJob + "--cloud north").out);
  const double hourly = answer["recommendations"][0]["cost"]["hourly"];
  const std::string close = std::to_string(hourly - 0.0001);
  const Run run = check(one("max_cost_per_hour: " + close + " USD"), "--cloud north --json");
  const std::string message = Json::parse(run.out)["results"][0]["message"];
  CAPTURE(message);
  CHECK(message.substr(0, message.find(' ')) != message.substr(message.find("most ") + 5, message.find(' ')));
}

TEST_CASE("each finding is explained down to its facts", "[check]") {
  const Run run = check(one("max_cost_per_hour: 0.1 USD"), "--cloud north --explain");
  CAPTURE(run.out);
  for (const std::string part : {"violated where: price_per_hour > 0.1", "found: price_per_hour = ", "policy.yaml:2:5",
                                 "demand: max_cost_per_hour: 0.1 USD"})
    CHECK(run.out.find(part) != std::string::npos);
}

TEST_CASE("ranks are judged as asked", "[check]") {
  const std::string demand = one("allowed_terms: [on-demand]");
  const Json all = Json::parse(check(demand, "--all --json").out);
  CHECK(all["judged"].get<int>() > 2);
  CHECK(all["results"].size() == all["judged"]);
  CHECK(Json::parse(check(demand, "--rank 2 --json").out)["results"][0]["rank"] == 2);
  const Run none = check(demand, "--rank 900");
  CHECK(none.status == 2);
  CHECK(none.err.find("--rank") != std::string::npos);
}

TEST_CASE("a saved answer is judged as is", "[check]") {
  const std::string answer = scratch_directory() + "/answer";
  REQUIRE(shell("gpusel recommend --json " + kJob + "--cloud north > " + answer + ".json").status == 0);
  REQUIRE(shell("gpusel recommend -o yaml " + kJob + "--cloud north > " + answer + ".yaml").status == 0);
  REQUIRE(shell("gpusel lock " + kJob + "--cloud north --to " + answer + ".lock").status == 0);
  const std::string demands =
      "policies:\n  - {id: cost, max_cost_per_hour: 100 USD}\n"
      "  - {id: room, min_headroom: 0.1GiB}\n  - {id: age, max_price_age: 60d}\n"
      "  - {id: where, allowed_countries: [us, eu]}\n  - {id: what, denied_gpus: [l40s]}\n"
      "  - {id: licence, denied_licences: [mit]}\n  - {id: term, allowed_terms: [on-demand]}\n"
      "  - {id: kind, denied_provider_kinds: [marketplace]}\n";
  const std::string market = " --catalog tests/data/market --policy '" + policy_file(demands) + "' ";
  for (const std::string kind : {".json", ".yaml", ".lock"}) {
    const Run run = shell("gpusel check" + market + answer + kind);
    CAPTURE(kind, run.out, run.err);
    CHECK(run.status == 0);
  }
  CHECK(shell("gpusel check" + market + "- < " + answer + ".json").status == 0);
  const Run both = shell("gpusel check --model llama-7b" + market + answer + ".json");
  CHECK(both.status == 2);
  CHECK(both.err.find("--model") != std::string::npos);
  const Run foreign = shell("gpusel check" + market + "tests/data/market/market.yaml");
  CHECK(foreign.status == 2);
  CHECK(foreign.err.find("an answer of gpusel recommend") != std::string::npos);
}

TEST_CASE("what would change the question is refused with a saved answer", "[check]") {
  const std::string answer = scratch_directory() + "/saved.json";
  REQUIRE(shell("gpusel recommend --json " + kJob + "--cloud north > " + answer).status == 0);
  const std::string line = "gpusel check --catalog tests/data/market --policy '" +
                           policy_file(one("max_price_age: 900d")) + "' " + answer + " ";
  for (const std::string words : {"--max-price 0.5", "--budget 1", "--residency eu", "--gpu h100", "--cloud north",
                                  "--deadline 4h", "--nodes 2", "--term spot", "--price x=1", "--currency CNY",
                                  "--use-spot", "--rules x.yaml", "--objective speed", "--max-price-age 3d"}) {
    const Run run = shell(line + words);
    CAPTURE(words, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(words.substr(0, words.find(' '))) != std::string::npos);
  }
  CHECK(shell(line + "--max-price-age 1d --strict").status == 6);
  CHECK(shell(line + "--max-price-age 900d --strict").status == 0);
}

TEST_CASE("a saved answer with facts missing or impossible passes nothing", "[check]") {
  const Json whole = Json::parse(shell("gpusel recommend --json " + kJob + "--cloud north").out);
  const std::string demands =
      "policies:\n  - {id: gpu, allowed_gpus: [l40s]}\n  - {id: age, max_price_age: 900d}\n"
      "  - {id: cost, max_cost_per_hour: 900 USD}\n";
  const auto judged = [&](Json answer) {
    return shell("gpusel check --catalog tests/data/market --policy '" + policy_file(demands) + "' " +
                 scratch_file("edited.json", answer.dump()));
  };
  const auto edited = [&](const std::string& pointer, Json value) {
    Json answer = whole;
    answer[Json::json_pointer(pointer)] = std::move(value);
    return judged(answer).status;
  };
  const std::string row = "/recommendations/0";
  CHECK(edited(row + "/gpu", nullptr) == 2);
  CHECK(edited(row + "/cost/hourly", -1) == 2);
  CHECK(edited(row + "/cost/total", -1) == 2);
  CHECK(edited(row + "/cost/hourly", "1") == 2);
  CHECK(edited("/workload/model", nullptr) == 2);
  // What contradicts another figure of the row.
  for (const auto& [pointer, value] : std::vector<std::pair<std::string, Json>>{{"/cost/total", 0.01},
                                                                                {"/cost/hourly", 0.01},
                                                                                {"/memory/needed", 0.5},
                                                                                {"/memory/usable", 5000},
                                                                                {"/memory/margin", 77},
                                                                                {"/probability/fits", 0.1},
                                                                                {"/probability/fits", 2},
                                                                                {"/gpus", 3}}) {
    Json answer = whole;
    answer[Json::json_pointer(row + pointer)] = value;
    const Run run = judged(answer);
    CAPTURE(pointer, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find("edited.json:") != std::string::npos);
  }
  CHECK(edited(row + "/cost/hourly", nullptr) == 4);
  CHECK(edited(row + "/cost/price_as_of", "2099-01-01") == 4);
  for (const std::string part : {"workload", "alternatives"}) {
    Json answer = whole;
    answer.erase(part);
    CHECK(judged(answer).status == 2);
  }
  const std::string yaml = shell("gpusel recommend -o yaml " + kJob).out;
  const Run cut = shell("gpusel check --catalog tests/data/market --policy '" + policy_file(demands) + "' " +
                        scratch_file("cut.yaml", yaml.substr(0, yaml.find("sku:", yaml.size() / 2))));
  CHECK(cut.status == 2);
  CHECK(cut.err.find("ends early") != std::string::npos);
}

TEST_CASE("slips in a policy file are told with their place and the nearest word", "[check]") {
  const std::pair<std::string, std::string> slips[] = {
      {one("max_cost_per_huor: 4 USD"), "policy.yaml:3:5: unknown key 'max_cost_per_huor'\nhelp: did you mean"},
      {one("max_cost_per_hour: 4"), "policy.yaml:3:24: 'max_cost_per_hour' must be an amount and a currency"},
      {one("max_cost_per_hour: 4 XYZ"), "policy.yaml:3:24:"},
      {one("allowed_providers: [nroth]"), "policy.yaml:3:25: unknown provider 'nroth'"},
      {one("denied_gpus: [h1000]"), "policy.yaml:3:19: unknown GPU 'h1000'\nhelp: all GPUs"},
      {one("allowed_licences: [apache-2.1]"), "did you mean 'apache-2.0'"},
      {one("severity: error"), "the policy has no condition"},
      {one("max_price_age: 3d\n    min_headroom: 3%"), "a policy has one condition"},
      {"polices: []\n", "unknown key 'polices'\nhelp: did you mean 'policies'?"},
      {"policies:\n  - {id: a, max_price_age: 3d}\n  - {id: a, max_price_age: 4d}\n", "policy 'a' is defined twice"},
      {"mode: strict\npolicies: []\n", "'mode' cannot be 'strict'"},
      {"policies: []\n", "'policies' is empty"},
      {one("max_price_age: 3d") + "rules: []\n", "'rules' is empty"},
      {one("allowed_gpus: [\"h100:8\"]"), "policy.yaml:3:20: 'h100:8' gives a count or a memory"},
      {one("denied_gpus: [\"80GB+\"]"), "policy.yaml:3:19: '80GB+' gives a count or a memory"},
      {one("denied_countries: [germny]"),
       "'germny' is neither a country nor a group of countries\nhelp: did you mean 'germany'?"},
      {one("denied_countries: [us, zz]"), "policy.yaml:3:28: 'zz' is neither a country"},
      {one("min_headroom: 0.2"), "'min_headroom' needs a unit"},
      {one("denied_regions: [us]"), "'us' is a country or a group of countries, not a region"},
      {one("max_cost_per_hour: 1e300 USD"), "must be an amount and a currency"},
      {one("export_control: [{gpus: [h100], countries: []}]"), "'countries' matches nothing"},
  };
  for (const auto& [text, said] : slips) {
    const Run run = check(text, "--cloud north");
    CAPTURE(text, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(said) != std::string::npos);
  }
  CHECK(shell("gpusel check " + kJob).status == 2);
}

TEST_CASE("SARIF has what the standard requires, at the policy's line", "[check]") {
  const std::string text =
      "policies:\n  - id: cheap\n    max_cost_per_hour: 0.1 USD\n    url: https://wiki.example.org/cheap\n  - id: "
      "ours\n"
      "    allowed_providers: [north]\n";
  const Run run = check(text, "--cloud north -o sarif");
  CHECK(run.status == 4);
  const Json rules = Json::parse(run.out)["runs"][0]["tool"]["driver"]["rules"];
  CHECK(rules[0]["helpUri"] == "https://wiki.example.org/cheap");
  CHECK_FALSE(rules[1].contains("helpUri"));
  CHECK(check("policies:\n  - {id: cheap, max_cost_per_hour: 1 USD, url: our wiki}\n", "--cloud north").status == 2);
  CHECK(validates("tests/schema/sarif-required.json", run.out));
  const Json log = Json::parse(run.out)["runs"][0];
  REQUIRE(log["results"].size() == 1);
  const Json& result = log["results"][0];
  CHECK(result["ruleId"] == "cheap");
  CHECK(log["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == "cheap");
  CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2);
  const Run none = check(text, "--cloud north --max-price 0.001 -o sarif");
  CHECK(none.status == 3);
  CHECK(validates("tests/schema/sarif-required.json", none.out));
}

TEST_CASE("JUnit's XML is read by a parser, whatever the texts hold", "[check]") {
  const std::string text =
      "policies:\n  - id: \"a<b>&\\\"c\\x07]]>\"\n    max_cost_per_hour: 0.1 USD\n"
      "    reason: \"line one\\nline two \\x1b[31m\"\n  - {id: warns, severity: warning, max_price_age: 1d}\n"
      "  - {id: unknown, unknown: allow, allowed_countries: [US]}\n  - {id: good, max_price_age: 900d}\n";
  const Run run = check(text, "--cloud bazaar -o junit");
  CHECK(run.status == 4);
  const std::string program =
      "import sys, xml.etree.ElementTree as E\n"
      "r = E.fromstring(sys.stdin.buffer.read())\n"
      "c = r.findall('testsuite/testcase')\n"
      "print(r.get('tests'), r.get('failures'), r.get('skipped'), len(c), len(r.findall('.//failure')),\n"
      "      len(r.findall('.//skipped')), len(r.findall('.//system-out')), c[0].get('name').split(' ')[0])\n";
  const Run parsed = command({"/usr/bin/python3", "-c", program}, {.input = run.out});
  CAPTURE(run.out, parsed.err);
  CHECK(parsed.out == "4 1 1 4 1 1 2 a<b>&\"c\\x07]]>\n");
}

TEST_CASE("check prints in every format and its JSON keeps to the schema", "[check]") {
  const std::string text = one("max_cost_per_hour: 0.1 USD");
  for (const std::string format : {"table", "wide", "json", "yaml", "csv", "markdown", "html"}) {
    const Run run = check(text, "--cloud north -o " + format);
    CAPTURE(format, run.out, run.err);
    CHECK(run.status == 4);
    CHECK(run.out.find("0.1") != std::string::npos);
    if (format == "json") CHECK(validates("docs/schema/check-1.json", run.out));
  }
}

TEST_CASE("findings stand in the order of the policy files, which changes none of them") {
  const std::vector<std::string> files{
      policy_file("mode: audit\npolicies:\n  - {id: price, max_cost_per_hour: 0.01 USD}\n"),
      policy_file("unknown: allow\npolicies:\n  - {id: cloud, allowed_providers: [south]}\n"),
      policy_file(
          "rules:\n  - {id: ours, effect: note, when: {fact: gpu_count, above: 0}, message: some, source: us}\n"),
  };
  std::vector<std::size_t> order{0, 1, 2};
  std::vector<std::string> first;
  do {
    std::string policies;
    for (const std::size_t i : order) policies += "--policy '" + files[i] + "' ";
    const Run run = shell("gpusel check " + policies + kJob + "--cloud north -o csv");
    CAPTURE(policies, run.err);
    CHECK(run.status == 4);  // its answer is another cloud's
    auto rows = lines_of(run.out);
    REQUIRE(rows.size() == 4);
    rows.erase(rows.begin());
    if (first.empty()) first = rows;
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(rows[i] == first[order[i]]);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("headroom is what an answer calls margin", "[check]") {
  const std::string job = kJob + "--cloud north";
  const Json answer = Json::parse(shell("gpusel recommend " + job + " --json").out);
  const Json& memory = answer["recommendations"][0]["memory"];
  const double margin = memory["margin"];
  CHECK(margin < memory["usable"].get<double>() - memory["per_gpu"]["activations"].get<double>());
  CHECK(memory["needed"] != memory["per_gpu"]["total"]);  // an allocator gives some of it back
  CHECK(check(one("min_headroom: " + std::to_string(margin - 0.01) + "GiB"), "--cloud north").status == 0);
  CHECK(check(one("min_headroom: " + std::to_string(margin + 0.01) + "GiB"), "--cloud north").status == 4);
  const std::string saved = scratch_file("answer.json", answer.dump());
  const auto of_saved = [&](double least) {
    const std::string policy = policy_file(one("min_headroom: " + std::to_string(least) + "GiB"));
    return shell("gpusel check --policy '" + policy + "' '" + saved + "' --catalog tests/data/market").status;
  };
  CHECK(of_saved(margin - 0.01) == 0);
  CHECK(of_saved(margin + 0.01) == 4);
}

}  // namespace check_test
