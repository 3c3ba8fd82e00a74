# The wire for adapters in Python: text <-> values, and the loop that answers. Translates; never judges or corrects.
# A package brings its own layout, and its own swizzle and composed layout where it has them; whatever has .shape and
# .stride is shown as a layout, and so on. Needs nothing; in the package colex_layouts it is colex_layouts.wire.
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
import inspect
import itertools
import os
import re
import sys
import traceback
from typing import Any, Callable, Iterator, Mapping, NoReturn


class no_word(Exception):
    """What the notation or the package has no word for: an adapter raises it for what it does not offer."""


class Word(str):
    """true, LayoutLeft, 4b, the name of an atom."""


def bits_of(width: Any) -> int:  # 16b is a type of so many bits, and so is 16
    return int(width[:-1]) if isinstance(width, Word) else int(width)


def no_kind(*parts: Any) -> NoReturn:
    raise no_word(f"value {parts}")


def modes(text: str) -> list[str]:  # split at the commas outside brackets
    depth = itertools.accumulate((c in "(<") - (c in ")>") for c in text)
    return "".join(" " if c == "," and d == 0 else c for c, d in zip(text, depth)).split(" ") if text else []


def integers(text: str, basis: Callable[..., Any] = no_kind) -> Any:  # a mode left open is None, n@i@j is basis(n, i, j)
    if not re.fullmatch(r"[-_X\d,()@]+", text):
        no_kind(text[:40])
    text = re.sub(r"(?<!\()\)", ",)", re.sub("[_X]", "None", text))
    try:
        return eval(re.sub(r"-?\d+@[\d@]+", lambda m: f"basis({m[0].replace('@', ',')})", text), {"basis": basis})
    except (SyntaxError, MemoryError, RecursionError):
        no_kind(text[:40])


def reader(
    layout: Callable[[Any, Any], Any],
    swizzle: Callable[[int, int, int], Any] = no_kind,
    composed: Callable[[Any, Any, Any], Any] = no_kind,
    tiler: Callable[..., Any] = lambda *modes: modes,
    basis: Callable[..., Any] = no_kind,
    view: Callable[[Any, Any], Any] = no_kind,
) -> Callable[[str], Any]:
    """text -> value, made by the package's own makers: layout(shape, stride), swizzle(bits, base, shift), composed(swizzle,
    offset, layout), tiler(*modes), basis(n, *modes), view(offset, layout); tuples, integers and None are Python's."""

    @functools.lru_cache(4096)
    def value(text: str) -> Any:
        if m := re.fullmatch(r"Sw<(\d+),(\d+),(-?\d+)>(?:o(.+?)o(.+))?", text):
            w = swizzle(int(m[1]), int(m[2]), int(m[3]))
            return composed(w, integers(m[4], basis), value(m[5])) if m[5] else w
        if re.match(r"(?!X$)[A-Za-z]", text) or re.fullmatch(r"\d+b", text):
            return Word(text)
        if text.startswith("<"):
            return tiler(*map(value, modes(text[1:-1])))
        if m := re.fullmatch("(.+)o(.+)", text):
            return view(integers(m[1], basis), value(m[2]))
        if ":" in text:
            return layout(*(integers(part, basis) for part in text.split(":")))
        return integers(text)

    return value


def show(v: Any) -> str:
    if isinstance(v, (bool, Word)):
        return str(v).lower() if isinstance(v, bool) else v
    if isinstance(v, int):
        return str(int(v))
    if isinstance(v, tuple):
        if len(v) == 2 and hasattr(v[0], "shape"):  # a layout and its offset
            return f"{show(v[1])}o{show(v[0])}" if v[1] or not hasattr(v[0], "inner") else show(v[0])
        return "(" + ",".join(map(show, v)) + ")"
    if hasattr(v, "inner"):
        if not hasattr(v.outer, "bits"):  # a layout, of a swizzle's values
            no_kind(v)
        return f"{show(v.outer)}o{show(v.offset)}o{show(v.inner)}"
    if hasattr(v, "shape"):
        return f"{show(v.shape)}:{show(v.stride)}"
    if hasattr(v, "bits"):
        return f"Sw<{v.bits},{v.base},{v.shift}>"
    raise TypeError(f"no value of the notation: {v!r}")


