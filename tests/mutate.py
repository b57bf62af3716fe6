#!/usr/bin/env python3
"""Changes signs and constants of the rooms that calculate, one at a time: does a unit or property test fail?

usage: mutate.py [N [SEED [ROOM...]]]      N mutants (300; fewer than 100 prove nothing) drawn with SEED (1)

The tests of preset release must be built. All changes are compiled into one program, in a copy of src under
build/mutate, each behind a switch, as in mutate/switches.hpp. A mutant is that program with one switch set. The test
files of its room that come by its place are run, the quickest first, until one fails; tests that run the program are
not among them, and those that rank the whole catalogue in each case draw few. What needs a constant expression has no
switch: such a mutant is compiled by itself.
The tests, and what they inline of a header, are those of the release build: in a header a mutant may survive for that.
A mutant whose tests take several times their processor time does not end, and counts as killed. Status 1 where less
than 95 of 100 are killed, or fewer than 100 were judged: so few prove nothing.
"""
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build" / "mutate"
BUILD = ROOT / "build"
PROGRAM = TREE / "gpusel_tests"
COMPILED = ["physics", "serve", "money", "answer"]  # with switches: the rooms that read what is changed
# The folders of src that are mutated, each with its tests.
ROOMS = {
    "physics": ["physics/*_test.cpp", "job/*_test.cpp", "properties/*_test.cpp", "answer/trace_arithmetic_test.cpp",
                "answer/published_test.cpp"],
    "money": ["money/*_test.cpp", "answer/*_test.cpp", "properties/*_test.cpp"],
    "answer/search": ["answer/*_test.cpp", "properties/*_test.cpp"],
}
# Each case of these ranks the whole catalogue: all of them take minutes.
FEW_CASES = {f"properties/{name}_property_test.cpp" for name in ("decision", "market", "limits")}
# These run the program.
NO_TESTS = {"properties/files_property_test.cpp", "properties/output_property_test.cpp", "answer/stages_test.cpp"}
TESTS_OF = {room: [name for name in dict.fromkeys(str(path.relative_to(ROOT / "tests")) for pattern in patterns
                                                  for path in sorted((ROOT / "tests").glob(pattern)))
                   if name not in NO_TESTS] for room, patterns in ROOMS.items()}
TESTS = sorted(set().union(*TESTS_OF.values()))
LEAST_KILLED = 0.95
LEAST_JUDGED = 100
PATIENCE = 5  # times the processor time of the unchanged tests: what takes longer does not end
ENDLESS = "does not end"

