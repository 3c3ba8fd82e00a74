# The wire for adapters in Python: text <-> values, and the loop that answers. Translates; never judges or corrects.
# A package brings its own layout, and its own swizzle and composed layout where it has them; whatever has .shape and
# .stride is shown as a layout, and so on.
# SPDX-License-Identifier: Apache-2.0
import functools
import inspect
import itertools
import os
import re
import sys


class no_word(Exception):
    """What the notation or the package has no word for: an adapter raises it for what it does not offer."""


class Word(str):
    """true, LayoutLeft, 4b, the name of an atom."""


def bits_of(width):  # 16b is a type of so many bits, and so is 16
    return int(width[:-1]) if isinstance(width, Word) else width


def no_kind(*parts):
    raise no_word(f"value {parts}")


def modes(text):  # split at the commas outside brackets
    depth = itertools.accumulate((c in "(<") - (c in ")>") for c in text)
    return "".join(" " if c == "," and d == 0 else c for c, d in zip(text, depth)).split(" ")


def integers(text, basis=no_kind):  # a mode left open is None, n@i@j is basis(n, i, j)
    if not re.fullmatch(r"[-_X\d,()@]+", text):
        no_kind(text[:40])
    text = re.sub(r"(?<!\()\)", ",)", re.sub("[_X]", "None", text))
    try:
        return eval(re.sub(r"-?\d+@[\d@]+", lambda m: f"basis({m[0].replace('@', ',')})", text), {"basis": basis})
    except (SyntaxError, MemoryError, RecursionError):
        no_kind(text[:40])


def reader(layout, swizzle=no_kind, composed=no_kind, tiler=lambda *modes: modes, basis=no_kind):
    """text -> value, made by the package's own makers; tuples, integers and None are Python's."""

    @functools.lru_cache(4096)
    def value(text):
        if m := re.fullmatch(r"Sw<(\d+),(\d+),(-?\d+)>(?:o(.+?)o(.+))?", text):
            w = swizzle(int(m[1]), int(m[2]), int(m[3]))
            return composed(w, integers(m[4]), value(m[5])) if m[5] else w
        if text.startswith("<"):
            return tiler(*map(value, modes(text[1:-1])))
        if ":" in text:
            return layout(*(integers(part, basis) for part in text.split(":")))
        return Word(text) if re.match(r"[A-Za-z]\w|\d+b", text) else integers(text)

    return value


def show(v):
    if isinstance(v, (bool, Word)):
        return str(v).lower() if isinstance(v, bool) else v
    if isinstance(v, int):
        return str(int(v))
    if isinstance(v, tuple):
        if len(v) == 2 and hasattr(v[0], "shape"):  # a layout and its offset
            return f"{show(v[1])}o{show(v[0])}" if v[1] or not hasattr(v[0], "inner") else show(v[0])
        return "(" + ",".join(map(show, v)) + ")"
    if hasattr(v, "inner"):
        return f"{show(v.outer)}o{show(v.offset)}o{show(v.inner)}"
    if hasattr(v, "shape"):
        return f"{show(v.shape)}:{show(v.stride)}"
    if hasattr(v, "bits"):
        return f"Sw<{v.bits},{v.base},{v.shift}>"
    raise TypeError(f"no value of the notation: {v!r}")


def taking(f, *kinds):
    """f, offered for arguments of these types alone, by their place."""

    @functools.wraps(f)
    def asked(*arguments):
        for x, kind in zip(arguments, kinds):
            if not isinstance(x, kind):
                raise no_word(f"not for {type(x).__name__} {x}")
        return f(*arguments)

    return asked


@functools.lru_cache(None)
def takes(f, count):  # as many arguments, by its own list of parameters?
    try:
        inspect.signature(f).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # nobody knows: it is written in C
        pass
    return True


# What no implementation raises to say that there is no answer: the adapter dies of it, and the suite reports that.
accidents = (TypeError, AttributeError, KeyError, NameError, OverflowError)


def lines():
    rest = b""
    while read := os.read(0, 1 << 20):  # what has come is answered, then written at once
        *whole, rest = (rest + read).split(b"\n")
        yield [line.decode() for line in whole]


def say(answer, batch):
    said = []
    try:
        for line in batch:
            said.append(answer(line) + "\n")
    finally:  # what was answered before an accident is said
        sys.stdout.write("".join(said))
        sys.stdout.flush()


def serve(name, version, operations, value, show=show, limits="", say=say):
    """Answers until the input ends. operations: name -> function of values; limits: `int=32 min=0 strides=nonnegative`;
    say: writes the answers to a batch of lines."""

    def asked(operation, *arguments):
        f = operations.get(operation)
        if f is None or not takes(f, len(arguments)):
            raise no_word(f"{operation} of {len(arguments)} arguments")
        return show(f(*map(value, arguments)))

    def answer(line):
        if line == "hello":
            return " ".join(["colex 1", name, version, *limits.split(), *operations])
        try:
            return asked(*line.split() or [""])
        except accidents:
            raise
        except Exception as e:
            if isinstance(e, (no_word, NotImplementedError)):
                return " ".join(["unsupported", *str(e).split()])
            return " ".join(["undefined", type(e).__name__, *str(e).split()])

    for batch in lines():
        say(answer, batch)
