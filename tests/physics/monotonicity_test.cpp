// Laws that hold for every model and machine: more work never takes less memory, better hardware is never worse.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "physics/serving/inference.hpp"
#include "physics/training/training.hpp"
#include "support/job.hpp"

namespace monotonicity_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using gpusel::test::serving;
using job::Checkpointing;
using job::Job;
using job::KvPrecision;
using job::Sharding;

namespace {

/// The number in front of " GiB".
double gibibytes(const std::string& text) { return std::stod(text.substr(0, text.find(' '))); }

double sum_of_parts(const MemoryBreakdown& m) {
  return m.weights.raw() + m.gradients.raw() + m.optimizer.raw() + m.activations.raw() + m.kv_cache.raw() +
         m.workspace.raw() + m.framework.raw();
}

std::vector<double> parts(const MemoryBreakdown& m) {
  return {m.weights.raw(),  m.gradients.raw(), m.optimizer.raw(), m.activations.raw(),
          m.kv_cache.raw(), m.workspace.raw(), m.framework.raw()};
}

double part(const MemoryBreakdown& m, std::string_view quantity) {
  if (quantity == "memory.weights") return in_gib(m.weights);
  if (quantity == "memory.gradients") return in_gib(m.gradients);
  if (quantity == "memory.optimizer") return in_gib(m.optimizer);
  if (quantity == "memory.activations") return in_gib(m.activations);
  if (quantity == "memory.kv_cache") return in_gib(m.kv_cache);
  if (quantity == "memory.workspace") return in_gib(m.workspace);
  return in_gib(m.framework);
}

/// Every line about memory states its part, no part twice, and together they are the total.
void check_trace(const Trace& trace, const MemoryBreakdown& m) {
  double sum = 0;
  std::set<std::string> seen;
  for (const TraceLine& line : trace) {
    CHECK_FALSE(line.formula.empty());
    CHECK_FALSE(line.value.text.empty());
    CHECK_FALSE(line.source.empty());
    if (!line.quantity.starts_with("memory.")) continue;
    if (std::ranges::count(line.quantity, '.') > 1) continue;  // what a part is made of
    if (line.quantity == "memory.needed") continue;            // of another load than the parts
    CAPTURE(line.quantity, line.value.text);
    CHECK(seen.insert(line.quantity).second);
    CHECK(gibibytes(line.value.text) == Approx(part(m, line.quantity)).margin(0.0051));
    sum += gibibytes(line.value.text);
  }
  CHECK(sum == Approx(in_gib(m.total())).margin(0.04));
}

MemoryBreakdown trained(const Job& work, const Layout& plan) {
  const Machine machine = test::machine("h100-sxm-80gb", plan.tp * plan.pp * plan.cp * plan.dp);
  return training_memory(work, machine, plan, test::coefficients());
}

const std::vector<std::string> kModels{"gpt2",         "bert-base",    "llama-3.2-1b", "gemma-2b",      "llama-7b",
                                       "llama-3.1-8b", "mixtral-8x7b", "gpt-oss-20b",  "llama-3.1-70b", "deepseek-v3"};
const std::vector<std::string> kMethods{"full", "lora", "qlora", "ptuning", "prefix"};

}  // namespace

