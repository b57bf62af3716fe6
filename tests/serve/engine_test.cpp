// One replica: what is admitted when, what a step holds, what a full cache does, what prefixes save.
#include <catch2/catch.hpp>
#include <cmath>

#include "serve/load/random.hpp"
#include "serve/service.hpp"

namespace serve_engine_test {

using namespace gpusel::serve;

namespace {

constexpr double kStep = 0.01;     // s, of every step
constexpr double kToken = 0.0001;  // s, of every prompt token in it

StepTimes plain() {
  StepTimes times;
  times.fixed = kStep;
  times.between = kToken;
  return times;
}

Scheduling roomy() {
  Scheduling scheduling;
  scheduling.kv_tokens = 1'000'000;
  scheduling.batched_tokens = 1000;
  return scheduling;
}

Requests of(std::vector<Request> all) {
  Requests requests;
  requests.all = std::move(all);
  return requests;
}

Run run(const Requests& requests, const StepTimes& times, const Scheduling& scheduling, std::uint32_t users = 0) {
  return serve_requests(requests, times, scheduling, {}, users, {}, 1);
}

/// Many requests of many lengths.
Requests crowd(std::uint64_t seed, double rate, int count = 2000) {
  Requests requests;
  Random random(seed, 1);
  double at = 0;
  for (int i = 0; i < count; ++i) {
    at += random.gap() / rate;
    requests.all.push_back({at, static_cast<std::uint32_t>(1 + random.share() * 1500),
                            static_cast<std::uint32_t>(1 + random.share() * 300), 0, 0});
  }
  return requests;
}

double mean(const Run& run, float Served::* value) {
  double sum = 0;
  for (const Served& served : run.served) sum += served.*value;
  return sum / static_cast<double>(run.served.size());
}

}  // namespace

TEST_CASE("a lone request takes its prompt's step, a step per token, and the front end") {
  Scheduling scheduling = roomy();
  scheduling.front_end = 0.005;
  const Run alone = run(of({{0, 500, 11, 0, 0}}), plain(), scheduling);
  const double prompt = kStep + 500 * kToken;
  CHECK(alone.served[0].ttft == Approx(0.005 + prompt));
  CHECK(alone.served[0].e2e == Approx(0.005 + prompt + 10 * kStep));
  CHECK(alone.served[0].tpot(11) == Approx(kStep));
  scheduling.async = true;
  const Run ahead = run(of({{0, 500, 11, 0, 0}}), plain(), scheduling);
  CHECK(ahead.served[0].ttft == Approx(0.005 + prompt + kStep));
  CHECK(ahead.served[0].tpot(11) == Approx(kStep));
}

TEST_CASE("through a pipeline a prompt takes all of its stages, and each step one batch's time") {
  StepTimes times = plain();
  times.stages = 4;
  const Requests requests = of({{0, 400, 11, 0, 0}});
  const Run piped = run(requests, times, roomy());
  const double prompt = kStep + 400 * kToken;
  CHECK(piped.served[0].ttft == Approx(prompt));
  CHECK(piped.served[0].e2e == Approx(prompt + 10 * kStep));
  Scheduling ahead = roomy();
  ahead.async = true;
  const Run async = run(requests, times, ahead);
  CHECK(async.served[0].ttft == Approx(prompt + kStep));
  CHECK(async.served[0].tpot(11) == Approx(kStep));
}

TEST_CASE("all batches of a pipeline wait for the one that reads a prompt, in every stage") {
  StepTimes times = plain();
  times.stages = 2;
  // Two sequences decode, one in each batch, when a prompt comes.
  const Requests requests = of({{0, 10, 200, 0, 0}, {0, 10, 200, 0, 0}, {0.1, 800, 5, 0, 0}});
  CHECK(run(requests, times, roomy()).usage.gaps.most() == Approx(kStep + 800 * kToken).epsilon(0.01));
  // What is more than one batch takes goes into the other, which is under way as long: 1,000 tokens and 600.
  const Requests two = of({{0, 10, 200, 0, 0}, {0, 10, 200, 0, 0}, {0.1, 800, 5, 0, 0}, {0.1, 800, 5, 0, 0}});
  CHECK(run(two, times, roomy()).usage.gaps.most() == Approx(kStep + 999 * kToken).epsilon(0.01));
}

TEST_CASE("the step scheduled ahead has none of the prompts that come behind one's own") {
  // The second comes during the first one's prompt: its prompt is a gap of the first, and no part of its wait.
  Scheduling ahead = roomy();
  ahead.async = true;
  const Run two = run(of({{0, 500, 11, 0, 0}, {kStep, 900, 5, 0, 0}}), plain(), ahead);
  const double prompt = kStep + 500 * kToken;
  CHECK(two.served[0].ttft == Approx(prompt + kStep));
  CHECK(two.served[0].tpot(11) == Approx(kStep + 90 * kToken));
}

TEST_CASE("a request that comes during a step waits for the next one") {
  // The second comes in the middle of the first one's third step.
  const double prompt = kStep + 100 * kToken;
  const Requests requests = of({{0, 100, 50, 0, 0}, {prompt + 1.5 * kStep, 200, 5, 0, 0}});
  const Run two = run(requests, plain(), roomy());
  CHECK(two.served[1].queued == Approx(0.5 * kStep));
  CHECK(two.served[1].ttft == Approx(0.5 * kStep + kStep + 200 * kToken));
  // Its prompt shows as one long gap of the first.
  CHECK(two.served[0].e2e == Approx(prompt + 49 * kStep + 200 * kToken));
}

TEST_CASE("a prompt over the budget is read in parts, and the others' gaps are as long as a part") {
  const Requests requests = of({{0, 10, 200, 0, 0}, {0.1, 3500, 5, 0, 0}});
  const Run parts = run(requests, plain(), roomy());
  // 999 tokens go into each step beside the sequence that decodes: four steps.
  CHECK(parts.served[1].ttft - parts.served[1].queued == Approx(4 * kStep + 3500 * kToken));
  CHECK(parts.usage.gaps.most() == Approx(kStep + 999 * kToken).epsilon(0.01));
  Scheduling whole = roomy();
  whole.chunked_prefill = false;
  const Run one = run(requests, plain(), whole);
  CHECK(one.served[1].ttft - one.served[1].queued == Approx(kStep + 3500 * kToken));
  CHECK(one.usage.gaps.most() == Approx(kStep + 3500 * kToken).epsilon(0.01));
}

TEST_CASE("where prompts come first, decoding waits for all of them") {
  Scheduling first = roomy();
  first.order = Scheduling::Order::prompts_first;
  const Requests requests = of({{0, 10, 100, 0, 0}, {0.1, 1000, 5, 0, 0}, {0.1, 1000, 5, 0, 0}});
  const Run run_first = run(requests, plain(), first);
  // The gap is both passes and a step.
  CHECK(run_first.usage.gaps.most() == Approx(3 * kStep + 2000 * kToken).epsilon(0.01));
  CHECK(run(requests, plain(), roomy()).usage.gaps.most() < 2 * kStep + 1000 * kToken);
}

TEST_CASE("no more sequences run than may") {
  Scheduling few = roomy();
  few.max_sequences = 3;
  const Run run_few = run(crowd(1, 1000, 200), plain(), few);
  CHECK(run_few.usage.batch.most() == 3);
}

TEST_CASE("a cache that is full sends back those that came last, and no token is lost") {
  Scheduling tight = roomy();
  tight.kv_tokens = 4000;
  const Requests requests = crowd(2, 50, 500);
  const Run full = run(requests, plain(), tight);
  std::uint64_t preempted = 0;
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < requests.all.size(); ++i) {
    REQUIRE(full.served[i].done());
    preempted += full.served[i].preempted;
    tokens += requests.all[i].output;
  }
  CHECK(preempted > 0);
  CHECK(full.usage.generated == tokens);
  CHECK(full.usage.cache_peak <= 1);
  CHECK(full.usage.cache_peak > 0.9);
  // What was lost is read again.
  std::uint64_t prompts = 0;
  for (const Request& request : requests.all) prompts += request.input;
  CHECK(full.usage.prompt_tokens > prompts);
}

