# Lets tract answer requests: `tract.py FOLDER`, where FOLDER is the package (src/tract of a checkout of
# ColfaxResearch/layout-categories). Its layouts are the CuTe DSL's; its algebra is on their morphisms.
# SPDX-License-Identifier: Apache-2.0
import importlib
import os
import sys

import cutlass.cute as cute
from wire import no_word, reader, serve

sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[1]))  # the package's name is this file's
tract = importlib.import_module("tract")
layouts = importlib.import_module("tract.layout_utils")

layout = layouts.compute_layout


def morphism(a):  # only tractable layouts have one
    if not layouts.is_tractable(a):
        raise no_word("not tractable")
    return layouts.compute_Nest_morphism(a)


operations = dict(
    coalesce=lambda a: layout(morphism(a).coalesce()),
    cosize=lambda a: morphism(a).cosize(),
    composition=lambda a, b: layout(layouts.weak_composite(morphism(b), morphism(a))),
    complement=lambda a, m: layouts.flat_complement(layouts.flatten_layout(a), m),
    logical_divide=lambda a, b: layout(morphism(a).logical_divide(morphism(b))),
    logical_product=lambda a, b: layout(morphism(a).logical_product(morphism(b))),
    size=lambda a: morphism(a).size(),
)


@cute.jit
def traced():
    read = reader(lambda s, d: cute.make_layout(s, stride=d))
    serve("tract", tract.__version__, operations, read, limits="int=32")


traced()
