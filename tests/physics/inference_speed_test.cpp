// Serving speed: never beyond bandwidth or peak, and consistent with itself.
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "physics/serving/inference.hpp"
#include "physics/serving/replica.hpp"
#include "support/job.hpp"

namespace inference_speed_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using gpusel::test::serving;
using job::Job;

namespace {

struct Served {
  InferenceMemory memory;
  InferenceSpeed speed;
};

Served serve(const Job& work, const Machine& machine, const Layout& plan) {
  Served served;
  served.memory = inference_memory(work, machine, plan, test::coefficients());
  const auto speed = inference_speed(work, machine, plan, served.memory, test::coefficients());
  REQUIRE(speed);
  served.speed = *speed;
  return served;
}
Served serve(const std::string& words, std::string_view gpu, const Layout& plan) {
  return serve(job("task=inference " + words), test::machine(gpu, plan.tp * plan.pp * plan.dp), plan);
}

/// Bytes of the weights that one token of one sequence needs, the input table aside.
double read_per_token(const Job& work, double bytes) {
  return work.parameters.active(std::max(work.parameters.head, work.parameters.embedding)) * bytes;
}

}  // namespace

TEST_CASE("a prompt that is cached whole costs no prefill, and answers all the same") {
  const Served served = serve(job("task=inference model=llama-3.1-8b mode=single-stream prefix_cache_hit=1"),
                              test::machine("h100-sxm-80gb"), serving("bf16"));
  CHECK(std::isfinite(served.speed.e2e().raw()));
  CHECK(served.speed.ttft().raw() == Approx(served.speed.itl().raw()).epsilon(0.05));
}

TEST_CASE("at a rate an answer takes its first token and the gaps between the others") {
  const Served served =
      serve("model=llama-3.1-8b request_rate=2 input_tokens=1024 output_tokens=256", "h100-sxm-80gb", serving("bf16"));
  const InferenceSpeed& speed = served.speed;
  REQUIRE(speed.load);
  CHECK(speed.e2e().raw() == Approx((speed.ttft() + speed.tpot_within(50) * 255.0).raw()));
}

TEST_CASE("prompts that arrive together and are answered by one token end when the last of them does") {
  const Served served = serve("model=llama-3.1-8b mode=throughput concurrency=32 input_tokens=4096 output_tokens=1",
                              "h100-sxm-80gb", serving("bf16"));
  // On average half of the batch is read before the first token.
  CHECK(served.speed.ttft() < served.speed.e2e() * 0.75);
}

TEST_CASE("a single multiprocessor asks for so many bytes in each tick of its clock") {
  catalog::Gpu one = test::gpu("h100-sxm-80gb");
  one.tensor_cores = 4;
  one.clock_mhz = 1000;
  Machine machine = test::machine("h100-sxm-80gb");
  machine.device.gpu = &one;
  const Job work = job("task=inference model=llama-3.2-1b mode=single-stream");
  for (const double share : {1.0, 0.5}) {  // a slice has half of it
    machine.device.share = share;
    const double step = test::decode_step(work, machine, serving("bf16"), 1, 16, test::coefficients()).raw();
    CHECK(step > read_per_token(work, 2) / (1e9 * share * test::coefficients().multiprocessor_bytes.of("vllm")));
  }
}

TEST_CASE("what a coefficient of an engine is about follows it") {
  Coefficients c = test::coefficients();
  const Job work = job("task=inference model=mixtral-8x7b input_tokens=8");
  const Machine machine = test::machine("h100-sxm-80gb");
  const auto replica = [&](const Layout& plan) {
    return Replica(work, machine, plan, c, *compute_rate(*plan.weights, machine.device));
  };
  const Layout narrow = serving("w4a16"), half = serving("fp16");
  const double usual = replica(narrow).prompt(8, 1, 0).products.raw();
  const double plain = replica(half).prompt(8, 1, 0).products.raw();
  c.dequantise_efficiency.value /= 2;  // of dense products; that of experts lies on top
  CHECK(replica(narrow).prompt(8, 1, 0).products.raw() == Approx(2 * usual));
  CHECK(replica(half).prompt(8, 1, 0).products.raw() == Approx(plain));
  c.cache_copies = Coefficient{0, {}};
  c.cache_efficiency = Coefficient{1, {}};
  // What is read of weights stays, what is read of caches takes as many times as long.
  const auto reading = [&](double efficiency) {
    c.cache_efficiency = Coefficient{efficiency, {}};
    return replica(half).decode(1, {1024, 0}).memory.raw();
  };
  const double caches = reading(0.5) - reading(1);
  CHECK(caches > 0);
  CHECK(reading(0.25) - reading(1) == Approx(3 * caches));
  // Two passes of four tokens visit as many experts each as one of four does.
  c.batched_tokens = Coefficient{4, {}};
  CHECK(replica(half).prompt(8, 1, 0).reading.raw() == Approx(2 * replica(half).prompt(4, 1, 0).reading.raw()));
}

