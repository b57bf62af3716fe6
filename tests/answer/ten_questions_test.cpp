// Questions whose right answer an engineer knows, asked of the shipped catalogue.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/market.hpp"

namespace ten_questions_test {

using namespace gpusel;
using test::Market;

namespace {

double usable_gib(const answer::Recommendation& r) { return in_gib(r.machine().device.usable); }

bool any(const answer::Advice& advice, const std::function<bool(const answer::Recommendation&)>& test) {
  return std::any_of(advice.recommendations.begin(), advice.recommendations.end(), test);
}

bool all(const answer::Advice& advice, const std::function<bool(const answer::Recommendation&)>& test) {
  return !advice.recommendations.empty() &&
         std::all_of(advice.recommendations.begin(), advice.recommendations.end(), test);
}

/// GPUs × usable memory of one.
double total_gib(const answer::Recommendation& r) { return usable_gib(r) * r.machine().gpus(); }

}  // namespace

TEST_CASE("a full fine-tune of 7B needs more than one 80 GB card and gets several") {
  const auto advice = Market::shipped().recommend(R"({"model": "llama-7b", "task": "finetune"})");
  // 6.738e9 × 16 B = 100.4 GiB of weights, gradients and states, before any activation.
  CHECK(all(advice, [](const auto& r) { return total_gib(r) > 100.4; }));
  CHECK_FALSE(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && usable_gib(r) < 100; }));
  const auto has = [&](double gigabytes, int count) {
    return any(advice, [&](const auto& r) { return r.gpu->memory_gb == gigabytes && r.machine().gpus() == count; });
  };
  CHECK(has(24, 8));
  CHECK(has(40, 8));
  CHECK(has(80, 2));
  CHECK(has(80, 4));
  CHECK(any(advice, [](const auto& r) { return r.instance->sku == "p4d.24xlarge"; }));
}

TEST_CASE("LoRA of 7B fits one 24 GB card") {
  const auto advice = Market::shipped().recommend(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})");
  CHECK(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && r.gpu->memory_gb == 24.0; }));
  CHECK_FALSE(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && usable_gib(r) < 13; }));
}

TEST_CASE("QLoRA of 7B fits one T4") {
  const auto advice = Market::shipped().recommend(R"({"model": "llama-7b", "task": "finetune", "method": "qlora"})");
  CHECK(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && r.gpu->id == "t4"; }));
}

TEST_CASE("70B at 16 bit needs two 80 GB cards at the very least") {
  const auto advice = Market::shipped().recommend(
      R"({"model": "llama-70b", "task": "inference", "weights_precision": "fp16", "concurrency": 1,
          "min_fit": 0.5})");
  // 68.98e9 × 2 B = 128.5 GiB: one 141 GB card can just hold it, no 80 GB or 96 GB card can.
  CHECK(all(advice, [](const auto& r) { return total_gib(r) > 128.5; }));
  CHECK(any(advice, [](const auto& r) { return r.machine().gpus() == 2 && r.gpu->memory_gb == 80.0; }));
  CHECK_FALSE(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && usable_gib(r) < 128; }));
}

TEST_CASE("70B at 4 bit with a short context fits one 48 GB card") {
  const auto advice = Market::shipped().recommend(
      R"({"model": "llama-70b", "task": "inference", "weights_precision": "w4a16", "input_tokens": 512, "output_tokens": 128, "concurrency": 1, "min_fit": 0.5})");
  CHECK(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && r.gpu->memory_gb == 48.0; }));
  CHECK_FALSE(any(advice, [](const auto& r) { return r.machine().gpus() == 1 && usable_gib(r) < 33; }));
}

TEST_CASE("405B is served at fp8 by eight large GPUs") {
  const auto advice =
      Market::shipped().recommend(R"({"model": "llama-405b", "task": "inference", "weights_precision": "fp8"})");
  // 405.9e9 B = 378 GiB of weights at one byte each.
  CHECK(all(advice, [](const auto& r) { return total_gib(r) > 378; }));
  CHECK(any(advice, [](const auto& r) { return r.gpu->id == "h200-sxm-141gb" && r.machine().gpus() == 8; }));
  CHECK(any(advice, [](const auto& r) { return r.gpu->id == "h100-sxm-80gb" && r.machine().gpus() == 8; }));
}

