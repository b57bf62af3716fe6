#!/usr/bin/env python3
"""Measures training on this machine's NVIDIA GPU and writes a table that `gpusel verify` reads.

Models have the shape of published ones and random weights: speed and memory do not depend on their
values. Each case runs in a process of its own, so that one that runs out of memory spoils no other.
A case gives a row per counter of memory: what PyTorch allocated, what it reserved, and what the
driver says the process holds; the first row has the speed too. Columns: docs/catalog.md, Measurements.

  tests/measure/train.py --dry-run             the plan, without touching the GPU
  tests/measure/train.py --out own-runs.csv    all of it: an hour or two on a large card
  tests/measure/train.py --out own-runs.csv --only llama-3.2-1b.*lora
  gpusel verify own-runs.csv --worst 10

Needs PyTorch, Transformers and a GPU with bf16 (Ampere or newer); PEFT for LoRA, bitsandbytes for
8-bit optimizers and Lion. Cases whose package is missing are left out and named.
"""
import argparse
import csv
import datetime
import importlib.util
import itertools
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time

# Keyword arguments of the configuration class in Transformers.
MODELS = {
    "qwen2.5-0.5b": ("Qwen2Config", dict(
        num_hidden_layers=24, hidden_size=896, num_attention_heads=14, num_key_value_heads=2,
        intermediate_size=4864, vocab_size=151936, tie_word_embeddings=True)),
    "llama-3.2-1b": ("LlamaConfig", dict(
        num_hidden_layers=16, hidden_size=2048, num_attention_heads=32, num_key_value_heads=8, head_dim=64,
        intermediate_size=8192, vocab_size=128256, tie_word_embeddings=True)),
    "llama-3.2-3b": ("LlamaConfig", dict(
        num_hidden_layers=28, hidden_size=3072, num_attention_heads=24, num_key_value_heads=8, head_dim=128,
        intermediate_size=8192, vocab_size=128256, tie_word_embeddings=True)),
    "llama-3.1-8b": ("LlamaConfig", dict(
        num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, num_key_value_heads=8,
        intermediate_size=14336, vocab_size=128256)),
    "bert-base": ("BertConfig", dict(num_hidden_layers=12, hidden_size=768, num_attention_heads=12,
                                     intermediate_size=3072, vocab_size=30522)),
    "bert-large": ("BertConfig", dict(num_hidden_layers=24, hidden_size=1024, num_attention_heads=16,
                                      intermediate_size=4096, vocab_size=30522)),
    "resnet-50": ("ResNetConfig", {}),  # the class's own defaults
}

COLUMNS = ["source", "task", "model", "gpu", "gpus", "method", "precision", "recipe", "framework", "optimizer",
           "sharding", "seq_len", "micro_batch", "grad_accum", "activation_checkpointing", "flash_attention",
           "lora_rank", "fits", "tokens_per_s_per_gpu", "memory_gib", "memory_kind", "note"]


def cases():
    """What is run: a dictionary of request keys per case."""
    def case(model, **keys):
        return {"model": model, "method": "full", "recipe": "mixed", "optimizer": "adamw", "seq_len": 2048,
                "micro_batch": 1, "activation_checkpointing": "none", "precision": "bf16", **keys}

    llama = ["qwen2.5-0.5b", "llama-3.2-1b", "llama-3.2-3b", "llama-3.1-8b"]
    for model, method, kept in itertools.product(llama, ["full", "lora"], ["none", "full"]):
        recipe = {"recipe": "pure"} if model == "llama-3.1-8b" or method == "lora" else {}
        yield case(model, method=method, activation_checkpointing=kept, **recipe)
    for model, length, batch in itertools.product(["llama-3.2-1b", "llama-3.1-8b"], [512, 2048, 8192], [1, 4]):
        yield case(model, method="lora", recipe="pure", seq_len=length, micro_batch=batch,
                   activation_checkpointing="full")
    for length, batch in itertools.product([512, 2048, 4096], [1, 2, 8]):
        yield case("llama-3.2-1b", seq_len=length, micro_batch=batch)
    for optimizer in ["adamw8bit", "paged-adamw8bit", "adafactor", "sgd", "lion"]:
        yield case("llama-3.2-1b", optimizer=optimizer)
    yield case("llama-3.2-1b", recipe="pure")
    for model, length, batch in itertools.product(["bert-base", "bert-large"], [128, 512], [8, 32]):
        yield case(model, seq_len=length, micro_batch=batch)
    for batch in [32, 128]:
        yield {**case("resnet-50", micro_batch=batch), "seq_len": ""}


def plan_of(wanted):
    """Each case once, in order, whose name has what is wanted."""
    return list({name_of(case): case for case in cases() if wanted.search(name_of(case))}.values())


