# Writes the case lines that fall in the model as Coq examples, each closed by computation. Which ones do, the extracted
# program says; linear maps do not.
# usage: vectors.py EXTRACTED CASES... >Vectors.v
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys

from nested import split


def layout(shape, stride):
    if shape[0] != "(":
        return f"(Leaf {shape}%N ({stride})%Z)"
    return f"(Node [{'; '.join(map(layout, split(shape), split(stride)))}])"


def placed(shape, stride):  # strides with their paths, the innermost mode first in the text
    if shape[0] != "(":
        number, *path = stride.split("@")
        return f"(Leaf {shape}%N ([{'; '.join(reversed(path))}]%nat, ({number})%Z))"
    return f"(Node [{'; '.join(map(placed, split(shape), split(stride)))}])"


def swizzle(text):
    b, m, s = split(text[2:])
    return f"(Sw {b}%N {m}%N ({s})%Z)"


def value(text):
    text = re.sub(r"_(\d)", r"\1", text)
    if m := re.fullmatch(r"(Sw<[^>]*>)o(-?\d+)o(.*):(.*)", text):
        return f"(Behind (Some {swizzle(m[1])}) ({m[2]})%Z {layout(m[3], m[4])})"
    if m := re.fullmatch(r"(-?\d+)o(.*):(.*)", text):
        return f"(Behind None ({m[1]})%Z {layout(m[2], m[3])})"
    if text in ("true", "false"):
        return f"(Truth {text})"
    if text in ("_", "X"):
        return "Wild"
    if re.fullmatch(r"(?!X$)[A-Za-z]\w*", text):
        return f'(Word "{text}")'
    if m := re.fullmatch(r"(\d+)b", text):
        return f"(Number {m[1]}%Z)"
    if m := re.fullmatch(r"F2<(\d+)>(.*)", text):
        return f"(Map {m[1]}%N {value(m[2])})"
    if text.startswith("Sw"):
        return f"(Swizzle {swizzle(text)})"
    if text.startswith("<"):
        return f"(Tiler [{'; '.join(map(value, split(text)))}])"
    if "@" in text:
        return f"(Basis {placed(*text.split(':'))})"
    if ":" in text:
        return f"(Layout {layout(*text.split(':'))})"
    return f"(Tuple [{'; '.join(map(value, split(text)))}])" if text[0] == "(" else f"(Number ({text})%Z)"


def reply(text):
    word = text.split()[0]
    return word.capitalize() if word in ("undefined", "unspecified") else f"(Answer {value(text.replace(' ', ''))})"


cases = []
for path in map(pathlib.Path, sys.argv[2:]):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if m := re.match(r"([^#]*) ([=~]) ([^#]*)", line):
            cases.append((f"{path.stem}_{number}", m[1].strip(), m[2], m[3].strip()))
asked = "".join(request + "\n" for _, request, _, _ in cases)
answers = subprocess.run(sys.argv[1], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
print("""From Coq Require Import String.
From Colex Require Import Answer.
Local Open Scope string_scope.
(* The same function has the same form (coalesce_canonical). *)
Definition form (r : reply) : reply := match r with Answer (Layout A) => Answer (Layout (coalesce A)) | _ => r end.""")
inside = 0
for (name, request, sign, expected), answer in zip(cases, answers):
    if not answer.startswith("unsupported") and not expected.startswith("F2"):
        inside += 1
        op, *arguments = request.split()
        asked, wanted = f'(respond "{op}" [{"; ".join(map(value, arguments))}])', reply(expected)
        print(f"Example {name} : {f'form {asked} = form {wanted}' if sign == '~' else f'{asked} = {wanted}'}.")
        print("Proof. vm_compute. reflexivity. Qed.")
if 2 * inside < len(cases):
    sys.exit(f"vectors.py: only {inside} of {len(cases)} case lines fall in the model")
print(f"vectors: {inside} of {len(cases)} case lines fall in the model", file=sys.stderr)
