#!/usr/bin/env python3
# Do the judges of mutants and defects take for a find what is none: a fuzzer that always fails, an original that fails or is as
# slow as its mutants? And is a malformed line of a list refused by its number?
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import mutation_score
import places
import planted_defects

asked = failed = 0
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)


def expect(name, wanted, ask, *arguments):
    """What it returns, or says when it ends the program, is that."""
    global asked, failed
    try:
        got = str(ask(*arguments))
    except SystemExit as end:
        got = str(end)
    asked += 1
    if not re.fullmatch(wanted, got):
        failed += 1
        print(f"FAIL {name}: {got}")


def program(name, body):
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\nmutant = int(os.environ['COLEX_MUTANT'])\n{body}\n")
    path.chmod(0o755)
    return path


# What finds planted defects.
UNITS = "print('stat::number_of_executed_units: 9', file=sys.stderr)\n"
NOT_SOUND = "defects_laws: the original does not pass"
REPORT = "open(sys.argv[sys.argv.index('--json') + 1], 'w').write('{\"laws\": [%s]}')"
program("defects_requests", UNITS)
program("colex", REPORT % "")
for name, body, wanted in [
    ("one that fails", UNITS + "sys.exit(1)", NOT_SOUND),
    ("one that looks at nothing", "", NOT_SOUND),
    ("one that is sound", UNITS, "None"),
]:
    program("defects_laws", body)
    expect(f"the fuzzer, {name}", wanted, planted_defects.original_passes, folder, folder / "colex", folder)
program("colex", REPORT % '{\\"law\\": \\"a\\", \\"failure\\": {\\"input\\": 1}}')
said = "defects_answer: the original does not pass: a after 1 inputs"
expect("an original that fails laws", said, planted_defects.original_passes, folder, folder / "colex", folder)
(folder / "kept").mkdir()
(folder / "kept/crash-1").write_text("")
for name, text, body, wanted in [
    ("a find", "FIND size_product (laws)", "sys.exit(77 * (mutant == 3))", "size_product"),
    ("a death", "deadly signal", "sys.exit(77 * (mutant == 3))", "crash of laws"),
    ("one that the original dies of, too", "FIND size_product (laws)", "sys.exit(77)", "None"),
    ("one that is not shown again", "FIND size_product (laws)", "", "None"),
]:
    program("defects_laws", body)
    run = subprocess.CompletedProcess([], 77, "", text)
    expect(name, wanted, planted_defects.found, folder, "laws", 3, run, folder / "kept")

# What judges mutants; an item is asked with the milliseconds that it has.
RECORD = "if mutant < 0: print('a 1000 1 2\\nb 1000 2\\nstart 0\\nonce 0'); sys.exit(0)\n"
MUTANTS = [{"id": k, "file": "f", "line": k, "function": "g", "change": f"{k} -> 9"} for k in (1, 2)]
LIMITED = "import signal\nprint('b', flush=True)\nos.kill(os.getpid(), signal.SIGPROF * (mutant == %d))"


def recorded(body, record=RECORD):
    suite = mutation_score.suite(program("suite", record + body))
    suite.record(MUTANTS)
    return suite


def noticed(body):
    suite = recorded(body)
    return [suite.noticed(m) for m in MUTANTS]


for name, body, wanted in [
    ("mutants that die and live", "print('a')\nsys.exit(mutant == 1)", r"\[\('a', False\), None\]"),
    ("a mutant that takes too long", LIMITED % 2, r"\[None, \('b', True\)\]"),
    ("a mutant that ends before it is asked", "sys.exit(mutant == 2)", r"\[None, \('start', False\)\]"),
    ("items and their limits", "sys.exit('a 2020\\nb 2020\\n' != sys.stdin.read() and mutant != 1)", r"\[None, None\]"),
]:
    expect(name, wanted, noticed, body)
for name, body in [("fails", "print('b')\nsys.exit(1)"), ("takes too long", LIMITED % 0)]:
    wanted = ".*the original does not pass within the limits of a mutant: b"
    expect(f"an original that {name}", wanted, recorded, body)
expect("an original that cannot be recorded", ".*the original does not pass", recorded, "", "sys.exit(1)")


# What was judged is not judged again: of the same program, or, where kills count, what a mutant died of.
def judged(body, kills_count, minutes=1):
    """Which mutants are judged, and what all verdicts are."""
    suite = recorded(body)
    noted = mutation_score.notes(folder / "judged.txt", mutation_score.digest([folder / "suite"]), kills_count)
    left = [m for m in MUTANTS if mutation_score.name_of(m) not in noted.verdicts]
    mutation_score.judge(left, [suite], noted, time.time() + 60 * minutes)
    return [m["id"] for m in left], sorted(noted.verdicts.values(), key=str)


for name, body, kills_count, wanted in [
    ("the first time", "print('a')\nsys.exit(mutant == 1)", False, r"\(\[1, 2\], \[\('a', False\), None\]\)"),
    ("the same program", "print('a')\nsys.exit(mutant == 1)", False, r"\(\[\], \[None, \['a', False\]\]\)"),
    ("survivors of it", "print('b')\nsys.exit(mutant == 2)", True, r"\(\[2\], \[\('b', False\), \['a', False\]\]\)"),
    ("another program", "sys.exit(0)", False, r"\(\[1, 2\], \[None, None\]\)"),
]:
    expect(f"judged: {name}", wanted, judged, body, kills_count)
expect("judged: out of time", r"\(\[1, 2\], \[\]\)", judged, "print('b')", False, 0)


# Lists.
def listed(text, read):
    (folder / "list.txt").write_text(text)
    return list(read(folder / "list.txt"))


for text in (
    "  goes on\n",
    "+ first\n",
    "= a\n+ x\n",
    "= a\n- ;#1/2\n",
    "ref/a.hpp | f\n",
    "= a\nref | f\n",
    "= a\nref/a.hpp\n",
    "= a\nref/a.hpp | f\n-\n",
    "= a\nref/a.hpp | f\n- x\n+\n",
    "= a\nref/a.hpp | f\n- x\n+ y\n+ z\n",
    "=\n",
    "?\n",
):
    expect(f"defects: {text!r}", rf"list.txt:{text.count(chr(10))}: neither .*", listed, text, planted_defects.read_list)
expect("a defect without a change", "list.txt: a: nothing is changed", listed, "= a\n= b\n", planted_defects.read_list)
for text in ("x\n", "ref/a.hpp | f | == | law\n", "ref/a.hpp | f | == -> != \n", " | | | \n"):
    expect(f"mutants: {text!r}", r"list.txt:1: not `FILE .*", listed, text, places.read_list)
for change in (
    ("f", "f", "- ;", ";", "x"),
    ("gpu/size.hpp", "nothing", "-", ";", "x"),
    ("gpu/composition.hpp", "composition", "-", "(", "x"),
):
    wanted = r"planted_defects.txt:7: .*"
    expect(f"a defect at {change}", wanted, planted_defects.changes_by_place, [("a", [(7, *change)])])

print(f"{asked - failed} passed, {failed} failed")
sys.exit(failed > 0)
