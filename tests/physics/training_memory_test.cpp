// Training memory by component, against arithmetic done by hand.
#include <catch2/catch.hpp>

#include "physics/checkpoint.hpp"
#include "physics/training/training_job.hpp"
#include "support/training.hpp"

namespace training_memory_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::data_parallel;
using gpusel::test::job;
using gpusel::test::kLlama;
using gpusel::test::kLlamaTable;
using gpusel::test::memory;
using job::Checkpointing;
using job::Job;
using job::Sharding;

namespace {

double states(const MemoryBreakdown& m) { return (m.weights + m.gradients + m.optimizer).raw(); }

Approx near(double value) { return Approx(value).epsilon(1e-6); }

}  // namespace

TEST_CASE("full mixed AdamW training takes sixteen bytes per parameter") {
  const MemoryBreakdown m = memory(job("task=finetune model=llama-7b"));
  CHECK(m.weights.raw() == near(2 * kLlama));
  CHECK(m.gradients.raw() == near(2 * kLlama));
  CHECK(m.optimizer.raw() == near(12 * kLlama));  // fp32 copy 4, two moments 8
  // 16 × 6.738e9 ÷ 2^30 = 100.41 GiB
  CHECK(in_gib(m.weights + m.gradients + m.optimizer) == Approx(100.41).epsilon(1e-4));
  CHECK(m.kv_cache.raw() == 0);
}

TEST_CASE("each recipe and optimiser takes its own bytes per parameter") {
  struct Case {
    std::string words;
    double bytes;
  };
  const auto one = GENERATE(values<Case>({
      {"recipe=pure", 8},                         // 2 + 2 + 4
      {"precision=fp32", 16},                     // 4 + 4 + 8
      {"framework=megatron", 18},                 // 2 + 4 + 4 + 8
      {"framework=nemo", 18},                     // the same code
      {"framework=megatron precision=fp16", 20},  // 2 + 2 + 4 + 4 + 8: the optimiser copies gradients to fp32
      {"framework=megatron precision=fp8", 16},   // 2 + 2 + 4 + 8
      {"optimizer=sgd", 12},                      // 2 + 2 + 4 + 4
      {"optimizer=lion", 12},                     // 2 + 2 + 4 + 4
      {"optimizer=lamb", 16},                     // as Adam
      {"recipe=pure optimizer=sgd", 6},           // 2 + 2 + 2
  }));
  const Job work = job("task=finetune model=llama-7b " + one.words);
  Layout plan;
  plan.precision = work.training.precision.value_or(job::Precision::bf16);
  CAPTURE(one.words);
  CHECK(states(memory(work, plan)) == near(one.bytes * kLlama));
}

TEST_CASE("eight-bit Adam keeps two bytes of moments and Adafactor next to none") {
  // 2 + 2 + 2 and up to 0.1 of block scales; master copies, 4 more, only where they are asked for
  const double eight = states(memory(job("task=finetune model=llama-7b optimizer=adamw8bit"))) / kLlama;
  CHECK(eight >= 6);
  CHECK(eight < 6.1);
  const double masters = states(memory(job("task=finetune model=llama-7b optimizer=adamw8bit recipe=mixed"))) / kLlama;
  CHECK(masters == Approx(eight + 4));
  const double factored = states(memory(job("task=finetune model=llama-7b optimizer=adafactor"))) / kLlama;
  CHECK(factored >= 8);
  CHECK(factored < 8.1);
}

TEST_CASE("ZeRO divides the optimiser then the gradients then the weights") {
  const Job work = job("task=finetune model=llama-7b");
  struct Stage {
    Sharding sharding;
    double weights, gradients, optimizer;
  };
  const auto stage = GENERATE(values<Stage>({{Sharding::ddp, 1, 1, 1},
                                             {Sharding::zero1, 1, 1, 8},
                                             {Sharding::zero2, 1, 8, 8},
                                             {Sharding::zero3, 8, 8, 8},
                                             {Sharding::fsdp, 8, 8, 8}}));
  const MemoryBreakdown m = memory(work, data_parallel(8, stage.sharding));
  CAPTURE(to_text(stage.sharding));
  CHECK(m.weights.raw() == near(2 * kLlama / stage.weights));
  CHECK(m.gradients.raw() == near(2 * kLlama / stage.gradients));
  CHECK(m.optimizer.raw() == near(12 * kLlama / stage.optimizer));
}

