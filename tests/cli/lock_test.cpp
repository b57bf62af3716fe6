// Locks and what changes after them, from outside.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "show/gate/lock.hpp"
#include "support/program.hpp"

namespace lock_test {

using namespace gpusel::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kJob = "--model llama-7b --task finetune --method lora --catalog tests/data/market ";

std::string lock_to(const std::string& name, const std::string& words = {}) {
  const std::string file = scratch_directory() + "/" + name;
  const Run run = shell("gpusel lock " + kJob + words + " --to '" + file + "'");
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  return file;
}

/// The same lock with more words in its question, as though it had been written so.
void ask_with(const std::string& file, const std::vector<std::string>& more) {
  auto lock = gpusel::show::Json::parse(read_file(file));
  for (const std::string& word : more) lock["question"]["words"].push_back(word);
  gpusel::show::seal(lock);
  std::ofstream(file) << lock.dump();
}

Json diff(const std::string& words, int status = 0) {
  const Run run = shell("gpusel diff --json " + words);
  CAPTURE(run.out, run.err);
  REQUIRE(run.status == status);
  return Json::parse(run.out);
}

const Json* cause(const Json& answer, const std::string& section) {
  for (const Json& fact : answer["facts"])
    if (fact["section"] == section && fact["moves"] != "nothing") return &fact;
  return nullptr;
}

bool validates(const std::string& schema, const std::string& json) {
  const std::string program =
      "import json, pathlib, sys, jsonschema\n"
      "path = pathlib.Path(sys.argv[1])\n"
      "all = {one.name: json.load(one.open()) for one in path.parent.glob('*.json')}\n"
      "resolver = jsonschema.RefResolver(path.name, all[path.name], store=all)\n"
      "jsonschema.Draft202012Validator(all[path.name], resolver=resolver).validate(json.load(sys.stdin))\n";
  const Run run = command({"/usr/bin/python3", "-c", program, kSource + "/" + schema}, {.input = json});
  CAPTURE(run.err);
  CHECK(run.err.empty());
  return run.status == 0;
}

}  // namespace

TEST_CASE("a lock says what was asked, answered and known, the same each time", "[lock]") {
  const std::string file = lock_to("a.lock", "-n 3");
  const std::string text = read_file(file);
  CHECK(validates("docs/schema/lock-1.json", text));
  const Json lock = Json::parse(text);
  CHECK(lock["question"]["words"][0] == "--model");
  for (const Json& word : lock["question"]["words"]) CHECK(word != "--to");
  CHECK(lock["answer"]["recommendations"].size() == 3);
  CHECK(lock["ranking"].size() > 3);
  CHECK(lock["facts"]["gpus"]["h100-sxm-80gb"]["memory.bandwidth_gbs"].is_number());
  CHECK(read_file(lock_to("b.lock", "-n 3")) == text);
  const Run shown = shell("gpusel lock " + kJob + " --dry-run -n 3 --json --to /nowhere/at/all");
  CHECK(shown.status == 0);
  CHECK(Json::parse(shown.out) == lock);
}

TEST_CASE("what cannot be locked or written is told, and no file is left", "[lock]") {
  const std::string file = scratch_directory() + "/none.lock";
  CHECK(shell("gpusel lock " + kJob + "--max-price 0.0001 --to " + file).status == 3);
  CHECK_FALSE(fs::exists(file));
  const Run nowhere = shell("gpusel lock " + kJob + "--to /dev/null/x.lock");
  CHECK(nowhere.status == 1);
  CHECK(nowhere.err.find("cannot make the folder '/dev/null'") != std::string::npos);
}

TEST_CASE("nothing has changed where nothing has", "[lock]") {
  const std::string file = lock_to("same.lock");
  const Json answer = diff(file + " --exit-code");
  CHECK_FALSE(answer["changed"].get<bool>());
  CHECK(answer["facts"].empty());
  CHECK(answer["versions"].empty());
  CHECK(shell("gpusel diff " + file).out.find("nothing changed") != std::string::npos);
}

TEST_CASE("a price that an overlay changes is named as the cause", "[lock]") {
  const std::string file = lock_to("price.lock", "--cloud north");
  const Json best = Json::parse(read_file(file))["ranking"][0];
  const std::string sku = best["sku"];
  const std::string overlay =
      scratch_file("dear.yaml", "prices:\n  - {provider: north, region: " + best["region"].get<std::string>() +
                                    ", term: on-demand, currency: " + best["price"]["currency"].get<std::string>() +
                                    ", as_of: 2026-11-18, source: north-list, per_hour: {" + sku + ": 900}}\n");
  ask_with(file, {"--overlay", overlay});
  const Json answer = diff(file + " --exit-code", 4);
  CHECK(answer["changed"].get<bool>());
  const Json* fact = cause(answer, "prices");
  REQUIRE(fact != nullptr);
  CHECK((*fact)["before"]["amount"] == best["price"]["amount"]);
  CHECK((*fact)["after"]["amount"] == 900);
  CHECK((*fact)["without"]["total"].get<double>() == Approx(best["total"].get<double>()));
  CHECK(answer["explained"] == true);
  CHECK(shell("gpusel diff " + file).out.find("cause: without it, the best is") != std::string::npos);
}

