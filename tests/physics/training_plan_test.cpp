// The planner of training: legal, faithful to what is pinned, and honest about what does not fit.
#include <catch2/catch.hpp>
#include <cmath>

#include "support/job.hpp"

namespace training_plan_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using job::Job;
using job::Sharding;
using physics::Machine;

namespace {

bool divides(double part, double whole) { return std::fmod(whole, part) == 0; }

void check_legal(const Job& work, const Machine& machine, const Plan& choice) {
  const auto& p = choice.layout;
  CAPTURE(p.tp, p.pp, p.cp, p.ep, p.dp, p.micro_batch, p.grad_accum);
  CHECK(p.tp * p.pp * p.cp * p.dp == machine.gpus());
  CHECK(divides(p.tp, *work.model->heads));
  CHECK(std::ceil(work.parameters.layers / p.pp) * p.pp <= 1.125 * work.parameters.layers);
  CHECK(p.tp <= machine.gpus_per_node);
  CHECK(p.ep >= 1);
  CHECK(divides(p.tp, work.model->kv_heads.value_or(*work.model->heads)));
  CHECK(divides(p.ep, p.dp * p.cp * p.tp));
  if (p.ep > 1) CHECK(divides(p.ep, *work.model->experts));
  CHECK(p.micro_batch >= 1);
  CHECK(p.grad_accum >= 1);
  CHECK(p.global_batch() == p.micro_batch * p.dp * p.grad_accum);
  CHECK(choice.fits == (choice.need.needed <= machine.device.usable));
  CHECK(choice.fits == (choice.need.chance() >= 0.5));
  CHECK(choice.memory.needed() <= choice.memory.total());
  CHECK(choice.fits != (choice.problem.kind == Problem::Kind::memory));
  CHECK(machine.device.peak(p.precision).has_value() == (choice.rate > 0));
}

Error refused(std::string_view words, const Machine& machine) {
  const auto choice = physics::plan_training(job(words), machine, test::coefficients());
  CAPTURE(words);
  REQUIRE_FALSE(choice);
  return choice.error();
}

const std::vector<std::string> kModels{"gpt2",         "bert-base",   "gemma-2b",     "llama-3.2-3b",
                                       "llama-7b",     "llama-13b",   "qwen2.5-7b",   "qwen2.5-14b",
                                       "mixtral-8x7b", "gpt-oss-20b", "llama-3.1-70b"};

}  // namespace

TEST_CASE("no training plan is illegal on any machine") {
  const auto model = GENERATE(from_range(kModels));
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "task=finetune", "task=finetune method=lora",
                              "task=finetune method=qlora seq_len=16384", "task=pretrain");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "v100-sxm2-16gb", "rtx-4090", "a100-sxm-80gb",
                            "h100-sxm-80gb", "mi300x-192gb");
  const Job work = job(words + " model=" + model);
  for (const auto& [gpus, node] :
       {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 6}, {8, 8}, {16, 8}, {12, 4}, {64, 8}}) {
    if (work.model->is_moe() && node % 3 == 0) continue;  // experts do not divide over three
    const Machine machine = test::machine(gpu, gpus, node);
    CAPTURE(model, words, gpu, gpus, node);
    check_legal(work, machine, test::plan_training(work, machine));
  }
}

TEST_CASE("what training pins is kept") {
  const Machine machine = test::machine("h100-sxm-80gb", 16);
  const Job work = job(
      "task=finetune model=llama-7b tp=2 pp=4 micro_batch=2 grad_accum=4 seq_len=1024 activation_checkpointing=full "
      "sharding=zero1 flash_attention=false precision=fp16");
  const Plan choice = test::plan_training(work, machine);
  CHECK(choice.layout.tp == 2);
  CHECK(choice.layout.pp == 4);
  CHECK(choice.layout.dp == 2);  // 16 / (2 × 4)
  CHECK(choice.layout.micro_batch == 2);
  CHECK(choice.layout.grad_accum == 4);
  CHECK(choice.layout.checkpointing == job::Checkpointing::full);
  CHECK(choice.layout.sharding == Sharding::zero1);
  CHECK_FALSE(choice.layout.flash_attention);
  CHECK(choice.layout.precision == job::Precision::fp16);
  check_legal(work, machine, choice);
}

