# Times the Python package: importing, single calls, and a run of the suite on tensor-layouts in process; composition beside
# pycute and tensor-layouts on the same pairs, best of many rounds. Processor time, so that other programs do not count.
#   package.py FOLDER_OF_PYCUTE FOLDER_OF_ADAPTERS
# SPDX-License-Identifier: Apache-2.0
import random
import runpy
import subprocess
import sys
import time

sys.path[0] = sys.argv[1]
import colex_layouts as cx  # noqa: E402
import pycute  # noqa: E402
import tensor_layouts  # noqa: E402


def microseconds(f, rounds=30, calls=1):
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(calls):
            f()
        best = min(best, time.process_time() - begin)
    return best / calls * 1e6


def row(what, value, unit, goal=""):
    print(f"{what:<52} {value:>8.2f} {unit:<3} {goal}")


def import_time():
    timed = "import time; t = time.process_time(); import colex_layouts; print(time.process_time() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", timed])) for _ in range(10)) * 1e3


def random_compact(rng):
    """Three extents 1 to 8, compact in a random order of the modes."""
    shape, stride, step = [rng.randint(1, 8) for _ in range(3)], [0] * 3, 1
    for k in rng.sample(range(3), 3):
        stride[k] = step
        step *= shape[k]
    return tuple(shape), tuple(stride)


def composes(f, pair):
    try:
        f(*pair)
    except Exception:
        return False
    return True


def time_compositions():
    packages = dict(
        colex=(cx.Layout, cx.composition),
        pycute=(pycute.Layout, pycute.composition),
        tensor_layouts=(tensor_layouts.Layout, tensor_layouts.compose),
    )
    rng = random.Random(1)
    drawn = [(random_compact(rng), random_compact(rng)) for _ in range(3000)]
    pairs = {name: [tuple(make(*x) for x in pair) for pair in drawn] for name, (make, _) in packages.items()}
    common = [k for k in range(len(drawn)) if all(composes(f, pairs[name][k]) for name, (_, f) in packages.items())]
    times = {}
    for name, (_, compose) in packages.items():
        chosen = [pairs[name][k] for k in common]
        times[name] = microseconds(lambda f=compose, all=chosen: [f(a, b) for a, b in all], rounds=10) / len(common)
        row(f"composition, {name}, {len(common)} pairs", times[name], "us", "under 15" if name == "colex" else "")
    for name in ("pycute", "tensor_layouts"):
        row(f"times as long as here: {name}", times[name] / times["colex"], "x", "at least 4")


def adapter_of_tensor_layouts(folder):
    """The adapter itself, without its loop."""
    import importlib

    sys.path.insert(0, folder)
    wire, made = importlib.import_module("wire"), []
    wire.serve = lambda *about, **more: made.append(wire.Adapter(*about, **more))
    runpy.run_path(f"{folder}/tensor_layouts.py")
    return made[0]


def main(adapters):
    row("import", import_time(), "ms", "under 20")
    a = cx.Layout((6, 2), (8, 2))
    row("Layout.__call__", microseconds(lambda: a(9), calls=1000), "us", "under 1.5")
    time_compositions()
    adapter = adapter_of_tensor_layouts(adapters)
    begin = time.process_time()
    inside = cx.conform(adapter, count=100)
    row("conform of tensor-layouts, 100 inputs a law", time.process_time() - begin, "s", "under 4")
    program = cx.conform(command=[sys.executable, f"{adapters}/tensor_layouts.py"], count=100)
    differ = [law for law, verdict in inside.verdicts.items() if program.verdicts[law] != verdict]
    print(f"{len(inside.verdicts)} verdicts, {len(differ)} others in a process of its own", *differ)
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main(sys.argv[2]))
