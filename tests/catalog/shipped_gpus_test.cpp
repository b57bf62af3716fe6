// GPUs of the shipped catalogue against what their vendors print, and by the names that others give them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <type_traits>

#include "listing.hpp"

namespace shipped_gpus_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const catalog::Catalog& shipped() {
  static const catalog::Catalog c = embedded();
  return c;
}

/// The figure that JSON prints under `key`.
catalog::Number figure(const catalog::Gpu& gpu, std::string_view key) {
  catalog::Number value;
  visit_fields(gpu, [&](const catalog::Field& field, const auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, catalog::Number>)
      if (field.json == key) value = member;
  });
  return value;
}

struct Published {
  const char* gpu;
  const char* figure;
  double value;
};

/// Datasheet values; a brochure figure "with sparsity" is halved.
constexpr Published kPublished[] = {
    {"p100-16gb", "memory_bandwidth_gbs", 732},
    {"p100-16gb", "fp64_tflops", 4.7},
    {"p40", "int8_dense_tops", 47},
    {"v100-sxm2-32gb", "fp16_dense_tflops", 125},
    {"v100-pcie-16gb", "fp16_dense_tflops", 112},
    {"v100s-pcie-32gb", "memory_bandwidth_gbs", 1134},
    {"v100-sxm2-16gb", "interconnect_gbs_bidir", 300},
    {"t4", "int8_dense_tops", 130},
    {"t4", "mig_max_instances", 0},
    {"a2", "tdp_w", 60},
    {"a10", "int8_dense_tops", 250},
    {"a10g", "fp16_dense_tflops", 70},
    {"a16", "memory_gb", 16},
    {"a30", "memory_bandwidth_gbs", 933},
    {"a30", "mig_max_instances", 4},
    {"a40", "fp16_dense_tflops", 149.7},
    {"a40", "interconnect_gbs_bidir", 112.5},
    {"a100-pcie-80gb", "memory_bandwidth_gbs", 1935},
    {"a100-pcie-80gb", "tdp_w", 300},
    {"a800-sxm-80gb", "interconnect_gbs_bidir", 400},
    {"rtx-a4000", "memory_bandwidth_gbs", 448},
    {"rtx-a6000", "fp16_dense_tflops", 154.8},
    {"l4", "tdp_w", 72},
    {"l4", "nvenc_count", 2},
    {"l4", "nvdec_count", 4},
    {"l20", "fp16_dense_tflops", 119.5},
    {"l40", "fp16_dense_tflops", 181.05},
    {"l40s", "fp8_dense_tflops", 733},
    {"rtx-6000-ada", "memory_bandwidth_gbs", 960},
    {"rtx-5000-ada", "fp32_tflops", 65.3},
    {"rtx-3090", "memory_bandwidth_gbs", 936},
    {"rtx-4090", "fp8_dense_tflops", 330.3},
    {"rtx-5090", "memory_bandwidth_gbs", 1792},
    {"h100-pcie-80gb", "fp16_dense_tflops", 756},
    {"h100-nvl-94gb", "memory_gb", 94},
    {"h100-nvl-94gb", "fp16_dense_tflops", 835.5},
    {"h200", "memory_bandwidth_gbs", 4800},
    {"h200-nvl", "tdp_w", 600},
    {"h20", "fp16_dense_tflops", 148},
    {"h800", "interconnect_gbs_bidir", 400},
    {"gh200", "memory_bandwidth_gbs", 4000},
    {"b100", "fp16_dense_tflops", 1750},
    {"b200", "memory_gb", 180},
    {"b200", "fp4_dense_tflops", 9000},
    {"b300", "fp4_dense_tflops", 13500},
    {"gb200", "fp8_dense_tflops", 5000},
    {"gb300", "pcie_gen", 6},
    {"rtx-pro-6000", "memory_bandwidth_gbs", 1597},
    {"rtx-pro-6000", "mig_max_instances", 4},
    {"mi100", "fp16_dense_tflops", 184.6},
    {"mi210", "fp64_tflops", 22.6},
    {"mi250x", "fp16_dense_tflops", 383},
    {"mi300x", "memory_bandwidth_gbs", 5300},
    {"mi325x", "memory_gb", 256},
    {"mi350x", "fp8_dense_tflops", 4600},
    {"mi355x", "tdp_w", 1400},
    {"tpu-v4", "bf16_dense_tflops", 275},
    {"tpu-v5p", "memory_gb", 95},
    {"tpu-v6e", "int8_dense_tops", 1836},
    {"tpu-v7", "fp8_dense_tflops", 4614},
    {"trainium2", "memory_gb", 96},
    {"inferentia2", "memory_gb", 32},
    {"gaudi2", "memory_bandwidth_gbs", 2460},
    {"gaudi3", "memory_bandwidth_gbs", 3700},
    {"ascend-910b2", "fp16_dense_tflops", 376},
};

struct Named {
  const char* name;
  const char* id;
};

