"""Every answer against its schema, and in its other formats.

validate.py PROGRAM --check  runs tests/schema/commands.txt and judges what is printed
validate.py PROGRAM --prove  spoils answers one by one: each spoilt one has to be rejected
"""
import collections
import concurrent.futures
import copy
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import jsonschema
import yaml

HERE = pathlib.Path(__file__).resolve().parent
SCHEMAS = HERE.parent.parent / "docs" / "schema"
TODAY = "2026-11-21"
FORMATS = ("yaml", "csv", "markdown", "html")
KEPT = {"last-1.json"}  # a file that gpusel keeps for itself, and no answer: src/cli/question/last.cpp
SOLVER_TIME = "seconds_at_most"  # differs from run to run


class Resolver(jsonschema.RefResolver):
    """References are a file and a path in it; the library looks each up through all of the schemas, every time."""

    def __init__(self, name, schemas):
        super().__init__(name, schemas[name], store=schemas)
        self.found = {}

    def resolve(self, ref):
        url = self._urljoin_cache(self.resolution_scope, ref)
        if url not in self.found:
            name, _, pointer = url.partition("#")
            self.found[url] = self.resolve_fragment(self.store[name], pointer)
        return url, self.found[url]


class Schemas:
    def __init__(self):
        self.all = {path.name: json.loads(path.read_text()) for path in sorted(SCHEMAS.glob("*.json"))}
        for schema in self.all.values():
            jsonschema.Draft202012Validator.check_schema(schema)
        self.resolvers = {name: Resolver(name, self.all) for name in self.all}
        self.validators = {name: self.validator(name, schema) for name, schema in self.all.items()}
        self.seen = set()

    def validator(self, name, schema):
        return jsonschema.Draft202012Validator(schema, resolver=self.resolvers[name])

    @staticmethod
    def file_of(answer):
        match = re.fullmatch(r"gpusel\.([a-z-]+)/(\d+)", answer.get("schema", "")) if isinstance(answer, dict) else None
        return f"{match[1]}-{match[2]}.json" if match else None

    def problems(self, answer):
        name = self.file_of(answer)
        if name not in self.validators:
            return [f"no schema for {answer.get('schema') if isinstance(answer, dict) else type(answer)}"]
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.validators[name].iter_errors(answer)]

    def accepts(self, answer):
        name = self.file_of(answer)
        return name in self.validators and self.validators[name].is_valid(answer)

    def note(self, answer):
        """Which declared keys it has."""
        name = self.file_of(answer)
        self.walk(name, self.all[name], "#", answer)

    def walk(self, name, schema, at, value):
        if "$ref" in schema:
            target, _, pointer = schema["$ref"].partition("#")
            target = target or name
            found = self.all[target]
            for part in filter(None, pointer.split("/")):
                found = found[part]
            self.walk(target, found, "#" + pointer, value)
        for word in ("anyOf", "oneOf"):
            for i, option in enumerate(schema.get(word, [])):
                if self.validator(name, option).is_valid(value):
                    self.walk(name, option, f"{at}/{word}/{i}", value)
        if isinstance(value, list) and "items" in schema:
            for one in value:
                self.walk(name, schema["items"], at + "/items", one)
        if isinstance(value, dict):
            for key, one in value.items():
                if key in schema.get("properties", {}):
                    self.seen.add((name, f"{at}/properties/{key}"))
                    self.walk(name, schema["properties"][key], f"{at}/properties/{key}", one)
                elif isinstance(schema.get("additionalProperties"), dict):
                    self.walk(name, schema["additionalProperties"], at + "/additionalProperties", one)

    def declared(self):
        def keys(name, node, at):
            if isinstance(node, dict):
                for key, child in node.items():
                    here = f"{at}/{key}"
                    if key == "properties" and "oneOf" not in at:
                        yield from ((name, f"{here}/{one}") for one in child)
                    yield from keys(name, child, here)
            elif isinstance(node, list):
                for i, child in enumerate(node):
                    yield from keys(name, child, f"{at}/{i}")

        return {one for name, schema in self.all.items() for one in keys(name, schema, "#")}


# Formats beside JSON: each returns what is wrong.