TEST_CASE("16-bit weights on a part without 16-bit arithmetic are not widened") {
  catalog::Gpu old = test::gpu("p100-16gb");
  old.fp16_dense_tflops = 0;
  Machine machine = test::machine("p100-16gb");
  machine.device.gpu = &old;
  Coefficients c = test::coefficients();
  const Job work = job("task=inference model=llama-3.2-1b");
  const Layout plan = serving("fp16");
  const auto products = [&] {
    return Replica(work, machine, plan, c, *compute_rate(*plan.weights, machine.device)).prompt(64, 1, 0).products;
  };
  const Seconds before = products();
  c.dequantise_efficiency = Coefficient{0.5, {}};
  CHECK(products() == before);
}

TEST_CASE("half-precision weights are computed as they are, whatever a part has for them") {
  catalog::Gpu old = test::gpu("p100-16gb");
  old.fp16_dense_tflops = 0;  // fp32 stands in
  Machine machine = test::machine("p100-16gb");
  machine.device.gpu = &old;
  const Job work = job("task=inference model=llama-3.2-1b");
  CHECK(serve(work, machine, serving("fp16")).speed.weights_native);
  CHECK_FALSE(serve(work, machine, serving("w4a16")).speed.weights_native);
}

TEST_CASE("one stream is never faster than reading the weights once per token") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-3.2-1b", "llama-7b", "mixtral-8x7b",
                              "llama-3.1-70b");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "l4", "rtx-4090", "a100-sxm-80gb",
                            "h100-sxm-80gb", "b200-180gb");
  const auto engine = GENERATE(Catch::Generators::as<std::string>{}, "vllm", "trt-llm", "llama.cpp", "hf");
  for (const int tp : {1, 4}) {
    const Job work = job("task=inference mode=single-stream model=" + model + " engine=" + engine);
    const Machine machine = test::machine(gpu, tp);
    const Layout plan = serving("fp16", tp);
    const double step = test::decode_step(work, machine, plan, 1, 1024, test::coefficients()).raw();
    const double floor = read_per_token(work, 2) / (machine.device.bandwidth.raw() * tp);
    CAPTURE(model, gpu, engine, tp);
    CHECK(step > floor);
    CHECK(serve(work, machine, plan).speed.output_tokens_per_s < 1 / floor);
  }
}

TEST_CASE("a prompt is never read faster than the peak allows") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-7b", "mixtral-8x7b");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "a100-sxm-80gb", "h100-sxm-80gb");
  for (const int tokens : {128, 2048, 16384}) {
    const Job work = job("task=inference mode=single-stream output_tokens=16 model=" + model +
                         " input_tokens=" + std::to_string(tokens));
    const Machine machine = test::machine(gpu);
    const double flops = 2 * work.parameters.active(0) * tokens;
    const double floor = flops / machine.device.peak(job::Precision::fp16)->raw();
    CAPTURE(model, gpu, tokens);
    CHECK(serve(work, machine, serving("fp16")).speed.ttft().raw() > floor);
  }
}

TEST_CASE("a full batch is never faster than the peak allows") {
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "l4", "a100-sxm-80gb", "h100-sxm-80gb");
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "llama-3.2-1b", "llama-7b", "mixtral-8x7b");
  const Job work = job("task=inference model=" + model);
  const Machine machine = test::machine(gpu);
  const Served s = serve(work, machine, serving("fp16"));
  const double per_token = 2 * work.parameters.active(0);
  CAPTURE(gpu, model);
  CHECK(s.speed.total_tokens_per_s * per_token < machine.device.peak(job::Precision::fp16)->raw());
}

