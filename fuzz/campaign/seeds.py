#!/usr/bin/env python3
# The first inputs of each target, made of the case lines, and the dictionary of words and edges for engines that change text.
#   seeds.py FOLDER      FOLDER/TARGET/... and FOLDER/notation.dict
# SPDX-License-Identifier: Apache-2.0
import hashlib
import json
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = 256  # of inputs for laws, about as many as there are laws; which law's an input is the target knows
EDGES = [
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "()",
    "(1)",
    "<_>",
    "Sw<3,4,3>o0o",
    "o",
    ":",
    ",",
    "@",
    " = ",
    " ~ ",
    "undefined",
    "unspecified",
    "unsupported",
    "#",
]


def cases():
    """Every case line that is not blank or a comment, without what follows its #."""
    for file in sorted((ROOT / "spec" / "cases").glob("*.txt")):
        for line in file.read_text().splitlines():
            text = line.split("#")[0].strip()
            if text:
                yield text


def law_input(number, source):
    """As fuzz/targets/laws.cpp reads it: a number that stands for a law, who is asked, two bytes a choice."""
    choices = b"".join(source.randrange(5040).to_bytes(2, "little") for _ in range(24))
    return number.to_bytes(4, "little") + b"\0" + choices


def programs(lines):
    """What a program may say: answers in order, lines that are none, half a line, silence, a second run."""
    answers = [re.split(r" [=~] ", line)[1] for line in lines if " = " in line or " ~ " in line]
    for k in range(0, len(answers), 40):
        said = "colex 1 seed\n" + "\n".join(answers[k : k + 40]) + "\n"
        yield bytes([k % 251]) + said.encode()
        yield bytes([k % 251]) + said.encode()[:-3] + b"\xff" + said.encode() + b"\xfe\xffcolex 1\n"


# What a page, a table or a terminal might take for its own.
HOSTILE = [
    '"><script>alert(1)</script>',
    "' onmouseover='alert(1)",
    "</style></title><b>",
    "\x1b[31m\x1b]0;title\x07",
    "\u202e\x9b31m",
    "`` | <u> [x](y) `\n# heading",
    "]]> --> &amp; \\| \\",
    "a\nFAIL none\n",
    "A" * 3000,
]


def reports():
    """What somebody may say, and files that may pass for a report."""
    yield from (text.encode() for text in HOSTILE)
    law = {"law": "size_product", "verdict": "wrong", "count": {"wrong": 1}, "failure": {"left": HOSTILE[0]}}
    run = {"schema": 1, "program": [HOSTILE[3]], "seed": 1, "laws": [law]}
    for change in ({}, {"laws": [law, law]}, {"schema": 2}, {"seed": -1}, {"laws": [law | {"count": {"wrong": -3}}]}):
        yield json.dumps(run | change).encode()
    yield b"[" * 100_000
    yield b'{"laws":' * 1000


def write(folder, inputs):
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main(folder):
    source, lines = random.Random(1), list(cases())
    write(folder / "laws", [law_input(k, source) for k in range(NUMBERS)])
    write(folder / "requests", {re.split(r" [=~] ", line)[0].encode() for line in lines if len(line) < 400})
    write(folder / "notation", {line.encode() for line in lines if len(line) < 400})
    write(folder / "wire", programs(lines))
    write(folder / "plans", [bytes(source.randrange(256) for _ in range(16)) for _ in range(200)])
    write(folder / "reports", reports())
    words = sorted({line.split()[0] for line in lines} | set(EDGES))
    (folder / "notation.dict").write_text("".join(f'"{word}"\n' for word in words))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: seeds.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
