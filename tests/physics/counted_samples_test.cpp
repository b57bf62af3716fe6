// Networks that read samples: hand-computed passes, laws that hold whatever the coefficients, and orders of GPUs that
// are known from measurements.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/networks/network.hpp"
#include "physics/kinds/networks/products.hpp"
#include "support/job.hpp"

namespace counted_samples_test {

using namespace gpusel;
using namespace gpusel::physics;
using job::Job;
using job::Precision;

namespace {

const SampleCoefficients& c() { return test::coefficients().counted->samples; }

Job counted(const std::string& words) {
  const job::Request asked = test::request(words);
  auto work = job::resolve_counted(asked, &test::model(asked.model), test::shipped());
  REQUIRE(work);
  return *work;
}

Figures run(const std::string& words, const Machine& machine, std::int64_t batch, Precision precision,
            job::Checkpointing checkpointing = job::Checkpointing::none) {
  Layout plan;
  plan.micro_batch = batch;
  plan.precision = precision;
  plan.checkpointing = checkpointing;
  return counted_figures(counted(words), machine, plan, test::coefficients());
}
Figures run(const std::string& words, std::string_view gpu, std::int64_t batch, Precision precision) {
  return run(words, test::machine(gpu), batch, precision);
}

double rate(const std::string& words, std::string_view gpu, std::int64_t batch, Precision precision) {
  return run(words, gpu, batch, precision).rate;
}

const std::string kResnet = "task=inference model=resnet-50 engine=";
const std::string kTraining = "task=pretrain model=resnet-50";

}  // namespace

TEST_CASE("a value of each arithmetic has its width") {
  CHECK(value_bytes(job::Precision::fp64) == 8);
  CHECK(value_bytes(job::Precision::tf32) == 4);
  CHECK(value_bytes(job::Precision::bf16) == 2);
  CHECK(value_bytes(job::Precision::int8) == 1);
  CHECK(value_bytes(job::Precision::nvfp4) == 0.5);
}

TEST_CASE("a network costs what its default input does, as often as what is read is larger") {
  catalog::Model model = test::model("vit-base-patch16-224");
  const auto flops = [&](std::int64_t tokens) {
    job::SampleJob job;
    job.seq_len = tokens;
    return cost_of(model, job, c()).flops;
  };
  const double usual = flops(0);
  CHECK(usual == Approx(*model.gflops_per_sample * 1e9));  // nothing is said of the input
  model.default_input = "4 tokens";
  CHECK(flops(4) == Approx(usual));
  // One block of the shape: 2 × (4 h² + 2 or 3 h f) of every token, 4 h of every pair of tokens.
  model.layers = 1;
  const double h = *model.hidden_size, f = *model.ffn_size;
  const double linear = 2 * h * (4 * h + (model.gated_ffn.value_or(true) ? 3 : 2) * f);
  model.gflops_per_sample = (4 * linear + 16 * 4 * h) / 1e9;
  CHECK(flops(1) == Approx(linear + 4 * h));
  model.default_input = "1 token";
  CHECK(flops(2) == Approx(8 * linear + 64 * 4 * h));
  model.default_input = "";
  CHECK(flops(2) == Approx(4 * linear + 16 * 4 * h));
  // Of a network of which neither is published nothing is known.
  catalog::Model silent = model;
  silent.gflops_per_sample = silent.activations_m = catalog::Number{};
  CHECK(cost_of(silent, job::SampleJob(), c()).flops == 0);
  CHECK(cost_of(silent, job::SampleJob(), c()).activations == 0);
  job::SampleJob pixels;
  pixels.resolution = {224, 224};
  CHECK(cost_of(model, pixels, c()).flops == Approx(4 * linear + 16 * 4 * h));
}

TEST_CASE("a network of unknown work has no rate") {
  catalog::Model model = test::model("resnet-50");
  model.gflops_per_sample = {};
  Job work = counted("task=inference model=resnet-50");
  work.model = &model;
  const auto figures = counted_figures(work, test::machine("l4"), {.precision = job::Precision::fp16, .micro_batch = 8},
                                       test::coefficients());
  CHECK(figures.rate == 0);
  CHECK_FALSE(figures.unknown.empty());
}

TEST_CASE("only what there is has a line of its own") {
  const auto told = [](const Machine& machine, std::string_view quantity) {
    Trace trace;
    const Job work = counted(kTraining);
    const auto out = counted_figures(work, machine, {.precision = job::Precision::fp16, .micro_batch = 8},
                                     test::coefficients(), &trace);
    return std::ranges::any_of(trace, [&](const auto& line) { return line.quantity == quantity; }) ||
           std::ranges::any_of(out.more, [&](const auto& one) { return one.key == quantity; });
  };
  Machine one = test::machine("a100-sxm-80gb");
  CHECK_FALSE(told(one, "samples.links"));
  CHECK(told(test::machine("a100-sxm-80gb", 2), "samples.links"));
  CHECK_FALSE(told(one, "loader_share"));  // of vCPUs that are not known
  one.host.vcpus = 1;
  CHECK(told(one, "loader_share"));
  CHECK(told(one, "samples.arithmetic"));
  catalog::Gpu unknown = *one.device.gpu;
  unknown.tensor_cores = {};
  one.device.gpu = &unknown;
  CHECK_FALSE(told(one, "samples.arithmetic"));
}

TEST_CASE("a fused batch of ResNet-50 takes what its parts take, computed by hand", "[samples]") {
  // A100 SXM: 624 TOPS int8, 2039 GB/s, 400 W ÷ 312 TFLOPS = 1.2821 against 1.28 W, 108 multiprocessors at 1.41 GHz.
  const double share = c().reach.of("8.0") * std::pow(400.0 / 312 / 1.28, c().power_exponent.value);
  const double reached = std::min(share * c().arithmetic_gain.of("int8"), 0.95);
  const double products = 128 * 8.22e9 / (624e12 * reached);
  const double traffic = 128 * 11.11e6 * c().copies.of("tensorrt") / (2039e9 * 0.8);
  const double clocks = 128 * 11.11e6 * c().clocks.of("tensorrt") / (108 * 19.5e12 / (2 * 6912));
  const double weights = 0.02556e9 / (2039e9 * 0.8);
  const double launch = 54 * c().layer_us.of("tensorrt") * 1e-6;
  const Figures figures = run(kResnet + "tensorrt", "a100-sxm-80gb", 128, Precision::int8);
  CHECK(in_ms(figures.latency) == Approx(1e3 * (products + traffic + clocks + weights + launch)).epsilon(0.01));
  CHECK(figures.rate == Approx(128 / figures.latency.raw()).epsilon(1e-9));
}

TEST_CASE("training keeps what layers put out, its gradients and the optimiser's states", "[samples]") {
  const Figures figures = run(kTraining + " optimizer=adamw", "a100-sxm-80gb", 256, Precision::fp16);
  CHECK(figures.memory.activations.raw() == Approx(256 * 11.11e6 * 2 * c().saved_copies.value));
  CHECK(figures.memory.weights.raw() == Approx(0.02556e9 * 4));
  CHECK(figures.memory.gradients.raw() == Approx(0.02556e9 * 4));
  CHECK(figures.memory.optimizer.raw() == Approx(0.02556e9 * 8));
  // Lambda's published peaks: 14.9 GiB at 256 and 23.0 to 23.6 GiB at 448 images.
  CHECK(in_gib(figures.memory.total()) == Approx(14.9).epsilon(0.15));
  CHECK(in_gib(run(kTraining, "a100-sxm-80gb", 448, Precision::fp16).memory.total()) == Approx(23.3).epsilon(0.15));
  const Figures less = run(kTraining, test::machine("a100-sxm-80gb"), 256, Precision::fp16, job::Checkpointing::full);
  CHECK(less.memory.activations < figures.memory.activations);
  CHECK(less.rate < figures.rate);
}

TEST_CASE("pixels scale a CNN, tokens and their square a vision transformer", "[samples]") {
  const auto cost = [](std::string_view model, std::int64_t side) {
    return cost_of(test::model(model), job::SampleJob{{side, side}, 0}, c());
  };
  CHECK(cost("resnet-50", 448).flops == Approx(4 * cost("resnet-50", 224).flops));
  CHECK(cost("resnet-50", 448).activations == Approx(4 * cost("resnet-50", 224).activations));
  // timm's own count at 384 pixels: 55.54 GMACs, 101.56 M values of which 47.9 M are scores.
  const NetworkCost large = cost("vit-base-patch16-224", 384);
  CHECK(large.flops == Approx(2 * 55.54e9).epsilon(0.02));
  CHECK(large.activations + large.scores == Approx(101.56e6).epsilon(0.03));
  // Sequences of an encoder: 2 × weights × tokens and the products of attention.
  const NetworkCost bert = cost_of(test::model("bert-base"), job::SampleJob{{}, 384}, c());
  CHECK(bert.flops == Approx(2 * 12 * 12 * 768.0 * 768 * 384 + 4 * 12 * 768.0 * 384 * 384));
}

TEST_CASE("no batch beats the peak or the bandwidth, and larger ones are no slower per sample", "[samples]") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "resnet-50", "vit-large-patch16-224", "yolov8m",
                              "unet-3d", "bert-base");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "v100-sxm2-16gb", "a10", "l4", "a100-sxm-80gb",
                            "h100-sxm-80gb", "b200-180gb", "rtx-4090", "mi300x-192gb");
  const auto engine =
      GENERATE(Catch::Generators::as<std::string>{}, "pytorch", "torch-compile", "tensorrt", "onnxruntime");
  const std::string words = "task=inference model=" + model + " engine=" + engine;
  const Job work = counted(words);
  const auto& job = std::get<job::SampleJob>(work.counted->job);
  const NetworkCost cost = cost_of(*work.model, job, c());
  const Machine machine = test::machine(gpu);
  const double peak = machine.device.peak(Precision::fp16)->raw();
  double last = 0;
  for (const std::int64_t batch : {1, 8, 64, 512}) {
    const Figures figures = run(words, machine, batch, Precision::fp16);
    CAPTURE(model, gpu, engine, batch);
    CHECK(figures.rate > last);
    CHECK(figures.rate * cost.flops < peak);
    last = figures.rate;
  }
}

