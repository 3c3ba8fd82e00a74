"""The suite: judging functions or programs by the laws, and asserting single facts. SPDX-License-Identifier: Apache-2.0"""

from __future__ import annotations

from colex_layouts import _colex
from colex_layouts._colex import Layout
from colex_layouts.errors import Error, JudgedInPart, Malformed, Undecided

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from colex_layouts import wire


def adapter(
    operations: Mapping[str, Callable[..., Any]],
    value: Callable[[str], Any] | None = None,
    show: Callable[[Any], str] | None = None,
    *,
    name: str = "python",
    version: str = "0",
    limits: str = "",
) -> wire.Adapter:
    """What answers request lines by functions named as operations are; its method `serve` makes a program of it.

    value: makes the functions' arguments out of text: wire.reader(MyLayout); without it they are this package's values.
    show: writes what they give as text; whatever has .shape and .stride is a layout.
    limits: what they do not take: `int=32 min=0`.
    """
    from colex_layouts import wire

    for name_of, f in operations.items():
        if not callable(f) or not name_of.isidentifier():
            raise TypeError(f"{name_of!r}: {f!r} is no operation's name and its function")
    shown = wire.show if value else _colex.text_of
    return wire.Adapter(name, version, operations, value or _colex.ask, show or shown, limits)


class Failure:
    """A law that a run broke, with the smallest input found."""

    def __init__(self, law: dict[str, Any], text: str) -> None:
        found = law.get("failure", {})
        self.law: str = law["law"]
        self.operation: str = law["operation"]
        self.verdict: str = law["verdict"]
        self.statement: str = law["statement"]
        self.under: str | None = law.get("under")  # another law's failure, of which this one is thought to follow
        self.counterexample: dict[str, Any] = {name: _read(v) for name, v in found.get("where", {}).items()}
        self.left: str = found.get("left", "")
        self.right: str = found.get("right", "")
        self.again: str = found.get("again", "")
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.law} {self.verdict} {self.counterexample}>"


def _read(text: str) -> Any:
    try:
        return _colex.ask(text)
    except Malformed:  # an answer outside the notation
        return text


class Run:
    """What a run of the suite came to: true where the implementation conforms."""

    def __init__(self, run: _colex._Run) -> None:
        import json

        self._run = run
        self.results: dict[str, Any] = json.loads(run.json())
        laws = self.results["laws"]
        self.verdicts: dict[str, str] = {law["law"]: law["verdict"] for law in laws}
        self.exit_code: int = self.results["exit"]
        self.failures = [
            Failure(law, run.failure(k))
            for k, law in enumerate(laws)
            if (law.get("failed") and not law.get("known")) or law.get("lost")
        ]
        # What was judged of laws that hold in part, and why others were not.
        self.in_part: dict[str, str] = {}
        self.not_judged: dict[str, str] = {}
        for k, law in enumerate(laws):
            if law.get("failed"):
                continue
            if not run.is_judged(k):
                self.not_judged[law["law"]] = run.judged(k)
            elif law["verdict"] == "partly":
                self.in_part[law["law"]] = run.judged(k)

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def is_skipped(self) -> bool:
        """Was nothing judged, since none of it is offered, though the operations are?"""
        asked = {law["operation"] for law in self.results["laws"]}
        none_offered = any(law["count"]["unsupported"] for law in self.results["laws"])
        return self.verdicts.keys() == self.not_judged.keys() and none_offered and asked <= set(self.results["offered"])

    def text(self, verbose: bool = False) -> str:
        """As `colex conform` prints it; `verbose` has a table of all laws."""
        return self._run.text(verbose)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        fails = f"{len(self.failures)} laws fail" if self.failures else "does not conform: its text says why"
        return f"<Run: {'conforms' if self else fails}>"

    def html(self) -> str:
        """A page that needs no script and no network."""
        return self._run.html()

    def _repr_html_(self) -> str:
        import html

        style = "width:100%;height:40em;border:1px solid #8888"
        return f'<iframe style="{style}" srcdoc="{html.escape(self.html())}"></iframe>'

    def to_html(self, file: str | os.PathLike[str]) -> None:
        """Writes the page."""
        _colex._write(file, self.html())

    def to_junit(self, file: str | os.PathLike[str]) -> None:
        """Writes a JUnit report."""
        _colex._write(file, self._run.junit())

    def to_json(self, file: str | os.PathLike[str]) -> None:
        """Writes `results`, as `colex report` and `colex merge` read them."""
        _colex._write(file, self._run.json())

    def to_baseline(self, file: str | os.PathLike[str]) -> None:
        """Writes what fails, what passes and what is offered, for `conform(baseline=...)`."""
        _colex._write(file, self._run.baseline())


def _is_watched() -> bool:
    """Is there a terminal, or a notebook that can take back what it showed, and tqdm?"""
    import importlib.util
    import sys

    notebook = "ipykernel" in sys.modules
    looks = notebook or (sys.stderr is not None and sys.stderr.isatty())
    return looks and all(importlib.util.find_spec(each) for each in ["tqdm", "ipywidgets"][: 1 + notebook])


def _bar(progress: bool | Callable[[str, int, int], object] | None) -> Callable[[str, int, int], object] | None:
    if callable(progress):
        return progress
    if not (_is_watched() if progress is None else progress):
        return None
    from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]

    bar = tqdm(unit="law", leave=False, delay=0.5, mininterval=0.5)

    def tell(name: str, done: int, of: int) -> None:
        bar.total = of
        bar.set_postfix_str(name, refresh=False)
        bar.update(done - bar.n)
        if done == of:
            bar.close()

    return tell


