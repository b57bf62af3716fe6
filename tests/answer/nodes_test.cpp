// On how many nodes training is planned: the fewest whose node hours are next to the least.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "answer/search/search.hpp"
#include "base/words/message.hpp"
#include "support/job.hpp"
#include "support/market.hpp"

namespace nodes_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

const std::string kJob = R"({"model": "gpt3-175b", "task": "pretrain", "tokens": 1e9})";

/// A recommendation for each SKU.
std::map<std::string, answer::Recommendation> by_sku(const answer::Advice& advice) {
  std::map<std::string, answer::Recommendation> out;
  for (const auto& r : advice.recommendations) out.emplace(r.instance->sku, r);
  return out;
}

int fewest_nodes(const answer::Recommendation& r) {
  return r.planned->fewest ? r.planned->fewest->nodes : r.machine().nodes;
}

std::int64_t batch_of(const answer::Recommendation& r) { return r.plan().layout.global_batch(); }

}  // namespace

TEST_CASE("a batch of tokens takes larger groups where weights crowd out caches: more certainty makes none cheaper") {
  const std::string batch = R"("model": "llama-3.1-70b", "task": "inference", "mode": "throughput", "tokens": 1e9)";
  const auto usual = by_sku(Market::small().recommend("{" + batch + "}"));
  const auto surer = by_sku(Market::small().recommend("{" + batch + R"(, "min_fit": 0.99})"));
  REQUIRE(usual.size() >= 2);
  for (const auto& [sku, r] : surer) {
    CAPTURE(sku, r.machine().nodes);
    REQUIRE(usual.contains(sku));
    CHECK(usual.at(sku).cost.total <= r.cost.total * 1.26);  // a larger group has to save a fifth
  }
}

