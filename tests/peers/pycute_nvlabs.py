# Lets the PyCuTe that NVIDIA supports answer requests: `pycute_nvlabs.py FOLDER`, where FOLDER is a checkout of NVlabs/CuTe.
# SPDX-License-Identifier: Apache-2.0
import dis
import functools
import os
import re
import sys
from fractions import Fraction

from wire import Word, bits_of, integers, no_word, reader, serve, show, taking

sys.path.insert(0, sys.argv[1])  # the package's name is another adapter's

# isort: split
import pycute
from pycute import F2, ArithTuple, Layout, Swizzle, as_tuple


def its_version():
    about = os.path.join(sys.argv[1], "pyproject.toml")
    found = re.search(r'^version *= *"(.*)"', open(about).read(), re.M) if os.path.exists(about) else None
    return found[1] if found else "unknown"


def basis(n, *modes):
    return pycute.ScaledBasis(n, modes[::-1])


def plain(v):  # its lists are tuples, too; of strides in Z^S the notation has n@i@j, but no sum of them
    if isinstance(v, (tuple, list)):
        return tuple(map(plain, v))
    if isinstance(v, ArithTuple):
        if not pycute.is_basis(v):
            raise no_word(f"stride {v}")
        return 0 if v == 0 else Word(str(v))
    return int(v) if isinstance(v, F2) else v


def shown(v):
    if isinstance(v, Layout):
        return f"{show(plain(v.shape))}:{show(plain(v.stride))}"
    if isinstance(v, tuple) and v and isinstance(v[0], Layout):
        return f"{show(plain(v[1]))}o{shown(v[0])}"
    return show(plain(v))


def linear(f):  # F2<n>(bases): each basis is the stride of a mode of extent 2
    m = re.fullmatch(r"F2<\d+>(\(.*\))", f)
    if not m:
        raise no_word(f"value {f}")
    bases = integers(m[1])
    return Layout(pycute.repeat_like(2, bases), pycute.transform_leaf(F2, bases))


def sliced(c, a):
    return Layout(pycute.slice_(c, a.shape), pycute.slice_(c, a.stride))


def complement(a, *extend):  # along each axis of its values
    if extend and not pycute.weakly_congruent(pycute.coprofile(a), *extend):
        raise no_word(f"extent {extend[0]}")
    return pycute.complement(a, *extend)


def zipped_divide(a, t):
    if isinstance(t, tuple) and (None in pycute.flatten(t) or not isinstance(a.shape, tuple)):
        raise no_word("a mode to keep, or modes of an integer")
    return pycute.zipped_divide(a, t)


def refusing(f):  # a TypeError that it raises itself is a refusal, any other an accident
    @functools.wraps(f)
    def asked(*arguments):
        try:
            return f(*arguments)
        except TypeError as e:
            last = e.__traceback__
            while last.tb_next:
                last = last.tb_next
            if dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] != "RAISE_VARARGS":
                raise
            raise ValueError(e) from e

    return asked


def recast(a, bits, wanted):
    if isinstance(pycute.coprofile(a), tuple):  # it wants a scale for each axis
        raise no_word("basis strides")
    return pycute.recast(a, Fraction(bits_of(wanted), bits_of(bits)))


tiler, shape = (int, tuple, Layout), (int, tuple)
of_any = "compatible congruent depth rank size weakly_congruent".split()
of_shapes = ["idx2crd", "crd2idx"]
of_a_layout = "coshape left_inverse make_layout_like nullspace right_inverse".split()
of_a_tiler = "composition logical_divide logical_product".split()
operations = {name: getattr(pycute, name) for name in of_any}
operations |= {name: taking(getattr(pycute, name), shape, shape) for name in of_shapes}
operations |= {name: taking(getattr(pycute, name), Layout, shape) for name in of_a_layout}
operations |= {name: taking(getattr(pycute, name), Layout, tiler) for name in of_a_tiler}
operations |= {name: taking(getattr(pycute, name), Layout, Layout) for name in ("blocked_product", "raked_product")}
operations |= dict(
    apply=taking(lambda a, c: as_tuple(a(c)), (Layout, Swizzle)),
    coalesce=taking(lambda a, profile=1: pycute.coalesce(a, profile), Layout, (int, tuple, type(None))),
    complement=taking(complement, Layout, shape),
    downcast=taking(lambda a, n: recast(a, n, 1), Layout, int),
    f2_apply=taking(lambda f, c: linear(f)(c), Word),
    get=taking(lambda a, k: a[k], Layout, int),
    make_layout_left=taking(lambda s: Layout(s), shape),
    make_ordered_layout=taking(pycute.make_ordered_layout, shape, shape),
    product_each=taking(pycute.product_each, tuple),
    recast_layout=taking(recast, Layout),
    slice=taking(sliced, object, Layout),
    slice_and_offset=taking(lambda c, a: (sliced(c, a), as_tuple(a(c))), object, Layout),
    upcast=taking(lambda a, n: recast(a, 1, n), Layout, int),
    zipped_divide=taking(zipped_divide, Layout, tiler),
)
operations = {name: refusing(f) for name, f in operations.items()}

serve("pycute-nvlabs", its_version(), operations, reader(Layout, Swizzle, basis=basis), shown)
