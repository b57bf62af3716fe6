// What a person sees first: the answer in the first line, whole names at any width, no line wider than the terminal.
#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "base/text/text.hpp"
#include "support/program.hpp"

namespace faces_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kMarket = " --catalog tests/data/market";
const std::string kServe = " --model llama-3.1-8b --task inference";

Run at_width(const std::string& line, std::size_t width, const std::string& language = "en") {
  return ask(words_of(line + " --lang " + language), {.environment = {{"COLUMNS", std::to_string(width)}}});
}

/// Every command that prints a table, on the invented market.
const std::string kLines[] = {
    "estimate --model llama-2-13b --task finetune --method lora --gpu t4",
    "estimate" + kServe + " --gpu l40s --rps 2",
    "compare n.h100.8 n.a100.8 2x-l40s" + kServe + kMarket,
    "compare t4 l4 a10 a10g h100 l40s",
    "cost n.h100.8" + kMarket,
    "cost --model llama-7b --task finetune" + kMarket,
    "explain n.t4.1 --model llama-7b --task finetune" + kMarket,
    "fleet --model llama-3.1-8b --traffic conversation --rate 30 --ttft 1500 --tpot 80" + kMarket,
    "whatif" + kServe + " --rps 2 --vary rps=1..16" + kMarket,
    "recommend" + kServe + " --rps 2" + kMarket,
    "instances" + kMarket,
    "gpus",
    "models llama",
    "doctor",
};

/// The first line that has any words.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> skus() {
  std::vector<std::string> all;
  const auto lines = lines_of(ask(words_of("instances -o csv" + kMarket)).out);
  if (lines.empty()) return all;
  const auto head = split(lines.front(), ',');
  const auto sku = static_cast<std::size_t>(std::ranges::find(head, "sku") - head.begin());
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (const auto fields = split(lines[i], ','); sku < fields.size()) all.emplace_back(fields[sku]);
  return all;
}

}  // namespace

TEST_CASE("no line of any answer is wider than the terminal, and nothing in it is cut") {
  for (const std::string& line : kLines)
    for (const std::string language : {"en", "zh"})
      for (const std::size_t width : {60U, 80U, 100U, 120U}) {
        const Run run = at_width(line, width, language);
        CAPTURE(line, width, language, run.err);
        CHECK((run.status == 0 || run.status == 3));
        for (const std::string& one : lines_of(run.out)) {
          const bool could_break = trim(one).find(' ') != std::string_view::npos;
          CHECK((display_width(one) <= width || !could_break));
          CHECK(one.find("…") == std::string::npos);
        }
      }
}

TEST_CASE("every instance that a list has stands in it with its whole name at any width") {
  const std::vector<std::string> names = skus();
  REQUIRE(names.size() > 5);
  for (const std::size_t width : {40U, 60U, 80U, 120U}) {
    const Run run = at_width("instances" + kMarket, width);
    for (const std::string& name : names) {
      CAPTURE(width, name);
      CHECK(run.out.find(name) != std::string::npos);
    }
  }
}

TEST_CASE("an estimate says first what was asked, then yes or no, and its status is 3 exactly where it does not fit") {
  struct Asked {
    std::string line;
    std::string verdict;
    int status;
  };
  for (const Asked& asked : {Asked{"estimate" + kServe + " --gpu l40s --rps 2", "YES", 0},
                             Asked{"estimate --model llama-3.1-70b --task inference --gpu l4", "NO", 3}}) {
    const Run run = at_width(asked.line, 80);
    const auto lines = lines_of(run.out);
    REQUIRE(lines.size() > 3);
    CAPTURE(run.out);
    CHECK(run.status == asked.status);
    CHECK(lines[0].find("llama-3.1") != std::string::npos);
    CHECK(lines[2].starts_with(asked.verdict));
    CHECK(lines.size() <= 24);
    const Run data = ask(words_of(asked.line + " --json"));
    CHECK((data.out.find("\"fits\": false") != std::string::npos) == (asked.status == 3));
  }
}

TEST_CASE("what an estimate says would work is what the same line answers with those flags") {
  const std::string line = "estimate --model llama-2-13b --task finetune --method lora --gpu t4";
  const Run run = at_width(line, 100);
  REQUIRE(run.status == 3);
  // "  --method qlora       11.1 of 14.5  98 %       199"
  const std::regex way(R"(^  (--\S+ \S+(?: --\S+ \S+)*) +([0-9.]+) of ([0-9.]+) )");
  std::size_t found = 0;
  for (const std::string& one : lines_of(run.out)) {
    std::smatch parts;
    if (!std::regex_search(one, parts, way)) continue;
    ++found;
    const Run asked = at_width(line + " " + parts[1].str(), 100);
    CAPTURE(one, asked.out, asked.err);
    CHECK(asked.status == 0);
    CHECK(asked.out.find(parts[2].str() + " of " + parts[3].str() + " GiB") != std::string::npos);
  }
  CHECK(found >= 2);
}

