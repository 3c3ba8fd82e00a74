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
from std.sys import argv

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


def shown(a: Layout) -> String:  # it prints (shape: stride)
    return String(a.shape) + ":" + String(a.stride)


def of_shapes(name: String, w: List[String]) raises -> String:
    var s = integers(w[1])
    if name == "make_layout_left":
        return shown(Layout.col_major(s))
    if name == "make_layout_right":
        return shown(Layout.row_major(s))
    if name == "product_each":
        return String(product_each(s))
    var t = integers(w[2])
    if name == "congruent":
        return String(congruent(s, t)).lower()
    if name == "weakly_congruent":
        return String(weakly_congruent(s, t)).lower()
    if name == "compatible":
        return String(compatible(s, t)).lower()
    if name == "shape_div":
        return String(shape_div(s, t))
    if name == "make_ordered_layout":
        return shown(make_ordered_layout(s, t))
    if name == "crd2idx":
        return String(crd2idx(s, t, integers(w[3])) if len(w) > 3 else crd2idx(s, t))
    if name == "idx2crd":
        return String(idx2crd(s, t, integers(w[3])) if len(w) > 3 else idx2crd(s, t))
    raise Error(NO_WORD)


def of_layout(name: String, a: Layout) raises -> String:
    if name == "rank":
        return String(a.rank())
    if name == "size":
        return String(a.size())
    if name == "cosize":
        return String(a.cosize())
    if name == "coalesce":
        return shown(coalesce(a))
    if name == "right_inverse":
        return shown(right_inverse(a))
    if name == "complement":
        return shown(complement(a))
    raise Error(NO_WORD)


def of_layout_and(name: String, a: Layout, text: String) raises -> String:
    if name == "apply":
        return String(a(integers(text)))
    if name == "complement":
        return shown(complement(a, integer(text)))
    if name == "upcast":
        return shown(upcast(a.copy(), integer(text)))
    if name == "downcast":
        return shown(downcast(a, integer(text)))
    if name == "get":
        return shown(a[integer(text)])
    if name == "tile_to_shape":
        return shown(tile_to_shape(a.copy(), integers(text)))
    if text.startswith("<"):
        return of_tiles(name, a, tiles(text))
    var b = layout(text)
    if name == "composition":
        return shown(composition(a.copy(), b.copy()))
    if name == "logical_divide":
        return shown(logical_divide(a, b))
    if name == "zipped_divide":
        return shown(zipped_divide(a, b))
    if name == "logical_product":
        return shown(logical_product(a.copy(), b.copy()))
    if name == "blocked_product":
        return shown(blocked_product(a.copy(), b.copy()))
    raise Error(NO_WORD)


def of_tiles(name: String, a: Layout, t: LayoutList) raises -> String:
    if name == "composition":
        return shown(composition(a.copy(), t))
    if name == "logical_divide":
        return shown(logical_divide(a, t))
    if name == "zipped_divide":
        return shown(zipped_divide(a, t))
    if name == "logical_product":
        return shown(logical_product(a.copy(), t))
    raise Error(NO_WORD)


def answer(line: String) raises -> String:
    var w = List[String]()
    for word in line.split(" "):
        w.append(String(word))
    if len(w) < 2 or "@" in line or "_" in w[1] or "X" in line:
        raise Error(NO_WORD)
    if w[1].startswith("Sw<") and w[0] == "apply" and "o" not in w[1]:
        var n = parts(w[1])
        return String(Swizzle(integer(n[0]), integer(n[1]), integer(n[2]))(integer(w[2])))
    if ":" not in w[1]:
        return of_shapes(w[0], w)
    var a = layout(w[1])
    if len(w) == 2:
        return of_layout(w[0], a)
    if w[0] == "tile_to_shape" and len(w) == 4:
        return shown(tile_to_shape(a.copy(), integers(w[2]), integers(w[3])))
    if len(w) > 3:
        raise Error(NO_WORD)
    return of_layout_and(w[0], a, w[2])


def next_line() -> Optional[String]:  # input() would take more than a line of the pipe
    var line = String("")
    while True:
        var c = Int(external_call["getchar", Int32]())
        if c < 0:
            return None
        if c == 10:
            return line
        line += chr(c)


def main():  # its argument is what it says to `hello`
    while True:
        var line = next_line()
        if not line:
            return
        try:
            print(String(argv()[1]) if line.value() == "hello" else answer(line.value()).replace(" ", ""), flush=True)
        except e:
            print("unsupported" if String(e) == NO_WORD else "undefined " + String(e), flush=True)