TEST_CASE("rates of serving are the same rate in requests and tokens") {
  const Served s = serve("model=llama-3.1-8b input_tokens=700 output_tokens=300", "h100-sxm-80gb", serving("bf16"));
  CHECK(s.speed.output_tokens_per_s == Approx(300 * s.speed.requests_per_s));
  CHECK(s.speed.total_tokens_per_s == Approx(1000 * s.speed.requests_per_s));
  // The first token, then 299 more, and stalls between some of them; Little's law has the whole
  const Served online =
      serve("mode=online concurrency=16 model=llama-3.1-8b output_tokens=300", "h100-sxm-80gb", serving("bf16"));
  CHECK(online.speed.e2e().raw() >= online.speed.ttft().raw() + 299 * online.speed.itl().raw());
  CHECK(online.speed.e2e().raw() * online.speed.requests_per_s == Approx(16).epsilon(0.02));
}

TEST_CASE("one request at a time takes its own latency") {
  const Served s = serve("mode=single-stream model=llama-3.1-8b", "h100-sxm-80gb", serving("bf16"));
  CHECK(1 / s.speed.requests_per_s == Approx(s.speed.e2e().raw()).epsilon(0.02));
}

TEST_CASE("more requests in flight raise the throughput and the latency of each") {
  double throughput = 0;
  double itl = 0;
  for (const int concurrency : {1, 2, 4, 8, 16, 32, 64, 128}) {
    const Served s =
        serve("model=llama-3.1-8b concurrency=" + std::to_string(concurrency), "h100-sxm-80gb", serving("bf16"));
    CAPTURE(concurrency);
    CHECK(s.speed.output_tokens_per_s >= throughput);
    CHECK(s.speed.itl().raw() >= itl);
    throughput = s.speed.output_tokens_per_s;
    itl = s.speed.itl().raw();
  }
}

TEST_CASE("requests beyond the room of the cache wait for their first token") {
  const std::string words = "model=llama-7b input_tokens=3072 output_tokens=1024 concurrency=";
  const Served some = serve(words + "1", "a100-sxm-40gb", serving("fp16"));
  const int room = static_cast<int>(some.memory.steady_concurrency);
  REQUIRE(room > 2);
  const Served full = serve(words + std::to_string(room), "a100-sxm-40gb", serving("fp16"));
  const Served over = serve(words + std::to_string(4 * room), "a100-sxm-40gb", serving("fp16"));
  CHECK(over.speed.output_tokens_per_s == Approx(full.speed.output_tokens_per_s).epsilon(0.05));
  CHECK(over.speed.ttft() > full.speed.ttft() * 10);
  CHECK(over.speed.bound_by == "kv-cache");
}

TEST_CASE("a mixture of experts is quick alone and reads all experts in a batch") {
  const Job work = job("task=inference model=mixtral-8x7b");
  const Machine machine = test::machine("h200-sxm-141gb");
  const Layout plan = serving("bf16");
  const auto step = [&](double batch) {
    return test::decode_step(work, machine, plan, batch, 16, test::coefficients());
  };
  // 12.7e9 active parameters at 2 bytes over 4.8 TB/s are 5.3 ms; all 46.6e9 are 19 ms.
  CHECK(step(1).raw() > 0.0053);
  CHECK(step(1).raw() < 0.019);
  CHECK(step(64).raw() > 0.019);
}

TEST_CASE("fewer bits per weight quicken one stream and not a long prompt") {
  const std::string words = "mode=single-stream model=llama-3.1-8b input_tokens=8192";
  const Served wide = serve(words, "a100-sxm-80gb", serving("bf16"));
  const Served narrow = serve(words, "a100-sxm-80gb", serving("w4a16"));
  CHECK(narrow.speed.itl() < wide.speed.itl() * 0.65);
  CHECK(narrow.speed.ttft() >= wide.speed.ttft());
  CHECK(wide.speed.weights_native);
  CHECK_FALSE(narrow.speed.weights_native);
}

