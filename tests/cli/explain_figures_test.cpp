// What --explain says of a figure is the figure of the answer, to all digits, and the arithmetic that it prints gives
// it.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/words/message.hpp"
#include "support/arithmetic.hpp"
#include "support/program.hpp"

namespace explain_figures_test {

using namespace gpusel::test;
using gpusel::format;
using Json = nlohmann::ordered_json;

namespace {

const std::string kMarket = " --catalog " + kSource + "/tests/data/market";

/// Figures of an answer by what explanations call them, in the unit of the explanation.
using Figures = std::map<std::string, double>;

void add(Figures& out, const std::string& quantity, const Json& from, const char* path, double factor = 1) {
  const Json::json_pointer at(path);
  if (from.contains(at) && from[at].is_number()) out[quantity] = from[at].get<double>() * factor;
}

void add_all(Figures& out, const std::string& lead, const Json& amounts) {
  for (const auto& [period, amount] : amounts.items())
    if (amount.is_number()) out[lead + period] = amount.get<double>();
}

/// Of one plan: memory, speed, intervals.
Figures of_plan(const Json& answer) {
  Figures out;
  if (answer.contains("memory") && answer["memory"].contains("per_gpu"))
    add_all(out, "memory.", answer["memory"]["per_gpu"]);
  add(out, "memory.usable", answer, "/memory/usable");
  add(out, "memory.free", answer, "/memory/margin");
  for (const std::string speed : {"/training", "/inference", "/performance"}) {
    add(out, "training.step_time", answer, (speed + "/step_time_s").c_str(), 1e3);
    if (speed != "/inference" && answer.contains(Json::json_pointer(speed + "/step_time_s")))
      add(out, "training.tokens_per_s", answer, (speed + "/tokens_per_s").c_str());
    add(out, "inference.ttft", answer, (speed + "/ttft_ms").c_str());
    add(out, "inference.itl", answer, (speed + "/itl_ms").c_str());
    add(out, "inference.requests_per_s", answer, (speed + "/requests_per_s").c_str());
    add(out, "inference.output_tokens_per_s", answer, (speed + "/output_tokens_per_s").c_str());
  }
  add(out, "throughput", answer, "/throughput/value");
  if (answer.contains("interval"))
    for (const auto& [name, ends] : answer["interval"].items())
      if (ends.is_array()) {
        out["interval." + name + ".low"] = ends[0].get<double>();
        out["interval." + name + ".high"] = ends[1].get<double>();
      }
  return out;
}

Figures of_rank(const Json& one) {
  Figures out = of_plan(one);
  add(out, "score", one, "/score");
  for (const Json& part : one["score_parts"]) out["score." + part["name"].get<std::string>()] = part["points"];
  for (const char* name : {"hourly", "hours", "total", "per_million_tokens", "per_unit"})
    add(out, format("cost.{}", name), one["cost"], format("/{}", name).c_str());
  add(out, "cost.offer", one, "/cost/offer/hourly");
  return out;
}

Figures of_cost(const Json& answer, const Json& item) {
  Figures out;
  add(out, "hours of work a month", answer, "/duty/work_hours_per_month");
  add(out, "job, start to end", item, "/job/elapsed_hours");
  for (const Json& term : item["terms"]) {
    const std::string name = term["term"];
    add_all(out, name + ".", term["instances"]);
    add_all(out, name + ".total.", term["total"]);
    add(out, name + ".per_used_hour", term, "/per_work_hour");
    add(out, name + ".per_million_tokens", term, "/per_million_tokens");
    add(out, name + ".per_unit", term, "/per_unit");
    add(out, name + " hours paid a month", term, "/hours_paid/month");
    add(out, name + " hours paid for the job", term, "/hours_paid/job");
  }
  return out;
}

Figures of_break_even(const Json& found) {
  Figures out;
  add(out, "break_even.node_mtbf_hours", found, "/job/node_mtbf_hours");
  add(out, "break_even.checkpoint_gb", found, "/job/checkpoint_gb");
  add(out, "break_even.checkpoint_s", found, "/job/checkpoint_s");
  add(out, "break_even.job.hours", found, "/job/run/expected_hours");
  add(out, "break_even.job.interruptions", found, "/job/run/interruptions");
  add(out, "break_even.job.chance_of_none", found, "/job/run/chance_of_none", 100);
  add(out, "break_even.job.cost", found, "/job/cost");
  if (found["nodes"].is_object())
    for (const Json& row : found["nodes"]["rows"])
      for (const char* name : {"hours", "expected_hours", "hours_95", "cost"})
        out[format("break_even.nodes.{}.{}", row["nodes"].get<int>(), name)] = row[name];
  for (const Json& one : found["commitments"]) {
    const std::string key = "break_even.commitment." + one["term"].get<std::string>();
    add(out, key + ".per_month", one, "/per_month");
    add(out, key + ".hours_per_month", one, "/hours_per_month");
  }
  return out;
}

Figures of_whatif(const Json& answer) {
  Figures out;
  add(out, "cost.now", answer, "/now/measured_cost");
  add(out, "cost.now.hourly", answer, "/now/cost/hourly");
  return out;
}

Figures of_fleet(const Json& answer) {
  Figures out;
  add(out, "fleet.hourly", answer, "/fleet/hourly");
  add(out, "fleet.monthly", answer, "/fleet/monthly");
  add(out, "fleet.bound", answer, "/solver/bound_hourly");
  add(out, "single.hourly", answer, "/best_single_type/hourly");
  add(out, "schedule.daily", answer, "/schedule/daily");
  add(out, "schedule.cold_starts", answer, "/schedule/cold_starts_daily");
  add(out, "schedule.fixed_daily", answer, "/schedule/fixed_daily");
  for (const Json& member : answer["fleet"]["members"]) {
    const std::string name = format("type.{}", member["type"].get<int>());
    out[name + ".hourly"] = member["hourly"];
    out[name + ".load"] = member["load"].get<double>() * 100;
  }
  return out;
}

/// How many lines are figures of the answer.
std::size_t check(const Json& lines, const Figures& figures) {
  std::size_t same = 0;
  for (const Json& line : lines) {
    const std::string quantity = line["quantity"];
    CAPTURE(quantity, line.dump());
    gpusel::physics::TraceLine read;
    read.quantity = quantity;
    read.substituted = line["substituted"].is_string() ? line["substituted"].get<std::string>() : std::string();
    read.value.text = line["value"].is_string() ? line["value"].get<std::string>() : std::string();
    if (line["number"].is_number()) read.value.number = line["number"].get<double>();
    if (line["unit"].is_string()) read.value.unit = line["unit"];
    const auto right = adds_up(read);
    CHECK((!right || *right));
    const auto figure = figures.find(quantity);
    if (figure == figures.end()) continue;
    REQUIRE(read.value.number);
    CHECK(*read.value.number == Approx(figure->second).epsilon(1e-15).margin(0));
    ++same;
  }
  return same;
}

Json answer_to(const std::string& words) {
  const Run run = shell("gpusel " + words + " --explain -q -o json");
  CAPTURE(words, run.err);
  REQUIRE((run.status == 0 || run.status == 3));  // 3: does not fit, with all its figures
  return Json::parse(run.out);
}

}  // namespace

TEST_CASE("what is explained of an estimate is what it says") {
  const auto words = GENERATE(
      Catch::Generators::as<std::string>{},
      "--model llama-3.1-70b --task pretrain --gpu h100 --gpus 64 --tp 4 --pp 2 --tokens 1B",
      "--model llama-7b --task finetune --gpu a100-80gb --gpus 8",
      "--model llama-7b --task finetune --method qlora --gpu rtx-4090",
      "--model llama-7b --task finetune --gpu l4 --offload optimizer",
      "--model mixtral-8x7b --task finetune --method lora --gpu h100 --gpus 8",
      "--model llama-3.1-8b --task inference --gpu l4", "--model llama-3.1-8b --task inference --gpu h100 --rps 4",
      "--model llama-3.1-8b --task inference --gpu h100 --concurrency 1",
      "--model llama-3.1-8b --task inference --gpu h100 --concurrency 4000",
      "--model llama-3.1-70b --task inference --gpu h100 --gpus 4 --speculative llama-3.2-1b",
      "--model deepseek-v3 --task inference --gpu h200 --gpus 8", "--model bert-base --task inference --gpu t4",
      "--model resnet-50 --task pretrain --gpu a100 --gpus 8 --dataset-size 1M --epochs 1",
      "--model sdxl --task inference --gpu l40s",
      "--model sdxl --task finetune --method lora --gpu l40s --dataset-size 100 --epochs 9",
      "--model whisper-large-v3 --task inference --gpu l4", "--model dlrm --task pretrain --gpu a100 --gpus 8",
      "--task render --gpu l40s --seconds-per-frame 60 --on rtx-3090 --frames 1000",
      "--task render --render realtime --gpu l40s", "--task simulate --solver lbm --cells 100M --gpu a100 --gpus 2",
      "--model yolo11m --task inference --stream-fps 10 --gpu l4");
  const Json answer = answer_to("estimate " + words);
  CAPTURE(words);
  CHECK(check(answer["explain"], of_plan(answer)) >= 6);
}

TEST_CASE("what is explained of a rank is what it says") {
  const auto words =
      GENERATE(Catch::Generators::as<std::string>{}, "--model llama-7b --task finetune --method lora",
               "--model llama-3.1-8b --task inference", "--model llama-3.1-8b --task inference --rps 2 --ttft 2000",
               "--model resnet-50 --task pretrain", "--model sdxl --task inference --images 1000");
  const Json answer = answer_to("recommend" + kMarket + " -n 2 " + words);
  CAPTURE(words);
  for (const Json& one : answer["recommendations"]) CHECK(check(one["explain"], of_rank(one)) >= 12);
}

TEST_CASE("what is explained of a cost and its break-even points is what it says") {
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "--hours-per-day 7 --days 21",
                              "--model llama-7b --task finetune --storage-gb 500",
                              "--model llama-3.1-8b --task inference --hours-per-day 10",
                              "--model llama-3.1-8b --task pretrain --tokens 100B");
  const Json answer = answer_to("cost" + kMarket + " n.h100.8 " + words);
  CAPTURE(words);
  for (const Json& item : answer["items"]) {
    CHECK(check(item["explain"], of_cost(answer, item)) >= 5);
    if (item["break_even"].is_object() && item["break_even"].contains("explain"))
      check(item["break_even"]["explain"], of_break_even(item["break_even"]));
  }
}

TEST_CASE("what is explained of a comparison, a sweep and a fleet is what they say") {
  const std::string job = " --model llama-7b --task finetune --method lora";
  for (const Json& item : answer_to("compare" + kMarket + " n.h100.8 n.a100.8" + job)["items"])
    CHECK(check(item["job"]["explain"], of_plan(item["job"])) >= 6);
  const Json sweep = answer_to("whatif" + kMarket + job + " --vary deadline=1h,1d --tornado --pareto");
  CHECK(check(sweep["explain"], of_whatif(sweep)) == 2);
  const Json fleet = answer_to("fleet" + kMarket + " --model llama-3.1-8b --traffic chat --rate 4 --daily office");
  CHECK(check(fleet["explain"], of_fleet(fleet)) >= 6);
}

}  // namespace explain_figures_test