# What cannot change an answer is no mutant. Each rule is printed, with how often it was used.
GUARD = "the tiny number in max(x, 1e-9) that guards a division"
NAMED = "< against <= where it decides only which of two times is named as the bound: where they are equal, either is"
KEPT = "< against <= where the larger of two amounts is kept: where they are equal, either is it"
START = "the 0 that a member of a struct starts from: it is set before it is read"
RULES = [GUARD, NAMED, KEPT, START]
BOUNDS = "compute|decoder|host|host-memory|launch|link|memory-bandwidth"
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|\[\[[^\]]*\]\]
    |\)(?:[ ]const)?[ ]=[ ]0;)
  | (?P<number>(?<![\w.])(?:0x[0-9a-fA-F']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?)[uUlLfFzZ]*)
  | (?P<word>[A-Za-z_]\w*(?:::\w+)*)
  | (?P<operator><=>|->|<<|>>|\+\+|--|[-+*/]=|<=|>=|==|!=|&&|\|\||[-+*/<>])
  | (?P<other>\S)
""", re.X | re.S | re.M)

SWAPS = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
         "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
         "std::min": ["std::max"], "std::max": ["std::min"]}

NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "+=": "add_to", "-=": "subtract_from",
         "*=": "multiply_by", "/=": "divide_by", "<": "less", "<=": "at_most", ">": "greater", ">=": "at_least",
         "std::min": "least", "std::max": "most"}
NUMBERS_OF_A_FILE = 1024  # so that an edit moves the numbers of no other file
REACHED, NONE, OTHER = 1, 2, 4  # as in switches.hpp: the place is come by, no such operator, one of another type

Mutant = collections.namedtuple("Mutant", "file line start end old new number")


def numbers_near(text):
    """What a constant is changed to: a tenth more, and where it is whole one more."""
    digits = text.rstrip("uUlLfFzZ").replace("'", "")
    if digits.startswith("0x"):
        return []
    whole = re.fullmatch(r"\d+", digits) is not None
    return [str(int(digits) + 1)] if whole else [repr(float(digits) * 1.1 if float(digits) else 1.0)]


def is_member(text, start):
    """Whether the innermost brace around a place is that of a struct or class."""
    depth = 0
    for i in range(start - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(text[i], 0)
        if depth < 0:
            return re.search(r"\b(?:struct|class)\s+\w+[^;{}()]*$", text[:i]) is not None
    return False


def excluded_by(text, start, token):
    """The rule that says a constant decides nothing; None where it may."""
    before = text[max(text.rfind(";", 0, start), text.rfind("{", 0, start)) + 1:start]
    if re.fullmatch(r"1e-(?:[6-9]|1\d)", token) and re.search(r"std::max\([^;]*$", before):
        return GUARD
    if token == "0" and re.search(r"\w \w+ =\s*$|, \w+ =\s*$", before) and is_member(text, start):
        return START
    return None


def names_or_keeps(text, start, end):
    """The rule that says a comparison decides nothing where both sides are equal; None where it may."""
    after = text[end:text.find(";", end)]
    if re.match(rf'[^?&|=]*?(?:\?\s*(?:std::string_view\()?|\)\s+return )"(?:{BOUNDS})"', after):
        return NAMED
    line = text[text.rfind("\n", 0, start):end] + after
    kept = re.search(r"\bif \(([\w.]+) > (\w+)\.\w+\) (\w+) = \{([\w.]+)[,}]", line)
    if kept and kept[1] == kept[4] and kept[2] == kept[3]:
        return KEPT
    return None


def places_in(path, number):
    """Every change that can be made to one file, place by place, and how often each rule left one out."""
    text = path.read_text()
    places, left_out, first = [], collections.Counter(), number
    for match in TOKEN.finditer(text):
        token, start, end = match.group(), match.start(), match.end()
        kind = match.lastgroup
        if kind == "number":
            changes = numbers_near(token)
        elif kind in ("operator", "word"):
            changes = SWAPS.get(token, [])
            # The formatter puts spaces around binary operators, and around no others.
            if kind == "operator" and not (text[start - 1].isspace() and text[end:end + 1].isspace()):
                changes = []
        else:
            changes = []
        rule = changes and excluded_by(text, start, token)
        if rule:
            left_out[rule] += 1
            continue
        if changes and token in BOUNDARY and (rule := names_or_keeps(text, start, end)):
            left_out[rule] += 1
            changes = [change for change in changes if change != BOUNDARY[token]]
        if changes:
            line = text.count("\n", 0, start) + 1
            places.append([Mutant(path, line, start, end, token, new, number + i) for i, new in enumerate(changes)])
            number += len(changes)
    assert number - first <= NUMBERS_OF_A_FILE
    return places, left_out


def shares(counts, total):
    """`total` divided in proportion to the counts, by largest remainder."""
    all_places = sum(counts)
    exact = [total * count / all_places for count in counts]
    given = [int(share) for share in exact]
    by_remainder = sorted(range(len(counts)), key=lambda i: given[i] - exact[i])
    for i in by_remainder[:total - sum(given)]:
        given[i] += 1
    return given


def run(command, **more):
    return subprocess.run(command, **{"cwd": TREE, "capture_output": True, "text": True, "errors": "replace", **more})


def switch(place, text, alone):
    """Where a place ends, and what stands in the copy instead of it."""
    first = place[0]
    if alone in place:
        return first.end, alone.new
    if first.old in NAMES and first.old.startswith("std::"):
        typed = text[first.end] == "<"
        return first.end + typed, f"gpusel_mutant::{NAMES[first.old]}<{first.number}" + (", " if typed else ">")
    if first.old in NAMES:
        names = ", ".join(f"gpusel_mutant::{NAMES[sign]}" for sign in [first.old] + [mutant.new for mutant in place])
        return first.end, f"{first.old} gpusel_mutant::op<{first.number}, {names}> {first.old}"
    return first.end, f"gpusel_mutant::number<{first.number}>({first.old}, {first.new})"


def with_switches(text, places, alone=None):
    """The text of a file with all of its changes, or one of them made; a constant with a switch is not constexpr."""
    for place in reversed(places):
        end, switched = switch(place, text, alone)
        text = text[:place[0].start] + switched + text[end:]
    constant = re.compile(r"\bconstexpr (?=[^;(){}]*[={][^;]*gpusel_mutant)")
    return constant.sub("const ", text)


def write(path, text):
    """Only what is new: the rest isn't compiled again."""
    if path.is_symlink() or not path.exists() or path.read_text() != text:
        path.unlink(missing_ok=True)
        path.write_text(text)


class Bench:
    """The program with all switches: where a place has none, what the tests take, and what they come by."""

    def __init__(self, files):
        self.files, self.building = files, threading.Lock()
        known = TREE / "constant.json"  # the lines without switches, as found by the compiler
        self.constant = set(map(tuple, json.loads(known.read_text()))) if known.exists() else set()
        self.copy_project()
        while True:
            for path in files:
                write(self.copy_of(path), with_switches(path.read_text(), self.switched(path)))
            run(["cmake", "--preset", "release", "-DGPUSEL_WERROR=OFF", "-DGPUSEL_TESTS=OFF",
                 "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
                 f"-DCMAKE_CXX_FLAGS=-w -Wno-narrowing -include {ROOT}/tests/mutate/switches.hpp"]).check_returncode()
            built = self.build()
            if built.returncode == 0:
                break
            switched = {self.key(place[0].file, place[0].line) for path in files for place in self.switched(path)}
            named = re.findall(rf"{TREE}/(src/[\w/]+\.[ch]pp):(\d+)", built.stdout)
            new = {self.key(ROOT / name, int(line)) for name, line in named} & switched
            if not new:
                sys.exit(built.stdout + built.stderr)
            self.constant |= new
            known.write_text(json.dumps(sorted(self.constant)))
        self.reached, self.spent, self.flags = self.measured()

    @staticmethod
    def key(path, line):
        return str(path.relative_to(ROOT)), path.read_text().splitlines()[line - 1].strip()

    def is_constant(self, mutant):
        return self.key(mutant.file, mutant.line) in self.constant

    def switched(self, path):
        return [place for place in self.files[path] if not self.is_constant(place[0])]

    @staticmethod
    def copy_of(path):
        return TREE / path.relative_to(ROOT)

    def copy_project(self):
        """Links to everything, but for the files that are changed."""
        TREE.mkdir(parents=True, exist_ok=True)
        tops = [path for path in ROOT.iterdir() if path.name not in ("build", "src", ".git")]
        for path in tops + [path for path in (ROOT / "src").rglob("*") if path.is_file() and path not in self.files]:
            copy = self.copy_of(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.is_symlink():
                copy.unlink(missing_ok=True)
                copy.symlink_to(path)
        for copy in TREE.joinpath("src").rglob("*"):
            if not copy.is_dir() and not (ROOT / copy.relative_to(TREE)).exists():
                copy.unlink()
        for path in self.files:
            self.copy_of(path).parent.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def build(program=PROGRAM):
        """The rooms with switches, linked with the tests of the release build where either is newer."""
        built = run(["cmake", "--build", "build", "--target", *(f"gpusel_{room}" for room in COMPILED), "--", "-k", "0",
                     "-j", "2"])
        if built.returncode != 0:
            return built
        tests = BUILD / "tests" / "gpusel_tests"
        objects = [path for room in COMPILED for path in TREE.glob(f"build/src/CMakeFiles/gpusel_{room}.dir/**/*.o")]
        if program.exists() and program.stat().st_mtime > max(path.stat().st_mtime for path in objects + [tests]):
            return built
        link = run(["ninja", "-t", "commands", "gpusel_tests"], cwd=BUILD).stdout.splitlines()[-1]
        first = link.index(" src/CMakeFiles/")
        link = link[:first] + " " + " ".join(map(str, objects)) + link[first:]
        return run(["sh", "-c", link.replace(" -o tests/gpusel_tests ", f" -o {program} ")], cwd=BUILD)

    def measured(self):
        """Of each test file the numbers it comes by and its processor time; and what was seen of each number."""
        kept, state = TREE / "reached.json", [PROGRAM.stat().st_mtime_ns, TESTS]
        found = json.loads(kept.read_text()) if kept.exists() else {}
        if found.get("state") != state:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                found = {"state": state, "of": dict(zip(TESTS, pool.map(self.come_by, TESTS)))}
            kept.write_text(json.dumps(found))
        flags = collections.defaultdict(int)
        for _, numbers in found["of"].values():
            for number, seen in numbers:
                flags[number] |= seen
        reached = {name: {number for number, seen in numbers if seen & REACHED}
                   for name, (_, numbers) in found["of"].items()}
        return reached, {name: spent for name, (spent, _) in found["of"].items()}, flags

    def come_by(self, name):
        with tempfile.NamedTemporaryFile("r") as report:
            failing, spent = self.run_tests(PROGRAM, name, {"MUTANT_REPORT": report.name})
            if failing:
                sys.exit(f"'{failing}' fails without a mutant: mend that first")
            return spent, [[int(word) for word in line.split()] for line in report]

    @staticmethod
    def run_tests(program, name, environment, bound=resource.RLIM_INFINITY):
        """Of one file: what fails first, None where all pass, and the processor time."""
        def confine():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (bound, bound + 5 if bound > 0 else bound))
        with tempfile.TemporaryFile("w+", errors="replace") as out:
            command = [program, "--abort", "-#", f"[#{pathlib.Path(name).stem}]"]
            few = " max_success=5" if name in FEW_CASES else ""
            environment = dict(os.environ, RC_PARAMS="noshrink=1" + few, **environment)
            process = subprocess.Popen(command, cwd=BUILD / "tests", env=environment, stdout=out,
                                       stderr=subprocess.DEVNULL, preexec_fn=confine)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            title = re.search(r"^-{20,}\n(.*)\n", out.read(), re.M)
        spent = usage.ru_utime + usage.ru_stime
        if process.returncode == 0:
            return None, spent
        if process.returncode == -signal.SIGXCPU:
            return ENDLESS, spent
        if process.returncode == -signal.SIGKILL:
            sys.exit("the tests were killed from outside, for want of memory perhaps: no verdict")
        return f"{pathlib.Path(name).stem}: {title.group(1) if title else 'crashes'}", spent

    def killer(self, program, mutant, tests):
        """The first test that fails, the quickest first; None where all pass."""
        for name in sorted(tests, key=self.spent.get):
            bound = math.ceil(PATIENCE * self.spent[name])
            failing, _ = self.run_tests(program, name, {"MUTANT_NUMBER": str(mutant.number)}, bound)
            if failing:
                return failing
        return None

    def judge(self, mutant, tests):
        """The test that kills it, None where it survives; False where it does not compile."""
        if self.is_constant(mutant) or self.flags[mutant.number] & OTHER:
            return self.judge_alone(mutant, tests)
        if self.flags[mutant.number] & NONE:
            return False
        return self.killer(PROGRAM, mutant, [name for name in tests if mutant.number in self.reached[name]])

    def judge_alone(self, mutant, tests):
        """By a program of its own."""
        copy, text = self.copy_of(mutant.file), mutant.file.read_text()
        places = [place for place in self.files[mutant.file] if mutant in place or not self.is_constant(place[0])]
        with tempfile.TemporaryDirectory(dir=TREE) as folder:
            with self.building:
                write(copy, with_switches(text, places, mutant))
                program = pathlib.Path(folder) / "tests"
                compiles = self.build(program).returncode == 0
                write(copy, with_switches(text, self.switched(mutant.file)))
            return self.killer(program, mutant, tests) if compiles else False


def processor_seconds():
    """Of all programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judged(bench, places, tests, wanted, seed, told):
    """So many mutants of one file that compile, and what becomes of them."""
    draw = random.Random(seed)
    places = places[:]
    draw.shuffle(places)
    judged_so_far = 0
    for place in places:
        if judged_so_far == wanted:
            break
        mutant = draw.choice(place)
        verdict = bench.judge(mutant, tests)
        if verdict is not False:
            judged_so_far += 1
            told(mutant, verdict)


def main():
    numbers, rooms = sys.argv[1:3], sys.argv[3:] or list(ROOMS)
    if not all(number.isdecimal() for number in numbers) or numbers[:1] == ["0"] or not set(rooms) <= set(ROOMS):
        sys.exit("usage: mutate.py [N [SEED [ROOM...]]]: N mutants (300; fewer than 100 prove nothing), drawn with SEED "
                 f"(1), of these rooms: {', '.join(ROOMS)}")
    wanted, seed = [int(number) for number in numbers + ["300", "1"][len(numbers):]]
    room_of = {path: room for room in ROOMS for path in sorted((ROOT / "src" / room).rglob("*.[ch]pp"))}
    found = {path: places_in(path, i * NUMBERS_OF_A_FILE) for i, path in enumerate(room_of)}
    bench = Bench({path: places for path, (places, _) in found.items() if places})
    files = {path: places for path, places in bench.files.items() if room_of[path] in rooms}
    share = dict(zip(files, shares([len(places) for places in files.values()], wanted)))
    verdicts = {room: collections.Counter() for room in rooms}

    def told(mutant, verdict):
        verdicts[room_of[mutant.file]][ENDLESS if verdict == ENDLESS else "killed" if verdict else "survived"] += 1
        where = f"{mutant.file.relative_to(ROOT)}:{mutant.line}"
        print(f"{where:48} {mutant.old:>10} → {mutant.new:22} {verdict or 'SURVIVED'}", flush=True)

    spent = -processor_seconds()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(judged, bench, files[path], TESTS_OF[room_of[path]], share[path], f"{seed} {path.name}",
                            told) for path in sorted(files, key=lambda path: -share[path])]
        for done in runs:
            done.result()
    spent += processor_seconds()
    places = [place for places in files.values() for place in places]
    print(f"\nplaces: {len(places)} in {len(files)} files of {', '.join(rooms)}; without a switch, "
          f"{sum(bench.is_constant(place[0]) for place in places)}")
    for rule in RULES:
        print(f"left out, {sum(found[path][1][rule] for path in found if room_of[path] in rooms)} places: {rule}")
    for room, of_room in verdicts.items():
        print(f"{room}: {of_room.total() - of_room['survived']} of {of_room.total()} mutants killed")
    all_verdicts = sum(verdicts.values(), collections.Counter())
    judged_in_all, killed = all_verdicts.total(), all_verdicts.total() - all_verdicts["survived"]
    print(f"seed {seed}: {killed} of {judged_in_all} mutants killed, {100 * killed / max(judged_in_all, 1):.1f} %; "
          f"{all_verdicts[ENDLESS]} of them as the tests did not end; {spent:.0f} s of processor time")
    if judged_in_all < LEAST_JUDGED:
        print(f"fewer than {LEAST_JUDGED} mutants prove nothing: no verdict")
        return 1
    return 0 if killed >= LEAST_KILLED * judged_in_all else 1


if __name__ == "__main__":
    sys.exit(main())
