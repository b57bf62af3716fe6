// One question in two forms, and the same physics wherever a figure appears.
#include <algorithm>
#include <catch2/catch.hpp>

#include "answer/estimate/estimate.hpp"
#include "support/market.hpp"

namespace estimate_test {

using namespace gpusel;
using test::Market;

namespace {

answer::EstimateAnswer answer(const std::string& job) {
  const auto document = parse_json(job, "job");
  REQUIRE(document.has_value());
  const auto request = job::read_request(document->root);
  REQUIRE(request.has_value());
  auto result = answer::answer_estimate(*request, Market::shipped().catalog(), Market::shipped().coefficients(), true,
                                        Market::shipped().rules);
  REQUIRE(result.has_value());
  return std::move(*result);
}

}  // namespace

TEST_CASE("an estimate of the recommended machine gives the recommended figures") {
  const auto advice = Market::small().recommend(R"({"model": "llama-7b", "task": "finetune"})",
                                                {{"gpu", "H100"}, {"term", "on-demand"}});
  REQUIRE(advice.recommendations.size() == 1);
  const auto& r = advice.recommendations.front();
  const auto estimate = answer(
      R"({"model": "llama-7b", "task": "finetune", "gpu": "h100-sxm-80gb", "gpus": 8, "interconnect": "nvswitch"})");
  CHECK(estimate.plan.tokens_per_s() == Approx(r.tokens_per_s()));
  CHECK(in_gib(estimate.plan.memory.total()) == Approx(in_gib(r.memory().total())));
}

TEST_CASE("every figure of the memory breakdown is explained") {
  const auto estimate = answer(R"({"model": "llama-7b", "task": "finetune", "gpu": "a100-sxm-80gb", "gpus": 8})");
  const auto explained = [&](std::string_view quantity) {
    for (const auto& line : estimate.trace)
      if (line.quantity == quantity && !line.formula.empty() && !line.value.text.empty()) return true;
    return false;
  };
  for (const auto* quantity : {"memory.weights", "memory.gradients", "memory.optimizer", "memory.activations"}) {
    CAPTURE(quantity);
    CHECK(explained(quantity));
  }
}

TEST_CASE("an explained training estimate says what one change would bring") {
  const auto misfit =
      answer(R"({"model": "llama-7b", "task": "finetune", "recipe": "mixed", "gpu": "a100-sxm-80gb", "gpus": 1})");
  REQUIRE_FALSE(misfit.plan.fits);
  const auto says = [](const answer::EstimateAnswer& estimate, std::string_view words) {
    for (const std::string& line : estimate.advice)
      if (line.find(words) != std::string::npos) return true;
    return false;
  };
  CHECK(says(misfit, "most memory goes to optimizer states"));
  CHECK(says(misfit, "LoRA of rank 16 saves"));
  CHECK(says(misfit, "it fits"));
  CHECK(says(misfit, "of these GPUs would fit it"));
  const auto slow = answer(
      R"({"model": "llama-7b", "task": "finetune", "gpu": "a100-sxm-80gb", "gpus": 8, "sharding": "zero3", "tp": 1,
          "micro_batch": 1, "global_batch": 64, "seq_len": 512})");
  REQUIRE(slow.plan.fits);
  CHECK(says(slow, "micro-batch 1 → 8 adds"));
  CHECK(says(slow, "% of a step"));
  const auto open = answer(R"({"model": "llama-7b", "task": "finetune", "gpu": "a100-sxm-80gb", "gpus": 8})");
  CHECK(says(open, "next best, "));
}

TEST_CASE("fine-tuning that fits only without master copies says so") {
  const auto one = answer(R"({"model": "llama-7b", "task": "finetune", "gpu": "a100-sxm-80gb"})");
  CHECK_FALSE(one.plan.fits);  // no default hangs on the machine
  CHECK(one.work.training.recipe == job::Recipe::mixed);
  CHECK(
      std::ranges::any_of(one.notes, [](const std::string& note) { return note.contains("--recipe pure would fit"); }));
  const auto pure = answer(R"({"model": "llama-7b", "task": "finetune", "gpu": "a100-sxm-80gb", "recipe": "pure"})");
  CHECK(pure.plan.fits);
}

TEST_CASE("a training step whose passes are pinned fills them as it fits") {
  const auto filled = answer(
      R"({"model": "bert-large", "task": "pretrain", "seq_len": 128, "gpu": "a100-sxm-40gb", "grad_accum": 64})");
  CHECK(filled.plan.layout.grad_accum == 64);
  CHECK(filled.plan.layout.micro_batch >= 32);
}

TEST_CASE("an NVL72 rack joins several nodes by NVLink") {
  const auto rack = answer(
      R"({"model": "llama-3.1-8b", "task": "pretrain", "gpu": "gb200-186gb", "gpus": 64, "gpus_per_node": 4,
          "interconnect": "nvl72"})");
  CHECK(rack.machine.nodes == 1);
  CHECK(rack.machine.gpus_per_node == 64);
}

TEST_CASE("an architecture without training measurements is said to be one") {
  const auto thin = answer(R"({"model": "llama-3.2-1b", "task": "finetune", "method": "lora", "gpu": "t4"})");
  REQUIRE_FALSE(thin.notes.empty());
  CHECK(thin.notes.back().find("Turing") != std::string::npos);
}

