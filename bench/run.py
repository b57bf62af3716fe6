#!/usr/bin/python3
"""What ./dev bench measures: run.py [--quick] [--only SECTION] [--write PAGE]

Whole runs, large catalogues, batches, imports and overlays with hyperfine, beside `true` and an empty Python, and with
their peak memory; growth in valgrind's count of instructions; the parts with Google Benchmark. --write puts the tables
into PAGE, between its two marks. Data are made by data.py under build/bench. Exit status 1: a target was not met.
"""

import argparse
import glob
import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = "build/gpusel"
DATA = "build/bench"
RESULTS = "docs/performance.md"
QUIET = 0.5  # load average above which times are not to be relied on
KINDS = ["serve", "serve-online", "lora", "train", "mixed", "serve-split", "train-split"]
SEARCHED = ["serve-split", "train-split"]
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

TRUE, PYTHON = "true", "/usr/bin/python3 -c pass"

# How a figure is told beside its target; what is counted per second is to be at least the target, the rest at most.
UNITS = {"true": "{:.3g} × `true`", "python": "{:.3g} × Python", "ms": "{:.3g} ms", "s": "{:.3g} s",
         "MB": "{:,.0f} MB", "growth": "{:.3g} × the instructions", "memory": "{:.3g} × the MB", "rate": "{:,.0f}/s"}
START, ANSWER, COMPLETION = {"python": 0.4}, {"python": 1}, {"ms": 5}
MILLION, RATE = {"s": 2, "MB": 300}, {"rate": 1e5}
TENFOLD, LAST_TENFOLD = {"growth": 10}, {"growth": 10, "memory": 10}  # memory only where the table is most of it

# Whole runs: what is asked, the limits, and whether they are the target or only what the run is compared with.
RUNS = [("start-up", "--version", {"true": 1.5}, True),
        ("recommend, small job", "recommend --model qwen2.5-0.5b --task inference", ANSWER, True),
        ("recommend, fine-tuning of 7B", "recommend --model llama-7b --task finetune", ANSWER, True),
        ("recommend, serving 70B", "recommend --model llama-3.1-70b --task inference", ANSWER, True),
        ("recommend, mixture of experts", "recommend --model mixtral-8x7b --task inference", ANSWER, True),
        ("recommend, pretraining 175B", "recommend --model gpt3-175b --task pretrain", ANSWER, False),
        ("recommend as JSON", "recommend --model llama-7b --task finetune --json", {"python": 1.5}, True),
        ("recommend in Chinese", "recommend --model llama-7b --task finetune --lang zh", ANSWER, False),
        ("estimate", "estimate --model llama-7b --task finetune --gpu h100 --gpus 8", START, True),
        ("list of instances", "instances", {}, False),
        ("completion of a model", "__complete -- recommend --model llama", COMPLETION, True),
        ("completion of a GPU", "__complete -- recommend --gpu h", COMPLETION, True),
        ("completion of a word to explain", "__complete -- explain ''", COMPLETION, True)]
QUESTION = "recommend --model llama-7b --task finetune"
OTHERS = [("serving 8B", "recommend --model llama-3.1-8b --task inference"),
          ("serving 70B", "recommend --model llama-3.1-70b --task inference"),
          ("adapters of a mixture of experts", "recommend --model mixtral-8x7b --task finetune --method lora"),
          ("rendering", "recommend --task render"), ("at most 3 USD", QUESTION + " --max-price 3")]
SIZES, SHAPES = [1_000, 10_000, 100_000, 1_000_000], ["few", "many"]
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


def hyperfine(commands, runs, warmup=3):
    """What hyperfine found for each command, all in one run: median seconds, processor time and more."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(["hyperfine", "--shell=none", "--style=none", f"--warmup={warmup}", f"--runs={runs}",
                        f"--export-json={out.name}", *commands], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=environment(), check=True)
        return json.load(out)["results"]


def medians(commands, runs, warmup=3):
    return [result["median"] for result in hyperfine(commands, runs, warmup)]


def processor_s(result):
    return result["user"] + result["system"]


def rounds(commands, runs):
    """Medians of each command in each round of five runs: a shared processor is faster in one second than the next."""
    return [medians(commands, 5, 1) for _ in range(runs // 5)]


class Beside:
    """`true` and an empty Python, measured with each table: what its times are divided by."""

    def __init__(self, true, python):
        self.true, self.python = true, python

    @classmethod
    def measured(cls):
        return cls(*medians([TRUE, PYTHON], 40, 10))

    def cells(self, seconds):
        return [f"{seconds / self.true:,.1f}", f"{seconds / self.python:,.2f}"]


def peak_mb(command):
    """Peak resident memory of one run, MB."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["/usr/bin/time", "-f", "%M", "-o", out.name, *shlex.split(command)], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=environment(), check=True)
        return int(open(out.name, encoding="utf-8").read().split()[-1]) * 1024 / 1e6


