// gpusel catalog import from outside: what is printed, what is written, and the exit status.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

#include "support/program.hpp"

namespace import_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kGcp = kSource + "/tests/catalog/import/sky/gcp.csv";
const std::string kAzure = kSource + "/tests/catalog/import/sky/azure_v6_sample.csv";

std::string out_in_scratch(const std::string& name) {
  return (std::filesystem::path(scratch_file("keep", "")).parent_path() / name).string();
}

Run import_sky(std::vector<std::string> more) {
  std::vector<std::string> words{"catalog", "import", "--from", "skypilot", "--as-of", "2026-05-20"};
  words.insert(words.end(), more.begin(), more.end());
  return ask(words);
}

}  // namespace

TEST_CASE("import: the closing object accounts for every row", "[import]") {
  const Run run = import_sky({kGcp, kAzure, "--dry-run", "-o", "json"});
  CHECK(run.status == 0);
  const Json answer = Json::parse(run.out);
  CHECK(answer["schema"] == "gpusel.import/1");
  CHECK(answer["rows"] == 42);
  CHECK(answer["rows"] == answer["imported"].get<int>() + static_cast<int>(answer["skipped"].size()));
  CHECK(answer["out"].is_null());
  for (const Json& row : answer["skipped"]) {
    CHECK(row["file"].is_string());
    CHECK(row["line"].is_number_integer());
    CHECK(row["reason"].is_string());
  }
}

TEST_CASE("import: snapshot and folder give the same answers", "[import]") {
  const std::string snapshot = out_in_scratch("market.snapshot");
  const std::string folder = out_in_scratch("market") + "/";
  REQUIRE(import_sky({kGcp, kAzure, "--out", snapshot, "-q"}).status == 0);
  REQUIRE(import_sky({kGcp, kAzure, "--out", folder, "-q"}).status == 0);
  for (const std::string question :
       {"instances -o json", "instances --term any -o csv", "recommend --model llama-7b --task finetune -o csv -n 9"}) {
    auto words = words_of(question);
    words.emplace_back("--catalog");
    words.push_back(snapshot);
    const Run one = ask(words);
    words.back() = folder;
    const Run other = ask(words);
    CHECK(one.status == 0);
    CHECK(one.out == other.out);
  }
}

TEST_CASE("import: of very many providers or regions the first are taken", "[import]") {
  std::string providers = "provider,sku,region,gpu,gpu_count,price_per_hour,currency\n", regions = providers;
  for (int i = 0; i <= 1000; ++i) providers += "cloud" + std::to_string(i) + ",x8,r1,A100-80GB,8,30,USD\n";
  for (int i = 0; i <= 65535; ++i) regions += "cloud,x8,r" + std::to_string(i) + ",A100-80GB,8,30,USD\n";
  const auto imported = [](const std::string& text) {
    return ask({"catalog", "import", "--from", "generic-csv", "--dry-run", scratch_file("many.csv", text), "--json"});
  };
  CHECK_THAT(imported(providers).out, Catch::Matchers::Contains("more than 1000 providers"));
  CHECK_THAT(imported(regions).out, Catch::Matchers::Contains("more than 65,535 regions"));
}