def yaml_problems(text, answers):
    documents = list(yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    return [] if forget_time(documents) == forget_time(answers) else ["differs from JSON"]


def forget_time(value):
    if isinstance(value, list):
        return [forget_time(one) for one in value]
    if isinstance(value, dict):
        if value.get("name") == "output":  # the setting that the format itself is
            return value["name"]
        return {key: forget_time(one) for key, one in value.items() if key != SOLVER_TIME}
    return value


def csv_problems(text, _):
    rows = list(csv.reader(io.StringIO(text), strict=True))
    problems = [f"row {i + 1}: {len(row)} columns, not {len(rows[0])}" for i, row in enumerate(rows) if len(row) != len(rows[0])]
    if rows and (len(set(rows[0])) != len(rows[0]) or "" in rows[0]):
        problems.append("columns without a name of their own")
    number = re.compile(r"[-+]?[0-9.,]+(e[-+]?[0-9]+)?( ?%| [a-z][a-z/ ]*)?$")  # with its unit or without
    for row in rows:
        problems += [f"a formula: {cell[:40]}" for cell in row if len(cell) > 1 and cell[0] in "=+-@\t\r" and not number.match(cell)]
    return problems


def markdown_problems(text, _):
    problems = [] if text.startswith("# ") else ["no title"]
    columns = None
    fence = None
    for at, line in enumerate(text.split("\n"), 1):
        if fence or line.startswith("```"):
            fence = None if fence == line else fence or re.match("`+", line)[0]
            continue
        if line.startswith("|"):
            bars = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
            if columns not in (None, bars):
                problems.append(f"line {at}: {bars - 1} columns, not {columns - 1}")
            columns = bars
        else:
            columns = None
        plain = re.sub(r"\\.", "", line)
        plain = re.sub(r"<https?://[^<>\s]*>", "", plain)
        if "<" in plain or re.search(r"\[[^\]]*\]\(", plain):
            problems.append(f"line {at}: markup from a text: {line[:60]}")
    if fence:
        problems.append("a fence is left open")
    if "\n\n\n" in text:
        problems.append("empty lines in a row")
    return problems


class Tags(html.parser.HTMLParser):
    VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}

    def __init__(self):
        super().__init__()
        self.open = []
        self.problems = []
        self.titles = 0

    def handle_starttag(self, tag, attributes):
        self.titles += tag == "h1"
        self.problems += [f"<{tag} {key}>" for key, _ in attributes if key.startswith("on")]
        if tag in ("img", "iframe", "object", "u", "b", "i"):
            self.problems.append(f"<{tag}> out of a text")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")


def html_problems(text, _):
    tags = Tags()
    tags.feed(text)
    tags.close()
    problems = tags.problems + [f"<{tag}> is left open" for tag in tags.open]
    if not text.lower().startswith("<!doctype html>"):
        problems.append("no document type")
    if tags.titles != 1:
        problems.append(f"{tags.titles} main headings")
    return problems


JUDGES = {"yaml": yaml_problems, "csv": csv_problems, "markdown": markdown_problems, "html": html_problems}


Line = collections.namedtuple("Line", "command status json_only")


def commands():
    lines = []
    for text in (HERE / "commands.txt").read_text().splitlines():
        command, _, remark = text.strip().partition("  # ")
        if command.startswith("gpusel "):
            status = re.search(r"status (\d+)", remark)
            lines.append(Line(command.strip(), int(status[1]) if status else 0, "json only" in remark))
    return lines


def run(program, line, form):
    with tempfile.TemporaryDirectory() as place:
        files = pathlib.Path(place) / "files"
        shutil.copytree(HERE / "files", files)
        environment = {"PATH": os.environ["PATH"], "HOME": "/home/of/nobody", "GPUSEL_TODAY": TODAY, "LC_ALL": "C.UTF-8"}
        # What stands before "&&" makes a file for the command that is judged.
        *before, judged = [shlex.split(command)[1:] for command in re.split(r" && (?=gpusel )", line.command)]
        # Behind "--" there is another program's line.
        at = judged.index("--") if "--" in judged else len(judged)
        for words in [*before, [*judged[:at], "-o", form, *judged[at:]]]:
            done = subprocess.run([program, *words], cwd=files, env=environment, capture_output=True,
                                  encoding="utf-8", stdin=subprocess.DEVNULL, check=False)
        return done


def answers_in(text):
    """One document, or JSON Lines; nothing where it is neither."""
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return []


def written():
    """The schemas that the sources name."""
    source = HERE.parent.parent / "src"
    texts = [path.read_text() for path in source.rglob("*.cpp")]
    return {f"{name}-{version}.json" for text in texts for name, version in re.findall(r"gpusel\.([a-z-]+)/(\d+)", text)}


