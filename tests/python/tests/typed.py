# What type checkers make of the package; `mypy --strict` reads this. SPDX-License-Identifier: Apache-2.0
import colex_layouts as cx
import numpy

a: cx.Layout = cx.Layout((4, (2, 2)), (2, (1, 8))) @ cx.Layout("4:1")
b: cx.Layout = a.composition((cx.Layout(2), None)).coalesce().complement(24)
n: int = a.size() + cx.cosize(b) + len(a) + sum(m.rank() for m in a) + a.composition("4:1").size()
s: cx.Swizzle = cx.composition(cx.Swizzle(3, 4, 3), cx.Swizzle(3, 4, 3)) if n else cx.Swizzle("Sw<3,4,3>")
c: cx.Layout = cx.composition(cx.Swizzle(3, 4, 3), 0, a)
d: bool = cx.compatible((4, (2, numpy.int64(2))), [4, 4])
svg: str = a.draw(banks=32).svg
run: cx.Run = cx.conform({"size": lambda x: 7}, level="core", seed=1, count=400)
first: str = run.failures[0].law
