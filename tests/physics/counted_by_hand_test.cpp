// Other networks worked by hand: models and coefficients of round numbers, so that every term of a formula of
// docs/method.md has a figure that can be added up in the head, and a wrong term shows.
//
// The part: 100 TFLOPS in 16 bit, half of which products reach, 10 in fp32; 1000 GB/s; 100 multiprocessors at 1 GHz;
// 100 GB/s between two of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/kinds.hpp"
#include "physics/kinds/networks/processor.hpp"
#include "physics/kinds/networks/products.hpp"
#include "support/counted.hpp"
#include "support/ideal.hpp"

namespace counted_by_hand_test {

using namespace gpusel;
using namespace gpusel::physics;
using job::Checkpointing;
using test::counted_job;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-6); }

class Case {
 public:
  Case(const std::string& words, const std::string& name) : work(counted_job(words + " model=" + name)) {
    part = test::gpu("a100-sxm-80gb");
    part.fp16_dense_tflops = 100;
    part.fp32_tflops = 10;
    part.tensor_cores = 400;
    part.clock_mhz = 1000;
    part.tdp_w = 200;
    machine = test::machine("a100-sxm-80gb", 1);
    machine.device.gpu = &part;
    machine.device.bandwidth = gb_per_s(1000);
    machine.device.usable = gib(1000);
    model = test::model(name);
    work.model = &model;
    c.gemm_efficiency = {0.5, {}};
    c.step_ms = {5, {}};
    plan.micro_batch = 2;
    plan.precision = job::Precision::fp16;
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  void on_two() {
    machine.gpus_per_node = 2;
    machine.link = catalog::NodeLink::nvswitch;
    machine.link_bandwidth = gb_per_s(100);
  }
  Figures figures() {
    c.counted = std::make_shared<CountedCoefficients>(counted);
    return counted_figures(work, machine, plan, c);
  }
  /// A processor of 1 TFLOPS and 100 GB/s, all of which is reached.
  void on_processor(int nodes) {
    cpu.fp32_flops_per_cycle = 125;
    cpu.cores_per_socket = 8;
    cpu.memory_channels = 8;
    cpu.memory_mts = 1562.5;
    counted.cpu.matrix_efficiency = counted.cpu.bandwidth_efficiency = {1, {}};
    machine = {};
    machine.gpus_per_node = 0;
    machine.nodes = nodes;
    machine.host = {&cpu, 8, 1, 1, 1, gib(1000)};
  }
  double ms() { return in_ms(figures().latency); }
  double figure(std::string_view key) {
    const Figures of = figures();
    const auto found = std::ranges::find(of.more, key, &NamedFigure::key);
    REQUIRE(found != of.more.end());
    return found->value;
  }

  job::Job work;
  catalog::Model model;
  catalog::Gpu part;
  catalog::Cpu cpu;
  Machine machine;
  Layout plan;
  Coefficients c = test::ideal();
  CountedCoefficients counted = *test::coefficients().counted;
};

/// 10 layers, 4 in the decoder; 1 billion parameters and half of one; windows of 30 s, 50 positions a second, 100 wide.
class SpeechCase : public Case {
 public:
  explicit SpeechCase(const std::string& words) : Case(words, "whisper-large-v2") {
    model.params_b = 1.5;
    model.decoder_params_b = 0.5;
    model.layers = 10;
    model.decoder_layers = 4;
    model.hidden_size = 100;
    model.ffn_size = 300;
    model.cross_layers = 4;
    model.cross_tokens = 1500;
    model.frames_per_s = 50;
    model.encoder_gflops = 1000;
    model.decoder_gflops_per_token = 5;
    model.activations_m = model.widest_elements_per_s = catalog::Number{};
    auto& job = std::get<job::SpeechJob>(work.counted->job);
    job.window_s = 30;
    job.output_tokens = 20;
    auto& s = counted.speech;
    s.call_ms = {5, {}};
    s.host_ms_per_s = {3, {}};
    s.layer_us = {100, {}};
    s.step_layer_us = {200, {}};
    s.value_bytes = {10, {}};
    s.hidden_bytes = {10, {}};
    s.kept_share = {0.5, {}};
    s.workspace_gib = {1, {}};
    s.workspace_share = {0.1, {}};
  }
};

class DiffusionCase : public Case {
 public:
  explicit DiffusionCase(const std::string& words) : Case(words, "stable-diffusion-1.5") {
    model.params_b = 1.6;
    model.text_encoder_params_b = 0.5;
    model.vae_params_b = 0.1;
    model.active_params_b = {};
    model.text_tokens = 100;
    model.joint_text = true;
    model.image_tokens = 900;
    model.gflops_per_sample = 1000;
    model.attention_gflops = 200;
    model.activations_m = 500;
    model.hidden_size = 100;
    model.head_dim = 50;
    model.layers = 10;
    model.guidance_passes = 2;
    model.vae_channels = 10;
    model.vae_decode_gflops = 2000;
    model.denoiser = "unet";
    auto& d = counted.diffusion;
    d.efficiency = {0.25, {}};
    d.power_exponent = {1, {}};  // 2 W per TFLOPS: half of the peak
    d.peak_share = {0.9, {}};
    for (Coefficient* one : {&d.denoiser_gain, &d.engine_gain, &d.half_rate_gain, &d.low_precision_gain})
      *one = {1, {}};
    d.attention_gain = {0.5, {}};
    d.traffic = {2, {}};
    d.score_traffic = {2, {}};
    d.layer_us = {100, {}};
    d.decoder_values = {10, {}};
    d.decoder_held = {16, {}};
    d.decoder_kept = {0, {}};
    d.tile_share = {1, {}};
    d.denoiser_held = {8, {}};
    d.score_copies = {2, {}};
    d.finest_layers = {4, {}};
    d.sliced_batch = {4, {}};
    d.offload_gbs = {10, {}};
    d.training_share = {0.5, {}};
    d.kept_bytes = {3, {}};
    d.recomputed_share = {0.25, {}};
    resize(512);
  }
  void resize(std::int64_t side) {
    auto& job = std::get<job::DiffusionJob>(work.counted->job);
    job.resolution = {side, side};
    job.steps = 10;
    model.default_width = model.default_height = 512;
  }
};

}  // namespace

