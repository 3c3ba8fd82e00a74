# What theorems with a law's name ask of the law's arguments, as Coq booleans: Covers.v, which is extracted. How the arguments
# are a theorem's variables says instances.txt; the hypotheses are read from the theorem, and its types are Coq's.
# usage: covers.py PROOFS LAWS.json types >Types.v         that Coq prints the types of the theorems
#        covers.py PROOFS LAWS.json TYPES.txt >Covers.v    of what coqc then printed; the laws compared are listed in LAWS.txt
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import sys

from hypotheses import conditions, occurs, parsed, split, stated

proofs, listed, types = sys.argv[1:]
modules, statements = stated(proofs)
laws = {law["law"]: law for law in json.loads(pathlib.Path(listed).read_text())}
having = [name for name in laws if name in statements]
SHORT = {"P": "layout (point Z)", "T": "tensor (point Z) (point Z)"}


# The variables of a theorem and their types, as Coq prints them.
def binders(text):
    found = []
    while text.startswith("forall "):
        head, *rest = split(text[7:], ",")
        text = ", ".join(rest)
        groups = [g[1:-1] for g in split(head.replace(") (", ")\0("), "\0")] if head[0] in "({" else [head]
        for group in groups:
            names, kind = group.split(" : ", 1)
            found += [(name, kind) for name in names.split()]
    return found


# Strides of any kind are sums of multiples of basis elements.
def chosen(kind):
    kind = re.sub(r"\b(D|E)\b", "(point Z)", kind)
    return re.sub(r"\bC\b", "Z", kind).replace("letters", "list N")


def instances():
    for line in (pathlib.Path(proofs) / "tools/instances.txt").read_text().splitlines():
        if not line.startswith("#"):
            law, arguments, terms = (part.strip() for part in line.split("|", 2))
            kinds = dict(a.replace("~", " ").split(":") for a in arguments.split())
            yield law, kinds, dict(term.split(" = ", 1) for term in split(terms, ";") if term)


# None where the arguments are others than the theorem's, and nobody says how.
def covers(law, kinds, terms, typed):
    names, lets, hypotheses = parsed(statements[law])
    arguments = [a.split(":")[0] for a in laws[law]["arguments"].split()]
    hypotheses = [h for h in hypotheses if not any(terms.get(v) == "*" and occurs(v, h) for v in typed)]
    bound = " ".join(m[1] for h in hypotheses if (m := re.search(r" = Some (.*)", h)))
    body = re.sub(r"\bshift\b", "Swizzle.shift", lets + conditions(hypotheses))
    body = f"negb ({terms['if']}) || {body}" if "if" in terms else body
    for v, term in reversed(terms.items()):
        if term != "*" and v not in ("if", "large"):
            body = f"let {v} := {term} in {body}"
    decided = f"if {terms['large']} then Large else decide ({body})" if "large" in terms else f"decide ({body})"
    text, out, read = f"{lets} {' '.join(hypotheses)} {' '.join(terms.values())}", decided, set()
    for v, kind in typed.items():
        argument = next((a for a in (v, v.upper()) if a in arguments and a not in kinds), None)
        if (v in terms and v not in arguments) or (terms.get(v) == "*" and v in kinds):
            continue
        if not argument and (occurs(v, bound) or not occurs(v, text)) and v not in terms:
            continue
        if not argument and v not in kinds and kind not in ("N", "nat"):
            return None
        if v not in kinds:
            read.add(argument)
            out = f'arg "{argument or v}"%string args (fun {v} : {chosen(kind)} => {out})'
    for a, kind in kinds.items():
        read.add(a)
        if kind != "-":
            out = f'arg "{a}"%string args (fun {a} : {SHORT.get(kind, kind)} => {out})'
    return out if read.issuperset(arguments) else None


head = f"From Coq Require Import String.\nFrom Colex Require Import {modules}.\n"
if types == "types":
    print(head + "Set Printing Width 100000.\nSet Printing Depth 100000.\n" + "".join(f"Check @{n}.\n" for n in having))
    sys.exit()
printed = re.findall(r"^@?(\w+)\n\s+: (.*)$", pathlib.Path(types).read_text(), re.M)
typed = {name: {v: k for v, k in binders(text) if not k.startswith(("Type", "module"))} for name, text in printed}
said = {law: (kinds, terms) for law, kinds, terms in instances()}
compared = {law: c for law in having if (c := covers(law, *said.get(law, ({}, {})), typed[law]))}
rows = ";\n".join(f'  ("{law}"%string, fun args => {c})' for law, c in compared.items())
print(f"""{head}Require Import Table.
Local Open Scope N_scope.
(* Atoms by their names: Table.v has what the reference gives. *)
Definition atom_named {{X}} (table : list (list string * X)) (v : value) : option X :=
  match v with
  | Word w => option_map snd (find (fun l => existsb (String.eqb w) (fst l)) table)
  | _ => None
  end.
#[export] Instance reads_mma_atom : reads mma_atom := atom_named mma_atoms.
#[export] Instance reads_copy_atom : reads copy_atom := atom_named copy_atoms.
Definition table : list (string * (list (string * value) -> verdict)) := [
{rows}].
Definition covers (law : string) (args : list (string * value)) : option verdict :=
  option_map (fun l => snd l args) (find (fun l => String.eqb (fst l) law) table).
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
Extraction "model.ml" respond covers.""")
pathlib.Path("LAWS.txt").write_text("".join(f"{law}\n" for law in compared))
others = " ".join(law for law in having if law not in compared)
print(f"hypotheses compared of {len(compared)} laws; not of {len(having) - len(compared)}: {others}", file=sys.stderr)
