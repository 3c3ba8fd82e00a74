#!/usr/bin/env python3
# Runs the suite on planted mutants: which are noticed, which survive, which of those are equivalent.
#   mutation_score.py FOLDER EQUIVALENTS [--minutes N] [--shard i/n] [--only FILE] PROGRAM...
# A PROGRAM says which of its items ask a mutant, and which notices it (mutation.hpp); with --package it is colex. Each is
# asked about what those before it let live, and only those items that ask a mutant. Mutants come in random order, so that what
# is judged in N minutes is a fair sample; FOLDER/judged.txt notes each, and the next run goes on from there.
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import pstats
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import places

LIMIT = 120  # seconds of a package under one mutant
PATIENCE = 2000, 20  # milliseconds of an item, and how many times as long as without a mutant
REFUSED = places.ROOT / "tests/agreement/refused.txt"
ADAPTER = places.ROOT / "tests/peers/pycute.py"


def shard(text):
    i, n = map(int, text.split("/"))
    return i, n


def read_equivalents(path, files):
    """The names of those in the files."""
    return {
        f"{file} | {function} | " + (f"{place} -> {new}" if text else f"delete {place}")
        for _, file, function, change, _ in places.read_list(path)
        for place, text in places.changes_of(change)
        for new in text.split() or [""]
        if file in files
    }


def name_of(mutant):
    return " | ".join((mutant["file"], mutant["function"], mutant["change"]))


class suite:
    """The items of a program (tests/mutation/mutation.hpp), by the mutants that they ask."""

    def __init__(self, program, *counts):
        self.command, self.asking, self.microseconds = [program, *counts], collections.defaultdict(set), {}
        self.kills = collections.defaultdict(collections.Counter)  # by line and by file: neighbours die of the same
        self.name = pathlib.Path(program).name

    def run(self, number, **how):
        env = os.environ | {"COLEX_MUTANT": str(number)}
        return subprocess.run(self.command, env=env, stdout=subprocess.PIPE, text=True, errors="replace", **how)

    def ask(self, number, items):
        """(the item that notices a mutant, does it run into its limit?), or None. 0 is the original."""
        fixed, times = PATIENCE
        lines = "".join(f"{name} {fixed + times * self.microseconds[name] // 1000}\n" for name in items)
        said = self.run(number, input=lines, stderr=subprocess.DEVNULL)
        return said.returncode and ((said.stdout.split() or ["start"])[-1], said.returncode == -signal.SIGPROF) or None

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
        if killer := self.ask(0, self.microseconds):
            sys.exit(f"{self.name}: the original does not pass within the limits of a mutant: {killer[0]}")
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
        """As of `ask`, of all items that ask the mutant."""
        line, file = self.kills[mutant["file"], mutant["line"]], self.kills[mutant["file"]]
        items = sorted(self.asking[mutant["id"]], key=lambda n: (-line[n], -file[n], self.microseconds[n], n))
        killer = self.ask(mutant["id"], items) if items else None
        if killer:
            line[killer[0]] += 1
            file[killer[0]] += 1
        return killer


def digest(files):
    return hashlib.sha256(b"".join(hashlib.sha256(f.read_bytes()).digest() for f in files)).hexdigest()


class notes:
    """What has been judged, in a file, by what the key says. By something else, kills count where that is asked for."""

    def __init__(self, path, key, kills_count):
        first, *noted = path.read_text().splitlines() if path.exists() else [""]
        verdicts = dict(map(json.loads, noted if first == key or kills_count else []))
        self.path, self.verdicts = path, {name: killer for name, killer in verdicts.items() if killer or not kills_count}
        path.write_text("\n".join([key, *map(json.dumps, self.verdicts.items()), ""]))

    def add(self, mutant, killer):
        self.verdicts[name_of(mutant)] = killer
        with self.path.open("a") as file:
            file.write(json.dumps([name_of(mutant), killer]) + "\n")

    def killer(self, mutant):
        return self.verdicts[name_of(mutant)]


def judge(mutants, rounds, noted, until):
    """Notes what notices each mutant, up to that time: each of the rounds is asked what the ones before it let live."""

    def ask(mutant):
        if time.time() < until:
            noted.add(mutant, next(filter(None, (each.noticed(mutant) for each in rounds)), None))

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(ask, mutants))


