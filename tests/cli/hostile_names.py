"""A catalogue in which every free text tries to act on whoever shows it: a terminal, a browser, a spreadsheet, a shell,
a reader of YAML, JSON, HCL, XML or Markdown. Every command answers from it in every format, and nothing comes through.
Usage: hostile_names.py GPUSEL"""
import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

import yaml

PROGRAM = os.path.abspath(sys.argv[1])
FORMATS = ["table", "wide", "json", "yaml", "csv", "markdown", "html"]

# Colours, a title, links (OSC 8) and the clipboard (OSC 52), the one-byte CSI, right-to-left, no width, a tag.
TERMINAL = "\x1b[31mR\x1b]0;t\x07\x1b]8;;http://e.vil\x07L\x1b]52;c;ZXZpbA==\x07\u009b31m\u202Ereverse\u200bz\u2066i\u2069\U000e0041\x7f\u0085"
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&`|[x](javascript:alert(1))</td>]]>-->"
SHELL = "$(touch pwned)`touch pwned`;touch pwned;${x}{{y}}%{z}'\"\\"
LINES = "\n- injected: true\r\n\ttouch pwned\n"
NAME = TERMINAL + MARKUP + SHELL
TEXT = NAME + LINES
FORMULA = "=cmd|' /C calc'!A0"

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff]")
COLOUR = re.compile("\x1b\\[[0-9;]*m")
NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?( ?%)?")
# What pages are made of; of scripts, only the one whose hash their policy names.
TAGS = set("""html head meta title style body main h1 h2 h3 h4 p div table thead tbody tr th td ul ol li code pre strong em
    a section figure figcaption svg desc text tspan line rect path g span details summary dl dt dd circle polyline
    blockquote hr br button label input form select option output caption footer script""".split())
RUNS_SCRIPTS = {"href", "src", "action", "formaction", "srcdoc", "xlink:href", "data", "background"}


class Page(html.parser.HTMLParser):
    """Elements and attributes that no page of ours has."""

    def __init__(self):
        super().__init__()
        self.strange, self.scripts = [], 0

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.strange.append(tag)
        self.scripts += tag == "script"
        for name, value in attributes:
            safe = name == "href" and (value or "").startswith(("https://", "http://", "#"))
            if name.startswith("on") or (name in RUNS_SCRIPTS and not safe):
                self.strange.append(f"{tag} {name}={value}")


def faults(text, form, coloured=False):
    """What is wrong with an answer in that format; empty: nothing."""
    found = []
    plain = COLOUR.sub("", text) if coloured else text
    if unseen := UNSEEN.search(plain):
        found.append(f"unseen character U+{ord(unseen.group()):04X}: {plain[max(0, unseen.start() - 30):unseen.end()]!r}")
    if form in ("table", "wide", "markdown", "csv", "error") and re.search("^[ \t]*- injected", plain, re.M):
        found.append("a name begins a line of its own")
    if form == "json":
        json.loads(text)
    elif form == "yaml":
        yaml.safe_load(text)
    elif form in ("junit", "xml"):
        xml.dom.minidom.parseString(text)
    elif form == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        if len({len(row) for row in rows}) > 1:
            found.append("rows of different lengths")
        found += [f"a formula: {cell[:60]!r}" for row in rows for cell in row
                  if len(cell) > 1 and cell[0] in "=+-@\t\r＝＋－＠" and not NUMBER.fullmatch(cell)]
    elif form == "html":
        page = Page()
        page.feed(text)
        found += [f"an element of a name's: {one}" for one in page.strange]
        if page.scripts > 1:
            found.append("a script of a name's")
    elif form == "markdown":
        outside = re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.M | re.S)
        if re.search(r"(?<!\\)<(script|img|/td)|(?<!\\)\]\(javascript", outside):
            found.append("markup of a name's")
    return found


def names_instance(text):
    """Whether a cell of the table is that name."""
    return any(cell.startswith(HARMLESS) for row in csv.reader(io.StringIO(text)) for cell in row)


def prove():
    """Each of these is noticed; else the checks below would pass whatever came."""
    for text, form in [("a\x1b[1m", "table"), ('"\u009b"', "json"), ("\u202e", "yaml"), ("a\u009b", "csv"),
                       ("a,b\n=1+1,2\n", "csv"), ("a\n1,2\n", "csv"), ("<p>a<img src=x></p>", "html"),
                       ("<p onclick=a>a</p>", "html"), ("<a href='javascript:a'>a</a>", "html"),
                       ("<script>a</script><script>b</script>", "html"), ("x <script>", "markdown"),
                       ("[a](javascript:b)", "markdown"), ("  - injected: true\n", "table")]:
        assert faults(text, form), (text, form)
    assert faults("\x1b[1ma\x1b]0;t\x07", "table", coloured=True)
    assert not faults("\x1b[1ma\x1b[0m\n", "table", coloured=True)
    assert not names_instance("provider,sku\n") and not names_instance("") and not names_instance("sku\n=sku\n")


def as_yaml(value):
    """JSON is YAML, but for the halves in which it escapes what lies beyond U+FFFF."""
    return json.dumps(value).replace("\\udb40\\udc41", "\\U000e0041")


def catalogue(cloud, own):
    """`own`: a provider of its own, named in the catalogue; else one that exporters know."""
    facts = {"document": "@" + TEXT, "publisher": "-" + TEXT, "url": "javascript:alert(1)//", "date": "2026-10-01",
             "confidence": "documented"}
    provider = {"id": cloud, "regions": {"=reg" + NAME: {"country": "US", "name": "=region" + TEXT}}}
    if own:
        provider |= {"name": FORMULA + TEXT, "country": "US", "url": "javascript:alert(2)//", "kind": "cloud"}
    gpu = {"id": "evil-gpu", "vendor": "nvidia", "name": FORMULA + TEXT, "aliases": ["also " + TERMINAL],
           "architecture": "-arch" + TEXT, "compute_capability": "9.0",
           "memory": {"type": "HBM3", "marketed_gb": 80, "usable_gib": 79, "bandwidth_gbs": 3350, "ecc": True},
           "dense": {"fp64_tflops": 67, "fp32_tflops": 67, "fp16_tflops": 989, "bf16_tflops": 989, "fp8_tflops": 1979,
                     "fp4_tflops": 0, "int8_tops": 1979},
           "native": ["fp16", "bf16", "fp8"], "sparsity": "none", "interconnect": {"kind": "nvlink", "bidir_gbs": 900},
           "pcie": {"gen": 5, "lanes": 16}, "tdp_w": 700, "sources": ["evil-src"], "notes": "+notes" + TEXT}
    model = {"id": "evil-model", "aliases": ["org/" + SHELL + TERMINAL, "org/" + SHELL, "--org/-x"], "family": "=fam" + TEXT, "kind": "decoder-llm",
             "licence": "＝lic" + TEXT, "native_dtype": "fp16", "params_b": 6.738, "layers": 32, "hidden_size": 4096,
             "ffn_size": 11008, "vocab_size": 32000, "tied_embeddings": False, "max_context": 131072,
             "attention": {"kind": "mha", "heads": 32, "kv_heads": 32, "head_dim": 128}, "kv_cache": {"full_layers": 32},
             "sources": ["evil-src"], "notes": "=model" + TEXT}
    family = {"provider": cloud, "id": "=family" + NAME, "gpu": "evil-gpu" if own else "h100-sxm-80gb",
              "cpu": "=cpu" + TEXT, "interconnect": {"kind": "nvswitch", "gbs_per_gpu": 900}, "rdma": "none",
              "sources": ["evil-src"], "notes": "=family" + TEXT, "caution": "=caution" + TEXT,
              "sizes": [{"sku": "=sku" + NAME, "gpus": 8, "vcpu": 96, "memory_gib": 1152, "local_ssd_gb": 8000,
                         "network_gbps": 400}]}
    price = {"provider": cloud, "region": "=reg" + NAME, "term": "on-demand", "currency": "USD", "as_of": "2026-11-01",
             "source": "evil-src", "note": "=price" + TEXT, "per_hour": {"=sku" + NAME: 0.05}}
    rule = {"id": "evil-rule", "effect": "warn", "when": {"fact": "gpus", "above": 0},
            "message": FORMULA + TEXT.replace("{", "(").replace("}", ")") + "{gpu}", "source": "=rule" + TEXT}
    return as_yaml({"sources": {"evil-src": facts}, "gpus": [gpu] if own else [], "models": [model],
                    "providers": [provider], "families": [family], "prices": [price], "rules": [rule]})


def policies():
    return as_yaml({"policies": [{"id": "=p1" + NAME, "max_cost_per_hour": "0.01 USD", "reason": FORMULA + TEXT},
                                 {"id": "p2", "denied_regions": ["=reg" + NAME], "reason": "@" + TEXT}]})


JOB = ["--model", "evil-model", "--task", "finetune", "--cloud", "evil-cloud"]
SERVE = ["--model", "evil-model", "--task", "inference", "--rps", "2", "--cloud", "evil-cloud"]
SKU = "=sku" + NAME
COMMANDS = [
    ["gpus", "evil"], ["gpus", "show", "evil-gpu"], ["instances", "evil"], ["instances", "show", SKU], ["models", "evil"],
    ["models", "show", "evil-model"], ["catalog", "show", "evil-src"], ["catalog", "show", "evil-cloud"],
    ["catalog", "stats"], ["catalog", "drift"], ["catalog", "diff"], ["catalog", "lint"], ["catalog", "path"], ["recommend"] + JOB,
    ["recommend", "--explain", "--show-rejected", "--data-path", "--poc"] + JOB, ["recommend", "--explain"] + SERVE,
    ["estimate", "--gpu", "evil-gpu", "--gpus", "8", "--explain", "--model", "evil-model", "--task", "finetune"],
    ["compare", "evil-gpu", "h100"], ["compare", SKU, "p4d.24xlarge", "--explain"] + JOB[:4], ["explain"] + JOB,
    ["fit", "--gpu", "evil-gpu"], ["fit", "evil-model", "--gpu", "evil-gpu"],
    ["simulate", SKU, "--rps", "2", "--requests", "1000", "--model", "evil-model"],
    ["explain", "evil-rule"] + JOB, ["explain", SKU] + JOB, ["why", "1"] + JOB,
    ["why", SKU] + JOB, ["cost", SKU, "--explain"], ["cost", "--explain"] + JOB,
    ["fleet", "--model", "evil-model", "--traffic", "chat", "--rate", "20", "--ttft", "1000", "--tpot", "60", "--cloud",
     "evil-cloud", "--explain"],
    ["whatif", "--vary", "epochs=1..3", "--tornado", "--pareto"] + JOB, ["report"] + JOB, ["check", "--policy", "p.yaml"] + JOB,
    ["check", "--policy", "p.yaml", "answer.json"], ["lock", "--dry-run"] + JOB, ["diff", "evil.lock"], ["doctor"],
    ["export", "vllm"] + SERVE, ["export", "deepspeed"] + JOB, ["export", "accelerate"] + JOB, ["export", "torchrun"] + JOB,
    ["verify", "--task", "training"], ["calibrate", "--dry-run", "evil.csv"], ["config", "show"], ["config", "path"],
    ["catalog", "import", "--from", "generic-csv", "prices.csv", "--dry-run"], ["completion", "bash"]]
# These answer with the hostile instance: with its name as it is made harmless, neither without it nor with nothing.
SHOWS = {"instances", "recommend"}
HARMLESS = "'=sku\\x1b[31mR\\x1b]0;t\\x07"
NO_FORMATS = {("completion", "bash")}
# Nothing of a catalogue, or all of it inside JSON: asked by other tests.
ELSEWHERE = {"mcp", "preflight"}


class Suite:
    def __init__(self, folder):
        self.folder, self.bad, self.runs = folder, [], 0
        self.environment = {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "COLUMNS": "100",
                            "GPUSEL_TODAY": "2026-11-20", "PATH": folder + "/stubs:/usr/bin:/bin"}

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(path, mode)

    def gpusel(self, words, overlay="evil.yaml"):
        self.runs += 1
        command = [PROGRAM, *words, "--overlay", overlay]
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, timeout=120, check=False)

    def note(self, words, what):
        self.bad.append(f"{' '.join(words)[:90]!r}: {what}")

    def judge(self, words, form, coloured=False):
        run = self.gpusel(words + ([] if words[0] == "report" or tuple(words) in NO_FORMATS else ["-o", form])
                          + ["--color", "always" if coloured else "never"])
        # No catalogue is refused and every question has an answer; the policies alone are not kept.
        if run.returncode != (4 if words[0] == "check" else 0):
            self.note(words, f"{form}: status {run.returncode}: {run.stderr[:300]}")
        if form == "csv" and words[0] in SHOWS and not names_instance(run.stdout.decode(errors="replace")):
            self.note(words, "the hostile instance is not in the answer")
        for text, kind in ((run.stdout, form), (run.stderr, "error")):
            try:
                for fault in faults(text.decode(), kind, coloured and kind == form) if text else []:
                    self.note(words, f"{kind}: {fault}")
            except (ValueError, yaml.YAMLError, xml.parsers.expat.ExpatError) as error:
                self.note(words, f"{kind}: not well-formed: {error}")

    def answers(self):
        for words in COMMANDS:
            if tuple(words) in NO_FORMATS or words[0] == "report":
                self.judge(words, "table" if words[0] != "report" else "html")
                continue
            for form in FORMATS + (["sarif", "junit"] if words[0] == "check" else []):
                self.judge(words, "json" if form == "sarif" else form)
            self.judge(words, "table", coloured=True)
            self.judge(words, "wide", coloured=True)

    def exports(self):
        """Each target that can, for clouds that exporters know: files are read by their readers, scripts are run."""
        written = 0
        for cloud in ("aws", "gcp", "azure", "runpod", "lambda"):
            for target in ("skypilot dstack terraform kubernetes kserve karpenter keda hpa vllm sglang torchrun accelerate "
                           "deepspeed").split():
                job = JOB if target in ("torchrun", "accelerate", "deepspeed") else SERVE
                words = ["export", target, *job[:-1], cloud, "-q"] + (["--engine", "sglang"] if target == "sglang" else [])
                out = os.path.join(self.folder, "out")
                shutil.rmtree(out, ignore_errors=True)
                os.mkdir(out)
                run = self.gpusel(words + ["--to", out], f"{cloud}.yaml")
                if run.returncode in (2, 3):  # told: the tool does not have that cloud
                    continue
                if run.returncode != 0:
                    self.note(words, f"status {run.returncode}: {run.stderr[:200]}")
                for name in sorted(os.listdir(out)):
                    written += 1
                    self.exported(words, os.path.join(out, name))
        if written < 30:
            self.note(["export"], f"only {written} files were written")

    def exported(self, words, path):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        try:
            kind = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}.get(os.path.splitext(path)[1], "other")
            if kind == "yaml":
                documents = list(yaml.safe_load_all(text))
                for document in documents:
                    if any("injected" in one for one in keys_of(document)):
                        self.note(words, "a name becomes a key")
                for script in scripts_of(documents):
                    self.shell(words, script)
            for fault in faults(text, "other" if kind == "yaml" else kind):
                self.note(words, fault)
        except (ValueError, yaml.YAMLError) as error:
            self.note(words, f"{os.path.basename(path)}: not well-formed: {error}")
        if path.endswith(".sh"):
            self.shell(words, text)
        if path.endswith(".tf"):
            for line in text.splitlines():
                if re.search(r'(?<!\$)\$\{x\}|(?<!%)%\{z\}', line) and not line.lstrip().startswith("#"):
                    self.note(words, f"a template of a name's: {line[:80]!r}")

    def shell(self, words, script):
        """What a name would have run leaves a file; what it calls is a stub."""
        run = subprocess.run(["sh", "-s"], input=script.encode(), cwd=os.path.join(self.folder, "empty"), timeout=20,
                             env=self.environment | {"TRAIN_SCRIPT": "t.py", "DATASET": "d", "OUTPUT": "o", "HF_TOKEN": "h",
                                                     "MASTER_ADDR": "a", "MODEL": "m", "TRAIN": "t"},
                             capture_output=True, check=False)
        if run.returncode not in (0, 1, 2):
            self.note(words, f"a script ends with {run.returncode}: {run.stderr[:200]}")
        if b"yntax error" in run.stderr:
            self.note(words, f"a script that is none: {run.stderr[:200]}")
        for left in os.listdir(os.path.join(self.folder, "empty")):
            self.note(words, f"a name was run: {left}")
            os.remove(os.path.join(self.folder, "empty", left))


def keys_of(document):
    if isinstance(document, dict):
        for key, value in document.items():
            yield str(key)
            yield from keys_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value)


def scripts_of(document):
    """Commands that a tool of YAML would run."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("run", "setup") and isinstance(value, str):
                yield value
            elif key == "commands" and isinstance(value, list):
                yield "\n".join(str(one) for one in value)
            else:
                yield from scripts_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from scripts_of(value)


def every_command(suite):
    """Names of all commands, as help lists them."""
    def listed(words):
        text = subprocess.run([PROGRAM, *words, "--help"], env=suite.environment, capture_output=True, check=True).stdout
        _, title, after = text.decode().partition("\nCommands:\n")
        if not title:
            suite.note(words + ["--help"], "no list of commands")
        return re.findall(r"^  ([a-z]+) ", after, re.M)
    for name in listed([]):
        yield from ([(name, one) for one in listed([name])] if name in ("catalog", "config") else [(name,)])


def main():
    prove()
    folder = tempfile.mkdtemp()
    try:
        suite = Suite(folder)
        suite.write("evil.yaml", catalogue("evil-cloud", True))
        for cloud in ("aws", "gcp", "azure", "runpod", "lambda"):
            suite.write(f"{cloud}.yaml", catalogue(cloud, False))
        suite.write("p.yaml", policies())
        suite.write("evil.csv", "task,model,gpu,gpus,tokens_per_s_per_gpu,note\nfinetune,llama-3.1-8b,h100,1,6000,"
                    + '"' + (FORMULA + NAME).replace('"', '""') + '"\n')
        cell = {"sku": SKU.replace('"', '""'), "name": NAME.replace('"', '""')}
        suite.write("prices.csv", "provider,sku,region,currency,price_per_hour,gpu,gpu_count,note\n"
                    'evil-cloud,"{sku}",r1,USD,1.5,h100,1,n\nevil-cloud,x,"{name}",XXX,1.5,h100,1,n\n'
                    'evil-cloud,y,"{name}",USD,1.5,"{name}",1,"{name}"\nevil-cloud,z,r1,USD,1.5,h100,1,"{name}"\n'
                    .replace("{sku}", cell["sku"]).replace("{name}", cell["name"]))
        for stub in ("vllm", "torchrun", "accelerate", "deepspeed", "python", "python3", "pip", "llamafactory-cli"):
            suite.write(f"stubs/{stub}", "#!/bin/sh\nexit 0\n", 0o755)
        os.mkdir(os.path.join(folder, "empty"))
        suite.write("answer.json", suite.gpusel(["recommend", *JOB, "--json"]).stdout.decode())
        suite.gpusel(["lock", *JOB, "-q", "--to", "evil.lock"])
        tried = {tuple(words[:2]) for words in COMMANDS} | {(words[0],) for words in COMMANDS}
        for name in every_command(suite):
            if name not in tried and name[0] not in ELSEWHERE and name not in (("catalog", "new"), ("catalog", "update"), ("catalog", "sources")):
                suite.note(list(name), "no question is asked of this command here")
        suite.answers()
        suite.exports()
        print("\n".join(suite.bad[:60] + [f"{suite.runs} runs, {len(suite.bad)} faults"]))
        sys.exit(1 if suite.bad else 0)
    finally:
        shutil.rmtree(folder)


main()
