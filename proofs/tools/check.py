# Checks the proofs: nothing assumed, every theorem closed, every name a law's or listed, coqchk agrees. Builds nothing.
# usage: check.py BUILD LAWS.json, which `colex laws --json` wrote
# SPDX-License-Identifier: Apache-2.0
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

from hypotheses import parsed, stated

here, build = pathlib.Path(__file__).resolve().parents[1], pathlib.Path(sys.argv[1])
forbidden = (
    r"Admitted|Axioms?|Parameters?|Conjectures?|Hypothes[ie]s|Variables?|[aA]dmit|give_up|bypass_check\w*|"
    r"type_in_type|Unset\s+(?:Guard|Positivity|Universe)\s+Checking|native_compute|"
    r"Declare\s+(?:Instance|Module)|Extract\s+(?:Inlined\s+)?Constant"
)


def without_comments(text):  # comments nest
    out, depth, i = [], 0, 0
    while i < len(text):
        step = 2 if text[i : i + 2] in ("(*", "*)") else 1
        depth += (text[i : i + 2] == "(*") - (text[i : i + 2] == "*)")
        out.append("" if depth or step == 2 else text[i])
        i += step
    return "".join(out)


def names(text, heads):
    return re.findall(rf"^\s*(?:{heads})\s+(\w+)", text, re.M)


def fail(message):
    sys.exit(f"proofs: {message}")


def outside_sections(text):
    """What is left of it: inside a section `Context` becomes a hypothesis of the theorems, outside of one an axiom."""
    while text != (text := re.sub(r"^Section (\w+)\.(?:(?!^Section ).)*?^End \1\.", "", text, flags=re.M | re.S)):
        pass
    return text


files = {path.name: without_comments(path.read_text()) for path in sorted(here.glob("*/*.v"))}
for name, text in files.items():
    if found := re.search(rf"\b(?:{forbidden})\b", text):
        fail(f"{name}: '{found[0]}' stands there")
    if re.search(r"\bContext\b", outside_sections(text)):
        fail(f"{name}: 'Context' stands outside of a section")

laws = {law["law"]: law for law in json.loads(pathlib.Path(sys.argv[2]).read_text())}
listed = re.findall(r"^\| `([a-z]\w*)` \|", (here / "README.md").read_text(), re.M)
theorems = [t for text in files.values() for t in names(text, "Theorem")]
defined = [t for text in files.values() for t in names(text, "Theorem|Lemma|Definition|Fixpoint|Example|Corollary|Fact")]
for name in theorems:
    if defined.count(name) > 1:
        fail(f"'{name}' is defined twice: the index has one of them")
for name in theorems:
    if name not in laws and name not in listed:
        fail(f"'{name}' is no law and is not listed in proofs/README.md")
for name in listed:
    if name not in theorems:
        fail(f"proofs/README.md lists '{name}', which is no theorem")
printed = re.findall(r"let _ := @(\w+) in", files["Laws.v"])
if missing := sorted(set(theorems) ^ set(printed)):
    fail(f"Laws.v and the theorems differ in {', '.join(missing)}")

log = (build / "make.log").read_text()
if "Print Assumptions index." not in files["Laws.v"] or log.count("Closed under the global context") != 1:
    fail(f"some theorem rests on something unproved:\n{log}")
modules = [f"Colex.{pathlib.Path(name).stem}" for name in files]
paths = re.findall(r"^(-Q) (\w+) (\w+)", (here / "_CoqProject").read_text(), re.M)
command = ["coqchk", "-silent", "-o", *(word for path in paths for word in path), *modules]
checked = subprocess.run(command, cwd=build, capture_output=True, text=True)
if checked.returncode != 0 or "Axioms: <none>" not in " ".join((checked.stdout + checked.stderr).split()):
    fail(f"coqchk: {checked.stdout}{checked.stderr}")

