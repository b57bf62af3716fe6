// Memory of serving: stored weights and K/V cache against arithmetic done by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "physics/serving/inference.hpp"
#include "support/job.hpp"

namespace inference_memory_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using gpusel::test::serving;
using job::Job;
using job::KvPrecision;

namespace {

constexpr double kKiB = 1024;

Bytes cache(const catalog::Model& model, double tokens, const Layout& plan) {
  return kv_bytes(model, {.prompt = tokens}, plan);
}

double per_token(std::string_view model, KvPrecision precision = KvPrecision::fp16, int tp = 1) {
  Layout plan = serving("bf16", tp);
  plan.kv = precision;
  return cache(test::model(model), 4096, plan).raw() / 4096;
}

double stored(std::string_view model, std::string_view format) {
  return stored_weights(job("task=inference model=" + std::string(model)), **weight_format(format)).raw();
}

InferenceMemory memory(std::string_view words, std::string_view gpu, const Layout& plan) {
  const Job work = job(words);
  return inference_memory(work, test::machine(gpu, plan.tp * plan.pp * plan.dp), plan, test::coefficients());
}

Approx near(double value) { return Approx(value).epsilon(1e-6); }

}  // namespace

TEST_CASE("the cache of one token is two values per K and V head and layer") {
  CHECK(per_token("llama-7b") == near(512 * kKiB));       // 2 × 32 layers × 32 heads × 128 × 2 bytes
  CHECK(per_token("llama-3.1-8b") == near(128 * kKiB));   // 2 × 32 × 8 × 128 × 2
  CHECK(per_token("llama-3.1-70b") == near(320 * kKiB));  // 2 × 80 × 8 × 128 × 2
  CHECK(per_token("gemma-2b") == near(18 * kKiB));        // 2 × 18 × 1 × 256 × 2
  CHECK(per_token("mixtral-8x7b") == near(128 * kKiB));   // experts have no cache
}

TEST_CASE("latent attention caches one latent vector per layer") {
  CHECK(per_token("deepseek-v3") == near(61.0 * (512 + 64) * 2));
  // Every rank of a tensor-parallel group holds it.
  CHECK(per_token("deepseek-v3", KvPrecision::fp16, 8) == near(61.0 * (512 + 64) * 2));
}

TEST_CASE("an eight-bit cache is half of a sixteen-bit one") {
  CHECK(per_token("llama-7b", KvPrecision::fp8) == near(256 * kKiB));
  CHECK(per_token("llama-7b", KvPrecision::int8) == near(256 * kKiB));
  CHECK(per_token("llama-7b", KvPrecision::bf16) == near(512 * kKiB));
}

TEST_CASE("tensor parallelism divides the cache down to one head per GPU") {
  CHECK(per_token("llama-3.1-8b", KvPrecision::fp16, 4) == near(32 * kKiB));
  CHECK(per_token("llama-3.1-8b", KvPrecision::fp16, 8) == near(16 * kKiB));
  CHECK(per_token("llama-3.1-8b", KvPrecision::fp16, 16) == near(16 * kKiB));
}

TEST_CASE("a sliding window ends the growth of the cache") {
  const catalog::Model& mistral = test::model("mistral-7b-v0.1");
  const Layout plan = serving("bf16");
  const double window = cache(mistral, 4096, plan).raw();
  CHECK(window == near(4096 * 128 * kKiB));
  CHECK(cache(mistral, 32768, plan).raw() == near(window));
  CHECK(cache(mistral, 2048, plan).raw() == near(window / 2));
}

TEST_CASE("a paged cache is allotted in blocks") {
  const catalog::Model& llama = test::model("llama-7b");
  const Layout plan = serving("bf16");
  CHECK(cache(llama, 1, plan) == cache(llama, 16, plan));
  CHECK(cache(llama, 17, plan) == cache(llama, 32, plan));
  CHECK(cache(llama, 0, plan).raw() == 0);
}

TEST_CASE("an encoder keeps no cache") { CHECK(cache(test::model("bert-base"), 512, serving("bf16")).raw() == 0); }

TEST_CASE("sixteen-bit weights take two bytes per parameter and fp32 four") {
  CHECK(stored("llama-7b", "fp16") == near(2 * 6.73841562e9));
  CHECK(stored("llama-7b", "fp32") == near(4 * 6.73841562e9));
  CHECK(stored("mixtral-8x7b", "bf16") == near(2 * 46.7027927e9));  // all experts, not the active ones
}

