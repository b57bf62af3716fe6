// What recommend() and plan_fleet() promise of a service with latency targets: a simulation of the same requests shows
// it, and a machine less does not do.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <ranges>

#include "answer/estimate/estimate.hpp"
#include "answer/fleet/fleet.hpp"
#include "answer/simulate/simulate.hpp"
#include "support/job.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace promises_test {

using namespace gpusel;
using namespace gpusel::answer;
using gpusel::test::Market;

namespace {

constexpr std::string_view kAsked =
    R"("model": "llama-3.1-8b", "task": "inference", "request_rate": 8, "ttft": 1500, "tpot": 70)";

Advice asked(const std::string& more = "") {
  return Market::small().recommend("{" + std::string(kAsked) + more + "}", {});
}

/// The same requests on so many of that instance, in the format and layout that it is recommended with.
Simulated replayed(const Recommendation& r, int machines) {
  SimulateQuestion question;
  question.base.request = test::request("model=llama-3.1-8b task=inference request_rate=8 ttft=1500 tpot=70");
  question.offer = std::string(r.instance->provider) + "/" + std::string(r.instance->sku);
  question.replicas = machines;
  question.knee = false;
  question.requests = 4000;
  auto answer = answer_simulate(question, Market::small().catalog(), {}, Market::small().coefficients());
  REQUIRE(answer);
  CHECK(answer->plan.layout.weights == r.plan().layout.weights);
  CHECK(answer->plan.layout.tp == r.plan().layout.tp);
  return std::move(*answer);
}

}  // namespace

TEST_CASE("what rank 1 promises is what its replay shows, and clearly fewer machines keep it not") {
  const Advice advice = asked();
  REQUIRE_FALSE(advice.recommendations.empty());
  const Recommendation& first = advice.recommendations.front();
  REQUIRE(is_simulated(first));
  REQUIRE(first.machine().nodes == first.planned->groups);  // a group is an instance here
  const Simulated as_many = replayed(first, first.machine().nodes);
  CHECK(as_many.reaches_share());
  CHECK(as_many.simulation.outcome.in_time.all ==
        Approx(first.plan().serving->speed.simulated->share_in_time).margin(0.03));
  // Other requests move the boundary by a draw or two of 40.
  CHECK(as_many.simulation.meets_goal == Approx(*first.in_time).margin(0.051));
  // What finite runs leave open is a machine of a dozen.
  const int fewer = first.machine().nodes - std::max(1, first.machine().nodes / 8);
  if (fewer > 0) CHECK(replayed(first, fewer).misses());
}

TEST_CASE("simulated rows come first, and scores fall with the rank") {
  const Advice advice = asked(R"(, "confidence": 0.9)");
  for (const Rejection& one : advice.rejected)
    if (one.message.find("latency targets with a chance") != std::string::npos ||
        one.message.find("in simulation") != std::string::npos)
      CHECK(one.message.find("below 90 %") != std::string::npos);
  bool closed = false;
  double score = 1e9;
  for (const Recommendation& r : advice.recommendations) {
    CAPTURE(r.rank, std::string(r.instance->sku));
    if (closed) CHECK_FALSE(is_simulated(r));
    closed = closed || !is_simulated(r);
    CHECK(r.score <= score);
    double points = 0;
    for (const ScorePart& part : r.parts) points += part.points;
    CHECK(points == Approx(r.score));
    score = r.score;
  }
}

TEST_CASE("a further target, a higher share or more confidence never costs less") {
  const auto cost = [](const std::string& more) {
    const Advice advice = asked(more);
    return advice.recommendations.empty() ? 1e9 : advice.recommendations.front().cost.total;
  };
  const double usual = cost("");
  CHECK(cost(R"(, "itl": 200)") >= usual);
  CHECK(cost(R"(, "slo_percentile": 99)") >= usual);
  CHECK(cost(R"(, "confidence": 0.95)") >= usual);
}

TEST_CASE("the chance of a machine is its own, whatever confidence is asked for") {
  const auto chance = [](const std::string& confidence) {
    const auto named = answer_estimate(
        test::request("model=llama-3.1-8b task=inference request_rate=2 ttft=600 tpot=40 gpu=l40s confidence=" +
                      confidence),
        Market::small().catalog(), Market::small().coefficients(), true);
    REQUIRE(named);
    return *named->in_time;
  };
  const double usual = chance("0.8");
  CHECK(usual > 0.1);
  CHECK(usual < 0.99);
  for (const char* const confidence : {"0.5", "0.7", "0.9", "0.95"})
    CHECK(chance(confidence) == Approx(usual).margin(0.051));
}