TEST_CASE(
    "of all numbers of nodes up to four times the fewest the one is taken that takes next to the least node time") {
  const auto chosen = by_sku(Market::small().recommend(kJob));
  REQUIRE(chosen.size() >= 2);
  std::map<std::string, std::map<int, double>> node_hours;
  for (const int nodes : {4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
    for (const auto& [sku, r] : by_sku(Market::small().recommend(kJob, {{"nodes", std::to_string(nodes)}}))) {
      CHECK(r.machine().nodes == nodes);
      CHECK_FALSE(r.planned->fewest);  // the number was given
      const bool same = std::abs(static_cast<double>(batch_of(r)) - 4096) <= 409.6;
      if (same) node_hours[sku][nodes] = nodes * r.cost.worked;
    }
  }
  for (const auto& [sku, r] : chosen) {
    CAPTURE(sku, r.machine().nodes);
    REQUIRE(r.planned->fewest);
    const int fewest = fewest_nodes(r);
    CHECK(r.machine().nodes > fewest);
    CHECK(r.machine().nodes <= 4 * fewest);
    const auto& tried = node_hours[sku];
    CHECK(tried.begin()->first == fewest);
    const double chosen_hours = r.machine().nodes * r.cost.worked;
    double least = chosen_hours;
    for (const auto& [nodes, hours] : tried)
      if (nodes <= 4 * fewest) least = std::min(least, hours);
    CHECK(chosen_hours <= least * 1.02 * (1 + 1e-9));
    for (const auto& [nodes, hours] : tried)
      if (nodes < r.machine().nodes) CHECK(hours > least * 1.02);
    CHECK(r.planned->fewest->node_time == Approx(tried.at(fewest) / chosen_hours));
  }
}

TEST_CASE("more nodes than needed are not taken where they are not allowed") {
  const auto free = by_sku(Market::small().recommend(kJob));
  for (const auto& [sku, r] : free) {
    const int fewest = fewest_nodes(r);
    const auto limited = by_sku(Market::small().recommend(kJob, {{"max_nodes", std::to_string(fewest)}}));
    REQUIRE(limited.contains(sku));
    CHECK(limited.at(sku).machine().nodes == fewest);
    CHECK_FALSE(limited.at(sku).planned->fewest);
    CHECK(limited.at(sku).cost.total > r.cost.total);
  }
}

TEST_CASE("a number of nodes hangs on the job and on its machine, whatever else there is") {
  const std::string job = R"({"model": "llama-7b", "task": "finetune", "method": "full"})";
  for (const auto& [sku, r] : by_sku(Market::small().recommend(job, {{"max_nodes", "1"}}))) {
    CHECK(r.machine().nodes == 1);
    CHECK_FALSE(r.planned->fewest);
  }
  // States of 7B are less than eight GPUs of 80 GB hold: eight nodes at most.
  for (const auto& [limit, most] :
       {std::pair(Limit{"max_nodes", "4"}, 4), {Limit{"include_unavailable", "false"}, 8}}) {
    const auto all = by_sku(Market::small().recommend(job, {limit}));
    REQUIRE(all.size() >= 2);
    for (const auto& [sku, r] : all) {
      CAPTURE(sku);
      CHECK(r.machine().nodes <= most);
      CHECK(r.planned->fewest.has_value() == (r.machine().nodes > fewest_nodes(r)));
      if (r.planned->fewest) CHECK(r.planned->fewest->node_time > 1.02);
      const auto alone = by_sku(Market::small().recommend(job, {limit, {"allow_list", "^" + sku + "$"}}));
      REQUIRE(alone.contains(sku));
      CHECK(alone.at(sku).machine().nodes == r.machine().nodes);
      CHECK(alone.at(sku).cost.total == r.cost.total);
    }
  }
}

TEST_CASE("finetuning is tried on eight nodes for each of eight GPUs of 80 GB that its states fill") {
  auto work = test::job("task=finetune method=full model=llama-7b precision=bf16");
  const auto with_states_of = [&](double gb) {
    // 16 bytes of a parameter: weights and gradients in 16 bit, three values of the optimizer in 32.
    work.parameters.embedding = work.parameters.head = work.parameters.experts = 0;
    work.parameters.body = gb * 1e9 / 16;
    return answer::usual_most_nodes(work);
  };
  CHECK(with_states_of(1) == 8);
  CHECK(with_states_of(639) == 8);
  CHECK(with_states_of(641) == 16);
  CHECK(with_states_of(1281) == 24);
  CHECK(with_states_of(1e6) == 1024);
  CHECK(answer::usual_most_nodes(test::job("task=pretrain model=llama-7b")) == 1024);
}

TEST_CASE("groups that work hold as much as one, times their number, and spare ones add machines alone") {
  const auto work = test::job("task=inference model=llama-3.1-8b mode=online concurrency=16");
  const physics::Machine machine = test::machine("h100-sxm-80gb", 2);
  const answer::PlannedMachine one{machine, test::plan_inference(work, machine)};
  answer::PlannedMachine many = one;
  answer::multiply(many, 4, 3);
  CHECK(many.machine.nodes == 4 * one.machine.nodes);
  CHECK(many.plan.layout.dp == 4 * one.plan.layout.dp);
  CHECK(many.plan.rate == Approx(3 * one.plan.rate));
  CHECK(many.plan.sequences_per_s == Approx(3 * one.plan.sequences_per_s));
  const physics::Serving &here = *one.plan.serving, &there = *many.plan.serving;
  CHECK(there.room.concurrency == Approx(3 * here.room.concurrency));
  CHECK(there.room.max_concurrency == Approx(4 * here.room.max_concurrency));
  CHECK(there.speed.in_flight == Approx(3 * here.speed.in_flight));
  CHECK(there.speed.requests_per_s == Approx(3 * here.speed.requests_per_s));
  CHECK(there.speed.output_tokens_per_s == Approx(3 * here.speed.output_tokens_per_s));
  CHECK(there.speed.total_tokens_per_s == Approx(3 * here.speed.total_tokens_per_s));
  CHECK(there.speed.ttft() == here.speed.ttft());
}

TEST_CASE("a service answers within a minute and a word a second, longer prompts a millisecond a token later") {
  const auto work = test::job("task=inference model=llama-3.1-8b mode=online input_tokens=10000");
  physics::Plan plan = test::plan_inference(work, test::machine("h100-sxm-80gb"));
  const auto refused = [&](double first_s, double gap_s) {
    plan.serving->speed.load.reset();
    plan.serving->speed.first_token = seconds(first_s);
    plan.serving->speed.gap = seconds(gap_s);
    return answer::too_slow_to_serve(work, plan).has_value();
  };
  CHECK_FALSE(refused(70, 1));
  CHECK(refused(70.01, 1));
  CHECK(refused(70, 1.01));
  CHECK(refused(70.01, 0.01));
}

TEST_CASE("parts of a work are spread over as many nodes as are in time, and fewer are said to be too few") {
  for (const char* job : {R"({"model": "llama-3.1-70b", "task": "inference", "mode": "throughput", "tokens": 4e9})",
                          R"({"task": "render", "frames": 20000, "seconds_per_frame": 60, "on": "t4"})"}) {
    const auto enough = by_sku(Market::small().recommend(job, {{"deadline", "24h"}}));
    REQUIRE(enough.size() >= 2);
    std::size_t several = 0;
    for (const auto& [sku, r] : enough) {
      CAPTURE(job, sku, r.machine().nodes, r.planned->groups);
      CHECK(r.cost.hours <= 24 * (1 + 1e-9));
      // Without a deadline fewer do: more are taken for it alone.
      const int alone = r.machine().nodes / r.planned->groups;
      if (r.planned->groups < 2) continue;
      ++several;
      const std::string fewer = std::to_string(r.machine().nodes - alone);
      const auto limited =
          Market::small().recommend(job, {{"deadline", "24h"}, {"max_nodes", fewer}, {"allow_list", "^" + sku + "$"}});
      CHECK(limited.recommendations.empty());
      const auto late = std::ranges::find(limited.rejected, "deadline", &answer::Rejection::rule);
      REQUIRE(late != limited.rejected.end());
      const std::string said = format("needs at least {} nodes", r.machine().nodes);
      CHECK(late->message.find(said) != std::string::npos);
    }
    CHECK(several > 0);
  }
}

TEST_CASE("another number of nodes does not make another training of it") {
  // 64 sequences in a step: 48 ranks of one would be 48 of them, though their nodes took less time in all.
  const auto chosen =
      by_sku(Market::shipped().recommend(R"({"model": "llama-3.1-70b", "task": "finetune", "method": "full"})",
                                         {{"allow_list", "p5.48xlarge"}, {"cloud", "aws"}, {"max_nodes", "8"}}));
  REQUIRE(chosen.contains("p5.48xlarge"));
  const auto& best = chosen.at("p5.48xlarge");
  CHECK(best.machine().nodes == 4);
  CHECK(fewest_nodes(best) == 3);
  CHECK(batch_of(best) == 64);
}

TEST_CASE("replicas take more nodes where weights crowd out caches, and a looser chance to fit never takes more") {
  // 15 of 22 GiB are weights on an A10: a replica over two of them has three times the room for caches.
  const std::string served = R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 8,
                                 "input_tokens": 4000, "output_tokens": 500, "min_fit": )";
  std::map<std::string, int> before;
  for (const char* least : {"0.99", "0.9", "0.5"}) {
    for (const auto& [sku, r] : by_sku(Market::small().recommend(served + least + "}"))) {
      CAPTURE(sku, least);
      const auto known = before.find(sku);
      if (known != before.end()) CHECK(r.machine().nodes <= known->second);
      before[sku] = r.machine().nodes;
      CHECK(r.machine().nodes % r.planned->groups == 0);
      // Of replicas that lie within a node each node is a group.
      const physics::Layout& layout = r.plan().layout;
      if (layout.tp * layout.pp <= r.machine().gpus_per_node) CHECK(r.machine().nodes == r.planned->groups);
    }
  }
  CHECK(before.contains("s.a10.1"));
}

