#!/usr/bin/env python3
# What coverage comes to, and what it misses. Not counted is a line whose source says `// not run: REASON`, what that line
# begins with {, and what holds nothing but a brace.
#   covered.py NAME BRANCHES FOLDER      FOLDER/NAME.info and NAME.json, as llvm-cov exports them; fails below 100 % of lines,
#                                        or that many of branches
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import sys


def counted(source):
    """The numbers of a file's lines that are counted."""
    end = None
    for number, text in enumerate(source, 1):
        code, _, why = text.partition("// not run: ")
        if end is None and not why and text.strip() not in ("}", "} else {", "};"):
            yield number
        if why and code.rstrip().endswith("{"):
            end = text[: len(text) - len(text.lstrip())] + "}"
        elif end is not None and text.startswith(end):
            end = None


def executed(info):
    """(file, line): how often, of the lines that are counted."""
    runs = {}
    for text in info.splitlines():
        what, _, rest = text.partition(":")
        if what == "SF":
            file, wanted = rest, set(counted(pathlib.Path(rest).read_text().splitlines()))
        elif what == "DA":
            line, count = map(int, rest.split(",")[:2])
            if line in wanted:
                runs[file, line] = runs.get((file, line), 0) + count
    return runs


def main(name, wanted, folder):
    runs = executed((folder / f"{name}.info").read_text())
    missed = [f"{file}:{line}" for (file, line), count in sorted(runs.items()) if count == 0]
    branches = json.loads((folder / f"{name}.json").read_text())["data"][0]["totals"]["branches"]["percent"]
    print("".join(f"not run: {place}\n" for place in missed[:100]), end="")
    lines = 100 * (1 - len(missed) / len(runs))
    print(f"{name}: lines {lines:.2f} % (100 wanted), branches {branches:.2f} % ({wanted:g} wanted)")
    return bool(missed) or branches < wanted


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])))