class package:
    """A Python package under `colex conform`: a mutant is noticed by a law of which the report says something else."""

    def __init__(self, o, count):
        self.folder, self.runner, self.count, self.name = o.package, o.programs[0], count, f"{count} inputs of each law"
        self.known = o.folder / "known.txt"  # every law as one that may fail: then none is shrunk

    def said(self, folder, *profiler):
        """What is said of each law, but for times, places and the words of refusals; None where that takes too long."""
        with tempfile.NamedTemporaryFile() as report:  # conform puts another in its place
            command = [self.runner, "conform", "--jobs", "1", "--timeout", "4", "--count", self.count]
            command += ["--baseline", self.known] if self.known.exists() else []
            command += ["--json", report.name, "--", sys.executable, *profiler, ADAPTER, folder]
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
        self.known.unlink(missing_ok=True)
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
        """(the law that notices a mutant, does that take too long?), or None."""
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
                return ("conform", True) if self.said(self.folder) == self.before else None
        return next(((law, False) for law, before in self.before.items() if said.get(law) != before), None)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("equivalents", type=pathlib.Path)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--shard", type=shard, default=(0, 1))
    parser.add_argument("--package", type=pathlib.Path, help="mutants of a Python package")
    parser.add_argument("--only", help="a file")
    parser.add_argument("--survivors", action="store_true", help="only what survived the last run, anew")
    parser.add_argument("--counts", type=lambda t: t.split(","), default=["20", "200"], help="inputs of each law")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no mutant after these")
    parser.add_argument("--seed", type=int, default=1, help="of the order in which mutants are judged")
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
        print(f"SURVIVES {name_of(m)}{'' if is_asked(m, rounds) else '    (nothing asks it)'}")
        print(f"    {m['path']}:{m['line']}: {m['source']}")


def chosen(o, planted, equivalents):
    """In random order, those last that should live: they take longest, and the score does not count them."""
    mine = lambda m: m["compiles"] and m["id"] % o.shard[1] == o.shard[0] and o.only in (None, m["file"], m["path"])
    mutants = list(filter(mine, planted))
    random.Random(o.seed).shuffle(mutants)
    return sorted(mutants, key=lambda m: name_of(m) in equivalents)


def main():
    o = arguments()
    listed = o.folder / "mutants.json"
    planted = json.loads(listed.read_text())
    equivalents = read_equivalents(o.equivalents, {m["file"] for m in planted})
    mine = chosen(o, planted, equivalents)
    if o.package:
        rounds = [package(o, count) for count in o.counts]
    else:
        rounds = [suite(p, *o.counts) for p in o.programs]
    read = [listed, *map(pathlib.Path, o.programs), *sorted(places.ROOT.glob("spec/cases/*")), REFUSED]
    noted = notes(o.folder / "judged.txt", " ".join([*o.counts, digest(read)]), o.survivors)
    left = [m for m in mine if name_of(m) not in noted.verdicts]
    print(f"{o.folder.name}: {len(mine)} mutants, {len(mine) - len(left)} judged before; seed {o.seed}", flush=True)
    for each in rounds:
        each.record(planted)
    judge(left, rounds, noted, time.time() + 60 * o.minutes)
    mine = [m for m in mine if name_of(m) in noted.verdicts]
    if o.package:
        mine = those_asked(mine, rounds)
    return summary(o.folder.name, planted, mine, noted, rounds, equivalents)


def summary(part, planted, mine, noted, rounds, equivalents):
    """Prints what survives and the score; are all others killed or equivalent?"""
    killers = {name_of(m): noted.killer(m) for m in mine}
    living = {name for name, killer in killers.items() if not killer}
    survivors = [m for m in mine if name_of(m) in living - equivalents]
    show(survivors, rounds)
    stale = equivalents - set(map(name_of, planted))
    dead = equivalents & (killers.keys() - living)
    for name, wrong in (("no such mutant", stale), ("not equivalent, it dies", dead)):
        for each in sorted(wrong):
            print(f"STALE {name}: {each}")
    killed, limited = len(mine) - len(living), sum(bool(killer and killer[1]) for killer in killers.values())
    print(
        f"{part}: {len(planted)} mutants, {sum(m['compiles'] for m in planted)} compile, {len(mine)} judged: {killed} killed, "
        f"{limited} of them by a limit, {len(living & equivalents)} equivalent, {len(survivors)} survive: "
        f"{100 * killed / max(1, killed + len(survivors)):.2f} %"
    )
    return 1 if survivors or stale or dead else 0


if __name__ == "__main__":
    sys.exit(main())
