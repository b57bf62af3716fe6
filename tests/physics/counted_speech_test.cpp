// Speech, against arithmetic done by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "support/counted.hpp"

namespace counted_speech_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::counted_figures_of;
using gpusel::test::counted_job;
using gpusel::test::with_batch;

namespace {

Figures on(std::string_view gpu, const std::string& words, std::int64_t batch = 1, int gpus = 1) {
  return counted_figures_of(counted_job(words), test::machine(gpu, gpus), with_batch(batch));
}

double transcribing(std::string_view gpu, const std::string& words, std::int64_t batch = 1) {
  return on(gpu, "task=inference " + words, batch).rate;
}

}  // namespace

TEST_CASE("the reference implementation keeps fp32 weights and their copies") {
  // README of openai/whisper: about 10, 5, 2 and 1 GB
  const std::pair<const char*, double> published[] = {
      {"whisper-large-v3", 10}, {"whisper-medium", 5}, {"whisper-small", 2}, {"whisper-base", 1}};
  for (const auto& [name, gigabytes] : published) {
    const auto m = on("a100-sxm-80gb", std::string("task=inference model=") + name).memory;
    CAPTURE(name, in_gb(m.total()));
    CHECK(m.weights.raw() == Approx(4 * *test::model(name).params_b * 1e9));
    CHECK(in_gb(m.total()) == Approx(gigabytes).epsilon(0.12));
  }
  const auto half = on("a100-sxm-80gb", "task=inference model=whisper-large-v3 precision=fp16").memory;
  CHECK(half.weights.raw() == Approx(2 * 1.54349056e9));
  CHECK(in_gb(half.total()) == Approx(4.84 * 1.0737).epsilon(0.15));  // Hugging Face, 4,960 MiB
}

TEST_CASE("a decoder of a single layer attends as well") {
  catalog::Model small = test::model("whisper-large-v3");
  small.decoder_layers = 1;
  job::Job work = counted_job("task=inference model=whisper-large-v3");
  work.model = &small;
  const auto cache = [&](const job::Job& of) {
    return counted_figures_of(of, test::machine("l4"), with_batch(1)).memory.kv_cache.raw();
  };
  CHECK(cache(work) > 0);
  CHECK(cache(work) < cache(counted_job("task=inference model=whisper-large-v3")));
}

TEST_CASE("CTranslate2 takes what faster-whisper publishes") {
  const auto total = [](const char* precision, std::int64_t batch) {
    const std::string words = std::string("task=inference engine=faster-whisper model=whisper-large-v2 precision=");
    return in_gib(on("rtx-3080", words + precision, batch).memory.total()) * 1024;
  };
  CHECK(total("fp16", 1) == Approx(4525).epsilon(0.1));
  CHECK(total("int8", 1) == Approx(2926).epsilon(0.1));
  CHECK(total("fp16", 8) == Approx(6090).epsilon(0.1));
  CHECK(total("int8", 8) == Approx(4500).epsilon(0.1));
}

TEST_CASE("a window's cache holds what the decoder reads and what it wrote") {
  // 2 × 1280 × 32 layers × (1500 + 128) × 2 bytes
  const auto m = on("l4", "task=inference model=whisper-large-v3 precision=fp16", 3).memory;
  CHECK(m.kv_cache.raw() == Approx(3 * 2 * 1280.0 * 32 * 1628 * 2));
  CHECK(on("l4", "task=inference model=wav2vec2-base").memory.kv_cache.raw() == 0);
  CHECK(on("l4", "task=inference model=rnnt").memory.kv_cache.raw() == 0);
  CHECK(on("l4", "task=inference model=parakeet-tdt-0.6b").memory.kv_cache.raw() == 0);
  CHECK(on("l4", "task=inference model=xtts-v2").memory.kv_cache.raw() == Approx(2 * 1024.0 * 30 * 215 * 2));
}

TEST_CASE("one window at a time is held up by launches, whatever the GPU") {
  const std::string words = "engine=faster-whisper model=whisper-large-v2 precision=fp16";
  // Published: 14.4 times real time on V100S, 12.4 on RTX 3070 Ti, 16 on A100
  for (const std::string_view gpu : {"v100-sxm2-32gb", "a100-sxm-80gb", "rtx-3070"})
    CHECK(transcribing(gpu, words) == Approx(15).epsilon(0.3));
  CHECK(on("h100-sxm-80gb", "task=inference " + words).bound_by == "launch");
  const double four = transcribing("a100-sxm-80gb", "engine=faster-whisper model=whisper-large-v3-turbo");
  CHECK(four > 2.5 * transcribing("a100-sxm-80gb", words));  // 4 decoder layers, not 32
}

