// Speculative decoding and prompts on replicas of their own: what they cost in memory, and when they pay.
#include <catch2/catch.hpp>
#include <cmath>

#include "physics/serving/inference_load.hpp"
#include "support/job.hpp"

namespace speculation_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;

namespace {

const std::string kJob = "task=inference model=llama-3.1-70b input_tokens=1024 output_tokens=256 tp=4";

job::Job drafted(const std::string& words) {
  auto work = job::resolve(test::request(kJob + " speculative=llama-3.2-1b " + words), test::model("llama-3.1-70b"),
                           test::shipped(), &test::model("llama-3.2-1b"));
  REQUIRE(work);
  return std::move(*work);
}

physics::Plan on_four(const job::Job& work) { return test::plan_inference(work, test::machine("h100-sxm-80gb", 4)); }

double itl(const job::Job& work) { return on_four(work).serving->speed.itl().raw(); }

}  // namespace

TEST_CASE("a draft model takes its weights and its cache beside the model's") {
  const auto plain = on_four(job(kJob + " mode=single-stream"));
  const auto both = on_four(drafted("mode=single-stream"));
  // 1.236e9 parameters of 2 bytes over 4 ranks
  const double weights = (both.memory.weights - plain.memory.weights).raw();
  CHECK(weights == Approx(1.2358e9 * 2 / 4).epsilon(0.001));
  // 16 layers × 2 × 2 heads of 64 per rank × 2 bytes × 1280 tokens
  const double cache = (both.memory.kv_cache - plain.memory.kv_cache).raw();
  CHECK(cache == Approx(16.0 * 2 * 2 * 64 * 2 * 1280));
}

TEST_CASE("drafting pays where reading weights is the price of a token") {
  const double alone = itl(job(kJob + " mode=single-stream"));
  CHECK(itl(drafted("mode=single-stream")) < 0.7 * alone);
  // (1 − 0.7^5) ÷ 0.3 = 2.77 tokens per pass at the very best
  CHECK(itl(drafted("mode=single-stream")) > alone / 2.78);
  CHECK(itl(drafted("mode=single-stream acceptance_rate=0")) > alone);
  // a full batch fills the GPU by itself
  const double crowd = itl(job(kJob + " concurrency=256"));
  CHECK(itl(drafted("concurrency=256")) / crowd > itl(drafted("mode=single-stream")) / alone);
}

TEST_CASE("the explanation tells how many tokens a pass brings, unless all stand") {
  const auto told = [](const std::string& words) {
    const auto work = drafted("mode=single-stream " + words);
    const auto choice = on_four(work);
    Trace trace;
    const auto machine = test::machine("h100-sxm-80gb", 4);
    const auto memory = inference_memory(work, machine, choice.layout, test::coefficients());
    inference_speed(work, machine, choice.layout, memory, test::coefficients(), &trace);
    for (const TraceLine& line : trace)
      if (line.quantity == "inference.speculation.tokens_per_pass") return line.value.text;
    return std::string();
  };
  CHECK(told("acceptance_rate=0.5") == "1.938");  // (1 − 0.5^5) ÷ 0.5
  CHECK(told("acceptance_rate=1").empty());
}

TEST_CASE("a pass brings the drafted tokens that stand and one more") {
  job::Draft draft;
  draft.tokens = 4;
  draft.acceptance_rate = 0.5;
  CHECK(tokens_per_pass(draft) == Approx(1.9375));  // 1 + 0.5 + 0.25 + 0.125 + 0.0625
  draft.acceptance_rate = 1;
  CHECK(tokens_per_pass(draft) == 5);
}

TEST_CASE("a draft model runs on all ranks where they divide its heads, and whole otherwise") {
  catalog::Model draft = test::model("llama-3.2-1b");
  const auto ranks = [&](int tp) { return draft_plan(draft, test::serving("fp16", tp)).tp; };
  draft.heads = 6;
  CHECK(ranks(2) == 2);
  CHECK(ranks(4) == 1);
  draft.heads = {};
  CHECK(ranks(2) == 1);
}

TEST_CASE("the more drafted tokens stand the sooner the next one comes") {
  double before = 1e9;
  for (const std::string rate : {"0", "0.3", "0.6", "0.8", "0.95", "1"}) {
    const double now = itl(drafted("mode=single-stream acceptance_rate=" + rate));
    CAPTURE(rate);
    CHECK(now < before);
    before = now;
  }
}

