// Training worked by hand: dimensions of models and parts as their makers publish them, the formulas of docs/method.md,
// and plain arithmetic. No fitted number takes part (support/ideal.hpp).
//
// LLaMA 7B: 32 layers, width 4096, 32 heads of 128, FFN 11008 with a gate, 32,000 words, head of its own:
// 2 · 131,072,000 + 6,476,271,616 = 6,738,415,616 parameters. A100 80 GB SXM: 312 TFLOPS in 16 bit, 2039 GB/s, 300 GB/s
// of NVLink each way, PCIe 4. The products of training are taken at half of the peak, 156 TFLOPS.
#include <catch2/catch.hpp>

#include <cmath>

#include "physics/checkpoint.hpp"
#include "physics/kinds/physics.hpp"
#include "support/ideal.hpp"
#include "support/training.hpp"

namespace training_by_hand_test {

using namespace gpusel;
using namespace gpusel::physics;
using job::Checkpointing;
using job::Precision;
using job::Sharding;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-6); }

job::Job llama(const std::string& words = {}) {
  return test::job("task=finetune model=llama-7b framework=megatron seq_len=2048" + words);
}

Layout layout(int dp, int tp = 1, int pp = 1, Sharding sharding = Sharding::ddp) {
  Layout plan = test::data_parallel(dp, sharding);
  plan.tp = tp;
  plan.pp = pp;
  return plan;
}

MemoryBreakdown held(const job::Job& work, const Layout& plan = {}) {
  return training_memory(work, test::machine("a100-sxm-80gb", plan.tp * plan.pp * plan.cp * plan.dp), plan,
                         test::ideal());
}

/// Bytes beside weights and states when the forward pass of eight sequences ends, which hold more than gradients.
double live_at_peak(const job::Job& work, const Coefficients& c) {
  Layout plan;
  plan.micro_batch = 8;
  const MemoryBreakdown memory = training_memory(work, test::machine("h200"), plan, c);
  return (memory.gradients + memory.activations + memory.workspace).raw();
}

TrainingSpeed timed(const job::Job& work, const Layout& plan, const Machine& machine) {
  return training_speed(work, machine, plan, test::ideal()).value();
}
TrainingSpeed timed(const job::Job& work, const Layout& plan = {}) {
  return timed(work, plan, test::machine("a100-sxm-80gb", plan.tp * plan.pp * plan.cp * plan.dp));
}

}  // namespace