TEST_CASE("the time of a window is the sum of its parts") {
  // RNN-T under TensorRT on an A100, 2,048 utterances of 7 s: 13.2 GFLOP and 210 steps of 4.7 MFLOP at 312 × 0.68
  // TFLOPS; 5.019 million values of 6 bytes and the weights at 2039 × 0.8 GB/s; 5 layers and 210 × 3 launched in 20 µs.
  const auto figures = on("a100-sxm-80gb", "task=inference engine=tensorrt model=rnnt precision=fp16", 2048);
  const double products = 2048 * (13.2e9 + 210 * 0.0047e9) / (312e12 * 0.68);
  const double memory = (2048 * 5.019e6 * 6 + 2 * (0.045333e9 - 0.00235e9) + 210 * 2 * 0.00235e9) / (2039e9 * 0.8);
  const double launch = 20e-6 * (5 + 210 * 3) + 2e-3;
  CHECK(figures.latency.raw() == Approx(products + memory + launch).epsilon(2e-3));
  CHECK(figures.rate == Approx(2048 * 7 / figures.latency.raw()));
}

TEST_CASE("RNN-T on GPUs goes as published") {
  const auto rate = [](std::string_view gpu) {
    return transcribing(gpu, "engine=tensorrt model=rnnt precision=fp16", 2048);
  };
  const double a100 = rate("a100-sxm-80gb");
  // MLPerf offline relative to the A100 SXM: A30 0.50, A10 0.33, H100 PCIe 1.23, H100 SXM 1.67
  CHECK(rate("a30") / a100 == Approx(0.50).epsilon(0.15));
  CHECK(rate("a10") / a100 == Approx(0.33).epsilon(0.25));
  CHECK(rate("h100-pcie-80gb") / a100 == Approx(1.23).epsilon(0.15));
  CHECK(rate("h100-sxm-80gb") / a100 == Approx(1.67).epsilon(0.15));
  CHECK(rate("t4") < rate("l4"));
}

TEST_CASE("a recurrent decoder is trained step by step, a transformer's at once") {
  const auto tacotron = on("v100-sxm2-16gb", "task=pretrain model=tacotron2 precision=fp16", 128);
  CHECK(tacotron.bound_by == "launch");
  CHECK(tacotron.rate * 86.1 == Approx(20992).epsilon(0.2));  // mel frames per second, published
  const auto faster = on("a100-sxm-80gb", "task=pretrain model=tacotron2 precision=fp16", 128);
  CHECK(faster.rate < 1.15 * tacotron.rate);
  const auto whisper = on("a100-sxm-80gb", "task=finetune model=whisper-large-v3 precision=fp16", 2);
  CHECK(on("a100-sxm-80gb", "task=finetune model=whisper-large-v3 precision=fp16", 16).bound_by == "compute");
  // 18 bytes per parameter, gradients and moments included, and two windows: 32 GB published
  CHECK(in_gb(whisper.memory.total()) == Approx(32).epsilon(0.15));
}

TEST_CASE("a speech model's optimizer is the one that is named") {
  const auto states = [](const std::string& optimizer) {
    return on("l4", "task=finetune model=whisper-small optimizer=" + optimizer).memory.optimizer.raw();
  };
  CHECK(states("adamw") == Approx(8 * 0.241734912e9));
  CHECK(states("lion") == Approx(4 * 0.241734912e9));
}

TEST_CASE("LoRA leaves most of a speech model as it is") {
  const auto full = on("l4", "task=finetune model=whisper-large-v3").memory;
  const auto lora = on("l4", "task=finetune model=whisper-large-v3 method=lora").memory;
  CHECK(lora.optimizer < full.optimizer * 0.02);
  CHECK(lora.weights.raw() == Approx(2 * 1.54349056e9));
}

TEST_CASE("GPUs transcribe side by side and share gradients in training") {
  const double one = on("l4", "task=inference model=whisper-small", 8).rate;
  CHECK(on("l4", "task=inference model=whisper-small", 8, 4).rate == Approx(4 * one));
  const double alone = on("a100-sxm-80gb", "task=finetune model=whisper-small", 8).rate;
  const double eight = on("a100-sxm-80gb", "task=finetune model=whisper-small", 8, 8).rate;
  CHECK(eight < 8 * alone);
  CHECK(eight > 6.5 * alone);
}

TEST_CASE("a stream of audio is a second of it in every second") {
  CHECK(counted_job("task=inference model=whisper-small streams=40").counted->demand == 40);
  CHECK(counted_job("task=inference model=whisper-small audio_hours=2").counted->things == 7200);
  // 100 hours, three times
  CHECK(counted_job("task=finetune model=whisper-small").counted->things == 100 * 3600 * 3);
  // 1000 windows of 30 s, twice
  CHECK(counted_job("task=finetune model=whisper-small dataset_size=1000 epochs=2").counted->things == 60000);
}

TEST_CASE("what a speech model cannot do is an error that names the key") {
  const std::pair<const char*, const char*> cases[] = {
      {"task=inference model=parakeet-tdt-0.6b engine=ctranslate2", "engine"},
      {"task=inference model=hifi-gan output_tokens=5", "output_tokens"},
      {"task=finetune model=whisper-small method=qlora", "method"},
  };
  for (const auto& [words, key] : cases) {
    const auto work = test::try_counted(words);
    CAPTURE(words);
    REQUIRE_FALSE(work);
    CHECK(work.error().where == key);
  }
}

}  // namespace counted_speech_test
