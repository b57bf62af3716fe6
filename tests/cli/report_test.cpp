// The report as it is written: what is on the page, against the JSON of the same question.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

#include "support/program.hpp"

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kMarket = " --catalog tests/data/market ";
const std::string kTrain = "--model llama-7b --task finetune --method lora" + kMarket;
const std::string kServe = "--model llama-3.1-8b --task inference --rps 2" + kMarket;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

std::string page(const std::string& question, int status = 0, const Setting& setting = {}) {
  const Run run = ask(words_of("report " + question), setting);
  CAPTURE(question, run.err);
  REQUIRE(run.status == status);
  return run.out;
}

Json answer(const std::string& command, const std::string& question, int status = 0) {
  const Run run = ask(words_of(command + " " + question + " --json"));
  REQUIRE(run.status == status);
  return Json::parse(run.out);
}

std::string section(const std::string& html, const std::string& id) {
  const auto begin = html.find("<section id=\"" + id + "\"");
  if (begin == std::string::npos) return {};
  return html.substr(begin, html.find("</section>", begin) - begin);
}

}  // namespace

TEST_CASE("a report shows every rank, mark, part and reason that the answer has") {
  const std::string question = GENERATE(kTrain, kServe);
  const std::string html = page(question);
  const Json json = answer("recommend", question);
  const Json& ranks = json["recommendations"];
  CHECK(html.starts_with("<!DOCTYPE html>"));
  CHECK(count(section(html, "ranking"), "<tr data-rank=") + count(html, "<tr class=\"best\"") == ranks.size());
  CHECK(count(section(html, "frontier"), "<path class=\"mark") == ranks.size());
  std::size_t frontier = 0;
  for (const Json& one : ranks) frontier += one["pareto"].get<bool>() ? 1 : 0;
  CHECK(count(section(html, "frontier"), "<path class=\"mark s0 strong") == frontier);
  std::size_t parts = 0;
  for (std::size_t i = 0; i < ranks.size() && i < 8; ++i)
    for (const auto& [name, amount] : ranks[i]["memory"]["per_gpu"].items())
      parts += name != "total" && amount.get<double>() > 0 ? 1 : 0;
  CHECK(count(section(html, "memory"), "<rect class=\"part") == parts);
  std::map<std::string, int> reasons;
  for (const Json& one : json["rejected"]) reasons[one["rule"]] += one["count"].get<int>();
  const std::string rejected = section(html, "rejected");
  CHECK(count(rejected, "<details class=\"reason\"") == reasons.size());
  for (const auto& [rule, number] : reasons)
    CHECK(count(rejected, "data-rule=\"" + rule + "\" data-count=\"" + std::to_string(number) + "\"") == 1);
  std::set<std::string> rules;
  for (const Json& one : ranks)
    for (const Json& warning : one["warnings"]) rules.insert(warning["rule"]);
  for (const std::string& rule : rules) CHECK(count(section(html, "warnings"), "data-rule=\"" + rule + "\"") == 1);
  CHECK(count(section(html, "alternatives"), "<li>") == json["alternatives"].size());
  CHECK(count(section(html, "assumptions"), "<li>") + 1 == json["assumed"].size());  // without today
}

TEST_CASE("the use chart has a line for each term, and a mark for each break-even point") {
  const std::string question = "--model llama-7b --task finetune --method lora --gpu h100" + kMarket;
  const std::string use = section(page(question), "use");
  const Json item = answer("cost", question)["items"][0];
  std::size_t points = 0;
  for (const Json& one : item["break_even"]["commitments"]) points += one["hours_per_month"].is_null() ? 0 : 1;
  for (const Json& one : item["break_even"]["ownership"])
    points += one["term"] == "on-demand" && !one["hours_per_month"].is_null() && one["hours_per_month"] <= 730 ? 1 : 0;
  CHECK(points > 0);
  CHECK(count(use, "<path class=\"mark") == points);
  CHECK(count(use, "<polyline class=\"line") >= item["terms"].size());
}

TEST_CASE("a price of tokens elsewhere is a line of its own") {
  const std::string with = section(page(kServe + " --api-price 0.2"), "use");
  // What is kept running crosses it; what is paid by the hour of use does not.
  CHECK(count(with, "<title>tokens bought elsewhere</title>") == 1);
  CHECK(count(with, "kept running</title>") == 1);
  CHECK(count(with, "<path class=\"mark") == 1);
}

TEST_CASE("a report says how it was asked, what it stands on and of which day") {
  const std::string html = page(kTrain + "--objective speed -o html");
  CHECK(count(html,
              ">gpusel report --model llama-7b --task finetune --method lora --catalog tests/data/market "
              "--objective speed -o html</pre>") == 1);
  CHECK(count(html, "Which cloud instance does this job fastest") == 1);
  CHECK(count(html, "Asked on 2026-11-20") == 1);
  const std::string sources = section(html, "sources");
  CHECK(count(sources, "data-source=\"north-list\"") == 1);
  CHECK(count(sources, "2026-11-01") > 0);
  CHECK(count(section(html, "explanation"), "memory.weights") > 0);
  CHECK(count(section(html, "explanation"), "training.step_time") > 0);
  CHECK(count(section(html, "explanation"), "on-demand.hour") > 0);
}

