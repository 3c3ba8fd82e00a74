#!/usr/bin/env python3
# What an adapter on tests/peers/wire.py makes of what a package does: accidents end it, refusals are answers and so is what it
# does not offer or what takes too long, and modules beside it are found.   adapter.py COLEX
# SPDX-License-Identifier: Apache-2.0
import ast
import inspect
import pathlib
import shutil
import subprocess
import sys
import tempfile

colex = pathlib.Path(sys.argv[1]).resolve()
peers = pathlib.Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(peers))
from wire import Adapter  # noqa: E402

beside = """
class Layout:
    def __init__(self, shape, stride):
        self.shape, self.stride = shape, stride


def size(n):
    return lambda a: n


def raising(e):
    def operation(a):
        raise e

    return operation


def nothing(a):
    pass


class Behind:  # a layout of a layout's values, which the notation has no word for
    def __init__(self, a):
        self.outer, self.offset, self.inner = a, 0, a
"""
adapter = """
from beside import Behind, Layout, nothing, raising, size
from wire import no_word, reader, serve, taking

operations = dict(
    size=size(4),
    rank=raising(TypeError("of the package")),
    depth=raising(ValueError("of the package")),
    cosize=raising(no_word("of the adapter")),
    flatten=nothing,
    right_inverse=Behind,
    coalesce=taking(lambda a, p=None: a, Layout),
)
serve("mine", "1", operations, reader(Layout), limits="int=32 min=0")
"""
aborting = """
import os
import sys

from aborts import reading
from beside import Layout, size
from wire import reader, serve


def ending(says):
    def operation(a):
        print(says, file=sys.stderr, flush=True)
        os.abort()

    return operation


def forever(a):
    while True:
        pass


operations = dict(
    size=size(4), rank=ending("Assertion 'n > 0' failed."), depth=ending("out of memory"), cosize=forever
)
serve("aborting", "1", operations, reader(Layout), say=reading("Assertion .* failed", seconds=0.2))
"""


def ask(*requests, adapter="adapter.py"):
    lines = "".join(line + "\n" for line in requests)
    return subprocess.run([sys.executable, adapter], input=lines, cwd=folder, capture_output=True, text=True)


def expect(good, what, run):
    if not good:
        sys.exit(f"{what}: {run.returncode} {run.stdout}{run.stderr}")


def started():
    """How each adapter begins to serve; most of their packages are not here."""
    for file in peers.glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "serve" and file.name != "wire.py":
                yield file.name, len(call.args), {k.arg for k in call.keywords} - {"say"}


for name, arguments, keywords in started():
    try:
        inspect.signature(Adapter).bind(*range(arguments), **dict.fromkeys(keywords))
    except TypeError as e:
        sys.exit(f"{name} serves otherwise than wire.Adapter can: {e}")

with tempfile.TemporaryDirectory() as folder:
    shutil.copy(peers / "wire.py", folder)
    shutil.copy(peers / "aborts.py", folder)
    pathlib.Path(folder, "beside.py").write_text(beside)
    pathlib.Path(folder, "adapter.py").write_text(adapter)

    run = ask(
        "hello", "size 4:1", "depth 4:1", "cosize 4:1", "coalesce 4:1 4 4", "coalesce 4 4", "filter 4:1", "right_inverse 4:1"
    )
    expect(run.returncode == 0, "nothing is an accident", run)
    first, *answers = run.stdout.splitlines()
    expect(first == "colex 1 mine 1 int=32 min=0 size rank depth cosize flatten right_inverse coalesce", "the greeting", run)
    expect([a.split()[0] for a in answers] == ["4", "undefined", *["unsupported"] * 5], "answers", run)
    pathlib.Path(folder, "aborting.py").write_text(aborting)
    run = ask("size 4:1", "rank 4:1", "rank 2:1", "size 4:1", "flatten 4:1", "depth 4:1", "size 4:1", adapter="aborting.py")
    refusal = "undefined Assertion 'n > 0' failed"
    expect(run.returncode == 0, "an adapter outlives what it copies", run)
    expect(run.stdout.splitlines()[:4] == ["4", refusal, refusal, "4"], "a refusal that ends the process", run)
    ended = "died killed by signal 6 (Aborted); it said: out of memory"
    expect(run.stdout.splitlines()[5:] == [ended, "4"], "what ends without a refusal has died", run)
    run = ask("cosize 4:1", "size 4:1", adapter="aborting.py")
    late = "unsupported not decided: it takes a processor longer than 0.2 s"
    expect(run.stdout.splitlines() == [late, "4"], "what takes too long", run)
    for accident, says in (
        ("rank 4:1", "TypeError: of the package"),
        ("flatten 4:1", "TypeError: no value of the notation: None"),
    ):
        run = ask("size 4:1", accident, "size 4:1")
        expect(run.stdout == f"4\ndied raised {says}\n4\n" and run.stderr.endswith(says + "\n"), accident, run)

    command = [colex, "conform", "--op", "rank", "--count", "5", "--", sys.executable, "adapter.py"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    expect(run.returncode == 3 and "raised TypeError: of the package" in run.stdout, "an accident under judgement", run)

    command = [colex, "conform", "--op", "depth", "--count", "30", "--cases", "/dev/null", "--", sys.executable, "aborting.py"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    expect(run.returncode == 3 and "killed by signal 6 (Aborted); it said: out of memory" in run.stdout, "a copy's death", run)
    expect("given up after too many deaths, the rest not asked: depth" in run.stdout, "deaths without a start are counted", run)
