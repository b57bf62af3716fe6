// Serving worked by hand: dimensions of models and parts as their makers publish them, the formulas of docs/method.md,
// and plain arithmetic. No fitted number takes part (support/ideal.hpp).
//
// LLaMA 7B in 16 bit: 13,476,831,232 bytes, of which a token reads all but the table of 131,072,000 words:
// 13,214,687,232; a cache of 2 · 32 · 4096 · 2 = 524,288 bytes per token. A100 80 GB SXM: 2039 GB/s, 312 TFLOPS,
// 300 GB/s of NVLink each way.
#include <catch2/catch.hpp>

#include "estimate/replica.hpp"
#include "support/ideal.hpp"
#include "support/job.hpp"

namespace serving_by_hand_test {

using namespace gpusel;
using namespace gpusel::estimate;
using test::serving;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-6); }

workload::Workload service(const std::string& words) { return test::job("task=inference " + words); }

Machine a100(int gpus = 1) { return test::machine("a100-sxm-80gb", gpus); }

double step_ms(const std::string& words, const InferencePlan& plan, double batch, double context) {
  return in_ms(decode_step(service(words), a100(plan.tp * plan.dp), plan, batch, context, test::ideal()));
}

InferenceMemory held(const std::string& words, double usable, const InferencePlan& plan = serving("fp16")) {
  Machine machine = a100(plan.tp * plan.dp);
  machine.device.usable = bytes(usable);
  return inference_memory(service(words), machine, plan, test::ideal());
}

InferenceSpeed served(const std::string& words, const InferencePlan& plan = serving("fp16")) {
  const auto work = service(words);
  const Machine machine = a100(plan.tp * plan.dp);
  const auto memory = inference_memory(work, machine, plan, test::ideal());
  return inference_speed(work, machine, plan, memory, test::ideal()).value();
}

/// Reading a prompt of 1024 tokens: 2 · 6,476,271,616 · 1024 + 2 · 131,072,000 FLOP of products and
/// 4 · 4096 · 512 keys on average · 32 layers · 1024 of attention at 312 TFLOPS.
constexpr double kPrompt = 42.511751 + 0.88101893;

}  // namespace

TEST_CASE("by hand: a decode step reads the weights once and every cache") {
  const std::string llama = "model=llama-7b";
  CHECK(step_ms(llama, serving("fp16"), 1, 0) == near(6.4809648));                 // 13,214,687,232 ÷ 2039e9
  CHECK(step_ms(llama, serving("fp16"), 1, 1024) == near(6.7442660));              // + 536,870,912
  CHECK(step_ms(llama, serving("fp16"), 64, 1024) == near(6.4809648 + 16.85128));  // + 64 · 536,870,912
  InferencePlan narrow = serving("fp16");
  narrow.kv = workload::KvPrecision::fp8;
  CHECK(step_ms(llama, narrow, 64, 1024) == near(6.4809648 + 8.4256399));
  // Body in 4.15 bits, 6,476,271,616 · 4.15 ÷ 8 bytes, head in 16: 262,144,000
  CHECK(step_ms(llama, serving("w4a16"), 1, 0) == near(1.7762187));
  // Half of each on two GPUs, and 64 all-reduces of 2 · 1/2 of 8192 bytes at 300 GB/s
  CHECK(step_ms(llama, serving("fp16", 2), 1, 1024) == near(6.7442660 / 2 + 0.0017476267));
  // Eight K/V heads of 128 instead of 32: 131,072 bytes per token, and 15,009,849,344 of weights without the table
  CHECK(step_ms("model=llama-3.1-8b", serving("fp16"), 64, 1024) == near(7.3613778 + 4.2128199));
}

TEST_CASE("by hand: a step at 512 sequences is bound by products, and by reading below") {
  // 2 · 6,607,343,616 FLOP for each of 512 sequences at 312 TFLOPS are 21.7 ms, reading 6.5
  CHECK(step_ms("model=llama-7b", serving("fp16"), 512, 0) == near(21.685642));
  CHECK(step_ms("model=llama-7b", serving("fp16"), 128, 0) == near(6.4809648));
}

TEST_CASE("by hand: four tokens of Mixtral visit 1 − (3/4)^4 of the experts") {
  // 2 bytes · (1,343,492,096 of the body + 131,072,000 of the head + 0.68359375 · 45,097,156,608)
  CHECK(step_ms("model=mixtral-8x7b", serving("fp16"), 4, 0) == near(31.684844));
  CHECK(step_ms("model=mixtral-8x7b", serving("fp16"), 1, 0) == near(12.505006));
}

