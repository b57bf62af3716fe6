#include "cli/commands.hpp"

#include <iostream>

#include "base/io/document.hpp"
#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

constexpr Command kCommands[] = {
    {"recommend", to_say("Which instances for this job, ranked, and why"),
     "  gpusel recommend qwen3-32b --rps 5 --ttft 500\n"
     "  gpusel recommend llama-3.1-8b --task lora --budget 200 --deadline 2d",
     make_recommend},
    {"estimate", to_say("Does this job fit on these GPUs, how fast, and how sure is that"),
     "  gpusel estimate qwen3-32b --gpu h100\n"
     "  gpusel estimate llama-7b --task finetune --gpu a100-sxm-80gb:8 --explain",
     make_estimate},
    {"fit", to_say("Which models run on your GPU, in which format, how fast"),
     "  gpusel fit --gpu rtx-4090\n"
     "  gpusel fit qwen3-32b --gpu rtx-4090:2",
     make_fit},
    {"preflight", to_say("Check whether a command line will start and fit: vllm serve, torchrun …"),
     "  gpusel preflight --gpu l4 -- vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 8192\n"
     "  gpusel preflight --gpu l4:2 -- vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2",
     make_preflight},
    {"compare", to_say("GPUs or instances side by side, for a job if one is given"),
     "  gpusel compare h100 h200 a100-sxm-80gb\n"
     "  gpusel compare p4d.24xlarge p4de.24xlarge llama-3.1-8b --task lora",
     make_compare},
    {"explain", to_say("Where a figure, rank, rejection or rule comes from, and what would make an instance qualify"),
     "  gpusel explain old-price\n"
     "  gpusel explain p4d.24xlarge llama-7b --task finetune --max-price 20",
     make_explain},
    {"why", to_say("Explain a rank, instance, figure or rule of the last answer"),
     "  gpusel why 2 llama-3.1-8b --rps 10\n"
     "  gpusel why g6e.xlarge llama-3.1-8b --rps 10",
     make_why},
    {"cost", to_say("Cost over time of an instance or a job, under every published term"),
     "  gpusel cost p5.48xlarge --hours 100\n"
     "  gpusel cost --model llama-3.1-8b --task finetune --tokens 1e9 --storage-gb 500",
     make_cost},
    {"fleet", to_say("The cheapest mix of instances for a stated traffic, and how it scales over the day"),
     "  gpusel fleet --model llama-3.1-8b --traffic chat --rate 20 --ttft 1000 --tpot 60\n"
     "  gpusel fleet --model llama-3.1-70b --traffic requests.csv --daily trace --cloud aws,gcp --redundancy 1",
     make_fleet},
    {"simulate", to_say("Latencies under load, and the highest rate that meets the targets"),
     "  gpusel simulate --model llama-3.1-8b --gpu l40s --traffic conversation --rps 4 --ttft 1000 --tpot 60\n"
     "  gpusel simulate aws/g6e.xlarge --model llama-3.1-8b --traffic requests.csv --ttft 1000 --e2e 20000 --check",
     make_simulate},
    {"export", to_say("The chosen plan as files of other tools: SkyPilot, Terraform, Kubernetes, vLLM, DeepSpeed …"),
     "  gpusel export skypilot llama-3.1-8b --cloud aws,gcp\n"
     "  gpusel export deepspeed llama-7b --task finetune --to ds.json --dry-run",
     make_export},
    {"verify", to_say("How accurate the estimates are, against published measurements or your own"),
     "  gpusel verify --by source,gpu\n"
     "  gpusel verify --task training --worst 10",
     make_verify},
    {"calibrate", to_say("Fit the estimates to your own measurements"),
     "  gpusel calibrate --model llama-3.1-8b --gpu l40s --concurrency 16 --measured itl_ms=38 --to own.yaml\n"
     "  gpusel calibrate train.log nvidia-smi.csv --model llama-3.1-8b --dry-run",
     make_calibrate},
    {"gpus", to_say("GPUs in the catalog"),
     "  gpusel gpus hopper\n"
     "  gpusel gpus show l40s",
     make_gpus},
    {"instances", to_say("Instances and their prices"),
     "  gpusel instances --gpu H100:8 --max-price 40\n"
     "  gpusel instances show p5.48xlarge",
     make_instances},
    {"models", to_say("Models in the catalog, and any config.json, safetensors or GGUF file"),
     "  gpusel models qwen3\n"
     "  gpusel models show llama-3.1-8b",
     make_models},
    {"catalog import", to_say("Import published price lists into a catalog for --catalog"),
     "  gpusel catalog import --from skypilot gcp.csv azure.csv --out market.snapshot\n"
     "  gpusel catalog import --from generic-csv --cloud on-prem prices.csv --out own-prices/",
     make_catalog_import},
    {"catalog update",
     to_say("Fetch today's price lists of providers and public projects, over https and only when asked"),
     "  gpusel catalog update\n"
     "  gpusel catalog update --source azure --dry-run",
     make_catalog_update},
    {"catalog sources", to_say("The price lists that catalog update reads: address, license, when last read"),
     "  gpusel catalog sources\n"
     "  gpusel catalog sources -o json",
     make_catalog_sources},
    {"catalog lint", to_say("Likely errors in a catalog, each with its location and a fix"),
     "  gpusel catalog lint\n"
     "  gpusel catalog lint --list",
     make_catalog_lint},
    {"catalog new", to_say("A commented template for your own machines and prices"),
     "  gpusel catalog new on-prem.yaml\n"
     "  gpusel catalog new >on-prem.yaml",
     make_catalog_new},
    {"catalog path", to_say("Layers of the catalog: the built-in data and every overlay"),
     "  gpusel catalog path\n"
     "  gpusel catalog path -o json",
     make_catalog_path},
    {"catalog show", to_say("Show one record: GPU, model, instance, provider or source"),
     "  gpusel catalog show aws\n"
     "  gpusel catalog show source nvidia-l40s-datasheet",
     make_catalog_show},
    {"catalog stats", to_say("What the catalog covers, by provider, and how old its prices are"),
     "  gpusel catalog stats\n"
     "  gpusel catalog stats -o csv",
     make_catalog_stats},
    {"catalog drift", to_say("How prices have moved, by GPU, kind of seller and term"),
     "  gpusel catalog drift\n"
     "  gpusel catalog drift -o csv",
     make_catalog_drift},
    {"catalog diff", to_say("What differs between two catalogs, or what overlays changed"),
     "  gpusel catalog diff\n"
     "  gpusel catalog diff embedded embedded --json",
     make_catalog_diff},
    {"whatif", to_say("Which input changes the answer: sweeps, tornado, Pareto frontier; also -o html"),
     "  gpusel whatif --model llama-3.1-8b --task inference --rps 4 --vary rps=1..64\n"
     "  gpusel whatif --model llama-7b --task finetune --tornado --pareto",
     make_whatif},
    {"report", to_say("The full answer as one self-contained HTML page with charts"),
     "  gpusel report --model llama-7b --task finetune -o out.html\n"
     "  gpusel report --model llama-3.1-70b --task inference --rps 2 --to serving.html",
     make_report},
    {"completion", to_say("Shell completion for bash, zsh or fish: prints the script to load"),
     "  gpusel completion bash >gpusel.bash\n"
     "  gpusel completion zsh >_gpusel",
     make_completion},
    {"config show", to_say("Show effective settings and where each comes from"),
     "  gpusel config show\n"
     "  gpusel config show recommend -o json",
     make_config_show},
    {"config path", to_say("The files that settings are read from"),
     "  gpusel config path\n"
     "  gpusel config path -o json",
     make_config_path},
    {"check", to_say("CI gate: check an answer against YAML policies; exit status, SARIF, JUnit"),
     "  gpusel check --policy policy.yaml --model llama-7b --task finetune\n"
     "  gpusel check --policy policy.yaml answer.json -o sarif",
     make_check},
    {"lock", to_say("Save an answer and everything it depends on to a file, for gpusel diff and gpusel check"),
     "  gpusel lock --model llama-7b --task finetune --dry-run\n"
     "  gpusel lock --model llama-3.1-8b --task inference --rps 4 --to serving.lock",
     make_lock},
    {"diff", to_say("What changed since a lock, and which fact caused it"),
     "  gpusel diff gpusel.lock --exit-code --tolerance 5%\n"
     "  gpusel diff old.lock new.lock",
     make_diff},
    {"doctor", to_say("Check data freshness and environment"),
     "  gpusel doctor\n"
     "  gpusel doctor --max-price-age 365d",
     make_doctor},
    {"mcp", to_say("MCP server for AI assistants, on standard input and output"),
     "  gpusel mcp\n"
     "  gpusel mcp --discount aws=0.1 --quiet",
     make_mcp},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

std::string input_name(const std::string& file) { return file == kStandardInput ? say("standard input") : file; }

Error unreadable(std::string_view file, const std::string& why) {
  return {ErrorKind::usage, say("cannot read '{}': {}", printable(input_name(std::string(file))), why), {}, {}};
}

Result<std::string> read_input(const std::string& file) {
  if (file != kStandardInput) return read_text_file(file);
  return read_text(InputFile::standard_input(), input_name(file), kMaxDocumentBytes);
  std::string text;
  char block[65536];
  while (std::cin.read(block, sizeof block) || std::cin.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kMaxDocumentBytes)
      return usage_error(say("it is larger than {} MiB", kMaxDocumentBytes >> 20U), input_name(file));
  }
  if (const std::string_view what = not_text(text); !what.empty()) return usage_error(say_text(what), input_name(file));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

std::string group_summary(std::string_view group) {
  if (group == "config") return say("Settings from files and variables: what is in effect, and where it comes from");
  return group == "catalog" ? say("The data behind the answers: sources, quality, imports, updates")
                            : std::string(group);
}

}  // namespace gpusel::cli