def table(heads, rows):
    """Markdown; figures to the right."""
    marks = ["---" if i == 0 else "---:" for i in range(len(heads))]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [heads, marks, *rows]) + "\n"


class Targets:
    """Which targets were met in this run, and what lies beyond the limits of its like without a target of its own."""

    def __init__(self):
        self.met, self.missed, self.outside = 0, [], []

    def cells(self, name, limits, figures, asked=True):
        """What belongs under "target" and "met"."""
        beyond = [k for k, limit in limits.items() if (figures[k] < limit if k == "rate" else figures[k] > limit)]
        wanted = {k: ("≥ " if k == "rate" else "≤ ") + UNITS[k].format(limit) for k, limit in limits.items()}
        told = [f"{name}: {UNITS[k].format(figures[k])} (limit: {wanted[k]})" for k in beyond]
        if not asked:
            self.outside += told
            return ["none" if limits else "", ""]
        self.met += len(limits) - len(beyond)
        self.missed += told
        return [", ".join(wanted.values()), "" if not limits else "**no**" if beyond else "yes"]


def whole_runs(runs, targets):
    asked_of = [("nothing", TRUE, TRUE, {}, True), ("an empty Python", "python3 -c pass", PYTHON, {}, True),
                *((name, words, f"{PROGRAM} {words}", limits, asked) for name, words, limits, asked in RUNS)]
    measured = rounds([command for _, _, command, _, _ in asked_of], runs)
    rows = []
    for place, (name, shown, command, limits, asked) in enumerate(asked_of):
        seconds = statistics.median(times[place] for times in measured)
        true, python = (statistics.median(times[place] / times[other] for times in measured) for other in (0, 1))
        figures = {"true": true, "python": python, "ms": seconds * 1e3}
        rows.append([name, f"`{shown}`", f"{seconds * 1e3:.2f}", f"{true:,.1f}", f"{python:,.2f}",
                     f"{peak_mb(command):.1f}", *targets.cells(name, limits, figures, asked)])
    return table(["what", "command", "ms", "× `true`", "× Python", "MB", "target", "met"], rows)


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


def instructions(command):
    """Instructions of one run outside the kernel: whatever else the machine does, they are the same."""
    told = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *shlex.split(command)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", env=environment(),
                          check=True).stderr
    return int(re.search(r"Collected : (\d+)", told)[1])


def catalogue(size, types):
    """The snapshot of a generated price list."""
    return snapshot_of(make(f"offers-{size}-{types}.csv", "offers", size, types), "own")


def large(runs, targets):
    beside = Beside.measured()
    rows, measured = [], {}

    def measure(name, path, limits, question=QUESTION, asked=True):
        command = f"{PROGRAM} {question} --catalog {path}"
        [taken] = medians([command], runs, 1)
        figures = {"s": taken, "MB": peak_mb(command)}
        rows.append([name, f"{taken:.4f}", *beside.cells(taken), f"{figures['MB']:.0f}",
                     *targets.cells(name, limits, figures, asked)])
        return figures

    for shape in SHAPES:
        for size in SIZES:
            types = types_of(size, shape)
            measured[shape, size] = measure(f"{size:,} offers of {types:,} instance types", catalogue(size, types),
                                            MILLION if size == SIZES[-1] else {})
    for name, question in OTHERS:  # over the last of these
        measure(f"{size:,} offers of {types:,} instance types, {name}", catalogue(size, types), MILLION, question)
    measure("the shipped offers, each in 300 regions", snapshot_of(shipped_in_many_regions(), "own"), MILLION)
    measure("1,000,000 instance types of one offer each", catalogue(1_000_000, 1_000_000), MILLION, asked=False)
    return (table(["recommend over", "s", "× `true`", "× Python", "MB", "target", "met"], rows) +
            "\n### Growth\n\n" + growth(measured, targets))