TEST_CASE("what a token leaves follows the layout that is asked about, in any order") {
  const Job work = job("task=finetune model=llama-7b framework=hf-trainer");
  const TrainingJob asked(work, test::coefficients());
  // Autocast over whole weights keeps what runs between layers in fp32; eight ranks of ZeRO-2 work in 16 bit.
  const double whole = asked.token_bytes(data_parallel(1, Sharding::zero2)).whole;
  const double narrow = asked.token_bytes(data_parallel(8, Sharding::zero2)).whole;
  CHECK(whole == near(26 * 4096));
  CHECK(narrow == near(16 * 4096));
  CHECK(asked.token_bytes(data_parallel(1, Sharding::zero2)).whole == near(whole));
}

TEST_CASE("ZeRO over one GPU is no sharding") {
  const Job work = job("task=finetune model=llama-7b");
  const double plain = memory(work, data_parallel(1, Sharding::none)).total().raw();
  for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::fsdp})
    CHECK(memory(work, data_parallel(1, sharding)).total().raw() == near(plain));
}

TEST_CASE("hybrid sharding stops dividing at the node") {
  const Job work = job("task=finetune model=llama-7b");
  const Layout plan = data_parallel(32, Sharding::hsdp);
  const MemoryBreakdown m = memory(work, plan, test::machine("h100-sxm-80gb", 32));
  CHECK(m.weights.raw() == near(2 * kLlama / 8));
  CHECK(memory(work, data_parallel(32, Sharding::zero3)).weights.raw() == near(2 * kLlama / 32));
}

TEST_CASE("tensor parallelism divides all states and activations by its degree") {
  const Job work = job("task=finetune model=llama-7b");
  const MemoryBreakdown one = memory(work);
  Layout split;
  split.tp = 4;
  const MemoryBreakdown four = memory(work, split);
  CHECK(states(four) == near(states(one) / 4));
  CHECK(four.activations.raw() == near(one.activations.raw() / 4));
}

TEST_CASE("pipeline stages share the layers and the last one holds the head") {
  const Job work = job("task=finetune model=llama-7b");
  Layout split;
  split.pp = 4;
  split.grad_accum = 8;
  // A quarter of the body and one of the two tables: (6.738e9 − 2 × 0.131e9) / 4 + 0.131e9
  CHECK(memory(work, split).weights.raw() == near(2 * ((kLlama - 2 * kLlamaTable) / 4 + kLlamaTable)));
}

TEST_CASE("the first pipeline stage keeps as many micro batches as there are stages") {
  const Job work = job("task=finetune model=llama-7b framework=accelerate");
  Layout split;
  split.pp = 4;
  split.grad_accum = 8;
  // Four sets of 8 layers are one set of 32.
  CHECK(memory(work, split).activations.raw() == near(memory(work).activations.raw()));
}

TEST_CASE("experts are divided over their group and the rest is not") {
  const Job work = job("task=finetune model=mixtral-8x7b");
  Layout plan = data_parallel(8);
  const double whole = memory(work, plan).weights.raw();
  plan.ep = 8;
  // 32 layers × 8 experts × 3 × 4096 × 14336 = 45.1e9 of 46.7e9 parameters; 7/8 of them leave.
  const double experts = 32.0 * 8 * 3 * 4096 * 14336;
  CHECK(whole == near(2 * 46.7027927e9));
  CHECK(memory(work, plan).weights.raw() == near(whole - 2 * experts * 7 / 8));
}

