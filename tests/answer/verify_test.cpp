// The statistics of `gpusel verify` with values worked out by hand, and its path from a row to an answer.
#include <catch2/catch.hpp>

#include <cmath>
#include <memory>

#include "answer/truth/accuracy.hpp"
#include "base/words/message.hpp"
#include "support/job.hpp"

namespace verify_test {

using namespace gpusel;
using answer::Figure;

namespace {

catalog::MeasurementSheet sheet_of(const std::string& text) {
  auto csv = parse_csv(text, "own.csv");
  REQUIRE(csv.has_value());
  auto sheet = catalog::read_measurements(std::move(*csv), test::shipped(), false);
  REQUIRE(sheet.has_value());
  return std::move(*sheet);
}

answer::Verification verified(const std::string& text) {
  std::vector<catalog::MeasurementSheet> sheets;
  sheets.push_back(sheet_of(text));
  auto out = answer::verify(std::move(sheets), {}, test::shipped(), test::coefficients());
  REQUIRE(out.has_value());
  return std::move(*out);
}

/// Comparisons of invented figures: a source, what was measured, what was predicted.
class Invented {
 public:
  void add(std::string source, double measured, double predicted) {
    auto& row = rows_.emplace_back();
    row = std::make_unique<catalog::MeasurementRow>();
    names_.push_back(std::make_unique<std::string>(std::move(source)));
    row->facts.source = *names_.back();
    row->gpu = &test::gpu("t4");
    comparisons_.push_back(std::make_unique<answer::Comparison>(
        answer::Comparison{row.get(), "own.csv", Figure::training_speed, measured, predicted,
                           physics::Interval{predicted / 2, predicted * 2}}));
  }
  answer::Accuracy accuracy() const {
    std::vector<const answer::Comparison*> all;
    for (const auto& each : comparisons_) all.push_back(each.get());
    return answer::accuracy_of(all);
  }

