// gpusel calibrate from outside: what it keeps, who reads it, and what it refuses.
#include <catch2/catch.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace calibrate_test {

using namespace gpusel::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kRuns = kSource + "/tests/data/runs/";

Json json_of(const Run& run) {
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out);
}

std::string l40s_question() {
  return "estimate --model llama-3.1-8b --task inference --gpu l40s --mode online --input-tokens 1024 "
         "--output-tokens 256 --concurrency 32 -o json";
}

}  // namespace

TEST_CASE("what was calibrated is kept in the user's folder, read by every command, shown by doctor, and removed") {
  const Setting home{.environment = {{"XDG_DATA_HOME", scratch_directory()}}};
  const std::string file = home.environment.at("XDG_DATA_HOME") + "/gpusel/calibration.yaml";
  const Json before = json_of(ask(words_of(l40s_question()), home));

  const Json dry = json_of(ask({"calibrate", kRuns + "runs.jsonl", "--dry-run", "-o", "json"}, home));
  CHECK(dry["file"].is_null());
  CHECK_FALSE(fs::exists(file));
  CHECK(json_of(ask(words_of(l40s_question()), home)) == before);

  const Json kept = json_of(ask({"calibrate", kRuns + "runs.jsonl", "-o", "json", "--explain"}, home));
  CHECK(kept["schema"] == "gpusel.calibrate/1");
  CHECK(kept["file"] == file);
  CHECK(read_file(file) == kept["overlay"]);
  REQUIRE(kept["coefficients"].size() >= 1);
  CHECK(kept["explain"].size() == kept["coefficients"].size() + kept["intervals"].size());
  for (const Json& coefficient : kept["coefficients"]) {
    CHECK(coefficient["value"] != coefficient["shipped"]);
    CHECK(coefficient["deviation"] <= coefficient["prior_deviation"]);
    CHECK(coefficient["source"].get<std::string>().find("of runs.jsonl on 2026-11-20") != std::string::npos);
  }

  const Json after = json_of(ask(words_of(l40s_question()), home));
  CHECK(after["inference"]["ttft_ms"] > before["inference"]["ttft_ms"]);  // slower prompts were measured
  const auto width = [](const Json& answer, const char* key) {
    return answer["interval"][key][1].get<double>() / answer["interval"][key][0].get<double>();
  };
  CHECK(width(after, "tokens_per_s") < width(before, "tokens_per_s"));
  // The figures of the calibration are those of an estimate from now on.
  CHECK(after["inference"]["ttft_ms"].get<double>() == Approx(kept["figures"][5]["after"].get<double>()));

  const Run doctor = ask({"doctor"}, home);
  CHECK(doctor.out.find("own calibration") != std::string::npos);
  CHECK(doctor.out.find("of 2026-11-20") != std::string::npos);
  CHECK(doctor.out.find("shipped 0.99, rows: 2") != std::string::npos);

  const Run again = ask({"calibrate", kRuns + "runs.jsonl"}, home);  // the same rows once more
  CHECK(again.status == 0);
  CHECK(read_file(file) == kept["overlay"]);
  CHECK(ask({"calibrate"}, home).status == 0);  // anew from what was kept
  CHECK(read_file(file) == kept["overlay"]);

  const Run reset = ask({"calibrate", "--reset"}, home);
  CHECK(reset.status == 0);
  CHECK_FALSE(fs::exists(file));
  CHECK(json_of(ask(words_of(l40s_question()), home)) == before);
  CHECK(ask({"calibrate", "--reset"}, home).status == 0);
}

TEST_CASE("the order in which files come does not change what is kept") {
  const std::string folder = scratch_directory();
  const auto keep = [&](const std::string& name, const std::string& first, const std::string& second) {
    const std::string file = folder + "/" + name;
    REQUIRE(ask({"calibrate", kRuns + first, "--to", file}).status == 0);
    REQUIRE(ask({"calibrate", kRuns + second, "--to", file}).status == 0);
    return read_file(file);
  };
  CHECK(keep("a.yaml", "runs.csv", "runs.jsonl") == keep("b.yaml", "runs.jsonl", "runs.csv"));
  const Run both = ask({"calibrate", kRuns + "runs.csv", kRuns + "runs.jsonl", "--to", folder + "/c.yaml"});
  CHECK(both.status == 0);
  CHECK(read_file(folder + "/c.yaml") == read_file(folder + "/a.yaml"));
}

