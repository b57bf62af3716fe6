// Processors, video blocks, transcoding and preprocessing: against published figures, and by the laws they follow.
#include <algorithm>
#include <catch2/catch.hpp>

#include "answer/search/recommend.hpp"
#include "physics/kinds/counted.hpp"
#include "physics/kinds/networks/cpu_network.hpp"
#include "support/job.hpp"

namespace counted_cpu_test {

using namespace gpusel;
using namespace gpusel::physics;
using job::Codec;
using job::Precision;

namespace {

const CountedCoefficients& coefficients() { return *test::coefficients().counted; }

Machine rented(std::string_view sku, int nodes = 1) {
  const auto instances = test::shipped().instances();
  const auto found = std::find_if(instances.begin(), instances.end(), [&](const auto& i) { return i.sku == sku; });
  REQUIRE(found != instances.end());
  const auto machine = answer::machine_of(*found, nodes, test::shipped(), test::coefficients());
  REQUIRE(machine);
  return *machine;
}

/// One whose storage bounds nothing.
Machine with_data_in_reach(std::string_view sku) {
  Machine machine = rented(sku);
  machine.host.storage = {};
  return machine;
}

Device device(std::string_view gpu) { return test::machine(gpu).device; }

Figures figures(std::string_view words, const Machine& machine) {
  return counted_figures(test::job(words), machine, {}, test::coefficients());
}

}  // namespace

TEST_CASE("video blocks reach what NVIDIA states for whole cards") {
  const MediaCoefficients& c = coefficients().media;
  // T4's data sheet: 38 streams of full HD decoded at 30 frames per second.
  CHECK(decoder_rate(device("t4"), Codec::h264, c).fps / 30 == Approx(38).epsilon(0.1));
  // L4's page: 1040 streams of 720p at 30 frames per second encoded in AV1 by eight cards; that is at the fastest
  // preset, 1090 frames per second of an encoder where the one used here has 774.
  const double hd = full_hd_frames({1280, 720}) * 30;
  CHECK(encoder_rate(device("l4"), Codec::av1, true, c).fps * 1090 / 774 / hd == Approx(130).epsilon(0.2));
}

TEST_CASE("cards without an encoder, or without one for AV1, are named as lacking it") {
  const MediaCoefficients& c = coefficients().media;
  for (const std::string_view gpu : {"a100-sxm-80gb", "a30", "h100-sxm-80gb", "h200-sxm-141gb", "b200-180gb"}) {
    CAPTURE(gpu);
    CHECK(encoder_rate(device(gpu), Codec::h264, true, c).lacks == "video encoder");
  }
  for (const std::string_view gpu : {"t4", "a10", "a40", "v100-sxm2-16gb"}) {
    CAPTURE(gpu);
    CHECK(encoder_rate(device(gpu), Codec::h264, true, c).fps > 0);
    CHECK(encoder_rate(device(gpu), Codec::av1, true, c).lacks == "AV1 encoder");
  }
  for (const std::string_view gpu : {"l4", "l40s", "rtx-4090", "rtx-pro-6000-server-96gb"}) {
    CAPTURE(gpu);
    CHECK(encoder_rate(device(gpu), Codec::av1, true, c).fps > 0);
  }
  CHECK(decoder_rate(device("h100-sxm-80gb"), Codec::av1, c).lacks == "AV1 decoder");
}

TEST_CASE("blocks whose clock or rate nobody knows have no rate") {
  const MediaCoefficients& c = coefficients().media;
  catalog::Gpu gpu = test::gpu("t4");
  Device of = device("t4");
  of.gpu = &gpu;
  gpu.clock_mhz = {};
  gpu.cuda_cores = 1;
  CHECK(decoder_rate(of, Codec::h264, c).fps > 0);
  gpu.cuda_cores = 0;
  CHECK_FALSE(decoder_rate(of, Codec::h264, c).unknown.empty());
  gpu = test::gpu("t4");
  gpu.architecture = "another";
  CHECK_FALSE(decoder_rate(of, Codec::h264, c).unknown.empty());
}

TEST_CASE("a pass on a processor is bound by what takes longer") {
  const CpuCoefficients& c = coefficients().cpu;
  const Host host = rented("c7i.4xlarge").host;
  const auto bound = [&](double flops, double moved) {
    return cpu_pass(host, Precision::fp32, job::Engine::openvino, {flop(flops), bytes(moved)}, c, nullptr)->bound_by;
  };
  CHECK(bound(1e12, 1) == "compute");
  CHECK(bound(1, 1e12) == "memory-bandwidth");
}

TEST_CASE("streams follow the frames that are encoded") {
  const Machine t4 = test::machine("t4");
  // 600 frames/s at 1950 MHz, at T4's 1470 MHz, 85 % of them used, 30 per stream.
  const auto plain = figures("task=transcode codec=h264 ladder=none", t4);
  CHECK(plain.rate == 12);
  CHECK(plain.bound_by == "encoder");
  // Each of them holds its part of the memory, of which so many would have room.
  const auto in_memory = std::ranges::find(plain.more, "memory_streams_per_gpu", &NamedFigure::key);
  REQUIRE(in_memory != plain.more.end());
  CHECK(plain.memory.workspace.raw() == Approx((t4.device.usable * (12 / in_memory->value)).raw()));
  const auto ladder = figures("task=transcode codec=h264", t4);
  CHECK(ladder.rate < plain.rate);
  CHECK(ladder.rate > plain.rate / 2);
  CHECK(figures("task=transcode ladder=none fps=60", t4).rate == 6);
  CHECK(figures("task=transcode ladder=none", test::machine("t4", 4)).rate == 4 * plain.rate);
  // Files at high quality, slower than live: in times of real time, not whole streams.
  const auto files = figures("task=transcode live=false ladder=none", t4);
  CHECK(files.rate < plain.rate);
  CHECK(files.rate == Approx(264 * 1470.0 / 1950 / 30).epsilon(0.02));
}

TEST_CASE("streams follow the frames that are decoded where those are more than are encoded") {
  const auto streams = [](std::string_view source) {
    return figures(format("task=transcode codec=h264 ladder=480p resolution={}", source), test::machine("t4"));
  };
  const auto small = streams("1080p"), large = streams("4k");
  CHECK(large.bound_by == "decoder");
  CHECK(large.rate < small.rate / 2);  // four times the pixels
}

TEST_CASE("a driver's limit of sessions counts every size of a ladder") {
  const auto figures_of_4090 = figures("task=transcode", test::machine("rtx-4090", 2));
  CHECK(figures_of_4090.rate == 2);  // 8 sessions of a system, 3 for each stream
  CHECK(figures_of_4090.bound_by == "sessions");
}

TEST_CASE("a machine that is too slow for one live stream is not offered for it") {
  const auto figures_of_small = figures("task=transcode codec=av1 resolution=4k fps=60", rented("c7i.large"));
  CHECK(figures_of_small.lacks == "speed for one such stream");
}

TEST_CASE("a vCPU that is a core does more than one that is a thread") {
  const CpuCoefficients& c = coefficients().cpu;
  const Machine threads = rented("c7i.4xlarge");
  const Machine cores = rented("c7a.4xlarge");
  REQUIRE(work_speed(threads.host, c));
  CHECK(cores_of(threads.host) == 8);
  CHECK(cores_of(cores.host) == 16);
  CHECK(*work_speed(cores.host, c) > 1.4 * *work_speed(threads.host, c));
  CHECK(*work_speed(rented("c7i.8xlarge").host, c) == Approx(2 * *work_speed(threads.host, c)));
  CHECK_FALSE(work_speed(Host{}, c));
  // A core by itself does a cycle's work in each of its cycles.
  const Host& host = cores.host;
  REQUIRE(host.threads_per_core == 1);
  CHECK(*work_speed(host, c) == Approx(16 * host.ghz * c.work_per_cycle.of(host.cpu->architecture)));
}

TEST_CASE("a processor's peak is its widest path, and nothing where none is known") {
  catalog::Cpu cpu;
  const Host host{.cpu = &cpu, .vcpus = 8, .threads_per_core = 2, .ghz = 0.5, .memory = {}};
  CHECK_FALSE(cpu_peak(host, Precision::bf16));
  CHECK(usual_on_cpu(host) == Precision::fp32);
  cpu.fp32_flops_per_cycle = 1;
  CHECK(cpu_peak(host, Precision::bf16)->raw() == Approx(2e9));  // 4 cores × 0.5 GHz × 1
  cpu.bf16_flops_per_cycle = 1;
  CHECK(usual_on_cpu(host) == Precision::bf16);
  cpu.bf16_flops_per_cycle = 0;
  CHECK(usual_on_cpu(host) == Precision::fp32);
  cpu.fp32_flops_per_cycle = {};
  CHECK_FALSE(cpu_peak(host, Precision::bf16));
  cpu.bf16_flops_per_cycle = 32;
  CHECK(cpu_peak(host, Precision::bf16)->raw() == Approx(64e9));
  const Host still{.cpu = &cpu, .vcpus = 8, .threads_per_core = 2, .ghz = 0, .memory = {}};
  CHECK_FALSE(cpu_peak(still, Precision::bf16));
  CHECK_FALSE(work_speed(still, coefficients().cpu));
}

TEST_CASE("matrix units and memory bandwidth decide what networks do on processors") {
  const CpuCoefficients& c = coefficients().cpu;
  const auto images_per_vcpu = [&](std::string_view sku, Precision precision) {
    const Machine machine = rented(sku);
    // ResNet-50: 8.2 GFLOP and some 25 million values moved per image.
    const double width = precision == Precision::int8 ? 1 : 2;
    const auto pass =
        cpu_pass(machine.host, precision, job::Engine::openvino, {flop(8.2e9), bytes(25e6 * width)}, c, nullptr);
    REQUIRE(pass);
    return 1 / pass->time.raw() / machine.host.vcpus;
  };
  // MLPerf: about 70 images/s per vCPU with AMX in int8, a quarter to a fifth without.
  CHECK(images_per_vcpu("c7i.16xlarge", Precision::int8) == Approx(70).epsilon(0.25));
  CHECK(images_per_vcpu("c6i.16xlarge", Precision::int8) == Approx(17).epsilon(0.35));
  CHECK(images_per_vcpu("c7i.16xlarge", Precision::bf16) < images_per_vcpu("c7i.16xlarge", Precision::int8));
  CHECK(usual_on_cpu(rented("c7i.16xlarge").host) == Precision::bf16);
  CHECK(usual_on_cpu(rented("c6i.16xlarge").host) == Precision::fp32);
}

TEST_CASE("a network on a processor is slower than on a GPU and gains little from large batches") {
  const auto work = test::job("task=inference model=resnet-50 engine=onnxruntime");
  Machine machine = rented("c7i.4xlarge");
  const auto at = [&](std::int64_t batch, Precision precision) {
    const Layout plan{.precision = precision, .micro_batch = batch};
    const CountedAsk ask{work, *work.counted, machine, plan, test::coefficients(), coefficients(), nullptr};
    return network_on_cpu({8.2e9, 11e6}, ask);
  };
  const auto one = at(1, Precision::bf16);
  const auto many = at(32, Precision::bf16);
  CHECK(one.rate > 100);
  CHECK(many.rate > one.rate);
  CHECK(many.rate < 2 * one.rate);
  CHECK(many.latency > one.latency);
  CHECK(many.memory.total() > one.memory.total());
  CHECK(at(32, Precision::int8).rate > many.rate);
  CHECK(at(32, Precision::fp32).rate < many.rate / 3);
  machine.nodes = 3;
  CHECK(at(32, Precision::bf16).rate == Approx(3 * many.rate));
}

TEST_CASE("preprocessing goes with the processor, by pixels and by bytes") {
  const Machine small = with_data_in_reach("c7i.4xlarge");
  const auto images = figures("task=preprocess preprocess=images resolution=500x375", small);
  CHECK(figures("task=preprocess preprocess=images resolution=1000x750", small).rate == Approx(images.rate / 4));
  CHECK(figures("task=preprocess preprocess=images resolution=500x375", with_data_in_reach("c7i.8xlarge")).rate ==
        Approx(2 * images.rate));
  const double etl = figures("task=preprocess", small).rate;
  CHECK(figures("task=preprocess preprocess=tokenize", small).rate < etl / 10);
  // Tables that are larger than memory go through a disk.
  CHECK(figures("task=preprocess data_gb=100", small).rate == Approx(etl / 2));
  // What storage brings bounds what processors do.
  Machine slow = small;
  slow.host.storage = gb_per_s(etl / 4);
  const Figures held = figures("task=preprocess", slow);
  CHECK(held.rate == Approx(etl / 4));
  CHECK(held.bound_by == "storage");
  CHECK(held.gpu_rate == Approx(etl));
}

TEST_CASE("video is decoded in software, and scaling takes its share of that") {
  const Machine small = with_data_in_reach("c7i.4xlarge");
  const double decoded = *work_speed(small.host, coefficients().cpu) * coefficients().media.software_decode.of("h264");
  const double scaling = 1 + coefficients().preprocess.scale_share.value;
  // In hours of video an hour: full HD is a frame, 4K are four of them.
  const std::string video = "task=preprocess preprocess=video codec=h264 fps=30 resolution=";
  CHECK(figures(video + "1920x1080", small).rate == Approx(decoded / (30 * scaling)));
  CHECK(figures(video + "3840x2160", small).rate == Approx(decoded / (4 * 30 * scaling)));
}

TEST_CASE("a table as large as the memory is one that fits") {
  const PreprocessCoefficients& c = coefficients().preprocess;
  const auto on_gpu = [&](double share) {
    Machine machine = rented("g4dn.xlarge");
    machine.device.usable = gb(10) * c.gpu_tree_memory.value * share;
    return figures("task=preprocess preprocess=trees data_gb=10", machine).more.back().value == 1;
  };
  CHECK(on_gpu(1));
  CHECK_FALSE(on_gpu(0.999));
  const auto rate = [&](double share) {
    Machine machine = with_data_in_reach("c7i.4xlarge");
    machine.host.memory = gb(100) * c.working_set.of("etl") * share;
    return figures("task=preprocess data_gb=100", machine).rate;
  };
  CHECK(rate(1) == Approx(rate(2)));
  CHECK(rate(0.999) == Approx(rate(2) / c.spill.value));
}

TEST_CASE("GPUs pay for trees on large tables only") {
  const Machine t4 = rented("g4dn.xlarge");
  const Machine cpu = rented("c7i.2xlarge");
  const auto ratio = [&](std::string_view words) { return figures(words, t4).rate / figures(words, cpu).rate; };
  const double small = ratio("task=preprocess preprocess=trees data_gb=0.02");
  const double large = ratio("task=preprocess preprocess=trees data_gb=10");
  CHECK(small < 1.2);
  CHECK(large > 1.2);
  CHECK(large > small);
}

}  // namespace counted_cpu_test
