// The report as it is written: what is on the page, against the JSON of the same question.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "support/program.hpp"

namespace report_test {

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

std::string section(const std::string& html, const std::string& id, const std::string& tag = "section") {
  const auto begin = html.find("id=\"" + id + "\"");
  if (begin == std::string::npos) return {};
  return html.substr(begin, html.find("</" + tag + ">", begin) - begin);
}

using Points = std::vector<std::pair<double, double>>;

/// Lines of a chart, in thousandths of its plot.
std::vector<Points> curves_of(const std::string& svg) {
  std::vector<Points> lines;
  const std::regex line("<polyline [^>]*points=\"([^\"]*)\""), point("([-0-9.]+),([-0-9.]+)");
  for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at) {
    const std::string points = (*at)[1];
    lines.emplace_back();
    for (std::sregex_iterator one(points.begin(), points.end(), point); one != end; ++one)
      lines.back().emplace_back(std::stod((*one)[1]), std::stod((*one)[2]));
  }
  return lines;
}

/// Marks of a chart in the same measure, by where the plot lies in the picture.
Points marks_of(const std::string& svg) {
  std::smatch plot;
  const std::regex box(
      "<svg class=\"lines\" x=\"([0-9.]+)%\" y=\"([0-9.]+)\" width=\"([0-9.]+)%\" height=\"([0-9.]+)\"");
  REQUIRE(std::regex_search(svg, plot, box));
  const auto part = [&](int i) { return std::stod(plot[static_cast<std::size_t>(i)]); };
  Points marks;
  const std::regex mark("<svg x=\"([0-9.]+)%\" y=\"([0-9.]+)\"><path class=\"mark");
  for (std::sregex_iterator at(svg.begin(), svg.end(), mark), end; at != end; ++at)
    marks.emplace_back(1000 * (std::stod((*at)[1]) - part(1)) / part(3),
                       1000 * (std::stod((*at)[2]) - part(2)) / part(4));
  return marks;
}

double height_at(const Points& line, double x) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [x0, y0] = line[i - 1];
    const auto [x1, y1] = line[i];
    if (x >= x0 - 0.1 && x <= x1 + 0.1 && x1 > x0) return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
  }
  return -1e9;
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

TEST_CASE("the head's sums are those of cost, with what is in them") {
  const auto [job, more] = GENERATE(table<std::string, std::string>({
      {kTrain, ""},
      {kServe, ""},
      {kServe, " --hours-per-day 8 --days 22"},
      {kServe, " --storage-gb 5000 --egress-gb 20000"},
      {kTrain, " --storage-gb 1000 --hours-per-day 2"},
      {"--model llama-3.1-8b --task inference --rps 1 --cloud aws,gcp", " --storage-gb 5000 --egress-gb 20000"},
      {"--model llama-7b --task finetune --cloud aws --term any", " --interruptions 0.3 --storage-gb 1000"},
  }));
  const std::string question = std::string(gpusel::trim(job)) + more;
  CAPTURE(question);
  const std::string head = section(page(question), "answer", "dl");
  const Json item = answer("cost", question)["items"][0];
  const Json best = answer("recommend", std::string(gpusel::trim(job)))["recommendations"][0];
  const auto term = std::find_if(item["terms"].begin(), item["terms"].end(),
                                 [&](const Json& t) { return t["term"] == best["cost"]["billing"]; });
  REQUIRE(term != item["terms"].end());
  const bool whole = item["job"]["hours"].is_number();
  const std::string key = whole ? "job" : "month";
  CHECK(count(head, gpusel::human_price((*term)["total"][key].get<double>()) + " USD") >= 2);
  for (const Json& line : (*term)["lines"]) {
    const std::string name = line["kind"];
    if (!line["known"].get<bool>())
      CHECK((count(head, "without ") >= 1 && count(head, name) >= 1));
    else
      CHECK(count(head, name + " " + gpusel::human_price(line["amounts"][key].get<double>())) == 1);
  }
  if (const Json& spot = item["break_even"]["spot"]; best["cost"]["billing"] == "spot" && spot["cost"].is_number())
    CHECK(count(head, gpusel::human_price(spot["cost"].get<double>()) + " USD") >= 1);
}

