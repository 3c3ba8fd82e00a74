# Asks the extracted model, the bundled algebra and the reference the same random requests and counts the differences.
# usage: bulk.py BUILD COUNT [SEED]
# SPDX-License-Identifier: Apache-2.0
import collections
import random
import subprocess
import sys

build, count = sys.argv[1], int(sys.argv[2])
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
operations = ("composition", "complement", "right_inverse", "left_inverse", "logical_divide", "logical_product")
strides = (0, 1, 1, 2, 3, 4, 6, 8, 9, 12, 16, 24)


def layout():
    rank = draw.choice((1, 1, 2, 2, 3))
    s, d, compact = [draw.choice((1, 2, 2, 3, 4, 6, 8)) for _ in range(rank)], [], 1
    for n in s:
        d.append(compact if draw.random() < 0.5 else draw.choice(strides))
        compact *= n
    return f"{s[0]}:{d[0]}" if rank == 1 else f"({','.join(map(str, s))}):({','.join(map(str, d))})"


def request():
    op = draw.choice(operations)
    second = "" if op.endswith("inverse") else f" {draw.randint(1, 48)}" if op == "complement" else f" {layout()}"
    return f"{op} {layout()}{second}"


def ask(program, lines):
    run = subprocess.run([f"{build}/{program}"], input=lines, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


requests = [request() for _ in range(count)]
text = "\n".join(requests) + "\n"
model, gpu = ask("extracted", text), ask("answer", text)
inside = [(r, m, g) for r, m, g in zip(requests, model, gpu, strict=True) if not m.startswith("unsupported")]
cases = "".join(f"{r} = {m}\n" for r, m, _ in inside)
command = [f"{build}/colex", "cases", "/dev/stdin"]
judged = subprocess.run(command, input=cases, capture_output=True, text=True).stdout.splitlines()
undecided = sum("not decided" in g for _, _, g in inside)
differ = [(r, m, g) for r, m, g in inside if "not decided" not in g and m.split()[0] != g.split()[0]]
for r, m, g in differ[:10]:
    print(f"{r}: model {m}, gpu {g}")
print(f"{count} requests, {len(inside)} in the model")
print(f"differences: gpu {len(differ)} ({undecided} not decided there), ref: {judged[-1]}")
print(dict(collections.Counter(r.split()[0] for r, _, _ in inside)))