TEST_CASE("by hand: where the parameters of LLaMA 7B and Mixtral 8x7B are") {
  // 32 · (4 · 4096² of attention + 3 · 4096 · 11008 of FFN + 2 · 4096 of norms) + 4096
  CHECK(llama().parameters.body == near(6'476'271'616));
  CHECK(llama().parameters.embedding == near(131'072'000));  // 32,000 · 4096
  const auto& mixtral = test::job("task=finetune model=mixtral-8x7b").parameters;
  CHECK(mixtral.experts == near(45'097'156'608));  // 32 layers · 8 experts · 3 · 4096 · 14336
  // 46,702,792,704 less the six of eight experts that a token does not visit: "12.9B active"
  CHECK(mixtral.total() - mixtral.experts * (1 - mixtral.routed_share) == near(12'879'925'248));
}

TEST_CASE("by hand: mixed precision with AdamW takes 2 + 2 + 12 bytes per parameter, and others theirs") {
  const MemoryBreakdown adamw = held(test::job("task=finetune model=llama-7b seq_len=2048"));
  CHECK(adamw.weights.raw() == near(13'476'831'232));                             // 2 · 6,738,415,616
  CHECK(adamw.gradients.raw() == near(13'476'831'232));                           // 2
  CHECK(adamw.optimizer.raw() == near(80'860'987'392));                           // master copy 4, two moments of 4
  CHECK(held(llama()).gradients.raw() == near(26'953'662'464));                   // Megatron sums gradients in fp32: 4
  CHECK(held(llama(" optimizer=lion")).optimizer.raw() == near(53'907'324'928));  // 4 + one of 4
  CHECK(held(llama(" recipe=pure")).optimizer.raw() == near(26'953'662'464));     // two of 2, no master copy
  CHECK(held(llama(" optimizer=adafactor")).optimizer.raw() == near(27'088'430'776.32));  // 4 + 0.02
  // Paged states lie in host memory until they are asked for.
  CHECK(held(llama(" recipe=pure optimizer=paged_adamw8bit")).optimizer.raw() == 0);
}

TEST_CASE("by hand: ZeRO divides by the ranks what its stage is about") {
  const auto ranks = [](Sharding sharding) { return held(llama(), layout(8, 1, 1, sharding)); };
  CHECK(ranks(Sharding::ddp).optimizer.raw() == near(80'860'987'392));
  CHECK(ranks(Sharding::zero1).optimizer.raw() == near(10'107'623'424));  // ÷ 8
  CHECK(ranks(Sharding::zero1).gradients.raw() == near(26'953'662'464));
  CHECK(ranks(Sharding::zero2).gradients.raw() == near(3'369'207'808));
  CHECK(ranks(Sharding::zero2).weights.raw() == near(13'476'831'232));
  CHECK(ranks(Sharding::zero3).weights.raw() == near(1'684'603'904));
  // Hybrid sharding stays in the node of 8, of which tensor ranks leave 4.
  CHECK(held(llama(), layout(16, 1, 1, Sharding::hsdp)).weights.raw() == near(1'684'603'904));
  CHECK(held(llama(), layout(8, 2, 1, Sharding::hsdp)).weights.raw() == near(1'684'603'904));
  // Tensor ranks divide everything, and stages their layers: the first has the embedding, 8 of 32 layers and all heads.
  CHECK(held(llama(), layout(1, 8)).optimizer.raw() == near(10'107'623'424));
  CHECK(held(llama(), layout(1, 1, 4)).weights.raw() == near(2 * (6'476'271'616.0 / 4 + 131'072'000)));
}

TEST_CASE("by hand: what adapters train") {
  const auto trained = [](const std::string& words) { return trainable_parameters(llama(words)); };
  // Rank 16 on 32 layers: 16 · (four of 4096 + 4096, three of 4096 + 11008)
  CHECK(trained(" method=lora lora_rank=16") == near(39'976'960));
  CHECK(trained(" method=lora lora_rank=8 lora_targets=q,v") == near(4'194'304));  // the paper's: 32 · 8 · 2 · 8192
  CHECK(trained(" method=prefix virtual_tokens=20") == near(5'242'880));           // 20 · 32 layers · K and V of 4096
  CHECK(trained(" method=ptuning virtual_tokens=20") == near(81'920));             // 20 · 4096
  // QLoRA: the body in 4.127 bits, embedding and head in 16, adapters in 32.
  const MemoryBreakdown qlora = held(test::job("task=finetune model=llama-7b method=qlora lora_rank=16 seq_len=2048"));
  CHECK(qlora.weights.raw() == near(3'340'946'619.904 + 524'288'000 + 159'907'840));
  CHECK(qlora.optimizer.raw() == near(8 * 39'976'960.0));
}

TEST_CASE("by hand: activations of a layer, with and without checkpointing") {
  // Of a token and layer: 8 · 4096 between products; 2 · 32 · 256 twice for queries, output, keys, values; 8 · 11008.
  CHECK(held(llama()).activations.raw() == near(153'600.0 * 2048 * 32));  // 9.375 GiB
  Layout plan;
  plan.checkpointing = Checkpointing::full;  // the input of each layer, and one layer whole
  CHECK(held(llama(), plan).activations.raw() == near(2.0 * 4096 * 2048 * 32 + 153'600.0 * 2048));
  plan.checkpointing = Checkpointing::none;
  plan.flash_attention = false;  // softmax, dropout and a mask of every score: 5 · 32 heads · 2048 keys
  CHECK(held(llama(), plan).activations.raw() == near((153'600.0 + 327'680) * 2048 * 32));
  // Tensor ranks share all of it, or without sequence parallelism hold the 8 · 4096 whole.
  CHECK(held(llama(), layout(1, 8)).activations.raw() == near(19'200.0 * 2048 * 32));
  CHECK(held(llama(" sequence_parallel=false"), layout(1, 8)).activations.raw() ==
        near((32'768 + 120'832.0 / 8) * 2048 * 32));
  // GPT-3: 8 · h between, 4 · h and 4 · h within attention, 4 · 4h of a plain FFN.
  CHECK(held(test::job("task=pretrain model=gpt3-175b framework=megatron seq_len=2048")).activations.raw() ==
        near(32.0 * 12288 * 2048 * 96));
  // Mixtral: 8 K/V heads, two experts of 14336 columns for each token, and 4 · 2 · 4096 to send and fetch it.
  CHECK(held(test::job("task=finetune model=mixtral-8x7b framework=megatron seq_len=2048")).activations.raw() ==
        near((32'768.0 + 16'384 + 4'096 + 229'376 + 32'768) * 2048 * 32));
}

// Peaks of PyTorch's own counter in runs of tools/measure-training on an H200 (data/measurements/training-h200.csv),
// less weights and states, over tokens and layers; 12 bytes of each logit are not of a layer.
TEST_CASE("by hand: what Hugging Face's layers keep of a token is what was measured") {
  struct Run {
    std::string words;
    double per_layer;  // bytes per token
    double measured;
  };
  // Of hidden width h, queries and outputs q, keys and values k, FFN columns f. Autocast: norms 2 · (4 + 4)h, inputs
  // 5 · 2h, 4q + 4k, 8f. Pure: norms 2 · (4 + 2)h, inputs 2 · 2h. LoRA: norms 2 · 4h, 2h for each adapted matrix.
  const Run runs[] = {
      {"llama-3.2-1b", 26.0 * 2048 + 4 * (2048 + 512) + 8 * 8192, 130'500},
      {"llama-3.2-1b recipe=pure", 16.0 * 2048 + 4 * (2048 + 512) + 8 * 8192, 109'700},
      {"qwen2.5-1.5b", 26.0 * 1536 + 4 * (1536 + 256) + 8 * 8960, 119'300},
      {"qwen3-4b", 26.0 * 2560 + 4 * (4096 + 1024) + 6 * (4096 + 1024) + 8 * 9728, 196'700},
      {"llama-3.1-8b method=lora", 18.0 * 4096 + 6 * 4096 + 4 * 1024 + 8 * 14336, 217'800},
      {"llama-3.1-8b method=lora lora_targets=attention", 14.0 * 4096 + 6 * 4096 + 4 * 1024 + 6 * 14336, 172'400},
      {"llama-3.1-8b method=lora lora_targets=q,v", 12.0 * 4096 + 4 * 4096 + 4 * 1024 + 6 * 14336, 155'900},
      {"qwen2.5-1.5b method=lora", 18.0 * 1536 + 6 * 1536 + 4 * 256 + 8 * 8960, 110'000},
      {"qwen3-4b method=lora", 18.0 * 2560 + 6 * 4096 + 4 * 1024 + 4 * (4096 + 1024) + 8 * 9728, 173'800},
      {"olmo-2-7b method=lora", 18.0 * 4096 + 10 * 4096 + 4 * 8192 + 8 * 11008, 237'000},
      {"gemma-3-4b method=lora", 26.0 * 2560 + 6 * 2048 + 4 * 1024 + 4 * (2048 + 1024) + 8 * 10240, 178'000},
      // Two sequences; eight experts of 768 columns, whose outputs stay.
      {"qwen3-30b-a3b method=lora lora_targets=attention",
       14.0 * 2048 + 6 * 4096 + 4 * 512 + 4 * (4096 + 512) + 8 * 6 * 768 + 8 * 2 * 2048, 144'400},
  };
  Coefficients c = test::ideal();
  c.gated_bytes = {8, {}};
  for (const Run& run : runs) {
    CAPTURE(run.words);
    const auto work = test::job("task=finetune framework=hf-trainer seq_len=2048 model=" + run.words);
    const double per_layer = live_at_peak(work, c) / (8 * 2048) / *work.model->layers;
    CHECK(per_layer == near(run.per_layer));
    CHECK(per_layer == Approx(run.measured).epsilon(0.02));
  }
}

TEST_CASE("by hand: adapted experts are merged in every layer that is not recomputed") {
  const auto live = [](const std::string& targets) {
    const auto work = test::job(
        "task=finetune framework=hf-trainer method=lora seq_len=2048 model=qwen3-30b-a3b lora_targets=" + targets);
    return live_at_peak(work, test::ideal());
  };
  // 128 · 3 · 2048 · 768 parameters of 2 bytes. What is routed to experts that learn, and their products, stay too.
  const double merged = 2.0 * 128 * 3 * 2048 * 768;
  const double routed = 8.0 * 2048 * 8 * (2 * 2048 + 2 * 768);
  CHECK(live("attention,experts,gate,up,down") - live("attention") == near(48 * (merged + routed)));
}

TEST_CASE("by hand: the first stage keeps as many sets as stages follow it, and gathered layers are whole") {
  Layout stages = layout(1, 1, 4);
  stages.grad_accum = 8;
  CHECK(held(llama(), stages).activations.raw() == near(4 * 153'600.0 * 2048 * 8));  // 8 layers, 4 in flight
  stages.grad_accum = 2;
  CHECK(held(llama(), stages).activations.raw() == near(2 * 153'600.0 * 2048 * 8));
  // Two layers of 202,383,488 parameters in 16 bit are more than embedding and head together.
  const MemoryBreakdown sharded = held(llama(" framework=fsdp"), layout(8, 1, 1, Sharding::zero3));
  CHECK((sharded.gradients + sharded.activations + sharded.workspace).raw() ==
        near(153'600.0 * 2048 * 32 + 2 * 2 * 202'383'488.0));
}

TEST_CASE("by hand: a step is 6 FLOP per parameter and token, attention's 3.5 forward passes and 30 bytes of update") {
  const TrainingSpeed one = timed(llama());
  // 6 · (6,476,271,616 + 131,072,000) · 2048 ÷ 156e12
  const double products = 520.4552;
  // 4 · 4096 · 1024 keys on average · 32 layers · 2048 = 1.0995e12 FLOP, 3.5 times, ÷ 156e12
  const double attention = 24.6683;
  const double update = 99.1429;  // 30 · 6,738,415,616 ÷ 2039e9
  CHECK(in_ms(one.step) == Approx(products + attention + update).epsilon(1e-5));
  CHECK(one.tokens_per_s == Approx(2048 / 0.6442664).epsilon(1e-5));
  CHECK(one.mfu == Approx((81.19104 + 3 * 1.0995116) / 0.6442664 / 312).epsilon(1e-5));  // TFLOP that are of use
  Layout recomputed;
  recomputed.checkpointing = Checkpointing::full;  // every forward pass twice
  CHECK(in_ms(timed(llama(), recomputed).step) ==
        Approx(products * 4 / 3 + attention * 4.5 / 3.5 + update).epsilon(1e-5));
  // No gradients of frozen weights: 4 FLOP. 30 · 39,976,960 bytes of update.
  CHECK(in_ms(timed(llama(" method=lora lora_rank=16")).step) ==
        Approx(products * 2 / 3 + attention + 0.588193).epsilon(1e-5));
  // Half of what a square of scores takes is masked away: 3 forward passes of all of them, products' share of the peak.
  Layout unfused;
  unfused.flash_attention = false;
  CHECK(in_ms(timed(llama(), unfused).step) == Approx(products + attention * 2 * 3 / 3.5 + update).epsilon(1e-5));
}

TEST_CASE("by hand: gradients and weights go around a ring") {
  // Twice 7/8 of 13,476,831,232 bytes at 300 GB/s
  CHECK(in_ms(timed(llama(), layout(8)).budget.communication) == Approx(78.61485).epsilon(1e-5));
  // ZeRO-3: weights forward and backward, gradients once: 3 · 7/8
  CHECK(in_ms(timed(llama(), layout(8, 1, 1, Sharding::zero3)).budget.communication) ==
        Approx(117.92227).epsilon(1e-5));
  // ZeRO-2 with 4 micro-batches: a reduction each and one gathering, 5 · 7/8
  Layout zero2 = layout(8, 1, 1, Sharding::zero2);
  zero2.grad_accum = 4;
  CHECK(in_ms(timed(llama(), zero2).budget.communication) == Approx(196.53712).epsilon(1e-5));
  // Across two nodes of 400 GB/s: each of 8 tensor ranks has a ring of its own and an eighth of the network,
  // 2 · 1/2 · 13,476,831,232 ÷ 8 bytes at 50 GB/s; the all-reduces of its layers, below, come on top.
  const Machine nodes = test::machine("a100-sxm-80gb", 16);
  CHECK(in_ms(timed(llama(), layout(2, 8), nodes).budget.communication) == Approx(33.692078 + 12.526988).epsilon(1e-5));
}

TEST_CASE("by hand: tensor, expert and context ranks talk in every layer") {
  // 4 all-reduces in each of 32 layers, 2 · 7/8 of 2 · 4096 · 2048 bytes at 300 GB/s
  CHECK(in_ms(timed(llama(), layout(1, 8)).budget.communication) == Approx(12.526988).epsilon(1e-5));
  Layout recomputed = layout(1, 8);
  recomputed.checkpointing = Checkpointing::full;  // 6
  CHECK(in_ms(timed(llama(), recomputed).budget.communication) == Approx(18.790482).epsilon(1e-5));
  // Dispatch and combine, there and back: 4 · 32 times 7/8 of two copies of 2 · 4096 · 2048 bytes
  Layout experts = layout(8, 1, 1, Sharding::zero1);
  experts.ep = 8;
  const auto mixtral = test::job("task=finetune model=mixtral-8x7b framework=megatron seq_len=2048");
  // ... beside gradients: all but 7/8 of the experts, 7,242,780,672 parameters, twice 7/8 of their 2 bytes
  CHECK(in_ms(timed(mixtral, experts).budget.communication) == Approx(12.526988 + 84.499108).epsilon(1e-5));
  // With room for twice the tokens twice as much is sent; two tensor ranks share the tokens.
  Layout shared = experts;
  const auto roomy = test::job("task=finetune model=mixtral-8x7b framework=megatron seq_len=2048 capacity_factor=2");
  for (const int tp : {1, 2}) {
    shared.tp = tp;
    shared.dp = 8 / tp;
    const double more = in_ms(timed(roomy, shared).budget.communication - timed(mixtral, shared).budget.communication);
    CHECK(more == Approx(12.526988 / tp).epsilon(1e-5));
  }
  // K and V of 2 · 8 · 128 values go to the one other rank three times in 32 layers, 2 bytes for 4096 tokens each;
  // gradients of 8,030,261,248 parameters once there and back.
  Layout context;
  context.cp = 2;
  const auto llama3 = test::job("task=finetune model=llama-3.1-8b framework=megatron seq_len=8192");
  CHECK(in_ms(timed(llama3, context).budget.communication) == Approx(5.3687091 + 53.535075).epsilon(1e-5));
}

TEST_CASE("by hand: stages wait (p − 1) ÷ a of a step, and less in chunks") {
  Layout stages = layout(1, 1, 4);
  stages.grad_accum = 8;
  const TrainingSpeed plain = timed(llama(), stages);
  // A fourth of the layers takes (520.4552 · 6,607,343,616 ÷ 6,607,343,616 + 24.6683) ÷ 4 = 136.28088 ms, and
  // what goes to the next stage and back 2 · 2 · 4096 · 2048 bytes at 300 GB/s = 0.11184811 ms.
  CHECK(in_ms(plain.budget.bubble) == Approx(3 * (136.28088 + 0.11184811)).epsilon(1e-5));
  const TrainingSpeed chunks = timed(llama(" virtual_pipeline=2"), stages);
  CHECK(in_ms(chunks.budget.bubble) == Approx(1.5 * (136.28088 + 0.22369621)).epsilon(1e-5));
}

TEST_CASE("by hand: of an encoder-decoder's tokens each half sees its own, and no step is faster than its products") {
  auto work = test::job("task=pretrain model=t5-base seq_len=512 target_len=128 tokens=1e9");
  catalog::Model model = *work.model;
  work.model = &model;
  model.decoder_layers = 6;
  work.parameters.layers = 24;
  work.parameters.body = 1e9;
  work.parameters.experts = 0;
  // (18 · 512 + 6 · 128) ÷ (24 · 640) = 0.65 of the tokens; 6 FLOP for each and parameter, at 2 · 312 TFLOPS
  CHECK(least_time(work, test::machine("a100-sxm-80gb", 2)).raw() == near(6 * 1e9 * 0.65e9 / 624e12));
  model.decoder_layers = catalog::Number{};  // half of them
  CHECK(least_time(work, test::machine("a100-sxm-80gb", 2)).raw() == near(6 * 1e9 * 0.5e9 / 624e12));
}

TEST_CASE("by hand: what a run reads to go on is its checkpoint, and with adapters the frozen model beside it") {
  Plan plan;
  plan.layout.precision = Precision::bf16;
  const Machine two = test::machine("a100-sxm-80gb", 16);
  const auto read = [&](const std::string& words) {
    const job::Job work = llama(words);
    const Bytes checkpoint = checkpoint_size(work, Precision::bf16).value();
    CHECK(checkpoint > Bytes{});
    const Loaded loaded = physics_of(work).loaded(work, two, plan);
    CHECK(loaded.processes == 8);
    return (loaded.weights * 2 - checkpoint).raw();  // each of two nodes reads half
  };
  CHECK(read("") == Approx(0).margin(1));
  CHECK(read(" method=lora lora_rank=16") == near(13'476'831'232));
}

TEST_CASE("the speed of a mixture of experts is less sure, by as much as is measured of them") {
  const auto width = [](const std::string& words, const Coefficients& c) {
    const job::Job work = test::job("task=finetune method=full framework=megatron model=" + words);
    const Interval of = physics_of(work).ratios(work, test::machine("h100-sxm-80gb", 8), {}, c).rate;
    return std::log(of.high / of.low);
  };
  Coefficients c = test::coefficients();
  const double dense = width("llama-7b", c);
  CHECK(width("mixtral-8x7b", c) == near(dense * c.interval_widening.of("training", "experts")));
  c.interval_widening = {2, {}};
  CHECK(width("mixtral-8x7b", c) == near(2 * dense));
  CHECK(width("llama-7b", c) == near(dense));
}

TEST_CASE("by hand: offloaded weights cross PCIe twice, and Muon makes matrices orthogonal") {
  // 16 GT/s · 16 lanes · 128/130 ÷ 8 = 31.507692 GB/s
  CHECK(pcie_bandwidth(test::gpu("a100-sxm-80gb")).raw() == near(31.50769231e9));
  const auto offloaded = test::job("task=finetune model=llama-7b method=lora seq_len=2048 offload=params");
  // 2 · 2 bytes · 6,738,415,616; the step of 39,976,960 adapters is the host's: 4 bytes there and back, 30 at 100 GB/s
  CHECK(in_ms(timed(offloaded).budget.host) == Approx(855.46299 + 5.0752284 + 11.993088).epsilon(1e-5));
  // 5 · (4 · 4096 + 2 · 4096² ÷ 11008) FLOP per parameter of a matrix, 6,476,271,616 of them, ÷ 156e12
  const double with = timed(llama(" optimizer=muon")).budget.compute.raw();
  CHECK(1e3 * (with - timed(llama()).budget.compute.raw()) == Approx(4033.5934).epsilon(1e-5));
}

TEST_CASE("by hand: what each fitted number adds to a step") {
  struct Term {
    Coefficient Coefficients::* of;
    double value;
    double ms;
    std::string words = " framework=megatron";
    Layout plan = {};
    std::string model = "llama-7b";
  };
  const double products = 520.45517, attention = 24.668289;  // as above
  Layout unfused;
  unfused.flash_attention = false;
  Layout selective;
  selective.checkpointing = Checkpointing::selective;
  const std::string lora = " method=lora lora_rank=16";
  const Term terms[] = {
      {&Coefficients::gemm_tokens_half, 2048, products},  // 2048 rows reach half
      {&Coefficients::gemm_width_half, 4096, products},
      {&Coefficients::eager_efficiency, 0.5, products + attention, " framework=fsdp"},
      {&Coefficients::attention_efficiency, 0.25, attention},
      {&Coefficients::bandwidth_efficiency, 0.5, 99.142947},  // the update reads and writes
      {&Coefficients::pointwise_bytes, 100, 39.495216},       // 3 · 100 · 4096 · 2048 · 32 ÷ 2039e9
      {&Coefficients::pointwise_bytes, 100, 46.077752, " framework=megatron", selective},  // 3.5 times
      {&Coefficients::logit_traffic, 100, 3.2141246},                                      // 100 · 32,000 · 2048
      {&Coefficients::adapter_bytes, 100, 39.495216, lora},
      {&Coefficients::dequantise_bytes, 10, 63.524, " method=qlora"},               // 2 · 10 · 6,476,271,616
      {&Coefficients::score_bytes, 10, 63.192346, " framework=megatron", unfused},  // 3 · 10 · 32 · 2048 · 2048 · 32
      {&Coefficients::expert_bytes, 100, 78.990433, " framework=megatron", {}, "mixtral-8x7b"},  // two copies
      {&Coefficients::expert_bytes,
       100,
       2 * 78.990433,
       " framework=megatron",
       {.precision = Precision::tf32},
       "mixtral-8x7b"},
      {&Coefficients::training_layer_us, 1e5, 9600 - products - attention},  // 3 · 32 layers, all else is hidden
      {&Coefficients::adapter_layer_us, 1e5, 9600 - products * 2 / 3 - attention, lora},
      {&Coefficients::step_ms, 5, 5},
      {&Coefficients::link_latency_us, 1000, 128, " framework=megatron", layout(1, 8)},  // 4 · 32 all-reduces
      {&Coefficients::link_latency_us, 1000, 10, " framework=fsdp", layout(8)},          // 5, there and back
      {&Coefficients::link_latency_us, 1000, 96, " framework=fsdp", layout(8, 1, 1, Sharding::zero3)},  // 3 · 32
      {&Coefficients::tensor_exposed, 0.5, -12.526988 / 2, " framework=megatron", layout(1, 8)},
      {&Coefficients::link_efficiency, 0.5, 78.614849, " framework=fsdp", layout(8)},
      // A tenth of the backward pass, two thirds of 545.12346 ms, hides gradients; of ZeRO-3's gathering, of all of it.
      {&Coefficients::gradient_overlap, 0.1, -36.341564, " framework=fsdp", layout(8)},
      {&Coefficients::gradient_overlap, 0.1, -54.512346, " framework=fsdp", layout(8, 1, 1, Sharding::zero3)},
      {&Coefficients::network_latency_us, 1000, 10, " framework=fsdp", layout(16)},
      {&Coefficients::network_efficiency, 0.25, 168.46039, " framework=fsdp", layout(16)},  // 100 instead of 300 GB/s
      {&Coefficients::straggler, 0.1, 0.1 * (545.12346 + 84.230195 + 99.142947), " framework=fsdp", layout(16)},
      {&Coefficients::host_memory_gbs, 50, 11.993088, lora + " offload=optimizer"},  // 30 · 39,976,960 at half of 100
      {&Coefficients::format_efficiency, 0.5, 2 * products, " framework=megatron", {.precision = Precision::tf32}},
  };
  for (const Term& term : terms) {
    CAPTURE(&term - terms, term.words);
    const auto work = test::job("task=finetune seq_len=2048 model=" + term.model + term.words);
    const Machine machine = test::machine("a100-sxm-80gb", term.plan.tp * term.plan.dp);
    Coefficients c = test::ideal();
    const double before = in_ms(training_speed(work, machine, term.plan, c)->step);
    c.*term.of = {term.value, {}};
    CHECK(in_ms(training_speed(work, machine, term.plan, c)->step) - before == Approx(term.ms).epsilon(1e-4));
  }
}

TEST_CASE("by hand: what each fitted number adds to the memory of a GPU") {
  struct Term {
    Coefficient Coefficients::* of;
    double value;
    double bytes;
    std::string words = " framework=megatron";
    Layout plan = {};
  };
  Layout some;
  some.checkpointing = Checkpointing::selective;
  const double set = 153'600.0 * 2048 * 32;  // as above
  const Term terms[] = {
      {&Coefficients::context_gib, 0.5, 536'870'912},
      {&Coefficients::collectives_gib, 0.5, 536'870'912, " framework=megatron", layout(8)},
      {&Coefficients::collectives_gib, 0.5, 0},
      // Activations are gone when the optimizer steps; as wide as its states.
      {&Coefficients::step_bytes, 4, 4 * 6'738'415'616.0 - set},
      {&Coefficients::step_bytes, 4, 2 * 6'738'415'616.0 - set, " framework=megatron recipe=pure"},
      {&Coefficients::allocator_slack, 0.1, 0.1 * set},  // of what comes and goes
      {&Coefficients::gated_bytes, 6, -2.0 * 11008 * 2048 * 32},
      {&Coefficients::logits_bytes, 12, 12.0 * 2048 * 32'000},
      {&Coefficients::selective_share, 0.25, -0.25 * set, " framework=megatron", some},
      {&Coefficients::unquantised_bytes, 4, 2 * 262'144'000.0, " method=qlora"},
      // ZeRO-2 without Megatron: two buckets of 16 bit instead of two of 500 million.
      {&Coefficients::reduce_bucket_elements, 1e8, -4 * 4e8, " framework=deepspeed", layout(8, 1, 1, Sharding::zero2)},
      {&Coefficients::gathered_layers, 4, 2 * 2 * 202'383'488.0, " framework=fsdp", layout(8, 1, 1, Sharding::zero3)},
  };
  for (const Term& term : terms) {
    CAPTURE(&term - terms, term.words);
    const auto work = test::job("task=finetune seq_len=2048 model=llama-7b" + term.words);
    Machine machine = test::machine("a100-sxm-80gb", term.plan.tp * term.plan.dp);
    machine.device.usable = gib(1e6);  // the allocator gives back nothing
    Coefficients c = test::ideal();
    if (term.of == &Coefficients::selective_share) c.selective_share = {0.5, {}};
    const double before = training_memory(work, machine, term.plan, c).total().raw();
    c.*term.of = {term.value, {}};
    CHECK(training_memory(work, machine, term.plan, c).total().raw() - before == Approx(term.bytes).epsilon(1e-6));
  }
}

}  // namespace training_by_hand_test
