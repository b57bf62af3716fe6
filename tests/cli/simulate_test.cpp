// gpusel simulate from outside: what programs read, statuses, loads that contradict themselves, logs that are replayed.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.hpp"

namespace simulate_test {

using namespace gpusel::test;
using Json = nlohmann::json;

namespace {

const std::string kMarket = " --catalog tests/data/market";
const std::string kModel = "simulate --model llama-3.1-8b";
const std::string kQuick = " --requests 2000 --knee false";

Json answer(const std::string& words, int status = 0) {
  const Run run = ask(words_of(kModel + " " + words + kMarket + " --json"));
  CAPTURE(words, run.err);
  REQUIRE(run.status == status);
  return Json::parse(run.out);
}

/// What a question is refused with; status 2 unless told.
std::string refusal(const std::string& words, int status = 2) {
  const Run run = ask(words_of(kModel + " " + words + kMarket));
  CAPTURE(words, run.out);
  CHECK(run.status == status);
  CHECK(run.out.empty());
  return run.err;
}

/// A request every so many units of time, under that name of the column.
std::string log_of(const std::string& column, double gap, int count = 300) {
  std::string text = column + ",input_tokens,output_tokens\n";
  for (int i = 0; i < count; ++i) text += std::to_string(gap * i) + ",500,50\n";
  return scratch_file("log.csv", text);
}

bool notes_hold(const Json& out, std::string_view text) {
  for (const Json& note : out["notes"])
    if (note.get<std::string>().find(text) != std::string::npos) return true;
  return false;
}

double number(const Json& out, const char* measure, const char* figure) { return out[measure][figure].get<double>(); }

}  // namespace

TEST_CASE("a simulation as JSON adds up") {
  const Json out = answer("--gpu l40s --rps 4 --isl 1024 --osl 256 --ttft 500 --tpot 60 --requests 4000");
  CHECK(out["schema"] == "gpusel.simulate/1");
  for (const char* measure : {"ttft_ms", "tpot_ms", "itl_ms", "e2e_ms"}) {
    double before = 0;
    for (const char* figure : {"p50", "p90", "p95", "p99", "p999"}) {
      CHECK(number(out, measure, figure) >= before);
      before = number(out, measure, figure);
      const Json& ends = out["interval"][measure][figure];
      CHECK(ends[0].get<double>() <= ends[1].get<double>());
    }
    CHECK(number(out, measure, "mean") > 0);
  }
  // End to end is the first token and 255 tokens behind it.
  CHECK(number(out, "e2e_ms", "mean") ==
        Approx(number(out, "ttft_ms", "mean") + 255 * number(out, "tpot_ms", "mean")).epsilon(1e-3));
  // All requests are of one length, so that the mean gap is the mean of the means.
  CHECK(number(out, "itl_ms", "mean") == Approx(number(out, "tpot_ms", "mean")).epsilon(0.01));
  CHECK(out["throughput"]["output_tokens_per_s"].get<double>() ==
        Approx(256 * out["throughput"]["requests_per_s"].get<double>()).epsilon(0.02));
  // Little's law: requests in the engine are those that come times how long they stay there.
  const double stay = (number(out, "e2e_ms", "mean") - out["queue"]["wait_ms_mean"].get<double>()) / 1000;
  CHECK(out["batch"]["mean"].get<double>() ==
        Approx(out["throughput"]["requests_per_s"].get<double>() * stay).epsilon(0.05));
  const double share = out["share_in_time"];
  CHECK(share <= out["share_in_time_ttft"].get<double>());
  CHECK(share <= out["share_in_time_tpot"].get<double>());
  CHECK(out["share_in_time_e2e"].is_null());
  CHECK(out["goodput"]["requests_per_s"].get<double>() ==
        Approx(share * out["throughput"]["requests_per_s"].get<double>()).epsilon(1e-6));
  CHECK(out["requests"] == 4000);
  CHECK(out["seed"] == 1);
}

TEST_CASE("latency rises along the knee, and the rate that keeps the targets is on it") {
  const Json out = answer("--gpu l40s --rps 4 --isl 1024 --osl 256 --ttft 500 --tpot 60");
  const Json& knee = out["knee"];
  REQUIRE(knee.size() >= 10);
  for (std::size_t i = 1; i < knee.size(); ++i) {
    CHECK(knee[i]["requests_per_s"].get<double>() > knee[i - 1]["requests_per_s"].get<double>());
    CHECK(knee[i]["utilization"].get<double>() >= knee[i - 1]["utilization"].get<double>() - 0.01);
    CHECK(knee[i]["tpot_ms_p95"].get<double>() > knee[i - 1]["tpot_ms_p95"].get<double>());
  }
  const double most = out["most_requests_per_s"];
  CHECK(most > 4);
  for (const Json& point : knee) {
    if (point["requests_per_s"].get<double>() < 0.95 * most) CHECK(point["share_in_time"].get<double>() >= 0.95);
    if (point["requests_per_s"].get<double>() > 1.05 * most) CHECK(point["share_in_time"].get<double>() < 0.95);
  }
}

TEST_CASE("the same question has the same bytes, and another seed others") {
  const std::string words = kModel + " --gpu l40s --traffic conversation --rps 3 --ttft 1000" + kMarket + kQuick;
  const std::string once = ask(words_of(words)).out;
  CHECK(once == ask(words_of(words)).out);
  CHECK(once != ask(words_of(words + " --seed 2")).out);
}

TEST_CASE("users come one by one: a short run waits as a long one does") {
  const auto p95 = [](const char* requests) {
    return answer("--gpu l40s --users 30 --isl 1024 --osl 256 --knee false --requests " + std::string(requests))
        .at("ttft_ms")
        .at("p95")
        .get<double>();
  };
  CHECK(p95("600") == Approx(p95("12000")).epsilon(0.1));
}

TEST_CASE("a lone user never waits, and as many users as requests in flight have the figures of estimate") {
  for (const char* const users : {"1", "8", "32", "128"}) {
    CAPTURE(users);
    const std::string lengths = std::string(" --gpu l40s --isl 1024 --osl 256");
    const Json loop = answer("--users " + std::string(users) + lengths + " --knee false");
    const Run estimate = ask(words_of("estimate --model llama-3.1-8b --task inference --mode online --concurrency " +
                                      std::string(users) + lengths + kMarket + " --json"));
    REQUIRE(estimate.status == 0);
    const Json formula = Json::parse(estimate.out)["inference"];
    CHECK(number(loop, "e2e_ms", "mean") == Approx(formula["e2e_latency_ms"].get<double>()).epsilon(0.02));
    CHECK(loop["throughput"]["requests_per_s"].get<double>() ==
          Approx(formula["requests_per_s"].get<double>()).epsilon(0.02));
    if (std::string_view(users) != "1") continue;
    CHECK(number(loop, "tpot_ms", "mean") == Approx(formula["itl_ms"].get<double>()).epsilon(0.01));
    CHECK(number(loop, "ttft_ms", "mean") == Approx(formula["ttft_ms"].get<double>()).epsilon(0.02));
    CHECK(loop["queue"]["max"] == 0);
    CHECK(loop["batch"]["max"] == 1);
  }
}

TEST_CASE("at a light load a rate has the first token of estimate") {
  const std::string words = " --gpu l40s --isl 1024 --osl 256 --request-rate 0.5";
  const Run estimate = ask(words_of("estimate --model llama-3.1-8b --task inference" + words + kMarket + " --json"));
  REQUIRE(estimate.status == 0);
  const Json formula = Json::parse(estimate.out)["inference"];
  const Json out = answer(words + " --knee false");
  CHECK(number(out, "ttft_ms", "p50") == Approx(formula["ttft_ms"].get<double>()).epsilon(0.1));
  CHECK(number(out, "e2e_ms", "p50") == Approx(formula["e2e_latency_ms"].get<double>()).epsilon(0.1));
}

TEST_CASE("more than can be served is said, and misses every target") {
  const Json out = answer("--gpu l4 --rps 40 --isl 1024 --osl 256 --ttft 500" + kQuick);
  CHECK(out["saturated"] == true);
  CHECK(out["share_in_time"].get<double>() < 0.5);
  CHECK(out["probability"]["targets"] == 0);
  CHECK(notes_hold(out, "more requests arrive than can be served"));
  CHECK(
      ask(words_of(kModel + " --gpu l4 --rps 40 --isl 1024 --osl 256 --ttft 500 --check" + kQuick + kMarket)).status ==
      4);
  CHECK(ask(words_of(kModel + " --gpu l4 --rps 40 --isl 1024 --osl 256 --ttft 500" + kQuick + kMarket)).status == 0);
}

TEST_CASE("what is served is what is counted, in overload and in a short log") {
  const Json over = answer("--gpu a10 --rps 40 --requests 2000");
  REQUIRE(over["load"].get<double>() > 1.2);
  const double served = over["throughput"]["requests_per_s"];
  CHECK(served == Approx(over["saturates_at_requests_per_s"].get<double>()).epsilon(0.05));
  CHECK(served * 256 == Approx(over["throughput"]["output_tokens_per_s"].get<double>()).epsilon(0.1));
  // One request each second, whose answers end after the last of them has come.
  std::string log = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 1; i <= 60; ++i) log += std::to_string(i) + ",100,400\n";
  const Json all = answer("--gpu h100-sxm-80gb --traffic " + scratch_file("short.csv", log));
  CHECK(all["throughput"]["requests_per_s"].get<double>() == Approx(1).epsilon(0.05));
}

