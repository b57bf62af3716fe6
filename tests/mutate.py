#!/usr/bin/env python3
"""Changes signs and constants of the rooms that calculate, one at a time, and looks whether a unit or property test fails.

usage: mutate.py [N [SEED [ROOM...]]]      N mutants (300; fewer than 100 prove nothing) drawn with SEED (1)

The build of preset 'mutate' must be configured. For each mutant the one source is compiled, linked with the tests of
its room and with the properties, and run; tests that read golden files or run the program are not among them. A mutant whose tests take several times their processor time does not end, and counts as
killed. Status 1 where less than 95 of 100 are killed, or fewer than 100 were judged: so few prove nothing.
"""
import collections
import concurrent.futures
import functools
import json
import math
import os
import pathlib
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutate"
OBJECTS = "tests/CMakeFiles/gpusel_tests.dir"
# The folders of src that are mutated, each with its tests in the order in which they are run: what fails soonest first.
ROOMS = {
    "physics": ["physics/*_test.cpp", "job/*_test.cpp", "properties/*_test.cpp", "answer/trace_arithmetic_test.cpp",
                "answer/published_test.cpp"],
    "money": ["money/*_test.cpp", "answer/*_test.cpp", "properties/*_test.cpp"],
    "answer/search": ["answer/*_test.cpp", "properties/*_test.cpp"],
}
# These run the program.
NO_TESTS = {"properties/files_property_test.cpp", "properties/output_property_test.cpp", "answer/stages_test.cpp"}
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
    (?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|\[\[[^\]]*\]\])
  | (?P<number>(?<![\w.])(?:0x[0-9a-fA-F']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?)[uUlLfFzZ]*)
  | (?P<word>[A-Za-z_]\w*(?:::\w+)*)
  | (?P<operator><=>|->|<<|>>|\+\+|--|[-+*/]=|<=|>=|==|!=|&&|\|\||[-+*/<>])
  | (?P<other>\S)
""", re.X | re.S | re.M)

SWAPS = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
         "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
         "std::min": ["std::max"], "std::max": ["std::min"]}

Mutant = collections.namedtuple("Mutant", "file line start end old new")


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


def places_in(path):
    """Every change that can be made to one file, place by place, and how often each rule left one out."""
    text = path.read_text()
    places, left_out = [], collections.Counter()
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
            places.append([Mutant(path, line, start, end, token, new) for new in changes])
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
    return subprocess.run(command, cwd=BUILD, capture_output=True, text=True, errors="replace", check=False, **more)


class Bench:
    """What is the same for all mutants of a room: the compiled tests, the library and how to compile and to link."""

    def __init__(self, scratch, room):
        self.scratch, self.bound = pathlib.Path(scratch), None
        found = [str(path.relative_to(ROOT / "tests")) for pattern in ROOMS[room]
                 for path in sorted((ROOT / "tests").glob(pattern))]
        tests = [name for name in dict.fromkeys(found) if name not in NO_TESTS]
        support = [f"support/{path.name}" for path in sorted((ROOT / "tests" / "support").glob("*.cpp"))]
        self.objects = [f"{OBJECTS}/{name}.o" for name in tests + support]
        built = run(["cmake", "--build", ".", "--target", "src/libgpusel.a", *self.objects])
        if built.returncode != 0:
            sys.exit(built.stdout + built.stderr)
        self.commands = {entry["file"]: shlex.split(entry["command"])
                         for entry in json.loads((BUILD / "compile_commands.json").read_text())}
        lines = run(["ninja", "-t", "commands", "gpusel_tests"]).stdout.splitlines()
        link = next(line for line in reversed(lines) if " -o tests/gpusel_tests " in line)
        self.libraries = re.findall(r"\S+\.a\b", link.split(" -o tests/gpusel_tests ")[1])

    def sources_with(self, header):
        """Those that read a header of the room, be it through others."""
        known, found, grew = {header.relative_to(ROOT / "src")}, set(), True
        while grew:
            grew = False
            for path in (ROOT / "src").rglob("*.[ch]pp"):
                name = path.relative_to(ROOT / "src")
                if name in known | found or not any(f'"{one}"' in path.read_text() for one in known):
                    continue
                (known if path.suffix == ".hpp" else found).add(name)
                grew = True
        return [ROOT / "src" / name for name in sorted(found) if str(ROOT / "src" / name) in self.commands]

    def compile(self, source, text_of, folder):
        """One source with the mutant in the place of what it reads; None where it does not compile."""
        command = [word for word in self.commands[str(source)] if not re.match(r"-O\d|-W|-D_FORTIFY|ccache$", word)]
        out = folder / (source.relative_to(ROOT / "src").as_posix().replace("/", "_") + ".o")
        at = text_of.get(source, source)
        command[command.index("-o") + 1] = str(out)
        command[command.index("-c") + 1] = str(at)
        command[1:1] = ["-O0", "-w", f"-I{folder / 'src'}", f"-I{source.parent}"]
        return out if run(command).returncode == 0 else None

    def program(self, mutant, folder):
        """The test program of a mutant; None where it is none."""
        text = mutant.file.read_text()
        changed = folder / "src" / mutant.file.relative_to(ROOT / "src")
        changed.parent.mkdir(parents=True)
        changed.write_text(text[:mutant.start] + mutant.new + text[mutant.end:])
        sources = [mutant.file] if mutant.file.suffix == ".cpp" else self.sources_with(mutant.file)
        objects = [self.compile(source, {mutant.file: changed}, folder) for source in sources]
        if not objects or None in objects:
            return None
        out = folder / "tests"
        linked = run(["c++", "-fuse-ld=gold", *map(str, objects), *self.objects, "-o", str(out), *self.libraries])
        if linked.returncode != 0:
            sys.exit(linked.stderr)
        return out

    def killer(self, program):
        """The first test that fails; None where all pass."""
        def confine():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            if self.bound:
                resource.setrlimit(resource.RLIMIT_CPU, (self.bound, self.bound + 5))
        done = run([str(program), "--abort"], preexec_fn=confine, env=dict(os.environ, RC_PARAMS="noshrink=1"))
        if done.returncode == 0:
            return None
        if done.returncode == -signal.SIGXCPU:
            return ENDLESS
        if done.returncode == -signal.SIGKILL:
            sys.exit("the tests were killed from outside, for want of memory perhaps: no verdict")
        name = re.search(r"^-{20,}\n(.*)\n", done.stdout, re.M)
        return name.group(1) if name else "crashes"

    def measure(self, source):
        """Bounds what the tests may take by what they take with nothing changed; that they pass is demanded."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            program = self.program(Mutant(source, 1, 0, 0, "", ""), pathlib.Path(folder))
            if program is None:
                sys.exit(f"{source} does not compile without a mutant: mend that first")
            spent = -processor_seconds()
            if failing := self.killer(program):
                sys.exit(f"'{failing}' fails without a mutant: mend that first")
            spent += processor_seconds()
        self.bound = math.ceil(PATIENCE * spent)
        return spent

    def judge(self, mutant):
        """The test that kills it, None where it survives; False where it does not compile."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            program = self.program(mutant, pathlib.Path(folder))
            return False if program is None else self.killer(program)


def processor_seconds():
    """Of all programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judged(bench, places, wanted, seed, told):
    """So many mutants of one file that compile, and what becomes of them."""
    draw = random.Random(seed)
    places = places[:]
    draw.shuffle(places)
    judged_so_far = 0
    for place in places:
        if judged_so_far == wanted:
            break
        mutant = draw.choice(place)
        verdict = bench.judge(mutant)
        if verdict is not False:
            judged_so_far += 1
            told(mutant, verdict)


def sample(rooms, wanted):
    """Every file of the rooms with its places, how many of them are judged, and what each rule left out."""
    found = {(room, path): places_in(path) for room in rooms for path in sorted((ROOT / "src" / room).rglob("*.[ch]pp"))}
    left_out = sum((counter for _, counter in found.values()), collections.Counter())
    files = {file: places for file, (places, _) in found.items() if places}
    share = shares([len(places) for places in files.values()], wanted)
    return files, dict(zip(files, share)), left_out


def main():
    numbers, rooms = sys.argv[1:3], sys.argv[3:] or list(ROOMS)
    if not all(number.isdecimal() for number in numbers) or numbers[:1] == ["0"] or not set(rooms) <= set(ROOMS):
        sys.exit("usage: mutate.py [N [SEED [ROOM...]]]: N mutants (300; fewer than 100 prove nothing), drawn with SEED "
                 f"(1), of these rooms: {', '.join(ROOMS)}")
    wanted, seed = [int(number) for number in numbers + ["300", "1"][len(numbers):]]
    files, share, left_out = sample(rooms, wanted)
    verdicts = {room: collections.Counter() for room in rooms}

    def told(room, mutant, verdict):
        verdicts[room][ENDLESS if verdict == ENDLESS else "killed" if verdict else "survived"] += 1
        where = f"{mutant.file.relative_to(ROOT)}:{mutant.line}"
        print(f"{where:48} {mutant.old:>10} → {mutant.new:22} {verdict or 'SURVIVED'}", flush=True)

    for room in rooms:
        largest_first = sorted((file for file in files if file[0] == room and share[file]), key=lambda file: -share[file])
        if not largest_first:
            continue
        with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
            bench = Bench(scratch, room)
            spent = bench.measure(next(path for of, path in files if of == room and path.suffix == ".cpp"))
            print(f"{room}: unchanged, its tests take {spent:.1f} s of processor time; of a mutant, {bench.bound} s at "
                  "most", flush=True)
            runs = [pool.submit(judged, bench, files[file], share[file], f"{seed} {file[1].name}",
                                functools.partial(told, room)) for file in largest_first]
            for done in runs:
                done.result()
    print(f"\nplaces: {sum(map(len, files.values()))} in {len(files)} files of {', '.join(rooms)}")
    for rule in RULES:
        print(f"left out, {left_out[rule]} places: {rule}")
    for room, of_room in verdicts.items():
        print(f"{room}: {of_room.total() - of_room['survived']} of {of_room.total()} mutants killed")
    all_verdicts = sum(verdicts.values(), collections.Counter())
    judged_in_all, killed = all_verdicts.total(), all_verdicts.total() - all_verdicts["survived"]
    print(f"seed {seed}: {killed} of {judged_in_all} mutants killed, {100 * killed / max(judged_in_all, 1):.1f} %; "
          f"{all_verdicts[ENDLESS]} of them as the tests did not end")
    if judged_in_all < LEAST_JUDGED:
        print(f"fewer than {LEAST_JUDGED} mutants prove nothing: no verdict")
        return 1
    return 0 if killed >= LEAST_KILLED * judged_in_all else 1


if __name__ == "__main__":
    sys.exit(main())
