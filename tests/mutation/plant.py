#!/usr/bin/env python3
# Every arithmetic, comparison, boundary and statement mutant of C++ sources at once (changes.py). clang says which expression
# or statement a token is of; each change is planted beside its original, and COLEX_MUTANT chooses one:
#   a + b    becomes    (colex::planted::here(17) ? (a - b) : (a + b))
#   plant.py FOLDER PART      writes FOLDER/{ref,gpu}/... and FOLDER/mutants.json
# What a compiler refuses is dropped. SPDX-License-Identifier: Apache-2.0
import bisect
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

import places
import syntax
from changes import changes

ROOT = places.ROOT
PARTS = {
    "ref": {"files": ["ref/**/*.?pp"], "units": ["ref/answer.cpp", "ref/f2.cpp", "ref/layouts.cpp", "ref/tilings.cpp"]},
    "gpu": {
        "files": ["gpu/algebra/*.?pp", "gpu/atoms/*.?pp", "gpu/wire/*.?pp"],
        "units": ["gpu/wire/respond.cpp", "gpu/wire/respond_f2.cpp", "gpu/wire/respond_tilings.cpp"],
    },
    "plans": {
        "files": ["gpu/plans/*.hpp", "gpu/atoms/element.hpp"],
        "units": ["gpu/plans/check.cpp", "tests/unit/emulation/emulation_test.cpp"],
    },
}
FLAGS = ["-w", "-D_GLIBCXX_ASSERTIONS", "-fmax-errors=0", "-fpermissive"]
LISTED = "id file path function change line source compiles".split()


class source:
    """A file, its syntax, and what is planted in it."""

    def __init__(self, name, roots, text):
        self.name, self.text, self.roots = name, text, roots
        self.nodes = [n for root in roots for n in root.walk()]
        self.places = places.source(text)
        self.lines = text.splitlines(keepends=True)
        self.starts = [0, *itertools.accumulate(map(len, self.lines))]

    def mutants(self):
        """What [begin, end) becomes: text, or nothing."""
        for begin, token in sorted({t for root in self.roots for t in root.tokens()}):
            end = begin + len(token)
            of_type = token.isdigit() and self.text[end] == ">"  # std::array<int, 3>
            for new in changes(token):
                n = self.changed(begin, end, token, new)
                if n is not None and not (syntax.is_not_judged(n, token, new) or of_type):
                    parts = self.text[n.begin : begin], new, self.text[end : n.end]
                    text = " ".join(map(places.on_one_line, parts))  # a line with its mark: marked() reads them
                    yield self.mutant(n, begin, n.end, text, lambda place, new=new: f"{place} -> {new}")
        for n in filter(syntax.can_go, self.nodes):
            end = n.end + len(re.match(r"\s*;|", self.text[n.end :])[0])
            named = n.begin if re.match(r"(if|for|while|return|break|continue)\b", self.text[n.begin :]) else end - 1
            yield self.mutant(n, named, end, "", lambda place: f"delete {place}")

    def changed(self, begin, end, token, new):
        """The literal that a token is, or the expression of which it is the operator."""
        if token.isdigit():
            return next((n for n in self.nodes if (n.begin, n.end, n.kind) == (begin, end, "INTEGER_LITERAL")), None)
        around = [n for n in self.nodes if n.begin <= begin and end <= n.end and (n.begin, n.end) != (begin, end)]
        least = min((n.end - n.begin for n in around), default=None)
        smallest = [n for n in around if n.end - n.begin == least]
        return next((n for n in smallest if n.kind in syntax.EXPRESSIONS and n.operates(begin, end, new)), None)

    def mutant(self, node, named, end, text, change):
        """That which is named by the token at an offset."""
        function, place = self.places.name_at(named)
        line = bisect.bisect_right(self.starts, named if text else node.begin)
        return {
            "node": node,
            "extent": (node.begin, end),
            "text": text,
            "file": places.short(ROOT / self.name),
            "path": self.name,
            "function": function,
            "change": change(place),
            "line": line,
            "source": self.lines[line - 1].strip(),
        }


