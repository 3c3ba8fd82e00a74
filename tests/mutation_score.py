#!/usr/bin/env python3
# Runs the suite on planted mutants: which are noticed, which survive, which of those are equivalent.
#   mutation_score.py FOLDER EQUIVALENTS RUNNER [--shard i/n] [--only FILE] [TEST...]
# RUNNER is tests/mutation.cpp, or - for none; with --package, colex. A TEST is a program that exits with 0 where nothing
# is wrong, asked about what RUNNER's items let live. Only what asks a mutant can notice it: the rest is not run.
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from mutants import read_list

LIMIT = 120  # seconds of one process on one mutant


def shard(text):
    i, n = map(int, text.split("/"))
    return i, n


def read_equivalents(path, files):
    """(file, source line, changed) of those in the files: a whole line, `deleted`, or a part that the change brings in."""
    listed = [each for each in read_list(path, "why") if each[0] in files]
    return {(file, line, part) for file, line, changed, _ in listed for part in changed.split(" ~ ")}


def is_one(mutant, equivalent):
    file, source, changed = equivalent
    if (file, source) != (mutant["file"], mutant["source"]):
        return False
    line = mutant["changed"] or "deleted"
    return changed == line or (changed in line and changed not in source)


class suite:
    """The items of RUNNER, by the mutants that they ask."""

    def __init__(self, runner):
        self.runner, self.asking, self.microseconds = runner, {}, {}
        self.kills = collections.defaultdict(collections.Counter)  # by line and by file: neighbours die of the same

    def record(self, count, mutants):
        said = subprocess.run(
            [self.runner, str(count)], env=os.environ | {"COLEX_MUTANT": "-1"}, stdout=subprocess.PIPE, text=True
        )
        asking = collections.defaultdict(list)
        for line in said.stdout.splitlines():
            name, took, *ids = line.split()
            self.microseconds[name] = int(took)
            for each in map(int, ids):
                asking[each].append(name)
        self.microseconds.pop("start")
        self.asked_beside(asking, mutants)
        self.asking[count] = asking

    def asked_beside(self, asking, mutants):
        """What is asked once, at the start, counts as asked where the rest of its line is, or everywhere; and by what
        is refused before it comes to that line."""
        once = {m["id"] for m in mutants if "start" in asking.get(m["id"], [])}
        refused = {n for n in self.microseconds if n.startswith("refused_")}
        by_line = collections.defaultdict(set)
        for m in mutants:
            if m["id"] not in once:
                by_line[m["file"], m["line"]].update(asking.get(m["id"], []))
        for m in mutants:
            if m["id"] in once:
                beside = by_line[m["file"], m["line"]]
                asking[m["id"]] = list(beside | refused if beside else self.microseconds)

    def noticed(self, mutant, count):
        """The item that notices a mutant, if one does."""
        line, file = self.kills[mutant["file"], mutant["line"]], self.kills[mutant["file"]]
        items = sorted(
            self.asking[count].get(mutant["id"], []), key=lambda n: (-line[n], -file[n], self.microseconds[n])
        )
        if not items:
            return None
        env = os.environ | {"COLEX_MUTANT": str(mutant["id"])}
        try:
            said = subprocess.run(
                [self.runner, str(count)],
                input="\n".join(items),
                env=env,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LIMIT,
            )
        except subprocess.TimeoutExpired:
            return "time"
        if said.returncode == 0:
            return None
        killer = (said.stdout.split() or ["start"])[-1]
        line[killer] += 1
        file[killer] += 1
        return killer


def noticed_by_test(number, tests):
    for test in tests:
        env = os.environ | {"COLEX_MUTANT": str(number), "GTEST_FAIL_FAST": "1"}
        try:
            if (
                subprocess.run(
                    [test], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT
                ).returncode
                != 0
            ):
                return pathlib.Path(test).name
        except subprocess.TimeoutExpired:
            return "time"
    return None


def judge(mutants, planted, o, report):
    """What noticed each mutant, by its id; and the suite."""
    verdicts, asked = {}, suite(o.runner)
    living = lambda: [m for m in mutants if not verdicts.get(m["id"])]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for count in o.counts if o.runner != "-" else []:
            asked.record(count, planted)
            for m, killer in zip(left := living(), pool.map(lambda m: asked.noticed(m, count), left)):
                verdicts[m["id"]] = killer
            report(f"after {count} inputs of each law {len(living())} of {len(mutants)} live")
        if o.tests:
            for m, killer in zip(left := living(), pool.map(lambda m: noticed_by_test(m["id"], o.tests), left)):
                verdicts[m["id"]] = killer
    return verdicts, asked


