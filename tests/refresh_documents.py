#!/usr/bin/env python3
"""Runs the commands shown in README.md and docs/ and puts what they print under them; docs/accuracy.md
is the output of one command as a whole.

For after a change of data or of a table: look at the difference before you commit it. Output that is
shortened with a line of "…" stays as it is.
"""
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXED = {"COLUMNS": "100", "NO_COLOR": "1", "GPUSEL_TODAY": "2026-11-20", "GPUSEL_OUTPUT": "",
         "HOME": "/nonexistent", "XDG_DATA_HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"}


ACCURACY = "gpusel verify -q -o markdown --by source,gpu,method,engine,precision,counter"


def printed_by(command, directory):
    environment = dict(os.environ, **FIXED, PATH=f"{ROOT}/build:{os.environ['PATH']}")
    run = subprocess.run(["sh", "-c", command.split("  # status")[0]], env=environment, cwd=directory,
                         capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr).rstrip("\n").split("\n")


def refreshed(block, directory):
    out, lines, i = [], block.split("\n"), 0
    while i < len(lines):
        out.append(lines[i])
        end = i + 1
        while end < len(lines) and not lines[end].startswith("$ "):
            end += 1
        shown = lines[i + 1:end]
        shortened = any(line.startswith("…") or line.endswith(",…") for line in shown)
        if lines[i].startswith("$ gpusel ") and any(shown) and not shortened:
            shown = printed_by(lines[i][2:], directory)
        out += shown
        i = end
    return "\n".join(out).rstrip("\n")


accuracy = ROOT / "docs" / "accuracy.md"
figures = "\n".join(printed_by(ACCURACY, ROOT)) + "\n"
if not accuracy.exists() or figures != accuracy.read_text():
    accuracy.write_text(figures)
    print("refreshed docs/accuracy.md")

for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    text = page.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        for match in re.finditer(r"```\w*\n(# file: (\S+)\n)(.*?)```", text, re.S):
            head = match.group(1) if match.group(2).endswith(".yaml") else ""
            file = pathlib.Path(scratch) / match.group(2)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(head + match.group(3))
        text = re.sub(r"(?<=```console\n)(.*?)(?=\n```)", lambda m: refreshed(m.group(1), scratch), text, flags=re.S)
    if text != page.read_text():
        page.write_text(text)
        print(f"refreshed {page.relative_to(ROOT)}")
