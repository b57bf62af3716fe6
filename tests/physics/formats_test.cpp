// Formats of stored weights: bits, spellings, and what a GPU does with them.
#include "physics/formats.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "physics/kinds/physics.hpp"
#include "support/job.hpp"

namespace formats_test {

using namespace gpusel;
using namespace gpusel::physics;

namespace {

const WeightFormat& format(std::string_view name) {
  const auto found = weight_format(name);
  CAPTURE(name);
  REQUIRE(found);
  return **found;
}

Device device(std::string_view gpu) { return test::machine(gpu).device; }

/// Tera operations per second of products with such weights.
double rate(std::string_view name, std::string_view gpu) {
  const auto found = compute_rate(format(name), device(gpu));
  CAPTURE(name, gpu);
  REQUIRE(found);
  return found->peak.raw() / 1e12;
}

}  // namespace

TEST_CASE("every weight format has the bits its scales add up to") {
  const std::map<std::string_view, std::pair<double, double>> bits{
      {"fp32", {32, 32}},       {"fp16", {16, 16}}, {"bf16", {16, 16}},
      {"f16", {16, 16}},        {"fp8", {8, 8.1}},  // one scale per row
      {"int8", {8, 8.1}},                           // one scale per row
      {"w8a16", {8.12, 8.2}},                       // 8 + 16/128, zero points
      {"w4a16", {4.12, 4.2}},                       // 4 + 16/128, zero points
      {"nf4", {4.126, 4.128}},                      // 4 + 8/64 + 32/(64·256)
      {"nvfp4", {4.5, 4.5}},                        // 4 + 8/16
      {"mxfp4", {4.25, 4.25}},                      // 4 + 8/32
      {"q8_0", {8.5, 8.5}},                         // 8 + 16/32
      {"q6_k", {6.56, 6.57}},                       // 6 + 8/16 + 16/256
      {"q4_0", {4.5, 4.6}},                         // 4 + 16/32, a few tensors wider
      {"q4_1", {5.0, 5.1}},                         // 4 + 32/32
      {"q4_k_m", {4.8, 4.9}},                       // as llama.cpp lists it
      {"q5_k_m", {5.65, 5.75}},                     // as llama.cpp lists it
      {"q2_k", {2.5, 3.4}},
  };
  for (const auto& [name, range] : bits) {
    CAPTURE(name);
    CHECK(format(name).bits >= range.first);
    CHECK(format(name).bits <= range.second);
  }
}

TEST_CASE("more letters in a GGUF name never mean fewer bits") {
  const auto ladder = {"q2_k", "q3_k_s", "q3_k_m", "q3_k_l", "q4_k_s", "q4_k_m", "q5_k_s", "q5_k_m", "q6_k", "q8_0"};
  double before = 0;
  for (const std::string_view name : ladder) {
    CAPTURE(name);
    CHECK(format(name).bits > before);
    before = format(name).bits;
  }
}

TEST_CASE("weight formats have one name each and no format is wider than its kind") {
  for (const WeightFormat& one : weight_formats()) {
    CAPTURE(one.name);
    CHECK(&format(one.name) == &one);
    CHECK(one.bits >= 1.5);
    CHECK(one.bits <= 32);
    // Averages over all tensors, as GGUF states them, already count the ends.
    if (one.name.starts_with("q") || one.name.starts_with("iq")) CHECK_FALSE(one.keeps_ends);
  }
}

TEST_CASE("common spellings of a weight format mean the format") {
  CHECK(format("awq").name == "w4a16");
  CHECK(format("GPTQ").name == "w4a16");
  CHECK(format("int4").name == "w4a16");
  CHECK(format("bfloat16").name == "bf16");
  CHECK(format("float16").name == "fp16");
  CHECK(format("Q4_K_M").name == "q4_k_m");
  CHECK(format("bitsandbytes").name == "nf4");
  CHECK(format("w8a8").name == "int8");
}

TEST_CASE("an unknown weight format is an error that names the nearest") {
  const auto found = weight_format("q4_k_n");
  REQUIRE_FALSE(found);
  CHECK(found.error().where == "weights_precision");
  CHECK(found.error().hint.find("q4_k_m") != std::string::npos);
  REQUIRE_FALSE(weight_format(""));
  CHECK_FALSE(weight_format("zzzzzz").error().hint.empty());
}

TEST_CASE("weights are computed at the rate the GPU has for them") {
  // Dense data-sheet figures: H100 SXM 989 at 16 bit and 1979 at 8; A100 312 and 624 TOPS; no FP8.
  CHECK(rate("bf16", "h100-sxm-80gb") == Approx(989).epsilon(0.01));
  CHECK(rate("fp8", "h100-sxm-80gb") == Approx(1979).epsilon(0.01));
  CHECK(rate("int8", "a100-sxm-80gb") == Approx(624).epsilon(0.01));
  CHECK(rate("fp8", "a100-sxm-80gb") == Approx(312).epsilon(0.01));
  CHECK(rate("w4a16", "h100-sxm-80gb") == Approx(989).epsilon(0.01));
  CHECK(rate("nvfp4", "h100-sxm-80gb") == Approx(989).epsilon(0.01));
  CHECK(rate("nvfp4", "b200-180gb") > 4 * rate("bf16", "h100-sxm-80gb"));
}

TEST_CASE("a format that a GPU widens first is not called native") {
  CHECK(compute_rate(format("fp8"), device("h100-sxm-80gb"))->native);
  CHECK_FALSE(compute_rate(format("fp8"), device("a100-sxm-80gb"))->native);
  CHECK_FALSE(compute_rate(format("nvfp4"), device("h100-sxm-80gb"))->native);
  CHECK_FALSE(compute_rate(format("q4_k_m"), device("rtx-4090"))->native);
  CHECK(compute_rate(format("fp16"), device("v100-sxm2-16gb"))->native);
}

TEST_CASE("released weights stay in their format where the GPU has it") {
  CHECK(native_weight_format(test::model("llama-3.1-8b"), device("h100-sxm-80gb")) == "bf16");
  CHECK(native_weight_format(test::model("llama-3.1-8b"), device("v100-sxm2-16gb")) == "fp16");
  CHECK(native_weight_format(test::model("llama-7b"), device("h100-sxm-80gb")) == "fp16");
  CHECK(native_weight_format(test::model("gpt2"), device("h100-sxm-80gb")) == "bf16");  // fp32 is served at 16 bit
  CHECK(native_weight_format(test::model("deepseek-v3"), device("h100-sxm-80gb")) == "fp8");
  CHECK(native_weight_format(test::model("gpt-oss-20b"), device("a100-sxm-80gb")) == "mxfp4");
}

TEST_CASE("weights are computed no slower than in fp32") {
  for (const catalog::Gpu& gpu : test::shipped().gpus()) {
    const auto made = make_device(gpu, 1, std::nullopt, test::coefficients());
    const auto fp32 = made ? made->peak(job::Precision::fp32) : std::nullopt;
    if (!fp32) continue;
    INFO(gpu.id);
    for (const std::string_view name : {"fp16", "w4a16", "q4_k_m"}) {
      const auto rate = compute_rate(format(name), *made);
      if (rate) CHECK_FALSE(rate->peak < *fp32);
    }
  }
}

TEST_CASE("serving assumes a 16-bit rate where none is published") {
  catalog::Gpu gpu = test::gpu("l4");
  gpu.fp16_dense_tflops = gpu.bf16_dense_tflops = gpu.fp8_dense_tflops = gpu.fp32_tflops = std::nullopt;
  gpu.memory_bandwidth_gbs = 1000;
  gpu.release_year = 2025;
  const auto assumed = [&] { return make_device(gpu, 1, std::nullopt, test::coefficients())->assumed_half; };
  // 1000 GB/s x 173, 86 and 318 FLOP per byte
  REQUIRE(assumed());
  CHECK(assumed()->tflops == Approx(173));
  CHECK(assumed()->low == Approx(86));
  CHECK(assumed()->high == Approx(318));
  gpu.fp32_tflops = 100;  // 16 bit is no slower
  CHECK(assumed()->low == 100);
  CHECK(assumed()->tflops == Approx(173));
  gpu.fp4_dense_tflops = 1600;  // an eighth to a quarter
  CHECK(assumed()->low == Approx(200));
  CHECK(assumed()->tflops == Approx(282.84).epsilon(1e-4));
  CHECK(assumed()->high == Approx(400));
  // FP8 in hardware, at a rate that is not published either
  const auto fp8 = compute_rate(format("fp8"), *make_device(gpu, 1, std::nullopt, test::coefficients()));
  CHECK(fp8->native);
  CHECK(fp8->peak.raw() == Approx(565.7e12).epsilon(1e-3));
  gpu.fp8_dense_tflops = 600;
  CHECK(assumed()->tflops == 300);
  CHECK(assumed()->high == 300);
  const auto half = make_device(gpu, 0.5, std::nullopt, test::coefficients());
  CHECK(compute_rate(format("bf16"), *half)->peak.raw() == Approx(150e12));
  CHECK_FALSE(half->peak(job::Precision::bf16));  // training has none
  gpu.release_year = 2016;                        // cards without matrix units
  CHECK_FALSE(assumed());
  gpu.release_year = 2025;
  gpu.fp16_dense_tflops = 200;
  CHECK_FALSE(assumed());
}

TEST_CASE("the rate that is assumed for a bandwidth is that of the catalogue's recent parts") {
  std::vector<double> ratios;
  for (const catalog::Gpu& gpu : test::shipped().gpus()) {
    const double half = std::max(gpu.fp16_dense_tflops.value_or(0), gpu.bf16_dense_tflops.value_or(0));
    if (half > 0 && gpu.memory_bandwidth_gbs && gpu.release_year.value_or(0) >= 2020)
      ratios.push_back(1000 * half / *gpu.memory_bandwidth_gbs);
  }
  REQUIRE(ratios.size() > 100);
  const auto& c = test::coefficients().assumed_flop_per_byte;
  const auto below = [&](double limit) {
    return static_cast<double>(std::ranges::count_if(ratios, [&](double one) { return one < limit; })) /
           static_cast<double>(ratios.size());
  };
  CHECK(below(c.of("low")) == Approx(0.1).margin(0.05));
  CHECK(below(c.value) == Approx(0.5).margin(0.1));
  CHECK(below(c.of("high")) == Approx(0.9).margin(0.05));
}

TEST_CASE("what is assumed widens the figures that rest on it") {
  const auto& c = test::coefficients();
  const auto ttft_width = [&](const job::Job& work, const Machine& machine) {
    const auto plan = plan_inference(work, machine, c);
    REQUIRE(plan);
    const Ratios ratios = physics_of(work).ratios(work, machine, *plan, c);
    return std::pair(ratios.ttft.high / ratios.ttft.low, ratios.itl.high / ratios.itl.low);
  };
  const job::Job work = test::job("task=inference model=llama-3.1-8b mode=single-stream");
  Machine machine = test::machine("rtx-pro-4000-24gb");
  REQUIRE(machine.device.assumed_half);
  const auto [ttft, itl] = ttft_width(work, machine);
  machine.device.assumed_half->low = machine.device.assumed_half->high = machine.device.assumed_half->tflops;
  const auto [sure_ttft, sure_itl] = ttft_width(work, machine);
  CHECK(ttft > 1.2 * sure_ttft);                 // prompts are arithmetic
  CHECK(itl == Approx(sure_itl).epsilon(1e-6));  // one user's tokens are bandwidth
}

TEST_CASE("engines have kernels for a format where their table says so") {
  using job::Engine;
  const auto has = [](Engine engine, std::string_view name, std::string_view gpu) {
    return has_kernels(format(name), device(gpu), engine);
  };
  // vLLM: int8 from Turing (7.5) on, and no more on Blackwell (10.0)
  CHECK_FALSE(has(Engine::vllm, "int8", "v100-sxm2-16gb"));
  CHECK(has(Engine::vllm, "int8", "t4"));
  CHECK(has(Engine::vllm, "int8", "h100-sxm-80gb"));
  CHECK_FALSE(has(Engine::vllm, "int8", "b200-180gb"));
  CHECK(has(Engine::vllm, "int8", "mi300x-192gb"));
  // fp8 in hardware, or as weights alone from Turing on
  CHECK_FALSE(has(Engine::vllm, "fp8", "v100-sxm2-16gb"));
  CHECK(has(Engine::vllm, "fp8", "t4"));
  CHECK(has(Engine::vllm, "fp8", "h100-sxm-80gb"));
  CHECK(has(Engine::vllm, "fp8", "mi300x-192gb"));
  // 4 bit: some scheme of it
  CHECK_FALSE(has(Engine::vllm, "w4a16", "p100-16gb"));
  CHECK(has(Engine::vllm, "w4a16", "v100-sxm2-16gb"));
  CHECK(has(Engine::vllm, "w4a16", "mi300x-192gb"));
  CHECK_FALSE(has(Engine::vllm, "nvfp4", "h100-sxm-80gb"));
  CHECK(has(Engine::vllm, "nvfp4", "b200-180gb"));
  CHECK(has(Engine::vllm, "bf16", "p100-16gb"));
  // Others have their own.
  CHECK_FALSE(has(Engine::trt_llm, "fp8", "a100-sxm-80gb"));
  CHECK_FALSE(has(Engine::trt_llm, "w4a16", "b200-180gb"));
  CHECK(has(Engine::sglang, "w4a16", "t4"));  // up to 0.4; some release is enough here
  CHECK_FALSE(has(Engine::sglang, "int8", "t4"));
  CHECK(has(Engine::lmdeploy, "w4a16", "v100-sxm2-16gb"));
  CHECK(has(Engine::llama_cpp, "q4_k_m", "p100-16gb"));
  CHECK(has(Engine::hf, "nf4", "p100-16gb"));
}

}  // namespace formats_test