TEST_CASE("by hand: a prompt takes 2 FLOP per parameter and token, and half of the scores of its square") {
  const auto ttft = [](const std::string& words) {
    return in_ms(served("mode=single-stream output_tokens=256 model=llama-7b " + words).ttft);
  };
  CHECK(ttft("input_tokens=1024") == near(kPrompt));
  // Half of it is found in the cache: half of the products but for the head's, and 256 tokens that attend to the 512
  // before them and to themselves, 768 on average.
  CHECK(ttft("input_tokens=1024 prefix_cache_hit=0.5") == near(21.256296 + 0.66076420));
  // 8 tokens: reading the weights takes longer than 0.33 ms of products.
  CHECK(ttft("input_tokens=8") == near(6.4809648));
  // An 8-bit format computes at 624 TOPS on this part, and reads half.
  InferencePlan narrow = serving("int8");
  CHECK(in_ms(served("mode=single-stream model=llama-7b input_tokens=1024", narrow).ttft) == near(kPrompt / 2));
}

TEST_CASE("by hand: one request is its prompt and a step for each further token") {
  const InferenceSpeed one = served("mode=single-stream model=llama-7b input_tokens=1024 output_tokens=256");
  // Halfway through the answer the context is 1152 tokens: 13,214,687,232 + 1152 · 524,288 bytes
  CHECK(in_ms(one.itl) == near(6.7771787));
  CHECK(in_ms(one.e2e) == near(kPrompt + 255 * 6.7771787));
  CHECK(one.output_tokens_per_s == near(256 / ((kPrompt + 255 * 6.7771787) / 1e3)));
  // Sixteen at once: 16 prompts, two passes of 8192 tokens; steps read 16 caches.
  const InferenceSpeed batch = served("mode=throughput concurrency=16 model=llama-7b");
  const double step = 6.4809648 + 16 * 0.29621384;
  CHECK(in_ms(batch.itl) == near(step));
  CHECK(batch.requests_per_s == near(16e3 / (16 * kPrompt + 255 * step)));
  CHECK(in_ms(batch.ttft) == near((8 + 16) * kPrompt / 2));  // half of them after each pass
}

TEST_CASE("by hand: the cache has what weights leave") {
  // 40 GiB less 13,476,831,232 bytes hold 13.7 requests of 4096 tokens of 524,288 bytes
  const InferenceMemory room = held("model=llama-7b input_tokens=3072 output_tokens=1024", 42'949'672'960);
  CHECK(room.max_concurrency == 13);
  CHECK(room.kv_tokens == Approx(56'214).margin(1));  // 29,472,841,728 ÷ 524,288
  CHECK(room.per_gpu.kv_cache.raw() == near(13 * 2'147'483'648.0));
  // Llama 3.1 8B with 131,072 bytes a token on a card of 24 GB: (24e9 − 16,060,522,496) ÷ 131,072
  CHECK(held("model=llama-3.1-8b concurrency=1", 24e9).longest_context == Approx(60'573).margin(1));
  // 70,553,706,496 parameters in 16 bit over 4 GPUs, two K/V heads of 80 layers on each
  const InferenceMemory four =
      held("model=llama-3.1-70b concurrency=1 input_tokens=4000 output_tokens=96", 80e9, serving("fp16", 4));
  CHECK(four.per_gpu.weights.raw() == near(35'276'853'248));
  CHECK(four.per_gpu.kv_cache.raw() == near(335'544'320));  // 4096 · 2 · 80 · 2 · 128 · 2
}

TEST_CASE("by hand: at half of what can be served a request waits half of its own time") {
  const std::string words = "model=llama-7b input_tokens=1024 output_tokens=1 request_rate=";
  // A request is its prompt: 23.0449 a second at most. Half of that: u ÷ (2 (1 − u)) = 1/2 of a prompt on average.
  const InferenceSpeed half = served(words + std::to_string(1e3 / kPrompt / 2));
  REQUIRE(half.percentiles);
  CHECK(in_ms(half.ttft) == Approx(kPrompt * (1 + 0.5 * 0.69314718)).epsilon(1e-4));  // the median, ln 2
  CHECK(in_ms(half.percentiles->ttft_p95) == Approx(kPrompt * (1 + 0.5 * 2.9957323)).epsilon(1e-4));
}

TEST_CASE("by hand: offloaded weights come over PCIe, but for the tenth in flight") {
  // 0.9 · 13,214,687,232 bytes at 31.507692 GB/s
  const auto work = service("model=llama-7b offload=weights");
  CHECK(in_ms(decode_step(work, a100(), serving("fp16"), 1, 0, test::ideal())) == near(377.47031));
}

}  // namespace serving_by_hand_test
