// Defaults of images and videos: the model's size, steps and frames.
#include <catch2/catch.hpp>

#include "support/job.hpp"

namespace counted_diffusion_test {

using namespace gpusel;
using namespace gpusel::job;

namespace {

Result<Job> resolved(std::string_view words) {
  const Request asked = test::request(words);
  return resolve_counted(asked, &test::model(asked.model), test::shipped());
}
Job work(std::string_view words) {
  auto made = resolved(words);
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}
DiffusionJob image(std::string_view words) { return std::get<DiffusionJob>(work(words).counted->job); }

std::string blamed(std::string_view words) {
  const auto made = resolved(words);
  return made ? "" : made.error().where;
}

}  // namespace

TEST_CASE("an image has the size and steps that its model is used with") {
  CHECK(image("task=inference model=sdxl").resolution == Resolution{1024, 1024});
  CHECK(image("task=inference model=sdxl").steps == 50);
  CHECK(image("task=inference model=flux.1-schnell").steps == 4);
  CHECK(image("task=inference model=sdxl-turbo").resolution == Resolution{512, 512});
  CHECK(image("task=inference model=sd15 resolution=768x512 steps=20").resolution == Resolution{768, 512});
  CHECK(work("task=inference model=sdxl").counted->unit.rate == "images/s");
}

TEST_CASE("frames are those a causal video decoder makes") {
  CHECK(image("task=inference model=wan2.1-t2v-14b").frames == 81);
  CHECK(image("task=inference model=wan2.1-t2v-14b frames=50").frames == 53);  // 13 × 4 + 1
  CHECK(image("task=inference model=wan2.1-t2v-14b frames=1").frames == 1);
  CHECK(work("task=inference model=wan2.1-t2v-14b").counted->unit.rate == "frames/s");
  CHECK(work("task=inference model=wan2.1-t2v-14b images=10").counted->things == 810.0);
  // Still images have one.
  CHECK(image("task=inference model=sdxl frames=50").frames == 1);
  CHECK(work("task=inference model=sdxl frames=50").notes.size() == 1);
}

TEST_CASE("an amount of images is the job") {
  CHECK(work("task=inference model=sdxl images=5000").counted->things == 5000.0);
  CHECK(!work("task=inference model=sdxl").counted->things);
  CHECK(work("task=finetune method=lora model=sdxl dataset_size=30 epochs=100").counted->things == 3000.0);
  CHECK(work("task=finetune method=dreambooth model=sdxl").counted->things == 1000.0);
}

TEST_CASE("narrow weights do not narrow the arithmetic, precision does") {
  CHECK(!work("task=inference model=flux.1-dev weights_precision=fp8").counted->precision);
  CHECK(work("task=inference model=flux.1-dev weights_precision=fp8").inference.weights_precision == "fp8");
  CHECK(work("task=inference model=flux.1-dev precision=fp8").counted->precision == Precision::fp8);
  CHECK(work("task=inference model=flux.1-dev weights_precision=fp16").counted->precision == Precision::fp16);
  CHECK(work("task=finetune method=qlora model=flux.1-dev").inference.weights_precision == "nf4");
}

TEST_CASE("what cannot be asked of an image model names its key") {
  CHECK(blamed("task=inference model=sdxl resolution=32") == "resolution");
  CHECK(blamed("task=inference model=sdxl engine=ctranslate2") == "engine");
  CHECK(blamed("task=inference model=sdxl engine=vllm") == "engine");
  CHECK(blamed("task=finetune method=ptuning model=sdxl") == "method");
  CHECK(blamed("task=inference model=sadtalker") == "model");
  CHECK(blamed("task=inference model=sdxl precision=fp64") == "precision");
  CHECK(blamed("task=inference model=wan2.1-t2v-14b frames=1e9") == "frames");
}

}  // namespace counted_diffusion_test
