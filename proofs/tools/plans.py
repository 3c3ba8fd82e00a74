# Writes every plan as a Coq term, and that Coq's kernel computes that it meets its laws: gemm/Plans.v says what follows. Coq
# also computes a digest of the term, which is to be the one that `plans` computes of the plan itself. Then plans broken on
# purpose, one number of the term after the other: Coq computes that none of them meets its laws.
# usage: plans --coq | plans.py PLANS.TXT >Certificates.v    PLANS.TXT: tests/plans/plans.txt, all plans that there are
# SPDX-License-Identifier: Apache-2.0
import math
import re
import sys

changes = [
    (r"\(Leaf (?!1 )(\d+) (?!0\))\d+\)", r"(Leaf \1 0)"),  # what moved stays
    (r"\(Described (\d+) true", r"(Described \1 false"),  # the other major mode
    (r"\(Described (\d+) false", r"(Described \1 true"),
    (r"\(Some (\d+)\)", r"(Some 1\1)"),  # where the next instruction's operand begins
    (r"\) (\d+)\)\)(?= (?:None|\(Some \(Factors))", r") 2\1))"),  # the width of a load
    (r"\) \d+ \((?=Boxes|Threads|Vectors)", ") 0 ("),  # no block has a share
    (r"\(Factors (\d+)", r"(Factors 1\1"),  # how many elements share a scale factor
    (r"(?<=\(Leaf 4 512\)\]\) )(\d+)", r"1\1"),  # where the next words of scale factors begin
]
of_kind = [
    r"Parts",
    r"Node \[\(Leaf 32 8\); \(Leaf 8 1\)\]",
    r"Described",
    r"Described \d+ false",
    r"Some \d",
    r"Steps",
    r"\(Leaf 2 1048576\)",
    r"Boxes \d+ \(Node \[\(Leaf 32 32\)",  # squares are transposed in their places
    r"Lanes",
    r"Columns",
    r"\(Leaf 4 512\)\]\) 512",  # several words of scale factors in a stage
]
by_engine = (r"\(Sw 3 (\d+) 3\)(?= )", r"(Sw 0 \1 3)")  # which swizzles whatever the plan says


def closing(term, start):
    depth = 0
    for i in range(start, len(term)):
        depth += (term[i] == "(") - (term[i] == ")")
        if depth == 0:
            return i
    raise ValueError(f"no closing bracket: {term}")


# What no kernel reads, and no law asks for: which threads an atom has; A and B of an atom that takes descriptors; and where a
# load's elements behind the first lie in its source.
def unread(term):
    parts, at = [], term.index("(Mma ") + 1
    for _ in range(4):
        at = term.index("(", at)
        parts.append((at, closing(term, at)))
        at = parts[-1][1]
    by_registers = [True, "Matrices" not in term and "Parts" not in term and "Steps" not in term]
    by_registers.append("Matrices" not in term and "Parts" not in term)
    yield from (place for part, skip in zip(parts, by_registers, strict=False) if skip for place in range(*part))
    for m in re.finditer(r"\(Matrices ", term):
        inside = term[: closing(term, m.start())]
        yield inside.rindex(f"(Node [(Leaf {inside.rsplit(' ', 1)[1]} ") + len("(Node [")


# Of a plan with scale factors what other plans have is left as it is.
def of_factors(term):
    spans = [(m.start(), closing(term, m.start())) for m in re.finditer(r"\(Some \((?:Factors|Node)", term)]
    return {place for span in spans for place in range(*span)} or range(len(term))


def broken(term):
    nowhere, somewhere = set(unread(term)), of_factors(term)
    for pattern, to in [*changes, *([by_engine] if "Boxes" in term else [])]:
        for m in re.finditer(pattern, term):
            if m.start() in somewhere and m.start() not in nowhere:
                yield term[: m.start()] + m.expand(to) + term[m.end() :]


# Each change must be one of some plan's: what no longer finds its number would break nothing.
def idle(terms):
    return [pattern for pattern, _ in [*changes, by_engine] if not any(re.search(pattern, term) for term in terms)]


def table(name, terms):
    listed = ";\n".join(f'("{of}"%string, {term})' for of, term in terms)
    print(f"Definition {name} : list (string * plan) := [\n{listed}].")


# The names of all plans: lines that are not indented; the first is that of no plan.
with open(sys.argv[1]) as listed:
    wanted = [line.split(":")[0] for line in listed if line[0] != " "][1:]
plans, seen, kinds = {}, [], {}  # names by digest and term; the smallest plan of each kind
for line in sys.stdin:
    name, digest, term = line.rstrip("\n").split(" ", 2)
    plans.setdefault((digest, term), []).append(name)
    seen.append(name)
    kind = tuple(bool(re.search(pattern, term)) for pattern in of_kind)
    size = math.prod(map(int, re.search(r"(\d+)x(\d+)x(\d+)", name).groups()))
    kinds[kind] = min(kinds.get(kind, (size, name, term)), (size, name, term))
if seen != wanted:
    sys.exit(f"plans --coq and {sys.argv[1]} differ in {sorted(set(seen) ^ set(wanted)) or 'the order'}")
if found_nowhere := idle([term for _, _, term in kinds.values()]):
    sys.exit(f"plans.py: no plan has what is to be broken: {', '.join(found_nowhere)}")
mutants = [(f"{name}, mutant {i}", b) for _, name, term in kinds.values() for i, b in enumerate(broken(term), 1)]
print("From Coq Require Import String.\nFrom Colex Require Import Plans.\nLocal Open Scope N_scope.")
for i, ((digest, term), names) in enumerate(plans.items()):
    named = f'"{" ".join(names)}"%string'
    print(f"Example certified_{i} : (fun p => ({named}, digest p, plan_lawful p)) {term} = ({named}, [{digest}], true).")
    print(f"Proof. vm_cast_no_check (eq_refl ({named}, [{digest}], true)). Qed.")
table("mutants", mutants)
print("Example refused : map fst (List.filter (fun p => plan_lawful (snd p)) mutants) = [].")
print("Proof. vm_cast_no_check (eq_refl (@nil string)). Qed.")
certified = f"plans certified {len(seen)} of {len(wanted)} ({len(plans)} different)"
print(f'Goal True. idtac "{certified}; broken ones refused {len(mutants)} of {len(mutants)}". exact I. Qed.')
