# What the two adapters of CuTe C++ share: requests as C++ expressions, and their compilation. The arguments of a program
# that imports this are the folders of CuTe's headers and of those they include.
# SPDX-License-Identifier: Apache-2.0
import os, re, shutil, subprocess, sys, tempfile

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

value = reader(lambda s, d: Cpp(f"cute::make_layout({cpp(s)}, {cpp(d)})"),
               lambda b, m, s: Cpp(f"cute::Swizzle<{b},{m},{s}>{{}}"),
               lambda w, offset, a: Cpp(f"cute::composition({w}, {cpp(offset)}, {a})"),
               lambda *modes: Cpp(f"cute::make_tile({', '.join(map(cpp, modes))})"))

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
    make_layout_right=lambda s: f"cute::make_layout({cpp(s)}, cute::LayoutRight{{}})")

def expression(request):
    operation, *arguments = request.split()
    return operations[operation](*map(value, arguments))

includes = ["-I" + folder for folder in sys.argv[1:] if os.path.isdir(folder)]
compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-O0", "-w", "-fmax-errors=0", "-ftemplate-depth=2000", *includes]
scratch = tempfile.mkdtemp()
source, program = scratch + "/requests.cpp", scratch + "/requests"
shutil.copy(os.path.dirname(os.path.abspath(__file__)) + "/cute.hpp", scratch)
subprocess.run([*compiler, "-x", "c++-header", scratch + "/cute.hpp"])  # once for all programs

def refusals(log):  # line of the source -> what the compiler says first about it
    found, at = {}, None
    for line in log.splitlines():
        if m := re.match(re.escape(source) + r":(\d+):\d+: +(?:required from here|error)", line):
            at = int(m[1])
        if m := re.search(r"error: (static assertion failed:? ?)?(.*)", line):
            found.setdefault(at, ("unsupported " if m[1] is None else "undefined ") + m[2])
    return found

def compiled(expressions, said={}):  # of requests; makes `program`, and returns what it refuses and what else it says
    expressions, refused = dict(expressions), dict(said)
    while True:
        asked = list(expressions)
        with open(source, "w") as f:
            print(f'#include "{scratch}/cute.hpp"', *(f"string f{k}(int const* x) {{ return show({expressions[a]}); }}" for k, a in enumerate(asked)),
                  "std::vector<row> const table{", *(f'{{"{a}", f{k}, ""}},' for k, a in enumerate(asked)),
                  *(f'{{"{a}", nullptr, R"x({why})x"}},' for a, why in refused.items()), "};", sep="\n", file=f)
        run = subprocess.run([*compiler, source, "-o", program], capture_output=True, text=True)
        bad = {asked[line - 2]: why for line, why in refusals(run.stderr).items() if line and line - 2 < len(asked)}
        if run.returncode and not bad:
            sys.exit(f"{compiler[0]} cannot compile CuTe: {run.stderr[:1000]}")
        refused |= bad
        expressions = {a: e for a, e in expressions.items() if a not in bad}
        if not bad:
            return refused

def greeting(name):
    text = open(next(f for i in includes if os.path.exists(f := i[2:] + "/cutlass/version.h"))).read()
    return " ".join(["colex 1", name, ".".join(re.findall(r"define CUTLASS_(?:MAJOR|MINOR|PATCH) (\d+)", text)), *operations])