TEST_CASE("a report keeps to itself") {
  const std::string html = page(kTrain);
  CHECK(count(html, "Content-Security-Policy") == 1);
  CHECK(count(html, "default-src 'none'") == 1);
  CHECK(count(html, "unsafe-inline") == 0);
  CHECK(count(html, "<script>") == 1);
  CHECK(count(html, " style=") + count(html, " onclick=") + count(html, "src=\"") + count(html, "url(") == 0);
  for (auto at = html.find("href=\""); at != std::string::npos; at = html.find("href=\"", at + 1))
    CHECK(html[at + 6] == '#');
  CHECK(html == page(kTrain));
}

TEST_CASE("where nothing fits, the page says why, and the status is 3") {
  const std::string question = "--model llama-7b --task finetune --max-price 0.01" + kMarket;
  const std::string html = page(question, 3);
  CHECK(count(html, "No instance meets this") == 1);
  CHECK(section(html, "ranking").empty());
  CHECK(section(html, "memory").empty());
  CHECK(count(section(html, "rejected"), "<details class=\"reason\"") > 0);
  CHECK(count(section(html, "alternatives"), "<li>") == answer("recommend", question, 3)["alternatives"].size());
}

TEST_CASE("other work has its own words and units") {
  const std::string render = page("--task render --cloud aws,gcp");
  CHECK(count(render, "render · offline") > 0);
  CHECK(count(render, "thousand points for an hour") > 0);
  const std::string cpu =
      page("--model resnet-50 --task inference --engine onnxruntime --precision int8 --request-rate 50 --cloud aws");
  CHECK(count(cpu, "<tr class=\"best\" data-rank=\"1\" data-provider=\"aws\" data-gpu=\"CPU\"") == 1);
  CHECK(count(cpu, "vCPU") > 0);
  CHECK(count(cpu, "Cost and throughput") > 0);
}

TEST_CASE("a report is written whole, or not at all") {
  const std::string folder = scratch_directory();
  const std::string file = folder + "/out.html";
  const Run dry = ask(words_of("report " + kTrain + "--dry-run -o " + file));
  CHECK(dry.status == 0);
  CHECK(dry.out.empty());
  CHECK(dry.err.find("would write") != std::string::npos);
  CHECK(!std::filesystem::exists(file));
  for (const std::string flag : {"-o ", "--output ", "--to "}) {
    const Run run = ask(words_of("report " + kTrain + flag + file));
    CHECK(run.status == 0);
    CHECK(run.out.empty());
    CHECK(run.err.find("wrote") != std::string::npos);
    CHECK(read_file(file).ends_with("</html>\n"));
    std::filesystem::remove(file);
  }
  CHECK(ask(words_of("report " + kTrain + "-o " + folder + "/none/out.html")).status == 1);
  CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE("what is no page's name is refused with what would be right") {
  const auto [words, says] = GENERATE(table<std::string, std::string>({
      {"-o json", "a report is a page, not json; gpusel recommend has every format"},
      {"-o out.pdf", "'out.pdf' is not called like a page; name a file that ends in .html"},
      {"--json", "gpusel recommend --json"},
  }));
  const Run run = ask(words_of("report " + kTrain + words));
  CAPTURE(words, run.err);
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(run.err.find(says) != std::string::npos);
  CHECK(page(kTrain, 0, {.environment = {{"GPUSEL_OUTPUT", "json"}}}).starts_with("<!DOCTYPE html>"));
}

TEST_CASE("texts of files are text on a page, whatever they try to be") {
  const std::string overlay = scratch_file("hostile.yaml", R"yaml(sources:
  evil-list: {publisher: "<script>alert(1)</script>", document: "</style><b>x", date: 2026-11-01, confidence: documented, url: "javascript:alert(1)"}
providers:
  - {id: evil, name: "<img src=x onerror=alert(1)>", country: US, kind: cloud, regions: {r-1: {country: US, name: "'\"><script>"}}}
families:
  - provider: evil
    id: e
    gpu: h100-sxm-80gb
    interconnect: {kind: nvswitch, gbs_per_gpu: 900}
    sources: [evil-list]
    sizes:
      - {sku: "e.<script>alert(2)</script>\"onload=", gpus: 8, vcpu: 96, memory_gib: 1024, network_gbps: 100}
prices:
  - provider: evil
    region: r-1
    source: evil-list
    as_of: 2026-11-01
    term: on-demand
    currency: USD
    note: "</style><script>alert(3)</script>"
    per_hour: {"e.<script>alert(2)</script>\"onload=": 0.01}
)yaml");
  const std::string html = page(kTrain + "--overlay " + overlay);
  CHECK(count(html, "e.&lt;script&gt;alert(2)&lt;/script&gt;&quot;onload=") > 2);
  CHECK(count(html, "<script") == 1);
  CHECK(count(html, "</style>") == 1);
  CHECK(count(html, "<img") == 0);
  CHECK(count(html, "\"onload") == 0);
  CHECK(count(html, "href=\"javascript") == 0);
}