def conform(
    operations: Mapping[str, Callable[..., Any]] | wire.Adapter | None = None,
    *,
    command: Sequence[str] | None = None,
    progress: bool | Callable[[str, int, int], object] | None = None,
    baseline: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Run:
    """Judges functions in this process, or a program, by the laws.

    operations: functions by the operation's name, of this package's values; of others, an `adapter`.
    command: a program instead, which may hang or crash: it runs in a process of its own.
    progress: a bar (tqdm), or a function of the law at hand, how many are done and of how many; without it a bar where
    tqdm is installed and somebody looks: on a terminal, or in a notebook with ipywidgets.
    options: law, op, level, since, seed, count, time, exact, timeout, jobs, only, cases, require_ops, allow_lost, as
    `colex conform --help` has them; again: what failures show that runs them again, in place of this call.

    >>> run = conform({"size": lambda a: 7}, op="size", count=50)
    >>> bool(run), run.failures[0].law, run.failures[0].counterexample
    (False, 'size_product', {'A': Layout('2:1')})
    """
    import os

    if (operations is None) == (command is None):
        raise TypeError("conform takes either operations or a command")
    if isinstance(command, str) or (command is not None and not command):
        raise TypeError(f"a command is a list of words, not {command!r}")
    unknown = options.keys() - set(
        "law op level since seed count time exact timeout jobs only cases require_ops allow_lost again".split()
    )
    if unknown:
        raise TypeError(f"conform has no option {sorted(unknown)[0]}")
    if options.get("level", "full") not in ("core", "full", "atoms"):
        raise ValueError(f"level is core, full or atoms, not {options['level']!r}")
    options = {key: value for key, value in {**options, "baseline": baseline}.items() if value is not None}
    for key in options.keys() & {"time", "timeout"}:
        options[key] = _seconds(key, options[key])
    for key in options.keys() & {"count", "jobs"}:
        if not isinstance(options[key], int) or options[key] < 1:
            raise ValueError(f"{key} is 1 at least, not {options[key]!r}")
    if command is not None:
        options.setdefault("jobs", min(4, os.cpu_count() or 1))
        return Run(_colex._conform({**options, "program": list(command)}, None, _bar(progress)))
    asked = operations if callable(operations) else adapter(operations or {})
    return Run(_colex._conform({**options, "program": [asked.name]}, asked, _bar(progress)))


def _seconds(name: str, given: Any) -> float:
    n = _colex._seconds_in(given) if isinstance(given, str) else given
    if not isinstance(n, (int, float)) or not 0 < n <= 365 * 24 * 3600:
        raise ValueError(
            f"{name} is in seconds, or a text such as '30s', '5m' or '1h': more than nothing and a year at most, not {given!r}"
        )
    return n


# ---- single facts ----


def check(law: str, operations: Mapping[str, Callable[..., Any]] | wire.Adapter, **options: Any) -> None:
    """Asserts that functions keep a law, or each that the pattern matches; options are those of `conform`.

    Of a law that holds in part a warning, JudgedInPart, says what was judged. Where none of what the laws ask is offered,
    though other requests of the operation are, unittest.SkipTest says why: pytest and unittest skip the test.

    >>> check("size_product", {"size": lambda a: a.size()})
    """
    import unittest
    import warnings

    run = conform(operations, law=law, **{"count": 400, "progress": False, **options})
    for name, judged in run.in_part.items():
        warnings.warn(f"{name} {judged}", JudgedInPart, stacklevel=2)
    if run.failures:
        raise AssertionError("\n".join(map(str, run.failures)))
    if run.is_skipped():
        raise unittest.SkipTest("; ".join(f"{name} {why}" for name, why in run.not_judged.items()))
    if not run:
        raise AssertionError(run.text())


most_points = 1 << 16  # looked at one by one


def assert_same_function(a: Any, b: Any) -> None:
    """Asserts that two layouts have the same size and the same value at every index, however they are spelled.

    >>> assert_same_function("(4,8):(1,4)", "32:1")
    """
    a, b = Layout(a), Layout(b)
    if a.size() != b.size():
        raise AssertionError(f"{a} has {a.size()} elements, {b} has {b.size()}")
    if a.coalesce() == b.coalesce():
        return
    for i in range(min(a.size(), most_points)):
        if a(i) != b(i):
            raise AssertionError(f"at {i}, {a} is {a(i)} and {b} is {b(i)}")
    if a.offset is None and b.offset is None:  # then the coalesced form is one
        raise AssertionError(f"{a} and {b} are different functions")
    if a.size() > most_points:
        raise Undecided(f"{a} and {b} are the same at the first {most_points} indices")


def assert_bijective(a: Any) -> None:
    """Asserts that a layout takes each value below its size exactly once.

    >>> assert_bijective("(4,8):(8,1)")
    """
    a = Layout(a)
    n = a.size()
    at: dict[Any, int] = {}
    for i in range(min(n, most_points)):
        v = a(i)
        if v in at:
            raise AssertionError(f"{a} is {v} at {at[v]} and at {i}")
        if not isinstance(v, int) or not 0 <= v < n:
            raise AssertionError(f"{a} is {v} at {i}, no value below its size {n}")
        at[v] = i
    if n > most_points and _inverse_size(a) != n:
        raise AssertionError(f"{a} does not take every value below its size {n}")


def _inverse_size(a: Layout) -> int:
    try:
        return a.right_inverse().size()
    except Error:
        return 0
