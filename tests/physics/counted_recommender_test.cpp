// Recommendation models, against arithmetic done by hand.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/counted.hpp"

namespace counted_recommender_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::counted_figures_of;
using gpusel::test::counted_job;
using gpusel::test::with_batch;

namespace {

double named(const Figures& figures, std::string_view key) {
  const auto found = std::ranges::find(figures.more, key, &NamedFigure::key);
  REQUIRE(found != figures.more.end());
  return found->value;
}

Figures trained(const std::string& words, const Machine& machine, std::int64_t batch) {
  return counted_figures_of(counted_job("task=pretrain precision=fp16 " + words), machine, with_batch(batch));
}

}  // namespace

TEST_CASE("tables, optimizer state and dense layers add up to a recommender's memory") {
  // 4,186,769,664 values of tables in fp32, Adam's two moments beside them, 16,044,545 dense parameters.
  const auto m = trained("model=dcnv2-criteo-t15", test::machine("a100-sxm-80gb"), 1024).memory;
  CHECK(m.weights.raw() == Approx(4 * 4186769664.0 + 4 * 16044545.0));
  CHECK(m.optimizer.raw() == Approx(8 * 4186769664.0 + 8 * 16044545.0));
  CHECK(m.gradients.raw() == Approx(4 * 16044545.0));
  CHECK(in_gib(m.total()) == Approx(48).epsilon(0.07));  // as published for 15.6 GiB of tables
  const auto plain = trained("model=dcnv2-criteo-t15 optimizer=sgd", test::machine("a100-sxm-80gb"), 1024).memory;
  CHECK(plain.optimizer.raw() == Approx(8 * 16044545.0));
}

TEST_CASE("a model that is all tables has no dense layers") {
  catalog::Model tables = test::model("dcnv2-criteo-t15");
  tables.embedding_params_b = *tables.params_b * 2;  // whatever is told of them
  job::Job work = counted_job("task=pretrain precision=fp16 model=dcnv2-criteo-t15");
  work.model = &tables;
  const auto figures = counted_figures_of(work, test::machine("a100-sxm-80gb"), with_batch(1024));
  CHECK(figures.memory.gradients == Bytes{});
}

TEST_CASE("tables that do not fit are divided over the GPUs, small ones are copied") {
  const auto divided = trained("model=dlrm-criteo-t3", test::machine("a100-sxm-80gb", 8), 8192);
  const auto& c = test::coefficients();
  CHECK(divided.memory.weights.raw() == Approx(22776868864.0 * 4 * 1.15 / 8 + 4 * 2368897.0));
  CHECK(divided.memory.total() < test::machine("a100-sxm-80gb").device.usable);
  // 132 GB of job memory for 82 GiB of tables is published
  CHECK(8 * in_gb(divided.memory.total()) == Approx(132).epsilon(0.15));
  CHECK(divided.memory.framework == gib(c.context_gib.value + c.collectives_gib.of("training")));
  const auto copied = trained("model=ncf", test::machine("a100-sxm-40gb", 8), 8192);
  CHECK(copied.memory.weights.raw() == Approx(4 * 31832577.0).epsilon(1e-4));
}

TEST_CASE("a recommender's step is products, rows, values and launches") {
  // 65,536 samples: 3 × 4.917 MFLOP at 312 × 0.68 TFLOPS; rows of 26 × 128 × 4 bytes read and written 4 times and
  // 11,833 values of 12 bytes at 2039 × 0.8 GB/s; 2.5 ms beside them.
  const auto one = trained("model=dlrm-criteo-t15", test::machine("a100-sxm-80gb"), 65536);
  const double each = 3 * 4.917e6 / (312e12 * 0.68) + (26 * 128 * 4 * 4 + 11833 * 12) / (2039e9 * 0.8);
  CHECK(one.latency.raw() == Approx(65536 * each + 2.5e-3).epsilon(1e-3));
  CHECK(one.rate == Approx(65536 / one.latency.raw()));
  CHECK(one.rate == Approx(4.55e6).epsilon(0.1));  // as published
}