TEST_CASE("a GPU's bandwidth that an overlay changes is named as the cause", "[lock]") {
  const std::string job = "--model llama-3.1-8b --task inference --catalog tests/data/market --gpu h100 ";
  const std::string file = scratch_directory() + "/bandwidth.lock";
  REQUIRE(shell("gpusel lock " + job + "--to " + file).status == 0);
  const std::string overlay =
      scratch_file("slow.yaml", "gpus:\n  - {id: h100-sxm-80gb, memory: {bandwidth_gbs: 900}}\n");
  ask_with(file, {"--overlay", overlay});
  const Run run = shell("gpusel diff --json " + file);
  CAPTURE(run.err);
  CHECK(validates("docs/schema/diff-1.json", run.out));
  const Json answer = Json::parse(run.out);
  const Json* fact = cause(answer, "gpus");
  REQUIRE(fact != nullptr);
  CHECK((*fact)["subject"] == "h100-sxm-80gb");
  CHECK((*fact)["field"] == "memory.bandwidth_gbs");
  CHECK((*fact)["after"] == 900);
  CHECK(answer["explained"] == true);
}

TEST_CASE("the tolerance lets small changes of the cost pass", "[lock]") {
  const std::string file = lock_to("small.lock", "--cloud north --gpu h100");
  const std::string overlay =
      scratch_file("small.yaml",
                   "prices:\n  - {provider: north, region: us-1, term: on-demand, currency: USD, "
                   "as_of: 2026-11-18, source: north-list, per_hour: {n.h100.8: 49}}\n");
  ask_with(file, {"--overlay", overlay});
  CHECK(shell("gpusel diff " + file).status == 0);
  CHECK(shell("gpusel diff --exit-code " + file).status == 4);
  CHECK(shell("gpusel diff --exit-code --tolerance 5% " + file).status == 0);
  CHECK(shell("gpusel diff --exit-code --tolerance 1% " + file).status == 4);
  const std::string before = lock_to("plain.lock", "--cloud north --gpu h100");
  CHECK(shell("gpusel diff --exit-code " + before).status == 0);
  CHECK(shell("gpusel diff --exit-code " + before + " --overlay " + overlay).status == 4);
  CHECK(shell("gpusel diff " + before + " " + before + " --overlay " + overlay).status == 2);
}

TEST_CASE("a new instance and a vanished one are told", "[lock]") {
  const std::string file = lock_to("market.lock", "--cloud north,south");
  const std::string overlay = scratch_file(
      "new.yaml",
      "families:\n  - provider: south\n    id: s.h100\n    gpu: h100-sxm-80gb\n    interconnect: {kind: nvswitch}\n"
      "    sources: [south-list]\n    sizes: [{sku: s.h100.8, gpus: 8, vcpu: 96, memory_gib: 1024}]\n"
      "prices:\n  - {provider: south, region: cn-1, term: on-demand, currency: CNY, as_of: 2026-11-18, "
      "source: south-list, per_hour: {s.h100.8: 7}}\n"
      "availability:\n  - {provider: north, state: not-offered, skus: [n.h100.8], source: north-list}\n");
  ask_with(file, {"--overlay", overlay});
  const Json answer = diff(file);
  std::map<std::string, std::string> changes;
  for (const Json& row : answer["rows"]) changes[row["instance"]] = row["change"];
  CHECK(changes["south/s.h100.8"] == "appeared");
  CHECK(changes["north/n.h100.8"] == "vanished");
  CHECK(answer["best_changed"] == true);
  CHECK(cause(answer, "instances") != nullptr);
}

TEST_CASE("two locks are compared without asking", "[lock]") {
  const std::string before = lock_to("before.lock", "--cloud north");
  const std::string after = lock_to("after.lock", "--cloud bazaar");
  const Json answer = diff(before + " " + after + " --any-question");
  CHECK(answer["asked_again"] == false);
  CHECK(answer["best_changed"] == true);
  CHECK(answer["explained"].is_null());
  CHECK(answer["question_differs"]["only_before"] == Json{"--cloud north"});
  CHECK(answer["question_differs"]["only_after"] == Json{"--cloud bazaar"});
}

