// From what was asked to a complete job: defaults, what is said about them, and contradictions.
#include <catch2/catch.hpp>
#include <set>

#include "support/job.hpp"

namespace resolve_test {

using namespace gpusel;
using namespace gpusel::job;
using gpusel::test::job;
using gpusel::test::try_job;

namespace {

std::set<std::string> assumed_keys(const Job& work) {
  std::set<std::string> keys;
  for (const Assumed& one : work.assumed) keys.insert(one.key);
  return keys;
}

const Value* assumed(const Job& work, std::string_view key) {
  for (const Assumed& one : work.assumed)
    if (one.key == key) return &one.value;
  return nullptr;
}

double assumed_number(const Job& work, std::string_view key) {
  const Value* value = assumed(work, key);
  CAPTURE(key);
  REQUIRE(value != nullptr);
  return std::get<double>(*value);
}

std::string refusal(std::string_view words) {
  const auto work = try_job(words);
  CAPTURE(words);
  REQUIRE_FALSE(work);
  CHECK_FALSE(work.error().message.empty());
  return work.error().where;
}

bool noted(const Job& work, std::string_view words) {
  for (const std::string& note : work.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a fine-tuning job has every default listed as assumed") {
  const Job work = job("task=finetune model=llama-2-7b");
  CHECK(assumed_keys(work) == std::set<std::string>{"method", "framework", "recipe", "optimizer", "seq_len",
                                                    "global_batch", "dataset_size", "epochs"});
  CHECK(work.training.framework == "hf-trainer");
  CHECK(work.training.method == Method::full);
  CHECK(work.training.recipe == Recipe::mixed);
  CHECK(work.training.optimizer == Optimizer::adamw);
  CHECK(assumed_number(work, "seq_len") == static_cast<double>(work.training.seq_len));
  CHECK(assumed_number(work, "global_batch") == static_cast<double>(*work.training.global_batch));
  CHECK(work.training.tokens == assumed_number(work, "dataset_size") * assumed_number(work, "epochs") *
                                    static_cast<double>(work.training.seq_len));
}

TEST_CASE("what a request says is not listed as assumed") {
  const Job work =
      job("task=finetune model=llama-2-7b method=lora framework=unsloth activation_checkpointing=full lora_rank=8 "
          "lora_targets=all recipe=pure "
          "optimizer=lion "
          "seq_len=512 global_batch=16 "
          "dataset_size=1000 epochs=2");
  CHECK(work.assumed.empty());
  CHECK(work.training.method == Method::lora);
  CHECK(work.training.lora_rank == 8);
  CHECK(work.training.recipe == Recipe::pure);
  CHECK(work.training.optimizer == Optimizer::lion);
  CHECK(work.training.seq_len == 512);
  CHECK(work.training.global_batch == 16);
}

TEST_CASE("a serving job has every default listed as assumed") {
  const Job work = job("task=inference model=llama-3.1-8b");
  CHECK(assumed_keys(work) ==
        std::set<std::string>{"engine", "engine_version", "mode", "input_tokens", "output_tokens"});
  CHECK(work.inference.engine == Engine::vllm);
  CHECK(work.inference.mode == Mode::throughput);
  CHECK(work.inference.input_tokens == 1024);  // the contract's default
  CHECK(work.inference.output_tokens == 256);
  CHECK_FALSE(work.inference.concurrency);
}

TEST_CASE("LoRA has rank 16 unless told otherwise") {
  CHECK(job("task=finetune model=llama-7b method=lora").training.lora_rank == 16);
  CHECK(job("task=finetune model=llama-7b method=qlora").training.lora_rank == 16);
  CHECK(assumed(job("task=finetune model=llama-7b method=full"), "lora_rank") == nullptr);
}

TEST_CASE("prompt tuning has virtual tokens and no rank") {
  const Job work = job("task=finetune model=llama-7b method=ptuning");
  CHECK(work.training.virtual_tokens > 0);
  CHECK(work.training.lora_rank == 0);
  CHECK(assumed_number(work, "virtual_tokens") == static_cast<double>(work.training.virtual_tokens));
}

TEST_CASE("a data set and epochs make the same amount as tokens") {
  // 1000 samples × 512 tokens × 3 epochs = 1,536,000 tokens
  CHECK(job("task=finetune model=llama-7b dataset_size=1000 epochs=3 seq_len=512").training.tokens == 1536000);
  CHECK(job("task=finetune model=llama-7b tokens=1536000 seq_len=512").training.tokens == 1536000);
  // Half an epoch of 1000 samples of 512 tokens.
  CHECK(job("task=finetune model=llama-7b dataset_size=1000 epochs=0.5 seq_len=512").training.tokens == 256000);
}

TEST_CASE("pretraining unasked takes twenty tokens per parameter") {
  const Job work = job("task=pretrain model=llama-7b");
  // 20 × 6.738e9 = 134.8e9, Hoffmann et al. 2022
  CHECK(work.training.tokens == Approx(134.77e9).epsilon(0.001));
  CHECK(assumed_number(work, "tokens") == work.training.tokens);
}

TEST_CASE("no default is longer than the model's own context") {
  CHECK(job("task=pretrain model=gpt2").training.seq_len == 1024);  // GPT-2 has 1024 positions
  const Job served = job("task=inference model=gpt2");
  CHECK(served.inference.input_tokens + served.inference.output_tokens <= 1024);
  const Job encoder = job("task=inference model=bert-base");
  CHECK(encoder.inference.input_tokens <= 512);
  CHECK(encoder.inference.output_tokens == 0);
}

TEST_CASE("a sequence beyond the model's context is said in a note with both lengths") {
  const Job trained = job("task=finetune model=gpt2 seq_len=4096");
  CHECK(trained.training.seq_len == 4096);
  CHECK(noted(trained, "4096"));
  CHECK(noted(trained, "1024"));
  CHECK(job("task=finetune model=gpt2 seq_len=1024").notes.empty());
  CHECK(noted(job("task=inference model=gpt2 input_tokens=1000 output_tokens=100"), "1024"));
}

TEST_CASE("a context alone is shared out between prompt and answer") {
  const Job work = job("task=inference model=llama-3.1-8b context=4096");
  CHECK(work.inference.input_tokens + work.inference.output_tokens == 4096);
  CHECK(work.inference.output_tokens > 0);
  const Job given = job("task=inference model=llama-3.1-8b context=4096 output_tokens=96");
  CHECK(given.inference.input_tokens == 4000);
}

TEST_CASE("values that contradict each other are errors at their key") {
  CHECK(refusal("task=pretrain model=llama-7b method=qlora") == "method");
  CHECK(refusal("task=pretrain model=llama-7b method=lora") == "method");
  CHECK(refusal("task=finetune model=llama-7b tokens=1e9 dataset_size=1000") == "tokens");
  CHECK(refusal("task=inference model=llama-3.1-8b context=1000 input_tokens=900 output_tokens=200") == "context");
  CHECK(refusal("task=inference model=llama-3.1-8b context=1") == "context");
  CHECK(refusal("task=inference model=llama-3.1-8b speculative=llama-3.2-1b") == "speculative");  // not passed
}

TEST_CASE("no speculative decoding can be said in so many words") {
  CHECK(try_job("task=inference model=llama-3.1-8b speculative=none"));
}

TEST_CASE("a job without a task is an error at the task") { CHECK(refusal("model=llama-7b") == "task"); }

TEST_CASE("a model that is no language model is counted in items of its own") {
  for (const catalog::Model& model : test::shipped().models()) {
    CAPTURE(model.id);
    CHECK(is_counted(test::request("task=inference engine=vllm"), &model) == !model.is_language_model());
    CHECK(is_counted(test::request("task=finetune"), &model) == !model.is_language_model());
    CHECK(is_counted(test::request("task=inference"), &model) == !model.is_generator());
  }
  CHECK(is_counted(test::request("task=render"), nullptr));
}

TEST_CASE("an engine that does not generate text is refused for a model that does, and the other way round") {
  CHECK(refusal("task=inference model=llama-7b engine=tensorrt") == "engine");
  const auto model = test::shipped().model("resnet-50");
  REQUIRE(model);
  const auto work = resolve_counted(test::request("task=inference engine=vllm"), *model, test::shipped());
  REQUIRE_FALSE(work);
  CHECK(work.error().where == "engine");
}

TEST_CASE("nobody trains a language model in fp64, int8 or with dreambooth") {
  CHECK(refusal("task=finetune model=llama-7b precision=fp64") == "precision");
  CHECK(refusal("task=finetune model=llama-7b precision=int8") == "precision");
  CHECK(refusal("task=finetune model=llama-7b method=dreambooth") == "method");
}

TEST_CASE("the mode follows from what is said about the load") {
  CHECK(job("task=inference model=llama-7b concurrency=4").inference.mode == Mode::online);
  CHECK(job("task=inference model=llama-7b request_rate=4").inference.mode == Mode::online);
  CHECK(job("task=inference model=llama-7b").inference.mode == Mode::throughput);
  const Job alone = job("task=inference model=llama-7b mode=single-stream");
  CHECK(alone.inference.concurrency == 1);
  CHECK(job("task=inference model=llama-7b profile=dev").inference.mode == Mode::single_stream);
}

TEST_CASE("a batch is the micro batch of training and the concurrency of inference") {
  CHECK(job("task=finetune model=llama-7b batch=4").training.micro_batch == 4);
  CHECK(job("task=inference model=llama-7b batch=4").inference.concurrency == 4);
}

TEST_CASE("pinned degrees are kept for the planner") {
  const Job work = job("task=finetune model=llama-7b tp=2 pp=4 dp=1");
  CHECK(work.pins.tp == 2);
  CHECK(work.pins.pp == 4);
  CHECK(work.pins.dp == 1);
  CHECK_FALSE(work.pins.cp);
}

TEST_CASE("an unknown framework or engine version is a note and no error") {
  CHECK(noted(job("task=finetune model=llama-7b framework=homemade"), "homemade"));
  for (const std::string name : {"megatron", "trl", "XTuner", "ms_swift"})
    CHECK_FALSE(noted(job("task=finetune model=llama-7b framework=" + name), "not known"));
  CHECK(noted(job("task=inference model=llama-7b engine_version=0.99.1"), "0.99.1"));
}

TEST_CASE("the parts of a model add up to its published size") {
  for (const std::string_view name : {"llama-7b", "llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gpt2", "bert-base"}) {
    CAPTURE(name);
    const catalog::Model& model = test::model(name);
    const auto work = resolve(test::request("task=inference"), model, test::shipped());
    REQUIRE(work);
    CHECK(work->parameters.total() == Approx(*model.params_b * 1e9));
  }
}

TEST_CASE("an assumed pretraining batch is a power of two") {
  for (const char* model : {"gpt2", "llama-3.2-1b", "llama-7b", "llama-3.1-70b"}) {
    const auto batch = job("task=pretrain model=" + std::string(model)).training.global_batch.value();
    CAPTURE(model, batch);
    CHECK((batch & (batch - 1)) == 0);
  }
}

TEST_CASE("pretraining that divides its states alone is taken for Megatron's") {
  CHECK(job("task=pretrain model=llama-7b sharding=zero1").training.framework == "megatron");
  CHECK(job("task=pretrain model=llama-7b sharding=zero2").training.framework == "deepspeed");
  CHECK(job("task=finetune model=llama-7b sharding=zero1").training.framework == "deepspeed");
}

TEST_CASE("checkpointing that a framework does unasked is assumed") {
  CHECK(job("task=finetune model=llama-7b method=lora framework=unsloth").training.checkpointing ==
        Checkpointing::full);
  CHECK(job("task=finetune model=llama-7b method=lora framework=unsloth activation_checkpointing=none")
            .training.checkpointing == Checkpointing::none);
  CHECK_FALSE(job("task=finetune model=llama-7b method=lora").training.checkpointing);
}

TEST_CASE("what only language models know is refused for other networks by their name") {
  Request asked = test::request("task=finetune model=resnet-50 recipe=mixed");
  asked.of_data = false;  // as a command line says it
  asked.given = {"task", "model", "recipe"};
  const auto work = resolve_counted(asked, &test::model("resnet-50"), test::shipped());
  REQUIRE_FALSE(work);
  CHECK(work.error().where == "recipe");
  CHECK(work.error().message == "does not apply to finetune of resnet-50");
  CHECK(work.error().hint == "it is for language models");
}

}  // namespace resolve_test
