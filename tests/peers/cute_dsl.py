# Lets the CuTe DSL answer requests on the host: all are asked while one function is being traced, which needs no GPU.
# SPDX-License-Identifier: Apache-2.0
import functools
import re
from importlib.metadata import version

import cutlass.cute as cute
from wire import Word, no_kind, no_word, reader, serve, show, taking


def shown(v):
    if isinstance(v, tuple) and len(v) == 2 and hasattr(v[0], "stride"):  # a layout and its offset
        return f"{shown(v[1])}o{shown(v[0])}"
    try:
        # Behind a negative shift it prints no >.
        return re.sub("S<([-0-9,]+)>?", r"Sw<\1>", str(v).replace(" ", "")) if hasattr(v, "type") else show(v)
    except TypeError as e:  # a basis element alone, a swizzle of other functions
        raise no_word(str(e)) from None


def plain(f):
    @functools.wraps(f)
    def asked(*a):
        if any(isinstance(x, Word) for x in a):  # the package has no words of its own for orders
            raise no_word(f"{a}")
        try:
            return f(*a)
        except (ValueError, RuntimeError) as e:  # what cannot even be handed over: other types, integers too large
            raise (no_word(str(e)) if "must be a Value" in str(e) or "bad_cast" in str(e) else e) from None

    return asked


def with_layout(f):  # which takes no integer for the layout n:1, as logical_product does, and no modes
    return taking(lambda a, b: f(a, cute.make_layout(b) if isinstance(b, int) else b), object, (cute.Layout, int))


def columns_first(shape):  # the order that CuTe C++ takes where none is named
    return tuple(range(len(shape))) if isinstance(shape, tuple) else 0


same = """blocked_product ceil_div complement cosize depth filter filter_zeros flat_divide flatten idx2crd
    logical_divide logical_product make_fragment_like make_identity_layout make_layout_like make_ordered_layout
    max_common_layout max_common_vector nullspace product_each raked_product rank shape_div size tiled_divide
    zipped_divide""".split()
of_layouts = {"append": 2, "prepend": 2, "left_inverse": 1, "right_inverse": 1}
operations = {name: getattr(cute, name) for name in same if hasattr(cute, name)}
operations |= {name: with_layout(getattr(cute, name)) for name in ("flat_product", "tiled_product", "zipped_product")}
operations |= {name: taking(getattr(cute, name), *[cute.Layout] * n) for name, n in of_layouts.items()} | dict(
    coalesce=lambda a, p=None: cute.coalesce(a) if p is None else cute.coalesce(a, target_profile=p),
    crd2idx=lambda c, s, *d: cute.crd2idx(c, cute.make_layout(s, stride=d[0]) if d else s),
    apply=lambda a, c: a(c) if callable(a) else no_kind(a),
    get=lambda a, i: cute.get(a, [i]),
    group=cute.group_modes,
    congruent=cute.is_congruent,
    weakly_congruent=cute.is_weakly_congruent,
    select=lambda a, *i: cute.select(a, list(i)),
    tile_to_shape=lambda a, s, *order: cute.tile_to_shape(a, s, *order or [columns_first(s)]),
    slice=lambda c, a: cute.slice_(a, c),
    slice_and_offset=lambda c, a: cute.slice_and_offset(c, a),
    dice=lambda c, a: cute.dice(a, c),
    make_layout_left=lambda s: cute.make_layout(s),
    composition=lambda a, b, *c: cute.make_composed_layout(a, b, *c) if c else cute.composition(a, b),
)


@cute.jit
def traced():
    serve(
        "CuTe-DSL",
        version("nvidia-cutlass-dsl"),
        {name: plain(f) for name, f in operations.items()},
        reader(lambda s, d: cute.make_layout(s, stride=d), cute.make_swizzle, cute.make_composed_layout),
        shown,
        "int=32",
    )


traced()
