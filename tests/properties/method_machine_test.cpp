// Section 3 of docs/method.md: devices, their arithmetic and their links; and the formats that section 6 lists.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/estimate/formats.hpp"
#include "support/page.hpp"
#include "support/program.hpp"

namespace method_machine_test {

using namespace gpusel;
using namespace gpusel::estimate;
using test::must;
using test::must_be_near;
using test::page::agrees;
using workload::Precision;
namespace any = test::any;

namespace {

const catalog::Gpu& any_gpu() {
  std::vector<std::string> all;
  for (const catalog::Gpu& gpu : test::shipped().gpus()) all.emplace_back(gpu.id);
  return test::gpu(any::one_of("gpu", all));
}

/// "q3_k_s / m / l" → q3_k_s, q3_k_m, q3_k_l.
std::vector<std::string> written_out(std::string_view names) {
  std::vector<std::string> out;
  for (const std::string_view part : split(names, '/')) {
    const std::string name(trim(part));
    const auto last = out.empty() ? std::string::npos : out.front().rfind('_');
    out.push_back(last == std::string::npos ? name : out.front().substr(0, last + 1) + name);
  }
  return out;
}

/// Bits of every format by the table of the page.
std::map<std::string, double> bits_on_page() {
  std::map<std::string, double> bits;
  const std::string page = test::read_file(test::kSource + "/docs/method.md");
  const std::size_t begin = page.find("| format | bits per weight |");
  for (const std::string& line : test::lines_of(page.substr(begin, page.find("\n\n", begin) - begin))) {
    const auto cells = split(line, '|');
    if (cells.size() < 4 || !plain_number(trim(cells[2].substr(0, cells[2].find_first_of(",/"))))) continue;
    std::vector<std::string> names;
    std::vector<double> numbers;
    std::string flat(cells[1]);
    if (const auto note = flat.find(" ("); note != std::string::npos) flat.erase(note, flat.find(')') - note + 1);
    for (const std::string_view group : split(flat, ','))
      for (const std::string& name : written_out(group)) names.push_back(name);
    for (const std::string_view group : split(cells[2], ','))
      for (const std::string_view number : split(group, '/')) numbers.push_back(plain_number(trim(number)).value());
    if (names.size() == numbers.size())
      for (std::size_t i = 0; i < names.size(); ++i) bits[names[i]] = numbers[i];
  }
  return bits;
}

}  // namespace

TEST_CASE("devices have what docs/method.md says", "[property]") {
  agrees("devices", [] {
    const catalog::Gpu& gpu = any_gpu();
    const double share = any::coin("slice") ? any::number("share", 0.05, 0.95) : 1;
    const std::optional<double> own =
        any::coin("says memory") ? std::optional(any::number("GiB", 2, 100)) : std::nullopt;
    const auto device = make_device(gpu, share, own, test::coefficients());
    const bool sliced = share < 1 && own;
    must(device.has_value() == (gpu.memory_bandwidth_gbs && (sliced || gpu.memory_gib_usable || gpu.memory_gb)),
         "a device");
    if (!device) return;
    const double part = share / gpu.devices();
    const double total = sliced                  ? *own * kGiB
                         : gpu.memory_gib_usable ? *gpu.memory_gib_usable * part * kGiB
                                                 : *gpu.memory_gb * part * 1e9;
    must_be_near(device->usable.raw(), total - test::coefficients().driver_reserve_gib.value * share * kGiB, "usable");
    must_be_near(device->bandwidth.raw(), *gpu.memory_bandwidth_gbs * part * 1e9, "bandwidth");
    must_be_near(pcie_bandwidth(gpu).raw(), test::page::pcie(gpu), "PCIe");
    // Arithmetic that the hardware lacks runs at the next wider rate.
    const std::vector<std::pair<Precision, catalog::Number>> ladder{{Precision::nvfp4, gpu.fp4_dense_tflops},
                                                                    {Precision::fp8, gpu.fp8_dense_tflops},
                                                                    {Precision::bf16, gpu.bf16_dense_tflops},
                                                                    {Precision::fp32, gpu.fp32_tflops}};
    for (std::size_t i = 0; i < ladder.size(); ++i) {
      std::size_t at = i;
      while (at + 1 < ladder.size() && ladder[at].second == 0.0) ++at;
      must(device->done_in(ladder[i].first) == ladder[at].first, "done in another");
      const double rate = ladder[at].second.value_or(0) * part * 1e12;
      const auto peak = device->peak(ladder[i].first);
      must(peak.has_value() == (rate > 0), "a peak");
      if (peak) must_be_near(peak->raw(), rate, "peak");
    }
  });
}

TEST_CASE("links are those that a part has, else PCIe", "[property]") {
  agrees("links", [] {
    using catalog::NodeLink;
    const catalog::Gpu& gpu = any_gpu();
    const double one_way = gpu.interconnect_gbs_bidir.value_or(0) / 2 * 1e9;
    must(usual_link(gpu, 1).link == NodeLink::none, "a link of one");
    const LinkChoice usual = usual_link(gpu, static_cast<int>(any::whole("gpus", 2, 16)));
    must_be_near(usual.bandwidth.raw(), usual.link == NodeLink::pcie ? test::page::pcie(gpu) : one_way, "usual link");
    must(usual.link == NodeLink::pcie || one_way > 0, "a link of no rate");
    for (const auto kind :
         {workload::Interconnect::pcie, workload::Interconnect::nvlink, workload::Interconnect::nvswitch}) {
      const LinkChoice asked = link_of_kind(gpu, kind);
      const bool over_pcie = kind == workload::Interconnect::pcie || one_way == 0;
      must((asked.link == NodeLink::pcie) == over_pcie, "another kind");
      must_be_near(asked.bandwidth.raw(), over_pcie ? test::page::pcie(gpu) : one_way, "link asked for");
    }
  });
}

TEST_CASE("groups have the rate and the latency that docs/method.md says", "[property]") {
  agrees("groups", [] {
    Machine machine = any::machine(1 << any::whole("log2 gpus", 1, 5));
    const std::vector<std::string> kinds{"pcie", "nvlink-pairs", "nvlink-mesh", "nvswitch", "xgmi", "neuronlink"};
    machine.link = *from_text<catalog::NodeLink>(any::one_of("link", kinds));
    machine.link_bandwidth = gb_per_s(any::number("GB/s", 1, 1000));
    machine.network = gbit_per_s(any::number("Gbit/s", 1, 3200));
    machine.rdma = any::coin("rdma");
    const auto here = static_cast<int>(any::whole("members here", 1, 8));
    for (const bool far : {false, true}) {
      const auto page = test::page::link(machine, here, far);
      must_be_near(group_bandwidth(machine, here, far, test::coefficients()).raw(), page.rate, "rate");
      must_be_near(group_latency(machine, far, test::coefficients()).raw(), page.latency, "latency");
    }
  });
}

TEST_CASE("formats of weights have the bits that docs/method.md lists") {
  const auto page = bits_on_page();
  CHECK(page.size() > 25);
  for (const WeightFormat& format : weight_formats()) {
    const std::string name(format.name);
    CAPTURE(name);
    if (format.arithmetic == Arithmetic::fp32 || (format.arithmetic == Arithmetic::half && !page.contains(name))) {
      CHECK(format.bits == (format.arithmetic == Arithmetic::fp32 ? 32 : 16));
      continue;
    }
    if (name == "fp8" || name == "int8") {  // with one scale per row
      CHECK(format.bits == (name == "fp8" ? 8.03 : 8.06));
      continue;
    }
    REQUIRE(page.contains(name));
    CHECK(format.bits == page.at(name));
  }
}

}  // namespace method_machine_test
