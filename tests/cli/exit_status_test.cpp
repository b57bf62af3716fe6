// The documented exit statuses, and that nothing is reported as done that was not.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace exit_status_test {

using gpusel::test::ask;
using gpusel::test::Run;

TEST_CASE("an answer ends with status 0 and says nothing on standard error") {
  const Run run = ask({"recommend", "--model", "llama-7b", "--task", "finetune", "-n", "3"});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK_FALSE(run.out.empty());
}

TEST_CASE("wrong words end with status 2 and one sentence") {
  const auto words = GENERATE(as<std::vector<std::string>>{}, std::vector<std::string>{"recomend"},
                              std::vector<std::string>{"recommend", "--modl", "llama-7b"},
                              std::vector<std::string>{"recommend", "--model", "lama-7b", "--task", "finetune"},
                              std::vector<std::string>{"recommend", "--model", "llama-7b", "--task", "finetun"},
                              std::vector<std::string>{"gpus", "show", "h1000"});
  const Run run = ask(words);
  CAPTURE(words, run.err);
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(run.err.starts_with("error: "));
  CHECK(run.err.find("did you mean") != std::string::npos);
}

TEST_CASE("an estimate ends with status 3 exactly where the job does not fit") {
  for (const char* gpu : {"t4", "rtx-4090", "a100-sxm-40gb", "h100-sxm-80gb"})
    for (const char* micro_batch : {"1", "4", "16"}) {
      CAPTURE(gpu, micro_batch);
      const Run run = ask({"estimate", "--model", "llama-3.1-8b", "--task", "finetune", "--method", "lora", "--gpu",
                           gpu, "--micro-batch", micro_batch, "--activation-checkpointing", "full", "--json"});
      const auto answer = nlohmann::json::parse(run.out);
      CHECK(run.status == (answer["fits"].get<bool>() ? 0 : 3));
      const double chance = answer["probability"]["fits"];
      CHECK(answer["fits"] == (chance >= 0.5));
      CHECK(answer["verdict"] == (chance >= 0.9 ? "yes" : chance >= 0.5 ? "risky" : "no"));
      const auto& memory = answer["memory"];
      CHECK(answer["fits"] == (memory["margin"].get<double>() >= 0));
      CHECK(memory["margin"].get<double>() ==
            Approx(memory["usable"].get<double>() - memory["needed"].get<double>()).margin(1e-9));
    }
}

TEST_CASE("a chance to fit is a number from 0 to 1") {
  const Run run =
      ask({"estimate", "--model", "llama-3.1-8b", "--task", "inference", "--gpu", "l4", "--min-fit", "1.5"});
  CHECK(run.status == 2);
  CHECK(run.err.find("--min-fit") != std::string::npos);
  CHECK(run.out.empty());
}

TEST_CASE("nothing that meets the constraints ends with status 3") {
  const Run run = ask({"recommend", "--model", "llama-70b", "--task", "finetune", "--max-price", "0.01"});
  CHECK(run.status == 3);
}

TEST_CASE("a full disk is not success") {
  const Run run = ask({"gpus"}, {.output_file = "/dev/full"});
  CHECK(run.status == 1);
  CHECK(run.err.find("could not write the output") != std::string::npos);
}

TEST_CASE("a reader that goes away is not an error") {
  const Run run = gpusel::test::command(
      {"bash", "-c", "'" GPUSEL_PROGRAM "' models -o json | head -c 100 >/dev/null; exit ${PIPESTATUS[0]}"});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
}

TEST_CASE("only prices that are too old end with status 6") {
  const std::vector<std::string> words{"recommend", "--model",   "llama-7b",          "--task",
                                       "finetune",  "--catalog", "tests/data/market", "--max-price-age"};
  auto with_age = [&](const std::string& age) {
    auto all = words;
    all.push_back(age);
    return ask(all).status;
  };
  CHECK(with_age("30d") == 0);
  CHECK(with_age("1d") == 6);
}

TEST_CASE("an empty value is not taken for a yes") {
  for (const auto* flag : {"--model", "--gpu", "--cloud", "--overlay", "--nodes"}) {
    const Run run = ask({"recommend", "--model", "llama-7b", "--task", "finetune", flag, ""});
    CAPTURE(flag, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find("true") == std::string::npos);
  }
}

}  // namespace exit_status_test
