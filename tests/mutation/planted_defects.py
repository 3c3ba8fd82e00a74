#!/usr/bin/env python3
# The known defects of planted_defects.txt: plants all of them in gpu/ at once, COLEX_MUTANT=1, 2, ... choosing one, or
# shows what finds each: the fuzz targets, within a minute of a processor's time, and the suite, after how many inputs of
# that law.
#   planted_defects.py plant FOLDER                    writes FOLDER/gpu/...
#   planted_defects.py judge BUILD COLEX [NUMBER...]   BUILD: where defects_laws, defects_requests, defects_answer are
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import places
from places import ROOT

LIMIT = 60  # seconds, for the fuzz targets together and for the suite
TARGETS = ["laws", "requests"]
# What dies need not say where.
SILENT = {"UBSAN_OPTIONS": "handle_segv=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"}


def joined(path):
    """(number, line) of a list, with the lines that go on joined to the first."""
    lines = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith(" ") and lines:
            lines[-1] = (lines[-1][0], lines[-1][1] + line)
        elif line and not line.startswith("#"):
            lines.append((number, line))
    return lines


def read_list(path):
    """[(name, [(line, file, function, kind of change, place, changed)])], in order."""
    defects, where, change = [], None, None
    for number, line in joined(path):
        kind, rest = line[0], line[2:]
        if line[1:2] != " " or not rest:
            kind = ""
        if kind == "=":
            defects.append((rest, []))
            where = change = None
        elif kind in ("-", "@") and where:
            change = (number, *where, kind, rest)
        elif kind == "+" and change:
            defects[-1][1].append((*change, rest))
            change = None
        elif re.fullmatch(r"[^\s/]+/[^\s/]+ \| \S.*", line) and defects:
            where = tuple(line.split(" | ", 1))
        else:
            sys.exit(
                f"{path.name}:{number}: neither `= NAME`, nor below one `FILE | FUNCTION`, `- PLACE` or `@ PLACE`, `+ CHANGED`"
            )
    for name, changes in defects:
        if not changes:
            sys.exit(f"{path.name}: {name}: nothing is changed")
    return defects


def span(src, kind, tokens):
    """(begin, end) of what takes another form."""
    if kind == "..":
        return src.ends[tokens[0]], src.begins[tokens[1]]
    begin, end = src.statement(tokens[0])[0], src.statement(tokens[-1])[1]
    return begin, begin if kind == "@" else end


def changes_by_place(defects):
    """path -> (begin, end, kind) -> [(number, changed)]"""
    out = {}
    for number, (_, changes) in enumerate(defects, 1):
        for line, file, function, kind, place, changed in changes:
            first, *rest = re.split(r" (to|\.\.) ", place)
            kind = ".." if ".." in rest else kind
            try:
                found = [places.find(file, function, each) for each in (first, *rest[1:])]
                at = span(found[0][1], kind, [token for *_, token in found])
            except places.stale as why:
                sys.exit(f"planted_defects.txt:{line}: {why}")
            except (IndexError, KeyError):
                sys.exit(f"planted_defects.txt:{line}: {place}: no statement begins or ends there")
            out.setdefault(found[0][0], {}).setdefault((*at, kind), []).append((number, changed))
    return out


def planted(kind, original, changes):
    """What takes the place of a text: the changes, each behind a question, and then what was there."""
    asked = [(f"colex::planted::here({number})", changed) for number, changed in changes]
    if kind == "@":
        return "".join(f"if ({here}) {{ {changed} }}\n" for here, changed in asked)
    if kind == "-":
        return "{ " + "".join(f"if ({here}) {{ {changed} }} else " for here, changed in asked) + f"{{ {original} }} }}"
    return "(" + "".join(f"{here} ? ({changed}) : " for here, changed in asked) + f"({original}))"


def plant(defects, folder):
    for source, changed_places in changes_by_place(defects).items():
        text = source.read_text()
        changes = [(b, e, planted(kind, text[b:e], all_of)) for (b, e, kind), all_of in changed_places.items()]
        path = folder / source.relative_to(ROOT)
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, '#include "tests/mutation/planted.hpp"\n' + places.edited(text, changes))