TEST_CASE("quantised weights keep embedding and head at sixteen bit") {
  // (6.738e9 − 2 × 32000 × 4096) × bits ÷ 8 + 2 × 32000 × 4096 × 2 bytes
  const double ends = 2.0 * 32000 * 4096;
  const double body = 6.73841562e9 - ends;
  CHECK(stored("llama-7b", "nf4") == near(body * 4.127 / 8 + 2 * ends));
  CHECK(stored("llama-7b", "nf4") / kGiB == Approx(3.600).epsilon(1e-3));
  CHECK(stored("llama-7b", "w4a16") == Approx(body * 4.15 / 8 + 2 * ends).epsilon(0.01));
  // A tied table is there once: 256,000 × 2048
  const double table = 256000.0 * 2048;
  CHECK(stored("gemma-2b", "nf4") == near((2.50617242e9 - table) * 4.127 / 8 + 2 * table));
}

TEST_CASE("averages over all tensors are not added to the ends again") {
  CHECK(stored("llama-7b", "q8_0") == near(6.73841562e9 * 8.5 / 8));
}

TEST_CASE("MXFP4 quantises experts and nothing else") {
  const Job work = job("task=inference model=mixtral-8x7b");
  const double experts = 32.0 * 8 * 3 * 4096 * 14336;
  CHECK(stored("mixtral-8x7b", "mxfp4") == near(experts * 4.25 / 8 + 2 * (46.7027927e9 - experts)));
}

TEST_CASE("weights are divided over the GPUs that share a copy") {
  const double one = memory("task=inference model=llama-7b", "h100-sxm-80gb", serving("fp16")).per_gpu.weights.raw();
  Layout split = serving("fp16", 2);
  split.pp = 2;
  CHECK(memory("task=inference model=llama-7b", "h100-sxm-80gb", split).per_gpu.weights.raw() == near(one / 4));
  Layout copies = serving("fp16");
  copies.dp = 4;
  CHECK(memory("task=inference model=llama-7b", "h100-sxm-80gb", copies).per_gpu.weights.raw() == near(one));
}

TEST_CASE("experts are divided over the replicas that share them, all else is whole on each") {
  const std::string words = "task=inference model=mixtral-8x7b";
  Layout shared = serving("bf16");
  const double alone = memory(words, "h200-sxm-141gb", shared).per_gpu.weights.raw();
  shared.dp = shared.ep = 8;
  const double experts = 2 * job(words).parameters.experts;  // bytes
  CHECK(memory(words, "h200-sxm-141gb", shared).per_gpu.weights.raw() == near(alone - experts * 7 / 8));
}

TEST_CASE("the cache is the need at the asked concurrency and not the pool") {
  const InferenceMemory m = memory("task=inference model=llama-7b concurrency=4 input_tokens=768 output_tokens=256",
                                   "h100-sxm-80gb", serving("fp16"));
  CHECK(m.concurrency == 4);
  CHECK(m.per_gpu.kv_cache.raw() == near(4.0 * 1024 * 512 * kKiB));  // 4 × 1024 tokens × 0.5 MiB = 2 GiB
  CHECK(m.per_gpu.kv_cache < m.pool);
}

TEST_CASE("the most that fits fills the pool but for less than one request") {
  const InferenceMemory m =
      memory("task=inference model=llama-7b input_tokens=3072 output_tokens=1024", "a100-sxm-40gb", serving("fp16"));
  const double one = 4096.0 * 512 * kKiB;
  CHECK(m.per_gpu.kv_cache.raw() == near(m.max_concurrency * one));
  CHECK(m.per_gpu.total() <= m.pool);
  CHECK((m.pool - m.per_gpu.total()).raw() < one);
  CHECK(m.pool <= test::machine("a100-sxm-40gb").device.usable);
}

TEST_CASE("tokens that fit and requests that fit agree") {
  const InferenceMemory m = memory("task=inference model=llama-7b input_tokens=3072 output_tokens=1024 concurrency=1",
                                   "a100-sxm-40gb", serving("fp16"));
  CHECK(std::floor(m.kv_tokens / 4096) == m.max_concurrency);
  CHECK(m.longest_context == std::floor(m.kv_tokens));
}

