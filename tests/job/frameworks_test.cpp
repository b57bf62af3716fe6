// What a framework cannot do is refused, with those that can; what is not known of it is not.
#include <catch2/catch.hpp>

#include "catalog/records/measurement.hpp"
#include "job/request/frameworks.hpp"
#include "physics/planner/plan.hpp"
#include "support/training.hpp"

namespace frameworks_test {

using namespace gpusel;

namespace {

Error refusal(const std::string& words) {
  const auto work = test::try_job("task=finetune model=llama-2-7b " + words);
  REQUIRE_FALSE(work);
  return work.error();
}

physics::Plan on(std::string_view gpu, const std::string& words) {
  return test::plan_training(test::job("task=finetune model=llama-2-7b " + words), test::machine(gpu, 8));
}

}  // namespace

TEST_CASE("a pin that the framework cannot run names the source and the frameworks that can") {
  const Error error = refusal("framework=unsloth pp=2");
  CHECK(error.where == "pp");
  CHECK(error.message.starts_with("Unsloth has no pipeline parallelism (https://"));
  CHECK(error.hint == "use --framework megatron, torchtitan, nemo-automodel");
  CHECK(refusal("framework=litgpt precision=fp8").where == "precision");
  CHECK(refusal("framework=torchtune precision=fp16").where == "precision");
  CHECK(refusal("framework=megatron-lm method=qlora").where == "method");
  CHECK(refusal("framework=deepspeed sharding=fsdp").where == "sharding");
  CHECK(refusal("framework=unsloth sharding=zero3").where == "sharding");
  CHECK(refusal("framework=hf-trainer activation_checkpointing=selective").where == "activation_checkpointing");
  CHECK(refusal("framework=megatron-bridge optimizer=adafactor").where == "optimizer");
}

TEST_CASE("one GPU is no parallelism, and what nobody knows of a framework is not refused") {
  CHECK(test::try_job("task=finetune model=llama-2-7b framework=unsloth tp=1 pp=1"));
  CHECK(test::try_job("task=finetune model=llama-2-7b framework=llama-factory tp=2"));
  CHECK(test::try_job("task=finetune model=llama-2-7b framework=homemade tp=2 optimizer=lamb"));
}

TEST_CASE("a plan has only what its framework can run") {
  // Half precision is not trained by torchtune, and Volta has no bf16.
  CHECK(on("v100-sxm2-32gb", "framework=torchtune").layout.precision == job::Precision::fp32);
  CHECK(on("v100-sxm2-32gb", "framework=hf-trainer").layout.precision == job::Precision::fp16);
  for (const std::string name : {"unsloth", "litgpt", "torchtune", "xtuner", "torchtitan", "deepspeed"}) {
    CAPTURE(name);
    const catalog::Framework& known = *job::find_framework(test::shipped(), name);
    for (const char* model : {"llama-2-70b", "mixtral-8x7b"}) {
      const auto work = test::job(std::string("task=finetune seq_len=32768 model=") + model + " framework=" + name);
      const auto plan = test::plan_training(work, test::machine("h100-sxm-80gb", 16));
      CHECK((plan.layout.tp == 1 || may(known.parallel, "tensor")));
      CHECK((plan.layout.pp == 1 || may(known.parallel, "pipeline")));
      CHECK((plan.layout.cp == 1 || may(known.parallel, "context")));
      CHECK((plan.layout.ep == 1 || may(known.parallel, "expert")));
      CHECK(may(known.sharding, to_text(plan.layout.sharding)));
      CHECK(may(known.checkpointing, to_text(plan.layout.checkpointing)));
    }
  }
}

TEST_CASE("a framework that is asked for is refused on GPUs that it does not run on") {
  const auto refused = [](std::string_view gpu, const std::string& words) {
    const physics::Plan plan = on(gpu, words);
    return !plan.fits && plan.problem.kind == physics::Problem::Kind::refused ? plan.problem.text() : std::string();
  };
  CHECK(refused("p100-16gb", "framework=unsloth").contains("compute capability 7.0"));
  CHECK(refused("t4", "framework=unsloth method=lora") == "");
  CHECK(refused("gaudi2", "framework=unsloth method=lora").contains("it runs on nvidia, amd"));
  CHECK(refused("gaudi2", "framework=hf-trainer method=lora") == "");
  CHECK(refused("h100-sxm-80gb", "framework=mindspeed method=lora").contains("it runs on huawei"));
}

TEST_CASE("every published training run is one that its framework can do") {
  const auto sheets = catalog::shipped_measurements(test::shipped());
  REQUIRE(sheets);
  int rows = 0;
  for (const auto& sheet : *sheets)
    for (const catalog::MeasurementRow& one : sheet.rows) {
      const catalog::Measurement& row = one.facts;
      if (row.framework.empty() || row.task == "inference") continue;
      ++rows;
      CAPTURE(row.source, row.framework);
      const catalog::Framework* known = job::find_framework(test::shipped(), row.framework);
      REQUIRE(known != nullptr);
      const auto can = [](const catalog::TextList& abilities, std::string_view word) {
        return word.empty() || may(abilities, word);
      };
      CHECK(can(known->methods, row.method));
      CHECK(can(known->precisions, row.precision));
      CHECK(can(known->optimizers, row.optimizer));
      CHECK(can(known->sharding, row.sharding));
      CHECK(can(known->checkpointing, row.activation_checkpointing));
      CHECK((row.tp.value_or(1) == 1 || may(known->parallel, "tensor")));
      CHECK((row.pp.value_or(1) == 1 || may(known->parallel, "pipeline")));
      CHECK((row.cp.value_or(1) == 1 || may(known->parallel, "context")));
      CHECK((row.ep.value_or(1) == 1 || may(known->parallel, "expert")));
    }
  CHECK(rows > 500);
}

}  // namespace frameworks_test
