# Writes every atom that has a name as a Coq term, and that Coq computes that it passes: gemm/Atoms.v says what follows.
# usage: colex atoms --json '*' | atoms.py >Table.v
# SPDX-License-Identifier: Apache-2.0
import json
import sys

from nested import split


def layout(shape, stride):
    if shape[0] != "(":
        return f"Leaf {shape} {stride}"
    return f"Node [{'; '.join(map(layout, split(shape), split(stride)))}]"


def term(fields):
    def given(name):
        return f"({layout(*fields[name].split(':'))})"

    def maybe(name):
        return f"(Some {given(name)})" if name in fields else "None"

    if "RefLayout" in fields:
        return " ".join(["Copy", *map(given, ("ThrID", "SrcLayout", "DstLayout", "RefLayout"))])
    shape = " ".join(split(fields["Shape_MNK"]))
    parts = map(given, ("ThrID", "ALayout", "BLayout", "CLayout"))
    return " ".join(["Mma", shape, *parts, *map(maybe, ("SFALayout", "SFBLayout", "ELayout"))])


def quoted(name):
    return f'"{name}"%string'


named = {}  # names by what they stand for
for atom in json.load(sys.stdin):
    named.setdefault((atom["operation"], term(atom["fields"])), []).append(atom["atom"])
print("From Coq Require Import String.\nFrom Colex Require Import Atoms.\nLocal Open Scope N_scope.")
for kind, passes in (("mma_atom", "mma_passes"), ("copy_atom", "copy_passes")):
    table = [(names, what) for (operation, what), names in named.items() if operation == kind]
    for i, (_, what) in enumerate(table):
        print(f"Definition {kind}_{i} : {kind} := {what}.")
    names = "; ".join(f"([{'; '.join(map(quoted, names))}], {kind}_{i})" for i, (names, _) in enumerate(table))
    print(f"Definition {kind}s : list (list string * {kind}) := [{names}].")
    print(f"Example all_{kind}s_pass : forallb (fun l => {passes} (snd l)) {kind}s = true.\nProof. now vm_compute. Qed.")
print("Example named : forallb (fun l => forallb (fun name => named_right name (snd l)) (fst l)) mma_atoms = true.")
print("Proof. now vm_compute. Qed.")
count = {kind: sum(len(n) for (k, _), n in named.items() if k == kind) for kind in ("mma_atom", "copy_atom")}
if 0 in count.values():
    sys.exit(f"atoms.py: no atom is given of a kind: {count}")
print(f"atoms: {count['mma_atom']} names of MMA, {count['copy_atom']} of copies, {len(named)} different", file=sys.stderr)
