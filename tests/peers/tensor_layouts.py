# Lets the PyPI package tensor-layouts answer requests: a line in, a line out. Translates; never judges or corrects.
# SPDX-License-Identifier: Apache-2.0
import ast, itertools, re, sys

sys.path.pop(0)  # this file bears the package's name
import tensor_layouts as tl
from tensor_layouts import ComposedLayout, Layout, Swizzle, atoms_nv, layout_utils

class no_word(Exception):
    """What the notation or the package has no word for."""

def integers(text):  # a mode left open is None to the package
    try:
        return ast.literal_eval(re.sub(r"(?<!\()\)", ",)", re.sub("[_X]", "None", text)))
    except (ValueError, SyntaxError, MemoryError):
        raise no_word(f"value {text[:40]}")

def modes(text):  # split at the commas outside brackets
    depth = itertools.accumulate((c in "(<") - (c in ")>") for c in text)
    return "".join(" " if c == "," and d == 0 else c for c, d in zip(text, depth)).split(" ")

def value(text):
    if m := re.fullmatch(r"Sw<(\d+),(\d+),(-?\d+)>(?:o(.+?)o(.+))?", text):
        swizzle = Swizzle(int(m[1]), int(m[2]), int(m[3]))
        return ComposedLayout(swizzle, value(m[5]), offset=integers(m[4])) if m[5] else swizzle
    if text.startswith("<"):
        if "_" in text:
            raise no_word(f"tiler {text}")
        return tuple(map(value, modes(text[1:-1])))
    if ":" in text:
        return Layout(*map(integers, text.split(":")))
    return integers(text) if re.fullmatch(r"[-_X\d,()]+", text) else text  # otherwise a name

def show(v):
    match v:
        case int(): return str(v).lower()
        case Layout(): return f"{show(v.shape)}:{show(v.stride)}"
        case Swizzle(): return f"Sw<{v.bits},{v.base},{v.shift}>"
        case ComposedLayout(outer=Swizzle(), inner=Layout()): return f"{show(v.outer)}o{v.offset}o{show(v.inner)}"
        case (ComposedLayout() as layout, 0): return show(layout)
        case (Layout() as layout, int(offset)): return f"{offset}o{show(layout)}"
        case tuple() if all(isinstance(x, (int, tuple)) for x in v): return "(" + ",".join(map(show, v)) + ")"
    raise no_word(f"answer {v!r}")

def order(o, rank):  # the notation gives each mode its rank, the package wants the modes by rank
    o = {"LayoutLeft": range(rank), "LayoutRight": range(rank)[::-1]}.get(o, o)
    if not isinstance(o, (tuple, range)) or any(isinstance(x, tuple) for x in o) or len(set(o)) < len(o):
        raise no_word(f"order {o}")
    return sorted(range(len(o)), key=o.__getitem__)

def atom(name, field):
    fields = dict(Shape_MNK="shape_mnk", ThrID="thr_id", ALayout="a_layout", BLayout="b_layout", CLayout="c_layout",
                  SrcLayout="src_layout_bits", DstLayout="dst_layout_bits")
    if (found := getattr(getattr(atoms_nv, name, None), fields.get(field, ""), None)) is None:
        raise no_word(f"atom {name} {field}")
    return found

same = """append blocked_product coalesce compatible complement congruent cosize crd2idx depth downcast flat_divide
    flat_product flatten group idx2crd left_inverse logical_divide logical_product max_common_layout max_common_vector
    nullspace prepend product_each raked_product rank replace right_inverse shape_div size slice_and_offset
    tiled_divide tiled_product upcast weakly_congruent zipped_divide zipped_product""".split()
operations = {name: getattr(tl, name) for name in same} | dict(
    apply=lambda a, c: a(c), copy_atom=atom, dice=tl.dice_modes, filter=lambda a: a.filter(), get=tl.mode,
    composition=lambda a, b: tl.compose(a, Layout(b) if isinstance(b, int) else b), make_layout_left=lambda s: Layout(s),
    make_layout_right=lambda s: Layout(s, tl.compute_row_major_strides(s)), mma_atom=atom,
    make_ordered_layout=lambda s, o: layout_utils.make_ordered_layout(s, order(o, 1)),
    slice=lambda c, a: Layout(tl.slice_modes(c, a.shape), tl.slice_modes(c, a.stride)),
    tile_to_shape=lambda a, s, o="LayoutLeft": layout_utils.tile_to_shape(a, s, order(o, tl.rank(a))))

def answer(name="", *arguments):
    try:
        return show(operations[name](*map(value, arguments)))
    except Exception as e:  # a wrong argument count is raised here, a refusal inside the package
        missing = isinstance(e, (no_word, NotImplementedError, AttributeError, RecursionError, KeyError))
        status = "undefined" if e.__traceback__.tb_next and not missing else "unsupported"
        return " ".join([status, type(e).__name__, *str(e).split()])

for line in sys.stdin:
    print(answer(*line.split()), flush=True)