TEST_CASE("a figure far outside its interval is told and left out, unless it is accepted") {
  const std::string row =
      R"({"task":"inference","model":"llama-3.1-8b","gpu":"l40s","mode":"online","input_tokens":1024,)"
      R"("output_tokens":256,"concurrency":16,"measured":{"itl_ms":)";
  const std::string file = scratch_file("outlier.jsonl", row + "27}}\n\n" + row + "2840}}\n");
  const Json left = json_of(ask({"calibrate", file, "--dry-run", "-o", "json"}));
  CHECK(left["rows"] == 1);
  REQUIRE(left["outliers"].size() == 1);
  CHECK(left["outliers"][0]["where"].get<std::string>().find("outlier.jsonl:3:1") != std::string::npos);
  const Json taken = json_of(ask({"calibrate", file, "--dry-run", "--accept-outliers", "-o", "json"}));
  CHECK(taken["rows"] == 2);
  CHECK(taken["outliers"].size() == 1);
  CHECK(ask({"calibrate", file, "--dry-run"}).err.find("time between tokens of 2840 was measured") !=
        std::string::npos);
}

TEST_CASE("what cannot be used is told with its place, and nothing is kept") {
  const std::string folder = scratch_directory();
  const std::string to = folder + "/own.yaml";
  const auto refused = [&](const std::string& name, const std::string& text) {
    const Run run = ask({"calibrate", scratch_file(name, text), "--to", to});
    CHECK(run.status != 0);
    CHECK(run.out.empty());
    CHECK_FALSE(fs::exists(to));
    return run;
  };
  CHECK(refused("broken.jsonl", "{\"task\":\"inference\"}\n{\"task\" 3}\n")
            .err.find("broken.jsonl:2:9: not valid JSON") != std::string::npos);
  CHECK(refused("no.csv", "task,gpu\n").err.find("no.csv:1:1: there is no column 'model'") != std::string::npos);
  const Run empty = refused("none.jsonl", "{\"task\":\"inference\",\"model\":\"llama-7b\",\"gpu\":\"h1000\"}\n");
  CHECK(empty.status == 3);
  CHECK(empty.err.find("none.jsonl:1:46: unknown GPU 'h1000'") != std::string::npos);
  CHECK(refused("figure.jsonl", R"({"task":"inference","model":"llama-7b","gpu":"t4","measured":{"itl":3}})"
                                "\n")
            .err.find("'itl' is no figure that is measured; did you mean 'itl_ms'") != std::string::npos);
  CHECK(refused("task.jsonl", R"({"task":"inferense","model":"llama-7b","gpu":"t4","measured":{"itl_ms":3}})"
                              "\n")
            .err.find("task.jsonl:1:9") != std::string::npos);
  CHECK(ask({"calibrate", "/nonexistent.csv", "--to", to}).status == 2);
  CHECK(ask({"calibrate", kRuns + "runs.csv", "--to", "/nonexistent/own.yaml"}).status == 1);
}

TEST_CASE("a file that gpusel calibrate has not written is not overwritten") {
  const std::string other = scratch_file("mine.yaml", "rules: []\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"calibrate", kRuns + "runs.csv", "--to", other},
        {"calibrate", "--reset", "--to", other}}) {
    const Run run = ask(words);
    CHECK(run.status == 2);
    CHECK(run.err.find("was not written by gpusel calibrate") != std::string::npos);
    CHECK(read_file(other) == "rules: []\n");
  }
}

TEST_CASE("an own calibration that is damaged is refused with its place") {
  const std::string file = scratch_file("own.yaml",
                                        "calibration:\n  own:\n    as_of: 2026-11-22\n    coefficients:\n"
                                        "      - {id: compute.no_such, value: 1, shipped: 1, source: x}\n");
  const Run run = ask({"estimate", "--model", "llama-7b", "--task", "inference", "--gpu", "t4", "--overlay", file});
  CHECK(run.status == 5);
  CHECK(run.err.find("unknown coefficient 'compute.no_such'") != std::string::npos);
  CHECK(run.err.find("own.yaml:") != std::string::npos);
}

TEST_CASE("verify reads JSON Lines, too") {
  const Json answer = json_of(ask({"verify", kRuns + "runs.jsonl", "-o", "json"}));
  CHECK(answer["rows"] == 2);
  CHECK(answer["unusable"].empty());
}

}  // namespace calibrate_test
