#!/usr/bin/env python3
"""Which functions a start, a recommendation and their like run through: cmake/first_functions.txt, by `./dev order`.

The linker puts these first, beside each other: a page of code costs more to map than to run. The names are the compiler's.
What is no longer there is passed over by the linker, and what is missing lies where it would have without the list, so it
is written anew when start-up has become slower, not with every change.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "build", "gpusel")
LIST = os.path.join(ROOT, "cmake", "first_functions.txt")
HEAD = "# What the linker puts first; written by ./dev order, which says why.\n"

COMMANDS = [
    ["--version"],
    ["__complete", "--", "recommend", "--model", "llama"],
    ["recommend", "--model", "llama-7b", "--task", "finetune"],
    ["recommend", "--model", "llama-3.1-70b", "--task", "inference"],
    ["recommend", "--model", "mixtral-8x7b", "--task", "inference", "--json"],
    ["recommend", "--model", "gpt3-175b", "--task", "pretrain"],
    ["estimate", "--model", "llama-7b", "--task", "finetune", "--gpu", "h100", "--gpus", "8"],
    ["compare", "a100", "h100"],
    ["instances"],
]


def functions(command):
    """Names of all functions that it calls, as the compiler has them."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--demangle=no",
                        f"--callgrind-out-file={profile}", PROGRAM, *command],
                       stdout=subprocess.DEVNULL, check=True)
        with open(profile, encoding="utf-8") as lines:
            for line in lines:
                named = re.match(r"c?fn=\(\d+\) ([\w.$]+)(?:'\d+)?$", line)
                if named and not named[1].startswith("0x"):
                    yield named[1]


def main():
    names = {}
    for command in COMMANDS:
        names.update(dict.fromkeys(functions(command)))
    with open(LIST, "w", encoding="utf-8") as out:
        out.write(HEAD + "\n".join(names) + "\n")
    print(f"{len(names)} functions of {len(COMMANDS)} commands", file=sys.stderr)


if __name__ == "__main__":
    main()
