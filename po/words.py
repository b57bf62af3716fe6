#!/usr/bin/env python3
"""Looks for words that betray a translation in every English text that a person reads.

words.py [FILE.md …]   fails where one stands: in messages, help, notes of data, README.md and docs/, or in those files
The words, what to write instead and their accepted uses: words.yaml. The rules behind them: CONTRIBUTING.md.
"""
import functools
import glob
import os
import re
import sys

import yaml

import messages

ROOT = messages.ROOT
DATA_NOTES = [("data/*/*.yaml", {"notes", "caution", "note", "message", "advice"})]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md"]
# The table of examples: its first column has to be found, its second not.
EXAMPLES = re.compile(r"<!-- words -->\n.*?\n.*?\n(.*?)<!-- /words -->", re.S)


@functools.cache
def rules():
    with open(os.path.join(ROOT, "po", "words.yaml"), encoding="utf-8") as file:
        entries = yaml.safe_load(file)
    return [(re.compile(rf"\b(?:{one['word']})\b", re.I), one["write"],
             [re.compile(use, re.I) for use in one.get("accepted", [])]) for one in entries]


def spoken():
    """Messages and texts of data, each with what it stands in."""
    template = messages.of_code() + "\n" + messages.of_data()
    for block in template.split("\n\n"):
        place = re.search(r"^#: (\S+)", block, re.M)
        text = "".join(re.findall(r'^(?:msgid )?"(.*)"$', block.split("\nmsgstr")[0], re.M))
        if place and text:
            yield place.group(1), text.replace('\\"', '"').replace("\\n", "\n")


def noted():
    for pattern, keys in DATA_NOTES:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, encoding="utf-8") as file:
                content = file.read()
            if any(f"{key}:" in content for key in keys):
                for text, line in messages.walk(yaml.compose(content), keys):
                    yield f"{os.path.relpath(path, ROOT)}:{line}", text


def written(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = EXAMPLES.sub("", file.read())
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.M | re.S)
        text = re.sub(r"`[^`\n]*`", "`…`", text)
        for number, line in enumerate(text.splitlines(), 1):
            for sentence in re.split(r"(?<=[.;:!?]) ", line):
                yield f"{os.path.relpath(path, ROOT)}:{number}", sentence


def unfound_examples():
    """Rows of CONTRIBUTING.md that contradict the rules."""
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
        rows = EXAMPLES.search(file.read()).group(1)
    for row in rows.strip().splitlines():
        wrong, right = (cell.strip() for cell in row.strip("| ").split(" | "))
        if not offends(wrong) or offends(right):
            yield row


def offends(text):
    """The first word of a translation in it, and what to write instead."""
    for word, instead, accepted in rules():
        match = word.search(text)
        if match and not any(use.search(text) for use in accepted):
            return match.group(0), instead
    return None


def main():
    paths = sys.argv[1:] or [path for page in PAGES for path in sorted(glob.glob(os.path.join(ROOT, page)))]
    texts = [] if sys.argv[1:] else [*spoken(), *noted()]
    texts += written(paths)
    found = 0
    for place, text in texts:
        if (bad := offends(text)) is not None:
            found += 1
            print(f"{place}: '{bad[0]}' ({bad[1]}): {text.strip()[:160]}")
    for row in unfound_examples():
        found += 1
        print(f"CONTRIBUTING.md: an example that po/words.yaml contradicts: {row}")
    print(f"{len(texts)} texts, {found} with words of a translation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