TEST_CASE("a second replica halves the load of the first") {
  const Json one = answer("--gpu l40s --rps 6 --isl 1024 --osl 256" + kQuick);
  const Json two = answer("--gpu l40s --rps 6 --isl 1024 --osl 256 --replicas 2" + kQuick);
  CHECK(two["plan"]["replicas"] == 2);
  CHECK(two["machine"]["gpus"] == 2);
  CHECK(number(two, "ttft_ms", "p95") < number(one, "ttft_ms", "p95"));
  CHECK(number(two, "batch", "mean") < 0.6 * number(one, "batch", "mean"));
  // At such a rate one of them is always busy: fewer pauses are seen where there are pauses.
  const std::string rare = "--gpu l40s --rps 0.2 --isl 1024 --osl 256" + kQuick;
  const Json alone = answer(rare), shared = answer(rare + " --replicas 2");
  CHECK(alone["utilization"].get<double>() < 1);
  CHECK(shared["utilization"].get<double>() < alone["utilization"].get<double>());
}

TEST_CASE("bursts make requests wait that come at the same rate") {
  const auto late = [](const std::string& arrivals) {
    return number(answer("--gpu l40s --rps 4 --isl 1024 --osl 256 --arrivals " + arrivals + kQuick), "ttft_ms", "p99");
  };
  CHECK(late("even") < late("poisson"));
  CHECK(late("poisson") < late("gamma:6"));
}

