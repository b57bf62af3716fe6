// Devices and the links between them.
#include "physics/machine.hpp"

#include <catch2/catch.hpp>

#include "physics/serving/half_rate.hpp"
#include "physics/serving/multiprocessors.hpp"
#include "support/job.hpp"

namespace machine_test {

using namespace gpusel;
using namespace gpusel::physics;
using catalog::NodeLink;
using job::Precision;

namespace {

catalog::Gpu with_pcie(double generation, double lanes) {
  catalog::Gpu gpu;
  gpu.pcie_gen = generation;
  gpu.pcie_lanes = lanes;
  return gpu;
}

double gbs(BytesPerSecond rate) { return rate.raw() / 1e9; }

double tera(std::optional<FlopPerSecond> rate) {
  REQUIRE(rate);
  return rate->raw() / 1e12;
}

}  // namespace

TEST_CASE("PCIe moves eight giga-transfers per lane and generation less its coding") {
  // 8 GT/s × 16 lanes × 128/130 ÷ 8 bit = 15.75 GB/s; each generation doubles it.
  CHECK(gbs(pcie_bandwidth(with_pcie(3, 16))) == Approx(15.754).epsilon(1e-4));
  CHECK(gbs(pcie_bandwidth(with_pcie(4, 16))) == Approx(31.508).epsilon(1e-4));
  CHECK(gbs(pcie_bandwidth(with_pcie(5, 16))) == Approx(63.015).epsilon(1e-4));
  CHECK(gbs(pcie_bandwidth(with_pcie(6, 16))) == Approx(126.031).epsilon(1e-4));
  CHECK(gbs(pcie_bandwidth(with_pcie(4, 8))) == Approx(15.754).epsilon(1e-4));
  CHECK(gbs(pcie_bandwidth({})) == Approx(15.754).epsilon(1e-4));  // what every slot has
  CHECK(gbs(pcie_bandwidth(test::gpu("v100-sxm2-16gb"))) == Approx(15.754).epsilon(1e-4));
}

TEST_CASE("no whole GPU has more memory for a process than is marketed") {
  int checked = 0;
  for (const catalog::Gpu& gpu : test::shipped().gpus()) {
    const auto device = make_device(gpu, 1, std::nullopt, test::coefficients());
    if (!device || !gpu.memory_gb) continue;
    CAPTURE(gpu.id);
    // Marketed gigabytes of memory chips are binary.
    CHECK(device->usable < gib(*gpu.memory_gb / gpu.devices()));
    CHECK(device->usable > gib(*gpu.memory_gb / gpu.devices()) * 0.7);
    CHECK(device->bandwidth.raw() > 0);
    ++checked;
  }
  CHECK(checked > 50);
}

TEST_CASE("a slice of a GPU has its share of everything") {
  const catalog::Gpu& l4 = test::gpu("l4");
  const auto whole = make_device(l4, 1, std::nullopt, test::coefficients());
  const auto half = make_device(l4, 0.5, std::nullopt, test::coefficients());
  REQUIRE(whole);
  REQUIRE(half);
  CHECK(half->usable.raw() == Approx(whole->usable.raw() / 2));
  CHECK(half->bandwidth.raw() == Approx(whole->bandwidth.raw() / 2));
  CHECK(tera(half->peak(Precision::fp16)) == Approx(tera(whole->peak(Precision::fp16)) / 2));
}

TEST_CASE("a slice that states its memory has that memory") {
  const auto slice = make_device(test::gpu("l4"), 1.0 / 6, 3.0, test::coefficients());
  REQUIRE(slice);
  CHECK(in_gib(slice->usable) <= 3.0);
  CHECK(in_gib(slice->usable) > 2.5);
}

TEST_CASE("one device of a board with several has its part of the board") {
  const catalog::Gpu& board = test::gpu("k80-24gb");
  REQUIRE(board.devices() == 2);
  const auto device = make_device(board, 1, std::nullopt, test::coefficients());
  REQUIRE(device);
  CHECK(device->usable < gib(12));  // 24 GB on two GPUs
  CHECK(gbs(device->bandwidth) == Approx(*board.memory_bandwidth_gbs / 2));
}

TEST_CASE("a GPU without published bandwidth cannot be estimated and the error says why") {
  catalog::Gpu gpu = test::gpu("l4");
  gpu.memory_bandwidth_gbs = {};
  const auto device = make_device(gpu, 1, std::nullopt, test::coefficients());
  REQUIRE_FALSE(device);
  CHECK(device.error().where == "gpu");
  CHECK(device.error().message.find("bandwidth") != std::string::npos);
}

TEST_CASE("peaks are the dense figures of the data sheet") {
  const Device h100 = test::machine("h100-sxm-80gb").device;
  CHECK(tera(h100.peak(Precision::bf16)) == Approx(989).epsilon(0.01));
  CHECK(tera(h100.peak(Precision::fp8)) == Approx(1979).epsilon(0.01));
  CHECK(tera(h100.peak(Precision::fp32)) == Approx(67).epsilon(0.02));
  const Device a100 = test::machine("a100-sxm-80gb").device;
  CHECK(tera(a100.peak(Precision::bf16)) == Approx(312).epsilon(0.01));
  CHECK(tera(a100.peak(Precision::tf32)) == Approx(156).epsilon(0.01));
}

TEST_CASE("arithmetic without hardware runs at the next wider rate and is not native") {
  const Device v100 = test::machine("v100-sxm2-16gb").device;
  CHECK(v100.native(Precision::fp16));
  CHECK_FALSE(v100.native(Precision::bf16));
  // 15.7 TFLOPS at fp32 against 125 of the fp16 tensor cores
  CHECK(tera(v100.peak(Precision::bf16)) == Approx(15.7).epsilon(0.02));
  CHECK(tera(v100.peak(Precision::fp16)) == Approx(125).epsilon(0.02));
  const Device a100 = test::machine("a100-sxm-80gb").device;
  CHECK_FALSE(a100.native(Precision::fp8));
  CHECK(tera(a100.peak(Precision::fp8)) == tera(a100.peak(Precision::bf16)));
  CHECK(test::machine("t4").device.native(Precision::fp32));
}

TEST_CASE("arithmetic at whatever rate above none is done in hardware") {
  catalog::Gpu gpu = test::gpu("t4");
  Device device = test::machine("t4").device;
  device.gpu = &gpu;
  gpu.fp64_tflops = 1;
  CHECK(device.native(Precision::fp64));
  gpu.fp64_tflops = 0;
  CHECK_FALSE(device.native(Precision::fp64));
  CHECK_FALSE(device.peak(Precision::fp64));
}

TEST_CASE("consumer cards are those whose 16-bit rate is below two and a half times the fp32 rate, from Turing on") {
  catalog::Gpu gpu;
  const auto is_consumer = [&](double fp16, double capability) {
    gpu.fp16_dense_tflops = fp16;
    gpu.capability = capability;
    return half_rate(gpu);
  };
  gpu.fp32_tflops = 10;
  CHECK(is_consumer(24.9, 7.5));
  CHECK_FALSE(is_consumer(25, 7.5));
  CHECK_FALSE(is_consumer(24.9, 7.4));
  gpu.capability = {};
  CHECK_FALSE(half_rate(gpu));
}

TEST_CASE("a multiprocessor has eight matrix units before Ampere and four since") {
  catalog::Gpu gpu;
  CHECK(multiprocessors(gpu) == 0);
  gpu.tensor_cores = 80;
  CHECK(multiprocessors(gpu) == 20);
  gpu.capability = 8;
  CHECK(multiprocessors(gpu) == 20);
  gpu.capability = 7.5;
  CHECK(multiprocessors(gpu) == 10);
}

TEST_CASE("the clock is the boost clock, or two operations per lane at the fp32 rate") {
  catalog::Gpu gpu;
  CHECK(clock_ghz(gpu) == 0);
  gpu.fp32_tflops = 8.192;
  CHECK(clock_ghz(gpu) == 0);
  gpu.cuda_cores = 2048;
  CHECK(clock_ghz(gpu) == Approx(2));  // 8192 ÷ (2 × 2048)
  gpu.cuda_cores = 1;
  CHECK(clock_ghz(gpu) == Approx(4096));
  gpu.fp32_tflops = {};
  CHECK(clock_ghz(gpu) == 0);
  gpu.clock_mhz = 1500;
  CHECK(clock_ghz(gpu) == Approx(1.5));
}

TEST_CASE("cards with a switch or a mesh are linked by it and others by PCIe") {
  CHECK(usual_link(test::gpu("h100-sxm-80gb"), 8).link == NodeLink::nvswitch);
  CHECK(gbs(usual_link(test::gpu("h100-sxm-80gb"), 8).bandwidth) == Approx(450));  // 900 GB/s both ways
  CHECK(usual_link(test::gpu("v100-sxm2-16gb"), 8).link == NodeLink::nvlink_mesh);
  CHECK(usual_link(test::gpu("l4"), 4).link == NodeLink::pcie);
  CHECK(gbs(usual_link(test::gpu("rtx-4090"), 2).bandwidth) == Approx(31.508).epsilon(1e-4));
  CHECK(usual_link(test::gpu("h100-sxm-80gb"), 1).link == NodeLink::none);
  // NeuronLink, at a rate that is not published
  CHECK(usual_link(test::gpu("inferentia2"), 2).link == NodeLink::pcie);
  CHECK(usual_link(test::gpu("inferentia2"), 2).bandwidth == pcie_bandwidth(test::gpu("inferentia2")));
}

TEST_CASE("a link that is asked for is taken only where the part has it") {
  using job::Interconnect;
  CHECK(link_of_kind(test::gpu("h100-sxm-80gb"), Interconnect::pcie).link == NodeLink::pcie);
  CHECK(link_of_kind(test::gpu("h100-sxm-80gb"), Interconnect::nvswitch).link == NodeLink::nvswitch);
  CHECK(link_of_kind(test::gpu("t4"), Interconnect::nvlink).link == NodeLink::pcie);
}

TEST_CASE("a group between nodes is never faster than the network its groups share") {
  const Machine two = test::machine("h100-sxm-80gb", 16);
  const BytesPerSecond inside = group_bandwidth(two, 8, false, test::coefficients());
  const BytesPerSecond across = group_bandwidth(two, 8, true, test::coefficients());
  CHECK(gbs(inside) < 450);
  CHECK(across <= inside);
  CHECK(gbs(across) <= 400);  // 3200 Gbit/s
  // Eight groups of one GPU per node share the 400 GB/s of the node: 50 each.
  CHECK(gbs(group_bandwidth(two, 1, true, test::coefficients())) <= 50);
}

TEST_CASE("a bridge joins two GPUs and more of them talk over PCIe") {
  Machine pairs = test::machine("a100-pcie-80gb", 4);
  pairs.link = NodeLink::nvlink_pairs;
  pairs.link_bandwidth = gb_per_s(300);
  CHECK(gbs(group_bandwidth(pairs, 2, false, test::coefficients())) > 100);
  CHECK(gbs(group_bandwidth(pairs, 4, false, test::coefficients())) < 31.6);
}

TEST_CASE("a collective between nodes takes longer to start than one inside a node") {
  const Machine two = test::machine("h100-sxm-80gb", 16);
  CHECK(group_latency(two, true, test::coefficients()) > group_latency(two, false, test::coefficients()));
}

}  // namespace machine_test
