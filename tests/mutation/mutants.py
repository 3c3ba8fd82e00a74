#!/usr/bin/env python3
# Plants the mutants of mutants.txt: copies of ref/ and gpu/ with one change each, in namespaces of their own, a few to a
# translation unit, and the table that mutants.cpp runs. Changes nothing in the source tree.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

import places
from places import ROOT

PER_UNIT = 8
EDGES = {
    "ref": ["ref/answer.cpp", "ref/layouts.cpp", "ref/tilings.cpp"],
    "gpu": ["gpu/wire/respond.cpp", "gpu/wire/respond_tilings.cpp"],
}


def moved(text, algebra, number):
    """The same code as another include root and another namespace."""
    text = re.sub(rf'#include "{algebra}/', f'#include "{number}/{algebra}/', text)
    text = re.sub(rf"\bcolex::{algebra}\b", f"colex::{algebra}_{number}", text)
    return re.sub(rf"(?<![\w:]){algebra}::", f"{algebra}_{number}::", text)


def plant(mutants, out):
    units = {}
    for number, (line, file, function, change, _) in enumerate(mutants):
        algebra = file.split("/")[0]
        try:
            path, edits = places.edits(file, function, change)
        except places.stale as why:
            sys.exit(f"mutants.txt:{line}: {why}")
        for source in sorted((ROOT / algebra).glob("**/*.?pp")):
            text = places.edited(source.read_text(), edits if source == path else [])
            write(out / str(number) / source.relative_to(ROOT), moved(text, algebra, number))
        units.setdefault(algebra, []).append(number)
    names = []
    for algebra, numbers in units.items():
        for k in range(0, len(numbers), PER_UNIT):
            names.append(f"unit_{algebra}_{k // PER_UNIT}.cpp")
            write(
                out / names[-1],
                "".join(f'#include "{n}/{edge}"\n' for n in numbers[k : k + PER_UNIT] for edge in EDGES[algebra]),
            )
    return names


def table(mutants):
    text = '// Generated from tests/mutation/mutants.txt.\n#include "tests/mutation/mutants.hpp"\n\n'
    for number, (_, file, *_) in enumerate(mutants):
        algebra = file.split("/")[0]
        text += f"namespace colex::{algebra}_{number} {{ answer respond(request const&); }}\n"
    text += "\nstd::vector<colex::mutant> const colex::mutants = {\n"
    for number, (_, file, *parts) in enumerate(mutants):
        algebra = file.split("/")[0]
        quoted = ", ".join(f'R"~({part})~"' for part in (file, *parts))
        text += f"    {{{quoted}, colex::{algebra}_{number}::respond}},\n"
    return text + "};\n"


def write(path, text):
    """Only when it changed, so that nothing is compiled twice."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: mutants.py LIST FOLDER")
    chosen, target = [*places.read_list(pathlib.Path(sys.argv[1]))], pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    units = plant(chosen, target)
    write(target / "table.cpp", table(chosen))
    write(target / "all.cmake", "set(mutant_units\n" + "".join(f"  {name}\n" for name in [*units, "table.cpp"]) + ")\n")
