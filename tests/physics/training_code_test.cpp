// Whose layers and loss run, and what follows for memory and time, against arithmetic done by hand.
#include <catch2/catch.hpp>

#include "support/ideal.hpp"
#include "support/training.hpp"

namespace training_code_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using gpusel::test::kLlama;
using gpusel::test::kLlamaBody;
using gpusel::test::kLlamaTable;
using gpusel::test::memory;
using job::Checkpointing;
using job::Precision;
using job::Recipe;
using job::Sharding;

namespace {

constexpr double kLayerTokens = 2048.0 * 32;  // of one sequence, in all layers of LLaMA 7B

Approx near(double value) { return Approx(value).epsilon(1e-6); }

job::Job llama(const std::string& words) { return job("task=finetune model=llama-7b seq_len=2048 " + words); }

/// Without a fitted number.
MemoryBreakdown held(const job::Job& work, const Layout& plan = {}) {
  return training_memory(work, test::enough(plan), plan, test::ideal());
}

/// Of several micro-batches: gradients of the first are there while activations of the second pile up.
Layout in(Precision precision) {
  Layout plan;
  plan.grad_accum = 2;
  plan.precision = precision;
  return plan;
}

}  // namespace

TEST_CASE("frameworks over the same code take the same memory, whoever shards") {
  const auto total = [](const std::string& words) { return memory(llama(words)).total().raw(); };
  for (const std::string name : {"trl", "axolotl", "xtuner", "transformers", "deepspeed", "accelerate"}) {
    CAPTURE(name);
    CHECK(total("method=lora framework=" + name) == near(total("method=lora framework=hf-trainer")));
  }
  CHECK(total("framework=torchtitan") == near(total("framework=fsdp")));
  CHECK(total("framework=nemo") == near(total("framework=megatron")));
  // FSDP around adapters runs Hugging Face's models.
  CHECK(total("method=lora framework=fsdp") == near(total("method=lora framework=hf-trainer")));
  CHECK(total("framework=fsdp") < total("framework=hf-trainer"));
}

