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
  CHECK(doctor.out.find("shipped 1, rows: 2") != std::string::npos);

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
  CHECK(ask({"calibrate", file, "--dry-run"}).err.find("time between tokens measured 2840") != std::string::npos);
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
            .err.find("'itl' is not a measured figure; did you mean 'itl_ms'") != std::string::npos);
  CHECK(refused("task.jsonl", R"({"task":"inferense","model":"llama-7b","gpu":"t4","measured":{"itl_ms":3}})"
                              "\n")
            .err.find("task.jsonl:1:9") != std::string::npos);
  CHECK(ask({"calibrate", "/nonexistent.csv", "--to", to}).status == 2);
  CHECK(ask({"calibrate", kRuns + "runs.csv", "--to", "/dev/null/own.yaml"}).status == 1);
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

namespace {

/// A user's folder of its own.
Setting new_home() { return {.environment = {{"XDG_DATA_HOME", scratch_directory()}}}; }

const std::string kLoad = " --model llama-3.1-8b --gpu l40s --concurrency 16 --isl 1024 --osl 256";

double itl_of(const std::string& question, const Setting& home, const char* key = "itl_ms") {
  return json_of(ask(words_of("estimate" + question + " -o json"), home))["inference"][key].get<double>();
}

Json simulated(const std::string& question, const Setting& home) {
  return json_of(ask(words_of("simulate" + question + " -o json"), home));
}

}  // namespace

TEST_CASE(
    "one measured time between tokens is what the same question predicts afterwards, and all percentiles follow") {
  const Setting home = new_home();
  const std::string users = " --model llama-3.1-8b --gpu l40s --users 16 --isl 1024 --osl 256 --seed 3";
  const std::string elsewhere = " --model llama-3.1-8b --gpu h100-sxm-80gb --concurrency 16 --isl 1024 --osl 256";
  const std::string sibling = " --model mistral-7b --gpu l40s --concurrency 16 --isl 1024 --osl 256";
  const double before = itl_of(kLoad, home);
  const Json run_before = simulated(users, home);
  const double other = itl_of(elsewhere, home);
  const double alike = itl_of(sibling, home);
  const double wanted = 1.45 * before;

  const Json kept =
      json_of(ask(words_of("calibrate" + kLoad + " -o json --measured itl_ms=" + std::to_string(wanted)), home));
  REQUIRE(kept["coefficients"].size() == 2);
  CHECK(kept["coefficients"][0]["id"] == "inference.step_scale");
  CHECK(kept["coefficients"][1]["case"].get<std::string>().ends_with("vllm llama-3.1-8b"));

  CHECK(itl_of(kLoad, home) == Approx(wanted).epsilon(0.02));
  const Json answer = json_of(ask(words_of("estimate" + kLoad + " -o json"), home));
  bool noted = false;
  for (const Json& note : answer["notes"])
    noted |= note.get<std::string>().find("your measurements") != std::string::npos;
  CHECK(noted);
  const Json run = simulated(users, home);
  for (const char* measure : {"itl_ms", "tpot_ms"})
    for (const char* figure : {"mean", "p50", "p90", "p95", "p99"}) {
      CAPTURE(measure, figure);
      CHECK(run[measure][figure].get<double>() / run_before[measure][figure].get<double>() ==
            Approx(wanted / before).epsilon(0.04));
    }
  CHECK(itl_of(elsewhere, home) == Approx(other));
  CHECK(itl_of(sibling, home) > alike * 1.1);  // half of it
  CHECK(itl_of(sibling, home) < alike * 1.3);

  CHECK(ask({"calibrate", "--reset"}, home).status == 0);
  CHECK(itl_of(kLoad, home) == Approx(before));
  CHECK(simulated(users, home) == run_before);
}

TEST_CASE("a slower measurement is a slower prediction, and its interval is narrower") {
  double last = 0;
  for (const double measured : {22.0, 30.0, 38.0, 46.0}) {
    const Setting home = new_home();
    const auto width = [&] {
      const Json answer = json_of(ask(words_of("estimate" + kLoad + " -o json"), home));
      return answer["interval"]["itl_ms"][1].get<double>() / answer["interval"]["itl_ms"][0].get<double>();
    };
    const double wide = width();
    REQUIRE(ask(words_of("calibrate" + kLoad + " --measured itl_ms=" + std::to_string(measured)), home).status == 0);
    const double now = itl_of(kLoad, home);
    CHECK(now == Approx(measured).epsilon(0.02));
    CHECK(now > last);
    CHECK(width() < wide);
    last = now;
  }
}

