"""The hypotheses of theorems, read from the theorems themselves, as booleans. SPDX-License-Identifier: Apache-2.0"""

import pathlib
import re
import sys


def split(text, token):  # at a token outside brackets
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0 and text.startswith(token, i) and text[i - 1 : i] != "<":
            parts.append(text[start:i].strip())
            i = start = i + len(token)
        else:
            i += 1
    return parts + [text[start:].strip()]


# How hypotheses are decided, the first that fits.
WAYS = (
    (r"\((.*) \| (.*)\)", r"(\2 mod \1 =? 0)"),
    (r"counts_in (\w+) (\(.*\)) (.*)", r"counts_inb \1 \2 \3"),
    (r"compact_layout (.*)", r"compactb \1"),
    (r"NoDup (.*)", r"distinct \1"),
    (r"Forall prime (.*)", r"forallb prime_number \1"),
    (r"In \((\w+), (\w+)\) (.*)", r"existsb (fun m => (fst m =? \1) && (snd m =? \2)) \3"),
    (r"In (\w+) (\(.*\))", r"existsb (N.eqb \1) \2"),
    (r"valid (.*)", r"(Z.of_N (bits \1) <=? Z.abs (shift \1))%Z"),
    (r"(.*) = true", r"\1"),
    (r"(.*) = false", r"negb (\1)"),
    (r"\((.*) < (.*)\)%nat", r"(\1 <? \2)%nat"),
    (r"shape A = t", r"compatible (shape A) t && compatible t (shape A)"),
    (r"length (\w+) = length (\w+)", r"(List.length \1 =? List.length \2)%nat"),
    (r"(.*) <> (\(.*\)%Z)", r"negb (\1 =? \2)%Z"),
    (r"(.*) <= (.*)", r"(\1 <=? \2)"),
    (r"(.*) < (.*)", r"(\1 <? \2)"),
    (r"(.*) = (.*)", r"(\1 =? \2)"),
)


# One hypothesis as a boolean.
def boolean(h):
    if m := re.fullmatch(r"\(forall (\w+), \1 < (.*?) -> (.*)\)", h):
        return f"forallb (fun {m[1]} => {boolean(m[3])}) (iota ({m[2]}))"
    if len(parts := split(h, "/\\")) > 1:
        return " && ".join(f"({boolean(p)})" for p in parts)
    for pattern, decided in WAYS:
        if m := re.fullmatch(pattern, h):
            return m.expand(decided)
    sys.exit(f"guard.py: how is '{h}' decided?")


# The hypotheses in turn, the last first done: an answer that is assumed binds what it answers.
def conditions(hypotheses):
    if not hypotheses:
        return "true"
    first, rest = hypotheses[0], conditions(hypotheses[1:])
    if m := re.fullmatch(r"(.*) = (Some .*)", first):
        return f"match {m[1]} with {m[2]} => {rest} | _ => false end"
    return f"({boolean(first)}) && {rest}"


def variables(binders):
    binders = re.sub(r"`?\{[^}]*\}", "", binders)
    return re.findall(r"[\w']+", re.sub(r"\(([^:)]*):[^)]*\)", r"\1", binders))


# What stands outside brackets.
def outer(text):
    while text != (text := re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "", text)):
        pass
    return text


# The variables of a statement, what it abbreviates, and its hypotheses: all that stands before an arrow, up to a quantifier.
# One that is no boolean here stops the scripts, so that none is passed over.
def parsed(statement):
    binders = split(statement, ":")[0]
    text, lets, hypotheses = statement[len(binders) :].strip()[1:].strip(), "", []
    if text.startswith("forall "):
        sys.exit(f"hypotheses.py: variables belong before the colon: {text}")
    while m := re.match(r"let (\w+) := (.*?) in ", text):
        lets, text = lets + m[0], text[m.end() :]
    for part in split(text, "->")[:-1]:
        if re.search(r"\b(forall|exists)\b", outer(part)):
            break
        hypotheses.append(part)
    return variables(binders), lets, hypotheses


def occurs(name, text):
    return re.search(rf"(?<![\w']){name}(?![\w'])", text)


# The modules of the proofs, and what each theorem says.
def stated(proofs):
    files = (pathlib.Path(proofs) / "_CoqProject").read_text().split()
    modules = [file[:-2] for file in files if file.endswith(".v") and file != "model/Laws.v"]
    statements = {}
    for module in modules:
        text = (pathlib.Path(proofs) / f"{module}.v").read_text()
        for m in re.finditer(r"^Theorem (\w+)(.*?)\.\nProof", text, re.M | re.S):
            statements[m[1]] = re.sub(r"\s+", " ", m[2]).strip()
    return " ".join(pathlib.Path(module).name for module in modules), statements
