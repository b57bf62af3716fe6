// Single terms of training memory and time, each against arithmetic done by hand.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "physics/training/training_shape.hpp"
#include "support/training.hpp"

namespace training_terms_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using gpusel::test::kLlama;
using gpusel::test::kLlamaBody;
using gpusel::test::memory;
using job::Checkpointing;
using job::Job;
using job::Sharding;

namespace {

const Coefficients& c() { return test::coefficients(); }

Seconds step(const Job& work, const Layout& plan, const Machine& machine) {
  return test::speed(work, plan, machine).step;
}

Layout recomputing(Layout plan = {}) {
  plan.checkpointing = Checkpointing::full;
  return plan;
}

}  // namespace

TEST_CASE("the optimiser step needs its temporaries when activations are gone") {
  // 128 tokens leave next to nothing; the step takes step_bytes per parameter beside 2 of gradient.
  const Job work = job("task=finetune model=llama-7b seq_len=128 framework=accelerate");
  const MemoryBreakdown m = memory(work, recomputing());
  const double temporaries = c().step_bytes.value * kLlama;
  CHECK((m.activations + m.workspace).raw() == Approx(temporaries * (1 + c().allocator_slack.value)));
  // An 8-bit optimiser works in blocks and has none.
  const MemoryBreakdown blocks =
      memory(job("task=finetune model=llama-7b seq_len=128 optimizer=adamw8bit"), recomputing());
  CHECK((blocks.activations + blocks.workspace).raw() < temporaries);
}

TEST_CASE("an explanation tells of bubbles and of layers apart only where there are any") {
  const auto told = [](const Layout& plan, std::string_view quantity) {
    const Job work = job("task=finetune model=llama-7b framework=megatron");
    Trace trace;
    training_memory(work, test::enough(plan), plan, c(), &trace);
    training_speed(work, test::enough(plan), plan, c(), &trace);
    return std::ranges::any_of(trace, [&](const TraceLine& line) { return line.quantity == quantity; });
  };
  Layout split;
  CHECK(told(split, "training.compute.attention"));
  CHECK_FALSE(told(split, "training.step_time.bubble"));
  CHECK(pipeline_chunks(job("task=finetune model=llama-7b framework=megatron"), split, c()) == 1);
  split.pp = 2;
  CHECK(told(split, "training.step_time.bubble"));
  Layout some = recomputing();
  CHECK_FALSE(told(some, "memory.recomputed_layers"));
  some.recomputed = 0.5;
  CHECK(told(some, "memory.recomputed_layers"));
}

TEST_CASE("an encoder sees both directions, in a window as far as it reaches, and what stands before all") {
  catalog::Model windowed = test::model("bert-base");
  windowed.kv_window_layers = 4;
  windowed.window_tokens = 128;
  Job work = job("task=finetune model=bert-base seq_len=512");
  work.model = &windowed;
  CHECK(sequence_shape(work).attended == 8 * 512 + 4 * 128);  // of 12 layers
  work.training.method = job::Method::prefix;
  work.training.virtual_tokens = 16;
  CHECK(sequence_shape(work).attended == 8 * 512 + 4 * 128 + 12 * 16);
}

TEST_CASE("a decoder sees what stands before, in a window until it is full and then no more") {
  const Job work = job("task=finetune model=mistral-7b-v0.1 seq_len=8192");
  // 4096 tokens see 2048 others on average, the other 4096 a window of 4096, in each of 32 layers.
  CHECK(sequence_shape(work).attended == 32 * 3072);
}

TEST_CASE("half of the layers are told to be recomputed, by their number") {
  Layout half = recomputing();
  half.recomputed = 0.5;
  Trace trace;
  training_memory(job("task=finetune model=llama-7b"), test::enough(half), half, c(), &trace);
  const auto line = std::ranges::find(trace, "memory.recomputed_layers", &TraceLine::quantity);
  REQUIRE(line != trace.end());
  CHECK(line->substituted == "0.5 × 32");
  CHECK(line->value.number == 16);
}