TEST_CASE("more bandwidth or a higher peak never slows serving") {
  const auto words =
      GENERATE(Catch::Generators::as<std::string>{}, "mode=single-stream", "concurrency=16", "mode=throughput");
  const auto format = GENERATE(Catch::Generators::as<std::string>{}, "bf16", "fp8", "w4a16");
  const Job work = job("task=inference model=llama-3.1-8b " + words);
  Machine machine = test::machine("h100-sxm-80gb", 2);
  const Layout plan = serving(format, 2);
  const Served before = serve(work, machine, plan);
  catalog::Gpu faster = *machine.device.gpu;
  SECTION("memory bandwidth") { machine.device.bandwidth = machine.device.bandwidth * 1.5; }
  SECTION("link bandwidth") { machine.link_bandwidth = machine.link_bandwidth * 1.5; }
  SECTION("arithmetic") {
    faster.fp16_dense_tflops = *faster.fp16_dense_tflops * 1.5;
    faster.fp8_dense_tflops = *faster.fp8_dense_tflops * 1.5;
    machine.device.gpu = &faster;
  }
  const Served after = serve(work, machine, plan);
  CAPTURE(words, format);
  constexpr double kRounding = 1e-12;  // where power is the bound, a higher peak changes nothing
  CHECK(after.speed.output_tokens_per_s >= before.speed.output_tokens_per_s * (1 - kRounding));
  CHECK(after.speed.itl() <= before.speed.itl() * (1 + kRounding));
  CHECK(after.speed.ttft() <= before.speed.ttft() * (1 + kRounding));
}

TEST_CASE("tensor parallelism pays two all-reduces per layer and step") {
  const Job work = job("task=inference model=llama-7b");
  Machine machine = test::machine("h100-sxm-80gb", 4);
  const Layout plan = serving("fp16", 4);
  const auto step = [&] { return test::decode_step(work, machine, plan, 64, 512, test::coefficients()).raw(); };
  const double fast = step();
  machine.link_bandwidth = machine.link_bandwidth / 2;
  // 2 × 32 layers × 2 × 3/4 × (64 rows × 4096 × 2 bytes), once more at the full rate
  const double traffic = 64 * 1.5 * (64.0 * 4096 * 2);
  const double rate = 450e9 * test::coefficients().link_efficiency.of("nvswitch");
  CHECK(step() - fast == Approx(traffic / rate));
}

TEST_CASE("a found prefix shortens the wait for the first token") {
  const std::string words = "model=llama-3.1-8b concurrency=8 input_tokens=8192 prefix_cache_hit=";
  const Served none = serve(words + "0", "a100-sxm-80gb", serving("bf16"));
  const Served most = serve(words + "0.9", "a100-sxm-80gb", serving("bf16"));
  CHECK(most.speed.ttft() < none.speed.ttft() * 0.5);
  CHECK(most.speed.output_tokens_per_s > none.speed.output_tokens_per_s);
}

TEST_CASE("one stream takes the bytes of the weights, a cost per layer and one per step") {
  const Job work = job("task=inference mode=single-stream model=llama-7b engine=vllm");
  const Machine machine = test::machine("l4");
  const Coefficients& c = test::coefficients();
  // (6.738e9 − 32000 × 4096) parameters × 2 bytes, and 512 KiB of cache per token, at 300 GB/s
  const double weights = (6.73841562e9 - 32000.0 * 4096) * 2;
  const double caches = 1024 * 524288.0 / c.cache_efficiency.of("vllm");
  const double bandwidth = 300e9 * c.decode_bandwidth_efficiency.of("vllm");
  const double fixed =
      (32 * c.decode_layer_us.of("vllm") + c.decode_step_us.of("vllm") + c.sequence_us.of("vllm")) * 1e-6;
  const double step = test::decode_step(work, machine, serving("fp16"), 1, 1024, c).raw();
  CHECK(step == Approx((weights + caches) / bandwidth + fixed).epsilon(1e-4));
}

TEST_CASE("engines without graphs launch layers while the GPU works") {
  const Job work = job("task=inference mode=single-stream engine=hf model=llama-3.2-1b");
  Coefficients c = test::coefficients();
  const auto step = [&](double exposed) {
    c.host_exposed = {exposed, {}};
    return test::decode_step(work, test::machine("h100-sxm-80gb"), serving("bf16"), 1, 16, c).raw();
  };
  // The small model's 16 layers wait for the host, which hides the GPU's work but for the share that shows.
  const double launching = 16 * c.host_layer_us.of("hf") * 1e-6;
  CHECK(step(0) == Approx(launching + c.sequence_us.of("hf") * 1e-6));
  CHECK(step(1) - step(0) > 2.4e9 / 3.35e12);
  CHECK(step(0.5) == Approx((step(0) + step(1)) / 2));
}