TEST_CASE("engines and arithmetic come in the order that is measured", "[samples]") {
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "a10", "a100-sxm-80gb", "h100-sxm-80gb");
  CAPTURE(gpu);
  const auto at = [&](const std::string& engine, Precision p) { return rate(kResnet + engine, gpu, 128, p); };
  CHECK(at("pytorch", Precision::fp16) < at("torch-compile", Precision::fp16));
  CHECK(at("torch-compile", Precision::fp16) < at("tensorrt", Precision::fp16));
  CHECK(at("onnxruntime", Precision::fp16) < at("tensorrt", Precision::fp16));
  CHECK(at("tensorrt", Precision::fp32) < at("tensorrt", Precision::fp16));
  CHECK(at("tensorrt", Precision::fp16) < at("tensorrt", Precision::int8));
}

TEST_CASE("GPUs come in the order that is measured", "[samples]") {
  const auto train = [](std::string_view gpu) { return rate(kTraining, gpu, 128, Precision::fp16); };
  // Bandwidth decides training: V100 above T4 and A10, L40S far below A100.
  CHECK(train("v100-sxm2-16gb") > train("a10"));
  CHECK(train("a10") > train("t4"));
  CHECK(train("l40s") / train("a100-sxm-80gb") == Approx(0.5).margin(0.15));
  CHECK(train("h100-pcie-80gb") < train("h100-sxm-80gb"));
  const auto serve = [](std::string_view gpu) { return rate(kResnet + "tensorrt", gpu, 512, Precision::int8); };
  // Peaks decide batched int8 inference: L40S about an A100, L4 about an A10 and twice a T4.
  CHECK(serve("l40s") / serve("a100-sxm-80gb") == Approx(1.05).margin(0.2));
  CHECK(serve("l4") / serve("a10") == Approx(0.95).margin(0.2));
  CHECK(serve("l4") / serve("t4") == Approx(2.1).margin(0.4));
  CHECK(serve("h100-sxm-80gb") / serve("a100-sxm-80gb") == Approx(2.1).margin(0.3));
  // Without int8 matrix units, int8 is no faster than 16 bit.
  CHECK(rate(kResnet + "tensorrt", "v100-sxm2-16gb", 512, Precision::int8) <
        1.3 * rate(kResnet + "tensorrt", "v100-sxm2-16gb", 512, Precision::fp16));
}

