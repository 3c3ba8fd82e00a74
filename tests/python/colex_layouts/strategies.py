"""Strategies for Hypothesis: plain layouts, and the suite's own arguments, admissible by construction.

SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from colex_layouts import _colex
from colex_layouts._colex import Layout

# Values are made in composites: of what is mapped, Hypothesis shows how it was made.
_choices = st.lists(st.integers(0, 2**32 - 1), max_size=48)  # a smaller one is simpler, and after the last come zeros


@st.composite
def _arguments_of(draw: st.DrawFn, law: str) -> dict[str, Any]:
    return _colex._drawn(law, draw(_choices))


@st.composite
def _admissible(draw: st.DrawFn, operation: str) -> tuple[Any, ...]:
    return _colex._admissible(operation, draw(_choices)) or ()


def arguments_of(law: str) -> st.SearchStrategy[dict[str, Any]]:
    """The arguments of a law by name, within its hypothesis but for a share that exercises refusal."""
    _colex._drawn(law, [])  # there is such a law
    return _arguments_of(law)


def admissible(operation: str) -> st.SearchStrategy[tuple[Any, ...]]:
    """Arguments that an operation has an answer for, as a tuple: those that the laws of it ask about.

    They are of every kind that it takes. Of composition, say, the first may be a layout, plain or behind a swizzle or an
    offset, or a Swizzle, the second also an integer or a tiler, and the answer to two swizzles is a Swizzle, which has no size.
    For some of these, filter: `admissible("composition").filter(lambda ab: all(map(is_plain, ab)))`.
    """
    _colex._admissible(operation, [])  # there is such an operation
    return _admissible(operation).filter(bool)


def is_plain(x: object) -> bool:
    """Is it a layout, behind neither a swizzle nor an offset?"""
    return isinstance(x, Layout) and x.swizzle is None and x.offset is None


# ---- layouts: their size first, which may then be split, so that they shrink to a single mode ----

_most_elements, _most_modes = 512, 5


@st.composite
def _sizes(draw: st.DrawFn) -> int:
    size = draw(st.integers(1, _most_elements))
    step = draw(st.sampled_from([1, 12, 16]))  # of these more layouts have more modes
    return size - size % step if size >= step else size


@st.composite
def _modes(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Extents and strides. What is drawn for a mode stands together, so that a mode can go."""
    size = draw(_sizes())
    extents: list[int] = []
    ordered: list[tuple[int, int]] = []  # modes, and the gap behind the one before
    fixed: dict[int, int] = {}
    while True:
        # 0: it takes what is left; what has no elements of its own comes last.
        splits = [0, *(d for d in range(2, size + 1) if size % d == 0), 1] if len(extents) < _most_modes - 1 else [0]
        extent = draw(st.sampled_from(splits))
        k = len(extents)
        extents.append(extent or size)
        ordered.insert(k - draw(st.integers(0, k)), (k, draw(st.sampled_from([1, 1, 2, 3]))))
        if draw(st.sampled_from([False, False, True])):  # it overlaps others, or is 0
            fixed[k] = draw(st.integers(0, 2 * _most_elements))
        if not extent:
            break
        size //= extent
    strides, next_stride = [0] * len(extents), 1
    for k, gap in ordered:
        strides[k] = fixed.get(k, next_stride * gap)
        next_stride *= gap * extents[k]
    return extents, strides


def _nested(draw: st.DrawFn, leaves: list[tuple[int, int]]) -> tuple[Any, Any]:
    if len(leaves) == 1:
        return leaves[0]
    cut = draw(st.integers(0, len(leaves) - 1))  # 0: as they are
    if not cut:
        return tuple(s for s, _ in leaves), tuple(d for _, d in leaves)
    front, back = _nested(draw, leaves[:cut]), _nested(draw, leaves[cut:])
    return (front[0], back[0]), (front[1], back[1])


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Plain layouts of up to 512 elements: nested, in any order, with strides that overlap, leave gaps or are 0."""
    return Layout(*_nested(draw, list(zip(*draw(_modes())))))
