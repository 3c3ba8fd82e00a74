# Each law by each release of the implementations in use: what `./run peers --history` asks, and what it writes of that.
#   usage: history.py releases PYTHON DATA [--latest]    a line for each to ask: peer, release, path; tabs between them
#          history.py write DATA PAGE REPORTS            with the reports PEER-RELEASE.json of that folder
# SPDX-License-Identifier: Apache-2.0
import collections
import glob
import itertools
import json
import os
import re
import subprocess
import sys
import textwrap

# The package, the oldest release that the adapter speaks to, and how many of a release's numbers make it another one: of those
# with the same the newest counts.
PEERS = {
    "pycute": ("nvidia-cutlass", "3.3", 4),
    "cute-static": ("nvidia-cutlass", "3.4", 2),
    "cute-dsl": ("nvidia-cutlass-dsl", "4.5", 2),
    "tensor-layouts": ("tensor-layouts", "0.1", 3),
    "tilelang": ("tilelang", "0.1.13", 3),
    "mojo": ("max-mojo-libs", "26.5", 2),
    "flydsl": ("flydsl", "0.2", 2),
    "triton": ("triton", "3.6", 2),
}
OF_CHECKOUTS = ("pycute", "cute-static")
FINE = ("pass", "form")
FAILURES = ("wrong", "silent", "refused", "died", "vanished")
SAYS_NOTHING = ("unsupported", "vacuous", "incomplete", "not judged")
HEAD = """# Each law by each release

Written by `./run peers --history`, never by hand; `./run peers --latest` adds the releases that are new.
[history.txt](history.txt) has the data, for each release the laws by verdict; the verdicts are those of
[judge.md](../guide/judge.md#the-verdicts). Releases of a peer are asked the same inputs, so that a change is
the implementation's; where they were not, it is said, and only laws that both were asked are compared. Releases that do the
same share a column. A law of an operation that a release does not offer, or that it was not asked, has an empty cell. One
that fails in no release has no row. *Partly*: more than a fifth of the inputs, or all of a class, were not offered.
"""


def numbers(release):
    return [int(n) for n in re.findall(r"\d+", release)]


def newest_of_each(releases, oldest, count):
    known = sorted((r for r in releases if numbers(r) >= numbers(oldest)), key=numbers)
    return [[*same][-1] for _, same in itertools.groupby(known, lambda r: numbers(r)[:count])]


def on_registry(python, package):
    said = subprocess.run([python, "-m", "pip", "index", "versions", package], capture_output=True, text=True).stdout
    return said.partition("Available versions: ")[2].partition("\n")[0].split(", ")


def in_checkout(path):
    """Its tags; of a checkout without any the release that it is."""
    tags = subprocess.run(["git", "-C", path, "tag", "--list", "v[3-9]*"], capture_output=True, text=True).stdout.split()
    if tags:
        return tags
    text = open(path + "/include/cutlass/version.h").read()
    return [".".join(re.findall(r"define CUTLASS_(?:MAJOR|MINOR|PATCH) (\d+)", text))]


def all_releases(python):
    checkout = os.environ.get("CUTLASS_PATH")
    for peer, (package, oldest, count) in PEERS.items():
        for release in newest_of_each(on_registry(python, package), oldest, count):
            yield peer, release, ""
        for release in in_checkout(checkout) if checkout and peer in OF_CHECKOUTS else []:
            yield peer, release, checkout


def read(data):
    """(peer, release) -> how it was asked, and law -> verdict."""
    found = {}
    for line in open(data) if os.path.exists(data) else []:
        if head := re.match(r"(\S+) (\S+): (.*)", line):
            asked, laws = found[head[1], head[2]] = head[3], {}
        elif kind := re.match(r"  (\S.*):$", line):
            verdict = kind[1]
        elif line.startswith("    "):
            laws.update(dict.fromkeys(line.split(), verdict))
    return found