def check(program):
    schemas = Schemas()
    wrong = []
    lines = commands()
    # An answer that has no other formats, as JSON Lines, is judged as JSON alone.
    wanted = [(line, form) for line in lines for form in ("json", *(() if line.json_only else FORMATS))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        ran = dict(zip(wanted, pool.map(lambda one: run(program, *one), wanted)))
    counts = collections.Counter()
    for line in lines:
        result = ran[line, "json"]
        answers = answers_in(result.stdout)
        if not answers:
            wrong.append(f"{line.command}: no JSON")
        for answer in answers:
            problems = schemas.problems(answer)
            wrong += [f"{line.command}: {one}" for one in problems[:5]]
            if not problems:
                schemas.note(answer)
                counts[schemas.file_of(answer)] += 1
        for form in ("json", *(() if line.json_only else FORMATS)):
            result = ran[line, form]
            if result.returncode != line.status:
                wrong.append(f"{line.command} -o {form}: status {result.returncode}: {result.stderr.strip()[:200]}")
            elif form != "json":
                wrong += [f"{line.command} -o {form}: {one}" for one in JUDGES[form](result.stdout, answers)[:5]]
    for name in schemas.all:
        if not name.startswith("common-") and counts[name] == 0:
            wrong.append(f"{name}: no command of commands.txt answers so")
    wrong += [f"{name}: src/ writes it, and docs/schema has no such file" for name in sorted(written() - schemas.all.keys() - KEPT)]
    rare = dict(line.split(" | ") for line in (HERE / "rare.txt").read_text().splitlines() if line[:1] not in ("", "#"))
    unseen = {" ".join(one) for one in schemas.declared() - schemas.seen}
    wrong += [f"{one}: no answer has it, and rare.txt does not say why" for one in sorted(unseen - rare.keys())]
    wrong += [f"{one}: in rare.txt, but answers have it" for one in sorted(rare.keys() - unseen)]
    return wrong


def shortened(value):
    """With one element of each list."""
    if isinstance(value, list):
        return [shortened(one) for one in value[:1]]
    return {key: shortened(one) for key, one in value.items()} if isinstance(value, dict) else value


def spoilt(answer):
    """Copies of an answer, each with one thing wrong."""
    places = []

    def collect(value, path):
        if isinstance(value, dict):
            places.append(path)
            for key, one in value.items():
                collect(one, [*path, key])
        elif isinstance(value, list) and value:
            collect(value[0], [*path, 0])

    collect(answer, [])

    def changed(path, change):
        whole = copy.deepcopy(answer)
        part = whole
        for step in path:
            part = part[step]
        change(part)
        return whole

    yield "no schema", changed([], lambda d: d.pop("schema"))
    yield "a newer schema", changed([], lambda d: d.update(schema=d["schema"].replace("/1", "/2")))
    yield "an unknown key", changed([], lambda d: d.update(surprise=1))
    for key in answer:
        if key != "schema":
            yield f"{key} as a wrong type", changed([], lambda d, key=key: d.update({key: [{"unheard": None}]}))
    for path in places[1:]:
        yield f"{path} as a text", changed(path[:-1], lambda d, path=path: d.__setitem__(path[-1], "text"))


def prove(program):
    schemas = Schemas()
    wrong = []
    tried = set()
    for line in commands():
        name = line.command.split("-")[0]
        if line.status != 0 or name in tried:
            continue
        tried.add(name)
        for answer in answers_in(run(program, line, "json").stdout):
            short = shortened(answer)
            for what, bad in spoilt(short if not schemas.problems(short) else answer):
                if schemas.accepts(bad):
                    wrong.append(f"{line.command}: {what} passes")
    bad_texts = {
        "yaml": ["a: 2\n"],
        "csv": ["a,b\n1\n", "a,a\n1,2\n", "a\n=1+1\n", 'a\n"x\n'],
        "markdown": ["text\n", "# t\n\n| a | b |\n|---|---|\n| 1 |\n", "# t\n\n<b>x</b>\n", "# t\n\n[x](y)\n", "# t\n\n```\nx\n"],
        "html": ["<p>x", "<!doctype html><h1>x</h1><p>", "<!doctype html><h1>x</h1></p>", "<!doctype html><h1>x</h1><img src=x>"],
    }
    for form, texts in bad_texts.items():
        for text in texts:
            try:
                passes = not JUDGES[form](text, [{"a": 1}])
            except csv.Error:
                passes = False
            if passes:
                wrong.append(f"{form}: {text!r} passes")
    if len(tried) < 10:
        wrong.append("hardly an answer was spoilt")
    return wrong


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = prove(program) if "--prove" in sys.argv else check(program)
    for one in wrong:
        print(one)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
