# Lets CuTe C++ with static integers answer requests: `cute_static.py INCLUDE...`. What has come is compiled at once; the
# compiler's complaint of a type that is incomplete names each answer, and a static assertion that fires is `undefined`.
# SPDX-License-Identifier: Apache-2.0
import re

import cute
from cute import templated
from wire import lines, no_kind, no_word

cute.operations |= dict(
    {
        name: lambda a, i, *, name=name: f"{a}.{name}({cute.cpp(i)})"
        for name in ("get_hier_coord", "get_flat_coord", "get_1d_coord")
    },
    apply=lambda a, c: f"cute::as_arithmetic_tuple(({cute.cpp(a)})({cute.cpp(c)}))",  # 1@0 is the coordinate (1)
    get=templated("layout"),
    take=templated("take", 2),
    group=templated("group", 2),
    select=templated("select", 99),
    replace=templated("replace"),
    upcast=templated("upcast"),
    downcast=templated("downcast"),
)


def text(expressions, _):
    return [f"answered<decltype(frozen([] {{ return {e}; }}))> a{k};" for k, e in enumerate(expressions.values())]


def listed(*items):
    items = [str(item) for item in items]
    if len(items) == 2 and ":" in items[0]:  # a layout and its offset
        return items[0] if "o" in items[0] else f"{items[1]}o{items[0]}"
    return f"({','.join(items)})"


def composed(w, offset, layout):
    return f"{w}o{offset}o{layout}" if w[0] == "S" else no_kind(w)  # CuTe's may be of any two functions


class run_time:  # an integer of which the type does not have the value: CuTe's arithmetic leaves constants where it overflows
    def __str__(self):
        raise no_word("an integer of run time")


kinds = dict(
    int=run_time(),
    C=str,
    integral_constant=lambda _, n: str(n),
    tuple=listed,
    ArithmeticTuple=listed,
    true="true",
    false="false",
    Underscore="_",
    Layout="{}:{}".format,
    Swizzle="Sw<{},{},{}>".format,
    ComposedLayout=composed,
    ScaledBasis=lambda n, *modes: n + "".join(f"@{m}" for m in modes[::-1]),
)


def shown(type_name):  # the notation of the one value that a type has
    calls = re.sub(r"(?<=\d)[ul]+|cute::|long (?=int)", "", type_name).translate({ord("<"): "(", ord(">"): ")"})
    try:
        return f"{eval(calls, kinds)}"
    except Exception as e:
        return f"unsupported {e!r} of {type_name}"


said = {"hello": cute.greeting("CuTe-C++-static", 64)}


def ask(requests):
    expressions = {}
    for line in requests:
        try:
            expressions[line] = cute.expression(line)
        except (KeyError, TypeError, no_word) as e:
            said[line] = f"unsupported {e!r}"
    compiled, refused, run = cute.settled(expressions, text, "-fsyntax-only")
    types = re.findall(r"'answered<(.*)> a\d+' has incomplete", run.stderr)
    said.update(refused, **dict(zip(compiled, map(shown, types), strict=True)))


for batch in lines():
    ask({*batch} - said.keys())
    print(*(said[line] for line in batch), sep="\n", flush=True)