TEST_CASE("an offer is priced, and so are the tokens that come in time") {
  const Json out = answer("north/n.a100.8 --rps 2 --isl 1024 --osl 256 --ttft 1000" + kQuick);
  CHECK(out["machine"]["provider"] == "north");
  const double hourly = out["machine"]["hourly"];
  CHECK(out["goodput"]["cost_per_million_output_tokens"].get<double>() ==
        Approx(hourly / 3600 / out["goodput"]["output_tokens_per_s"].get<double>() * 1e6).epsilon(1e-6));
  const Json best = answer("--rps 2 --isl 1024 --osl 256 --ttft 1000" + kQuick);
  CHECK(best["machine"]["provider"].is_string());
  CHECK(notes_hold(best, "the machine is the first that recommend finds"));
}

TEST_CASE("a log is replayed in the unit that it has") {
  // 2 requests per second, as dates would have it.
  const Json out = answer("--gpu l40s --traffic " + log_of("arrival_ms", 500) + kQuick);
  CHECK(out["traffic"]["source"] == "file");
  CHECK(out["traffic"]["time_unit"] == "ms");
  CHECK(out["traffic"]["time_unit_from"] == "column");
  CHECK(out["traffic"]["requests_per_s"].get<double>() == Approx(2));
  CHECK(out["requests"] == 300);
  CHECK(out["notes"][0].get<std::string>().find("ms") != std::string::npos);
  const std::string doubt = refusal("--gpu l40s --traffic " + log_of("timestamp", 500));
  CHECK(doubt.find("0.002/s as s, 2/s as ms") != std::string::npos);
  CHECK(doubt.find("--time-unit") != std::string::npos);
  const Json stated = answer("--gpu l40s --time-unit ms --traffic " + log_of("timestamp", 500) + kQuick);
  CHECK(stated["traffic"]["requests_per_s"].get<double>() == Approx(2));
  const Json faster = answer("--gpu l40s --rps 6 --traffic " + log_of("arrival_ms", 500) + kQuick);
  CHECK(faster["throughput"]["requests_per_s"].get<double>() == Approx(6).epsilon(0.02));
  CHECK(notes_hold(faster, "scaled"));
}