TEST_CASE("405B at 16 bit does not fit eight 80 GB cards") {
  const auto advice =
      Market::shipped().recommend(R"({"model": "llama-405b", "task": "inference", "weights_precision": "bf16"})");
  // 756 GiB of weights; 8 × 80 GB are 596 GiB.
  CHECK(all(advice, [](const auto& r) { return total_gib(r) > 756; }));
}

TEST_CASE("a 0.5B model is served by a small card and never by an H100") {
  const auto advice = Market::shipped().recommend(
      R"({"model": "qwen2.5-0.5b", "task": "inference", "concurrency": 4, "mode": "online"})");
  REQUIRE(advice.recommendations.size() > 10);
  CHECK(advice.recommendations.front().gpu->memory_gb.value_or(0) <= 24);
  for (std::size_t i = 0; i < 10; ++i) {
    CAPTURE(i, advice.recommendations[i].gpu->id);
    CHECK(advice.recommendations[i].gpu->memory_gb.value_or(0) < 80);
    CHECK(advice.recommendations[i].machine().gpus() == 1);
  }
}

TEST_CASE("GPT-3 175B is pretrained on many nodes with NVSwitch and RDMA") {
  const auto advice = Market::shipped().recommend(R"({"model": "gpt3-175b", "task": "pretrain", "tokens": 300e9})");
  REQUIRE_FALSE(advice.recommendations.empty());
  for (std::size_t i = 0; i < std::min<std::size_t>(10, advice.recommendations.size()); ++i) {
    const auto& r = advice.recommendations[i];
    CAPTURE(i, r.instance->sku);
    CHECK(r.machine().nodes >= 4);
    CHECK(r.machine().gpus() >= 32);
    // 175e9 × 16 B = 2608 GiB of states alone.
    CHECK(total_gib(r) > 2608);
  }
  const auto& best = advice.recommendations.front();
  CHECK(best.machine().rdma);
  CHECK(best.machine().link == catalog::NodeLink::nvswitch);
  CHECK(best.machine().network >= gbit_per_s(400));
}

TEST_CASE("BERT-base is fine-tuned on a card of the T4 class") {
  const auto advice = Market::shipped().recommend(R"({"model": "bert-base", "task": "finetune"})");
  CHECK(any(advice, [](const auto& r) { return r.gpu->id == "t4" && r.machine().gpus() == 1; }));
  REQUIRE_FALSE(advice.recommendations.empty());
  CHECK(advice.recommendations.front().machine().gpus() == 1);
  CHECK(advice.recommendations.front().cost.total < 1);
}

TEST_CASE("a price cap holds for every row, and a place beside it too") {
  const auto advice =
      Market::shipped().recommend(R"({"model": "llama-7b", "task": "finetune", "method": "qlora"})",
                                  {{"min_capability", "8.9"}, {"max_price", "0.35"}, {"market", "true"}});
  CHECK(all(advice, [](const auto& r) { return r.cost.hourly <= 0.35; }));
  // The same cap with a place leaves what is there alone.
  const auto chinese = Market::shipped().recommend(
      R"({"model": "llama-7b", "task": "finetune", "method": "qlora"})",
      {{"min_capability", "8.9"}, {"max_price", "0.35"}, {"market", "true"}, {"residency", "cn"}});
  CHECK(all(chinese, [](const auto& r) { return r.region->country == "CN" && r.cost.hourly <= 0.35; }));
}

TEST_CASE("a GPU that fills to the brim is no recommendation for training") {
  const auto advice = Market::shipped().recommend(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})");
  CHECK(all(advice, [](const auto& r) { return r.memory().total() <= r.machine().device.usable * 0.97; }));
}

TEST_CASE("what offloading moves to the host must fit there") {
  const auto advice = Market::shipped().recommend(
      R"({"model": "llama-7b", "task": "finetune", "offload": "optimizer"})", {{"nodes", "1"}});
  // 6.738e9 × 12 B of master weights and Adam states are 75 GiB.
  CHECK(all(advice, [](const auto& r) { return !r.instance->memory_gib || *r.instance->memory_gib >= 75; }));
}

TEST_CASE("405B is pretrained on thousands of H100s") {
  const auto advice = Market::shipped().recommend(R"({"model": "llama-405b", "task": "pretrain"})");
  CHECK(any(advice, [](const auto& r) { return r.gpu->id == "h100-sxm-80gb" && r.machine().gpus() >= 1024; }));
}

}  // namespace ten_questions_test
