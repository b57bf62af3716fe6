#include "cli/help/synonyms.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/command.hpp"

namespace gpusel::cli {

namespace {

struct Synonym {
  std::string_view typed;
  std::string_view meant;  // several for commands of different flags, separated by '|', the first that there is
};

/// Of other tools, and the same as ours: SkyPilot, vLLM, Slurm, kubectl. "<SKU>": its value is a word of that place;
/// what has a value after '=' stands in front of the flag.
constexpr Synonym kSameFlags[] = {
    {"accelerators", "--gpu"},
    {"gpus", "--gpu"},
    {"gpu-type", "--gpu"},
    {"gpu-model", "--gpu"},
    {"gpu-count", "--gpu"},
    {"num-gpu", "--gpu"},
    {"num-gpus", "--gpu"},
    {"ngpus", "--gpu"},
    {"gpus-per-node", "--gpu"},
    {"g", "--gpu"},
    {"gres", "--gpu"},
    {"gpu-memory", "--min-vram"},
    {"gpu-ram", "--min-vram"},
    {"num-nodes", "--nodes"},
    {"nnodes", "--nodes"},
    {"instance-type", "<SKU>"},
    {"instance", "<SKU>"},
    {"sku", "<SKU>"},
    {"model-id", "--model"},
    {"use-spot", "--spot"},
    {"preemptible", "--spot"},
    {"interruptible", "--spot"},
    {"on-demand", "--term on-demand"},
    {"ondemand", "--term on-demand"},
    {"clouds", "--cloud"},
    {"providers", "--cloud"},
    {"exclude-cloud", "--not-cloud"},
    {"zone", "--region"},
    {"location", "--region"},
    {"us-east", "--region us-east"},
    {"us-west", "--region us-west"},
    {"cheapest", "--objective cost"},
    {"fastest", "--objective speed"},
    {"format", "--output"},
    {"csv", "--output csv"},
    {"yaml", "--output yaml"},
    {"markdown", "--output markdown"},
    {"prompt-tokens", "--isl"},
    {"prompt-length", "--isl"},
    {"input-length", "--isl"},
    {"max-new-tokens", "--osl"},
    {"completion-tokens", "--osl"},
    {"output-length", "--osl"},
    {"context-length", "--context"},
    {"tensor-parallel-size", "--tp"},
    {"pipeline-parallel-size", "--pp"},
    {"data-parallel-size", "--dp"},
    {"gpu-memory-utilization", "--mem-utilization"},
    {"quantization", "--quant"},
    {"bits", "--quant"},
    {"load-in-4bit", "--quant w4a16"},
    {"4bit", "--quant w4a16"},
    {"8bit", "--quant int8"},
    {"load-in-8bit", "--quant int8"},
    {"dataset", "--dataset-size"},
    {"num-train-epochs", "--epochs"},
    {"lora", "--method lora"},
    {"qlora", "--method qlora"},
    {"fp8", "--quant fp8"},
    {"int4", "--quant w4a16"},
    {"int8", "--quant int8"},
    {"awq", "--quant w4a16"},
    {"gptq", "--quant w4a16"},
    {"gguf", "--quant q4_k_m"},
    {"ollama", "--engine ollama"},
    {"vllm", "--engine vllm"},
    {"sglang", "--engine sglang"},
    {"llama.cpp", "--engine llama.cpp"},
    {"llamacpp", "--engine llama.cpp"},
    {"tensorrt-llm", "--engine trt-llm"},
    {"reserved", "--term reserved"},
    {"cpu-only", "--gpu none"},
    {"no-gpu", "--gpu none"},
    {"without-gpu", "--gpu none"},
    {"max-num-seqs", "--concurrency"},
    {"max-tokens", "--osl"},
    {"ctx", "--context"},
    {"context-window", "--context"},
    {"price-max", "--max-price"},
    {"max-hourly", "--max-price"},
    {"max-cost", "--max-price"},
    {"vram", "--min-vram"},
    {"exclude", "--not-cloud"},
    {"并发", "--concurrency"},
    {"并发数", "--concurrency"},
    {"预算", "--budget"},
    {"N", "--nodes"},
    {"no-marketplace", "--market=false"},
    {"no-market", "--market=false"},
    {"quantize", "--quant"},
    {"no-spot", "--term=on-demand"},
    {"p99", "--slo-percentile=99 --ttft"},
    {"gpu", "<GPU>"},
    {"显存", "--min-vram"},
    {"价格上限", "--max-price"},
    {"用户数", "--users"},
    {"模型", "--model"},
    {"任务", "--task"},
    {"显卡", "--gpu"},
    {"云", "--cloud"},
    {"云厂商", "--cloud"},
    {"厂商", "--cloud"},
    {"地域", "--region"},
    {"区域", "--region"},
    {"地区", "--region"},
    {"计费方式", "--term"},
    {"付费方式", "--term"},
    {"抢占式", "--spot"},
    {"竞价", "--spot"},
    {"包月", "--term month"},
    {"包年", "--term year"},
    {"按量付费", "--term on-demand"},
    {"按量", "--term on-demand"},
    {"量化", "--quant"},
    {"上下文", "--context"},
    {"输入", "--isl"},
    {"输出", "--osl"},
    {"引擎", "--engine"},
    {"框架", "--framework"},
    {"节点", "--nodes"},
    {"节点数", "--nodes"},
    {"期限", "--deadline"},
    {"截止时间", "--deadline"},
    {"货币", "--currency"},
    {"币种", "--currency"},
    {"语言", "--lang"},
    {"筛选", "--filter"},
    {"排序", "--sort"},
    {"格式", "--output"},
};

/// Near enough to be offered; the value goes behind it, or where '+' stands, behind which is the usual one, or in the
/// place of '#'.
constexpr Synonym kOtherFlags[] = {
    {"rpm", "--rps #/min"},
    {"rph", "--rps #/h"},
    {"requests-per-minute", "--rps #/min"},
    {"requests-per-day", "--rps #/day"},
    {"spot-only", "--spot"},
    {"commitment", "--term reserved-+1y"},
    {"commit", "--term reserved-+1y"},
    {"nvidia", "--vendor nvidia"},
    {"amd", "--vendor amd"},
    {"gdpr", "--residency eu"},
    {"eu-only", "--residency eu"},
    {"eu", "--residency eu"},
    {"monthly", "--term month"},
    {"billing", "--term"},
    {"latency", "--ttft|--latency-ms"},
    {"latency-p95", "--e2e|--latency-ms"},
    {"latency-p99", "--slo-percentile 99"},
    {"max-latency", "--ttft|--latency-ms"},
    {"first-token", "--ttft"},
    {"time-to-first-token", "--ttft"},
    {"slo", "--ttft"},
    {"p95", "--ttft"},
    {"p99", "--slo-percentile 99"},
    {"load", "--rps"},
    {"traffic", "--rps"},
    {"req-rate", "--rps"},
    {"users", "--concurrency"},
    {"parallel", "--concurrency"},
    {"prompt", "--isl"},
    {"input", "--isl"},
    {"max-seq-len", "--context|--seq-len"},
    {"max-length", "--seq-len|--context"},
    {"block-size", "--seq-len"},
    {"load-in-4bit", "--method qlora|--quant w4a16"},
    {"mig", "--gpu a100:1/7"},
    {"max-users", "--users"},
    {"scale-to-zero", "--daily office"},
    {"requests", "--rps"},
    {"sort-desc", "--sort-direction desc"},
    {"show-columns", "--columns"},
    {"monthly-budget", "--max-price 500/month"},
    {"peft", "--method lora"},
    {"train", "--task finetune"},
    {"finetune", "--task finetune"},
    {"fine-tune", "--task finetune"},
    {"inference", "--task inference"},
    {"serve", "--task inference"},
    {"render-engine", "--renderer"},
    {"workload", "--task"},
    {"job", "--task"},
    {"use-case", "--task"},
    {"repo", "--model"},
    {"hf", "--model"},
    {"checkpoint", "--model"},
    {"controlnet", "--model controlnet-sd15"},
    {"config", "--model"},
    {"samples", "--dataset-size"},
    {"max-steps", "--tokens"},
    {"gradient-accumulation", "--grad-accum"},
    {"hourly", "--max-price"},
    {"max-usd", "--max-price"},
    {"cost", "--budget|--max-price"},
    {"max-cost", "--max-price|--budget"},
    {"max-budget", "--budget|--max-price"},
    {"time", "--deadline"},
    {"max-time", "--deadline"},
    {"max-hours", "--deadline"},
    {"duration", "--deadline|--hours|--hours-per-day"},
    {"vram", "--min-vram|--gpu"},
    {"memory-per-gpu", "--min-vram"},
    {"ram", "--memory"},
    {"host-memory", "--memory"},
    {"cpu", "--vcpus"},
    {"cores", "--vcpus"},
    {"gpu-count", "--gpu 8|--gpus"},
    {"gpus", "--gpu 8"},
    {"num-gpu", "--gpu 8|--gpus"},
    {"ngpus", "--gpu 8|--gpus"},
    {"device", "--gpu"},
    {"card", "--gpu"},
    {"num-nodes", "--nodes|--max-nodes"},
    {"workers", "--nodes"},
    {"instance", "--allow-list|--gpu"},
    {"instance-type", "--allow-list|--gpu"},
    {"sku", "--allow-list|--gpu"},
    {"vendors", "--vendor"},
    {"datacenter", "--region"},
    {"jurisdiction", "--residency"},
    {"exclude-gpu", "--filter gpu!=+"},
    {"not-gpu", "--filter gpu!=+"},
    {"zero", "--sharding zero+"},
    {"without", "--not-cloud"},
    {"skip", "--not-cloud"},
    {"except", "--not-cloud"},
    {"marketplace", "--market"},
    {"community", "--market"},
    {"optimize", "--objective"},
    {"optimise", "--objective"},
    {"rank-by", "--objective"},
    {"prefer", "--objective"},
    {"order", "--sort"},
    {"order-by", "--sort"},
    {"desc", "--sort-direction desc"},
    {"where", "--region|--filter"},
    {"query", "--filter"},
    {"select", "--columns"},
    {"fields", "--columns"},
    {"html", "--output html"},
    {"md", "--output markdown"},
    {"table", "--output table"},
    {"wide", "--output wide"},
    {"verbose", "--why|--explain"},
    {"details", "--why|--explain"},
    {"reasons", "--why|--explain"},
    {"debug", "--explain"},
    {"silent", "--quiet"},
    {"language", "--lang"},
    {"own-price", "--price"},
    {"prices", "--price|--overlay"},
    {"file", "--overlay"},
    {"预算", "--budget|--max-price"},
    {"延迟", "--ttft|--latency-ms"},
    {"首字延迟", "--ttft"},
    {"每秒请求", "--rps"},
    {"卡数", "--gpus|--gpu 8"},
    {"时长", "--hours|--hours-per-day|--deadline"},
    {"原因", "--why|--explain"},
};

constexpr std::string_view kTokensPerSecond =
    to_say("load is in requests per second: divide by the tokens of an answer; 1000 tokens/s at 256 each: --rps 4");
constexpr std::string_view kHoursOfWhat = to_say(
    "of audio: --audio-hours; of video: --video-hours; of use per day: --hours-per-day; until the job is done: "
    "--deadline 12h");
constexpr std::string_view kAvailability =
    to_say("no limit on availability; gpusel fleet --redundancy 1 keeps a spare, --ttft and --e2e limit latency");

/// "+": names on the line, without any the end; "*": its GPUs, which "+" leaves out then. Several separated
/// by '|': the first whose "*" there is, else the last.
constexpr Synonym kOtherCommands[] = {
    {"推荐", "recommend +"},
    {"估算", "estimate +"},
    {"对比", "compare +"},
    {"比较", "compare +"},
    {"费用", "cost +"},
    {"价格", "instances --gpu *|cost +"},
    {"成本", "cost +"},
    {"解释", "explain +"},
    {"帮助", "help"},
    {"can", "fit + --gpu *|fit +"},
    {"run", "recommend +"},
    {"what", "recommend +"},
    {"which", "recommend +"},
    {"how", "help"},
    {"search", "instances +"},
    {"list", "instances +"},
    {"show-gpus", "gpus +"},
    {"get", "instances +"},
    {"launch", "instances --gpu *|recommend +"},
    {"ls", "instances +"},
    {"prices", "instances +"},
    {"skus", "instances +"},
    {"offers", "instances +"},
    {"machines", "instances +"},
    {"instance", "instances +"},
    {"gpu", "gpus +"},
    {"cards", "gpus +"},
    {"accelerators", "gpus +"},
    {"model", "models +"},
    {"price", "cost +"},
    {"pricing", "cost +"},
    {"costs", "cost +"},
    {"break-even", "cost +"},
    {"tco", "cost +"},
    {"find", "recommend +"},
    {"advise", "recommend +"},
    {"suggest", "recommend +"},
    {"choose", "recommend +"},
    {"select", "recommend +"},
    {"plan", "recommend +"},
    {"best", "recommend +"},
    {"cheapest", "recommend +"},
    {"train", "recommend + --task finetune"},
    {"finetune", "recommend + --task finetune"},
    {"serve", "recommend +"},
    {"fits", "fit + --gpu *|fit +"},
    {"can-run", "fit + --gpu *|fit +"},
    {"can-i-run", "fit + --gpu *|fit +"},
    {"size", "estimate +"},
    {"memory", "estimate +"},
    {"vram", "estimate +"},
    {"calc", "estimate +"},
    {"vs", "compare +"},
    {"versus", "compare +"},
    {"sweep", "whatif +"},
    {"what-if", "whatif +"},
    {"sensitivity", "whatif +"},
    {"scale", "fleet +"},
    {"autoscale", "fleet +"},
    {"capacity", "fleet +"},
    {"bench", "simulate +"},
    {"load-test", "simulate +"},
    {"benchmark", "gpus show *|verify"},
    {"accuracy", "verify"},
    {"measure", "calibrate"},
    {"gate", "check"},
    {"policy", "check"},
    {"ci", "check"},
    {"save", "lock"},
    {"drift", "diff"},
    {"changes", "diff"},
    {"generate", "export"},
    {"terraform", "export terraform"},
    {"skypilot", "export skypilot"},
    {"kubernetes", "export kubernetes"},
    {"html", "report"},
    {"man", "help"},
    {"manual", "help"},
    {"usage", "help"},
    {"info", "catalog show +"},
    {"show", "catalog show +"},
    {"describe", "catalog show +"},
    {"lint", "catalog lint"},
    {"validate", "catalog lint"},
    {"import", "catalog import"},
    {"update", "catalog update"},
    {"refresh", "catalog update"},
    {"fetch", "catalog update"},
    {"stats", "catalog stats"},
    {"config-get", "config show"},
    {"config-list", "config show"},
    {"catalog-search", "instances +"},
    {"catalog-list", "instances +"},
    {"catalog-age", "catalog stats"},
    {"settings", "config show"},
    {"config", "config show"},
    {"status", "doctor"},
    {"health", "doctor"},
    {"server", "mcp"},
    {"explain-plan", "explain +"},
    {"实例", "instances +"},
    {"机型", "instances +"},
    {"显卡", "gpus show *|gpus"},
    {"模型", "models +"},
    {"选型", "recommend +"},
    {"部署", "recommend +"},
    {"微调", "recommend + --task finetune"},
    {"训练", "recommend + --task finetune"},
    {"渲染", "recommend +"},
    {"显存", "estimate +"},
    {"报价", "instances --gpu *|cost +"},
    {"校验", "check"},
    {"检查", "check"},
    {"锁定", "lock"},
    {"差异", "diff"},
    {"导出", "export"},
    {"报告", "report"},
    {"为什么", "why +"},
    {"适配", "fit + --gpu *|fit +"},
    {"sky", "instances --gpu *|recommend +"},
    {"spot", "instances --gpu * --spot|instances --spot"},
    {"deploy", "recommend +"},
    {"fine-tune", "recommend + --task finetune"},
    {"推理", "recommend +"},
};

/// What no flag says, and what there is instead.
constexpr Synonym kNoFlags[] = {
    {"tokens-per-second", kTokensPerSecond},
    {"tokens-per-sec", kTokensPerSecond},
    {"tps", kTokensPerSecond},
    {"throughput", kTokensPerSecond},
    {"吞吐", kTokensPerSecond},
    {"hours", kHoursOfWhat},
    {"sla", kAvailability},
    {"availability", kAvailability},
    {"uptime", kAvailability},
};

template <std::size_t n>
std::string_view meaning_in(const Synonym (&list)[n], std::string_view typed) {
  const std::string folded = fold_name(typed);
  for (const Synonym& one : list)
    if (one.typed == folded) return one.meant;
  return {};
}

}  // namespace

std::optional<std::string> meant_flag(std::string_view flag, const std::function<bool(std::string_view)>& is_flag) {
  std::string_view bare = flag;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  for (const std::string_view meanings : {meaning_in(kOtherFlags, bare), meaning_in(kSameFlags, bare)})
    for (const std::string_view meant : split(meanings, '|')) {
      const std::string_view name = meant.substr(0, meant.find(' '));
      if (!meant.empty() && is_flag(name)) return std::string(meant);
    }
  return std::nullopt;
}

std::string instead_of_flag(std::string_view flag) {
  const std::string_view bare = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  const std::string_view text = meaning_in(kNoFlags, bare);
  return text.empty() ? std::string() : say_text(text);
}

std::optional<SameFlag> same_flag(std::string_view flag, const std::function<bool(std::string_view)>& is_flag) {
  const std::string_view bare = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  const std::string folded = fold_name(bare);
  for (const Synonym& one : kSameFlags) {
    if (one.typed != folded && one.typed != bare) continue;
    SameFlag same;
    std::string_view rest = one.meant;
    if (rest.starts_with('<')) return SameFlag{.place = rest.substr(1, rest.size() - 2)};
    if (const auto space = rest.find(' '); rest.find('=') < space) {
      same.first = rest.substr(0, space);
      rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    }
    const auto space = std::min(rest.find(' '), rest.size());
    same.name = rest.substr(0, space);
    same.value = rest.substr(std::min(space + 1, rest.size()));
    const std::string_view known = same.name.empty() ? same.first.substr(0, same.first.find('=')) : same.name;
    if (is_flag(known)) return same;
  }
  return std::nullopt;
}

std::string_view value_alone(std::string_view flag) {
  struct Alone {
    std::string_view flag, value;
  };
  static constexpr Alone kAlone[] = {{"--gradient-checkpointing", "full"}, {"--activation-checkpointing", "full"}};
  const auto* found = std::ranges::find(kAlone, flag, &Alone::flag);
  return found == std::end(kAlone) ? std::string_view() : found->value;
}

std::optional<std::string> meant_command(std::string_view word, const LineNames& names) {
  const auto meanings = split(meaning_in(kOtherCommands, word), '|');
  if (meanings.empty() || meanings.front().empty()) return std::nullopt;
  const auto fits = [&](std::string_view one) { return !one.contains('*') || !names.gpus.empty(); };
  const auto first = std::ranges::find_if(meanings, fits);
  std::string line(first == meanings.end() ? meanings.back() : *first);
  const bool of_gpus = line.contains('*');
  const std::vector<std::string>& named = of_gpus ? names.others : names.all;
  if (const auto at = line.find('+'); at != std::string::npos) {
    if (!named.empty())
      line.replace(at, 1, join_texts(named, " "));
    else
      line.erase(at - 1, of_gpus ? 2 : std::string::npos);
  }
  if (const auto at = line.find('*'); at != std::string::npos) line.replace(at, 1, join_texts(names.gpus, ","));
  return line;
}

}  // namespace gpusel::cli