TEST_CASE("what was measured at a rate is predicted at that rate") {
  const Setting home = new_home();
  const std::string load = " --model llama-3.1-8b --gpu l40s --rps 2 --isl 1024 --osl 256";
  const double before = itl_of(load, home, "tpot_ms");
  const double wanted = 1.25 * before;
  const Json kept =
      json_of(ask(words_of("calibrate" + load + " -o json --measured tpot_ms=" + std::to_string(wanted)), home));
  CHECK(itl_of(load, home, "tpot_ms") == Approx(wanted).epsilon(0.02));
  CHECK(kept["coefficients"][1]["value"].get<double>() < 1.25);  // slower steps have more company
  CHECK(kept["coefficients"][1]["value"].get<double>() > 1.05);
}

TEST_CASE("percentiles of a replayed log follow the measured steps") {
  const Setting home = new_home();
  std::string log = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 120; ++i)
    log += std::to_string(0.9 * i) + "," + std::to_string(300 + 37 * (i % 11)) + "," +
           std::to_string(60 + 13 * (i % 7)) + "\n";
  const std::string question = " --model llama-3.1-8b --gpu l40s --traffic " + scratch_file("log.csv", log);
  const Json before = simulated(question, home);
  const std::string alone = " --model llama-3.1-8b --gpu l40s --concurrency 1 --isl 512 --osl 128";
  const double step = itl_of(alone, home);
  REQUIRE(ask(words_of("calibrate" + alone + " --measured itl_ms=" + std::to_string(1.3 * step)), home).status == 0);
  const Json after = simulated(question, home);
  for (const char* figure : {"p50", "p90", "p95", "p99"})
    CHECK(after["tpot_ms"][figure].get<double>() / before["tpot_ms"][figure].get<double>() ==
          Approx(1.3).epsilon(0.06));
}

TEST_CASE("results of benchmarks are read as their tools write them") {
  const auto rows = [&](const std::string& words) {
    const Json kept = json_of(ask(words_of("calibrate --dry-run --accept-outliers -o json " + words)));
    CHECK(kept["unusable"].empty());
    return kept;
  };
  const Json vllm = rows(kRuns + "vllm-serve.json --gpu l40s");
  CHECK(vllm["rows"] == 1);
  CHECK(vllm["figures"].size() == 3);
  CHECK(vllm["figures"][0]["model"] == "Llama-3.1-8B-Instruct");
  CHECK(vllm["overlay"].get<std::string>().find("max_concurrency") == std::string::npos);
  for (const Json& figure : vllm["figures"])
    if (figure["figure"] != "time to first token")
      CHECK(figure["after"].get<double>() == Approx(figure["measured"].get<double>()).epsilon(0.06));
  const Json sglang = rows(kRuns + "sglang-bench.jsonl --gpu l40s --model llama-3.1-8b");
  CHECK(sglang["rows"] == 2);
  CHECK(sglang["overlay"].get<std::string>().find("sglang") != std::string::npos);
  CHECK(rows(kRuns + "guidellm.json --gpu l40s")["rows"] == 3);
  const Json bench = rows(kRuns + "llama-bench.json");
  CHECK(bench["rows"] == 2);
  CHECK(bench["figures"][0]["gpu"].get<std::string>().find("4090") != std::string::npos);
  Json table = rows(kRuns + "llama-bench.csv");
  CHECK(table["coefficients"].size() == bench["coefficients"].size());
}

namespace {

/// What a log of training came to: its figures, without keeping them.
Json taken(const std::string& words) {
  const Json kept = json_of(ask(words_of("calibrate --dry-run --accept-outliers -o json " + words)));
  CHECK(kept["unusable"].empty());
  REQUIRE_FALSE(kept["figures"].empty());
  return kept;
}

double speed_of(const std::string& words) {
  const Json kept = taken(words);
  CHECK(kept["figures"][0]["figure"] == "training tokens/s");
  return kept["figures"][0]["measured"].get<double>();
}

}  // namespace

TEST_CASE("training logs give the speed of their steady steps and the plan that they name") {
  const std::string llama = " --model llama-3.1-8b --gpu h100";
  const std::string tuned = llama + " --gpus 1 --method lora --seq-len 2048";
  // 128 sequences × 4096 tokens ÷ 6.4 s ÷ 8 GPUs; two slow steps at the start and a stall later do not count.
  CHECK(speed_of(kRuns + "megatron.log --model llama-2-7b --gpu h100") == Approx(128 * 4096 / 6.4 / 8));
  CHECK(speed_of(kRuns + "nemo.log --model llama-2-7b --gpu h100 --gpus 8 --seq-len 4096") ==
        Approx(128 * 4096 / 5.12 / 8));
  CHECK(speed_of(kRuns + "torchtune.txt --gpu h100 --gpus 1") == Approx(6700));
  CHECK(speed_of(kRuns + "torchtitan.log --model llama-3.1-8b --gpus 8") == Approx(5900));
  CHECK(speed_of(kRuns + "trainer_state.json" + tuned) == Approx(8192));  // 327,680 tokens in 40 s
  CHECK(speed_of(kRuns + "llama-factory.jsonl" + tuned) ==
        Approx(32768 / 26.0 * 10).epsilon(0.02));                              // of whole seconds
  CHECK(speed_of(kRuns + "all_results.json" + tuned) == Approx(4.0 * 2048));   // of the whole run
  CHECK(speed_of(kRuns + "axolotl.log --gpu h100 --gpus 1") == Approx(3500));  // 2800 ÷ 0.8: one in five is masked
  CHECK(speed_of(kRuns + "wandb.jsonl --global-batch 16" + tuned) == Approx(16 * 2048 / 4.0));
  CHECK(speed_of(kRuns + "wandb.csv" + tuned) == Approx(8200).epsilon(1e-3));
  CHECK(speed_of(kRuns + "mlflow.csv --global-batch 16" + tuned) == Approx(16 * 2048 / 4.0));
  CHECK(speed_of(kRuns + "mlflow.json --gpu h100 --gpus 1 --method lora --seq-len 2048") == Approx(4.0 * 2048));
}

