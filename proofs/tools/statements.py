# What each theorem says, as Coq prints it: proofs/statements.txt has it for a reader, so that no statement changes unseen.
# usage: statements.py >Statements.v        asks Coq for every theorem of model/Laws.v
#        statements.py LOG                  compares what Coq said; with COLEX_WRITE_STATEMENTS=1 writes the file anew
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parents[1]
pinned = here / "statements.txt"


def questions(index):
    yield re.search(r"From Colex Require Import [^.]*\.", index)[0]
    yield "Set Printing Width 118."
    yield from (f"Check @{name}." for name in re.findall(r"let _ := @(\w+) in", index))


def statements(text):
    """By name; the lines behind it are indented."""
    return {block.split(None, 1)[0].lstrip("@"): block for block in re.findall(r"^\S.*(?:\n .*)*", text, re.M)}


def differences(held, said):
    for name in sorted(held.keys() | said.keys()):
        if held.get(name) != said.get(name):
            yield f"{name} says\n{said.get(name, 'nothing')}\nand in statements.txt\n{held.get(name, 'nothing')}"


if len(sys.argv) == 1:
    print("\n".join(questions((here / "model" / "Laws.v").read_text())))
    sys.exit()
said = re.sub(r" +$", "", pathlib.Path(sys.argv[1]).read_text(), flags=re.M)
found = [f"{name} says nothing" for name, text in statements(said).items() if re.search(r"(:|,|->)\s+True$", text.rstrip())]
if os.environ.get("COLEX_WRITE_STATEMENTS"):
    pinned.write_text(said)
else:
    found += differences(statements(pinned.read_text()), statements(said))
if found:
    sys.exit("proofs: " + "\n".join(found) + "\nproofs: COLEX_WRITE_STATEMENTS=1 ./run proofs writes them as they are")
