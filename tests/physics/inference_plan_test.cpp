// The planner of serving: legal, faithful to what is pinned, and honest about what does not fit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "physics/kinds/physics.hpp"
#include "support/job.hpp"

namespace inference_plan_test {

using namespace gpusel;
using namespace gpusel::physics;
using gpusel::test::job;
using job::Job;
using physics::Machine;

namespace {

void check_legal(const Job& work, const Machine& machine, const Plan& choice) {
  const auto& p = choice.layout;
  CAPTURE(p.tp, p.pp, p.ep, p.dp);
  CHECK(p.tp * p.pp * p.dp <= machine.gpus());
  CHECK(p.dp >= 1);
  CHECK(std::fmod(*work.model->heads, p.tp) == 0);
  CHECK(p.pp <= work.parameters.layers);
  CHECK(p.tp <= machine.gpus_per_node);
  REQUIRE(p.weights != nullptr);
  if (choice.fits) CHECK(choice.memory.total() <= machine.device.usable);
  if (choice.fits && work.model->is_generator()) CHECK(choice.serving->room.max_concurrency >= 1);
  const bool misses = choice.problem.kind == Problem::Kind::memory || choice.problem.kind == Problem::Kind::cache ||
                      choice.problem.kind == Problem::Kind::refused;
  CHECK(choice.fits != misses);
}

Error refused(std::string_view words, const Machine& machine) {
  const auto choice = physics::plan_inference(job(words), machine, test::coefficients());
  CAPTURE(words);
  REQUIRE_FALSE(choice);
  return choice.error();
}

const std::vector<std::string> kModels{"gpt2",        "bert-base",     "gemma-2b",     "llama-7b",    "qwen2.5-7b",
                                       "qwen2.5-14b", "llama-3.1-70b", "mixtral-8x7b", "gpt-oss-20b", "deepseek-v3"};

}  // namespace

TEST_CASE("as many requests are kept in flight as meet the targets, and not one more") {
  const Machine machine = test::machine("h100-sxm-80gb");
  for (const int gap : {10, 11, 12, 13, 14, 15, 17, 19}) {
    // With an even chance: more confidence keeps fewer.
    const std::string words =
        "task=inference model=llama-3.1-8b mode=online confidence=0.5 tpot=" + std::to_string(gap);
    const Plan open = test::plan_inference(job(words), machine);
    const auto most = static_cast<int>(open.serving->room.concurrency);
    CAPTURE(gap, most);
    REQUIRE(open.meets_targets);
    REQUIRE(most > 1);
    const auto with = [&](int requests) {
      return test::plan_inference(job(words + " concurrency=" + std::to_string(requests)), machine).meets_targets;
    };
    CHECK(with(most));
    CHECK_FALSE(with(most + 1));
    const Plan sure = test::plan_inference(job(words + " confidence=0.9"), machine);
    CHECK(sure.serving->room.concurrency < open.serving->room.concurrency);
  }
}

TEST_CASE("GPUs that no replica uses are told of, and only those") {
  const auto notes = [](const std::string& words, int gpus) {
    const Job work = job("task=inference model=llama-3.1-8b " + words);
    const Machine machine = test::machine("h100-sxm-80gb", gpus);
    std::vector<std::string> out;
    physics_of(work).add_departures(work, machine, test::plan_inference(work, machine), out);
    return std::ranges::count_if(out, [](const auto& note) { return note.find("GPUs are idle") != std::string::npos; });
  };
  CHECK(notes("mode=online", 4) == 0);
  CHECK(notes("tp=4", 6) == 1);
  CHECK(notes("tp=4 mode=single-stream", 8) == 0);  // who waits alone keeps one replica
}

TEST_CASE("figures are less sure for replicas that lie over several nodes") {
  const Job work = job("task=inference model=llama-3.1-70b");
  const auto width = [&](int tp, int pp) {
    Plan plan = test::plan_inference(work, test::machine("h100-sxm-80gb", 16));
    plan.layout.tp = tp;
    plan.layout.pp = pp;
    const Interval of =
        physics_of(work).ratios(work, test::machine("h100-sxm-80gb", 16), plan, test::coefficients()).rate;
    return std::log(of.high / of.low);
  };
  CHECK(width(8, 1) == Approx(width(4, 1)));  // all of one node
  CHECK(width(8, 2) == Approx(width(8, 1) * test::coefficients().interval_widening.of("nodes")));
}

TEST_CASE("no serving plan is illegal on any machine") {
  const auto model = GENERATE(from_range(kModels));
  const auto words = GENERATE(Catch::Generators::as<std::string>{}, "", "mode=single-stream", "request_rate=1",
                              "engine=llama.cpp", "weights_precision=w4a16");
  const auto gpu = GENERATE(Catch::Generators::as<std::string>{}, "t4", "v100-sxm2-16gb", "rtx-4090", "a100-sxm-80gb",
                            "mi300x-192gb");
  const bool engine_open = words.find("engine") == std::string::npos;  // an encoder's is none of those by itself
  const Job work =
      job("task=inference model=" + model + (words.empty() ? "" : " " + words) + (engine_open ? " engine=vllm" : ""));
  for (const auto& [gpus, node] : {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 6}, {8, 8}, {16, 8}, {32, 8}}) {
    const Machine machine = test::machine(gpu, gpus, node);
    CAPTURE(model, words, gpu, gpus, node);
    check_legal(work, machine, test::plan_inference(work, machine));
  }
}