TEST_CASE("a log's plan and memory become the row, and a GPU log beside it names the rest") {
  const Json megatron = taken(kRuns + "megatron.log --model llama-2-7b --gpu h100");
  const std::string kept = megatron["overlay"];
  for (const char* key : {"tp: 2", "seq_len: 4096", "global_batch: 128", "gpus: 8", "precision: bf16",
                          "sharding: zero1", "framework: megatron-lm", "task: pretrain"})
    CHECK(kept.find(key) != std::string::npos);
  CHECK(megatron["figures"][0]["mfu"].get<double>() == Approx(0.45).margin(0.06));
  CHECK(megatron["figures"][0]["bound_by"] == "compute");

  const Json tune = taken(kRuns + "torchtune.txt --gpu h100 --gpus 1");
  CHECK(tune["figures"][1]["figure"] == "training memory");
  CHECK(tune["figures"][1]["measured"] == 30.9);

  // Two GPUs, 57 GiB on the fuller one.
  const std::string nemo = "calibrate --dry-run --accept-outliers -o json " + kRuns + "nemo.log " + kRuns +
                           "nvidia-smi.csv --model llama-2-7b --seq-len 4096";
  const Run beside = ask(words_of(nemo + " --micro-batch 2"));
  const Json both = json_of(beside);
  CHECK(both["figures"][0]["measured"].get<double>() == Approx(128 * 4096 / 5.12 / 2));
  CHECK(both["figures"][1]["measured"] == 57);
  CHECK(both["figures"][0]["gpu"] == "h100-sxm-80gb");
  CHECK(beside.err.find("GPUs: 2, 98 % busy in the median, at most 57.0 GiB used, 612 W each") != std::string::npos);
  // Of no batch that anybody names, it is the memory of nothing that is estimated.
  const Run unnamed = ask(words_of(nemo));
  CHECK(json_of(unnamed)["figures"].size() == 1);
  CHECK(unnamed.err.find("add --micro-batch 4") != std::string::npos);
  const Run dcgm = ask(words_of("calibrate --dry-run --accept-outliers " + kRuns + "nemo.log " + kRuns +
                                "dcgm.txt --gpu h100 --model llama-2-7b --seq-len 4096"));
  CHECK(dcgm.err.find("GPUs: 2, 96 % busy") != std::string::npos);
  const Run waits = ask(words_of("calibrate --dry-run " + kRuns + "torchtune.txt " + kRuns + "dcgm.prom"));
  CHECK(waits.status == 0);
  CHECK(waits.err.find("they wait for the host") != std::string::npos);
}

TEST_CASE("a calibrated training estimate is the measured one; other GPUs keep theirs, and the interval is narrower") {
  const Setting home = new_home();
  const std::string job =
      " --task finetune --method lora --model llama-3.1-8b --gpus 1 --seq-len 4096 --micro-batch 4 "
      "--global-batch 32 --activation-checkpointing full --framework torchtune -o json --gpu ";
  const auto asked = [&](const std::string& gpu) { return json_of(ask(words_of("estimate" + job + gpu), home)); };
  const auto width = [](const Json& answer) {
    return answer["interval"]["tokens_per_s"][1].get<double>() / answer["interval"]["tokens_per_s"][0].get<double>();
  };
  const Json before = asked("h100");
  const Json other = asked("a100-sxm-80gb");
  REQUIRE(ask(words_of("calibrate " + kRuns + "torchtune.txt --gpu h100 --gpus 1"), home).status == 0);
  const Json after = asked("h100");
  CHECK(after["training"]["tokens_per_s_per_gpu"].get<double>() == Approx(6700).epsilon(0.02));
  CHECK(width(after) < 0.9 * width(before));
  CHECK(asked("a100-sxm-80gb")["training"] == other["training"]);
  CHECK(after.dump().find("your measurements of this model there") != std::string::npos);
}

