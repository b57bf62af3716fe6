#!/usr/bin/python3
"""What ./dev bench measures: run.py [--quick] [--only SECTION] [--write PAGE]

Whole runs with hyperfine, beside `true` and an empty Python in the same run; large catalogues, batches and overlays
with their peak memory; the parts with Google Benchmark. --write puts the tables into PAGE,
between its two marks. Data are made by data.py under build/bench.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = "build/gpusel"
DATA = "build/bench"
KINDS = ["serve", "serve-online", "lora", "train", "mixed", "serve-split", "train-split"]
SEARCHED = ["serve-split", "train-split"]
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

# Whole runs: what is asked, the target as a ratio to `true`, in milliseconds, and below an empty Python or not.
RUNS = [("start-up", "--version", {"true": 1.5}),
        ("recommend, small job", "recommend --model qwen2.5-0.5b --task inference", {"true": 6, "python": 1}),
        ("recommend, fine-tuning of 7B", "recommend --model llama-7b --task finetune", {"true": 6, "python": 1}),
        ("recommend, serving 70B", "recommend --model llama-3.1-70b --task inference", {"true": 6, "python": 1}),
        ("recommend, mixture of experts", "recommend --model mixtral-8x7b --task inference", {"true": 6, "python": 1}),
        ("recommend, pretraining 175B", "recommend --model gpt3-175b --task pretrain", {}),
        ("recommend as JSON", "recommend --model llama-7b --task finetune --json", {}),
        ("recommend in Chinese", "recommend --model llama-7b --task finetune --lang zh", {}),
        ("estimate", "estimate --model llama-7b --task finetune --gpu h100 --gpus 8", {}),
        ("list of instances", "instances", {}),
        ("completion of a model", "__complete -- recommend --model llama", {"ms": 5}),
        ("completion of a GPU", "__complete -- recommend --gpu h", {"ms": 5}),
        ("completion of a word to explain", "__complete -- explain ''", {"ms": 5})]
QUESTION = "recommend --model llama-7b --task finetune"
OTHERS = [("serving 8B", "recommend --model llama-3.1-8b --task inference"),
          ("serving 70B", "recommend --model llama-3.1-70b --task inference"),
          ("adapters of a mixture of experts", "recommend --model mixtral-8x7b --task finetune --method lora"),
          ("rendering", "recommend --task render"), ("at most 3 USD", QUESTION + " --max-price 3")]
LARGE = [(size, types) for types in ("few", "many") for size in (1_000, 10_000, 100_000, 1_000_000)]
OVERLAYS = [10, 1_000, 10_000]


def types_of(size, shape):
    """Few instance types in very many regions, or very many types; at least some that the job fits on."""
    return max(40, size // 1000) if shape == "few" else size // 10


def environment():
    """No setting of whoever measures, and a day on which the shipped prices are not old."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith("GPUSEL_")}, "GPUSEL_TODAY": "2026-11-20",
            "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"}


def make(name, *words):
    """A generated file, made again when the generator is newer."""
    path = f"{DATA}/{name}"
    generator = "bench/data.py"
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(generator):
        with open(path + ".part", "w", encoding="utf-8") as file:
            subprocess.run(["/usr/bin/python3", generator, *map(str, words)], stdout=file, check=True)
        os.replace(path + ".part", path)
    return path


def hyperfine(commands, runs, warmup=3, processor=False):
    """Median seconds of each command, all in one run; or of the processor's time the mean."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(["hyperfine", "--shell=none", "--style=none", f"--warmup={warmup}", f"--runs={runs}",
                        f"--export-json={out.name}", *commands], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=environment(), check=True)
        return [result["user"] + result["system"] if processor else result["median"]
                for result in json.load(out)["results"]]


def peak_mb(command):
    """Peak resident memory of one run, MB."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["/usr/bin/time", "-f", "%M", "-o", out.name, *command.split()], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=environment(), check=False)
        return int(open(out.name, encoding="utf-8").read().split()[-1]) * 1024 / 1e6


def table(heads, rows):
    """Markdown; figures to the right."""
    marks = ["---" if i == 0 else "---:" for i in range(len(heads))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [heads, marks, *rows]) + "\n"


def met(value, target, at_most=True):
    return "yes" if (value <= target if at_most else value >= target) else "**no**"


def whole_runs(runs):
    times = hyperfine(["true", "/usr/bin/python3 -c pass", *(f"{PROGRAM} {words}" for _, words, _ in RUNS)], runs, 20)
    base, python, *rest = times
    rows = [["`true`", "", f"{base * 1e3:.2f}", "1.0", f"{base / python:.2f}", "", ""],
            ["an empty Python", "`python3 -c pass`", f"{python * 1e3:.2f}", f"{python / base:.1f}", "1.00", "", ""]]
    for (name, words, target), seconds in zip(RUNS, rest):
        measured = {"true": seconds / base, "python": seconds / python, "ms": seconds * 1e3}
        wanted = {"true": "{} × `true`", "python": "{} × Python", "ms": "{} ms"}
        worst = max((measured[k] / v for k, v in target.items()), default=0)
        rows.append([name, f"`{words}`", f"{seconds * 1e3:.2f}", f"{seconds / base:.1f}", f"{seconds / python:.2f}",
                     ", ".join("≤ " + wanted[k].format(v) for k, v in target.items()), met(worst, 1) if target else ""])
    return table(["what", "command", "ms", "× `true`", "× Python", "target", "met"], rows)


