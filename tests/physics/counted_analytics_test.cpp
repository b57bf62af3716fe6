// Cameras watched at once: the least of what the detector, the decoders and the memory keep up with.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "answer/search/recommend.hpp"
#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/counted.hpp"
#include "physics/kinds/graphics/media.hpp"
#include "support/job.hpp"

namespace counted_analytics_test {

using namespace gpusel;
using namespace gpusel::physics;

namespace {

Figures watching(std::string_view words, const Machine& machine) {
  const auto work = test::job("task=inference model=yolov8x " + std::string(words));
  return counted_figures(work, machine, {.precision = job::Precision::fp16, .micro_batch = 16}, test::coefficients());
}

double figure(const Figures& figures, std::string_view key) {
  const auto found =
      std::find_if(figures.more.begin(), figures.more.end(), [&](const auto& f) { return f.key == key; });
  REQUIRE(found != figures.more.end());
  return found->value;
}

}  // namespace

TEST_CASE("few frames looked at leave the decoders as the limit, many the detector") {
  const Machine t4 = test::machine("t4");
  const auto few = watching("stream_fps=1", t4);
  CHECK(few.bound_by == "decoder");
  // T4: 40 streams of 30 frames per second, 85 % of that, at 25 frames per second.
  CHECK(few.rate == Approx(40 * 0.85 * 30 / 25).epsilon(0.05));
  const auto many = watching("stream_fps=25", t4);
  CHECK(many.rate < few.rate);
  CHECK(many.bound_by != "decoder");
  CHECK(many.rate == std::floor(std::min(figure(many, "detector_streams"), figure(many, "decoder_streams"))));
  CHECK(watching("stream_fps=1 resolution=4k", t4).rate == Approx(few.rate / 4).margin(1));
}

TEST_CASE("cameras in a codec that the decoders do not know are no work for them") {
  CHECK(watching("stream_fps=5 codec=av1", test::machine("h100-sxm-80gb")).lacks == "AV1 decoder");
  CHECK(watching("stream_fps=5 codec=hevc", test::machine("h100-sxm-80gb")).rate > 0);
}

TEST_CASE("cameras are watched as far as memory holds their frames, and one of them is enough") {
  const auto work = test::job("task=inference model=yolov8x stream_fps=1");
  const auto& job = std::get<job::AnalyticsJob>(work.counted->job);
  const Bytes each = surface_memory(job.camera, test::coefficients().counted->media);
  for (const int gpus : {1, 2}) {
    Machine machine = test::machine("t4", gpus);
    const Figures free = watching("stream_fps=1", machine);
    REQUIRE(free.rate > 4);
    const Bytes bare = free.memory.total() - each * std::floor(free.rate / gpus);
    const auto with_room_for = [&](double streams) {
      machine.device.usable = bare + each * streams;
      return watching("stream_fps=1", machine);
    };
    CHECK(with_room_for(1.5).rate == std::floor(1.5 * gpus));
    CHECK(with_room_for(1.5).bound_by == "memory");
    CHECK(with_room_for(1.5).lacks.empty());
    CHECK(with_room_for(1.5).memory.total().raw() == Approx((bare + each).raw()));
    const Figures none = with_room_for(0.4);
    CHECK(none.lacks == "speed for one such stream");
    CHECK(none.memory.total().raw() == Approx((bare + each).raw()));  // that it would take
  }
}

TEST_CASE("on a processor decoding and looking take turns") {
  const auto instances = test::shipped().instances();
  const auto found =
      std::find_if(instances.begin(), instances.end(), [](const auto& i) { return i.sku == "c7i.4xlarge"; });
  REQUIRE(found != instances.end());
  const auto machine = answer::machine_of(*found, 1, test::shipped(), test::coefficients());
  REQUIRE(machine);
  const auto work = test::job("task=inference model=yolov8n streams=1");
  const auto figures =
      counted_figures(work, *machine, {.precision = job::Precision::bf16, .micro_batch = 4}, test::coefficients());
  CHECK(figures.rate >= 1);
  CHECK(figures.rate < figure(figures, "detector_streams"));
  CHECK(figures.rate < figure(figures, "decoder_streams"));
}

}  // namespace counted_analytics_test