TEST_CASE("a comparison picks the one with the lowest unit cost in its first sentence") {
  const Run run = at_width("compare n.h100.8 n.a100.8 2x-l40s" + kServe + kMarket, 100);
  REQUIRE(run.status == 0);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() > 5);
  REQUIRE(lines[1].starts_with("Pick "));
  const std::string picked = lines[1].substr(5, lines[1].find(':') - 5);
  // The star of the row of unit costs stands below that name.
  const auto row =
      std::ranges::find_if(lines, [](const std::string& one) { return one.starts_with("USD per million tokens"); });
  REQUIRE(row != lines.end());
  const auto head = std::ranges::find_if(
      lines, [&](const std::string& one) { return one.starts_with(" ") && one.find(picked) != std::string::npos; });
  REQUIRE(head != lines.end());
  const std::size_t star = row->find('*');
  REQUIRE(star != std::string::npos);
  CHECK(star >= head->find(picked));
  CHECK(run.out.find("--specs") != std::string::npos);
  CHECK(run.out.find("architecture") == std::string::npos);
  CHECK(ask(words_of("compare n.h100.8 n.a100.8 --specs" + kMarket)).out.find("architecture") != std::string::npos);
}

TEST_CASE("more things than there are columns for are compared in rows, each with its whole name") {
  const std::string names = "h100-sxm-80gb h200-sxm-141gb b200-180gb l40s a100-sxm-80gb a100-sxm-40gb t4 l4 a10";
  const Run run = at_width("compare " + names, 80);
  REQUIRE(run.status == 0);
  for (const std::string& name : words_of(names)) {
    const auto lines = lines_of(run.out);
    CHECK(std::ranges::any_of(lines, [&](const std::string& one) { return one.starts_with(name + " "); }));
  }
  std::vector<std::string> many{"compare"};
  for (int i = 1; i <= 65; ++i) many.push_back("t4:" + std::to_string(i));
  const Run refused = ask(many);
  CHECK(refused.status == 2);
  CHECK(refused.err.find("65 names to compare") != std::string::npos);
}

TEST_CASE("a cost says the sum of a month first, and keeps sources for who asks") {
  const Run run = at_width("cost n.h100.8" + kMarket, 80);
  REQUIRE(run.status == 0);
  CHECK(first_line(run.out).find("a month") != std::string::npos);
  CHECK(lines_of(run.out).size() <= 22);
  CHECK(run.out.find("\nprices\n") == std::string::npos);
  CHECK(ask(words_of("cost n.h100.8 --why" + kMarket)).out.find("\nprices\n") != std::string::npos);
}

TEST_CASE("a rejection says why and the least change before any arithmetic") {
  const Run run = at_width("explain n.h100.8 --model llama-7b --task finetune --max-price 20" + kMarket, 80);
  REQUIRE(run.status == 0);
  CHECK(run.out.find("is not ranked: ") != std::string::npos);
  CHECK(run.out.find("Least change: --max-price ") != std::string::npos);
  CHECK(lines_of(run.out).size() <= 12);
}

TEST_CASE("lists begin with what most providers sell") {
  const Run run = at_width("gpus", 100);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() > 60);
  const auto place = [&](const std::string& name) {
    return std::ranges::find_if(lines, [&](const std::string& one) { return one.starts_with(name + " "); }) -
           lines.begin();
  };
  CHECK(place("h100-sxm-80gb") < 10);
  CHECK(place("k40-12gb") > 40);
}

TEST_CASE("what does not go to a terminal goes through no pager") {
  const Setting setting{.environment = {{"PAGER", "false"}, {"COLUMNS", "80"}}};
  const Run run = ask({"gpus"}, setting);
  CHECK(run.status == 0);
  CHECK(lines_of(run.out).size() > 60);
  CHECK(ask({"gpus", "--no-pager"}, setting).out == run.out);
}

TEST_CASE("a list longer than the screen goes through the pager, which may be left early") {
  const auto at_terminal = [](const std::string& pager, const std::vector<std::string>& words) {
    std::vector<std::string> all{"/usr/bin/env", "NO_COLOR=1", "TERM=xterm", "PAGER=" + pager,
                                 "GPUSEL_TODAY=2026-11-20"};
    for (const char* word : {"python3", "at_terminal.py", "--columns", "80", GPUSEL_PROGRAM})
      all.push_back(std::string(word) == "at_terminal.py" ? kSource + "/tests/cli/at_terminal.py" : word);
    all.insert(all.end(), words.begin(), words.end());
    all.emplace_back("--");
    return command(all);
  };
  const Run paged = at_terminal("head -n 2", {"gpus"});
  CHECK(paged.status == 0);
  CHECK(lines_of(paged.out).size() == 2);
  CHECK(lines_of(at_terminal("head -n 2", {"gpus", "--no-pager"}).out).size() > 60);
  CHECK(lines_of(at_terminal("cat", {"gpus"}).out).size() > 60);
  // One that is not there shows nothing, and the answer comes without.
  CHECK(lines_of(at_terminal("no-such-pager 2>/dev/null", {"gpus"}).out).size() > 60);
  // What fits on the screen needs none.
  CHECK(lines_of(at_terminal("head -n 2", {"gpus", "-n", "5", "-q"}).out).size() > 5);
}

}  // namespace faces_test