TEST_CASE("detectors take as long as their documentation says, one image at a time", "[samples]") {
  // Ultralytics: YOLO11 with TensorRT 10 on a T4, fp16. No coefficient was fitted to them.
  const auto [model, published_ms] = GENERATE(table<std::string, double>(
      {{"yolo11n", 1.5}, {"yolo11s", 2.5}, {"yolo11m", 4.7}, {"yolo11l", 6.2}, {"yolo11x", 11.3}}));
  const Figures figures =
      run("task=inference engine=tensorrt mode=single-stream model=" + model, "t4", 1, Precision::fp16);
  CAPTURE(model);
  CHECK(in_ms(figures.latency) == Approx(published_ms).epsilon(0.15));
}

TEST_CASE("a slice does its share of the work", "[samples]") {
  Machine whole = test::machine("a100-sxm-80gb");
  const auto slice = make_device(test::gpu("a100-sxm-80gb"), 1.0 / 7, 10, test::coefficients());
  REQUIRE(slice);
  Machine part = whole;
  part.device = *slice;
  const std::string words = kResnet + "tensorrt";
  const double ratio = run(words, part, 256, Precision::int8).rate / run(words, whole, 1024, Precision::int8).rate;
  CHECK(ratio == Approx(1.0 / 7).epsilon(0.05));
}

