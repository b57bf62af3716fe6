// Section 6 of docs/method.md, worked out as the page writes it, against what is computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "properties/page_service.hpp"

namespace method_serving_memory_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
namespace any = test::any;

TEST_CASE("serving memory is what docs/method.md says", "[property]") {
  agrees("section 6", [] {
    auto [work, plan, machine] = any_service();
    if (work.model->is_generator() && any::coin("drafts")) add_draft(work);
    const InferenceMemory is = inference_memory(work, machine, plan, test::coefficients());
    const Service page(work, plan, machine);
    must_be_near(stored_weights(work, *plan.weights).raw(), page.stored(), "stored weights");
    must_be_near(is.per_gpu.weights.raw(), page.weights(), "weights");
    must_be_near(is.per_gpu.workspace.raw(), page.workspace(), "workspace");
    must_be_near(is.per_gpu.framework.raw(), page.framework(), "framework");
    must_be_near(is.pool.raw(), page.pool(), "pool");
    must_be_near(is.sequences, page.most(), "sequences at once");
    const double in = page.in(), out = page.out();
    must_be_near(kv_bytes(*work.model, {in, out}, plan).raw(), page.cache(in, out), "cache of a request");
    const double taken = page.weights() + page.workspace() + page.framework();
    if (page.encodes()) {
      const double fits = std::floor((page.pool() - taken) / page.activations(1));
      const double rows =
          std::max(1.0, std::min({page.job.concurrency ? page.asked() : page.most(), page.most(), fits}));
      must_be_near(is.per_gpu.activations.raw(), page.activations(rows), "activations");
      must_be_near(is.max_concurrency, std::max(0.0, fits) * plan.dp, "requests that fit");
      must_be_near(is.concurrency, page.job.concurrency ? static_cast<double>(*page.job.concurrency) : rows * plan.dp,
                   "requests in flight");
      return;
    }
    const double each = page.cache_with_draft(in, out);
    double rows = std::max(1.0, std::min(page.job.concurrency ? page.asked() : page.most(), page.most()));
    const auto room = [&] { return page.pool() - taken - page.activations(rows); };
    test::given(page.cache(in, out) > 0);
    // An engine told to decode fewer sequences together needs smaller buffers: halve until one fits.
    while (!page.job.concurrency && rows > 1 && std::floor(room() / each) < 1) rows = std::floor(rows / 2);
    must_be_near(is.per_gpu.activations.raw(), page.activations(rows), "activations");
    const double fits = std::max(0.0, std::min(1e7, std::floor(room() / each)));
    must_be_near(is.max_concurrency, fits * plan.dp, "requests that fit");
    const double grown = page.cache(in, out * page.of(page.c.reserved_output));
    const double at_once = std::max(std::floor(room() / each), std::min(1e7, std::floor(room() / grown)));
    must_be_near(is.steady_concurrency, at_once * plan.dp, "requests at once");
    const double in_flight = std::max(1.0, std::min(rows, at_once));
    must_be_near(is.concurrency,
                 page.job.concurrency ? static_cast<double>(*page.job.concurrency) : in_flight * plan.dp,
                 "requests in flight");
    const double held = page.job.concurrency ? std::min(page.asked(), page.most()) : in_flight;
    must_be_near(is.per_gpu.kv_cache.raw(), each * std::max(1.0, std::min(held, std::max(1.0, fits))), "cache");
    const double per_token = page.cache(0, 65536) / 65536;
    must_be_near(is.kv_tokens, per_token > 0 ? std::max(0.0, room() / per_token) : 0, "tokens");
  });
}

TEST_CASE("the longest context is the last that has room", "[property]") {
  agrees("longest context", [] {
    auto [work, plan, machine] = any_service();
    test::given(work.model->is_generator() && !work.inference.draft);
    const Service page(work, plan, machine);
    const double read = page.crosses_stacks() ? page.in() : 0;
    const auto taken = [&] {
      const auto held = inference_memory(work, machine, plan, test::coefficients()).per_gpu;
      return (held.weights + held.workspace + held.framework + held.activations).raw();
    };
    // Room for some tokens, as many as a window has or a multiple of them.
    const double some = page.m.window_tokens.value_or(4096) * any::number("windows", 0.01, 100);
    test::given(page.cache(read, some) > 0);
    for (int i = 0; i < 2; ++i)  // less room may mean smaller buffers
      work.inference.mem_utilization = (taken() + page.cache(read, some)) / machine.device.usable.raw();
    const InferenceMemory is = inference_memory(work, machine, plan, test::coefficients());
    test::given(is.longest_context < 1e9);  // of a cache that grows
    const double room = is.pool.raw() - taken();
    // Caches are allotted in blocks of 16 tokens.
    must(is.longest_context < 16 || page.cache(read, is.longest_context - 16) <= room, "it does not fit");
    must(page.cache(read, is.longest_context + 17) >= room, "longer ones fit");
  });
}

}  // namespace method_serving_memory_test