TEST_CASE("what trtllm-bench reports is read") {
  const Json kept = taken(kRuns + "trtllm-bench.json --gpu h100");
  CHECK(kept["figures"].size() == 2);
  CHECK(kept["overlay"].get<std::string>().find("concurrency: 32") != std::string::npos);
}

TEST_CASE("a log that lacks something or is broken is told in one sentence with its line") {
  const auto told = [&](const std::string& name, const std::string& text, const std::string& flags = "") {
    const Run run = ask(words_of("calibrate --dry-run " + scratch_file(name, text) + " " + flags));
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(lines_of(run.err).size() <= 2);
    return run.err;
  };
  const std::string log = read_file(kRuns + "megatron.log");
  const std::string all = "--model llama-2-7b --gpu h100";
  CHECK(told("open.log", log)
            .find("the result lacks the GPU it was measured on, the model\nhelp: add --gpu l40s --model") !=
        std::string::npos);
  const std::string state = read_file(kRuns + "trainer_state.json");
  CHECK(
      told("open.json", state, all)
          .find(
              "the result lacks the number of GPUs, the sequence length, the method\nhelp: add --gpus 8 --seq-len 4096 "
              "--method lora") != std::string::npos);
  // Stopped before its third step, in the middle of a number, in the middle of JSON.
  const std::string two = log.substr(0, log.find("\n", log.find("iteration        2/")) + 1);
  CHECK(told("two.log", two, all).find("two.log:20:1: the log has no three timed steps") != std::string::npos);
  CHECK(told("none.log", log.substr(0, log.find(" [2026")), all).find("none.log:18:1: the log has no") !=
        std::string::npos);
  std::string wrong = log;
  wrong.replace(wrong.find("6412.0"), 6, "nan");
  CHECK(told("wrong.log", wrong, all).find("wrong.log:21:1: 'nan' of 'elapsed time per iteration (ms)' is not a") !=
        std::string::npos);
  CHECK(told("cut.json", state.substr(0, state.size() / 2), all).find("cut.json:") != std::string::npos);
  CHECK(told("other.txt", "hello\n", all).find("other.txt:1:1: this is not a result, log or table") !=
        std::string::npos);
  CHECK(told("empty.log", "").find("empty.log: the file is empty") != std::string::npos);
  CHECK(told("gpu.csv", "timestamp, utilization.gpu [%]\n").find("gpu.csv:1:1: the GPU log has no sample") !=
        std::string::npos);
  CHECK(told("alone.csv", read_file(kRuns + "nvidia-smi.csv")).find("says nothing of a run") != std::string::npos);
  // The last line is still being written.
  const Run growing = ask(words_of("calibrate --dry-run -o json " +
                                   scratch_file("growing.log", log + " [2026-11-03] iteration 11/ 500 | elapsed time "
                                                                     "per iteration (ms): 6") +
                                   " " + all));
  CHECK(json_of(growing)["figures"][0]["measured"].get<double>() == Approx(128 * 4096 / 6.4 / 8));
}

