// --columns and --filter by the same words in every command, and slices of a GPU.
#include <algorithm>
#include <catch2/catch.hpp>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "support/program.hpp"

namespace columns_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const std::string kMonth = " --catalog tests/data/market-2026-11";

Run asked(const std::string& line) { return ask(words_of(line + kMonth), {.environment = {{"COLUMNS", "300"}}}); }

}  // namespace

TEST_CASE("columns are those that were named, in their order, in lists and in a ranking") {
  for (const std::string line : {"instances --cloud aws --columns instance,vram,price",
                                 "recommend llama-3.1-8b --rps 1 --columns instance,price",
                                 "gpus --columns name,vram,fp8", "models --columns name,params"}) {
    const std::string names = words_of(line).back();
    const Run csv = asked(line + " -n 3 -o csv");
    CAPTURE(line, csv.out, csv.err);
    CHECK(csv.status == 0);
    REQUIRE(lines_of(csv.out).size() >= 2);
    CHECK(split(lines_of(csv.out).front(), ',').size() == split(names, ',').size());
    const Run table = asked(line + " -n 3");
    CHECK(table.status == 0);
    CHECK(lines_of(table.out).size() == 4);
  }
  const Run wrong = asked("instances --columns sku,prise");
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("--columns: there is no column 'prise'\nhelp: did you mean 'price'") != std::string::npos);
  CHECK(asked("recommend llama-3.1-8b --columns ,").status == 2);
}

TEST_CASE("an instance that people ask for has its provider, and a price its currency") {
  const Run table = asked("recommend llama-3.1-8b --rps 1 --cloud aws --columns instance,price -n 2");
  CAPTURE(table.out);
  CHECK(table.out.contains("(USD)"));
  CHECK(lines_of(table.out)[1].starts_with("aws "));
}

TEST_CASE("who asks for rows gets them, though no load was given") {
  CHECK(asked("recommend llama-3.1-8b").out.contains("full: "));
  for (const std::string flag : {"-n 3", "--sort cost", "--filter price<5"}) {
    const Run rows = asked("recommend llama-3.1-8b " + flag);
    CAPTURE(flag, rows.out);
    CHECK(rows.out.contains("vs #1"));
    CHECK_FALSE(rows.out.contains("full: "));
  }
}

TEST_CASE("what the order goes by is on the screen, beside what is cheaper and in every row") {
  for (const auto& [work, unit] : {std::pair("sdxl", "/1k images"), std::pair("blender", "/1k points·h"),
                                   std::pair("transcode", "/stream·h"), std::pair("bge-m3", "/M sequences")}) {
    const Run run = asked(std::string("recommend ") + work + " -n 3");
    CAPTURE(run.out);
    std::size_t winner = 0, head = 0;
    for (const std::string_view line : lines_of(run.out)) {
      winner += line.starts_with("> ") && line.contains(unit);
      head += line.starts_with("#") && line.contains(std::string("USD") + unit);
      if (line.starts_with("  --")) CHECK(line.contains(unit));
    }
    CHECK(winner == 1);
    CHECK(head == 1);
  }
}

TEST_CASE("any region lifts a limit on regions") {
  const Run any = asked("recommend llama-3.1-8b --rps 1 --region us-west-2 --region any -o csv");
  CHECK(any.out == asked("recommend llama-3.1-8b --rps 1 -o csv").out);
}

TEST_CASE("each rank's lead is over the next, and its cost against the first that of the table") {
  const Run why = asked("why llama-3.1-8b --rps 1 --rank 2");
  CAPTURE(why.out, why.err);
  CHECK(why.out.contains("Lead over the next: "));
  CHECK_FALSE(why.out.contains("Lead over the next: -"));
}

TEST_CASE("parts of the memory add up to what is needed") {
  for (const std::string line : {"estimate llama-3.1-70b --gpu rtx-4090", "estimate llama-3.1-8b --gpu rtx-4090",
                                 "estimate llama-3.1-8b --gpu rtx-4090 --method lora", "estimate sdxl --gpu t4"}) {
    const Run run = asked(line);
    CAPTURE(line, run.out);
    const auto lines = lines_of(run.out);
    const auto at = std::ranges::find_if(lines, [](std::string_view one) { return one.contains("needs "); });
    REQUIRE(at != lines.end());
    const double needed = std::stod(std::string(at->substr(at->find("needs ") + 6)));
    double sum = 0;
    for (const std::string_view word : split(*(at + 1), ' '))
      if (word.contains('.')) sum += std::stod(std::string(word));
    CHECK(sum == Approx(needed).margin(0.31));  // of six rounded parts
  }
}

TEST_CASE("a ranking has only offers that pass its filter") {
  const Run csv = asked(
      "recommend llama-3.1-8b --rps 1 --filter 'vram>=48 && price<2 && cloud=aws' -o csv "
      "--columns provider,hourly,nodes");
  CAPTURE(csv.out, csv.err);
  REQUIRE(csv.status == 0);
  const auto lines = lines_of(csv.out);
  REQUIRE(lines.size() >= 2);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split(lines[i], ',');
    CHECK(cells[0] == "aws");
    CHECK(std::stod(std::string(cells[1])) / std::stod(std::string(cells[2])) < 2);
  }
  const Run none = asked("recommend llama-3.1-8b --rps 1 --filter 'price<0.0001' --json");
  CHECK(none.status == 3);
  CHECK(none.out.find("\"rule\": \"filter\"") != std::string::npos);
  const Run wrong = asked("recommend llama-3.1-8b --filter 'vrm>=48'");
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("did you mean 'vram'") != std::string::npos);
  // The same words elsewhere.
  CHECK(asked("explain llama-3.1-8b --rps 1 --filter 'cloud=aws'").out.find("aws/") != std::string::npos);
}

TEST_CASE("a slice that nobody sells says what to cut and what a slice costs, and is estimated") {
  const Run sold = asked("recommend llama-3.2-1b --gpu a100:1/7");
  CAPTURE(sold.out, sold.err);
  CHECK(sold.status == 3);
  CHECK(sold.out.find("MIG slices") != std::string::npos);
  CHECK(sold.out.find("gpusel estimate --gpu a100") != std::string::npos);
  const Run fits = asked("estimate llama-3.2-1b --gpu a100-sxm-80gb:1/7");
  CAPTURE(fits.out, fits.err);
  CHECK(fits.status == 0);
  CHECK(fits.out.find("on 1/7 A100 SXM4 80 GB") != std::string::npos);
  CHECK(asked("estimate llama-3.1-8b --gpu a100-sxm-40gb:1/7").status == 3);
  const Run cut = asked("estimate llama-3.1-8b --gpu t4:1/7");
  CHECK(cut.status == 2);
  CHECK(cut.err.find("no MIG profile cuts t4 into 7 slices\nhelp: it has no MIG: --gpu t4 takes all of it") !=
        std::string::npos);
  // Where a provider sells the fraction, it is ranked.
  const Run fraction = asked("recommend llama-3.2-1b --gpu rtx-pro-6000:1/4");
  CHECK(fraction.status == 0);
  CHECK(asked("gpus show a100").out.find("1g.5gb") != std::string::npos);
}

}  // namespace columns_test
