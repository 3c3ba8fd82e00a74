"""What explains and shows: explanations, pictures, lists of what there is. SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

from collections import namedtuple

from colex_layouts import _colex

TYPE_CHECKING = False  # what only a type checker needs would take longer to import than all the rest
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


Step = namedtuple("Step", "name why result")
Operation = namedtuple("Operation", "name arguments group level example")
Law = namedtuple("Law", "name operation group statement arguments stated source since proved unproved")


class Explanation:
    """How the reference comes to its answer: `str` is all of it, notebooks show a table of the steps."""

    def __init__(self, text: str, steps: tuple[tuple[str, str, Any], ...], result: Any, refusal: str) -> None:
        self.text, self.result, self.refusal = text, result, refusal
        self.steps = tuple(Step(*step) for step in steps)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        def row(cell: str, *texts: str) -> str:
            return f"<tr>{''.join(f'<{cell} {left}>{html.escape(text)}</{cell}>' for text in texts)}</tr>"

        left, fixed = 'style="text-align:left"', 'style="font-family:monospace;line-height:1.3"'
        request, *parts = self.text.split("\n\n")
        steps = [row("td", s.name, str(s.result), s.why) for s in self.steps]
        table = f"<table>{row('th', 'step', 'gives', 'why')}{''.join(steps)}</table>" if steps else ""
        shown = html.escape("\n\n".join(parts[1:] if steps else parts))  # behind the steps
        return f"<div><pre {fixed}>{html.escape(request)}</pre>{table}<pre {fixed}>{shown}</pre></div>"


def _line(words: Iterable[Any]) -> str:
    return " ".join(x if isinstance(x, str) else _colex.text_of(x) for x in words)


def explain(*request: Any) -> Explanation:
    """The steps to an answer: of a request in one text, or of an operation and its arguments.

    >>> explain("complement", "4:2", 24).result
    Layout('(2,3):(1,8)')
    """
    return Explanation(*_colex._explain(_line(request)))


def solve(*equation: Any) -> Any:
    """The smallest layout that makes an equation true; the unknown is `...` or `?`, the last argument what it shall equal.

    >>> solve("composition", "(4,8):(8,1)", ..., "32:1")
    Layout('(8,4):(4,1)')
    """
    if len(equation) > 1:
        *left, right = ["?" if word is ... else word for word in equation]
        equation = (_line(left), "=", _line([right]))
    return _colex._solve(_line(equation))


def _several(x: Any) -> list[Any]:
    return [] if x is None else list(x) if isinstance(x, list) else [x]


def _highlighted(x: Any) -> str:
    return x[1:] if isinstance(x, str) and x.startswith("T") else _line([x])


def draw(
    *what: Any,
    highlight: Any = None,
    only: str | list[str] | None = None,
    banks: int = 0,
    slices: bool = False,
) -> _colex.Figure:
    """A picture of a layout, an atom, an operation's answer, or whatever `colex draw` takes.

    highlight: a thread, tile or value by number, an element or slice such as (3, None), or a list of those; only: panels by
    name; banks: colour by bank of shared memory, elements of that many bits; slices: a panel for each further coordinate.
    """
    return _colex._draw(_line(what), [_highlighted(x) for x in _several(highlight)], _several(only), banks, slices)


class Atom:
    """An MMA or copy atom; its fields are attributes, such as `CLayout` or `SrcLayout`."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.kind: str = _colex._kind_of_atom(name)
        if not self.kind:
            _colex._mma_atom(name, "ThrID")  # says which name may have been meant

    @property
    def fields(self) -> dict[str, Any]:
        """Those that it has."""
        return {name: getattr(self, name) for name in dir(self) if name[0].isupper()}

    def __dir__(self) -> list[str]:
        names = _colex._fields[self.kind == "copy_atom"].split()
        return [*super().__dir__(), *(name for name in names if hasattr(self, name))]

    def __getattr__(self, field: str) -> Any:
        if field.startswith("_"):
            raise AttributeError(field)
        try:
            return getattr(_colex, "_" + self.kind)(self.name, field)
        except Exception as e:
            raise AttributeError(f"{self.name}: {e}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[type[Atom], tuple[str]]:
        return Atom, (self.name,)

    def __repr__(self) -> str:
        return f"Atom({self.name!r})"

    def draw(self, **options: Any) -> _colex.Figure:
        """See `draw`."""
        return draw(self.name, **options)

    def _repr_svg_(self) -> str:
        return self.draw().svg


def mma_atom(name: str, field: str | None = None) -> Any:
    """An MMA atom, or a field of it.

    >>> mma_atom("SM80_16x8x16_F32F16F16F32_TN", "CLayout")
    Layout('((4,8),(2,2)):((32,1),(16,8))')
    """
    return Atom(name) if field is None else _colex._mma_atom(name, field)


def copy_atom(name: str, field: str | None = None) -> Any:
    """A copy atom, or a field of it."""
    return Atom(name) if field is None else _colex._copy_atom(name, field)


def bank_conflicts(A: Any, bits: Any = 16, bytes: int | None = None, *, atom: str | None = None) -> Any:
    """The turns beyond the first that threads take at elements A(i) of so many bits: of accesses of `bytes` bytes, or, a
    number for each phase, of an instruction.

    >>> bank_conflicts("(8,8):(128,16)", 8, 16), bank_conflicts("32:8", atom="SM75_U32x4_LDSM_N")
    (56, (1, 1, 1, 1))
    """
    if bytes is not None and atom is None:
        return _colex._bank_conflicts(A, bits, bytes)
    if bytes is None and atom is not None:
        return _colex.bank_conflict_phases(A, f"{bits}b" if isinstance(bits, int) else bits, atom)
    raise TypeError("bank_conflicts takes either the bytes of an access or an atom")


def atoms(pattern: str = "") -> list[Atom]:
    """Those with this in their name: a part of it, or a shell pattern.

    >>> atoms("SM80_16x8x16_F32F16*")
    [Atom('SM80_16x8x16_F32F16F16F32_TN')]
    """
    return [Atom(name) for name in _colex._atoms(pattern)]


def operations(pattern: str = "") -> list[Operation]:
    """Those with this in their name, each with its arguments and an example.

    >>> operations("complement")[0].arguments
    'A:tensor [M|S:integers]'
    """
    import json

    return [Operation(*row.values()) for row in json.loads(_colex._operations(pattern))]


def laws(pattern: str = "") -> list[Law]:
    """Every law, those of an operation, or those of a name, a shell pattern: what each states, where, after whom, since when,
    and whether it is proved.

    >>> [law.statement for law in laws("size_product")]
    ['size(A) == the product of the extents of A']
    >>> [law.name for law in laws("cosize")]
    ['cosize_last', 'cosize_span']
    """
    import json

    return [Law(*row.values()) for row in json.loads(_colex._laws(pattern))]