TEST_CASE("a draft has to be a smaller generator and its figures need one") {
  const auto refused = [](const std::string& words, const char* draft) {
    const auto work = job::resolve(test::request(kJob + " " + words), test::model("llama-3.1-70b"), test::shipped(),
                                   draft != nullptr ? &test::model(draft) : nullptr);
    REQUIRE_FALSE(work);
    return work.error().where;
  };
  CHECK(refused("speculative=llama-3.1-405b", "llama-3.1-405b") == "speculative");
  CHECK(refused("speculative=bert-base", "bert-base") == "speculative");
  CHECK(refused("speculative=nobody", nullptr) == "speculative");
  CHECK(refused("acceptance_rate=0.5", nullptr) == "acceptance_rate");
  CHECK(refused("speculative_tokens=3", nullptr) == "speculative_tokens");
}

TEST_CASE("of divisions of the replicas that all keep up, the one that answers soonest is taken") {
  // One reader is enough for 2 × 128 tokens a second; the fewer replicas generate, the larger are their batches.
  const auto machine = test::machine("h100-sxm-80gb", 4);
  const auto work = job(
      "task=inference model=llama-3.1-8b input_tokens=128 output_tokens=512 request_rate=2 disaggregated_prefill=true");
  Layout plan = test::serving("bf16");
  plan.dp = 4;
  const auto memory = inference_memory(work, machine, plan, test::coefficients());
  const auto speed = inference_speed(work, machine, plan, memory, test::coefficients());
  REQUIRE(speed);
  CHECK(speed->prefill_replicas == 1);
}

TEST_CASE("at a rate the first token of an answer apart comes behind its cache, which is handed over") {
  const auto machine = test::machine("h100-sxm-80gb", 2);
  const std::string words = "task=inference model=llama-3.1-8b input_tokens=4096 output_tokens=64 request_rate=0.01";
  Layout plan = test::serving("bf16");
  plan.dp = 2;
  const auto ttft = [&](const job::Job& work) {
    const auto memory = inference_memory(work, machine, plan, test::coefficients());
    return inference_speed(work, machine, plan, memory, test::coefficients()).value().ttft().raw();
  };
  // Beside the others, who hardly ever meet, a first token comes with the prompt.
  CHECK(ttft(job(words + " disaggregated_prefill=true")) > ttft(job(words)));
}

TEST_CASE("replicas that only generate are not held up by prompts") {
  const std::string words = "task=inference model=llama-3.1-8b input_tokens=4096 output_tokens=512 tp=1 concurrency=96";
  const auto machine = test::machine("h100-sxm-80gb", 4);
  const auto mixed = test::plan_inference(job(words), machine);
  const auto apart = test::plan_inference(job(words + " disaggregated_prefill=true"), machine);
  REQUIRE(apart.rate > 0);
  CHECK(mixed.serving->speed.prefill_replicas == 0);
  CHECK(apart.serving->speed.prefill_replicas >= 1);
  CHECK(apart.serving->speed.prefill_replicas < apart.layout.dp);
  // 96 requests on three replicas or fewer, each step of a larger batch, but no prompts between two tokens
  const double batch = apart.serving->speed.in_flight / (apart.layout.dp - apart.serving->speed.prefill_replicas);
  const Seconds step = test::decode_step(job(words), machine, apart.layout, batch, 4096 + 256, test::coefficients());
  CHECK(apart.serving->speed.itl().raw() == Approx(step.raw()).epsilon(0.02));
}

TEST_CASE("no division of replicas serves more than its prompts are read") {
  for (const std::string lengths : {"input_tokens=8192 output_tokens=64", "input_tokens=128 output_tokens=2048"}) {
    const auto choice =
        test::plan_inference(job("task=inference model=llama-3.1-8b tp=1 disaggregated_prefill=true " + lengths),
                             test::machine("a100-sxm-80gb", 8));
    CAPTURE(lengths, choice.serving->speed.prefill_replicas);
    // long prompts take most replicas, long answers leave prompts one
    CHECK((choice.serving->speed.prefill_replicas > 4) == lengths.starts_with("input_tokens=8192"));
  }
}

TEST_CASE("a replica alone cannot both read and answer apart") {
  const auto machine = test::machine("h100-sxm-80gb");
  const auto work = job("task=inference model=llama-3.1-8b disaggregated_prefill=true");
  const Layout plan = test::serving("bf16");
  const auto memory = inference_memory(work, machine, plan, test::coefficients());
  CHECK_FALSE(inference_speed(work, machine, plan, memory, test::coefficients()));
}

TEST_CASE("prompts and answers apart need two replicas") {
  const auto alone = physics::plan_inference(job("task=inference model=llama-3.1-8b disaggregated_prefill=true"),
                                             test::machine("h100-sxm-80gb"), test::coefficients());
  REQUIRE_FALSE(alone);
  CHECK(alone.error().where == "disaggregated_prefill");
  const auto stream = test::try_job("task=inference model=llama-3.1-8b mode=single-stream disaggregated_prefill=true");
  REQUIRE_FALSE(stream);
  CHECK(stream.error().where == "disaggregated_prefill");
}

}  // namespace speculation_test
