#include "cli/question/ask.hpp"

#include <catch2/catch.hpp>

#include "support/job.hpp"
#include "support/program.hpp"

namespace ask_test {

using namespace gpusel;

namespace {

struct Talk {
  std::optional<std::vector<std::string>> words;
  std::vector<std::string> told;
  job::Request request;
};

/// A conversation with these answers; the input ends behind the last.
Talk talk(std::vector<std::string> answers, job::Request request = {}) {
  Talk out;
  out.request = std::move(request);
  std::size_t next = 0;
  job::Constraints limits;
  out.words = cli::ask_job(
      [&](const std::string&) -> std::optional<std::string> {
        if (next == answers.size()) return std::nullopt;
        return answers[next++];
      },
      [&](const std::string& line) { out.told.push_back(line); }, test::shipped(), out.request, limits);
  return out;
}

}  // namespace

TEST_CASE("answers become the flags that say the same") {
  const Talk serving = talk({"1", "llama-3.1-8b", "5", "500", "", "aws,gcp"});
  REQUIRE(serving.words);
  CHECK(cli::command_line(*serving.words) ==
        "gpusel --task inference --model llama-3.1-8b --request-rate 5 --ttft 500 --cloud aws,gcp");
  CHECK(serving.request.task == job::Task::inference);
  CHECK(serving.request.request_rate == 5);

  job::Request frames;
  for (const auto& [key, value] : {std::pair("frames", "240"), {"seconds_per_frame", "60"}, {"on", "rtx-4090"}})
    REQUIRE(job::find_option(job::request_options(), key)->set(frames, value));
  const Talk rendering = talk({"render", "", "12", "12h", "", ""}, frames);
  REQUIRE(rendering.words);
  CHECK(cli::command_line(*rendering.words) == "gpusel --task render --scene-vram-gib 12 --deadline 12h");
}

TEST_CASE("a task may be named by any word for it, which may say the method too") {
  const Talk tuning = talk({"微调", "llama-7b", "lora", "", "", ""});
  REQUIRE(tuning.words);
  CHECK(tuning.request.task == job::Task::finetune);
  const Talk adapters = talk({"lora", "llama-7b", "", "", ""});
  REQUIRE(adapters.words);
  CHECK(cli::command_line(*adapters.words) == "gpusel --task lora --model llama-7b");
  CHECK(adapters.request.method == job::Method::lora);
  const Talk serving = talk({"serve", "llama-7b", "", "", ""});
  REQUIRE(serving.words);
  CHECK(serving.request.task == job::Task::inference);
}

TEST_CASE("a question that has no meaning for the job is not asked") {
  const Talk farm = talk({"render", "", "12", "", ""});  // without a number of frames it never ends
  REQUIRE(farm.words);
  CHECK(cli::command_line(*farm.words) == "gpusel --task render --scene-vram-gib 12");
  const Talk batch = talk({"inference", "resnet-50", "", "", ""});  // without a rate nobody waits for one answer
  REQUIRE(batch.words);
  CHECK(cli::command_line(*batch.words) == "gpusel --task inference --model resnet-50");
}

TEST_CASE("an answer that cannot be is told and asked again") {
  const Talk mistyped = talk({"9", "1", "lama-7b", "llama-7b", "many", "2", "", "", ""});
  REQUIRE(mistyped.words);
  CHECK(mistyped.request.model == "llama-7b");
  CHECK(mistyped.request.request_rate == 2);
  const auto told = [&](std::string_view word) {
    return std::any_of(mistyped.told.begin(), mistyped.told.end(),
                       [&](const std::string& line) { return line.find(word) != std::string::npos; });
  };
  CHECK(told("'9' is not a number from 1"));
  CHECK(told("llama-7b"));
  CHECK(told("'many'"));
}

TEST_CASE("what the command line said is not asked again") {
  job::Request request;
  request.model = "llama-7b";
  request.given.push_back("model");
  const Talk rest = talk({"finetune", "lora", "", "", ""}, request);
  REQUIRE(rest.words);
  CHECK(cli::command_line(*rest.words) == "gpusel --task finetune --method lora");
}

TEST_CASE("an input that ends before the last answer gives no command line") {
  CHECK_FALSE(talk({"1", "llama-7b"}).words);
  CHECK_FALSE(talk({}).words);
}

TEST_CASE("words with signs of the shell are quoted") {
  CHECK(cli::command_line({"recommend", "--allow-list", "p4d|it's"}) == "gpusel recommend --allow-list 'p4d|it'\\''s'");
}

TEST_CASE("a person at a terminal is asked, and told the command line that says the same") {
  const test::Run run =
      test::shell("python3 tests/cli/at_terminal.py gpusel recommend -n 2 -- transcode av1 20 '' aws");
  CAPTURE(run.out, run.err);
  CHECK(run.status == 0);
  CHECK(run.out.find("Which task?") != std::string::npos);
  CHECK(run.out.find("gpusel recommend -n 2 --task transcode --codec av1 --streams 20 --cloud aws") !=
        std::string::npos);
  CHECK(run.out.find("\nTranscode · av1 1920x1080") != std::string::npos);
}

TEST_CASE("nobody is asked where there is no terminal") {
  const test::Run run = test::ask({"recommend"});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
}

}  // namespace ask_test
