#include "cli/help/topics.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/request/option.hpp"

namespace gpusel::cli {

namespace {

struct Topic {
  std::string_view name;
  std::string_view others;  // spellings, with spaces between
  std::string_view text;
};

constexpr Topic kTopics[] = {
    {"slo", "sla latency ttft tpot itl e2e p95 p99 percentile 延迟 服务目标",
     to_say("Latency targets. A machine qualifies if --slo-percentile of the requests (default 95) meet every target "
            "at --rps.\n\n"
            "  --ttft 500ms   time to first token\n"
            "  --itl 50ms     time between two tokens\n"
            "  --tpot 50ms    mean time per output token of a request\n"
            "  --e2e 10s      whole request\n"
            "  --rps 10       load: requests per second; 600/min, 1M/day\n"
            "  --isl 1024 --osl 256   prompt and output tokens per request\n\n"
            "--redundancy 1 keeps the targets with one instance down, --max-load 0.7 leaves headroom. gpusel simulate "
            "shows who waits how long, gpusel fleet the cheapest mix for a day's traffic.")},
    {"prices", "price billing budget cost 价格 计费 费用 预算",
     to_say("Prices are published ones, each with its date and source: gpusel instances show SKU. They are not "
            "fetched unless asked: gpusel catalog update.\n\n"
            "  --price p5.48xlarge=40     your own price per hour (=300CNY, =20000/month)\n"
            "  --discount aws=30%         your discount on a provider, GPU, family or SKU\n"
            "  --own \"8xH100@12/h\"        your own machine and its price per hour\n"
            "  --overlay prices.csv       your own table with columns instance,price\n"
            "  --max-price-age 30d        drop older prices\n"
            "  --term spot                also reserved-1y, month, any\n\n"
            "  gpusel catalog new         a template for own machines and prices\n"
            "  gpusel catalog stats       how old the prices are\n\n"
            "gpusel catalog import reads price lists from files.")},
    {"ci", "json exit exit-status status 流水线 退出码",
     to_say(
         "In pipelines: --json prints the answer with stable keys; docs/schema has a JSON Schema of each. Errors are "
         "objects too (gpusel.error/1).\n\n"
         "  gpusel check --policy policy.yaml llama-7b --task finetune\n"
         "  gpusel lock llama-7b --task finetune    record the answer\n"
         "  gpusel diff gpusel.lock --exit-code     what changed since\n\n"
         "Exit status: 0 answer, 1 could not write or read, 2 wrong question, 3 nothing qualifies, 4 policy "
         "violated, 5 invalid catalog, 6 price older than --max-price-age.")},
    {"quantization", "quant 量化",
     to_say("Weights: --quant bf16, fp16, fp8, int8, w4a16 (AWQ, GPTQ), nvfp4, mxfp4 or a GGUF name such as q4_k_m. "
            "KV cache: --kv-cache-dtype fp8 or int8. Without --quant the formats of the model's publisher are "
            "compared; --allow-precisions any compares all.\n\n"
            "Fewer bits take less memory and less bandwidth; arithmetic is faster only where the GPU has units for "
            "the format. FP8 hardly changes answers, 4 bit costs a few percent on hard tasks: check yours.\n\n"
            "  gpusel estimate llama-3.1-70b --gpu h100 --quant fp8\n"
            "  gpusel recommend Qwen/Qwen3-32B-AWQ --rps 2")},
    {"memory", "vram kv-cache kvcache kv tokens gpu oom out-of-memory 显存 内存 显存不足",
     to_say("A job fits if its memory is below what the GPU can give: an 80 GB card gives about 79 GiB, engines leave "
            "some of it free. Answers say how likely it fits; --min-fit sets the required chance (default 0.9).\n\n"
            "Serving: weights + KV cache (requests × tokens) + buffers. Training: weights + gradients + optimizer "
            "states + activations; LoRA and QLoRA need the least.\n\n"
            "  gpusel estimate llama-3.1-8b --task lora --gpu rtx-4090 --explain\n"
            "  gpusel explain memory.kv_cache llama-3.1-70b\n\n"
            "Less memory: --quant, --kv-cache-dtype fp8, a shorter --context or --seq-len, --method qlora, more GPUs "
            "(--gpu h100:2).")},
    {"training", "fine-tuning lora qlora 训练 微调",
     to_say(
         "Training jobs: --task lora, qlora, finetune (all weights) or pretrain. The job's size is --tokens, or "
         "--dataset-size with --epochs.\n\n"
         "  gpusel recommend llama-3.1-8b --task lora --budget 100\n"
         "  gpusel recommend llama-3.1-70b --task qlora --gpu h100\n"
         "  gpusel recommend llama-3.1-8b --task pretrain --tokens 1T --deadline 30d\n\n"
         "--seq-len and --global-batch change memory and speed, --framework the software. --spot with checkpoints is "
         "usually cheapest: gpusel help spot.")},
    {"spot", "preemptible 抢占式 竞价",
     to_say(
         "Spot instances are cheaper and can be reclaimed at any time. --spot ranks them alone, --term any all terms. "
         "The cost of a job includes the interruptions to expect: lost work, restarts, checkpoints.\n\n"
         "  gpusel recommend llama-3.1-8b --task lora --spot\n"
         "  gpusel cost p4d.24xlarge              on-demand, spot and reserved side by side\n\n"
         "--interruptions 20% sets the share reclaimed within a month, --checkpoint-minutes the work between two "
         "checkpoints. Spot prices move by a third within weeks: check today's.")},
    {"mig", "slices 切片",
     to_say(
         "MIG cuts one GPU into isolated slices, each with its own memory and SMs: up to 7 of an A100 or H100, 4 of an "
         "RTX PRO 6000 or A30. A job that needs less than a GPU costs less on a slice.\n\n"
         "h100:1/7 is the profile 1g.10gb of an H100, a100-80gb:1/7 that of an 80 GB A100, a100-40gb:1/7 is 1g.5gb.\n\n"
         "  gpusel gpus show h100                                all profiles of a GPU\n"
         "  gpusel estimate qwen3-1.7b --gpu h100:1/7            fit and speed on one slice\n"
         "  gpusel recommend qwen3-1.7b --gpu rtx-pro-6000:1/4   a slice that clouds sell\n\n"
         "Where no cloud sells the slice, recommend says which machine to rent and cut.")},
    {"regions", "region cloud clouds place country residency 地域 区域 云厂商",
     to_say("Where an answer may run. Names, cities, countries and continents are read alike, several with commas.\n\n"
            "  --region frankfurt     a region, city, country or continent: us-east-1, de, eu\n"
            "  --cloud aws,gcp        providers; --cloud '!vast' leaves one out\n"
            "  --residency eu         countries that the region must be in\n"
            "  --country de           yours: clouds that do not serve it are left out\n"
            "  --market               marketplaces and community hosts too\n\n"
            "A word alone says the same: gpusel recommend llama-3.1-8b aws frankfurt. --region any lifts it.")},
    {"stages", "pipeline stage",
     to_say("Several jobs of one pipeline in one answer, with one sum. List them in a file:\n\n"
            "  stages:\n"
            "    - {name: train, model: llama-3.1-8b, task: finetune, method: lora, tokens: 1e9}\n"
            "    - {name: serve, model: llama-3.1-8b, task: inference, request_rate: 2}\n\n"
            "  gpusel recommend --stages stages.yaml\n\n"
            "A stage takes the flags of recommend, written with _ for -. docs/data-path.md has all keys.")},
    {"sharding", "ddp fsdp zero zero3 deepspeed parallelism",
     to_say("How training is divided over GPUs: --sharding. ddp keeps everything on each GPU; zero1 divides the "
            "optimizer states, zero2 the gradients too, zero3 and fsdp the weights too: less memory, more traffic. "
            "hsdp is fsdp within a node. Without the flag the fastest that fits is taken.\n\n"
            "  gpusel estimate llama-7b --task finetune --gpu a100:8 --sharding zero3\n\n"
            "--tp, --pp, --cp and --ep set the other degrees. Parameter servers are not modeled.")},
    {"power", "energy kwh electricity 功耗 电费",
     to_say("gpusel compare h100 l40s shows the power limit of each GPU in watts. Rent includes electricity. For "
            "machines to buy, gpusel cost SKU --why adds power and hosting: --power-price sets the price per kWh, "
            "--pue the overhead of the data center.")},
};

const Topic* find_topic(std::string_view typed) {
  const std::string name = lower(typed);
  const auto* found = std::ranges::find_if(
      kTopics, [&](const Topic& one) { return one.name == name || job::is_alias(one.others, name); });
  return found == std::end(kTopics) ? nullptr : found;
}

}  // namespace

std::string topic(std::string_view name) {
  const Topic* found = find_topic(name);
  return found == nullptr ? std::string() : say_text(found->text);
}

std::vector<std::string_view> topic_spellings(std::string_view name) {
  const Topic* found = find_topic(name);
  return found == nullptr ? std::vector<std::string_view>() : split(found->others, ' ');
}

std::string joined_topics() {
  return join_texts(kTopics, ", ", [](const Topic& one) { return format("gpusel help {}", one.name); });
}

std::vector<std::string_view> topics() {
  std::vector<std::string_view> names;
  for (const Topic& one : kTopics) names.push_back(one.name);
  return names;
}

}  // namespace gpusel::cli