/// As catalogues, marketplaces, cloud interfaces and nvidia-smi write them.
constexpr Named kNames[] = {
    {"A100", "a100-sxm-40gb"},
    {"A100-80GB", "a100-sxm-80gb"},
    {"A100 80GB PCIe", "a100-pcie-80gb"},
    {"NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"},
    {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
    {"NVIDIA A800-SXM4-80GB", "a800-sxm-80gb"},
    {"H100-MEGA", "h100-sxm-80gb"},
    {"NVIDIA H100 80GB HBM3", "h100-sxm-80gb"},
    {"NVIDIA H100 PCIe", "h100-pcie-80gb"},
    {"H100NVL", "h100-nvl-94gb"},
    {"H200NVL", "h200-nvl-141gb"},
    {"NVIDIA H20-3e", "h20-141gb"},
    {"NVIDIA GH200 480GB", "gh200-96gb"},
    {"NVIDIA B300 SXM6 AC", "b300-288gb"},
    {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"},
    {"V100-32GB", "v100-sxm2-32gb"},
    {"nvidia-tesla-t4", "t4"},
    {"nvidia-tesla-p100-vws", "p100-16gb"},
    {"RTX6000", "quadro-rtx-6000-24gb"},
    {"Q RTX 8000", "quadro-rtx-8000-48gb"},
    {"RTX6000-Ada", "rtx-6000-ada-48gb"},
    {"RTX 5000Ada", "rtx-5000-ada-32gb"},
    {"RTX2000Ada", "rtx-2000-ada-16gb"},
    {"RTXA4500", "rtx-a4500-20gb"},
    {"NVIDIA GeForce RTX 4080 SUPER", "rtx-4080-super"},
    {"RTX 4070S", "rtx-4070-super"},
    {"RTX3080Ti", "rtx-3080-ti"},
    {"RTXPRO6000", "rtx-pro-6000-server-96gb"},
    {"RTX PRO 6000 S", "rtx-pro-6000-server-96gb"},
    {"rtx-pro-server-6000", "rtx-pro-6000-server-96gb"},
    {"RTX PRO 6000 WS", "rtx-pro-6000-ws-96gb"},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx-pro-6000-maxq-96gb"},
    {"AMD Instinct MI300X VF", "mi300x-192gb"},
    {"Radeon Pro V520", "radeon-pro-v520-8gb"},
    {"tpu-v5litepod", "tpu-v5e"},
    {"Trainium", "trainium1"},
    {"Gaudi HL-205", "gaudi1-32gb"},
    {"Ascend910B3", "ascend-910b3-64gb"},
};

}  // namespace

TEST_CASE("figures of GPUs are those of the datasheets") {
  for (const Published& p : kPublished) {
    CAPTURE(p.gpu, p.figure);
    const auto gpu = shipped().gpu(p.gpu);
    REQUIRE(gpu.has_value());
    const catalog::Number value = figure(**gpu, p.figure);
    REQUIRE(value.has_value());
    CHECK(*value == Approx(p.value).epsilon(0.001));
  }
}

TEST_CASE("GPUs are found by the names that others write") {
  for (const Named& n : kNames) {
    CAPTURE(n.name);
    const auto gpu = shipped().gpu(n.name);
    REQUIRE(gpu.has_value());
    CHECK((*gpu)->id == n.id);
  }
}

/// What people call several parts by: asked for which, and no alias of one.
constexpr std::string_view kOfSeveral[] = {"910b", "ascend-910b", "ascend910b", "rtx-5060-ti", "rtx5060ti"};

TEST_CASE("no name means two GPUs but those that people use for several") {
  std::set<std::string> seen;
  for (const std::string_view name : kOfSeveral) {
    const auto found = shipped().gpu(name);
    REQUIRE_FALSE(found.has_value());
    CHECK_THAT(found.error().message, Catch::Contains("could be"));
  }
  for (const catalog::Gpu& g : shipped().gpus())
    for (const std::string_view alias : g.aliases) {
      if (std::ranges::find(kOfSeveral, alias) != std::end(kOfSeveral)) continue;
      CAPTURE(g.id, alias);
      CHECK(seen.insert(std::string(alias)).second);
      const auto found = shipped().gpu(alias);
      REQUIRE(found.has_value());
      CHECK((*found)->id == g.id);
    }
}

TEST_CASE("a GPU with Blender scores has one to rank it by") {
  std::size_t scored = 0;
  for (const catalog::Gpu& g : shipped().gpus()) {
    const auto all = shipped().render_scores_of(g);
    const auto preferred = [](const catalog::RenderScore& s) {
      return s.benchmark == catalog::RenderBenchmark::blender && s.preferred.value_or(false);
    };
    const catalog::RenderScore* best = shipped().render_score(g, catalog::RenderBenchmark::blender);
    if (best == nullptr) continue;
    CAPTURE(g.id);
    ++scored;
    CHECK(std::ranges::count_if(all, preferred) == 1);
    CHECK(preferred(*best));
    CHECK(shipped().source(best->source) != nullptr);
    CHECK(best->as_of.known());
    CHECK((best->samples.has_value() || best->confidence == catalog::Confidence::derived));
  }
  CHECK(scored == 78);
}

TEST_CASE("in Blender, cards without RT cores stay behind those with") {
  const auto score = [](std::string_view name) {
    return *shipped().render_score(**shipped().gpu(name), catalog::RenderBenchmark::blender)->score;
  };
  CHECK(score("l40s") > score("h100"));
  CHECK(score("l40s") > score("b200"));
  CHECK(score("l4") == Approx(score("a100")).epsilon(0.05));
  CHECK(score("rtx-5090") > 2 * score("h200"));
  CHECK(score("a10") > 1.5 * score("t4"));
}

}  // namespace shipped_gpus_test