TEST_CASE("Transformer Engine keeps inputs of products in 8 bit, and frozen weights") {
  // A token and layer: 153,600 B in 16 bit, less 2 · 4096 of norms, 4096 of attention's output, 11,008 of the FFN
  const std::string megatron = "framework=megatron precision=fp8";
  CHECK(held(llama(megatron), in(Precision::fp8)).activations.raw() == near(130'304 * kLayerTokens));
  // Frozen products need no inputs: 4 · 4096, 4096 and 2 · 11,008 less
  const MemoryBreakdown lora = held(llama(megatron + " method=lora lora_rank=16"), in(Precision::fp8));
  CHECK(lora.activations.raw() == near(111'104 * kLayerTokens));
  // Body 1 B, embedding and head 2 B, 39,976,960 adapter parameters 4 B
  CHECK(lora.weights.raw() == near(kLlamaBody + 2 * 2 * kLlamaTable + 4 * 39'976'960.0));
  // Nobody else's
  CHECK(held(llama("framework=torchtitan precision=fp8"), in(Precision::fp8)).activations.raw() ==
        near(153'600 * kLayerTokens));
}

TEST_CASE("a decoder on a GPU without fused attention keeps no scores unless somebody says so") {
  Layout plan = in(Precision::fp16);
  plan.flash_attention = false;  // the GPU has none
  const double none = 153'600 * kLayerTokens;
  const double autocast = 227'328 * kLayerTokens;  // 26 · 4096 instead of 8 · 4096
  CHECK(held(llama("framework=hf-trainer"), plan).activations.raw() == near(autocast));
  CHECK(held(llama("framework=unsloth"), plan).activations.raw() == near(none));
  // softmax in fp32, its copy in 16 bit and a mask: 7 B of 32 heads · 2048 keys; Megatron's kernels 5 B
  const double scores = 32.0 * 2048 * kLayerTokens;
  CHECK(held(llama("framework=hf-trainer flash_attention=false"), plan).activations.raw() ==
        near(autocast + 7 * scores));
  CHECK(held(llama("framework=megatron"), plan).activations.raw() == near(none + 5 * scores));
  CHECK(held(llama("framework=hf-trainer"),
             [&] {
               Layout wide = plan;
               wide.precision = Precision::bf16;  // which no such GPU has
               return wide;
             }())
            .activations.raw() == near(autocast + 7 * scores));
}

TEST_CASE("FSDP keeps embedding and head gathered beside its layers, and their gradients") {
  const auto beside = [](const std::string& words) {
    const MemoryBreakdown m = held(llama(words), data_parallel(8, Sharding::fsdp));
    return (m.gradients + m.activations + m.workspace).raw() - 153'600 * kLayerTokens;
  };
  // Two layers of 202,383,488 parameters, and 262,144,000 of the ends, with gradients where they are trained
  CHECK(beside("framework=fsdp") == near(2 * 2 * 202'383'488.0 + 2 * 2 * 262'144'000.0));
  const double frozen = beside("framework=fsdp method=ptuning");
  CHECK(frozen < 2 * 2 * 202'383'488.0 + 2 * 262'144'000.0);
}

TEST_CASE("gradients that add up unsharded are whole on every GPU") {
  const auto gradients = [](const std::string& framework, std::int64_t micro_batches) {
    Layout plan = data_parallel(8, Sharding::fsdp);
    plan.grad_accum = micro_batches;
    const MemoryBreakdown m = held(llama("framework=" + framework), plan);
    return m.gradients.raw();
  };
  CHECK(gradients("hf-trainer", 1) == near(2 * kLlama / 8));
  CHECK(gradients("hf-trainer", 2) == near(2 * kLlama));
  CHECK(gradients("torchtitan", 2) == near(2 * kLlama / 8));
}

TEST_CASE("a fused loss never holds all logits") {
  const auto& c = test::coefficients();
  const std::string words = "method=lora framework=hf-trainer";
  const double logits = 2048.0 * 32000 * (c.logits_bytes.value - c.fused_logits_bytes.value);
  const double saved = memory(llama(words)).total().raw() - memory(llama(words + " fused_loss=true")).total().raw();
  CHECK(saved == near(logits * (1 + c.allocator_slack.value)));
  // Nothing is dearer for being fused.
  CHECK(memory(llama("framework=unsloth fused_loss=true")).total() <= memory(llama("framework=unsloth")).total());
}

TEST_CASE("what the allocator keeps counts in the total and not in the need") {
  const auto& c = test::coefficients();
  const MemoryBreakdown m = memory(llama("method=lora framework=hf-trainer"));
  const double slack = c.allocator_slack.value;
  // Activations and logits, and slack of both
  const double fleeting = (m.activations + m.workspace + m.gradients).raw() / (1 + slack);
  const double spare = fleeting * (slack - c.fragmentation.of("eager"));
  CHECK((m.total() - m.needed()).raw() == near(spare));
}

TEST_CASE("the shorter of launching and computing does not overlap in part") {
  Coefficients c = test::ideal();
  const Machine machine = test::machine("a100-sxm-80gb");
  const auto step = [&] { return in_ms(training_speed(llama("framework=megatron"), machine, {}, c)->step); };
  const double before = step();
  c.training_layer_us = {1000, {}};  // 3 · 32 layers: 96 ms, beside 545 of computing
  CHECK(step() == Approx(before));
  c.launch_exposed = {0.5, {}};
  CHECK(step() - before == Approx(48));
  c.launch_exposed = {0.5, {{"megatron", 0.25}}};
  CHECK(step() - before == Approx(24));
}

TEST_CASE("casts of 8-bit products cost less in Transformer Engine") {
  Coefficients c = test::ideal();
  c.cast_bytes = {0, {{"fp8", 40}, {"fp8 megatron", 10}}};
  Layout plan;
  plan.precision = Precision::fp8;
  const Machine machine = test::machine("h100-sxm-80gb");
  const auto step = [&](const std::string& framework) {
    return in_ms(training_speed(llama("precision=fp8 framework=" + framework), machine, plan, c)->step);
  };
  // 3 passes · 30 B · 4096 · 2048 · 32 layers
  const double bandwidth = machine.device.bandwidth.raw();
  CHECK(step("torchtitan") - step("megatron") == Approx(1e3 * 3 * 30 * 4096.0 * kLayerTokens / bandwidth));
}

TEST_CASE("a framework's habits are taken where nothing else is said") {
  // Recipes that load 16 bit keep no master copies until something widens them.
  CHECK(llama("framework=ms-swift gpus=1").training.recipe == Recipe::pure);
  CHECK(llama("framework=ms-swift sharding=ddp").training.recipe == Recipe::pure);
  CHECK(llama("framework=ms-swift sharding=zero3").training.recipe == Recipe::mixed);
  CHECK(llama("framework=hf-trainer gpus=1").training.recipe == Recipe::mixed);
  // LitGPT's recipes for one GPU have no checkpointing.
  CHECK(llama("framework=litgpt method=lora gpus=1").training.checkpointing == Checkpointing::none);
  CHECK(llama("framework=litgpt sharding=fsdp").training.checkpointing == Checkpointing::full);
  CHECK_FALSE(llama("framework=hf-trainer gpus=1").training.checkpointing);
  // Megatron's tensor ranks share sequences since its attention was fused.
  CHECK(llama("framework=megatron").training.sequence_parallel);
  CHECK_FALSE(llama("framework=megatron flash_attention=false").training.sequence_parallel);
  CHECK(
      llama("framework=megatron flash_attention=false activation_checkpointing=selective").training.sequence_parallel);
  CHECK(llama("framework=megatron flash_attention=false sequence_parallel=true").training.sequence_parallel);
  CHECK(llama("framework=llm-foundry").training.fused_loss);
  CHECK_FALSE(llama("framework=llm-foundry fused_loss=false").training.fused_loss);
}

TEST_CASE("a framework that nobody knows is taken for the usual one, by name") {
  CHECK(llama("framework=homemade").training.framework == "hf-trainer");
  CHECK(llama("framework=homemade tp=2").training.framework == "megatron");
  CHECK(llama("framework=homemade sharding=fsdp").training.framework == "fsdp");
  CHECK(llama("framework=transformers").training.framework == "hf-trainer");
}

TEST_CASE("selective checkpointing belongs to who has it") {
  for (const std::string name : {"megatron", "torchtitan", "fsdp"})
    CHECK(can_checkpoint(llama("framework=" + name), Checkpointing::selective));
  for (const std::string name : {"hf-trainer", "unsloth", "litgpt", "llama-factory"}) {
    CHECK_FALSE(can_checkpoint(llama("framework=" + name), Checkpointing::selective));
    CHECK(can_checkpoint(llama("framework=" + name), Checkpointing::full));
  }
}

}  // namespace training_code_test
