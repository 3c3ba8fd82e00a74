#!/usr/bin/env python3
# Plants the mutants of mutants.txt, all of them in one copy of ref/ and one of gpu/, and writes the table that mutants.cpp
# runs. What a mutant changes stands in a block; that is written once for each of its mutants beside the original:
#   { return a + b; }    becomes    { if (colex::planted::here(17)) { return a - b; } else { return a + b; } }
# Changes nothing in the source tree. SPDX-License-Identifier: Apache-2.0
import collections
import pathlib
import sys

import places
from places import ROOT


def plant(mutants, out):
    blocks = collections.defaultdict(lambda: collections.defaultdict(list))  # path -> block -> (number, changes)
    stale = []
    for number, (line, file, function, change, _) in enumerate(mutants, 1):
        try:
            path, edits = places.edits(file, function, change)
            blocks[path][places.read(path).block(function, edits)].append((number, edits))
        except places.stale as why:
            stale.append(f"mutants.txt:{line}: {why}")
    if stale:
        sys.exit("\n".join(stale))
    for source in (path for algebra in ("ref", "gpu") for path in sorted((ROOT / algebra).glob("**/*.?pp"))):
        write(out / source.relative_to(ROOT), planted(source.read_text(), blocks[source]))


def planted(text, blocks):
    """A file in which each block is followed by its mutants."""
    if not blocks:
        return text
    edits = []
    for (begin, end), mutants in blocks.items():
        out = "{ "
        for number, changes in mutants:
            inside = [(b - begin, e - begin, new) for b, e, new in changes]
            out += f"if (colex::planted::here({number})) {places.edited(text[begin:end], inside)} else "
        edits.append((begin, end, out + text[begin:end] + " }"))
    return '#include "tests/mutation/planted.hpp"\n' + places.edited(text, edits)


def table(mutants):
    text = '// Generated from tests/mutation/mutants.txt.\n#include "tests/mutation/mutants.hpp"\n\n'
    for algebra in ("ref", "gpu"):
        text += f"namespace colex::{algebra}_mutated {{ answer respond(request const&); }}\n"
    text += "\nstd::vector<colex::mutant> const colex::mutants = {\n"
    for _, file, *parts in mutants:
        quoted = ", ".join(f'R"~({part})~"' for part in (file, *parts))
        text += f"    {{{quoted}, colex::{file.split('/')[0]}_mutated::respond}},\n"
    return text + "};\n"


def write(path, text):
    """Only when it changed, so that nothing is compiled twice."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: mutants.py LIST FOLDER")
    every, target = list(places.read_list(pathlib.Path(sys.argv[1]))), pathlib.Path(sys.argv[2])
    plant(every, target)
    write(target / "table.cpp", table(every))
