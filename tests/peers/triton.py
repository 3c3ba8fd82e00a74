# Lets Triton's linear layouts answer requests (triton._C.libtriton, no GPU): `triton.py`. They are linear maps over F2 with
# named modes on both sides; here all bits of an index are one mode, and all bits of a value another.
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from collections import namedtuple

sys.path[:] = [*sys.path[1:], sys.path[0]]  # the package's name is this file's
import triton  # noqa: E402
from triton._C.libtriton.linear_layout import LinearLayout  # noqa: E402
from wire import Word, integers, no_word, reader, serve, taking  # noqa: E402

Map = namedtuple("Map", "bits bases")


def flat(bases):
    return [b for x in bases for b in flat(x)] if isinstance(bases, tuple) else [bases]


def read(text):
    m = re.fullmatch(r"F2<(\d+)>(\(.*\))", text) if isinstance(text, Word) else None
    f = Map(int(m[1]), integers(m[2])) if m else None
    if not f:
        raise no_word(f"value {text}")
    return f


def layout(f, bits=None, taken="x", given="y"):
    size = 1 << (f.bits if bits is None else bits)
    return LinearLayout.from_bases([(taken, [[b] for b in flat(f.bases)])], [given], [size], False)


def images(a):  # of the bits of its first mode, and on
    return iter([b for _, bases in a.bases for (b,) in bases])


def shown(bits, bases):
    return Word(f"F2<{bits}>" + str(bases).replace(" ", "").replace(",)", ")"))


def like(bases, values):
    return tuple(like(x, values) for x in bases) if isinstance(bases, tuple) else next(values)


def compose(f, g):
    f, g = read(f), read(g)
    bits = len(flat(f.bases))
    if max(flat(g.bases), default=0) >= 1 << bits:  # an assertion aborts its process
        raise no_word("values that are no indices")
    return shown(f.bits, like(g.bases, images(layout(g, bits).compose(layout(f, taken="y", given="z")))))


def inverse(f, exists, otherwise, how):
    f = read(f)
    a = layout(f)
    if not exists(a):
        raise otherwise("it inverts no such map")
    return shown(len(flat(f.bases)), tuple(images(how(a))))


def product(f, g):
    f, g = read(f), read(g)
    both = images(layout(f) * layout(g, taken="x'"))
    return shown(f.bits + g.bits, (like(f.bases, both), like(g.bases, both)))


operations = dict(
    f2_apply=taking(lambda f, x: layout(read(f)).apply({"x": x})["y"], Word, int),
    f2_compose=compose,
    f2_invert=lambda f: inverse(f, LinearLayout.is_invertible, ValueError, LinearLayout.invert),
    f2_right_inverse=lambda f: inverse(f, LinearLayout.is_surjective, no_word, LinearLayout.pseudoinvert),
    f2_product=product,
)

# Beyond 32 bits its process aborts.
serve("triton", triton.__version__, operations, reader(lambda s, d: (s, d)), limits="int=31")
