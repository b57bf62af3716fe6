"""How many lines of the rooms that calculate the tests execute.

coverage.py BUILD ROOM...  reads the counters below BUILD and prints a line for each room; fails below 95 % in any.
Writes BUILD/report/index.html (every line), lines.txt (those not executed) and summary.json. A header is its room's.
"""
import collections
import json
import pathlib
import subprocess
import sys

LEAST = 95.0


def count(build, rooms):
    """Every source of the rooms with its number of lines and of those executed."""
    report = build / "report"
    report.mkdir(exist_ok=True)
    summary = report / "summary.json"
    subprocess.run(
        ["gcovr", "--root", ".", "--filter", f"(src|include/gpusel)/({'|'.join(rooms)})/", "-j", "2",
         "--html-details", report / "index.html", "--html-title", "gpusel: executed lines",
         "--html-medium-threshold", str(LEAST), "--html-high-threshold", "99",
         "--txt", report / "lines.txt", "--json-summary", summary, str(build / "src")],
        check=True)
    return json.loads(summary.read_text())["files"]


def room_of(path):
    return path.removeprefix("src/").removeprefix("include/gpusel/").split("/")[0]


def main(build, *rooms):
    if not rooms:
        sys.exit(__doc__)
    lines, executed = collections.Counter(), collections.Counter()
    for source in count(pathlib.Path(build), rooms):
        room = room_of(source["filename"])
        lines[room] += source["line_total"]
        executed[room] += source["line_covered"]
    failed = False
    for room in rooms:
        share = 100 * executed[room] / lines[room] if lines[room] else 0
        failed |= share < LEAST
        print(f"{room:<10}{executed[room]:>7} of {lines[room]:>6} lines {share:6.1f} %" +
              ("" if share >= LEAST else f"  below {LEAST:g} %"))
    print(f"{build}/report/index.html shows every line, {build}/report/lines.txt those not executed")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