TEST_CASE("no serving plan cuts K/V heads or the blocks of FP8 weights") {
  const Plan phi = test::plan_inference(job("task=inference model=phi-4"), test::machine("h100-sxm-80gb", 8));
  CHECK(std::fmod(10, phi.layout.tp) == 0);
  for (const std::string_view model : {"qwen3-235b-a22b", "qwen3-coder-480b-a35b", "minimax-m2"}) {
    CAPTURE(model);
    const Plan plan = test::plan_inference(job("task=inference weights_precision=fp8 model=" + std::string(model)),
                                           test::machine("h200-sxm-141gb", 8));
    CHECK((plan.layout.tp < 8 || plan.layout.ep > 1));
    CHECK(plan.fits);
  }
}

TEST_CASE("what serving pins is kept") {
  const Machine machine = test::machine("h100-sxm-80gb", 8);
  const Plan choice = test::plan_inference(
      job("task=inference model=llama-3.1-8b tp=2 dp=3 kv_precision=fp8 weights_precision=fp8 concurrency=12"),
      machine);
  CHECK(choice.layout.tp == 2);
  CHECK(choice.layout.dp == 3);
  CHECK(choice.layout.kv == job::KvPrecision::fp8);
  CHECK(choice.layout.weights->name == "fp8");
  CHECK(choice.serving->room.concurrency == 12);
  CHECK(test::plan_inference(job("task=inference model=llama-3.1-8b pp=2"), machine).layout.pp == 2);
  CHECK(test::plan_inference(job("task=inference model=llama-3.1-8b tp=8"), machine).layout.tp == 8);
}

TEST_CASE("serving pins that cannot hold are errors at their key that say why") {
  const Machine machine = test::machine("h100-sxm-80gb", 8);
  const Error heads = refused("task=inference model=llama-7b tp=5", machine);
  CHECK(heads.where == "tp");
  CHECK(heads.message.find("32") != std::string::npos);
  const Error many = refused("task=inference model=llama-7b tp=4 dp=4", machine);
  CHECK(many.where == "gpus");
  CHECK(many.message.find("16") != std::string::npos);
  const Error format = refused("task=inference model=llama-7b weights_precision=q9_0", machine);
  CHECK(format.where == "weights_precision");
}

TEST_CASE("a model that does not fit for serving is reported with all its figures") {
  const Machine machine = test::machine("t4");
  const Plan choice = test::plan_inference(job("task=inference model=llama-3.1-70b"), machine);
  CHECK_FALSE(choice.fits);
  CHECK(choice.problem.kind == Problem::Kind::memory);
  CHECK(choice.problem.missing_gib() > 0);
  CHECK(choice.problem.available_gib == Approx(in_gib(machine.device.usable)));
  CHECK(choice.memory.weights.raw() == Approx(2 * 70.55e9).epsilon(0.01));
  CHECK(choice.rate > 0);
  CHECK_FALSE(choice.is_usable());
}

TEST_CASE("a request that is too long for the cache is told so and not that weights do not fit") {
  const Machine machine = test::machine("rtx-4090");
  // 14 of 24 GB are weights; 32768 tokens at 0.5 MiB would be 16 GiB more.
  const Plan choice =
      test::plan_inference(job("task=inference model=llama-2-7b input_tokens=32000 output_tokens=768"), machine);
  CHECK_FALSE(choice.fits);
  CHECK(choice.problem.kind == Problem::Kind::cache);
  CHECK(choice.problem.request_tokens == 32768);
  CHECK(choice.problem.text().find("32768") != std::string::npos);
}