def taking(f: Callable[..., Any], *kinds: Any) -> Callable[..., Any]:
    """f, offered for arguments of these types alone, by their place."""

    @functools.wraps(f)
    def asked(*arguments: Any) -> Any:
        for x, kind in zip(arguments, kinds):
            if not isinstance(x, kind):
                raise no_word(f"not for {type(x).__name__} {x}")
        return f(*arguments)

    return asked


@functools.lru_cache(None)
def takes(f: Callable[..., Any], count: int) -> bool:  # as many arguments, by its own list of parameters?
    try:
        inspect.signature(f).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # nobody knows: it is written in C
        pass
    return True


# What no implementation raises to say that there is no answer: it has died of the request, and is asked on.
accidents = (TypeError, AttributeError, KeyError, NameError, OverflowError)


def lines() -> Iterator[list[str]]:
    rest = b""
    while read := os.read(0, 1 << 20):  # what has come is answered, then written at once
        *whole, rest = (rest + read).split(b"\n")
        yield [line.decode() for line in whole]


def say(answer: Callable[[str], str], batch: list[str]) -> None:
    said = []
    try:
        for line in batch:
            said.append(answer(line) + "\n")
    finally:  # what was answered before the end is said
        sys.stdout.write("".join(said))
        sys.stdout.flush()


def accident(e: Exception, arguments: list[Any]) -> str:
    text = " ".join(["died raised", f"{type(e).__name__}:", *str(e).split()])[:200]
    others = [type(x).__name__ for x in arguments if not hasattr(x, "shape")]
    # Who has layouts in mind is told that there is more, and how to leave it out.
    if others and isinstance(e, (TypeError, AttributeError)):
        text += f" (asked with {others[0]}: where that is not offered, `taking`, of wire.py, says so)"
    return text


class Adapter:
    """Answers lines by functions of values. operations: name -> function; value: text -> value, as a reader makes it;
    limits: `int=32 min=0 strides=nonnegative`."""

    def __init__(
        self,
        name: str,
        version: str,
        operations: Mapping[str, Callable[..., Any]],
        value: Callable[[str], Any],
        show: Callable[[Any], str] = show,
        limits: str = "",
    ) -> None:
        self.name, self.operations, self.value, self.show = name, dict(operations), value, show
        about = [re.sub("[^!-~]+", "_", word) or "_" for word in (name, version)]
        self.serves = False  # a program, whose standard error is read by people
        self.greeting = " ".join(["colex 1", *about, *limits.split(), *operations])

    def asked(self, operation: str, *words: str) -> str:
        f = self.operations.get(operation)
        if f is None:
            raise no_word(f"{operation} is not offered")
        if not takes(f, len(words)):
            raise no_word(f"{operation} with {len(words)} arguments")
        arguments: list[Any] = []
        try:
            arguments += map(self.value, words)
            return self.show(f(*arguments))
        except accidents as e:
            if self.serves:
                traceback.print_exc()
            return accident(e, arguments)

    def __call__(self, line: str) -> str:
        if line == "hello":
            return self.greeting
        try:
            return self.asked(*line.split() or [""])
        except Exception as e:
            offered = not isinstance(e, (no_word, NotImplementedError))
            # Errors of colex_layouts say which answer they are.
            says = getattr(e, "says", f"undefined {type(e).__name__}" if offered else "unsupported")
            return " ".join([says, *str(e).split()])

    def serve(self, say: Callable[..., None] = say) -> None:
        """Answers until the input ends. say: writes the answers to a batch of lines."""
        self.serves = True
        for batch in lines():
            say(self, batch)


def serve(*about: Any, say: Callable[..., None] = say, **more: Any) -> None:
    """Answers as Adapter(*about, **more) does."""
    Adapter(*about, **more).serve(say)
