#!/usr/bin/env python3
# Runs the suite on planted mutants: which are noticed, which survive, which of those are equivalent.
#   mutation_score.py FOLDER EQUIVALENTS [--shard i/n] [--only FILE] PROGRAM...
# A PROGRAM says which of its items ask a mutant, and which notices it (mutation.hpp); with --package it is colex. Each is
# asked about what those before it let live, and only those items that ask a mutant.
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
import time

import places

LIMIT = 120  # seconds of one process on one mutant
ADAPTER = places.ROOT / "tests/peers/pycute.py"


def shard(text):
    i, n = map(int, text.split("/"))
    return i, n


def read_equivalents(path, files):
    """(file, function, change) of those in the files."""
    return {
        (file, function, f"{place} -> {new}" if text else f"delete {place}")
        for _, file, function, change, _ in places.read_list(path)
        for place, text in places.changes_of(change)
        for new in text.split() or [""]
        if file in files
    }


def name_of(mutant):
    return mutant["file"], mutant["function"], mutant["change"]


class suite:
    """The items of a program (tests/mutation/mutation.hpp), by the mutants that they ask."""

    def __init__(self, program, count):
        self.command, self.asking, self.microseconds = [program, count], collections.defaultdict(set), {}
        self.kills = collections.defaultdict(collections.Counter)  # by line and by file: neighbours die of the same
        self.name = f"{pathlib.Path(program).name} {count}"

    def run(self, number, **how):
        env = os.environ | {"COLEX_MUTANT": str(number)}
        return subprocess.run(self.command, env=env, stdout=subprocess.PIPE, text=True, errors="replace", **how)

    def ask(self, number, items):
        """The item that notices a mutant, "time" where that takes too long, or None. 0 is the original."""
        try:
            said = self.run(number, input="\n".join(items), stderr=subprocess.DEVNULL, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "time"
        return None if said.returncode == 0 else (said.stdout.split() or ["start"])[-1]

    def portions(self):
        """All items, so many at a time as take a quarter of the limit."""
        portion, took = [], 0
        for name, microseconds in self.microseconds.items():
            if portion and took + microseconds > LIMIT * 1e6 / 4:
                yield portion
                portion, took = [], 0
            portion, took = [*portion, name], took + microseconds
        yield portion

    def record(self, mutants):
        said = self.run(-1)
        if said.returncode != 0:
            sys.exit(f"{self.name}: the original does not pass")
        for line in said.stdout.splitlines():
            name, took, *ids = line.split()
            self.microseconds[name] = int(took)
            for each in map(int, ids):
                self.asking[each].add(name)
        del self.microseconds["start"], self.microseconds["once"]
        for killer in filter(None, (self.ask(0, portion) for portion in self.portions())):
            sys.exit(f"{self.name}: the original does not pass within the limits of a mutant: {killer}")
        self.asked_for_tables(mutants)

    def asked_for_tables(self, mutants):
        """What makes tables at the start counts as asked everywhere; what is asked once, where the rest of its line is, and by
        what is refused before it comes to that line, or everywhere."""
        once = {m["id"] for m in mutants if "once" in self.asking[m["id"]]}
        refused = {n for n in self.microseconds if n.startswith("refused_")}
        by_line = collections.defaultdict(set)
        for m in mutants:
            if m["id"] not in once:
                by_line[m["file"], m["line"]] |= self.asking[m["id"]]
        for m in mutants:
            beside = by_line[m["file"], m["line"]]
            if "start" in self.asking[m["id"]] or (m["id"] in once and not beside):
                self.asking[m["id"]] = set(self.microseconds)
            elif m["id"] in once:
                self.asking[m["id"]] = beside | refused

    def noticed(self, mutant):
        """The item that notices a mutant, if one does."""
        line, file = self.kills[mutant["file"], mutant["line"]], self.kills[mutant["file"]]
        items = sorted(self.asking[mutant["id"]], key=lambda n: (-line[n], -file[n], self.microseconds[n]))
        if not items:
            return None
        killer = self.ask(mutant["id"], items)
        if killer == "time":  # of the mutant, or of a machine that has much to do?
            return killer if self.ask(0, items) is None else None
        if killer:
            line[killer] += 1
            file[killer] += 1
        return killer


def judge(mutants, planted, rounds, report):
    """What noticed each mutant, by its id: each of the rounds is asked about what the ones before it let live."""
    verdicts = {}
    living = lambda: [m for m in mutants if not verdicts.get(m["id"])]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for each in rounds:
            each.record(planted)
            for m, killer in zip(left := living(), pool.map(each.noticed, left)):
                verdicts[m["id"]] = killer
            report(f"after {each.name} {len(living())} of {len(mutants)} live")
    return verdicts


class package:
    """A Python package under `colex conform`: a mutant is noticed by a law of which the report says something else."""

    def __init__(self, o, count):
        self.folder, self.runner, self.count, self.name = o.package, o.programs[0], count, f"{count} inputs of each law"
        self.known = o.folder / "known.txt"  # every law as one that may fail: then none is shrunk

    def said(self, folder, *profiler):
        """What is said of each law, but for times, places and the words of refusals; None where that takes too long."""
        with tempfile.NamedTemporaryFile() as report:  # conform puts another in its place
            command = [self.runner, "conform", "--jobs", "1", "--timeout", "4", "--count", self.count, "--baseline"]
            command += [self.known, "--json", report.name, "--", sys.executable, *profiler, ADAPTER, folder]
            try:
                subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
            except subprocess.TimeoutExpired:
                return None
            text = re.sub(r'\b(undefined|unsupported) ([^"\\]|\\.)*', r"\1", pathlib.Path(report.name).read_text())
        laws = json.loads(text)["laws"] if text else []
        for law in laws:
            law.pop("seconds"), law.get("failure", {}).pop("again", None)
        return {law["law"]: law for law in laws}

    def record(self, mutants):
        self.known.write_text("")
        self.known.write_text("".join(f"died {law}\n" for law in self.said(self.folder) or ()))
        self.before = self.said(self.folder)
        if not self.before:
            sys.exit(f"{self.name}: nothing is said of the original within {LIMIT} s")
        with tempfile.NamedTemporaryFile() as profile:
            if self.said(self.folder, "-m", "cProfile", "-o", profile.name) != self.before:
                sys.exit("two runs without a mutant differ")
            called = {(pathlib.Path(file).name, line) for file, line, _ in pstats.Stats(profile.name).stats}
        place = lambda m: (pathlib.Path(m["file"]).name, m["begins"])
        self.asking = {m["id"]: not m["begins"] or place(m) in called for m in mutants}

    def noticed(self, mutant):
        """The law that notices a mutant, if one does."""
        if not self.asking[mutant["id"]]:
            return None
        with tempfile.TemporaryDirectory() as scratch:
            copy = pathlib.Path(scratch) / self.folder.name
            shutil.copytree(self.folder, copy)
            file = copy / pathlib.Path(mutant["file"]).name
            lines = file.read_text().splitlines(keepends=True)
            lines[mutant["line"] - 1] = mutant["text"]
            file.write_text("".join(lines))
            said = self.said(copy)
            if said is None:  # too long: of the mutant, or of a machine that has much to do?
                return "time" if self.said(self.folder) == self.before else None
        return next((law for law, before in self.before.items() if said.get(law) != before), None)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("equivalents", type=pathlib.Path)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--shard", type=shard, default=(0, 1))
    parser.add_argument("--package", type=pathlib.Path, help="mutants of a Python package")
    parser.add_argument("--only", help="a file")
    parser.add_argument("--survivors", action="store_true", help="only what survived the last run")
    parser.add_argument(
        "--counts",
        type=lambda t: t.split(","),
        default=["20", "200"],
        help="inputs of each law, then those for what survives them",
    )
    return parser.parse_args()


def is_asked(mutant, rounds):
    return any(each.asking.get(mutant["id"]) for each in rounds)


def those_asked(mutants, rounds):
    """Without those in functions that nothing offered calls, which are printed."""
    apart = collections.Counter((m["file"], m["function"]) for m in mutants if not is_asked(m, rounds))
    for (file, function), count in apart.items():
        print(f"NOT ASKED {file} | {function}: {count} in a function that no operation calls")
    return [m for m in mutants if is_asked(m, rounds)]


def show(survivors, rounds):
    for m in survivors:
        print(f"SURVIVES {' | '.join(name_of(m))}{'' if is_asked(m, rounds) else '    (nothing asks it)'}")
        print(f"    {m['path']}:{m['line']}: {m['source']}")


def main():
    o, start = arguments(), time.time()
    part, planted = o.folder.name, json.loads((o.folder / "mutants.json").read_text())
    last = o.folder / "living.json"
    mine = [
        m for m in planted if m["compiles"] and m["id"] % o.shard[1] == o.shard[0] and o.only in (None, m["file"], m["path"])
    ]
    if o.survivors:
        mine = [m for m in mine if m["id"] in json.loads(last.read_text())]
    report = lambda text: print(f"{part}: {text}, {time.time() - start:.0f} s", flush=True)
    if o.package:
        rounds = [package(o, count) for count in o.counts]
    else:
        rounds = [suite(p, count) for p in o.programs for count in (o.counts if not p.endswith("_test") else ["1"])]
    verdicts = judge(mine, planted, rounds, report)
    if o.package:
        mine = those_asked(mine, rounds)
    living = [m for m in mine if not verdicts.get(m["id"])]
    last.write_text(json.dumps([m["id"] for m in living]))
    return summary(part, planted, mine, living, rounds, read_equivalents(o.equivalents, {m["file"] for m in planted}))


def summary(part, planted, mine, living, rounds, equivalents):
    """Prints what survives and the score; are all others killed or equivalent?"""
    equal = [m for m in living if name_of(m) in equivalents]
    survivors = [m for m in living if name_of(m) not in equivalents]
    show(survivors, rounds)
    alive = {m["id"] for m in living}
    stale = equivalents - {name_of(m) for m in planted}
    dead = equivalents & {name_of(m) for m in mine if m["id"] not in alive}
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