# How many small inputs meet the hypotheses of each theorem with a law's name: a theorem that none meets says nothing.
counts = dict(re.findall(r'"(\w+)"%string, (\d+)', (build / "guard.log").read_text().replace("\n", " ")))
counted = set(re.findall(r'^\("(\w+)"%string, counted', (build / "Guard.v").read_text(), re.M))
if counted != counts.keys():
    fail(f"nothing was counted of {', '.join(sorted(counted ^ counts.keys()))}")
if vacuous := [name for name, count in counts.items() if int(count) == 0]:
    fail(f"no small input meets the hypotheses of {', '.join(vacuous)}")
for name, count in sorted(counts.items(), key=lambda c: int(c[1])):
    print(f"{count:>8} inputs meet {name}")
proved = {name for name, law in laws.items() if law["proved"]}
having = laws.keys() & set(theorems)
if without := sorted(proved - having):
    fail(f"colex laws calls proved what has no theorem: {', '.join(without)}")

# Does a theorem cover what its law speaks of? Asked were the inputs of the row that meet its hypothesis.
asked, gaps = {}, {}
for line in (build / "covering.log").read_text().splitlines():
    if m := re.fullmatch(r"(covered|large) (\w+) (\d+)", line):
        asked.setdefault(m[2], {})[m[1]] = int(m[3])
    else:
        gaps.setdefault(line.split(": ", 1)[1].split()[0], line)
for name, line in gaps.items():
    if name in proved or line.startswith(("missing", "no such")):
        fail(f"the theorem does not cover what {name} speaks of: {line}")
compared = set((build / "LAWS.txt").read_text().split())
if silent := sorted(compared - {name for name, counts in asked.items() if counts.get("covered")}):
    fail(f"at no input were the hypotheses compared of {', '.join(silent)}")
# Of laws on the name of an atom alone Coq has computed the hypotheses at every name, in Table.v.
by_name = {name for name in having - compared if re.fullmatch(r"N:\w*(mma|copy)_name", laws[name]["arguments"])}
of_an_atom = r"(mma|copy)_passes a = true|named_right name a = true|shape_named name = Some .*|of_(sfa|sfb|e) a = Some \w"
statements = stated(here)[1]
for name in sorted(by_name):
    if other := [h for h in parsed(statements[name])[2] if not re.fullmatch(of_an_atom, h)]:
        fail(f"at no name of an atom is computed what {name} asks: {other[0]}")
others = sorted(having - compared - by_name)
left_out = re.findall(r"^# not compared: (\w+) \| ", (here / "tools" / "instances.txt").read_text(), re.M)
if differing := sorted(set(others) ^ set(left_out)):
    fail(f"tools/instances.txt and what is not compared differ in {', '.join(differing)}")
inputs, large = (sum(counts.get(what, 0) for counts in asked.values()) for what in ("covered", "large"))
print(
    f"hypotheses of {len(compared)} laws compared with their rows' at {inputs} inputs ({large} are too large for a table), "
    f"{len(compared - gaps.keys())} cover all; of {len(by_name)} computed at every name of an atom; "
    f"not compared: {len(others)}: {' '.join(others)}"
)

layout_laws = {name for name, law in laws.items() if law["group"] in ("coordinates", "making", "algebra")}
rarest = min(map(int, counts.values()))
print(f"hypotheses: {len(counts)} theorems have some, the rarest met by {rarest} inputs; none is vacuous")
for name in sorted(having - proved):
    print(f"{name}: {laws[name]['unproved']}")
unproved = laws.keys() - proved
if silent := [name for name in unproved if laws[name]["unproved"].endswith(": no reason is given")]:
    fail(f"proofs/unproved.txt does not say why '{silent[0]}' is unproved")
for pattern in re.findall(r"^(\w\S*) \| ", (here / "unproved.txt").read_text(), re.M):
    if not fnmatch.filter(unproved, pattern):
        fail(f"proofs/unproved.txt speaks of {pattern}, of which nothing is unproved")
print(
    f"theorems {len(theorems)}, closed {len(printed)}, layout laws proved {len(layout_laws & proved)} of "
    f"{len(layout_laws)}, laws proved {len(proved)} of {len(laws)} (partly: {len(having - proved)})"
)
