// What is printed, to the letter. The market is tests/data/market, so that the shipped prices can move;
// after a change that is meant: GPUSEL_UPDATE_GOLDEN=1, and a look at the difference.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/program.hpp"

namespace golden_test {

using namespace gpusel::test;

namespace {

struct Case {
  const char* file;
  const char* command;
  int status = 0;
};

constexpr Case kCases[] = {
    {"recommend-finetune.txt", "recommend --model llama-7b --task finetune"},
    {"recommend-lora-explain.txt", "recommend --model llama-7b --task finetune --method lora --explain -n 2"},
    {"recommend-lora-wide.txt", "recommend --model llama-7b --task finetune --method lora -o wide"},
    {"recommend-lora.csv", "recommend --model llama-7b --task finetune --method lora -o csv"},
    {"recommend-lora.md", "recommend --model llama-7b --task finetune --method lora -o markdown"},
    {"recommend-inference.txt", "recommend --model qwen2.5-0.5b --task inference"},
    {"recommend-inference.json", "recommend --model qwen2.5-0.5b --task inference --json -n 2"},
    {"recommend-online.txt", "recommend --model llama-3.1-8b --task inference --rps 2 --ttft 2000 --tpot 100"},
    {"recommend-pretrain.txt", "recommend --model gpt3-175b --task pretrain --tokens 1e9"},
    {"recommend-encoder.txt", "recommend --model bert-base --task finetune"},
    {"recommend-eur.txt", "recommend --model llama-7b --task finetune --method lora --currency EUR -n 2"},
    {"recommend-rejected.txt", "recommend --model llama-7b --task finetune --show-rejected"},
    {"recommend-nothing.txt", "recommend --model llama-7b --task finetune --max-price 0.1", 3},
    {"recommend-spot.txt", "recommend --model llama-7b --task finetune --method qlora --use-spot"},
    {"recommend-dev.txt", "recommend --model llama-3.1-8b --task inference --profile dev"},
    {"recommend-narrow.txt", "recommend --model llama-7b --task finetune --method lora"},
    {"estimate-training.txt", "estimate --model llama-7b --task finetune --gpu a100-sxm-80gb --gpus 8 --explain"},
    {"estimate-inference.txt", "estimate --model llama-3.1-8b --task inference --gpu l4 --explain"},
    {"estimate-misfit.txt", "estimate --model llama-3.1-70b --task inference --gpu l4", 3},
    {"estimate.json", "estimate --model llama-3.1-8b --task inference --gpu l4 --concurrency 4 --json"},
    {"compare.txt", "compare h100 n.a100.8 2x-l40s --model llama-7b --task finetune"},
    {"compare-plain.txt", "compare t4 l4"},
    {"compare-trio.txt", "compare h100 a100-80gb l40s"},
    {"compare-pair.txt", "compare n.a100.8 n.h100.8 --model llama-7b --task finetune --currency EUR"},
    {"compare-mixed.txt", "compare n.cpu.16 s.a10.6 '2x n.h100.8' h100"},
    {"compare-narrow.txt", "compare t4 l4 a10 a10g"},
    {"compare.md", "compare t4 s.a10.1 -o markdown"},
    {"compare.csv", "compare t4 s.a10.1 -o csv"},
    {"cost.txt", "cost n.h100.8 '2x n.t4.1' --hours-per-day 8 --days 20 --egress-gb 10 --currency EUR"},
    {"cost-job.txt", "cost --model llama-7b --task finetune --method lora --explain"},
    {"cost-own.txt", "cost n.t4.1 --discount north=25% --price n.t4.1:reserved-1y=0.3 -o wide"},
    {"cost.csv", "cost n.h100.8 s.a10.1 -o csv"},
    {"cost.md", "cost n.h100.8 -o markdown"},
    {"cost.json", "cost n.t4.1 --term spot --storage-gb 5 --json"},
    {"explain.txt", "explain --model qwen2.5-0.5b --task inference"},
    {"explain-rejected.txt", "explain n.h100.8 --model llama-7b --task finetune --max-price 20 --min-vram 100GB"},
    {"explain-rule.txt", "explain unconfirmed-price --model qwen2.5-0.5b --task inference"},
    {"explain.md", "explain score --model qwen2.5-0.5b --task inference -o markdown"},
    {"explain.csv", "explain cost --model qwen2.5-0.5b --task inference -o csv"},
    {"fleet.txt", "fleet --model llama-3.1-8b --traffic conversation --rate 30 --ttft 1500 --tpot 80 --daily consumer"},
    {"fleet-nothing.txt", "fleet --model llama-3.1-8b --traffic code --rate 30 --ttft 15", 3},
    {"fleet.md", "fleet --model llama-3.1-8b --traffic rag --rate 40 -o markdown"},
    {"fleet.csv", "fleet --model llama-3.1-8b --traffic chat --rate 40 --redundancy 1 -o csv"},
    {"instances.txt", "instances"},
    {"instances-wide.txt", "instances --term any -o wide"},
    {"instance.txt", "instances show n.h100.8"},
    {"instances-like.txt", "instances --like n.t4.1"},
    {"gpu.txt", "gpus show l40s"},
    {"model.txt", "models show llama-3.1-8b"},
    {"whatif-sweep.txt", "whatif --model llama-3.1-8b --task inference --rps 2 --vary rps=1..16"},
    {"whatif-prices.txt", "whatif --model llama-3.1-8b --task inference --rps 2 --vary price:bazaar=-20%..+60%"},
    {"recommend-terms.txt", "recommend --model llama-7b --task finetune --method lora --term any -n 8"},
    {"whatif-words.txt", "whatif --model llama-7b --task finetune --vary method=full,lora,qlora"},
    {"whatif-map.txt",
     "whatif --model llama-3.1-8b --task inference --vary rps=1..64 --vary price:bazaar=-40%..+120%/5"},
    {"whatif-map-narrow.txt",
     "whatif --model llama-3.1-8b --task inference --vary rps=1..64 --vary price:bazaar=-40%..+120%/5"},
    {"whatif-tornado.txt", "whatif --model llama-7b --task finetune --method lora --tornado --pareto"},
    {"whatif-nothing.txt", "whatif --model llama-7b --task finetune --vary max_price=0.1..1", 3},
    {"whatif.md", "whatif --model llama-7b --task finetune --method lora --vary deadline=1h..1d --tornado -o markdown"},
    {"whatif.csv", "whatif --model llama-7b --task finetune --method lora --vary epochs=1,2 --tornado -o csv"},
};

/// A proof says how long it took.
bool tells_time(const Case& one) { return std::string(one.command).starts_with("fleet"); }

void must_be_golden(const Case& one) {
  std::vector<std::string> words = words_of(one.command);
  words.insert(words.end(), {"--catalog", "tests/data/market"});
  const bool narrow = std::string(one.file).find("-narrow.") != std::string::npos;
  const Run run = narrow ? ask(words, {.environment = {{"COLUMNS", "60"}}}) : ask(words);
  CAPTURE(one.command, run.err);
  CHECK(run.status == one.status);
  CHECK(equals_golden(one.file, run.out));
}

}  // namespace

TEST_CASE("answers are printed as the golden files show") {
  for (const Case& one : kCases)
    if (!tells_time(one)) must_be_golden(one);
}

TEST_CASE("answers that tell how long they took are printed as the golden files show", "[bare]") {
  REQUIRE(std::ranges::any_of(kCases, tells_time));
  for (const Case& one : kCases)
    if (tells_time(one)) must_be_golden(one);
}

TEST_CASE("the same question gives the same bytes") {
  const std::vector<std::string> words{"recommend", "--model", "llama-3.1-70b", "--task", "inference", "--json"};
  CHECK(ask(words).out == ask(words).out);
}

}  // namespace golden_test
