# Writes spec/found.md of found.txt: what each implementation installed answers to each request, and an expression in its own
# language that shows it. Each expression is run, without Colex, and has to print the answer.
#   usage: found.py COLEX INSTALLED OUTPUT
# SPDX-License-Identifier: Apache-2.0
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import reproduce

colex, installed, output = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
oracles = ("extracted", "relations")  # of this project, to judge others by
installations = [line.rstrip("\n").split("\t") for line in open(installed)]
commands = {name: words for name, *words in installations if name not in oracles}
answers = ("pass", "form")
failures = ("wrong", "silent", "refused", "died", "misprinted")
HEAD = """# What was found

What the laws found in implementations in use, for those who maintain them. Written by `./run peers --found`, never by hand, of
[found.txt](../tests/peers/found.txt). An entry has the smallest input known, why the right answer is right, the law, and what
each implementation says. *Silent* is an answer where nothing is right, *wrong* is another answer than the right one, *refused*
says that there is no answer where there is one (of static integers, a program that does not compile), *died* ends the process,
*misprinted* is the right value in a text of which a bracket does not end. The expressions run without Colex, in the programs
below; each was run when this page was written.

To mend one: run its expression, read why the other answer is right, and ask `colex conform --law LAW -- YOUR-PROGRAM` for the
rest of what the law finds ([how](guide/judge.md)). `colex explain REQUEST` shows the steps to the right answer.
"""
Entry = collections.namedtuple("Entry", "request law thread why")
Run = collections.namedtuple("Run", "peer request expression said")


def entries():
    lines = [line.strip() for line in open(here + "/found.txt") if not line.startswith("#")]
    for head, why in zip(lines[::2], lines[1::2], strict=True):
        yield Entry(*(part.strip() for part in head.split("|")), why)


def asked(requests):
    run = subprocess.run(
        [colex, "ask", "--peers", ",".join(commands), "--json"],
        input="\n".join(requests),
        capture_output=True,
        text=True,
        env=os.environ | {"COLEX_PEERS": installed},
    )
    return {request: json.loads(line) for request, line in zip(requests, run.stdout.splitlines(), strict=True)}


def plain(text):  # as each of them prints a value, without its decoration
    text = re.sub(r"!fly\.\w+<(.*)>", r"\1", text.strip().splitlines()[-1] if text.strip() else "")
    return re.sub(r"_(?=-?\d)|\s", "", text).replace("S<", "Sw<")


def balanced(text):  # does each bracket of it end?
    while (shorter := re.sub(r"\([^()<>]*\)|<[^()<>]*>", "", text)) != text:
        text = shorter
    return not re.search("[()<>]", text)


def run(*command, environment=None):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)


def compiler(peer, source, program, only_check):
    if peer == "mojo":
        return run(os.path.dirname(commands[peer][0]) + "/mojo", "build", source, "-o", program)
    folders = ["-I" + f for f in commands[peer][2:] or commands["cute-static"][2:]]
    return run("g++", "-std=c++17", "-w", *folders, source, *(["-fsyntax-only"] if only_check else ["-o", program]))


def compiled(peer, runs, folder, only_check=False):
    """Several expressions in one program; what each prints, or nothing where it ends otherwise."""
    ending = ".mojo" if peer == "mojo" else ".cpp"
    source, program = f"{folder}/{peer}{ending}", f"{folder}/{peer}"
    with open(source, "w") as f:
        f.write(reproduce.languages[peer].program([r.expression for r in runs]))
    built = compiler(peer, source, program, only_check)
    if only_check or built.returncode:
        return [built.stdout if built.returncode == 0 else None] * len(runs)
    said = [run(program, str(k)) for k in range(len(runs))]
    return [s.stdout if s.returncode == 0 else None for s in said]


def importing(peer):  # the environment in which its package is found
    package = reproduce.languages[peer].package
    return os.environ | ({"PYTHONPATH": commands[peer][-1].removesuffix(package.replace(".", "/"))} if package else {})


def interpreted(peer, r, folder):
    with open(file := f"{folder}/{peer}_.py", "w") as f:
        f.write(open(here + "/no_torch.py").read() * (peer in ("tilelang", "flydsl")))
        f.write(reproduce.languages[peer].program([r.expression]))
    said = run(commands[peer][0], file, environment=importing(peer))
    return said.stdout if said.returncode == 0 else None


def shows(r, printed):
    if printed is None:
        return "result" not in r.said
    if r.said["verdict"] in answers:  # of which each prints its own text
        return True
    right = r.said.get("result")
    if right is None:
        return False
    right = reproduce.languages[r.peer].spelled(right)
    return plain(printed) in (right, f"({right})")  # Mojo puts brackets around a layout