def growth(measured, targets):
    """From each size to ten times as much, without what `--version` takes."""
    start = f"{PROGRAM} --version"
    [start_s], start_count, start_mb = medians([start], 40, 10), instructions(start), peak_mb(start)
    rows, slower = [], []
    for shape in SHAPES:
        counts = [instructions(f"{PROGRAM} {QUESTION} --catalog {catalogue(size, types_of(size, shape))}") - start_count
                  for size in SIZES]
        times = [measured[shape, size]["s"] - start_s for size in SIZES]
        peaks = [measured[shape, size]["MB"] - start_mb for size in SIZES]
        for i, size in enumerate(SIZES[1:], 1):
            name = f"{SIZES[i - 1]:,} to {size:,} offers, {shape} instance types"
            in_time, in_count, in_mb = (of[i] / of[i - 1] for of in (times, counts, peaks))
            rows.append([name, f"{in_time:.1f}", f"{in_count:.1f}", f"{counts[i] / 1e6:,.1f}", f"{in_mb:.1f}",
                         *targets.cells(f"growth, {name}", LAST_TENFOLD if size == SIZES[-1] else TENFOLD,
                                        {"growth": in_count, "memory": in_mb})])
            if in_time > 10:
                slower.append(f"{name} ({in_time:.1f} ×)")
    heads = ["from, to", "× the time", "× the instructions", "million instructions at last", "× the MB", "target",
             "met"]
    return f"{table(heads, rows)}\nMore than tenfold in time: {', '.join(slower) or 'none'}.\n"


def imports(runs):
    beside = Beside.measured()
    rows = []

    def measure(name, command, warmup):
        [seconds] = medians([command], runs, warmup)
        rows.append([name, f"{seconds:.3f}", *beside.cells(seconds), f"{peak_mb(command):.0f}"])

    for shape in SHAPES:
        types = types_of(1_000_000, shape)
        csv = make(f"offers-1000000-{types}.csv", "offers", 1_000_000, types)
        measure(f"import of 1,000,000 offers of {types:,} instance types",
                f"{PROGRAM} catalog import --from generic-csv --cloud own {csv} --out {DATA}/imported.snapshot", 0)
    for types in OVERLAYS:
        path = make(f"overlay-{types}.yaml", "overlay", types)
        measure(f"recommend with an overlay of {types:,} instance types "
                f"({os.path.getsize(path) / 1e6:.2f} MB of YAML)", f"{PROGRAM} {QUESTION} --overlay {path}", 1)
    return table(["what", "s", "× `true`", "× Python", "MB"], rows)


def batches(runs, count, targets):
    """Requests per second of processor time, start-up left out; beside them the whole run, start-up and all."""
    beside = Beside.measured()
    rows = []
    for kind in KINDS:
        lines = count // (10 if kind in SEARCHED else 1)
        commands = [f"{PROGRAM} estimate --batch {make(f'batch-{kind}-{n}.jsonl', 'requests', kind, n)}"
                    for n in (lines, 2 * lines)]
        pairs = [hyperfine(commands, 1, 0) for _ in range(1 + runs)][1:]
        rate = statistics.median(lines / (processor_s(twice) - processor_s(once)) for once, twice in pairs)
        whole = statistics.median(twice["median"] for _, twice in pairs)
        rows.append([kind, f"{rate:,.0f}", f"{2 * lines:,}", *beside.cells(whole),
                     *(f"{peak_mb(command):.1f}" for command in reversed(commands)),
                     *targets.cells(f"batch of {kind}", RATE, {"rate": rate}, kind not in SEARCHED)])
    return table(["requests", "per second", "lines of a whole run", "× `true`", "× Python", "MB",
                  "MB with half the lines", "target", "met"], rows)


def parts():
    for kind in KINDS:
        if kind != "mixed":
            make(f"requests-{kind}.jsonl", "requests", kind, 10_000)
    out = subprocess.run(["build/bench/gpusel_bench", DATA, "--benchmark_format=json", "--benchmark_min_time=0.2"],
                         stdout=subprocess.PIPE, env=environment(), check=True).stdout
    entries = json.loads(out)["benchmarks"]
    # Google Benchmark ends with status 0 all the same.
    if failed := [f"{entry['name']}: {entry['error_message']}" for entry in entries if entry.get("error_occurred")]:
        sys.exit("bench: a part failed: " + "; ".join(failed))
    if not entries:
        sys.exit("bench: no part was measured")
    return table(["part", "µs"], [[entry["name"], f"{entry['cpu_time'] / 1000:.1f}"] for entry in entries])


