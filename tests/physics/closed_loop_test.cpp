// Requests in flight, requests per second and the time of each: three figures of which any two give the third.
#include <catch2/catch.hpp>

#include "physics/serving/inference.hpp"
#include "support/job.hpp"

namespace closed_loop_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using gpusel::test::serving;

namespace {

InferenceSpeed speed_of(const std::string& words, std::string_view gpu = "h100-sxm-80gb",
                        const Layout& plan = serving("bf16")) {
  const auto work = job("task=inference " + words);
  const Machine machine = test::machine(gpu, plan.tp * plan.pp * plan.dp);
  const auto memory = inference_memory(work, machine, plan, test::coefficients());
  const auto speed = inference_speed(work, machine, plan, memory, test::coefficients());
  REQUIRE(speed);
  return *speed;
}

}  // namespace

TEST_CASE("requests in flight are requests per second times the time of each") {
  const auto mode = GENERATE(Catch::Generators::as<std::string>{}, "mode=online", "mode=throughput");
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "llama-3.2-1b", "llama-3.1-8b", "gpt-oss-20b");
  const auto lengths = GENERATE(Catch::Generators::as<std::string>{}, "input_tokens=8192 output_tokens=200",
                                "input_tokens=128 output_tokens=1000", "input_tokens=2048 output_tokens=1");
  for (const int concurrency : {1, 2, 7, 32}) {
    const auto s = speed_of(mode + " " + lengths + " model=" + model + " concurrency=" + std::to_string(concurrency));
    CAPTURE(mode, model, lengths, concurrency);
    CHECK(s.e2e().raw() * s.requests_per_s == Approx(concurrency).epsilon(0.02));
    const auto tokens = static_cast<double>(job("task=inference model=llama-7b " + lengths).inference.output_tokens);
    CHECK(s.e2e().raw() >= (s.ttft() + s.itl() * (tokens - 1)).raw() * 0.9999);
  }
}

TEST_CASE("more requests in flight never bring the first token sooner") {
  const auto mode = GENERATE(Catch::Generators::as<std::string>{}, "mode=online", "mode=throughput");
  const auto model =
      GENERATE(Catch::Generators::as<std::string>{}, "llama-3.2-1b", "llama-3.1-8b", "gpt-oss-20b", "mixtral-8x7b");
  const auto output = GENERATE(Catch::Generators::as<std::string>{}, "1", "2", "20", "400");
  for (const int length : {64, 1000, 4096, 8192, 8193, 20000}) {
    double before = 0;
    for (const int concurrency : {1, 2, 3, 4, 8, 9, 16, 33, 64}) {
      const double now =
          speed_of(mode + " model=" + model + " output_tokens=" + output + " input_tokens=" + std::to_string(length) +
                       " concurrency=" + std::to_string(concurrency),
                   "h200-sxm-141gb", serving("fp8"))
              .ttft()
              .raw();
      CAPTURE(mode, model, output, length, concurrency);
      CHECK(now >= before * 0.9999);
      before = now;
    }
  }
}

TEST_CASE("without a second token there is no time between tokens") {
  for (const std::string load : {"concurrency=32", "concurrency=1", "request_rate=1", "mode=single-stream"}) {
    CAPTURE(load);
    const auto s = speed_of("model=llama-3.1-8b input_tokens=8192 output_tokens=1 " + load);
    CHECK(s.itl().raw() == 0);
    CHECK(s.e2e() == s.ttft());
  }
  // A prompt of 8192 tokens fills a pass: 32 of them in turn, which the front end handles meanwhile.
  const double one =
      speed_of("mode=online model=llama-3.1-8b input_tokens=8192 output_tokens=1 concurrency=1").ttft().raw();
  const double all =
      speed_of("mode=online model=llama-3.1-8b input_tokens=8192 output_tokens=1 concurrency=32").ttft().raw();
  const double handling = test::coefficients().request_ms.of("vllm") / 1e3;
  CHECK(all == Approx(32 * (one - handling) + handling).epsilon(1e-3));
}

TEST_CASE("the median wait for the first token grows with the traffic") {
  const auto at = [](const std::string& rate) {
    return speed_of("model=llama-3.1-8b input_tokens=8192 output_tokens=16 request_rate=" + rate).ttft().raw();
  };
  // Alone, a prompt takes 0.22 s; at most 4.2 of them are served per second, and near that they queue.
  CHECK(at("0.05") == Approx(0.22).epsilon(0.05));
  CHECK(at("3") > 1.5 * at("0.05"));
}

TEST_CASE("few rows on 4-bit weights take the time of reading them") {
  const auto work = job("task=inference mode=single-stream model=llama-3.1-70b");
  const Coefficients& c = test::coefficients();
  const double step = test::decode_step(work, test::machine("a100-sxm-80gb"), serving("w4a16"), 1, 16, c).raw();
  // 68.45e9 weights of 4.15 bits and a head of 128256 × 8192 at 16, at 0.9 × 2039 GB/s, and what every step costs
  const double bytes = 68.45e9 * 4.15 / 8 + 128256.0 * 8192 * 2;
  const double fixed =
      (80 * c.decode_layer_us.of("vllm") + c.decode_step_us.of("vllm") + c.sequence_us.of("vllm")) * 1e-6;
  CHECK(step == Approx(bytes / (0.9 * 2039e9) + fixed).epsilon(0.01));
  // AWQ kernels of early 2024 reached less of the bandwidth.
  const auto then = job("task=inference mode=single-stream model=llama-3.1-70b engine_version=0.4.2");
  CHECK(test::decode_step(then, test::machine("a100-sxm-80gb"), serving("w4a16"), 1, 16, c).raw() > 1.2 * step);
}

}  // namespace closed_loop_test