def outputs_of(peer, runs, folder):
    if not reproduce.languages[peer].branch:
        return [interpreted(peer, r, folder) for r in runs]
    answered = [r for r in runs if "result" in r.said or r.said["verdict"] == "died"]
    refused = [r for r in runs if r not in answered]
    said = dict(zip(map(id, answered), compiled(peer, answered, folder) if answered else []))
    said |= {id(r): compiled(peer, [r], folder, only_check=True)[0] for r in refused}
    return [said[id(r)] for r in runs]


def reproduced(peer, runs):
    with tempfile.TemporaryDirectory() as folder:
        return [(r, printed) for r, printed in zip(runs, outputs_of(peer, runs, folder), strict=True)]


def runs_of(found):
    for request, told in found.items():
        shown = failures + answers * ("Sw<" in told["right"].get("result", ""))  # which may be right, and misprinted
        for said in told["peers"]:
            if said["verdict"] in shown and said["name"] in reproduce.languages:
                expression = reproduce.languages[said["name"]].expression(request)
                yield Run(said["name"], request, expression, said)


def note_misprints(results):
    for r, printed in results:
        if r.said["verdict"] in answers and printed and not balanced(printed):
            r.said.update(verdict="misprinted", result=printed.strip())


def value(answer):
    text = answer.get("result") or answer.get("died") or f"{answer['status']} {answer['reason']}"
    text = re.sub(r"/\S*/", "", text.replace("|", "\\|").replace("`", "'"))
    return "`" + (text if len(text) < 90 else text[:87] + "...") + "`"


def table_of_all(found):
    count = collections.defaultdict(collections.Counter)
    version = {}
    for told in found.values():
        for said in told["peers"]:
            count[said["name"]][said["verdict"]] += 1
            version[said["name"]] = said["version"]
    yield "| implementation | version | " + " | ".join(failures) + " | right |\n|---|---|" + "--:|" * (len(failures) + 1)
    for name, of in count.items():
        yield (
            f"| {name} | {version[name]} | " + " | ".join(str(of[v]) for v in failures) + f" | {sum(of[v] for v in answers)} |"
        )


def anchor(request):
    return re.sub(r"[^\w\- ]", "", request.lower()).replace(" ", "-")


def index_of_all(found):
    """The entries in which each implementation fails."""
    links = collections.defaultdict(list)
    for entry in entries():
        for said in found[entry.request]["peers"]:
            if said["verdict"] in failures:
                links[said["name"]].append(f"[{entry.request}](#{anchor(entry.request)})".replace("<", "\\<"))
    yield "\n## By implementation\n"
    yield from (f"- {name}: {', '.join(of)}" for name, of in links.items())


def entry_text(entry, told, expressions):
    reported = f" Reported: {entry.thread}." if entry.thread else ""
    right = value(told["right"])
    yield f"\n### {entry.request}\n\n{entry.why}\n\nRight: {right}. [{entry.law}](laws.md#{entry.law}).{reported}\n"
    yield "| implementation | | answer | in its own language |\n|---|---|---|---|"
    for said in told["peers"]:
        if said["verdict"] in failures:
            shown = expressions.get((said["name"], entry.request))
            yield f"| {said['name']} | {said['verdict']} | {value(said)} | {f'`{shown}`' if shown else ''} |"
    good = [said["name"] for said in told["peers"] if said["verdict"] in answers]
    if good:
        yield f"\nRight in {', '.join(good)}."


def document(found, expressions):
    yield HEAD
    yield from table_of_all(found)
    yield from index_of_all(found)
    yield "\n## The programs around the expressions\n"
    for name, language in reproduce.languages.items():
        order = " Its last mode counts fastest: each tuple is written, and printed, from its end." * language.lexicographic
        yield f"{name} ({language.needs}).{order}\n\n" + textwrap.indent(language.template.format("...").strip(), "    ") + "\n"
    yield "## What was found"
    for entry in entries():
        yield from entry_text(entry, found[entry.request], expressions)


found = asked([entry.request for entry in entries()])
by_peer = collections.defaultdict(list)
for r in runs_of(found):
    by_peer[r.peer].append(r)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = [pair for pairs in pool.map(lambda item: reproduced(*item), by_peer.items()) for pair in pairs]
strange = [(r, printed) for r, printed in results if not shows(r, printed)]
for r, printed in strange:
    print(f"{r.peer}: {r.request}: {r.expression}\n  prints {printed!r}, and the answer was {value(r.said)}", file=sys.stderr)
note_misprints(results)
expressions = {(r.peer, r.request): r.expression for r, _ in results}
with open(output, "w") as f:
    f.write(re.sub("\n{3,}", "\n\n", "\n".join(document(found, expressions))) + "\n")
print(f"{len(found)} entries, {len(by_peer)} implementations, {len(results)} programs run, {len(strange)} show something else")
sys.exit(1 if strange else 0)