TEST_CASE("eight-bit caches hold twice the tokens") {
  const std::string_view words = "task=inference model=llama-3.1-8b concurrency=1";
  Layout plan = serving("bf16");
  const double wide = memory(words, "h100-sxm-80gb", plan).kv_tokens;
  plan.kv = KvPrecision::fp8;
  CHECK(memory(words, "h100-sxm-80gb", plan).kv_tokens == near(2 * wide));
}

TEST_CASE("replicas multiply the requests that fit") {
  const std::string_view words = "task=inference model=llama-7b concurrency=8";
  Layout plan = serving("fp16");
  const double one = memory("task=inference model=llama-7b concurrency=2", "a100-sxm-40gb", plan).max_concurrency;
  plan.dp = 4;
  CHECK(memory(words, "a100-sxm-40gb", plan).max_concurrency == near(4 * one));
}

TEST_CASE("weights that fill the card leave no room for a request") {
  const InferenceMemory m = memory("task=inference model=llama-3.1-70b", "a100-sxm-80gb", serving("bf16"));
  CHECK(m.max_concurrency == 0);
  CHECK(m.kv_tokens == 0);
  CHECK(m.longest_context == 0);
  CHECK(m.per_gpu.total() > test::machine("a100-sxm-80gb").device.usable);
}

TEST_CASE("room for half of a window beside what does not grow is a context of half a window") {
  catalog::Model hybrid = test::model("mistral-7b-v0.1");  // a window of 4096 in every layer
  hybrid.linear_state_bytes = 1e9;
  Job work = job("task=inference model=mistral-7b-v0.1 concurrency=1");
  work.model = &hybrid;
  const Machine card = test::machine("h100-sxm-80gb");
  const auto estimate = [&] { return inference_memory(work, card, serving("bf16"), test::coefficients()); };
  const MemoryBreakdown held = estimate().per_gpu;
  const Bytes room = bytes(1e9) + bytes(2048 * 128 * kKiB);
  const Bytes taken = held.weights + held.workspace + held.framework + held.activations;
  work.inference.mem_utilization = (taken + room) / card.device.usable;
  CHECK(std::abs(estimate().longest_context - 2048) <= 1);
}

TEST_CASE("a cache that does not grow holds a context without end") {
  catalog::Model constant = test::model("llama-7b");
  constant.kv_full_layers = 0;
  Job work = job("task=inference model=llama-7b");
  work.model = &constant;
  Trace trace;
  const InferenceMemory m =
      inference_memory(work, test::machine("l40s"), serving("bf16"), test::coefficients(), &trace);
  CHECK(m.longest_context == 1e9);
  // Nothing but the engine bounds requests that keep nothing.
  CHECK(m.max_concurrency == m.sequences);
  CHECK(m.steady_concurrency == m.sequences);
  CHECK(m.kv_tokens == 0);
  CHECK(m.per_gpu.kv_cache == Bytes{});
  // A byte each is a cache, of which 1e7 are told at most.
  constant.linear_state_bytes = 1;
  const InferenceMemory least = inference_memory(work, test::machine("l40s"), serving("bf16"), test::coefficients());
  CHECK(least.max_concurrency == 1e7);
}

TEST_CASE("an engine decodes at least one sequence") {
  Coefficients c = test::coefficients();
  const Job work = job("task=inference model=llama-7b");
  const auto in_flight = [&](double sequences, std::string_view gpu) {
    c.max_sequences = Coefficient{sequences, {}};
    return inference_memory(work, test::machine(gpu), serving("fp16"), c).concurrency;
  };
  CHECK(in_flight(0.5, "h100-sxm-80gb") == 1);
  CHECK(in_flight(1.5, "t4") == 1);  // 16 GB hold no request beside 13.5 GB of weights, nor half of them fewer
}

