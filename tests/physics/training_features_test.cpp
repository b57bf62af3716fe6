// What single options and architectures change in training, against arithmetic done by hand.
#include <catch2/catch.hpp>

#include "physics/training/training_shape.hpp"
#include "support/training.hpp"

namespace training_features_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using gpusel::test::kLlama;
using gpusel::test::memory;
using gpusel::test::speed;
using job::Checkpointing;
using job::Job;
using job::Sharding;

namespace {

const Coefficients& c() { return test::coefficients(); }

Layout tensor_parallel(int tp) {
  Layout plan;
  plan.tp = tp;
  return plan;
}

}  // namespace

TEST_CASE("an encoder-decoder's stacks see source and target") {
  const Job work = job("task=finetune model=t5-base seq_len=512 target_len=128");
  const SequenceShape shape = sequence_shape(work);
  // 12 layers of 512 tokens and 12 of 128; the decoder's keys are its own 128 and the source's 512.
  CHECK(shape.rows == Approx(320));
  CHECK(shape.targets == 128);
  CHECK(shape.counted == 640);
  CHECK(shape.kv_rows == Approx((512 + 640.0) / 640));
  CHECK(shape.all_keys * shape.rows == Approx(12 * (512.0 * 512 + 128.0 * 640)));
  CHECK(shape.attended * shape.rows == Approx(12 * (512.0 * 512 + 128.0 * (64 + 512))));
}

TEST_CASE("an encoder-decoder keeps and computes what its two lengths ask for") {
  const Job work = job("task=finetune model=t5-base seq_len=512 target_len=128 framework=accelerate");
  // 8h + 2 × (q + o + 1.8 × (k + v)) + 4f
  const double token = 8 * 768 + 2 * (2 * 768 + 1.8 * 2 * 768) + 4 * 3072;
  CHECK(memory(work).activations.raw() == Approx(token * 320 * 24));
  const TrainingSpeed s = speed(work);
  CHECK(s.tokens_per_s == Approx(640 / s.step.raw()));
  // Forward: body on 320 rows, head on 128 targets, attention; thrice.
  const double table = 32128.0 * 768;
  const double products = 2 * (0.222903552e9 - table) * 320 + 2 * table * 128;
  const double attention = 4 * 768 * 12 * (512.0 * 512 + 128 * 576.0);
  CHECK(s.model_tflops_per_gpu * 1e12 * s.step.raw() == Approx(3 * (products + attention)));
}

TEST_CASE("a target is a quarter of the source unless given, and no other model has one") {
  const Job open = job("task=finetune model=t5-base seq_len=512");
  CHECK(open.training.target_len == 128);
  CHECK(open.training.tokens == 50000.0 * 3 * 640);
  const auto decoder = test::try_job("task=finetune model=llama-7b target_len=128");
  REQUIRE_FALSE(decoder);
  CHECK(decoder.error().where == "target_len");
}

TEST_CASE("an encoder sees both directions and pretrains with a head over its vocabulary") {
  const Job pretrain = job("task=pretrain model=bert-large seq_len=512");
  const double rows = 24 * 512.0;  // keys summed over layers: no causal half
  CHECK(sequence_shape(pretrain).attended == rows);
  const Job finetune = job("task=finetune model=bert-large seq_len=512");
  const double logits = 512 * *pretrain.model->vocab_size * c().logits_bytes.of(finetune.training.framework);
  Layout plan;
  plan.micro_batch = 32;  // so many rows that the optimiser step is not the peak
  const double slack = 1 + c().allocator_slack.of("encoder");
  CHECK((memory(pretrain, plan).total() - memory(finetune, plan).total()).raw() == Approx(32 * logits * slack));
}

TEST_CASE("activations follow the heads where they are wider than the hidden size") {
  // Qwen3 0.6B: 16 heads of 128 on a hidden size of 1024, and 8 K/V heads; queries and keys are normalized.
  const Job work = job("task=finetune model=qwen3-0.6b framework=megatron seq_len=2048");
  const double token = 8 * 1024 + 2 * (2 * 2048 + 2 * 1024) + 2 * (2048 + 1024) + 6 * 3072;
  CHECK(memory(work).activations.raw() == Approx(28 * 2048 * token));
}

TEST_CASE("latent attention keeps its latents beside keys and values of every head") {
  const Job work = job("task=finetune model=deepseek-v3 framework=megatron seq_len=4096");
  const double attention = 2 * 128 * (192 + 192 + 128 + 128) + 4 * (1536 + 512);
  const double experts = 6 * (8 * 2048 + 2048) + 4.0 * 8 * 7168 * 58 / 61;  // dense layers are as wide
  CHECK(memory(work).activations.raw() == Approx(61 * 4096 * (8 * 7168 + attention + experts)));
  // Scores over 192 values, sums over 128.
  const AttentionWidths widths = attention_widths(*work.model, 1);
  CHECK(widths.q == 128 * 192);
  CHECK(widths.o == 128 * 128);
}