def write(path, text):
    """Only when it changed, so that nothing is compiled twice."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def run_target(build, target, number, *arguments):
    """A fuzz target on a defect; 0 is the original."""
    command = [build / f"defects_{target}", "-timeout=20", *arguments]
    env = os.environ | {"COLEX_MUTANT": str(number)}
    return subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")


def inputs_of(said):
    return int((re.findall(r"stat::number_of_executed_units:\s*(\d+)", said.stderr) or [0])[-1])


def found(build, target, number, said, folder):
    """What a run has found: the law that it names. It counts when the input shows it again, and not without the defect."""
    law = re.search(r"^FIND (\w+)", said.stderr, re.M)
    kept = [file for kind in ("crash-*", "timeout-*", "oom-*") for file in pathlib.Path(folder).glob(kind)]
    if said.returncode == 0 or len(kept) != 1:
        return None
    shown, original = (run_target(build, target, each, kept[0]).returncode for each in (number, 0))
    return (law[1] if law else f"{kept[0].name.split('-')[0]} of {target}") if shown and not original else None


def fuzzed(build, seeds, number):
    """What the first find of the targets says, or None."""
    spent = inputs = 0
    for target in TARGETS:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        with tempfile.TemporaryDirectory() as scratch:
            options = f"-max_total_time={LIMIT // len(TARGETS)} -max_len=512 -entropic=0 -seed=1 -print_final_stats=1".split()
            said = run_target(build, target, number, *options, f"-artifact_prefix={scratch}/", scratch, seeds / target)
            spent += resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            inputs += inputs_of(said)
            if what := found(build, target, number, said, scratch):
                return f"{what} after {spent:.1f} s, {inputs} inputs"
    return None


def original_passes(build, colex, seeds):
    """Ends with what is wrong where the original does not pass: what is said of a defect would show nothing."""
    for target in TARGETS:
        with tempfile.TemporaryDirectory() as scratch:
            options = ["-runs=2000", "-max_total_time=20", "-seed=1", "-print_final_stats=1", f"-artifact_prefix={scratch}/"]
            said = run_target(build, target, 0, *options, scratch, seeds / target)
        if said.returncode or not inputs_of(said):
            sys.exit(f"defects_{target}: the original does not pass")
    if what := conformed(build, colex, 0, [["--count", "50"]]):
        sys.exit(f"defects_answer: the original does not pass: {what}")


def conformed(build, colex, number, efforts=(["--count", "50"], ["--time", f"{LIMIT}s"])):
    """What the suite finds with the fewest inputs, or None."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        for effort in efforts:
            options = [*effort, "--jobs", "1", "--timeout", "5", "--json", report]
            env = os.environ | SILENT | {"COLEX_MUTANT": str(number)}
            said = subprocess.run([colex, "conform", *options, "--", build / "defects_answer"], env=env, capture_output=True)
            if not report.exists():
                sys.exit(f"{colex} conform: exit status {said.returncode} and no report")
            all_laws = json.loads(report.read_text())["laws"]
            laws = [law for law in all_laws if law.get("failure")]
            if laws:
                first = min(laws, key=lambda law: law["failure"]["input"])
                return f"{first['law']} after {first['failure']['input']} inputs"
    return None


def judge(defects, build, colex, chosen):
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        seeds = pathlib.Path(scratch)
        subprocess.run([sys.executable, ROOT / "fuzz/campaign/seeds.py", seeds], check=True)
        original_passes(build, colex, seeds)
        for number, (name, _) in enumerate(defects, 1):
            if chosen and number not in chosen:
                continue
            fuzz, suite = fuzzed(build, seeds, number), conformed(build, colex, number)
            missed += not (fuzz and suite)
            print(f"{name} | {fuzz or 'NOT FOUND by fuzzing'} | {suite or 'NOT FOUND by conform'}", flush=True)
    print(f"{len(chosen or defects) - missed} passed, {missed} failed")
    return missed > 0


if __name__ == "__main__":
    job, *where = sys.argv[1:4]
    listed, where = (
        read_list(ROOT / "tests/mutation/planted_defects.txt"),
        [pathlib.Path(each).resolve() for each in where],
    )
    sys.exit(plant(listed, *where) if job == "plant" else judge(listed, *where, set(map(int, sys.argv[4:]))))