TEST_CASE("results that cannot be used are told in one sentence with their place") {
  const auto told = [&](const std::string& name, const std::string& text, const std::string& flags = "") {
    const Run run = ask(words_of("calibrate --dry-run " + scratch_file(name, text) + " " + flags));
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  const std::string result = read_file(kRuns + "vllm-serve.json");
  CHECK(told("open.json", result).find("open.json:1:1: the result lacks the GPU") != std::string::npos);
  const std::string cut = told("cut.json", result.substr(0, result.size() / 2), "--gpu l40s");
  CHECK(cut.find("cut.json:1:") != std::string::npos);
  CHECK(told("none.json", "", "--gpu l40s").find("none.json: the file is empty") != std::string::npos);
  CHECK(told("list.json", "[{\"a\": 1}]", "--gpu l40s").find("is not a known result") != std::string::npos);
  CHECK(told("rows.csv", read_file(kRuns + "runs.csv"), "--gpu l40s").find("these rows say it themselves") !=
        std::string::npos);
}

namespace {

/// `text` with each of these in another's place.
std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    REQUIRE(text.find(from) != std::string::npos);
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

Run calibrate(const std::string& name, const std::string& text, const std::string& words) {
  return ask(words_of("calibrate --dry-run --accept-outliers -o json " + scratch_file(name, text) + " " + words));
}

std::string refused(const std::string& name, const std::string& text, const std::string& words = "") {
  const Run run = ask(words_of("calibrate --dry-run " + scratch_file(name, text) + " " + words));
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(lines_of(run.err).size() <= 2);
  return run.err;
}

std::string overlay_of(const Run& run) { return json_of(run)["overlay"]; }

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text, part);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the format of llama-bench's weights is read by type or name, and asked for where neither tells") {
  const std::string result = read_file(kRuns + "llama-bench.json");
  const std::string type = "\"llama 8B Q4_K - Medium\"";
  const std::string file = "-Q4_K_M.gguf";
  const auto format_of = [&](const std::string& told, const std::string& end) {
    const std::string kept = overlay_of(calibrate("b.json", with(result, {{type, told}, {file, end}}), ""));
    const auto at = kept.find("weights_precision: ");
    REQUIRE(at != std::string::npos);
    return kept.substr(at + 19, kept.find('\n', at) - at - 19);
  };
  for (const auto& [told, format] :
       std::vector<std::pair<std::string, std::string>>{{"llama 8B IQ4_XS - 4.25 bpw", "iq4_xs"},
                                                        {"llama 8B Q3_K - Medium", "q3_k_m"},
                                                        {"llama 8B Q2_K - Medium", "q2_k"},
                                                        {"llama 8B Q4_1", "q4_1"},
                                                        {"llama 8B Q3_K - Large", "q3_k_l"},
                                                        {"llama 8B IQ3_S mix - 3.66 bpw", "iq3_m"},
                                                        {"LLaMA 7B mostly Q4_0", "q4_0"},
                                                        {"llama 8B F16", "fp16"},
                                                        {"llama 8B all F32", "fp32"},
                                                        {"llama 8B BF16", "bf16"}})
    CHECK(format_of("\"" + told + "\"", file) == format);
  CHECK(format_of("\"llama 8B unknown, may not work\"", "-IQ4_XS.gguf") == "iq4_xs");
  CHECK(has(refused("b.json", with(result, {{type, "null"}, {file, ".gguf"}})),
            "b.json:2:3: the result lacks the format of its weights\nhelp: add --quant q4_k_m"));
  CHECK(has(overlay_of(calibrate("b.json", with(result, {{type, "null"}, {file, ".gguf"}}), "--quant q5_k_m")),
            "weights_precision: q5_k_m"));
}

TEST_CASE("layers of llama-bench that the processor computes are refused, and its GPUs counted") {
  const std::string result = read_file(kRuns + "llama-bench.json");
  const auto layers = [&](const std::string& count) {
    return with(result, {{"\"n_gpu_layers\": 99", "\"n_gpu_layers\": " + count}});
  };
  for (const char* all : {"-1", "32", "33"}) CHECK(calibrate("b.json", layers(all), "").status == 0);
  for (const char* words : {"", "--model llama-3.1-8b"})
    for (const char* part : {"0", "28", "31"})
      CHECK(has(refused("b.json", layers(part), words),
                std::string("b.json:2:3: ") + part + " of 32 layers were on the GPU; what the processor computes is"));
  const std::string card = "NVIDIA GeForce RTX 4090";
  const std::string two = overlay_of(calibrate("b.json", with(result, {{"\"" + card, "\"" + card + ", " + card}}), ""));
  CHECK(has(two, "gpus: 2"));
  CHECK(has(overlay_of(calibrate("b.json", result, "")), "gpus: 1"));
}

TEST_CASE("GPUs are told apart by what the log has: bus, number in the whole system, host") {
  const auto counted = [](const std::string& name, const std::string& log) {
    const Run run = ask(words_of("calibrate --dry-run --accept-outliers " + kRuns + "nemo.log " +
                                 scratch_file(name, log) + " --gpu h100 --model llama-2-7b --seq-len 4096 --gpus 4"));
    CHECK(run.status == 0);
    return run.err;
  };
  for (const char* column : {"uuid", "gpu_uuid", "pci.bus_id", "index"}) {
    std::string log = std::string("timestamp, name, ") + column + ", utilization.gpu [%]\n";
    for (int sample = 0; sample < 6; ++sample)
      log += "2026/11/03 09:11:00, NVIDIA L40S, 0000:0" + std::to_string(sample % 3) + ", 98 %\n";
    CHECK(has(counted("gpu.csv", log), "gpu.csv: GPUs: 3, 98 % busy"));
  }
  std::string hosts;
  for (const char* host : {"node1", "node2"})
    for (const char* gpu : {"0", "1"})
      hosts += std::string("DCGM_FI_DEV_GPU_UTIL{gpu=\"") + gpu + "\",Hostname=\"" + host + "\"} 97\n";
  CHECK(has(counted("hosts.prom", hosts), "hosts.prom: GPUs: 4, 97 % busy"));
  CHECK(has(counted("dmon.txt",
                    "#Time        gpu    pwr     sm\n#HH:MM:SS    Idx      W      %\n"
                    " 09:11:00      0    612     98\n 09:11:00      1    612     96\n"),
            "dmon.txt: GPUs: 2, 98 % busy in the median, 612 W each"));
  CHECK(has(counted("one.csv", "timestamp, utilization.gpu [%]\n2026/11/03 09:11:00, 98 %\n"),
            "one.csv: GPUs not numbered, 98 % busy"));
  for (const char* line : {"2026/11/03 09:11:00.123, 0, NVIDIA L40S, 98, 57344, 612.25\n", "0, 98 %, 57344 MiB\n"}) {
    const Run run = ask(words_of("calibrate --dry-run " + kRuns + "nemo.log " + scratch_file("no.csv", line)));
    CHECK(run.status == 2);
    CHECK(has(run.err, "no.csv:1:1: the columns of this GPU log have no names"));
  }
}