TEST_CASE("by hand: a window of speech") {
  SpeechCase one("task=inference precision=fp16");
  // 2 · (1000 + 20 · 5) GFLOP at 50 TFLOPS: 44 ms. Memory: 2 · 100 · 10 · 1500 · 10 bytes and 2e9 of the encoder, then
  // 20 times 1e9 of the decoder and two caches of 2 · 100 · 4 · 1520 · 2 bytes: 2.03 + 20.09728 ms. Launching
  // 10 · 0.1 + 20 · 4 · 0.2 + 5 ms = 22 ms, the host 2 · 30 · 3 = 180 ms.
  CHECK(one.ms() == near(44 + 2.03 + 20.09728 + 22 + 180));
  CHECK(one.figures().rate == near(60 / 0.26812728));
  CHECK(one.figures().bound_by == "host");
  const MemoryBreakdown held = one.figures().memory;
  CHECK(held.weights.raw() == near(3e9));
  CHECK(held.kv_cache.raw() == near(2 * 2'432'000));
  CHECK(held.activations.raw() == near(2 * 1500 * 400 * 2 * 2));  // four times the width, in and out
  CHECK(held.workspace.raw() == near(1'073'741'824 + 0.3e9));
  one.model.widest_elements_per_s = 1e6;  // of waveforms: 30e6 in a window, more than the columns of any layer
  CHECK(one.figures().memory.activations.raw() == near(2 * 30e6 * 2 * 2));
  one.plan.precision = job::Precision::fp32;
  CHECK(one.figures().memory.activations.raw() == near(2 * 30e6 * 2 * 4));
  one.plan.precision = job::Precision::fp16;
  one.model.widest_elements_per_s = catalog::Number{};
  one.model.activations_m = 3;  // of convolutions: 3e6 · 10 bytes a window
  CHECK(one.ms() == near(44 + 2.06 + 20.09728 + 22 + 180));
  one.counted.speech.host_ms_per_s = {0, {}};
  one.machine.gpus_per_node = 2;
  CHECK(one.figures().rate == near(2 * 60 / 0.08815728));
  // On a processor 2200 GFLOP take 2.2 s, and 60e6 + 2e9 + 20 · 1.004864e9 bytes 0.2215728 s.
  one.on_processor(3);
  CHECK(one.ms() == near(2421.5728));
  CHECK(one.figures().rate == near(3 * 60 / 2.4215728));
}

TEST_CASE("by hand: speech that is trained") {
  SpeechCase one("task=finetune method=full precision=fp16");
  one.on_two();
  // Three passes over 2 · 1100 GFLOP: 132 ms; 30e6 + 1.5e9 · 30 bytes: 45.03 ms; (10 · 0.1 + 4 · 0.2) · 3 + 5 ms;
  // the host 180 ms; 6e9 bytes of gradients around a ring of two at 100 GB/s: 60 ms.
  CHECK(one.ms() == near(132 + 45.03 + 10.4 + 180 + 60));
  const MemoryBreakdown held = one.figures().memory;
  CHECK(held.weights.raw() == near(9e9));  // 4 + 2
  CHECK(held.gradients.raw() == near(6e9));
  CHECK(held.optimizer.raw() == near(12e9));
  // 1.5e6 hidden values of the encoder and 100 · 4 · 20 · 1.5 of the decoder, 17 copies of 2 bytes
  CHECK(held.activations.raw() == near(2 * (1.5e6 + 12'000) * 17 * 2));
  one.plan.checkpointing = Checkpointing::full;
  CHECK(one.ms() == near(176 + 45.03 + 12.2 + 180 + 60));
  CHECK(one.figures().memory.activations.raw() == near(2 * (1.5e6 + 12'000) * 2));
  one.plan.checkpointing = Checkpointing::none;
  one.model.activations_m = 3;
  CHECK(one.figures().memory.activations.raw() == near(2 * 3e6 * 0.5 * 2));
  one.c.gradient_overlap = {0.1, {}};  // a tenth of 132 + 45.06 ms hides gradients
  CHECK(one.ms() == near(132 + 45.06 + 10.4 + 180 + 60 - 17.706));
  one.c.least_exposed = {0.9, {}};
  CHECK(one.ms() == near(132 + 45.06 + 10.4 + 180 + 54));
  SpeechCase adapters("task=finetune method=lora lora_rank=16 precision=fp16");
  CHECK(adapters.figures().memory.weights.raw() == near(3e9));
  CHECK(adapters.figures().memory.gradients.raw() == near(4 * 8 * 100 * 16 * 14.0));  // q, k, v, o of 14 layers
  CHECK(adapters.ms() == near(88 + 0.03 + 0.179200 * 30 / 1000 + 10.4 + 180));
}

TEST_CASE("by hand: a recommender's step") {
  Case one("task=pretrain precision=fp16", "dlrm-dcnv2");
  auto& model = one.model;
  model.params_b = 1.01;
  model.embedding_params_b = 1;
  model.largest_table_params_b = 0.5;
  model.lookups_per_sample = 100;
  model.embedding_dim = 10;
  model.embedding_tables = 20;
  model.activation_elements = 1000;
  model.gflops_per_sample = 0.01;
  auto& r = one.counted.recommender;
  r.step_ms = {2, {}};
  r.value_bytes = {12, {}};
  r.row_accesses = {4, {}};
  r.imbalance = {1.5, {}};
  r.replicated = {0.001, {}};
  r.kept_copies = {3, {}};
  r.workspace_gib = {1, {}};
  r.cached_share = {0.25, {}};
  std::get<job::RecommenderJob>(one.work.counted->job).state_values = 2;
  one.plan.micro_batch = 1000;
  // 3 · 10 GFLOP at 50 TFLOPS: 0.6 ms; rows 1000 · 1000 · 4 · (4 + 2 · 2) bytes: 0.032; values 1000 · 1000 · 12: 0.012.
  CHECK(one.ms() == near(0.6 + 0.032 + 0.012 + 2));
  MemoryBreakdown held = one.figures().memory;
  CHECK(held.weights.raw() == near(4e9 + 4e7));
  CHECK(held.optimizer.raw() == near(8e9 + 8e7));
  CHECK(held.gradients.raw() == near(4e7));
  CHECK(held.activations.raw() == near(1000 * 1000 * 2 * 3));
  CHECK(one.figure("largest_table_gib") == near(2e9 / 1'073'741'824));
  CHECK(one.figure("largest_table_share") == near(6e9 / 1'073'741'824 / 1000));
  // Divided over two: pooled rows there and gradients back, 2 · 1000 · 200 · 2 bytes · 1/2 at 100 GB/s: 0.004 ms,
  // and dense gradients, 4e7 bytes: 0.4 ms.
  one.on_two();
  CHECK(one.ms() == near(2.644 + 0.004 + 0.4));
  CHECK(one.figures().rate == near(2000 / 3.048e-3));
  held = one.figures().memory;
  CHECK(held.weights.raw() == near(4e9 * 1.5 / 2 + 4e7));
  CHECK(held.workspace.raw() == near(1'073'741'824 + 1000 * 200 * 4 * 2));
  r.replicated = {1, {}};  // small enough to be copied: their gradients go around the ring as well
  CHECK(one.ms() == near(2.644 + 40.4));
  // In host memory: every row there and back over PCIe, 1000 · 1000 · 4 · 2 bytes at 31.5076923 GB/s
  one.machine.gpus_per_node = 1;
  one.plan.offload = job::Offload::params;
  CHECK(one.ms() == near(2.612 + 0.25390625));
  CHECK(one.figures().memory.weights.raw() == near(1e9 + 4e7));
  CHECK(one.figure("tables_on_gpu") == near(0.25));
  std::get<job::RecommenderJob>(one.work.counted->job).table_gib = 8;  // the largest is still half of all
  CHECK(one.figure("largest_table_gib") == near(4));
  one.model.embedding_params_b = {};  // nothing to take the largest as a share of
  CHECK(one.figure("largest_table_gib") == near(2e9 / 1'073'741'824));
  one.model.embedding_params_b = 1;
  std::get<job::RecommenderJob>(one.work.counted->job).table_gib.reset();
  CHECK(one.figure("slowdown") == near((2.612 + 0.25390625) / 2.644));
}

TEST_CASE("by hand: a network that reads samples") {
  Case one("task=pretrain", "resnet-50");
  auto& model = one.model;
  model.gflops_per_sample = 10;
  model.activations_m = 20;
  model.params_b = 0.1;
  model.layers = 50;
  auto& s = one.counted.samples;
  s.reach = s.training_reach = {0.5, {}};
  s.arithmetic_gain = s.launches = s.cached = s.copies = {1, {}};
  s.clocks = {2, {}};
  s.layer_us = {10, {}};
  s.host_exposed = {0.5, {}};
  s.saved_copies = {2, {}};
  s.live_share = {0.25, {}};
  s.workspace_gib = {1, {}};
  s.recomputed_share = {0.1, {}};
  s.online_share = {0.8, {}};
  s.doubling_loss = {0.1, {}};
  s.loader_rate = {100, {}};
  one.plan.micro_batch = 100;
  // 3 · 1000 GFLOP at 50 TFLOPS: 60 ms; 2e9 values of 2 bytes: 4; of 2 clocks of 100 multiprocessors: 40; weights read
  // three times and updated, 0.1e9 · (6 + 28) bytes: 3.4; half of launching 50 · 3 · 10 us shows: 0.75.
  CHECK(one.ms() == near(60 + 4 + 40 + 3.4 + 0.75));
  MemoryBreakdown held = one.figures().memory;
  CHECK(held.activations.raw() == near(2e9 * 2 * 2));
  CHECK((held.weights + held.gradients).raw() == near(0.8e9));
  CHECK(one.figure("loader_vcpus_per_gpu") == near(100 / 0.10815 / 100));
  one.plan.checkpointing = Checkpointing::full;  // a fourth pass; what layers put out once more forward, a third
  CHECK(one.ms() == near(80 + 4 * 4 / 3.0 + 40 * 4 / 3.0 + 3.4 + 0.75));
  CHECK(one.figures().memory.activations.raw() == near(2e9 * 2 * 2 * 0.1));
  one.plan.checkpointing = Checkpointing::none;
  one.on_two();  // 0.4e9 bytes at 100 GB/s: 4 ms; a tenth is lost to waiting
  CHECK(one.ms() == near(112.15));
  CHECK(one.figures().rate == near(0.9 * 200 / 0.11215));
  one.c.collectives_gib = {1, {}};
  CHECK(one.figures().memory.framework.raw() == near(1'073'741'824));
  one.c.gradient_overlap = {0.01, {}};  // of products, traffic and arithmetic, 104 ms, behind which 4 ms go on
  CHECK(one.ms() == near(108.15 + 4 - 1.04));
  one.c.gradient_overlap = {0, {}};
  // Of a part whose multiprocessors nobody knows nothing is said of them.
  const catalog::Gpu known = one.part;
  one.part.tensor_cores = one.part.cuda_cores = catalog::Number{};
  CHECK(one.ms() == near(112.15 - 40));
  one.part = known;
  // What takes longest is named: the values with the weights, 4 + 57 + 3.4 ms against 60, or launching, 106.5 ms.
  s.clocks = {2.85, {}};
  CHECK(one.figures().bound_by == "memory-bandwidth");
  s.clocks = {2, {}};
  CHECK(one.figures().bound_by == "compute");
  s.layer_us = {710, {}};
  CHECK(one.figures().bound_by == "compute");  // of 107.4 ms in all
  s.layer_us = {720, {}};
  CHECK(one.figures().bound_by == "launch");
  s.layer_us = {10, {}};
  one.c.watts_per_tflops = {0.5, {}};  // 2 W per TFLOPS: four times as much, by the square root twice the share, at
  s.power_exponent = {0.5, {}};        // most 0.95
  CHECK(one.ms() == near(112.15 - 60 + 30 / 0.95));
  one.part.fp16_dense_tflops = 1;  // a small part may have as many watts for each
  CHECK(one.ms() == near(112.15 - 60 + 3000 / 0.95));
  Case serving("task=inference mode=online engine=pytorch", "resnet-50");
  serving.model = one.model;
  serving.counted = one.counted;
  serving.plan.micro_batch = 100;
  // 1000 GFLOP: 20 ms; 4 + 40; weights 0.2e9 bytes: 0.2; 0.25 of launching. Four fifths of it in time.
  CHECK(serving.ms() == near(64.45));
  CHECK(serving.figures().rate == near(0.8 * 100 / 0.06445));
  CHECK(serving.figures().memory.activations.raw() == near(2e9 * 0.25 * 2));
  CHECK(serving.figures().memory.weights.raw() == near(0.2e9));
  serving.counted.samples.layer_us = {2000, {}};  // 100 ms: the other of the two shows in half
  CHECK(serving.ms() == near(100 + 32.1));
}

TEST_CASE("by hand: a recommender that answers, on a GPU and on a processor") {
  Case one("task=inference precision=fp16 engine=pytorch", "dlrm-dcnv2");
  one.model.params_b = 1.01;
  one.model.embedding_params_b = 1;
  one.model.lookups_per_sample = 100;
  one.model.embedding_dim = 10;
  one.model.activation_elements = 1000;
  one.model.gflops_per_sample = 0.01;
  one.counted.recommender.step_ms = {2, {}};
  one.counted.recommender.value_bytes = {12, {}};
  one.plan.micro_batch = 1000;
  // 10 GFLOP at 50 TFLOPS; rows 1000 · 1000 · 2 bytes, read once; values 1000 · 1000 · 12.
  CHECK(one.ms() == near(0.2 + 0.002 + 0.012 + 2));
  one.on_processor(3);  // 10 ms, and rows and 2e7 bytes of dense layers at 100 GB/s
  CHECK(one.ms() == near(10 + 0.02 + 0.2));
  CHECK(one.figures().rate == near(3 * 1000 / 0.01022));
}

TEST_CASE("by hand: scores that are not fused go through memory in each pass") {
  const auto ms = [](const std::string& words) {
    Case one("task=pretrain" + words, "vit-base-patch16-224");
    one.model.layers = 2;
    one.model.hidden_size = 100;
    one.model.ffn_size = 400;
    one.model.heads = 4;
    one.model.gated_ffn = false;
    one.model.gflops_per_sample = 1.28;  // 2 · 240,000 · 1000 + 4 · 2 · 100 · 1000²: a thousand tokens
    one.plan.micro_batch = 100;
    one.counted.samples.layer_us = {0, {}};
    return one.ms();
  };
  // 2 · 4 · 1000² scores of each of 100, written and read in three passes, 2 bytes each
  CHECK(ms(" flash_attention=false") - ms("") == near(9.6));
}

TEST_CASE("by hand: an image") {
  DiffusionCase one("task=inference precision=fp16");
  // Of a pass 800 GFLOP and 200 of attention at half of that rate: 1200 ÷ 50 TFLOPS = 24 ms; two passes of two images:
  // 96. 500e6 values written and read twice, 2 bytes: 4 ms, four times; weights of the denoiser, 1e9 · 2 bytes: 2.
  // Launching 1 ms hides. Ten steps.
  const double step = 96 + 16 + 2;
  // The prompt: 2 · 0.5e9 · 400 FLOP: 8 ms, and 1e9 bytes: 1. Decoding 2 · 2 TFLOP: 80 ms, and
  // 2 · 10 · 10 · 512² values there and back, twice, of 2 bytes: 0.41943.
  CHECK(one.ms() == near(10 * step + 9 + 80 + 0.4194304));
  CHECK(one.figure("step_s") == near(step / 1e3));
  CHECK(one.figures().rate == near(2 / 1.2294194304));
  MemoryBreakdown held = one.figures().memory;
  CHECK(held.weights.raw() == near(3.2e9));
  // Decoding holds 8 · 10 · 512² values of each image, the pass 8 · 1000 · 100 of each of four.
  CHECK(held.activations.raw() == near(2 * 8 * 10 * 512 * 512 * 2.0));
  one.plan.micro_batch = 4;  // decoded one by one; passes of 8 · 1000 · 100 values are less
  CHECK(one.figures().memory.activations.raw() == near(8 * 10 * 512 * 512 * 2.0));
  one.plan.micro_batch = 2;
  // Unfused: 200e9 ÷ (4 · 50) scores of all layers, read and written twice; a fourth of them in the finest, two copies.
  std::get<job::DiffusionJob>(one.work.counted->job).fused_attention = false;
  CHECK(one.figure("step_s") == near((step + 2 * 1e9 * 4 * 2 / 1e9) / 1e3));
  CHECK(one.figures().memory.activations.raw() == near((8 * 1000 * 100 + 2 * 0.25e9) * 4 * 2));
  std::get<job::DiffusionJob>(one.work.counted->job).fused_attention = true;
  // Offloaded, the largest part alone, and 3.2e9 bytes at 10 GB/s.
  one.plan.offload = job::Offload::params;
  CHECK(one.ms() == near(10 * step + 9 + 80 + 0.4194304 + 320));
  CHECK(one.figures().memory.weights.raw() == near(2e9));
  CHECK(one.figure("offloaded_gib") == near(3.2e9 / 1'073'741'824));
  one.plan.offload = job::Offload::none;
  // Twice the side: 3700 positions of 1000; products with that, attention with its square, decoding fourfold.
  one.resize(1024);
  CHECK(one.figure("step_s") == near((4 * (800 * 3.7 + 400 * 13.69) / 50 + 16 * 3.7 + 2) / 1e3));
  CHECK(one.figure("decode_s") == near(0.32 + 4 * 0.4194304e-3));
  one.counted.diffusion.layer_us = {1e6, {}};  // 10 s: of two that take as long each hides a part
  one.resize(512);
  CHECK(one.figure("step_s") == near(10.0000000422));
}

TEST_CASE("by hand: an image on a processor") {
  DiffusionCase one("task=inference precision=fp16");
  one.on_processor(3);
  one.counted.cpu.bandwidth_efficiency = {1, {}};
  // 2 · 2 passes of 10 steps, 1000 GFLOP each, and 2 · 2000 of decoding at 1 TFLOPS: 44 s. At 100 GB/s the values of
  // the passes, 40 · 2 · 500e6 · 2 bytes, weights of the denoiser in each step, 10 · 2e9, and those of decoding,
  // 2 · 2 · 10 · 10 · 512² · 2: 0.8 + 0.2 + 0.002097152 s.
  CHECK(one.ms() == near(44'000 + 800 + 200 + 2.097152));
  CHECK(one.figures().rate == near(3 * 2 / 45.002097152));
}

TEST_CASE("by hand: rows go between devices of a node over its link, and between nodes over what is slower") {
  Case one("task=pretrain", "resnet-50");
  one.on_two();
  const auto gbs = [&] {
    one.c.counted = std::make_shared<CountedCoefficients>(one.counted);
    return exchange_rate({one.work, *one.work.counted, one.machine, one.plan, one.c, *one.c.counted, nullptr}).raw() /
           1e9;
  };
  CHECK(gbs() == near(100));
  one.machine.nodes = 2;
  one.machine.rdma = true;
  one.machine.network = gbit_per_s(3200);  // 400 GB/s for two
  CHECK(gbs() == near(100));
  one.machine.network = gbit_per_s(800);
  CHECK(gbs() == near(50));
  one.machine.gpus_per_node = 1;
  CHECK(gbs() == near(100));  // and no link
  one.machine.network = gbit_per_s(3200);
  CHECK(gbs() == near(400));
}

TEST_CASE("by hand: what a processor reads and multiplies for a language model") {
  CountedCoefficients counted = *test::coefficients().counted;
  CpuCoefficients& c = counted.cpu;
  c.weight_bytes = {10, {}};
  c.decode_bandwidth = {0.5, {}};
  c.prompt_flops = {100, {}};
  c.prompt_cores_half = {16, {}};
  c.chiplet_cores = {8, {}};
  c.chiplet_gbs = {0, {}};
  Coefficients all = test::ideal();
  catalog::Cpu cpu;
  cpu.cores_per_socket = 16;
  cpu.memory_channels = 8;
  cpu.memory_mts = 1562.5;
  Machine host;
  host.gpus_per_node = 0;
  host.host = {&cpu, 16, 1, 2, 2, gib(100)};
  const auto work = test::job("task=inference model=llama-7b engine=llama.cpp");
  const auto made = [&] {
    all.counted = std::make_shared<CountedCoefficients>(counted);
    return machine_for(work, host, all).value().device;
  };
  // Cores unpack 16 · 2 GHz · 10 bytes = 320 GB/s, half of 100 GB/s of memory is reached: 320 · 50 ÷ 370.
  CHECK(made().bandwidth.raw() == near(320 * 50e9 / 370));
  c.chiplet_gbs = {25, {}};  // two chiplets of 25 GB/s let less through
  CHECK(made().bandwidth.raw() == near(25e9));
  // 16 · 2 GHz · 100 FLOP, halved by 16 cores that wait for each other
  CHECK(*made().gpu->fp32_tflops == near(1.6));
}

TEST_CASE("by hand: an image model that is trained") {
  DiffusionCase one("task=finetune method=full precision=fp16");
  one.on_two();
  // Three passes at half of the rate: 2 · 3 · 24 ÷ 0.5 = 288 ms; traffic 2 · 3 · 4 ÷ 0.5 = 48; encoding 2 · (0.1 TFLOP
  // of text + 1 of the image) ÷ 50: 44; update 1e9 · (12 + 2 · 8) bytes: 28; gradients 4e9 at 100 GB/s: 40.
  CHECK(one.ms() == near(288 + 48 + 44 + 28 + 40));
  MemoryBreakdown held = one.figures().memory;
  CHECK(held.weights.raw() == near(4e9 + 1e9 + 0.2e9));
  CHECK(held.optimizer.raw() == near(8e9));
  CHECK(held.activations.raw() == near(2 * 500e6 * 3));
  one.plan.checkpointing = Checkpointing::full;
  CHECK(one.ms() == near(384 + 64 + 44 + 28 + 40));
  CHECK(one.figures().memory.activations.raw() == near(2 * 500e6 * 3 * 0.25));
  one.plan.offload = job::Offload::params;  // prompts and latents computed ahead
  CHECK(one.ms() == near(384 + 64 + 28 + 40));
  CHECK(one.figures().memory.weights.raw() == near(4e9));
  one.plan.offload = job::Offload::none;
  one.counted.diffusion.layer_us = {1e5, {}};  // four passes over ten layers: 4 s instead of 384 + 64 ms
  CHECK(one.ms() == near(4000 + 44 + 28 + 40));
  CHECK(one.figures().bound_by == "launch");
  DiffusionCase adapters("task=finetune method=lora lora_rank=16 precision=fp16");
  CHECK(adapters.figures().memory.gradients.raw() == near(4 * 16 * 8 * 10 * 100.0));
  CHECK(adapters.ms() == near(192 + 32 + 44 + 0.128 * 28 / 1000));
}

}  // namespace counted_by_hand_test
