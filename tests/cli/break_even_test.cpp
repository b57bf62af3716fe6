// Break-even points at the door: sections of the text, keys of the data, a line of explanation for each figure.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <set>

#include "support/program.hpp"

namespace break_even_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kJob = "cost '4x p4d.24xlarge' --model llama-3.1-8b --task pretrain --tokens 100B --deadline 12d";

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Figures under `at` as dotted keys; those that the answer was given are left out.
void figures(const Json& json, const std::string& at, std::set<std::string>& out) {
  static const std::set<std::string> kGiven{"per_hour",         "price",     "watts",      "units",
                                            "months_committed", "restart_s", "work_hours", "price_per_million",
                                            "tokens_per_s"};
  if (json.is_number()) out.insert(at);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items())
    if (!kGiven.contains(key)) figures(value, at.empty() ? key : at + "." + key, out);
}

}  // namespace

TEST_CASE("the text of a long job has its sections, in order") {
  const Run run = ask(words_of(kJob + " --why"));
  REQUIRE(run.status == 0);
  std::size_t at = 0;
  for (const char* title : {"\ncommitments\n", "\nspot\n", "\nfailures\n", "\nmore or fewer nodes\n", "\nbuying\n",
                            "\nassumed for these: "}) {
    INFO(title);
    at = run.out.find(title, at);
    REQUIRE(at != std::string::npos);
  }
}

TEST_CASE("the data of a long job has every figure that is not given, and a line for each") {
  const Run run = ask(words_of(kJob + " --explain -o json"));
  REQUIRE(run.status == 0);
  const Json found = Json::parse(run.out)["items"][0]["break_even"];
  std::set<std::string> explained;
  for (const Json& line : found["explain"]) {
    for (const char* key : {"quantity", "formula", "value", "source"})
      CHECK_FALSE(line[key].get<std::string>().empty());
    explained.insert(line["quantity"].get<std::string>());
  }
  std::set<std::string> all;
  for (const char* section : {"spot", "job"}) figures(found[section], section, all);
  // What was published, said, or stands under another name of the same formula.
  for (const char* known :
       {"spot.interruptions", "spot.market.notice_s", "spot.market.interrupted_low", "spot.market.interrupted_high",
        "job.deadline.hours", "job.deadline.expected_hours", "spot.interruptions_range.low",
        "spot.interruptions_range.mid", "spot.interruptions_range.high"})
    all.erase(known);
  // What is not on spot waits for nothing.
  CHECK(found["job"]["run"]["waiting_hours"] == 0);
  CHECK(found["job"]["without_checkpoints"]["waiting_hours"] == 0);
  CHECK(found["spot"]["on_demand_run"]["waiting_hours"] == 0);
  for (const char* none :
       {"job.run.waiting_hours", "job.without_checkpoints.waiting_hours", "spot.on_demand_run.waiting_hours"})
    all.erase(none);
  CHECK(all.size() > 15);
  for (std::string figure : all) {
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"job.run.", "job."},
                                                                                   {"spot.run.", "spot."},
                                                                                   {"spot.on_demand_run.", "job."},
                                                                                   {"job.deadline.", "deadline."},
                                                                                   {"job.node_mtbf", "node_mtbf"},
                                                                                   {"job.checkpoint_", "checkpoint_"}})
      if (figure.starts_with(from)) figure = to + figure.substr(from.size());
    if (const auto end = figure.rfind("expected_hours"); end != std::string::npos) figure.replace(end, 14, "hours");
    for (const char* range : {"spot.range", "spot.regain_hours"})  // one line for all of its points
      if (figure.starts_with(range)) figure = range;
    INFO(figure);
    CHECK(explained.contains("break_even." + figure));
  }
}

TEST_CASE("a rate of interruptions that nobody publishes is assumed, and said") {
  const Run run =
      ask(words_of("cost Standard_ND96isr_H100_v5 --model llama-3.1-8b --task pretrain --tokens 10B -o json"));
  REQUIRE(run.status == 0);
  const Json out = Json::parse(run.out);
  const Json spot = out["items"][0]["break_even"]["spot"];
  CHECK(spot["market"]["interrupted_low"].is_null());
  CHECK(spot["interruptions_range"]["low"] == 0);
  CHECK(spot["interruptions_range"]["high"].get<double>() > spot["interruptions"].get<double>());
  CHECK(spot["cost"].is_number());
  CHECK(out["items"][0]["break_even"]["assumed"]["interruptions"] == spot["interruptions"]);
  CHECK(spot["break_even_hours"].is_number());
  const Run told = ask(words_of(
      "cost Standard_ND96isr_H100_v5 --model llama-3.1-8b --task pretrain --tokens 10B --interruptions 20% -o json"));
  CHECK(Json::parse(told.out)["items"][0]["break_even"]["spot"]["cost"].is_number());
}

TEST_CASE("bad figures are refused with what would do") {
  for (const auto& [flags, part] :
       std::vector<std::pair<std::string, std::string>>{{"--interruptions 120%", "--interruptions"},
                                                        {"--interruptions 1", "below 1"},
                                                        {"--restart-minutes 0", "from 1 s"},
                                                        {"--mtbf-hours never", "--mtbf-hours"},
                                                        {"--checkpoint-gb -3", "--checkpoint-gb"},
                                                        {"--api-price free", "--api-price"},
                                                        {"--years 0", "--years"},
                                                        {"--buy-price 0", "--buy-price"}}) {
    INFO(flags);
    const Run run = ask(words_of("cost p4d.24xlarge " + flags));
    CHECK(run.status == 2);
    CHECK(has(run.err, part));
    CHECK(run.out.empty());
  }
}

TEST_CASE("a table for programs has no sections") {
  const Run run = ask(words_of("cost p4d.24xlarge -o csv"));
  REQUIRE(run.status == 0);
  CHECK_FALSE(has(run.out, "commitments"));
}

}  // namespace break_even_test
