# Lets tract answer requests: `tract.py FOLDER`, where FOLDER is the package (src/tract of a checkout of
# ColfaxResearch/layout-categories). Its layouts are the CuTe DSL's; its algebra is on their morphisms.
# SPDX-License-Identifier: Apache-2.0
import importlib
import os
import sys

import cutlass.cute as cute
from wire import no_word, reader, serve, taking

sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[1]))  # the package's name is this file's
tract = importlib.import_module("tract")
layouts = importlib.import_module("tract.layout_utils")

layout = layouts.compute_layout


def morphism(a):  # only tractable layouts have one
    if not layouts.is_tractable(a):
        raise no_word("not tractable")
    return layouts.compute_Nest_morphism(a)


one, two = (cute.Layout,), (cute.Layout, cute.Layout)  # no integers and no tilers by mode
operations = dict(
    coalesce=taking(lambda a: layout(morphism(a).coalesce()), *one),
    cosize=taking(lambda a: morphism(a).cosize(), *one),
    composition=taking(lambda a, b: layout(layouts.weak_composite(morphism(b), morphism(a))), *two),
    complement=taking(lambda a, m: layouts.flat_complement(layouts.flatten_layout(a), m), cute.Layout, int),
    logical_divide=taking(lambda a, b: layout(morphism(a).logical_divide(morphism(b))), *two),
    logical_product=taking(lambda a, b: layout(morphism(a).logical_product(morphism(b))), *two),
    size=taking(lambda a: morphism(a).size(), *one),
)


@cute.jit
def traced():
    read = reader(lambda s, d: cute.make_layout(s, stride=d))
    serve("tract", tract.__version__, operations, read, limits="int=32")


traced()
