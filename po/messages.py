#!/usr/bin/env python3
"""The texts that gpusel says, and their translations.

messages.py update   writes po/gpusel.pot and brings po/*.po up to date with it
messages.py check    fails where a text is untranslated, a translation is of no text, or their arguments differ

C++ texts stand in say("…"), say_text("…") and to_say("…"), and in told("…") and told.some("…"), which name the numbers
of a formula; texts of data are listed in DATA_TEXTS. Names, which
say_name() and said() say, have the context "name": those in to_name("…"), and those that NAMES lists.
"""
import gettext
import glob
import os
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Where data has sentences: the files, and the keys that hold them, at any depth.
DATA_TEXTS = [("data/rules/*.yaml", {"message", "advice"}), ("data/proofs/*.yaml", {"what", "read"}),
              ("data/launches/*.yaml", {"what", "env"})]
DATA_TEXTS += [("data/instances/*.yaml", {"caution", "notes"}), ("data/gpus/*.yaml", {"caution", "notes"})]
DATA_TEXTS += [("data/service-levels.yaml", {"scope", "credit"}), ("data/services.yaml", {"lock_in", "note"}),
               ("data/proofs/*.yaml", {"version"})]
# What the list of a price says besides.
DATA_TEXTS += [("data/instances/*.yaml", {"note"}), ("data/import/price-lists.yaml", {"covers"})]
DATA_TEXTS += [("data/places/places.yaml", {"note"}), ("data/solvers/*.yaml", {"name", "unit"})]
# Where names stand that have no mark: what is before them, in one file of all, and what ends them.
NAMES = [(f"constexpr auto enum_names<{name}>", "});") for name in (
    "job::Task", "job::Mode", "job::Recipe", "job::Render", "catalog::Term", "job::Preprocessing", "catalog::Availability", "catalog::Period", "catalog::Confidence",
    "catalog::Licence", "catalog::ProviderKind", "catalog::VgpuSupport", "catalog::Graphics", "catalog::StorageKind",
    "catalog::ServiceKind", "catalog::Severity", "catalog::ChangeKind", "rules::Fitness", "rules::Effect",
    "answer::Figure")]
NAMES += [("5> bounds() const", "}};"), ("storage_gbs < loader_gbs ?", ";"), ("std::string origin_text =", ";"),
          ("kWeights[]", "};"), ("job.tokens =", ";")]
# Fields of records by their keys, units of work, and rules that the path of a decision names.
FIELDS = tuple(f"records/{name}.hpp" for name in ("gpu", "model", "market"))
UNITS = r"constexpr Unit k\w+\{([^}]*)\}"
RULES = "data/rules/*.yaml"
LABELS = "data/rules/similarity.yaml"
HEADER = """\
# Texts of gpusel.
msgid ""
msgstr ""
"Project-Id-Version: gpusel\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def run(*words, text=None):
    done = subprocess.run(words, input=text, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: {done.stderr.strip()}")
    return done.stdout


def sources():
    found = []
    for folder in ("include", "src"):
        for at, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.relpath(os.path.join(at, name), ROOT) for name in names if name.endswith(("pp"))]
    return sorted(found)


def of_code():
    """Without the header that xgettext writes."""
    marks = ("say", "say_text", "to_say", "told", "some")
    words = [f"--keyword={name}:1" for name in marks]
    # '%' in a text is no argument: arguments are fmt's.
    words += [f"--flag={name}:1:no-c-format" for name in marks]
    found = run("xgettext", "--language=C++", "--from-code=UTF-8", "--no-wrap", *words, "-o", "-", *sources())
    return found.split("\n\n", 1)[1]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def walk(node, keys):
    """The scalars below these keys, with their lines."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value in keys and isinstance(value, yaml.ScalarNode):
                yield value.value, value.start_mark.line + 1
            elif key.value in keys and isinstance(value, yaml.MappingNode):
                yield from ((one.value, one.start_mark.line + 1) for _, one in value.value)
            else:
                yield from walk(value, keys)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from walk(value, keys)


def of_data():
    out = ""
    seen = set()
    for pattern, keys in DATA_TEXTS:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, encoding="utf-8") as file:
                content = file.read()
            if not any(f"{key}:" in content for key in keys):
                continue
            for text, line in walk(yaml.compose(content), keys):
                if re.search(r"[A-Za-z]", text) and text not in seen:
                    seen.add(text)
                    out += f"#: {os.path.relpath(path, ROOT)}:{line}\nmsgid {quoted(text)}\nmsgstr \"\"\n\n"
    return out