def name_of(case):
    return "{model} {method} {recipe} {optimizer} {seq_len}x{micro_batch} recompute-{activation_checkpointing}".format(
        **case)


def row_of(case, gpu, source, **measured):
    row = dict.fromkeys(COLUMNS, "")
    row.update(source=source, task="finetune", gpu=gpu, gpus=1, framework="hf-trainer", sharding="none", grad_accum=1)
    if case["method"] == "lora":
        row["lora_rank"] = 16
    if MODELS[case["model"]][0] in ("LlamaConfig", "Qwen2Config"):
        row["flash_attention"] = "true"  # what PyTorch's own attention takes for a causal mask
    row.update(**case, **measured)
    if MODELS[case["model"]][0] == "ResNetConfig":  # what says nothing of networks for images
        row.update(recipe="", framework="", sharding="", grad_accum="")
    return row


def give_up(sentence):
    print(f"train.py: {sentence}", file=sys.stderr)
    raise SystemExit(1)


def check_surroundings(plan):
    """One sentence about the first thing that is missing; the cases that can be run here."""
    def has(module):
        return importlib.util.find_spec(module) is not None

    for module, what in [("torch", "PyTorch"), ("transformers", "Transformers")]:
        if not has(module):
            give_up(f"{what} is not installed: pip install {module}")
    import torch
    if not torch.cuda.is_available():
        give_up("PyTorch sees no NVIDIA GPU here; --dry-run shows the plan without one")
    if torch.version.hip is not None:
        give_up("this PyTorch is built for AMD GPUs, and only NVIDIA's driver is asked here")
    if torch.cuda.get_device_capability(0) < (8, 0):
        give_up(f"{torch.cuda.get_device_name(0)} has no bf16, which every case uses")
    try:
        driver_memory()
    except (OSError, subprocess.CalledProcessError, ValueError):
        give_up("nvidia-smi does not answer, so the driver's own figure of memory is not to be had")
    left = []
    for case in plan:
        needs = "peft" if case["method"] == "lora" else "bitsandbytes" if "8bit" in case["optimizer"] else "torch"
        needs = "bitsandbytes" if case["optimizer"] == "lion" else needs
        if has(needs):
            left.append(case)
        else:
            print(f"train.py: left out, {needs} is not installed: {name_of(case)}", file=sys.stderr)
    return left


def driver_memory():
    """GiB in use on the first GPU."""
    return float(ask_driver("memory.used").split()[0]) / 1024


def ask_driver(what):
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0] or "0"
    command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits", f"--id={first}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def make_model(case):
    import transformers
    kind, shape = MODELS[case["model"]]
    config = getattr(transformers, kind)(**shape)
    if kind == "ResNetConfig":
        config.num_labels = 1000
        return transformers.ResNetForImageClassification(config)
    if kind == "BertConfig":
        return transformers.BertForMaskedLM(config)
    config.max_position_embeddings = max(8192, int(case["seq_len"]))
    config.use_cache = False
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")


def make_optimizer(case, parameters):
    import torch
    import transformers
    if case["optimizer"] == "adamw":
        return torch.optim.AdamW(parameters, lr=1e-5)
    if case["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, lr=1e-5)
    if case["optimizer"] == "adafactor":
        return transformers.Adafactor(parameters, lr=1e-5, scale_parameter=False, relative_step=False)
    import bitsandbytes
    kinds = {"adamw8bit": bitsandbytes.optim.AdamW8bit, "paged-adamw8bit": bitsandbytes.optim.PagedAdamW8bit,
             "lion": bitsandbytes.optim.Lion}
    return kinds[case["optimizer"]](parameters, lr=1e-5)


def make_batch(case):
    import torch
    batch = int(case["micro_batch"])
    if case["model"].startswith("resnet"):
        return {"pixel_values": torch.randn(batch, 3, 224, 224, device="cuda"),
                "labels": torch.randint(1000, (batch,), device="cuda")}
    vocabulary = MODELS[case["model"]][1]["vocab_size"]
    tokens = torch.randint(vocabulary, (batch, int(case["seq_len"])), device="cuda")
    return {"input_ids": tokens, "labels": tokens}


def run_case(case, warm_up, steps):
    """In a process of its own: trains, and returns speed and peaks."""
    import torch
    torch.manual_seed(0)
    before = driver_memory()
    torch.set_default_dtype(torch.bfloat16 if case["recipe"] == "pure" else torch.float32)
    with torch.device("cuda"):
        model = make_model(case)
    torch.set_default_dtype(torch.float32)
    if case["activation_checkpointing"] == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if case["method"] == "lora":
        import peft
        model = peft.get_peft_model(model, peft.LoraConfig(r=16, target_modules="all-linear", task_type="CAUSAL_LM"))
    model.train()
    optimizer = make_optimizer(case, [p for p in model.parameters() if p.requires_grad])
    batch = make_batch(case)

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=case["recipe"] == "mixed"):
            loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(warm_up):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / steps
    return {"samples_per_s": int(case["micro_batch"]) / seconds,
            "allocated": torch.cuda.max_memory_allocated() / 2**30,
            "reserved": torch.cuda.max_memory_reserved() / 2**30,
            "process": driver_memory() - before}


