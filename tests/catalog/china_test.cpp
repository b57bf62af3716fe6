// The types of China's clouds that articles confuse, as the vendors' own tables have them.
#include <catch2/catch.hpp>

#include <algorithm>

#include "listing.hpp"

namespace china_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

const catalog::Catalog& shipped() {
  static const catalog::Catalog c = embedded();
  return c;
}

const catalog::Instance& instance(std::string_view provider, std::string_view sku) {
  const auto& all = shipped().instances();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const catalog::Instance& i) { return i.provider == provider && i.sku == sku; });
  if (found == all.end()) FAIL("no " << provider << '/' << sku);
  return *found;
}

struct Type {
  std::string_view provider, sku, gpu;
  double gpus, vcpu, memory_gib, network_gbps;
};

constexpr Type kTypes[] = {
    {"aliyun", "ecs.gn6i-c4g1.xlarge", "t4", 1, 4, 15, 4},
    {"aliyun", "ecs.gn6i-c24g1.12xlarge", "t4", 2, 48, 186, 15},
    {"aliyun", "ecs.gn6v-c10g1.20xlarge", "v100-sxm2-16gb", 8, 82, 336, 35},
    {"aliyun", "ecs.gn6e-c12g1.3xlarge", "v100-sxm2-32gb", 1, 12, 92, 5},
    {"aliyun", "ecs.gn7-c13g1.26xlarge", "a100-sxm-40gb", 8, 104, 756, 30},
    {"aliyun", "ecs.gn7e-c16g1.32xlarge", "a100-sxm-80gb", 8, 128, 1000, 64},
    {"aliyun", "ecs.gn7i-c8g1.2xlarge", "a10", 1, 8, 30, 16},
    {"aliyun", "ecs.gn7s-c16g1.4xlarge", "a30", 1, 16, 120, 16},
    {"aliyun", "ecs.gn8is-8x.32xlarge", "l20", 8, 128, 1024, 100},
    {"aliyun", "ecs.gn8v-8x.48xlarge", "h20-96gb", 8, 192, 1024, 100},
    {"aliyun", "ecs.gn5-c8g1.14xlarge", "p100-16gb", 8, 54, 480, 25},
    {"aliyun", "ecs.ebmgn7i.32xlarge", "a10", 4, 128, 768, 64},
    {"tencent", "GN10Xp.20XLARGE320", "v100-sxm2-32gb", 8, 80, 320, 24},
    {"tencent", "GT4.41XLARGE948", "a100-sxm-40gb", 8, 164, 948, 50},
    {"tencent", "GN8.14XLARGE448", "p40", 8, 56, 448, 10},
    {"tencent", "GN7.2XLARGE32", "t4", 1, 8, 32, 3},
    {"tencent", "PNV4.56XLARGE932", "a10", 8, 224, 932, 100},
    {"huawei", "p2s.16xlarge.8", "v100-pcie-32gb", 8, 64, 512, 30},
    {"huawei", "pi2.8xlarge.4", "t4", 4, 32, 128, 15},
};

}  // namespace

TEST_CASE("types of China's clouds that articles confuse are the vendors' own") {
  for (const Type& want : kTypes) {
    const catalog::Instance& got = instance(want.provider, want.sku);
    CAPTURE(want.sku);
    CHECK(got.gpu == want.gpu);
    CHECK(got.gpu_count == want.gpus);
    CHECK(got.vcpu == want.vcpu);
    CHECK(got.memory_gib == want.memory_gib);
    CHECK(got.network_gbps == want.network_gbps);
  }
}

TEST_CASE("no shipped source is under a share-alike license") {
  for (const catalog::Source& source : shipped().sources()) {
    CAPTURE(source.key, source.licence);
    CHECK(source.licence.find("BY-SA") == std::string_view::npos);
    CHECK(source.publisher.find("Spare Cores") == std::string_view::npos);
  }
}

}  // namespace china_test