TEST_CASE("the machine on rank 1 has the same waiting times and the same chance when it is named") {
  const Advice advice = asked();
  REQUIRE_FALSE(advice.recommendations.empty());
  const Recommendation& first = advice.recommendations.front();
  const Market& market = Market::small();
  const int gpus = first.machine().gpus();
  const auto named =
      answer_estimate(test::request("model=llama-3.1-8b task=inference request_rate=8 ttft=1500 tpot=70 gpu=" +
                                    std::string(first.gpu->id) + " gpus=" + std::to_string(gpus) +
                                    " gpus_per_node=" + std::to_string(first.machine().gpus_per_node)),
                      market.catalog(), market.coefficients(), true);
  REQUIRE(named);
  const auto& ranked = first.plan().serving->speed;
  const auto& estimated = named->plan.serving->speed;
  REQUIRE(estimated.simulated);
  CHECK(estimated.ttft_within(95).raw() == Approx(ranked.ttft_within(95).raw()));
  CHECK(estimated.itl_within(95).raw() == Approx(ranked.itl_within(95).raw()));
  CHECK(*named->in_time == Approx(*first.in_time));
}

TEST_CASE("a limit of its own price keeps an answer, and a spare is one more of the same machine") {
  const Recommendation first = asked().recommendations.front();
  const auto limited =
      Market::small().recommend("{" + std::string(kAsked) + "}", {{"max_price", format("{:.9g}", first.cost.hourly)}});
  REQUIRE_FALSE(limited.recommendations.empty());
  CHECK(limited.recommendations.front().instance == first.instance);
  CHECK(limited.recommendations.front().cost.hourly == Approx(first.cost.hourly));
  const Recommendation spared = asked(R"(, "redundancy": 1)").recommendations.front();
  REQUIRE(is_simulated(spared));
  CHECK(spared.cost.total > first.cost.total);
  if (spared.instance == first.instance) CHECK(spared.planned->groups == first.planned->groups + 1);
  CHECK(spared.planned->working == spared.planned->groups - 1);
}

TEST_CASE("nothing is simulated without targets") {
  const Advice advice =
      Market::small().recommend(R"({"model": "llama-3.1-8b", "task": "inference", "request_rate": 8})", {});
  REQUIRE_FALSE(advice.recommendations.empty());
  CHECK_FALSE(is_simulated(advice.recommendations.front()));
}

namespace {

Result<Fleet> fleet_for(std::string_view traffic, std::string_view words) {
  FleetQuestion question;
  question.request = test::request("model=llama-3.1-8b " + std::string(words));
  question.traffic = traffic;
  return plan_fleet(question, Market::small().catalog(), {}, Market::small().coefficients());
}

}  // namespace

TEST_CASE("a fleet keeps for its requests what it promises, and is not larger than it has to be") {
  const auto fleet = fleet_for("conversation", "request_rate=12 ttft=800 tpot=50");
  REQUIRE(fleet);
  REQUIRE(fleet->mix.feasible);
  REQUIRE(fleet->replay);
  CHECK(fleet->replay->kept);
  CHECK(fleet->replay->share_in_time >= 0.95);
  CHECK(fleet->replay->share_sure >= 0.95);
  CHECK(fleet->replay->share_in_time >= fleet->replay->share_sure);
  double hourly = 0;
  for (const FleetMember& member : fleet->mix.members) hourly += member.hourly;
  CHECK(hourly == Approx(fleet->mix.hourly));
  // Each prompt length goes somewhere, all of it, whatever its answers.
  const auto& buckets = fleet->traffic.buckets;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (b > 0) CHECK(buckets[b].input_up_to > buckets[b - 1].input_up_to);
    double sent = 0;
    for (const FleetMember& member : fleet->mix.members) sent += member.share[b];
    CHECK(sent == Approx(1));
  }
}

TEST_CASE("without targets a fleet still keeps up with its requests") {
  const auto fleet = fleet_for("chat", "request_rate=20");
  REQUIRE(fleet);
  REQUIRE(fleet->replay);
  CHECK(fleet->replay->kept);
  CHECK(fleet->replay->ttft_p95.raw() < longest_wait(fleet->work.inference));
}