TEST_CASE("a vocabulary that nobody knows has no logits") {
  catalog::Model model = test::model("llama-7b");
  model.vocab_size = {};
  Job work = job("task=finetune model=llama-7b seq_len=128");
  work.model = &model;
  Trace trace;
  training_memory(work, test::enough({}), {}, c(), &trace);
  const auto line = std::ranges::find(trace, "workspace.logits", &TraceLine::quantity);
  REQUIRE(line != trace.end());
  CHECK(line->substituted.find("× 128 × 0 ×") != std::string::npos);
}

TEST_CASE("adapters of experts and of latent attention are counted by what is told of them") {
  catalog::Model model = test::model("deepseek-v2-lite");
  Job work = job("task=finetune model=deepseek-v2-lite method=lora lora_rank=8 lora_targets=q");
  work.model = &model;
  model.mla_q_lora_rank = {};  // queries in one step
  const double h = *model.hidden_size, q = *model.heads * *model.head_dim;
  CHECK(trainable_parameters(work) == Approx(8 * *model.layers * (h + q)));
  model.mla_v_head_dim = model.mla_rope_dim = catalog::Number{};  // values as wide as keys
  CHECK(attention_widths(model, 1).v == q);
  model = test::model("mixtral-8x7b");
  work = job("task=finetune model=mixtral-8x7b method=lora lora_rank=8 lora_targets=up,experts");
  work.model = &model;
  model.moe_ffn_size = model.ffn_size = catalog::Number{};
  CHECK(trainable_parameters(work) == Approx(8.0 * 32 * 8 * 4096));
}

TEST_CASE("no more layers have experts than there are") {
  Job work = job("task=finetune model=mixtral-8x7b");
  const double all = memory(work).activations.raw();
  work.parameters.moe_layers *= 2;
  CHECK(memory(work).activations.raw() == Approx(all));
}

TEST_CASE("an interleaved pipeline keeps more micro batches than a plain one") {
  Layout split;
  split.pp = 4;
  split.grad_accum = 8;
  // Eight layers a stage in four chunks of two: 4 × (1 + 3 ÷ (4 · 4)) = 4.75 sets of 8 layers.
  const Job fused = job("task=finetune model=llama-7b framework=megatron");
  CHECK(pipeline_chunks(fused, split, c()) == 4);
  CHECK(memory(fused, split).activations.raw() == Approx(memory(fused).activations.raw() * 4.75 / 4));
  CHECK(pipeline_chunks(job("task=finetune model=llama-7b"), split, c()) == 1);
}

TEST_CASE("interleaving divides the bubble by the chunks") {
  Layout split;
  split.pp = 4;
  split.grad_accum = 4;
  const Machine machine = test::machine("h100-sxm-80gb", 4);
  split.micro_batch = 64;  // so long a pass that the optimiser does not count
  const Job work = job("task=finetune model=llama-7b framework=megatron seq_len=2048");
  const double few = step(work, split, machine).raw();
  split.grad_accum = 400;
  const double many = step(work, split, machine).raw() / 100;
  // 1 + 3 ÷ (4 · 4) against 1 + 3 ÷ (400 · 4)
  CHECK(few / many == Approx((1 + 3.0 / 16) / (1 + 3.0 / 1600)).epsilon(0.02));
}

TEST_CASE("selective recomputation drops scores first") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048");
  Layout plan;
  plan.flash_attention = true;
  const double linear = memory(work, plan).activations.raw();
  plan.flash_attention = false;
  plan.checkpointing = Checkpointing::selective;
  // All that is not scores, and the scores of one layer: 7 bytes × 32 heads × 2048 keys × 2048 tokens.
  CHECK(memory(work, plan).activations.raw() == Approx(linear + 7.0 * 32 * 2048 * 2048));
}

TEST_CASE("QLoRA widens every frozen weight once per pass") {
  // Passes over products: forward, backward for inputs, and the repeated forward.
  const Machine machine = test::machine("a100-sxm-80gb");
  const Layout plan = recomputing();
  const Seconds lora = step(job("task=finetune model=llama-7b method=lora seq_len=2048"), plan, machine);
  const Seconds qlora = step(job("task=finetune model=llama-7b method=qlora seq_len=2048"), plan, machine);
  const double stream = 2039e9 * c().bandwidth_efficiency.value;
  CHECK((qlora - lora).raw() == Approx(3 * c().dequantise_bytes.value * kLlamaBody / stream).epsilon(1e-3));
}

