# A fourth oracle: layouts as quasi-affine relations of isl (islpy), for composition and both inverses. It shares nothing with
# ref, gpu or the proofs. isl checks each answer at every index before it is given; of a question that
# takes it longer than SECONDS it says that it is not decided.
# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass
from importlib.metadata import version
from math import prod

import islpy
from aborts import reading
from wire import no_kind, no_word, reader, serve, taking

SECONDS = 3  # of a processor; what isl counts as its operations takes from 0.1 to 10,000 microseconds each
SEARCHED = 32  # inverses are searched for among so many indices and values


@dataclass(frozen=True)
class Layout:
    shape: object
    stride: object


def leaves(t, empty):
    return [leaf for mode in t for leaf in leaves(mode, empty)] or [empty] if isinstance(t, tuple) else [t]


def flat(a):
    return [*zip(leaves(a.shape, 1), leaves(a.stride, 0), strict=True)]


def size(a):
    return prod(n for n, _ in flat(a))


def function(a):
    """isl's text for an index -> isl's text for the value there; the last digit has no bound."""
    *inner, (_, last) = flat(a)

    def value(i):
        terms = []
        for n, d in inner:
            terms.append(f"{d}*(({i}) mod {n})")
            i = f"floor(({i})/{n})"
        return " + ".join([*terms, f"{last}*({i})"])

    return value


def where(n, condition):
    return islpy.Set(f"{{ [i] : 0 <= i < {n} and ({condition}) }}")


def coordinates(point, n):
    return [point.get_coordinate_val(islpy.dim_type.set, k).to_python() for k in range(n)]


def points(whole, n):
    found = []
    whole.foreach_point(lambda p: found.append(coordinates(p, n)))
    return found


def at(f, i):
    return points(islpy.Set(f"{{ [{f(i)}] }}"), 1)[0][0]


def graph(a):
    """All pairs of a value and an index."""
    return points(islpy.Map(f"{{ [i] -> [{function(a)('i')}] : 0 <= i < {small(size(a))} }}").reverse().wrap(), 2)


def small(n):
    if n > SEARCHED:
        raise no_word(f"a search among {n}")
    return n


def no_layout(why):
    raise ValueError(why)


def runs(f, n):
    """The modes of f below n: each goes as far as f is linear, the rest is f at the multiples of that."""
    while n > 1:
        d = at(f, 1)
        m = min((i for (i,) in points(where(n, f"{f('i')} != {d}*i").lexmin(), 1)), default=n)
        if n % m:
            no_layout(f"a run of {m} in {n}")
        yield m, d
        f, n = scaled(f, m), n // m


def scaled(f, m):
    return lambda i: f(f"{m}*({i})")


def of_modes(modes):
    if len(modes) == 1:
        return Layout(*modes[0])
    return Layout(*map(tuple, zip(*modes))) if modes else Layout(1, 0)


def by_leaf(f, b):
    """What f has along each leaf of B, in the form of B."""
    if not isinstance(b.shape, tuple):
        return of_modes([*runs(scaled(f, b.stride), b.shape)])
    parts = [by_leaf(f, Layout(*mode)) for mode in zip(b.shape, b.stride)]
    return Layout(tuple(p.shape for p in parts), tuple(p.stride for p in parts))


def composition(a, b):
    b = Layout(b, 1) if isinstance(b, int) else b
    if size(b) < 1:
        no_layout("no elements")
    inner, outer = function(b), function(a)
    if not where(size(b), f"{inner('i')} < 0").is_empty():
        raise no_word("B below 0")
    r = by_leaf(outer, b)
    if not where(size(b), f"{function(r)('i')} != {outer(inner('i'))}").is_empty():
        no_layout("a carry")
    return r


def right_inverse(a):
    """The largest R, depth first over its modes: one of stride r goes on where A(r) is the size so far."""
    indices = {}
    for v, i in graph(a):
        indices.setdefault(v, []).append(i)
    bound = next(v for v in range(size(a) + 1) if v not in indices)

    def is_inverse(r, n):
        i = function(r)("i")
        return where(n, f"{function(a)(i)} != i or {i} < 0 or {i} >= {size(a)}").is_empty()

    def largest(modes, n):
        found = modes, n
        for m in range(bound // n, 1, -1):
            for r in indices[n]:
                if found[1] < bound and is_inverse(of_modes([*modes, (m, r)]), n * m):
                    found = max(found, largest([*modes, (m, r)], n * m), key=lambda f: f[1])
        return found

    return of_modes(largest([], 1)[0])


def strides_through(extents, pairs):
    """Of the layout of these extents that has those pairs, as far as they are below its size: a system of equations."""
    names = [f"d{k}" for k in range(len(extents))]
    weights = [prod(extents[:k]) for k in range(len(extents))]
    rows = [[f"{v // w % n}*{d}" for d, w, n in zip(names, weights, extents)] + [f"0 = {i}"] for v, i in pairs]
    equations = " and ".join(" + ".join(row) for row, (v, _) in zip(rows, pairs) if v < prod(extents))
    found = islpy.Set(f"{{ [{', '.join(names)}] : {equations} }}").sample_point()
    return None if found.is_void() else coordinates(found, len(extents))


def through(extents, pairs, count):
    """The first layout through the pairs that begins so and has `count` digits more, the last of which has no bound."""
    if (strides := strides_through(extents, pairs)) is None:
        return None
    left = pairs[-1][0] // prod(extents) + 1
    if left == 1:
        return of_modes([*zip(extents, strides)])
    choice = range(left, 1, -1) if count > 1 else [left] * count
    return next(filter(None, (through([*extents, m], pairs, count - 1) for m in choice)), None)


def left_inverse(a):
    pairs = sorted(dict(sorted(graph(a), reverse=True)).items())  # of each value its first index
    last = small(pairs[-1][0])
    if pairs[0][0] < 0 or prod(n for n, d in flat(a) if d) > len(pairs):
        raise no_word("values below 0, or twice")
    if last == 0:
        return Layout(size(a), 0)
    found = (through([], pairs, count) for count in range(1, last.bit_length() + 1))
    return next(filter(None, found), None) or no_layout("no strides of any digits")


operations = {f.__name__: taking(f, Layout) for f in (size, right_inverse, left_inverse)}
operations["composition"] = taking(composition, Layout, (Layout, int))
operations["apply"] = taking(lambda a, i: at(function(a), i), Layout, int)
serve("relations", "islpy-" + version("islpy"), operations, reader(Layout, tiler=no_kind), say=reading(seconds=SECONDS))