TEST_CASE("the memory that a serving engine reserves is no figure; that of llama.cpp is") {
  const std::string log = scratch_file("gpu.csv",
                                       "index, name, utilization.gpu [%], memory.used [MiB]\n"
                                       "0, NVIDIA L40S, 98 %, 8192 MiB\n");
  const Run vllm = ask(words_of("calibrate --dry-run -o json " + kRuns + "vllm-serve.json " + log));
  CHECK(json_of(vllm)["figures"].size() == 3);
  CHECK_FALSE(has(vllm.out, "memory_gib"));
  CHECK(has(vllm.err, "vllm-serve.json: the memory of the GPU log is left out"));
  const Run bench = ask(words_of("calibrate --dry-run --accept-outliers -o json " + kRuns + "llama-bench.json " + log));
  CHECK(has(overlay_of(bench), "memory_gib: 8"));
}

TEST_CASE("degrees and formats that a result tells become its plan, and one GPU is told where it is assumed") {
  const std::string result = read_file(kRuns + "vllm-serve.json");
  const Run one = calibrate("v.json", result, "--gpu l40s");
  CHECK(has(one.err, "v.json: the number of GPUs is not named: one is assumed"));
  CHECK_FALSE(has(calibrate("v.json", result, "--gpu l40s --gpus 1").err, "is assumed"));
  const Run tp = calibrate("v.json",
                           with(result, {{"\"p99_itl_ms\"",
                                          "\"tensor_parallel_size\": \"2\", \"pipeline_parallel_size\": 2, "
                                          "\"quantization\": \"awq_marlin\", \"p99_itl_ms\""}}),
                           "--gpu l40s");
  for (const char* part : {"tp: 2", "pp: 2", "gpus: 4", "weights_precision: w4a16"}) CHECK(has(overlay_of(tp), part));
  CHECK_FALSE(has(tp.err, "is assumed"));
  const auto sglang = [](const std::string& more) {
    std::string lines = read_file(kRuns + "sglang-bench.jsonl");
    lines.resize(lines.find('\n'));
    return overlay_of(calibrate("s.jsonl",
                                with(lines, {{"\"concurrency\": 31.2",
                                              "\"server_info\": {\"model_path\": \"x/Llama-3.1-8B-Instruct\", "
                                              "\"tp_size\": 2, \"dp_size\": 2, \"quantization\": \"fp8\", "
                                              "\"kv_cache_dtype\": \"fp8_e5m2\"" +
                                                  more + "}"}}),
                                "--gpu h100"));
  };
  const std::string replicas = sglang("");
  for (const char* part : {"tp: 2", "dp: 2", "gpus: 4", "weights_precision: fp8", "kv_precision: fp8"})
    CHECK(has(replicas, part));
  const std::string shared = sglang(", \"enable_dp_attention\": true");
  CHECK(has(shared, "gpus: 2"));
  CHECK_FALSE(has(shared, "dp: 2"));
}

TEST_CASE("a rate that was not kept counts as the requests in flight, without times in a queue") {
  const std::string result = read_file(kRuns + "vllm-serve.json");
  const auto at_rate = [&](const std::string& rate, const std::string& duration, const std::string& served) {
    return with(result, {{"\"request_rate\": \"inf\"", "\"request_rate\": " + rate},
                         {"\"max_concurrency\": 16", "\"max_concurrency\": null"},
                         {"\"duration\": 118.4", "\"duration\": " + duration},
                         {"\"request_throughput\": 1.689", "\"request_throughput\": " + served}});
  };
  // 5 of 20 a second are served, which take 402 + 256 × 35.4 ms: 47 in flight.
  const Run queued = calibrate("v.json", at_rate("20", "40", "5"), "--gpu l40s");
  CHECK(has(queued.err, "v.json: of 20 requests per second 5 were served: it counts as 47 requests in flight"));
  CHECK(has(overlay_of(queued), "concurrency: 47"));
  CHECK(json_of(queued)["rows"] == 1);
  CHECK(json_of(queued)["figures"].size() == 2);
  CHECK_FALSE(has(overlay_of(queued), "ttft_ms"));
  const Run kept = calibrate("v.json", at_rate("4", "51", "3.9"), "--gpu l40s");
  CHECK(has(overlay_of(kept), "request_rate: 4"));
  CHECK(json_of(kept)["figures"].size() == 3);
  // All were sent in 40 s; the last of them is answered 9 s later.
  CHECK(has(overlay_of(calibrate("v.json", at_rate("5", "49", "4.08"), "--gpu l40s")), "request_rate: 5"));
  const std::string guide = with(read_file(kRuns + "guidellm.json"), {{"\"mean\": 1.9,", "\"mean\": 0.9,"}});
  const Run one_queued = calibrate("g.json", guide, "--gpu l40s");  // of three benchmarks, the one at a rate
  CHECK(has(one_queued.err, "g.json: of 2 requests per second 0.9 were served: it counts as 6 requests in flight"));
  CHECK(json_of(one_queued)["figures"].size() == 5);
}