def reported(file):
    with open(file) as f:
        r = json.load(f)
    laws = [n for n in r["laws"] if not n["law"].endswith("_form")]
    kept = {n["law"]: n["verdict"] for n in laws if n["verdict"] not in SAYS_NOTHING}
    inputs = sum(n["evaluations"] for n in laws)
    asked = f"{r['date'][:10]}, Colex {r['asked']['colex']}, seed {r['seed']}, {inputs} inputs"
    return asked, {law: "held" if verdict in FINE else verdict for law, verdict in kept.items()}


def text_of(key, asked, laws):
    yield "{} {}: ".format(*key) + asked
    by_verdict = collections.defaultdict(list)
    for law, verdict in sorted(laws.items()):
        by_verdict[verdict].append(law)
    for verdict, names in sorted(by_verdict.items()):
        yield f"  {verdict}:"
        yield textwrap.fill(" ".join(names), 120, initial_indent=" " * 4, subsequent_indent=" " * 4)


def changes(before, after):
    """What became of the laws; of releases that were asked other inputs, of the laws that both were asked alone."""
    (inputs, one), (others, other) = before, after
    by_change = collections.defaultdict(list)
    for law in sorted(one.keys() | other.keys() if inputs == others else one.keys() & other.keys()):
        if one.get(law) != other.get(law):
            by_change[f"{one.get(law, 'not offered')}, then {other.get(law, 'not offered')}"].append(law)
    return by_change


def page(found):
    yield HEAD
    for peer in PEERS:
        of = [(key[1], (asked.partition(", ")[2], laws)) for key, (asked, laws) in found.items() if key[0] == peer]
        of.sort(key=lambda r: numbers(r[0]))
        if of:
            yield from section(peer, [columns([*same]) for _, same in itertools.groupby(of, lambda r: r[1])])


def columns(same):
    """Releases that do the same, as one."""
    first, last = same[0][0], same[-1][0]
    return (first if first == last else f"{first} to {last}"), same[0][1]


def linked(law):
    return f"[{law}](../laws.md#{law})"


def section(peer, of):
    yield f"## {peer}\n"
    for (one, before), (other, after) in itertools.pairwise(of):
        asked = "" if before[0] == after[0] else f" (asked otherwise: {before[0]}, then {after[0]})"
        yield f"- From {one.split()[-1]} to {other.split()[0]}{asked}:"
        for what, names in changes(before, after).items():
            yield f"  - {what}: {', '.join(map(linked, names))}"
    laws = sorted({law for _, (_, verdicts) in of for law in verdicts})
    rows = [law for law in laws if any(verdicts.get(law) in FAILURES for _, (_, verdicts) in of)]
    yield f"\nOf {len(laws)} laws {len(laws) - len(rows)} fail in no release.\n"
    if rows:
        yield f"| law | {' | '.join(name for name, _ in of)} |"
        yield "|---" * (len(of) + 1) + "|"
    for law in rows:
        yield f"| {linked(law)} | " + " | ".join(verdicts.get(law, "") for _, (_, verdicts) in of) + " |"
    yield ""


def write(data, page_file, reports):
    found = read(data)
    for file in glob.glob(reports + "/*.json"):
        peer = next(p for p in sorted(PEERS, key=len) if os.path.basename(file).startswith(p + "-"))
        found[peer, os.path.basename(file)[len(peer) + 1 : -len(".json")]] = reported(file)
    order = sorted(found, key=lambda key: ([*PEERS].index(key[0]), numbers(key[1])))
    with open(data, "w") as f:
        f.writelines(line + "\n" for key in order for line in text_of(key, *found[key]))
    with open(page_file, "w") as f:
        f.write("\n".join(page(found)))


if sys.argv[1] == "write":
    write(*sys.argv[2:])
else:
    python, data, *options = sys.argv[2:]
    known = read(data) if options == ["--latest"] else {}
    for peer, release, path in all_releases(python):
        if (peer, release) not in known:
            print(peer, release, path, sep="\t")