def names():
    """With the files that they stand in: those that C++ has, then those of data."""
    def read(path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()

    def literals(text):
        return re.findall(r'"([^"]+)"', text)

    texts = {path: read(path) for path in sources()}
    for path, text in texts.items():
        for name in re.findall(r'\bto_name\("([^"]+)"\)', text):
            yield name, path
    for before, end in NAMES:
        path = next(path for path, text in texts.items() if before in text)
        for name in literals(texts[path].split(before, 1)[1].split(end, 1)[0]):
            yield name, path
    for path, text in texts.items():
        for name in re.findall(r'\.json = "([^"]+)"', text) if path.endswith(FIELDS) else []:
            if not name.endswith("sources"):
                yield name, path
        for constant in re.findall(UNITS, text):
            for name in literals(constant):
                yield name, path
    for path in sorted(glob.glob(os.path.join(ROOT, RULES))):
        for rule in yaml.safe_load(read(path)).get("rules", []):
            if rule["effect"] == "reject":
                yield rule["id"], os.path.relpath(path, ROOT)
    for figure in yaml.safe_load(read(LABELS))["similarity"]["figures"]:
        yield str(figure["label"]), LABELS


def of_names():
    out = ""
    seen = set()
    for name, path in names():
        if name not in seen:
            seen.add(name)
            out += f"#: {path}\nmsgctxt \"name\"\nmsgid {quoted(name)}\nmsgstr \"\"\n\n"
    return out


def template():
    with tempfile.TemporaryDirectory() as scratch:
        parts = []
        for name, text in (("code", of_code()), ("data", of_data()), ("names", of_names())):
            parts.append(os.path.join(scratch, name + ".pot"))
            with open(parts[-1], "w", encoding="utf-8") as file:
                file.write(HEADER + "\n" + text)
        return run("msgcat", "--use-first", "--no-wrap", *parts)


def arguments(text):
    """What fmt would fill in, by its place: {} {1} {:.2f}; and names of facts in rules."""
    found, next_one = [], 0
    for brace in re.findall(r"\{\{|\}\}|\{[^{}]*\}", text):
        if brace in ("{{", "}}"):
            continue
        name, _, form = brace[1:-1].partition(":")
        if name == "":
            name, next_one = str(next_one), next_one + 1
        found.append((name, form))
    return sorted(found)


def numbered_and_not(text):
    names = [brace[1:-1].partition(":")[0] for brace in re.findall(r"\{[^{}]*\}", text.replace("{{", "").replace("}}", ""))]
    return "" in names and any(name.isdigit() for name in names)


def catalogue(path):
    with tempfile.TemporaryDirectory() as scratch:
        compiled = os.path.join(scratch, "x.mo")
        run("msgfmt", "-o", compiled, path)
        with open(compiled, "rb") as file:
            texts = gettext.GNUTranslations(file)._catalog
    return {key: value for key, value in texts.items() if key}


def update():
    pot = os.path.join(ROOT, "po", "gpusel.pot")
    with open(pot, "w", encoding="utf-8") as file:
        file.write(template())
    for path in sorted(glob.glob(os.path.join(ROOT, "po", "*.po"))):
        merged = run("msgmerge", "--quiet", "--no-fuzzy-matching", "--no-wrap", "--sort-output", "--no-location", path, pot)
        merged = run("msgattrib", "--no-obsolete", "--no-wrap", "-", text=merged)
        with open(path, "w", encoding="utf-8") as file:
            file.write(merged.replace("#, no-c-format\n", ""))
        print(path, run("msgattrib", "--untranslated", "--no-wrap", path).count("\nmsgid ") or "complete")
    os.remove(pot)


def check():
    with tempfile.TemporaryDirectory() as scratch:
        pot = os.path.join(scratch, "all.pot")
        with open(pot, "w", encoding="utf-8") as file:
            texts = template().split("\n\n", 1)[1]
            file.write(HEADER + "\n" + re.sub(r'^msgstr ""$', 'msgstr "x"', texts, flags=re.M))
        wanted = catalogue(pot)
    problems = []
    for path in sorted(glob.glob(os.path.join(ROOT, "po", "*.po"))):
        name = os.path.basename(path)
        have = catalogue(path)
        problems += [f"{name}: untranslated: {text!r}" for text in sorted(set(wanted) - set(have))]
        problems += [f"{name}: of no text any more: {text!r}" for text in sorted(set(have) - set(wanted))]
        for text in sorted(set(wanted) & set(have)):
            if arguments(text) != arguments(have[text]):
                problems.append(f"{name}: other arguments: {text!r}: {have[text]!r}")
            if numbered_and_not(have[text]):
                problems.append(f"{name}: numbered arguments beside others: {have[text]!r}")
            if not re.search(r"\w", text.split("\x04")[-1]):
                continue  # a mark between words: other languages have theirs without a space
            for at in ("startswith", "endswith"):
                if any(getattr(text, at)(end) != getattr(have[text], at)(end) for end in (" ", "\n")):
                    problems.append(f"{name}: another space or line break at an end: {text!r}: {have[text]!r}")
    for problem in problems:
        print(problem)
    print(f"{len(wanted)} texts, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["update"]:
        update()
    elif sys.argv[1:] == ["check"]:
        sys.exit(check())
    else:
        sys.exit(__doc__)
