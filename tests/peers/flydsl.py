# Lets FlyDSL (AMD) answer requests on the host: MLIR's operations, whose types hold the answers. No GPU, and no torch.
# Its C++ refuses by an assertion, which ends the process.
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from importlib.metadata import version

import no_torch  # noqa: F401
from aborts import reading
from wire import bits_of, no_kind, reader, serve, taking

sys.path.pop(0)  # from here on the package's name is not this file's

# isort: split
from flydsl import expr
from flydsl._mlir import ir
from flydsl.compiler.jit_function import _create_mlir_context
from flydsl.expr import Layout, primitive


def tuples(f):
    return lambda *a: f(*map(expr.make_int_tuple, a))


def joined(f):
    return lambda a, *n: f(a, n[-1], n=n[0] if n[1:] else None) if n and isinstance(n[-1], Layout) else no_kind(n)


def shown(v):
    said = re.sub(r"!fly\.\w+<(.*)>", r"\1", str(getattr(v, "type", v)))
    for ours, its in ("", " "), ("Sw<", "S<"), ("_", "*"), ("true", "True"), ("false", "False"):
        said = said.replace(its, ours)
    said = re.sub(r"(?:E\d+)+", lambda m: "@" + "@".join(m[0].split("E")[:0:-1]), said)  # 1E1E0 is 1@0@1
    return said if ":" in said or said[0] in "(S" or "@" not in said else no_kind(said)  # a basis element alone


of_one = """rank depth size cosize coshape make_layout_like right_inverse left_inverse""".split()
tiled = "composition logical_divide zipped_divide tiled_divide flat_divide".split()
products = "logical_product tiled_product blocked_product raked_product".split()
operations = {name: taking(getattr(expr, name), Layout) for name in of_one}
operations |= {name: taking(getattr(expr, name), object, (Layout, expr.Tile)) for name in tiled}
operations |= {name: taking(getattr(expr, name), Layout, Layout) for name in products} | dict(
    append=joined(expr.append),
    apply=taking(lambda a, c: expr.crd2idx(c, a), (Layout, expr.ComposedLayout)),
    ceil_div=expr.ceil_div,
    coalesce=expr.coalesce,
    complement=expr.complement,
    congruent=tuples(primitive.is_profile_congruent),
    dice=taking(lambda c, a: expr.dice(a, c), tuple),
    get=expr.get_,
    get_1d_coord=lambda a, i: expr.get_1d_coord(i, a),
    get_flat_coord=lambda a, i: expr.get_flat_coord(i, a),
    group=expr.group,
    make_identity_layout=expr.make_identity_layout,
    make_ordered_layout=taking(expr.make_ordered_layout, object, (int, tuple)),
    prepend=joined(expr.prepend),
    product_each=expr.int_tuple_product_each,
    recast_layout=taking(lambda a, *widths: expr.recast_layout(a, *map(bits_of, widths)), Layout),
    select=lambda a, *i: expr.select(a, list(i)),
    shape_div=expr.shape_div,
    slice=taking(lambda c, a: expr.slice(a, c), tuple),
    take=expr.take,
    weakly_congruent=tuples(primitive.is_profile_weakly_congruent),
)
read = reader(
    expr.make_layout,
    lambda *numbers: expr.static(expr.SwizzleType.get(*numbers)),
    expr.make_composed_layout,
    lambda *modes: expr.make_tile(*modes),
    lambda n, *modes: expr.Basis(n, modes[::-1]),
)
with _create_mlir_context(), ir.Location.unknown(), ir.InsertionPoint(ir.Module.create().body):
    serve("flydsl", version("flydsl"), operations, read, shown, "int=32", say=reading("Assertion .* failed"))