TEST_CASE("bursts take machines that a mean would not show") {
  const auto instances = [](std::string_view traffic) {
    const auto fleet = fleet_for(traffic, "request_rate=5 ttft=1500 tpot=60");
    REQUIRE(fleet);
    REQUIRE(fleet->mix.feasible);
    double busy = 0, there = 0;  // those that the mean keeps busy, and those that the fleet has
    for (const FleetMember& member : fleet->mix.members) {
      busy += member.instances * member.load;
      there += member.instances;
    }
    return there / busy;
  };
  CHECK(instances("code") > instances("rag"));
}

namespace {

Result<Advice> asked_by(const LoadQuestion& load, std::string_view more = "ttft=1000 tpot=60") {
  Question question;
  question.request =
      test::request(std::string("model=llama-3.1-8b task=inference") + (more.empty() ? "" : " ") + std::string(more));
  question.load = load;
  question.today = Date(2026, 11, 20);
  return recommend(question, Market::small().catalog(), {}, Market::small().coefficients());
}

LoadQuestion load_of(const std::vector<std::pair<std::string, std::string>>& words) {
  LoadQuestion load;
  for (const auto& [key, value] : words) {
    const auto* option = job::find_option(load_options(), key);
    REQUIRE(option != nullptr);
    REQUIRE(option->set(load, value));
  }
  return load;
}

double written_tokens(const Advice& advice) { return static_cast<double>(advice.work.inference.output_tokens); }

Simulated replay_of(const Recommendation& r, const LoadQuestion& load, std::string_view more = "ttft=1000 tpot=60") {
  SimulateQuestion question;
  question.base.request = test::request("model=llama-3.1-8b task=inference " + std::string(more));
  question.load = load;
  question.offer = std::string(r.instance->provider) + "/" + std::string(r.instance->sku);
  question.replicas = r.machine().nodes;
  question.knee = false;
  auto answer = answer_simulate(question, Market::small().catalog(), {}, Market::small().coefficients());
  if (!answer) FAIL(answer.error().message);
  return std::move(*answer);
}

}  // namespace

TEST_CASE("a service is sized for users, for kinds of traffic and for logs as its replay shows") {
  const std::string log = test::scratch_file("requests.csv", [] {
    std::string text = "arrival_s,input_tokens,output_tokens\n";
    // Ten at a time, every two seconds.
    for (int i = 0; i < 600; ++i) text += format("{},{},{}\n", i / 10 * 2, 400 + 37 * (i % 40), 50 + 7 * (i % 30));
    return text;
  }());
  const auto [words, more] =
      GENERATE_COPY(std::pair(std::vector<std::pair<std::string, std::string>>{{"users", "150"}, {"think", "4"}},
                              "ttft=1000 tpot=60"),
                    std::pair(std::vector<std::pair<std::string, std::string>>{{"sessions", "40"}, {"turns", "3"}},
                              "ttft=1500 tpot=60"),
                    std::pair(std::vector<std::pair<std::string, std::string>>{{"traffic", "conversation"}},
                              "request_rate=6 ttft=1000 tpot=60"),
                    std::pair(std::vector<std::pair<std::string, std::string>>{{"traffic", log}}, "ttft=1500 tpot=60"));
  CAPTURE(words, more);
  const LoadQuestion load = load_of(words);
  const auto advice = asked_by(load, more);
  if (!advice) FAIL(advice.error().message);
  REQUIRE_FALSE(advice->recommendations.empty());
  const Recommendation& first = advice->recommendations.front();
  REQUIRE(is_simulated(first));
  CHECK(advice->load);
  const Simulated replay = replay_of(first, load, more);
  CHECK(replay.reaches_share());
  CHECK(replay.simulation.outcome.in_time.all ==
        Approx(first.plan().serving->speed.simulated->share_in_time).margin(0.03));
  const auto& speed = first.plan().serving->speed;
  CHECK(speed.requests_per_s == Approx(replay.simulation.outcome.requests_per_s).epsilon(0.1));
  CHECK(*first.cost.per_million_tokens ==
        Approx(first.cost.hourly / (speed.requests_per_s * 3600 * written_tokens(*advice) / 1e6)).epsilon(0.001));
  for (const Recommendation& other : advice->recommendations) {
    CAPTURE(other.instance->sku, is_simulated(other));
    if (load.waits())  // all wait for much the same, the slower the rarer they ask
      CHECK(other.plan().serving->speed.requests_per_s > advice->work.inference.request_rate);
  }
}

