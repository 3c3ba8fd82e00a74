# An example: judges a `size` of its own by the file that `colex export --mojo` writes, as vectors.mojo.
# SPDX-License-Identifier: Apache-2.0
from vectors import COLEX_VECTORS


def size(layout: String) raises -> Int:
    var n = 1
    var digits = String("")
    for piece in layout.codepoint_slices():
        var c = String(piece)
        if c == "o":  # what stands before is a swizzle and its offset
            n = 1
            digits = ""
        elif c.is_ascii_digit():
            digits += c
        elif digits != "":
            n *= Int(digits)
            digits = ""
        if c == ":":
            return n
    return n


def main() raises:
    var asked = 0
    var wrong = 0
    for line in String(COLEX_VECTORS).split("\n"):
        var v = List[String]()
        for word in line.split("\t"):
            v.append(String(word))
        if len(v) < 7 or v[0] != "size" or v[2] != "defined" or v[3].byte_length() > 18:
            continue
        asked += 1
        if String(size(v[1])) != v[3]:
            print("size", v[1], "is", v[3], "; known:", v[6])
            wrong += 1
    print(asked, "asked,", wrong, "wrong")
