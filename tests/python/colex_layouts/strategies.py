"""Strategies for Hypothesis: the suite's own arguments, admissible by construction. SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from colex_layouts import _colex
from colex_layouts._colex import Layout


def _choices() -> st.SearchStrategy[list[int]]:
    """What arguments are drawn from: a smaller choice is a simpler argument, and after the last come zeros."""
    return st.lists(st.integers(0, 2**32 - 1), max_size=48)


def arguments_of(law: str) -> st.SearchStrategy[dict[str, Any]]:
    """The arguments of a law by name, within its hypothesis but for a share that exercises refusal."""
    _colex._drawn(law, [])  # there is such a law
    return _choices().map(lambda made: _colex._drawn(law, made))


def layouts() -> st.SearchStrategy[Layout]:
    """Layouts of up to a few hundred elements: nested, with strides that overlap, leave gaps or are 0."""
    return arguments_of("coalesce_function").map(lambda drawn: drawn["A"])


def admissible(operation: str) -> st.SearchStrategy[tuple[Any, ...]]:
    """Arguments that an operation has an answer for, as a tuple: those that the laws of it ask about."""
    _colex._admissible(operation, [])  # there is such an operation
    found = _choices().map(lambda made: _colex._admissible(operation, made) or ())
    return found.filter(bool)
