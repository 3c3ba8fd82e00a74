# Lets a pycute answer requests: `pycute.py [FOLDER]`, where FOLDER holds the package; without it, the one installed.
# PyTorch's copy counts lexicographically: it is asked the mirror image of each value and its answer is mirrored back.
# What pairs modes by their place (tilers, profiles, divides, products) has no mirror image there and is not offered.
# SPDX-License-Identifier: Apache-2.0
import importlib
import os
import re
import sys
from importlib.metadata import version

from wire import no_kind, reader, serve, show, taking

folder, package = os.path.split(os.path.abspath((sys.argv + ["pycute"])[1]))
sys.path[:1] = [folder] * bool(sys.argv[1:])  # the package's name is this file's
pycute = importlib.import_module(package)
Layout, mirror = pycute.Layout, hasattr(pycute, "suffix_product")


def mirrored(v):
    if isinstance(v, tuple):
        return tuple(map(mirrored, v[::-1]))
    return Layout(mirrored(v.shape), mirrored(v.stride)) if hasattr(v, "shape") else v


def composed(w, offset, a):
    r = pycute.ComposedLayout(w, offset, a)
    r.outer, r.inner = w, a
    return r


def its_version():
    if not sys.argv[1:]:
        return "nvidia-cutlass-" + version("nvidia-cutlass")
    of_torch = os.path.join(folder, "..", "version.py")
    found = re.search(r"__version__ = '([^']*)'", open(of_torch).read()) if os.path.exists(of_torch) else None
    return found[1] if found else "unknown"


of_shapes = ["crd2idx", "idx2crd", "size"] + ["shape_div"] * (not mirror)
of_layouts = "cosize left_inverse right_inverse composition complement".split()
by_place = """coalesce filter logical_divide logical_product tiled_divide tiled_product zipped_divide
    zipped_product""".split()
layout_operations = {name: getattr(pycute, name) for name in of_layouts + by_place * (not mirror)}
operations = {name: getattr(pycute, name) for name in of_shapes}
operations |= {name: taking(f, Layout) for name, f in layout_operations.items()} | dict(
    apply=lambda a, c: a(c),
    rank=lambda a: len(a),
    slice=lambda c, a: a(c) if pycute.has_none(c) else Layout(pycute.slice_(c, a.shape), pycute.slice_(c, a.stride)),
)
if mirror:
    operations |= dict(coalesce=lambda a: pycute.coalesce(a), filter=lambda a: pycute.filter(a))
    read = reader(Layout, tiler=no_kind)
    serve("torch-pycute", its_version(), operations, lambda text: mirrored(read(text)), lambda v: show(mirrored(v)))
else:
    operations |= dict(slice_and_offset=taking(pycute.slice_and_offset, object, Layout))
    serve("pycute", its_version(), operations, reader(Layout, pycute.Swizzle, composed))
