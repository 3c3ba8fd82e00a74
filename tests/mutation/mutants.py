#!/usr/bin/env python3
# Plants the mutants of mutants.txt: copies of ref/ and gpu/ with one line changed each, in namespaces of their own,
# a few to a translation unit, and the table that mutants.cpp runs. Changes nothing in the source tree.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

PER_UNIT = 8
ROOT = pathlib.Path(__file__).resolve().parents[2]
EDGES = {"ref": ["ref/answer.cpp", "ref/tilings.cpp"], "gpu": ["gpu/wire/respond.cpp", "gpu/wire/respond_tilings.cpp"]}


def read_list(path, last="laws that must notice"):
    """One mutant a line: `file | line | changed line | LAST`; a bar between spaces of a line is `\\|`."""
    mutants = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        parts = text.split(" | ")
        if len(parts) != 4:
            sys.exit(f"{path}:{number}: a mutant is `file | line | changed line | {last}`")
        mutants.append([part.replace(r"\|", "|") for part in parts])
    return mutants


def planted(source, line, changed):
    lines = source.splitlines()
    at = [i for i, text in enumerate(lines) if text.strip() == line.strip()]
    if len(at) != 1:
        return None
    lines[at[0]] = changed
    return "\n".join(lines) + "\n"


def moved(text, algebra, number):
    """The same code as another include root and another namespace."""
    text = re.sub(rf'#include "{algebra}/', f'#include "{number}/{algebra}/', text)
    text = re.sub(rf"\bcolex::{algebra}\b", f"colex::{algebra}_{number}", text)
    return re.sub(rf"(?<![\w:]){algebra}::", f"{algebra}_{number}::", text)


def plant(mutants, out):
    units = {}
    for number, (file, line, changed, _) in enumerate(mutants):
        algebra = file.split("/")[0]
        for source in sorted((ROOT / algebra).glob("**/*.?pp")):
            text, name = source.read_text(), str(source.relative_to(ROOT))
            if name == file:
                text = planted(text, line, changed)
                if text is None:
                    sys.exit(f"tests/mutation/mutants.txt: no single line `{line}` in {file}")
            write(out / str(number) / name, moved(text, algebra, number))
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
    for number, (file, *_) in enumerate(mutants):
        algebra = file.split("/")[0]
        text += f"namespace colex::{algebra}_{number} {{ answer respond(request const&); }}\n"
    text += "\nstd::vector<colex::mutant> const colex::mutants = {\n"
    for number, (file, line, changed, laws) in enumerate(mutants):
        algebra = file.split("/")[0]
        quoted = ", ".join(f'R"~({part})~"' for part in (file, line.strip(), changed.strip(), laws))
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
    chosen, target = read_list(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    units = plant(chosen, target)
    write(target / "table.cpp", table(chosen))
    write(target / "all.cmake", "set(mutant_units\n" + "".join(f"  {name}\n" for name in [*units, "table.cpp"]) + ")\n")