TEST_CASE("well-known models are served where they are known to fit") {
  struct Known {
    std::string words;
    std::string gpu;
    int gpus;
    bool fits;
  };
  const auto known = GENERATE(values<Known>({
      {"model=llama-7b", "rtx-4090", 1, true},                                    // 13.5 GB of weights in 24
      {"model=llama-7b", "t4", 1, false},                                         // 12.6 GiB of weights, 15 GiB × 0.9
      {"model=llama-7b weights_precision=w4a16", "t4", 1, true},                  // 3.6 GiB
      {"model=llama-3.1-8b", "l4", 1, true},                                      // 15 GiB in 22
      {"model=llama-3.1-70b", "h100-sxm-80gb", 1, false},                         // 131 GiB in 79
      {"model=llama-3.1-70b", "h100-sxm-80gb", 4, true},                          // 33 GiB each
      {"model=llama-3.1-70b weights_precision=w4a16", "a100-sxm-80gb", 1, true},  // 37 GiB
      {"model=mixtral-8x7b", "a100-sxm-80gb", 1, false},                          // 87 GiB: all experts
      {"model=mixtral-8x7b", "a100-sxm-80gb", 2, true},
      {"model=deepseek-v3", "h100-sxm-80gb", 8, false},  // 671 GB at FP8 in 640
      {"model=deepseek-v3", "h200-sxm-141gb", 8, true},  // the vendor's own advice
      {"model=gpt-oss-20b", "rtx-4090", 1, true},        // made for 16 GB
  }));
  const Plan choice =
      test::plan_inference(job("task=inference concurrency=1 " + known.words), test::machine(known.gpu, known.gpus));
  CAPTURE(known.words, known.gpu, known.gpus, in_gib(choice.memory.total()), choice.problem.text());
  CHECK(choice.fits == known.fits);
}

TEST_CASE("more memory never turns a model that is served into one that is not") {
  const auto model =
      GENERATE(Catch::Generators::as<std::string>{}, "gpt2", "llama-7b", "mixtral-8x7b", "llama-3.1-70b");
  const auto words =
      GENERATE(Catch::Generators::as<std::string>{}, "concurrency=1", "concurrency=64", "mode=throughput");
  const auto gpus = GENERATE(1, 4);
  const Job work = job("task=inference model=" + model + " " + words);
  bool fitted = false;
  double room = 0;
  for (const double memory : {4.0, 8.0, 16.0, 24.0, 48.0, 80.0, 141.0, 192.0, 512.0}) {
    Machine machine = test::machine("h100-sxm-80gb", gpus);
    machine.device.usable = gib(memory);
    const Plan choice = test::plan_inference(work, machine);
    CAPTURE(model, words, gpus, memory);
    if (fitted) CHECK(choice.fits);
    fitted = fitted || choice.fits;
    // The same plan has room for more.
    const auto same = physics::inference_memory(work, machine, test::serving("bf16", gpus), test::coefficients());
    CHECK(same.max_concurrency >= room);
    room = same.max_concurrency;
  }
  CHECK(fitted);
}

TEST_CASE("more memory bandwidth never makes the chosen serving plan slower") {
  const auto model = GENERATE(Catch::Generators::as<std::string>{}, "gemma-2b", "llama-3.1-8b", "mixtral-8x7b");
  const auto mode =
      GENERATE(Catch::Generators::as<std::string>{}, "mode=single-stream", "mode=throughput", "concurrency=8");
  const Job work = job("task=inference model=" + model + " " + mode);
  double before = 0;
  for (const double factor : {0.5, 1.0, 2.0, 4.0}) {
    Machine machine = test::machine("h100-sxm-80gb", 4);
    machine.device.bandwidth = machine.device.bandwidth * factor;
    const double now = test::plan_inference(work, machine).rate;
    CAPTURE(model, mode, factor);
    // Plans within a thousandth of each other are equals to the planner.
    CHECK(now >= before * 0.999);
    before = now;
  }
}

TEST_CASE("an eight-bit cache never serves fewer requests at once") {
  const auto model = GENERATE(from_range(kModels));
  const Machine machine = test::machine("a100-sxm-80gb", 8);
  const auto room = [&](const std::string& cache) {
    return test::plan_inference(job("task=inference tp=8 pp=1 model=" + model + " kv_precision=" + cache), machine)
        .serving->room.max_concurrency;
  };
  if (*test::model(model).heads >= 8 && std::fmod(*test::model(model).heads, 8) == 0)
    CHECK(room("fp8") >= room("fp16"));
}

