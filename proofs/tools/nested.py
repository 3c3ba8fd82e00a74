"""Parts of a nested text, for the scripts beside this. SPDX-License-Identifier: Apache-2.0"""


def split(text):  # (a,b,...) or <a,b,...> at the commas outside brackets
    parts, depth, start = [], 0, 1
    for i, c in enumerate(text):
        depth += (c in "(<") - (c in ")>")
        if (c == "," and depth == 1) or (i == len(text) - 1 and i > 1):
            parts.append(text[start:i])
            start = i + 1
    return parts