TEST_CASE("a real engine's log, replayed, has its percentiles") {
  // tests/data/serving/README.md: arrivals, and when each request gave its first and its last token.
  const std::string path = "tests/data/serving/rtx-pro-6000-llama-3.1-8b.csv";
  std::istringstream lines(read_file(kSource + "/" + path));
  std::string line;
  std::getline(lines, line);
  std::map<std::string, std::vector<double>> measured;
  while (std::getline(lines, line)) {
    std::array<double, 6> cells{};
    std::istringstream words(line);
    for (double& cell : cells) {
      std::string word;
      std::getline(words, word, ',');
      cell = std::stod(word);
    }
    const auto [arrival, input, output, queued, first, last] = cells;
    measured["ttft_ms"].push_back(1000 * (first - arrival));
    measured["e2e_ms"].push_back(1000 * (last - arrival));
    measured["tpot_ms"].push_back(1000 * (last - first) / (output - 1));
  }
  const Json out = answer(
      "--gpu rtx-pro-6000-server --engine-version 0.19.0 --max-num-seqs 128 "
      "--max-num-batched-tokens 2048 --prefix-caching false --knee false --traffic " +
      path);
  CHECK(out["requests"] == 300);
  for (auto& [measure, values] : measured) {
    std::ranges::sort(values);
    for (const auto& [figure, share] : {std::pair("p50", 0.5), std::pair("p90", 0.9), std::pair("p99", 0.99)}) {
      CAPTURE(measure, figure);
      const double place = share * static_cast<double>(values.size() - 1);
      const auto below = static_cast<std::size_t>(place);
      const double real = values[below] + (place - std::floor(place)) * (values[below + 1] - values[below]);
      CHECK(number(out, measure.c_str(), figure) == Approx(real).epsilon(0.05));
    }
  }
}

TEST_CASE("requests beyond the model's context are late, and are named") {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 200; ++i) text += std::to_string(i) + (i % 10 == 0 ? ",3000,200\n" : ",300,20\n");
  const Json out = answer("--gpu l40s --context 2048 --ttft 2000 --traffic " + scratch_file("long.csv", text));
  CHECK(out["share_in_time"].get<double>() == Approx(0.9));
  CHECK(out["ttft_ms"]["p95"].is_null());
  CHECK(notes_hold(out, "longer than the context of 2048 tokens: 20"));
}

TEST_CASE("a line for each request adds up to the answer") {
  const std::string path = scratch_file("each.csv", "");
  const Json out = answer("--gpu l40s --rps 2 --isl 800 --osl 100 --per-request " + path + kQuick);
  std::istringstream lines(read_file(path));
  std::string line;
  std::getline(lines, line);
  CHECK(line ==
        "arrival_s,input_tokens,output_tokens,cached_tokens,replica,queued_ms,ttft_ms,tpot_ms,e2e_ms,preempted");
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    ++count;
    REQUIRE(std::ranges::count(line, ',') == 9);
  }
  CHECK(count >= out["requests"].get<std::size_t>());
}