TEST_CASE("targets of latency lower the requests in flight until they hold") {
  const Machine machine = test::machine("h100-sxm-80gb");
  const Plan free = test::plan_inference(job("task=inference model=llama-3.1-8b"), machine);
  const Plan bound = test::plan_inference(job("task=inference model=llama-3.1-8b tpot=15 confidence=0.5"), machine);
  REQUIRE(free.rate > 0);
  REQUIRE(bound.rate > 0);
  REQUIRE(in_ms(free.serving->speed.itl()) > 15);
  CHECK(bound.meets_targets);
  CHECK(in_ms(bound.serving->speed.itl()) <= 15);
  CHECK(bound.serving->room.concurrency < free.serving->room.concurrency);
  CHECK(bound.serving->room.concurrency > 1);
  // The most that holds: one request more would miss the target.
  const auto one_more = std::to_string(static_cast<int>(bound.serving->room.concurrency) + 1);
  const Plan more = test::plan_inference(
      job("task=inference mode=throughput model=llama-3.1-8b tpot=15 concurrency=" + one_more), machine);
  CHECK_FALSE(more.meets_targets);
}

TEST_CASE("targets that nothing meets are a problem with the figures") {
  const Plan choice =
      test::plan_inference(job("task=inference model=llama-3.1-8b tpot=0.01"), test::machine("h100-sxm-80gb"));
  CHECK(choice.fits);
  CHECK_FALSE(choice.meets_targets);
  CHECK(choice.problem.kind == Problem::Kind::latency);
  CHECK_FALSE(choice.is_usable());
}

TEST_CASE("traffic needs the cache of the requests in flight, not of all that fit") {
  const Machine machine = test::machine("h100-sxm-80gb");
  const auto cache = [&](const std::string& words) {
    return in_gib(test::plan_inference(job("task=inference model=llama-3.1-8b " + words), machine).memory.kv_cache);
  };
  CHECK(cache("request_rate=1") < cache("request_rate=8"));
  CHECK(cache("request_rate=8") < cache("mode=throughput") / 2);
}

TEST_CASE("traffic that one machine cannot serve is a problem with its rate") {
  const Plan choice =
      test::plan_inference(job("task=inference model=llama-3.1-8b request_rate=5000"), test::machine("l4"));
  CHECK(choice.problem.kind == Problem::Kind::too_much_traffic);
  CHECK(choice.problem.asked_per_s == 5000);
  CHECK(choice.problem.text().find("5000") != std::string::npos);
}

TEST_CASE("serving at 16 bit has weights as its least memory") {
  const Job work = job("task=inference model=llama-7b");
  CHECK(physics::least_total_memory(work, test::machine("h100-sxm-80gb").device).raw() == Approx(2 * 6.73841562e9));
  CHECK(physics::least_time(work, test::machine("h100-sxm-80gb")).raw() == 0);
}

TEST_CASE("the planner chooses among the formats that are allowed") {
  const Machine ada = test::machine("l4");
  const auto chosen = [&](const std::string& words) {
    return test::plan_inference(job("task=inference model=llama-3.1-8b mode=single-stream" + words), ada)
        .layout.weights->name;
  };
  // Batch 1 reads all weights per token: the fewest bits win, if they may.
  CHECK(chosen("") == "bf16");
  CHECK(chosen(" allow_precisions=bf16,fp8") == "fp8");
  CHECK(chosen(" allow_precisions=any") == "w4a16");
  CHECK(chosen(" allow_precisions=native") == "bf16");
  CHECK(chosen(" allow_precisions=fp8,bf16") == chosen(" allow_precisions=bf16,fp8"));
}

TEST_CASE("fewer bits that bring nothing are not chosen") {
  // Ampere widens fp8 before use: a full batch is no faster for it
  const Machine ampere = test::machine("a100-sxm-80gb");
  const auto choice =
      test::plan_inference(job("task=inference model=llama-3.2-1b allow_precisions=bf16,fp8 concurrency=256"), ampere);
  CHECK(choice.layout.weights->name == "bf16");
}

TEST_CASE("a runner-up is of another layout or format and not better") {
  const Machine machine = test::machine("a100-sxm-80gb", 8);
  const auto work = job("task=inference model=llama-3.1-70b");
  const auto choice = test::plan_inference(work, machine);
  REQUIRE(choice.runner_up);
  CHECK(layout_text(work, choice.runner_up->layout) != layout_text(work, choice.layout));
  CHECK(choice.runner_up->sequences_per_s <= choice.sequences_per_s * 1.001);
}

