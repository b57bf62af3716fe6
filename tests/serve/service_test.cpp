// Replicas that come and go, routers, and what is counted of a run.
#include <catch2/catch.hpp>

#include "serve/load/random.hpp"
#include "serve/outcome.hpp"

namespace serve_service_test {

using namespace gpusel::serve;

namespace {

StepTimes plain() {
  StepTimes times;
  times.fixed = 0.01;
  times.between = 0.0001;
  return times;
}

Scheduling roomy() {
  Scheduling scheduling;
  scheduling.kv_tokens = 100'000;
  return scheduling;
}

Requests stream(double rate, int count) {
  Requests requests;
  Random random(1, 1);
  double at = 0;
  for (int i = 0; i < count; ++i) requests.all.push_back({at += random.gap() / rate, 500, 100, 0, 0});
  return requests;
}

std::size_t served(const Run& run) {
  return static_cast<std::size_t>(std::ranges::count_if(run.served, [](const Served& one) { return one.done(); }));
}

}  // namespace

TEST_CASE("a replica that is taken away loses no request") {
  const Requests requests = stream(5, 4000);
  Fleet fleet;
  fleet.replicas = 3;
  fleet.reclaims_per_hour = 60;
  fleet.start_delay = 20;
  const Run run = serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1);
  CHECK(served(run) == requests.all.size());
  std::uint16_t highest = 0;
  for (const Served& one : run.served) highest = std::max(highest, one.replica);
  CHECK(highest > 3);
  const Run steady = serve_requests(requests, plain(), roomy(), {.replicas = 3}, 0, {}, 1);
  const auto slowest = [](const Run& of) { return std::ranges::max_element(of.served, {}, &Served::e2e)->e2e; };
  CHECK(slowest(run) > slowest(steady));
}

TEST_CASE("a replica taken away between a last token and its being known loses no request either") {
  Scheduling ahead = roomy();
  ahead.async = true;
  const Requests requests = stream(5, 4000);
  const Fleet fleet{.replicas = 3, .start_delay = 20, .reclaims_per_hour = 60};
  CHECK(served(serve_requests(requests, plain(), ahead, fleet, 0, {}, 1)) == requests.all.size());
}

TEST_CASE("replicas that read prompts alone are replaced by such when they are taken away") {
  const Requests requests = stream(5, 4000);
  const Fleet fleet{.replicas = 4, .prompt_replicas = 2, .start_delay = 20, .reclaims_per_hour = 30};
  CHECK(served(serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1)) == requests.all.size());
}

TEST_CASE("replicas reclaimed faster than they answer end a run all the same") {
  const Requests requests = stream(5, 50);
  const Fleet fleet{.replicas = 2, .prompt_replicas = 1, .start_delay = 600, .reclaims_per_hour = 3e6};
  CHECK(served(serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1)) < requests.all.size());
}

TEST_CASE("a link between replicas sends one cache after the other") {
  // 500 tokens take a second to send, and two requests come in each.
  const Requests requests = stream(2, 400);
  const Fleet fleet{.replicas = 2, .prompt_replicas = 1, .transfer_per_token = 0.002};
  const Run run = serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1);
  const double last = requests.all.back().arrival + run.served.back().e2e;
  CHECK(last > 400);
  CHECK(last < 420);
}

TEST_CASE("more than can be served comes out as what is served") {
  Scheduling few = roomy();
  few.max_sequences = 32;
  const Requests requests = stream(1000, 3000);
  const Window window{500, 2500, 1};
  const Run run = serve_requests(requests, plain(), few, {}, 0, window, 1);
  const Outcome outcome = outcome_of(requests, run, {}, window);
  CHECK(outcome.requests_per_s == Approx(served_per_s(requests, run)));
  CHECK(outcome.requests_per_s < 50);
  CHECK(outcome.output_tokens_per_s == Approx(100 * outcome.requests_per_s));
  CHECK(outcome.total_tokens_per_s == Approx(600 * outcome.requests_per_s));
  CHECK(outcome.good_requests_per_s == Approx(outcome.requests_per_s));
}