TEST_CASE("LoRA keeps a frozen model at sixteen bit and trains adapters at sixteen bytes each") {
  const Job work = job("task=finetune model=llama-7b method=lora lora_rank=16");
  // 16 × 32 layers × (4 × (4096 + 4096) + 3 × (4096 + 11008)) = 39,976,960
  const double adapters = 39976960;
  CHECK(trainable_parameters(work) == near(adapters));
  const MemoryBreakdown m = memory(work);
  CHECK(m.weights.raw() == near(2 * kLlama + 4 * adapters));
  CHECK(m.gradients.raw() == near(4 * adapters));
  CHECK(m.optimizer.raw() == near(8 * adapters));
}

TEST_CASE("LoRA adapters follow the width of grouped keys and values") {
  const Job work = job("task=finetune model=llama-3.1-8b method=lora lora_rank=8");
  // q and o: 2 × (4096 + 4096); k and v: 2 × (4096 + 1024); FFN: 3 × (4096 + 14336); × 32 layers × rank 8
  CHECK(trainable_parameters(work) == near(8.0 * 32 * (2 * 8192 + 2 * 5120 + 3 * 18432)));
}

TEST_CASE("QLoRA keeps the linear layers at four bit and widens the ends") {
  const Job work = job("task=finetune model=llama-7b method=qlora");
  // (6.738e9 − 2 × 0.131e9) × 4.127 ÷ 8 + 2 × 0.131e9 × 4 bytes, and fp32 adapters
  const double quantised = (kLlama - 2 * kLlamaTable) * 4.127 / 8;
  CHECK(memory(work).weights.raw() == Approx(quantised + 8 * kLlamaTable + 4 * 39976960.0).epsilon(1e-4));
}

TEST_CASE("QLoRA holds one widened matrix for each pass, a rank's part of it") {
  const Job work = job("task=finetune model=llama-7b method=qlora");
  Layout plan = test::data_parallel(1);
  const auto workspace = [&](int tp) {
    plan.tp = tp;
    return training_memory(work, test::machine("h100-sxm-80gb", tp), plan, test::coefficients()).workspace.raw();
  };
  const auto plain = [&](int tp) {
    plan.tp = tp;
    const Job lora = job("task=finetune model=llama-7b method=lora");
    return training_memory(lora, test::machine("h100-sxm-80gb", tp), plan, test::coefficients()).workspace.raw();
  };
  // 4096 × 11008, 2 bytes, twice, and what the allocator keeps beside it
  const double widened = 4.0 * 4096 * 11008 * (1 + test::coefficients().allocator_slack.of("hf-trainer"));
  CHECK(workspace(1) - plain(1) == near(widened));
  CHECK(workspace(2) - plain(2) == near(widened / 2));
}

TEST_CASE("a checkpoint of a network is its weights and states in fp32") {
  const auto size = checkpoint_size(job("task=pretrain model=resnet-50 optimizer=adamw"), job::Precision::bf16);
  CHECK(size->raw() == near(*test::model("resnet-50").params_b * 1e9 * 12));
}

TEST_CASE("the better the adapter method the less its states take") {
  const double full = states(memory(job("task=finetune model=llama-7b")));
  const double lora = states(memory(job("task=finetune model=llama-7b method=lora")));
  const double qlora = states(memory(job("task=finetune model=llama-7b method=qlora")));
  const double prompt = states(memory(job("task=finetune model=llama-7b method=ptuning")));
  CHECK(qlora < lora);
  CHECK(lora < full / 6);  // 2 bytes and adapters against 16
  CHECK(prompt < lora);
}

TEST_CASE("prompt tuning trains one row per virtual token") {
  CHECK(trainable_parameters(job("task=finetune model=llama-7b method=ptuning virtual_tokens=20")) == 20.0 * 4096);
}