TEST_CASE("no plan that keeps weights whole is clearly faster than the one that is chosen") {
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "l40s", "a100-sxm-80gb", "h100-sxm-80gb", "b200");
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "llama-7b", "llama-3.2-3b", "qwen2.5-0.5b");
  const std::string words = "task=finetune framework=deepspeed model=" + model;  // one trainer for all
  const Machine machine = test::machine(gpu, 8, 8);
  const Plan open = test::plan_training(job(words), machine);
  if (!open.fits) return;
  for (const char* sharding : {"ddp", "zero2"}) {
    const Plan pinned = test::plan_training(job(words + " sharding=" + sharding), machine);
    CAPTURE(gpu, model, sharding);
    if (pinned.fits) CHECK(pinned.rate <= 1.031 * open.rate);
  }
}

TEST_CASE("each degree that is pinned alone is kept") {
  const Machine machine = test::machine("h100-sxm-80gb", 8);
  CHECK(test::plan_training(job("task=finetune model=llama-7b tp=4"), machine).layout.tp == 4);
  CHECK(test::plan_training(job("task=finetune model=llama-7b pp=2"), machine).layout.pp == 2);
  CHECK(test::plan_training(job("task=finetune model=llama-7b cp=2"), machine).layout.cp == 2);
  CHECK(test::plan_training(job("task=finetune model=llama-7b framework=megatron dp=2"), machine).layout.dp == 2);
  CHECK(test::plan_training(job("task=finetune model=mixtral-8x7b ep=4"), machine).layout.ep == 4);
}

TEST_CASE("a batch that the degrees divide is kept whole") {
  const auto gpus = GENERATE(1, 2, 4, 8, 16);
  const auto batch = GENERATE(64, 128, 1024);
  const Machine machine = test::machine("h100-sxm-80gb", gpus);
  const Job work = job("task=finetune model=llama-3.1-8b global_batch=" + std::to_string(batch));
  CAPTURE(gpus, batch);
  CHECK(test::plan_training(work, machine).layout.global_batch() == batch);
}

TEST_CASE("degrees that cannot hold are errors at their key that say why") {
  const Machine machine = test::machine("h100-sxm-80gb", 8);
  const Error heads = refused("task=finetune model=llama-7b tp=5", machine);
  CHECK(heads.where == "tp");
  CHECK(heads.message.find("32") != std::string::npos);  // heads
  const Error stages = refused("task=finetune model=llama-7b pp=64", machine);
  CHECK(stages.where == "pp");
  CHECK(stages.message.find("32") != std::string::npos);  // layers
  const Error dense = refused("task=finetune model=llama-7b ep=2", machine);
  CHECK(dense.where == "ep");
  CHECK(dense.message.find("experts") != std::string::npos);
  const Error product = refused("task=finetune model=llama-7b tp=2 pp=2 dp=1", machine);
  CHECK(product.where == "gpus");
  CHECK(product.message.find("8 GPUs") != std::string::npos);
  CHECK(refused("task=finetune model=llama-7b tp=4 pp=4", machine).where == "gpus");
  CHECK(refused("task=finetune model=llama-7b dp=3", machine).where == "gpus");
  // Two ranks of four GPUs each, by one that divides nothing.
  const Error ranks = refused("task=finetune model=llama-7b dp=2", machine);
  CHECK(ranks.where == "dp");
  CHECK(ranks.message.find("hf-trainer") != std::string::npos);
  CHECK(ranks.hint.find("megatron") != std::string::npos);
}

TEST_CASE("a job that does not fit is reported with all its figures") {
  const Machine machine = test::machine("t4");
  const Plan choice = test::plan_training(job("task=finetune model=llama-3.1-70b"), machine);
  CHECK_FALSE(choice.fits);
  CHECK(choice.problem.kind == Problem::Kind::memory);
  CHECK(choice.problem.needed_gib == Approx(in_gib(choice.need.needed)));
  CHECK(choice.problem.available_gib == Approx(in_gib(machine.device.usable)));
  CHECK(choice.problem.needed_gib > choice.problem.available_gib);
  CHECK(choice.problem.text().find("GiB") != std::string::npos);
  REQUIRE(choice.rate > 0);
  CHECK(choice.training->tokens_per_s > 0);
  CHECK_FALSE(choice.is_usable());
  // 16 bytes × 70e9 parameters at least
  CHECK(choice.memory.total().raw() > 16 * 70e9);
}

TEST_CASE("the closest plan of a job that does not fit recomputes everything") {
  const Machine machine = test::machine("a100-sxm-40gb", 8);
  const Job work = job("task=finetune model=llama-3.1-70b");
  const Plan choice = test::plan_training(work, machine);
  REQUIRE_FALSE(choice.fits);
  CHECK(choice.layout.micro_batch == 1);
  CHECK(choice.layout.checkpointing == job::Checkpointing::full);
  physics::Layout other = test::data_parallel(8);
  CHECK(choice.memory.total() <= physics::training_memory(work, machine, other, test::coefficients()).total());
}