TEST_CASE("a model of which little is told needs buffers for what is known") {
  const Coefficients& c = test::coefficients();
  for (const std::string name : {"llama-7b", "mixtral-8x7b"}) {
    catalog::Model bare = test::model(name);
    bare.heads = bare.kv_heads = bare.ffn_size = bare.moe_ffn_size = bare.vocab_size = catalog::Number{};
    Job work = job("task=inference model=" + name + " concurrency=1 input_tokens=4096 output_tokens=16");
    work.model = &bare;
    Trace trace;
    const InferenceMemory m = inference_memory(work, test::machine("h200-sxm-141gb"), serving("bf16"), c, &trace);
    // 4096 tokens of 2 bytes: twice the width of 4096, and the same for each of two experts
    const double scratch = bare.is_moe() ? 2 * 4096 * 2 : 0;
    CHECK(m.per_gpu.activations.raw() == near(4096.0 * 2 * (2 * 4096 * c.activation_copies.of("vllm") + scratch)));
    for (const TraceLine& line : trace)
      if (line.quantity == "memory.activations") CHECK(line.substituted.ends_with(", 0 GiB, 0 GiB)"));
  }
}

TEST_CASE("an engine is configured for as many requests as are asked for, up to 1024") {
  const auto configured = [](const std::string& requests) {
    return memory("task=inference model=llama-3.2-1b concurrency=" + requests, "h100-sxm-80gb", serving("bf16"))
        .sequences;
  };
  CHECK(configured("1000") == Approx(std::max(1000.0, configured("1"))));
  CHECK(configured("5000") == Approx(std::max(1024.0, configured("1"))));
  REQUIRE(configured("1") <= 1024);
}

TEST_CASE("an encoder without room serves nobody") {
  Job work = job("task=inference engine=vllm model=bert-base");
  work.inference.mem_utilization = 0.001;  // less than the engine itself takes
  CHECK(inference_memory(work, test::machine("t4"), serving("fp16"), test::coefficients()).max_concurrency == 0);
}

TEST_CASE("what an explanation says of the cache is requests times the cache of one") {
  const auto told = [](const std::string& words) {
    Trace trace;
    inference_memory(job("task=inference " + words), test::machine("h100-sxm-80gb"), serving("bf16"),
                     test::coefficients(), &trace);
    std::string weights, cache;
    for (const TraceLine& line : trace) {
      if (line.quantity == "memory.weights") weights = line.substituted;
      if (line.quantity == "memory.kv_cache") cache = line.substituted;
    }
    CHECK(weights.ends_with(" × 1 ÷ 1"));  // and no draft model
    return cache;
  };
  CHECK(told("model=llama-7b concurrency=4 input_tokens=768 output_tokens=256") == "4 × 512 MiB");
  CHECK(told("model=bert-base engine=vllm concurrency=4") == "0 × 0 GiB");
}

TEST_CASE("vLLM schedules more sequences from 70 GiB on") {
  const Job work = job("task=inference model=qwen2.5-0.5b input_tokens=64 output_tokens=64");
  const auto scheduled = [&](double usable_gib) {
    Machine machine = test::machine("h100-sxm-80gb");
    machine.device.usable = gib(usable_gib);
    return inference_memory(work, machine, serving("bf16"), test::coefficients()).concurrency;
  };
  CHECK(scheduled(69.9) == test::coefficients().max_sequences.of("vllm"));
  CHECK(scheduled(70) == test::coefficients().max_sequences.of("vllm", "large"));
  CHECK(scheduled(70) > scheduled(69.9));
}

TEST_CASE("a share of memory that is asked for is the share the engine takes") {
  const Machine card = test::machine("l4");
  const InferenceMemory m = inference_memory(job("task=inference model=llama-3.2-1b mem_utilization=0.5"), card,
                                             serving("bf16"), test::coefficients());
  CHECK(m.pool.raw() == near(card.device.usable.raw() / 2));
}

TEST_CASE("SGLang's weights and caches get a share, and passes and graphs lie beside it") {
  const Machine card = test::machine("l4");
  const Job work = job("task=inference model=llama-3.2-1b engine=sglang concurrency=1");
  const InferenceMemory m = inference_memory(work, card, serving("bf16"), test::coefficients());
  // Below 35 GiB: 0.5 GiB, 1.5 MiB for each of 2,048 tokens, 2 MiB for each of 24 requests, an eighth of a GiB.
  const double usable = in_gib(card.device.usable), beside = (512 + 3072 + 48) / 1024.0 + 0.125;
  CHECK(m.share == Approx(1 - beside / usable).margin(0.0005));
  CHECK(in_gib(m.pool) == Approx((usable - in_gib(m.per_gpu.framework)) * m.share));
  CHECK(in_gib(m.cache_room) == Approx(in_gib(m.pool - m.per_gpu.weights)));
  // However many requests are asked for, the pool is the same.
  const Job many = job("task=inference model=llama-3.2-1b engine=sglang concurrency=512");
  CHECK(inference_memory(many, card, serving("bf16"), test::coefficients()).cache_room == m.cache_room);
}

