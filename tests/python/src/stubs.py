# Writes _colex.pyi: what each operation of the table takes, and what it gives in the worked examples.
#   stubs.py TEMPLATE CASES... > _colex.pyi      with colex_layouts to be imported
# SPDX-License-Identifier: Apache-2.0
import itertools
import pathlib
import sys

import colex_layouts as cx
from colex_layouts import _colex

TYPES = dict(layout="_Layout", tensor="_Layout", integer="_Integer", integers="_Integers", coordinate="_Coordinate")
TYPES |= dict(order="_Integers", tiler="_Tiler", modes="_Tiler", swizzle="_Swizzle", map="str", name="str", width="_Integer")
ANSWERS = {"tuple": "tuple[Any, ...]", "NoneType": "None"}


def parameter(word):
    name, _, kinds = word.strip("[].").partition(":")
    types = dict.fromkeys(TYPES[kind] for kind in kinds.removesuffix("]").split("|"))
    return name.replace("'", "_").replace("|", "_or_"), " | ".join(types)


def variants(way):
    """The parameters of each call that a way allows: what may be left out in the middle is, or is not."""
    words = way.split(" ")
    middle = [k for k, word in enumerate(words) if word.startswith("[") and k + 1 < len(words)]
    for left_out in itertools.product([False, True], repeat=len(middle)):
        yield [word for k, word in enumerate(words) if k not in itertools.compress(middle, left_out)]


def signature(words, first):
    shown, repeated, names = [*first], "", set()
    for word in words:
        name, types = parameter(word)
        while name in names:  # INDICES of A, of B, of C
            name += "_"
        names.add(name)
        if word.rstrip("]").endswith("..."):
            repeated = f", *{name}: {types}"
        else:
            shown.append(f"{name}: {types}" + (" = ..." if word.startswith("[") else ""))
    return f"({', '.join(shown)}, /{repeated})"


def fits(words, arguments):
    """Can these arguments be given so? Swizzles are told from layouts; else their number decides."""
    least = sum(not word.startswith("[") for word in words)
    most = len(arguments) if words[-1].rstrip("]").endswith("...") else len(words)
    kind = "swizzle" if arguments[0].startswith("Sw<") and "o" not in arguments[0] else "tensor"
    kinds = words[0].replace("layout", "tensor").partition(":")[2].split("|")
    return least <= len(arguments) <= most and (kind in kinds or not {"swizzle", "tensor"} & {*kinds})


def gives(words, examples):
    types = {type(cx.ask(line)).__name__ for line, arguments in examples if fits(words, arguments)} or {"Any"}
    return " | ".join(ANSWERS.get(t, t) for t in sorted(types))


def definitions(row, examples, method=False):
    """The operation as a function, or as a method of its first argument."""
    found = {}
    for words in (words for way in row.arguments.split(", ") for words in variants(way)):
        kinds = words[0].partition(":")[2].split("|")
        if not method or {"layout", "tensor"} & {*kinds}:
            if method:
                words = [words[0].replace("|swizzle", ""), *words[1:]]
            found.setdefault(signature(words[1:], ["self"]) if method else signature(words, []), gives(words, examples))
    name = row.name if method or hasattr(_colex, row.name) else "_" + row.name
    indent = "    " if method else ""
    for shown, types in found.items():
        if len(found) > 1:
            yield indent + "@overload"
        yield f"{indent}def {name}{shown.replace('(self, /)', '(self)')} -> {types}: ..."


def examples_in(files):
    """The requests of the worked examples that have an answer, by operation. Of a function of layouts no linear map: it is a
    str, and answers none but layouts behind swizzles."""
    found = {row.name: [row.example["request"]] for row in cx.operations()}
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            operation = line.partition(" ")[0]
            through_map = " = F2<" in line and "f2" not in operation
            if operation in found and " = " in line and " = un" not in line and not through_map:
                found[operation].append(line.partition(" = ")[0])
    return {name: [(line, line.split()[1:]) for line in lines] for name, lines in found.items()}


def main(template, *cases):
    examples, functions, methods = examples_in(cases), [], []
    for row in cx.operations():
        functions += definitions(row, examples[row.name])
        if hasattr(cx.Layout, row.name):
            methods += definitions(row, examples[row.name], method=True)
    text = pathlib.Path(template).read_text()
    print(text.replace("@METHODS@", "\n".join(methods)) + "\n".join(functions))


if __name__ == "__main__":
    main(*sys.argv[1:])