TEST_CASE("no more nodes are planned for a service with latency targets than may be taken") {
  for (const char* most : {"2", "4", "8"}) {
    const auto advice = Market::small().recommend(
        R"({"model": "llama-3.1-70b", "task": "inference", "request_rate": 6, "ttft": 8000})", {{"max_nodes", most}});
    for (const auto& r : advice.recommendations) {
      CAPTURE(most, std::string(r.instance->sku), r.planned->groups);
      CHECK(r.machine().nodes <= std::stoi(most));
    }
  }
}

TEST_CASE("what is pinned is planned where that many nodes make whole replicas") {
  const std::string served = R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 8,
                                 "input_tokens": 4000, "output_tokens": 500})";
  const auto open = by_sku(Market::small().recommend(served));
  REQUIRE(open.contains("s.a10.1"));
  const int nodes = open.at("s.a10.1").machine().nodes;
  const auto pinned = by_sku(Market::small().recommend(served, {{"nodes", std::to_string(nodes)}}));
  REQUIRE(pinned.contains("s.a10.1"));
  CHECK(pinned.at("s.a10.1").machine().nodes == nodes);
  const auto at_most = by_sku(Market::small().recommend(served, {{"max_nodes", std::to_string(nodes)}}));
  REQUIRE(at_most.contains("s.a10.1"));
  CHECK(at_most.at("s.a10.1").machine().nodes == nodes);
  // With latency targets, too: those that are enough are never too few.
  const std::string timed = R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 8, "ttft": 2000})";
  for (const auto& [sku, r] : by_sku(Market::small().recommend(timed))) {
    CAPTURE(sku);
    const auto same = by_sku(Market::small().recommend(timed, {{"max_nodes", std::to_string(r.machine().nodes)}}));
    CHECK(same.contains(sku));
  }
}

TEST_CASE("a job that is billed by the hour is not spread until it costs more") {
  const std::string job = R"({"model": "llama-3.1-8b", "task": "finetune", "tokens": 1e7)";
  const auto open = by_sku(Market::small().recommend(job + "}"));
  const auto one = by_sku(Market::small().recommend(job + "}", {{"max_nodes", "1"}}));
  REQUIRE_FALSE(one.empty());
  for (const auto& [sku, r] : one) {
    CAPTURE(sku);
    REQUIRE(open.contains(sku));
    CHECK(open.at(sku).cost.total <= r.cost.total * 1.002);
  }
}

}  // namespace nodes_test