def output_of(*command):
    """Its first line; nothing where it fails or there is no such program."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
                              check=True).stdout.partition("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit():
    """The commit of the tree, and whether anything but the page of results was changed since."""
    name = output_of("git", "rev-parse", "--short=12", "HEAD") or "unknown"
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no", "--", ".", f":(exclude){RESULTS}")
    return name + (", changed" if changed else "")


def compiler():
    """What CMake was told to build the program with."""
    with open(os.path.join(os.path.dirname(PROGRAM), "CMakeCache.txt"), encoding="utf-8") as file:
        cache = dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.MULTILINE))
    linked = "static" if cache["GPUSEL_STATIC"] == "ON" else "dynamic"
    version = output_of(os.path.realpath(cache["CMAKE_CXX_COMPILER"]), "--version")
    return f"{version}, {cache['CMAKE_BUILD_TYPE']}, {linked}"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    caches = {}
    for folder in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        level, size = (open(f"{folder}/{what}", encoding="utf-8").read().strip() for what in ("level", "size"))
        caches[level] = f"L{level} {int(size.rstrip('K')) / 1024:g} MiB"
    return ", ".join([names[0] if names else platform.machine(), f"{len(names)} processors",
                      *(told for level, told in caches.items() if level > "1"),
                      f"Linux {platform.release().partition('-')[0]}"])


def conditions(load):
    """Of what, with what and where: without them the figures say nothing."""
    told = [("command", "`" + shlex.join(["./dev", "bench", *sys.argv[1:]]) + "`"), ("commit", commit()),
            ("compiler", compiler()), ("processor", processor()),
            ("load before the run", f"{load:.2f}" + (
                f": **above {QUIET}, the machine was not quiet and the figures are not to be relied on**"
                if load > QUIET else ""))]
    return "".join(f"- {name}: {value}\n" for name, value in told)


def verdict(targets):
    told = (f"Of {targets.met + len(targets.missed)} targets measured in this run, {targets.met} were met."
            if targets.missed else f"All {targets.met} targets measured in this run were met.") + "\n"
    for title, lines in (("Not met", targets.missed),
                         ("Outside the targets, and beyond the limits set for their like", targets.outside)):
        if lines:
            told += f"\n{title}:\n\n" + "".join(f"- {line}\n" for line in lines)
    return told


def frame(page):
    """What stands in the page before and after the tables."""
    with open(page, encoding="utf-8") as file:
        parts = re.split(f"({re.escape(BEGIN)}|{re.escape(END)})", file.read())
    if parts[1::2] != [BEGIN, END]:
        raise ValueError(f"'{page}' does not have the two marks, {BEGIN} and {END}, once each and in this order")
    return parts[0], parts[4]


def write(page, text):
    head, tail = frame(page)
    with open(page, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n\n{text}\n{END}{tail}")


def main():
    load = os.getloadavg()[0]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer runs, smaller batches")
    parser.add_argument("--only", choices=["runs", "batch", "large", "data", "parts"], help="one section")
    parser.add_argument("--write", metavar="PAGE", help="put the tables into this page")
    wish = parser.parse_args()
    if wish.write and wish.only:
        parser.error("--write wants every section")
    if wish.write:
        wish.write = os.path.abspath(wish.write)
        try:  # now, not after minutes
            frame(wish.write)
        except (OSError, ValueError) as error:
            parser.error(f"--write: {error}")
    if missing := [tool for tool in ("hyperfine", "valgrind", "/usr/bin/time") if not shutil.which(tool)]:
        parser.error(f"missing: {', '.join(missing)}")
    if load > QUIET:
        print(f"bench: warning: the load is {load:.2f}, above {QUIET}: something else runs here", file=sys.stderr)
    os.chdir(ROOT)
    os.makedirs(DATA, exist_ok=True)
    head = conditions(load)
    targets = Targets()
    few = 3 if wish.quick else 7
    sections = {
        "runs": ("Whole runs", lambda: whole_runs(100 if wish.quick else 500, targets)),
        "batch": ("Batches", lambda: batches(2 * few + 1, 20_000 if wish.quick else 100_000, targets)),
        "large": ("Large catalogues", lambda: large(few, targets)),
        "data": ("Imports and overlays", lambda: imports(few)),
        "parts": ("Parts", parts)}
    tables = ""
    for key, (title, measure) in sections.items():
        if wish.only in (None, key):
            print(f"bench: {title.lower()}", file=sys.stderr)
            tables += f"\n### {title}\n\n{measure()}"
    text = f"{head}\n{verdict(targets)}{tables}"
    if wish.write:
        write(wish.write, text)
    else:
        print(text)
    for line in targets.missed:
        print(f"bench: not met: {line}", file=sys.stderr)
    return 1 if targets.missed else 0


if __name__ == "__main__":
    sys.exit(main())