TEST_CASE("two sources of requests, and what has no meaning for one, are refused") {
  CHECK(refusal("--gpu l40s --users 4 --rps 3").find("give one of them") != std::string::npos);
  CHECK(refusal("--gpu l40s --users 4 --sessions 3").find("--sessions") != std::string::npos);
  CHECK(refusal("--gpu l40s --users 4 --arrivals even").find("--arrivals") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --think 3").find("--think") != std::string::npos);
  CHECK(refusal("--gpu l40s --users 4 --turns 3").find("--turns") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --time-unit ms").find("--time-unit") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --isl 100 --traffic conversation").find("lengths are those of --traffic") !=
        std::string::npos);
  CHECK(refusal("--gpu l40s --traffic nowhere.csv").find("neither a file nor a profile") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --arrivals sometimes").find("poisson") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --arrivals gamma:x").find("coefficient of variation") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --start-delay 3").find("--start-delay") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --autoscale 4..1").find("--autoscale") != std::string::npos);
  CHECK(refusal("aws/g6e.xlarge --gpu l40s --rps 4").find("named twice") != std::string::npos);
  CHECK(refusal("--gpu l40s --rps 4 --slo-percentile 99").find("no latency target") != std::string::npos);
}

TEST_CASE("what does not generate, or does not fit, has a sentence") {
  const Run encoder = ask(words_of("simulate --model bert-large --gpu l40s --rps 3" + kMarket));
  CHECK(encoder.status == 2);
  CHECK(encoder.err.find("bert-large") != std::string::npos);
  const Run large = ask(words_of("simulate --model llama-3.1-70b --gpu l4 --rps 1" + kMarket));
  CHECK(large.status == 3);
  CHECK(large.err.find("GiB") != std::string::npos);
}

TEST_CASE("what is estimated of a load is what is simulated of it, below four fifths of what can be served") {
  for (const std::string machine : {"--gpu l40s --isl 1024 --osl 256", "--gpu h100-sxm-80gb --isl 4096 --osl 128",
                                    "--gpu a100-sxm-40gb --isl 256 --osl 256 --engine sglang"}) {
    const double most = answer(machine + " --rps 1")["saturates_at_requests_per_s"].get<double>();
    for (const double load : {0.3, 0.75}) {
      const std::string words = machine + " --rps " + std::to_string(load * most);
      CAPTURE(words);
      const Json simulated = answer(words + " --knee false");
      const Run run = ask(words_of("estimate llama-3.1-8b " + words + kMarket + " --json"));
      REQUIRE(run.status == 0);
      const Json estimated = Json::parse(run.out)["inference"];
      const auto near = [&](const char* figure, const char* measure, const char* percentile) {
        CAPTURE(figure);
        CHECK(estimated[figure].get<double>() == Approx(number(simulated, measure, percentile)).epsilon(0.15));
      };
      near("ttft_ms", "ttft_ms", "p50");
      near("ttft_ms_p95", "ttft_ms", "p95");
      near("itl_ms", "itl_ms", "p50");
      near("tpot_ms", "tpot_ms", "mean");
      near("e2e_latency_ms", "e2e_ms", "p50");
      near("e2e_latency_ms_p95", "e2e_ms", "p95");
    }
  }
}

TEST_CASE("a loose target of another kind leaves what is assumed of users, and makes no service cheaper") {
  const std::string question = "recommend llama-3.1-8b --users 60 --think 5" + kMarket + " --json";
  const auto price = [&](const std::string& more) {
    const Run run = ask(words_of(question + more));
    CAPTURE(more, run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out)["recommendations"][0]["cost"]["hourly"].get<double>();
  };
  const double usual = price("");
  CHECK(price(" --e2e 600000") >= usual);
  CHECK(price(" --itl 5000") >= usual);
}

}  // namespace simulate_test
