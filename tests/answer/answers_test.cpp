// What is decided, question by question: tests/golden/answers.txt, of which a difference shows which decision moved.
// Amounts are of the job or of a month, "80 of 100 lie" in brackets; GPUSEL_UPDATE_GOLDEN=1 writes it anew.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "answer/search/known_machines.hpp"
#include "base/text/text.hpp"
#include "cli/command.hpp"
#include "cli/question/job.hpp"
#include "support/market.hpp"
#include "support/program.hpp"

namespace answers_test {

using namespace gpusel;
using answer::Advice;
using answer::Recommendation;

namespace {

constexpr std::string_view kQuestions[] = {
    // Training.
    "--model llama-7b --task pretrain --tokens 1e9",
    "--model llama-7b --task pretrain --tokens 1e9 --objective speed",
    "--model llama-7b --task pretrain --tokens 1e10 --deadline 60d",
    "--model llama-7b --task pretrain --tokens 1e10 --deadline 10d --max-nodes 16",
    "--model llama-7b --task pretrain --tokens 1e11 --deadline 3d --max-nodes 4",
    "--model llama-7b --task pretrain --tokens 1e10 --nodes 4",
    "--model llama-7b --task pretrain --tokens 1e10 --global-batch 64 --deadline 3d",
    "--model llama-3.1-70b --task pretrain --tokens 1e9",
    "--model gpt3-175b --task pretrain --tokens 1e9 --term any",
    "--model mixtral-8x7b --task pretrain --tokens 1e9",
    "--model bert-base --task pretrain --tokens 1e9 --market",
    "--model llama-7b --task finetune",
    "--model llama-7b --task finetune --max-nodes 1",
    "--model llama-7b --task finetune --framework megatron --optimizer sgd",
    "--model llama-7b --task finetune --min-fit 0.999",
    "--model llama-7b --task finetune --offload optimizer --market",
    "--model llama-7b --task finetune --method lora --dataset-size 2000",
    "--model llama-7b --task finetune --method lora --term any --evidence",
    "--model llama-7b --task finetune --method lora --term any --market --all-sizes -n 3",
    "--model llama-7b --task finetune --method lora --budget 40 --market",
    "--model llama-7b --task finetune --method lora --budget 55",
    "--model llama-7b --task finetune --method lora --deadline 30h",
    "--model llama-7b --task finetune --method lora --deadline 30h --confidence 0.99",
    "--model llama-7b --task finetune --method lora --hours-per-day 8 --days 20",
    "--model llama-7b --task finetune --method lora --storage-gb 500 --egress-gb 200 --market",
    "--model llama-7b --task finetune --method lora --weight cost=0.5 --weight headroom=0.5",
    "--model llama-7b --task pretrain --tokens 1e9 --weight headroom=1 --market",
    "--model llama-7b --task finetune --filter 'price<1.2' --deadline 20d",
    "--model llama-7b --task finetune --method lora --gpu a10 --nodes 2",
    "--model llama-7b --task finetune --method qlora --spot",
    "--model llama-7b --task finetune --method qlora --objective balanced --market",
    "--model llama-7b --task finetune --method qlora --max-price 0.6",
    "--model llama-3.1-70b --task finetune --method qlora --market",
    "--model llama-3.1-70b --task finetune --method lora --deadline 2d",
    "--model bert-base --task finetune --market --objective balanced",
    "--model t5-large --task finetune --market",
    "--model resnet-50 --task pretrain --market",
    "--model resnet-50 --task pretrain --loader dali --epochs 30",
    "--model resnet-50 --task finetune --deadline 1h --market",
    "--model sdxl --task finetune --method dreambooth",
    "--model sdxl --task finetune --method lora --market",
    "--model dlrm-dcnv2 --task pretrain --market",
    // Inference without a rate.
    "--model llama-3.1-8b --task inference",
    "--model llama-3.1-8b --task inference --profile dev",
    "--model llama-3.1-8b --task inference --profile dev --market --hours-per-day 8 --days 20",
    "--model llama-3.1-8b --task inference --mode single-stream --market",
    "--model llama-3.1-8b --task inference --concurrency 64 --mode online --market",
    "--model llama-3.1-8b --task inference --mode throughput --tokens 1e9",
    "--model llama-3.1-8b --task inference --mode throughput --tokens 1e10 --deadline 1d --market",
    "--model llama-3.1-8b --task inference --mode throughput --tokens 1e9 --budget 100 --market",
    "--model llama-3.1-8b --task inference --mode throughput --tokens 1e12 --deadline 2d --max-nodes 3",
    "--model llama-3.1-8b --task inference --mode throughput --tokens 1e9 --nodes 3 --spot",
    "--model llama-3.1-70b --task inference --mode throughput --tokens 1e9 --deadline 5d --max-nodes 12",
    "--model llama-3.1-70b --task inference --concurrency 8",
    "--model llama-3.1-70b --task inference --concurrency 8 --allow-precisions any --market",
    "--model llama-3.1-70b --task inference --quant w4a16 --context 8192 --objective speed --market",
    "--model llama-3.1-405b --task inference",
    "--model llama-3.1-405b --task inference --max-nodes 1",
    "--model deepseek-v3 --task inference --market --max-nodes 8",
    "--model qwen2.5-0.5b --task inference --objective balanced --market",
    "--model bge-m3 --task inference --market",
    "--model t5-large --task inference --concurrency 4",
    // Inference at a rate.
    "--model llama-3.1-8b --task inference --rps 2",
    "--model llama-3.1-8b --task inference --rps 20 --market",
    "--model llama-3.1-8b --task inference --rps 20 --redundancy 1 --max-load 0.5",
    "--model llama-3.1-8b --task inference --rps 200 --max-nodes 6 --market",
    "--model llama-3.1-8b --task inference --rps 5 --nodes 4",
    "--model llama-3.1-8b --task inference --rps 5 --term any --market --months 14",
    "--model llama-3.1-8b --task inference --rps 5 --hours-per-day 10 --scale-to-zero --market",
    "--model llama-3.1-8b --task inference --rps 5 --isl 4000 --osl 100 --prefix-cache-hit 0.5 --egress-gb 1000",
    "--model llama-3.1-8b --task inference --rps 5 --objective speed --market",
    "--model llama-3.1-70b --task inference --rps 3 --market",
    "--model llama-3.1-70b --task inference --rps 3 --allow-precisions official --market",
    "--model llama-3.1-405b --task inference --rps 1",
    "--model qwen2.5-0.5b --task inference --rps 50 --redundancy 2",
    "--model bge-m3 --task inference --rps 300 --market",
    // Inference at a rate, in time.
    "--model llama-3.1-8b --task inference --rps 2 --ttft 2000 --tpot 100",
    "--model llama-3.1-8b --task inference --rps 8 --ttft 1000 --tpot 60 --market",
    "--model llama-3.1-8b --task inference --rps 8 --ttft 1000 --itl 60 --redundancy 1 --confidence 0.95",
    "--model llama-3.1-8b --task inference --rps 4 --e2e 9000 --market --slo-percentile 95",
    "--model llama-3.1-8b --task inference --rps 4 --ttft 1500 --max-price 3",
    "--model qwen2.5-0.5b --task inference --rps 4 --ttft 1500 --objective speed --cloud north",
    "--model llama-3.1-8b --task inference --rps 2 --ttft 3000 --nodes 6 --redundancy 1 --cloud south",
    "--model llama-3.1-8b --task inference --rps 4 --ttft 1000 --tpot 100 --arrivals gamma:4 --cloud south",
    "--model llama-3.1-8b --task inference --rps 4 --ttft 20 --tpot 5",
    "--model llama-3.1-8b --task inference --mode single-stream --itl 3 --cloud south",
    "--model llama-3.1-8b --task inference --concurrency 16 --mode online --itl 30 --market",
    "--model llama-3.1-8b --task inference --concurrency 16 --mode online --itl 3",
    "--model llama-3.1-8b --task inference --users 30 --think 10 --market",
    "--model llama-3.1-8b --task inference --sessions 20 --think 20 --turns 3 --ttft 3000",
    "--model llama-3.1-8b --task inference --traffic chat --rps 1 --ttft 3000 --tpot 150 --cloud south",
    "--model qwen2.5-0.5b --task inference --rps 30 --ttft 400 --tpot 30 --market",
    // Pictures, sound and what else is counted.
    "--model sdxl --task inference --market",
    "--model sdxl --task inference --images 100000 --deadline 2d --market",
    "--model sdxl --task inference --images 100000 --budget 60",
    "--model sdxl --task inference --rps 2 --max-load 0.6 --market",
    "--model sdxl --task inference --latency-ms 900",
    "--model flux.1-dev --task inference --rps 0.5 --redundancy 1",
    "--model wan2.1-t2v-1.3b --task inference --frames 81 --market",
    "--model wan2.1-t2v-14b --task inference --rps 0.01",
    "--model whisper-large-v3 --task inference --audio-hours 10000 --market",
    "--model whisper-large-v3 --task inference --rps 5",
    "--model yolov8m --task inference --streams 100 --market",
    "--model resnet-50 --task inference --rps 5000 --max-nodes 10",
    "--model resnet-50 --task inference --images 1e9 --nodes 2 --market",
    "--model dlrm-dcnv2 --task inference --rps 20000 --market",
    "--task render --render offline --renderer cycles --scene-vram 10 --frames 1000 --seconds-per-frame 60 --on a10",
    "--task render --render offline --scene-vram 10 --frames 100 --seconds-per-frame 60 --on t4 --deadline 1h --market",
    "--task render --render offline --renderer cycles --scene-vram 10 --market",
    "--task render --render realtime --sessions 40",
    "--task render --render realtime --sessions 40 --max-nodes 4 --market",
    "--task simulate --solver lbm --cells 1e8 --time-steps 1e5",
    "--task simulate --solver fvm --cells 1e7 --time-steps 1e4 --market",
    "--task transcode --streams 200 --codec h264",
    "--task transcode --streams 500 --codec hevc --live --ladder 1080p,720p,480p --market --redundancy 1",
    "--task transcode --video-hours 5000 --codec h264 --deadline 2d",
    "--task preprocess --preprocess etl --data-gb 5000",
    "--task preprocess --preprocess images --images 1e8 --gpu none",
    // Places, sellers and money.
    "--model llama-7b --task finetune --method lora --region eu",
    "--model llama-7b --task finetune --method lora --residency cn",
    "--model llama-7b --task finetune --method lora --cloud south",
    "--model llama-7b --task finetune --method lora --not-cloud north",
    "--model llama-7b --task finetune --method lora --cloud bazaar --currency EUR",
    "--model llama-7b --task finetune --method lora --filter 'vram>=48 && price<30' --market",
    "--model llama-3.1-8b --task inference --rps 5 --region us --currency CNY --max-price 300",
    "--model llama-3.1-8b --task inference --rps 5 --infra north/eu-1",
    "--model llama-3.1-8b --task inference --rps 5 --max-price-age 20 --market",
    // Nothing does.
    "--model llama-7b --task finetune --max-price 0.1",
    "--model llama-7b --task finetune --max-price 20 --max-nodes 1",
    "--model llama-7b --task finetune --method lora --budget 1 --market",
    "--model llama-7b --task pretrain --tokens 1e12 --deadline 1d --max-nodes 2",
    "--model llama-7b --task finetune --gpu t4 --nodes 1",
    "--model llama-3.1-70b --task inference --gpu t4:1 --max-nodes 1",
    "--model llama-3.1-8b --task inference --rps 500 --max-nodes 1 --cloud north",
    "--model llama-3.1-8b --task inference --region cn --min-vram 80GB",
    "--model llama-3.1-8b --task inference --rps 100000 --market --max-nodes 2",
    "--model llama-3.1-8b --task inference --rps 4 --ttft 900 --tpot 11 --cloud south",
    "--model llama-3.1-405b --task inference --rps 1 --max-nodes 1 --market",
    "--model gpt3-175b --task pretrain --tokens 1e9 --max-nodes 2 --market",
    "--model sdxl --task inference --latency-ms 50",
    "--model llama-7b --task finetune --method lora --min-vram 40GB --max-price 5 --nvlink",
};

/// The question of a line, as a command line of `gpusel recommend` without positionals asks it.
answer::Question question_of(std::string_view line) {
  cli::JobOptions job;
  std::vector<cli::Flag> flags;
  cli::add_job_flags(flags, job);
  job.question.detailed = 5;
  job.question.every_reason = false;
  const std::vector<std::string> words = test::words_of(std::string(line));
  for (std::size_t i = 0; i < words.size(); ++i) {
    CAPTURE(words[i]);
    if (words[i] == "--all-sizes" || words[i] == "--evidence") continue;  // shown here in any case
    if (words[i] == "-n") {
      job.question.detailed = std::stoul(words.at(++i));
      continue;
    }
    const auto flag = std::ranges::find_if(flags, [&](const cli::Flag& one) { return one.is_called(words[i]); });
    REQUIRE(flag != flags.end());
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
    const bool alone = flag->value.empty() || (flag->optional_value && !has_value);
    REQUIRE((alone || has_value));
    const Status set = flag->set(alone ? flag->optional_value ? "true" : "" : words[++i]);
    REQUIRE(set.has_value());
  }
  job.question.today = Date(2026, 11, 20);
  return std::move(job.question);
}

std::string number(catalog::Number value) { return value ? format("{:.4g}", *value) : "-"; }

/// ", key 1.2", where there is a figure.
std::string figure(std::string_view key, catalog::Number value) {
  return value ? format(", {} {}", key, number(value)) : std::string();
}

std::string machine(const Recommendation& r) {
  return format("{}× {}/{} {} {}", r.machine().nodes, r.instance->provider, r.instance->sku, r.region->id,
                to_text(r.offer->term));
}

/// What is paid: of the job or a month, in which interval, per hour, and what makes the order.
std::string money(const Recommendation& r, const Advice& advice) {
  std::string text = format("{} ({} to {}), {}/h", number(r.cost.total), number(r.cost_interval.low),
                            number(r.cost_interval.high), number(r.cost.hourly));
  if (advice.work.ends()) text += format(" for {} h", number(r.cost.hours));
  if (advice.work.ends() && r.cost.elapsed > 1.001 * r.cost.hours) text += figure("over after", r.cost.elapsed);
  if (!advice.work.by_the_hour()) text += figure("each", answer::printed_cost(r, advice.work));
  if (r.cost.order_factor() != 1) text += figure("today", r.cost.order_factor());
  return text;
}

std::string score(const Recommendation& r) {
  std::string text = "score " + number(r.score);
  for (const answer::ScorePart& part : r.parts)
    if (r.parts.size() > 1) text += figure(part.name, part.points);
  return text + (r.row == 0 ? ", another size" : "") + (r.pareto ? ", pareto" : "");
}

std::string switch_points(const Recommendation& r) {
  const std::string at =
      figure("at", r.switch_hourly) + figure("speed", r.switch_speed) + figure("load", r.switch_load);
  return at.empty() ? at : "; first" + at.substr(1);
}

std::string chances(const Recommendation& r) {
  const catalog::Number fits = r.plan().need.is_known() ? catalog::Number(r.plan().need.chance()) : catalog::Number();
  const std::string text = figure("in time", r.in_time) + figure("in budget", r.in_budget) + figure("fits", fits);
  return text.empty() ? text : ";" + text.substr(1);
}

std::string plan(const Recommendation& r, const Advice& advice) {
  std::string text = physics::plan_text(advice.work, r.plan().layout);
  if (r.planned->groups > 1) text += format(", {} of {} groups", r.planned->working, r.planned->groups);
  if (const auto& fewest = r.planned->fewest)
    text += format(", enough {}, ×{}", fewest->nodes, number(fewest->node_time));
  text += figure("rate", r.plan().rate);
  if (const auto& serving = r.plan().serving)
    text += figure("e2e", r.plan().usual_time().raw()) + figure("room", serving->room.max_concurrency) +
            figure("in flight", serving->speed.in_flight);
  if (answer::is_simulated(r)) text += figure("simulated", r.plan().serving->speed.simulated->share_in_time);
  return text;
}

void tell(const Recommendation& r, const Advice& advice, std::string& out) {
  constexpr int kPlansTold = 2;
  out += format("  {} {}: {}; {}{}{}\n", r.rank, machine(r), money(r, advice), score(r), switch_points(r), chances(r));
  if (r.rank <= kPlansTold) out += format("    {}\n", plan(r, advice));
  if (r.rank == 2 && r.reasons.size() >= 2) out += format("    {}; {}\n", r.reasons[0], r.reasons[1]);
}

void tell(const answer::Evidence& evidence, std::string& out) {
  out += format("  best {}, regret {}", number(evidence.best_probability), number(evidence.regret));
  for (const auto& test : evidence.tests)
    out += format("; test {} for {} h and {}, worth {}", test.instance->sku, number(test.hours), number(test.cost),
                  number(test.worth));
  out += "\n";
}

std::string told(const Advice& advice) {
  constexpr std::size_t kRows = 3;
  std::string out;
  for (const Recommendation& r :
       std::span(advice.recommendations).first(std::min(kRows, advice.recommendations.size())))
    tell(r, advice, out);
  if (advice.recommendations.size() > kRows) out += format("  {} more\n", advice.recommendations.size() - kRows);
  if (advice.evidence) tell(*advice.evidence, out);
  for (const answer::Alternative& one : advice.alternatives)
    out += format("  {}: {}: {}{}{}{}\n", one.flag.empty() ? one.key + "=" + one.value : one.flag, machine(one.best),
                  number(one.best.cost.total), figure("ratio", one.ratio), one.risk.empty() ? "" : "; ", one.risk);
  for (const answer::Step& step : advice.staircase)
    out += format("  at {}: {}/s {}, {}/h{}{}\n", step.load, number(step.requests_per_s), machine(step.best),
                  number(step.best.cost.hourly), step.passed_over.empty() ? "" : "; ", step.passed_over);
  // Each rule with how many fell by it; where nothing is left, with the nearest of them.
  std::map<std::string, std::pair<int, std::string>> rejected;
  for (const answer::Rejection& one : advice.rejected) {
    auto& [count, nearest] = rejected[one.rule];
    count += one.count;
    if (!one.message.empty()) nearest = format("{}: {}", one.instance->sku, one.message);
  }
  std::string list;
  for (const auto& [rule, fell] : rejected) {
    if (advice.recommendations.empty())
      out += format("  not {} {}, {}\n", rule, fell.first, fell.second);
    else
      list += format("{} {} {}", list.empty() ? "  not:" : ",", rule, fell.first);
  }
  if (!list.empty()) out += list + "\n";
  if (advice.recommendations.empty())
    for (const std::string& note : advice.notes) out += format("  {}\n", note);
  return out;
}

std::string answer_to(std::string_view line) {
  const test::Market& market = test::Market::small();
  const auto advice = answer::recommend(question_of(line), market.catalog(), market.rules, market.coefficients());
  return format("{}\n{}", line, advice ? told(*advice) : "  error: " + advice.error().message + "\n");
}

/// Rank 1, and what it costs.
std::string first_of(const answer::Question& question, const test::Market& market) {
  const auto advice = answer::recommend(question, market.catalog(), market.rules, market.coefficients());
  if (!advice || advice->recommendations.empty()) return "none";
  const Recommendation& first = advice->recommendations.front();
  return format("{}, {}", machine(first), number(first.cost.hourly));
}

}  // namespace

TEST_CASE("who wants the first rank alone gets it, whatever was learned at other prices") {
  test::Market market = test::Market::own_small();
  double now = 1;
  const auto set_norths_prices = [&](double factor) {
    market.reprice([&](catalog::Offer& offer) {
      if (market.catalog().instances()[offer.instance].provider == "north") offer.amount *= factor / now;
    });
    now = factor;
  };
  for (const std::string_view line :
       {"--model llama-3.1-8b --task inference --rps 1 --market", "--model llama-3.1-8b --task inference --rps 12",
        "--model qwen2.5-0.5b --task inference --rps 40 --redundancy 2 --market",
        "--model llama-3.1-8b --task inference --rps 40 --objective speed",
        "--model sdxl --task inference --images 1e5 --market"}) {
    answer::Question all = question_of(line);
    all.alternatives = false;
    answer::Question first = all;
    first.best_only = std::make_shared<answer::KnownMachines>();
    for (const double factor : {4.0, 1.0, 0.25, 1.0, 8.0}) {
      set_norths_prices(factor);
      first.best_only->least_now = std::min(1.0, factor);
      first.best_only->most_now = std::max(1.0, factor);
      CAPTURE(line, factor);
      CHECK(first_of(first, market) == first_of(all, market));
      CHECK(first_of(first, market) != "none");
    }
  }
}

TEST_CASE("the decisions on an invented market are those that were kept") {
  const std::string path = test::kSource + "/tests/golden/answers.txt";
  std::string all, kept = test::is_updating() ? "" : test::read_file(path);
  for (const std::string_view line : kQuestions) {
    const std::string is = answer_to(line) + "\n";
    all += is;
    if (test::is_updating()) continue;
    const std::size_t end = kept.find("\n\n");
    const std::string was = kept.substr(0, end == std::string::npos ? end : end + 2);
    kept.erase(0, was.size());
    CHECK(is == was);
  }
  CHECK(kept.empty());
  CHECK((!test::is_updating() || test::equals_golden("answers.txt", all)));
}

}  // namespace answers_test