TEST_CASE("without sequence parallelism tensor ranks repeat norms and residuals") {
  const std::string question = "task=finetune model=llama-7b framework=megatron seq_len=2048";
  // Norm inputs and outputs 8h; queries, keys, values, attention output 8h and the FFN's 6f are divided.
  const double tokens = 32 * 2048;
  const double between = 8 * 4096;
  const double inside = 8 * 4096 + 6 * 11008;
  CHECK(memory(job(question), tensor_parallel(4)).activations.raw() == Approx(tokens * (between + inside) / 4));
  const Job whole = job(question + " sequence_parallel=false");
  CHECK(memory(whole, tensor_parallel(4)).activations.raw() == Approx(tokens * (between + inside / 4)));
  CHECK(memory(whole).activations.raw() == memory(job(question)).activations.raw());
}

TEST_CASE("tensor ranks beyond the K/V heads hold a copy of one") {
  const catalog::Model& model = test::model("qwen2.5-7b");  // 28 heads, 4 K/V heads of 128
  CHECK(attention_widths(model, 4).k == 4 * 128);
  CHECK(attention_widths(model, 28).k == 28 * 128);
}

TEST_CASE("context ranks divide the tokens") {
  const Job work = job("task=finetune model=llama-3.1-8b framework=megatron seq_len=32768");
  Layout plan;
  plan.cp = 4;
  CHECK(memory(work, plan).activations.raw() == Approx(memory(work).activations.raw() / 4));
}

TEST_CASE("a given number of chunks interleaves the stages of any framework") {
  Layout split;
  split.pp = 4;
  split.grad_accum = 8;
  const Job work = job("task=finetune model=llama-7b virtual_pipeline=2 pp=4");
  CHECK(pipeline_chunks(work, split, c()) == 2);
  // 4 × (1 + 3 ÷ (4 · 2)) sets of 8 layers against 4.
  const Job plain = job("task=finetune model=llama-7b virtual_pipeline=1 pp=4");
  CHECK(memory(work, split).activations.raw() == Approx(memory(plain, split).activations.raw() * 5.5 / 4));
}

TEST_CASE("a capacity above what is routed pads the experts' rows") {
  const Job tight = job("task=finetune model=mixtral-8x7b framework=megatron seq_len=2048");
  const Job padded = job("task=finetune model=mixtral-8x7b framework=megatron seq_len=2048 capacity_factor=1.25");
  // A quarter more of two experts' 6 × 14336 columns and of the copies, 4 × 2 × 4096.
  const double more = 0.25 * (6 * 2 * 14336 + 4 * 2 * 4096);
  CHECK((memory(padded).activations - memory(tight).activations).raw() == Approx(32 * 2048 * more));
  CHECK(speed(padded).tokens_per_s < speed(tight).tokens_per_s);
  const auto dense = test::try_job("task=finetune model=llama-7b capacity_factor=1.25");
  REQUIRE_FALSE(dense);
  CHECK(dense.error().where == "capacity_factor");
}

TEST_CASE("adapters go to the matrices that are named") {
  const auto trained = [](const std::string& words) {
    return trainable_parameters(job("task=finetune method=lora lora_rank=8 " + words));
  };
  CHECK(trained("model=llama-7b lora_targets=q_proj,v_proj") == 4194304);  // 8 × 32 × 2 × (4096 + 4096)
  CHECK(trained("model=llama-7b lora_targets=attention") == 2 * 4194304);
  CHECK(trained("model=llama-7b lora_targets=ffn") == 8.0 * 32 * 3 * (4096 + 11008));
  CHECK(trained("model=llama-7b lora_targets=all") == trained("model=llama-7b"));
  // Mixtral: unless experts are named, attention alone; with them, 8 experts of 3 matrices.
  const double attention = 8.0 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024));
  CHECK(trained("model=mixtral-8x7b") == attention);
  CHECK(trained("model=mixtral-8x7b lora_targets=attention,experts") == attention + 8.0 * 32 * 8 * 3 * (4096 + 14336));
  // Latent attention: queries and keys go down and up.
  CHECK(trained("model=deepseek-v3 lora_targets=q_proj") == 8.0 * 61 * (7168 + 1536 + 1536 + 128 * 192));
  CHECK(trained("model=t5-base lora_targets=q,v") == 8.0 * 36 * 2 * (768 + 768));  // the decoder attends twice
}

TEST_CASE("a prefix is trained in every layer and lengthens keys, not sequences") {
  const Job prefix = job("task=finetune model=llama-7b method=prefix virtual_tokens=20 seq_len=1024");
  CHECK(trainable_parameters(prefix) == 20.0 * 32 * 2 * 4096);
  CHECK(sequence_shape(prefix).rows == 1024);
  CHECK(sequence_shape(prefix).keys == 1044);
  const Job prompt = job("task=finetune model=llama-7b method=prompt-tuning virtual_tokens=20 seq_len=1024");
  CHECK(prompt.training.method == job::Method::ptuning);
  CHECK(sequence_shape(prompt).rows == 1044);
  CHECK(sequence_shape(prompt).counted == 1024);
}