TEST_CASE("recommenders need links between GPUs") {
  const auto on = [](std::string_view gpu) { return trained("model=dlrm-dcnv2", test::machine(gpu, 8), 8192); };
  const auto nvlink = on("h100-sxm-80gb");
  const auto pcie = on("h100-pcie-80gb");
  CHECK(pcie.bound_by == "link");
  CHECK(nvlink.bound_by != "link");
  CHECK(nvlink.rate / pcie.rate == Approx(3).epsilon(0.15));         // 4 and 12 minutes in MLPerf
  CHECK(nvlink.rate / on("l40s").rate == Approx(5.5).epsilon(0.2));  // 22 minutes
}

TEST_CASE("tables in host memory cross PCIe and cost time") {
  const auto machine = test::machine("a100-sxm-80gb");
  const auto work = counted_job("task=pretrain precision=fp16 model=dlrm-criteo-t0 offload=params");
  auto plan = with_batch(65536);
  plan.offload = job::Offload::params;
  const auto figures = counted_figures_of(work, machine, plan);
  CHECK(figures.memory.total() < machine.device.usable);  // 421 GiB of tables stay outside
  CHECK(named(figures, "slowdown") > 3);
  CHECK(figures.bound_by == "host-memory");
  // 26 × 128 × 4 bytes there and back at 31.5 × 0.45 GB/s take 1.88 µs; published: 0.77 million samples/s
  CHECK(figures.rate < 1e6 / 1.87);
  CHECK(figures.rate == Approx(0.768e6).epsilon(0.4));
  auto small = machine;
  small.host.memory = gib(256);
  CHECK_FALSE(counted_figures_of(work, small, plan).lacks.empty());
}

TEST_CASE("tables that do not fit are cached in inference") {
  const auto serve = [](std::string_view gpu, int gpus) {
    const auto work = counted_job("task=inference model=dlrm-dcnv2 engine=tensorrt precision=int8");
    return counted_figures_of(work, test::machine(gpu, gpus), with_batch(8192));
  };
  const auto l4 = serve("l4", 1);
  CHECK(l4.memory.total() < test::machine("l4").device.usable * 0.92);
  const double share = named(l4, "tables_on_gpu");
  CHECK(share == Approx((22 * 0.9 - 0.5 - 0.3) / 24.34).epsilon(0.05));  // GiB, 26.1 GB of int8 tables
  // share^0.1 = 0.976 of 214 × 128 bytes a sample at 240 GB/s, the others at 31.5 × 0.45 GB/s: 0.043 µs more on 0.38
  CHECK(named(l4, "slowdown") == Approx(1.115).epsilon(0.02));
  const auto eight = serve("l4", 8);  // no exchange over PCIe where a cache does
  CHECK(eight.rate == Approx(8 * l4.rate));
}

TEST_CASE("the largest table is told against one GPU") {
  const auto t0 = trained("model=dlrm-criteo-t0", test::machine("a100-sxm-80gb", 8), 8192);
  CHECK(named(t0, "largest_table_gib") == Approx(292775614.0 * 128 * 4 / (1 << 30)));
  CHECK(named(t0, "largest_table_share") > 1);
  const auto own = counted_figures_of(counted_job("task=inference model=dlrm-v1 precision=fp16 table_gib=10"),
                                      test::machine("l4"), with_batch(1));
  CHECK(own.memory.weights.raw() == Approx(10 * kGiB + 2 * 2368897.0));
}

TEST_CASE("inference of recommenders follows int8 peaks and bandwidth") {
  const auto rate = [](std::string_view gpu) {
    const auto work = counted_job("task=inference model=dlrm-v1 engine=tensorrt precision=int8");
    return counted_figures_of(work, test::machine(gpu), with_batch(262144)).rate;
  };
  // MLPerf offline, relative to the A100 PCIe: A30 0.52, H100 PCIe 1.74, H100 SXM 2.74, L4 0.34
  const double a100 = rate("a100-pcie-80gb");
  CHECK(rate("a30") / a100 == Approx(0.52).epsilon(0.15));
  CHECK(rate("h100-pcie-80gb") / a100 == Approx(1.74).epsilon(0.25));
  CHECK(rate("h100-sxm-80gb") / a100 == Approx(2.74).epsilon(0.15));
  CHECK(rate("l4") / a100 == Approx(0.34).epsilon(0.15));
}

TEST_CASE("recommenders without known tables are refused") {
  const auto lora = test::try_counted("task=finetune model=dlrm-v1 method=lora");
  REQUIRE_FALSE(lora);
  CHECK(lora.error().where == "method");
}

}  // namespace counted_recommender_test