TEST_CASE("a forward pass and the sampler are never alive together") {
  const Coefficients& c = test::coefficients();
  const auto activations = [](std::string_view words) {
    return memory("task=inference model=llama-3.1-8b " + std::string(words), "l4", serving("bf16"))
        .per_gpu.activations.raw();
  };
  // 2048 tokens × 2 bytes × copies × (2 × 4096 + 2 × 14336); 256 sequences × 128256 logits
  const double forward = 2048.0 * 2 * c.activation_copies.of("vllm") * (2 * 4096 + 2 * 14336);
  const double sampler = 256.0 * 128256 * c.sampler_bytes.of("vllm");
  CHECK(activations("input_tokens=1024 concurrency=256") == near(std::max(forward, sampler)));
  CHECK(activations("input_tokens=16384 output_tokens=16 concurrency=1") == near(forward));
}

TEST_CASE("early Transformers hold the logits of the whole prompt") {
  const std::string words = "task=inference engine=hf mode=single-stream model=qwen2.5-0.5b input_tokens=8192";
  const double now = memory(words, "a100-sxm-80gb", serving("bf16")).per_gpu.activations.raw();
  const double then =
      memory(words + " engine_version=4.38.2", "a100-sxm-80gb", serving("bf16")).per_gpu.activations.raw();
  CHECK(then == near(8192.0 * 151936 * 6));  // 16 and 32 bit
  CHECK(now < then / 2);
}

TEST_CASE("engines that do not cut prompts hold all of a long one") {
  const std::string words = "task=inference engine=vllm concurrency=1 model=llama-3.1-8b input_tokens=32768";
  const auto activations = [&](const std::string& version, std::string_view gpu) {
    return memory(words + version, gpu, serving("bf16")).per_gpu.activations.raw();
  };
  // Passes of 32768, and of today's 2048, or 8192 on large cards other than A100.
  CHECK(activations(" engine_version=0.5.3", "a100-sxm-80gb") == near(16 * activations("", "a100-sxm-80gb")));
  CHECK(activations(" engine_version=0.5.3", "h100-sxm-80gb") == near(4 * activations("", "h100-sxm-80gb")));
}

TEST_CASE("llama.cpp on several GPUs leaves the embedding with the host") {
  Layout plan = serving("fp16");
  const auto weights = [&](std::string_view engine, int stages) {
    plan.pp = stages;
    return in_gib(
        memory("task=inference model=llama-3-70b engine=" + std::string(engine), "rtx-3090", plan).per_gpu.weights);
  };
  // 80 layers and the head on 6 GPUs: 14 of 81; Transformers has 14 of 80 and the embedding as well.
  CHECK(weights("llama.cpp", 1) == near(weights("hf", 1)));
  CHECK(weights("llama.cpp", 6) < weights("hf", 6) * 0.98);
}

TEST_CASE("layers in turn need no communication library") {
  Layout stages = serving("fp16");
  stages.pp = 2;
  const auto framework = [&](std::string_view engine) {
    return in_gib(
        memory("task=inference model=llama-7b engine=" + std::string(engine), "l4", stages).per_gpu.framework);
  };
  const Coefficients& c = test::coefficients();
  CHECK(framework("hf") == near(c.process_gib.of("hf")));
  CHECK(framework("vllm") == near(c.process_gib.of("vllm") + c.collectives_gib.of("inference", "vllm")));
}

TEST_CASE("an odd number of requests fills one replica more than the other") {
  Layout plan = serving("fp16");
  plan.dp = 2;
  const InferenceMemory m =
      memory("task=inference model=llama-7b concurrency=5 input_tokens=768 output_tokens=256", "h100-sxm-80gb", plan);
  CHECK(m.per_gpu.kv_cache.raw() == near(3.0 * 1024 * 512 * kKiB));
}

}  // namespace inference_memory_test