TEST_CASE("steps that validate are no steps, and older and overwritten logs are read") {
  const std::string titan = read_file(kRuns + "torchtitan.log");
  const std::string words = " --model llama-3.1-8b --gpus 8";
  const auto speed = [&](const std::string& name, const std::string& text, const std::string& flags) {
    const Json kept = json_of(calibrate(name, text, flags));
    REQUIRE_FALSE(kept["figures"].empty());
    return kept["figures"][0]["measured"].get<double>();
  };
  std::string validated;
  for (const std::string& line : lines_of(titan)) {
    validated += line + "\n";
    if (line.find("step:") == std::string::npos) continue;
    validated += with(line, {{"step:", "validate step:"}, {"tps: ", "tps: 1"}}) + "\n";
  }
  CHECK(speed("t.log", validated, words) == Approx(5900));
  CHECK(speed("t.log",
              with(titan, {{"tps: ", "wps: "}, {"CUDA capacity", "GPU capacity"}, {"HBM3 with", "HBM3 (0) with"}}),
              words) == Approx(5900));

  const std::string megatron =
      with(read_file(kRuns + "megatron.log"), {{"per iteration (ms): 6400.0", "per iteration (s): 6.40"},
                                               {"iteration (ms): 6404.9", "iteration (s): 6.40"},
                                               {"iteration (ms): 6412.0", "iteration (s): 6.41"}});
  CHECK(speed("m.log", megatron.substr(0, megatron.size()), " --model llama-2-7b --gpu h100") ==
        Approx(128 * 4096 / 6.4 / 8).epsilon(0.01));

  // One line that is written over itself; the last step is still being written.
  std::string bar = "[NeMo I] global_batch_size: 128\n";
  for (const char* time : {"48.70", "3.20", "3.20", "3.20", "3.20", "3.20"})
    bar += std::string("\rEpoch 0: :   5%|#  | 5/100 [01:00<10:48, global_step=4.000, train_step_timing in s=") + time +
           "]";
  CHECK(speed("n.log", bar + "\rEpoch 0: :   6%|#  | 6/100 [01:00<10:48, train_step_timing in s=3",
              " --model llama-2-7b --gpu h100 --gpus 8 --seq-len 4096") == Approx(128 * 4096 / 3.2 / 8));
}

TEST_CASE("a chart of two runs is refused with their names, and what pandas or an evaluation adds is left out") {
  const std::string words = " --model llama-3.1-8b --gpu h100 --gpus 1 --method lora --seq-len 2048";
  const std::string chart = read_file(kRuns + "wandb.csv");
  const std::string one = "run-7 - tokens_per_second_per_gpu__MIN";
  CHECK(has(refused("w.csv", with(chart, {{one, "run-8 - tokens_per_second_per_gpu"}}), words),
            "w.csv:1:1: the chart has more than one run: run-7, run-8"));
  const auto speed = [&](const std::string& text) {
    return json_of(calibrate("w.csv", text, words + " --global-batch 16"))["figures"][0]["measured"].get<double>();
  };
  CHECK(speed(",_step,_runtime,train/global_step\n0,0,95.0,10\n1,1,155.0,20\n2,2,195.0,30\n3,3,235.0,40\n"
              "4,4,275.0,50\n") == Approx(16 * 2048 / 4.0));
  CHECK(speed("_step,throughput(tps),validation_metrics/throughput(tps)\n0,8000,\n1,8000,\n2,8000,\n3,8000,\n"
              "4,,20000\n5,,20000\n6,,20000\n7,,20000\n8,,20000\n") == Approx(8000));
}

