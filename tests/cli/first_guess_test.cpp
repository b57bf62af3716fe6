// What somebody types who has not read the manual: each line is answered, and as what it was taken.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "cli/command.hpp"
#include "cli/help/help.hpp"
#include "support/program.hpp"

namespace first_guess_test {

using namespace gpusel;
using namespace gpusel::test;

namespace {

struct Guess {
  const char* line;
  const char* taken;  // stands in the answer
};

constexpr Guess kGuesses[] = {
    // A model, and nothing else.
    {"gpusel recommend llama-3.1-8b", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --rps 10", "Serve llama-3.1-8b: 10 req/s"},
    {"gpusel recommend meta-llama/Llama-3.1-8B", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b h100", "H100"},
    {"gpusel recommend llama-3.1-8b aws", "aws · on-demand"},
    {"gpusel recommend aws llama-3.1-8b spot", "aws · spot"},
    // Behind the flag of a list further words are of the list.
    {"gpusel recommend llama-3.1-8b --cloud aws gcp", "aws, gcp · on-demand"},
    {"gpusel recommend llama-3.1-8b -r us-east-1 us-west-2", "all clouds in us-east-1, us-west-2"},
    {"gpusel recommend llama-3.1-8b --gpu h100 l40s", "--gpu h100, l40s"},
    {"gpusel recommend llama-3.1-8b g6e.xlarge p5.4xlarge", "on aws g6e.xlarge, aws p5.4xlarge"},
    {"gpusel fit --gpu p40 qwen3-8b", "YES"},
    {"gpusel estimate llama-3.1-8b --gpu h100", "on 1 × H100"},
    {"gpusel estimate 70b", "no GPU was named; this is that of the cheapest machine"},
    {"gpusel estimate 33b h100", "Serve codellama-34b"},
    {"gpusel estimate llama-3.1-8b 24gb", "24gb is taken as a10"},
    {"gpusel fit 24gb -n 1", "on 1 × A10 24 GB"},
    // What was asked stands in the first line, and what does not fit the objective does not stand at all.
    {"gpusel recommend llama-3.1-8b --max-price 5 --min-vram 40GB --gpu h100",
     "out · --gpu h100 --min-vram 40 GB · ≤$5/h"},
    {"gpusel recommend llama-3.1-8b --rps 10 --fastest", "Fastest of "},
    {"gpusel recommend resnet-50 --task train", "Train resnet-50"},
    {"gpusel recommend sdxl --task train", "Fine-tune sdxl"},
    {"gpusel estimate llama-3.1-8b l4 --rps 50", "but serves only 0.963 of 50 req/s; at least 65 such"},
    {"gpusel recommend llama-3.1-8b trn1.32xlarge", "> aws trn1.32xlarge"},
    {"gpusel recommend llama-3.1-405b --gpu mi300x:16", "16 × MI300X"},
    {"gpusel estimate llama-3.1-405b mi300x:16", "on 16 × MI300X 192 GB, 2 nodes"},
    {"gpusel recommend llama-3.1-8b a100:16", "> gcp a2-megagpu-16g"},
    {"gpusel recommend llama-7b --gpu 8卡A100 --task finetune", "A100"},
    {"gpusel estimate resnet-50 l4 --rps 50000", "but does only "},
    {"gpusel compare g6e.xlarge p5.4xlarge llama-3.1-70b", "None is large enough as asked; 4x g6e.xlarge would be."},
    {"gpusel compare g6e.xlarge g6.xlarge llama-3.1-8b --rps 10", "6.44 at most; 3x g6e.xlarge could"},
    {"gpusel whatif llama-3.1-8b --pareto --rps 5 -n 4", "more rows: -n "},
    {"gpusel fleet llama-3.1-8b --traffic chat --rate 20",
     "Serve llama-3.1-8b: 20 req/s, mean 2615 in + 479 out (chat)"},
    {"gpusel estimate llama-3.1-8b h100", "on 1 × H100"},
    {"gpusel compare h100 l40s llama-3.1-8b", "llama-3.1-8b"},
    {"gpusel compare 2x8xh100 8xb200 llama-3.1-405b", "16 × H100"},
    {"gpusel cost llama-3.1-8b --method lora", "LoRA fine-tune llama-3.1-8b"},
    {"gpusel explain llama-3.1-8b", "llama-3.1-8b"},
    {"gpusel simulate llama-3.1-8b --gpu l40s --traffic chat --rps 1 --requests 50", "L40S"},
    {"gpusel export vllm llama-3.1-8b", "vllm"},
    // The task from the other words.
    {"gpusel recommend llama-3.1-8b --method lora", "LoRA fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --epochs 3", "Fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --tokens 100M", "Fine-tune llama-3.1-8b: 100M tokens"},
    {"gpusel recommend resnet-50", "Run resnet-50"},
    {"gpusel recommend whisper-large-v3", "Run whisper-large-v3"},
    {"gpusel recommend --frames 100", "Render · offline"},
    {"gpusel recommend --scene-vram 20GB", "scene of 18.6"},
    // Words for it.
    {"gpusel recommend llama-3.1-8b --task serve", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task serving", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task chat", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task infer", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task train", "Fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task training", "Fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task sft", "Fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task lora", "LoRA fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task qlora", "QLoRA fine-tune llama-3.1-8b"},
    {"gpusel recommend whisper-large-v3 --task transcribe", "Run whisper-large-v3"},
    {"gpusel recommend --task rendering", "Render · offline"},
    {"gpusel recommend --task gaming", "Render · realtime"},
    {"gpusel recommend --task vdi", "Render · cad"},
    // A flag wins over a word, whatever the order.
    {"gpusel estimate llama-3.1-8b lora --method full --gpu h200", "Fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b full fine-tune --method lora", "LoRA fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b lora --task qlora", "QLoRA fine-tune llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b h100 --gpu l4", " · --gpu l4. "},
    {"gpusel recommend llama-3.1-8b h100 --gpus 8", "--gpu h100:8"},
    {"gpusel recommend llama-3.1-8b 100 users --users 5", ": 5 users"},
    // Terms with their length, and hours of what the job takes.
    {"gpusel recommend llama-3.1-8b reserved 1 year", " · reserved-1y"},
    {"gpusel recommend llama-3.1-8b 3 year reserved aws", "aws · reserved-3y"},
    {"gpusel recommend llama-3.1-8b reserved for 3 years", " · reserved-3y"},
    {"gpusel cost aws p5.48xlarge reserved", "reserved-3y"},
    {"gpusel cost p5.48xlarge reserved 3 years", "a month, reserved-3y"},
    {"gpusel cost p5.48xlarge 1 year", "for 8760 h"},
    {"gpusel recommend asr 1000 hours", "3.6M seconds of audio"},
    {"gpusel recommend transcode 1000 hours", "3.6M seconds of video"},
    {"gpusel recommend llama-3.1-8b lora 12 hours", "done in 12.0 h"},
    {"gpusel recommend resnet-50 cpu only", "--gpu none"},
    {"gpusel recommend resnet-50 without gpu", "--gpu none"},
    {"gpusel recommend resnet-50 --cpu-only", "--gpu none"},
    {"gpusel recommend llama-3.1-8b aws only", "aws · on-demand"},
    {"gpusel recommend llama-3.1-8b g6", "--family g6"},
    // A name and its value, and words that say what the job is of.
    {"gpusel recommend llama-3.1-8b lora budget 500", "for at most $500"},
    {"gpusel recommend llama 3.3 70b serve 20 rps under 500ms ttft", "TTFT ≤500 ms"},
    {"gpusel recommend llama-3.1-8b marketplace", "all sellers"},
    {"gpusel recommend llama-3.1-8b 4-bit", "w4a16"},
    {"gpusel recommend embed 100M documents bge-large", "100M sequences"},
    {"gpusel recommend wan2.2 video", "Run wan2.2"},
    {"gpusel recommend video generation", "Run wan2.1"},
    {"gpusel recommend video", "Transcode"},
    {"gpusel recommend transcode 4k hevc", "hevc 3840x2160"},
    {"gpusel recommend rag", "Serve llama-3.1-8b"},
    {"gpusel recommend tts", "Run xtts-v2"},
    {"gpusel explain kv cache", "KV cache"},
    {"gpusel explain kv cache llama-3.1-8b", "memory.kv_cache in this answer"},
    // Units.
    {"gpusel recommend llama-3.1-8b --rps 10 --ttft 500ms", "TTFT ≤500 ms"},
    {"gpusel recommend llama-3.1-8b --rps 10 --ttft 0.5s", "TTFT ≤500 ms"},
    {"gpusel recommend llama-3.1-8b --rps 10/s", "10 req/s"},
    {"gpusel recommend llama-3.1-8b --rps 600/min", "10 req/s"},
    {"gpusel recommend llama-3.1-8b --max-price '$5'", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --max-price '5 USD'", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --max-price 1500/month", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task sft --tokens 1M --budget '$100'", "for at most $100"},
    {"gpusel recommend llama-3.1-8b --task sft --tokens 1M --deadline '2 days'", "done in 2.0 d"},
    {"gpusel recommend llama-3.1-8b --task sft --tokens '1.5M tokens'", "1.5M tokens"},
    {"gpusel recommend llama-3.1-8b --min-vram 80GB", "Serve llama-3.1-8b"},
    // GPUs with counts.
    {"gpusel estimate llama-3.1-8b --gpu h100:8", "on 8 × H100"},
    {"gpusel estimate llama-3.1-8b --gpu 8xH100", "on 8 × H100"},
    {"gpusel estimate llama-3.1-8b --gpu 2x8xH100", "on 16 × H100"},
    {"gpusel estimate llama-3.1-8b --gpu h100:8 --nodes 2", "on 16 × H100"},
    {"gpusel recommend llama-3.1-8b --gpu h100:8", "8 × H100"},
    {"gpusel recommend llama-3.1-8b --gpu any", "Serve llama-3.1-8b"},
    {"gpusel recommend resnet-50 --gpu none", "resnet-50"},
    // The same words in every command, and global flags before it.
    {"gpusel recommend llama-3.1-8b --spot", "spot"},
    {"gpusel recommend llama-3.1-8b --sort price", "Serve llama-3.1-8b"},
    {"gpusel instances --gpu h100 --sort price -n 3", "H100"},
    {"gpusel recommend --market llama-3.1-8b", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --not-cloud gcp", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --cloud '!gcp'", "Serve llama-3.1-8b"},
    {"gpusel --json recommend llama-3.1-8b -n 1", "gpusel.recommend/1"},
    {"gpusel --lang zh recommend llama-3.1-8b", "llama-3.1-8b"},
    // Help.
    {"gpusel help", "recommend"},
    {"gpusel help recommend", "--ttft"},
    {"gpusel help slo", "--slo-percentile"},
    {"gpusel version", "gpusel "},
    {"gpusel -V", "gpusel "},
    {"gpusel explain old-price", "the price is N days old"},
    {"gpusel explain no-gpu", "no GPU"},
    {"gpusel explain max-price", "--max-price"},
    {"gpusel", "To begin with"},
    {"gpusel help spot", "reclaimed"},
    {"gpusel help fine-tuning", "--task lora"},
    {"gpusel help mig", "1/7"},
    // Columns, filters, slices, names of programs.
    {"gpusel recommend llama-3.1-8b --columns instance,price", "hourly (USD)"},
    {"gpusel recommend llama-3.1-8b --filter 'vram>=48'", "Serve llama-3.1-8b"},
    {"gpusel gpus --filter fp8", "h100-sxm-80gb"},
    {"gpusel gpus --filter 'mig && vram>=80'", "a100-sxm-80gb"},
    {"gpusel models --filter 'name~qwen3'", "qwen3-8b"},
    {"gpusel instances --columns instance,gpu,price -n 3", "gpu"},
    {"gpusel estimate llama-3.2-1b --gpu h100:1/7", "on 1/7 H100"},
    {"gpusel compare h100 vs a100", "Cheapest per GPU"},
    {"gpusel recommend gromacs", "Simulate molecular dynamics, "},
    {"gpusel recommend --task openfoam", "Simulate fluids by finite volumes, "},
    {"gpusel recommend octane", "octane"},
    {"gpusel recommend 'llama 3.1 70b'", "Serve llama-3.1-70b"},
    {"gpusel recommend 'stable diffusion xl'", "Run sdxl"},
    {"gpusel recommend llama-3.1-8b --gpu 4090", "RTX 4090"},
    {"gpusel recommend llama-3.1-8b --region frankfurt", "in Frankfurt"},
    {"gpusel recommend llama-3.1-8b in frankfurt", "all clouds in Frankfurt"},
    {"gpusel recommend llama-3.1-8b at aws", "aws · on-demand"},
    {"gpusel recommend llama-3.1-8b no vast", "--not-cloud vast"},
    {"gpusel recommend qwen 72b", "Serve qwen2.5-72b"},
    {"gpusel recommend 千问 32b 100并发", "qwen3-32b"},
    {"gpusel cost ecs.c8i.8xlarge qwen2-1.5b", "USD per million tokens"},
    {"gpusel recommend llama-3.1-8b --budget 500/month", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --quant 4bit", "w4a16"},
    {"gpusel recommend llama-3.1-8b --engine ollama", "ollama"},
    {"gpusel recommend --task 'cloud gaming' --users 10", "Render · realtime"},
    {"gpusel fit llama-3.1-8b --gpu 'rtx 3060'", "RTX 3060"},
    {"gpusel catalog show h100", "h100-sxm-80gb"},
    {"gpusel cost p5.48xlarge g6e.xlarge", "g6e.xlarge"},
    // Groups and families, wherever a GPU or an instance may stand.
    {"gpusel gpus show rtx-4000", "rtx-4000-ada-20gb"},
    {"gpusel compare rtx-4000 t4", "quadro-rtx-4000-8gb"},
    {"gpusel compare gn6v gn6i", "ecs.gn6i-c4g1.xlarge"},
    {"gpusel compare t4 v100 aliyun", "v100-sxm2-16gb"},
    {"gpusel gpus --for rendering --cloud aliyun", "l20"},
    {"gpusel gpus --for inference h100 a100 l40s", "l40s"},
    {"gpusel catalog show gn6v", "ecs.gn6v-c8g1.2xlarge"},
    // What may be explained.
    {"gpusel help stages", "--stages"},
    {"gpusel explain billing", "--discount"},
    {"gpusel explain ddp", "zero3"},
    {"gpusel explain gn6v", "ecs.gn6v-c8g1.2xlarge"},
    {"gpusel explain power", "watts"},
    {"gpusel explain mig t4", "Turing"},
    {"gpusel instances show p4d.24xlarge --why", "p4d.24xlarge"},
    {"gpusel models show llama-7b --why", "llama-7b"},
    // Words that belong together, and words of a load, a format, a processor.
    {"gpusel recommend cloud gaming", "Render · realtime"},
    {"gpusel recommend video transcoding", "Transcode"},
    {"gpusel recommend --task video", "Transcode"},
    {"gpusel recommend stable diffusion xl", "Run sdxl"},
    {"gpusel recommend resnet-50 inference aliyun 100 qps", "Run resnet-50: 100 req/s"},
    {"gpusel recommend qwen2-7b awq t4", "T4"},
    {"gpusel recommend resnet-50 --instance ecs.c8i.8xlarge", "ecs.c8i.8xlarge"},
    {"gpusel estimate qwen2-1.5b --gpu cpu", "YES"},
    {"gpusel compare ecs.c8i.8xlarge ecs.gn7i-c8g1.2xlarge qwen2-1.5b", "ecs.c8i.8xlarge runs it with llama.cpp"},
    {"gpusel export keda qwen2-7b --rps 2 --scale-to-zero", "minReplicaCount: 0"},
    {"gpusel export vllm llama-3.1-8b --dry-run", "vllm"},
    {"gpusel recommend qwen2-1.5b --rps 1 --engine sglang", "gpusel export sglang"},
    // Flags of SkyPilot, vLLM and Slurm.
    {"gpusel recommend llama-3.1-8b --gpus 8", "8 × "},
    {"gpusel recommend llama-3.1-8b --gpus A100:1 --cloud aws,gcp --use-spot", "1 × A100"},
    {"gpusel recommend llama-3.1-8b --accelerators=H100:8", "8 × H100"},
    {"gpusel recommend llama-3.1-8b --gpu h100 --num-gpus 8", "8 × H100"},
    {"gpusel recommend llama-3.1-8b h100 --gpu 8", "8 × H100"},
    {"gpusel recommend llama-3.1-8b --gres gpu:a100:8", "8 × A100"},
    {"gpusel recommend llama-3.1-8b --instance-type g6e.xlarge", "aws g6e.xlarge"},
    // Of one name: of every provider that has it, and the whole SKU before one without its prefix (ecs.g7.4xlarge).
    {"gpusel recommend llama-3.1-8b --rps 7 2x g6e.xlarge", "> 2 × aws g6e.xlarge"},
    {"gpusel recommend llama-3.1-8b gpu_8x_h100_sxm5", "on gpu_8x_h100_sxm5"},
    {"gpusel recommend llama-3.1-8b --instance gpu_8x_h100_sxm5 --cloud massedcompute",
     "> massedcompute gpu_8x_h100_sxm5"},
    {"gpusel recommend qwen3-32b --instance g7.4xlarge", "on aws g7.4xlarge"},
    {"gpusel recommend llama-3.1-8b --cloud aws --zone us-east-1a", "us-east-1"},
    {"gpusel recommend llama-3.1-8b on aws in us-west", "us-west"},
    {"gpusel recommend llama-3.1-8b --tensor-parallel-size 4", "tp4"},
    {"gpusel estimate llama-3.1-70b --gpu h100:2 --load-in-4bit", "w4a16"},
    {"gpusel instances --format csv -n 2", "provider"},
    {"gpusel instances aws us-east-1 -n 3", "us-east-1"},
    {"gpusel preflight --gpu h100:2 vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2", "STARTS"},
    // The price of a GPU, and families by their names.
    {"gpusel cost h100", "h100"},
    {"gpusel cost --gpu h100:8 --hours 10", "for 10 h"},
    {"gpusel recommend llama", "Serve llama-3.1-8b"},
    {"gpusel recommend mistral", "Serve mistral-7b"},
    {"gpusel recommend 70b", "Serve llama-3.1-70b"},
    {"gpusel recommend whisper", "Run whisper-large-v3"},
    {"gpusel recommend yolov8", "Run yolov8"},
    {"gpusel recommend stable diffusion", "Run stable-diffusion-1.5"},
    {"gpusel estimate sd-1.5 --gpu t4", "YES"},
    {"gpusel estimate controlnet --gpu t4", "YES"},
    // A GPU, a provider, a place and a term are limits of a list, whatever names they are part of.
    {"gpusel instances l4 --columns gpu -n 1", "gpu\nl4\n"},
    {"gpusel instances a10 --columns gpu -n 1", "gpu\na10\n"},
    {"gpusel instances 8xh100 --columns gpu_count -n 1", "gpu_count\n        8\n"},
    {"gpusel instances 4 a100 --columns gpu_count -n 1", "gpu_count\n        4\n"},
    {"gpusel instances aws spot --columns provider,term -n 1", "spot"},
    {"gpusel instances hopper --columns gpu -n 1", "h"},
    // The flag wins over the word.
    {"gpusel estimate 13b 4090 --gpu v100 --quant w4a16", "V100"},
    {"gpusel estimate llama-3.1-8b a100:2 --gpus 4", "4 × A100"},
    {"gpusel recommend llama-3.1-8b frankfurt --region any", "all clouds · on-demand"},
    {"gpusel recommend llama-3.1-8b spot --term on-demand", "all clouds · on-demand · vllm"},
    {"gpusel recommend llama-3.1-8b on-demand --spot", "all clouds · spot · vllm"},
    // A provider in front of a GPU is the provider, and a list of them is a list.
    {"gpusel recommend llama-3.1-8b aws h100", "\naws · on-demand"},
    {"gpusel recommend llama-3.1-8b aws l4", "\naws · on-demand"},
    {"gpusel recommend llama-3.1-8b nvidia h100", "--gpu nvidia h100"},
    {"gpusel instances aws v100 --columns provider -n 1", "provider\naws\n"},
    {"gpusel instances h100 8 aws --columns gpu_count -n 1", "gpu_count\n        8\n"},
    {"gpusel recommend llama-3.1-8b h100 8 users", ": 8 users"},
    {"gpusel recommend llama-3.1-8b aws,gcp", "\naws, gcp · on-demand"},
    {"gpusel instances aws,gcp h100 --columns provider -n 1", "provider\naws\n"},
    {"gpusel recommend llama-3.1-8b fastest", "Fastest of "},
    // Limits in words.
    {"gpusel recommend llama-3.1-8b --memory 80GB", "out · ≥80 GB host memory"},
    {"gpusel recommend llama-3.1-8b --memory 64", "out · ≥64 GiB host memory"},
    {"gpusel recommend llama-3.1-8b --vcpus 16", "out · ≥16 vCPUs"},
    {"gpusel recommend llama-3.1-8b --vcpus 8..64", "out · 8 to 64 vCPUs"},
    {"gpusel recommend llama-3.1-70b p5.48xlarge", "out · on aws p5.48xlarge"},
    {"gpusel recommend llama-3.1-8b --max-price 'EUR 5'", "out · ≤€5/h"},
    {"gpusel recommend llama-3.1-8b --budget 500/month", "out · ≤$500/month"},
    // Amounts with the unit that is meant anyway.
    {"gpusel cost p5.48xlarge --hours-per-day 8h --days 5d", "p5.48xlarge"},
    {"gpusel cost p5.48xlarge 720h", "for 720 h"},
    {"gpusel gpus --vram 80GB+", "h100-sxm-80gb"},
    {"gpusel recommend llama-3.1-8b --term 1yr", "reserved-1y"},
    {"gpusel export k8s llama-3.1-8b --dry-run", "kind: "},
    {"gpusel export docker-compose llama-3.1-8b --dry-run", "services:"},
    {"gpusel recommend llama-3.1-8b --currency rmb", "¥"},
    {"gpusel help lora", "--task lora"},
    {"gpusel help region", "--residency"},
    {"gpusel explain market", "marketplace"},
    {"gpusel explain term", "other terms than requested"},
    {"gpusel why not h100 llama-3.1-8b", "H100"},
    {"gpusel why thunder llama-3.1-8b --market", "thunder"},
    // One meaning of a name everywhere.
    {"gpusel estimate llama-3.1-8b --gpu a100", "A100 SXM4 80 GB"},
    {"gpusel simulate llama-3.1-8b --gpu a100 --rps 1", "A100 SXM4 80 GB"},
    {"gpusel simulate llama-3.1-8b l4 --rps 0.5", "on 1 × L4 24 GB"},
    {"gpusel explain a100 llama-3.1-8b", "A100"},
    {"gpusel explain t4 --model llama-3.1-8b --quant w4a16", "T4"},
    // Quantities in words.
    {"gpusel recommend llama-3.1-8b under '$2/h'", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b 50 users", "50 users"},
    {"gpusel recommend llama-3.1-8b 500ms", "500"},
    {"gpusel recommend llama-3.1-8b lora 1 epoch", "102M tokens"},
    {"gpusel recommend llama-3.1-8b '2x a100-80gb'", "2 × A100"},
    {"gpusel recommend llama-3.1-8b 4 a100", "4 × A100"},
    {"gpusel estimate llama-3.1-8b a100 x 4", "4 × A100"},
    // Two words of one task; the narrower wins.
    {"gpusel recommend finetune llama-3.1-8b lora 10M tokens", "LoRA"},
    {"gpusel recommend train gpt2 from scratch", "Pretrain gpt2"},
    {"gpusel recommend chat", "Serve llama-3.1-8b"},
    // Engines, formats, a processor; what is so anyway.
    {"gpusel recommend llama-3.1-8b vllm cheapest", "vllm"},
    {"gpusel recommend llama-3.1-8b --bits 4", "w4a16"},
    {"gpusel recommend llama-3.1-8b gguf", "q4_k_m"},
    {"gpusel recommend llama-3.1-8b --ollama", "ollama"},
    {"gpusel recommend llama-3.1-8b --int4", "w4a16"},
    {"gpusel recommend llama-3.1-8b --max-cost 5", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --vram 40", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --exclude vast", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --p99 2s", "99"},
    {"gpusel recommend llama-3.1-8b --no-marketplace --max-tokens 100 --ctx 8k", "100 out"},
    {"gpusel recommend llama-3.1-8b --no-spot", "all clouds · on-demand"},
    {"gpusel estimate llama-3.1-8b --gpu l4 --dtype fp16", "fp16"},
    {"gpusel estimate llama-3.1-8b --gpu l4 --users 8", "8 requests in flight"},
    {"gpusel estimate llama-3.1-8b --gpu l4 --batch 8", "8 requests in flight"},
    {"gpusel estimate llama-3.1-8b --method lora --load-in-4bit --gpu l4", "QLoRA"},
    {"gpusel estimate llama-3.1-8b --task lora --gpu l4 --gradient-checkpointing", "LoRA fine-tune"},
    // Beside what is compared or priced.
    {"gpusel compare llama-3.1-8b --gpu l4,l40s", "Pick l40s"},
    {"gpusel compare h100,a100", "a100-sxm-80gb"},
    {"gpusel cost aws h100:8", "aws"},
    {"gpusel whatif llama-3.1-8b --rps 1..8", "8"},
    {"gpusel whatif llama-3.1-8b rps=1..8", "requests/s varies"},
    {"gpusel recommend transcode av1 --cloud aws", "Transcode · av1"},
    {"gpusel explain DDP", "zero3"},
    {"gpusel explain kv-cache", "KV cache"},
    {"gpusel help latency", "--ttft"},
    {"gpusel help exit", "status"},
    // In Chinese.
    {"gpusel recommend qwen3-8b 每秒10个请求", "10 req/s"},
    {"gpusel recommend qwen3-8b 两张4090", "2 × RTX 4090"},
    {"gpusel recommend qwen3-8b 显存24G", "Serve qwen3-8b"},
    {"gpusel recommend qwen3-8b 英伟达", "Serve qwen3-8b"},
    {"gpusel recommend qwen3-8b A10 和 V100", "Serve qwen3-8b"},
    {"gpusel recommend 向量模型", "bge-m3"},
    {"gpusel recommend 重排序", "bge-reranker"},
    {"gpusel recommend qwen3-8b --并发 10", "10"},
    {"gpusel recommend llama-3.1-8b --task 推理", "Serve llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --task 微调", "Fine-tune llama-3.1-8b"},
    {"gpusel recommend 云游戏", "Render · realtime"},
    {"gpusel recommend 虚拟桌面", "Render · cad"},
    {"gpusel recommend 图像生成", "sdxl"},
    {"gpusel recommend 对话", "Serve qwen3-8b"},
    {"gpusel recommend qwen3-8b 对话", "Serve qwen3-8b"},
    {"gpusel recommend 文心一言", "ernie-4.5-21b-a3b"},
    {"gpusel recommend llama-3.1-8b 'A100*4'", "4 × A100"},
    {"gpusel estimate llama-3.1-8b --gpu 'h100*2'", "2 × H100"},
    {"gpusel recommend 视频转码", "Transcode"},
    {"gpusel recommend 千问2-7b", "Serve qwen2-7b"},
    {"gpusel recommend 百川2-13b", "Serve baichuan2-13b"},
    {"gpusel recommend llama-3.1-8b --region 杭州", "Serve llama-3.1-8b"},
    {"gpusel models 通义千问 -n 1", "qwen"},
    {"gpusel gpus 英伟达 -n 1", "h100-sxm-80gb"},
    {"gpusel gpus 国产 -n 1", "Huawei"},
    {"gpusel instances 华为云 昇腾 --columns provider -n 1", "provider\nhuawei\n"},
    {"gpusel recommend qwen3-8b 最快", "Fastest of "},
    {"gpusel recommend qwen3-8b 便宜", "Serve qwen3-8b"},
    {"gpusel recommend resnet-50 无GPU", "resnet-50"},
    {"gpusel recommend qwen3-8b 单卡H100", "1 × H100"},
    {"gpusel recommend qwen3-8b 低于5000元/月", "≤¥5,000/month"},
    {"gpusel recommend qwen3-8b --currency 人民币", "¥"},
    {"gpusel recommend 部署 qwen3-8b 用 4090", "RTX 4090"},
    {"gpusel recommend 在阿里云上部署 qwen3-32b", "\n阿里云 · "},
    {"gpusel recommend 我要微调 qwen3-8b", "Fine-tune qwen3-8b"},
    {"gpusel why 第3名 qwen3-8b", "rank 3 of"},
    {"gpusel explain 显存不足", "--kv-cache-dtype"},
    {"gpusel recommend llama-3.1-8b --term 抢占式", "spot"},
    {"gpusel recommend llama-3.1-8b --term 按量付费", "on-demand"},
};

/// A word that is no right one, and the right one by meaning.
constexpr Guess kMeant[] = {
    {"gpusel recommend llama-3.1-8b --rpm 600", "--rps 600/min'"},
    {"gpusel recommend llama-3.1-8b 32k", "--context 32k'"},
    {"gpusel recommend mistral large", "mistral-large"},
    {"gpusel transcode 4k hevc", "gpusel recommend transcode 4k hevc'"},
    {"gpusel whatif llama-3.1-8b --rps 1,10,100", "--vary rps=1,10,100'"},
    {"gpusel recommend llama-3.1-8b --spot-only", "--spot"},
    {"gpusel recommend llama-3.1-8b --latency 200", "--ttft"},
    {"gpusel recommend llama-3.1-8b --latency 500ms", "--ttft 500ms'"},
    {"gpusel recommend llama-3.1-8b --exclude-gpu t4", "--filter gpu!=t4'"},
    {"gpusel recommend llama-3.1-8b --zero 3", "--sharding zero3'"},
    {"gpusel search h100", "gpusel instances"},
    {"gpusel pricing h100", "gpusel instances --gpu h100"},
    {"gpusel h100 price", "gpusel instances --gpu h100"},
    {"gpusel pricing p5.48xlarge", "gpusel cost"},
    {"gpusel recommend llama-3.1-8b --latency-p99 500ms", "--slo-percentile 99"},
    {"gpusel llama-3.1-8b", "gpusel recommend llama-3.1-8b"},
    {"gpusel h100", "gpusel catalog show h100"},
    {"gpusel can i run llama-3.1-70b", "gpusel fit"},
    {"gpusel 推荐 qwen3-8b", "gpusel recommend"},
    {"gpusel config get", "gpusel config show"},
    {"gpusel catalog search h100", "gpusel instances"},
    {"gpusel fleet llama-7b --rps 10 --scale-to-zero", "--daily office"},
};

/// A line that fails, and what its error says.
constexpr Guess kTold[] = {
    {"gpusel recommend llama-3.1-8b dpo", "'dpo' is not estimated help: the nearest is fine-tuning: --task finetune"},
    {"gpusel recommend llama-3.1-8b h100 mig", "--gpu h100:1/7"},
    {"gpusel recommend llama-3.1-8b m4 max", "no Apple GPUs"},
    {"gpusel recommend llama-3.1-8b 1M tokens/day", "'1M tokens/day' is not a load"},
    {"gpusel recommend llama-3.1-8b --residency any", "leave it off"},
    {"gpusel recommend whisper --hours 1000", "of audio: --audio-hours"},
    {"gpusel fleet 70b lora", "gpusel recommend 70b lora"},
    {"gpusel fleet", "help: --model llama-3.1-8b or qwen3-32b"},
    {"gpusel simulate", "help: --model llama-3.1-8b or qwen3-32b"},
    {"gpusel explain nosuchfigure", "gpusel explain memory.kv_cache llama-3.1-8b"},
    {"gpusel recommend llama-3.1-8b --tokens-per-second 1000", "1000 tokens/s at 256 each: --rps 4"},
    {"gpusel recommend llama-3.1-8b --sla 99.9", "no limit on availability"},
    {"gpusel recommend llama-3.1-8b --price 5", "--max-price 5"},
    {"gpusel list gpus", "did you mean 'gpusel gpus'?"},
    {"gpusel run llama-3.1-8b", "did you mean 'gpusel recommend llama-3.1-8b'?"},
    {"gpusel can llama-3.1-70b run on 4090", "did you mean 'gpusel fit llama-3.1-70b --gpu 4090'?"},
    {"gpusel benchmark h100", "did you mean 'gpusel gpus show h100'?"},
    {"gpusel finetune llama-3.1-8b", "did you mean 'gpusel recommend llama-3.1-8b --task finetune'?"},
    {"gpusel 价格 h100", "did you mean 'gpusel instances --gpu h100'?"},
    {"gpusel 对比 a100 h100", "did you mean 'gpusel compare a100 h100'?"},
    {"gpusel sky launch --gpus H100:8", "did you mean 'gpusel instances --gpu H100:8'?"},
    {"gpusel serve llama-3.1-8b on h100 --rps 10", "did you mean 'gpusel recommend llama-3.1-8b h100 --rps 10'?"},
    {"gpusel recommend llama-3.1-8b --steps 100", "remove --steps: it is for image"},
    {"gpusel recommend llama-3.1-8b --deadline 12h", "remove --deadline: it is for jobs that end"},
    {"gpusel price p5.48xlarge", "did you mean 'gpusel cost p5.48xlarge'?"},
    {"gpusel llama-3.1-8b 8xH100", "did you mean 'gpusel recommend llama-3.1-8b 8xH100'?"},
    {"gpusel recommend llama-3.1-8b --gdpr", "did you mean '--residency eu'?"},
    {"gpusel recommend llama-3.1-8b --nvidia", "did you mean '--vendor nvidia'?"},
    {"gpusel recommend llama-3.1-8b --commit 1y", "did you mean '--term reserved-1y'?"},
    {"gpusel recommend llama-3.1-8b --commitment", "did you mean '--term reserved-1y'?"},
    {"gpusel recommend llama-3.1-8b amd h100", "from nvidia, not amd"},
    {"gpusel estimate llama-3.1-8b amd h100", "from nvidia, not amd"},
    {"gpusel estimate llama-3.1-8b l4 nosuchword", "gpusel estimate --help"},
    {"gpusel check", "--policy: a policy file is missing"},
};

}  // namespace

TEST_CASE("first guesses are answered as they were meant") {
  for (const Guess& guess : kGuesses) {
    const Run run = shell(guess.line);
    CAPTURE(guess.line, guess.taken, run.out.substr(0, 400), run.err);
    CHECK(run.status == 0);
    CHECK(run.out.find(guess.taken) != std::string::npos);
  }
}

TEST_CASE("a word that fails gets the right one by its meaning") {
  for (const Guess& guess : kMeant) {
    const Run run = shell(guess.line);
    CAPTURE(guess.line, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(std::string("did you mean '") + guess.taken) != std::string::npos);
  }
}

TEST_CASE("what no flag or command says is told with what to type instead") {
  for (const Guess& guess : kTold) {
    const Run run = shell(guess.line);
    std::string err = run.err;
    std::ranges::replace(err, '\n', ' ');
    CAPTURE(guess.line, err);
    CHECK(run.status == 2);
    CHECK(err.find(guess.taken) != std::string::npos);
  }
}

TEST_CASE("where nothing qualifies the reason is the true one") {
  constexpr Guess kReasons[] = {
      {"gpusel recommend resnet-50 --task pretrain --spot --cloud aliyun",
       "\naliyun also sells spot, but no prices are recorded"},
      {"gpusel recommend --task render --frames 1000 --spot --cloud aliyun",
       "\naliyun also sells spot, but no prices are recorded"},
      {"gpusel recommend llama-7b --task finetune --budget 1", "Excluded by --budget"},
      {"gpusel recommend llama-7b 昇腾910b", "no instance on record has"},
      {"gpusel recommend llama-3.1-8b --gpu inferentia1 --rejected", "engine-without-this-accelerator"},
      {"gpusel recommend llama-3.1-8b --engine llama.cpp --vendor google", "engine-without-this-vendor"},
      {"gpusel recommend llama-7b --rps 1 --max-price 0.1", "Excluded by --max-price"},
      {"gpusel recommend llama-7b --task finetune --deadline 1m --budget 1", "--budget, --deadline"},
      {"gpusel recommend sd-1.5 --resolution 1080p --latency-ms 1500 --gpu t4", "one batch takes 85 s; the limit is"},
  };
  for (const Guess& guess : kReasons) {
    const Run run = shell(guess.line);
    CAPTURE(guess.line, run.out);
    CHECK(run.status == 3);
    CHECK(run.out.find(guess.taken) != std::string::npos);
    CHECK(run.out.find("--market,") == std::string::npos);
  }
}

TEST_CASE("a question that has no answer says what to type") {
  constexpr Guess kHelped[] = {
      {"gpusel recommend gpt-4",
       "its weights are not published\nhelp: for an open model of its kind: gpusel recommend"},
      {"gpusel compare aws gcp", "'aws' is a provider\nhelp: to compare providers for a job: gpusel recommend"},
      {"gpusel compare", "help: for example: gpusel compare h100"},
      {"gpusel completion", "help: for example: gpusel completion bash"},
      {"gpusel recommend llama-3.1-8b --where eu", "did you mean '--region eu'?"},
      {"gpusel recommend llama-3.1-8b --where 'vram>=48'", "did you mean '--filter vram>=48'?"},
      {"gpusel lock llama-3.1-8b -o x.lock", "to write a file: --to x.lock"},
      {"gpusel diff", "help: write it first: gpusel lock llama-3.1-8b"},
      {"gpusel explain 3", "for your last question: gpusel why 3"},
      {"gpusel help nothing-at-all", "topics: gpusel help slo"},
      {"gpusel recommend h100:8", "prices alone: gpusel instances --gpu h100:8"},
      {"gpusel recommend resnet-50 --engine triton", "write tensorrt, onnxruntime or trt-llm"},
      {"gpusel estimate bert-large --task finetune --gpu t4 --sharding ps", "write ddp, or fsdp"},
      {"gpusel instances show gn8e", "gn8is (L20 48 GB)"},
      {"gpusel instances show ecs.gpu.ai-c8g2.4xlarge", "gn7i (A10 24 GB)"},
      {"gpusel estimate llama-3.1-8b --gpu t4:1/7", "it has no MIG: --gpu t4 takes all of it"},
      {"gpusel estimate llama-3.1-8b 4090 vs 3090", "gpusel compare llama-3.1-8b 4090 3090\n"},
      {"gpusel whatif llama-3.1-8b --price h100=2", "gpusel whatif MODEL --vary price:h100=-30%..+30%"},
      {"gpusel recommend llama-3.1-8b --rps", "the value of --rps is missing"},
      {"gpusel recommend llama-3.1-8b mistral-7b", "ask for one at a time"},
      {"gpusel recommend llama-3.1-8b --family foo", "gpusel instances --columns family,sku"},
      {"gpusel recommend llama-3.1-8b --filter 'vram>>3'", "write it like 'vram>=48 && price<3'"},
      {"gpusel recommend llama-3.1-8b --deny-list '('", "write it like ^p5"},
      {"gpusel gpus show", "gpusel gpus show NAME"},
      {"gpusel estimate llama-3.1-8b --gpu l4,t4,4090", "gpusel compare llama-3.1-8b l4 t4 4090\n"},
      {"gpusel estimate llama-3.1-8b --gpu h100:1/7 --gpus 4", "one MIG slice"},
      {"gpusel recommend llama-3.1-8b --gpu '!t4'", "--filter 'gpu!=t4'"},
      {"gpusel export llama-3.1-8b", "gpusel export vllm llama-3.1-8b"},
      {"gpusel estimate resnet-50 --gpu t4 --max-ttft 5", "--max-ttft: does not apply"},
  };
  for (const Guess& guess : kHelped) {
    const Run run = shell(guess.line);
    CAPTURE(guess.line, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(guess.taken) != std::string::npos);
  }
}

TEST_CASE("letters that are mostly others suggest nothing") {
  for (const char* line : {"gpusel recommend llama-3.1-8b --ha", "gpusel recommend llama-3.1-8b --zerox"}) {
    const Run run = shell(line);
    CAPTURE(line, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find("did you mean") == std::string::npos);
  }
}

TEST_CASE("what is bought by name leaves out partitions that need another account, unless they are named") {
  const Run left_out = shell("gpusel cost g5.xlarge");
  CHECK(left_out.out.find("cn-north") == std::string::npos);
  CHECK(left_out.out.find("cn-northwest") == std::string::npos);
}

TEST_CASE("a unit of another dimension is refused with what would be right") {
  const Run run = shell("gpusel recommend llama-3.1-8b --rps 10 --ttft 5GB");
  CHECK(run.status == 2);
  CHECK(run.err == "error: --ttft: '5GB' is not an amount in ms\nhelp: write it like 500ms, 0.5s, 12h\n");
  CHECK(shell("gpusel recommend llama-3.1-8b --ttft 0.0001ms").err ==
        "error: --ttft: 0.0001ms is out of range\nhelp: allowed: from 0.001 to 1,000,000,000 ms\n");
  CHECK(shell("gpusel recommend llama-3.1-8b --min-network 10ms").status == 2);
  CHECK(shell("gpusel recommend llama-3.1-8b --max-price 5XXX").status == 2);
}

TEST_CASE("an error is an object where data were asked for, wherever the flag stands") {
  for (const char* line :
       {"gpusel recommend nosuchmodel --json", "gpusel --json recommend nosuchmodel",
        "gpusel recommend nosuchmodel -o json", "gpusel recommend --nosuchflag -ojson llama-3.1-8b"}) {
    const Run run = shell(line);
    CAPTURE(line, run.out, run.err);
    CHECK(run.status == 2);
    CHECK(run.err.starts_with("error: "));
    const auto answer = parse_json(run.out, "answer");
    REQUIRE(answer);
    CHECK(answer->root.find("schema")->text == "gpusel.error/1");
    CHECK(answer->root.find("status")->text == "2");
  }
  const Run meant = shell("gpusel recommend llama-3.1-8b --spot-only --json");
  CHECK(meant.out.find("\"flag\": \"--spot-only\"") != std::string::npos);
  const Run lacking = shell("gpusel check llama-3.1-8b --json");
  CHECK(lacking.out.find("\"flag\": \"--policy\"") != std::string::npos);
  CHECK(lacking.out.find("\"missing\": [\n    \"--policy\"") != std::string::npos);
  CHECK(meant.out.find("\"did_you_mean\": [\n    \"--spot\"\n  ]") != std::string::npos);
  // Nothing qualifies: an answer with its own document.
  const Run nothing = shell("gpusel recommend llama-3.1-8b --max-price 0.0001 --json");
  CHECK(nothing.status == 3);
  CHECK(nothing.out.find("gpusel.recommend/1") != std::string::npos);
}

TEST_CASE("an amount typed in a currency is of that currency") {
  const Run yuan = shell("gpusel recommend llama-3.1-8b --max-price 30CNY -o json -n 1");
  CHECK(yuan.status == 0);
  CHECK(yuan.out.find("\"currency\": \"CNY\"") != std::string::npos);
  const Run both = shell("gpusel recommend llama-3.1-8b --max-price 30CNY --currency USD -o json -n 1");
  CHECK(both.out.find("\"currency\": \"USD\"") != std::string::npos);
}

TEST_CASE("a table of prices is laid on top as it is") {
  const std::string table = scratch_file("own-prices.csv", "instance,price\ng6e.xlarge,0.123\naws/g6.xlarge,￥4\n");
  const Run run = shell("gpusel instances show g6e.xlarge --overlay " + table);
  CHECK(run.status == 0);
  CHECK(run.out.find("0.12 ") != std::string::npos);
  CHECK(run.out.find("own-price") != std::string::npos);
  const std::string wrong = scratch_file("wrong-prices.csv", "instance,price\ng6e.xlarge,cheap\n");
  const Run bad = shell("gpusel recommend llama-3.1-8b --overlay " + wrong);
  CHECK(bad.status == 5);
  CHECK(bad.err.find("wrong-prices.csv:2:12: 'cheap' is not an amount of money") != std::string::npos);
  const std::string other = scratch_file("other-prices.csv", "instance,colour\ng6e.xlarge,red\n");
  CHECK(shell("gpusel recommend llama-3.1-8b --overlay " + other).err.find("no column 'colour'") != std::string::npos);
}

TEST_CASE("why takes the last question, which nobody else can read") {
  const std::string state = scratch_directory();
  const Setting keeps{.environment = {{"XDG_STATE_HOME", state},
                                      {"CI", ""},
                                      {"COLUMNS", "100"},
                                      {"NO_COLOR", "1"},
                                      {"GPUSEL_TODAY", "2026-11-20"},
                                      {"HOME", "/nonexistent"}}};
  const Run none = shell("gpusel why 2", keeps);
  CHECK(none.status == 2);
  CHECK(none.err.find("gpusel recommend llama-3.1-8b --rps 10") != std::string::npos);
  CHECK(shell("gpusel export vllm", keeps).status == 2);
  const Run asked = shell("gpusel recommend llama-3.1-8b --rps 3 aws", keeps);
  CHECK(asked.status == 0);
  CHECK(asked.out.find("Next: gpusel export vllm · ") != std::string::npos);
  const std::string kept = read_file(state + "/gpusel/last.json");
  CHECK(kept.find("llama-3.1-8b") != std::string::npos);
  CHECK(kept.find("recommendations") == std::string::npos);
  CHECK(shell("stat -c %a " + state + "/gpusel/last.json").out == "600\n");
  const Run why = shell("gpusel why 2", keeps);
  CHECK(why.status == 0);
  CHECK(why.out.find("3 req/s") != std::string::npos);
  // What Next prints is what the whole line would write.
  CHECK(shell("gpusel export vllm", keeps).out ==
        shell("gpusel export vllm llama-3.1-8b --request-rate 3 aws", keeps).out);
  // Asked again, words before and behind a flag mean what they did.
  for (const std::string line : {"llama-3.1-8b l40s --gpu l4 --request-rate 3", "llama-3.1-8b --cloud gcp aws"}) {
    CHECK(shell("gpusel recommend " + line, keeps).status == 0);
    const Run again = shell("gpusel export vllm", keeps);
    CAPTURE(line, again.out);
    CHECK(again.status == 0);
    CHECK(again.out == shell("gpusel export vllm " + line, keeps).out);
  }
  // With the prices it was asked with.
  const std::string priced = "--own 1xL4@0.05/h llama-3.1-8b";
  CHECK(shell("gpusel recommend " + priced, keeps).status == 0);
  CHECK(shell("gpusel export vllm", keeps).out == shell("gpusel export vllm " + priced, keeps).out);
  CHECK(shell("gpusel export vllm", keeps).out.find("own 1xl4") != std::string::npos);
  CHECK(shell("gpusel recommend llama-3.1-8b --rps 3 aws", keeps).status == 0);
  CHECK(shell("gpusel export vllm qwen3-8b", keeps).out.find("llama") == std::string::npos);
  Setting off = keeps;
  off.environment["GPUSEL_STATE"] = "off";
  CHECK(shell("gpusel why", off).status == 2);
}

TEST_CASE("help is one screen per command, and no line of it is wider than 80 columns") {
  for (const cli::Command& command : cli::commands()) {
    for (const char* flag : {" --help", " --help-all"}) {
      const Run help = shell("gpusel " + std::string(command.name) + flag);
      CAPTURE(command.name, flag, help.out);
      CHECK(help.status == 0);
      const auto lines = lines_of(help.out);
      for (const std::string& line : lines) CHECK(display_width(line) <= cli::kHelpWidth);
      if (std::string_view(flag) == " --help") CHECK(lines.size() <= 30);
    }
  }
}

TEST_CASE("every flag that a line of help names is one of some command") {
  for (const std::string& named : cli::named_in_help()) {
    CAPTURE(named);
    CHECK(std::ranges::any_of(cli::commands(), [&](const cli::Command& command) {
      cli::Context scratch;
      const cli::Parsed parsed = cli::set_up(command, scratch);
      return std::ranges::any_of(parsed.flags, [&](const cli::Flag& flag) { return flag.spelled_by(named); });
    }));
  }
}

}  // namespace first_guess_test
