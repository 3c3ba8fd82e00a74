# What the two adapters of CuTe C++ share: requests as C++ expressions, and their compilation. The arguments of a program
# that imports this are the folders of CuTe's headers and of those they include.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
import subprocess
import sys
import tempfile

from wire import Word, no_word, reader


class Cpp(str):
    """Text of C++."""


def integer(n):
    if abs(n) >= 1 << 63:
        raise no_word(f"{n}")
    return f"cute::C<{n}>{{}}"


def cpp(v):
    if isinstance(v, Word):
        return f"cute::{v}{{}}"
    if isinstance(v, tuple):
        return f"cute::make_tuple({', '.join(map(cpp, v))})"
    return v if isinstance(v, Cpp) else "cute::_" if v is None else integer(v)


value = reader(
    lambda s, d: Cpp(f"cute::make_layout({cpp(s)}, {cpp(d)})"),
    lambda b, m, s: Cpp(f"cute::Swizzle<{b},{m},{s}>{{}}"),
    lambda w, offset, a: Cpp(f"cute::composition({w}, {cpp(offset)}, {a})"),
    lambda *modes: Cpp(f"cute::make_tile({', '.join(map(cpp, modes))})"),
    lambda n, *modes: Cpp(f"{cpp(n)} * cute::E<{', '.join(map(str, modes[::-1]))}>{{}}"),
)


def call(name):
    return lambda *a: f"cute::{name}({', '.join(map(cpp, a))})"


def templated(name, last=1):  # numbers behind the first argument are template arguments
    return lambda a, *n: f"cute::{name}<{', '.join(map(str, n[:last]))}>({', '.join(map(cpp, (a, *n[last:])))})"


unary = """rank depth size cosize coshape flatten coalesce filter filter_zeros right_inverse left_inverse nullspace
    complement make_layout_like max_alignment""".split()
divides = "composition logical_divide zipped_divide tiled_divide flat_divide".split()
products = "logical_product zipped_product tiled_product flat_product blocked_product raked_product".split()
pairs = "max_common_layout max_common_vector".split()
of_shapes = "congruent weakly_congruent compatible evenly_divides shape_div ceil_div".split()
others = """product_each idx2crd crd2idx slice slice_and_offset dice zip make_ordered_layout make_fragment_like
    make_identity_layout domain_distribute tile_to_shape append prepend""".split()
operations = {name: call(name) for name in unary + divides + products + pairs + of_shapes + others} | dict(
    apply=lambda a, c: f"({cpp(a)})({cpp(c)})",
    make_layout_left=lambda s: f"cute::make_layout({cpp(s)}, cute::LayoutLeft{{}})",
    make_layout_right=lambda s: f"cute::make_layout({cpp(s)}, cute::LayoutRight{{}})",
)


def expression(request):
    operation, *arguments = request.split()
    return operations[operation](*map(value, arguments))


includes = ["-I" + folder for folder in sys.argv[1:] if os.path.isdir(folder)]
compiler = [
    "g++",
    "-std=c++20",
    "-O0",
    "-w",
    "-fmax-errors=0",
    "-ftemplate-depth=2000",
    "-ftemplate-backtrace-limit=1",
    "-fno-diagnostics-show-caret",
    "--param=ggc-min-expand=400",
    "--param=ggc-min-heapsize=500000",
    *includes,
]
folder = tempfile.TemporaryDirectory()
scratch = folder.name
source = scratch + "/requests.cpp"
shutil.copy(os.path.dirname(os.path.abspath(__file__)) + "/cute.hpp", scratch)
subprocess.run([*compiler, "-x", "c++-header", scratch + "/cute.hpp"])  # once for all that is compiled


def refusals(log):  # line of the source -> what the compiler says first about it
    found, at = {}, None
    for line in log.splitlines():
        if m := re.match(re.escape(source) + r":(\d+):\d+: +(?:required from here|error)", line):
            at = int(m[1])
        if (m := re.search(r"error: (static assertion failed:? ?)?(.*)", line)) and "has incomplete type" not in line:
            found.setdefault(at, ("unsupported " if m[1] is None else "undefined ") + m[2])
    return found


def settled(expressions, text, *options):  # of requests -> those that compile, why each other does not, the compiler's run
    """Compiles text(expressions, refused), a line for each expression first, until it holds none that is refused: what
    the compiler has once refused to instantiate it does not complain of again, but of what follows from that. So what
    is refused otherwise than by an assertion is asked again without those that are."""
    refused = {}
    while True:
        asked = list(expressions)
        with open(source, "w") as f:
            print(f'#include "{scratch}/cute.hpp"', *text(expressions, refused), sep="\n", file=f)
        run = subprocess.run([*compiler, *options, source], capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})
        found = refusals(run.stderr)
        if None in found:
            sys.exit(f"{compiler[0]} cannot compile CuTe: {found[None]}")
        if not (bad := {asked[line - 2]: why for line, why in found.items()}):
            return asked, refused, run
        bad = {a: why for a, why in bad.items() if why.startswith("undefined")} or bad
        refused |= bad
        expressions = {a: e for a, e in expressions.items() if a not in bad}


def greeting(name, bits):
    folder = next(i[2:] for i in includes if os.path.exists(i[2:] + "/cutlass/version.h"))
    if os.path.exists(folder + "/cute/tensor_sg.hpp"):  # Intel's sub-groups
        name = name.replace("CuTe-C++", "sycl-tla")
    text = open(folder + "/cutlass/version.h").read()
    version = ".".join(re.findall(r"define CUTLASS_(?:MAJOR|MINOR|PATCH) (\d+)", text))
    return " ".join(["colex 1", name, version, f"int={bits}", *operations])
