# A request in the language of the library that is asked, as a program that needs nothing else: what spec/found.md shows.
# SPDX-License-Identifier: Apache-2.0
import re
from dataclasses import dataclass, field, replace

from wire import Word, no_word, reader


class Code(str):
    """Text of the language."""


def listed(values, code):
    return ", ".join(code(v) for v in values)


def mirrored(value):  # each tuple of it from its end
    parts = (re.findall(r"-?\d+|.", part)[::-1] for part in value.split(":"))
    return ":".join("".join(part).translate(str.maketrans("()", ")(")) for part in parts)


@dataclass
class Language:
    template: str  # of a program, with {} for an expression
    branches: str = ""  # of one that is compiled for several, and
    branch: str = ""  # what stands in it for each
    layout: str = "Layout({}, {})"
    name: str = "{}"  # of a function; the arguments stand behind it
    names: dict = field(default_factory=dict)  # of operations that are called otherwise, with {} for each argument
    tuple: str = "({})"
    one: str = "({},)"
    integer: str = "{}"
    shape: str = ""  # what makes a tuple that is a shape, a stride
    stride: str = ""
    swizzle: str = "Swizzle({}, {}, {})"
    composed: str = "ComposedLayout({}, {}, {})"
    tiler: str = "({},)"
    keep: str = "None"
    basis: str = ""
    map: str = ""  # a linear map, of its bits and its bases in one list
    needs: str = ""  # to run a program of it
    package: str = ""  # where nothing installs it: the name of the folder that its adapter is given
    lexicographic: bool = False  # the last mode counts fastest

    def spelled(self, value):  # in the order of its modes
        return mirrored(value) if self.lexicographic else value

    def code(self, v):
        if self.map and (m := re.fullmatch(r"F2<(\d+)>(\(.*\))", str(v))):
            return self.map.format(m[1], ", ".join(re.findall(r"\d+", m[2])))
        if isinstance(v, (Code, Word)):
            return v
        if v is None:
            return self.keep
        if isinstance(v, tuple):
            return (self.one if len(v) == 1 else self.tuple).format(listed(v, self.code))
        return self.integer.format(v)

    def part(self, v, maker):  # of a layout: C++ has a maker of its own for each
        made = self.code(v)
        return made.replace("make_tuple", maker) if maker else made

    def read(self):
        return reader(
            lambda s, d: Code(self.layout.format(self.part(s, self.shape), self.part(d, self.stride))),
            lambda *n: Code(self.swizzle.format(*n)),
            lambda w, offset, a: Code(self.composed.format(w, self.code(offset), a)),
            lambda *modes: Code(self.tiler.format(listed(modes, self.code))),
            lambda n, *modes: Code(self.basis.format(n, modes[0])) if self.basis else no_basis(),
        )

    def expression(self, request):
        operation, *arguments = request.split()
        values = [*map(self.read(), map(self.spelled, arguments))]
        known = self.names.get(operation)
        call = known or self.name.format(operation) + "(" + ", ".join(["{}"] * len(values)) + ")"
        return call.format(*map(self.code, values))

    def program(self, expressions):
        """Of several, the one whose place among them is the program's argument."""
        if len(expressions) == 1 or not self.branch:
            return self.template.format(*expressions)
        lines = (self.branch.format(k, e) for k, e in enumerate(expressions))
        return self.branches.format("\n".join(lines))


def no_basis():
    raise no_word("a basis stride")


def by_morphisms(call):  # a layout of layouts
    return "compute_layout(" + re.sub(r"{\d}", r"compute_morphism(\g<0>)", call) + ")"


