// What an answer says to type next gives what it promised: every line after "Cheaper:", "What would work:" and "Next:".
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "support/program.hpp"

namespace promised_lines_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

/// Wide enough that no row is broken.
const Setting kWide{.environment = {{"COLUMNS", "200"}}};

/// Questions of every kind of work; each says something that is cheaper, or that would work.
const std::string kQuestions[] = {
    "recommend llama-3.1-8b --rps 10 --ttft 500 --itl 50 --cloud aws,gcp,azure",
    "recommend llama-3.1-8b --cloud aws",
    "recommend llama-3.1-8b --rps 2 --spot --cloud aws",
    "recommend llama-3.1-8b --task lora --cloud aws,gcp",
    "recommend llama-2-13b --task finetune --budget 500",
    "recommend resnet-50 --task train",
    "recommend llama-3.1-8b --max-price 0.05",
    "recommend llama-3.1-70b --gpu t4:1 --max-nodes 1",
    "recommend --task render --cloud aws",
    "recommend --task gaming",
};

Run asked(const std::string& line) { return ask(words_of(line + " --catalog tests/data/market-2026-11"), kWide); }

/// "  --quant fp8   2 × aws g6e.xlarge   $3.72/h  -33 %  check quality".
struct Promise {
  std::string flags, machine, amount;
};

std::vector<Promise> promises(const std::vector<std::string>& lines) {
  static const std::regex row(
      R"(^  (?:also )?((?:--\S+(?: [^-\s]\S*)? ?)+?)  +(.*?\S)  +(\$[0-9.,]+)(?:/h)?(?:  .*)?$)");
  std::vector<Promise> found;
  bool inside = false;
  for (const std::string& line : lines) {
    if (line == "Cheaper:" || line == "What would work:") inside = true;
    if (line.empty()) inside = false;
    std::smatch parts;
    if (inside && std::regex_match(line, parts, row)) found.push_back({parts[1], parts[2], parts[3]});
  }
  return found;
}

std::optional<std::string> winner(const std::vector<std::string>& lines) {
  const auto found = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("> "); });
  return found == lines.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

TEST_CASE("a line that says what is cheaper or would work gives that machine at that price when it is typed") {
  std::size_t tried = 0;
  for (const std::string& question : kQuestions) {
    const Run first = asked(question);
    CAPTURE(question, first.out, first.err);
    CHECK((first.status == 0 || first.status == 3));
    const auto best = winner(lines_of(first.out));
    for (const Promise& promise : promises(lines_of(first.out))) {
      ++tried;
      const Run then = asked(question + " " + promise.flags);
      const auto answer = winner(lines_of(then.out));
      CAPTURE(promise.flags, promise.machine, promise.amount, then.out, then.err);
      REQUIRE(answer);
      CHECK(answer->find(promise.amount) != std::string::npos);
      if (promise.machine != "same machine") CHECK(answer->find(promise.machine) != std::string::npos);
    }
  }
  CHECK(tried >= 12);
}

TEST_CASE("more nodes keep the targets with the chance that was promised") {
  static const std::regex more(R"(Meets all targets: \S+ %\. (\d+) nodes: (\S+ %) \(\+(\$[0-9.]+)/h\))");
  const std::string question = "recommend llama-3.1-8b --rps 10 --ttft 500 --itl 50 --cloud aws";
  const Run first = asked(question);
  std::smatch parts;
  CAPTURE(first.out);
  REQUIRE(std::regex_search(first.out, parts, more));
  const Run then = asked(question + " --nodes " + parts[1].str());
  CAPTURE(then.out);
  CHECK(then.out.find("Meets all targets: " + parts[2].str()) != std::string::npos);
}

TEST_CASE("the next command that an answer names runs on the same words") {
  static const std::regex next(R"(Next: gpusel (export .+) · --poc)");
  for (const std::string question :
       {"llama-3.1-8b --rps 2 --cloud aws", "llama-3.1-8b --task lora --cloud aws", "--task render --cloud aws"}) {
    const Run first = asked("recommend " + question);
    std::smatch parts;
    CAPTURE(question, first.out);
    REQUIRE(std::regex_search(first.out, parts, next));
    const Run then = ask(words_of(parts[1].str()), kWide);
    CAPTURE(parts[1].str(), then.err);
    CHECK(then.status == 0);
    CHECK_FALSE(then.out.empty());
  }
}

TEST_CASE("what help suggests for a wrong word is accepted in its place") {
  static const std::regex meant(R"(did you mean '(--[^']*)')");
  std::size_t tried = 0;
  for (const std::string word :
       {"--spot-only", "--latency", "--gpus", "--vram", "--exclude", "--rank-by", "--train", "--users-at-once"}) {
    const Run wrong = ask(words_of("recommend llama-3.1-8b --cloud aws " + word));
    std::smatch parts;
    CAPTURE(word, wrong.err);
    CHECK(wrong.status == 2);
    if (!std::regex_search(wrong.err, parts, meant)) continue;
    ++tried;
    // A flag without its value is asked for one; it is known, all the same.
    const Run right = ask(words_of("recommend llama-3.1-8b --cloud aws " + parts[1].str()));
    CAPTURE(parts[1].str(), right.err);
    CHECK(right.err.find("unknown argument") == std::string::npos);
  }
  CHECK(tried >= 4);
}

}  // namespace promised_lines_test
