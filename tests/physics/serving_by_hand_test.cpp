// Serving worked by hand: dimensions of models and parts as their makers publish them, the formulas of docs/method.md,
// and plain arithmetic. No fitted number takes part (support/ideal.hpp).
//
// LLaMA 7B in 16 bit: 13,476,831,232 bytes, of which a token reads all but the table of 131,072,000 words:
// 13,214,687,232; a cache of 2 · 32 · 4096 · 2 = 524,288 bytes per token. A100 80 GB SXM: 2039 GB/s, 312 TFLOPS,
// 300 GB/s of NVLink each way.
#include <catch2/catch.hpp>

#include "physics/serving/inference_load.hpp"
#include "support/ideal.hpp"
#include "support/job.hpp"

namespace serving_by_hand_test {

using namespace gpusel;
using namespace gpusel::physics;
using test::serving;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-6); }

job::Job service(const std::string& words) { return test::job("task=inference " + words); }

Machine a100(int gpus = 1) { return test::machine("a100-sxm-80gb", gpus); }

double step_ms(const std::string& words, const Layout& plan, double batch, double context) {
  return in_ms(test::decode_step(service(words), a100(plan.tp * plan.dp), plan, batch, context, test::ideal()));
}

InferenceMemory held(const std::string& words, double usable, const Layout& plan = serving("fp16")) {
  Machine machine = a100(plan.tp * plan.dp);
  machine.device.usable = bytes(usable);
  return inference_memory(service(words), machine, plan, test::ideal());
}

InferenceSpeed served(const std::string& words, const Layout& plan = serving("fp16")) {
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
  Layout narrow = serving("fp16");
  narrow.kv = job::KvPrecision::fp8;
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
  // Whole experts on two ranks: a quarter of them is visited, the busier rank having 1 + √(2 · ¾ · ln 2 ÷ 1) = 2.01967
  // times its share; 64 all-reduces.
  Layout whole = serving("fp16", 2);
  whole.ep = 2;
  CHECK(step_ms("model=mixtral-8x7b", whole, 1, 0) == near(11.890571 + 0.0017476267));
  // Spread over two replicas: their two tokens visit 1 − (3/4)² of the experts, each reads half of what the busier one
  // has, 1.66753 times its share, and sends a token of 8192 bytes to the other twice in 32 layers.
  Layout spread = serving("fp16");
  spread.dp = spread.ep = 2;
  CHECK(step_ms("model=mixtral-8x7b", spread, 1, 0) == near(17.581893 + 0.0017476267));
}

TEST_CASE("by hand: a prompt takes 2 FLOP per parameter and token, and half of the scores of its square") {
  const auto ttft = [](const std::string& words) {
    return in_ms(served("mode=single-stream output_tokens=256 model=llama-7b " + words).ttft());
  };
  CHECK(ttft("input_tokens=1024") == near(kPrompt));
  // Half of it is found in the cache: half of the products but for the head's, and 256 tokens that attend to the 512
  // before them and to themselves, 768 on average.
  CHECK(ttft("input_tokens=1024 prefix_cache_hit=0.5") == near(21.256296 + 0.66076420));
  // 8 tokens: reading the weights takes longer than 0.33 ms of products.
  CHECK(ttft("input_tokens=8") == near(6.4809648));
  // An 8-bit format computes at 624 TOPS on this part, and reads half.
  Layout narrow = serving("int8");
  CHECK(in_ms(served("mode=single-stream model=llama-7b input_tokens=1024", narrow).ttft()) == near(kPrompt / 2));
}