TEST_CASE("requests of one length do not fall into step with one another") {
  const Requests requests = stream(64, 60'000);
  const Run run = serve_requests(requests, plain(), roomy(), {.replicas = 8}, 0, {}, 1);
  const auto mean_ttft = [&](std::size_t from, std::size_t until) {
    double sum = 0;
    for (std::size_t i = from; i < until; ++i) sum += run.served[i].ttft;
    return sum / static_cast<double>(until - from);
  };
  CHECK(mean_ttft(40'000, 60'000) < 1.05 * mean_ttft(1000, 20'000));
}

TEST_CASE("autoscaling follows the load, late") {
  // Two quiet minutes, five busy ones, ten quiet ones.
  Requests requests;
  Random random(2, 1);
  double at = 0;
  while (at < 1020) {
    const bool busy = at > 120 && at < 420;
    at += random.gap() / (busy ? 20 : 0.5);
    requests.all.push_back({at, 500, 100, 0, 0});
  }
  Fleet fleet;
  fleet.replicas = 1;
  fleet.most_replicas = 6;
  fleet.wanted_requests = 8;
  fleet.start_delay = 60;
  const Run scaled = serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1);
  CHECK(served(scaled) == requests.all.size());
  CHECK(scaled.most_replicas > 1);
  CHECK(scaled.most_replicas <= 6);
  CHECK(scaled.replica_seconds < 6 * scaled.ended);
  CHECK(scaled.replica_seconds > scaled.ended);
  fleet.start_delay = 0;
  const Run prompt = serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1);
  const auto mean = [&](const Run& run) { return outcome_of(requests, run, {}, {}).measures.ttft.mean; };
  CHECK(mean(prompt) <= mean(scaled));
}

TEST_CASE("a service scaled to nothing serves who comes, when a replica is there") {
  Requests requests;
  requests.all = {{100, 500, 10, 0, 0}, {101, 500, 10, 0, 0}, {2000, 500, 10, 0, 0}};
  Fleet fleet;
  fleet.replicas = 0;
  fleet.most_replicas = 2;
  fleet.wanted_requests = 8;
  fleet.start_delay = 30;
  const Run run = serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1);
  CHECK(served(run) == 3);
  CHECK(run.served[0].ttft > 30);
  CHECK(run.served[0].ttft < 30 + 15 + 1);
  CHECK(run.served[2].ttft > 30);  // it has gone in between
  CHECK(run.replica_seconds < 1200);
}

TEST_CASE("requests go where most of their prompt is, unless too many do") {
  Requests requests;
  requests.runs.push_back({1, 1, 400, true});
  requests.runs.push_back({2, 1, 400, true});
  for (int i = 0; i < 40; ++i) requests.all.push_back({1.0 * i, 500, 5, static_cast<std::uint32_t>(1 + i % 2), 0});
  const auto hits = [&](Router router) {
    Fleet fleet;
    fleet.replicas = 4;
    fleet.router = router;
    const Run run = serve_requests(requests, plain(), roomy(), fleet, 0, {}, 1);
    return outcome_of(requests, run, {}, {}).prefix_hit;
  };
  CHECK(hits(Router::prefix) > 0.7);
  CHECK(hits(Router::prefix) > hits(Router::round_robin));
  CHECK(hits(Router::least_tokens) > 0);
}

TEST_CASE("shares and percentiles are over all requests, those that are never served too") {
  Requests requests = stream(1, 1000);
  for (std::size_t i = 0; i < 1000; i += 10) requests.all[i].input = 200'000;  // fits into no cache
  const Run run = serve_requests(requests, plain(), roomy(), {}, 0, {}, 1);
  Targets targets;
  targets.ttft = 1000;
  const Outcome outcome = outcome_of(requests, run, targets, {});
  CHECK(outcome.unserved == 100);
  CHECK(outcome.in_time.all == Approx(0.9));
  CHECK(std::isfinite(outcome.measures.ttft.p50));
  CHECK(outcome.measures.ttft.p95 == kNever);
}

TEST_CASE("a window leaves out what comes before and behind it") {
  const Requests requests = stream(2, 2000);
  const Window window{500, 1500, 10};
  const Run run = serve_requests(requests, plain(), roomy(), {}, 0, window, 1);
  const Outcome outcome = outcome_of(requests, run, {}, window);
  CHECK(outcome.requests == 1000);
  CHECK(run.gaps.size() == 10);
  CHECK(run.begin == Approx(requests.all[500].arrival));
  CHECK(run.end == Approx(requests.all[1500].arrival));
  CHECK(outcome.requests_per_s == Approx(2).epsilon(0.1));
  CHECK(outcome.output_tokens_per_s == Approx(200).epsilon(0.1));
  const HalfWidths widths = half_widths(requests, run, {}, window);
  CHECK(widths.measures.ttft.p95 > 0);
  CHECK(widths.measures.ttft.p95 < outcome.measures.ttft.p95);
  CHECK(widths.measures.itl.mean > 0);
}

TEST_CASE("time per token is of requests, and the gaps between tokens are of tokens") {
  Requests requests = stream(8, 3000);
  const Run run = serve_requests(requests, plain(), roomy(), {}, 0, {}, 1);
  const Outcome outcome = outcome_of(requests, run, {}, {});
  CHECK(outcome.measures.tpot.mean == Approx(outcome.measures.itl.mean).epsilon(0.01));  // all are of one length
  CHECK(outcome.measures.tpot.p99 < outcome.measures.itl.p99);
  CHECK(outcome.measures.itl.p50 < outcome.measures.tpot.p50);
}

}  // namespace serve_service_test