applied = {"apply": "{}({})"}
cpp = dict(tuple="make_tuple({})", one="make_tuple({})", shape="make_shape", stride="make_stride", keep="_")
cpp |= dict(layout="make_layout({}, {})", tiler="make_tile({})", composed="composition({}, {}, {})")
include = "#include <cute/layout.hpp>\n#include <cute/swizzle_layout.hpp>\nusing namespace cute;\n"
cpp |= dict(
    template=include + "int main() {{ print({}); }}\n",
    branches=include + "int main(int, char** k) {{\n{}\n}}\n",
    branch="if (atoi(k[1]) == {}) print({});",
)
mojo_names = "from layout import IntTuple, Layout, LayoutList\nfrom layout.layout import *\nfrom layout.int_tuple import *\n"
headers = "`g++ -std=c++17 -I {}/include -I CUDA/include -I CUDA/include/cccl`; no GPU".format
cute_static = Language(
    needs=headers("CUTLASS"),
    integer="Int<{}>{{}}",
    swizzle="Swizzle<{}, {}, {}>{{}}",
    names={"upcast": "upcast<2>({})"},
    **cpp,
)
system = "#include <strings.h>\n"  # in front of sycl-tla, which declares an ffs of its own
languages = {
    "cute-static": cute_static,
    "sycl-tla": replace(
        cute_static,
        template=system + cute_static.template,
        branches=system + cute_static.branches,
        needs=headers("sycl-tla"),
    ),
    "cute-dynamic": Language(needs=headers("CUTLASS"), names=applied, **cpp),
    "cute-dsl": Language(
        "import cutlass.cute as cute\n\n@cute.jit\ndef f():\n    print({})\n\nf()\n",
        layout="cute.make_layout({}, stride={})",
        name="cute.{}",
        swizzle="cute.make_swizzle({}, {}, {})",
        composed="cute.make_composed_layout({}, {}, {})",
        names={"composition": "cute.composition({}, {})", "tile_to_shape": "cute.tile_to_shape({}, {}, 0)"},
        needs="`pip install nvidia-cutlass-dsl`; no GPU",
    ),
    "pycute": Language("from pycute import *\n\nprint({})\n", names=applied, needs="`pip install nvidia-cutlass`"),
    "torch-pycute": Language(
        "from torch.distributed._pycute import *\n\nprint({})\n",
        names=applied,
        package="torch.distributed._pycute",
        lexicographic=True,
        needs="`pip install torch`",
    ),
    "tensor-layouts": Language(
        "from tensor_layouts import *\nfrom tensor_layouts.layout_utils import *\n\nprint({})\n",
        composed="ComposedLayout({0}, {2}, offset={1})",
        names=applied | {"composition": "compose({}, {})"},
        needs="`pip install tensor-layouts`",
    ),
    "tilelang": Language(
        "from tilelang.layout.cute import *\n\nprint({})\n",
        layout="make_layout({}, {})",
        basis="ScaledBasis({}, {})",
        needs="`pip install tilelang torch`",
    ),
    "mojo": Language(
        mojo_names + "\ndef main() raises:\n    print({})\n",
        mojo_names + "from std.sys import argv\n\ndef main() raises:\n    var k = Int(argv()[1])\n{}\n",
        "    if k == {}: print({})",
        tuple="IntTuple({})",
        one="IntTuple(IntTuple({}))",
        names=applied | {"upcast": "upcast({}, {})"},
        needs="`pip install mojo max-mojo-libs`",
    ),
    "flydsl": Language(
        "from flydsl.expr import *\nfrom flydsl._mlir import ir\n"
        "from flydsl.compiler.jit_function import _create_mlir_context\n\n"
        "with _create_mlir_context(), ir.Location.unknown(), ir.InsertionPoint(ir.Module.create().body):\n"
        "    r = {}\n    print(getattr(r, 'type', r))\n",
        layout="make_layout({}, {})",
        swizzle="static(SwizzleType.get({}, {}, {}))",
        composed="make_composed_layout({}, {}, {})",
        tiler="make_tile({})",
        basis="Basis({}, {})",
        names={"apply": "crd2idx({1}, {0})", "get": "get_({}, {})", "recast_layout": "recast_layout({}, 8, 12)"},
        needs="`pip install flydsl torch`",
    ),
    "tract": Language(
        "import cutlass.cute as cute\nfrom tract import *\n\n@cute.jit\ndef f():\n    print({})\n\nf()\n",
        layout="cute.make_layout({}, stride={})",
        names={
            "coalesce": by_morphisms("coalesce({0})"),
            "composition": by_morphisms("weak_composite({1}, {0})"),
            "complement": "flat_complement(flatten_layout({}), {})",
            "cosize": "compute_morphism({}).cosize()",
            "logical_divide": by_morphisms("logical_divide({0}, {1})"),
            "logical_product": by_morphisms("logical_product({0}, {1})"),
        },
        package="tract",
        needs="`pip install nvidia-cutlass-dsl`, and `tract/src` of the checkout in `PYTHONPATH`",
    ),
    "triton": Language(
        "from triton._C.libtriton.linear_layout import LinearLayout\n\n"
        "def F2(n, *bases):\n"
        "    return LinearLayout.from_bases([('x', [[b] for b in bases])], ['y'], [2**n], False)\n\n"
        "print({})\n",
        map="F2({}, {})",
        names={"f2_apply": "{}.apply({{'x': {}}})['y']"},
        needs="`pip install triton`; no GPU",
    ),
}
