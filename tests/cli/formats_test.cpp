// Every answer in every format; what comes out of files is text in each.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/program.hpp"

namespace formats_test {

using namespace gpusel::test;

namespace {

/// A catalogue whose names are markup and formulas.
const std::string kHostile = kSource + "/tests/schema/files/hostile.yaml";

Run as(const std::string& command, const std::string& format) {
  std::vector<std::string> words = words_of(command);
  words.insert(words.end(), {"-o", format});
  return ask(words);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an output format that is none gets the nearest one named") {
  CHECK(as("doctor", "jsn").err == "error: --output: unknown output format 'jsn'\nhelp: did you mean 'json'?\n");
  CHECK(as("gpus", "md").err ==
        "error: --output: unknown output format 'md'\nhelp: allowed: table, wide, json, yaml, csv, markdown, html\n");
  const Run run = ask({"models"}, {.environment = {{"GPUSEL_OUTPUT", "htlm"}}});
  CHECK(run.status == 2);
  CHECK(run.err == "error: GPUSEL_OUTPUT: unknown output format 'htlm'\nhelp: did you mean 'html'?\n");
}

TEST_CASE("GPUSEL_OUTPUT names any of the formats") {
  CHECK(ask({"gpus"}, {.environment = {{"GPUSEL_OUTPUT", "html"}}}).out.starts_with("<!DOCTYPE html>"));
  CHECK(ask({"gpus"}, {.environment = {{"GPUSEL_OUTPUT", "yaml"}}}).out.starts_with("schema:"));
}

TEST_CASE("a recommendation as Markdown is a document by itself") {
  const Run run = as("recommend --model llama-7b --task finetune --method lora", "markdown");
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("# llama-7b"));
  for (const char* part : {"\n\nassumed: ", "\n\nprices: ", "\n\n| # | instance | USD/h | USD total |",
                           "\n## reasons and warnings\n", "\n## rejected\n", "\ndecision: "})
    CHECK(has(run.out, part));
  CHECK(has(as("recommend --model llama-7b --task finetune", "markdown").out, "\n## alternatives\n"));
  CHECK(has(as("recommend --model llama-7b --task finetune --data-path --show-services", "markdown").out,
            "\n## data path of 1."));
}

TEST_CASE("nothing that fits is a document too") {
  const Run run = as("recommend --model llama-3.1-70b --task inference --cloud tencent --max-price 5", "markdown");
  CHECK(run.status == 3);
  CHECK(has(run.out, "\n\nno instance meets this\n"));
  CHECK(has(run.out, "\n## rejected\n"));
}

TEST_CASE("names out of files are not obeyed by Markdown, a browser or a spreadsheet") {
  for (const char* question : {"recommend --model llama-3.1-8b --task inference --cloud evil --explain",
                               "instances --cloud evil", "instances show '=cmd|x'", "catalog show provider evil",
                               "catalog show source evil", "catalog diff", "cost '=cmd|x'", "compare '=cmd|x' l4"}) {
    const std::string command = std::string(question) + " --overlay " + kHostile;
    const Run markdown = as(command, "markdown");
    CAPTURE(command, markdown.out, markdown.err);
    CHECK(markdown.status == 0);
    for (const char* mark : {" <b>", " <img", " <script", " <u>", "=cmd|x"}) CHECK_FALSE(has(markdown.out, mark));
    const Run page = as(command, "html");
    for (const char* tag : {"<b>", "<img", "<script>alert", "<u>", "example.org\">x</a>"})
      CHECK_FALSE(has(page.out, tag));
    const Run csv = as(command, "csv");
    CHECK_FALSE(has("\n" + csv.out, "\n="));
    CHECK_FALSE(has(csv.out, ",="));
    CHECK_FALSE(has(csv.out, ",@"));
    CHECK_FALSE(has(csv.out, ",+1 |"));
  }
}

TEST_CASE("documents and sheets hold no colours, whoever asks for them") {
  for (const char* format : {"markdown", "html", "csv", "json", "yaml"}) {
    const Run run = as("estimate --model llama-3.1-8b --task inference --gpu l4 --color always", format);
    CAPTURE(format);
    CHECK(run.status == 0);
    CHECK_FALSE(has(run.out, "\x1b["));
  }
}

TEST_CASE("an estimate in CSV is one row of figures in full") {
  const Run run = as("estimate --model llama-3.1-8b --task inference --gpu l4", "csv");
  CHECK(run.out.starts_with("id,fits,verdict,fit_probability,gpu,gpus,plan,"));
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 2);
  CHECK(has(run.out, "\n,true,yes,"));
  CHECK(has(run.out, ",l4,1,"));
}

}  // namespace formats_test