TEST_CASE("locks of different questions or currencies are not compared", "[lock]") {
  const std::string before = lock_to("asked.lock", "--cloud north --method lora");
  const Run other = shell("gpusel diff " + before + " " + lock_to("other.lock", "--cloud bazaar"));
  CHECK(other.status == 2);
  CHECK(other.out.empty());
  CHECK(other.err.find("asks a different question: only this one has '--cloud bazaar'") != std::string::npos);
  // The same words in another order and spelling are the same question; facts are none of it.
  const std::string overlay = scratch_file("nothing.yaml", "gpus: [{id: h100-sxm-80gb, tdp_w: 700}]\n");
  const std::string same = lock_to("same-question.lock", "--method=lora --overlay " + overlay + " --cloud=north");
  CHECK(shell("gpusel diff " + before + " " + same).status == 0);
  const Run money = shell("gpusel diff --any-question " + before + " " +
                          lock_to("yuan.lock", "--cloud north --method lora --currency CNY"));
  CHECK(money.status == 2);
  CHECK(money.err.find("in CNY, but the other lock is in USD") != std::string::npos);
  CHECK(shell("gpusel diff --any-question " + before).status == 2);
}

TEST_CASE("a lock that was edited is refused, however small the change", "[lock]") {
  const std::string file = lock_to("sealed.lock");
  const Json lock = Json::parse(read_file(file));
  CHECK(lock["currency"] == "USD");
  const Json total = lock["answer"]["recommendations"][0]["cost"]["total"];
  const Json next = std::nextafter(total.get<double>(), 1e9);  // the least change that is another number
  for (const auto& [part, edited] : {std::pair(total.dump(), next.dump()), {"\"rank\": 1", "\"rank\": 7"}}) {
    std::string text = read_file(file);
    const auto at = text.find(part);
    REQUIRE(at != std::string::npos);
    text.replace(at, part.size(), edited);
    const std::string policy = scratch_file("any.yaml", "policies:\n  - {id: dear, max_cost_per_hour: 1000 USD}\n");
    const Run checked = shell("gpusel check --policy '" + policy + "' '" + scratch_file("edited.lock", text) + "'");
    CHECK(checked.status == 2);
    CHECK(checked.err.find("was edited after it was written") != std::string::npos);
    const Run run = shell("gpusel diff '" + scratch_file("edited.lock", text) + "'");
    CHECK(run.status == 2);
    CHECK(run.err.find("was edited after it was written") != std::string::npos);
  }
  // Written anew by another program, with the members in another order, it is the same lock.
  CHECK(shell("gpusel diff '" + scratch_file("sorted.lock", lock.dump(1)) + "'").status == 0);
}

TEST_CASE("causes that move the best only together are told so", "[lock]") {
  const std::string file = scratch_directory() + "/joint.lock";
  REQUIRE(shell("gpusel lock --model llama-7b --task finetune --method lora --cloud aws --to " + file).status == 0);
  const Json lock = Json::parse(read_file(file));
  // An instance below the kept rows becomes the best for two reasons, each of which would do.
  const auto& rows = lock["ranking"];
  const auto late = std::find_if(rows.begin(), rows.end(), [](const Json& row) { return row["sku"] == "g5.xlarge"; });
  REQUIRE(late != rows.end());
  REQUIRE((*late)["rank"].get<int>() > 10);
  REQUIRE_FALSE(lock["facts"]["instances"].contains("aws/g5.xlarge"));
  CHECK(lock["facts"]["gpus"].contains("a10g"));
  const std::string overlay = scratch_file(
      "joint.yaml",
      "sources: {own: {publisher: sales, document: mail, date: 2026-11-18, confidence: documented}}\n"
      "gpus: [{id: a10g, dense: {bf16_tflops: 900}}]\n"
      "prices: [{provider: aws, region: us-east-1, term: on-demand, currency: USD, as_of: 2026-11-18, source: own, "
      "per_hour: {g5.xlarge: 0.05}}]\n");
  const Run run = shell("gpusel diff --json " + file + " --overlay " + overlay);
  CHECK(validates("docs/schema/diff-1.json", run.out));
  const Json answer = Json::parse(run.out);
  CHECK(answer["after"]["best"]["sku"] == "g5.xlarge");
  std::map<std::string, std::string> moves;
  for (const Json& fact : answer["facts"]) moves[fact["section"]] = fact["moves"];
  CHECK(moves == std::map<std::string, std::string>{{"gpus", "together"}, {"prices", "together"}});
  CHECK(answer["facts"][0]["without"]["sku"] == rows[0]["sku"]);
  CHECK(answer["explained"] == true);
}

