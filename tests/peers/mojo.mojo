# Answers requests by Mojo's layout package: its Layout and IntTuple of run-time values. mojo.py runs it.
# SPDX-License-Identifier: Apache-2.0
from layout import IntTuple, Layout, LayoutList
from layout.int_tuple import compatible, congruent, crd2idx, idx2crd, product_each, shape_div, weakly_congruent
from layout.layout import (
    blocked_product,
    coalesce,
    complement,
    composition,
    downcast,
    logical_divide,
    logical_product,
    make_ordered_layout,
    right_inverse,
    tile_to_shape,
    upcast,
    zipped_divide,
)
from layout.swizzle import Swizzle
from std.ffi import external_call

comptime NO_WORD = "no_word"


def parts(text: String) raises -> List[String]:
    """Of what stands in brackets, split at the commas outside inner ones."""
    var found = List[String]()
    var depth = 0
    var part = String("")
    for piece in text.codepoint_slices():
        var c = String(piece)
        if depth == 1 and (c == "," or c == ")" or c == ">"):
            found.append(part)
            part = ""
        elif depth > 0:
            part += c
        if c == "(" or c == "<":
            depth += 1
        elif c == ")" or c == ">":
            depth -= 1
    if len(found) == 1 and found[0] == "":
        found = List[String]()
    return found^


def integers(text: String) raises -> IntTuple:
    if not text.startswith("("):
        return IntTuple(integer(text))
    var all = IntTuple()
    for part in parts(text):
        all.append(integers(part))
    return all^


def integer(text: String) raises -> Int:
    try:
        return Int(text)
    except:
        raise Error(NO_WORD)


def layout(text: String) raises -> Layout:
    var halves = text.split(":")
    if len(halves) != 2:
        raise Error(NO_WORD)
    return Layout(integers(String(halves[0])), integers(String(halves[1])))


def tiles(text: String) raises -> LayoutList:
    var all = LayoutList()
    for part in parts(text):
        all.append(layout(part) if ":" in part else Layout(IntTuple(integer(part)), IntTuple(1)))
    return all^


def main():
    print(String(tiles("<2,(2,3):(1,2)>")[1]))