TEST_CASE("import: the order in which price lists are named changes no byte", "[import]") {
  const std::string header = "provider,sku,gpu,gpu_count,region,term,price_per_hour,currency,as_of,note\n";
  // They share providers, an instance at two prices and one at the same price with two notes.
  const std::vector<std::string> lists{
      scratch_file("b.csv", header + "own,z1,H100,8,r-2,on-demand,9,EUR,2026-10-01,b\n"
                                     "own,a1,L40S,1,r-1,on-demand,2,USD,2026-10-01,first\n"
                                     "other,q,T4,1,x,spot,0.2,USD,2026-10-02,c\n"),
      scratch_file("a.csv", header + "own,m1,H100,4,r-9,on-demand,5,CNY,2026-10-03,b\n"
                                     "zed,a1,L40S,1,r-1,on-demand,2,CNY,2026-10-01,a\n"
                                     "own,z1,H100,8,r-2,on-demand,8,EUR,2026-10-01,b\n"),
      scratch_file("c.csv", header + "own,a1,L40S,1,r-1,on-demand,2,USD,2026-10-01,second\n")};
  std::vector<std::size_t> order{0, 1, 2};
  const std::string snapshot = out_in_scratch("order.snapshot"), folder = out_in_scratch("order") + "/";
  std::string first;
  do {
    std::string written;
    for (const std::string& out : {snapshot, folder}) {
      std::filesystem::remove_all(out);
      std::vector<std::string> words{"catalog", "import", "--from", "generic-csv", "--json", "--out", out};
      for (const std::size_t i : order) words.push_back(lists[i]);
      const Run run = ask(words);
      REQUIRE(run.status == 0);
      written += run.out + run.err;
    }
    written += read_file(snapshot);
    for (const char* name : {"_sources", "other", "own", "zed"})
      written += read_file(folder + "imported-" + name + ".yaml");
    if (first.empty()) first = written;
    CAPTURE(order);
    CHECK(written == first);
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("import: a row with a NUL character is left out, deep in a file too", "[import]") {
  std::string text = "provider,sku,gpu,gpu_count,region,price_per_hour,currency,as_of,note\n";
  for (int i = 0; i <= 20'000; ++i)  // beyond the piece that is looked at before all others
    text += "own,x" + std::to_string(i) + ",H100,8,r-1,9,USD,2026-10-01,bill\n";
  text += std::string("own,y,H100,8,r-1,9,USD,2026-10-01,bi\0ll\n", 40);
  const std::string out = out_in_scratch("nul") + "/";
  const Run run =
      ask({"catalog", "import", "--from", "generic-csv", scratch_file("nul.csv", text), "--json", "--out", out});
  const Json rows = Json::parse(run.out)["skipped"];
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["line"] == 20'003);
  CHECK(rows[0]["reason"] == "text may not contain a NUL character");
  CHECK(ask({"instances", "--catalog", out, "-n", "1"}).status == 0);
}

TEST_CASE("import: files that long notes fill are read again", "[import]") {
  std::string list = "provider,sku,gpu,gpu_count,region,price_per_hour,currency,as_of,note\n";
  for (int i = 0; i < 300; ++i)
    list += "own,t-" + std::to_string(i) + ",H100,8,r-1,9,USD,2026-10-01," + std::to_string(i) +
            std::string(60'000, 'x') + "\n";
  const std::string folder = out_in_scratch("noted") + "/";
  const Run run = ask({"catalog", "import", "--from", "generic-csv", scratch_file("noted.csv", list), "--out", folder});
  REQUIRE(run.status == 0);
  CHECK(std::filesystem::exists(folder + "imported-own_003.yaml"));  // 300 · 60 kB: three files of 8 MiB
  const Run listed = ask({"instances", "--catalog", folder, "-o", "csv"});
  CAPTURE(listed.err);
  CHECK(lines_of(listed.out).size() == 301);
}

TEST_CASE("import: more currencies than a catalogue tells apart are left out, not taken for others", "[import]") {
  std::string rates = "sources: {own: {publisher: We, document: rates, confidence: recalled}}\nexchange_rates:\n";
  std::string list = "provider,sku,gpu,gpu_count,region,price_per_hour,currency,as_of\n";
  for (int i = 0; i < 300; ++i) {
    const std::string code{'Q', static_cast<char>('A' + i / 26), static_cast<char>('A' + i % 26)};
    rates += "  - {currency: " + code + ", per_usd: 2, as_of: 2026-10-01, source: own}\n";
    list += "own,t-" + std::to_string(i) + ",H100,8,r-1,9," + code + ",2026-10-01\n";
  }
  const std::string out = out_in_scratch("currencies.snapshot"), overlay = scratch_file("rates.yaml", rates);
  const Run run = ask({"catalog", "import", "--from", "generic-csv", scratch_file("currencies.csv", list), "--overlay",
                       overlay, "--json", "--out", out});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  const Json answer = Json::parse(run.out);
  CHECK(answer["imported"] == 256);
  REQUIRE(answer["skipped"].size() == 44);
  CHECK(answer["skipped"][0]["reason"] == "more than 256 currencies");
  const Run shown = ask({"instances", "show", "own/t-255", "--catalog", out, "--overlay", overlay, "--json"});
  CAPTURE(shown.out, shown.err);
  CHECK(shown.out.find("QJV") != std::string::npos);  // 255 = 9 · 26 + 21
}

TEST_CASE("import: what cannot be read or used has its status, and an old snapshot stays", "[import]") {
  const std::string snapshot = out_in_scratch("market.snapshot");
  REQUIRE(import_sky({kGcp, "--out", snapshot, "-q"}).status == 0);
  const std::string before = read_file(snapshot);
  const std::string header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n";
  const Run nothing = import_sky({scratch_file("aws.csv", header + "x,,,4,16,,,r1\n"), "--out", snapshot});
  CHECK(nothing.status == 3);
  CHECK_THAT(nothing.err, Catch::Matchers::Contains("nothing could be imported"));
  CHECK(read_file(snapshot) == before);
  const Run missing = import_sky({"/nonexistent/gcp.csv", kAzure, "--out", snapshot});
  CHECK(missing.status == 1);
  CHECK_THAT(missing.err, Catch::Matchers::Contains("cannot read '/nonexistent/gcp.csv'"));
  CHECK(read_file(snapshot) != before);  // the other file counts all the same
  const Run unknown = import_sky({scratch_file("vms.csv", header), "--out", snapshot});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Matchers::Contains("name it with --cloud"));
}

TEST_CASE("import: nothing but a snapshot of an earlier import is overwritten", "[import]") {
  const std::string precious = scratch_file("thesis.txt", "chapter one\n");
  const Run run = import_sky({kGcp, "--out", precious});
  CHECK(run.status == 2);
  CHECK(read_file(precious) == "chapter one\n");
  CHECK(import_sky({kGcp, "--out", kGcp}).status == 2);
  CHECK(import_sky({kGcp, "--out", "/dev/null/x.snapshot"}).status == 1);
  const std::string fresh = out_in_scratch("fresh.snapshot");
  CHECK(import_sky({kGcp, "--out", fresh, "--dry-run"}).status == 0);
  CHECK(!std::filesystem::exists(fresh));
}

TEST_CASE("import: older prices do not replace younger ones unasked", "[import]") {
  const std::string place = out_in_scratch("several-days") + "/";
  const auto of_day = [&](const std::string& day, const std::string& more) {
    std::vector<std::string> words{"catalog", "import", "--from", "skypilot", "--as-of",
                                   day,       kGcp,     "--out",  place,      "-q"};
    if (!more.empty()) words.push_back(more);
    return ask(words);
  };
  REQUIRE(of_day("2026-05-20", "").status == 0);
  CHECK(of_day("2026-06-20", "").status == 0);
  const Run refused = of_day("2026-05-20", "");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("has younger prices than these") != std::string::npos);
  CHECK(of_day("2026-05-20", "--force").status == 0);
}

TEST_CASE("import: says how the answer to the last question changes, and what it is by provider", "[import]") {
  const Setting keeps{.environment = {{"XDG_STATE_HOME", scratch_directory()}, {"CI", ""}}};
  const std::string list = scratch_file(
      "aws.csv",
      "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n"
      "g6e.xlarge,,,,,,us-east-1,us-east-1a,0.5,\ng6.xlarge,,,,,,us-east-1,us-east-1a,0.0001,\n");
  const std::vector<std::string> import{"catalog", "import",  "--from",     "skypilot",
                                        list,      "--as-of", "2026-11-19", "--dry-run"};
  CHECK(ask(import, keeps).err.find("the best") == std::string::npos);  // nothing was asked
  REQUIRE(ask({"recommend", "llama-3.1-8b", "--rps", "1", "--cloud", "aws", "--region", "us-east-1"}, keeps).status ==
          0);
  const Run told = ask(import, keeps);
  CHECK(told.status == 0);
  CHECK(told.err.find("--cloud=aws --region=us-east-1: the best was") != std::string::npos);
  CHECK(told.err.find("with these prices it is aws g6e.xlarge in us-east-1, 0.5") != std::string::npos);
  std::vector<std::string> as_json = import;
  as_json.emplace_back("--json");
  const Json answer = Json::parse(ask(as_json, keeps).out);
  CHECK(answer["providers"][0]["provider"] == "aws");
  CHECK(answer["providers"][0]["younger"] == 1);
  CHECK(answer["providers"][0]["kept_out"] == 1);
  CHECK(answer["last_question"]["effect"] == "best");
  CHECK(answer["last_question"]["after"]["sku"] == "g6e.xlarge");
  CHECK(answer["last_question"]["before"]["sku"] != "g6e.xlarge");
}

}  // namespace import_test