TEST_CASE("a larger model of a family never needs less memory to train") {
  const auto method = GENERATE(from_range(kMethods));
  const auto words =
      GENERATE(Catch::Generators::as<std::string>{}, "", " recipe=pure", " optimizer=adamw8bit", " offload=optimizer");
  double before = 0;
  for (const std::string_view model :
       {"llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"}) {
    const Job work = job("task=finetune seq_len=1024 model=" + std::string(model) + " method=" + method + words);
    const double now = trained(work, {}).total().raw();
    CAPTURE(model, method, words);
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("every part of training memory is finite and counted once in the total") {
  const auto model = GENERATE(from_range(kModels));
  const auto method = GENERATE(from_range(kMethods));
  for (const auto& [tp, pp, dp] : {std::array{1, 1, 1}, {2, 1, 4}, {4, 2, 1}, {1, 1, 64}}) {
    const Job work = job("task=finetune model=" + model + " method=" + method);
    Layout plan = data_parallel(dp, Sharding::zero2);
    plan.tp = tp;
    plan.pp = pp;
    const Machine machine = test::machine("h100-sxm-80gb", tp * pp * dp);
    Trace trace;
    const MemoryBreakdown m = training_memory(work, machine, plan, test::coefficients(), &trace);
    CAPTURE(model, method, tp, pp, dp);
    for (const double one : parts(m)) {
      CHECK(std::isfinite(one));
      CHECK(one >= 0);
    }
    CHECK(m.total().raw() == Approx(sum_of_parts(m)));
    check_trace(trace, m);
  }
}

TEST_CASE("every part of serving memory is finite and counted once in the total") {
  const auto model = GENERATE(from_range(kModels));
  const auto format = GENERATE(Catch::Generators::as<std::string>{}, "bf16", "fp8", "w4a16", "mxfp4", "q4_k_m");
  for (const int tp : {1, 4}) {
    const Job work = job("task=inference engine=vllm model=" + model);
    const Layout plan = serving(format, tp);
    const Machine machine = test::machine("h100-sxm-80gb", tp);
    Trace trace;
    const InferenceMemory memory = inference_memory(work, machine, plan, test::coefficients(), &trace);
    CAPTURE(model, format, tp);
    for (const double one : parts(memory.per_gpu)) {
      CHECK(std::isfinite(one));
      CHECK(one >= 0);
    }
    CHECK(memory.per_gpu.total().raw() == Approx(sum_of_parts(memory.per_gpu)));
    check_trace(trace, memory.per_gpu);
  }
}

TEST_CASE("fewer bits of weights or cache never take more memory") {
  const auto model = GENERATE(from_range(kModels));
  const Job work = job("task=inference model=" + model);
  double before = 0;
  for (const std::string_view format : {"nf4", "w4a16", "q4_k_m", "q8_0", "bf16", "fp32"}) {
    const double now = stored_weights(work, **weight_format(format)).raw();
    CAPTURE(model, format);
    // Averages over all tensors may undercut a format that keeps the ends.
    if (format != "q4_k_m") CHECK(now >= before);
    before = std::max(now, before);
  }
  Layout plan = serving("bf16");
  for (const double tokens : {1.0, 100.0, 5000.0, 100000.0}) {
    plan.kv = KvPrecision::fp16;
    const Bytes wide = kv_bytes(*work.model, {.prompt = tokens}, plan);
    plan.kv = KvPrecision::fp8;
    CHECK(kv_bytes(*work.model, {.prompt = tokens}, plan) <= wide);
  }
}

TEST_CASE("a longer context never makes a decode step quicker") {
  const auto model = GENERATE(from_range(kModels));
  const Job work = job("task=inference model=" + model);
  const Machine machine = test::machine("h100-sxm-80gb");
  const Layout plan = serving("bf16");
  double before = 0;
  for (const double context : {16.0, 256.0, 4096.0, 65536.0}) {
    const double now = test::decode_step(work, machine, plan, 8, context, test::coefficients()).raw();
    CAPTURE(model, context);
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("the time of training follows from a trace that adds up") {
  const Job work = job("task=finetune model=llama-7b");
  const Layout plan = data_parallel(8, Sharding::zero3);
  const Machine machine = test::machine("h100-sxm-80gb", 8);
  Trace trace;
  const auto speed = training_speed(work, machine, plan, test::coefficients(), &trace);
  REQUIRE(speed);
  std::map<std::string, double> ms;
  for (const TraceLine& line : trace) ms[line.quantity] = std::stod(line.value.text);
  REQUIRE(ms.contains("training.step_time"));
  CHECK(ms["training.step_time"] == Approx(in_ms(speed->step)).margin(0.06));
  // No part is longer than the whole, and all of them with the fixed cost make it up.
  const double sum = ms["training.compute"] + ms["training.memory_bound"] + ms["training.communication"];
  CHECK(sum <= ms["training.step_time"] + 0.2);
  const auto& c = test::coefficients();
  const double launch = 3 * 32 * c.training_layer_us.value / 1000;  // of which a part shows beside the GPU's own work
  const double fixed = c.launch_exposed.value * launch + c.step_ms.value;
  CHECK(sum + fixed == Approx(ms["training.step_time"]).margin(0.3));
}

}  // namespace monotonicity_test