TEST_CASE("attention that is not fused keeps its scores") {
  const Job work = job("task=finetune model=gpt2 seq_len=1024");
  Layout plan;
  plan.flash_attention = false;
  // 12 layers × 1024 tokens × (32 × 768 + 5 × 12 heads × 1024): 34h less two dropout masks of h
  CHECK(memory(work, plan).activations.raw() == near(12.0 * 1024 * (32 * 768 + 5 * 12 * 1024)));
  plan.flash_attention = true;
  CHECK(memory(work, plan).activations.raw() == near(12.0 * 1024 * 32 * 768));
}

TEST_CASE("activations of a gated model follow its widths") {
  // Megatron's kernels keep no fp32 copies and compute the activation anew: 12h + 4kv + 6f per token and layer.
  const Job work = job("task=finetune model=llama-3.1-8b framework=megatron seq_len=2048");
  const double token = 12.0 * 4096 + 4 * 1024 + 6 * 14336;
  CHECK(memory(work).activations.raw() == near(32 * 2048 * token));
}

TEST_CASE("full checkpointing keeps layer inputs and one layer and selective some") {
  const Job work = job("task=finetune model=llama-7b seq_len=2048 framework=megatron");
  Layout plan;
  const double none = memory(work, plan).activations.raw();
  plan.checkpointing = Checkpointing::selective;
  const double selective = memory(work, plan).activations.raw();
  plan.checkpointing = Checkpointing::full;
  const double full = memory(work, plan).activations.raw();
  const double inputs = 32.0 * 2048 * 2 * 4096;  // 2 bytes × hidden × tokens × layers
  CHECK(full >= inputs);
  CHECK(full <= inputs + none / 32);
  CHECK(selective > full);
  CHECK(selective < none);
}

TEST_CASE("a large vocabulary costs its logits once per token") {
  const Job work = job("task=finetune model=gemma-2b seq_len=4096");
  const auto& c = test::coefficients();
  const MemoryBreakdown m = memory(work);
  // 4096 tokens × 256,000 words × 14 bytes = 13.67 GiB beside the activations, whose room gradients take over
  const double logits = 4096.0 * 256000 * c.logits_bytes.value;
  const double slack = c.allocator_slack.value;
  const double peak = m.activations.raw() + logits;
  CHECK(m.workspace.raw() == near(logits - m.gradients.raw() + peak * slack));
  const Job fused = job("task=finetune model=gemma-2b seq_len=4096 framework=unsloth");
  CHECK(memory(fused).workspace < m.workspace * 0.5);
}

TEST_CASE("activations make room for gradients unless these stand before the backward pass") {
  const std::string words = "task=finetune model=llama-7b recipe=pure seq_len=2048 micro_batch=4 framework=hf-trainer";
  const double gradients = 2 * kLlama;
  Layout plan;
  plan.micro_batch = 4;
  const double once = memory(job(words), plan).total().raw();
  plan.grad_accum = 2;  // the first micro-batch's are there during the second
  CHECK(memory(job(words), plan).total().raw() == near(once + gradients));  // they stay: the allocator keeps no more

  // DDP copies gradients into buckets that stay
  const Bytes collectives = gib(test::coefficients().collectives_gib.of("training", "eager"));
  Layout ddp = data_parallel(8, Sharding::ddp);
  ddp.micro_batch = 4;
  CHECK(memory(job(words), ddp).total().raw() == near(once + gradients + collectives.raw()));
}

TEST_CASE("a step taken in the backward pass keeps no gradients") {
  const std::string words = "task=finetune model=llama-7b recipe=pure seq_len=512 optimizer=adamw8bit";
  CHECK(memory(job(words + " optimizer_in_backward=true")).gradients.raw() == 0);
  CHECK(memory(job(words)).gradients.raw() == near(2 * kLlama));
  Layout accumulating;
  accumulating.grad_accum = 4;
  CHECK(memory(job(words + " optimizer_in_backward=true"), accumulating).gradients.raw() == near(2 * kLlama));
}