TEST_CASE("bursts and more users never cost less") {
  const auto hourly = [](const LoadQuestion& load, std::string_view more) {
    const auto advice = asked_by(load, more);
    REQUIRE(advice);
    REQUIRE_FALSE(advice->recommendations.empty());
    return advice->recommendations.front().cost.hourly;
  };
  constexpr std::string_view kRate = "request_rate=6 ttft=1500 tpot=80";
  CHECK(hourly(load_of({{"arrivals", "gamma:4"}}), kRate) >= hourly(load_of({{"arrivals", "even"}}), kRate));
  CHECK(hourly(load_of({{"users", "400"}, {"think", "5"}}), "ttft=1000") >=
        hourly(load_of({{"users", "50"}, {"think", "5"}}), "ttft=1000"));
}

TEST_CASE("users without targets get those of a published benchmark, said as assumed") {
  const auto advice = asked_by(load_of({{"users", "20"}, {"think", "5"}}), "");
  REQUIRE(advice);
  CHECK(advice->work.inference.ttft_ms == 2000);
  CHECK(advice->work.inference.tpot_ms == 200);
  // Each asks again when it has its answer, as late as it may, and has thought: 20 ÷ (5 + 2 + 0.2 · tokens) a second.
  const auto tokens = static_cast<double>(advice->work.inference.output_tokens);
  CHECK(*advice->work.inference.request_rate == Approx(20 / (7 + 0.2 * tokens)).epsilon(0.01));
  CHECK(std::ranges::count(advice->assumed, "tpot_ms", &job::Assumed::key) == 1);
  CHECK(advice->staircase.empty());
}

TEST_CASE("a rank is the same machine however many are listed") {
  const auto ranks = [](const std::string& listed) {
    const auto run =
        test::shell("gpusel recommend llama-3.1-8b --rps 5 --ttft 1s --cloud aws,gcp,azure,oci --json" + listed);
    REQUIRE(run.status == 0);
    const auto answer = nlohmann::json::parse(run.out);
    std::vector<std::string> out;
    for (const auto& one : answer["recommendations"])
      out.push_back(format("{} {} {}", one["sku"].get<std::string>(), one["nodes"].get<int>(),
                           one["performance"]["ttft_ms_p95"].get<double>()));
    return out;
  };
  const auto all = ranks("");
  REQUIRE(all.size() > 16);
  for (const std::size_t listed : {5, 16}) {
    const auto some = ranks(format(" -n {}", listed));
    CAPTURE(listed);
    CHECK(std::ranges::equal(some | std::views::take(listed), all | std::views::take(listed)));
  }
}

TEST_CASE("a load that has no meaning is refused by its flag") {
  const auto refused = [](const LoadQuestion& load, std::string_view request) {
    Question question;
    question.request = test::request(std::string(request));
    question.load = load;
    question.today = Date(2026, 11, 20);
    const auto advice = recommend(question, Market::small().catalog(), {}, Market::small().coefficients());
    REQUIRE_FALSE(advice);
    return advice.error().where;
  };
  CHECK(refused(load_of({{"users", "3"}}), "model=llama-3.1-8b task=inference request_rate=2") == "--users");
  CHECK(refused(load_of({{"users", "3"}}), "model=llama-3.1-8b task=inference concurrency=2") == "--users");
  CHECK(refused(load_of({{"think", "3"}}), "model=llama-3.1-8b task=inference") == "--think");
  CHECK(refused(load_of({{"traffic", "code"}}), "model=llama-3.1-8b task=finetune") == "--traffic");
  CHECK(refused(load_of({{"users", "2"}, {"think", "3"}}), "task=render render=cad") == "--think");
}

TEST_CASE("users of what is counted in sessions are those sessions") {
  Question question;
  question.request = test::request("task=render render=cad");
  question.load = load_of({{"users", "5"}});
  question.today = Date(2026, 11, 20);
  const auto advice = recommend(question, Market::small().catalog(), {}, Market::small().coefficients());
  REQUIRE(advice);
  CHECK(advice->work.counted->demand == 5);
}

}  // namespace promises_test