 private:
  std::vector<std::unique_ptr<catalog::MeasurementRow>> rows_;
  std::vector<std::unique_ptr<std::string>> names_;
  std::vector<std::unique_ptr<answer::Comparison>> comparisons_;
};

constexpr const char* kTraining =
    "task,model,gpu,gpus,method,seq_len,micro_batch,tokens_per_s_per_gpu,memory_gib,memory_kind,fits\n";

}  // namespace

TEST_CASE("the median is the middle one, or the mean of the two in the middle") {
  CHECK(answer::median({}) == 0);
  CHECK(answer::median({3, 1, 9}) == 3);
  CHECK(answer::median({4, 1, 9, 2}) == 3);
}

TEST_CASE("every source weighs the same, however many rows it has") {
  Invented invented;
  for (int i = 0; i < 9; ++i) invented.add("many", 100, 110);  // each 10 % high
  invented.add("one", 100, 50);                                // 50 % low
  const auto accuracy = invented.accuracy();
  CHECK(accuracy.rows == 10);
  CHECK(accuracy.sources == 2);
  CHECK(accuracy.error == Approx((0.10 + 0.50) / 2));
  CHECK(accuracy.bias == Approx((0.10 - 0.50) / 2));
  CHECK(accuracy.within_20 == Approx(0.5));
}

TEST_CASE("an interval covers what lies inside it, ends included") {
  Invented invented;
  invented.add("a", 100, 50);   // 25 … 100
  invented.add("a", 100, 201);  // 100.5 … 402
  const auto accuracy = invented.accuracy();
  CHECK(accuracy.coverage.value() == Approx(0.5));
  CHECK(accuracy.width.value() == Approx(4));
}

TEST_CASE("chances to fit are counted in fifths, and scored by how sure they were") {
  answer::Verification all;
  catalog::MeasurementRow row;
  row.facts.task = "finetune";
  for (const auto& [chance, ran] : {std::pair(0.95, true), {0.8, true}, {1.0, false}, {0.1, false}})
    all.fits.push_back({&row, "own.csv", ran, chance >= 0.5, chance});
  all.fits.push_back({&row, "own.csv", true, true, std::nan("")});  // of what is not known nothing is said
  const auto is = answer::chance_accuracy(all, true);
  REQUIRE(is.bins.size() == 5);
  CHECK(is.bins[4].jobs == 3);
  CHECK(is.bins[4].ran == 2);
  CHECK(is.bins[0].jobs == 1);
  CHECK(is.bins[0].ran == 0);
  CHECK(is.brier.value() == Approx((0.0025 + 0.04 + 1 + 0.01) / 4));
  CHECK_FALSE(answer::chance_accuracy(all, false).brier.has_value());
}

TEST_CASE("rank correlation counts order, not size") {
  const std::vector<double> measured{1, 2, 3, 4};
  const std::vector<double> same{10, 20, 1000, 1001};
  const std::vector<double> reverse{9, 7, 5, 3};
  const std::vector<double> swapped{1, 3, 2, 4};
  const std::vector<double> tied{1, 2, 2, 3};
  const std::vector<double> flat{5, 5, 5, 5};
  CHECK(answer::rank_correlation(measured, same).value() == Approx(1));
  CHECK(answer::rank_correlation(measured, reverse).value() == Approx(-1));
  CHECK(answer::rank_correlation(measured, swapped).value() == Approx(0.8));  // 1 - 6·2 / (4·15)
  CHECK(answer::rank_correlation(measured, tied).value() == Approx(4.5 / std::sqrt(5 * 4.5)));
  CHECK_FALSE(answer::rank_correlation(measured, flat).has_value());
}

TEST_CASE("the cheapest GPU by estimate is compared with the cheapest by measurement") {
  const std::string work = "task,model,gpu,gpus,method,seq_len,micro_batch,tokens_per_s_per_gpu\n";
  const std::string job = ",1,lora,2048,1,";
  const auto one = verified(work + "finetune,llama-3.2-1b,a100-sxm-80gb" + job + "9000\n" + "finetune,llama-3.2-1b,t4" +
                            job + "1000\n");
  REQUIRE(one.prices.contains("a100-sxm-80gb"));
  REQUIRE(one.prices.contains("t4"));
  const auto picks = answer::cheapest_picks(one);
  REQUIRE(picks.size() == 1);
  CHECK(picks[0].works == 1);
  const auto cost = [&](std::size_t i, double speed) { return one.prices.at(one.comparisons[i].row->gpu->id) / speed; };
  const bool first = cost(0, one.comparisons[0].predicted) < cost(1, one.comparisons[1].predicted);
  const double picked = first ? cost(0, 9000) : cost(1, 1000);
  CHECK(picks[0].regret == Approx(picked / std::min(cost(0, 9000), cost(1, 1000)) - 1));
  CHECK(picks[0].right == (picks[0].regret > 0 ? 0 : 1));
  CHECK(answer::cheapest_picks(verified(work + "finetune,llama-3.2-1b,t4" + job + "1000\n")).empty());
}

TEST_CASE("a row is asked as a batch would ask it") {
  const auto out =
      verified(std::string(kTraining) + "finetune,llama-7b,a100-sxm-80gb,8,full,2048,2,3000,60,process,\n");
  REQUIRE(out.comparisons.size() == 2);
  const auto answer = answer::answer_estimate(
      test::request("task=finetune model=llama-7b gpu=a100-sxm-80gb gpus=8 method=full seq_len=2048 micro_batch=2"),
      test::shipped(), test::coefficients(), false);
  REQUIRE(answer.has_value());
  const auto& choice = answer->plan;
  CHECK(out.comparisons[0].figure == Figure::training_speed);
  CHECK(out.comparisons[0].predicted == Approx(choice.training->tokens_per_s_per_gpu));
  CHECK(out.comparisons[0].interval->low == Approx(answer->intervals.rate.low / 8));
  CHECK(out.comparisons[1].predicted == Approx(in_gib(choice.memory.total())));
  REQUIRE(out.fits.size() == 1);
  CHECK(out.fits[0].ran);
}

TEST_CASE("the framework's own counters do not see the context") {
  const std::string job = "finetune,llama-7b,a100-sxm-80gb,8,full,2048,2,,60,";
  const auto by_driver = verified(kTraining + job + "process,\n");  // comparisons point into it
  const auto by_framework = verified(kTraining + job + "reserved,\n");
  const auto& process = by_driver.comparisons.at(0);
  const auto& reserved = by_framework.comparisons.at(0);
  CHECK(answer::counter_of(reserved.row->facts) == catalog::MemoryKind::reserved);
  CHECK(reserved.predicted < process.predicted);
  CHECK(process.predicted - reserved.predicted == Approx(process.interval->high - reserved.interval->high));
}

TEST_CASE("a model the catalogue lacks is asked for by its shape") {
  const auto out = verified(
      "task,model,gpu,layers,hidden,heads,kv_heads,ffn,vocab,input_tokens,output_tokens,mode,output_tokens_per_s\n"
      "inference,nobodys-7b,l40s,32,4096,32,32,11008,32000,512,128,single-stream,45\n");
  REQUIRE(out.comparisons.size() == 1);
  CHECK(out.comparisons[0].figure == Figure::single_stream_speed);
  CHECK(out.comparisons[0].predicted > 10);
}

TEST_CASE("what died and was said to fit is a false fit") {
  const auto out = verified(std::string(kTraining) +
                            "finetune,llama-7b,t4,1,full,2048,1,,,,false\n"                // 7B in full on 16 GB: no
                            "finetune,qwen2.5-0.5b,a100-sxm-80gb,1,lora,512,1,,,,false\n"  // this would run
                            "finetune,qwen2.5-0.5b,a100-sxm-80gb,1,lora,512,1,,,,true\n");
  const auto fit = answer::fit_accuracy(out, true);
  CHECK(fit.ran == 1);
  CHECK(fit.ran_and_said == 1);
  CHECK(fit.died == 2);
  CHECK(fit.died_though_said == 1);
  CHECK(fit.balanced().value() == Approx(0.75));
  CHECK(answer::fit_accuracy(out, false).ran == 0);
}

TEST_CASE("GPUs are ranked over rows that differ in nothing else") {
  const std::string head = "source,task,model,gpu,mode,input_tokens,output_tokens,output_tokens_per_s\n";
  const auto line = [](const char* gpu, int length, int speed) {
    return format("a,inference,llama-3.1-8b,{},single-stream,512,{},{}\n", gpu, length, speed);
  };
  const auto out = verified(head + line("l4", 128, 16) + line("l40s", 128, 44) + line("h100-sxm-80gb", 128, 140) +
                            line("a100-sxm-80gb", 64, 90));
  const auto rankings = answer::rankings(out);
  REQUIRE(rankings.size() == 1);
  CHECK(rankings[0].works == 1);
  CHECK(rankings[0].correlation == Approx(1));
}

TEST_CASE("a filter keeps what it names and refuses what nobody measured") {
  const std::string text =
      "source,task,model,gpu,output_tokens_per_s\n"
      "mine,inference,llama-3.1-8b,l4,300\n"
      "theirs,inference,llama-3.1-8b,h100,3000\n";
  const auto rows = [&](const answer::VerifyFilter& filter) {
    std::vector<catalog::MeasurementSheet> sheets;
    sheets.push_back(sheet_of(text));
    return answer::verify(std::move(sheets), filter, test::shipped(), test::coefficients());
  };
  CHECK(rows({})->rows == 2);
  CHECK(rows({.task = "training"})->rows == 0);
  CHECK(rows({.gpu = "H100"})->rows == 1);
  CHECK(rows({.source = "mine"})->rows == 1);
  CHECK_FALSE(rows({.source = "nobody"}).has_value());
  CHECK_FALSE(rows({.gpu = "h1000"}).has_value());
  CHECK_FALSE(rows({.task = "cooking"}).has_value());
}

}  // namespace verify_test