TEST_CASE("a rule that changes is named, with its effect, as the cause", "[lock]") {
  const std::string file = scratch_directory() + "/own-rules.yaml";
  const auto write = [&](const std::string& skus) {
    std::ofstream(file) << "rules:\n  - {id: ours, effect: reject, when: {fact: sku, in: [" << skus
                        << "]}, message: \"we do not buy {sku}\", source: us}\n";
  };
  write("nothing");
  const std::string lock = lock_to("rules.lock", "--cloud north --rules " + file);
  const Json best = Json::parse(read_file(lock))["ranking"][0];
  write(best["sku"]);
  const Json answer = diff(lock);
  const Json* fact = cause(answer, "rules");
  REQUIRE(fact != nullptr);
  CHECK((*fact)["subject"] == "ours");
  CHECK((*fact)["after"]["effect"] == "reject");
  CHECK((*fact)["moves"] == "best");
  CHECK((*fact)["without"]["sku"] == best["sku"]);
  CHECK(answer["explained"] == true);
}

TEST_CASE("an exchange rate and its date are one fact", "[lock]") {
  const std::string file = lock_to("rate.lock", "--cloud south");
  const std::string overlay =
      scratch_file("rate.yaml",
                   "sources: {own: {publisher: bank, document: mail, date: 2026-11-18, confidence: documented}}\n"
                   "exchange_rates: [{currency: CNY, per_usd: 5, as_of: 2026-11-18, source: own}]\n");
  const Json answer = diff(file + " --overlay " + overlay);
  REQUIRE(answer["facts"].size() == 1);
  CHECK(answer["facts"][0]["section"] == "exchange_rates");
  CHECK(answer["facts"][0]["after"]["per_usd"] == 5);
  CHECK(answer["facts"][0]["moves"] == "cost");
}

TEST_CASE("a day that has passed is a fact, too", "[lock]") {
  const std::string file = lock_to("day.lock", "--cloud north");
  const Run run = shell("GPUSEL_TODAY=2027-06-01 gpusel diff --json " + file);
  const Json answer = Json::parse(run.out);
  bool told = false;
  for (const Json& one : answer["versions"]) told = told || one["what"] == "today";
  CHECK(told);
}

TEST_CASE("diff prints in every format", "[lock]") {
  const std::string before = lock_to("one.lock", "--cloud north");
  const std::string after = lock_to("two.lock", "--cloud bazaar");
  for (const std::string format : {"table", "wide", "json", "yaml", "csv", "markdown", "html"}) {
    const Run run = shell("gpusel diff -o " + format + " --any-question " + before + " " + after);
    CAPTURE(format, run.err);
    CHECK(run.status == 0);
    CHECK(run.out.find("bazaar") != std::string::npos);
    CHECK(run.out.find("USD") != std::string::npos);
  }
}

TEST_CASE("a lock that is damaged, foreign or newer is refused with its place", "[lock]") {
  const std::string good = read_file(lock_to("good.lock"));
  const auto refused = [&](const std::string& text) {
    const Run run = shell("gpusel diff '" + scratch_file("bad.lock", text) + "'");
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK(refused(good.substr(0, good.size() / 2)).find("bad.lock:") != std::string::npos);
  CHECK(refused("{\"schema\": \"gpusel.recommend/1\"}").find("is not a lock of gpusel") != std::string::npos);
  std::string newer = good;
  newer.replace(newer.find("gpusel.lock/1"), 13, "gpusel.lock/2");
  CHECK(refused(newer).find("bad.lock:2:13: 'gpusel.lock/2' is a lock of another gpusel") != std::string::npos);
  Json less = Json::parse(good);
  less["facts"].erase("prices");
  CHECK(refused(less.dump()).find("'facts/prices' is missing") != std::string::npos);
  less = Json::parse(good);
  less["ranking"][1].erase("total");
  CHECK(refused(less.dump()).find("this part is incomplete") != std::string::npos);
  for (const auto& [place, value] : std::initializer_list<std::pair<const char*, Json>>{
           {"/facts/unheard_of", 5},
           {"/facts/gpus/h100-sxm-80gb", "text"},
           {"/facts/prices", Json::array({1})},
           {"/ranking/0/rank", 1e300},
           {"/ranking/0/nodes", -1},
           {"/versions/calibration", Json::array({1})},
           {"/versions/files", Json::array({{{"path", 5}, {"hash", nullptr}}})}}) {
    Json odd = Json::parse(good);
    odd[Json::json_pointer(place)] = value;
    CAPTURE(place);
    CHECK(refused(odd.dump()).find("the lock is damaged: ") != std::string::npos);
  }
  CHECK(shell("gpusel diff /no/such.lock").status == 2);
}

}  // namespace lock_test
