"""Data to measure with, made up but always the same: price lists, requests, overlays.

    data.py offers OFFERS TYPES    a generic-csv price list: so many instance types, each in many regions on four terms
    data.py requests KIND COUNT    requests as JSON Lines, all different; KIND is one of KINDS, or mixed
    data.py overlay TYPES          a YAML overlay of so many instance types, each with a price
    data.py regions CSV TIMES      an exported list of offers, each of them in so many regions
"""

import csv
import json
import random
import sys

GPUS = ["h100-sxm", "a100-sxm4-80gb", "l4", "t4", "l40s", "a10", "h200-sxm", "a100-sxm4-40gb"]
TERMS = {"on-demand": 1, "spot": 0.4, "reserved-1y": 0.7, "reserved-3y": 0.5}
HEADER = "provider,sku,region,country,term,currency,price_per_hour,gpu,gpu_count,vcpu,memory_gib,as_of,note"


def offers(out, count, types):
    chance = random.Random(7)
    print(HEADER, file=out)
    for sku in range(types):
        gpu = GPUS[sku % len(GPUS)]
        gpus = [1, 2, 4, 8][sku // len(GPUS) % 4]
        base = (1 + sku % len(GPUS)) * gpus * chance.uniform(0.8, 1.2)
        for row in range(count // types):
            term = list(TERMS)[row % len(TERMS)]
            price = base * TERMS[term] * chance.uniform(0.9, 1.1)
            print(f"own,sku-{sku},region-{row // len(TERMS)},US,{term},USD,{price:.4f},{gpu},{gpus},{8 * gpus},"
                  f"{64 * gpus},2026-11-01,", file=out)


def serve(chance, number):
    """Streams of tokens on GPUs that are named, as a capacity table would ask."""
    return {"task": "inference", "model": chance.choice(["llama-3.1-8b", "qwen2.5-7b", "mistral-7b", "llama-2-13b"]),
            "gpu": chance.choice(["h100", "a100-80gb", "l40s", "h200"]), "context": 1024 + number % 7168,
            "batch_size": chance.randint(1, 64)}


def serve_online(chance, number):
    """Traffic with targets of latency."""
    return {"task": "inference", "model": chance.choice(["llama-3.1-8b", "qwen2.5-14b", "mistral-7b"]),
            "gpu": chance.choice(["h100", "a100-80gb", "h200"]), "gpus": 1, "input_tokens": 256 + number % 1792,
            "output_tokens": chance.randint(64, 512), "request_rate": round(chance.uniform(0.1, 4), 3),
            "weights_precision": chance.choice(["bf16", "int8"])}


def serve_split(chance, number):
    """A large model whose split over eight GPUs is searched for."""
    return {"task": "inference", "model": chance.choice(["llama-3.1-70b", "qwen2.5-72b", "mixtral-8x7b"]),
            "gpu": chance.choice(["h100", "a100-80gb", "h200"]), "gpus": 8, "input_tokens": 512 + number % 3584,
            "output_tokens": chance.randint(64, 1024)}


def lora(chance, number):
    return {"task": "finetune", "method": chance.choice(["lora", "qlora"]),
            "model": chance.choice(["llama-7b", "llama-3.1-8b", "mistral-7b"]),
            "gpu": chance.choice(["h100", "a100-80gb", "l40s"]), "gpus": 1, "seq_len": 512 + number % 3584,
            "micro_batch": chance.choice([1, 2, 4]), "lora_rank": chance.choice([8, 16, 32, 64])}


def train(chance, number):
    """All weights, sharded over eight GPUs, the recipe given."""
    return {"task": "finetune", "method": "full", "model": chance.choice(["llama-7b", "llama-3.1-8b", "llama-2-13b"]),
            "gpu": chance.choice(["h100", "a100-80gb", "h200"]), "gpus": 8, "sharding": chance.choice(["zero3", "fsdp"]),
            "tp": 1, "pp": 1, "seq_len": 512 + number % 3584, "micro_batch": chance.choice([1, 2]),
            "activation_checkpointing": "full", "precision": "bf16"}


def train_split(chance, number):
    """Pretraining whose split over nodes is searched for."""
    return {"task": "pretrain", "model": chance.choice(["llama-3.1-70b", "llama-2-13b", "mixtral-8x7b"]),
            "gpu": chance.choice(["h100", "a100-80gb"]), "gpus": chance.choice([64, 128, 256]),
            "seq_len": 2048 + number % 2048, "tokens": 10**9 * (1 + number % 1000)}


KINDS = {"serve": serve, "serve-online": serve_online, "lora": lora, "train": train, "serve-split": serve_split,
         "train-split": train_split}
NAMED = ["serve", "serve-online", "lora", "train"]  # nothing is searched for


def requests(out, kind, count):
    chance = random.Random(11)
    kinds = NAMED if kind == "mixed" else [kind]
    for number in range(count):
        request = KINDS[kinds[number % len(kinds)]](chance, number)
        # Whatever chance brings, no two are alike.
        request["max_load" if "request_rate" in request else "mem_utilization"] = round(0.8 + number % 99991 * 1e-6, 6)
        print(json.dumps({"id": str(number), **request}), file=out)


def overlay(out, types):
    chance = random.Random(13)
    print("providers:\n  - id: own\n    name: Own machines\n    country: DE\n    regions:\n      here: {country: DE}\n"
          "sources:\n  own-list: {publisher: Own, document: price list, date: 2026-11-01, confidence: documented}\n"
          "families:", file=out)
    for gpu in GPUS:
        print(f"  - provider: own\n    id: own-{gpu}\n    gpu: {gpu}\n    sources: [own-list]\n    sizes:", file=out)
        for sku in range(GPUS.index(gpu), types, len(GPUS)):
            gpus = [1, 2, 4, 8][sku // len(GPUS) % 4]
            print(f"      - {{sku: own-{sku}, gpus: {gpus}, vcpu: {8 * gpus}, memory_gib: {64 * gpus}}}", file=out)
    print("prices:\n  - provider: own\n    region: here\n    term: on-demand\n    currency: USD\n    as_of: 2026-11-01\n"
          "    source: own-list\n    per_hour:", file=out)
    for sku in range(types):
        print(f"      own-{sku}: {chance.uniform(1, 40):.4f}", file=out)


def regions(out, path, times):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        table = csv.DictWriter(out, rows.fieldnames, lineterminator="\n")
        table.writeheader()
        for row in rows:
            for copy in range(times):
                table.writerow({**row, "region": f"{row['region']}-{copy}"})


def main(what, *words):
    verbs = {"offers": lambda: offers(sys.stdout, int(words[0]), int(words[1])),
             "requests": lambda: requests(sys.stdout, words[0], int(words[1])),
             "overlay": lambda: overlay(sys.stdout, int(words[0])),
             "regions": lambda: regions(sys.stdout, words[0], int(words[1]))}
    verbs[what]()


if __name__ == "__main__":
    main(*sys.argv[1:])
