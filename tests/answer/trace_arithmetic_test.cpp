// What an explanation prints is arithmetic that anybody can do again: every line of numbers is evaluated as it is
// printed and compared with its result, as far as rounding in print leaves it open.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "answer/explain/explain.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "support/arithmetic.hpp"
#include "support/market.hpp"

namespace trace_arithmetic_test {

using namespace gpusel;
using test::Market;

namespace {

const char* const kJobs[] = {
    R"({"model": "llama-7b", "task": "finetune"})",
    R"({"model": "llama-7b", "task": "finetune", "method": "lora"})",
    R"({"model": "llama-7b", "task": "finetune", "method": "qlora"})",
    R"({"model": "llama-7b", "task": "finetune", "activation_checkpointing": "full"})",
    R"({"model": "llama-70b", "task": "pretrain", "tokens": "20B", "pp": 2})",
    R"({"model": "llama-7b", "task": "finetune", "sharding": "ddp", "recipe": "pure"})",
    R"({"model": "llama-7b", "task": "finetune", "sharding": "zero2"})",
    R"({"model": "llama-7b", "task": "finetune", "sharding": "zero3"})",
    R"({"model": "llama-7b", "task": "finetune", "framework": "megatron"})",
    R"({"model": "mixtral-8x7b", "task": "pretrain", "tokens": "1B"})",
    R"({"model": "mixtral-8x7b", "task": "finetune", "method": "lora"})",
    R"({"model": "qwen2.5-0.5b", "task": "inference"})",
    R"({"model": "llama-3.1-8b", "task": "inference"})",
    R"({"model": "llama-3.1-8b", "task": "inference", "concurrency": 1})",
    R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 2, "ttft": 2000})",
    R"({"model": "llama-3.1-8b", "task": "inference", "mode": "online", "concurrency": 16})",
    R"({"model": "llama-3.1-8b", "task": "inference", "engine": "hf"})",
    R"({"model": "llama-3.1-70b", "task": "inference", "weights_precision": "w4a16"})",
    R"({"model": "llama-3.1-70b", "task": "inference", "speculative": "llama-3.1-8b"})",
    R"({"model": "bert-base", "task": "inference"})",
    R"({"model": "whisper-large-v3", "task": "inference"})",
    R"({"model": "resnet-50", "task": "inference"})",
    R"({"model": "sdxl", "task": "inference", "images": 1000})",
    R"({"task": "render", "frames": 100})",
    R"({"task": "transcode", "codec": "h264", "streams": 4})",
};

/// Lines without numbers of their own, and why.
struct Words {
  std::string_view quantity;
  std::string_view because;
};
constexpr Words kWords[] = {
    {"rank", "a place in an order"},
    {"score.", "of a rule, whose message stands beside the points"},
    {"lead.decides", "the name of a part"},
    {"memory", "the branch; memory.total is the sum"},
    {"speed", "the branch; its figures are below it"},
    {"cost", "the branch; its figures are below it"},
    {"cost.offer", "a published price"},
    {"cost.hours", "hours of a month, or of a plan"},
    {"cost.egress_hourly", "beside the total, of the first tier"},
    {"decision", "words"},
    {"interval", "the branch"},
    {"rules", "conditions of rules"},
    {"memory.usable", "a property of the part"},
    {"memory.workspace", "of an engine: one coefficient"},
    {"memory.framework", "of diffusion, render and video: one coefficient"},
    {"memory.weights.stored", "of files as released: their size"},
    {"memory.activations", "of diffusion: positions and channels; of a scene: its size"},
    {"inference.requests_per_s", "at a request rate: what was asked"},
    {"inference.speculation", "printed with its model"},
    {"workspace.logits", "of a pipeline stage without a head: none"},
    {"time.", "of speech and tables: sums over layers, in the formula"},
    {"step.", "of diffusion: sums over layers, in the formula"},
    {"render.score", "a published score"},
    {"cost.per_unit", "its unit is words"},
    {"memory.recomputed_layers", "a share of the layers"},
    {"streams by", "of a block of silicon: clocks and blocks"},
    {"throughput", "of video and rendering: of the bound that is named"},
    {"latency", "of diffusion: to three digits"},
};

bool is_in_words(std::string_view quantity) {
  return std::ranges::any_of(kWords, [&](const Words& one) {
    const bool family = one.quantity.ends_with('.') || one.quantity == "rules" || one.quantity == "streams by";
    return family ? quantity.starts_with(one.quantity) : quantity == one.quantity;
  });
}

}  // namespace

TEST_CASE("the arithmetic that an explanation prints gives its results") {
  std::set<std::string> evaluated;
  for (const char* job : kJobs) {
    answer::Question question;
    question.today = Date(2026, 11, 20);
    const Market& market = Market::shipped();
    const answer::Advice advice = market.recommend(job);
    REQUIRE_FALSE(advice.recommendations.empty());
    const answer::Explained of{question, advice, market.catalog(), market.rules, market.coefficients()};
    const std::size_t count = advice.recommendations.size();
    for (const std::size_t rank : std::set<std::size_t>{0, count / 3, count / 2, count - 1}) {
      for (const auto& line : answer::lines_of(answer::explain_rank(of, rank))) {
        CAPTURE(job, rank, line.quantity, line.formula, line.substituted, line.value.text);
        // A simulation and a queue have no formula; what goes into them has.
        if (line.formula == say("median over simulated requests")) continue;
        if (line.formula == say("median of steps that read the prompts which came at random")) continue;
        // Whole streams of blocks and clocks are rounded down.
        if (!test::evaluated(line) || line.quantity.starts_with("streams by")) {
          CHECK(is_in_words(line.quantity));
          CHECK((line.quantity != "memory.weights.stored" || line.substituted.empty()));
          continue;
        }
        REQUIRE(line.value.number);
        CHECK(test::adds_up(line) == true);
        evaluated.insert(line.quantity);
      }
    }
  }
  for (const char* often : {"inference.decode_step",
                            "inference.decode_step.device",
                            "inference.prefill",
                            "inference.requests_per_s",
                            "inference.output_tokens_per_s",
                            "training.compute",
                            "training.communication",
                            "training.step_time",
                            "workspace.logits",
                            "workspace.buffers",
                            "memory.weights",
                            "memory.gradients",
                            "memory.optimizer",
                            "memory.activations",
                            "memory.framework",
                            "memory.kv_cache",
                            "memory.total",
                            "samples.products",
                            "cost.total",
                            "cost.hourly",
                            "score"})
    CHECK(evaluated.contains(often));
}

}  // namespace trace_arithmetic_test