class planter:
    """Writes a file with its mutants in it, and their variables as no constants, but for those that must be."""

    def __init__(self, src, mutants, frozen):
        self.text, self.mutants, self.words = src.text, collections.defaultdict(list), {}
        tables = [n for n in src.roots if n.is_table() and n.cursor.spelling not in frozen]
        for variable in [*tables, *filter(None, (m["node"].variable() for m in mutants))]:
            self.words |= variable.evaluated_later(src.text)
        for m in mutants:
            self.mutants[m["extent"]].append(m)
        self.extents = sorted({*self.mutants, *self.words}, key=lambda extent: (extent[0], -extent[1]))

    def write(self, begin, end):
        """[begin, end) of the source, with what is planted strictly inside it."""
        out, at = [], begin
        for b, e in self.extents:
            if at <= b and e <= end and (b, e) != (begin, end):
                out += [self.text[at:b], self.planted(b, e)]
                at = e
        return "".join([*out, self.text[at:end]])

    def planted(self, *extent):
        if extent in self.words:
            return self.words[extent]
        here, original = self.mutants[extent], self.write(*extent)
        deletes = next((m["id"] for m in here if not m["text"]), None)
        if deletes:
            return f"{{ if (!colex::planted::here({deletes})) /*@{deletes}*/ {{\n{original} /*@0*/ }} }}"
        cast = here[0]["node"].cast()
        lines = "".join(f"{self.asks(m)} ? {cast}({m['text']}) : /*@{m['id']}*/\n" for m in here)
        return f"(\n{lines}{cast}({original})) /*@0*/"

    @staticmethod
    def asks(m):
        return f"colex::planted::{'here' if m['node'].is_in_function() else 'at_start'}({m['id']})"


def refused(folder, part):
    """The mutants that a compiler refuses, by the lines it names; and the variables that must be constant."""
    bad, frozen, said = set(), set(), ""
    for unit in PARTS[part]["units"]:
        path = next(p for p in (folder / unit, ROOT / unit) if p.exists())
        command = ["g++", "-std=c++20", "-S", "-O0", "-o", os.devnull, *FLAGS, f"-I{folder}", f"-I{ROOT}", str(path)]
        said += subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}).stderr
    last = None
    for line in said.splitlines():
        place = re.match(r"(\S+?):(\d+):\d+:", line)
        if place and place[1].startswith(f"{folder}/"):
            last = place[1], int(place[2])
        if " error: " in line:
            bad |= marked(*last) if last else set()
        elif re.match(r"\S+: (In|At) |In file included", line) and "instantiation" not in line:
            last = None
        constant = r"value of '(?:[\w{}]+::)*(\w+)(?:\[.*)?' is not usable|'(?:[\w{}]+::)*(\w+)' was not declared 'constexpr'"
        frozen |= {name for names in re.findall(constant, line) for name in names if name}
    if not bad and not frozen and "error: " in said:
        sys.exit(f"no mutant is to blame:\n{said[:4000]}")
    return bad, frozen


def marked(path, number):
    """The mutants of a line: that which it belongs to, or all of the expression that it opens."""
    lines = pathlib.Path(path).read_text().splitlines()
    ids = lambda line: [int(x) for x in re.findall(r"/\*@(\d+)\*/", line)]
    if lines[number - 1].endswith("("):
        of_expression = itertools.takewhile(lambda found: found[:1] not in ([0], []), map(ids, lines[number:]))
        return {x for found in of_expression for x in found}
    return {next((found[-1] for found in map(ids, reversed(lines[:number])) if found), 0)} - {0}


def plant(part, folder):
    names = {str(p.relative_to(ROOT)) for pattern in PARTS[part]["files"] for p in ROOT.glob(pattern)}
    files = [source(*each) for each in sorted(syntax.parsed(ROOT, PARTS[part]["units"], names), key=lambda each: each[0])]
    mutants = {src: list(src.mutants()) for src in files}
    every = [m for of_file in mutants.values() for m in of_file]
    for number, m in enumerate(every, 1):
        m["id"] = number
    dropped, frozen, again = set(), set(), True
    while again:
        for src, of_file in mutants.items():
            path = folder / src.name
            path.parent.mkdir(parents=True, exist_ok=True)
            written = planter(src, [m for m in of_file if m["id"] not in dropped], frozen).write(0, len(src.text))
            path.write_text('#include "tests/mutation/planted.hpp"\n' + written)
        bad, constant = refused(folder, part)
        bad |= {m["id"] for m in every if (v := m["node"].variable()) and v.cursor.spelling in constant}
        again = not bad <= dropped or not constant <= frozen
        dropped, frozen = dropped | bad, frozen | constant
        print(f"{part}: {len(every)} mutants, {len(dropped)} do not compile", flush=True)
    for m in every:
        m["compiles"] = m["id"] not in dropped
    (folder / "mutants.json").write_text(json.dumps([{key: m[key] for key in LISTED} for m in every], indent=0))


if __name__ == "__main__":
    plant(sys.argv[2], pathlib.Path(sys.argv[1]).resolve())