TEST_CASE("beyond the contexts that graphs were captured for, layers are launched") {
  const Job work = job("task=inference mode=single-stream model=llama-3.2-1b engine_version=0.4.2");
  const Coefficients& c = test::coefficients();
  const auto step = [&](double context) {
    return test::decode_step(work, test::machine("a100-sxm-80gb"), serving("bf16"), 1, context, c).raw();
  };
  const double most = c.graph_tokens.of("vllm", "older");
  CHECK(step(most + 1) > step(most) * 1.5);
}

TEST_CASE("every sequence of a step costs the host the same") {
  const Job work = job("task=inference model=llama-3.2-1b");
  Coefficients c = test::coefficients();
  const auto step = [&](double batch) {
    return test::decode_step(work, test::machine("h100-sxm-80gb"), serving("bf16"), batch, 16, c).raw();
  };
  const double with = step(100);
  c.sequence_us = {0, {}};
  CHECK(with - step(100) == Approx(100 * test::coefficients().sequence_us.of("vllm") * 1e-6));
}

TEST_CASE("experts spread over replicas are read once for all of them") {
  const Job work = job("task=inference model=deepseek-v3");
  Layout plan = serving("fp8");
  plan.dp = 8;
  const Machine machine = test::machine("h200-sxm-141gb", 8);
  const auto step = [&](int ep, double batch) {
    plan.ep = ep;
    return test::decode_step(work, machine, plan, batch, 1024, test::coefficients()).raw();
  };
  CHECK(step(8, 16) < step(1, 16) * 0.6);
}

TEST_CASE("whole experts on ranks of their own load these unevenly until all are visited") {
  const Job work = job("task=inference model=qwen3-235b-a22b");
  Layout plan = serving("fp8", 8);
  const Machine machine = test::machine("h200-sxm-141gb", 8);
  const auto ratio = [&](double batch) {
    Layout whole = plan;
    whole.ep = 8;
    return test::decode_step(work, machine, whole, batch, 1024, test::coefficients()) /
           test::decode_step(work, machine, plan, batch, 1024, test::coefficients());
  };
  CHECK(ratio(1) > 1.05);
  CHECK(ratio(512) == Approx(1).epsilon(0.01));
}

TEST_CASE("an all-reduce among more GPUs waits longer") {
  const Job work = job("task=inference model=llama-7b");
  Coefficients c = test::coefficients();
  const auto waiting = [&](int tp) {
    const Machine machine = test::machine("h100-sxm-80gb", tp);
    const double with = test::decode_step(work, machine, serving("fp16", tp), 1, 16, c).raw();
    const Coefficient was = std::exchange(c.collective_us, {0, {}});
    const double without = test::decode_step(work, machine, serving("fp16", tp), 1, 16, c).raw();
    c.collective_us = was;
    return with - without;
  };
  CHECK(waiting(2) == Approx(64 * c.collective_us.of("nvswitch") * 1e-6));
  CHECK(waiting(8) == Approx(waiting(2) * std::pow(4, c.collective_growth.of("nvswitch"))));
}

TEST_CASE("few multiprocessors cannot ask for all of a wide memory") {
  const Job work = job("task=inference mode=single-stream model=llama-7b");
  Machine machine = test::machine("h20-96gb");
  const auto step = [&] {
    return test::decode_step(work, machine, serving("fp16"), 1, 16, test::coefficients()).raw();
  };
  const double before = step();
  machine.device.bandwidth = machine.device.bandwidth * 2;
  CHECK(step() == Approx(before));
}

TEST_CASE("an old generation of an engine is slower than the current one") {
  const std::string words = "mode=single-stream model=llama-3.2-1b engine_version=";
  const Served now = serve(words + "0.11.0", "a100-sxm-80gb", serving("bf16"));
  const Served then = serve(words + "0.2.7", "a100-sxm-80gb", serving("bf16"));
  CHECK(then.speed.itl() > now.speed.itl() * 1.5);
}