TEST_CASE("scaling pays for gradients by the link and never exceeds the sum", "[samples]") {
  const auto efficiency = [](const std::string& model, std::string_view gpu) {
    const std::string words = "task=pretrain model=" + model;
    return run(words, test::machine(gpu, 8), 64, Precision::fp16).rate /
           (8 * run(words, test::machine(gpu, 1), 64, Precision::fp16).rate);
  };
  CHECK(efficiency("resnet-50", "a100-sxm-80gb") > 0.93);
  CHECK(efficiency("resnet-50", "a100-sxm-80gb") < 1);
  CHECK(efficiency("vgg-16", "a10") < efficiency("vgg-16", "a100-sxm-80gb"));
  CHECK(efficiency("vgg-16", "a10") < efficiency("resnet-50", "a10"));
}

TEST_CASE("the unit is the network's own", "[samples]") {
  CHECK(counted("task=inference model=resnet-50").counted->unit.rate == "images/s");
  CHECK(counted("task=inference model=bert-base engine=tensorrt").counted->unit.rate == "sequences/s");
  CHECK(counted("task=pretrain model=transformer-xl-base").counted->unit.rate == "tokens/s");
  CHECK(counted("task=pretrain model=waveglow").counted->unit.rate == "audio-samples/s");
  CHECK(counted("task=inference model=unet-3d").counted->unit.rate == "samples/s");
  // A segment of 192 tokens counts as 192.
  const Figures figures = run("task=pretrain model=transformer-xl-base", "a100-sxm-80gb", 32, Precision::fp16);
  CHECK(figures.rate == Approx(32 * 192 / figures.latency.raw()));
}

TEST_CASE("an online service stays within its latency with the largest batch that can", "[samples]") {
  const Job work = counted(kResnet + "tensorrt mode=online latency_ms=15");
  const auto choice = physics::plan_counted(work, test::machine("t4"), test::coefficients());
  CHECK(choice.meets_targets);
  CHECK(choice.layout.micro_batch > 1);
  CHECK(in_ms(choice.latency) <= 15);
  const auto offline = physics::plan_counted(counted(kResnet + "tensorrt"), test::machine("t4"), test::coefficients());
  CHECK(choice.rate < offline.rate);
}

TEST_CASE("training images need vCPUs to decode them", "[samples]") {
  Machine machine = test::machine("h100-sxm-80gb", 8);
  machine.host.vcpus = 16;
  const Figures figures = run(kTraining, machine, 256, Precision::bf16);
  const auto of = [&](std::string_view key) {
    const auto found =
        std::find_if(figures.more.begin(), figures.more.end(), [&](const auto& f) { return f.key == key; });
    REQUIRE(found != figures.more.end());
    return found->value;
  };
  CHECK(of("loader_vcpus_per_gpu") == Approx(of("gpu_throughput") / 8 / c().loader_rate.value));
  CHECK(of("loader_share") == Approx(16 / (8 * of("loader_vcpus_per_gpu"))));
  CHECK(of("loader_share") < 1);
}

TEST_CASE("what cannot be estimated is an error that says why", "[samples]") {
  const auto error_of = [](const catalog::Model& model) {
    const auto work = job::resolve_counted(test::request("task=inference engine=pytorch"), &model, test::shipped());
    REQUIRE_FALSE(work);
    return work.error().message;
  };
  catalog::Model unknown = test::model("resnet-50");
  unknown.gflops_per_sample = catalog::Number{};
  CHECK(error_of(unknown).find("not known") != std::string::npos);
}

TEST_CASE("a longer sequence than an encoder reads is an error that names the most", "[samples]") {
  const job::Request asked = test::request("task=inference model=bert-base engine=pytorch seq_len=2000");
  const auto work = job::resolve_counted(asked, &test::model("bert-base"), test::shipped());
  REQUIRE_FALSE(work);
  CHECK(work.error().message.find("512") != std::string::npos);
}

TEST_CASE("narrow arithmetic is not run where there is no hardware for it", "[samples]") {
  CHECK(run(kResnet + "tensorrt", "a100-sxm-80gb", 8, Precision::fp8).lacks == "fp8 arithmetic");
  CHECK(run(kResnet + "tensorrt", "h100-sxm-80gb", 8, Precision::fp8).lacks.empty());
  CHECK(run(kResnet + "tensorrt", "a100-sxm-80gb", 8, Precision::int8).lacks.empty());
  CHECK(run(kResnet + "tensorrt", "mi300x-192gb", 8, Precision::fp16).lacks == "TensorRT");
  CHECK(run(kResnet + "onnxruntime", "mi300x-192gb", 8, Precision::fp16).lacks.empty());
  CHECK(run(kTraining, "v100-sxm2-16gb", 8, Precision::bf16).lacks.empty());  // emulated, and slow
  CHECK(run(kTraining, "v100-sxm2-16gb", 64, Precision::bf16).rate <
        run(kTraining, "v100-sxm2-16gb", 64, Precision::fp16).rate);
}

}  // namespace counted_samples_test