TEST_CASE("batches of unequal lengths leave holes in the allocator's memory") {
  const std::string words = "task=finetune model=llama-7b method=lora seq_len=4096";
  const Bytes unknown = memory(job(words)).total();
  CHECK(memory(job(words + " variable_lengths=true")).total() > unknown);
  CHECK(memory(job(words + " variable_lengths=false")).total() < unknown);
}

TEST_CASE("fp32 doubles what an encoder keeps but not its masks") {
  // BERT large: h 1024, f 4096, 16 heads, 24 layers, s 384; per token and layer
  // values 16·1024 + 4·4096 = 32,768 B and scores 4·16·384 = 24,576 B; masks 2·1024 and 16·384 B
  const auto kept = [](job::Precision precision) {
    Layout plan;
    plan.precision = precision;
    plan.micro_batch = 16;
    plan.grad_accum = 2;
    plan.flash_attention = false;
    return memory(job("task=finetune model=bert-large seq_len=384"), plan).activations.raw() / (16 * 384 * 24);
  };
  CHECK(kept(job::Precision::fp16) == near(32768 + 24576 + 2048 + 6144));
  CHECK(kept(job::Precision::fp32) == near(2 * (32768 + 24576) + 2048 + 6144));
}

TEST_CASE("unfused layers keep fp32 inputs of norms, and values that they normalized") {
  // Llama 3.2 3B: h 3072, 24 heads of 128 with 8 of keys, f 8192; per token and layer
  // fused 12·3072 + 4·1024 + 6·8192 = 90,112; unfused 20·3072 + 4·1024 + 8·8192 = 131,072
  const auto kept = [](const std::string& framework) {
    Layout plan;
    plan.micro_batch = 4;
    plan.grad_accum = 2;
    return memory(job("task=finetune model=llama-3.2-3b seq_len=4096 recipe=pure framework=" + framework), plan)
        .activations.raw();
  };
  CHECK(kept("unsloth") == near(90112.0 * 4 * 4096 * 28));
  CHECK(kept("hf-trainer") == near(131072.0 * 4 * 4096 * 28));
}

TEST_CASE("states kept in host memory leave the GPU") {
  const MemoryBreakdown m = memory(job("task=finetune model=llama-7b offload=optimizer"));
  CHECK(m.optimizer.raw() == 0);
  CHECK(m.weights.raw() == near(2 * kLlama));
  CHECK(memory(job("task=finetune model=llama-7b offload=params")).weights.raw() < 2 * kLlama / 8);
}

TEST_CASE("several GPUs add the communication library to the context") {
  const Job work = job("task=finetune model=llama-7b");
  const auto& c = test::coefficients();
  const double context = c.context_gib.of("training");
  CHECK(in_gib(memory(work).framework) == Approx(context));
  CHECK(in_gib(memory(work, data_parallel(8)).framework) ==
        Approx(context + c.collectives_gib.of("training", "eager")));
  const Job megatron = job("task=finetune model=llama-7b framework=megatron");
  CHECK(in_gib(memory(megatron, data_parallel(8)).framework) ==
        Approx(context + c.collectives_gib.of("training megatron")));
  CHECK(in_gib(memory(megatron).framework) == Approx(context));
}

TEST_CASE("FlashAttention starts with Ampere and CDNA2") {
  CHECK(has_flash_attention(test::gpu("a100-sxm-80gb")));
  CHECK(has_flash_attention(test::gpu("l4")));
  CHECK(has_flash_attention(test::gpu("mi300x-192gb")));
  CHECK_FALSE(has_flash_attention(test::gpu("v100-sxm2-16gb")));
  CHECK_FALSE(has_flash_attention(test::gpu("t4")));
  CHECK_FALSE(has_flash_attention(test::gpu("mi100-32gb")));
}

TEST_CASE("the states of a whole job are those of one unsharded GPU") {
  const Job work = job("task=finetune model=llama-7b");
  CHECK(training_states(work, job::Precision::bf16).raw() == near(16 * kLlama));
}

}  // namespace training_memory_test
