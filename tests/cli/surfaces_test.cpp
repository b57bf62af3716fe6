// The same answer on every surface: what `recommend --json` says of its best answer is what the table, Markdown, CSV,
// the page, `cost`, `check`, `whatif`, `compare` and a lock say of it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>
#include <string>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "show/job/question.hpp"
#include "support/program.hpp"

namespace surfaces_test {

using namespace gpusel;
using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

/// Lines of an answer that had to leave out a warning to stay on one screen.
constexpr std::size_t kFullScreen = 20;

/// Jobs of every kind; none names a price, so that prices may change.
const char* const kJobs[] = {
    "--model llama-7b --task finetune",
    "--model llama-7b --task finetune --method lora --cloud aws --region eu-west-1",
    "--model llama-7b --task finetune --method qlora --tokens 100B --gpu l4 --max-nodes 1 --term reserved-3y",
    "--model llama-7b --task finetune --method qlora --tokens 30B --gpu l4 --max-nodes 1 --term reserved-1y --cloud "
    "aws,gcp",
    "--model llama-2-13b --task finetune --method lora --currency CNY",
    "--model llama-3.1-70b --task finetune --method lora --cloud aws,gcp",
    "--model llama-3.1-8b --task pretrain --tokens 1e9 --residency eu",
    "--model llama-3.1-8b --task pretrain --tokens 20B --deadline 30d --term spot",
    "--model llama-3.1-8b --task finetune --nodes 2 --cloud aws",
    "--model bert-large --task finetune --cloud aliyun --currency EUR",
    "--model resnet-50 --task pretrain --cloud gcp,azure",
    "--model dlrm-dcnv2 --task pretrain --batch-size 8192",
    "--model llama-3.1-8b --task inference",
    "--model llama-3.1-8b --task inference --term reserved-1y",
    "--model llama-3.1-8b --task inference --tokens 10e9",
    "--model llama-3.1-8b --task inference --tokens 100e9 --cloud aws,gcp --term reserved-1y",
    "--model llama-3.1-8b --task inference --rps 10 --ttft 500",
    "--model llama-3.1-8b --task inference --mode online --request-rate 4 --redundancy 1 --cloud azure",
    "--model llama-3.1-70b --task inference --weights-precision fp8",
    "--model mixtral-8x7b --task inference --cloud tencent,aliyun --term any",
    "--model llama-3.1-70b --task inference --tokens 10B --instance a3-highgpu-2g --term spot",
    "--model llama-3.1-8b --task inference --rps 10 --cloud aliyun --gpu a100",
    "--model mixtral-8x7b --task inference --rps 2 --redundancy 1",
    "--model qwen2.5-7b --task inference --concurrency 8 --term month",
    "--model bge-m3 --task inference",
    "--model sdxl --task inference --steps 20",
    "--model whisper-large-v3 --task inference",
    "--task render --frames 2400 --seconds-per-frame 180 --on t4",
    "--task render --render realtime --sessions 20 --resolution 1920x1080",
    "--task transcode --resolution 1080p --fps 30 --codec hevc",
    "--task transcode --codec h264 --streams 40 --cloud aws",
    "--task simulate --solver lbm --cells 400M",
    "--task preprocess --preprocess tokenize --data-gb 500",
    "--model llama-3.1-8b --task inference --hours-per-day 8 --days 22 --cloud aws,gcp --term any",
    "--model llama-3.1-8b --task inference --rps 2 --hours-per-day 12 --utilization 0.3 --scale-to-zero --cloud aws",
    "--model llama-3.1-8b --task inference --storage-gb 400 --egress-gb 2000 --cloud aws",
    "--model llama-7b --task finetune --hours-per-day 6 --deadline 20d --cloud aws,gcp",
    "--model sdxl --task inference --hours-per-day 4 --term any --cloud aliyun",
};

std::string file(const std::string& name, const std::string& text) { return "'" + scratch_file(name, text) + "'"; }

Json json_of(const std::string& line, const Setting& setting = {}) {
  const Run run = shell(line, setting);
  CAPTURE(line, run.status, run.err);
  const Json json = Json::parse(run.out, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  return json;
}

/// Without tags, and with characters as they are read.
std::string text_of(std::string page) {
  page = std::regex_replace(page, std::regex("<[^>]*>"), " ");
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    for (auto at = page.find(entity); at != std::string::npos; at = page.find(entity, at + 1))
      page.replace(at, std::string(entity).size(), character);
  return std::regex_replace(page, std::regex("\\s+"), " ");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What one answer says, as `recommend --json` has it.
struct Said {
  explicit Said(const std::string& words) : job(words), answer(json_of("gpusel recommend " + words + " -n 1 --json")) {
    REQUIRE(answer["recommendations"].size() == 1);
    best = answer["recommendations"][0];
    cost = best["cost"];
    total = cost["total"];
    hours = cost["hours"];
    ends = cost["total_of"] == "job";
  }
  std::string money() const { return human_price(total); }
  std::string sku() const { return best["sku"]; }
  Currency currency() const { return *Currency::parse(cost["currency"].get<std::string>()); }

  std::string job;
  Json answer, best, cost;
  double total = 0, hours = 0;
  bool ends = false;
};

/// What a face of the terminal says, whether short or in full.
void check_head(const Said& said, const std::string& text, const std::string& money) {
  CAPTURE(text);
  CHECK(has(text, said.sku()));
  const std::string region = said.best["region"];
  CHECK(has(text, catalog::is_everywhere(region) && !has(text, region) ? "any region" : region));
  if (said.ends) {
    CHECK(has(text, money));
    CHECK(has(text, human_duration(seconds(said.hours * 3600))));
  }
}

void check_text(const Said& said, const std::string& text, bool has_warnings) {
  check_head(said, text, said.money());
  CAPTURE(text);
  CHECK(has(text, said.cost["price_as_of"]));
  if (!has_warnings) return;
  for (const Json& warning : said.best["warnings"])
    if (warning["severity"] == "warn") CHECK(has(text, warning["message"]));
}

void check_table(const Said& said) {
  const Setting wide{.environment = {{"COLUMNS", "1000"}}};
  const std::string full = shell("gpusel recommend " + said.job + " -n 1 --why", wide).out;
  check_text(said, full, true);
  for (const Json& remark : said.best["warnings"]) CHECK(has(full, remark["message"]));  // notes too
  // The short face has the first warnings, as many as leave it on one screen, and says that there are more.
  const std::string brief = shell("gpusel recommend " + said.job + " -n 1", wide).out;
  check_head(said, brief, show::spoken_money(said.total, said.currency()));
  CAPTURE(brief);
  std::size_t warnings = 0, shown = 0;
  for (const Json& warning : said.best["warnings"]) {
    if (warning["severity"] != "warn") continue;
    const bool is_shown = has(brief, warning["message"]);
    CHECK((is_shown || warnings > 0));
    ++warnings;
    shown += is_shown ? 1 : 0;
  }
  // Fewer than two only where a screen of 80 columns has no line left for them.
  const auto lines =
      test::lines_of(shell("gpusel recommend " + said.job + " -n 1", {.environment = {{"COLUMNS", "80"}}}).out).size();
  CAPTURE(lines);
  CHECK((shown == std::min<std::size_t>(2, warnings) || lines >= kFullScreen));
  CHECK(has(brief, "more warning") == (warnings > shown));
  CHECK(has(brief, "reasons: --why"));
  std::string markdown = shell("gpusel recommend " + said.job + " -n 1 -o markdown", wide).out;
  std::erase(markdown, '\\');  // before characters that mean something there
  check_text(said, markdown, false);
}

void check_csv(const Said& said) {
  const auto lines = lines_of(shell("gpusel recommend " + said.job + " -n 1 -o csv").out);
  REQUIRE(lines.size() == 2);
  const auto cell = [&](std::string_view column) {
    const auto cells = [](const std::string& line) {
      std::vector<std::string> out(1);
      bool quoted = false;
      for (const char c : line)
        if (c == '"')
          quoted = !quoted;
        else if (c == ',' && !quoted)
          out.emplace_back();
        else
          out.back() += c;
      return out;
    };
    const auto names = cells(lines[0]);
    const auto at = std::find(names.begin(), names.end(), column);
    REQUIRE(at != names.end());
    return cells(lines[1]).at(static_cast<std::size_t>(at - names.begin()));
  };
  CHECK(std::stod(cell("total")) == Approx(said.total));
  CHECK(std::stod(cell("hours")) == Approx(said.hours));
  CHECK(cell("term") == said.cost["billing"]);
  CHECK(cell("region") == said.best["region"]);
  CHECK(cell("price_as_of") == said.cost["price_as_of"]);
  CHECK(cell("fit") == said.best["fit"]["verdict"]);
  std::string rules;
  for (const Json& warning : said.best["warnings"])
    if (warning["severity"] == "warn") rules += (rules.empty() ? "" : "; ") + warning["rule"].get<std::string>();
  CHECK(cell("warnings") == rules);
}

void check_page(const Said& said) {
  const std::string page = text_of(shell("gpusel report " + said.job).out);
  const std::string answer = page.substr(0, page.find("Assumptions"));
  check_text(said, answer, true);
  CHECK(has(answer, said.money() + " " + said.cost["currency"].get<std::string>()));
  CHECK(has(answer, said.cost["billing"]));
}

/// Of the answer as it was saved, and of its instances by name with the job.
void check_cost(const Said& said) {
  const Json saved = json_of("gpusel cost " + file("answer.json", said.answer.dump()) + " --json");
  for (const Json& term : saved["items"][0]["terms"]) {
    if (term["term"] != said.cost["billing"]) continue;
    CHECK(term["total"][said.ends ? "job" : "month"].get<double>() == Approx(said.total));
    CHECK(term["offer"]["as_of"] == said.cost["price_as_of"]);
    CHECK(term["offer"]["region"] == said.best["region"]);
    return;
  }
  FAIL("no price on " << said.cost["billing"]);
}

void check_gate(const Said& said) {
  const std::string currency = said.cost["currency"];
  const std::string answer = file("answer.json", said.answer.dump());
  for (const auto& [share, status] : {std::pair(1.001, 0), {0.999, 7}}) {
    const std::string policy =
        file("policy.yaml",
             "policies:\n  - id: it\n    max_job_cost: " + std::to_string(said.total * share) + " " + currency + "\n");
    CAPTURE(share);
    const Run saved = shell("gpusel check --policy " + policy + " " + answer);
    const Run anew = shell("gpusel check --policy " + policy + " " + said.job);
    CHECK(saved.status == (status == 0 ? 0 : saved.status == 0 ? -1 : saved.status));
    CHECK((saved.status == 0) == (status == 0));
    CHECK((anew.status == 0) == (status == 0));
  }
}

void check_whatif(const Said& said) {
  const Json now = json_of("gpusel whatif " + said.job + " --pareto --json")["now"];
  CHECK(now["sku"] == said.best["sku"]);
  CHECK(now["region"] == said.best["region"]);
  CHECK(now["cost"]["billing"] == said.cost["billing"]);
  CHECK(now["cost"]["total"].get<double>() == Approx(said.total));
  CHECK(now["cost"]["hours"].get<double>() == Approx(said.hours));
  CHECK(now["cost"]["price_as_of"] == said.cost["price_as_of"]);
}

/// So many of the instance side by side with another one. What limits the search alone is no flag of compare.
void check_compare(const Said& said) {
  const std::string nodes = std::to_string(said.best["nodes"].get<int>());
  const std::string sku = said.best["provider"].get<std::string>() + "/" + said.sku();
  const std::string name = nodes == "1" ? sku : nodes + "x " + sku;
  const std::string other = sku == "aws/g5.xlarge" ? "aws/g4dn.xlarge" : "aws/g5.xlarge";
  std::string job = std::regex_replace(said.job, std::regex("--(cloud|deadline|nodes|max-nodes|gpu) \\S+"), "");
  job += " --region '" + said.best["region"].get<std::string>() + "'";
  job = std::regex_replace(job, std::regex("--region \\S+ (.*--region)"), "$1");
  if (!has(job, "--term")) job += " --term on-demand";
  const Json item = json_of("gpusel compare '" + name + "' " + other + " " + job + " --json")["items"][0];
  CAPTURE(item.dump());
  CHECK(item["job"]["cost"]["total"].get<double>() == Approx(said.total));
  CHECK(item["job"]["cost"]["per_million_tokens"].is_null() == said.cost["per_million_tokens"].is_null());
  const Json& ranked = said.best["plan"];
  for (const auto* degree : {"tp", "pp", "dp"})
    if (ranked.contains(degree)) CHECK(item["job"]["plan"].value(degree, 0) == ranked.value(degree, 0));
}

void check_lock(const Said& said) {
  const Json lock = json_of("gpusel lock " + said.job + " -n 1 --dry-run --json");
  const Json& row = lock["ranking"][0];
  CHECK(row["sku"] == said.best["sku"]);
  CHECK(row["region"] == said.best["region"]);
  CHECK(row["term"] == said.cost["billing"]);
  CHECK(row["total"].get<double>() == Approx(said.total));
  CHECK(row["price"]["as_of"] == said.cost["price_as_of"]);
  const Json& kept = lock["answer"]["recommendations"][0];
  CHECK(kept["cost"] == said.cost);
  CHECK(kept["fit"] == said.best["fit"]);
  CHECK(kept["warnings"] == said.best["warnings"]);
}

}  // namespace

TEST_CASE("every surface says the same of the best answer") {
  for (const char* job : kJobs) {
    DYNAMIC_SECTION(job) {
      const Said said(job);
      CAPTURE(said.best.dump());
      check_table(said);
      check_csv(said);
      check_page(said);
      check_cost(said);
      check_gate(said);
      check_whatif(said);
      check_compare(said);
      check_lock(said);
    }
  }
}

TEST_CASE("a batch of tokens is planned alike by whoever plans it on the same nodes", "[surfaces]") {
  const std::string job = " --task inference --mode throughput --tokens 1e9 --json";
  const std::string asked = "gpusel recommend llama-3.1-70b --cloud yottalabs --gpu b200:1 --nodes 9";
  const Json ranked = json_of(asked + job)["recommendations"][0];
  const double rate = ranked["performance"]["output_tokens_per_s"];
  const std::string sku = "yottalabs/" + ranked["sku"].get<std::string>();
  const Json estimated = json_of("gpusel estimate llama-3.1-70b --gpu b200 --gpus 9 --gpus-per-node 1" + job);
  CHECK(estimated["inference"]["output_tokens_per_s"].get<double>() == Approx(rate).epsilon(1e-6));
  const Json compared = json_of("gpusel compare '9x " + sku + "' '8x " + sku + "' --model llama-3.1-70b" + job);
  CHECK(compared["items"][0]["job"]["inference"]["output_tokens_per_s"].get<double>() == Approx(rate).epsilon(1e-6));
}

TEST_CASE("titles name the deadline and the budget that were given", "[surfaces]") {
  const std::string job = " --model llama-2-7b --task finetune --method qlora --deadline 6h --budget 900 --cloud aws";
  for (const std::string command : {"recommend", "compare g6e.xlarge p4d.24xlarge", "cost g6e.xlarge", "why 1"}) {
    CAPTURE(command);
    const Run run = shell("gpusel " + command + job);
    const std::string title = lines_of(run.out).front();
    CAPTURE(title);
    CHECK(title.find("done in 6") != std::string::npos);
    CHECK(title.find("for at most $900") != std::string::npos);
  }
}

TEST_CASE("who asks for TPOT is told it", "[surfaces]") {
  for (const std::string command : {"estimate llama-3.1-8b --gpu l40s", "compare l40s h100 --model llama-3.1-8b"}) {
    CAPTURE(command);
    CHECK(shell("gpusel " + command + " --rps 2 --tpot 40").out.find("TPOT", 90) != std::string::npos);
  }
}

TEST_CASE("CSV ends with the tails of latency that JSON has", "[surfaces]") {
  for (const std::string command : {"recommend llama-3.1-8b --cloud aws", "estimate llama-3.1-8b --gpu l40s"}) {
    CAPTURE(command);
    const std::string asked = "gpusel " + command + " --rps 2 --ttft 900 --tpot 60";
    const auto lines = lines_of(shell(asked + " -o csv").out);
    CHECK(lines.front().ends_with(",ttft_ms_p95,tpot_ms_p95,itl_ms_p95,e2e_latency_ms_p95"));
    CHECK_FALSE(lines[1].ends_with(","));
  }
}

TEST_CASE("an assumed deadline that nothing meets is said to be dropped", "[surfaces]") {
  const std::string job =
      "gpusel recommend llama-2-7b --task finetune --gpu h100:8 --cloud aws --max-nodes 1 --tokens ";
  CHECK(has(shell(job + "15T").out, "nothing finishes within the 30 days"));
  CHECK_FALSE(has(shell(job + "1B").out, "nothing finishes within"));
}

TEST_CASE("a host too small for the loader is rejected; what a loader streams needs less", "[surfaces]") {
  const auto rejected = [](const std::string& flags) {
    const Json answer = json_of("gpusel recommend " + flags + " --cloud aws");
    return std::ranges::any_of(answer["rejected"],
                               [](const Json& one) { return one["rule"] == "host-memory-too-small"; });
  };
  const std::string served = "llama-3.1-8b --rps 1 --json --engine ";
  CHECK_FALSE(rejected(served + "trt-llm"));
  CHECK_FALSE(rejected(served + "vllm"));
  CHECK_FALSE(rejected("mixtral-8x7b --task finetune --method qlora --gpu l40s:1 --json"));
  CHECK(rejected("llama-3.1-70b --task finetune --method lora --json"));
}

}  // namespace surfaces_test
