// Images and videos: memory and time of a pipeline's parts against arithmetic done by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/counted.hpp"
#include "physics/kinds/diffusion/diffusion_size.hpp"
#include "support/job.hpp"

namespace counted_diffusion_test {

using namespace gpusel;
using namespace gpusel::physics;
using job::Precision;

namespace {

const DiffusionCoefficients& coefficients() { return test::coefficients().counted->diffusion; }

Result<job::Job> try_image_job(std::string_view words) {
  const job::Request asked = test::request(words);
  return job::resolve_counted(asked, &test::model(asked.model), test::shipped());
}
job::Job image_job(std::string_view words) {
  auto made = try_image_job(words);
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

Layout batches(std::int64_t batch, Precision precision = Precision::fp16) {
  return {.precision = precision, .micro_batch = batch};
}

Figures figures(std::string_view words, std::string_view gpu, Layout chosen, int gpus = 1) {
  return counted_figures(image_job(words), test::machine(gpu, gpus), chosen, test::coefficients());
}

double figure(const Figures& figures, std::string_view key) {
  for (const NamedFigure& one : figures.more)
    if (one.key == key) return one.value;
  FAIL("no figure");
  return 0;
}

Approx near(double value) { return Approx(value).epsilon(1e-6); }

constexpr double kSd15Parameters = 1.066235e9;

}  // namespace

TEST_CASE("the layer with the most scores has all of them where the layers are not told") {
  catalog::Model model = test::model("flux.1-dev");
  const auto job = std::get<job::DiffusionJob>(image_job("task=inference model=flux.1-dev").counted->job);
  const DiffusionSize known = diffusion_size(model, job, coefficients());
  CHECK(known.scores == near(known.all_scores / *model.layers));
  model.layers = {};
  CHECK(diffusion_size(model, job, coefficients()).scores == near(known.all_scores));
}

TEST_CASE("a video's latent frames are the first and one of every four behind it") {
  const auto step = [](std::string_view frames) {
    return figure(figures(format("task=inference model=wan2.1-t2v-14b frames={}", frames), "h100-sxm-80gb",
                          batches(1, Precision::bf16)),
                  "step_s");
  };
  // 1 of one frame, 2 of five; attention over twice the tokens is four times the work, everything else twice.
  CHECK(step("5") / step("1") > 1.9);
  CHECK(step("5") / step("1") < 4);
  CHECK(step("9") / step("5") < step("5") / step("1"));  // 3 of nine
}

TEST_CASE("decoding grows with the pixels of all frames, threefold where it reaches over frames") {
  catalog::Model model = test::model("wan2.1-t2v-1.3b");
  auto job = std::get<job::DiffusionJob>(image_job("task=inference model=wan2.1-t2v-1.3b").counted->job);
  job.resolution = {static_cast<std::int64_t>(*model.default_width), static_cast<std::int64_t>(*model.default_height)};
  const auto decoded = [&] { return diffusion_size(model, job, coefficients()).decode_flop; };
  model.vae_decode_gflops = 1000;
  job.frames = static_cast<std::int64_t>(*model.default_frames);
  CHECK(decoded() == near(1e12));
  job.frames *= 2;
  CHECK(decoded() == near(2e12));
  model.vae_decode_gflops = {};
  model.default_frames = 1;
  const double image = decoded();
  model.default_frames = 2;
  CHECK(decoded() == near(3 * image));
}

TEST_CASE("all parts of an image pipeline are resident, and decoding is its peak") {
  const auto one = figures("task=inference model=sd15", "a100-sxm-40gb", batches(1)).memory;
  CHECK(one.weights.raw() == near(kSd15Parameters * 2));
  // Decoder: bytes per pixel and channel × 256 channels × 512 × 512 pixels.
  const double decoded = coefficients().decoder_held.value * 256 * 512 * 512;
  CHECK(one.activations.raw() == near(decoded));
  CHECK(figures("task=inference model=sd15", "a100-sxm-40gb", batches(8)).memory.activations.raw() ==
        near(8 * decoded));
  // In fp32 weights take twice as much, and the allocator keeps as much again, which it gives back.
  const auto wide = figures("task=inference model=sd15", "a100-sxm-40gb", batches(1, Precision::fp32)).memory;
  CHECK(wide.weights.raw() == near(kSd15Parameters * 4));
  CHECK(wide.activations.raw() == near(decoded));
  CHECK(wide.workspace.raw() == near(decoded));
  CHECK(wide.needed() == wide.total() - wide.workspace);
}

TEST_CASE("a sliced decoder takes one image at a time, a tiled one a part of it") {
  const auto decoded = [](std::string_view words, std::int64_t batch) {
    return figures(words, "a100-sxm-40gb", batches(batch)).memory.activations.raw();
  };
  const double one = decoded("task=inference model=sdxl", 1);
  CHECK(decoded("task=inference model=sdxl", 4) == near(4 * one));
  CHECK(decoded("task=inference model=sdxl vae_slicing=true", 4) == near(one));
  // SDXL's own picture is one tile: four of them are no more than one.
  CHECK(decoded("task=inference model=sdxl resolution=2048x2048 vae_tiling=true", 1) == near(one));
  CHECK(decoded("task=inference model=sdxl resolution=2048x2048", 1) == near(4 * one));
}

TEST_CASE("published memory of image pipelines") {
  // SDXL in fp16, one image: 10.47 GiB allocated (diffusers documentation); it runs on a T4.
  const auto sdxl = figures("task=inference model=sdxl", "t4", batches(1)).memory;
  CHECK(in_gib(sdxl.needed() - sdxl.framework) == Approx(10.47).epsilon(0.05));
  // Four images: 21.72 in fp16, 28.09 in fp32 (diffusers, 2023).
  const auto four = figures("task=inference model=sdxl", "a100-sxm-40gb", batches(4)).memory;
  CHECK(in_gib(four.needed() - four.framework) == Approx(21.72).epsilon(0.05));
  const auto wide = figures("task=inference model=sdxl", "a100-sxm-40gb", batches(4, Precision::fp32)).memory;
  CHECK(in_gib(wide.needed() - wide.framework) == Approx(28.09).epsilon(0.05));
}

TEST_CASE("layer by layer, a tenth of the largest part is there, and comes again in every step") {
  const auto at = [](job::Offload offload) {
    return figures(format("task=inference model=flux.1-dev steps=20 offload={}", to_text(offload)), "l40s",
                   {.precision = Precision::bf16, .micro_batch = 1, .offload = offload});
  };
  const auto parts = at(job::Offload::weights);
  const auto layers = at(job::Offload::sequential);
  CHECK(layers.memory.total() < parts.memory.total());
  // 19 more times 11.901 billion parameters at 2 bytes over the link.
  CHECK((layers.latency - parts.latency).raw() == near(19 * 11.901 * 2e9 / (coefficients().offload_gbs.value * 1e9)));
}

TEST_CASE("large batches are decoded one by one, so that the denoiser's passes are their peak") {
  const auto memory = figures("task=inference model=sd15", "a100-sxm-80gb", batches(64)).memory;
  // 64 images × 2 guidance passes × 4096 positions × 320 channels × 2 bytes.
  const double pass = coefficients().denoiser_held.of("unet") * 64 * 2 * 4096 * 320 * 2;
  CHECK(memory.activations.raw() == near(pass));
}

TEST_CASE("image attention that is not fused keeps its scores") {
  const std::string_view words = "task=inference model=sd15 flash_attention=false";
  const auto with = figures(words, "a100-sxm-80gb", batches(16)).memory.activations;
  // 122.5 GFLOP = 4 × head width 40 × scores; the finest level has 1 of `finest_layers` of them.
  const double scores = 122.5e9 / (4 * 40) / coefficients().finest_layers.value;
  const double pass = coefficients().denoiser_held.of("unet") * 4096 * 320 + coefficients().score_copies.value * scores;
  CHECK(with.raw() == near(pass * 2 * 16 * 2));
  const auto fast = figures("task=inference model=sd15", "a100-sxm-80gb", batches(16));
  CHECK(fast.rate > figures(words, "a100-sxm-80gb", batches(16)).rate * 1.2);
}

TEST_CASE("SDXL decodes in fp32 whatever it denoises in") {
  const auto memory = figures("task=inference model=sdxl", "a100-sxm-80gb", batches(1)).memory;
  CHECK(memory.activations.raw() == near(coefficients().decoder_held.value * 256 * 1024 * 1024));
  // (3.468838 - 0.083654) billion at 2 bytes, the VAE at 4.
  CHECK(memory.weights.raw() == near((3.468838 - 0.083654) * 2e9 + 0.083654 * 4e9));
}

TEST_CASE("what is offloaded leaves the largest part with what it works on") {
  const auto memory = figures("task=inference model=flux.1-dev offload=weights", "l40s",
                              {.precision = Precision::bf16, .micro_batch = 1, .offload = job::Offload::weights})
                          .memory;
  const double denoiser = 11.901 * 2e9;
  CHECK(memory.weights.raw() == near(denoiser));
  CHECK(memory.activations.raw() == near(coefficients().denoiser_held.of("dit") * (4096 + 512) * 3072 * 2));
}

TEST_CASE("narrow weights are stored narrow, and the VAE is not") {
  const auto memory =
      figures("task=inference model=flux.1-dev weights_precision=nf4", "l40s", batches(1, Precision::bf16)).memory;
  CHECK(memory.weights.raw() == near((16.8706 - 0.084) * 1e9 * 4.127 / 8 + 0.084e9 * 2));
}

TEST_CASE("published peaks of whole pipelines are met within a tenth") {
  const auto peak = [](std::string_view words, Precision precision) {
    return in_gib(figures(words, "a100-sxm-80gb", batches(1, precision)).memory.total());
  };
  CHECK(peak("task=inference model=flux.1-dev", Precision::bf16) == Approx(36.17).epsilon(0.1));
  CHECK(peak("task=inference model=flux.1-dev weights_precision=int8", Precision::bf16) == Approx(21.48).epsilon(0.1));
  CHECK(peak("task=inference model=cogvideox-5b", Precision::bf16) == Approx(31.75).epsilon(0.1));
  CHECK(peak("task=inference model=cogvideox-2b", Precision::fp16) == Approx(24.51).epsilon(0.1));
  CHECK(peak("task=inference model=sd3-medium", Precision::fp16) == Approx(18.77).epsilon(0.1));
}

TEST_CASE("a step at a large batch is its products and its traffic") {
  const auto& c = coefficients();
  const auto run = figures("task=inference model=sd15 steps=30", "a100-sxm-40gb", batches(16));
  const double share = c.efficiency.of("Ampere") * std::pow(400.0 / 312, c.power_exponent.value);
  const double products = 2 * 16 * 803.3e9 / (312e12 * share);
  const double traffic =
      (2 * 555.7e6 * 2 * c.traffic.of("pytorch") * 32 + (1.066235 - 0.123060 - 0.083654) * 2e9) / 1555e9;
  const double launch = 60 * c.layer_us.of("pytorch") * 1e-6;
  const double busy = products + traffic;
  const double step = std::pow(std::pow(busy, 4) + std::pow(launch, 4), 0.25);
  CHECK(figure(run, "step_s") == Approx(step).epsilon(1e-4));
  CHECK(run.bound_by == "compute");
  CHECK(run.latency.raw() > 30 * step);
  CHECK(run.rate == near(16 / run.latency.raw()));
}

TEST_CASE("at batch 1 the host's launches bound fast GPUs, and less of them an engine's graph") {
  const auto slow = figures("task=inference model=sd15 steps=30", "h100-sxm-80gb", batches(1));
  CHECK(slow.bound_by == "launch");
  CHECK(figure(slow, "step_s") == Approx(60 * coefficients().layer_us.of("pytorch") * 1e-6).epsilon(0.02));
  const auto graph = figures("task=inference model=sd15 steps=30 engine=tensorrt", "h100-sxm-80gb", batches(1));
  CHECK(graph.latency < slow.latency * 0.5);
}

TEST_CASE("V100 is about as fast as A10 at one image, A100 not twice") {
  const auto latency = [](std::string_view gpu) {
    return figures("task=inference model=sd15 steps=30", gpu, batches(1)).latency.raw();
  };
  CHECK(latency("v100-sxm2-16gb") / latency("a10") == Approx(1).margin(0.2));
  CHECK(latency("a10") / latency("a100-sxm-40gb") < 2);
}

TEST_CASE("attention grows with the square of the pixels, the rest with them") {
  const auto step = [](std::string_view size) {
    return figure(
        figures("task=inference model=flux.1-dev resolution=" + std::string(size), "t4", batches(1, Precision::fp16)),
        "step_s");
  };
  // Twice the side is four times the image's positions: 4 × 4096 + 512 over 4096 + 512 is 3.667.
  CHECK(step("2048x2048") / step("1024x1024") > 3.667);
  CHECK(step("2048x2048") / step("1024x1024") < 3.667 * 3.667);
}

TEST_CASE("published times of whole pipelines are met within a fifth") {
  const auto time = [](std::string_view words, std::string_view gpu) {
    return figures(words, gpu, batches(1, Precision::bf16)).latency.raw();
  };
  CHECK(time("task=inference model=flux.1-dev steps=50", "h100-sxm-80gb") == Approx(12).epsilon(0.2));
  CHECK(time("task=inference model=cogvideox-5b", "a100-sxm-80gb") == Approx(243).epsilon(0.2));
  CHECK(time("task=inference model=cogvideox-5b", "h100-sxm-80gb") == Approx(112).epsilon(0.2));
}

TEST_CASE("steps, guidance and frames multiply the work") {
  const auto time = [](std::string_view words) { return figures(words, "l40s", batches(8)).latency.raw(); };
  const double fifty = time("task=inference model=sdxl steps=50"), ten = time("task=inference model=sdxl steps=10");
  const double twenty = time("task=inference model=sdxl steps=20");
  CHECK(fifty - ten == Approx(4 * (twenty - ten)).epsilon(1e-6));
  // The distilled model has one pass a step.
  CHECK(time("task=inference model=sdxl-lightning steps=10") < ten);
  const auto longer = figures("task=inference model=wan2.1-t2v-1.3b frames=161", "h100-sxm-80gb", batches(1));
  const auto usual = figures("task=inference model=wan2.1-t2v-1.3b", "h100-sxm-80gb", batches(1));
  CHECK(longer.latency > usual.latency * 2);
}

TEST_CASE("8-bit arithmetic speeds up products where the hardware has it") {
  const auto rate = [](std::string_view gpu, Precision precision) {
    return figures("task=inference model=sdxl engine=tensorrt", gpu, batches(8, precision)).rate;
  };
  CHECK(rate("h100-sxm-80gb", Precision::fp8) > rate("h100-sxm-80gb", Precision::fp16) * 1.25);
  const auto lacks = [](std::string_view words, std::string_view gpu, Precision precision) {
    return figures(words, gpu, batches(1, precision)).lacks;
  };
  CHECK(lacks("task=inference model=sdxl", "a100-sxm-40gb", Precision::fp8) == "fp8 arithmetic");
  CHECK(lacks("task=inference model=sdxl", "t4", Precision::int8).empty());
  // V100 has int8 dot products, slower than its fp16 matrix units.
  CHECK(rate("v100-sxm2-16gb", Precision::int8) < rate("v100-sxm2-16gb", Precision::fp16) * 1.05);
  CHECK(lacks("task=inference model=sdxl engine=tensorrt", "mi300x", Precision::fp16) == "TensorRT");
  CHECK(lacks("task=inference model=sdxl", "l4", Precision::fp8).empty());
  // bf16 without hardware for it runs at fp32's rate.
  CHECK(rate("t4", Precision::bf16) < rate("t4", Precision::fp16) * 0.6);
}

TEST_CASE("replicas multiply the images, not the speed of one") {
  const auto one = figures("task=inference model=sdxl", "h100-sxm-80gb", batches(4));
  const auto eight = figures("task=inference model=sdxl", "h100-sxm-80gb", batches(4), 8);
  CHECK(eight.rate == near(8 * one.rate));
  CHECK(eight.latency.raw() == near(one.latency.raw()));
}

TEST_CASE("full fine-tuning keeps weights, gradients and two moments in fp32") {
  auto memory = figures("task=finetune model=sd15 method=full", "a100-sxm-80gb", batches(4)).memory;
  const double trained = (1.066235 - 0.123060 - 0.083654) * 1e9;
  CHECK(memory.gradients.raw() == near(trained * 4));
  CHECK(memory.optimizer.raw() == near(trained * 8));
  CHECK(memory.weights.raw() == near(trained * 4 + (0.123060 + 0.083654) * 2e9));
  CHECK(memory.activations.raw() == near(4 * 555.7e6 * coefficients().kept_bytes.value));
  memory = figures("task=finetune model=sd15 method=full optimizer=adamw8bit", "a100-sxm-80gb", batches(1)).memory;
  CHECK(memory.optimizer.raw() == near(trained * 2.06));
}

TEST_CASE("DreamBooth of Stable Diffusion takes what its table says") {
  const auto need = [](std::string_view words, job::Checkpointing checkpointing, std::int64_t batch) {
    const Layout chosen{.precision = job::Precision::fp16, .micro_batch = batch, .checkpointing = checkpointing};
    return in_gib(
        figures("task=finetune model=sd15 method=dreambooth offload=weights " + std::string(words), "t4", chosen)
            .memory.total());
  };
  using enum job::Checkpointing;
  CHECK(need("optimizer=adamw8bit", full, 1) == Approx(9.92).epsilon(0.15));
  CHECK(need("optimizer=adamw8bit", full, 2) == Approx(10.4).epsilon(0.15));
  CHECK(need("optimizer=adamw8bit", none, 1) == Approx(11.17).epsilon(0.15));
  CHECK(need("optimizer=adamw8bit", none, 2) == Approx(13.67).epsilon(0.15));
  CHECK(need("optimizer=adamw", full, 1) == Approx(15.79).epsilon(0.15));
}

TEST_CASE("an adapter's states are small, and its base may be narrow") {
  const Layout chosen{.precision = Precision::bf16, .micro_batch = 1, .checkpointing = job::Checkpointing::full};
  const auto lora = figures("task=finetune model=flux.1-dev method=lora", "h100-sxm-80gb", chosen).memory;
  // rank 16 × 8 matrices × 57 layers × 3072 channels
  CHECK(lora.gradients.raw() == near(16.0 * 8 * 57 * 3072 * 4));
  CHECK(in_gib(lora.total()) > 35);
  const auto qlora = figures("task=finetune model=flux.1-dev method=qlora", "h100-sxm-80gb", chosen).memory;
  CHECK(in_gib(qlora.total()) < 20);
}

TEST_CASE("recomputing costs a forward pass and saves activations") {
  const Layout kept{.precision = Precision::bf16, .micro_batch = 2};
  Layout again = kept;
  again.checkpointing = job::Checkpointing::full;
  const std::string_view words = "task=finetune model=sdxl method=full";
  const auto a = figures(words, "h100-sxm-80gb", kept), b = figures(words, "h100-sxm-80gb", again);
  CHECK(b.memory.activations.raw() == near(a.memory.activations.raw() * coefficients().recomputed_share.of("unet")));
  CHECK(b.rate < a.rate);
  CHECK(b.rate > a.rate * 0.7);
}

TEST_CASE("a model whose layers' work is not known is refused, with a list to look in") {
  const auto refused = try_image_job("task=inference model=sadtalker");
  REQUIRE(!refused);
  CHECK(refused.error().where == "model");
}

TEST_CASE("an engine that adds up in fp16 runs half-rate cards at their full rate") {
  const auto gain = [](std::string_view gpu) {
    const double with = figure(figures("task=inference model=sdxl engine=tensorrt", gpu, batches(8)), "step_s");
    const double without = figure(figures("task=inference model=sdxl engine=torch-compile", gpu, batches(8)), "step_s");
    return without / with;
  };
  CHECK(gain("rtx-4090") > gain("l40s") * 1.05);
  CHECK(gain("rtx-3090") > gain("rtx-a6000-48gb") * 1.05);
}

TEST_CASE("who waits for one image at a time keeps one GPU at work, who has many all of them") {
  const auto rate = [](const std::string& mode, int gpus) {
    return figures("task=inference model=sdxl mode=" + mode, "h100-sxm-80gb", batches(1), gpus).rate;
  };
  CHECK(rate("single-stream", 8) == near(rate("single-stream", 1)));
  CHECK(rate("throughput", 8) == near(8 * rate("throughput", 1)));
}

}  // namespace counted_diffusion_test