TEST_CASE("well-known fine-tuning jobs fit where they are known to fit") {
  struct Known {
    std::string words;
    std::string gpu;
    int gpus;
    bool fits;
  };
  const auto known = GENERATE(values<Known>({
      {"model=llama-7b method=qlora seq_len=512", "rtx-4090", 1, true},        // QLoRA paper: 7B in 5 to 8 GB
      {"model=llama-33b method=qlora seq_len=512", "a100-sxm-40gb", 1, true},  // QLoRA paper: 33B below 24 GB
      {"model=llama-65b method=qlora seq_len=512", "a100-sxm-80gb", 1, true},  // QLoRA paper: 65B below 48 GB
      {"model=llama-7b method=lora seq_len=512", "rtx-4090", 1, true},         // 13.5 GB of weights
      {"model=llama-7b method=lora seq_len=512", "rtx-3080", 1, false},        // 13.5 GB in 10
      {"model=llama-7b method=full", "a100-sxm-80gb", 1, false},               // 100 GiB of states
      {"model=llama-7b method=full", "a100-sxm-80gb", 8, true},                // 12.6 GiB of states each
      {"model=llama-7b method=full recipe=pure", "a100-sxm-80gb", 1, true},    // 50 GiB of states
      {"model=llama-3.1-70b method=full", "h100-sxm-80gb", 8, false},          // 1051 GiB of states in 8 × 79
      {"model=llama-3.1-70b method=full", "h100-sxm-80gb", 64, true},          // 16.4 GiB of states each
      {"model=llama-3.1-70b method=lora", "h100-sxm-80gb", 8, true},           // 131 GiB of weights over 8
      {"model=gpt2 method=full", "t4", 1, true},                               // 2 GiB of states
  }));
  const Plan choice = test::plan_training(job("task=finetune " + known.words), test::machine(known.gpu, known.gpus));
  CAPTURE(known.words, known.gpu, known.gpus, in_gib(choice.memory.total()));
  CHECK(choice.fits == known.fits);
}

TEST_CASE("more memory never turns a job that fits into one that does not") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-3.2-3b", "llama-7b", "mixtral-8x7b",
                              "llama-3.1-70b");
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "method=full", "method=lora", "method=qlora",
                              "method=full micro_batch=4");
  const auto gpus = GENERATE(1, 8);
  const Job work = job("task=finetune model=" + model + " " + words);
  bool fitted = false;
  for (const double memory : {8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 80.0, 141.0, 192.0, 512.0, 2048.0}) {
    Machine machine = test::machine("h100-sxm-80gb", gpus);
    machine.device.usable = gib(memory);
    const bool fits = test::plan_training(work, machine).fits;
    CAPTURE(model, words, gpus, memory);
    if (fitted) CHECK(fits);
    fitted = fitted || fits;
  }
  CHECK(fitted);
}

TEST_CASE("more bandwidth or a higher peak never makes the chosen plan slower") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "llama-3.2-3b", "llama-7b", "mixtral-8x7b");
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "method=full", "method=qlora");
  const auto gpus = GENERATE(1, 8, 16);
  const Job work = job("task=finetune model=" + model + " " + words);
  double before = 0;
  for (const double factor : {0.5, 1.0, 2.0, 4.0}) {
    Machine machine = test::machine("a100-sxm-80gb", gpus);
    machine.device.bandwidth = machine.device.bandwidth * factor;
    machine.link_bandwidth = machine.link_bandwidth * factor;
    const Plan choice = test::plan_training(work, machine);
    CAPTURE(model, words, gpus, factor);
    REQUIRE(choice.rate > 0);
    CHECK(choice.training->tokens_per_s >= before);
    before = choice.training->tokens_per_s;
  }
}

TEST_CASE("no plan is below the least memory or the least time of its job") {
  const auto model =
      GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-7b", "mixtral-8x7b", "llama-3.1-70b");
  const auto words =
      GENERATE(Catch::Generators::as<std::string>{}, "task=finetune", "task=finetune method=lora", "task=pretrain");
  const auto gpus = GENERATE(1, 8, 64);
  const Job work = job(words + " model=" + model);
  const Machine machine = test::machine("h100-sxm-80gb", gpus);
  const Plan choice = test::plan_training(work, machine);
  CAPTURE(model, words, gpus);
  CHECK(choice.memory.total() * machine.gpus() >= physics::least_total_memory(work, machine.device));
  REQUIRE(choice.rate > 0);
  CHECK(work.training.tokens / choice.training->tokens_per_s >= physics::least_time(work, machine).raw());
}

