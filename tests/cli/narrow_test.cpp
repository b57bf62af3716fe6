// Tables in a narrow terminal: whatever the command, no row sticks out.
#include <catch2/catch.hpp>

#include "base/text/text.hpp"
#include "support/program.hpp"

namespace narrow_test {

using namespace gpusel::test;

namespace {

constexpr std::size_t kNarrow = 60;

/// Lines that are too wide though they could be broken: a single word, as an address, cannot.
std::string too_wide(const std::string& text) {
  std::string out;
  for (const std::string_view line : gpusel::split(text, '\n'))
    if (gpusel::display_width(line) > kNarrow && gpusel::trim(line).find(' ') != std::string_view::npos)
      out += std::string(line) + "\n";
  return out;
}

}  // namespace

TEST_CASE("no table of any command is wider than a narrow terminal") {
  for (const std::string line : {"recommend -m llama-7b -t finetune --show-rejected -n 3",
                                 "recommend -m llama-7b -t finetune --term any",
                                 "recommend -m llama-3.1-70b -t inference --rps 2",
                                 "recommend -t render",
                                 "recommend -t transcode",
                                 "compare h100 h200 a100-sxm-80gb -m llama-3.1-8b -t finetune",
                                 "cost p4d.24xlarge --hours-per-day 10 --days 22",
                                 "fleet -m llama-3.1-8b --traffic chat --rate 20 --ttft 1000 --tpot 60 --explain",
                                 "verify",
                                 "gpus",
                                 "gpus show l40s",
                                 "instances --gpu H100:8 --all-offers",
                                 "instances --like p4d.24xlarge",
                                 "models llama",
                                 "catalog stats",
                                 "catalog lint --list",
                                 "catalog path",
                                 "config show",
                                 "whatif -m llama-3.1-8b -t inference --rps 4 --vary rps=1..64",
                                 "doctor"}) {
    const Run run = ask(words_of(line), {.environment = {{"COLUMNS", std::to_string(kNarrow)}}});
    CAPTURE(line, run.err);
    CHECK(run.status == 0);
    CHECK(too_wide(run.out).empty());
  }
}

TEST_CASE("a page has the cost of each rank before its plan") {
  const Run page = ask({"recommend", "-m", "llama-7b", "-t", "finetune", "-n", "2", "-o", "markdown"});
  REQUIRE(page.status == 0);
  const auto cost = page.out.find("USD/h |");
  REQUIRE(cost != std::string::npos);
  CHECK(cost < page.out.find("plan |"));
  CHECK(page.out.find("instance |") < cost);
}

}  // namespace narrow_test
