# Makes the program that lets CuTe C++ with run-time integers answer requests: `cute_dynamic.py PROGRAM INCLUDE...`. It
# has a function for each operation on each profile of arguments listed here; other profiles are unsupported.
# SPDX-License-Identifier: Apache-2.0
import itertools
import re
import sys

import cute
from cute import divides, of_shapes, products, unary

cute.integer = lambda place: f"x[{place}]"

shapes = "n (n,n) (n,n,n) ((n,n),n) (n,(n,n)) (n,n,n,n)".split()
layouts = [f"{s}:{s}" for s in shapes]
tilers = "n <n> <n,n> <n:n,n> <n:n,n:n> <n,_> <_,n>".split()
kinds = {
    "A": layouts,
    "T": layouts + tilers,
    "S": shapes,
    "c": shapes,
    "n": ["n"],
    "P": layouts[:2],
    "V": [*layouts[:2], "n"],
}
signatures = [
    ("A", unary),
    ("AT", divides),
    ("PV", products),
    ("Pn", ["complement"]),
    ("Ac", ["apply"]),
    ("nS", ["idx2crd"]),
    ("cS", ["crd2idx"]),
    ("SS", of_shapes),
    ("S", ["make_layout_left", "make_layout_right"]),
]


def numbered(request):  # each n its place among the integers of the request
    count = itertools.count()
    name, arguments = request.split(" ", 1)
    return name + " " + re.sub("n", lambda _: str(next(count)), arguments)


requests = [
    " ".join([name, *profiles])
    for signature, names in signatures
    for profiles in itertools.product(*(kinds[k] for k in signature))
    for name in names
]
cute.operations = {name: cute.operations[name] for _, names in signatures for name in names}


def text(expressions, refused):
    return [
        *(f"string f{k}(int const* x) {{ return show({e}); }}" for k, e in enumerate(expressions.values())),
        "std::vector<row> const table{",
        *(f'{{"{a}", f{k}, ""}},' for k, a in enumerate(expressions)),
        *(f'{{"{a}", nullptr, R"x({why})x"}},' for a, why in refused.items()),
        f'{{"hello", nullptr, "{cute.greeting("CuTe-C++-dynamic", 32)}"}}}};',
    ]


cute.settled({request: cute.expression(numbered(request)) for request in requests}, text, "-o", sys.argv[1])