class package:
    """A Python package under `colex conform`: a mutant is noticed by what fails that did not fail before."""

    def __init__(self, o):
        self.folder = o.package
        self.command = [o.runner, "conform", "--jobs", "1", "--timeout", "4", "--count", str(o.counts[-1])]
        self.adapter = [sys.executable, str(pathlib.Path(__file__).parent / "peers" / "pycute.py")]
        self.baseline = o.folder / "baseline.txt"
        print(self.conform("--write-baseline", self.folder).stdout.splitlines()[-1], "without a mutant", flush=True)

    def conform(self, option, folder):
        command = [*self.command, option, str(self.baseline), "--", *self.adapter, str(folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)

    def noticed(self, mutant):
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch) / self.folder.name
            shutil.copytree(self.folder, copy)
            file = copy / pathlib.Path(mutant["file"]).name
            lines = file.read_text().splitlines(keepends=True)
            lines[mutant["line"] - 1] = mutant["text"]
            file.write_text("".join(lines))
            try:
                said = self.conform("--baseline", copy)
            except subprocess.TimeoutExpired:
                return "time"
        failed = re.search(r"^FAIL (\S+)", said.stdout, re.M)
        return failed[1] if failed else "an end" if said.returncode else None


def judge_package(mutants, o):
    judge_one = package(o).noticed
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(zip((m["id"] for m in mutants), pool.map(judge_one, mutants))), None


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("equivalents", type=pathlib.Path)
    parser.add_argument("runner")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--shard", type=shard, default=(0, 1))
    parser.add_argument("--package", type=pathlib.Path, help="mutants of a Python package")
    parser.add_argument("--only", help="a file")
    parser.add_argument("--survivors", action="store_true", help="only what survived the last run")
    parser.add_argument(
        "--counts",
        type=lambda t: [int(x) for x in t.split(",")],
        default=[20, 200],
        help="inputs of each law, then those for what survives them",
    )
    return parser.parse_args()


def show(survivors, asked):
    for m in survivors:
        reached = not asked or not asked.asking or any(m["id"] in a for a in asked.asking.values())
        print(f"SURVIVES {m['file']}:{m['line']}{'' if reached else '    (nothing asks it)'}")
        print(f"    {m['source']}\n    {m['changed'] or 'deleted'}")


def main():
    o, start = arguments(), time.time()
    part, planted = o.folder.name, json.loads((o.folder / "mutants.json").read_text())
    last = o.folder / "living.json"
    mine = [m for m in planted if m["compiles"] and m["id"] % o.shard[1] == o.shard[0] and o.only in (None, m["file"])]
    if o.survivors:
        mine = [m for m in mine if m["id"] in json.loads(last.read_text())]
    report = lambda text: print(f"{part}: {text}, {time.time() - start:.0f} s", flush=True)
    verdicts, asked = judge_package(mine, o) if o.package else judge(mine, planted, o, report)
    living = [m for m in mine if not verdicts.get(m["id"])]
    last.write_text(json.dumps([m["id"] for m in living]))
    return summary(part, planted, mine, living, asked, read_equivalents(o.equivalents, {m["file"] for m in planted}))


def summary(part, planted, mine, living, asked, equivalents):
    """Prints what survives and the score; are all others killed or equivalent?"""
    by_line = collections.defaultdict(list)
    for e in equivalents:
        by_line[e[:2]].append(e)
    known = lambda m: [e for e in by_line[m["file"], m["source"]] if is_one(m, e)]
    equal = [m for m in living if known(m)]
    survivors = [m for m in living if not known(m)]
    show(survivors, asked)
    alive = {m["id"] for m in living}
    stale = equivalents - {e for m in planted for e in known(m)}
    dead = {e for m in mine if m["id"] not in alive for e in known(m)}
    for name, wrong in (("no such mutant", stale), ("not equivalent, it dies", dead)):
        for each in sorted(wrong):
            print(f"STALE {name}: {' | '.join(each)}")
    killed = len(mine) - len(living)
    print(
        f"{part}: {len(planted)} mutants, {sum(m['compiles'] for m in planted)} compile; of {len(mine)} {killed} killed, "
        f"{len(equal)} equivalent, {len(survivors)} survive: {100 * killed / max(1, len(mine) - len(equal)):.2f} %"
    )
    return 1 if survivors or stale or dead else 0


if __name__ == "__main__":
    sys.exit(main())