TEST_CASE("prompts that arrive together wait for each other") {
  const std::string words = "mode=throughput model=llama-3.1-8b input_tokens=4096 output_tokens=64 concurrency=";
  const Served one = serve(words + "1", "h100-sxm-80gb", serving("bf16"));
  const Served sixteen = serve(words + "16", "h100-sxm-80gb", serving("bf16"));
  // Sixteen prompts in passes of two: on average the wait is that of nine.
  CHECK(sixteen.speed.ttft().raw() == Approx(9 * one.speed.ttft().raw()).epsilon(0.15));
  CHECK(sixteen.speed.itl() < one.speed.itl() * 1.5);
}

TEST_CASE("heads that share a cache make attention work, not reading") {
  // Equal caches and weights, four times the query heads
  catalog::Model grouped = test::model("llama-3.1-8b");
  catalog::Model more = grouped;
  more.heads = *grouped.heads * 4;
  Job work = job("task=inference model=llama-3.1-8b");
  const auto step = [&](const catalog::Model& model) {
    work.model = &model;
    return test::decode_step(work, test::machine("h100-sxm-80gb"), serving("bf16"), 256, 4096, test::coefficients())
        .raw();
  };
  CHECK(step(more) > step(grouped) * 1.2);
}

TEST_CASE("the power of a board limits long prompts and not single tokens") {
  const Job work = job("task=inference mode=single-stream model=llama-7b input_tokens=4096");
  Machine machine = test::machine("l4");
  const Served before = serve(work, machine, serving("fp16"));
  catalog::Gpu throttled = *machine.device.gpu;
  throttled.tdp_w = *throttled.tdp_w / 2;
  machine.device.gpu = &throttled;
  const Served after = serve(work, machine, serving("fp16"));
  CHECK(after.speed.ttft() > before.speed.ttft() * 1.5);
  CHECK(after.speed.itl() == before.speed.itl());
}

TEST_CASE("replicas share the requests and add their speed") {
  Layout plan = serving("bf16");
  const Served one = serve("model=llama-3.1-8b concurrency=16", "h100-sxm-80gb", plan);
  plan.dp = 4;
  const Served four = serve("model=llama-3.1-8b concurrency=64", "h100-sxm-80gb", plan);
  CHECK(four.speed.output_tokens_per_s == Approx(4 * one.speed.output_tokens_per_s).epsilon(0.01));
  CHECK(four.speed.itl().raw() == Approx(one.speed.itl().raw()).epsilon(0.01));
}

TEST_CASE("traffic within reach is served as it comes and with ordered percentiles") {
  const Served s = serve("model=llama-3.1-8b request_rate=2", "h100-sxm-80gb", serving("bf16"));
  CHECK(s.speed.requests_per_s == Approx(2));
  REQUIRE(s.speed.load);
  CHECK(s.speed.ttft() < s.speed.ttft_within(95));
  CHECK(s.speed.ttft_within(95) < s.speed.ttft_within(99));
  CHECK(s.speed.itl() < s.speed.itl_within(95));
  CHECK(s.speed.itl_within(95) < s.speed.itl_within(99));
  CHECK(s.speed.e2e() < s.speed.e2e_within(95));
  CHECK(s.speed.e2e_within(95) < s.speed.e2e_within(99));
}

TEST_CASE("prompts of which a step reads thousands wait a step or two") {
  const Served s =
      serve("model=llama-3.1-8b input_tokens=2 output_tokens=2 request_rate=4000", "h100-sxm-80gb", serving("bf16"));
  REQUIRE(s.speed.load);
  CHECK(std::isfinite(s.speed.ttft_within(99.9).raw()));
  CHECK(s.speed.ttft() > s.speed.itl());
  CHECK(s.speed.ttft_within(95) < s.speed.itl() * 6);
}

TEST_CASE("traffic beyond what can be served has no speed") {
  const Job work = job("task=inference model=llama-3.1-8b request_rate=100000");
  const Machine machine = test::machine("l4");
  const Layout plan = serving("bf16");
  const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients());
  CHECK_FALSE(inference_speed(work, machine, plan, memory, test::coefficients()));
}

TEST_CASE("an encoder has no time between tokens to speak of and reads sequences") {
  const Served s = serve("model=bert-base engine=vllm input_tokens=384", "t4", serving("fp16"));
  CHECK(s.speed.output_tokens_per_s == 0);
  CHECK(s.speed.total_tokens_per_s == Approx(384 * s.speed.requests_per_s));
  CHECK(s.speed.requests_per_s > 0);
}

}  // namespace inference_speed_test