def snapshot_of(csv, cloud):
    path = csv.removesuffix(".csv") + ".snapshot"
    if not os.path.exists(path) or os.path.getmtime(path) < max(os.path.getmtime(csv), os.path.getmtime(PROGRAM)):
        subprocess.run([PROGRAM, "catalog", "import", "--from", "generic-csv", "--cloud", cloud, csv, "--out", path],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(), check=True)
    return path


def shipped_in_many_regions():
    """The shipped offers as their owners publish them, 300 times over: real families, terms and currencies."""
    exported = f"{DATA}/shipped.csv"
    with open(exported, "w", encoding="utf-8") as file:
        subprocess.run([PROGRAM, "instances", "--all-offers", "-o", "csv"], stdout=file,
                       stderr=subprocess.DEVNULL, env=environment(), check=True)
    return make("shipped-300.csv", "regions", exported, 300)


def large(runs):
    rows = []

    def measure(name, path, target, question=QUESTION):
        command = f"{PROGRAM} {question} --catalog {path}"
        [seconds] = hyperfine([command], runs, 1)
        peak = peak_mb(command)
        rows.append([name, f"{seconds:.3f}", f"{peak:.0f}", "≤ 0.3 s, ≤ 250 MB" if target else "",
                     met(max(seconds / 0.3, peak / 250), 1) if target else ""])

    for size, shape in LARGE:
        types = types_of(size, shape)
        csv = make(f"offers-{size}-{types}.csv", "offers", size, types)
        measure(f"{size:,} offers of {types:,} instance types", snapshot_of(csv, "own"), size == 1_000_000)
        if size == 1_000_000 and shape == "many":
            for name, question in OTHERS:
                measure(f"the same, {name}", snapshot_of(csv, "own"), True, question)
    measure("the shipped offers, each in 300 regions", snapshot_of(shipped_in_many_regions(), "own"), True)
    return table(["recommend over", "s", "MB", "target", "met"], rows)


def imports(runs):
    rows = []
    for shape in ("few", "many"):
        types = types_of(1_000_000, shape)
        csv = make(f"offers-1000000-{types}.csv", "offers", 1_000_000, types)
        command = f"{PROGRAM} catalog import --from generic-csv --cloud own {csv} --out {DATA}/imported.snapshot"
        [seconds] = hyperfine([command], runs, 0)
        rows.append([f"import of 1,000,000 offers of {types:,} instance types", f"{seconds:.2f}",
                     f"{peak_mb(command):.0f}"])
    for types in OVERLAYS:
        path = make(f"overlay-{types}.yaml", "overlay", types)
        command = f"{PROGRAM} {QUESTION} --overlay {path}"
        [seconds] = hyperfine([command], runs, 1)
        rows.append([f"recommend with an overlay of {types:,} instance types "
                     f"({os.path.getsize(path) / 1e6:.2f} MB of YAML)", f"{seconds:.3f}", f"{peak_mb(command):.0f}"])
    return table(["what", "s", "MB"], rows)


def batches(runs, count):
    """Requests per second of processor time, from the difference between many and few: start-up stands above."""
    rows = []
    for kind in KINDS:
        many, few = (count // (10 if kind in SEARCHED else 1)) * 2, count // (10 if kind in SEARCHED else 1)
        files = [make(f"batch-{kind}-{n}.jsonl", "requests", kind, n) for n in (few, many)]
        commands = [f"{PROGRAM} estimate --batch {file}" for file in files]
        times = hyperfine(commands, runs, 1, True)
        rate = (many - few) / (times[1] - times[0])
        target = kind not in SEARCHED
        rows.append([kind, f"{rate:,.0f}", f"{peak_mb(commands[0]):.1f}", f"{peak_mb(commands[1]):.1f}",
                     "≥ 100,000/s" if target else "", met(rate, 1e5, False) if target else ""])
    return table(["requests", "per second", f"MB for {count:,}", f"MB for {2 * count:,}", "target", "met"], rows)


def parts():
    for kind in KINDS:
        if kind != "mixed":
            make(f"requests-{kind}.jsonl", "requests", kind, 10_000)
    out = subprocess.run(["build/bench/gpusel_bench", DATA, "--benchmark_format=json", "--benchmark_min_time=0.2"],
                         stdout=subprocess.PIPE, env=environment(), check=True).stdout
    return table(["part", "µs"], [[entry["name"], f"{entry['cpu_time'] / 1000:.1f}"]
                                  for entry in json.loads(out)["benchmarks"]])


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    load = os.getloadavg()[0]
    return (f"{names[0] if names else platform.machine()}, {len(names)} processors, Linux {platform.release().partition('-')[0]}; "
            f"load {load:.1f} when measuring began\n")


def write(page, text):
    with open(page, encoding="utf-8") as file:
        old = file.read()
    head, rest = old.split(BEGIN)
    tail = rest.split(END)[1]
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n\n{text}\n{END}{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer runs, smaller batches")
    parser.add_argument("--only", default="", help="one section: runs, large, data, batch or parts")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into this page")
    wish = parser.parse_args()
    os.chdir(ROOT)
    os.makedirs(DATA, exist_ok=True)
    few = 3 if wish.quick else 7
    sections = {
        "runs": ("Whole runs", lambda: whole_runs(40 if wish.quick else 300)),
        "batch": ("Batches", lambda: batches(few, 20_000 if wish.quick else 100_000)),
        "large": ("Large catalogues", lambda: large(few)),
        "data": ("Imports and overlays", lambda: imports(few)),
        "parts": ("Parts", parts)}
    text = machine()
    for key, (title, measure) in sections.items():
        if wish.only not in ("", key):
            continue
        print(f"bench: {title.lower()}", file=sys.stderr)
        text += f"\n### {title}\n\n{measure()}"
    if wish.write:
        write(wish.write, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
