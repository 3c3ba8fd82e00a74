#!/usr/bin/env python3
# Lists every operator, number and statement mutant of a Python package.   python_mutants.py FOLDER PACKAGE
# writes FOLDER/mutants.json, in which each mutant is a line and what becomes of it.   SPDX-License-Identifier: Apache-2.0
import ast
import io
import json
import pathlib
import re
import sys
import tokenize

import places
from changes import KINDS, changes

NO_STATEMENT = ("def ", "class ", "import ", "from ", "return ", "assert ", "raise ", "pass", "#", '"')


def meaning(text):
    """The syntax without documentation; nothing where there is none."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(None)
    return ast.dump(tree)


def functions_of(tree, prefix=""):
    """(first line, last line, name) of each function, those outside before those inside."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if isinstance(node, ast.FunctionDef):
                yield min(n.lineno for n in [node, *node.decorator_list]), node.end_lineno, prefix + node.name
            yield from functions_of(node, f"{prefix}{node.name}.")
        else:
            yield from functions_of(node, prefix)


def named_tokens(text, functions):
    """(token, function, place); the end of a line stands for the line as a statement of the function."""
    by_function = {}
    for t in filter(lambda t: t.string, tokenize.generate_tokens(io.StringIO(text).readline)):  # some ends are no text
        within = [name for first, last, name in functions if first <= t.start[0] <= last]
        by_function.setdefault(within[-1] if within else "module", []).append(t)
    for function, tokens in by_function.items():
        for t, place in zip(tokens, places.numbered(["line" if t.type == tokenize.NEWLINE else t.string for t in tokens])):
            yield t, function, place


def mutants_of(lines, text, functions):
    """(line's number, changed line, function, change)"""
    for token, function, place in sorted(named_tokens(text, functions), key=lambda named: named[0].start):
        number, begin = token.start
        line = lines[number - 1]
        if token.type == tokenize.NEWLINE and not line.strip().startswith(NO_STATEMENT):
            yield number, re.match(r"\s*", line)[0] + "pass\n", function, f"delete {place}"
        for new in changes(token.string, [*KINDS, "/ //"]):
            yield number, line[:begin] + new + line[token.end[1] :], function, f"{place} -> {new}"


def listed(package):
    for path in sorted(package.rglob("*.py")):
        file = str(path.relative_to(package.parent))
        text = path.read_text()
        lines, same = text.splitlines(keepends=True), meaning(text)
        functions = sorted(functions_of(ast.parse(text)))
        for number, changed, function, change in mutants_of(lines, text, functions):
            yield {
                "file": file,
                "path": file,
                "line": number,
                "begins": max((first for first, last, _ in functions if first <= number <= last), default=0),
                "function": function,
                "change": change,
                "source": lines[number - 1].strip(),
                "text": changed,
                "compiles": meaning("".join([*lines[: number - 1], changed, *lines[number:]])) not in (None, same),
            }


if __name__ == "__main__":
    folder, package = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    mutants = [{"id": number} | mutant for number, mutant in enumerate(listed(package), 1)]
    (folder / "mutants.json").write_text(json.dumps(mutants, indent=0))