TEST_CASE("formats to choose among are checked") {
  const Machine machine = test::machine("h100-sxm-80gb");
  const Error unknown = refused("task=inference model=llama-3.1-8b allow_precisions=fp8,fp9", machine);
  CHECK(unknown.where == "allow_precisions");
  CHECK(unknown.message.find("fp9") != std::string::npos);
  const auto both = test::try_job("task=inference model=llama-3.1-8b allow_precisions=fp8 weights_precision=bf16");
  REQUIRE_FALSE(both);
  CHECK(both.error().where == "allow_precisions");
}

TEST_CASE("what is about arriving requests needs their rate") {
  for (const std::string key : {"max_load=0.5", "redundancy=1", "strict_slo=true"}) {
    const auto work = test::try_job("task=inference model=llama-3.1-8b " + key);
    CAPTURE(key);
    REQUIRE_FALSE(work);
    CHECK(work.error().where == key.substr(0, key.find('=')));
  }
  const auto aimless = test::try_job("task=inference model=llama-3.1-8b request_rate=1 strict_slo=true");
  REQUIRE_FALSE(aimless);
  CHECK(aimless.error().where == "strict_slo");
}

TEST_CASE("only formats that the GPU has kernels for are chosen among") {
  const Machine volta = test::machine("v100-sxm2-32gb");
  const auto formats = allowed_formats(job("task=inference model=llama-3.1-8b allow_precisions=any"), volta.device);
  REQUIRE(formats);
  std::vector<std::string_view> names;
  for (const auto* format : *formats) names.push_back(format->name);
  CHECK(names == std::vector<std::string_view>{"fp16", "w4a16"});  // 8-bit products start with Turing, fp8 with Ampere
  const Error none = refused("task=inference model=llama-3.1-8b allow_precisions=nvfp4,fp8", volta);
  CHECK(none.where == "allow_precisions");
}

TEST_CASE("targets that nothing meets get the plan that comes nearest") {
  const auto choice = test::plan_inference(job("task=inference model=llama-3.1-70b mode=online ttft=50 tpot=5"),
                                           test::machine("h100-sxm-80gb", 8));
  CHECK_FALSE(choice.meets_targets);
  CHECK(choice.problem.kind == Problem::Kind::latency);
  CHECK(choice.layout.tp == 8);
  CHECK(choice.serving->room.concurrency == 1);
}

TEST_CASE("strict targets are judged and reported at the 95th percentile") {
  const auto choice =
      test::plan_inference(job("task=inference model=llama-3.1-8b request_rate=20 ttft=200 tpot=1 strict_slo=true"),
                           test::machine("h100-sxm-80gb", 4));  // 16 GB of weights at 4 × 3.35 TB/s take over 1 ms
  REQUIRE_FALSE(choice.meets_targets);
  REQUIRE(choice.serving->speed.load);
  CHECK(choice.problem.percentile == 95);
  CHECK(choice.problem.itl_ms == Approx(in_ms(choice.serving->speed.itl_within(95))));
  CHECK(choice.problem.text().find("95 % of requests") != std::string::npos);
}

TEST_CASE("a rate and one request at a time exclude each other") {
  const auto work = test::try_job("task=inference model=llama-3.1-8b mode=single-stream request_rate=3");
  REQUIRE_FALSE(work);
  CHECK(work.error().where == "request_rate");
  CHECK_FALSE(job("task=inference model=llama-3.1-8b concurrency=8 request_rate=3").inference.concurrency);
}

TEST_CASE("what a machine serves at full load it serves at a lower rate, however long the answers") {
  const Machine machine = test::machine("rtx-a6000-48gb");
  for (const int output : {96, 104, 108, 112, 116, 128}) {
    const std::string words =
        "task=inference model=llama-3.1-8b input_tokens=1024 output_tokens=" + std::to_string(output);
    const Plan full = test::plan_inference(job(words + " mode=throughput"), machine);
    REQUIRE(full.sequences_per_s > 0);
    for (const double load : {0.5, 0.8, 0.85}) {
      const std::string rate = " request_rate=" + std::to_string(load * full.sequences_per_s);
      CAPTURE(output, load);
      CHECK(test::plan_inference(job(words + rate), machine).rate > 0);
    }
  }
}

}  // namespace inference_plan_test