TEST_CASE("the head warns of what speaks against the best, of memory as the rules have it") {
  const std::string question = "--task inference --model llama-3.1-8b --rps 1 --instance g6e.xlarge";
  const std::string head = section(page(question), "answer", "dl");
  const Json best = answer("recommend", question)["recommendations"][0];
  std::size_t said = 0;
  for (const Json& one : best["warnings"]) said += one["severity"] != "adjust" ? 1 : 0;
  CHECK(said > 0);
  CHECK(count(head, "may run out of memory") == (best["fit"]["verdict"] == "may-not-fit" ? 1 : 0));
  CHECK(count(head, "<li>") == said);
}

TEST_CASE("each mark of the use chart lies on both of its lines") {
  const std::string question =
      GENERATE(Catch::Generators::as<std::string>{},
               "--task inference --model llama-3.1-70b --cloud aws,gcp --currency CNY --rps 1 --term any",
               "--task inference --model llama-3.1-8b --rps 1 --cloud aws,gcp --gpu l40s", kTrain + "--gpu h100");
  CAPTURE(question);
  const std::string use = section(page(question), "use");
  const std::vector<Points> lines = curves_of(use);
  const Points marks = marks_of(use);
  REQUIRE(!marks.empty());
  for (const auto& [x, y] : marks) {
    CAPTURE(x, y);
    CHECK(std::count_if(lines.begin(), lines.end(),
                        [&, x = x, y = y](const Points& line) { return std::abs(height_at(line, x) - y) < 3; }) >= 2);
  }
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

TEST_CASE("of a job that is done many times in a month, the use chart counts jobs") {
  const std::string use = section(page(kTrain), "use");
  CHECK(count(use, "number of such jobs a month, one after the other") > 0);
  CHECK(count(use, "One such job takes") == 1);
  CHECK(count(use, "hours of use a month, out of 730") == 0);
  CHECK(count(section(page(kServe), "use"), "hours of use a month, out of 730") > 0);
}

TEST_CASE("a price of tokens elsewhere is a line of its own") {
  const std::string with = section(page(kServe + " --api-price 1"), "use");
  // What is kept running crosses it; what is paid by the hour of use does not.
  CHECK(count(with, "<title>tokens bought elsewhere</title>") == 1);
  CHECK(count(with, "kept running</title>") == 1);
  CHECK(count(with, "<path class=\"mark") == 1);
  // Tokens that cost less than those of the machine at full load are never worth renting it.
  const std::string cheap = section(page(kServe + " --api-price 0.02"), "use");
  CHECK(count(cheap, "<title>tokens bought elsewhere</title>") == 1);
  CHECK(count(cheap, "<path class=\"mark") == 0);
}

TEST_CASE("a report says how it was asked, what it stands on and of which day") {
  const std::string html = page(kTrain + "--objective speed -o html");
  // Each word is whole: a line breaks between them only.
  CHECK(count(html,
              "<span>gpusel</span> <span>report</span> <span>--model</span> <span>llama-7b</span> <span>--task</span> "
              "<span>finetune</span> <span>--method</span> <span>lora</span> <span>--catalog</span> "
              "<span>tests/data/market</span> <span>--objective</span> <span>speed</span> <span>-o</span> "
              "<span>html</span></pre>") == 1);
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
  CHECK(count(section(render, "memory"), "scene: ") > 0);
  CHECK(count(section(render, "memory"), "activations") == 0);
  CHECK(count(render, "render · offline") > 0);
  CHECK(count(render, "thousand point-hours") > 0);
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
  CHECK(std::filesystem::is_empty(folder));
  CHECK(ask(words_of("report " + kTrain + "-o " + folder + "/new/out.html")).status == 0);
  CHECK(std::filesystem::exists(folder + "/new/out.html"));
}

TEST_CASE("what is no page's name is refused with what would be right") {
  const auto [words, says] = GENERATE(table<std::string, std::string>({
      {"-o json", "a report is a page, not json\nhelp: gpusel recommend has every format"},
      {"-o out.pdf", "'out.pdf' is not the name of a page\nhelp: name a file that ends in .html"},
      {"--json", "gpusel recommend --json"},
  }));
  const Run run = ask(words_of("report " + kTrain + words));
  CAPTURE(words, run.err);
  CHECK(run.status == 2);
  // Who asked for JSON gets the refusal as such; nobody gets a page.
  if (words.ends_with("json"))
    CHECK(Json::parse(run.out)["schema"] == "gpusel.error/1");
  else
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

}  // namespace report_test
