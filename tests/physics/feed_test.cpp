// What decodes, reads and carries bounds the speed: by hand, and laws that hold whatever the coefficients.
#include "physics/kinds/feed.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/words/message.hpp"
#include "physics/kinds/coefficients.hpp"
#include "physics/kinds/kinds.hpp"
#include "support/job.hpp"

namespace feed_test {

using namespace gpusel;
using namespace gpusel::physics;

namespace {

job::Job counted(const std::string& words) {
  const job::Request asked = test::request(words);
  auto work = job::resolve_counted(asked, &test::model(asked.model), test::shipped());
  REQUIRE(work);
  return *work;
}

const std::string kTraining = "task=pretrain model=resnet-18";

Figures run(const std::string& words, const Machine& machine, std::int64_t batch = 256, Trace* trace = nullptr) {
  return counted_figures(counted(words), machine, {.precision = job::Precision::bf16, .micro_batch = batch},
                         test::coefficients(), trace);
}

/// Eight H100 with so many vCPUs, and storage of so many GB/s.
Machine eight(double vcpus, double storage_gbs = 0) {
  Machine machine = test::machine("h100-sxm-80gb", 8);
  machine.host.vcpus = vcpus;
  machine.host.storage = gb_per_s(storage_gbs);
  return machine;
}

double figure(const Figures& figures, std::string_view key) {
  const auto found = std::ranges::find(figures.more, key, &NamedFigure::key);
  REQUIRE(found != figures.more.end());
  return found->value;
}

const CountedCoefficients& c() { return *test::coefficients().counted; }

}  // namespace

TEST_CASE("vCPUs that decode too little are the speed of training") {
  const Figures free = run(kTraining, eight(0));
  const Figures held = run(kTraining, eight(96));
  CHECK(held.rate == Approx(96 * c().samples.loader_rate.value));  // images of ImageNet size
  CHECK(held.bound_by == "loader");
  CHECK(figure(held, "gpu_throughput") == Approx(free.rate));
  CHECK(figure(held, "loader_share") == Approx(held.rate / free.rate));
  CHECK(held.latency.raw() == Approx(free.latency.raw() * free.rate / held.rate));  // a step waits for its data
  CHECK(held.rate_ratio.low == Approx(c().feed.interval_low.value));
  CHECK(held.rate_ratio.high == Approx(c().feed.interval_high.value));
  CHECK(free.bound_by != "loader");
  std::vector<std::string> notes;
  note_feed(eight(96), held, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes.front().find(format("decodes {:.0f} %", 100 * held.rate / free.rate)) != std::string::npos);
  // Just enough in the middle: the ends are those of what is less there.
  const Figures even = run(kTraining, eight(free.rate / c().samples.loader_rate.value));
  CHECK(even.rate == Approx(free.rate));
  CHECK(even.rate_ratio.high == Approx(std::min(free.rate_ratio.high, c().feed.interval_high.value)));
  CHECK(even.rate_ratio.low == Approx(std::min(free.rate_ratio.low, c().feed.interval_low.value)));
  CHECK(run(kTraining, eight(1e6)).rate == Approx(free.rate));
}

TEST_CASE("decoding on the GPU and decoded data lift what the vCPUs do, and DALI needs NVIDIA") {
  const double dali = c().samples.loader_rate.of("dali");
  const Figures on_gpu = run(kTraining + " loader=dali", eight(8));
  CHECK(on_gpu.rate == Approx(std::min(run(kTraining, eight(0)).rate, 8 * dali + 8 * c().feed.decoder_rate.of("9.0"))));
  const Figures raw = run(kTraining + " loader=preprocessed", eight(8));
  CHECK(raw.rate == Approx(8 * c().samples.loader_rate.of("preprocessed")));
  CHECK(raw.rate > run(kTraining, eight(8)).rate);
  CHECK(run(kTraining + " loader=dali", test::machine("mi300x-192gb", 8)).lacks == "DALI");
  CHECK(run(kTraining, test::machine("mi300x-192gb", 8)).lacks.empty());
}

TEST_CASE("larger pictures take a vCPU longer, by what is stored and by what is seen") {
  const auto one = [&](const std::string& resolution) {
    return run(kTraining + " resolution=" + resolution, eight(1)).rate;
  };
  const double share = c().feed.decoding_share.value;
  // 448 × 448 is four times what is seen of ImageNet, and 200,704 pixels against the 187,500 that are stored of it.
  CHECK(one("448") == Approx(one("224") / (share * 200704 / 187500 + (1 - share) * 4)));
  CHECK(one("112") == Approx(4 * one("224")));  // kept as much larger than they are seen
}

TEST_CASE("storage that brings too little is the speed, of the first pass alone where memory holds the data") {
  const std::string once = kTraining + " epochs=1 dataset_size=1000000";
  const double bytes = 224.0 * 224 * 2.285;
  const Figures slow = run(once, eight(0, 0.1));
  CHECK(slow.rate == Approx(0.1e9 / bytes).epsilon(1e-3));
  CHECK(slow.bound_by == "storage");
  CHECK(slow.unread_rate == Approx(run(once, eight(0)).rate));
  Machine large = eight(0, 0.1);
  large.host.memory = gib(1000);
  const std::string often = kTraining + " epochs=10 dataset_size=1000000";
  const Figures cached = run(often, large);
  const double gpus = run(often, eight(0)).rate;
  CHECK(cached.rate == Approx(10 / (1 / slow.rate + 9 / gpus)));
  large.host.memory = gib(50);  // 115 GB do not stay
  CHECK(run(often, large).rate == Approx(slow.rate));
  // Two nodes read twice as much.
  Machine two = test::machine("h100-sxm-80gb", 16);
  two.host.storage = gb_per_s(0.1);
  CHECK(run(once, two).rate == Approx(2 * slow.rate));
}

TEST_CASE("the link from the host carries what it can") {
  Machine machine = eight(0);
  catalog::Gpu narrow = *machine.device.gpu;
  narrow.pcie_gen = 3;
  narrow.pcie_lanes = 1;
  machine.device.gpu = &narrow;
  const Figures held = run(kTraining, machine);
  CHECK(held.bound_by == "host-link");
  const double each = 224.0 * 224 * 3;  // three channels of a byte
  CHECK(held.rate == Approx(8 * pcie_bandwidth(narrow).raw() * test::coefficients().link_efficiency.of("pcie") / each));
}

TEST_CASE("a service decodes nothing unless somebody says so, a batch of files does") {
  const std::string words = "task=inference model=resnet-50 engine=tensorrt";
  Machine one = test::machine("h100-sxm-80gb");
  one.host.vcpus = 4;
  CHECK(run(words, one).bound_by == "loader");
  CHECK(run(words, one).rate == Approx(4 * c().samples.loader_rate.value));
  CHECK(run(words + " latency_ms=20", one).bound_by != "loader");
  CHECK(run(words + " latency_ms=20 loader=cpu", one).bound_by == "loader");
}

TEST_CASE("sound is decoded, too") {
  Machine one = test::machine("h100-sxm-80gb");
  one.host.vcpus = 0.25;
  const Figures held = run("task=inference model=whisper-large-v3", one, 16);
  CHECK(held.rate == Approx(0.25 * c().feed.audio_rate.value));
  CHECK(held.bound_by == "loader");
}

TEST_CASE("more vCPUs, faster storage and a faster loader are never slower") {
  double last = 0;
  for (const double vcpus : {1.0, 8.0, 64.0, 512.0, 4096.0}) {
    const double rate = run(kTraining, eight(vcpus)).rate;
    CHECK(rate >= last);
    last = rate;
    for (const std::string loader : {"dali", "preprocessed"})
      CHECK(run(kTraining + " loader=" + loader, eight(vcpus)).rate >= rate * (1 - 1e-9));
  }
  last = 0;
  for (const double gbs : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    const double rate = run(kTraining, eight(0, gbs)).rate;
    CHECK(rate >= last);
    last = rate;
  }
}

TEST_CASE("what bounds the speed can be asked for where it is computed") {
  Trace trace;
  const Figures held = run(kTraining, eight(96), 256, &trace);
  const auto line = [&](std::string_view quantity) {
    const auto found = std::ranges::find(trace, quantity, &TraceLine::quantity);
    REQUIRE(found != trace.end());
    return *found;
  };
  CHECK(*line("feed.loader").value.number == Approx(96 * c().samples.loader_rate.value));
  CHECK(*line("throughput").value.number == Approx(held.rate));
  CHECK(*line("gpu_throughput").value.number == Approx(figure(held, "gpu_throughput")));
}

TEST_CASE("the figures of a plan are those of the same layout anywhere else") {
  const job::Job work = counted(kTraining);
  const Machine machine = eight(96);
  const Plan plan = plan_for(work, machine, test::coefficients()).value();
  CHECK(plan.rate == Approx(refigure(plan, work, machine, test::coefficients()).rate));
  CHECK(plan.rate <= 96 * c().samples.loader_rate.value * (1 + 1e-9));
}

}  // namespace feed_test
