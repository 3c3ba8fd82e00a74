# Times the PyPI package tensor-layouts composing the pairs on standard input (`A B` a line): prints
# nanoseconds per composition and how many pairs it composes; those it refuses are not timed.
# SPDX-License-Identifier: Apache-2.0
import ast
import sys
import time

sys.path.pop(0)
from tensor_layouts import Layout, compose


def composes(pair):
    try:
        return compose(*pair)
    except ValueError:
        return None


pairs = [[Layout(*map(ast.literal_eval, a.split(":"))) for a in line.split()] for line in sys.stdin]
pairs = [pair for pair in pairs if composes(pair)]
best = float("inf")
for _ in range(5):
    start = time.perf_counter_ns()
    for a, b in pairs:
        compose(a, b)
    best = min(best, (time.perf_counter_ns() - start) / len(pairs))
print(best, len(pairs))