TEST_CASE("frozen matrices without adapters keep no inputs") {
  // Norm outputs 4h and the FFN's product 2f are only for weight gradients.
  const Job prefix = job("task=finetune model=llama-7b framework=megatron method=prefix virtual_tokens=1 seq_len=2048");
  const Job full = job("task=finetune model=llama-7b framework=megatron seq_len=2048");
  const double less = 32 * 2048 * (4.0 * 4096 + 2 * 11008);
  CHECK((memory(full).activations - memory(prefix).activations).raw() == Approx(less).epsilon(1e-3));
}

TEST_CASE("Muon keeps a momentum for matrices and AdamW's states for embedding and head") {
  const Job work = job("task=finetune model=llama-7b optimizer=muon");
  const double tables = 2 * 32000.0 * 4096;
  CHECK(memory(work).optimizer.raw() == Approx(4 * kLlama + 4 * (kLlama + tables)));
  // Five Newton–Schulz steps of 4·4096 + 2·4096² ÷ 11008 FLOP per parameter of a matrix.
  const double flop = 5 * (4 * 4096 + 2 * 4096.0 * 4096 / 11008) * (kLlama - tables);
  const double adamw = speed(job("task=finetune model=llama-7b")).step.raw();
  const double more = speed(work).step.raw() - adamw;
  CHECK(more > flop / 989e12);
  CHECK(more < flop / 989e12 * 3);
}

TEST_CASE("paged optimisers leave the GPU and their spellings are the Trainer's") {
  CHECK(memory(job("task=finetune model=llama-7b recipe=pure optimizer=paged_adamw_32bit")).optimizer.raw() == 0);
  CHECK(job("task=finetune model=llama-7b optimizer=adamw_bnb_8bit").training.optimizer == job::Optimizer::adamw8bit);
  CHECK(job("task=finetune model=llama-7b optimizer=paged-adamw").training.optimizer == job::Optimizer::paged_adamw);
  CHECK(job("task=finetune model=llama-7b optimizer=adamw_torch").training.optimizer == job::Optimizer::adamw);
}

TEST_CASE("what is offloaded is in host memory and costs its way there") {
  const std::string question = "task=finetune model=llama-7b seq_len=1024";
  const Job optimizer = job(question + " offload=optimizer");
  CHECK(memory(optimizer).gradients.raw() == 0);  // follow as they arise
  CHECK(memory(optimizer).optimizer.raw() == 0);
  CHECK(offloaded_states(optimizer, job::Precision::bf16).raw() == Approx(14 * kLlama));
  const Job all = job(question + " offload=params");
  // Two of 32 layers stay, or the whole embedding and head if that is more.
  const double layer = (kLlama - 2 * 32000.0 * 4096) / 32;
  CHECK(memory(all).weights.raw() == Approx(2 * c().gathered_layers.value * layer));
  CHECK(offloaded_states(all, job::Precision::bf16).raw() == Approx(16 * kLlama));
  CHECK(speed(optimizer).tokens_per_s < speed(job(question)).tokens_per_s);
  CHECK(speed(all).tokens_per_s < speed(optimizer).tokens_per_s);
  CHECK(speed(all).bound_by == "host");
}

TEST_CASE("eight GPUs share two sockets' memory for an offloaded step") {
  const Job work = job("task=finetune model=llama-7b offload=optimizer");
  const Layout plan = data_parallel(8, Sharding::zero2);
  const double step = kLlama / 8 * 30 / (c().host_memory_gbs.value * 1e9 / 4);
  const Machine machine = test::machine("h100-sxm-80gb", 8);
  const double pcie = pcie_bandwidth(*machine.device.gpu).raw() * c().link_efficiency.of("pcie");
  CHECK(speed(work, plan).budget.host.raw() == Approx(step + kLlama / 8 * 4 / pcie));
}

TEST_CASE("the parts of a step are the step") {
  Layout plan;
  plan.pp = 4;
  plan.dp = 2;
  plan.sharding = Sharding::zero1;
  plan.grad_accum = 8;
  const TrainingSpeed s = speed(job("task=finetune model=llama-7b"), plan);
  Seconds sum = s.budget.bubble;
  for (const auto& [time, name] : s.budget.bounds()) sum += time;
  CHECK(sum.raw() + c().step_ms.value / 1000 == Approx(s.step.raw()).epsilon(1e-6));
  CHECK(s.budget.bubble.raw() / s.step.raw() == Approx(3.0 / 11).epsilon(0.05));
}

}  // namespace training_features_test