TEST_CASE("a training that fits by the figure alone says what runs like it need") {
  const auto noted = [](const answer::EstimateAnswer& one, std::string_view words) {
    return std::any_of(one.notes.begin(), one.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
  };
  const auto with = [](std::string_view micro_batch) {
    return answer(std::string(R"({"model": "llama-3.1-8b", "task": "finetune", "method": "lora", "seq_len": 4096,
        "activation_checkpointing": "full", "gpu": "h100-sxm-80gb", "micro_batch": )") +
                  std::string(micro_batch) + "}");
  };
  const auto roomy = with("1");
  CHECK_FALSE(noted(roomy, "may run out of memory"));
  CHECK(roomy.fit.verdict == rules::FitVerdict::fits);
  // What fits with the chance that is asked for is said to; what fits less surely is said to be at risk.
  int most = 1;
  while (with(std::to_string(most + 1)).plan.fits) ++most;
  const auto full = with(std::to_string(most));
  CHECK(noted(full, "may run out of memory"));
  CHECK(full.fit.verdict == rules::FitVerdict::may_not_fit);
  CHECK(full.fit.needed_gib.high > in_gib(full.machine.device.usable));
  const auto over = with(std::to_string(most + 1));
  CHECK_FALSE(noted(over, "may run out of memory"));
  CHECK(over.fit.verdict == rules::FitVerdict::does_not_fit);
}

TEST_CASE("an interval holds the estimate it is for") {
  const auto estimate = answer(R"({"model": "llama-3.1-8b", "task": "inference", "gpu": "l4"})");
  const auto& range = estimate.intervals.rate;
  CHECK(range.low < estimate.plan.tokens_per_s());
  CHECK(estimate.plan.tokens_per_s() < range.high);
}

TEST_CASE("the speed of adapters, experts and unfused layers is less sure") {
  const auto width = [](const std::string& words) {
    const auto found = answer(R"({"gpu": "h100-sxm-80gb", "gpus": 8, "task": "finetune", )" + words + "}");
    return found.intervals.rate.high / found.intervals.rate.low;
  };
  const auto fused = width(R"("model": "llama-3.1-8b", "framework": "megatron")");
  for (const char* words : {R"("model": "llama-3.1-8b", "framework": "fsdp")",
                            R"("model": "llama-3.1-8b", "framework": "megatron", "method": "lora")",
                            R"("model": "mixtral-8x7b", "framework": "megatron")"}) {
    CAPTURE(words);
    CHECK(width(words) > fused * 1.05);
  }
}

TEST_CASE("a mixture described by its sizes alone is estimated as the catalogue's") {
  const std::string job = R"(, "task": "pretrain", "gpu": "gb200-186gb", "gpus": 8, "gpus_per_node": 4,
      "interconnect": "nvl72", "ep": 8, "seq_len": 4096, "micro_batch": 2, "global_batch": 512, "precision": "bf16"})";
  const auto known = answer(R"({"model": "qwen3-30b-a3b")" + job);
  const auto own = answer(R"({"model": {"num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32,
      "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 768, "vocab_size": 151936,
      "num_local_experts": 128, "params_b": 30.5, "active_params_b": 3.3})" +
                          job);
  CHECK(own.work.model->experts_per_token == 8.0);
  CHECK(own.plan.tokens_per_s() == Approx(known.plan.tokens_per_s()).epsilon(0.1));
}

TEST_CASE("a near miss says what would fit, and that does fit") {
  const std::string question = R"("model": "llama-3.1-8b", "task": "inference", "gpu": "l4", "output_tokens": 256)";
  const auto missed = answer("{" + question + R"(, "input_tokens": 32000})");
  CHECK_FALSE(missed.plan.fits);
  REQUIRE_FALSE(missed.notes.empty());
  const std::string& note = missed.notes.back();
  CAPTURE(note);
  CHECK(note.find("short per GPU; would fit: ") != std::string::npos);
  // Half the bytes per token hold the whole prompt.
  REQUIRE(note.find("an fp8 cache") != std::string::npos);
  CHECK(answer("{" + question + R"(, "input_tokens": 32000, "kv_precision": "fp8"})").plan.fits);
  const auto at = note.find("a context of ");
  REQUIRE(at != std::string::npos);
  const int context = std::stoi(note.substr(at + 13));
  CHECK(context < 32000);
  CHECK(answer("{" + question + ", \"input_tokens\": " + std::to_string(context - 256) + "}").plan.fits);
  for (const auto& text : answer("{" + question + "}").notes) CHECK(text.find("would fit") == std::string::npos);
}

TEST_CASE("a prompt without an answer and an answer without a prompt are estimated") {
  const std::string question = R"({"model": "llama-3.1-8b", "task": "inference", "gpu": "l4", "mode": "single-stream")";
  const auto read = answer(question + R"(, "input_tokens": 2048, "output_tokens": 0})");
  CHECK(read.plan.tokens_per_s() > 1000);  // read, none written
  const auto written = answer(question + R"(, "input_tokens": 0, "output_tokens": 128})");
  CHECK(written.plan.tokens_per_s() < 25);  // 15 GB over 300 GB/s
  CHECK(written.plan.tokens_per_s() > 12);
}

}  // namespace estimate_test