TEST_CASE("no plan on any GPU is faster than the least time of its job") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "qwen2.5-0.5b", "llama-3.1-8b",
                              "mixtral-8x7b", "mixtral-8x7b capacity_factor=0.1", "flan-t5-xxl target_len=512",
                              "flan-t5-xxl seq_len=2048 target_len=16", "t5-3b seq_len=64 target_len=1024");
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "method=full", "method=lora", "method=qlora",
                              "method=lora precision=fp8", "method=lora precision=fp32", "method=full precision=tf32");
  const Job work = job("task=finetune model=" + model + " " + words);
  std::size_t planned = 0;
  for (const std::string gpu : {"t4", "v100-sxm2-16gb", "rtx-4090", "l40s", "a100-sxm-80gb", "h100-sxm-80gb",
                                "b200-180gb", "mi300x-192gb", "m40-12gb"})
    for (const auto& [gpus, node] : {std::pair{1, 1}, {8, 8}, {32, 8}}) {
      const Machine machine = test::machine(gpu, gpus, node);
      const auto choice = physics::plan_training(work, machine, test::coefficients());
      if (!choice || choice->rate <= 0) continue;
      CAPTURE(model, words, gpu, gpus);
      ++planned;
      CHECK(work.training.tokens / choice->training->tokens_per_s >= physics::least_time(work, machine).raw());
    }
  CHECK(planned > 3);
}

TEST_CASE("the least memory of a full training job is its states") {
  const Job work = job("task=finetune model=llama-7b");
  // 16 × 6.738e9 bytes = 100.4 GiB
  CHECK(in_gib(physics::least_total_memory(work, test::machine("h100-sxm-80gb").device)) ==
        Approx(100.41).epsilon(1e-4));
}

TEST_CASE("the best training arithmetic is bf16 then fp16 then fp32") {
  using job::Precision;
  CHECK(best_precision(test::machine("h100-sxm-80gb").device) == Precision::bf16);
  CHECK(best_precision(test::machine("v100-sxm2-16gb").device) == Precision::fp16);
  CHECK(best_precision(test::machine("t4").device) == Precision::fp16);
  CHECK(best_precision(test::machine("m40-12gb").device) == Precision::fp32);
  CHECK(best_precision(test::machine("p100-16gb").device) == Precision::fp16);
  CHECK(best_precision(test::machine("p40").device) == Precision::fp32);  // its fp16 is 65 times slower
}

TEST_CASE("a part without a published peak is planned for memory and says so") {
  Machine machine = test::machine("h100-sxm-80gb");
  catalog::Gpu unknown = *machine.device.gpu;
  unknown.fp16_dense_tflops = {};
  machine.device.gpu = &unknown;
  const Plan choice = test::plan_training(job("task=finetune model=gpt2 precision=fp16"), machine);
  CHECK(choice.fits);
  CHECK(choice.rate == 0);
  CHECK(choice.problem.kind == Problem::Kind::no_rate);
  CHECK(choice.problem.text().find("h100-sxm-80gb") != std::string::npos);
}

namespace {

const std::string kTooLong =
    "task=pretrain model=llama-3.1-8b seq_len=8192 micro_batch=3 global_batch=48 tp=1 pp=1 cp=1 sharding=zero1";

}  // namespace

TEST_CASE("where not everything can be kept, only as many layers are recomputed as need be") {
  const Machine machine = test::machine("h200-sxm-141gb", 8);
  const auto open = test::plan_training(job(kTooLong), machine);
  REQUIRE(open.fits);
  REQUIRE(physics::is_partial(open.layout));
  const double layers = open.layout.recomputed * 32;
  CHECK(layers == Approx(std::round(layers)));
  const auto all = test::plan_training(job(kTooLong + " activation_checkpointing=full"), machine);
  const auto none = test::plan_training(job(kTooLong + " activation_checkpointing=none"), machine);
  CHECK(all.layout.recomputed == 1);
  const double asked = least_chance(job(kTooLong), test::coefficients());
  CHECK(none.need.chance() < asked);
  CHECK(open.training->tokens_per_s > all.training->tokens_per_s);
  CHECK(open.memory.total() > all.memory.total());
  CHECK(open.memory.total() < none.memory.total());
  Plan fewer = open;
  fewer.layout.recomputed -= 1.0 / 32;
  CHECK(refigure(fewer, job(kTooLong), machine, test::coefficients()).need.chance() < asked);
  CHECK(open.need.chance() >= asked);
}

TEST_CASE("frameworks that know all layers or none never recompute some") {
  const auto choice = test::plan_training(job(kTooLong + " framework=hf-trainer"), test::machine("h200-sxm-141gb", 8));
  CHECK_FALSE(physics::is_partial(choice.layout));
}

}  // namespace training_plan_test
