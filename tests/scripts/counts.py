# Numbers that the documents write in prose are those of today: of laws, of implementations, of plans, of figures that stand in
# two places. Each row of `stated` finds a sentence, whose groups are numbers or words for them, and says what they must be.
#   counts.py COLEX [FOLDER]      the checkout; this one when none is named
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import pathlib
import re
import subprocess
import sys

WORDS = "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
WORDS = {word: number for number, word in enumerate([*WORDS.split(), "nineteen", "twenty"])}
OURS = {"extracted", "relations"}  # judged in peers.md, and made here


def number(text):
    return WORDS[text.lower()] if text.lower() in WORDS else float(text)


def table(text):
    """The rows of a Markdown table that begins there, as lists of cells without backquotes."""
    lines = text.lstrip("\n").split("\n\n")[0].splitlines()
    return [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|") and "--" not in line
    ]


def of_laws(colex):
    laws = json.loads(subprocess.run([colex, "laws", "--json"], capture_output=True, text=True, check=True).stdout)
    return [sum(law["proved"] for law in laws), len(laws), sum(law["unproved"].startswith("partly") for law in laws)]


def of_peers(judge):
    head, *rows = table(judge.split("<!-- peers -->")[1])
    theirs = [dict(zip(head, row, strict=True)) for row in rows if row[0] not in OURS]
    failures = ("died", "silent", "wrong", "vanished", "refused")
    breaking = [row for row in theirs if any(row[verdict] != "0" for verdict in failures)]
    return [len(theirs), len(breaking), sum(row["silent"] != "0" for row in theirs)]


def figures(gemm):
    """By what was multiplied: Colex's figure and cuBLASLt's. A heading without a type is of the type before."""
    wide, pairs = (table(part) for part in re.split(r"\n\n(?=\| \|)", gemm.split("## Figures")[1])[1:3])
    out, kind = {}, ""
    for heading, *both in list(zip(*wide, strict=True))[1:]:
        kind = heading.rpartition(" ")[0] or kind
        out[f"{kind} {heading.split()[-1]}".strip()] = both
    return out | {row[0].replace(",", ""): row[1:] for row in pairs[1:]}


def plans(text):
    """How many each family has. Names begin with it, but f64 of sm90 is of the kernels of sm80; one without threads is none."""
    names = [line for line in text.splitlines() if re.match(r"\w+: ", line) and ", 0 threads" not in line]
    return collections.Counter(re.sub("^sm90_f64", "sm80", name).split("_")[0] for name in names)


def stated(root, colex):
    """(file, sentence, the numbers in it)"""
    gemm = (root / "spec/guide/gemm.md").read_text()
    rates, count = figures(gemm), plans((root / "tests/plans/plans.txt").read_text())
    yield "README.md", r"(\d+) of (\d+) laws are proved, (\w+) more in part", of_laws(colex)
    yield (
        "README.md",
        r"(\w+) implementations in use were judged,.*? (\w+) break laws, and (\w+) of them answer where no",
        of_peers((root / "spec/guide/judge.md").read_text()),
    )
    yield (
        "README.md",
        r"bf16 (\d+) beside (\d+), s8 (\d+) beside (\d+), f64 (\d+) beside (\d+),",
        [float(x) for kind in ("bf16 8192", "s8 8192", "f64 8192") for x in rates[kind]],
    )
    yield "spec/guide/gemm.md", r"All (\d+) plans", [count.total()]
    for family, plan_count in count.items():
        yield "spec/guide/gemm.md", rf"\| {family} \| (\d+) \|", [plan_count]


def wrong_in(root, colex):
    for file, sentence, right in stated(root, colex):
        found = re.search(sentence, " ".join((root / file).read_text().split()))
        if not found:
            yield f"{file}: there is no '{sentence}'"
        elif [number(group) for group in found.groups()] != right:
            yield f"{file}: '{found[0]}', but it is {', '.join(f'{x:g}' for x in right)}"


def main(colex, root):
    wrong = list(wrong_in(root, colex))
    print("\n".join(wrong) or "the numbers in prose are those of today")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(
        main(
            sys.argv[1], pathlib.Path(*sys.argv[2:]).resolve() if sys.argv[2:] else pathlib.Path(__file__).resolve().parents[2]
        )
    )
