// The parts of an answer, one by one, without the process around them: where a whole run's time goes.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "answer/estimate/estimate.hpp"
#include "answer/search/recommend.hpp"
#include "catalog/snapshot/load.hpp"
#include "show/json/tell.hpp"
#include "show/json/write_json.hpp"

namespace {

using namespace gpusel;

template <class T, class E>
T must(std::expected<T, E> value) {
  if (!value) {
    std::cerr << "a part that is measured failed\n";
    std::exit(1);
  }
  return std::move(*value);
}

const catalog::Catalog& shipped() {
  static const catalog::Catalog catalog = must(catalog::load(catalog::LoadOptions{}));
  return catalog;
}
const physics::Coefficients& coefficients() {
  static const auto read = must(physics::read_coefficients(shipped()));
  return read;
}
const std::vector<rules::Rule>& rules_of_catalogue() {
  static const auto read = must(rules::read_rules(shipped().documents("rules")));
  return read;
}

/// Lines of a file that bench/data.py wrote; nothing where there is none.
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void open_catalogue(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(must(catalog::load(catalog::LoadOptions{})));
}

void read_rules(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(must(rules::read_rules(shipped())));
}

void read_coefficients(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(must(physics::read_coefficients(shipped())));
}

void recommend(benchmark::State& state, const std::string& model, job::Task task) {
  answer::Question question;
  question.request.model = model;
  question.request.task = task;
  question.today = Date(2026, 11, 20);
  question.detailed = 5;
  for (auto _ : state)
    benchmark::DoNotOptimize(must(answer::recommend(question, shipped(), rules_of_catalogue(), coefficients())));
}

enum class UpTo : std::uint8_t { parse, request, answer, text };

/// A request after another up to some step: the difference between two of them is the step between.
void batch(benchmark::State& state, const std::string& path, UpTo step) {
  const std::vector<std::string> lines = lines_of(path);
  if (lines.empty()) {
    state.SkipWithError("no requests; bench/run.py writes them");
    return;
  }
  std::size_t next = 0;
  show::JsonWriter told(-1);
  for (auto _ : state) {
    const auto document = must(parse_json(lines[next++ % lines.size()], "request"));
    if (step == UpTo::parse) continue;
    const auto request = must(job::read_request(document.root));
    if (step == UpTo::request) continue;
    const auto answer = must(answer::answer_estimate(request, shipped(), coefficients(), false));
    if (step == UpTo::answer) continue;
    told.clear();
    told.begin_object(told.kItem);
    show::tell_estimate(told, answer);
    benchmark::DoNotOptimize(told.finish());
  }
}

void add_batches(const std::string& folder) {
  constexpr std::array kSteps{std::pair("parse", UpTo::parse), std::pair("request", UpTo::request),
                              std::pair("answer", UpTo::answer), std::pair("text", UpTo::text)};
  for (const char* kind : {"serve", "serve-online", "lora", "train", "serve-split", "train-split"})
    for (const auto& [name, step] : kSteps)
      benchmark::RegisterBenchmark(("estimate " + std::string(kind) + ", up to " + name).c_str(), batch,
                                   folder + "/requests-" + kind + ".jsonl", step);
}

}  // namespace

/// gpusel_bench FOLDER [--benchmark_…]: FOLDER holds the requests.
int main(int argc, char** argv) {
  using job::Task;
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("open the catalogue", open_catalogue);
  benchmark::RegisterBenchmark("read the rules", read_rules);
  benchmark::RegisterBenchmark("read the coefficients", read_coefficients);
  benchmark::RegisterBenchmark("recommend: serve qwen2.5-0.5b", recommend, "qwen2.5-0.5b", Task::inference);
  benchmark::RegisterBenchmark("recommend: fine-tune llama-7b", recommend, "llama-7b", Task::finetune);
  benchmark::RegisterBenchmark("recommend: serve llama-3.1-70b", recommend, "llama-3.1-70b", Task::inference);
  benchmark::RegisterBenchmark("recommend: serve mixtral-8x7b", recommend, "mixtral-8x7b", Task::inference);
  benchmark::RegisterBenchmark("recommend: pretrain gpt3-175b", recommend, "gpt3-175b", Task::pretrain);
  if (argc > 1) add_batches(argv[1]);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