TEST_CASE("an engine that keeps room for whole answers preempts none") {
  Scheduling tight = roomy();
  tight.kv_tokens = 4000;
  tight.reserved_answer = 1;
  const Run full = run(crowd(2, 50, 500), plain(), tight);
  for (const Served& served : full.served) {
    REQUIRE(served.done());
    REQUIRE(served.preempted == 0);
  }
}

TEST_CASE("what fits into no cache is never served, and stops nobody") {
  Scheduling tight = roomy();
  tight.kv_tokens = 1000;
  const Run some = run(of({{0, 100, 10, 0, 0}, {0.01, 2000, 10, 0, 0}, {0.02, 100, 10, 0, 0}}), plain(), tight);
  CHECK(some.served[0].done());
  CHECK_FALSE(some.served[1].done());
  CHECK(some.served[2].done());
}

TEST_CASE("nothing is lost and nothing comes before its time, whatever comes") {
  for (const auto order : {Scheduling::Order::mixed, Scheduling::Order::prompts_first})
    for (const bool async : {false, true})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(static_cast<int>(order), async, seed);
        Scheduling scheduling = roomy();
        scheduling.order = order;
        scheduling.async = async;
        scheduling.kv_tokens = 6000 + 4000 * seed;
        scheduling.max_sequences = static_cast<std::uint32_t>(4 * seed);
        const Requests requests = crowd(seed, 8.0);
        const Run all = run(requests, plain(), scheduling);
        std::uint64_t tokens = 0;
        double last_begun = 0;
        for (std::size_t i = 0; i < requests.all.size(); ++i) {
          const Request& request = requests.all[i];
          const Served& served = all.served[i];
          tokens += request.output;
          const double least = kStep + request.input * kToken;
          REQUIRE(served.queued >= 0);
          REQUIRE(served.ttft - served.queued >= least - 1e-4);
          REQUIRE(served.e2e - served.ttft >= (request.output - 1) * kStep - 1e-4 - (async ? 2 * kStep : 0));
          // First come, first served.
          const double begun = request.arrival + served.queued;
          REQUIRE(begun >= last_begun - 1e-3);
          last_begun = begun;
        }
        CHECK(all.usage.generated == tokens);
        CHECK(all.usage.cache_peak <= 1);
        CHECK(all.usage.busy <= all.ended);
      }
}

