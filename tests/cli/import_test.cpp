// gpusel catalog import from outside: what is printed, what is written, and the exit status.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>

#include "support/program.hpp"

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
  CHECK(import_sky({kGcp, "--out", "/nonexistent/folder/x.snapshot"}).status == 1);
  const std::string fresh = out_in_scratch("fresh.snapshot");
  CHECK(import_sky({kGcp, "--out", fresh, "--dry-run"}).status == 0);
  CHECK(!std::filesystem::exists(fresh));
}
