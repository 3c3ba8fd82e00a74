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


def read_list(path):
    """[(name, [(file, function, kind of change, place, changed)])], in order."""
    defects, lines, where = [], [], ()
    for line in path.read_text().splitlines():
        if line.startswith(" "):
            lines[-1] += line
        elif line and not line.startswith("#"):
            lines.append(line)
    for line in lines:
        kind, rest = line[0], line[2:]
        if kind == "=":
            defects.append((rest, []))
        elif kind in "-@":
            change = (*where, kind, rest)
        elif kind == "+":
            defects[-1][1].append((*change, rest))
        else:
            where = tuple(line.split(" | "))
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
    for number, (name, changes) in enumerate(defects, 1):
        for file, function, kind, place, changed in changes:
            first, *joined = re.split(r" (to|\.\.) ", place)
            try:
                found = [places.find(file, function, each) for each in (first, *joined[1:])]
            except places.stale as why:
                sys.exit(f"planted_defects.txt: {name}: {why}")
            kind = ".." if ".." in joined else kind
            at = span(found[0][1], kind, [token for *_, token in found])
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


def run_target(build, target, seeds, number):
    """A fuzz target on a defect, up to its first find."""
    options = f"-max_total_time={LIMIT // len(TARGETS)} -max_len=512 -entropic=0 -timeout=20 -seed=1 -print_final_stats=1"
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            build / f"defects_{target}",
            *options.split(),
            f"-artifact_prefix={scratch}/",
            scratch,
            seeds / target,
        ]
        env = os.environ | {"COLEX_MUTANT": str(number)}
        return subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")


def fuzzed(build, seeds, number):
    """What the first find of the targets says, or None."""
    spent = inputs = 0
    for target in TARGETS:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        said = run_target(build, target, seeds, number)
        spent += resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        inputs += int((re.findall(r"stat::number_of_executed_units:\s*(\d+)", said.stderr) or [0])[-1])
        if said.returncode:
            law = re.search(r"^FIND (\w+)", said.stderr, re.M)
            return f"{law[1] if law else 'dies'} after {spent:.1f} s, {inputs} inputs"
    return None


def conformed(build, colex, number):
    """What the suite finds with the fewest inputs, or None."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        for effort in (["--count", "50"], ["--time", f"{LIMIT}s"]):
            options = [*effort, "--jobs", "1", "--timeout", "5", "--json", report]
            env = os.environ | SILENT | {"COLEX_MUTANT": str(number)}
            subprocess.run([colex, "conform", *options, "--", build / "defects_answer"], env=env, capture_output=True)
            all_laws = json.loads(report.read_text())["laws"] if report.exists() else []
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