TEST_CASE("the same question has the same bytes, and waiting grows with the rate and shrinks with replicas") {
  Scheduling scheduling = roomy();
  scheduling.max_sequences = 32;
  const Requests requests = crowd(4, 1.0, 20000);
  double before = -1;
  for (const double rate : {2.0, 4.0, 6.0, 8.0, 9.0}) {
    Requests faster = requests;
    for (Request& request : faster.all) request.arrival /= rate;
    const Run once = run(faster, plain(), scheduling);
    const Run again = run(faster, plain(), scheduling);
    for (std::size_t i = 0; i < once.served.size(); ++i) REQUIRE(once.served[i].e2e == again.served[i].e2e);
    const double wait = mean(once, &Served::ttft);
    CHECK(wait > before);
    before = wait;
    Fleet two;
    two.replicas = 2;
    CHECK(mean(serve_requests(faster, plain(), scheduling, two, 0, {}, 1), &Served::ttft) <= wait);
  }
}

TEST_CASE("users who wait are as many as there are, and throughput is Little's law") {
  Scheduling scheduling = roomy();
  Requests requests;
  for (int i = 0; i < 3000; ++i) requests.all.push_back({0.2, 100, 50, 0, 0});
  const Run loop = run(requests, plain(), scheduling, 12);
  CHECK(loop.usage.batch.most() <= 12);
  // 12 users, each thinking 0.2 s: rate × (think + stay) = users.
  const double rate = 3000 / loop.ended;
  CHECK(rate * (0.2 + mean(loop, &Served::e2e)) == Approx(12).epsilon(0.02));
}

TEST_CASE("a prefix that is in the cache is not read again, but for the last block") {
  Requests requests;
  requests.runs.push_back({7, 1, 1600, true});
  for (int i = 0; i < 5; ++i) requests.all.push_back({10.0 * i, 1600, 10, 1, 0});
  const Run shared = run(requests, plain(), roomy());
  CHECK(shared.served[0].cached == 0);
  CHECK(shared.served[0].ttft == Approx(2 * kStep + 1600 * kToken));
  for (int i = 1; i < 5; ++i) {
    // 100 blocks of 16: the last token is always computed, and hits are whole blocks.
    CHECK(shared.served[static_cast<std::size_t>(i)].cached == 1584);
    CHECK(shared.served[static_cast<std::size_t>(i)].ttft == Approx(kStep + 16 * kToken));
  }
  Scheduling none = roomy();
  none.prefix_caching = false;
  CHECK(run(requests, plain(), none).served[1].cached == 0);
}