TEST_CASE("by hand: one request is its prompt and a step for each further token") {
  const InferenceSpeed one = served("mode=single-stream model=llama-7b input_tokens=1024 output_tokens=256");
  // Halfway through the answer the context is 1152 tokens: 13,214,687,232 + 1152 · 524,288 bytes
  CHECK(in_ms(one.itl()) == near(6.7771787));
  CHECK(in_ms(one.e2e()) == near(kPrompt + 255 * 6.7771787));
  CHECK(one.output_tokens_per_s == near(256 / ((kPrompt + 255 * 6.7771787) / 1e3)));
  // Sixteen at once: 16 prompts, two passes of 8192 tokens; steps read 16 caches.
  const InferenceSpeed batch = served("mode=throughput concurrency=16 model=llama-7b");
  const double step = 6.4809648 + 16 * 0.29621384;
  CHECK(in_ms(batch.itl()) == near(step));
  CHECK(batch.requests_per_s == near(16e3 / (16 * kPrompt + 255 * step)));
  CHECK(in_ms(batch.ttft()) == near((8 + 16) * kPrompt / 2));  // half of them after each pass
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

TEST_CASE("by hand: offloaded weights come over PCIe, but for the tenth in flight") {
  // 0.9 · 13,214,687,232 bytes at 31.507692 GB/s
  const auto work = service("model=llama-7b offload=weights");
  CHECK(in_ms(test::decode_step(work, a100(), serving("fp16"), 1, 0, test::ideal())) == near(377.47031));
}

TEST_CASE("by hand: what each fitted number adds to a decode step") {
  struct Term {
    Coefficient Coefficients::* of;
    double value;
    double ms;
    double batch = 1;
    double context = 1024;
    std::string words = "model=llama-7b";
    Layout plan = serving("fp16");
  };
  const double weights = 6.4809648, cache = 0.26330110;
  const Term terms[] = {
      {&Coefficients::decode_layer_us, 100, 3.2},
      {&Coefficients::decode_step_us, 1000, 1},
      {&Coefficients::sequence_us, 100, 6.4, 64},
      {&Coefficients::expert_layer_us, 100, 3.2, 1, 0, "model=mixtral-8x7b"},
      {&Coefficients::host_layer_us, 1000, 32 - weights - cache},  // 32 layers, the GPU's work is hidden
      {&Coefficients::host_expert_us, 100, 25.6 - 12.505006, 1, 0.5, "model=mixtral-8x7b"},  // 32 · 8
      {&Coefficients::collective_us, 100, 6.4, 1, 1024, "model=llama-7b", serving("fp16", 2)},
      {&Coefficients::collective_us, 100, 25.6, 1, 1024, "model=llama-7b", serving("fp16", 8)},  // (8 / 2)^1
      {&Coefficients::decode_bandwidth_efficiency, 0.5, weights + cache},
      {&Coefficients::multiprocessor_bytes, 1, (weights + cache) * (2039 / 152.34375 - 1)},  // 108 · 1.4106 GHz
      {&Coefficients::cache_efficiency, 0.5, cache},
      {&Coefficients::cache_copies, 2, 2 * cache},
      {&Coefficients::cache_copies, 2, 8 * 0.065825278, 1, 1024, "model=llama-3.1-8b"},  // of each of four heads
      // 4 · 4096 · 1024 · 32 FLOP of each of 64 at a thousandth of 19.5 TFLOPS are longer than reading the caches.
      {&Coefficients::decode_attention_share, 0.001, 1762.0379 - 64 * cache, 64},
      {&Coefficients::decode_rows_half, 512, 21.685642, 512, 0},  // half of the rate of products
      // 4.55 bits of all weights to read; eight sequences waste 64 rows of products: 8 / 72 of the rate.
      {&Coefficients::decode_rows_half, 512, 3.0495432 - 1.8430244, 8, 0, "engine=llama.cpp model=llama-7b",
       serving("q4_0")},
      {&Coefficients::gemm_efficiency, 0.5, 21.685642, 512, 0},
      {&Coefficients::link_efficiency, 0.5, 0.0017476267, 1, 1024, "model=llama-7b", serving("fp16", 2)},
  };
  for (const Term& term : terms) {
    CAPTURE(&term - terms, term.words);
    const auto work = service(term.words);
    const Machine machine = a100(term.plan.tp);
    Coefficients c = test::ideal();
    c.collective_growth = {1, {}};
    const auto ms = [&] { return in_ms(test::decode_step(work, machine, term.plan, term.batch, term.context, c)); };
    const double before = ms();
    c.*term.of = {term.value, {}};
    CHECK(ms() - before == Approx(term.ms).epsilon(1e-4));
  }
}

TEST_CASE("by hand: what each fitted number adds to the time of the first token") {
  struct Term {
    Coefficient Coefficients::* of;
    double value;
    double ms;
    std::string words = "model=llama-7b";
    Layout plan = serving("fp16");
  };
  const double products = 42.511751, attention = 0.88101893;
  const Term terms[] = {
      {&Coefficients::gemm_efficiency, 0.5, kPrompt},
      {&Coefficients::prefill_efficiency, 0.5, kPrompt},
      {&Coefficients::tflops_per_watt, 0.39, kPrompt},  // 400 W · 0.39 ÷ 312 TFLOPS: half
      {&Coefficients::prompt_rows_half, 1024, kPrompt},
      {&Coefficients::prefill_attention_efficiency, 0.5, attention},
      {&Coefficients::prefill_bytes, 1000, 65.825444},  // 1000 · 4096 · 32 · 1024 ÷ 2039e9
      {&Coefficients::prefill_bytes, 1000, 65.825444 / 2, "model=llama-7b", serving("fp16", 2)},
      // A chain of GPUs takes its layers in turn: no two of them share what streams.
      {&Coefficients::prefill_bytes, 1000, 65.825444, "engine=llama.cpp model=llama-7b", serving("fp16", 2)},
      {&Coefficients::prefill_layer_us, 1e4, 320 - products - attention},  // 32 launches hide the rest
      {&Coefficients::decode_step_us, 1000, 1},
      {&Coefficients::dequantise_efficiency, 0.5, kPrompt, "model=llama-7b", serving("w4a16")},
      {&Coefficients::low_precision_efficiency, 0.5, kPrompt / 2, "model=llama-7b", serving("int8")},
      // 2 · 45,097,156,608 ÷ 4 · 1024 FLOP of experts, each of which sees 256 of the tokens
      {&Coefficients::expert_efficiency, 0.5, 74.005591, "model=mixtral-8x7b"},
      {&Coefficients::expert_rows_half, 256, 74.005591, "model=mixtral-8x7b"},
      // 8192 in 8 passes instead of the engine's: more starts, and each reads all weights, which is hidden
      {&Coefficients::batched_tokens, 1024, 0, "model=llama-7b input_tokens=8192"},
      {&Coefficients::collective_us, 100, 6.4, "model=llama-7b", serving("fp16", 2)},
  };
  for (const Term& term : terms) {
    CAPTURE(&term - terms, term.words);
    const auto work = service("mode=single-stream output_tokens=2 input_tokens=1024 " + term.words);
    const Machine machine = a100(term.plan.tp);
    Coefficients c = test::ideal();
    const auto ms = [&] {
      const auto memory = inference_memory(work, machine, term.plan, c);
      return in_ms(inference_speed(work, machine, term.plan, memory, c)->ttft());
    };
    const double before = ms();
    c.*term.of = {term.value, {}};
    CHECK(ms() - before == Approx(term.ms).epsilon(1e-4).margin(1e-6));
  }
}

TEST_CASE("by hand: passes with graphs are not launched kernel by kernel") {
  const auto work = service("mode=single-stream output_tokens=2 input_tokens=1024 model=llama-7b");
  Coefficients c = test::ideal();
  c.prefill_layer_us = {1e4, {}};
  const auto ttft = [&] {
    return in_ms(
        inference_speed(work, a100(), serving("fp16"), inference_memory(work, a100(), serving("fp16"), c), c)->ttft());
  };
  c.prompt_graph_tokens = {1023, {}};
  CHECK(ttft() == near(320));
  c.prompt_graph_tokens = {1024, {}};
  CHECK(ttft() == near(kPrompt));
}

TEST_CASE("by hand: what each fitted number adds to what an engine holds") {
  struct Term {
    Coefficient Coefficients::* of;
    double value;
    double bytes;
    std::string words = "model=llama-7b";
    int tp = 1;
  };
  const Term terms[] = {
      {&Coefficients::process_gib, 0.5, 536'870'912},
      {&Coefficients::engine_workspace_gib, 0.5, 536'870'912},
      {&Coefficients::collectives_gib, 0.5, 536'870'912, "model=llama-7b", 2},
      {&Coefficients::activation_copies, 1.5, 1008 * 2 * 1.5 * (2 * 4096 + 2 * 11008)},  // of a pass of one prompt
      {&Coefficients::activation_copies, 1.5, 1008 * 2 * 1.5 * (2 * 4096 + 2 * 2 * 14336), "model=mixtral-8x7b"},
      {&Coefficients::activation_copies, 1.5, 1008 * 2 * 1.5 * (2 * 4096 + 11008), "model=llama-7b", 2},
      {&Coefficients::sampler_bytes, 10, 32'000 * 10.0},
      {&Coefficients::prompt_logits_bytes, 6, 1008 * 32'000 * 6.0},
  };
  for (const Term& term : terms) {
    CAPTURE(&term - terms, term.words);
    const auto work = service("input_tokens=1008 output_tokens=16 concurrency=1 " + term.words);
    const Machine machine = a100(term.tp);
    Coefficients c = test::ideal();
    const auto held = [&] {
      return inference_memory(work, machine, serving("fp16", term.tp), c).per_gpu.total().raw();
    };
    const double before = held();
    c.*term.of = {term.value, {}};
    CHECK(held() - before == Approx(term.bytes).epsilon(1e-6));
  }
}

TEST_CASE("by hand: what an engine holds to send tokens to their experts") {
  Layout plan = serving("fp16", 2);
  const auto scratch = [&] {
    return held("model=mixtral-8x7b concurrency=1 input_tokens=1008 output_tokens=16", 80e9, plan)
        .per_gpu.activations.raw();
  };
  CHECK(scratch() == near(1008 * 2 * (2 * 2 * 4096)));
  plan.ep = 2;
  CHECK(scratch() == near(1008 * 2 * (2 * 2 * 4096) / 2));
}

TEST_CASE("by hand: how the prompts of others are felt") {
  // Sixteen in flight, 1024 + 256 tokens: with nothing lost a cycle is 16 prompts and 255 steps.
  const double step = 6.4809648 + 16 * 0.29621384, cycle = 16 * kPrompt + 255 * step;
  const auto work = service("mode=online concurrency=16 model=llama-7b input_tokens=1024 output_tokens=256");
  Coefficients c = test::ideal();
  c.batched_tokens = {8192, {}};
  const auto speed = [&] {
    return inference_speed(work, a100(), serving("fp16"), inference_memory(work, a100(), serving("fp16"), c), c)
        .value();
  };
  CHECK(speed().requests_per_s == near(16e3 / cycle));
  CHECK(in_ms(speed().ttft()) == near(kPrompt));
  c.arrivals_together = {0.2, {}};  // 1 + 0.2 · 15 = 4 prompts come together and share a pass
  CHECK(in_ms(speed().ttft()) == near(4 * kPrompt));
  c.arrivals_together = {0.8, {}};  // 13: the first 8 are done with the first pass
  CHECK(in_ms(speed().ttft()) == near((8 + 13) * kPrompt / 2));
  c.arrivals_together = {0, {}};
  c.prompt_interference = {0.1, {}};  // half of a tenth of a step before the first token, a tenth of the stalls after
  // A prompt read in a step of those that decode: weights, read in the step anyway, hide behind its products, and the
  // products of the 16 others, 1/32 of those of 512, do not hide behind weights any longer.
  const double added = kPrompt + 21.685642 / 32 - 6.4809648, joined = 16 * added + 255 * step;
  CHECK(in_ms(speed().ttft()) == near(kPrompt + 0.05 * step));
  CHECK(in_ms(speed().itl()) == near(step + 0.1 * ((joined - kPrompt - 0.05 * step) / 255 - step)));
  CHECK(speed().requests_per_s == near(16e3 / joined));
  // Of a pair the other's step is felt as well.
  const auto pair = service("mode=online concurrency=2 model=llama-7b input_tokens=1024 output_tokens=256");
  const auto held_pair = inference_memory(pair, a100(), serving("fp16"), c);
  CHECK(in_ms(inference_speed(pair, a100(), serving("fp16"), held_pair, c)->ttft()) ==
        near(kPrompt + 0.05 * (6.4809648 + 2 * 0.29621384)));
  c.prompts_first = {1, {}};  // engines that do one or the other
  CHECK(in_ms(speed().itl()) == near(step + 0.1 * ((cycle - kPrompt - 0.05 * step) / 255 - step)));
  CHECK(speed().requests_per_s == near(16e3 / cycle));
  c.prompts_first = {0, {}};
  c.prompt_interference = {0, {}};
  c.async_steps = {1, {}};  // a step is put together while the one before runs
  CHECK(in_ms(speed().ttft()) == near(kPrompt + step));
  c.async_steps = {0, {}};
  c.request_ms = {100, {}};
  CHECK(in_ms(speed().ttft()) == near(kPrompt + 100));
  CHECK(speed().requests_per_s == near(16e3 / (cycle + 100)));
  c.request_ms = {0, {}};
  c.arrivals_together = {0.1, {}};  // 1 + 0.1 · 15 = 2.5 prompts, half of 1.5 of them in front of the server
  c.arrival_ms = {10, {}};
  CHECK(in_ms(speed().ttft()) == near(2.5 * kPrompt + 7.5));
  c.arrivals_together = c.arrival_ms = {0, {}};
  const auto batch = service("mode=throughput concurrency=16 model=llama-7b input_tokens=1024 output_tokens=256");
  c.serving_efficiency = {0.5, {}};  // 1 − ½ · 15/16 of the rate
  const auto memory = inference_memory(batch, a100(), serving("fp16"), c);
  CHECK(inference_speed(batch, a100(), serving("fp16"), memory, c)->requests_per_s == near(0.53125 * 16e3 / cycle));
}

namespace {

/// With the machine and coefficients that it refers to.
struct OnA100 {
  OnA100(const std::string& words, const Coefficients& coefficients, Layout of = serving("fp16"))
      : work(service(words)), plan(std::move(of)), machine(a100(plan.tp)), c(coefficients) {}
  Replica replica() const { return {work, machine, plan, c, *compute_rate(*plan.weights, machine.device)}; }

  job::Job work;
  Layout plan;
  Machine machine;
  Coefficients c;
};

}  // namespace

TEST_CASE("by hand: prompts take as long in parts, or with others, as whole and alone") {
  OnA100 at("model=llama-7b input_tokens=2048", test::ideal());
  at.c.batched_tokens = {8192, {}};
  const double whole = in_ms(at.replica().prefill(2048, 1));
  const double added = in_ms(at.replica().added_by(1, 2048, 0, 0, {0, 0}, 0));
  CHECK(added == near(whole));
  CHECK(in_ms(at.replica().added_by(2, 1024, 0, 0, {0, 0}, 0)) == near(2 * kPrompt));
  at.c.batched_tokens = {512, {}};  // four passes, each a last word of its own: 2 · 131,072,000 FLOP more
  CHECK(in_ms(at.replica().added_by(1, 2048, 0, 0, {0, 0}, 0)) == near(whole + 3 * 2 * 131'072'000.0 / 312e9));
}

TEST_CASE("by hand: sequences that decode beside a prompt wait for caches or for scores, whichever take longer") {
  OnA100 at("model=llama-7b", test::ideal());
  const auto pass = [&] { return in_ms(at.replica().added_by(1, 512, 0, 64, {1024, 0}, 0)); };
  const double reading = pass();
  at.c.decode_attention_share = {0.001, {}};  // as above: 1762.0379 ms of scores for 64 sequences, read 0.26330110 each
  CHECK(pass() - reading == Approx(1762.0379 - 64 * 0.26330110).epsilon(1e-4));
}

TEST_CASE("by hand: windows of attention end where a prompt has passed them") {
  OnA100 at("model=llama-7b", test::ideal());
  catalog::Model model = *at.work.model;
  at.work.model = &model;
  model.kv_full_layers = 8;
  model.kv_window_layers = 24;
  model.window_tokens = 256;
  // 8 layers see 1024²/2 pairs, 24 of them 256²/2 + 768 · 256; 4 · 4096 FLOP for each.
  const double pairs = 8 * 1024.0 * 1024 / 2 + 24 * (256.0 * 256 / 2 + 768 * 256);
  CHECK(in_ms(at.replica().prompt_attention(1024, 0, 1024)) == near(4 * 4096 * pairs / 312e9));
}

TEST_CASE("by hand: layers with experts are launched on top of all layers") {
  OnA100 at("model=mixtral-8x7b", test::ideal());
  at.c.prefill_layer_us = {10, {}};
  at.c.prompt_expert_layer_us = {4, {}};
  CHECK(in_ms(at.replica().prompt_launch()) == near(32 * 0.014));
  at.c.prefill_layer_us = {1e4, {}};
  at.c.prompt_expert_layer_us = {4e3, {}};
  CHECK(in_ms(at.replica().prefill(1024, 1)) == near(32 * 14));
}

TEST_CASE("by hand: steps that were measured to take twice as long do, in all of their parts") {
  Coefficients c = test::ideal();
  c.decode_step_us = {1000, {}};
  c.sequence_us = {100, {}};
  c.prefill_layer_us = {1e4, {}};
  OnA100 at("mode=single-stream model=llama-7b input_tokens=1024 output_tokens=2", c);
  const auto step = [&] { return in_ms(at.replica().decode(1, Cached{1024, 0}).total); };
  CHECK(step() == near(6.7442660 + 1 + 0.1));
  CHECK(in_ms(at.replica().prefill(1024, 1)) == near(320 + 1));
  at.c.step_scale = {2, {}};
  CHECK(step() == near(2 * (6.7442660 + 1 + 0.1)));
  CHECK(in_ms(at.replica().prefill(1024, 1)) == near(2 * (320 + 1)));
  CHECK(at.replica().per_sequence().raw() == near(200e-6));
  // Where arithmetic is what takes the time, too: 512 sequences, and a prompt.
  OnA100 busy("model=llama-7b input_tokens=1024", test::ideal());
  busy.c.step_scale = {2, {}};
  CHECK(in_ms(busy.replica().decode(512, Cached{0, 0}).total) == near(2 * 21.685642));
  CHECK(in_ms(busy.replica().prefill(1024, 1)) == near(2 * kPrompt));
}

TEST_CASE("by hand: each layer of experts in a format of its own has a launch more") {
  OnA100 at("model=mixtral-8x7b", test::ideal());
  const auto step = [&] { return in_ms(at.replica().decode(1, Cached{0, 0}).total); };
  CHECK(step() == near(12.505006));
  at.c.expert_format_us = {1000, {}};
  CHECK(step() == near(12.505006 + 32));  // 32 layers have experts
  at.c.decode_layer_us = {500, {}};
  CHECK(step() == near(12.505006 + 32 + 16));
}

TEST_CASE("by hand: answers of two tokens have one step, in which all prompts are read") {
  OnA100 at("mode=online concurrency=16 model=llama-7b input_tokens=128 output_tokens=2", test::ideal());
  at.c.batched_tokens = {8192, {}};
  at.c.prompt_interference = {0.1, {}};
  const auto memory = inference_memory(at.work, at.machine, at.plan, at.c);
  const InferenceSpeed speed = inference_speed(at.work, at.machine, at.plan, memory, at.c).value();
  const double pass = in_ms(at.replica().added_by(16, 128, 0, 16, halfway(at.work.inference), 0));
  CHECK(speed.requests_per_s == near(16e3 / pass));
  CHECK(in_ms(speed.tpot) == near(in_ms(speed.e2e()) - in_ms(speed.ttft())));
  CHECK(in_ms(speed.tpot) > 1);
}

TEST_CASE("by hand: weights and caches are certain, the rest of an engine's memory is not") {
  Coefficients c = test::ideal();
  c.counted_deviation = {0.03, {}};
  c.memory_deviation = {0.4, {}};
  const auto work = service("model=llama-7b");
  // sqrt((0.03 · 90)² + (0.4 · 9)²) ÷ 99 = 4.5 ÷ 99, of 110 GiB of which the engine may use nine tenths
  CHECK(serving_deviation(work, gib(90), gib(99), c) == near(4.5 / 99));
  CacheRoom room;
  room.counted = gib(90);
  room.needed = gib(110);
  room.share = 0.9;
  CHECK(serving_deviation(work, room, c) == near(4.5 / 99));
  CHECK(serving_deviation(work, gib(0), gib(0), c) == 0);
}

TEST_CASE("by hand: what an architecture adds to a step, and what it reads less well") {
  const auto step = [](const Coefficients& c) {
    return in_ms(test::decode_step(service("model=mixtral-8x7b"), a100(), serving("fp16"), 1, 0, c));
  };
  Coefficients c = test::ideal();
  c.decode_layer_us = {10, {}};
  c.fixed_scale = {1, {{"Ampere", 2}, {"Hopper", 9}}};
  CHECK(step(c) == near(12.505006 + 32 * 2 * 10e-3));
  // A generation of the software on it counts before the architecture; current vLLM has none, so its own case does.
  c.fixed_scale.cases.emplace_back("Ampere vllm", 0.5);
  CHECK(step(c) == near(12.505006 + 32 * 0.5 * 10e-3));
  c.expert_format_us = {0, {{"Ampere fp16", 100}, {"vllm fp16", 40}}};
  CHECK(step(c) == near(12.505006 + 32 * (0.5 * 10e-3 + 0.1)));  // the larger one, unscaled
  Coefficients slow = test::ideal();
  slow.bandwidth_share = {1, {{"Ampere", 0.5}}};
  CHECK(step(slow) == near(2 * 12.505006));
}

TEST_CASE("by hand: formats that are unpacked for each token take ordinary arithmetic") {
  // 2 · 6,607,343,616 FLOP at a hundredth of 19.5 TFLOPS: 67.767627 ms, however few the sequences are
  Coefficients c = test::ideal();
  c.unpack_share = {0.01, {}};
  const auto step = [&](const char* format, double batch) {
    return in_ms(test::decode_step(service("model=llama-7b engine=llama.cpp"), a100(), serving(format), batch, 0, c));
  };
  CHECK(step("q4_0", 1) == near(67.767627));
  CHECK(step("q4_0", 8) == near(67.767627));
  CHECK(step("fp16", 1) == near(6.4809648));
}

TEST_CASE("by hand: a prompt of several passes gains from a chain of GPUs until hops outweigh it") {
  const auto first = [](int gpus, const Coefficients& c) {
    const auto work = service("mode=single-stream model=llama-7b engine=llama.cpp input_tokens=2048 output_tokens=1");
    Layout plan = serving("fp16");
    plan.pp = gpus;
    const Machine machine = a100(gpus);
    const auto memory = inference_memory(work, machine, plan, c);
    return in_ms(inference_speed(work, machine, plan, memory, c).value().ttft());
  };
  Coefficients c = test::ideal();
  c.batched_tokens = {512, {}};
  const double alone = first(1, c);
  c.pipelines_prompts = {1, {}};
  CHECK(first(2, c) == near(alone * 5 / 8));  // four passes: (4 + 2 − 1) ÷ (4 · 2)
  c.chain_share = {0.45, {}};
  c.chain_hop = {0.075, {}};
  CHECK(first(2, c) == near(alone * 5 / 8));  // more than 0.6
  CHECK(first(8, c) == near(alone * 1.05));   // 0.45 + 8 · 0.075
  CHECK(first(1, c) == near(alone));
  c.chain_hop = {0.15, {}};
  CHECK(first(2, c) == near(alone * 0.75));  // two GPUs are a chain: 0.45 + 2 · 0.15
  c.batched_tokens = {1024, {}};
  const double halves = first(1, c);
  CHECK(first(2, c) == near(halves * 0.75));  // and so are two passes, which alone would take 3 ÷ 4
  c.batched_tokens = {2048, {}};
  CHECK(first(2, c) == near(first(1, c)));  // one pass follows none
}

TEST_CASE("by hand: the time per output token of a closed loop has the stalls in it") {
  const std::string words = "mode=online concurrency=16 model=llama-7b input_tokens=1024 output_tokens=256";
  const InferenceSpeed loop = served(words);
  CHECK(in_ms(loop.tpot) == near((in_ms(loop.e2e()) - in_ms(loop.ttft())) / 255));
  CHECK(loop.tpot >= loop.itl());
  const InferenceSpeed alone = served("mode=single-stream model=llama-7b input_tokens=1024 output_tokens=256");
  CHECK(in_ms(alone.tpot) == near(6.7771787));
  // Sent four at a time, the first tokens come three steps later.
  const InferenceSpeed polled = served("mode=single-stream stream_interval=4 model=llama-7b input_tokens=1024");
  CHECK(in_ms(polled.ttft()) == near(kPrompt + 3 * 6.7771787));
  const std::string rare = "mode=online model=llama-7b input_tokens=1024 output_tokens=256 request_rate=0.001";
  const double at_once = in_ms(served(rare).ttft());
  CHECK(in_ms(served(rare + " stream_interval=4").ttft()) - at_once == Approx(3 * 6.7771787).epsilon(0.02));
  CHECK(in_ms(served(rare + " stream_interval=1").ttft()) == near(at_once));
}

TEST_CASE("by hand: prompts of more passes than their answers have steps wait to be read") {
  const auto served_to = [](int users) {
    OnA100 at("mode=online model=llama-7b input_tokens=4096 output_tokens=5 concurrency=" + std::to_string(users),
              test::ideal());
    at.c.batched_tokens = {2048, {}};
    const auto memory = inference_memory(at.work, at.machine, at.plan, at.c);
    return inference_speed(at.work, at.machine, at.plan, memory, at.c).value();
  };
  // Four steps read 4 · 2048 tokens, of prompts and of those that decode: no more than two decode at once.
  const double decoding = 4 * 2048 / (4096.0 + 4);
  const InferenceSpeed many = served_to(16);
  CHECK(many.requests_per_s * many.e2e().raw() == near(16));  // Little's law
  CHECK(many.ttft().raw() >= (16 - decoding) / many.requests_per_s);
  CHECK(many.requests_per_s == near(served_to(8).requests_per_s));
  CHECK(in_ms(many.tpot) == Approx(in_ms(served_to(8).tpot)).epsilon(1e-3));
}

TEST_CASE("by hand: parts without fp16 compute in bf16, and those with neither in fp32") {
  Machine machine = a100();
  catalog::Gpu gpu = *machine.device.gpu;
  machine.device.gpu = &gpu;
  const auto rate = [&](const char* format) { return compute_rate(**weight_format(format), machine.device)->peak; };
  gpu.fp16_dense_tflops = std::nullopt;
  CHECK(rate("bf16") == tflops(312));
  CHECK(rate("w4a16") == tflops(312));
  gpu.bf16_dense_tflops = 0;
  gpu.fp16_dense_tflops = 0;
  CHECK(rate("fp16") == tflops(19.5));
}

}  // namespace serving_by_hand_test
