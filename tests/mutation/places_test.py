#!/usr/bin/env python3
# Is every place that mutants.txt, equivalent_mutants.txt and planted_defects.txt name in the sources? And is it the same one
# where everything but those names is another: layout, comments, variables, types? No mutant is compiled for it.
# SPDX-License-Identifier: Apache-2.0
import bisect
import re
import shutil
import subprocess
import sys

import places
import planted_defects

FOLDER = places.ROOT / "tests/mutation"
PYTHON = "pycute/"  # a package that is not ours: its mutants are looked up where they are judged
# What the reader of declarations and statements goes by.
KEYWORDS = places.CONTROLS | places.CLASSES | places.SPECIFIERS
KEYWORDS |= set("namespace inline template operator using static_assert default else do const constexpr mutable final".split())
KEYWORDS |= {"colex", "ref", "gpu"}
# Nothing of the style of this project; string literals are tokens.
STYLE = "{BasedOnStyle: WebKit, ColumnLimit: 60, BreakStringLiterals: false, SortIncludes: Never}"


def listed():
    """(list and line or name, file, function, place, what it becomes) of all that is named."""
    for name in ("mutants.txt", "equivalent_mutants.txt"):
        for line, file, function, change, _ in places.read_list(FOLDER / name):
            if not file.startswith(PYTHON):
                yield from ((f"{name}:{line}", file, function, *each) for each in places.changes_of(change))
    for name, changes in planted_defects.read_list(FOLDER / "planted_defects.txt"):
        for line, file, function, _, place, _ in changes:
            for each in re.split(r" to | \.\. ", place):
                yield f"planted_defects.txt:{line}: {name}", file, function, each, ""


def names_a_variable(src, token, new):
    """Does a change speak of a name that is no function's?"""
    name = r"(?!(?:true|false)\b)\b[A-Za-z_]\w*"
    names = re.findall(name + r"(?!\w|\(|::)", new)
    if new and re.match(name, src.tokens[token]):
        return src.tokens[token + 1] != "(" or len(names) > 1  # one function for another
    return bool(names)


def statement_of(src, token):
    """The tokens of the statement that is named so."""
    if not re.match(r"(if|for|while|return|break|continue|;)$", src.tokens[token]):
        return None
    begin, end = src.statement(token)
    return bisect.bisect_left(src.begins, begin), bisect.bisect_left(src.ends, end)


def disguised(text, kept):
    """The same code with a comment before each token, and other words for all that are not kept."""
    out, at = [], 0
    for m in places.LEXER.finditer(text):
        if m["skip"] and "#" in m["skip"].lstrip()[:1]:
            out.append(f"\n{m['skip'].lstrip()}")
        elif not m["skip"]:
            word = f"{m[0]}_" if m.lastgroup == "word" and m[0] not in kept else m[0]
            out.append(f"\n/* if (a == {at}) {{ */ {word}  // }}")
            at += 1
    return "".join(out)


def formatted(text):
    tool = shutil.which("clang-format")
    if not tool:
        return text
    return subprocess.run([tool, f"--style={STYLE}"], input=text, capture_output=True, text=True, check=True).stdout


def main():
    wrong, found = [], {}  # path -> [(list, function, place, token)]
    for where, file, function, place, new in listed():
        try:
            path, src, token = places.find(file, function, place)
        except places.stale as why:
            wrong.append(f"{where}: {why}")
            continue
        found.setdefault(path, []).append((where, function, place, token))
        if names_a_variable(src, token, new):
            wrong.append(f"{where}: {place} -> {new} names a variable, which may be renamed")
    kept = KEYWORDS | {
        w for named in found.values() for _, *names, _ in named for name in names for w in re.findall(r"\w+", name)
    }
    for path, named in found.items():
        here = places.read(path)
        for how in (lambda text: disguised(text, kept), formatted):
            there = places.source(how(path.read_text()))
            for where, function, place, token in named:
                if there.places.get((function, place)) != token or statement_of(here, token) != statement_of(there, token):
                    wrong.append(f"{where}: {function} | {place} is another place in another layout of {path.name}")
    total = sum(map(len, found.values()))
    print("\n".join([*wrong, f"{total} places in {len(found)} files, {len(wrong)} wrong"]))
    return bool(wrong) or not total


if __name__ == "__main__":
    sys.exit(main())
