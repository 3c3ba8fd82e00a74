#!/usr/bin/env python3
# What a gate notices: of mutants of a Python package drawn at random, those that change a right answer of an operation offered
# to a wrong one must fail a run with the baseline of the original.   gate_score.py MUTANTS PACKAGE ADAPTER COLEX HOW_MANY SEED
# MUTANTS is a mutants.json of python_mutants.py. PACKAGE: the folder of the original; the interpreter is that which runs this.
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile

LIMIT, PATIENCE = 300, 4  # seconds of one run, and of one answer
listed, package, adapter, colex = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
many, seed = map(int, sys.argv[5:])
scratch = pathlib.Path(tempfile.mkdtemp())
log, baseline = scratch / "requests", scratch / "baseline.txt"


def environment(folder):  # its package goes before that which is installed
    return os.environ | {"PYTHONPATH": str(folder)}


def gate(folder, *options, program=(sys.executable, adapter)):
    command = [colex, "conform", "--jobs", "1", "--timeout", str(PATIENCE), "--count", "40", *options, "--", *program]
    return subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=LIMIT)


def answers(folder, requests):
    """Up to that at which the program dies or hangs. Of an answer that there is none the reason does not count."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    said = []
    with subprocess.Popen([sys.executable, adapter], env=environment(folder), **pipes) as program:
        with contextlib.suppress(BrokenPipeError):
            for request in requests:
                program.stdin.write(f"{request}\n".encode())
                program.stdin.flush()
                line = program.stdout.readline() if select.select([program.stdout], [], [], PATIENCE)[0] else b""
                if not line:
                    break
                said.append(re.sub(r"^(undefined|unsupported) .*", r"\1", line.decode().rstrip("\n")))
        program.kill()
    return said


def hold(lines):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as cases:
        cases.writelines(f"{line}\n" for line in lines)
        cases.flush()
        return subprocess.run([colex, "cases", cases.name], capture_output=True).returncode == 0


def all_right(asked):
    """Are the answers right, in whatever form, as far as the reference knows? Any is, where sources disagree."""
    return hold(f"{request} ~ {said}" for request, said in asked) or all(
        hold([f"{request} ~ {said}"]) or hold([f"{request} = unspecified"]) for request, said in asked
    )


def survived(requests):
    """Those of which the original does not die, and its answers."""
    good, said, rest = [], [], requests
    while rest:
        these = answers(package.parent, rest)
        good, said, rest = good + rest[: len(these)], said + these, rest[len(these) + 1 :]
    return good, said


def judged(mutant):
    with tempfile.TemporaryDirectory() as at:
        folder = pathlib.Path(at)
        shutil.copytree(package, folder / package.name)
        file = folder / mutant["path"]
        lines = file.read_text().splitlines(keepends=True)
        lines[mutant["line"] - 1] = mutant["text"]
        file.write_text("".join(lines))
        after = answers(folder, requests)
        if after == before:
            return "changes no answer"
        try:
            run = gate(folder, "--baseline", baseline)
        except subprocess.TimeoutExpired:
            return "noticed: time"
    if run.returncode:
        return f"noticed: {run.returncode}" + (" lost" if "\nlost: " in run.stdout else "")
    return unnoticed(after)


def unnoticed(after):
    """What is to be said of a mutant that the gate lets pass."""
    changed = [(r, was, said) for r, was, said in zip(requests, before, after) if was != said]
    if len(after) < len(requests):
        return "MISSED"
    if all_right((r, said) for r, _, said in changed):
        return "right as well"
    lost = (not all_right([(r, said)]) and all_right([(r, was)]) for r, was, said in changed)
    return "MISSED" if any(lost) else "wrong before, too"


gate(package.parent, "--seed", "2", program=("bash", "-c", f"tee -a {log} | {sys.executable} {adapter}"))
requests, before = survived(sorted(set(log.read_text().splitlines()) - {"hello"}))
print(f"{len(requests)} requests", flush=True)
gate(package.parent, "--write-baseline", baseline)
original = gate(package.parent, "--baseline", baseline)
if original.returncode:
    sys.exit("the original fails by its own baseline:\n" + original.stdout)
drawn = random.Random(seed).sample([m for m in json.loads(listed.read_text()) if m["compiles"]], many)
table = {}
with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    for m, verdict in zip(drawn, pool.map(judged, drawn)):
        table.setdefault(verdict, []).append(m)
        print(f"{verdict:<20} {m['file']}:{m['line']} | {m['function']} | {m['change']}", flush=True)
print("\n" + "".join(f"{len(found):>4} {verdict}\n" for verdict, found in sorted(table.items())))
sys.exit("MISSED" in table)
