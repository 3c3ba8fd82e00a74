# Lets the PyPI package tensor-layouts answer requests.
# SPDX-License-Identifier: Apache-2.0
import sys
from importlib.metadata import version

from wire import Word, no_word, reader, serve, taking

sys.path.pop(0)  # from here on the package's name is not this file's

# isort: split
import tensor_layouts as tl
from tensor_layouts import Layout, Swizzle, atoms_nv, layout_utils

ComposedLayout = getattr(tl, "ComposedLayout", Layout)  # earlier releases have none

LEFT = Word("LayoutLeft")


def tiler(*modes):
    if None in modes:
        raise no_word("a mode to keep")
    return modes


def order(o, rank):  # the notation gives each mode its rank, the package wants the modes by rank
    o = {"LayoutLeft": range(rank), "LayoutRight": range(rank)[::-1]}.get(o, o)
    if not isinstance(o, (tuple, range)) or any(isinstance(x, tuple) for x in o) or len(set(o)) < len(o):
        raise no_word(f"order {o}")
    return sorted(range(len(o)), key=o.__getitem__)


def atom(name, field):
    fields = dict(
        Shape_MNK="shape_mnk",
        ThrID="thr_id",
        ALayout="a_layout",
        BLayout="b_layout",
        CLayout="c_layout",
        SrcLayout="src_layout_bits",
        DstLayout="dst_layout_bits",
    )
    if (found := getattr(getattr(atoms_nv, name, None), fields.get(field, ""), None)) is None:
        raise no_word(f"atom {name} {field}")
    return found


def composed(w, offset, a):
    if not isinstance(offset, int) or ComposedLayout is Layout:
        raise no_word(f"offset {offset}")
    return ComposedLayout(w, a, offset=offset)


same = """compatible complement congruent cosize crd2idx depth flat_divide flat_product flatten group idx2crd
    left_inverse logical_divide logical_product max_common_layout max_common_vector nullspace product_each rank
    replace right_inverse shape_div size slice_and_offset tiled_divide tiled_product weakly_congruent zipped_divide
    zipped_product""".split()
of_a_layout, of_two = ["downcast", "upcast"], "append blocked_product prepend raked_product".split()
operations = {name: getattr(tl, name) for name in same if hasattr(tl, name)}
operations |= {name: taking(getattr(tl, name), Layout) for name in of_a_layout}
operations |= {name: taking(getattr(tl, name), Layout, Layout) for name in of_two} | dict(
    apply=lambda a, c: a(c),
    coalesce=taking(tl.coalesce, object, (tuple, type(None))),
    copy_atom=atom,
    dice=tl.dice_modes,
    filter=lambda a: a.filter(),
    get=tl.mode,
    composition=taking(
        lambda a, b: tl.compose(a, Layout(b) if isinstance(b, int) else b), object, (int, tuple, Layout, ComposedLayout)
    ),
    make_layout_left=lambda s: Layout(s),
    make_layout_right=lambda s: Layout(s, tl.compute_row_major_strides(s)),
    mma_atom=atom,
    make_ordered_layout=lambda s, o: layout_utils.make_ordered_layout(s, order(o, 1)),
    slice=taking(lambda c, a: Layout(tl.slice_modes(c, a.shape), tl.slice_modes(c, a.stride)), object, Layout),
    tile_to_shape=lambda a, s, o=LEFT: layout_utils.tile_to_shape(a, s, order(o, tl.rank(a))),
)

serve(
    "tensor-layouts",
    version("tensor-layouts"),
    operations,
    reader(Layout, Swizzle, composed, tiler),
)
