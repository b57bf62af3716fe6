#!/bin/sh
# Start-up and whole answers as ratios to `true`, measured in one run: see docs/architecture.md.
set -eu
cd "$(dirname "$0")/.."
export GPUSEL_TODAY=2026-11-20 NO_COLOR=1 XDG_DATA_HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent
results=$(mktemp)
trap 'rm -f "$results"' EXIT
hyperfine --shell=none --warmup 20 --runs "${1:-300}" --export-json "$results" --style none \
  "true" \
  "python3 -c pass" \
  "build/gpusel --version" \
  "build/gpusel recommend --model qwen2.5-0.5b --task inference" \
  "build/gpusel recommend --model llama-7b --task finetune" \
  "build/gpusel recommend --model llama-3.1-70b --task inference" \
  "build/gpusel recommend --model mixtral-8x7b --task inference" \
  "build/gpusel recommend --model gpt3-175b --task pretrain" \
  "build/gpusel recommend --model llama-7b --task finetune --json" \
  "build/gpusel estimate --model llama-7b --task finetune --gpu h100 --gpus 8" \
  "build/gpusel instances" \
  "build/gpusel __complete -- recommend --model llama" \
  "build/gpusel __complete -- recommend --gpu h" >/dev/null 2>&1
jq -r '(.results[0].median) as $true
  | "    ms  ×true  command",
    (.results[] | "\(.median * 1000 * 100 | round / 100 | tostring | (" " * (6 - length)) + .)  \(.median / $true * 10 | round / 10 | tostring | (" " * (5 - length)) + .)  \(.command)")' "$results"