def isolated(case, options):
    """The case's figures; None where it ran out of memory. Another failure is passed on as text."""
    command = [sys.executable, __file__, "--case", json.dumps(case), "--steps", str(options.steps), "--warm-up",
               str(options.warm_up)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return json.loads(run.stdout.strip().split("\n")[-1])
    if "out of memory" in run.stderr.lower():
        return None
    return run.stderr.strip().split("\n")[-1] or f"ended with status {run.returncode}"


def rows_of(case, figures, gpu, source, note):
    if figures is None:
        return [row_of(case, gpu, source, fits="false", note=note)]
    rows = [row_of(case, gpu, source, memory_gib=f"{figures[kind]:.2f}", memory_kind=kind, note=note)
            for kind in ("allocated", "reserved", "process")]
    if case["seq_len"]:
        rows[0]["tokens_per_s_per_gpu"] = f"{figures['samples_per_s'] * int(case['seq_len']):.1f}"
    else:
        rows[0]["note"] += f"; {figures['samples_per_s']:.1f} images/s"
    return rows


def versions():
    """What the figures depend on besides the case, in one line."""
    import torch
    import transformers
    parts = [f"torch {torch.__version__}", f"CUDA {torch.version.cuda}", f"transformers {transformers.__version__}"]
    for module in ("peft", "bitsandbytes"):
        if importlib.util.find_spec(module) is not None:
            parts.append(f"{module} {importlib.import_module(module).__version__}")
    parts += [f"driver {ask_driver('driver_version')}", f"{ask_driver('power.limit')} W", f"Python {platform.python_version()}", f"measured {datetime.date.today()}"]
    return ", ".join(parts)


def measure(plan, options):
    import torch
    gpu = options.gpu or torch.cuda.get_device_name(0)
    note = versions()
    try:
        file = open(options.out, "w", newline="", encoding="utf-8")
    except OSError as error:
        give_up(f"cannot write '{options.out}': {error.strerror}")
    with file:
        file.write(f"# {gpu}: {note}\n")
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        for number, case in enumerate(plan, 1):
            figures = isolated(case, options)
            said = figures if isinstance(figures, str) else "out of memory" if figures is None else "done"
            print(f"{number}/{len(plan)} {name_of(case)}: {said}", file=sys.stderr)
            if not isinstance(figures, str):
                table.writerows(rows_of(case, figures, gpu, options.source, note))
                file.flush()
    print(f"train.py: written to {options.out}; compare it with 'gpusel verify {options.out}'", file=sys.stderr)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # '--dry-run | head' ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="print the plan as the table it would fill, and stop")
    parser.add_argument("--out", metavar="FILE", help="where the table is written")
    parser.add_argument("--only", metavar="REGEX", default="", help="cases whose name, as it is printed, has this")
    parser.add_argument("--gpu", metavar="NAME", help="what the GPU is called (default: the driver's name for it)")
    parser.add_argument("--source", metavar="NAME", default="first-hand", help="what the rows are called a source of")
    parser.add_argument("--steps", type=int, default=10, help="steps that are timed")
    parser.add_argument("--warm-up", type=int, default=3, help="steps before them")
    parser.add_argument("--case", help=argparse.SUPPRESS)  # one case, in a process of its own
    options = parser.parse_args()
    if options.case:
        print(json.dumps(run_case(json.loads(options.case), options.warm_up, options.steps)))
        return
    try:
        wanted = re.compile(options.only)
    except re.error as error:
        give_up(f"--only: '{options.only}' is no regular expression: {error}")
    plan = plan_of(wanted)
    if not plan:
        give_up(f"--only: no case has '{options.only}' in its name; --dry-run shows all")
    if options.dry_run:
        table = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        table.writeheader()
        for case in plan:
            table.writerow(row_of(case, options.gpu or "", options.source, note=name_of(case)))
        return
    if not options.out:
        give_up("say with --out where the table is to be written, or --dry-run")
    if options.steps < 1 or options.warm_up < 0:
        give_up("--steps must be 1 or more, --warm-up 0 or more")
    measure(check_surroundings(plan), options)


if __name__ == "__main__":
    main()