TEST_CASE("what was used longest ago is evicted first, ends before beginnings") {
  Scheduling tight = roomy();
  tight.kv_tokens = 1600;
  Requests requests;
  requests.runs.push_back({1, 5, 160, true});   // ids 1 to 5
  requests.runs.push_back({50, 4, 160, true});  // another text
  requests.all = {{0, 800, 2, 1, 0}, {10, 640, 2, 2, 0}, {20, 320, 2, 0, 0}, {30, 800, 2, 1, 0}};
  const Run run_tight = run(requests, plain(), tight);
  CHECK(run_tight.served[1].cached == 0);
  // Of the first text's 50 blocks, 40 and 22 of the others came on top of 100: the end is gone, the beginning is not.
  CHECK(run_tight.served[3].cached > 0);
  CHECK(run_tight.served[3].cached < 784);
}

TEST_CASE("a session finds its earlier turns and answers") {
  Requests requests;
  requests.runs.push_back({9, 1, 0, true});
  requests.all = {{0, 320, 160, 1, 0}, {0, 800, 160, 1, 1}, {0, 1280, 160, 1, 2}};
  const Run session = run(requests, plain(), roomy(), 1);
  CHECK(session.served[1].cached ==
        464);  // of 320 + 160, whole blocks that are computed before the answer's last token
  CHECK(session.served[2].cached >= 928);
}

TEST_CASE("a share that is found whatever it is still takes its room") {
  Scheduling cached = roomy();
  cached.cached_share = 0.5;
  const Run half = run(of({{0, 1600, 10, 0, 0}}), plain(), cached);
  CHECK(half.served[0].cached == 800);
  CHECK(half.served[0].ttft == Approx(kStep + 800 * kToken));
  CHECK(half.usage.cache_peak == Approx(101.0 / 62500).epsilon(0.01));
}

TEST_CASE("prompts on replicas of their own leave the others' gaps alone") {
  Requests requests = crowd(6, 2.0, 400);
  Fleet apart;
  apart.replicas = 2;
  apart.prompt_replicas = 1;
  apart.transfer_per_token = 1e-6;
  apart.transfer_fixed = 0.001;
  const Run run_apart = serve_requests(requests, plain(), roomy(), apart, 0, {}, 1);
  for (std::size_t i = 0; i < requests.all.size(); ++i) {
    REQUIRE(run_apart.served[i].done());
    const double prompt = kStep * std::ceil(requests.all[i].input / 1000.0) + requests.all[i].input * kToken;
    REQUIRE(run_apart.served[i].ttft > prompt + 0.001);
  }
  // Only the last token of a prompt is read where answers are given.
  CHECK(run_apart.usage.gaps.percentile(0.99) < kStep + 10 * kToken);
}

TEST_CASE("a request whose gaps are slow is counted so") {
  Scheduling counts = roomy();
  counts.slow_gap = 1.5 * kStep;
  const Requests requests = of({{0, 10, 101, 0, 0}, {0.1, 1000, 50, 0, 0}, {0.5, 1000, 50, 0, 0}});
  const Run counted = run(requests, plain(), counts);
  // Each prompt of the others goes into two steps beside it.
  CHECK(counted.served[0].slow >= 2);
  CHECK(counted.served[0].slow <= 4);
  CHECK(counted.served[2].slow == 0);
}

TEST_CASE("drafted tokens come several to a step") {
  StepTimes drafted = plain();
  drafted.rows_per_sequence = 5;
  drafted.tokens_per_sequence = 2.5;
  const Run fast = run(of({{0, 100, 101, 0, 0}}), drafted, roomy());
  CHECK(fast.served[0].tpot(101) == Approx(kStep / 2.5).epsilon(0.01));
  CHECK(fast.usage.generated >= 101);
}

}  // namespace serve_engine_test