TEST_CASE("ZeRO-2 reduces after every micro batch and DDP once") {
  const Job work = job("task=finetune model=llama-7b seq_len=128");
  Machine machine = test::machine("a100-sxm-80gb", 2);
  machine.link_bandwidth = gb_per_s(0.001);  // nothing but traffic counts
  Layout plan = data_parallel(2, Sharding::ddp);
  plan.grad_accum = 8;
  const double once = step(work, plan, machine).raw();
  plan.sharding = Sharding::zero2;
  // Eight reduce-scatters and a gathering of weights, against a reduce-scatter and a gathering.
  CHECK(step(work, plan, machine).raw() / once == Approx(9.0 / 2).epsilon(0.01));
}

TEST_CASE("a pipeline gathers sharded weights once per step") {
  const Job work = job("task=finetune model=llama-7b seq_len=128");
  Machine machine = test::machine("a100-sxm-80gb", 4);
  machine.link_bandwidth = gb_per_s(0.001);
  Layout plan = data_parallel(2, Sharding::zero3);
  plan.pp = 2;
  plan.grad_accum = 4;
  const double four = step(work, plan, machine).raw();
  plan.grad_accum = 8;
  CHECK(step(work, plan, machine).raw() == Approx(four).epsilon(0.01));
}

TEST_CASE("context ranks hide their ring behind attention") {
  const Job work = job("task=pretrain model=llama-3.1-8b seq_len=131072 global_batch=8");
  Layout plan = recomputing();
  plan.cp = 8;
  Machine machine = test::machine("h100-sxm-80gb", 8);
  const double fast = step(work, plan, machine).raw();
  machine.link_bandwidth = machine.link_bandwidth / 2;
  // Keys and values of 8 heads of 128: little beside attention over 131,072 tokens.
  CHECK(step(work, plan, machine).raw() / fast < 1.02);
}

TEST_CASE("pipeline stages send activations forward and gradients back") {
  // LLaMA 7B, 4096 tokens: 2 · 4096 · 4096 B = 33.55 MB each way, in four chunks of eight layers 2 · 4 times. Two
  // nodes of eight with two stages each: four GPUs share 12.5 GB/s at half the line rate (no RDMA).
  const Job work = job("task=finetune model=llama-7b framework=megatron seq_len=4096 sequence_parallel=false");
  Layout plan = recomputing();
  plan.pp = 4;
  plan.dp = 4;
  plan.grad_accum = 100;
  plan.sharding = Sharding::zero1;
  REQUIRE(pipeline_chunks(work, plan, c()) == 4);
  Machine machine = test::machine("h100-sxm-80gb", 16);
  machine.rdma = false;
  const auto at = [&](double gbps) {
    machine.network = gbit_per_s(gbps);
    return step(work, plan, machine).raw();
  };
  const double rate = 12.5e9 / 100 * 0.5 / 4;  // of 1 Gbit/s
  const double sent = 8 * 2 * 4096.0 * 4096 / rate;
  const double spread = 1 + c().straggler.value;
  // So slow a network shows the difference whole, in all micro-batches and in the bubble of 3 ÷ 4.
  CHECK(at(0.5) - at(1) == Approx(sent * (100 + 0.75) * spread).epsilon(0.001));
  // Tensor ranks share the sequence, and each sends its part.
  CHECK(at(1) > at(10));
  CHECK(at(10) > at(100));
}

TEST_CASE("a part with more watts per TFLOPS keeps more of its peak") {
  // Per TFLOPS an RTX 3090 has 350 W ÷ 71.2 = 4.9 and an A100 400 ÷ 312 = 1.28, the reference of Ampere.
  const Job work = job("task=finetune model=llama-3.2-1b method=lora seq_len=2048");
  const auto mfu = [&](std::string_view gpu) {
    const auto speed = training_speed(work, test::machine(gpu), recomputing(), c());
    REQUIRE(speed);
    return speed->mfu;
  };
  CHECK(mfu("rtx-3090") > mfu("a100-sxm-80gb"));
}

}  // namespace training_terms_test