TEST_CASE("JSON that no benchmark writes is told as such, and what differs little is read") {
  for (const char* text :
       {"{\n  \"avg_latency\": 1.2,\n  \"latencies\": [1.2, 1.3]\n}\n",
        "{\"elapsed_time\": 30.1, \"num_requests\": 1000}\n", "{}\n", "[]\n",
        "{\"endpoint_type\": \"openai-embeddings\", \"completed\": 100, \"request_throughput\": 33}"})
    for (const char* words : {"", "--gpu l40s"}) {
      const std::string err = refused("x.json", text, words);
      CHECK(has(err, "x.json:1:1: this is not a known result\nhelp: read are: vLLM and SGLang bench, GuideLLM"));
    }
  CHECK(has(refused("x.sql", "CREATE TABLE test (\n  n_gen INTEGER,\n  avg_ts REAL\n);\n"), "x.sql:1:1: this is not"));
  CHECK(has(refused("x.json", "{\n  \"avg_latency\": 1.2,\n  \"late\n"), "x.json:3:"));

  std::string result = read_file(kRuns + "vllm-serve.json");
  result = with(result, {{"\"mean_ttft_ms\": 402.1, \"median_ttft_ms\": 391.7, ", ""}});
  CHECK(json_of(calibrate("v.json", result, "--gpu l40s"))["figures"].size() == 2);
  // Own rows, laid out as one likes.
  const std::string row = R"({"task":"inference","model":"llama-3.1-8b","gpu":"l40s","concurrency":16,)"
                          "\n"
                          R"("input_tokens":1024,"output_tokens":256,"measured":{"itl_ms":38}})";
  for (const std::string& text : {row, "[" + row + "]"}) CHECK(json_of(calibrate("own.json", text, ""))["rows"] == 1);
  CHECK(has(refused("own.json", row, "--gpu l40s"), "these rows say it themselves"));
}

TEST_CASE("what GenAI-Perf and AIPerf export is read") {
  const auto metric = [](const std::string& name, const std::string& unit, double value) {
    const std::string text = std::to_string(value);
    return "\"" + name + "\": {\"unit\": \"" + unit + "\", \"avg\": " + text + ", \"p50\": " + text + "},";
  };
  const auto exported = [&](const std::string& input, const std::string& unit = "ms", double to_ms = 1) {
    return "{\n" + metric("request_throughput", "requests/sec", 1.7) + metric("request_latency", unit, 9000 / to_ms) +
           metric("time_to_first_token", unit, 390 / to_ms) + metric("inter_token_latency", unit, 34 / to_ms) +
           metric("input_sequence_length", "tokens", 1024) + metric("output_sequence_length", "tokens", 256) +
           "\"input_config\": " + input + "}";
  };
  const std::string genai =
      R"({"model_names": ["meta-llama/Llama-3.1-8B-Instruct"], "perf_analyzer": {"stimulus": {"concurrency": 16}}})";
  const std::string aiperf =
      R"({"endpoint": {"model_names": ["meta-llama/Llama-3.1-8B-Instruct"]}, "loadgen": {"concurrency": 16}})";
  for (const std::string& text : {exported(genai), exported(aiperf), exported(aiperf, "s", 1000)}) {
    const Json kept = json_of(calibrate("g.json", text, "--gpu l40s"));
    REQUIRE(kept["figures"].size() == 2);
    CHECK(kept["figures"][0]["figure"] == "time per output token");
    CHECK(kept["figures"][0]["measured"].get<double>() == Approx(34));
    CHECK(kept["figures"][1]["measured"].get<double>() == Approx(390));
    for (const char* part : {"concurrency: 16", "input_tokens: 1024", "output_tokens: 256", "model: Llama-3.1-8B"})
      CHECK(has(kept["overlay"], part));
  }
  CHECK(has(refused("g.json", exported(R"({"model_names": ["llama-3.1-8b"]})"), "--gpu l40s"),
            "g.json:1:1: the result lacks the requests in flight\nhelp: add --concurrency 16"));
  // 1.7 of 20 a second, which take 9 s.
  const Run queued =
      calibrate("g.json", exported(R"({"model_names": ["llama-3.1-8b"], "request_rate": 20})"), "--gpu l40s");
  CHECK(has(overlay_of(queued), "concurrency: 15"));
  CHECK(json_of(queued)["figures"].size() == 1);
}

TEST_CASE("a measurement without a file says what is wrong with it") {
  const auto told = [&](const std::string& words) {
    const Run run = ask(words_of("calibrate --dry-run " + words));
    CHECK(run.status != 0);
    return run.err;
  };
  CHECK(told(kLoad + " --measured itl_ms").find("is not a figure that can be measured") != std::string::npos);
  CHECK(told(kLoad + " --measured itl_ms=fast").find("is not a positive number") != std::string::npos);
  CHECK(told(kLoad + " --measured itl=38").find("did you mean 'itl_ms'") != std::string::npos);
  CHECK(told(kLoad).find("nothing of it was measured") != std::string::npos);
  CHECK(told("--model llama-3.1-8b --measured itl_ms=38").find("the GPU is missing") != std::string::npos);
  CHECK(told(kLoad + " --itl 40 --measured itl_ms=38").find("is a target here") != std::string::npos);
}

}  // namespace calibrate_test
